# SPDX-License-Identifier: MIT
"""Items that lack an attribute: what lists and reads believe, a removal takes."""

import json

import pytest

from people import ADA, GRACE
from removals import REMOVALS, entitlements, tokens_left
from secret_items import group_collection, search, store_item
from sso_cache import DONE
from unified_cache import signed_in


@pytest.fixture(params=REMOVALS.values(), ids=REMOVALS.keys())
def removal(request):
    return request.param


@pytest.fixture(params=["the group's keyring", "another program's keyring"])
def collection(request, sso, bus, group, keyring_of_others):
    sso.take(signed_in()[0])
    return group_collection(bus, group) if request.param == "the group's keyring" else keyring_of_others


def copy_without(collection, item, *names):
    attributes = {name: value for name, value in item.get_attributes().items() if name not in names}
    collection.create_item("Incomplete", attributes, item.get_secret(), content_type="application/json")


def credentials(bus, group):
    [item] = search(bus, group=group, kind="credentials")
    return item


@pytest.mark.parametrize("names", [["family_id"], ["family_id", "key"]], ids=",".join)
def test_a_removal_takes_a_copy_that_lacks_an_attribute(sso, bus, group, collection, removal, names):
    copy_without(collection, credentials(bus, group), *names)
    assert sso.run(*removal).status == DONE
    assert tokens_left(bus, group) == []


def test_a_removal_takes_a_record_whose_only_item_lacks_an_attribute(sso, bus, group, removal):
    sso.take(signed_in()[0])
    item = credentials(bus, group)
    copy_without(group_collection(bus, group), item, "family_id")
    item.delete()
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
    assert sso.run(*removal).stdout.startswith(("Signed out: ", "Removed."))
    assert tokens_left(bus, group) == []
    assert sso.accounts() == []


def test_an_apps_sign_out_takes_a_record_whose_only_item_lacks_an_attribute(sso, bus, group, save):
    sso.take(signed_in()[0])
    item = credentials(bus, group)
    copy_without(group_collection(bus, group), item, "family_id")
    item.delete()
    sign_out = ["sign-out", "--account", ADA.username, "--yes", *entitlements(save, group)]
    assert sso.run(*sign_out).stdout == f"Signed out: {ADA.username}.\n"
    assert tokens_left(bus, group) == []


def test_an_import_that_replaces_takes_a_record_whose_only_item_lacks_an_attribute(sso, bus, group):
    sso.take(signed_in()[0])
    item = credentials(bus, group)
    copy_without(group_collection(bus, group), item, "family_id")
    item.delete()
    sso.take(signed_in(person=GRACE)[0], "--replace")
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]
    assert len(tokens_left(bus, group)) == 1


def test_a_secret_whose_item_lacks_an_attribute_is_read_and_removed(sso, bus, group):
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t-hunter")
    [item] = search(bus, group=group, kind="secret")
    copy_without(group_collection(bus, group), item, "family_id")
    item.delete()
    assert [secret["service"] for secret in sso.do("secret list")["secrets"]] == ["imap"]
    assert sso.run("secret get", "--service", "imap").status == DONE
    assert sso.run("secret remove", "--service", "imap").stdout == "Removed.\n"
    assert list(search(bus, group=group, kind="secret")) == []


def test_doctor_removes_a_copy_that_lacks_an_attribute(sso, bus, group, collection):
    copy_without(group_collection(bus, group), credentials(bus, group), "family_id")
    sso.run("doctor", "--fix", "--yes")
    assert len(list(search(bus, group=group, kind="credentials"))) == 1


def test_another_programs_item_without_attributes_is_named_and_not_removed_again_and_again(sso, bus, group):
    sso.take(signed_in()[0])
    item = credentials(bus, group)
    document = json.loads(item.get_secret())
    attributes = {"kind": "credentials", "group": group, "publisher": "", "xdg:schema": "com.other.Item"}
    group_collection(bus, group).create_item("Theirs", attributes, json.dumps(document).encode())
    item.delete()
    outcome = sso.run("sign-out", "--whole-group", "--yes")
    assert outcome.status != DONE and "another program's item" in outcome.stderr, outcome
    assert outcome.seconds < 5
