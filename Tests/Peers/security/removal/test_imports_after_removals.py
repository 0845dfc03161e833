# SPDX-License-Identifier: MIT
"""Imports in one format over a group that has the person, or a sign-out of them, in the other format too."""

import json
from contextlib import closing

import pytest
import secretstorage

from keyrings import Keyrings
from people import ADA, GRACE
from planted import TOKEN, file_of
from removals import ADAL_ITEM, EVERYWHERE, OF_CLIENT, OTHER, copy_to, entitlements, records, tokens_left
from secret_items import group_collection, search
from sso_cache import DONE, LOCKED_OR_TIMED_OUT, STORAGE_OR_NETWORK
from unified_cache import AAD, CLIENT, signed_in

NAMED_ONLY = {name: value for name, value in ADAL_ITEM.items() if name not in ("oid", "tenantId")}
GRACES = ADAL_ITEM | {"userId": GRACE.username, "oid": GRACE.uid, "accessToken": "s3cr3t-g-at", "refreshToken": "s3cr3t-g-rt"}
AT_AUTHORITY = ["--authority", f"https://login.microsoftonline.com/{ADA.utid}"]
MSAL, ADAL = "msal", "adal-python"


@pytest.fixture
def take(sso, save):
    """Imports a person in a format."""

    def take(format, content, *options):
        content = [content] if format == ADAL else content
        return sso.run("import", "--format", format, *options, save(json.dumps(content)))

    return take


@pytest.mark.parametrize("format, graces", [(MSAL, signed_in(person=GRACE)[0]), (ADAL, GRACES)], ids=[MSAL, ADAL])
@pytest.mark.parametrize("item", [ADAL_ITEM, NAMED_ONLY], ids=["", "that names the user only"])
def test_an_import_that_replaces_takes_a_copy_of_an_adal_item_once_its_keyring_is_unlocked(
        sso, bus, group, take, keyring_of_others, format, graces, item):
    take(ADAL, item)
    copy_to(keyring_of_others, search(bus, group=group, kind="legacy"))
    keyring_of_others.lock()
    assert take(format, graces, "--replace", "--yes").status == LOCKED_OR_TIMED_OUT
    Keyrings(bus).open(keyring_of_others.collection_path, "other")
    assert take(format, graces, "--replace", "--yes").status == DONE
    assert [item for item in keyring_of_others.get_all_items() if b"s3cr3t" in item.get_secret()] == []
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]


def test_an_import_that_replaces_takes_an_adal_item_in_an_old_backup_of_the_keyring(sso, bus, group, daemon, take):
    take(ADAL, ADAL_ITEM)
    file = file_of(group_collection(bus, group))
    old, copy = file.read_bytes(), file.with_name(f"{group}_1.keyring")
    graces = signed_in(person=GRACE)[0]
    assert take(MSAL, graces, "--replace", "--yes").status == DONE
    bus.close()
    daemon.stop()
    copy.write_bytes(old)
    daemon.start()
    try:
        assert take(MSAL, graces, "--replace", "--yes").status == DONE
        with closing(secretstorage.dbus_init()) as bus:
            assert {kind for _, kind in tokens_left(bus, group)} == {"credentials"}
    finally:
        sso.run("group delete", "--yes")
        daemon.stop()
        copy.unlink(missing_ok=True)
        daemon.start()


@pytest.mark.parametrize("item", [ADAL_ITEM, NAMED_ONLY], ids=["", "that names the user only"])
@pytest.mark.parametrize("is_signed_out", [False, True], ids=["", "after a sign-out"])
def test_who_is_in_an_adal_file_that_replaces_can_get_a_token(sso, take, item, is_signed_out):
    sso.take(signed_in()[0])
    if is_signed_out:
        sso.run(*EVERYWHERE)
    assert take(ADAL, item, "--replace", "--yes").status == DONE
    assert [account["username"] for account in sso.accounts("--client-id", CLIENT)] == [ADA.username]
    # The refresh token is used: the endpoint can't be reached.
    assert sso.run(*TOKEN, *AT_AUTHORITY).status == STORAGE_OR_NETWORK


@pytest.mark.parametrize("is_signed_out", [False, True], ids=["", "after a sign-out"])
def test_an_app_sees_who_is_in_an_msal_file_that_replaces(sso, group, save, take, is_signed_out):
    app = entitlements(save, group)
    take(ADAL, ADAL_ITEM)
    if is_signed_out:
        sso.run("sign-out", "--account", ADA.username, "--yes", *app)
    cache, token = signed_in()
    assert take(MSAL, cache, "--replace", "--yes").status == DONE
    assert sso.do(*TOKEN, *app)["access_token"] == token


def test_another_client_of_the_person_in_an_adal_file_that_replaces_is_signed_out(sso, take):
    sso.take(signed_in(client=OTHER)[0])
    take(ADAL, ADAL_ITEM, "--replace", "--yes")
    assert "1 signed out" in take(MSAL, signed_in(client=OTHER)[0]).stdout
    assert sso.accounts("--client-id", OTHER) == []


@pytest.mark.parametrize("item", [ADAL_ITEM, NAMED_ONLY], ids=["", "that names the user only"])
@pytest.mark.parametrize("has_other", [False, True], ids=["", "while another client has the account"])
@pytest.mark.parametrize("first, second", [(MSAL, ADAL), (ADAL, MSAL), (MSAL, MSAL), (ADAL, ADAL)])
def test_an_import_takes_nothing_of_a_client_that_was_signed_out_in_either_format(
        sso, bus, group, take, first, second, has_other, item):
    contents = {MSAL: signed_in()[0], ADAL: item}
    take(first, contents[first])
    if has_other:
        sso.take(signed_in(client=OTHER)[0])
    assert sso.run(*OF_CLIENT).status == DONE
    assert "signed out" in take(second, contents[second]).stdout
    assert tokens_left(bus, group, client_id=CLIENT) == []
    assert [account["clients"] for account in sso.accounts()] == ([[OTHER]] if has_other else [])


@pytest.mark.parametrize("format, content", [(MSAL, signed_in()[0]), (ADAL, ADAL_ITEM)], ids=[MSAL, ADAL])
def test_a_sign_out_that_only_another_programs_keyring_has_keeps_no_import_out(
        sso, bus, group, take, keyring_of_others, format, content):
    take(format, content)
    assert sso.run(*EVERYWHERE).status == DONE
    assert take(format, content).status == DONE and sso.accounts() == []
    left = [(item.get_attributes(), item.get_secret()) for item in records(bus, group)]
    sso.do("group delete", "--yes")
    for attributes, secret in left:
        keyring_of_others.create_item("Planted", attributes, secret, content_type="application/json")
    assert take(format, content).status == DONE
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
    assert {item.get_secret() for item in keyring_of_others.get_all_items()} == {secret for _, secret in left}


LEFT = {"home_account_id": ADA.identifier, "client_id": CLIENT, "secret": "s3cr3t-left", "credential_type": "RefreshToken"}
LEFT_OVER = {
    "an account without a token": {"Account": signed_in()[0]["Account"]},
    "a token without an environment": {"RefreshToken": {"r": LEFT}},
    "an entry of an unknown kind": {"Odd": {"o": LEFT | {"environment": AAD}}},
}
LOST = {"the publisher": lambda attributes: attributes.pop("publisher"), "all": dict.clear}


@pytest.mark.parametrize("content", LEFT_OVER.values(), ids=LEFT_OVER.keys())
def test_an_import_brings_nothing_back_of_an_account_that_an_earlier_one_left_over(sso, bus, group, take, content):
    take(MSAL, content)
    assert sso.run("sign-out", "--account", ADA.identifier, "--everywhere", "--yes").stdout.startswith("Signed out")
    take(MSAL, signed_in()[0])
    assert sso.accounts() == [] and tokens_left(bus, group) == []


@pytest.mark.parametrize("lose", LOST.values(), ids=LOST.keys())
def test_an_import_brings_nothing_back_of_an_account_whose_item_had_lost_its_attributes(sso, bus, group, take, lose):
    take(MSAL, signed_in()[0])
    [item] = search(bus, group=group, kind="credentials")
    attributes = item.get_attributes()
    lose(attributes)
    item.set_attributes(attributes)
    assert sso.run("sign-out", "--account", ADA.identifier, "--everywhere", "--yes").stdout.startswith("Signed out")
    take(MSAL, signed_in()[0])
    assert sso.accounts() == [] and tokens_left(bus, group) == []
