# SPDX-License-Identifier: MIT
"""Other programs' and other groups' items: no command changes one or deletes it with the group."""

import json

import pytest
import secretstorage

from keyrings import Keyrings
from people import ADA, GRACE
from planted import TOKEN, Plant, forgery, login_of, marker, places_of
from removals import ADAL_ITEM, EVERYWHERE
from secret_items import search, store_item
from sso_cache import BAD_INPUT, DONE, LOCKED_OR_TIMED_OUT, UNRECOVERABLE, USAGE, SSOCache
from unified_cache import CLIENT, signed_in


# gnome-keyring states the generic schema for an item without one.
def collection_at(place, bus, home, planted_in):
    if place == "another collection":
        return planted_in(Plant(password="own"))
    return login_of(bus) if place == "the login collection" else home


@pytest.mark.parametrize("schema", ["com.other.Item", "org.freedesktop.Secret.Generic"])
@pytest.mark.parametrize("content", [b"precious", b""], ids=["text", "empty"])
@pytest.mark.parametrize("kind", ["credentials", "group", "group-key", "zzz"])
@pytest.mark.parametrize("place", ["the login collection", "the group's collection", "another collection"])
def test_an_item_with_another_programs_schema_is_neither_changed_nor_deleted(
        sso, bus, group, home, planted_in, place, kind, content, schema):
    cache, token = signed_in()
    sso.take(cache)
    collection = collection_at(place, bus, home, planted_in)
    attributes = {"kind": kind, "group": group, "publisher": "", "application": "other", "xdg:schema": schema}
    planted = collection.create_item("Theirs", attributes, content)
    try:
        for command in (["doctor", "--fix", "--yes"], ["sign-out", "--whole-group", "--yes"], ["group delete", "--yes"]):
            if command[0] == "sign-out":
                assert sso.do(*TOKEN)["access_token"] == token
            sso.run(*command)
            assert (planted.get_label(), planted.get_attributes(), planted.get_secret()) == ("Theirs", attributes, content)
        # The password of a collection that stays, stays.
        left = [item for item in search(bus, group=group) if not item.get_label().startswith("Password of")]
        assert left == [planted]
    finally:
        planted.delete()


@pytest.mark.parametrize("schema", ["com.other.Item", "org.freedesktop.Secret.Generic"])
@pytest.mark.parametrize("content", ["text", "empty", "a document of another record"])
@pytest.mark.parametrize("place", ["the login collection", "the group's collection", "another collection"])
def test_no_command_changes_a_records_twin_with_another_programs_schema(
        sso, bus, group, home, planted_in, place, content, schema):
    sso.take(signed_in()[0])
    [credentials] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    document = {"text": b"precious", "empty": b"", "a document of another record": credentials.get_secret()}[content]
    sso.run("secret set", "--service", "imap", stdin=b"first")
    [item] = search(bus, kind="secret", group=group)
    attributes = item.get_attributes() | {"xdg:schema": schema}
    collection = collection_at(place, bus, home, planted_in)
    planted = collection.create_item("Theirs", attributes, document)

    def is_unchanged():
        return (planted.get_label(), planted.get_attributes(), planted.get_secret()) == ("Theirs", attributes, document)

    try:
        for value in (b"second", b"third"):
            sso.run("secret set", "--service", "imap", stdin=value)
            assert sso.run("secret get", "--service", "imap").stdout == value.decode()
            assert is_unchanged()
            assert sso.run("secret remove", "--service", "imap").status == DONE
            assert is_unchanged()
        for command in (["doctor", "--fix", "--yes"], ["sign-out", "--whole-group", "--yes"], ["group delete", "--yes"]):
            assert sso.run(*command).status in (DONE, BAD_INPUT, LOCKED_OR_TIMED_OUT), command
            assert is_unchanged()
    finally:
        planted.delete()


@pytest.mark.parametrize("command", ["group delete", "sign-out --whole-group", "doctor --fix"])
def test_a_document_of_a_record_counts_whatever_schema_its_item_names(sso, bus, group, home, command):
    """It is read and written, so it is removed, too."""
    sso.take(signed_in()[0])
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    home.create_item(
        "Copy", item.get_attributes() | {"xdg:schema": "com.other.Item"},
        item.get_secret().replace(b'"revision":1', b'"revision":7'))
    cache, token = signed_in("mail.send")
    sso.take(cache)
    assert sso.token(CLIENT, ADA.username, "mail.send")["access_token"] == token
    assert sso.run(command, "--yes").status == DONE
    left = search(bus, kind="credentials", group=group, client_id=CLIENT)
    if command == "doctor --fix":
        assert [b'"revision":8' in each.get_secret() for each in left] == [True]
    else:
        assert left == []


@pytest.mark.parametrize("place", ["the login collection", "the group's collection", "another collection"])
def test_another_programs_adal_item_of_a_family_is_neither_read_nor_changed(
        sso, bus, group, home, planted_in, save, place):
    family = ADAL_ITEM | {"familyId": "1"}
    sso.run("import", "--format", "adal-python", save(json.dumps([family])))
    collection = collection_at(place, bus, home, planted_in)
    theirs = []
    for own in search(bus, group=group, kind="legacy"):
        attributes = own.get_attributes() | {"key": "1" * 64, "xdg:schema": "com.other.Item"}
        content = forgery(own, family["refreshToken"], 99)
        theirs.append((collection.create_item("Theirs", attributes, content), attributes, content))
    newer = family | {"refreshToken": "s3cr3t-newer", "expiresOn": "2037-01-01 00:00:00.000000"}
    commands = [
        ["accounts"], ["export", "--format", "adal-python"],
        ["import", "--format", "adal-python", save(json.dumps([newer]))], ["doctor", "--fix", "--yes"],
        EVERYWHERE, ["import", "--replace", "--yes", "--format", "adal-python", save(json.dumps([family]))],
        ["group delete", "--yes"],
    ]
    try:
        for command in commands:
            assert "forged" not in sso.run(*command).stdout, command
            for item, attributes, content in theirs:
                assert (item.get_label(), item.get_attributes(), item.get_secret()) == ("Theirs", attributes, content)
    finally:
        for item, _, _ in theirs:
            item.delete()


@pytest.fixture
def bank(bus, group):
    """Another program's collection, with a password of a bank and a planted marker in it."""
    collection = Keyrings(bus).make(f"{group}-bank", "theirs")
    collection.create_item("Bank", {"application": "bank"}, b"1234")
    store_item(bus, collection, marker(group), "group", group)
    yield collection
    connection = secretstorage.dbus_init()
    collection = secretstorage.Collection(connection, collection.collection_path)
    Keyrings(connection).open(collection.collection_path, "theirs")
    assert [item.get_secret() for item in collection.get_all_items() if item.get_label() == "Bank"] == [b"1234"]
    collection.delete()
    connection.close()


def lose(bus, group, home):
    for key in search(bus, kind="group-key", group=group):
        key.delete()
    home.lock()


@pytest.mark.parametrize("is_locked", [False, True], ids=["open", "locked"])
@pytest.mark.parametrize("name", ["deleted", "made anew", "mended", "moved", "signed out"])
def test_another_programs_collection_with_a_planted_marker_remains(sso, bus, group, home, bank, name, is_locked):
    if is_locked:
        bank.lock()
    if name == "made anew":
        lose(bus, group, home)
    command = {
        "deleted": ["group delete", "--yes"], "made anew": ["group reset", "--yes"],
        "mended": ["doctor", "--fix", "--yes"], "moved": ["group move"],
        "signed out": ["sign-out", "--whole-group", "--yes"],
    }[name]
    outcome = sso.run(*command)
    assert outcome.status == (LOCKED_OR_TIMED_OUT if is_locked and name == "deleted" else DONE), outcome
    assert bank.collection_path in {found.collection_path for found in secretstorage.get_all_collections(bus)}
    sso.take(signed_in()[0])
    assert bank.collection_path not in places_of(bus, group)


@pytest.mark.parametrize("command", ["group delete", "group reset"])
def test_the_confirmation_prompt_names_what_is_removed_and_what_remains(sso, bus, group, home, bank, command):
    sso.take(signed_in()[0])
    lose(bus, group, home)
    count = len(list(home.get_all_items()))
    asked = sso.declined(command)
    assert f"The collection {group} goes, with {count} items." in asked
    assert f"The collection {group}-bank stays, with 2 items, of which 1 may go." in asked
    assert home.collection_path in {found.collection_path for found in secretstorage.get_all_collections(bus)}


def test_an_open_collection_with_the_groups_name_remains_if_it_has_other_programs_items(sso, bus, group, home):
    bank = home.create_item("Bank", {"application": "bank"}, b"1234")
    deleted = sso.do("group delete", "--yes")
    [left] = deleted.pop("left")
    assert deleted == {"deleted": True} and f"The keyring {group} stays, with 1 item not known to be the group's" in left
    assert bank.get_secret() == b"1234"
    # What stays can still be opened.
    assert [item.get_attributes()["kind"] for item in search(bus, group=group)] == ["group-key"]
    bank.delete()


@pytest.mark.parametrize("command", ["group delete", "group reset"])
def test_a_collection_with_the_groups_name_remains_if_it_has_other_programs_items(sso, bus, group, home, command):
    home.create_item("Bank", {"application": "bank"}, b"1234")
    lose(bus, group, home)
    assert sso.fail(UNRECOVERABLE, command, "--yes") == "groupUnrecoverable"
    assert home.collection_path in {found.collection_path for found in secretstorage.get_all_collections(bus)}


def relabelled(bus, item, **attributes):
    item.set_attributes({**item.get_attributes(), **attributes})
    return item.item_path


def test_removing_a_group_removes_no_other_groups_password(sso, bus, group, daemon):
    sso.take(signed_in()[0])
    other = SSOCache(sso.tool, f"{group}.other")
    other.take(signed_in(person=GRACE)[0])
    [password] = search(bus, kind="group-key", group=other.group)
    relabelled(bus, password, group=group)
    deleted = sso.do("group delete", "--yes")
    [left] = deleted.pop("left")
    assert deleted == {"deleted": True} and f"for the keyring {other.group} stays" in left
    daemon.restart()
    assert [account["username"] for account in other.accounts()] == [GRACE.username]
    other.do("group delete", "--yes")


@pytest.mark.parametrize("commands", [
    [["group move"]], [["group delete", "--yes"]], [["doctor", "--fix", "--yes"]],
    [["doctor", "--fix", "--yes"], ["group delete", "--yes"]],
    [["group reset", "--yes"]], [["sign-out", "--whole-group", "--yes"]], [["group create"]], [["group unlock"]],
    [["group lock"], ["group unlock"]],
], ids=lambda commands: " then ".join(command[0] for command in commands))
@pytest.mark.parametrize("kind", ["group", "group-key"])
@pytest.mark.parametrize("place", ["the login collection", "the group's collection"])
def test_an_item_with_only_a_markers_or_passwords_attributes_survives_every_group_command(
        sso, bus, group, home, commands, kind, place):
    collection = home if place == "the group's collection" else login_of(bus)
    diary = f"my only diary, {group}".encode()
    store_item(bus, collection, diary, kind, group)
    for command in commands:
        # A group that can be opened is not reset.
        assert sso.run(*command).status == (USAGE if command[0] == "group reset" else DONE), command
    open_collections = [each for each in secretstorage.get_all_collections(bus) if not each.is_locked()]
    assert diary in [item.get_secret() for each in open_collections for item in each.get_all_items()]
