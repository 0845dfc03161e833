# SPDX-License-Identifier: MIT
"""What doctor --fix leaves as it is: all that is not in a collection that is proven to be one of the group's."""

import pytest

from keyrings import Keyrings
from people import ADA
from planted import OWNER, Plant, checks, checks_of_group, contents_of, file_of, is_encrypted, login_of, marker
from secret_items import group_collections, search, store_item
from sso_cache import DONE, UNRECOVERABLE
from unified_cache import CLIENT, signed_in

FIX = ["doctor", "--fix", "--yes"]


def collection_check(sso):
    [check] = [check for check in checks(sso) if check["name"].startswith("group-collection")]
    return check


CONTENTS = {
    "text": (b"precious, not JSON", "credentials"),
    "empty": (b"", "credentials"),
    "a document of another group": (b"{}", "group-data"),
    "a diary as a marker": (b"precious marker", "group"),
    "a marker": (None, "group"),
    "a copy": (None, "credentials"),
}


@pytest.mark.parametrize("has_group", [True, False], ids=["beside a group", "without a group"])
@pytest.mark.parametrize("name", CONTENTS)
def test_a_repair_changes_nothing_in_another_programs_keyring(sso, bus, group, planted_in, name, has_group):
    sso.take(signed_in()[0])
    content, kind = CONTENTS[name]
    [item] = search(bus, kind="credentials", group=group)
    content = {"a marker": marker(group), "a copy": item.get_secret()}.get(name, content)
    if not has_group:
        sso.do("group delete", "--yes")
    others = planted_in(Plant(label="other", password="own"))
    for planted in others.get_all_items():
        planted.delete()
    store_item(bus, others, content, kind, group, **(OWNER if kind == "credentials" else {"key": "x"} if kind == "group-data" else {}))
    before = contents_of(others)
    if has_group:
        check = collection_check(sso)
        assert check["status"] == "warning" and others.get_label() in check["detail"], check
        assert "two apps" not in check["detail"] and "--fix" not in check["remedy"]
    for _ in range(2):
        assert sso.run(*FIX).status == DONE
        assert contents_of(others) == before
    cache, token = signed_in("mail.send")
    sso.take(cache)
    assert sso.token(CLIENT, ADA.username, "mail.send")["access_token"] == token
    assert contents_of(others) == before
    assert all(check["status"] != "error" for check in checks(sso))


@pytest.mark.parametrize("content", [b"hello", b""], ids=["text", "empty"])
@pytest.mark.parametrize("place", ["the login collection", "the group's collection"])
def test_a_repair_mends_what_is_in_the_groups_own_collections(sso, bus, group, home, place, content):
    collection = home if place == "the group's collection" else login_of(bus)
    planted = store_item(bus, collection, content, "credentials", group, **OWNER)
    assert sso.run(*FIX).status == DONE
    left = [item.get_secret() for item in search(bus, kind="damaged", group=group)]
    assert left == ([content] if content else [])
    assert not [item for item in search(bus, kind="credentials", group=group) if item.item_path == planted.item_path]
    for item in search(bus, kind="damaged", group=group):
        item.delete()


NAMESAKES = {"a person's password": ("own", False), "no password": ("", False), "the group's password": (None, True)}


@pytest.mark.parametrize("name", NAMESAKES)
def test_a_repair_deletes_an_empty_keyring_of_the_groups_name_only_when_the_groups_password_opens_it(
        sso, bus, group, home, planted_in, name):
    sso.take(signed_in()[0])
    password, is_deleted = NAMESAKES[name]
    if password is None:
        [key] = search(bus, kind="group-key", group=group)
        password = key.get_secret().decode()
    namesake = planted_in(Plant(password=password, is_named=True))
    for item in namesake.get_all_items():
        item.delete()
    [record] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    login_of(bus).create_item("Copy", record.get_attributes(), record.get_secret())
    record.delete()
    path = namesake.collection_path
    assert sso.run(*FIX).status == DONE
    left = {collection.collection_path for collection in group_collections(bus, group)}
    assert left == {home.collection_path} | (set() if is_deleted else {path})
    if not is_deleted:
        check = collection_check(sso)
        assert "another collection of the group's name" in check["detail"] and "--fix" not in check["remedy"]


def test_doctor_names_a_keyring_of_the_groups_name_that_has_copies_of_its_items(sso, bus, group, home, planted_in):
    sso.take(signed_in()[0])
    namesake = planted_in(Plant(password="own", is_named=True, has_marker=False))
    [record] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    namesake.create_item("Copy", record.get_attributes(), record.get_secret())
    check = collection_check(sso)
    assert check["detail"] == (
        f"Items with its attributes are also in collections that are not proven to be its own, and stay there: {group}.")


def test_a_repair_opens_the_unencrypted_keyring_that_doctor_names_and_leaves_what_others_have_in_it(
        sso, bus, group, home, planted_in):
    cache, _ = signed_in()
    sso.take(cache)
    plain = [planted_in(Plant(is_named=True, has_marker=False)) for _ in range(2)]
    theirs = []
    for number, keyring in enumerate(plain):
        document = search(bus, kind="credentials", group=group, client_id=CLIENT)[0].get_secret()
        content = document.replace(CLIENT.encode(), b"client-%d" % number)
        store_item(bus, keyring, content, "credentials", group, **OWNER | {"client_id": f"client-{number}"})
        theirs.append(keyring.create_item("Theirs", {"application": "theirs"}, b"theirs"))
        keyring.lock()
    for status in (UNRECOVERABLE, DONE):
        locked = [keyring for keyring in plain if keyring.is_locked()]
        detail = checks_of_group(sso)["group-lock"]["detail"]
        [named] = [keyring for keyring in locked if f"{file_of(keyring)}, " in detail]
        assert sso.run(*FIX).status == status
        assert [keyring.collection_path for keyring in locked if not keyring.is_locked()] == [named.collection_path]
    for keyring, item in zip(plain, theirs):
        Keyrings(bus).open(keyring.collection_path, "")
        assert item.get_secret() == b"theirs" and not is_encrypted(keyring)
    clients = {item.get_attributes()["client_id"] for item in home.get_all_items()
               if item.get_attributes().get("kind") == "credentials"}
    assert clients >= {CLIENT, "client-0", "client-1"}
