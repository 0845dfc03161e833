# SPDX-License-Identifier: MIT
"""Items that another program writes as if another publisher's group had the group's keyring."""

import json

import pytest

from keyrings import Keyrings
from planted import TOKEN, checks, login_of, marker, places_of, stem_of
from secret_items import search
from sso_cache import DONE
from unified_cache import signed_in

OURS, NOTES = "org.secretstorecache.Item", "com.example.Notes"
PLANTS = {
    "a note": dict(kind="group", schema=NOTES, content=b"a note"),
    "a note with the schema of groups": dict(kind="group", schema=OURS, content=b"a note"),
    "a marker of another group": dict(kind="group", schema=OURS, content=marker("other", publisher="fabrikam")),
    "a record": dict(kind="credentials", schema=NOTES, content=b"a note"),
}


def plant(collection, group, kind, schema, content):
    attributes = {"kind": kind, "group": group, "publisher": "fabrikam", "xdg:schema": schema}
    return collection.create_item("Mine", attributes, content)


@pytest.fixture(params=PLANTS)
def planted(request, bus, group, home):
    return plant(home, group, **PLANTS[request.param])


def remove(bus, kind, group):
    for item in search(bus, kind=kind, group=group, publisher=""):
        item.delete()


def test_a_lost_password_is_an_error_that_a_repair_mends(sso, bus, group, home, planted, daemon):
    cache, token = signed_in()
    sso.take(cache)
    remove(bus, "group-key", group)
    [check] = [check for check in checks(sso) if check["name"].startswith("group-key")]
    assert check["status"] == "error" and "doctor --fix" in check["remedy"]
    sso.run("doctor", "--fix", "--yes")
    daemon.restart()
    assert sso.do(*TOKEN)["access_token"] == token


def test_a_lost_marker_moves_no_group(sso, bus, group, home, planted):
    remove(bus, "group", group)
    cache, token = signed_in()
    sso.take(cache)
    assert places_of(bus, group) == {home.collection_path}
    assert sso.run("doctor").status == DONE
    assert sso.do(*TOKEN)["access_token"] == token


def test_a_marker_as_another_publisher_writes_it_takes_no_keyring_that_the_groups_password_opens(
        sso, bus, group, home):
    plant(home, group, "group", OURS, marker(group, publisher="fabrikam"))
    cache, token = signed_in()
    sso.take(cache)
    assert places_of(bus, group) == {home.collection_path}
    assert sso.run("doctor", "--fix", "--yes").status == DONE
    assert sso.do(*TOKEN)["access_token"] == token


@pytest.mark.parametrize("content", [b"a note", b"0" * 64], ids=["a note", "another password"])
def test_a_keyring_in_the_place_of_the_groups_needs_the_groups_password(sso, bus, group, home, save, content):
    """With a second item in login that names the keyring, of the age of the copied marker."""
    [item] = search(bus, kind="group", group=group)
    attributes, copied = item.get_attributes(), item.get_secret()
    stem = stem_of(home)
    home.delete()
    planted = Keyrings(bus).make(group, "own")
    assert planted.collection_path == home.collection_path
    planted.create_item("Group", attributes, copied)
    [password] = search(bus, kind="group-key", group=group)
    named = dict(password.get_attributes(), keyring=f"LOCAL:/keyrings/{stem}.keyring", note="mine")
    extra = login_of(bus).create_item("List", named, content)
    try:
        sso.run("import", "--format", "msal", save(json.dumps(signed_in()[0])))
        assert planted.collection_path not in places_of(bus, group)
    finally:
        extra.delete()


def test_only_a_password_that_opens_the_keyring_counts_as_one_that_the_user_chose(sso, bus, group, home, daemon):
    cache, token = signed_in()
    sso.take(cache)
    attributes = {"keyring": f"LOCAL:/keyrings/{stem_of(home)}.keyring", "xdg:schema": NOTES}
    login_of(bus).create_item("List", attributes, b"a note")
    remove(bus, "group-key", group)
    [check] = [check for check in checks(sso) if check["name"].startswith("group-key")]
    assert check["status"] == "error"
    sso.run("doctor", "--fix", "--yes")
    daemon.restart()
    assert sso.do(*TOKEN)["access_token"] == token
