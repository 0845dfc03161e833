# SPDX-License-Identifier: MIT
"""Other programs' items with the attributes of items that the library works with: nothing is done to them or by them."""

import time

import pytest
import secretstorage

from people import ADA, GRACE
from planted import OWNER, SESSION, file_of, login_of, marker, stem_of
from removals import EVERYWHERE, WHOLE_GROUP
from secret_items import attributes_of, search, store_item
from sso_cache import DONE
from unified_cache import signed_in

# More than an item of a making counts.
LEASE_SECONDS = 5
SCHEMAS = ["com.other.Item", "org.secretstorecache.Item"]
PLACES = ["the login collection", "another keyring"]


@pytest.fixture
def plant(bus, keyring_of_others):
    """Stores another program's item in a place; the returned check tells that it is as it was."""
    made = []

    def plant(place, schema, attributes, content=b"precious"):
        collection = {PLACES[0]: login_of(bus), PLACES[1]: keyring_of_others}[place]
        attributes = attributes | {"note": "theirs", "xdg:schema": schema}
        item = collection.create_item("Theirs", attributes, content)
        made.append(item)
        return lambda: (item.get_label(), item.get_attributes(), item.get_secret()) == ("Theirs", attributes, content)

    yield plant
    for item in made:
        item.delete()


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("content", [b"precious", b""], ids=["text", "empty"])
@pytest.mark.parametrize("place", PLACES)
def test_doctor_writes_no_item_with_a_test_items_attributes(sso, plant, place, content, schema):
    for key in ("", "0123456789abcdef"):
        is_unchanged = plant(place, schema, attributes_of("probe", "", key=key), content)
        sso.run("doctor")
        assert is_unchanged()


def test_doctor_writes_the_login_keyring_beside_another_programs_test_item(sso, bus):
    theirs = secretstorage.Collection(bus, SESSION).create_item("Theirs", attributes_of("probe", ""), b"theirs")
    before = file_of(login_of(bus)).stat().st_mtime_ns
    sso.run("doctor")
    assert theirs.get_secret() == b"theirs"
    assert file_of(login_of(bus)).stat().st_mtime_ns != before
    theirs.delete()


def test_doctor_removes_the_test_item_of_a_run_that_was_ended(sso, bus):
    login_of(bus).create_item("Test", attributes_of("probe", "", key="0123"), b"0123456789")
    sso.run("doctor")
    assert search(bus, kind="probe") == []


@pytest.mark.parametrize("age", [0, LEASE_SECONDS], ids=["new", "old"])
@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("place", PLACES)
def test_an_item_with_the_attributes_of_a_groups_making_keeps_no_group_from_being_made(
        sso, group, plant, place, schema, age):
    is_unchanged = plant(place, schema, attributes_of("making", group))
    time.sleep(age)
    started = time.monotonic()
    sso.take(signed_in()[0])
    # A new one would be waited for, and an old one be deleted.
    assert time.monotonic() - started < LEASE_SECONDS - 1
    assert is_unchanged()


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("content", [b"precious", b"0" * 64], ids=["text", "a password"])
@pytest.mark.parametrize("place", PLACES)
def test_making_a_group_writes_no_item_with_the_attributes_of_its_password(sso, group, plant, place, content, schema):
    is_unchanged = plant(place, schema, attributes_of("group-key", group, keyring=f"LOCAL:/keyrings/{group}.keyring"), content)
    sso.take(signed_in()[0])
    assert is_unchanged()


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("place", PLACES)
def test_taking_a_keyring_over_writes_no_item_with_its_password(sso, bus, group, home, plant, place, schema):
    [password] = search(bus, kind="group-key", group=group)
    is_unchanged = plant(place, schema, attributes_of("group-key", group), password.get_secret())
    for item in [password, *search(bus, kind="group", group=group)]:
        item.delete()
    sso.take(signed_in()[0])
    assert is_unchanged()


@pytest.mark.parametrize("command", [
    "accounts", "damaged list", "doctor", "doctor --fix --yes", "group unlock", "group create", "group delete --yes",
    "sign-out --whole-group --yes",
])
@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("has_record", [True, False], ids=["with a record", "without a record"])
def test_no_item_with_a_passwords_attributes_opens_another_programs_keyring(
        sso, bus, group, keyring_of_others, plant, schema, command, has_record):
    names = attributes_of("group-key", group, keyring=f"LOCAL:/keyrings/{stem_of(keyring_of_others)}.keyring")
    is_unchanged = plant(PLACES[0], schema, names, b"other")
    if has_record:
        store_item(bus, keyring_of_others, b"x", "credentials", group, **OWNER)
    keyring_of_others.lock()
    first, *rest = command.split(" --")
    sso.run(first, *[f"--{option}" for option in rest])
    assert keyring_of_others.is_locked() and is_unchanged()


@pytest.mark.parametrize("command", [["secret list"], ["secret get", "--service", "imap"], WHOLE_GROUP], ids=" ".join)
def test_no_list_changes_the_attributes_of_an_item_in_another_programs_keyring(sso, bus, group, plant, command):
    sso.run("secret set", "--service", "imap", stdin=b"first")
    [item] = search(bus, kind="secret", group=group)
    is_unchanged = plant(PLACES[1], SCHEMAS[1], item.get_attributes() | {"kind": "note"}, item.get_secret())
    assert sso.run(*command).status == DONE
    assert is_unchanged()


def test_a_sign_out_changes_no_other_persons_item_in_another_programs_keyring(sso, bus, group, plant):
    for person in (ADA, GRACE):
        sso.take(signed_in(person=person)[0])
    [named] = search(bus, kind="credentials", group=group, home_account_id=ADA.identifier)
    [held] = search(bus, kind="credentials", group=group, home_account_id=GRACE.identifier)
    is_unchanged = plant(PLACES[1], SCHEMAS[1], named.get_attributes(), held.get_secret())
    sso.run(*EVERYWHERE)
    assert is_unchanged()
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]


# A marker of the group may be in the login collection.
@pytest.mark.parametrize("place, name", [
    (PLACES[0], "another group"), (PLACES[1], "another group"), (PLACES[1], "this group"),
])
def test_an_app_without_shared_locks_writes_no_other_programs_marker(sso, group, home, plant, tmp_path, place, name):
    content = marker(group if name == "this group" else "com.example.elsewhere")
    is_unchanged = plant(place, SCHEMAS[1], attributes_of("group", group), content)
    apart = tmp_path / "runtime"
    apart.mkdir(mode=0o700)
    sso.with_environment(XDG_RUNTIME_DIR=apart).take(signed_in(person=GRACE)[0])
    assert is_unchanged()


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_deletion_counts_no_item_of_others_as_the_groups_password(sso, group, home, keyring_of_others, plant, schema):
    names = attributes_of("group-key", group, keyring=f"LOCAL:/keyrings/{stem_of(keyring_of_others)}.keyring")
    plant(PLACES[0], schema, names)
    left = " ".join(sso.do("group delete", "--yes")["left"])
    assert "A password of the group" not in left and "1 item" in left


def test_no_attribute_leads_out_of_the_keyrings_folder(sso, group, home, plant, tmp_path):
    (tmp_path / "theirs.keyring").write_bytes(b"no keyring")
    path = "../" * 20 + f"{tmp_path}/theirs".lstrip("/")
    plant(PLACES[0], SCHEMAS[1], attributes_of("group-key", group, keyring=f"LOCAL:/keyrings/{path}.keyring"), b"0" * 64)
    outcome = sso.run("doctor")
    assert "theirs" not in outcome.stdout + outcome.stderr and outcome.status == DONE
