# SPDX-License-Identifier: MIT
"""Items that somebody else wrote under our attributes: reported, never followed, never changed."""

import json

import pytest
import secretstorage

from people import ADA, GRACE
from secret_items import group_collection, plant, search
from sso_cache import BAD_INPUT, DONE, INTERACTION_REQUIRED
from unified_cache import CLIENT, signed_in

OWNER = dict(home_account_id=ADA.identifier, environment="login.windows.net", client_id=CLIENT)
TOKEN = ["token", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"]

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
    "a strangers cache": json.dumps(signed_in(person=GRACE)[0]).encode(),
}


@pytest.fixture(params=CONTENTS.values(), ids=CONTENTS.keys())
def content(request):
    return request.param


@pytest.fixture
def home(sso, bus, group):
    """The group's own collection; a client that nobody plants anything for is signed in."""
    sso.take(signed_in(client="bystander")[0])
    return group_collection(bus, group)


def stored(bus, item):
    return secretstorage.Item(bus, item.item_path).get_secret()


def test_a_planted_document_is_reported_and_never_changed(sso, bus, group, home, save, content):
    planted = plant(bus, home, content, "credentials", group, **OWNER)
    file = save(json.dumps(signed_in()[0]))
    for command in (
        ["accounts"],
        TOKEN,
        ["export", "--format", "msal"],
        ["import", "--format", "msal", file],
    ):
        assert sso.fail(BAD_INPUT, *command) == "corruptItem", command
    assert stored(bus, planted) == content
    assert len(search(bus, kind="credentials", group=group)) == 2


@pytest.mark.parametrize("name", ["text", "array", "a strangers cache"])
def test_a_planted_document_is_left_alone_in_the_login_collection_as_well(
    sso, bus, group, home, save, name
):
    content = CONTENTS[name]
    login = secretstorage.get_collection_by_alias(bus, "login")
    planted = plant(bus, login, content, "credentials", group, **OWNER)
    try:
        file = save(json.dumps(signed_in()[0]))
        assert sso.fail(BAD_INPUT, "import", "--format", "msal", file) == "corruptItem"
        assert sso.fail(BAD_INPUT, "accounts") == "corruptItem"
        assert stored(bus, planted) == content
    finally:
        planted.delete()


MOVED = json.dumps(
    signed_in()[0] | {"SecretStoreCache": {"record": {
        "kind": "credentials", "account": ADA.identifier, "environment": "login.windows.net",
        "client_id": "elsewhere",
    }}}
).encode()


def test_a_document_moved_under_another_records_attributes_is_not_taken_for_it(
    sso, bus, group, home, save
):
    planted = plant(bus, home, MOVED, "credentials", group, **OWNER)
    file = save(json.dumps(signed_in()[0]))
    assert sso.fail(BAD_INPUT, "import", "--format", "msal", file) == "corruptItem"
    assert sso.fail(INTERACTION_REQUIRED, *TOKEN) == "interactionRequired"
    assert stored(bus, planted) == MOVED


def test_a_moved_document_is_not_changed_by_a_sign_out(sso, bus, group, home):
    planted = plant(bus, home, MOVED, "credentials", group, **OWNER)
    sso.run("sign-out", "--account", ADA.username, "--everywhere", "--yes", "--json")
    assert stored(bus, planted) == MOVED


def test_another_clients_broken_item_does_not_take_mine_from_me(sso, bus, group, home):
    cache, token = signed_in()
    sso.take(cache)
    plant(bus, home, b"broken", "credentials", group, **OWNER | {"client_id": "broken"})
    assert sso.do(*TOKEN)["access_token"] == token
    assert len(sso.accounts("--client-id", CLIENT)) == 1


def test_a_planted_copy_does_not_hide_the_real_document(sso, bus, group, home, save):
    """Of two items of one record the one that we wrote counts."""
    cache, token = signed_in()
    sso.take(cache)
    login = secretstorage.get_collection_by_alias(bus, "login")
    planted = plant(bus, login, b"broken", "credentials", group, **OWNER)
    try:
        assert sso.do(*TOKEN)["access_token"] == token
        newer, _ = signed_in("mail.send")
        sso.take(newer)
        assert stored(bus, planted) == b"broken"
        assert sso.do(*TOKEN)["access_token"] == token
    finally:
        planted.delete()


@pytest.mark.parametrize("kind", ["family", "client", "group-data"])
def test_a_planted_item_of_another_kind_is_not_followed_either(sso, bus, group, home, save, kind):
    values = {
        "family": {"home_account_id": ADA.identifier, "environment": "login.windows.net", "family_id": "1"},
        "client": {"environment": "login.windows.net", "client_id": CLIENT},
        "group-data": {"key": "imported"},
    }[kind]
    planted = plant(bus, home, b"broken", kind, group, **values)
    assert sso.fail(BAD_INPUT, "export", "--format", "msal") == "corruptItem"
    cache, _ = signed_in()
    for entry in cache["RefreshToken"].values():
        entry["family_id"] = "1"
    cache["Unknown"] = {"kept": True}
    cache["AppMetadata"] = {} if kind != "client" else cache["AppMetadata"]
    outcome = sso.run("import", "--format", "msal", "--json", save(json.dumps(cache)))
    assert outcome.status == (DONE if kind == "client" else BAD_INPUT)
    assert stored(bus, planted) == b"broken"


def test_a_signed_out_record_cannot_be_undone_by_a_planted_copy_of_an_older_one(sso, bus, group, home):
    """Of two copies the higher revision counts."""
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


def test_a_planted_second_marker_does_not_move_the_group(sso, bus, group, home):
    login = secretstorage.get_collection_by_alias(bus, "login")
    marker = {"name": group, "publisher": "", "placement": "shared", "format": 1}
    planted = plant(bus, login, json.dumps(marker).encode(), "group", group)
    try:
        sso.take(signed_in()[0])
        [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
        assert item.item_path.startswith(home.collection_path)
    finally:
        planted.delete()
