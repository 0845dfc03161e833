# SPDX-License-Identifier: MIT
"""What doctor says of a keyring of a group's name that has nothing of the group."""

import re

import pytest
import secretstorage

from keyrings import LOGIN, Keyrings
from planted import checks_of_group, file_of
from secret_items import group_collection, group_collections, search, store_item
from sso_cache import DONE, SSOCache
from unified_cache import signed_in

LOOK = "Look at it in Passwords and Keys; delete it there if nobody needs it."


@pytest.fixture
def kept(bus, group):
    """A keyring of the group's name, which is removed afterwards."""
    made = []

    def keep(keyring):
        made.append(keyring)
        return keyring

    yield keep
    connection = secretstorage.dbus_init()
    for keyring in made:
        secretstorage.Collection(connection, keyring.collection_path).delete()
    for key in search(connection, kind="group-key", group=group):
        key.delete()
    connection.close()


def made_by_a_person(sso, bus, group):
    return Keyrings(bus).make(group, "mine")


def without_marker_and_password(sso, bus, group):
    sso.take(signed_in()[0])
    keyring = group_collection(bus, group)
    for item in search(bus, group=group):
        item.delete()
    return keyring


@pytest.mark.parametrize("make", [made_by_a_person, without_marker_and_password], ids=lambda make: make.__name__)
@pytest.mark.parametrize("options", [[], ["--publisher=com.fabrikam"]], ids=["the group", "a publisher's group"])
def test_an_empty_keyring_that_no_password_of_the_group_opens_is_not_the_groups(tool, bus, group, kept, make, options):
    kept(make(SSOCache(tool, group), bus, group))
    sso = SSOCache(tool, group, options)
    checks = checks_of_group(sso)
    assert checks["group-lock"]["detail"].startswith("There is no such group yet")
    assert checks["group-collection"]["remedy"] == LOOK
    assert checks["group-marker"]["detail"].startswith("Skipped")
    assert not any("--fix" in check["remedy"] for check in checks.values())
    assert sso.run("doctor").status == DONE
    # The first sign-in makes it, as doctor says.
    sso.take(signed_in()[0])
    assert len(sso.accounts()) == 1
    sso.run("group delete", "--yes")


def test_a_deleted_group_whose_keyring_stays_was_deleted_by_no_other_program(sso, bus, group, kept):
    sso.take(signed_in()[0])
    keyring = kept(group_collection(bus, group))
    keyring.create_item("Mine", {"application": "mine"}, b"mine")
    assert sso.run("group delete", "--yes").status == DONE
    marker = checks_of_group(sso)["group-marker"]
    assert marker["status"] == "warning" and "another program" not in marker["detail"]
    assert sso.run("doctor", "--fix", "--yes").status == DONE
    assert checks_of_group(sso)["group-marker"]["status"] == "ok"


def with_another_name(bus, group, keyring):
    keyring.set_label("Mine")


def as_the_default_one(bus, group, keyring):
    Keyrings(bus).set_default(keyring.collection_path)


def with_another_publishers_item(bus, group, keyring):
    store_item(bus, keyring, b"x", "secret", group, publisher="com.fabrikam")


@pytest.fixture
def former_default(bus):
    former = Keyrings(bus).set_default(LOGIN)
    yield
    connection = secretstorage.dbus_init()
    Keyrings(connection).set_default(former)
    connection.close()


@pytest.mark.parametrize(
    "change", [with_another_name, as_the_default_one, with_another_publishers_item], ids=lambda change: change.__name__)
def test_a_keyring_that_stays_when_its_group_is_deleted_is_not_gone(sso, bus, group, kept, former_default, change):
    sso.take(signed_in()[0])
    keyring = kept(group_collection(bus, group))
    change(bus, group, keyring)
    deletion = sso.run("group delete", "--yes")
    assert deletion.status == DONE and "0 items" not in deletion.stdout, deletion
    collection = checks_of_group(sso)["group-collection"]
    assert "gone" not in collection["detail"] and keyring.get_label() in collection["detail"], collection
    assert "group create" not in collection["remedy"]
    assert file_of(keyring).exists()


def test_a_marker_that_was_set_aside_goes_with_its_keyring_as_the_deletion_says(sso, bus, group):
    sso.take(signed_in()[0])
    [marker] = search(bus, group=group, kind="group")
    marker.set_secret(b"broken")
    assert sso.run("doctor", "--fix", "--yes").status == DONE
    said = sso.run("group delete", "--yes").stdout
    assert re.findall("sso-cache (.*?) --group", said) == ["damaged list", "damaged remove ID", "group delete"]
    [damaged] = sso.do("damaged list")["damaged"]
    assert sso.run("damaged remove", damaged["id"], "--yes").status == DONE
    assert sso.run("group delete", "--yes").stdout == "Removed.\n"
    assert search(bus, group=group) == [] and group_collections(bus, group) == []
