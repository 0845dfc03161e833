# SPDX-License-Identifier: MIT
"""What a removal leaves: nothing that belongs to the account or group, or it says what and where."""

import json
import subprocess
import time

import pytest
import secretstorage

from people import ADA, GRACE
from removals import (
    DELETE, EVERYWHERE, OF_CLIENT, OTHER, REMOVALS, WHOLE_GROUP, copy_to, entitlements, family_cache, records, tokens_left,
)
from secret_items import group_collection, search, snapshot
from sso_cache import DONE, TOKEN_MARK, USAGE
from unified_cache import AAD, CLIENT, access_token, account, signed_in

@pytest.fixture(params=REMOVALS.values(), ids=REMOVALS.keys())
def removal(request):
    return request.param


def of_client(removal):
    """The attributes of what a removal has to remove."""
    return {"client_id": CLIENT} if removal == OF_CLIENT else {}


@pytest.mark.parametrize("place", ["the group's keyring", "the login keyring", "another program's keyring"])
def test_a_removal_takes_every_copy_of_a_record(sso, bus, group, keyring_of_others, removal, place):
    sso.take(signed_in()[0])
    older = [(item.get_attributes(), item.get_secret()) for item in records(bus, group)]
    sso.take(family_cache())
    collection = {
        "the group's keyring": group_collection(bus, group), "another program's keyring": keyring_of_others,
        "the login keyring": secretstorage.get_collection_by_alias(bus, "login"),
    }[place]
    for _ in range(2):
        copy_to(collection, records(bus, group))
    for attributes, secret in older:
        collection.create_item("Older", attributes, secret, content_type="application/json")
    outcome = sso.run(*removal)
    assert outcome.status == DONE, outcome
    assert tokens_left(bus, group, **of_client(removal)) == []


@pytest.mark.slow
def test_a_removal_of_many_copies_from_a_slow_daemon_comes_to_its_end(sso, bus, group, daemon):
    """The limit of ten seconds is each copy's."""
    copies, seconds = 150, 0
    while seconds < 12:  # A fast machine needs more copies for more than one limit.
        sso.take(signed_in()[0])
        for _ in range(copies):
            copy_to(group_collection(bus, group), records(bus, group)[:1])
        begin = time.monotonic()
        with daemon.slowed():
            done = subprocess.run(
                sso.arguments(*EVERYWHERE), env=sso.environment, capture_output=True, timeout=120, check=False)
        assert (done.returncode, tokens_left(bus, group)) == (DONE, []), done
        seconds = time.monotonic() - begin
        copies *= 2


def test_an_import_that_replaces_takes_every_copy_of_what_it_replaces_and_removes(sso, bus, group, keyring_of_others):
    sso.take(family_cache())
    sso.take({"AccessToken": {"of-app": access_token("app", home_account_id=None, client="daemon")}})
    copy_to(keyring_of_others, records(bus, group))
    assert len(tokens_left(bus, group, kind="client")) == 2
    cache, _ = signed_in()
    for _ in range(2):
        sso.take(cache, "--replace")
        assert len(tokens_left(bus, group)) == 1
    assert sso.accounts() != []


def test_the_last_apps_sign_out_takes_every_copy(sso, bus, group, save, keyring_of_others):
    sso.take(signed_in()[0])
    copy_to(keyring_of_others, records(bus, group))
    outcome = sso.run("sign-out", "--account", ADA.username, "--yes", *entitlements(save, group))
    assert outcome.status == DONE, outcome
    assert tokens_left(bus, group) == []


# Entries of kinds and spellings that other versions and libraries use.


def owned(person=ADA, **names):
    return {"home_account_id": person.identifier, "environment": AAD, "client_id": CLIENT, "secret": "s3cr3t-odd"} | names


# Where a cache has an entry of an account: the entry is put into a section, or is a whole section.
ENTRIES = {
    "a new kind of refresh token": ("RefreshToken", lambda entry: {"odd": entry | {"credential_type": "Odd"}}),
    "a new kind of access token": ("AccessToken", lambda entry: {"odd": entry | {"credential_type": "Odd"}}),
    "a new section": ("DeviceToken", lambda entry: {"odd": entry}),
    "a list": ("DeviceTokens", lambda entry: [entry]),
    "deep in a section": ("Devices", lambda entry: {"first": {"tokens": [[entry]]}}),
    "without an environment": ("DeviceToken", lambda entry: {"odd": entry | {"environment": None}}),
    "at another host of the cloud": ("DeviceToken", lambda entry: {"odd": entry | {"environment": "sts.windows.net"}}),
    "in capitals": ("DeviceToken", lambda entry: {"odd": entry | {
        "home_account_id": entry["home_account_id"].upper(), "client_id": CLIENT.upper(), "environment": AAD.upper()}}),
    "an account in capitals": ("Account", lambda entry: {"odd": account(identifier=entry["home_account_id"].upper())}),
}


@pytest.fixture(params=ENTRIES.values(), ids=ENTRIES.keys())
def with_entry(request):
    """A function that returns Ada's cache with her entry."""
    name, make = request.param

    def cache():
        cache, _ = signed_in()
        made = make(owned())
        cache[name] = {**cache.get(name, {}), **made} if isinstance(made, dict) else made
        return cache

    return cache


@pytest.mark.parametrize("command", [EVERYWHERE, WHOLE_GROUP], ids=["everywhere", "of the whole group"])
def test_a_removal_takes_entries_of_every_kind_and_spelling(sso, bus, group, with_entry, command):
    sso.take(with_entry())
    sso.do(*command)
    left = json.dumps(sso.give())
    assert TOKEN_MARK not in left and ADA.identifier not in left.lower()
    assert tokens_left(bus, group) == []


def test_an_import_takes_no_entry_of_a_signed_out_account(sso, with_entry):
    sso.take(with_entry())
    sso.do(*EVERYWHERE)
    sso.take(with_entry())
    left = json.dumps(sso.give())
    assert TOKEN_MARK not in left and ADA.identifier not in left.lower()


def test_signing_a_client_out_takes_its_entries_only(sso):
    cache, _ = signed_in()
    cache["DeviceToken"] = {
        "hers": owned(), "of another client": owned(client_id=OTHER), "of another person": owned(GRACE),
        "of another cloud": owned(environment="login.microsoftonline.us"),
    }
    sso.take(cache)
    sso.do(*OF_CLIENT)
    left = sso.give()["DeviceToken"]
    assert list(left) == ["of another client", "of another person", "of another cloud"]
    sso.do("sign-out", "--account", ADA.identifier, "--everywhere", "--yes")
    assert list(sso.give()["DeviceToken"]) == ["of another person", "of another cloud"]


@pytest.mark.parametrize("scope", [["--client-id", CLIENT], ["--everywhere"]], ids=" ".join)
@pytest.mark.parametrize("kind", ["credentials", "family"])
def test_signing_an_account_out_takes_its_entries_from_records_of_others(sso, bus, group, kind, scope):
    sso.take(family_cache())
    [item] = search(bus, group=group, kind=kind, **{} if kind == "family" else {"client_id": CLIENT})
    document = json.loads(item.get_secret())
    for section, entries in signed_in(person=GRACE)[0].items():
        document.setdefault(section, {}).update({f"planted-{key}": entry for key, entry in entries.items()})
    item.set_secret(json.dumps(document).encode())
    assert GRACE.username in [account["username"] for account in sso.accounts()]
    hers = [account for account in sso.accounts() if account["username"] == ADA.username]
    sso.do("sign-out", "--account", GRACE.username, *scope, "--yes")
    assert sso.accounts() == hers
    assert GRACE.identifier not in json.dumps(sso.give())


@pytest.mark.parametrize("scope", [["--client-id", CLIENT], ["--everywhere"]], ids=" ".join)
def test_a_record_that_would_be_too_large_without_the_accounts_entries_keeps_no_other(sso, bus, group, scope):
    """JSON as the library writes it can be longer than what another program has written."""
    sso.take(signed_in()[0])
    sso.take(signed_in(person=GRACE)[0])
    [item] = search(bus, group=group, kind="credentials", home_account_id=GRACE.identifier)
    document = json.loads(item.get_secret())
    document["DeviceToken"] = {"hers": owned(), "large": {"note": "{" * 300_000}}
    item.set_secret(json.dumps(document).encode())
    outcome = sso.run("sign-out", "--account", ADA.username, *scope, "--yes")
    assert outcome.status == USAGE and "Not changed: " in outcome.stderr, outcome
    assert tokens_left(bus, group, home_account_id=ADA.identifier) == []
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]


# What is said.


@pytest.mark.parametrize("removal", [
    ["sign-out", "--account", ADA.username, "--client-id", OTHER, "--yes"],
    ["sign-out", "--account", GRACE.username, "--everywhere", "--yes"],
])
def test_a_removal_of_what_is_not_there_says_that_there_is_nothing_to_do(sso, bus, group, removal):
    sso.take(signed_in()[0])
    before = snapshot(bus, group)
    assert "nothing to do" in sso.run(*removal).stdout
    assert sso.do(*removal) == {"signed_out": False}
    assert snapshot(bus, group) == before


@pytest.mark.parametrize("removal, name", [(WHOLE_GROUP, "signed_out"), (DELETE, "deleted")])
def test_a_second_removal_of_everything_says_that_there_is_nothing_to_do(sso, bus, group, removal, name):
    assert sso.do(*removal) == {name: False}
    assert search(bus, group=group) == []
    sso.take(signed_in()[0])
    assert sso.do(*removal) == {name: True}
    before = snapshot(bus, group)
    assert "nothing to do" in sso.run(*removal).stdout
    assert snapshot(bus, group) == before


def test_an_app_that_does_not_have_the_account_is_told_so(sso, group, save):
    sso.take(signed_in()[0])
    sign_out = ["sign-out", "--account", ADA.username, "--yes", *entitlements(save, group)]
    assert sso.do(*sign_out, "--client-id", OTHER) == {"signed_out": False}
    assert sso.do(*sign_out) == {"signed_out": True}


def test_an_app_that_may_have_the_account_by_another_client_of_its_family_is_not_said_to_be_signed_out(sso, group, save):
    sso.take(family_cache())
    mail, calendar = (entitlements(save, group, app) for app in ("com.contoso.mail", "com.contoso.calendar"))
    for client, scope in ((CLIENT, "mail.read"), (OTHER, "other.read")):
        sso.token(client, ADA.username, scope, options=calendar)
    sign_out = ["sign-out", "--account", ADA.username, "--yes", *mail]
    outcome = sso.run(*sign_out)
    assert outcome.status == USAGE and "--client-id" in outcome.stderr
    assert sso.accounts("--client-id", "of-the-family", *mail) != []
    assert sso.do(*sign_out, "--client-id", "of-the-family") == {"signed_out": True}
    assert sso.accounts("--client-id", "of-the-family", *mail) == []
    assert sso.accounts("--client-id", CLIENT, *calendar) != []


def test_an_app_is_signed_out_of_each_client_that_it_has_the_account_by(sso, group, save):
    sso.take(family_cache())
    graces, _ = signed_in(client="of-the-family", person=GRACE)
    graces["AppMetadata"] = {"": {"client_id": "of-the-family", "environment": AAD, "family_id": "1"}}
    sso.take(graces)
    mail, calendar = (entitlements(save, group, app) for app in ("com.contoso.mail", "com.contoso.calendar"))
    for app in (mail, calendar):
        sso.token(CLIENT, ADA.username, "mail.read", options=app)
    assert ADA.username in [account["username"] for account in sso.accounts("--client-id", "of-the-family", *mail)]
    assert sso.do("sign-out", "--account", ADA.username, "--yes", *mail) == {"signed_out": True}
    for client in (CLIENT, OTHER, "of-the-family"):
        assert ADA.username not in [account["username"] for account in sso.accounts("--client-id", client, *mail)]
    assert sso.accounts("--client-id", CLIENT, *calendar) != []


def test_deleting_a_group_without_its_marker_says_that_it_removed_it(sso, bus, group):
    sso.take(signed_in()[0])
    for item in search(bus, kind="group", group=group):
        item.delete()
    assert sso.do(*DELETE) == {"deleted": True}
    assert search(bus, group=group) == []
