# SPDX-License-Identifier: MIT
"""Entries of an account outside its own record of the client: a sign-out takes them, and nothing of others."""

import json

import pytest

from keyrings import Keyrings
from people import ADA, GRACE
from removals import EVERYWHERE, OF_CLIENT, OTHER, WHOLE_GROUP, copy_to, entitlements, family_cache, store_misnamed
from secret_items import group_collection, search, store_item
from sso_cache import DONE
from unified_cache import AAD, CLIENT, access_token, account, id_token, refresh_token, signed_in

US = "login.microsoftonline.us"
PLANTED = "s3cr3t-planted"
NOTE = {"kind": "group-data", "key": "note"}
# The records that hold the entries, each with the attributes of its item.
RECORDS = {
    "of her other client": {"kind": "credentials", "client_id": OTHER, "home_account_id": ADA.identifier},
    "of her other cloud": {"kind": "credentials", "environment": US},
    "of another person": {"kind": "credentials", "home_account_id": GRACE.identifier},
    "of her family": {"kind": "family"},
    "of a client": {"kind": "client"},
    "of the group": NOTE,
}


@pytest.fixture
def stored(sso, bus, group):
    """Ada with two clients, a family and another cloud, Grace, a client without an account, and data of the group."""
    cache = family_cache()
    cache["AppMetadata"]["lonely"] = {"client_id": "lonely", "environment": AAD}
    sso.take(cache)
    for others in (signed_in(environment=US), signed_in(person=GRACE, client=OTHER)):
        sso.take(others[0])
    document = json.dumps({"SecretStoreCache": {"record": NOTE, "revision": 1}, "note": "kept"})
    store_item(bus, group_collection(bus, group), document.encode(), **NOTE, group=group)


def plant(bus, group, attributes):
    """Puts entries of Ada for the client into a record."""
    [item] = search(bus, group=group, **attributes)
    document = json.loads(item.get_secret())
    entries = {
        "AccessToken": access_token("planted.read"), "RefreshToken": refresh_token(), "IdToken": id_token(),
        "DeviceToken": {"home_account_id": ADA.identifier, "environment": AAD, "client_id": CLIENT},
    }
    for section, entry in entries.items():
        document.setdefault(section, {})["planted"] = entry | {"secret": PLANTED}
    document.setdefault("Account", {})["planted"] = account()
    item.set_secret(json.dumps(document).encode(), content_type="application/json")
    return item


def misname(item, collection):
    """Gives an item attributes that name another record than its document does, and that lists find it by."""
    attributes = item.get_attributes()
    name = "client_id" if attributes.get("client_id") else "family_id" if attributes.get("family_id") else "key"
    store_misnamed(collection, item, **{name: attributes[name].upper() + "-X"})
    item.delete()


def left(bus, group):
    return [dict(item.get_attributes()) for item in search(bus, group=group) if PLANTED.encode() in item.get_secret()]


@pytest.mark.parametrize("removal", [OF_CLIENT, EVERYWHERE, WHOLE_GROUP], ids=["of a client", "everywhere", "of the whole group"])
@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS.keys())
@pytest.mark.parametrize("is_misnamed", [False, True], ids=["", "of an item that names another one"])
def test_a_removal_takes_the_accounts_entries_from_every_record(
        sso, bus, group, stored, record, removal, is_misnamed):
    item = plant(bus, group, record)
    if is_misnamed:
        misname(item, group_collection(bus, group))
    before = sso.give()
    outcome = sso.run(*removal, *([] if removal == WHOLE_GROUP else ["--environment", AAD]))
    assert outcome.status == DONE and "nothing to do" not in outcome.stdout, outcome
    assert left(bus, group) == []
    after = sso.give()
    assert PLANTED not in json.dumps(after)
    if removal != WHOLE_GROUP:
        assert of_others(after, removal) == of_others(before, removal) != []
    assert [item for item in search(bus, group=group) if b"kept" in item.get_secret()]


def of_others(cache, removal):
    """The tokens that a removal leaves: of other people, of other clouds and, unless all go, of other clients."""
    return sorted(
        entry["secret"] for section in ("AccessToken", "RefreshToken", "IdToken") for entry in cache[section].values()
        if entry["secret"] != PLANTED and (
            entry["home_account_id"] != ADA.identifier or entry["environment"] == US
            or removal == OF_CLIENT and (entry["client_id"] != CLIENT or entry.get("family_id"))))


@pytest.mark.parametrize("record", [RECORDS["of another person"], RECORDS["of her other cloud"]], ids=["of another person", "of her other cloud"])
def test_a_sign_out_takes_its_entries_from_the_copies_that_do_not_count(
        sso, bus, group, stored, keyring_of_others, record):
    item = plant(bus, group, record)
    copy_to(keyring_of_others, [item])
    tokens = of_others(sso.give(), EVERYWHERE)
    assert sso.run(*EVERYWHERE, "--environment", AAD).status == DONE
    assert left(bus, group) == []
    assert of_others(sso.give(), EVERYWHERE) == tokens


def test_a_second_sign_out_takes_entries_from_a_copy_in_a_keyring_that_was_locked(sso, bus, group, stored, keyring_of_others):
    item = plant(bus, group, RECORDS["of another person"])
    copy_to(keyring_of_others, [item])
    keyring_of_others.lock()
    sign_out = [*EVERYWHERE, "--environment", AAD]
    assert sso.run(*sign_out).status == DONE
    Keyrings(bus).open(keyring_of_others.collection_path, "other")
    assert len(left(bus, group)) == 1
    assert sso.do(*sign_out) == {"signed_out": True}
    assert left(bus, group) == []
    assert sso.do(*sign_out) == {"signed_out": False}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS.keys())
def test_the_last_apps_sign_out_takes_the_clients_entries_from_every_record(sso, bus, group, stored, save, record):
    plant(bus, group, record)
    before = of_others(sso.give(), OF_CLIENT)
    sign_out = ["sign-out", "--account", ADA.username, "--environment", AAD, "--client-id", CLIENT, "--yes"]
    assert sso.run(*sign_out, *entitlements(save, group)).status == DONE
    assert left(bus, group) == []
    assert of_others(sso.give(), OF_CLIENT) == before != []


@pytest.mark.parametrize("environment", [None, ""], ids=["absent", "empty"])
@pytest.mark.parametrize("section", ["RefreshToken", "Account", "DeviceToken"])
def test_a_sign_out_takes_an_imported_entry_that_names_no_environment(sso, bus, group, section, environment):
    cache = signed_in()[0]
    entry = {"home_account_id": ADA.identifier, "client_id": CLIENT, "secret": PLANTED}
    if environment is not None:
        entry["environment"] = environment
    cache.setdefault(section, {})["odd"] = entry
    sso.take(cache)
    assert left(bus, group)
    assert sso.run(*EVERYWHERE).status == DONE
    assert left(bus, group) == []
