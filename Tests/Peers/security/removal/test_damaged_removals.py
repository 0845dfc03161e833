# SPDX-License-Identifier: MIT
"""What can't be read: a removal takes it, or names it and claims no success."""

import json

import pytest

from people import ADA, GRACE, OTHER_TENANT
from planted import checks_of_group
from removals import (
    ADAL_ITEM, DELETE, EVERYWHERE, OF_CLIENT, OWNED, WHOLE_GROUP, cut, entitlements, family_cache, store_misnamed, tokens_left,
)
from secret_items import group_collection, search, store_item
from sso_cache import BAD_INPUT, DONE, TOKEN_MARK
from unified_cache import AAD, CLIENT, refresh_token, signed_in

ATTRIBUTES = {"home_account_id": ADA.identifier, "environment": "login.windows.net", "client_id": CLIENT}
# What names no account, and how the tool names it.
UNATTRIBUTED = {"legacy": "ADAL sign-in", "group-data": "Data of the access group"}


@pytest.fixture
def damaged(sso, bus, group, save):
    """Cuts what names no account, and sets it aside if asked to."""

    def make(kind, is_set_aside):
        sso.run("import", "--format", "adal-python", save(json.dumps([ADAL_ITEM])))
        sso.take(signed_in()[0] | {"DeviceToken": {"odd": OWNED}})
        cut(bus, group, kind)
        if is_set_aside:
            sso.run("doctor", "--fix", "--yes")

    return make


def kinds_left(bus, group):
    return {kind for _, kind in tokens_left(bus, group)}


@pytest.mark.parametrize("is_set_aside", [False, True], ids=["not set aside", "set aside"])
@pytest.mark.parametrize("kind", UNATTRIBUTED)
@pytest.mark.parametrize("removal", [EVERYWHERE, OF_CLIENT], ids=["everywhere", "of a client"])
def test_a_sign_out_names_what_may_be_the_accounts_and_cannot_be_read(
        sso, bus, group, damaged, removal, kind, is_set_aside):
    damaged(kind, is_set_aside)
    store_item(bus, group_collection(bus, group), b"s3cr3t", "device", group, **ATTRIBUTES)
    for _ in range(2):
        outcome = sso.run(*removal)
        assert search(bus, group=group, kind="device") == []
        assert outcome.status == BAD_INPUT and outcome.stdout == "", outcome
        assert "The account may be in what can't be read" in outcome.stderr and UNATTRIBUTED[kind] in outcome.stderr
        assert "damaged remove" in outcome.stderr and "--whole-group" in outcome.stderr
        assert kinds_left(bus, group) == {"damaged" if is_set_aside else kind}
    for item in sso.do("damaged")["damaged"]:
        sso.run("damaged remove", item["id"], "--yes")
    assert sso.run(*removal).status == DONE
    assert tokens_left(bus, group) == []


NAMELESS = [{"home_account_id": None}, {"home_account_id": ""}, {"environment": "", "client_id": ""}]


@pytest.mark.parametrize("is_set_aside", [False, True], ids=["not set aside", "set aside"])
@pytest.mark.parametrize("kind", ["credentials", "family"])
@pytest.mark.parametrize("changes", NAMELESS, ids=str)
@pytest.mark.parametrize("removal", [EVERYWHERE, OF_CLIENT], ids=["everywhere", "of a client"])
def test_a_sign_out_names_a_copy_that_names_no_account_and_cannot_be_read(
        sso, bus, group, removal, kind, changes, is_set_aside):
    sso.take(signed_in()[0])
    item = next(iter(search(bus, group=group, kind="credentials")))
    planted = store_misnamed(
        group_collection(bus, group), item, **({"kind": kind, "home_account_id": ""} | changes))
    planted.set_secret(item.get_secret()[:-2])
    if is_set_aside:
        sso.run("doctor", "--fix", "--yes")
    for _ in range(2):
        outcome = sso.run(*removal)
        assert outcome.status == BAD_INPUT and outcome.stdout == "", outcome
        assert "The account may be in what can't be read" in outcome.stderr and "Sign-in for" in outcome.stderr
        assert [kind for _, kind in tokens_left(bus, group)] == ["damaged" if is_set_aside else kind]
    for item in sso.do("damaged")["damaged"]:
        sso.run("damaged remove", item["id"], "--yes")
    assert sso.run(*removal).status == DONE
    assert tokens_left(bus, group) == []


def test_a_sign_out_of_a_client_leaves_another_clients_copy_that_names_no_account_and_cannot_be_read(sso, bus, group):
    sso.take(signed_in()[0])
    item = next(iter(search(bus, group=group, kind="credentials")))
    planted = store_misnamed(group_collection(bus, group), item, home_account_id="", client_id="other")
    planted.set_secret(b"hello")
    assert sso.run(*OF_CLIENT).status == DONE
    assert planted.get_secret() == b"hello"


def test_a_removal_of_a_secret_names_a_copy_that_names_no_secret_and_cannot_be_read(sso, bus, group):
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t-hunter")
    [item] = search(bus, group=group, kind="secret")
    planted = store_misnamed(group_collection(bus, group), item, key="")
    planted.set_secret(item.get_secret()[:-2])
    for _ in range(2):
        outcome = sso.run("secret remove", "--service", "imap")
        assert outcome.status == BAD_INPUT and "The secret may be in what can't be read" in outcome.stderr, outcome
        assert "--whole-group" not in outcome.stderr
    [damaged] = sso.do("damaged")["damaged"]
    sso.run("damaged remove", damaged["id"], "--yes")
    assert sso.run("secret remove", "--service", "imap").status == DONE


@pytest.mark.parametrize("is_set_aside", [False, True], ids=["not set aside", "set aside"])
@pytest.mark.parametrize("kind", UNATTRIBUTED)
@pytest.mark.parametrize("removal", [WHOLE_GROUP, DELETE], ids=["of the whole group", "with the group"])
def test_a_removal_of_everything_takes_what_cannot_be_read(sso, bus, group, damaged, removal, kind, is_set_aside):
    damaged(kind, is_set_aside)
    assert sso.run(*removal).status == DONE
    assert tokens_left(bus, group) == []


def test_an_import_that_replaces_takes_what_was_set_aside(sso, bus, group, damaged):
    sso.take(signed_in(person=GRACE)[0])
    for kind in ("credentials", *UNATTRIBUTED):
        damaged(kind, True)
    assert len(sso.do("damaged")["damaged"]) > 3
    sso.take(signed_in()[0], "--replace")
    assert sso.do("damaged")["damaged"] == []
    assert kinds_left(bus, group) == {"credentials"}


def test_the_last_client_takes_the_family_token_that_was_set_aside(sso, bus, group):
    cache = family_cache()
    sso.take(cache)
    cut(bus, group, "family")
    sso.run("doctor", "--fix", "--yes")
    assert sso.run(*OF_CLIENT).status == DONE
    assert "damaged" in kinds_left(bus, group)
    other = next(entry["client_id"] for entry in cache["AppMetadata"].values() if entry["client_id"] != CLIENT)
    assert sso.run("sign-out", "--account", ADA.username, "--client-id", other, "--yes").status == DONE
    assert tokens_left(bus, group) == []


def test_the_last_apps_sign_out_takes_what_was_set_aside_and_left_over(sso, bus, group, save):
    sso.take(signed_in()[0])
    cut(bus, group, "credentials")
    sso.run("doctor", "--fix", "--yes")
    sso.take(signed_in()[0] | {"DeviceToken": {"odd": OWNED}})
    assert kinds_left(bus, group) == {"credentials", "damaged", "group-data"}
    assert sso.run("sign-out", "--account", ADA.username, "--yes", *entitlements(save, group)).status == DONE
    assert tokens_left(bus, group) == []


@pytest.mark.parametrize("is_set_aside", [False, True], ids=["not set aside", "set aside"])
@pytest.mark.parametrize("kind", UNATTRIBUTED)
def test_the_last_apps_sign_out_names_what_may_be_the_accounts_and_cannot_be_read(
        sso, bus, group, save, damaged, kind, is_set_aside):
    damaged(kind, is_set_aside)
    for _ in range(2):
        outcome = sso.run("sign-out", "--account", ADA.username, "--yes", *entitlements(save, group))
        assert outcome.status == BAD_INPUT and UNATTRIBUTED[kind] in outcome.stderr, outcome
    assert kinds_left(bus, group) == {"damaged" if is_set_aside else kind}


def test_a_sign_out_by_name_takes_a_family_token_without_a_name_and_the_adal_item_of_its_user(sso, bus, group, save):
    sso.run("import", "--format", "adal-python", save(json.dumps([ADAL_ITEM])))
    sso.take({"RefreshToken": {"family": refresh_token(family_id="1")}})
    assert [account["identifier"] for account in sso.accounts()] == [ADA.identifier]
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
    assert sso.do(*EVERYWHERE) == {"signed_out": True}
    assert sso.accounts() == []
    assert tokens_left(bus, group) == []


@pytest.mark.parametrize("removal", [EVERYWHERE, OF_CLIENT], ids=["everywhere", "of a client"])
def test_a_sign_out_takes_an_adal_item_that_names_its_user_by_object_id_only(sso, bus, group, save, removal):
    sso.take(signed_in()[0])
    unnamed = {name: value for name, value in ADAL_ITEM.items() if name != "userId"}
    sso.run("import", "--format", "adal-python", save(json.dumps([unnamed])))
    assert sso.do(*removal) == {"signed_out": True}
    assert tokens_left(bus, group) == []


def test_a_guests_adal_item_is_not_taken_for_the_account_of_a_family_token(sso, bus, group, save):
    guest = ADAL_ITEM | {"tenantId": OTHER_TENANT, "_authority": f"https://login.microsoftonline.com/{OTHER_TENANT}"}
    sso.run("import", "--format", "adal-python", save(json.dumps([guest])))
    sso.take({"RefreshToken": {"family": refresh_token(family_id="1")}})
    assert sso.do(*EVERYWHERE) == {"signed_out": True}
    assert [account["identifier"] for account in sso.accounts()] == [ADA.identifier]


def test_removing_a_secret_takes_the_copy_that_was_set_aside(sso, bus, group):
    secret = ["--service", "imap"]
    sso.run("secret set", "--service", "smtp", stdin=b"another")
    sso.run("secret set", *secret, stdin=b"hunter2")
    for item in search(bus, group=group, kind="secret"):
        item.set_secret(item.get_secret()[:-2], content_type="application/json")
    sso.run("doctor", "--fix", "--yes")
    sso.run("secret set", *secret, stdin=b"second")
    assert sso.do("secret remove", *secret) == {"removed": True}
    contents = b"".join(item.get_secret() for item in search(bus, group=group))
    assert b"hunter2" not in contents and b"second" not in contents and b"another" in contents
    assert sso.do("secret remove", *secret) == {"removed": False}


NAMES = [("caf\u00e9", "cafe\u0301"), ("cafe\u0301", "caf\u00e9")]


@pytest.mark.parametrize("stored, other", NAMES, ids=["composed", "decomposed"])
def test_secrets_of_names_in_other_bytes_are_others_for_every_command(sso, stored, other):
    for option, rest in (("--service", []), ("--account", ["--service", "imap"])):
        sso.run("secret set", *rest, option, stored, stdin=b"one")
        assert sso.run("secret get", *rest, option, other).status != DONE
        assert sso.do("secret remove", *rest, option, other) == {"removed": False}
        if option == "--service":
            assert sso.do("secret list", option, other)["secrets"] == []
            assert len(sso.do("secret list", option, stored)["secrets"]) == 1
        assert sso.do("secret remove", *rest, option, stored) == {"removed": True}


@pytest.mark.parametrize("command", ["group reset", "group delete"])
def test_deleting_a_group_names_the_file_that_is_kept_of_a_keyring_that_could_not_be_opened(
        sso, bus, group, command):
    sso.take(signed_in()[0])
    [key] = search(bus, kind="group-key", group=group)
    key.delete()
    group_collection(bus, group).lock()
    if command == "group reset":
        assert sso.run("group reset", "--yes").status == DONE
    outcome = sso.run("group delete", "--yes")
    assert outcome.status == DONE and outcome.stdout.startswith("Removed.\n"), outcome
    assert f"/{group}.keyring.lost stays" in outcome.stdout
    [left] = sso.do("group delete", "--yes")["left"]
    assert f"/{group}.keyring.lost stays" in left


NO_RECORDS = {
    "client_id": "a\nb", "home_account_id": "a\x01b", "environment": "a\x7fb", "key": "e" + "\u0301" * 31,
}


@pytest.mark.parametrize("name, value", NO_RECORDS.items(), ids=NO_RECORDS)
@pytest.mark.parametrize("kind", ["credentials", "family", "client", "legacy", "secret"])
def test_an_item_that_no_record_can_have_is_named_and_can_be_removed(sso, bus, group, kind, name, value):
    sso.take(signed_in()[0])
    home = group_collection(bus, group)
    planted = store_item(bus, home, b"hello", kind, group, **{name: value})
    check = checks_of_group(sso)["group-entries"]
    assert check["status"] == "error" and "1 item can't be read" in check["detail"], check
    [damaged] = sso.do("damaged")["damaged"]
    assert sso.run("damaged remove", damaged["id"], "--yes").status == DONE
    assert planted.item_path not in [item.item_path for item in home.get_all_items()]
    assert checks_of_group(sso)["group-entries"]["status"] == "ok"
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
