# SPDX-License-Identifier: MIT
"""Markers that other programs write: new items go into the group's own collection, whatever the markers say."""

import json

import pytest
import secretstorage

from keyrings import LOGIN
from planted import (
    INDISTINGUISHABLE, OURS, PLANTS, SESSION, TOKEN, Plant, checks, forgery, is_encrypted, login_of, marker, places_of,
)
from secret_items import search, store_item
from sso_cache import BAD_INPUT, DONE
from unified_cache import CLIENT, signed_in


@pytest.mark.parametrize("name", PLANTS)
@pytest.mark.parametrize("restarts", [False, True], ids=["at once", "after a new login"])
def test_no_planted_marker_moves_a_group(sso, bus, group, home, planted_in, daemon, name, restarts):
    path = home.collection_path
    planted = planted_in(PLANTS[name]).collection_path
    if restarts:
        bus.close()
        daemon.restart()
        bus = secretstorage.dbus_init()
    cache, token = signed_in()
    sso.take(cache)
    assert places_of(bus, group) == {path}
    sso.run("doctor", "--fix", "--yes")
    assert places_of(bus, group) == {path}
    assert sso.do(*TOKEN)["access_token"] == token
    assert planted in {collection.collection_path for collection in secretstorage.get_all_collections(bus)}
    bus.close()


@pytest.mark.parametrize("placement", ["dedicated", "shared", "elsewhere"])
@pytest.mark.parametrize("place", ["the login collection", "the session's collection", "the group's collection"])
def test_no_marker_planted_in_an_existing_collection_moves_a_group(sso, bus, group, home, place, placement):
    collection = {
        "the login collection": login_of(bus), "the group's collection": home,
        "the session's collection": secretstorage.Collection(bus, SESSION),
    }[place]
    planted = store_item(bus, collection, marker(group, placement=placement), "group", group)
    try:
        cache, token = signed_in()
        sso.take(cache)
        assert places_of(bus, group) == {home.collection_path}
        sso.run("doctor", "--fix", "--yes")
        sso.take(signed_in(client="new")[0])
        assert places_of(bus, group) == {home.collection_path}
        assert sso.do(*TOKEN)["access_token"] == token
    finally:
        for item in search(bus, kind="group", group=group):
            if item.item_path == planted.item_path:
                item.delete()


@pytest.mark.parametrize("name", INDISTINGUISHABLE)
def test_an_ambiguous_group_collection_is_an_error(
    sso, bus, group, home, planted_in, save, name
):
    cache, token = signed_in()
    sso.take(cache)
    planted = planted_in(INDISTINGUISHABLE[name])
    file = save(json.dumps(signed_in(client="new")[0]))
    assert sso.fail(BAD_INPUT, "import", "--format", "msal", file) == "corruptItem"
    assert places_of(bus, group) == {home.collection_path}
    assert not search(bus, group=group, client_id="new")
    assert sso.do(*TOKEN)["access_token"] == token
    newer, token = signed_in("mail.send")
    sso.take(newer)
    [check] = [check for check in checks(sso) if check["name"].startswith("group-marker")]
    assert check["status"] == "error" and "doctor --fix" in check["remedy"]
    outcome = sso.run("doctor", "--fix", "--yes")
    assert outcome.status == DONE, outcome.stdout
    [place] = places_of(bus, group)
    assert place not in (home.collection_path, planted.collection_path)
    assert is_encrypted(secretstorage.Collection(bus, place))
    assert sso.do("import", "--format", "msal", file)["added"] == 1
    assert places_of(bus, group) == {place}


@pytest.mark.parametrize("loss, name", [
    (loss, name) for loss in ("marker", "password", "both") for name, plant in PLANTS.items()
    if "marker that is none" not in name and "publisher" not in name
    # With neither, a keyring of the group's name with a password is as a person makes it.
    and not (loss == "both" and plant.password == "own" and plant.is_named)
])
def test_no_planted_marker_replaces_a_deleted_one(sso, bus, group, home, planted_in, save, name, loss):
    planted = planted_in(PLANTS[name])
    for kind in {"marker": ["group"], "password": ["group-key"], "both": ["group", "group-key"]}[loss]:
        for item in search(bus, kind=kind, group=group):
            if not item.item_path.startswith(planted.collection_path):
                item.delete()
    for number in range(2):
        sso.run("import", "--format", "msal", save(json.dumps(signed_in(client=f"new-{number}")[0])))
        assert planted.collection_path not in places_of(bus, group)
        sso.run("doctor", "--fix", "--yes")
        assert planted.collection_path not in places_of(bus, group)
    assert sso.run("doctor", "--fix", "--yes").status == DONE
    assert sso.take(signed_in(client="last")[0])["added"] == 1


@pytest.mark.parametrize("name", [
    name for name in PLANTS if "group's password" not in name and name != "the right name and a password of its own"
])
def test_the_first_save_ignores_a_planted_marker(sso, bus, group, planted_in, save, name):
    planted = planted_in(PLANTS[name])
    file = save(json.dumps(signed_in()[0]))
    outcome = sso.run("import", "--format", "msal", file)
    assert outcome.status == DONE
    [place] = places_of(bus, group)
    assert place != planted.collection_path
    assert is_encrypted(secretstorage.Collection(bus, place))
    assert sso.run("doctor", "--fix", "--yes").status == DONE
    assert places_of(bus, group) == {place}


def test_the_first_save_makes_the_group_beside_a_planted_record(sso, bus, group, home, planted_in):
    sso.take(signed_in()[0])
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    attributes, content = item.get_attributes(), item.get_secret()
    sso.do("group delete", "--yes")
    planted = planted_in(Plant())
    for marker in planted.get_all_items():
        marker.delete()
    copy = planted.create_item("Copy", attributes, content)
    outcome = sso.take(signed_in("mail.send")[0])
    assert outcome["updated"] == 1
    assert copy.get_secret() == content
    assert len(places_of(bus, group)) == 2


def test_a_default_collection_without_a_password_never_gets_a_new_group(sso, bus, group, plain_default):
    cache, token = signed_in()
    sso.take(cache)
    [place] = places_of(bus, group)
    assert place != plain_default.collection_path and is_encrypted(secretstorage.Collection(bus, place))
    sso.run("doctor", "--fix", "--yes")
    sso.take(signed_in("mail.send")[0])
    assert places_of(bus, group) == {place}
    assert sso.do(*TOKEN)["access_token"] == token


@pytest.mark.parametrize("revision", [1, 100])
def test_a_copy_in_a_default_collection_without_a_password_counts_for_nothing(
        sso, bus, group, home, plain_default, revision):
    cache, token = signed_in()
    sso.take(cache)
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    copy = plain_default.create_item("Copy", item.get_attributes(), forgery(item, token, revision))
    forged = copy.get_secret()
    for command in (["accounts"], ["doctor", "--fix", "--yes"], ["group move"]):
        sso.run(*command)
        assert sso.do(*TOKEN)["access_token"] == token
    sso.take(signed_in("mail.send")[0])
    sso.take(signed_in(client="new")[0])
    assert copy.get_secret() == forged
    assert places_of(bus, group, client_id="new") == {home.collection_path}


def test_the_first_save_uses_a_collection_that_the_user_created_for_the_group(sso, bus, group, planted_in):
    made = planted_in(PLANTS["the right name and a password of its own"])
    sso.take(signed_in()[0])
    assert places_of(bus, group) == {made.collection_path}


@pytest.mark.parametrize("name", [name for name in PLANTS if PLANTS[name].password != OURS])
def test_a_group_in_the_login_collection_stays_there(sso, bus, group, planted_in, save, name):
    store_item(bus, login_of(bus), marker(group, placement="shared"), "group", group)
    sso.take(signed_in()[0])
    planted = planted_in(PLANTS[name])
    for number in range(2):
        sso.run("import", "--format", "msal", save(json.dumps(signed_in(client=f"new-{number}")[0])))
        assert planted.collection_path not in places_of(bus, group)
        sso.run("doctor", "--fix", "--yes")
        assert planted.collection_path not in places_of(bus, group)
    assert sso.take(signed_in(client="last")[0])["added"] == 1
    for item in search(bus, group=group):
        if item.item_path.startswith(LOGIN):
            item.delete()
