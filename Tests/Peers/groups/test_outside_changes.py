# SPDX-License-Identifier: MIT
"""Changes by a user in Seahorse or by another program that writes similar items: only deleted data are
lost."""

import json
import subprocess
from contextlib import closing

import pytest
import secretstorage

from keyrings import Keyrings
from people import ADA
from secret_items import (
    LOGIN, collection_of, group_collection, group_collections, store_item, search,
)
from sso_cache import INTERACTION_REQUIRED, UNRECOVERABLE
from unified_cache import CLIENT, signed_in

OTHER = "another"
THIRD = "a-third"
TOKEN = ["token", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"]


def connect():
    return secretstorage.dbus_init()


def clients(sso):
    return [client for account in sso.accounts() for client in account["clients"]]


def marker_of(group, placement="dedicated"):
    return json.dumps({"name": group, "publisher": "", "placement": placement, "format": 1}).encode()


@pytest.fixture
def keyrings(bus):
    return Keyrings(bus)


@pytest.fixture
def signed(sso):
    """Signs two clients in; returns the first one's token."""
    cache, token = signed_in()
    sso.take(cache)
    sso.take(signed_in(client=OTHER)[0])
    return token


# Another program's keyring with the group's label.


def test_another_programs_keyring_with_the_groups_name_is_not_used(sso, bus, group, keyrings, daemon):
    foreign = keyrings.make(group, "theirs")
    theirs = foreign.create_item("Mine", {"application": "mine"}, b"mine")
    assert sso.accounts() == []
    cache, token = signed_in()
    sso.take(cache)
    assert [item.get_label() for item in foreign.get_all_items()] == ["Mine"]
    [item] = search(bus, kind="credentials", group=group)
    assert collection_of(bus, item).collection_path != foreign.collection_path
    assert theirs.get_secret() == b"mine"
    path = foreign.collection_path
    bus.close()

    daemon.restart()
    assert sso.do(*TOKEN)["access_token"] == token
    assert sso.do("group delete", "--yes") == {"deleted": True}
    again = connect()
    assert [left.collection_path for left in group_collections(again, group)] == [path]
    left = secretstorage.Collection(again, path)
    assert left.is_locked()
    Keyrings(again).open(path, "theirs")
    assert [item.get_secret() for item in left.get_all_items()] == [b"mine"]
    left.delete()
    again.close()


def test_another_programs_locked_keyring_with_the_groups_name_hides_nothing(sso, bus, group, keyrings):
    foreign = keyrings.make(group, "theirs")
    foreign.lock()
    assert sso.accounts() == []
    cache, token = signed_in()
    sso.take(cache)
    assert sso.do(*TOKEN)["access_token"] == token
    assert foreign.is_locked()


# Two keyrings for one group.


@pytest.fixture
def second(bus, group, keyrings, signed):
    """A second keyring of the group, with a marker and the other client's record."""
    second = keyrings.make(group, "second")
    store_item(bus, second, marker_of(group), "group", group)
    [item] = search(bus, kind="credentials", group=group, client_id=OTHER)
    second.create_item(item.get_label(), item.get_attributes(), item.get_secret())
    item.delete()
    return second


def test_of_two_keyrings_both_are_read_and_one_gets_new_items(sso, bus, group, signed, second):
    assert sorted(clients(sso)) == sorted([CLIENT, OTHER])
    assert sso.do(*TOKEN)["access_token"] == signed
    for client in (THIRD, "a-fourth"):
        sso.take(signed_in(client=client)[0])
    places = {
        client: collection_of(bus, item).collection_path
        for client in (THIRD, "a-fourth")
        for item in search(bus, kind="credentials", group=group, client_id=client)
    }
    assert len(places) == 2 and len(set(places.values())) == 1


def test_of_two_keyrings_a_record_of_the_other_one_is_saved_in_the_groups_own(sso, bus, group, signed, second):
    """Nothing tells a second keyring that a person made from one that another program made."""
    [theirs] = search(bus, kind="credentials", group=group, client_id=OTHER)
    content = theirs.get_secret()
    cache, token = signed_in("mail.send", client=OTHER)
    sso.take(cache)
    [saved] = [item for item in search(bus, kind="credentials", group=group, client_id=OTHER) if item != theirs]
    [own] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    assert collection_of(bus, saved).collection_path == collection_of(bus, own).collection_path
    assert theirs.get_secret() == content
    assert sso.token(OTHER, ADA.username, "mail.send")["access_token"] == token


def test_of_two_keyrings_the_locked_one_unlocks_with_the_login_that_stores_its_password(
    sso, bus, group, signed, second, daemon
):
    login = secretstorage.Collection(bus, LOGIN)
    stem = second.collection_path.rpartition("/")[2].replace("_2e", ".").replace("_2d", "-").replace("_5f", "_")
    login.create_item("Unlock password", {"keyring": f"LOCAL:/keyrings/{stem}.keyring"}, b"second")
    bus.close()
    daemon.restart()
    assert sorted(clients(sso)) == sorted([CLIENT, OTHER])


def test_of_two_keyrings_one_that_cannot_be_unlocked_stops_only_what_is_in_it(
    sso, bus, group, signed, second, daemon
):
    """The group's password opens the other one; any program can make one of the group's name."""
    bus.close()
    daemon.restart()
    assert clients(sso) == [CLIENT]
    assert sso.do(*TOKEN)["access_token"] == signed
    arguments = ["--client-id", OTHER, "--account", ADA.username, "--scope", "mail.read"]
    assert sso.fail(INTERACTION_REQUIRED, "token", *arguments) == "interactionRequired"
    cache, token = signed_in("mail.read", client=OTHER)
    sso.take(cache)
    assert sso.token(OTHER, ADA.username, "mail.read")["access_token"] == token


def test_of_two_keyrings_doctor_names_one_that_cannot_be_unlocked_and_a_reset_removes_it(
    sso, bus, group, signed, second, daemon
):
    bus.close()
    daemon.restart()
    # Unlike other commands doctor prints its document also when a check fails.
    doctor = subprocess.run(
        sso.arguments("doctor", "--json"), env=sso.environment, stdout=subprocess.PIPE, timeout=60)
    [lock] = [
        check for check in json.loads(doctor.stdout)["checks"] if check["name"].startswith("group-lock")
    ]
    assert lock["status"] == "warning" and "group reset" not in lock["remedy"]
    assert f"{group}_1.keyring" in lock["detail"]
    sso.do("group reset", "--yes")
    assert clients(sso) == [CLIENT]
    assert sso.do(*TOKEN)["access_token"] == signed
    with closing(secretstorage.dbus_init()) as fresh:
        assert len(group_collections(fresh, group)) == 1


def test_a_keyring_that_cannot_be_unlocked_stays_if_others_have_items_in_it(
    sso, bus, group, signed, second, daemon
):
    second.create_item("Mine", {"application": "mine"}, b"mine")
    bus.close()
    daemon.restart()
    assert sso.fail(UNRECOVERABLE, "group reset", "--yes") == "groupUnrecoverable"
    with closing(secretstorage.dbus_init()) as fresh:
        assert len(group_collections(fresh, group)) == 2


def test_no_lost_keyring_is_removed_when_another_one_has_items_of_other_programs(
    sso, bus, group, signed, second, keyrings, daemon
):
    third = keyrings.make(group, "third")
    store_item(bus, third, marker_of(group), "group", group)
    third.create_item("Mine", {"application": "mine"}, b"mine")
    bus.close()
    daemon.restart()
    assert sso.fail(UNRECOVERABLE, "group reset", "--yes") == "groupUnrecoverable"
    with closing(secretstorage.dbus_init()) as fresh:
        assert len(group_collections(fresh, group)) == 3


def test_of_two_keyrings_both_are_removed_with_the_group(sso, bus, group, signed, second):
    assert sso.do("group delete", "--yes") == {"deleted": True}
    assert group_collections(bus, group) == [] and search(bus, group=group) == []


# A marker in the wrong keyring.


def test_a_group_whose_marker_is_in_the_login_keyring_does_not_lock_or_delete_it(sso, bus, group):
    login = secretstorage.Collection(bus, LOGIN)
    store_item(bus, login, marker_of(group), "group", group)
    cache, token = signed_in()
    sso.take(cache)
    assert sso.do(*TOKEN)["access_token"] == token
    assert sso.do("group lock") == {"locked": True}
    assert not login.is_locked()
    assert sso.do("group delete", "--yes") == {"deleted": True}
    assert search(bus, group=group) == []
    assert not login.is_locked() and login.get_label() == "Login"


def test_a_marker_moved_to_another_programs_keyring_does_not_delete_that_keyring(
    sso, bus, group, keyrings, signed
):
    foreign = keyrings.make(f"{group}.theirs", "theirs")
    theirs = foreign.create_item("Mine", {"application": "mine"}, b"mine")
    [marker] = search(bus, kind="group", group=group)
    foreign.create_item(marker.get_label(), marker.get_attributes(), marker.get_secret())
    marker.delete()
    assert sso.do(*TOKEN)["access_token"] == signed
    assert sso.do("group delete", "--yes") == {"deleted": True}
    assert theirs.get_secret() == b"mine"
    assert search(bus, group=group) == []


def test_another_programs_item_in_the_groups_keyring_survives_the_groups_removal(
    sso, bus, group, signed, daemon
):
    home = group_collection(bus, group)
    home.create_item("Mine", {"application": "mine"}, b"mine")
    path = home.collection_path
    outcome = sso.do("group delete", "--yes")
    [left] = outcome["left"]
    assert outcome["deleted"] and f"The keyring {group} stays, with 1 item not known to be the group's" in left
    assert sso.accounts() == []
    assert [item.get_secret() for item in home.get_all_items()] == [b"mine"]
    bus.close()
    daemon.restart()
    later = connect()
    home = secretstorage.Collection(later, path)
    assert home.unlock(timeout=10) is False, "the login still opens it"
    assert [item.get_secret() for item in home.get_all_items()] == [b"mine"]
    sso.take(signed_in()[0])
    assert len(group_collections(later, group)) == 1, "and the group's next life is in it"
    later.close()


def test_a_lost_group_is_recreated(sso, bus, group, signed):
    home = group_collection(bus, group)
    [key] = search(bus, kind="group-key", group=group)
    key.delete()
    home.lock()
    assert sso.fail(UNRECOVERABLE, "accounts") == "groupUnrecoverable"
    assert sso.do("group reset", "--yes")["reset"] is True
    assert sso.accounts() == []
    [home] = group_collections(bus, group)
    assert [item.get_label() for item in home.get_all_items()] == [f"Access group {group}"]


# Deletions by the user.


def test_deleting_one_sign_in_leaves_the_others(sso, bus, group, signed):
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    item.delete()
    assert clients(sso) == [OTHER]
    assert sso.fail(INTERACTION_REQUIRED, *TOKEN) == "interactionRequired"
    cache, token = signed_in()
    sso.take(cache)
    assert sso.do(*TOKEN)["access_token"] == token
    assert sorted(clients(sso)) == sorted([CLIENT, OTHER])


def test_deleting_the_marker_loses_nothing_else(sso, bus, group, signed):
    [marker] = search(bus, kind="group", group=group)
    home = collection_of(bus, marker).collection_path
    marker.delete()
    assert sso.do(*TOKEN)["access_token"] == signed
    sso.take(signed_in(client=THIRD)[0])
    assert sorted(clients(sso)) == sorted([CLIENT, OTHER, THIRD])
    [marker] = search(bus, kind="group", group=group)
    assert collection_of(bus, marker).collection_path == home
    assert len(group_collections(bus, group)) == 1


def test_deleting_the_marker_loses_nothing_at_the_next_login(sso, bus, group, signed, daemon):
    [marker] = search(bus, kind="group", group=group)
    marker.delete()
    bus.close()
    daemon.restart()
    assert sso.do(*TOKEN)["access_token"] == signed
    assert sorted(clients(sso)) == sorted([CLIENT, OTHER])


def test_after_emptying_the_keyring_the_next_save_uses_it(sso, bus, group, signed):
    home = group_collection(bus, group)
    for item in list(home.get_all_items()):
        item.delete()
    assert sso.accounts() == []
    assert sso.fail(INTERACTION_REQUIRED, *TOKEN) == "interactionRequired"
    cache, token = signed_in()
    sso.take(cache)
    assert sso.do(*TOKEN)["access_token"] == token
    assert group_collection(bus, group).collection_path == home.collection_path
    assert len(search(bus, kind="group-key", group=group)) == 1


def test_deleting_the_keyring_removes_only_its_group(sso, bus, group, signed):
    other = f"--group={group}.other"
    sso.take(signed_in()[0], other)
    group_collection(bus, group).delete()
    assert sso.accounts() == []
    assert sso.fail(INTERACTION_REQUIRED, *TOKEN) == "interactionRequired"
    assert len(sso.accounts(other)) == 1


def test_renaming_the_keyring_to_another_groups_name_keeps_the_two_separate(sso, bus, group, signed, daemon):
    other = f"--group={group}.other"
    group_collection(bus, group).set_label(f"{group}.other")
    assert sso.accounts(other) == []
    sso.take(signed_in(client=THIRD)[0], other)
    bus.close()
    daemon.restart()
    assert sorted(clients(sso)) == sorted([CLIENT, OTHER])
    assert [account["clients"] for account in sso.accounts(other)] == [[THIRD]]


# Passwords changed by the user.


def test_a_new_password_of_the_login_keyring_changes_nothing(sso, bus, group, keyrings, signed, daemon):
    keyrings.change(LOGIN, "test", "changed")
    try:
        group_collection(bus, group).lock()
        assert sso.do(*TOKEN)["access_token"] == signed
        daemon.restart_locked()
        later = connect()
        Keyrings(later).open(LOGIN, "changed")
        assert sso.do(*TOKEN)["access_token"] == signed
        later.close()
    finally:
        again = connect()
        Keyrings(again).change(LOGIN, "changed", "test")
        again.close()


def test_a_new_password_of_the_groups_keyring_is_unrecoverable_until_it_is_typed(
    sso, bus, group, keyrings, signed, daemon
):
    home = group_collection(bus, group)
    [key] = search(bus, kind="group-key", group=group)
    keyrings.change(home.collection_path, key.get_secret().decode(), "chosen")
    assert sso.do(*TOKEN)["access_token"] == signed
    home.lock()
    outcome = sso.run(*TOKEN, "--json")
    assert (outcome.status, outcome.error) == (UNRECOVERABLE, "groupUnrecoverable")
    remedy = json.loads(outcome.stderr)["error"]["remedy"]
    assert "group unlock --prompt" in remedy and "group reset" in remedy
    keyrings.open(home.collection_path, "chosen")
    assert sso.do(*TOKEN)["access_token"] == signed
    assert sorted(clients(sso)) == sorted([CLIENT, OTHER])
