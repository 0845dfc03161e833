# SPDX-License-Identifier: MIT
"""A group is a collection of its own, which opens with the login and never with a dialog."""

import json
import os
from pathlib import Path

import pytest
import secretstorage

from people import ADA
from secret_items import (
    LOGIN, collection_of, group_collection, group_collections, plant, search, snapshot,
)
from sso_cache import BAD_INPUT, LOCKED_OR_TIMED_OUT, UNRECOVERABLE
from unified_cache import CLIENT, assert_same, signed_in


@pytest.fixture
def signed(sso):
    cache, token = signed_in()
    sso.take(cache)
    return token


def connect():
    return secretstorage.dbus_init()


def test_the_collection_is_labelled_with_the_groups_name(sso, signed, bus, group):
    assert len(group_collections(bus, group)) == 1
    [summary] = [entry for entry in sso.do("groups")["groups"] if entry["name"] == group]
    assert summary == {
        "name": group, "publisher": "", "placement": "dedicated", "locked": False, "collection": group,
    }


def test_the_marker_says_which_collection_is_the_groups(signed, bus, group):
    [marker] = search(bus, kind="group", group=group)
    assert json.loads(marker.get_secret()) == {
        "name": group, "publisher": "", "placement": "dedicated", "format": 1,
    }


def test_the_password_is_in_the_login_collection_where_the_daemon_looks_for_it(signed, bus, group):
    [key] = search(bus, kind="group-key", group=group)
    assert collection_of(bus, key).collection_path == LOGIN
    assert key.get_attributes()["keyring"] == f"LOCAL:/keyrings/{group}.keyring"
    assert (Path(os.environ["XDG_DATA_HOME"]) / f"keyrings/{group}.keyring").is_file()
    password = key.get_secret()
    assert len(password) == 64 and set(password) <= set(b"0123456789abcdef")


def test_each_group_has_a_password_of_its_own(sso, signed, bus, group):
    sso.take(signed_in()[0], f"--group={group}.other")
    passwords = {item.get_secret() for name in (group, f"{group}.other")
                 for item in search(bus, kind="group-key", group=name)}
    assert len(passwords) == 2


def test_a_read_of_a_group_that_is_not_there_makes_nothing(sso, bus, group):
    assert sso.accounts() == []
    sso.give()
    sso.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
    assert search(bus, group=group) == []
    assert group_collections(bus, group) == []


def test_after_a_new_login_the_group_is_locked_and_the_next_call_opens_it(sso, signed, group, daemon):
    daemon.restart()
    bus = connect()
    assert group_collection(bus, group).is_locked()
    [summary] = [entry for entry in sso.do("groups")["groups"] if entry["name"] == group]
    assert summary["locked"] is True and summary["placement"] is None
    assert group_collection(bus, group).is_locked(), "listing the groups unlocks none"

    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == signed

    assert not group_collection(bus, group).is_locked()
    bus.close()


@pytest.mark.parametrize("command", ["accounts", "export", "import", "sign-out"])
def test_each_command_opens_a_locked_group(sso, signed, daemon, command):
    daemon.restart()
    if command == "accounts":
        assert len(sso.accounts()) == 1
    elif command == "export":
        assert len(sso.give()["AccessToken"]) == 1
    elif command == "import":
        cache, _ = signed_in("mail.send", client="another")
        assert sso.take(cache)["added"] == 1
        assert len(sso.accounts()[0]["clients"]) == 2
    else:
        done = sso.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
        assert done == {"signed_out": True}
        assert sso.accounts() == []


def test_another_programs_unlock_opens_the_group_without_a_dialog(signed, group, daemon):
    daemon.restart()
    bus = connect()
    collection = group_collection(bus, group)
    assert collection.is_locked()
    dismissed = collection.unlock(timeout=10)
    assert dismissed is False
    assert not collection.is_locked()
    bus.close()


def test_another_program_that_locks_the_group_does_no_harm(sso, signed, bus, group):
    for _ in range(3):
        group_collection(bus, group).lock()
        assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == signed


def test_a_daemon_that_was_killed_loses_nothing_that_was_saved(sso, signed, daemon):
    before = sso.give()
    daemon.kill()
    daemon.start()
    assert_same(sso.give(), before)


def test_a_new_label_of_the_collection_changes_nothing(sso, signed, bus, group, daemon):
    group_collection(bus, group).set_label("Renamed by hand")
    assert len(sso.accounts()) == 1
    bus.close()
    daemon.restart()
    cache, _ = signed_in("mail.send", client="another")
    sso.take(cache)
    assert sso.accounts()[0]["clients"] == sorted([CLIENT, "another"])
    connection = connect()
    assert group_collections(connection, group) == []
    assert len(search(connection, kind="group", group=group)) == 1
    connection.close()


@pytest.mark.parametrize("prefix", ["login", "session", "x" * 187, "A.b-C_d", "-dash", "_", "a..b"])
def test_an_unusual_name_is_as_good_as_any(sso, group, daemon, prefix):
    name = f"{prefix}.{group[-12:]}"[:200]
    option = f"--group={name}"
    cache, token = signed_in()
    sso.take(cache, option)
    daemon.restart()
    arguments = ["--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read", option]
    assert sso.do("token", *arguments)["access_token"] == token
    bus = connect()
    assert len(search(bus, kind="group", group=name)) == 1
    bus.close()


@pytest.mark.parametrize("name", ["login", "default", "session"])
def test_a_group_may_have_the_name_of_a_collection_that_is_the_daemons(sso, daemon, name):
    option = f"--group={name}"
    cache, token = signed_in()
    sso.take(cache, option)
    daemon.restart()
    arguments = ["--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read", option]
    assert sso.do("token", *arguments)["access_token"] == token
    bus = connect()
    [key] = search(bus, kind="group-key", group=name)
    [marker] = search(bus, kind="group", group=name)
    own = collection_of(bus, marker)
    assert own.collection_path != LOGIN
    stem = own.collection_path.rpartition("/")[2].replace("_5f", "_")
    assert key.get_attributes()["keyring"] == f"LOCAL:/keyrings/{stem}.keyring"
    own.lock()
    assert own.unlock(timeout=10) is False
    bus.close()


def test_names_that_differ_by_case_are_two_groups(sso, group, daemon):
    tokens = {}
    for name in (group, group.upper()):
        cache, tokens[name] = signed_in()
        sso.take(cache, f"--group={name}")
    daemon.restart()
    for name, token in tokens.items():
        arguments = ["--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"]
        assert sso.do("token", *arguments, f"--group={name}")["access_token"] == token


# What cannot be opened.


def test_a_locked_login_is_locked_for_reading_and_for_writing(sso, signed, daemon, save):
    file = save(json.dumps(signed_in()[0]))
    daemon.restart_locked()
    assert sso.fail(LOCKED_OR_TIMED_OUT, "accounts") == "groupLocked"
    assert sso.fail(LOCKED_OR_TIMED_OUT, "export", "--format", "msal") == "groupLocked"
    assert sso.fail(LOCKED_OR_TIMED_OUT, "import", "--format", "msal", file) == "groupLocked"
    arguments = ["--client-id", CLIENT, "--account", ADA.username]
    assert sso.fail(LOCKED_OR_TIMED_OUT, "token", *arguments, "--scope", "mail.read") == "groupLocked"
    assert sso.fail(LOCKED_OR_TIMED_OUT, "sign-out", *arguments, "--yes") == "groupLocked"
    assert sso.fail(LOCKED_OR_TIMED_OUT, "sign-out", "--whole-group", "--yes") == "groupLocked"
    daemon.restart()
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == signed


def test_a_new_group_is_not_made_while_the_login_is_locked(sso, group, daemon, save):
    file = save(json.dumps(signed_in()[0]))
    daemon.restart_locked()
    assert sso.fail(LOCKED_OR_TIMED_OUT, "import", "--format", "msal", file) == "groupLocked"
    daemon.restart()
    bus = connect()
    assert search(bus, group=group) == []
    assert group_collections(bus, group) == []
    bus.close()
    assert sso.do("import", "--format", "msal", file)["added"] == 1


def test_a_group_whose_password_is_gone_is_unrecoverable_and_is_not_made_anew(
    sso, signed, bus, group, daemon, save
):
    file = save(json.dumps(signed_in()[0]))
    [key] = search(bus, kind="group-key", group=group)
    key.delete()
    # While it is open nothing is lost.
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == signed
    bus.close()
    daemon.restart()
    for command in (
        ["accounts"],
        ["export", "--format", "msal"],
        ["import", "--format", "msal", file],
        ["token", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"],
        ["sign-out", "--account", ADA.username, "--everywhere", "--yes"],
    ):
        assert sso.fail(UNRECOVERABLE, *command) == "groupUnrecoverable"
    connection = connect()
    assert len(search(connection, kind="group", group=group)) == 1
    assert len(group_collections(connection, group)) == 1
    connection.close()


def test_a_group_whose_password_was_changed_is_unrecoverable(sso, signed, bus, group, daemon):
    [key] = search(bus, kind="group-key", group=group)
    key.set_secret(b"0" * 64)
    bus.close()
    daemon.restart()
    assert sso.fail(UNRECOVERABLE, "accounts") == "groupUnrecoverable"


def test_a_group_that_somebody_deleted_is_absent_and_is_made_anew(sso, signed, bus, group):
    group_collection(bus, group).delete()
    assert sso.accounts() == []
    cache, token = signed_in()
    sso.take(cache)
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == token
    assert len(group_collections(bus, group)) == 1
    assert len(search(bus, kind="group-key", group=group)) == 1


def test_a_broken_marker_is_reported_and_not_replaced(sso, signed, bus, group, daemon, save):
    [marker] = search(bus, kind="group", group=group)
    marker.set_secret(b"not a marker")
    bus.close()
    daemon.restart()
    file = save(json.dumps(signed_in(client="another")[0]))
    assert sso.fail(BAD_INPUT, "import", "--format", "msal", file) == "corruptItem"
    connection = connect()
    assert len(group_collections(connection, group)) == 1
    [marker] = search(connection, kind="group", group=group)
    assert marker.get_secret() == b"not a marker"
    connection.close()


def test_a_group_of_a_newer_format_is_left_alone(sso, signed, bus, group, save):
    [marker] = search(bus, kind="group", group=group)
    newer = json.dumps(json.loads(marker.get_secret()) | {"format": 2}).encode()
    marker.set_secret(newer)
    before = snapshot(bus, group)
    file = save(json.dumps(signed_in(client="another")[0]))
    outcome = sso.run("import", "--format", "msal", "--json", file)
    assert outcome.status != 0
    assert snapshot(bus, group) == before


def test_a_foreign_item_beside_ours_is_left_alone(sso, signed, bus, group):
    collection = group_collection(bus, group)
    foreign = collection.create_item("Mine", {"application": "mine"}, b"mine")
    sso.take(signed_in(client="another")[0])
    sso.do("sign-out", "--whole-group", "--yes")
    assert sso.accounts() == []
    assert foreign.get_secret() == b"mine"


def test_an_item_without_a_secret_is_not_stored(sso, signed, bus, group):
    """gnome-keyring writes a new item twice, the attributes first: a kill between the two."""
    collection = group_collection(bus, group)
    plant(bus, collection, b"", "credentials", group, home_account_id=ADA.identifier,
          environment="login.windows.net", client_id="crashed")
    assert [account["clients"] for account in sso.accounts()] == [[CLIENT]]
    cache, token = signed_in(client="crashed")
    sso.take(cache)
    assert sso.token("crashed", ADA.username, "mail.read")["access_token"] == token
    assert len(search(bus, kind="credentials", group=group, client_id="crashed")) == 1


def test_a_label_says_what_an_item_is_for_and_where_and_not_whose(sso, signed, bus, group):
    sso.take(signed_in(client="contoso-mail", environment="id.contoso.com", identifier="ada@contoso.com")[0])
    labels = {item.get_label() for item in search(bus, kind="credentials", group=group)}
    assert labels == {f"Sign-in for {CLIENT} at login.windows.net", "Sign-in for contoso-mail at id.contoso.com"}
