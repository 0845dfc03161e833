# SPDX-License-Identifier: MIT
"""What --verbose tells, and that none of it is a secret's or a person's."""

import json
import subprocess

import pytest

from people import ADA
from secret_items import search
from sso_cache import BAD_INPUT, DONE, INTERACTION_REQUIRED
from unified_cache import CLIENT, access_token, cache_of

SCOPE = "User.Read"

COMMANDS = [
    ("groups",), ("accounts",), ("accounts", "--client-id", CLIENT),
    ("token", "--client-id", CLIENT, "--account", ADA.username, "--scope", SCOPE),
    ("token", "--client-id", CLIENT, "--account", ADA.identifier, "--scope", "Mail.Read"),
    ("export", "--format", "msal"),
    ("group lock",), ("group unlock",),
    ("secret set", "--service", "imap.contoso.com", "--account", ADA.username),
    ("secret get", "--service", "imap.contoso.com", "--account", ADA.username),
    ("sign-out", "--client-id", CLIENT, "--account", ADA.username, "--yes"),
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: "-".join(arguments)[:40])
def test_no_line_holds_a_token_a_secret_or_a_name(sso, arguments):
    sso.take(cache_of(access_token(SCOPE)))
    sso.run("secret set", "--service", "imap.contoso.com", "--account", ADA.username, stdin=b"s3cr3t word")
    command, *rest = arguments
    outcome = sso.run(command, *rest, "--verbose", stdin=b"s3cr3t word")  # which looks for tokens
    assert outcome.status in (DONE, INTERACTION_REQUIRED)
    assert "connected to the Secret Service" in outcome.stderr
    assert ADA.username not in outcome.stderr and ADA.name not in outcome.stderr


def test_the_lines_of_a_silent_call_share_its_correlation_id(sso):
    sso.take(cache_of(access_token(SCOPE)))
    outcome = sso.run("token", "--client-id", CLIENT, "--account", ADA.identifier, "--scope", SCOPE, "-v")
    lines = [line for line in outcome.stderr.splitlines() if "correlation-id=" in line]
    identifiers = {line.split("correlation-id=")[1].split()[0] for line in lines}
    assert len(identifiers) == 1
    assert " begins" in lines[0] and "outcome=cache" in lines[-1]
    assert any("reads a record" in line for line in lines), "the store's lines are the call's, too"


def test_a_failure_ends_with_its_json(sso):
    sso.take(cache_of(access_token(SCOPE)))
    arguments = sso.arguments("token", "--client-id", CLIENT, "--account", "nobody", "--scope", SCOPE)
    done = subprocess.run([*arguments, "--json", "--verbose"], capture_output=True, text=True, env=sso.environment)
    assert done.returncode == INTERACTION_REQUIRED and done.stdout == ""
    assert json.loads(done.stderr.splitlines()[-1])["error"]["code"] == "interactionRequired"


def test_a_corrupt_item_is_told_without_its_content(sso, bus):
    sso.take(cache_of(access_token(SCOPE)))
    [item] = search(bus, group=sso.group, kind="credentials")
    item.set_secret(b"{s3cr3t")
    outcome = sso.run("accounts", "--verbose")
    assert outcome.status == BAD_INPUT


def test_without_it_nothing_is_said(sso):
    sso.take(cache_of(access_token(SCOPE)))
    assert sso.run("accounts").stderr == ""
