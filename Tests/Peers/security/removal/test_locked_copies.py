# SPDX-License-Identifier: MIT
"""Copies in a locked keyring: a removal names the keyring, and takes them once it is unlocked."""

import json

import pytest
import secretstorage

from keyrings import LOGIN, Keyrings
from people import ADA, GRACE
from planted import checks_of_group
from removals import (
    ADAL_ITEM, EVERYWHERE, OF_CLIENT, OTHER, REMOVALS, copy_to, cut, entitlements, family_cache, tokens_left,
)
from secret_items import group_collection, search, store_item
from sso_cache import DONE, LOCKED_OR_TIMED_OUT
from unified_cache import AAD, CLIENT, signed_in

ACCOUNT = dict(home_account_id=ADA.identifier, environment="login.windows.net")
# What another program can put into its keyring.
PLANTED = {
    "credentials": dict(ACCOUNT, client_id=CLIENT),
    "family": dict(ACCOUNT, family_id="1"),
    "legacy": dict(client_id=CLIENT, key="0" * 64),
    "damaged": dict(ACCOUNT, client_id=CLIENT, key="credentials/x/"),
    "damaged legacy": dict(
        kind="damaged", environment="login.windows.net", client_id=CLIENT, key=f"legacy/x/{'0' * 64}"),
}


def names_the_locked_keyring(outcome):
    assert outcome.status == LOCKED_OR_TIMED_OUT, outcome
    assert "com.example.other (1 item)" in outcome.stderr and "Unlock that keyring" in outcome.stderr
    assert outcome.stdout == ""


@pytest.mark.parametrize("removal", REMOVALS.values(), ids=REMOVALS.keys())
@pytest.mark.parametrize("kind", PLANTED)
def test_a_removal_names_the_locked_keyring_that_keeps_an_item(sso, bus, group, keyring_of_others, removal, kind):
    cache = signed_in()[0] if removal == OF_CLIENT else family_cache()
    sso.take(cache)
    store_item(bus, keyring_of_others, b"s3cr3t", group=group, **{"kind": kind} | PLANTED[kind])
    keyring_of_others.lock()
    names_the_locked_keyring(sso.run(*removal))
    assert tokens_left(bus, group) == []
    Keyrings(bus).open(keyring_of_others.collection_path, "other")
    # Readable now, it is no document: not the group's. An ADAL item that can't be read may be the account's.
    if "legacy" not in kind:
        assert sso.run(*removal).status == DONE


def odd_cache():
    """Ada with a family's token, an entry of an unknown kind, and data of her client."""
    cache = family_cache()
    cache["AccessToken"].pop("of-other")
    cache["AppMetadata"]["other"] = {"client_id": "bystander", "environment": AAD}
    cache["DeviceToken"] = {"odd": ACCOUNT | {"environment": AAD, "client_id": CLIENT, "secret": "s3cr3t-odd"}}
    return cache


def copied(bus, group, keyring, **attributes):
    """Copies the items with these attributes into another program's keyring, and locks it."""
    items = search(bus, group=group, **attributes)
    assert len(items) == 1
    copy_to(keyring, items)
    keyring.lock()


COPIES = {
    (command, kind): {"kind": kind} | ({"key": "imported"} if kind == "group-data" else {})
    for command, kinds in {
        "of a client": ["credentials", "family", "group-data"], "of the last app": ["credentials", "family"],
        "everywhere": ["credentials", "family", "group-data"],
        "of the whole group": ["credentials", "family", "group-data", "client"],
        "with the group": ["credentials", "family", "group-data", "client", "group"],
    }.items() for kind in kinds
}


@pytest.mark.parametrize("name, kind", COPIES)
def test_a_removal_takes_a_locked_copy_once_its_keyring_is_unlocked(
        sso, bus, group, save, keyring_of_others, name, kind):
    sso.take(odd_cache())
    copied(bus, group, keyring_of_others, **COPIES[name, kind])
    last_app = ["sign-out", "--account", ADA.username, "--yes", *entitlements(save, group)]
    removal = last_app if name == "of the last app" else REMOVALS[name]
    for _ in range(2):
        names_the_locked_keyring(sso.run(*removal))
    Keyrings(bus).open(keyring_of_others.collection_path, "other")
    outcome = sso.run(*removal)
    assert outcome.status == DONE and "nothing to do" not in outcome.stdout
    left = [item.get_secret() for item in keyring_of_others.get_all_items()]
    assert not [secret for secret in left if b"s3cr3t" in secret]
    assert sso.accounts() == []
    assert "nothing to do" in sso.run(*removal).stdout


@pytest.mark.parametrize("is_of_app", [False, True], ids=["everywhere", "of the last app"])
@pytest.mark.parametrize("account", ["of an OpenID provider", "of AD FS", "in ADAL's format"])
def test_a_removal_finds_a_locked_copy_by_the_user_name_once_its_keyring_is_unlocked(
        sso, bus, group, save, keyring_of_others, account, is_of_app):
    if account == "in ADAL's format":
        sso.run("import", "--format", "adal-python", save(json.dumps([ADAL_ITEM])))
    else:
        host = "id.contoso.com" if account == "of an OpenID provider" else "adfs.contoso.com"
        sso.take(signed_in(environment=host, identifier="sub-of-ada", realm="")[0])
    copy_to(keyring_of_others, [*search(bus, group=group, kind="credentials"), *search(bus, group=group, kind="legacy")])
    keyring_of_others.lock()
    app = ["sign-out", "--account", ADA.username, "--yes", *entitlements(save, group)]
    removal = app if is_of_app else EVERYWHERE
    assert sso.run(*removal).status == LOCKED_OR_TIMED_OUT
    Keyrings(bus).open(keyring_of_others.collection_path, "other")
    assert sso.run(*removal).stdout == f"Signed out: {ADA.username}.\n"
    assert tokens_left(bus, group) == []
    assert "nothing to do" in sso.run(*removal).stdout


def test_what_is_locked_of_one_client_keeps_no_item_of_another(sso, bus, group, save, keyring_of_others):
    sso.take(family_cache())
    for client in (CLIENT, OTHER):
        store_item(bus, keyring_of_others, b"s3cr3t", "credentials", group, **ACCOUNT, client_id=client)
        store_item(bus, group_collection(bus, group), b"s3cr3t", "device", group, **ACCOUNT, client_id=client)
    keyring_of_others.lock()
    outcome = sso.run("sign-out", "--account", ADA.username, "--yes", *entitlements(save, group))
    assert outcome.status == LOCKED_OR_TIMED_OUT, outcome
    assert search(bus, group=group, kind="device") == []


def test_an_app_of_two_clients_names_the_locked_keyrings_of_both(
        sso, bus, group, save, keyring_of_others, second_keyring_of_others):
    for client, keyring in ((CLIENT, keyring_of_others), (OTHER, second_keyring_of_others)):
        sso.take(signed_in(client=client)[0])
        copied(bus, group, keyring, kind="credentials", client_id=client)
    for _ in range(2):
        outcome = sso.run("sign-out", "--account", ADA.username, "--yes", *entitlements(save, group))
        assert outcome.status == LOCKED_OR_TIMED_OUT, outcome
        assert "com.example.other (1 item)" in outcome.stderr and "com.example.second (1 item)" in outcome.stderr
        assert "Unlock" in outcome.stderr


def test_an_app_of_two_clients_names_what_cannot_be_read_of_one_and_what_is_locked_of_the_other(
        sso, bus, group, save, keyring_of_others):
    for client in (CLIENT, OTHER):
        sso.take(signed_in(client=client)[0])
    sso.run("import", "--format", "adal-python", save(json.dumps([ADAL_ITEM])))
    copied(bus, group, keyring_of_others, kind="credentials", client_id=OTHER)
    cut(bus, group, "legacy")
    outcome = sso.run("sign-out", "--account", ADA.username, "--yes", *entitlements(save, group))
    assert "ADAL sign-in" in outcome.stderr and "com.example.other (1 item)" in outcome.stderr, outcome


def test_a_sign_out_says_where_a_locked_item_may_be_of_another(sso, bus, group, save, keyring_of_others):
    sso.take(signed_in(person=GRACE)[0])
    sso.run("import", "--format", "adal-python", save(json.dumps([ADAL_ITEM])))
    copy_to(keyring_of_others, search(bus, group=group, kind="legacy"))
    keyring_of_others.lock()
    outcome = sso.run("sign-out", "--account", GRACE.username, "--everywhere", "--yes")
    assert outcome.status == LOCKED_OR_TIMED_OUT and "items that may be its in a locked keyring" in outcome.stderr


def test_signing_one_client_out_names_no_locked_copy_of_what_another_client_uses(
        sso, bus, group, keyring_of_others):
    sso.take(family_cache())
    copied(bus, group, keyring_of_others, kind="family")
    assert sso.run(*OF_CLIENT).status == DONE
    assert sso.accounts("--client-id", OTHER) != []


@pytest.mark.parametrize("is_restarted", [False, True], ids=["locked", "not unlocked since the start"])
def test_removing_a_secret_names_the_locked_keyring_that_keeps_a_copy_that_was_set_aside(
        sso, bus, group, daemon, keyring_of_others, is_restarted):
    remove = ["secret remove", "--service", "imap"]
    for service in ("imap", "smtp"):
        sso.run("secret set", "--service", service, stdin=b"hunter2")
    [secret] = [item for item in search(bus, group=group, kind="secret") if b"imap" in item.get_secret()]
    secret.set_secret(secret.get_secret()[:-2], content_type="application/json")
    sso.run("doctor", "--fix", "--yes")
    copied(bus, group, keyring_of_others, kind="damaged")
    if is_restarted:
        daemon.restart()
        sso.run("group unlock")
    names_the_locked_keyring(sso.run(*remove))
    [copy] = [item for item in search(bus, group=group, kind="damaged") if item.is_locked()]
    of_another = sso.run("secret remove", "--service", "smtp")
    # The daemon sometimes reads the locked keyring's file anew, which has digests from then on.
    if not is_restarted and copy.get_attributes().get("group") == group:
        assert of_another.stdout == "Removed.\n"
    Keyrings(bus).open(keyring_of_others.collection_path, "other")
    assert sso.run(*remove).stdout == "Removed.\n"
    assert search(bus, group=group, kind="damaged") == []


def test_removing_a_secret_names_the_locked_keyring_that_keeps_a_copy(sso, bus, group, keyring_of_others):
    remove = ["secret remove", "--service", "imap"]
    sso.run("secret set", "--service", "imap", stdin=b"hunter2")
    copied(bus, group, keyring_of_others, kind="secret")
    for _ in range(2):
        names_the_locked_keyring(sso.run(*remove))
    Keyrings(bus).open(keyring_of_others.collection_path, "other")
    assert sso.run(*remove).stdout == "Removed.\n"
    assert search(bus, group=group, kind="secret") == []
    assert "nothing to do" in sso.run(*remove).stdout


def test_a_copy_in_a_locked_login_keyring_stops_nothing_of_a_group_with_an_open_keyring(sso, bus, group, daemon):
    sso.take(signed_in()[0])
    login = secretstorage.Collection(bus, LOGIN)
    copy_to(login, search(bus, group=group, kind="credentials"))
    login.lock()
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
    assert checks_of_group(sso)["group-lock"]["status"] == "ok"
    assert sso.run("group unlock").status == DONE
    signed_out = sso.run(*EVERYWHERE)
    assert signed_out.status == LOCKED_OR_TIMED_OUT and "Login (1 item)" in signed_out.stderr
    daemon.restart()
    assert sso.run(*EVERYWHERE).status == DONE
    assert tokens_left(bus, group) == []


def test_after_a_reset_nothing_is_called_empty_that_has_copies_elsewhere(sso, bus, group):
    sso.take(signed_in()[0])
    copy_to(secretstorage.Collection(bus, LOGIN), search(bus, group=group, kind="credentials"))
    for key in search(bus, group=group, kind="group-key"):
        key.delete()
    group_collection(bus, group).lock()
    reset = sso.run("group reset", "--yes")
    said, kept = reset.stdout.splitlines()
    assert (reset.status, said) == (
        DONE, "The locked keyrings were removed. Sign in again where an account is missing.")
    assert ".keyring.lost stays" in kept
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
