# SPDX-License-Identifier: MIT
"""The view of programs that do not know the library: items that they can find, without their owners'
names."""

import json
import os
import subprocess
from pathlib import Path

import pytest
import secretstorage

from keyrings import LOGIN
from msal_apps import App
from people import ADA, Person, TENANT
from planted import login_of
from providers import AzureAD, OpenIDProvider
from removals import copy_to
from secret_items import KEYS, SCHEMA, collection_of, digest, everything, group_collection, search
from servers import LoopbackServer
from sso_cache import INTERACTION_REQUIRED, TOKEN_MARK
from unified_cache import CLIENT, access_token, cache_of, section, signed_in

FAMILY_CLIENT = "1950a258-227b-4e31-a9cf-717495945fc2"

# No other name, user name or address contains this text.
MARK = "zarquon"
MARKED = Person(f"{MARK}@contoso.com", f"{MARK.title()} Prefect", "9f4880d8-80ba-4c40-97bc-f7a23c703084")
BY_ADDRESS = Person(f"{MARK}@example.org", f"{MARK.upper()}", f"{MARK}.mail@example.org")


@pytest.fixture
def full(sso, daemon, save):
    """A group with every kind of item that the tool writes, each written, changed and written again, for a
    user with a unique mark."""
    provider = AzureAD(family=[FAMILY_CLIENT])
    for client in (CLIENT, FAMILY_CLIENT):
        app = App(provider, client)
        app.sign_in_with_browser(MARKED, ["mail.read"])
        sso.take(app.serialized)
    ownerless = {
        "AppMetadata": section({"client_id": "lonely", "environment": "login.microsoftonline.com"}),
        "Account": signed_in(person=MARKED)[0]["Account"],
        "Unknown": {MARK: f"{MARK}@contoso.com"},
        f"{MARK}@contoso.com": {},
    }
    sso.take(ownerless)
    provider = OpenIDProvider()
    with LoopbackServer(provider) as server:
        cache = provider.cache_of_sign_in(BY_ADDRESS, "desktop", server.host, realm="")
        sso.take(cache)
        sso.token("desktop", BY_ADDRESS.uid, "api", options=["--authority", server.address])
        sso.token("desktop", BY_ADDRESS.username, "api")
    sso.do("sign-out", "--account", MARKED.username, "--client-id", CLIENT, "--yes")
    app = App(AzureAD())
    app.sign_in_with_browser(MARKED, ["mail.read"])
    sso.take(app.serialized, "--replace")
    sso.take(cache)
    sso.take(ownerless)
    return sso


def marks(text):
    """The marks of tokens and of the user that are in a text."""
    return [mark for mark in (TOKEN_MARK, MARK) if mark in text.lower()]


def test_secret_tool_finds_the_items_by_kind_and_group(sso, group):
    _, token = signed_in()
    sso.take(cache_of(access_token("mail.read", secret=token)))
    for kind in ("credentials", "group", "group-key"):
        found = subprocess.run(
            ["secret-tool", "search", "--all", "kind", kind, "group", group],
            capture_output=True, text=True, check=True, timeout=15,
        )
        attributes = found.stdout + found.stderr
        assert f"attribute.group = {group}" in attributes
        assert f"attribute.kind = {kind}" in attributes
        assert "schema = org.secretstorecache.Item" in attributes
    looked_up = subprocess.run(
        ["secret-tool", "lookup", "kind", "credentials", "group", group, "client_id", CLIENT],
        capture_output=True, text=True, check=True, timeout=15,
    )
    assert token in json.dumps(json.loads(looked_up.stdout))


@pytest.mark.every_provider
def test_secretstorage_finds_the_items_and_reads_a_unified_cache(sso, bus, group):
    cache, token = signed_in()
    sso.take(cache)
    [item] = search(bus, kind="credentials", group=group, home_account_id=ADA.identifier)
    document = json.loads(item.get_secret())
    assert [entry["secret"] for entry in document["AccessToken"].values()] == [token]
    assert item.get_secret_content_type() in ("application/json", "text/plain")  # gnome-keyring forgets it


# KeePassXC asks the person first.
def test_another_program_changes_and_deletes_what_is_in_an_unlocked_group(sso, bus, group):
    sso.take(signed_in()[0])
    token = ["token", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"]
    [item] = search(bus, kind="credentials", group=group)
    document = json.loads(item.get_secret())
    for entry in document["AccessToken"].values():
        entry["secret"] = f"{TOKEN_MARK}-of-another-program"
    item.set_secret(json.dumps(document).encode(), "application/json")
    assert sso.do(*token)["access_token"] == f"{TOKEN_MARK}-of-another-program"
    item.delete()
    assert sso.fail(INTERACTION_REQUIRED, *token) == "interactionRequired"


def test_a_group_is_listed_whose_marker_another_program_has_deleted(sso, bus, group):
    """Its records are in the login keyring, and its accounts are listed."""
    sso.take(signed_in()[0])
    copy_to(login_of(bus), search(bus, kind="credentials", group=group))
    group_collection(bus, group).delete()
    [key] = search(bus, group=group, kind="group-key")
    key.delete()
    assert sso.accounts()
    [listed] = [each for each in sso.do("groups")["groups"] if each["name"] == group]
    assert (listed["collection"], listed["placement"], listed["locked"]) == ("Login", None, False)
    sso.do("group delete", "--yes")
    assert group not in str(sso.do("groups"))


def test_a_deleted_group_is_gone_where_its_password_was_overwritten(sso, bus, group):
    sso.take(signed_in()[0])
    [key] = search(bus, group=group, kind="group-key")
    key.set_secret(b"hello")
    sso.do("group delete", "--yes")
    checks = json.loads(sso.run("doctor", "--json").stdout)["checks"]
    [check] = [each for each in checks if each["name"].endswith(f":{group}")]
    assert check["name"].startswith("group-lock:") and "There is no such group" in check["detail"]
    key.delete()


def test_secretstorage_finds_the_items_while_the_group_is_locked(sso, bus, group, daemon):
    sso.take(signed_in()[0])
    bus.close()
    daemon.restart()
    bus = secretstorage.dbus_init()
    items = search(bus, kind="credentials", group=group)
    assert len(items) == 1 and items[0].is_locked()
    bus.close()


@pytest.mark.every_provider
def test_no_attribute_and_no_label_has_a_token_a_name_or_an_address(full, bus, group):
    seen = 0
    for collection, item in everything(bus):
        for name, value in item.get_attributes().items():
            assert not marks(f"{name}={value}"), (item.get_label(), name)
            assert "@" not in value, (item.get_label(), name)
        assert not marks(item.get_label()) and "@" not in item.get_label()
        seen += item.get_attributes().get("group") == group
    for collection in secretstorage.get_all_collections(bus):
        assert not marks(collection.get_label())
    assert seen >= 5
    # The scan finds a mark where there is one.
    everything_stored = b"".join(item.get_secret() for item in search(bus, group=group))
    assert MARK.encode() in everything_stored and TOKEN_MARK.encode() in everything_stored


def test_every_kind_of_item_is_checked(full, bus, group):
    kinds = {item.get_attributes()["kind"] for item in search(bus, group=group)}
    assert kinds == {"group", "group-key", "credentials", "family", "client", "group-data"}


@pytest.mark.every_provider
def test_no_file_of_the_session_has_a_token_a_name_or_an_address_in_clear(full, bus, group, daemon):
    """The files include the keyrings, the lock files and the daemon's and the bus's logs."""
    daemon.restart()
    session = Path(os.environ["SSC_SESSION_DIR"])
    contents = {}
    for path in session.rglob("*"):
        try:
            if path.is_file():
                contents[path] = path.read_bytes().lower()
        except FileNotFoundError:  # a lock file, or a temporary one
            continue
    home, data = Path(os.environ["HOME"]), Path(os.environ["XDG_DATA_HOME"])
    keyring = {
        "gnome-keyring": data / "keyrings" / f"{group}.keyring",
        "kwallet": data / "kwalletd" / "kdewallet.kwl",
        "keepassxc": home / "Passwords.kdbx",
    }[os.environ["SSC_PROVIDER"]]
    assert keyring in contents
    for path, content in contents.items():
        for mark in (MARK, TOKEN_MARK):
            assert mark.encode() not in content, path
            assert mark.encode("utf-16-le") not in content, path
            assert mark not in path.name.lower(), path


@pytest.mark.every_provider
def test_an_account_id_that_is_an_address_is_stored_as_its_digest(sso, bus, group):
    identifier = BY_ADDRESS.uid
    sso.take(signed_in(person=BY_ADDRESS, identifier=identifier, environment="id.example.org")[0])
    [item] = search(bus, kind="credentials", group=group)
    assert item.get_attributes()["home_account_id"] == digest(identifier)
    assert sso.accounts()[0]["identifier"] == identifier


@pytest.mark.every_provider
@pytest.mark.parametrize(
    "identifier",
    ["Zarquon", "zarquon@example.org.f645ad92-e38d-4d1a-b510-d1b09a74a8ca", "+1 555 0100", "uid.utid",
     "f645ad92-e38d-4d1a-b510-d1b09a74a8ca.zarquon@example.org",
     "f645ad92-e38d-4d1a-b510-d1b09a74a8ca-b2c_1_zarquon@example.org.f645ad92-e38d-4d1a-b510-d1b09a74a8ca",
     "x" * 5000, "Ünïcode-zarquon"],
)
def test_any_identifier_except_azure_ads_is_stored_as_its_digest(sso, bus, group, identifier):
    sso.take(signed_in(identifier=identifier, environment="id.example.org")[0])
    [item] = search(bus, kind="credentials", group=group)
    assert item.get_attributes()["home_account_id"] == digest(identifier)


@pytest.mark.every_provider
def test_azure_ads_identifier_is_stored_verbatim_in_lower_case(sso, bus, group):
    for identifier in (ADA.identifier.upper(), f"{ADA.uid}-B2C_1_SignIn.{TENANT}"):
        sso.take(signed_in(identifier=identifier)[0])
        assert len(search(bus, group=group, home_account_id=identifier.lower())) == 1


# The set of attributes.


def test_every_item_has_exactly_the_fixed_attributes(full, bus, group):
    items = search(bus, group=group)
    for item in items:
        attributes = item.get_attributes()
        extra = {"keyring"} if attributes["kind"] == "group-key" else set()
        assert set(attributes) == KEYS | {SCHEMA} | extra, attributes["kind"]
        assert attributes[SCHEMA] == "org.secretstorecache.Item"
        assert attributes["publisher"] == ""


@pytest.mark.every_provider
def test_the_environment_is_one_canonical_host_for_a_cloud(sso, bus, group):
    for host in ("login.microsoftonline.com", "login.windows.net", "sts.windows.net", "LOGIN.Microsoft.com"):
        sso.take(signed_in(environment=host)[0])
    [item] = search(bus, kind="credentials", group=group)
    assert item.get_attributes()["environment"] == "login.windows.net"


@pytest.mark.every_provider
def test_the_publisher_attribute_separates_groups_with_one_name(sso, bus, group, daemon):
    tokens = {}
    for publisher in ("contoso", "fabrikam"):
        cache, tokens[publisher] = signed_in()
        sso.take(cache, "--publisher", publisher)
    bus.close()
    daemon.restart()
    for publisher, token in tokens.items():
        found = sso.token(CLIENT, ADA.username, "mail.read", options=["--publisher", publisher])
        assert found["access_token"] == token
    assert sso.accounts() == []
    connection = secretstorage.dbus_init()
    for publisher in tokens:
        markers = search(connection, kind="group", group=group, publisher=publisher)
        assert len(markers) == 1
    connection.close()


def test_the_groups_items_are_in_its_collection_and_its_password_in_the_login_collection(
    full, bus, group
):
    own = group_collection(bus, group)
    for item in search(bus, group=group):
        expected = LOGIN if item.get_attributes()["kind"] == "group-key" else own.collection_path
        assert collection_of(bus, item).collection_path == expected
