# SPDX-License-Identifier: MIT
"""Items whose attributes name another record than their documents do: what lists show, a removal takes or names."""

import json

import pytest

from people import ADA, GRACE
from planted import login_of
from removals import ADAL_ITEM, EVERYWHERE, OF_CLIENT, OTHER, WHOLE_GROUP, entitlements, family_cache, store_misnamed
from secret_items import collection_of, group_collection, search, store_item
from sso_cache import BAD_INPUT, DONE, LOCKED_OR_TIMED_OUT, STORAGE_OR_NETWORK
from unified_cache import AAD, CLIENT, refresh_token, signed_in

NAMED_ONLY = {name: value for name, value in ADAL_ITEM.items() if name not in ("oid", "tenantId")}
IMAP = ["--service", "imap", "--account", "ada"]
PLACES = ["the only item", "a copy in the group's keyring", "a copy in login", "a copy in another keyring"]
SPELLINGS = {
    "the client in capitals": lambda has: {"client_id": has["client_id"].upper()},
    "another client": lambda has: {"client_id": OTHER},
    "another key": lambda has: {"key": "zzz"},
    "another kind": lambda has: {"kind": "device"},
}


@pytest.fixture(params=PLACES)
def misname(request, bus, group, keyring_of_others):
    """Gives an item, or a copy of it, other attributes."""
    place = request.param

    def change(item, **changes):
        own = collection_of(bus, item)
        collection = {PLACES[2]: login_of(bus), PLACES[3]: keyring_of_others}.get(place, own)
        store_misnamed(collection, item, **changes)
        if place == PLACES[0]:
            item.delete()

    return change


def left(bus, group, mark=b"s3cr3t"):
    return [item.get_attributes() for item in search(bus, group=group) if mark in item.get_secret()]


@pytest.fixture
def of_app(save, group):
    return ["sign-out", "--account", ADA.username, "--yes", *entitlements(save, group)]


@pytest.fixture(params=["of a client", "everywhere", "of the last app", "of the whole group"])
def removal(request, of_app):
    return {"of a client": OF_CLIENT, "everywhere": EVERYWHERE, "of the last app": of_app}.get(request.param, WHOLE_GROUP)


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_removal_takes_an_adal_item_of_another_name(sso, bus, group, save, misname, removal, spelling):
    sso.run("import", "--format", "adal-python", save(json.dumps([ADAL_ITEM])))
    for item in search(bus, group=group, kind="legacy"):
        misname(item, **spelling(item.get_attributes()))
    outcome = sso.run(*removal)
    assert outcome.status == DONE and outcome.stdout.startswith("Signed out: "), outcome
    assert left(bus, group) == []
    assert sso.accounts() == []


def test_an_import_that_replaces_takes_an_adal_item_of_another_name(sso, bus, group, save, misname):
    sso.run("import", "--format", "adal-python", save(json.dumps([ADAL_ITEM])))
    for item in search(bus, group=group, kind="legacy"):
        misname(item, key="zzz")
    sso.take(signed_in(person=GRACE)[0], "--replace")
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]
    assert left(bus, group, b"s3cr3t-adal") == []


@pytest.mark.parametrize("format", ["adal-python", "msal"])
def test_an_import_that_replaces_keeps_what_the_file_holds_of_an_item_of_another_name(
        sso, bus, group, save, misname, format):
    path = save(json.dumps([ADAL_ITEM] if format == "adal-python" else signed_in()[0]))
    for extra in ([], ["--replace", "--yes"]):
        assert sso.run("import", "--format", format, path, *extra).status == DONE
        assert [account["username"] for account in sso.accounts()] == [ADA.username]
        for item in search(bus, group=group, kind="legacy") + search(bus, group=group, kind="credentials"):
            if not extra:
                misname(item, client_id=CLIENT.upper())


@pytest.mark.parametrize("removal", [OF_CLIENT, EVERYWHERE], ids=["of a client", "everywhere"])
def test_a_sign_out_names_an_adal_item_that_cannot_be_read_and_spells_the_client_otherwise(
        sso, bus, group, save, removal):
    sso.take(signed_in()[0])
    store_item(bus, group_collection(bus, group), b"s3cr3t", "legacy", group, client_id=CLIENT.upper())
    outcome = sso.run(*removal)
    assert outcome.status == BAD_INPUT and "ADAL sign-in" in outcome.stderr, outcome


@pytest.mark.parametrize("is_restarted", [False, True], ids=["locked", "not unlocked since the start"])
def test_a_clients_sign_out_names_the_locked_keyring_with_the_adal_item_that_spells_the_client_otherwise(
        sso, bus, group, daemon, keyring_of_others, is_restarted):
    sso.take(signed_in()[0])
    store_item(bus, keyring_of_others, b"s3cr3t", "legacy", group, client_id=CLIENT.upper())
    keyring_of_others.lock()
    if is_restarted:
        daemon.restart()
        sso.run("group unlock")
    outcome = sso.run(*OF_CLIENT)
    assert outcome.status == LOCKED_OR_TIMED_OUT and "com.example.other (1 item)" in outcome.stderr, outcome


def test_removing_a_secret_names_the_locked_keyring_with_its_item_of_another_name(sso, bus, group, keyring_of_others):
    for service in ("imap", "smtp"):
        sso.run("secret set", "--service", service, stdin=b"s3cr3t-hunter")
    [item] = [item for item in search(bus, group=group, kind="secret") if b"imap" in item.get_secret()]
    attributes = item.get_attributes()
    keyring_of_others.create_item("Copy", attributes | {"key": attributes["key"].upper()}, item.get_secret())
    keyring_of_others.lock()
    outcome = sso.run("secret remove", "--service", "imap")
    assert outcome.status == LOCKED_OR_TIMED_OUT and "com.example.other (1 item)" in outcome.stderr, outcome
    assert sso.run("secret remove", "--service", "smtp").stdout == "Removed.\n"


FAMILY = {
    "the account in capitals": {"home_account_id": ADA.identifier.upper()},
    "another host of the cloud": {"environment": AAD},
    "another family": {"family_id": "2"},
    "an unknown kind": {"kind": "device"},
    "set aside": {"kind": "damaged"},
    "another kind": {"kind": "credentials"},
}


@pytest.mark.parametrize("changes", FAMILY.values(), ids=FAMILY.keys())
@pytest.mark.parametrize("is_of_app", [False, True], ids=["of a client", "of the last app"])
def test_the_last_client_takes_the_family_item_of_another_name(sso, bus, group, of_app, misname, changes, is_of_app):
    cache, _ = signed_in()
    cache["RefreshToken"] |= {"of-family": refresh_token(family_id="1")}
    cache["AppMetadata"] |= {"suite": {"client_id": CLIENT, "environment": AAD, "family_id": "1"}}
    sso.take(cache)
    [item] = search(bus, group=group, kind="family")
    misname(item, **changes)
    outcome = sso.run(*(of_app if is_of_app else OF_CLIENT))
    assert outcome.status == DONE and outcome.stdout.startswith("Signed out: "), outcome
    assert left(bus, group) == []


@pytest.mark.parametrize("changes", FAMILY.values(), ids=FAMILY.keys())
def test_a_clients_sign_out_leaves_the_family_item_of_another_name_that_another_client_uses(sso, bus, group, changes):
    sso.take(family_cache())
    [item] = search(bus, group=group, kind="family")
    secret = item.get_secret()
    store_misnamed(group_collection(bus, group), item, **changes)
    item.delete()
    assert sso.run(*OF_CLIENT).status == DONE
    assert b"family" in secret and [each for each in search(bus, group=group) if each.get_secret() == secret]


@pytest.mark.parametrize("is_set_aside", [False, True], ids=["", "set aside"])
def test_removing_a_secret_takes_its_item_of_another_name(sso, bus, group, misname, is_set_aside):
    sso.run("secret set", *IMAP, stdin=b"s3cr3t-hunter")
    sso.run("secret set", "--service", "smtp", stdin=b"another")
    [item] = [item for item in search(bus, group=group, kind="secret") if b"hunter" in item.get_secret()]
    misname(item, key=item.get_attributes()["key"].upper())
    if is_set_aside:
        sso.run("doctor", "--fix", "--yes")
    assert sso.do("secret remove", *IMAP) == {"removed": True}
    assert left(bus, group, b"hunter") == []
    assert [secret["service"] for secret in sso.do("secret list")["secrets"]] == ["smtp"]
    assert sso.do("secret remove", *IMAP) == {"removed": False}


@pytest.mark.parametrize("schema", [None, "com.other.Item"], ids=["without a schema", "another schema"])
def test_a_removal_names_another_programs_item_that_lists_show(sso, bus, group, removal, schema):
    sso.take(signed_in(person=GRACE, client="bystander")[0])
    sso.take(signed_in()[0])
    [item] = search(bus, group=group, kind="credentials", client_id=CLIENT)
    secret = item.get_secret()
    theirs = store_misnamed(
        login_of(bus), item, **{"home_account_id": ADA.identifier.upper(), "xdg:schema": schema})
    item.delete()
    try:
        assert ADA.username in [account["username"] for account in sso.accounts()]
        for _ in range(2):
            outcome = sso.run(*removal)
            assert outcome.status == STORAGE_OR_NETWORK and outcome.stdout == "", outcome
            assert "another program's" in outcome.stderr and "Passwords and Keys" in outcome.stderr, outcome
            assert login_of(bus).get_label() in outcome.stderr
        assert theirs.get_secret() == secret
    finally:
        theirs.delete()
    assert ADA.username not in [account["username"] for account in sso.accounts()]
    assert sso.run(*removal).status == DONE


@pytest.mark.parametrize(
    "item", [ADAL_ITEM, NAMED_ONLY, ADAL_ITEM | {"familyId": "1"}],
    ids=["", "the item names the user only", "the item is a family's"])
@pytest.mark.parametrize("is_in_msal", [False, True], ids=["", "the account is MSAL's too"])
def test_a_removal_names_another_programs_item_of_adal_that_lists_show(
        sso, bus, group, save, removal, item, is_in_msal):
    sso.take(signed_in(person=GRACE, client="bystander")[0])
    if is_in_msal:
        sso.take(signed_in()[0])
    sso.run("import", "--format", "adal-python", save(json.dumps([item])))
    theirs = []
    for own in search(bus, group=group, kind="legacy"):
        changes = {"client_id": CLIENT.upper(), "xdg:schema": "com.other.Item"}
        theirs.append(store_misnamed(login_of(bus), own, **changes))
        own.delete()
    try:
        for _ in range(2):
            outcome = sso.run(*removal)
            assert outcome.status == STORAGE_OR_NETWORK and outcome.stdout == "", outcome
            assert "another program's" in outcome.stderr and login_of(bus).get_label() in outcome.stderr
            assert "Nothing else" not in outcome.stderr
    finally:
        for each in theirs:
            each.delete()
    assert ADA.username not in [account["username"] for account in sso.accounts()]
    assert sso.run(*removal).status == DONE


def test_a_secret_that_a_list_shows_is_read(sso, bus, group, misname):
    sso.run("secret set", *IMAP, stdin=b"s3cr3t-hunter")
    [item] = search(bus, group=group, kind="secret")
    misname(item, key="OTHER")
    assert sso.do("secret list")
    assert sso.do("secret get", *IMAP)["secret"] == "s3cr3t-hunter"


def test_removing_a_secret_names_another_programs_item_that_lists_show(sso, bus, group):
    sso.run("secret set", *IMAP, stdin=b"s3cr3t-hunter")
    [item] = search(bus, group=group, kind="secret")
    attributes = item.get_attributes() | {"key": "OTHER", "xdg:schema": "com.other.Item"}
    theirs = group_collection(bus, group).create_item("Theirs", attributes, item.get_secret())
    item.delete()
    outcome = sso.run("secret remove", *IMAP)
    assert outcome.status == STORAGE_OR_NETWORK and "another program's" in outcome.stderr, outcome
    theirs.delete()
    assert sso.do("secret remove", *IMAP) == {"removed": False}


def test_the_removal_of_everything_takes_hints_of_another_name(sso, bus, group, misname):
    """What an import from a tool keeps for the next sign-in are user names."""
    sso.take(signed_in()[0])
    document = {"SecretStoreCache": {"record": {"kind": "group-data", "key": "account-hints"}}, "Hints": {"a": "s3cr3t"}}
    item = store_item(
        bus, group_collection(bus, group), json.dumps(document).encode(), "group-data", group, key="account-hints")
    misname(item, key="Account-Hints")
    assert sso.run(*WHOLE_GROUP).status == DONE
    assert left(bus, group) == []
