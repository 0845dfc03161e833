# SPDX-License-Identifier: MIT
"""A group has its own collection, which the login unlocks without a dialog."""

import json
import os
from contextlib import closing
from pathlib import Path

import pytest
import secretstorage

from people import ADA
from secret_items import (
    LOGIN, collection_of, group_collection, group_collections, store_item, search, snapshot,
)
from sso_cache import BAD_INPUT, DONE, LOCKED_OR_TIMED_OUT, UNRECOVERABLE
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


def test_the_marker_names_the_groups_collection(signed, bus, group):
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


def test_each_group_has_its_own_password(sso, signed, bus, group):
    sso.take(signed_in()[0], f"--group={group}.other")
    passwords = {item.get_secret() for name in (group, f"{group}.other")
                 for item in search(bus, kind="group-key", group=name)}
    assert len(passwords) == 2


def test_reading_an_absent_group_creates_nothing(sso, bus, group):
    assert sso.accounts() == []
    sso.give()
    sso.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
    assert search(bus, group=group) == []
    assert group_collections(bus, group) == []


def test_after_a_new_login_the_group_is_locked_and_the_next_call_unlocks_it(sso, signed, group, daemon):
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
def test_each_command_unlocks_a_locked_group(sso, signed, daemon, command):
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


def test_a_lock_by_another_program_loses_nothing(sso, signed, bus, group):
    for _ in range(3):
        group_collection(bus, group).lock()
        assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == signed


def test_a_killed_daemon_loses_no_saved_data(sso, signed, daemon):
    before = sso.give()
    daemon.kill()
    daemon.start()
    assert_same(sso.give(), before)


def test_relabelling_the_collection_changes_nothing(sso, signed, bus, group, daemon):
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


def test_relabelling_a_publishers_keyring_beside_a_group_of_its_name_changes_nothing(sso, bus, group, daemon):
    sso.take(signed_in()[0])
    publisher = "--publisher=Contoso"
    cache, token = signed_in(client="contoso")
    sso.take(cache, publisher)
    keyring = next(each for each in group_collections(bus, group) if each.collection_path.endswith("_5f1"))
    keyring.set_label("Renamed by hand")
    bus.close()
    daemon.restart()
    arguments = ["--client-id", "contoso", "--account", ADA.username, "--scope", "mail.read", publisher]
    assert sso.do("token", *arguments)["access_token"] == token
    cache, another = signed_in("mail.send", client="another")
    sso.take(cache, publisher)
    assert sso.accounts(publisher)[0]["clients"] == ["another", "contoso"]
    with closing(connect()) as connection:
        homes = {collection_of(connection, item).collection_path
                 for item in search(connection, kind="credentials", group=group, publisher="Contoso")}
    assert homes == {keyring.collection_path}
    assert sso.run("doctor", publisher).status == DONE


def assert_works_after_a_restart(sso, daemon, name):
    option = f"--group={name}"
    cache, token = signed_in()
    sso.take(cache, option)
    daemon.restart()
    arguments = ["--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read", option]
    assert sso.do("token", *arguments)["access_token"] == token


@pytest.mark.parametrize("prefix", ["login", "session", "x" * 187, "A.b-C_d", "-dash", "_", "a..b"])
def test_unusual_names_are_valid(sso, group, daemon, prefix):
    name = f"{prefix}.{group[-12:]}"[:200]
    assert_works_after_a_restart(sso, daemon, name)
    bus = connect()
    assert len(search(bus, kind="group", group=name)) == 1
    bus.close()


@pytest.mark.parametrize("name", ["login", "default", "session"])
def test_a_group_may_have_the_name_of_one_of_the_daemons_collections(sso, daemon, name):
    assert_works_after_a_restart(sso, daemon, name)
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


# Groups that cannot be unlocked.


def test_a_locked_login_keyring_makes_reads_and_writes_fail_with_group_locked(sso, signed, daemon, save):
    file = save(json.dumps(signed_in()[0]))
    daemon.restart_locked()
    assert sso.fail(LOCKED_OR_TIMED_OUT, "accounts") == "groupLocked"
    assert sso.fail(LOCKED_OR_TIMED_OUT, "damaged") == "groupLocked"
    assert sso.fail(LOCKED_OR_TIMED_OUT, "export", "--format", "msal") == "groupLocked"
    assert sso.fail(LOCKED_OR_TIMED_OUT, "import", "--format", "msal", file) == "groupLocked"
    arguments = ["--client-id", CLIENT, "--account", ADA.username]
    assert sso.fail(LOCKED_OR_TIMED_OUT, "token", *arguments, "--scope", "mail.read") == "groupLocked"
    assert sso.fail(LOCKED_OR_TIMED_OUT, "sign-out", *arguments, "--yes") == "groupLocked"
    assert sso.fail(LOCKED_OR_TIMED_OUT, "sign-out", "--whole-group", "--yes") == "groupLocked"
    daemon.restart()
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == signed


def test_a_new_group_is_not_created_while_the_login_keyring_is_locked(sso, group, daemon, save):
    file = save(json.dumps(signed_in()[0]))
    daemon.restart_locked()
    assert sso.fail(LOCKED_OR_TIMED_OUT, "import", "--format", "msal", file) == "groupLocked"
    daemon.restart()
    bus = connect()
    assert search(bus, group=group) == []
    assert group_collections(bus, group) == []
    bus.close()
    assert sso.do("import", "--format", "msal", file)["added"] == 1


def test_a_group_whose_password_is_missing_is_unrecoverable_and_not_recreated(
    sso, signed, bus, group, daemon, save
):
    file = save(json.dumps(signed_in()[0]))
    [key] = search(bus, kind="group-key", group=group)
    key.delete()
    # While it is unlocked nothing is lost.
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == signed
    bus.close()
    daemon.restart()
    for command in (
        ["accounts"],
        ["damaged"],
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


def test_a_deleted_group_is_absent_and_recreated(sso, signed, bus, group):
    group_collection(bus, group).delete()
    assert sso.accounts() == []
    cache, token = signed_in()
    sso.take(cache)
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == token
    assert len(group_collections(bus, group)) == 1
    # The former password remains, in case its keyring is restored, and names no keyring.
    keys = [item for item in search(bus, kind="group-key", group=group) if "keyring" in item.get_attributes()]
    assert len(keys) == 1


def test_a_broken_marker_is_reported_and_not_replaced(sso, signed, bus, group, daemon, save):
    [marker] = search(bus, kind="group", group=group)
    marker.set_secret(b"not a marker")
    bus.close()
    daemon.restart()
    file = save(json.dumps(signed_in(client="another")[0]))
    sso.do("import", "--format", "msal", file)
    connection = connect()
    assert len(group_collections(connection, group)) == 1
    assert b"not a marker" in [marker.get_secret() for marker in search(connection, kind="group", group=group)]
    connection.close()
    assert sso.run("doctor").status == BAD_INPUT


@pytest.mark.parametrize(
    "content", [b"not a marker", b'{"format": 9}', None], ids=["broken", "a newer version's", "deleted"])
def test_a_group_whose_marker_is_lost_or_not_understood_is_listed_locked_and_unlocked(sso, signed, bus, group, content):
    def summary():
        [summary] = [entry for entry in sso.do("groups")["groups"] if entry["name"] == group]
        return summary

    [marker] = search(bus, kind="group", group=group)
    marker.set_secret(content) if content else marker.delete()
    assert summary() == {"name": group, "publisher": "", "placement": None, "locked": False, "collection": group}
    assert sso.do("group lock") == {"locked": True}
    assert group_collection(bus, group).is_locked() and summary()["locked"] is True
    assert sso.do("group unlock") == {"unlocked": True}
    assert not group_collection(bus, group).is_locked()


def test_what_is_in_a_group_with_a_newer_marker_is_left_unchanged(sso, signed, bus, group, save):
    [marker] = search(bus, kind="group", group=group)
    newer = json.dumps(json.loads(marker.get_secret()) | {"format": 2}).encode()
    marker.set_secret(newer)
    before = snapshot(bus, group)
    file = save(json.dumps(signed_in(client="another")[0]))
    sso.do("import", "--format", "msal", file)
    after = snapshot(bus, group)
    assert {path: after[path] for path in before} == before and len(after) == len(before) + 1


def test_another_programs_item_in_the_collection_is_left_unchanged(sso, signed, bus, group):
    collection = group_collection(bus, group)
    foreign = collection.create_item("Mine", {"application": "mine"}, b"mine")
    sso.take(signed_in(client="another")[0])
    sso.do("sign-out", "--whole-group", "--yes")
    assert sso.accounts() == []
    assert foreign.get_secret() == b"mine"


def test_an_item_without_a_secret_counts_as_absent(sso, signed, bus, group):
    """gnome-keyring writes a new item twice, the attributes first; this is a kill between the two writes."""
    collection = group_collection(bus, group)
    store_item(bus, collection, b"", "credentials", group, home_account_id=ADA.identifier,
          environment="login.windows.net", client_id="crashed")
    assert [account["clients"] for account in sso.accounts()] == [[CLIENT]]
    cache, token = signed_in(client="crashed")
    sso.take(cache)
    assert sso.token("crashed", ADA.username, "mail.read")["access_token"] == token
    assert len(search(bus, kind="credentials", group=group, client_id="crashed")) == 1


def test_a_label_states_an_items_purpose_and_place_and_not_its_owner(sso, signed, bus, group):
    sso.take(
        signed_in(client="contoso-mail", environment="id.contoso.com", identifier="ada@contoso.com", realm="")[0])
    labels = {item.get_label() for item in search(bus, kind="credentials", group=group)}
    assert labels == {f"Sign-in for {CLIENT} at login.windows.net", "Sign-in for contoso-mail at id.contoso.com"}
