# SPDX-License-Identifier: MIT
"""Items of kinds that this version doesn't know: they go with the account that they name."""

import json

import pytest

from keyrings import Keyrings
from people import ADA, GRACE
from removals import DELETE, EVERYWHERE, OF_CLIENT, OTHER, WHOLE_GROUP
from secret_items import SCHEMA, attributes_of, group_collection, search, store_item
from sso_cache import DONE, LOCKED_OR_TIMED_OUT
from unified_cache import CLIENT, signed_in

ADAS = dict(home_account_id=ADA.identifier, environment="login.windows.net", client_id=CLIENT)
# Items of another version, by what they name.
ITEMS = {
    "ada": ADAS, "ada's other client": ADAS | {"client_id": OTHER}, "ada without a client": ADAS | {"client_id": ""},
    "grace": ADAS | {"home_account_id": GRACE.identifier}, "nobody": {},
}
KEPT = {
    "of a client": (OF_CLIENT, ["ada's other client", "ada without a client", "grace", "nobody"]),
    "everywhere": (EVERYWHERE, ["grace", "nobody"]), "of the whole group": (WHOLE_GROUP, ["nobody"]),
    "with the group": (DELETE, []),
}


# A kind of another version, and those of the library's own items, which name nobody.
@pytest.fixture(params=["device", "retired", "making"])
def kind(request):
    return request.param


@pytest.fixture
def planted(sso, bus, group, kind):
    sso.take(signed_in()[0])
    home = group_collection(bus, group)
    for name, attributes in ITEMS.items():
        store_item(bus, home, name.encode(), kind, group, **attributes)


@pytest.mark.parametrize("removal, kept", KEPT.values(), ids=KEPT.keys())
def test_a_removal_takes_items_of_unknown_kinds_that_name_the_account(sso, bus, group, kind, planted, removal, kept):
    assert sso.run(*removal).status == DONE
    left = [item.get_secret().decode() for item in search(bus, group=group, kind=kind)]
    # Nothing shows that a lease without the form of one was made for the group.
    stays = ["nobody"] if (kind, removal) == ("making", DELETE) else kept
    assert sorted(left) == sorted(stays)


def test_an_import_that_replaces_takes_items_of_unknown_kinds_that_name_an_account(sso, bus, group, kind, planted):
    sso.take(signed_in(person=GRACE)[0], "--replace")
    left = [item.get_secret().decode() for item in search(bus, group=group, kind=kind)]
    assert left == ["nobody"]


def test_an_import_that_replaces_names_the_locked_keyring_that_keeps_an_item(sso, bus, group, save, keyring_of_others):
    replace = ["import", "--format", "msal", "--replace", "--yes", save(json.dumps(signed_in(person=GRACE)[0]))]
    assert sso.run(*replace).status == DONE
    for kind in ("device", "credentials"):
        store_item(bus, keyring_of_others, b"s3cr3t", kind, group, **ADAS)
    keyring_of_others.lock()
    for _ in range(2):
        outcome = sso.run(*replace)
        assert outcome.status == LOCKED_OR_TIMED_OUT and "com.example.other (2 items)" in outcome.stderr, outcome
        assert [account["username"] for account in sso.accounts()] == [GRACE.username]
    Keyrings(bus).open(keyring_of_others.collection_path, "other")
    assert sso.run(*replace).status == DONE
    assert search(bus, group=group, kind="device") == []


@pytest.mark.parametrize("removal", [EVERYWHERE, WHOLE_GROUP, DELETE], ids=["everywhere", "of the whole group", "with the group"])
def test_a_removal_names_the_locked_keyring_with_an_item_of_an_unknown_kind(
        sso, bus, group, keyring_of_others, removal):
    sso.take(signed_in()[0])
    store_item(bus, keyring_of_others, b"s3cr3t", "device", group, **ADAS)
    keyring_of_others.lock()
    for _ in range(2):
        outcome = sso.run(*removal)
        assert outcome.status == LOCKED_OR_TIMED_OUT and "com.example.other (1 item)" in outcome.stderr, outcome
    Keyrings(bus).open(keyring_of_others.collection_path, "other")
    assert sso.run(*removal).status == DONE
    assert search(bus, group=group, kind="device") == []


def test_a_sign_out_leaves_another_programs_item_of_an_unknown_kind(sso, bus, group, keyring_of_others):
    sso.take(signed_in()[0])
    attributes = attributes_of("device", group, **ADAS) | {SCHEMA: "com.other.Item"}
    item = keyring_of_others.create_item("Theirs", attributes, b"theirs")
    for removal in (EVERYWHERE, WHOLE_GROUP):
        assert sso.run(*removal).status == DONE
    assert item.get_secret() == b"theirs"


def test_doctor_counts_items_of_unknown_kinds(sso, kind, planted):
    [check] = [check for check in sso.do("doctor")["checks"] if check["name"].startswith("group-entries")]
    # One of the library's own kinds that names no account is the library's.
    count = 5 if kind == "device" else 4
    assert check["status"] == "ok" and f"{count} more items" in check["detail"]
