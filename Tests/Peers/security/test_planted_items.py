# SPDX-License-Identifier: MIT
"""Items that other programs write under the library's attributes: reported, never followed, never changed."""

import json

import pytest
import secretstorage

from people import ADA, GRACE
from planted import OWNER, TOKEN, checks, login_of, stored
from secret_items import search, store_item
from sso_cache import BAD_INPUT, DONE, INTERACTION_REQUIRED
from unified_cache import CLIENT, signed_in

CONTENTS = {
    "text": b"hello",
    "blank": b" ",
    "null": b"null",
    "array": b"[]",
    "number": b"17",
    "half": b'{"AccessToken": {"a": ',
    "wrong shape": b'{"AccessToken": [], "Account": "x"}',
    "binary": bytes(range(256)),
    "deep": b"[" * 100_000,
    "duplicate": b'{"Account": {}, "Account": {}}',
    "a document that is nobody's": b"{}",
    "another user's cache": json.dumps(signed_in(person=GRACE)[0]).encode(),
}


@pytest.fixture(params=CONTENTS.values(), ids=CONTENTS.keys())
def content(request):
    return request.param


def by_identifier(command):
    return [ADA.identifier if word == ADA.username else word for word in command]


def test_a_planted_document_is_reported_and_never_changed(sso, bus, group, home, save, content):
    planted = store_item(bus, home, content, "credentials", group, **OWNER)
    file = save(json.dumps(signed_in()[0]))
    assert sso.fail(BAD_INPUT, *by_identifier(TOKEN)) == "corruptItem"
    assert sso.fail(BAD_INPUT, "import", "--format", "msal", file) == "corruptItem"
    listing = sso.do("accounts")
    assert (len(listing["accounts"]), len(listing["damaged"])) == (1, 1)
    export = sso.run("export", "--format", "msal")
    assert export.status == DONE and "can't be read" in export.stderr
    assert stored(bus, planted) == content
    assert len(search(bus, kind="credentials", group=group)) == 2


@pytest.mark.parametrize("name", ["text", "array", "another user's cache"])
def test_a_planted_document_in_the_login_collection_is_left_unchanged_and_keeps_nothing_from_being_saved(
    sso, bus, group, home, save, name
):
    content = CONTENTS[name]
    login = secretstorage.get_collection_by_alias(bus, "login")
    planted = store_item(bus, login, content, "credentials", group, **OWNER)
    try:
        cache, token = signed_in()
        sso.take(cache)
        assert sso.do(*TOKEN)["access_token"] == token
        assert stored(bus, planted) == content
        [check] = [check for check in checks(sso) if check["name"].startswith("group-entries")]
        assert check["status"] == "error" and CLIENT in check["detail"]
    finally:
        planted.delete()


MOVED = json.dumps(
    signed_in()[0] | {"SecretStoreCache": {"record": {
        "kind": "credentials", "account": ADA.identifier, "environment": "login.windows.net",
        "client_id": "elsewhere",
    }}}
).encode()


def test_a_document_moved_under_another_records_attributes_is_refused(
    sso, bus, group, home, save
):
    planted = store_item(bus, home, MOVED, "credentials", group, **OWNER)
    file = save(json.dumps(signed_in()[0]))
    assert sso.fail(BAD_INPUT, "import", "--format", "msal", file) == "corruptItem"
    assert sso.fail(INTERACTION_REQUIRED, *TOKEN) == "interactionRequired"
    assert stored(bus, planted) == MOVED


def test_a_moved_document_is_shown_by_lists_and_exports_and_reported_by_doctor(sso, bus, group, home):
    """A list believes what a document says of itself: to see each item's attributes would cost a call for each."""
    planted = store_item(bus, home, MOVED, "credentials", group, **OWNER)
    [account] = sso.do("accounts")["accounts"]
    assert CLIENT in account["clients"]
    assert CLIENT in {entry["client_id"] for entry in sso.give()["RefreshToken"].values()}
    [damaged] = sso.do("damaged list")["damaged"]
    assert not damaged["set_aside"]
    [check] = [check for check in checks(sso) if check["name"].startswith("group-entries")]
    assert check["status"] == "warning" and "removed attributes of 1 item" in check["detail"] and "--fix" in check["remedy"]
    assert stored(bus, planted) == MOVED


def test_a_sign_out_takes_a_moved_document_of_the_account(sso, bus, group, home):
    store_item(bus, home, MOVED, "credentials", group, **OWNER)
    assert sso.do("sign-out", "--account", ADA.username, "--everywhere", "--yes") == {"signed_out": True}
    assert sso.accounts() == []
    assert MOVED not in [item.get_secret() for item in search(bus, group=group)]


def test_another_clients_broken_item_does_not_affect_this_client(sso, bus, group, home):
    cache, token = signed_in()
    sso.take(cache)
    store_item(bus, home, b"broken", "credentials", group, **OWNER | {"client_id": "broken"})
    assert sso.do(*TOKEN)["access_token"] == token
    assert len(sso.accounts("--client-id", CLIENT)) == 1


@pytest.mark.parametrize("name", ["home_account_id", "key"])
def test_an_attribute_with_many_combining_marks_delays_no_command(sso, bus, group, home, name):
    """To compare such texts takes a time that grows with the square of their marks."""
    marks = "e" + "\u0301" * 200_000
    planted = store_item(bus, home, b"hello", "credentials", group, **OWNER | {name: marks})
    assert sso.accounts()[0]["clients"] == ["bystander"]
    [check] = [check for check in checks(sso) if check["status"] == "error"]
    assert check["name"].startswith("group-entries") and "1 item can't be read" in check["detail"], check
    assert stored(bus, planted) == b"hello"


@pytest.mark.parametrize("copy", ["broken", "an older copy"])
@pytest.mark.parametrize("place", ["the login collection", "the group's collection"])
def test_a_planted_copy_does_not_hide_the_real_document(sso, bus, group, home, copy, place):
    """Of two items of one record the library's own counts."""
    old, _ = signed_in("mail.old")
    sso.take(old)
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    attributes, content = item.get_attributes(), b"broken" if copy == "broken" else item.get_secret()
    cache, token = signed_in()
    sso.take(cache)
    planted = (home if place == "the group's collection" else login_of(bus)).create_item("Copy", attributes, content)
    assert planted.item_path != item.item_path
    try:
        assert sso.do(*TOKEN)["access_token"] == token
        newer, sent = signed_in("mail.send")
        sso.take(newer)
        assert stored(bus, planted) == content
        assert sso.do(*TOKEN)["access_token"] == token
        assert sso.token(CLIENT, ADA.username, "mail.send")["access_token"] == sent
    finally:
        planted.delete()


@pytest.mark.parametrize("kind", ["family", "client", "group-data"])
def test_a_planted_item_of_another_kind_that_cannot_be_read_is_named_and_left_alone(sso, bus, group, home, save, kind):
    values = {
        "family": {"home_account_id": ADA.identifier, "environment": "login.windows.net", "family_id": "1"},
        "client": {"environment": "login.windows.net", "client_id": CLIENT},
        "group-data": {"key": "imported"},
    }[kind]
    planted = store_item(bus, home, b"broken", kind, group, **values)
    export = sso.run("export", "--format", "msal")
    assert export.status == DONE and "can't be read" in export.stderr
    cache, _ = signed_in()
    for entry in cache["RefreshToken"].values():
        entry["family_id"] = "1"
    cache["Unknown"] = {"kept": True}
    cache["AppMetadata"] = {} if kind != "client" else cache["AppMetadata"]
    outcome = sso.run("import", "--format", "msal", "--json", save(json.dumps(cache)))
    assert outcome.status == (DONE if kind == "client" else BAD_INPUT)
    assert stored(bus, planted) == b"broken"


def test_a_planted_older_copy_does_not_undo_a_sign_out(sso, bus, group, home):
    """Of two copies the one with the higher revision counts."""
    sso.take(signed_in()[0])
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    copy, attributes = item.get_secret(), item.get_attributes()
    sso.do("sign-out", "--account", ADA.username, "--client-id", CLIENT, "--yes")
    login = secretstorage.get_collection_by_alias(bus, "login")
    planted = login.create_item("Copy", attributes, copy)
    try:
        assert sso.run(*TOKEN, "--json").status == 10
        assert sso.accounts("--client-id", CLIENT) == []
    finally:
        planted.delete()
