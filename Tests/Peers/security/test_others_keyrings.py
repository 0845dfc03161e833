# SPDX-License-Identifier: MIT
"""Other programs' keyrings, with items of the group in them: never opened, encrypted, written or counted."""

import time

import pytest

from keyrings import Keyrings
from people import GRACE
from planted import OWNER, TOKEN, Plant, file_of, forgery, is_encrypted, login_of, marker, places_of, stem_of
from removals import DELETE, EVERYWHERE, WHOLE_GROUP, copy_to
from secret_items import search, share, store_item
from sso_cache import DONE, LOCKED_OR_TIMED_OUT
from unified_cache import CLIENT, signed_in

# More than a group's creation takes from its password to its marker, as the library counts.
MAKING_SECONDS = 11
COMMANDS = [
    ["accounts"], ["damaged"], ["groups"], ["doctor"], ["export", "--format", "msal"], ["group unlock"], ["group move"],
    ["doctor", "--fix", "--yes"], EVERYWHERE, WHOLE_GROUP, DELETE,
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("kind", ["credentials", "group"])
def test_no_command_opens_another_programs_keyring_whose_password_login_remembers(
        sso, bus, group, home, keyring_of_others, command, kind):
    if kind == "group":
        store_item(bus, keyring_of_others, marker(group), "group", group)
    else:
        store_item(bus, keyring_of_others, b"x", kind, group, **OWNER)
    remembered = login_of(bus).create_item(
        "Unlock password", {"keyring": f"LOCAL:/keyrings/{stem_of(keyring_of_others)}.keyring"}, b"other")
    keyring_of_others.lock()
    try:
        assert sso.run(*command).status in (DONE, LOCKED_OR_TIMED_OUT)
        assert keyring_of_others.is_locked()
    finally:
        remembered.delete()


@pytest.mark.parametrize("is_named", [True, False], ids=["of the group's name", "of another name"])
@pytest.mark.parametrize("has_key", [True, False], ids=["with a key", "without a key"])
@pytest.mark.parametrize("command", [*COMMANDS, ["group create"], ["group reset", "--yes"]], ids=" ".join)
def test_only_a_repair_opens_and_none_encrypts_a_locked_keyring_without_a_password(
        sso, bus, group, planted_in, command, has_key, is_named):
    """gnome-keyring opens such a keyring with any password, and encrypts it with that one. Only a repair opens one, of
    the group's name, with the empty password."""
    plain = planted_in(Plant(is_named=is_named, has_marker=False, has_key=has_key))
    store_item(bus, plain, b"x", "credentials", group, **OWNER)
    theirs = plain.create_item("Theirs", {"application": "theirs"}, b"theirs")
    store_item(bus, login_of(bus), b"0" * 64, "group-key", group)
    plain.lock()
    sso.run(*command)
    assert plain.is_locked() != (is_named and "--fix" in command)
    Keyrings(bus).open(plain.collection_path, "")
    plain.create_item("Theirs, too", {"application": "theirs"}, b"theirs")
    assert not is_encrypted(plain) and theirs.get_secret() == b"theirs"


@pytest.mark.parametrize(
    "has_marker", [pytest.param(True, marks=pytest.mark.slow), False], ids=["a marker", "no marker"])
def test_a_keyring_in_the_place_of_the_groups_deleted_one_gets_nothing(sso, bus, group, home, planted_in, has_marker):
    cache, token = signed_in()
    sso.take(cache)
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    attributes, content = item.get_attributes(), forgery(item, token, 9)
    home.delete()
    if has_marker:
        # A marker as old as the group's password would prove the keyring.
        time.sleep(MAKING_SECONDS)
    theirs = planted_in(Plant(password="own", is_named=True, has_marker=has_marker))
    assert theirs.collection_path == home.collection_path
    forged = theirs.create_item("Copy", attributes, content)
    sso.take(signed_in("mail.send")[0])
    sso.take(signed_in(client="another")[0])
    sso.take(signed_in(person=GRACE)[0])
    assert forged.get_secret() == content
    assert theirs.collection_path not in places_of(bus, group, home_account_id=GRACE.identifier)
    assert theirs.collection_path not in places_of(bus, group, client_id="another")


@pytest.mark.parametrize("has_marker", [True, False], ids=["a marker", "no marker"])
def test_a_keyring_of_the_name_of_a_group_in_login_gets_nothing(sso, bus, group, home, planted_in, has_marker):
    cache, token = signed_in()
    sso.take(cache)
    share(bus, group)
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    theirs = planted_in(Plant(password="own", is_named=True, has_marker=has_marker))
    copy = theirs.create_item("Copy", item.get_attributes(), forgery(item, token, 9))
    forged = copy.get_secret()
    for command in (["accounts"], ["doctor", "--fix", "--yes"]):
        sso.run(*command)
        assert sso.do(*TOKEN)["access_token"] == token
    assert copy.get_secret() == forged
    if not has_marker:
        sso.take(signed_in("mail.send")[0])
        assert copy.get_secret() == forged and sso.do(*TOKEN)["access_token"] == token
    copy.delete()


@pytest.mark.parametrize("flags", [[], ["--replace"]], ids=["", "that replaces"])
def test_an_import_saves_in_the_group_what_only_another_programs_keyring_has(
        sso, bus, group, home, keyring_of_others, flags):
    cache, token = signed_in()
    sso.take(cache)
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    content = item.get_secret()
    copy = keyring_of_others.create_item("Copy", item.get_attributes(), content, content_type="application/json")
    assert "nowhere else" not in sso.run("doctor").stdout
    item.delete()
    assert "1 record of the group is nowhere else" in sso.run("doctor").stdout
    planned = sso.take(cache, *flags, "--dry-run")
    assert planned["added"] == 1 and sso.take(cache, *flags) == planned | {"dry_run": False}
    assert sso.take(cache, *flags)["unchanged"] == 1
    assert "nowhere else" not in sso.run("doctor").stdout
    if not flags:
        assert copy.get_secret() == content
    keyring_of_others.lock()
    assert sso.do(*TOKEN)["access_token"] == token


@pytest.mark.parametrize("kind", ["credentials", "family", "secret", "group"])
def test_an_item_in_another_programs_locked_keyring_stops_no_first_sign_in(sso, bus, group, keyring_of_others, kind):
    if kind == "group":
        store_item(bus, keyring_of_others, marker(group), "group", group)
    else:
        store_item(bus, keyring_of_others, b"x", kind, group, **OWNER | {"key": "planted"})
    keyring_of_others.lock()
    assert sso.accounts() == [] and sso.do("group lock") == {"locked": False}
    cache, token = signed_in()
    sso.take(cache)
    assert sso.do(*TOKEN)["access_token"] == token
    assert keyring_of_others.is_locked()


@pytest.mark.parametrize("kind", ["credentials", "secret"])
def test_a_deletion_removes_a_record_that_names_a_keyring(sso, bus, group, home, kind):
    """gnome-keyring's attribute keeps a password whose keyring is still there, and nothing else."""
    sso.take(signed_in()[0])
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t")
    item = search(bus, kind=kind, group=group)[0]
    login_of(bus).create_item(
        "Copy", item.get_attributes() | {"keyring": "LOCAL:/keyrings/login.keyring"}, item.get_secret())
    assert sso.do("group delete", "--yes") == {"deleted": True}
    assert search(bus, group=group) == []


def test_a_deletion_beside_a_locked_login_keyring_advises_nobody_to_delete_that(sso, bus, group, home, daemon):
    login_of(bus).lock()
    try:
        outcome = sso.run(*DELETE)
        assert outcome.status == LOCKED_OR_TIMED_OUT and "nlock" in outcome.stderr
        assert "delete the keyring" not in outcome.stderr
    finally:
        daemon.restart()


def test_each_deletion_leaves_another_programs_locked_keyring_of_the_groups_name(sso, bus, group, home, planted_in):
    theirs = planted_in(Plant(password="own", is_named=True))
    copy_to(theirs, search(bus, group=group, kind="credentials"))
    theirs.lock()
    for _ in range(2):
        assert sso.fail(LOCKED_OR_TIMED_OUT, *DELETE) == "groupLocked"
        assert file_of(theirs).exists()
    Keyrings(bus).open(theirs.collection_path, "own")
    theirs.delete()
    sso.do(*DELETE)
    assert search(bus, group=group) == []


def test_a_reset_removes_nothing_that_can_be_read(sso, bus, group, home):
    cache, token = signed_in()
    sso.take(cache)
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    copy = login_of(bus).create_item("Copy", item.get_attributes(), item.get_secret())
    for key in search(bus, kind="group-key", group=group):
        key.delete()
    home.lock()
    assert sso.run("group reset", "--yes").status == DONE
    assert token.encode() in copy.get_secret()
    assert sso.do(*TOKEN)["access_token"] == token
    sso.run(*DELETE)


@pytest.mark.parametrize("extra", [{}, {"application": "vault"}, {"key": "x"}, {"client_id": "x"}], ids=str)
@pytest.mark.parametrize("kind", ["making", "group-key", "group"])
@pytest.mark.parametrize("place", ["login", "their own"])
def test_a_deletion_leaves_an_item_of_the_librarys_own_kinds_that_holds_something_else(
        sso, bus, group, home, keyring_of_others, kind, extra, place):
    sso.take(signed_in()[0])
    theirs = store_item(
        bus, login_of(bus) if place == "login" else keyring_of_others, b"precious", kind, group, **extra)
    try:
        [left] = sso.do("group delete", "--yes")["left"]
        assert "1 item with the group's attributes but other content stays" in left
        assert theirs.get_secret() == b"precious"
    finally:
        theirs.delete()


def test_a_deletion_names_an_item_with_a_markers_attributes_that_stays(sso, bus, group, home):
    planted = store_item(bus, login_of(bus), b"hello", "group", group)
    try:
        deleted = sso.do("group delete", "--yes")
        [left] = deleted["left"]
        assert deleted["deleted"] and "1 item with the group's attributes but other content stays in the keyring Login" in left
    finally:
        planted.delete()
