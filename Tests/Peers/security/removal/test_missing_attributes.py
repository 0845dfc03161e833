# SPDX-License-Identifier: MIT
"""Items that lack an attribute: what lists and reads believe, a removal takes."""

import json

import pytest
import secretstorage

from people import ADA, GRACE
from planted import SESSION, checks_of_group, login_of
from removals import (
    ADAL_ITEM, DELETE, EVERYWHERE, OF_CLIENT, REMOVALS, WHOLE_GROUP, entitlements, store_misnamed, tokens_left)
from secret_items import attributes_of, collection_of, group_collection, search
from sso_cache import DONE, LOCKED_OR_TIMED_OUT, STORAGE_OR_NETWORK, TOKEN_MARK
from unified_cache import CLIENT, signed_in


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


@pytest.mark.parametrize("names", [["publisher"], None], ids=["publisher", "all"])
def test_the_deletion_of_a_group_takes_its_password_without_attributes(sso, bus, group, names):
    sso.take(signed_in()[0])
    [key] = search(bus, kind="group-key", group=group)
    key.set_attributes({name: value for name, value in key.get_attributes().items() if names and name not in names})
    assert sso.run(*DELETE).status == DONE
    assert not [item for item in login_of(bus).get_all_items() if group in item.get_label()]


def test_a_removal_takes_a_record_whose_only_item_lacks_an_attribute(sso, bus, group, removal):
    sso.take(signed_in()[0])
    item = credentials(bus, group)
    copy_without(group_collection(bus, group), item, "family_id")
    item.delete()
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
    assert sso.run(*removal).stdout.startswith(("Signed out: ", "Removed."))
    assert tokens_left(bus, group) == []
    assert sso.accounts() == []


@pytest.mark.parametrize("publisher", ["", "other", "CONTOSO"])
def test_a_removal_takes_what_names_a_publisher_without_such_a_group(sso, bus, group, removal, publisher):
    of_contoso = sso.with_options("--publisher=contoso")
    of_contoso.take(signed_in()[0])
    item = credentials(bus, group)
    store_misnamed(group_collection(bus, group), item, publisher=publisher)
    assert of_contoso.run(*removal).status == DONE
    assert tokens_left(bus, group) == []


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


# Without the attribute of the group's publisher, which no search for the group's items finds.


def of_app(save, group):
    return ["sign-out", "--account", ADA.username, "--yes", *entitlements(save, group)]


@pytest.mark.parametrize("is_only", [False, True], ids=["a copy", "the only item"])
def test_a_removal_takes_what_lacks_the_publisher_in_the_groups_keyring(sso, bus, group, removal, is_only):
    sso.take(signed_in()[0])
    item = credentials(bus, group)
    copy_without(group_collection(bus, group), item, "publisher")
    if is_only:
        item.delete()
    assert sso.run(*removal).stdout in (f"Signed out: {ADA.username}.\n", "Signed out: everything.\n", "Removed.\n")
    assert tokens_left(bus, group) == []
    assert "nothing to do" in sso.run(*removal).stdout


OWNERS = [
    {"group": "COM.CONTOSO"}, {"group": None}, {"group": None, "publisher": None},
    {"group": "com.fabrikam", "publisher": "com.fabrikam"},
]


@pytest.mark.parametrize("owner", OWNERS, ids=str)
@pytest.mark.parametrize("is_only", [False, True], ids=["a copy", "the only item"])
def test_a_removal_takes_what_states_no_group_that_is_in_the_groups_keyring(sso, bus, group, removal, owner, is_only):
    sso.take(signed_in()[0])
    item, home = credentials(bus, group), group_collection(bus, group)
    store_misnamed(home, item, **owner)
    if is_only:
        item.delete()
    assert sso.run(*removal).status == DONE
    assert removal == DELETE or [item for item in home.get_all_items() if TOKEN_MARK in item.get_secret().decode()] == []
    assert "nothing to do" in sso.run(*removal).stdout
    keyrings = [keyring.get_label() for keyring in secretstorage.get_all_collections(bus)]
    assert (group in keyrings) == (removal != DELETE)


def test_a_removal_leaves_what_states_another_group_that_is_there(sso, bus, group):
    sso.take(signed_in()[0])
    other = ["--group", f"{group}.other"]
    sso.run("import", "--format", "msal", "-", *other, stdin=json.dumps(signed_in()[0]).encode())
    theirs = store_misnamed(group_collection(bus, group), credentials(bus, group), group=f"{group}.other")
    assert sso.run(*EVERYWHERE).status == DONE
    assert theirs.get_secret()
    sso.run("group delete", "--yes", *other)


@pytest.mark.parametrize("owner", OWNERS, ids=str)
def test_doctor_names_what_states_no_group_that_is_in_the_groups_keyring(sso, bus, group, owner):
    sso.take(signed_in()[0])
    store_misnamed(group_collection(bus, group), credentials(bus, group), **owner)
    check = checks_of_group(sso)["group-entries"]
    assert check["status"] == "warning" and "attributes of 1 item" in check["detail"]


def test_the_last_apps_sign_out_takes_what_lacks_the_publisher_in_the_groups_keyring(sso, bus, group, save):
    sso.take(signed_in()[0])
    copy_without(group_collection(bus, group), credentials(bus, group), "publisher")
    assert sso.run(*of_app(save, group)).stdout == f"Signed out: {ADA.username}.\n"
    assert tokens_left(bus, group) == []


@pytest.mark.parametrize("removal", [EVERYWHERE, OF_CLIENT, WHOLE_GROUP], ids=["everywhere", "of a client", "of all"])
def test_a_sign_out_takes_an_adal_item_that_lacks_the_publisher(sso, bus, group, save, removal):
    sso.take(signed_in()[0])
    sso.run("import", "--format", "adal-python", save(json.dumps([ADAL_ITEM])))
    for item in list(search(bus, group=group, kind="legacy")):
        copy_without(group_collection(bus, group), item, "publisher")
    assert sso.run(*removal).status == DONE
    assert tokens_left(bus, group) == []


def test_a_sign_out_leaves_another_accounts_item_that_lacks_the_publisher(sso, bus, group):
    sso.take(signed_in(person=GRACE)[0])
    copy_without(group_collection(bus, group), credentials(bus, group), "publisher")
    assert "nothing to do" in sso.run(*EVERYWHERE).stdout
    assert len(tokens_left(bus, group)) == 2


@pytest.fixture
def of_another_publisher(sso, bus, group):
    """The options for another publisher's group of the name, whose keyring has an item that lacks the publisher."""
    options = ["--publisher", "com.fabrikam"]
    sso.take(signed_in()[0], *options)
    sso.run("secret set", "--service", "imap", *options, stdin=b"s3cr3t-hunter")
    for item in search(bus, group=group, publisher="com.fabrikam"):
        if item.get_attributes()["kind"] in ("credentials", "secret"):
            copy_without(collection_of(bus, item), item, "publisher")
    yield options
    sso.run("group delete", "--yes", *options)


@pytest.mark.parametrize("removal", [*REMOVALS.values(), ["secret remove", "--service", "imap"]], ids=[*REMOVALS, "of a secret"])
def test_a_removal_leaves_what_lacks_the_publisher_in_another_publishers_keyring(
        sso, bus, group, of_another_publisher, removal):
    sso.take(signed_in()[0])
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t-hunter")
    theirs = {item.item_path for item in search(bus, group=group) if item.get_attributes().get("publisher") != ""}
    outcome = sso.run(*removal)
    assert outcome.status == DONE and "without the attribute" not in outcome.stdout, outcome
    assert theirs <= {item.item_path for item in search(bus, group=group)}
    assert sso.run(*removal).status == DONE


def test_the_other_publishers_sign_out_takes_what_lacks_the_publisher_in_its_keyring(
        sso, bus, group, of_another_publisher):
    sso.take(signed_in()[0])
    assert sso.run(*EVERYWHERE, *of_another_publisher).status == DONE
    assert len(tokens_left(bus, group)) == 1
    assert [account["username"] for account in sso.accounts()] == [ADA.username]


@pytest.fixture(params=["login", "another program's keyring"])
def elsewhere(request, bus, group, keyring_of_others):
    keyring = login_of(bus) if request.param == "login" else keyring_of_others
    yield keyring
    for item in search(bus, group=group):
        item.delete()


@pytest.mark.parametrize("removal", [EVERYWHERE, OF_CLIENT, WHOLE_GROUP], ids=["everywhere", "of a client", "of all"])
def test_a_sign_out_names_what_lacks_the_publisher_in_another_keyring(sso, bus, group, elsewhere, removal):
    sso.take(signed_in()[0])
    copy_without(elsewhere, credentials(bus, group), "publisher")
    label = elsewhere.get_label()
    for _ in range(2):
        outcome = sso.run(*removal)
        assert outcome.status == STORAGE_OR_NETWORK and outcome.stdout == "", outcome
        assert "an item without the attribute publisher" in outcome.stderr and f"keyring {label}." in outcome.stderr
        assert [place for place, _ in tokens_left(bus, group)] == [label]
    [left] = [item for item in search(bus, group=group) if "publisher" not in item.get_attributes()]
    left.delete()
    assert sso.run(*removal).status == DONE


@pytest.mark.parametrize("is_restarted", [False, True], ids=["just locked", "not unlocked since the daemon started"])
def test_a_removal_names_what_lacks_the_publisher_in_a_locked_keyring(
        sso, bus, group, daemon, keyring_of_others, is_restarted):
    sso.take(signed_in()[0])
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t-hunter")
    copy_without(keyring_of_others, credentials(bus, group), "publisher")
    copy_without(keyring_of_others, list(search(bus, group=group, kind="secret"))[0], "publisher")
    keyring_of_others.lock()
    if is_restarted:
        daemon.stop()
        daemon.start()
    for removal in (EVERYWHERE, WHOLE_GROUP, ["secret remove", "--service", "imap"]):
        outcome = sso.run(*removal)
        assert outcome.status == LOCKED_OR_TIMED_OUT and "com.example.other (1 item)" in outcome.stderr, outcome


@pytest.mark.parametrize("removal", [EVERYWHERE, OF_CLIENT, WHOLE_GROUP], ids=["everywhere", "of a client", "of all"])
@pytest.mark.parametrize("is_restarted", [False, True], ids=["just locked", "not unlocked since the daemon started"])
@pytest.mark.parametrize("is_set_aside", [False, True], ids=["stored", "set aside"])
def test_a_sign_out_names_an_adal_item_that_lacks_the_publisher_in_a_locked_keyring(
        sso, bus, group, daemon, keyring_of_others, is_set_aside, is_restarted, removal):
    sso.take(signed_in()[0])
    kind, key = ("damaged", "legacy/1/" + "0" * 64) if is_set_aside else ("legacy", "0" * 64)
    attributes = attributes_of(kind, group, environment="login.windows.net", client_id=CLIENT, key=key)
    del attributes["publisher"]
    keyring_of_others.create_item("Incomplete", attributes, b"s3cr3t")
    keyring_of_others.lock()
    if is_restarted:
        daemon.stop()
        daemon.start()
    outcome = sso.run(*removal)
    assert outcome.status == LOCKED_OR_TIMED_OUT and "com.example.other (1 item)" in outcome.stderr, outcome


def test_a_deletion_of_the_group_takes_what_lacks_the_publisher_beside_another_programs_item(sso, bus, group):
    sso.take(signed_in()[0])
    home, item = group_collection(bus, group), credentials(bus, group)
    for _ in range(10):
        copy_without(home, item, "publisher")
    home.create_item("Theirs", {"app": "com.example.other"}, b"theirs")
    assert sso.run(*DELETE).status == DONE
    assert [item.get_label() for item in home.get_all_items()] == ["Theirs"]
    home.delete()


def test_a_deletion_of_the_group_names_what_lacks_the_publisher_in_another_keyring(sso, bus, group, elsewhere):
    sso.take(signed_in()[0])
    copy_without(elsewhere, credentials(bus, group), "publisher")
    outcome = sso.run(*DELETE)
    assert f"1 item of this name without the attribute publisher stays in the keyring {elsewhere.get_label()}" in outcome.stdout


@pytest.mark.parametrize("removal", [WHOLE_GROUP, DELETE], ids=" ".join)
def test_a_removal_names_the_path_of_a_keyring_without_a_label(sso, bus, group, removal):
    sso.take(signed_in()[0])
    copy_without(secretstorage.Collection(bus, SESSION), credentials(bus, group), "publisher")
    outcome = sso.run(*removal)
    assert f"in the keyring {SESSION}" in outcome.stdout + outcome.stderr, outcome
    for item in list(search(bus, group=group)):
        item.delete()


def test_a_removal_of_a_secret_takes_what_lacks_the_publisher_in_the_groups_keyring(sso, bus, group):
    sso.run("secret set", "--service", "smtp", stdin=b"s3cr3t-other")
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t-hunter")
    for item in list(search(bus, group=group, kind="secret")):
        copy_without(group_collection(bus, group), item, "publisher")
    assert sso.run("secret remove", "--service", "imap").stdout == "Removed.\n"
    contents = [item.get_secret() for item in search(bus, group=group, kind="secret")]
    assert len(contents) == 2 and b"s3cr3t-hunter" not in b"".join(contents)
    assert "nothing to do" in sso.run("secret remove", "--service", "imap").stdout


def test_a_removal_of_a_secret_names_what_lacks_the_publisher_in_another_keyring(sso, bus, group, elsewhere):
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t-hunter")
    [item] = search(bus, group=group, kind="secret")
    copy_without(elsewhere, item, "publisher")
    for _ in range(2):
        outcome = sso.run("secret remove", "--service", "imap")
        assert outcome.status == STORAGE_OR_NETWORK and outcome.stdout == "", outcome
        assert "an item without the attribute publisher" in outcome.stderr
