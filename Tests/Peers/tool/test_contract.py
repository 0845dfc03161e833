# SPDX-License-Identifier: MIT
"""The tool's contract: its output, its streams and its exit statuses."""

import json
import os
import plistlib
import pty
import shlex
import subprocess

import pytest

from people import ADA, GRACE, OTHER_TENANT, Person
from secret_items import search
from sso_cache import (
    AMBIGUOUS_ACCOUNT, BAD_INPUT, CANCELLED, DONE, INTERACTION_REQUIRED, LIMIT_SECONDS, NO_SERVICE,
    NOT_ENTITLED, TOKEN_MARK, USAGE,
)
from unified_cache import CLIENT, access_token, cache_of, signed_in

TOKEN = ["token", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"]


def entitlements(save, *groups, app="com.contoso.mail", publisher=None):
    prefix = f"{publisher}." if publisher else "$(AppIdentifierPrefix)"
    manifest = {
        "application-identifier": prefix + app,
        "keychain-access-groups": [prefix + group for group in groups],
    }
    return ["--entitlements", save(plistlib.dumps(manifest), f"{app}.plist")]


@pytest.fixture
def signed(sso):
    cache, token = signed_in()
    sso.take(cache)
    return token


# Success.


def test_accounts_lists_the_sign_ins(sso, signed):
    assert sso.do("accounts") == {
        "accounts": [
            {
                "identifier": ADA.identifier,
                "username": ADA.username,
                "environment": "login.microsoftonline.com",
                "clients": [CLIENT],
                "tenants": [ADA.utid],
            }
        ]
    }


def test_token_prints_all_values_that_a_caller_needs(sso):
    token = access_token("mail.read mail.send")
    sso.take(cache_of(token))
    assert sso.do(*TOKEN) == {
        "access_token": token["secret"],
        "expires_on": int(token["expires_on"]),
        "scopes": ["mail.read", "mail.send"],
        "account": sso.accounts()[0],
        "source": "cache",
    }


def test_without_json_token_prints_only_the_token(sso, signed):
    outcome = sso.run(*TOKEN)
    assert (outcome.status, outcome.stdout, outcome.stderr) == (DONE, f"{signed}\n", "")


def test_without_json_a_failure_is_on_standard_error_only(sso):
    outcome = sso.run(*TOKEN)
    assert outcome.status == INTERACTION_REQUIRED
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("sso-cache: ") and "{" not in outcome.stderr


def test_accounts_prints_a_table_as_text(sso, signed):
    empty = sso.run("accounts", f"--group={sso.group}.empty")
    assert empty.status == DONE and "Nobody" in empty.stdout
    table = sso.run("accounts").stdout.splitlines()
    assert len(table) == 2
    assert table[0].startswith("USERNAME") and table[1].startswith(ADA.username)


def test_an_export_is_one_document_with_and_without_json(sso, signed):
    with_json = sso.run("export", "--format", "msal", "--json")
    assert with_json.stdout == sso.run("export", "--format", "msal").stdout
    assert with_json.json["AccessToken"]


def test_groups_lists_the_group(sso, signed):
    names = [group["name"] for group in sso.do("groups")["groups"]]
    assert sso.group in names
    assert sso.group in sso.run("groups").stdout


def test_the_default_group_is_that_of_adal(sso):
    outcome = sso.run("accounts", "--group=com.microsoft.adalcache")
    plain = subprocess.run([sso.tool, "accounts"], capture_output=True, text=True, timeout=LIMIT_SECONDS)
    assert (plain.returncode, plain.stdout) == (DONE, outcome.stdout)


def test_help_and_its_exit_statuses_are_printed(sso):
    outcome = subprocess.run([sso.tool, "--help"], capture_output=True, text=True, timeout=LIMIT_SECONDS)
    assert outcome.returncode == DONE
    for status in (10, 11, 12, 64, 65, 69, 74, 75, 77, 78, 130):
        assert str(status) in outcome.stdout


def test_a_closed_standard_output_causes_no_crash(sso, signed):
    command = shlex.join(sso.arguments("export", "--format", "msal"))
    outcome = subprocess.run(
        ["bash", "-c", f"{command} | head -c 1"], capture_output=True, timeout=LIMIT_SECONDS
    )
    assert outcome.stderr == b""


# Usage errors.


@pytest.mark.parametrize(
    "command",
    [
        ["frobnicate"],
        ["accounts", "--frobnicate"],
        ["accounts", "extra"],
        ["token"],
        ["token", "--client-id", CLIENT, "--account", "x"],
        ["token", "--client-id", CLIENT, "--account", "x", "--scope"],
        ["token", "--client-id", CLIENT, "--account", "x", "--scope", " "],
        ["token", "--client-id", CLIENT, "--account", "", "--scope", "s"],
        ["token", "--client-id", CLIENT, "--account", " \t", "--scope", "s"],
        *[[*command, "--client-id", client] for client in ("", " \t") for command in (
            ["token", "--account", "x", "--scope", "s"], ["accounts"], ["watch"],
            ["sign-out", "--account", "x", "--yes"], ["import", "--from", "azure-cli"], ["export", "--to", "azure-cli"])],
        ["import", "--format", "msal"],
        ["import", "--format", "frobnicate", "-"],
        ["import", "-"],
        ["export"],
        ["export", "--format", "frobnicate"],
        ["sign-out"],
        ["sign-out", "--account", "x"],
        ["sign-out", "--account", "x", "--client-id", "c", "--everywhere"],
        ["sign-out", "--whole-group", "--account", "x"],
        ["accounts", "--app", "com.contoso.mail"],
        ["accounts", "--publisher", "no spaces"],
        ["accounts", "--publisher", ""],
        ["accounts", "--group"],
    ],
    ids=lambda command: " ".join(command).replace(CLIENT, "C"),
)
def test_a_malformed_command_line_is_a_usage_error(sso, command):
    assert sso.fail(USAGE, *command) == "invalidArgument"
    plain = sso.run(*command)
    assert plain.status == USAGE and plain.stdout == "" and plain.stderr != ""


BAD_NAMES = {
    "empty": "",
    "too long": "x" * 201,
    "slash": "com/contoso",
    "parent directory": "../login",
    "newline": "com.contoso\nshared",
    "trailing newline": "com.contoso\n",
    "tab": "com.contoso\tshared",
    "escape": "com.contoso\x1b[31m",
    "delete": "com.contoso\x7f",
    "space": "com contoso",
    "leading dot": ".com.contoso",
    "dot": ".",
    "accent": "com.contosó",
    "fullwidth": "ｃｏｍ.contoso",
    "emoji": "com.contoso.😀",
    "right to left": "com.\u202econtoso",
    "backslash": "com\\contoso",
    "wildcard": "com.*",
    "percent": "com%2fcontoso",
    "colon": "contoso:shared",
    "quote": 'com."contoso"',
    "variable": "$(AppIdentifierPrefix)com.contoso",
    "not utf-8": os.fsdecode(b"com.\xff\xfe"),
}


@pytest.mark.parametrize("name", BAD_NAMES.values(), ids=BAD_NAMES.keys())
def test_an_invalid_group_name_is_a_usage_error(sso, save, name):
    file = save(json.dumps(signed_in()[0]))
    for command in (["accounts"], ["import", "--format", "msal", file]):
        assert sso.fail(USAGE, *command, f"--group={name}") == "invalidArgument"


def test_an_invalid_group_name_is_a_usage_error_for_every_command(sso, save):
    file = save(json.dumps(signed_in()[0]))
    for command in (
        ["accounts"],
        TOKEN,
        ["import", "--format", "msal", file],
        ["export", "--format", "msal"],
        ["sign-out", "--whole-group", "--yes"],
    ):
        assert sso.fail(USAGE, *command, "--group=com/contoso") == "invalidArgument"


@pytest.mark.parametrize("account", ["", " \t"])
@pytest.mark.parametrize("reach", [["--everywhere"], ["--client-id", CLIENT]], ids=["everywhere", "client"])
def test_a_blank_account_signs_out_no_account(sso, account, reach):
    sso.take(signed_in()[0])
    before = sso.give()
    assert sso.fail(USAGE, "sign-out", "--account", account, *reach, "--yes") == "invalidArgument"
    assert sso.give() == before


# Bad input files.

GOOD = signed_in()[0]
BAD_FILES = {
    "empty": b"",
    "blank": b" \n",
    "text": b"hello",
    "null": b"null",
    "array": b"[]",
    "string": b'"AccessToken"',
    "number": b"1",
    "half": json.dumps(GOOD)[:-20],
    "two documents": json.dumps(GOOD) + "{}",
    "trailing comma": '{"AccessToken": {},}',
    "comment": '{"AccessToken": {} /* none */}',
    "single quotes": "{'AccessToken': {}}",
    "not a number": '{"x": NaN}',
    "duplicate": '{"AccessToken": {}, "AccessToken": {}}',
    "section is an array": '{"AccessToken": []}',
    "section is null": '{"Account": null}',
    "invalid utf-8": b'{"Account": {"x": "\xff\xfe"}}',
    "utf-16": json.dumps(GOOD).encode("utf-16"),
    "zero byte": json.dumps(GOOD).encode() + b"\0",
    "lone surrogate": '{"Account": {"x": "\\ud800"}}',
    "deep": "[" * 100_000,
    "deep object": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "binary": bytes(range(256)) * 100,
    "huge token": json.dumps(cache_of(access_token("s", secret=TOKEN_MARK + "x" * 1_000_000))),
}


@pytest.mark.parametrize("content", BAD_FILES.values(), ids=BAD_FILES.keys())
def test_a_file_that_is_no_cache_is_refused_and_nothing_is_stored(sso, bus, group, save, content):
    file = save(content)
    assert sso.fail(BAD_INPUT, "import", "--format", "msal", file) == "invalidFile"
    assert search(bus, group=group) == []


@pytest.mark.parametrize("flag", ["--replace", "--dry-run", "--skip-invalid"])
def test_a_file_that_is_no_cache_is_refused_with_every_option(sso, signed, save, flag):
    before = sso.give()
    file = save(BAD_FILES["half"])
    assert sso.fail(BAD_INPUT, "import", "--format", "msal", flag, file) == "invalidFile"
    assert sso.give() == before


def test_a_missing_file_or_a_directory_is_a_usage_error(sso, tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        assert sso.fail(USAGE, "import", "--format", "msal", path) == "invalidArgument"
        assert sso.fail(USAGE, "accounts", "--entitlements", path) == "invalidArgument"


def test_a_message_never_quotes_the_file(sso, save):
    text = '{"AccessToken": {"x": {"secret": "%s"}}, %s}' % (f"{TOKEN_MARK}-quoted", TOKEN_MARK)
    outcome = sso.run("import", "--format", "msal", "--json", save(text))
    assert outcome.status == BAD_INPUT and TOKEN_MARK not in outcome.stderr


def test_fields_of_a_wrong_type_cause_no_failure(sso, save):
    cache, token = signed_in()
    for section in cache.values():
        section["wrong"] = [1, 2, 3]
        section["worse"] = "text"
        section["empty"] = {}
    for entry in cache["RefreshToken"].values():
        if isinstance(entry, dict) and entry:
            entry["family_id"] = 1
            entry["target"] = ["not", "text"]
    summary = sso.take(cache)
    assert summary["kept_unread"] == 15
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == token


def test_an_import_counts_the_entries_of_unknown_kinds_of_which_the_group_has_other_content(sso, save):
    for content, conflicting in (("first", 0), ("first", 0), ("second", 2)):
        summary = sso.take({"Device": {"a": {"name": content}}, "Odd": content})
        assert summary["conflicting"] == conflicting
    assert sso.give()["Odd"] == "first"


# No service.


def test_without_a_daemon_the_service_is_unavailable(sso, daemon, save):
    file = save(json.dumps(signed_in()[0]))
    daemon.stop()
    for command in (["accounts"], ["groups"], TOKEN, ["import", "--format", "msal", file]):
        outcome = sso.run(*command, "--json")
        assert (outcome.status, outcome.error) == (NO_SERVICE, "serviceUnavailable")
    daemon.start()
    assert sso.do("import", "--format", "msal", file)["added"] == 1


@pytest.mark.parametrize(
    "address",
    ["unix:path=/nonexistent/bus", "nonsense", "unix:", "tcp:host=127.0.0.1,port=1", ""],
)
def test_without_a_bus_the_service_is_unavailable(sso, address, tmp_path):
    # An empty address means the bus in the runtime directory, which has none.
    nowhere = sso.with_environment(DBUS_SESSION_BUS_ADDRESS=address, XDG_RUNTIME_DIR=str(tmp_path))
    for command in (["accounts"], ["groups"], TOKEN):
        assert nowhere.fail(NO_SERVICE, *command) == "serviceUnavailable"


def test_with_an_invalid_bus_the_service_is_unavailable(sso, tmp_path):
    (tmp_path / "file").write_text("not a socket")
    address = f"unix:path={tmp_path}/file"
    assert sso.with_environment(DBUS_SESSION_BUS_ADDRESS=address).fail(NO_SERVICE, "accounts")


# Entitlements.


def test_an_app_uses_a_group_to_which_it_is_entitled(sso, signed, save):
    app = sso.with_options(*entitlements(save, sso.group))
    assert app.do(*TOKEN)["access_token"] == signed
    assert len(app.accounts()) == 1


def test_an_app_is_refused_a_group_that_it_does_not_list(sso, signed, save):
    file = save(json.dumps(signed_in()[0]))
    app = sso.with_options(*entitlements(save, "com.contoso.another"))
    before = sso.give()
    for command in (
        ["accounts"],
        TOKEN,
        ["import", "--format", "msal", file],
        ["export", "--format", "msal"],
        ["sign-out", "--account", ADA.username, "--yes"],
        ["sign-out", "--whole-group", "--yes"],
    ):
        assert app.fail(NOT_ENTITLED, *command) == "notEntitled"
    assert sso.give() == before


def test_another_publishers_group_with_the_same_name_is_another_group(sso, signed, save):
    app = sso.with_options(*entitlements(save, sso.group, publisher="contoso"))
    assert app.accounts() == []
    assert app.fail(INTERACTION_REQUIRED, *TOKEN) == "interactionRequired"


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"<plist><dict>", plistlib.dumps([]), plistlib.dumps({"keychain-access-groups": []})],
)
def test_invalid_entitlements_are_bad_input(sso, save, content):
    arguments = ["--entitlements", save(content, "bad.plist")]
    assert sso.fail(BAD_INPUT, "accounts", *arguments) == "invalidFile"


def test_entitlements_as_xcode_writes_them_leave_the_app_and_the_publisher_to_the_options(sso, save):
    groups = [f"$(AppIdentifierPrefix){group}" for group in (sso.group, "$(CFBundleIdentifier)")]
    arguments = ["--entitlements", save(plistlib.dumps({"keychain-access-groups": groups}), "mail.plist")]
    named = [*arguments, "--app", "com.contoso.mail", "--publisher", "com.contoso"]
    of_publisher = sso.with_options("--publisher", "com.contoso")
    of_publisher.take(signed_in()[0])
    assert sso.with_options(*named).accounts() == of_publisher.accounts() != []
    assert "com.contoso.mail, of the publisher com.contoso, may use" in sso.run("doctor", *named).stdout
    assert sso.fail(BAD_INPUT, "accounts", *arguments) == "invalidFile"
    assert "application-identifier" in sso.run("accounts", *arguments).stderr


def test_one_app_signs_out_and_its_sibling_keeps_the_account(sso, signed, save):
    mail = sso.with_options(*entitlements(save, sso.group, app="com.contoso.mail"))
    notes = sso.with_options(*entitlements(save, sso.group, app="com.contoso.notes"))
    for app in (mail, notes):
        assert app.do(*TOKEN)["access_token"] == signed
    sign_out = ["sign-out", "--account", ADA.username, "--client-id", CLIENT, "--yes"]
    assert mail.do(*sign_out) == {"signed_out": True}
    assert mail.fail(INTERACTION_REQUIRED, *TOKEN) == "interactionRequired"
    assert mail.accounts("--client-id", CLIENT) == []
    assert notes.do(*TOKEN)["access_token"] == signed
    notes.do(*sign_out)
    assert sso.give()["RefreshToken"] == {}


# Accounts.


def test_an_account_of_a_cloud_that_the_tool_does_not_know_gets_its_token(sso):
    cache, token = signed_in(environment="login.private.net")
    sso.take(cache)
    [account] = sso.accounts("--client-id", CLIENT)
    assert sso.token(CLIENT, account["identifier"], "mail.read")["access_token"] == token


def test_an_unknown_account_needs_interaction(sso, signed):
    arguments = ["--client-id", CLIENT, "--scope", "mail.read", "--account"]
    for name in ("nobody@contoso.com", GRACE.identifier, "*", "ada", f" {ADA.identifier}"):
        assert sso.fail(INTERACTION_REQUIRED, "token", *arguments, name) == "interactionRequired"
    for name in (ADA.username, ADA.username.upper(), f" {ADA.username}\t"):
        assert sso.run("token", *arguments, name).status == DONE


def test_an_expired_token_and_one_that_soon_expires_need_interaction(sso):
    sso.take(cache_of(
        access_token("old", age=7200),
        access_token("soon", lifetime=290),
        access_token("new", lifetime=330),
    ))
    for scope, found in (("old", False), ("soon", False), ("new", True)):
        arguments = ["--client-id", CLIENT, "--account", ADA.username, "--scope", scope]
        assert sso.run("token", "--json", *arguments).status == (DONE if found else INTERACTION_REQUIRED)


def test_a_user_name_of_two_accounts_is_ambiguous_and_the_identifier_is_not(sso):
    twin = Person(ADA.username, "Ada King", GRACE.uid, OTHER_TENANT)
    sso.take(signed_in()[0])
    cache, token = signed_in(person=twin)
    sso.take(cache)
    assert sso.fail(AMBIGUOUS_ACCOUNT, *TOKEN) == "ambiguousAccount"
    arguments = ["--account", ADA.username, "--everywhere", "--yes"]
    assert sso.fail(AMBIGUOUS_ACCOUNT, "sign-out", *arguments) == "ambiguousAccount"
    assert sso.token(CLIENT, twin.identifier, "mail.read")["access_token"] == token
    assert len(sso.accounts()) == 2


# Signing out.


def test_signing_out_asks_and_without_a_terminal_it_is_a_usage_error(sso, signed):
    arguments = ["--account", ADA.username, "--everywhere"]
    assert sso.fail(USAGE, "sign-out", *arguments) == "invalidArgument"
    assert sso.fail(USAGE, "sign-out", "--whole-group") == "invalidArgument"
    assert len(sso.accounts()) == 1


@pytest.mark.parametrize(
    "typed, status, left", [("n\n", CANCELLED, 1), ("\n", CANCELLED, 1), ("y\n", DONE, 0)]
)
def test_signing_out_follows_the_users_choice(sso, signed, typed, status, left):
    terminal, side = pty.openpty()
    process = subprocess.Popen(
        sso.arguments("sign-out", "--account", ADA.username, "--everywhere"),
        stdin=side, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    os.close(side)
    os.write(terminal, typed.encode())
    stdout, stderr = process.communicate(timeout=LIMIT_SECONDS)
    os.close(terminal)
    assert process.returncode == status, stderr
    assert ADA.username in stderr
    assert len(sso.accounts()) == left


def test_who_is_signed_in_to_another_publishers_group_of_the_name_is_pointed_to(sso):
    publisher = sso.group.rpartition(".")[2]
    sso.take(signed_in()[0], "--publisher", publisher)
    nobody = sso.run("accounts")
    assert nobody.stdout == (
        f"Nobody is signed in to {sso.group}.\n"
        f"Another group has this name: list its accounts with --publisher {publisher}.\n")
    assert ADA.username in sso.run("accounts", "--publisher", publisher).stdout
    assert "without --publisher" not in sso.run("accounts", "--publisher", "com.fabrikam").stdout
    assert f"with --publisher {publisher}" in sso.run("accounts", "--publisher", "com.fabrikam").stdout
    qualified = sso.run("accounts", f"--group={publisher}.{sso.group}").stdout
    assert f"list its accounts with --publisher {publisher} --group {sso.group}.\n" in qualified


def test_signing_out_again_asks_too(sso, signed):
    sso.do("sign-out", "--account", ADA.username, "--client-id", CLIENT, "--yes")
    for name in (ADA.username, ADA.identifier):
        assert sso.fail(USAGE, "sign-out", "--account", name, "--client-id", CLIENT) == "invalidArgument"
    assert sso.do("sign-out", "--account", "nobody@contoso.com", "--everywhere") == {"signed_out": False}


def test_signing_out_an_account_that_is_not_signed_in_succeeds(sso, signed):
    done = sso.do("sign-out", "--account", "nobody@contoso.com", "--everywhere", "--yes")
    assert done == {"signed_out": False}
    assert len(sso.accounts()) == 1


def test_nobody_is_said_to_be_signed_in_to_a_group_only_where_nobody_is(sso):
    of_client = ["accounts", "--client-id", "other"]
    assert sso.run(*of_client).stdout == f"Nobody is signed in to {sso.group}.\n"
    sso.take(signed_in()[0])
    assert sso.run(*of_client).stdout == f"Nobody is signed in to {sso.group} with this client.\n"


def test_signing_out_of_one_client_leaves_the_other(sso, signed):
    cache, token = signed_in(client="other")
    sso.take(cache)
    sso.do("sign-out", "--account", ADA.identifier, "--client-id", CLIENT, "--yes")
    assert sso.accounts()[0]["clients"] == ["other"]
    assert sso.token("other", ADA.username, "mail.read")["access_token"] == token


def test_the_whole_group_can_be_signed_out(sso, signed):
    sso.take(signed_in(person=GRACE, client="other")[0])
    assert sso.do("sign-out", "--whole-group", "--yes") == {"signed_out": True}
    assert sso.accounts() == []
    exported = sso.give()
    assert exported["AccessToken"] == exported["RefreshToken"] == exported["IdToken"] == {}
