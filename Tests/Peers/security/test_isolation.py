# SPDX-License-Identifier: MIT
"""One bad item, marker or collection stops only what depends on it: every other group and record works on."""

import contextlib
import json

import pytest
import secretstorage

from keyring_daemon import KeyringDaemon
from keyrings import LOGIN, Keyrings
from people import ADA
from planted import marker
from secret_items import group_collection, search, store_item
from sso_cache import BAD_INPUT, DONE, INTERACTION_REQUIRED, SSOCache
from unified_cache import CLIENT, signed_in

MIB = 1 << 20
# The largest secret of CreateItem: encrypted, it is an array of the size that D-Bus allows.
LARGEST = 64 * MIB - 1
# The sizes of items that no message of the bus can carry together.
TOGETHER_TOO_LARGE = [22 * MIB] * 3
KINDS = ["credentials", "family", "client", "group-data", "legacy", "secret", "damaged", "group", "group-key", "making"]


@pytest.fixture
def other(tool, group):
    """Another group, in which the client is signed in."""
    return SSOCache(tool, f"{group}.other")


@pytest.fixture
def check_works(sso, other):
    """Signs a client in to both groups; returns a check that they work with the daemon that runs now."""
    cache, token = signed_in()
    for tool in (sso, other):
        tool.take(cache)
        tool.run("secret set", "--service", "imap", stdin=b"s3cr3t")
    process = KeyringDaemon().process()

    def check():
        for tool in (other, sso):
            assert tool.token(CLIENT, ADA.username, "mail.read")["access_token"] == token
            assert len(tool.accounts()) == 1
            assert tool.run("secret get", "--service", "imap").stdout == "s3cr3t"
        names = {sso.group, other.group, f"{sso.group}.x"}
        listed = [entry["name"] for entry in sso.do("groups")["groups"] if entry["name"] in names]
        assert sorted(listed) == sorted([sso.group, other.group])
        assert KeyringDaemon().process() == process

    return check


@pytest.fixture
def collections(bus, group):
    """The collections in which another program stores its items."""
    made = Keyrings(bus).make(f"{group}-planted", "own")
    return {
        "group's": lambda: group_collection(bus, group),
        "login": lambda: secretstorage.Collection(bus, LOGIN),
        "another": lambda: made,
    }


@pytest.fixture
def plant(bus, group, collections):
    made = []

    def plant(place, kind, contents):
        for number, content in enumerate(contents):
            values = dict.fromkeys(["client_id", "key"], f"planted-{number}") | {"environment": "login.windows.net"}
            if kind in ("group", "group-key"):
                values = {}
            made.append(store_item(bus, collections[place](), content, kind, group, **values))

    yield plant
    for item in made:
        with contextlib.suppress(secretstorage.ItemNotFoundException):
            item.delete()


@pytest.mark.parametrize("kind, place", [
    *[(kind, "group's") for kind in KINDS],
    *[(kind, place) for kind in ["credentials", "group", "group-key"] for place in ["login", "another"]],
])
def test_large_items_end_neither_the_daemon_nor_a_call(sso, check_works, plant, kind, place):
    plant(place, kind, [b"x" * size for size in TOGETHER_TOO_LARGE])
    check_works()
    assert sso.run("export", "--format", "msal").status == DONE
    sso.take(signed_in(client="another")[0])
    check_works()


@pytest.mark.parametrize("kind", ["credentials", "group", "group-key"])
def test_an_item_of_the_largest_size_ends_neither_the_daemon_nor_a_call(sso, check_works, plant, kind):
    plant("group's", kind, [b"x" * LARGEST])
    check_works()


def test_a_large_item_is_named_as_damaged_and_can_be_removed(sso, bus, group, check_works, plant):
    plant("group's", "credentials", [b"x" * size for size in TOGETHER_TOO_LARGE])
    damaged = sso.do("damaged list")["damaged"]
    assert {entry["client_id"] for entry in damaged} == {f"planted-{number}" for number in range(3)}
    assert all("larger than" in entry["detail"] for entry in sso.do("accounts")["damaged"])
    assert sso.run("doctor").status == BAD_INPUT
    for entry in damaged:
        assert sso.run("damaged remove", entry["id"], "--yes").status == DONE
    assert sso.do("damaged list")["damaged"] == [] and len(search(bus, group=group, kind="credentials")) == 1
    check_works()


# Markers that this version does not understand.


MARKERS = {
    "newer": lambda group: marker(group, format=2, more={"kept": True}),
    "newer, of an unknown placement": lambda group: marker(group, format=2, placement="sharded"),
    "newer, without a name": lambda group: marker(group, format=2, name=None),
    "another group's": lambda group: marker(f"{group}.x"),
    "no marker": lambda group: b"hello",
    "empty": lambda group: b"",
    "too large": lambda group: b'{"format": 1, "x": "' + b"x" * MIB + b'"}',
}


@pytest.fixture
def planted_marker(bus, group, plant):
    """Stores a marker: in the group's collection in the place of its own or beside it, or in another collection."""
    def store(place, content):
        if place == "in its place":
            [own] = search(bus, kind="group", group=group)
            own.set_secret(content)
        else:
            plant("group's" if place == "beside it" else place, "group", [content])

    return store


@pytest.mark.parametrize("name", MARKERS)
@pytest.mark.parametrize("place", ["in its place", "beside it", "login", "another"])
def test_a_marker_that_is_not_understood_stops_no_call(sso, bus, group, check_works, planted_marker, place, name):
    content = MARKERS[name](group)
    home = group_collection(bus, group).collection_path
    planted_marker(place, content)
    assert sso.run("token", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read").status == DONE
    assert sso.run("secret get", "--service", "imap").stdout == "s3cr3t"
    assert sso.run("secret get", "--service", "absent").status == 1
    cache, token = signed_in(client="new")
    sso.take(cache)
    assert sso.token("new", ADA.username, "mail.read")["access_token"] == token
    assert sso.run("secret set", "--service", "smtp", stdin=b"n3w").status == DONE
    for command in (["accounts"], ["export", "--format", "msal"], ["secret list"], ["group lock"], ["group unlock"],
                    ["group move"], ["damaged"], ["sign-out", "--account", ADA.username, "--client-id", "new", "--yes"]):
        assert sso.run(*command).status == DONE, command
    places = {item.item_path.rpartition("/")[0] for item in search(bus, group=group) if is_record(item)}
    assert places == {home}
    # A move removes a second marker that it understands, and an empty one.
    if content and (place, name) != ("login", "newer"):
        assert content in [item.get_secret() for item in search(bus, kind="group", group=group)]


@pytest.mark.parametrize("name", MARKERS)
@pytest.mark.parametrize("place", ["login", "another"])
def test_a_marker_that_is_not_understood_stops_no_first_sign_in(sso, bus, group, plant, place, name):
    plant(place, "group", [MARKERS[name](group)])
    assert sso.accounts() == []
    assert sso.run("secret get", "--service", "absent").status == 1
    cache, token = signed_in()
    sso.take(cache)
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == token
    [item] = search(bus, kind="credentials", group=group)
    assert item.item_path.startswith(group_collection(bus, group).collection_path)


@pytest.mark.parametrize("place, name", [
    (place, name) for place in ("in its place", "beside it", "login", "another") for name in MARKERS
    # A move removes a second marker that it understands.
    if name.startswith("newer") and (place, name) != ("login", "newer")
])
def test_only_the_groups_deletion_removes_a_newer_versions_marker(
        sso, bus, group, check_works, planted_marker, place, name):
    content = MARKERS[name](group)
    planted_marker(place, content)
    sso.take(signed_in(client="new")[0])
    sso.run("doctor", "--fix", "--yes")
    sso.run("group move")
    for command in (["accounts"], ["group lock"], ["group unlock"], ["sign-out", "--whole-group", "--yes"]):
        assert sso.run(*command).status == DONE, command
    assert content in [item.get_secret() for item in search(bus, kind="group", group=group)]


def test_a_record_of_a_newer_format_is_refused_by_itself(sso, bus, group, check_works, save):
    cache, token = signed_in(client="new")
    sso.take(cache)
    [item] = search(bus, kind="credentials", group=group, client_id="new")
    newer = json.loads(item.get_secret())
    newer["SecretStoreCache"]["format"] = 2
    item.set_secret(json.dumps(newer).encode())
    assert sso.fail(BAD_INPUT, "import", "--format", "msal", save(json.dumps(signed_in(client="new")[0]))) == "corruptItem"
    [damaged] = sso.do("accounts")["damaged"]
    assert "newer version" in damaged["detail"] and damaged["client_id"] == "new"
    assert json.loads(item.get_secret()) == newer
    check_works()


def is_record(item):
    return item.get_attributes()["kind"] not in ("group", "group-key")


# Locked collections of other programs with copies of records.


@pytest.mark.parametrize("restarts", [False, True], ids=["at once", "after a new login"])
@pytest.mark.parametrize("has_marker", [False, True], ids=["", "with a marker"])
@pytest.mark.parametrize("has_key", [False, True], ids=["", "with a key"])
@pytest.mark.parametrize("is_named", [False, True], ids=["another name", "the group's name"])
def test_a_locked_collection_stops_no_call_while_the_groups_own_opens(
        sso, group, daemon, check_works, is_named, has_key, has_marker, restarts):
    bus = secretstorage.dbus_init()
    collection = Keyrings(bus).make(group if is_named else f"{group}-locked", "own")
    for client in ("planted", CLIENT):
        store_item(bus, collection, b"hello", "credentials", group, home_account_id=ADA.identifier,
                   environment="login.windows.net", client_id=client)
    if has_marker:
        store_item(bus, collection, marker(group), "group", group)
    if has_key:
        store_item(bus, secretstorage.Collection(bus, LOGIN), b"hello", "group-key", group)
    collection.lock()
    bus.close()
    if restarts:
        daemon.restart()
    token = ["token", "--account", ADA.username, "--scope", "mail.read", "--client-id"]
    assert sso.run(*token, CLIENT).status == DONE
    assert sso.run(*token, "planted").status == INTERACTION_REQUIRED
    assert sso.run(*token, "nobody").status == INTERACTION_REQUIRED
    assert len(sso.accounts()) == 1
    assert sso.run("secret get", "--service", "absent").status == 1
    for client in ("new", "planted"):
        cache, secret = signed_in(client=client)
        sso.take(cache)
        assert sso.token(client, ADA.username, "mail.read")["access_token"] == secret
    diagnosis = sso.run("doctor")
    assert diagnosis.status == DONE and "group reset" not in diagnosis.stdout
    bus = secretstorage.dbus_init()
    collection = secretstorage.Collection(bus, collection.collection_path)
    assert collection.is_locked()
    Keyrings(bus).open(collection.collection_path, "own")
    collection.delete()
    bus.close()
