# SPDX-License-Identifier: MIT
"""An app's own secrets, through the tool and as other programs see them."""

import json
import os
import plistlib
import pty
import select
import subprocess
import time

import pytest
import secretstorage

from people import new_token
from secret_items import KEYS, digest, group_collection, search
from sso_cache import BAD_INPUT, DONE, LIMIT_SECONDS, NOT_ENTITLED, UNRECOVERABLE, USAGE
from terminal import rest_of

ABSENT = 1
NAME = ["--service", "imap.contoso.com", "--account", "ada"]


def put(sso, secret, *arguments, name=NAME):
    data = secret if isinstance(secret, bytes) else secret.encode()
    assert sso.do("secret set", *name, *arguments, stdin=data) == {"stored": True}


def get(sso, *arguments, name=NAME):
    return sso.do("secret get", *name, *arguments)["secret"]


def items(sso, *arguments):
    return sso.do("secret list", *arguments)["secrets"]


@pytest.mark.every_provider
def test_a_secret_is_returned_replaced_and_removed(sso):
    first, second = new_token("secret"), new_token("secret")
    put(sso, first)
    assert get(sso) == first
    put(sso, second)
    assert get(sso) == second
    assert len(items(sso)) == 1
    assert sso.do("secret remove", *NAME) == {"removed": True}
    assert sso.do("secret remove", *NAME) == {"removed": False}
    assert sso.fail(ABSENT, "secret get", *NAME) == "absent"
    assert items(sso) == []


def test_a_secret_of_an_absent_group_is_absent_and_creates_no_group(sso, bus, group):
    assert sso.fail(ABSENT, "secret get", *NAME) == "absent"
    assert items(sso) == []
    assert search(bus, group=group) == []


@pytest.mark.every_provider
@pytest.mark.parametrize(
    "data", [b"", b"\n", b"two\nlines", b"\xff\x00\xfe", "schön 🐎".encode(), b"x" * 1_048_576],
    ids=["none", "line feed", "lines", "binary", "unicode", "largest"],
)
def test_standard_input_is_stored_verbatim_on_request(sso, data):
    put(sso, data, "--exact", *([] if data else ["--allow-empty"]))
    outcome = subprocess.run(
        sso.arguments("secret get", *NAME), capture_output=True, timeout=LIMIT_SECONDS, check=True
    )
    assert outcome.stdout == data and outcome.stderr == b""


def test_one_final_line_feed_is_removed_otherwise(sso):
    secret = new_token("secret")
    for ending in ("", "\n"):
        put(sso, secret + ending)
        assert get(sso) == secret
    put(sso, secret + "\n\n")
    assert get(sso) == secret + "\n"


def test_a_secret_over_a_mebibyte_is_refused_and_the_old_one_remains(sso):
    put(sso, "old")
    code = sso.fail(USAGE, "secret set", *NAME, "--exact", stdin=b"x" * 1_048_577)
    assert code == "invalidArgument"
    assert get(sso) == "old"


def test_a_secret_from_an_input_without_end_is_refused_with_its_own_limit(sso):
    with open("/dev/zero", "rb") as endless:
        done = subprocess.run(
            sso.arguments("secret set", *NAME), stdin=endless, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    assert done.returncode == USAGE and "larger than 1048576 bytes" in done.stderr


def test_a_secret_is_typed_on_the_terminal_without_echo(sso):
    secret = new_token("typed")
    child, terminal = pty.fork()
    if child == 0:
        arguments = sso.arguments("secret set", *NAME)
        os.execve(arguments[0], arguments, sso.environment)
    shown = b""
    deadline = time.monotonic() + LIMIT_SECONDS
    while b"Secret: " not in shown and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            shown += os.read(terminal, 1000)
    os.write(terminal, secret.encode() + b"\n")
    shown += rest_of(terminal)
    assert os.waitpid(child, 0)[1] == 0
    assert secret.encode() not in shown and b"Stored." in shown
    assert get(sso) == secret


def test_a_secret_is_never_read_from_an_argument(sso):
    for arguments in (["hunter2"], ["--secret", "hunter2"], ["--password", "hunter2"]):
        outcome = sso.run("secret set", *NAME, *arguments, stdin=b"x")
        assert outcome.status == USAGE
    assert items(sso) == []


# What an argument of any command may hold: names, places and choices.
ARGUMENTS = {
    "account", "app", "authority", "client-id", "command", "credential", "directory", "entitlements", "environment",
    "file", "format", "from", "from-publisher", "group", "id", "key-fd", "keyring", "label", "location", "output",
    "parent-window", "publisher", "scheme", "scope", "service", "subcommands", "tenant", "time-limit", "to",
    "to-publisher",
}


def test_no_argument_of_any_command_takes_a_secret(tool):
    def named(command):
        for argument in command.get("arguments", []):
            if argument["kind"] != "flag":
                yield from (name["name"] for name in argument.get("names", [{"name": argument["valueName"]}]))
        for part in command.get("subcommands", []):
            yield from named(part)

    done = subprocess.run([tool, "--experimental-dump-help"], capture_output=True, check=True)
    assert set(named(json.loads(done.stdout)["command"])) <= ARGUMENTS


@pytest.mark.parametrize(
    "name", [["--service", ""], ["--service", " "], ["--service", "a\nb"], ["--service", "s" * 1025],
             ["--service", "s", "--account", "a\tb"]],
)
def test_a_malformed_name_is_a_usage_error(sso, name):
    for command in ("secret set", "secret get", "secret remove"):
        assert sso.fail(USAGE, command, *name, stdin=b"x") == "invalidArgument"


def test_services_and_accounts_are_distinguished(sso):
    names = [("a", "bc"), ("ab", "c"), ("A", "bc"), ("abc", "")]
    for service, account in names:
        put(sso, f"{service}/{account}", name=["--service", service, "--account", account])
    for service, account in names:
        assert get(sso, name=["--service", service, "--account", account]) == f"{service}/{account}"
    assert [(item["service"], item["account"]) for item in items(sso)] == sorted(names)
    assert len(items(sso, "--service", "a")) == 1


# Other programs' view.


@pytest.mark.every_provider
def test_attributes_reveal_neither_service_nor_account_and_the_label_is_the_apps(sso, bus, group):
    put(sso, "x", "--label", "Mail password", name=["--service", "imap", "--account", "zoe@contoso.com"])
    put(sso, "y", name=["--service", "other"])
    stored = {item.get_label(): item for item in search(bus, kind="secret", group=group)}
    assert set(stored) == {"Mail password", "App secret"}
    for item in stored.values():
        attributes = item.get_attributes()
        assert set(attributes) >= KEYS
        assert not any("zoe" in value or "imap" in value for value in attributes.values())
    assert stored["Mail password"].get_attributes()["key"] == digest("4:imapzoe@contoso.com")


@pytest.mark.parametrize("kind", ["device", "credentials", "Secret"])
def test_a_list_shows_what_get_prints_whatever_kind_another_program_gives_it(sso, bus, group, kind):
    put(sso, "x")
    [item] = search(bus, kind="secret", group=group)
    attributes, content = item.get_attributes() | {"kind": kind}, item.get_secret()
    item.delete()
    group_collection(bus, group).create_item("Secret", attributes, content)
    assert [(item["service"], item["account"]) for item in items(sso)] == [(NAME[1], NAME[3])]
    assert get(sso) == "x"


@pytest.mark.every_provider
def test_a_new_label_replaces_the_old_one_and_no_label_keeps_it(sso, bus, group):
    def labels():
        return [item.get_label() for item in search(bus, kind="secret", group=group)]

    put(sso, "x", "--label", "First")
    put(sso, "y")
    assert labels() == ["First"]
    put(sso, "z", "--label", "Second")
    assert labels() == ["Second"]
    assert [item["label"] for item in items(sso)] == ["Second"]


@pytest.mark.every_provider
def test_secrets_survive_a_restart_of_the_daemon(sso, daemon):
    # A new one: during many tests KeePassXC 2.7.4 may stop locking and saving while it still replies.
    daemon.kill()
    daemon.start()
    put(sso, "kept")
    daemon.restart()
    assert get(sso) == "kept"
    assert len(items(sso)) == 1


def test_a_groups_secrets_and_sign_ins_are_separate(sso):
    from unified_cache import signed_in

    sso.take(signed_in()[0])
    put(sso, "mine")
    before = sso.give()
    sso.do("sign-out", "--whole-group", "--yes")
    assert get(sso) == "mine"
    sso.take(before, "--replace")
    assert get(sso) == "mine"
    assert "mine" not in str(before)


@pytest.mark.every_provider
def test_another_programs_content_is_a_corrupt_item_and_is_not_overwritten(sso, bus, group):
    put(sso, "x")
    [item] = search(bus, kind="secret", group=group)
    item.set_secret(b"hello")
    assert sso.fail(BAD_INPUT, "secret get", *NAME) == "corruptItem"
    assert sso.fail(BAD_INPUT, "secret set", *NAME, stdin=b"y") == "corruptItem"
    assert item.get_secret() == b"hello"
    listed = sso.do("secret list")
    assert listed["secrets"] == [] and [damaged["kind"] for damaged in listed["damaged"]] == ["secret"]
    assert "1 item of" in sso.run("secret list").stderr
    assert sso.do("secret remove", *NAME) == {"removed": True}


@pytest.mark.parametrize("changes", [{"service": "zz"}, {"account": "eve"}, {"service": "zz", "text": "planted"}], ids=str)
def test_a_secret_of_another_service_or_account_is_a_corrupt_item_with_a_remedy(sso, bus, group, changes):
    put(sso, "mine")
    [item] = search(bus, kind="secret", group=group)
    document = json.loads(item.get_secret())
    document["Secret"] |= changes
    planted = json.dumps(document).encode()
    item.set_secret(planted)
    assert sso.fail(BAD_INPUT, "secret get", *NAME) == "corruptItem"
    assert sso.fail(BAD_INPUT, "secret set", *NAME, stdin=b"y") == "corruptItem"
    assert sso.run("secret get", "--service", "zz").status == ABSENT
    listed = sso.do("secret list")
    assert listed["secrets"] == [] and [damaged["kind"] for damaged in listed["damaged"]] == ["secret"]
    assert item.get_secret() == planted
    [damaged] = sso.do("damaged")["damaged"]
    assert "another service or account" in damaged["detail"]
    assert sso.run("doctor", "--fix", "--yes", "--group", group).status == DONE
    put(sso, "new")
    assert get(sso) == "new"
    assert sso.run("damaged export", damaged["id"]).stdout.encode() == planted


def test_a_secret_of_another_service_in_the_login_keyring_keeps_none_from_being_stored(sso, bus, group):
    put(sso, "mine")
    [item] = search(bus, kind="secret", group=group)
    document = json.loads(item.get_secret())
    document["Secret"]["service"] = "zz"
    planted = secretstorage.get_collection_by_alias(bus, "login").create_item(
        "Planted", item.get_attributes(), json.dumps(document).encode())
    try:
        item.delete()
        put(sso, "new")
        assert get(sso) == "new" and [secret["service"] for secret in items(sso)] == [NAME[1]]
        assert json.loads(planted.get_secret()) == document
    finally:
        planted.delete()


# Groups.


def entitlements(path, app, groups, publisher="contoso"):
    path.write_bytes(plistlib.dumps({
        "application-identifier": f"{publisher}.{app}",
        "keychain-access-groups": [f"{publisher}.{group}" for group in groups],
    }))
    return ["--entitlements", path]


def run_as(app, tool, command, *arguments, stdin=b""):
    """Runs a command as an app, on all of its groups."""
    command = [tool, "secret", command, *map(os.fspath, [*app, *arguments])]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=LIMIT_SECONDS)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def test_what_fails_in_one_of_an_apps_groups_names_the_group(sso, bus, group, tmp_path):
    first, second = f"{group}.first", f"{group}.second"
    app = entitlements(tmp_path / "app.plist", f"{group}.app", [first, second])
    for name in (first, second):
        assert run_as(app, sso.tool, "set", *NAME, f"--group={name}", stdin=b"x").returncode == DONE
    [item] = search(bus, kind="secret", group=first)
    item.set_secret(b"hello")
    damaged = json.loads(run_as(app, sso.tool, "list", "--json").stdout)["damaged"]
    assert [(each["group"], each["publisher"]) for each in damaged] == [(first, "contoso")]
    read = run_as(app, sso.tool, "get", *NAME)
    assert read.returncode == BAD_INPUT and f"{first} of the publisher contoso" in read.stderr
    # A locked keyring without its password.
    for key in search(bus, kind="group-key", group=first):
        key.delete()
    group_collection(bus, first).lock()
    for command in ("get", "remove", "list"):
        failed = run_as(app, sso.tool, command, *([] if command == "list" else NAME), "--json")
        assert (failed.returncode, failed.stdout) == (UNRECOVERABLE, "")
        assert f"{first} of the publisher contoso" in json.loads(failed.stderr)["error"]["detail"]
    put(sso, "x", f"--group={second}", "--publisher=contoso")
    listed = run_as(app, sso.tool, "list")
    assert listed.returncode == UNRECOVERABLE and second in listed.stdout and first in listed.stderr


@pytest.mark.every_provider
def test_an_app_searches_all_of_its_groups_and_saves_to_the_first(sso, group, tmp_path):
    first, second = f"{group}.first", f"{group}.second"
    app = entitlements(tmp_path / "app.plist", f"{group}.app", [first, second])

    def run(command, *arguments, stdin=b""):
        done = run_as(app, sso.tool, command, *NAME, *arguments, stdin=stdin)
        return done.returncode, done.stdout

    assert run("set", f"--group={second}", stdin=b"two")[0] == DONE
    assert run("get") == (DONE, "two")
    assert run("set", stdin=b"one")[0] == DONE
    assert run("get") == (DONE, "one")
    assert run("get", f"--group={first}") == (DONE, "one")
    assert run("get", f"--group={group}.third")[0] == NOT_ENTITLED
    assert run("remove")[0] == DONE
    assert run("get")[0] == ABSENT


@pytest.mark.every_provider
def test_two_processes_that_write_one_secret_at_once_leave_one_complete(sso):
    values = [f"{number}" * 1000 for number in range(8)]
    running = [
        subprocess.Popen(sso.arguments("secret set", *NAME), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        for _ in values
    ]
    for process, value in zip(running, values):
        process.stdin.write(value.encode())
        process.stdin.close()
    assert [process.wait(LIMIT_SECONDS) for process in running] == [DONE] * len(values)
    assert get(sso) in values
    assert len(items(sso)) == 1
