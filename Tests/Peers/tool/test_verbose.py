# SPDX-License-Identifier: MIT
"""The log of --verbose, which contains no secret and no personal data."""

import json
import subprocess

import pytest

from people import ADA, GRACE, Person
from providers import OpenIDProvider
from redaction import shown
from secret_items import search
from servers import LoopbackServer
from sso_cache import DECLINED_SCOPES, DONE, INTERACTION_REQUIRED, STORAGE_OR_NETWORK, TOKEN_MARK
from unified_cache import CLIENT, access_token, cache_of, signed_in
from watcher import Watcher

SCOPE = "User.Read"
# A password that each way of escaping text writes differently.
PASSWORD = f'{TOKEN_MARK} "wörd"/+%\\&'
SERVICE = ("--service", "imap.contoso.com", "--account", ADA.username)
SECRET = ("secret set", *SERVICE)
TOKEN = ("token", "--client-id", CLIENT, "--account")


def nothing(sso, bus):
    pass


def lose_the_password(sso, bus):
    sso.do("group lock")
    for key in search(bus, kind="group-key", group=sso.group):
        key.delete()


COMMANDS = [
    ("groups",), ("partners",), ("accounts",), ("accounts", "--client-id", CLIENT),
    (*TOKEN, ADA.username, "--scope", SCOPE), (*TOKEN, ADA.identifier, "--scope", "Mail.Read"),
    ("import", "--format", "msal", "-"), ("import", "--format", "msal", "--dry-run", "-"),
    ("import", "--format", "msal", "--replace", "--yes", "-"),
    ("export", "--format", "msal"), ("export", "--format", "adal-python"),
    ("group create",), ("group lock",), ("group unlock",), ("group move",),
    ("group copy", "--from", "GROUP", "--to", "GROUP.copy"), ("group delete", "--yes"),
    ("damaged list",),
    SECRET, ("secret get", *SERVICE), ("secret list",), ("secret remove", *SERVICE),
    ("doctor",), ("doctor", "--fix", "--yes"),
    ("sign-out", "--client-id", CLIENT, "--account", ADA.username, "--yes"),
    ("sign-out", "--everywhere", "--account", ADA.username, "--yes"), ("sign-out", "--whole-group", "--yes"),
]
# Commands that need more than the standard content before each command.
PREPARED = [(("group reset", "--yes"), lose_the_password), (("doctor", "--fix", "--yes"), lose_the_password)]


class Planted:
    """A signed-in user, an app's password, and all texts of them that no output may show."""

    def __init__(self, sso, bus):
        self.cache = cache_of(access_token(SCOPE))
        self.other = signed_in(person=GRACE)[0]
        sso.take(self.cache)
        assert sso.run(*SECRET, stdin=PASSWORD.encode()).status == DONE
        entries = [entry for cache in (self.cache, self.other) for section in cache.values()
                   for entry in section.values()]
        self.secrets = {entry["secret"] for entry in entries if "secret" in entry}
        self.secrets |= {ADA.username, ADA.name, GRACE.username, GRACE.name, PASSWORD, TOKEN_MARK}
        self.secrets |= {key.get_secret().decode() for key in search(bus, kind="group-key", group=sso.group)}

    def stdin(self, command):
        return json.dumps(self.other).encode() if command == "import" else PASSWORD.encode()


@pytest.fixture
def planted(sso, bus):
    return Planted(sso, bus)


@pytest.mark.parametrize(
    "arguments, prepare", [*((arguments, nothing) for arguments in COMMANDS), *PREPARED],
    ids=lambda value: value.__name__ if callable(value) else "-".join(value)[:40])
def test_no_line_has_a_token_a_secret_or_a_name(sso, bus, planted, arguments, prepare):
    prepare(sso, bus)
    command, *rest = [word.replace("GROUP", sso.group) for word in arguments]
    outcome = sso.run(command, *rest, "--verbose", stdin=planted.stdin(command))
    expected = (DONE, INTERACTION_REQUIRED) if command in ("token", "doctor") else (DONE,)
    assert outcome.status in expected or command == "doctor", outcome
    assert "connected to the Secret Service" in outcome.stderr
    assert shown(outcome.stderr, planted.secrets) == set()


def test_no_line_of_a_watch_has_a_token_a_secret_or_a_name(sso, planted, tmp_path):
    with open(tmp_path / "log", "w+") as log:
        with Watcher(sso, "--verbose", stderr=log) as watcher:
            sso.take(planted.other)
            watcher.wait_for("account", lambda: GRACE.identifier in watcher.accounts)
            sso.do("sign-out", "--everywhere", "--account", ADA.username, "--yes")
            watcher.wait_for("sign-out", lambda: ADA.identifier not in watcher.accounts)
        log.seek(0)
        text = log.read()
    assert "connected to the Secret Service" in text
    assert shown(text, planted.secrets) == set()


def test_every_command_with_the_option_is_in_the_table(tool):
    done = subprocess.run([tool, "--experimental-dump-help"], capture_output=True, check=True)

    def verbose(command, words=()):
        for part in command.get("subcommands", []):
            yield from verbose(part, (*words, part["commandName"]))
        if any(argument["valueName"] == "verbose" for argument in command.get("arguments", [])):
            yield " ".join(words)

    tried = {command for command, *_ in [*COMMANDS, *(arguments for arguments, _ in PREPARED)]}
    assert set(verbose(json.loads(done.stdout)["command"])) == tried | {"watch", "damaged export", "damaged remove"}


# Commands that read an existing document, one of each kind.
READING = [
    (*TOKEN, ADA.username, "--scope", SCOPE), ("import", "--format", "msal", "-"), ("export", "--format", "msal"),
    ("secret get", *SERVICE), SECRET, ("doctor",),
    ("sign-out", "--client-id", CLIENT, "--account", ADA.username, "--yes"),
]
CONTENTS = {
    "half": b'{"RefreshToken": {"a": {"secret": "%s"',
    "wrong types": b'{"RefreshToken": ["%s"], "Account": "%s"}',
    "text": b"%s",
    "names": b'{"%s": {"%s": {"%s": 1}}, "%s": 2}',
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS.keys())
def test_a_corrupt_item_is_reported_without_its_content(sso, bus, planted, content):
    for kind in ("credentials", "secret"):
        [item] = search(bus, group=sso.group, kind=kind)
        item.set_secret(content.replace(b"%s", f"{TOKEN_MARK}-corrupt".encode()))
    assert "damaged" in sso.run("accounts", "--verbose").stderr
    for command, *rest in READING:
        outcome = sso.run(command, *rest, "--verbose", stdin=planted.stdin(command))
        assert shown(outcome.stderr, planted.secrets) == set()


# Servers that repeat the request wherever a response can hold it.
PERSON = Person("ada@example.org", "Ada Lovelace", "248289761001")
EVERYWHERE = ("error", "suberror", "error_description", "error_uri", "claims", "trace_id", "correlation_id")
ECHOES = {
    "refusal": (400, lambda token: dict.fromkeys(EVERYWHERE, token) | {"error": "invalid_grant"}),
    "as the code": (400, lambda token: dict.fromkeys(EVERYWHERE, token)),
    "inside of the code": (401, lambda token: dict.fromkeys(EVERYWHERE, f"bad_{token}_")),
    "outage": (503, lambda token: dict.fromkeys(EVERYWHERE, token)),
    "text": (400, lambda token: token),
    "no token": (200, lambda token: dict.fromkeys(EVERYWHERE, token)),
    "no id token": (200, lambda token: {"access_token": token, "id_token": token, "refresh_token": token}),
    "scopes": (200, lambda token: {"access_token": token, "expires_in": 60, "scope": token}),
}


class Echo(OpenIDProvider):
    def __init__(self, status, body):
        super().__init__("http://127.0.0.1/staff")
        self._echo = (status, body)

    def _token(self, url, form):
        status, body = self._echo
        return status, body(form["refresh_token"])


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES.keys())
def test_a_server_that_repeats_the_refresh_token_is_not_quoted(sso, echo):
    provider = Echo(*echo)
    with LoopbackServer(provider) as server:
        options = dict(client="desktop", environment=server.host, identifier=PERSON.uid)
        cache = cache_of(access_token("api", PERSON, age=7200, realm="staff", **options), person=PERSON,
                         realm="staff", **options)
        sso.take(cache)
        for flags in (["--verbose"], [], ["--json"]):  # the second time from what is remembered
            outcome = sso.run(
                "token", "--client-id", "desktop", "--account", PERSON.uid, "--authority",
                f"{server.address}/staff", "--scope", "api", *flags)
            assert outcome.status in (INTERACTION_REQUIRED, STORAGE_OR_NETWORK, DECLINED_SCOPES)
    [refresh_token] = cache["RefreshToken"].values()
    assert provider.token_requests[0]["refresh_token"] == refresh_token["secret"]


def test_the_lines_of_a_silent_call_share_its_correlation_id(sso):
    sso.take(cache_of(access_token(SCOPE)))
    outcome = sso.run("token", "--client-id", CLIENT, "--account", ADA.identifier, "--scope", SCOPE, "-v")
    lines = [line for line in outcome.stderr.splitlines() if "correlation-id=" in line]
    identifiers = {line.split("correlation-id=")[1].split()[0] for line in lines}
    assert len(identifiers) == 1
    assert " begins" in lines[0] and "outcome=cache" in lines[-1]
    assert any("reads a record" in line for line in lines), "the store's lines are the call's, too"


@pytest.mark.parametrize("flags", [["-yv"], ["-vy"], ["-y", "-v"]], ids=" ".join)
def test_flags_of_one_letter_may_stand_together(sso, flags):
    sso.take(cache_of(access_token(SCOPE)))
    outcome = sso.run("sign-out", "--account", ADA.identifier, "--everywhere", *flags)
    assert outcome.status == DONE and "connected to the Secret Service" in outcome.stderr
    assert sso.accounts() == []


def test_a_failure_ends_with_its_json(sso):
    sso.take(cache_of(access_token(SCOPE)))
    arguments = sso.arguments("token", "--client-id", CLIENT, "--account", "nobody", "--scope", SCOPE)
    done = subprocess.run([*arguments, "--json", "--verbose"], capture_output=True, text=True, env=sso.environment)
    assert done.returncode == INTERACTION_REQUIRED and done.stdout == ""
    assert json.loads(done.stderr.splitlines()[-1])["error"]["code"] == "interactionRequired"


def test_without_the_option_no_line_is_printed(sso):
    sso.take(cache_of(access_token(SCOPE)))
    assert sso.run("accounts").stderr == ""
