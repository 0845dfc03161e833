# SPDX-License-Identifier: MIT
"""What is left of an account that nobody is signed in to: a sign-out takes it, or names it and claims no success."""

import json

import pytest

from keyrings import LOGIN, Keyrings
from people import ADA, GRACE
from planted import login_of
from removals import (
    ADAL_ITEM, EVERYWHERE, OF_CLIENT, OTHER, OWNED, WHOLE_GROUP, copy_to, cut, entitlements, tokens_left,
)
from secret_items import group_collection, search, store_item
from sso_cache import BAD_INPUT, DONE, LOCKED_OR_TIMED_OUT, TOKEN_MARK, USAGE
from unified_cache import AAD, CLIENT, signed_in

ADAS = dict(home_account_id=ADA.identifier, environment="login.windows.net", client_id=CLIENT)
SPELLINGS = {
    "as the library does": {}, "in capitals": {"home_account_id": ADA.identifier.upper()}, "at another host": {"environment": AAD},
}
BY_IDENTIFIER = {
    name: [ADA.identifier if part == ADA.username else part for part in removal]
    for name, removal in {"everywhere": EVERYWHERE, "of a client": OF_CLIENT}.items()
}


@pytest.fixture(params=BY_IDENTIFIER.values(), ids=BY_IDENTIFIER.keys())
def removal(request):
    return request.param


@pytest.fixture
def bystander(sso):
    """Another person, who is signed in to another client."""
    sso.take(signed_in(person=GRACE, client="bystander")[0])


def set_aside(sso, bus, group):
    sso.take(signed_in()[0])
    cut(bus, group, "credentials", home_account_id=ADA.identifier)
    sso.run("doctor", "--fix", "--yes")


def set_aside_in_capitals(sso, bus, group):
    set_aside(sso, bus, group)
    [item] = search(bus, group=group, kind="damaged")
    attributes, secret = item.get_attributes() | {"home_account_id": ADA.identifier.upper()}, item.get_secret()
    item.delete()
    group_collection(bus, group).create_item("Set aside", attributes, secret)


def unknown_kind(sso, bus, group):
    store_item(bus, group_collection(bus, group), b"s3cr3t", "device", group, **ADAS)


def imported(sso, bus, group):
    sso.take({"DeviceToken": {"odd": OWNED}})


def in_another_record(sso, bus, group):
    [item] = search(bus, group=group, kind="credentials", client_id="bystander")
    document = json.loads(item.get_secret()) | {"DeviceToken": {"odd": OWNED}}
    item.set_secret(json.dumps(document).encode(), content_type="application/json")


def in_an_older_copy_of_another_record(sso, bus, group):
    [item] = search(bus, group=group, kind="credentials", client_id="bystander")
    document = json.loads(item.get_secret()) | {"DeviceToken": {"odd": OWNED}}
    login_of(bus).create_item("Older", item.get_attributes(), json.dumps(document).encode())


LEFT = [
    set_aside, set_aside_in_capitals, unknown_kind, imported, in_another_record, in_an_older_copy_of_another_record,
]


@pytest.mark.parametrize("leave", LEFT)
def test_a_sign_out_takes_what_is_left_of_an_account_that_is_not_listed(sso, bus, group, bystander, removal, leave):
    leave(sso, bus, group)
    hers = lambda: [
        item for item in search(bus, group=group)
        if TOKEN_MARK.encode() in item.get_secret() and GRACE.uid.encode() not in item.get_secret()
        or b"odd" in item.get_secret()
    ]
    assert len(hers()) == 1
    assert sso.run(*removal).stdout == f"Signed out: {ADA.identifier}.\n"
    assert hers() == []
    assert "nothing to do" in sso.run(*removal).stdout


@pytest.mark.parametrize("leave", LEFT)
def test_an_app_claims_no_success_while_something_is_left_of_an_account_that_no_client_has(
        sso, bus, group, save, bystander, leave):
    leave(sso, bus, group)
    outcome = sso.run("sign-out", "--account", ADA.identifier, "--yes", *entitlements(save, group))
    assert outcome.status == USAGE and "name the --client-id" in outcome.stderr, outcome
    for item in search(bus, group=group):
        if item.item_path.startswith(LOGIN):
            item.delete()


def test_a_sign_out_names_a_locked_copy_of_an_account_that_is_not_listed(
        sso, bus, group, save, keyring_of_others, removal):
    sso.take(signed_in()[0])
    copy_to(keyring_of_others, search(bus, group=group, kind="credentials"))
    keyring_of_others.lock()
    assert sso.run(*WHOLE_GROUP).status == LOCKED_OR_TIMED_OUT
    of_app = ["sign-out", "--account", ADA.identifier, "--yes", *entitlements(save, group)]
    for command in (removal, of_app, *([ADA.username if part == ADA.identifier else part for part in command]
                                       for command in (removal, of_app))):
        outcome = sso.run(*command)
        assert outcome.status == LOCKED_OR_TIMED_OUT and "com.example.other (1 item)" in outcome.stderr, outcome
    Keyrings(bus).open(keyring_of_others.collection_path, "other")
    assert sso.run(*removal).stdout == f"Signed out: {ADA.username}.\n"
    assert tokens_left(bus, group) == []


@pytest.mark.parametrize("kind", ["credentials", "family", "damaged", "device"])
@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_sign_out_names_and_takes_what_cannot_be_read_of_an_account_that_was_never_listed(
        sso, bus, group, bystander, keyring_of_others, removal, spelling, kind):
    of_kind = {"client_id": "", "family_id": "1"} if kind == "family" else {}
    store_item(bus, keyring_of_others, b"s3cr3t", kind, group, **ADAS | spelling | of_kind)
    keyring_of_others.lock()
    outcome = sso.run(*removal)
    assert outcome.status == LOCKED_OR_TIMED_OUT and "com.example.other (1 item)" in outcome.stderr, outcome
    Keyrings(bus).open(keyring_of_others.collection_path, "other")
    assert sso.run(*removal).stdout == f"Signed out: {ADA.identifier}.\n"
    assert list(keyring_of_others.get_all_items()) == []
    assert "nothing to do" in sso.run(*removal).stdout


@pytest.mark.parametrize("is_of_app", [False, True], ids=["everywhere", "of an app"])
def test_a_sign_out_by_user_name_names_what_was_set_aside_of_an_account(
        sso, bus, group, save, bystander, is_of_app):
    set_aside(sso, bus, group)
    command = ["sign-out", "--account", ADA.username, "--yes", *entitlements(save, group)] if is_of_app else EVERYWHERE
    outcome = sso.run(*command)
    assert outcome.status == BAD_INPUT and f"Sign-in for {CLIENT}" in outcome.stderr, outcome
    assert "nothing to do" in sso.run("sign-out", "--account", GRACE.identifier, "--client-id", CLIENT, "--yes").stdout


@pytest.mark.parametrize("kind", ["legacy", "group-data"])
def test_a_sign_out_names_what_may_be_the_accounts_when_it_is_not_listed(sso, bus, group, save, bystander, removal, kind):
    sso.run("import", "--format", "adal-python", save(json.dumps([ADAL_ITEM])))
    imported(sso, bus, group)
    cut(bus, group, kind)
    sso.run("doctor", "--fix", "--yes")
    for item in search(bus, group=group):
        if item.get_attributes()["kind"] in {"legacy", "group-data"}:
            item.delete()
    for _ in range(2):
        outcome = sso.run(*removal)
        assert outcome.status == BAD_INPUT and "may be in what can't be read" in outcome.stderr, outcome


def older_copy_of_a_sign_out(sso, bus, group):
    sso.take(signed_in(client=OTHER)[0])
    [item] = search(bus, group=group, kind="credentials", client_id=OTHER)
    attributes, secret = item.get_attributes(), item.get_secret()
    assert sso.run("sign-out", "--account", ADA.username, "--client-id", OTHER, "--yes").status == DONE
    login_of(bus).create_item("Older", attributes, secret)


def cut_item_of_the_client(sso, bus, group):
    store_item(bus, group_collection(bus, group), b"s3cr3t", "credentials", group, **ADAS | {"client_id": OTHER})


def unknown_kind_of_the_client(sso, bus, group):
    store_item(bus, group_collection(bus, group), b"s3cr3t", "device", group, **ADAS | {"client_id": OTHER})


@pytest.mark.parametrize("leave", [older_copy_of_a_sign_out, cut_item_of_the_client, unknown_kind_of_the_client])
def test_a_sign_out_says_that_it_removed_what_no_list_shows_of_a_client(sso, bus, group, leave):
    sso.take(signed_in()[0])
    leave(sso, bus, group)
    of_other = ["sign-out", "--account", ADA.username, "--client-id", OTHER, "--yes"]
    before = {item.item_path for item in search(bus, group=group)}
    outcome = sso.run(*of_other)
    assert outcome.status == DONE and outcome.stdout == f"Signed out: {ADA.username}.\n", outcome
    assert before - {item.item_path for item in search(bus, group=group)}
    assert "nothing to do" in sso.run(*of_other).stdout
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
