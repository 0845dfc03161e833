# SPDX-License-Identifier: MIT
"""Sign-outs by identifier and again after an interruption: what a list has shown under a name goes by that name."""

import json

import pytest

from keyrings import Keyrings
from people import ADA, GRACE, Person
from removals import ADAL_ITEM, EVERYWHERE, OF_CLIENT, OTHER, copy_to, cut, entitlements, family_cache, tokens_left
from secret_items import group_collection, search
from sso_cache import BAD_INPUT, DONE, LOCKED_OR_TIMED_OUT
from unified_cache import CLIENT, signed_in

WITHOUT_IDENTIFIER = {name: value for name, value in ADAL_ITEM.items() if name not in ("oid", "tenantId")}


def sign_out(*scope):
    return ["sign-out", "--account", ADA.identifier, *scope, "--yes"]


@pytest.mark.parametrize("then", [["--client-id", OTHER], ["--everywhere"]], ids=["the other client", "everywhere"])
@pytest.mark.parametrize("has_names", [True, False], ids=["", "MSAL's record names no user"])
@pytest.mark.parametrize("is_app", [False, True], ids=["", "an app"])
def test_an_adal_item_that_names_the_user_only_is_signed_out_after_the_msal_client(
        sso, bus, group, save, then, has_names, is_app):
    options = entitlements(save, group) if is_app else []
    sso.run("import", "--format", "adal-python", save(json.dumps([WITHOUT_IDENTIFIER | {"_clientId": OTHER}])))
    cache = signed_in()[0]
    sso.take(cache if has_names else cache | {"Account": {}})
    assert [account["identifier"] for account in sso.accounts()] == [ADA.identifier]
    assert sso.do(*sign_out("--client-id", CLIENT), *options) == {"signed_out": True}
    [account] = sso.accounts()
    assert (account["identifier"], account["clients"]) == (ADA.identifier, [OTHER])
    assert sso.do(*sign_out(*then), *(options if then[0] == "--client-id" else [])) == {"signed_out": True}
    assert tokens_left(bus, group) == [] and sso.accounts() == []


@pytest.mark.parametrize("scope", ["app", "client", "everywhere"])
@pytest.mark.parametrize("is_first_by_name", [False, True], ids=["", "after one by user name"])
@pytest.mark.parametrize("is_locked", [False, True], ids=["", "that was locked"])
def test_a_copy_of_an_adal_item_that_names_the_user_only_is_signed_out_by_identifier(
        sso, bus, group, save, keyring_of_others, scope, is_first_by_name, is_locked):
    sso.take(signed_in()[0])
    sso.run("import", "--format", "adal-python", save(json.dumps([WITHOUT_IDENTIFIER])))
    copies = [(item.get_attributes(), item.get_secret()) for item in search(bus, group=group, kind="legacy")]
    options = {"app": entitlements(save, group), "client": ["--client-id", CLIENT], "everywhere": ["--everywhere"]}[scope]
    if is_locked:
        copy_to(keyring_of_others, search(bus, group=group, kind="legacy"))
        keyring_of_others.lock()
    name = ADA.username if is_first_by_name else ADA.identifier
    first = sso.run("sign-out", "--account", name, *options, "--yes")
    assert first.status == (LOCKED_OR_TIMED_OUT if is_locked else DONE), first
    if is_locked:
        Keyrings(bus).open(keyring_of_others.collection_path, "other")
    else:
        for attributes, secret in copies:
            keyring_of_others.create_item("Copy", attributes, secret)
    assert sso.do(*sign_out(*options)) == {"signed_out": True}
    assert tokens_left(bus, group) == []
    assert sso.do(*sign_out(*options)) == {"signed_out": False}


def test_a_name_that_two_accounts_had_is_nobodys_identifier(sso, save):
    sso.run("import", "--format", "adal-python", save(json.dumps([WITHOUT_IDENTIFIER | {"_clientId": OTHER}])))
    for person in (ADA, Person(ADA.username, "Another Ada", "11111111-80ba-4c40-97bc-f7a23c703084")):
        sso.take(signed_in(person=person)[0])
        sso.run("sign-out", "--account", person.identifier, "--client-id", CLIENT, "--yes")
    assert [account["identifier"] for account in sso.accounts()] == [""]


@pytest.mark.parametrize("scope", ["app", "client", "everywhere"])
@pytest.mark.parametrize("kind", ["family", "legacy"])
def test_a_sign_out_that_goes_on_where_another_ended_says_so(sso, bus, group, save, scope, kind):
    options = {
        "app": [*entitlements(save, group), "--client-id", CLIENT], "client": ["--client-id", CLIENT], "everywhere": ["--everywhere"],
    }[scope]
    cache = family_cache()
    for name in ("of-other", "other"):
        cache["AccessToken"].pop(name, None)
        cache["AppMetadata"].pop(name, None)
    sso.take(cache)
    sso.run("import", "--format", "adal-python", save(json.dumps([ADAL_ITEM])))
    left = [(item.get_attributes(), item.get_secret()) for item in search(bus, group=group, kind=kind)]
    assert sso.do(*sign_out(*options)) == {"signed_out": True}
    for item in search(bus, group=group, kind=kind):
        item.delete()
    for attributes, secret in left:
        group_collection(bus, group).create_item("Left", attributes, secret, content_type="application/json")
    assert sso.do(*sign_out(*options)) == {"signed_out": True}
    assert tokens_left(bus, group) == []
    assert sso.do(*sign_out(*options)) == {"signed_out": False}


@pytest.mark.parametrize("removal", [OF_CLIENT, EVERYWHERE], ids=["of a client", "everywhere"])
def test_what_cannot_be_read_and_what_is_locked_are_both_named(sso, bus, group, save, keyring_of_others, removal):
    sso.run("import", "--format", "adal-python", save(json.dumps([ADAL_ITEM])))
    sso.take(signed_in()[0])
    copy_to(keyring_of_others, search(bus, group=group, kind="credentials"))
    keyring_of_others.lock()
    cut(bus, group, "legacy")
    outcome = sso.run(*removal)
    assert outcome.status == LOCKED_OR_TIMED_OUT and outcome.stdout == ""
    assert "ADAL sign-in" in outcome.stderr and keyring_of_others.get_label() in outcome.stderr


def test_an_import_that_replaces_names_what_cannot_be_read_and_what_is_locked(
        sso, bus, group, save, keyring_of_others):
    cache = signed_in()[0]
    sso.take(cache)
    copies = search(bus, group=group, kind="credentials")
    cut(bus, group, "credentials")
    copy_to(keyring_of_others, copies)
    keyring_of_others.lock()
    outcome = sso.run("import", "--format", "msal", "--replace", "--yes", save(json.dumps(cache)))
    assert outcome.status == BAD_INPUT
    assert "can't be read" in outcome.stderr and keyring_of_others.get_label() in outcome.stderr


@pytest.mark.parametrize("removal", [OF_CLIENT, EVERYWHERE], ids=["of a client", "everywhere"])
@pytest.mark.parametrize("has_own", [False, True], ids=["alone", "beside the account's own"])
def test_an_item_with_the_accounts_attributes_and_the_document_of_another_stays(sso, bus, group, removal, has_own):
    sso.take(signed_in()[0])
    sso.take(signed_in(person=GRACE)[0])
    [ada] = search(bus, group=group, kind="credentials", home_account_id=ADA.identifier)
    [grace] = search(bus, group=group, kind="credentials", home_account_id=GRACE.identifier)
    attributes = ada.get_attributes()
    if not has_own:
        ada.delete()
    grace.set_attributes(attributes)
    sso.run(*removal)
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]
