# SPDX-License-Identifier: MIT
"""Items that other programs write under the library's attributes: reported, never followed, never changed."""

import json
import os
import pty
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
import secretstorage

from keyrings import LOGIN, Keyrings
from people import ADA, GRACE
from secret_items import collection_of, group_collection, search, share, store_item
from sso_cache import BAD_INPUT, DONE, INTERACTION_REQUIRED, LOCKED_OR_TIMED_OUT, UNRECOVERABLE, SSOCache
from unified_cache import CLIENT, signed_in

SESSION = "/org/freedesktop/secrets/collection/session"
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
    "another user's cache": json.dumps(signed_in(person=GRACE)[0]).encode(),
}


@pytest.fixture(params=CONTENTS.values(), ids=CONTENTS.keys())
def content(request):
    return request.param


@pytest.fixture
def home(sso, bus, group):
    """The group's own collection; a client without planted items is signed in."""
    sso.take(signed_in(client="bystander")[0])
    return group_collection(bus, group)


def by_identifier(command):
    return [ADA.identifier if word == ADA.username else word for word in command]


def stored(bus, item):
    return secretstorage.Item(bus, item.item_path).get_secret()


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
def test_a_planted_document_in_the_login_collection_is_left_unchanged(
    sso, bus, group, home, save, name
):
    content = CONTENTS[name]
    login = secretstorage.get_collection_by_alias(bus, "login")
    planted = store_item(bus, login, content, "credentials", group, **OWNER)
    try:
        file = save(json.dumps(signed_in()[0]))
        assert sso.fail(BAD_INPUT, "import", "--format", "msal", file) == "corruptItem"
        assert len(sso.do("accounts")["damaged"]) == 1
        assert stored(bus, planted) == content
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
    assert check["status"] == "error" and CLIENT in check["detail"]
    assert stored(bus, planted) == MOVED


def test_a_sign_out_does_not_change_a_moved_document(sso, bus, group, home):
    planted = store_item(bus, home, MOVED, "credentials", group, **OWNER)
    sso.run("sign-out", "--account", ADA.username, "--everywhere", "--yes", "--json")
    assert stored(bus, planted) == MOVED


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
    assert all(check["status"] != "error" for check in checks(sso))
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
def test_a_planted_item_of_another_kind_is_ignored(sso, bus, group, home, save, kind):
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


# Planted markers: new items go into the group's own collection, whatever the markers state.


@dataclass(frozen=True)
class Plant:
    """A collection of another program with a marker of the group in it."""

    label: str = "aaa"
    # OURS is the group's own password, which any program can read.
    password: str = ""
    placement: str = "dedicated"
    # The group that the marker names.
    publisher: str = ""
    # Whether a second password of the group is planted in the login collection.
    has_key: bool = False
    # Whether it has the right name; the real one is random in each test.
    is_named: bool = False

    def make(self, bus, group):
        keyrings = Keyrings(bus)
        [*keys] = search(bus, kind="group-key", group=group)
        password = keys[0].get_secret().decode() if self.password == OURS else self.password
        collection = keyrings.make(group if self.is_named else f"{group}-{self.label}", password)
        marker = {"name": group, "publisher": self.publisher, "placement": self.placement, "format": 1}
        store_item(bus, collection, json.dumps(marker).encode(), "group", group)
        if self.has_key:
            stem = stem_of(collection)
            store_item(bus, login_of(bus), password.encode(), "group-key", group, keyring=f"LOCAL:/keyrings/{stem}.keyring")
        return collection


OURS = "ours"
PLANTS = {
    "no password": Plant(),
    "a password of its own": Plant(password="own"),
    "the group's password": Plant(password=OURS),
    "a password of its own, in login": Plant(password="own", has_key=True),
    "the right name and no password": Plant(is_named=True),
    "the right name and a password of its own": Plant(password="own", is_named=True),
    "a shared marker and no password": Plant(placement="shared"),
    "a shared marker, the right name and no password": Plant(placement="shared", is_named=True),
    "another publisher's marker": Plant(publisher="contoso"),
    "a marker that is none": Plant(placement="elsewhere"),
}
# Equal in all respects to a group's own collection: the two cannot be distinguished.
INDISTINGUISHABLE = {
    "the right name and the group's password": Plant(password=OURS, is_named=True),
    "the right name and a password of its own, in login": Plant(password="own", is_named=True, has_key=True),
}


def login_of(bus):
    return secretstorage.get_collection_by_alias(bus, "login")


def stem_of(collection):
    name = collection.collection_path.rpartition("/")[2]
    return re.sub(r"_([0-9a-f]{2})", lambda match: chr(int(match[1], 16)), name)


def file_of(collection):
    return Path(os.environ["XDG_DATA_HOME"]) / f"keyrings/{stem_of(collection)}.keyring"


def places_of(bus, group, **attributes):
    return {item.item_path.rpartition("/")[0] for item in search(bus, kind="credentials", group=group, **attributes)}


def is_encrypted(collection):
    return file_of(collection).read_bytes().startswith(b"GnomeKeyring")


@pytest.fixture
def planted_in(bus, group):
    """Creates a planted collection, and removes it afterwards with the items planted in login for it."""
    made = []

    def make(planted):
        made.append(planted.make(bus, group))
        return made[-1]

    yield make
    connection = secretstorage.dbus_init()
    for collection in made:
        try:
            secretstorage.Collection(connection, collection.collection_path).delete()
        except secretstorage.SecretStorageException:
            pass
    for item in search(connection, group=group):
        if item.item_path.startswith(LOGIN):
            item.delete()
    connection.close()


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
    # An empty one with the group's name counts as a leftover of two apps that created the group at once.
    if not PLANTS[name].is_named:
        assert planted in {collection.collection_path for collection in secretstorage.get_all_collections(bus)}
    bus.close()


@pytest.mark.parametrize("placement", ["dedicated", "shared", "elsewhere"])
@pytest.mark.parametrize("place", ["the login collection", "the session's collection", "the group's collection"])
def test_no_marker_planted_in_an_existing_collection_moves_a_group(sso, bus, group, home, place, placement):
    collection = {
        "the login collection": login_of(bus), "the group's collection": home,
        "the session's collection": secretstorage.Collection(bus, SESSION),
    }[place]
    marker = {"name": group, "publisher": "", "placement": placement, "format": 1}
    planted = store_item(bus, collection, json.dumps(marker).encode(), "group", group)
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


def checks(sso):
    done = subprocess.run(sso.arguments("doctor", "--json"), env=sso.environment, stdout=subprocess.PIPE, timeout=60)
    return json.loads(done.stdout)["checks"]


@pytest.mark.parametrize("name", [name for name in PLANTS if "marker that is none" not in name and "publisher" not in name])
@pytest.mark.parametrize("loss", ["marker", "password", "both"])
def test_no_planted_marker_replaces_a_deleted_one(sso, bus, group, home, planted_in, save, name, loss):
    planted = planted_in(PLANTS[name])
    for kind in {"marker": ["group"], "password": ["group-key"], "both": ["group", "group-key"]}[loss]:
        for item in search(bus, kind=kind, group=group):
            if not item.item_path.startswith(planted.collection_path):
                item.delete()
    if loss == "both" and PLANTS[name].password == "own" and PLANTS[name].is_named:
        return  # then it is as a person makes it
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
    if outcome.status == BAD_INPUT:  # what can't be read is an error until doctor has removed it
        assert name in ("another publisher's marker", "a marker that is none")
        sso.run("doctor", "--fix", "--yes")
        outcome = sso.run("import", "--format", "msal", file)
    assert outcome.status == DONE
    [place] = places_of(bus, group)
    assert place != planted.collection_path or PLANTS[name].has_key
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


def test_the_first_save_uses_a_collection_that_the_user_created_for_the_group(sso, bus, group, planted_in):
    made = planted_in(PLANTS["the right name and a password of its own"])
    sso.take(signed_in()[0])
    assert places_of(bus, group) == {made.collection_path}


@pytest.mark.parametrize("name", [name for name in PLANTS if PLANTS[name].password != OURS])
def test_a_group_in_the_login_collection_stays_there(sso, bus, group, planted_in, save, name):
    marker = {"name": group, "publisher": "", "placement": "shared", "format": 1}
    store_item(bus, login_of(bus), json.dumps(marker).encode(), "group", group)
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


@pytest.mark.parametrize("keeps", [True, False], ids=["beside ours", "in the place of ours"])
def test_a_new_item_does_not_overwrite_a_copy_in_another_programs_collection(sso, bus, group, home, planted_in, keeps):
    sso.take(signed_in()[0])
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    planted = planted_in(Plant())
    newer = item.get_secret().replace(b'"revision":1', b'"revision":7')
    copy = planted.create_item("Copy", item.get_attributes(), newer)
    if not keeps:
        item.delete()
    cache, token = signed_in("mail.send")
    sso.take(cache)
    assert sso.do("token", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.send")[
        "access_token"] == token
    assert copy.get_secret() == newer
    assert home.collection_path in places_of(bus, group, client_id=CLIENT)


def test_a_copy_with_the_largest_revision_blocks_no_save(sso, bus, group, home):
    sso.take(signed_in()[0])
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    item.set_secret(item.get_secret().replace(b'"revision":1', b'"revision":9223372036854775807'))
    cache, token = signed_in("mail.send")
    sso.take(cache)
    assert sso.token(CLIENT, ADA.username, "mail.send")["access_token"] == token


@pytest.mark.parametrize("revision", [1, 100])
@pytest.mark.parametrize("name", PLANTS)
def test_a_copy_in_another_programs_collection_counts_only_where_the_group_has_none(
        sso, bus, group, home, planted_in, name, revision):
    cache, token = signed_in()
    sso.take(cache)
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    forged = forgery(item, token, revision)
    copy = planted_in(PLANTS[name]).create_item("Copy", item.get_attributes(), forged)

    def counts():
        assert sso.do(*TOKEN)["access_token"] == token
        assert "forged" not in sso.run("export", "--format", "msal").stdout
        assert [item.get_secret(), copy.get_secret()] == [real, forged]

    real = item.get_secret()
    counts()
    sso.run("doctor", "--fix", "--yes")
    counts()
    sso.take(signed_in("mail.send")[0])
    assert copy.get_secret() == forged and b"forged" not in item.get_secret()


@pytest.mark.parametrize("name", [name for name in PLANTS if not PLANTS[name].is_named])
def test_while_nothing_proves_the_groups_collection_a_copy_in_one_of_another_name_counts_for_nothing(
        sso, bus, group, home, planted_in, daemon, tmp_path, name):
    """As in a sandbox, which sees no keyring files, while the login collection is locked."""
    cache, token = signed_in()
    sso.take(cache)
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    planted_in(PLANTS[name]).create_item("Copy", item.get_attributes(), forgery(item, token, 100))
    login_of(bus).lock()
    blind = sso.with_environment(XDG_DATA_HOME=str(tmp_path))
    try:
        assert blind.do(*TOKEN)["access_token"] == token
        assert "forged" not in blind.run("export", "--format", "msal").stdout
    finally:
        daemon.restart()


def forgery(item, token, revision):
    """A document with another token and another revision."""
    return item.get_secret().replace(token.encode(), b"forged").replace(b'"revision":1', b'"revision":%d' % revision)


@pytest.mark.parametrize("revision", [1, 100])
@pytest.mark.parametrize("password", ["", "own"], ids=["no password", "a password of its own"])
def test_a_move_takes_no_copy_from_another_programs_collection(
        sso, bus, group, home, planted_in, password, revision):
    cache, token = signed_in()
    sso.take(cache)
    share(bus, group)
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    real, forged = item.get_secret(), forgery(item, token, revision)
    copy = planted_in(Plant(password=password, placement="shared")).create_item("Copy", item.get_attributes(), forged)
    assert sso.run("group move").status == DONE
    [own] = [each for each in search(bus, kind="credentials", group=group, client_id=CLIENT)
             if each.item_path != copy.item_path]
    assert own.item_path.startswith(f"{group_collection(bus, group).collection_path}/")
    assert [own.get_secret(), copy.get_secret()] == [real, forged]
    assert sso.do(*TOKEN)["access_token"] == token
    assert sso.do("group move") == {"moved": False}


@pytest.mark.parametrize("revision", [-2**63, 2**63 - 1])
def test_a_copy_with_an_extreme_revision_ends_no_diagnosis(sso, bus, group, home, revision):
    sso.take(signed_in()[0])
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    home.create_item(
        "Copy", item.get_attributes(), item.get_secret().replace(b'"revision":1', b'"revision":%d' % revision))
    assert sso.run("doctor").status == DONE
    sso.do("doctor", "--fix", "--yes")
    assert len(search(bus, kind="credentials", group=group, client_id=CLIENT)) == 1
    assert sso.run(*TOKEN).status == DONE


@pytest.mark.parametrize("kind", ["credentials", "family", "client", "group-data", "secret"])
def test_a_locked_item_in_another_programs_collection_affects_no_call(sso, bus, group, home, planted_in, kind):
    cache, token = signed_in()
    sso.take(cache)
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t")
    collection = planted_in(Plant(password="own"))
    store_item(bus, collection, b"hello", kind, group, **OWNER | {"key": "planted"})
    collection.lock()
    assert sso.do(*TOKEN)["access_token"] == token
    assert len(sso.accounts()) == 1
    assert sso.run("secret get", "--service", "imap").stdout == "s3cr3t"
    assert len(sso.do("secret list")["secrets"]) == 1
    newer, sent = signed_in("mail.send")
    sso.take(newer)
    sso.take(signed_in(client="another")[0])
    assert sso.token(CLIENT, ADA.username, "mail.send")["access_token"] == sent
    sso.do("group lock")
    assert sso.do(*TOKEN)["access_token"] == token
    assert all(check["status"] != "error" for check in checks(sso))
    sso.run("sign-out", "--client-id", CLIENT, "--account", ADA.username, "--yes")
    assert len(sso.accounts("--client-id", CLIENT)) == 0
    assert collection.is_locked()


@pytest.fixture
def locked_copies(sso, bus, group, planted_in):
    """Stores exact copies of all the group's records in a collection of another program, and locks it."""
    made = []

    def make(has_key):
        collection = planted_in(Plant(password="own"))
        for item in search(bus, group=group):
            if item.get_attributes()["kind"] not in ("group", "group-key"):
                collection.create_item("Copy", item.get_attributes(), item.get_secret())
        if has_key:
            store_item(bus, collection, b"key", "group-key", group)
        made.append((collection, contents_of(collection)))
        collection.lock()

    def contents_of(collection):
        # gnome-keyring adds a schema to an item without one.
        return {
            item.item_path: (item.get_attributes() | {"xdg:schema": ""}, item.get_secret())
            for item in collection.get_all_items()
        }

    yield make
    for collection, contents in made:
        is_locked = collection.is_locked()
        Keyrings(bus).open(collection.collection_path, "own")
        assert is_locked and contents_of(collection) == contents


@pytest.mark.parametrize("has_key", [False, True], ids=["without a key", "with a key"])
@pytest.mark.parametrize("command", [
    "token", "import", "export", "secret get", "secret set", "secret remove", "sign-out", "sign-out --everywhere",
    "sign-out --whole-group", "group lock", "group move", "doctor", "doctor --fix",
])
def test_locked_copies_in_another_programs_collection_stop_no_command(
        sso, bus, group, home, locked_copies, save, command, has_key):
    cache, token = signed_in()
    for entry in cache["RefreshToken"].values():
        entry["family_id"] = "1"
    sso.take(cache)
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t")
    if command == "group move":
        share(bus, group)
    locked_copies(has_key)
    newer, sent = signed_in("mail.send")
    if command == "doctor --fix":
        [item] = search(bus, kind="secret", group=group)[:1]
        collection_of(bus, item).create_item("Older", item.get_attributes(), item.get_secret())
    arguments = {
        "token": TOKEN, "import": ["import", "--format", "msal", save(json.dumps(newer))],
        "export": ["export", "--format", "msal"],
        "secret get": ["secret get", "--service", "imap"], "secret set": ["secret set", "--service", "imap"],
        "secret remove": ["secret remove", "--service", "imap"],
        "sign-out": ["sign-out", "--account", ADA.username, "--client-id", CLIENT, "--yes"],
        "sign-out --everywhere": ["sign-out", "--account", ADA.username, "--everywhere", "--yes"],
        "sign-out --whole-group": ["sign-out", "--whole-group", "--yes"], "doctor --fix": ["doctor", "--fix", "--yes"],
    }.get(command, [command])
    outcome = sso.run(*arguments, stdin=b"n3w" if command == "secret set" else None)
    assert outcome.status == (LOCKED_OR_TIMED_OUT if command.startswith("sign-out") else DONE), outcome
    if command.startswith("sign-out"):
        assert "Nothing else is left" in outcome.stderr
        assert sso.accounts("--client-id", CLIENT) == []
    else:
        assert sso.do(*TOKEN)["access_token"] == token
    if command == "import":
        assert sso.token(CLIENT, ADA.username, "mail.send")["access_token"] == sent
    if command == "group move":
        assert {LOGIN} & {item.item_path.rpartition("/")[0] for item in search(bus, kind="secret", group=group)} == set()
    if command == "secret remove":
        assert sso.do("secret list")["secrets"] == []
    else:
        assert sso.run("secret get", "--service", "imap").stdout == ("n3w" if command == "secret set" else "s3cr3t")
    assert all(check["status"] != "error" for check in checks(sso))


@pytest.mark.parametrize("command", ["doctor", "group unlock"])
def test_no_command_opens_a_planted_collection_without_a_password(sso, bus, group, home, planted_in, daemon, command):
    """A locked collection without a password accepts the group's password, and would then look like the group's own."""
    path = home.collection_path
    planted = planted_in(Plant(is_named=True)).collection_path
    bus.close()
    daemon.restart()
    sso.run(command)
    cache, token = signed_in()
    sso.take(cache)
    bus = secretstorage.dbus_init()
    assert places_of(bus, group) == {path}
    assert secretstorage.Collection(bus, planted).is_locked()
    assert sso.do(*TOKEN)["access_token"] == token


def test_deleting_a_group_names_the_locked_collection_that_stays(sso, bus, group, home, planted_in):
    collection = planted_in(Plant(password="own"))
    store_item(bus, collection, b"hello", "credentials", group, **OWNER)
    collection.lock()
    outcome = sso.run("group delete", "--yes")
    assert outcome.status == LOCKED_OR_TIMED_OUT
    assert "Nothing else is left" in outcome.stderr and collection.get_label() in outcome.stderr
    assert not [each for each in secretstorage.get_all_collections(bus) if each.get_label() == group]
    assert collection.is_locked()


# What is deleted with a group.


# gnome-keyring states the generic schema for an item without one.
@pytest.mark.parametrize("schema", ["com.other.Item", "org.freedesktop.Secret.Generic"])
@pytest.mark.parametrize("content", [b"precious", b""], ids=["text", "empty"])
@pytest.mark.parametrize("kind", ["credentials", "group", "group-key", "zzz"])
@pytest.mark.parametrize("place", ["the login collection", "the group's collection", "another collection"])
def test_an_item_with_another_programs_schema_is_neither_changed_nor_deleted(
        sso, bus, group, home, planted_in, place, kind, content, schema):
    cache, token = signed_in()
    sso.take(cache)
    collection = {
        "the login collection": login_of, "the group's collection": lambda _: home,
        "another collection": lambda _: planted_in(Plant(password="own")),
    }[place](bus)
    attributes = {"kind": kind, "group": group, "publisher": "", "application": "other", "xdg:schema": schema}
    planted = collection.create_item("Theirs", attributes, content)
    try:
        for command in (["doctor", "--fix", "--yes"], ["sign-out", "--whole-group", "--yes"], ["group delete", "--yes"]):
            if command[0] == "sign-out":
                assert sso.do(*TOKEN)["access_token"] == token
            sso.run(*command)
            assert (planted.get_label(), planted.get_attributes(), planted.get_secret()) == ("Theirs", attributes, content)
        # The password of a collection that stays, stays.
        left = [item for item in search(bus, group=group) if not item.get_label().startswith("Password of")]
        assert left == [planted]
    finally:
        planted.delete()


@pytest.mark.parametrize("schema", ["com.other.Item", "org.freedesktop.Secret.Generic"])
@pytest.mark.parametrize("content", ["text", "empty", "a document of another record"])
@pytest.mark.parametrize("place", ["the login collection", "the group's collection", "another collection"])
def test_no_command_changes_a_records_twin_with_another_programs_schema(
        sso, bus, group, home, planted_in, place, content, schema):
    sso.take(signed_in()[0])
    [credentials] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    document = {"text": b"precious", "empty": b"", "a document of another record": credentials.get_secret()}[content]
    sso.run("secret set", "--service", "imap", stdin=b"first")
    [item] = search(bus, kind="secret", group=group)
    attributes = item.get_attributes() | {"xdg:schema": schema}
    collection = {
        "the login collection": login_of, "the group's collection": lambda _: home,
        "another collection": lambda _: planted_in(Plant(password="own")),
    }[place](bus)
    planted = collection.create_item("Theirs", attributes, document)

    def is_unchanged():
        return (planted.get_label(), planted.get_attributes(), planted.get_secret()) == ("Theirs", attributes, document)

    try:
        for value in (b"second", b"third"):
            sso.run("secret set", "--service", "imap", stdin=value)
            assert sso.run("secret get", "--service", "imap").stdout == value.decode()
            assert is_unchanged()
            assert sso.run("secret remove", "--service", "imap").status == DONE
            assert is_unchanged()
        for command in (["doctor", "--fix", "--yes"], ["sign-out", "--whole-group", "--yes"], ["group delete", "--yes"]):
            sso.run(*command)
            assert is_unchanged()
    finally:
        planted.delete()


@pytest.mark.parametrize("command", ["group delete", "sign-out --whole-group", "doctor --fix"])
def test_a_document_of_a_record_counts_whatever_schema_its_item_names(sso, bus, group, home, command):
    """It is read and written, so it is removed, too."""
    sso.take(signed_in()[0])
    [item] = search(bus, kind="credentials", group=group, client_id=CLIENT)
    home.create_item(
        "Copy", item.get_attributes() | {"xdg:schema": "com.other.Item"},
        item.get_secret().replace(b'"revision":1', b'"revision":7'))
    cache, token = signed_in("mail.send")
    sso.take(cache)
    assert sso.token(CLIENT, ADA.username, "mail.send")["access_token"] == token
    assert sso.run(command, "--yes").status == DONE
    left = search(bus, kind="credentials", group=group, client_id=CLIENT)
    if command == "doctor --fix":
        assert [b'"revision":8' in each.get_secret() for each in left] == [True]
    else:
        assert left == []


@pytest.fixture
def bank(bus, group):
    """Another program's collection, with a password of a bank and a planted marker in it."""
    collection = Keyrings(bus).make(f"{group}-bank", "theirs")
    collection.create_item("Bank", {"application": "bank"}, b"1234")
    marker = {"name": group, "publisher": "", "placement": "dedicated", "format": 1}
    store_item(bus, collection, json.dumps(marker).encode(), "group", group)
    yield collection
    connection = secretstorage.dbus_init()
    collection = secretstorage.Collection(connection, collection.collection_path)
    Keyrings(connection).open(collection.collection_path, "theirs")
    assert [item.get_secret() for item in collection.get_all_items() if item.get_label() == "Bank"] == [b"1234"]
    collection.delete()
    connection.close()


def lose(bus, group, home):
    for key in search(bus, kind="group-key", group=group):
        key.delete()
    home.lock()


@pytest.mark.parametrize("is_locked", [False, True], ids=["open", "locked"])
@pytest.mark.parametrize("name", ["deleted", "made anew", "mended", "moved", "signed out"])
def test_another_programs_collection_with_a_planted_marker_remains(sso, bus, group, home, bank, name, is_locked):
    if is_locked:
        bank.lock()
    if name == "made anew":
        lose(bus, group, home)
    command = {
        "deleted": ["group delete", "--yes"], "made anew": ["group reset", "--yes"],
        "mended": ["doctor", "--fix", "--yes"], "moved": ["group move"],
        "signed out": ["sign-out", "--whole-group", "--yes"],
    }[name]
    assert sso.run(*command).status == DONE
    assert bank.collection_path in {found.collection_path for found in secretstorage.get_all_collections(bus)}
    sso.take(signed_in()[0])
    assert bank.collection_path not in places_of(bus, group)


@pytest.mark.parametrize("command", ["group delete", "group reset"])
def test_the_confirmation_prompt_names_what_is_removed_and_what_remains(sso, bus, group, home, bank, command):
    sso.take(signed_in()[0])
    lose(bus, group, home)
    count = len(list(home.get_all_items()))
    terminal, side = pty.openpty()
    os.write(terminal, b"n\n")
    done = subprocess.run(
        sso.arguments(command), env=sso.environment, stdin=side, capture_output=True, text=True, timeout=60)
    os.close(side)
    os.close(terminal)
    assert f"The collection {group} goes, with {count} items." in done.stderr
    assert f"The collection {group}-bank stays, with 2 items, of which 1 may go." in done.stderr
    assert home.collection_path in {found.collection_path for found in secretstorage.get_all_collections(bus)}


def test_an_open_collection_with_the_groups_name_remains_if_it_has_other_programs_items(sso, bus, group, home):
    bank = home.create_item("Bank", {"application": "bank"}, b"1234")
    assert sso.do("group delete", "--yes") == {"deleted": True}
    assert stored(bus, bank) == b"1234"
    # What stays can still be opened.
    assert [item.get_attributes()["kind"] for item in search(bus, group=group)] == ["group-key"]
    bank.delete()


@pytest.mark.parametrize("command", ["group delete", "group reset"])
def test_a_collection_with_the_groups_name_remains_if_it_has_other_programs_items(sso, bus, group, home, command):
    home.create_item("Bank", {"application": "bank"}, b"1234")
    lose(bus, group, home)
    assert sso.fail(UNRECOVERABLE, command, "--yes") == "groupUnrecoverable"
    assert home.collection_path in {found.collection_path for found in secretstorage.get_all_collections(bus)}


# Other groups' and programs' items under the library's attributes.


def relabelled(bus, item, **attributes):
    item.set_attributes({**item.get_attributes(), **attributes})
    return item.item_path


def test_removing_a_group_removes_no_other_groups_password(sso, bus, group, daemon):
    sso.take(signed_in()[0])
    other = SSOCache(sso.tool, f"{group}.other")
    other.take(signed_in(person=GRACE)[0])
    [password] = search(bus, kind="group-key", group=other.group)
    relabelled(bus, password, group=group)
    assert sso.do("group delete", "--yes") == {"deleted": True}
    daemon.restart()
    assert [account["username"] for account in other.accounts()] == [GRACE.username]
    other.do("group delete", "--yes")


@pytest.mark.parametrize("commands", [
    [["group move"]], [["group delete", "--yes"]], [["doctor", "--fix", "--yes"]],
    [["doctor", "--fix", "--yes"], ["group delete", "--yes"]],
    [["group reset", "--yes"]], [["sign-out", "--whole-group", "--yes"]], [["group create"]], [["group unlock"]],
    [["group lock"], ["group unlock"]],
], ids=lambda commands: " then ".join(command[0] for command in commands))
@pytest.mark.parametrize("kind", ["group", "group-key"])
@pytest.mark.parametrize("place", ["the login collection", "the group's collection"])
def test_an_item_with_only_a_markers_or_passwords_attributes_survives_every_group_command(
        sso, bus, group, home, commands, kind, place):
    collection = home if place == "the group's collection" else login_of(bus)
    diary = f"my only diary, {group}".encode()
    store_item(bus, collection, diary, kind, group)
    for command in commands:
        sso.run(*command)
    open_collections = [each for each in secretstorage.get_all_collections(bus) if not each.is_locked()]
    assert diary in [item.get_secret() for each in open_collections for item in each.get_all_items()]
