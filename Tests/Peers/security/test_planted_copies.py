# SPDX-License-Identifier: MIT
"""Copies of records in other programs' collections: they count only where the group has none."""

import json

import pytest
import secretstorage

from keyrings import LOGIN, Keyrings
from people import ADA
from planted import (
    OWNER, PLANTS, TOKEN, Plant, checks, contents_of, file_of, forgery, login_of, places_of,
)
from secret_items import collection_of, group_collection, search, share, store_item
from sso_cache import DONE, LOCKED_OR_TIMED_OUT
from unified_cache import CLIENT, signed_in


@pytest.mark.parametrize("keeps", [True, False], ids=["beside ours", "in the place of ours"])
def test_a_new_item_does_not_overwrite_a_copy_in_another_programs_collection(sso, bus, group, home, planted_in, keeps):
    sso.take(signed_in()[0])
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    planted = planted_in(Plant())
    newer = item.get_secret().replace(b'"revision":1', b'"revision":7')
    copy = planted.create_item("Copy", item.get_attributes(), newer)
    if not keeps:
        item.delete()
    cache, token = signed_in("mail.send")
    sso.take(cache)
    assert sso.do("token", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.send")[
        "access_token"] == token
    assert copy.get_secret() == newer
    assert home.collection_path in places_of(bus, group, client_id=CLIENT)


def test_a_copy_with_the_largest_revision_blocks_no_save(sso, bus, group, home):
    sso.take(signed_in()[0])
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    item.set_secret(item.get_secret().replace(b'"revision":1', b'"revision":9223372036854775807'))
    cache, token = signed_in("mail.send")
    sso.take(cache)
    assert sso.token(CLIENT, ADA.username, "mail.send")["access_token"] == token


@pytest.mark.parametrize("revision", [1, 100])
@pytest.mark.parametrize("name", PLANTS)
def test_a_copy_in_another_programs_collection_counts_only_where_the_group_has_none(
        sso, bus, group, home, planted_in, name, revision):
    cache, token = signed_in()
    sso.take(cache)
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    forged = forgery(item, token, revision)
    copy = planted_in(PLANTS[name]).create_item("Copy", item.get_attributes(), forged)

    def counts():
        assert sso.do(*TOKEN)["access_token"] == token
        assert "forged" not in sso.run("export", "--format", "msal").stdout
        assert [item.get_secret(), copy.get_secret()] == [real, forged]

    real = item.get_secret()
    counts()
    sso.run("doctor", "--fix", "--yes")
    counts()
    sso.take(signed_in("mail.send")[0])
    assert copy.get_secret() == forged and b"forged" not in item.get_secret()


@pytest.mark.parametrize("revision", [1, 100])
def test_a_copy_in_the_login_collection_does_not_take_the_place_of_the_groups_own(sso, bus, group, home, revision):
    cache, token = signed_in()
    sso.take(cache)
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    copy = login_of(bus).create_item("Copy", item.get_attributes(), forgery(item, token, revision))
    assert sso.do(*TOKEN)["access_token"] == token
    assert "forged" not in sso.run("export", "--format", "msal").stdout
    newer, sent = signed_in("mail.send")
    sso.take(newer)
    assert b"forged" not in item.get_secret() and b"forged" in copy.get_secret()
    sso.run("group move")
    sso.do("doctor", "--fix", "--yes")
    assert [each.item_path for each in search(bus, kind="credentials", group=group, client_id=CLIENT)] == [item.item_path]
    assert (sso.do(*TOKEN)["access_token"], sso.token(CLIENT, ADA.username, "mail.send")["access_token"]) == (token, sent)


@pytest.mark.parametrize("name", [name for name in PLANTS if not PLANTS[name].is_named])
def test_while_nothing_proves_the_groups_collection_a_copy_in_one_of_another_name_counts_for_nothing(
        sso, bus, group, home, planted_in, daemon, tmp_path, name):
    """As in a sandbox, which sees no keyring files, while the login collection is locked."""
    cache, token = signed_in()
    sso.take(cache)
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    planted_in(PLANTS[name]).create_item("Copy", item.get_attributes(), forgery(item, token, 100))
    login_of(bus).lock()
    blind = sso.with_environment(XDG_DATA_HOME=str(tmp_path))
    try:
        assert blind.do(*TOKEN)["access_token"] == token
        assert "forged" not in blind.run("export", "--format", "msal").stdout
    finally:
        daemon.restart()


@pytest.mark.parametrize("revision", [1, 100])
@pytest.mark.parametrize("password", ["", "own"], ids=["no password", "a password of its own"])
def test_a_move_takes_no_copy_from_another_programs_collection(
        sso, bus, group, home, planted_in, password, revision):
    cache, token = signed_in()
    sso.take(cache)
    share(bus, group)
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    real, forged = item.get_secret(), forgery(item, token, revision)
    copy = planted_in(Plant(password=password, placement="shared")).create_item("Copy", item.get_attributes(), forged)
    assert sso.run("group move").status == DONE
    [own] = [each for each in search(bus, kind="credentials", group=group, client_id=CLIENT)
             if each.item_path != copy.item_path]
    assert own.item_path.startswith(f"{group_collection(bus, group).collection_path}/")
    assert [own.get_secret(), copy.get_secret()] == [real, forged]
    assert sso.do(*TOKEN)["access_token"] == token
    assert sso.do("group move") == {"moved": False}


@pytest.mark.parametrize("revision", [-2**63, 2**63 - 1])
def test_a_copy_with_an_extreme_revision_ends_no_diagnosis(sso, bus, group, home, revision):
    sso.take(signed_in()[0])
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    home.create_item(
        "Copy", item.get_attributes(), item.get_secret().replace(b'"revision":1', b'"revision":%d' % revision))
    assert sso.run("doctor").status == DONE
    sso.do("doctor", "--fix", "--yes")
    assert len(search(bus, kind="credentials", group=group, client_id=CLIENT)) == 1
    assert sso.run(*TOKEN).status == DONE


@pytest.mark.parametrize("kind", ["credentials", "family", "client", "group-data", "secret"])
def test_a_locked_item_in_another_programs_collection_affects_no_call(sso, bus, group, home, planted_in, kind):
    cache, token = signed_in()
    sso.take(cache)
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t")
    collection = planted_in(Plant(password="own"))
    store_item(bus, collection, b"hello", kind, group, **OWNER | {"key": "planted"})
    collection.lock()
    assert sso.do(*TOKEN)["access_token"] == token
    assert len(sso.accounts()) == 1
    assert sso.run("secret get", "--service", "imap").stdout == "s3cr3t"
    assert len(sso.do("secret list")["secrets"]) == 1
    newer, sent = signed_in("mail.send")
    sso.take(newer)
    sso.take(signed_in(client="another")[0])
    assert sso.token(CLIENT, ADA.username, "mail.send")["access_token"] == sent
    sso.do("group lock")
    assert sso.do(*TOKEN)["access_token"] == token
    assert all(check["status"] != "error" for check in checks(sso))
    sso.run("sign-out", "--client-id", CLIENT, "--account", ADA.username, "--yes")
    assert len(sso.accounts("--client-id", CLIENT)) == 0
    assert collection.is_locked()


@pytest.fixture
def locked_copies(sso, bus, group, planted_in):
    """Stores exact copies of all the group's records in a collection of another program, and locks it."""
    made = []

    def make(has_key):
        collection = planted_in(Plant(password="own"))
        for item in search(bus, group=group):
            if item.get_attributes()["kind"] not in ("group", "group-key"):
                collection.create_item("Copy", item.get_attributes(), item.get_secret())
        if has_key:
            store_item(bus, collection, b"key", "group-key", group)
        made.append((collection, contents_of(collection)))
        collection.lock()

    yield make
    for collection, contents in made:
        is_locked = collection.is_locked()
        Keyrings(bus).open(collection.collection_path, "own")
        assert is_locked and contents_of(collection) == contents


@pytest.mark.parametrize("has_key", [False, True], ids=["without a key", "with a key"])
@pytest.mark.parametrize("command", [
    "token", "import", "export", "secret get", "secret set", "secret remove", "sign-out", "sign-out --everywhere",
    "sign-out --whole-group", "group lock", "group move", "doctor", "doctor --fix",
])
def test_locked_copies_in_another_programs_collection_stop_no_command(
        sso, bus, group, home, locked_copies, save, command, has_key):
    cache, token = signed_in()
    for entry in cache["RefreshToken"].values():
        entry["family_id"] = "1"
    sso.take(cache)
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t")
    if command == "group move":
        share(bus, group)
    locked_copies(has_key)
    newer, sent = signed_in("mail.send")
    if command == "doctor --fix":
        [item] = search(bus, kind="secret", group=group)[:1]
        collection_of(bus, item).create_item("Older", item.get_attributes(), item.get_secret())
    arguments = {
        "token": TOKEN, "import": ["import", "--format", "msal", save(json.dumps(newer))],
        "export": ["export", "--format", "msal"],
        "secret get": ["secret get", "--service", "imap"], "secret set": ["secret set", "--service", "imap"],
        "secret remove": ["secret remove", "--service", "imap"],
        "sign-out": ["sign-out", "--account", ADA.username, "--client-id", CLIENT, "--yes"],
        "sign-out --everywhere": ["sign-out", "--account", ADA.username, "--everywhere", "--yes"],
        "sign-out --whole-group": ["sign-out", "--whole-group", "--yes"], "doctor --fix": ["doctor", "--fix", "--yes"],
    }.get(command, [command])
    outcome = sso.run(*arguments, stdin=b"n3w" if command == "secret set" else None)
    is_removal = command.startswith("sign-out") or command == "secret remove"
    assert outcome.status == (LOCKED_OR_TIMED_OUT if is_removal else DONE), outcome
    if is_removal:
        assert "in a locked keyring that stays" in outcome.stderr
    if command.startswith("sign-out"):
        assert sso.accounts("--client-id", CLIENT) == []
    else:
        assert sso.do(*TOKEN)["access_token"] == token
    if command == "import":
        assert sso.token(CLIENT, ADA.username, "mail.send")["access_token"] == sent
    if command == "group move":
        assert {LOGIN} & {item.item_path.rpartition("/")[0] for item in search(bus, kind="secret", group=group)} == set()
    if command == "secret remove":
        assert sso.do("secret list")["secrets"] == []
    else:
        assert sso.run("secret get", "--service", "imap").stdout == ("n3w" if command == "secret set" else "s3cr3t")
    assert all(check["status"] != "error" for check in checks(sso))


@pytest.fixture
def locked_keyrings(bus, group):
    """Makes keyrings of another program with these labels, which have a record of the group's each, and locks them."""
    made = []

    def make(*labels):
        for label in labels:
            collection = Keyrings(bus).make(label, "own")
            made.append(collection)
            store_item(bus, collection, b"hello", "credentials", group, **OWNER)
            collection.lock()
        return [file_of(collection).name for collection in made]

    yield make
    for collection in made:
        Keyrings(bus).delete(collection.collection_path)


def test_a_sign_out_names_each_locked_keyring_in_which_items_are_left(sso, group, home, locked_keyrings):
    sso.take(signed_in()[0])
    first, second, _ = locked_keyrings(f"{group}-copies", f"{group}-copies", f"{group}-more")
    outcome = sso.run("sign-out", "--whole-group", "--yes")
    assert outcome.status == LOCKED_OR_TIMED_OUT
    said = " ".join(outcome.stderr.split())
    assert "in locked keyrings that stay: " in said and f"{group}-more (1 item)" in said, said
    for file in (first, second):
        assert f"{group}-copies ({file}, 1 item)" in said, said


def test_no_locked_keyring_with_the_name_of_the_login_keyring_is_to_be_deleted(sso, bus, home, locked_keyrings):
    sso.take(signed_in()[0])
    locked_keyrings(login_of(bus).get_label())
    outcome = sso.run("sign-out", "--whole-group", "--yes")
    assert outcome.status == LOCKED_OR_TIMED_OUT
    assert "in a locked keyring that stays" in outcome.stderr and "delete" not in outcome.stderr, outcome.stderr


@pytest.mark.parametrize("command", ["doctor", "group unlock"])
def test_no_command_opens_a_planted_collection_without_a_password(sso, bus, group, home, planted_in, daemon, command):
    """A locked collection without a password accepts the group's password, and would then look like the group's own."""
    path = home.collection_path
    planted = planted_in(Plant(is_named=True)).collection_path
    bus.close()
    daemon.restart()
    sso.run(command)
    cache, token = signed_in()
    sso.take(cache)
    bus = secretstorage.dbus_init()
    assert places_of(bus, group) == {path}
    assert secretstorage.Collection(bus, planted).is_locked()
    assert sso.do(*TOKEN)["access_token"] == token


@pytest.mark.parametrize("has_marker", [True, False], ids=["a marker", "no marker"])
@pytest.mark.parametrize("is_named", [True, False], ids=["the right name", "another name"])
def test_deleting_a_group_leaves_and_names_another_programs_locked_collection(
        sso, bus, group, home, planted_in, is_named, has_marker):
    collection = planted_in(Plant(password="own", is_named=is_named, has_marker=has_marker))
    store_item(bus, collection, b"hello", "credentials", group, **OWNER)
    collection.lock()
    if is_named:
        asked = sso.declined("group delete")
        assert f"The collection {group} stays, with " in asked and f"The collection {group} goes, with " in asked
    outcome = sso.run("group delete", "--yes")
    assert outcome.status == LOCKED_OR_TIMED_OUT
    assert "in a locked keyring that stays" in outcome.stderr and collection.get_label() in outcome.stderr
    named = {each.collection_path for each in secretstorage.get_all_collections(bus) if each.get_label() == group}
    assert named == ({collection.collection_path} if is_named else set())
    assert collection.is_locked()
