# SPDX-License-Identifier: MIT
"""An unresponsive daemon: every call ends in time, and the next one succeeds."""

import json
import plistlib
import re
import subprocess
import tempfile
import time

from people import ADA
from planted import login_of
from removals import tokens_left
from secret_items import search
from sso_cache import DONE, LOCKED_OR_TIMED_OUT, Outcome, SSOCache, check_contract
from unified_cache import CLIENT, signed_in

# The store's deadline is ten seconds. Eight processes that start together on a busy machine end some seconds later; a
# call that waits for two deadlines in turn would end after twenty.
EARLIEST, LATEST = 9, 19


def test_every_call_to_a_frozen_daemon_times_out_and_succeeds_when_it_resumes(sso, daemon, save):
    cache, token = signed_in()
    sso.take(cache)
    newer, newer_token = signed_in("mail.send")
    commands = [
        ["accounts", "--json"],
        ["groups", "--json"],
        ["export", "--json", "--format", "msal"],
        ["token", "--json", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"],
        ["import", "--json", "--format", "msal", save(json.dumps(newer))],
        ["sign-out", "--json", "--account", ADA.username, "--everywhere", "--yes"],
        ["import", "--json", "--from", "azure-cli"],
        ["export", "--json", "--to", "azure-cli"],
    ]
    daemon.freeze()
    start = time.monotonic()
    processes = [
        subprocess.Popen(
            sso.arguments(*command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )
        for command in commands
    ]
    for command, process in zip(commands, processes):
        stdout, stderr = process.communicate(timeout=30)
        seconds = time.monotonic() - start
        outcome = Outcome(process.returncode, stdout, stderr, seconds)
        check_contract(command[0], True, outcome)
        assert outcome.status == LOCKED_OR_TIMED_OUT, (command, outcome)
        assert outcome.error == "timedOut", (command, outcome)
        assert EARLIEST < seconds < LATEST, (command, outcome)

    daemon.thaw()
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == token
    assert sso.take(newer)["updated"] == 1
    assert sso.token(CLIENT, ADA.username, "mail.send")["access_token"] == newer_token


def ended(sso, daemon, command, reached=None):
    """The end of a command whose daemon hangs: from its start, or from when something is reached."""
    if reached is None:
        daemon.freeze()
    start = time.monotonic()
    # A pipe that nobody reads until something is reached would fill, for doctor prints each group of the session.
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        process = subprocess.Popen(
            [*map(str, command)], stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=sso.environment)
        if reached is not None:
            while not reached() and process.poll() is None:
                time.sleep(0.01)
            daemon.freeze()
            start = time.monotonic()
        process.wait(timeout=60)
        seconds = time.monotonic() - start
        texts = [(file.seek(0), file.read())[1] for file in (stdout, stderr)]
    return Outcome(process.returncode, *texts, seconds)


def of_app(save, groups):
    """The options of an app of several groups."""
    prefix = "$(AppIdentifierPrefix)"
    manifest = {
        "application-identifier": f"{prefix}com.contoso.several",
        "keychain-access-groups": [prefix + group for group in groups],
    }
    return ["--entitlements", save(plistlib.dumps(manifest), "several.plist")]


def test_the_waits_of_a_command_for_a_frozen_daemon_do_not_add_up(sso, group, daemon, save):
    groups = [f"{group}.{number}" for number in range(3)]
    for name in groups:
        SSOCache(sso.tool, name).run("secret set", "--service", "s", stdin=b"x")
    sso.take(signed_in()[0])
    for command in (
        [sso.tool, "secret", "list", *of_app(save, groups)],
        sso.arguments("group move"),
        [sso.tool, "group", "unlock"],
    ):
        outcome = ended(sso, daemon, command)
        daemon.thaw()
        assert outcome.status == LOCKED_OR_TIMED_OUT and outcome.seconds < LATEST, (command, outcome)


def test_the_waits_of_a_sign_out_of_an_app_do_not_add_up(sso, bus, group, daemon, save):
    clients = [f"client-{number}" for number in range(4)]
    for client in clients:
        sso.take(signed_in(client=client)[0])
    command = sso.arguments("sign-out", "--account", ADA.username, "--yes", *of_app(save, [group]))
    outcome = ended(sso, daemon, command, lambda: len(tokens_left(bus, group)) < len(clients))
    assert outcome.status == LOCKED_OR_TIMED_OUT and outcome.seconds < LATEST, outcome


def test_the_waits_of_several_repairs_do_not_add_up(sso, bus, group, daemon):
    names = [f"{group}.{number}" for number in range(4)]
    for name in names:
        broken = SSOCache(sso.tool, name)
        for client in ("one", "two"):
            broken.take(signed_in(client=client)[0])
        for item in search(bus, group=name, kind="credentials"):
            item.set_secret(b"broken")
    command = [sso.tool, "doctor", "--fix", "--yes"]
    outcome = ended(sso, daemon, command, lambda: any(search(bus, kind="damaged", group=name) for name in names))
    assert outcome.status == LOCKED_OR_TIMED_OUT and outcome.seconds < LATEST, outcome


def test_a_deletion_whose_daemon_hangs_in_the_middle_says_what_is_left(sso, bus, group, daemon):
    sso.take(signed_in()[0])
    [item] = search(bus, kind="credentials", group=group)
    count = 120
    for number in range(count):
        login_of(bus).create_item(f"Planted {number}", item.get_attributes(), b"planted")

    login = login_of(bus)._collection  # whose items vanish while they are looked at
    before = len(login.get_property("Items"))

    def is_begun():
        return len(login.get_property("Items")) < before - 20

    outcome = ended(sso, daemon, sso.arguments("group delete", "--yes", "--json"), is_begun)
    daemon.thaw()
    assert outcome.status == LOCKED_OR_TIMED_OUT, outcome
    detail = json.loads(outcome.stderr)["error"]["detail"]
    stated = int(re.search(rf"Left of the access group {group}: up to (\d+) items in Login\.", detail)[1])
    left = len(search(bus, group=group))
    assert left - 3 <= stated <= left + 8, (stated, left)
    assert outcome.seconds < LATEST
    assert sso.run("group delete", "--yes").status == DONE
    assert search(bus, group=group) == []
