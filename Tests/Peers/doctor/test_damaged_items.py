# SPDX-License-Identifier: MIT
"""A damaged item affects no other account, and has a remedy of its own."""

import json
import re

import pytest
import secretstorage

from broken_setups import GROUP, IN_GROUP
from desktop_session import DesktopSession
from people import ADA, GRACE
from secret_items import group_collection, store_item, search
from sso_cache import BAD_INPUT, INTERACTION_REQUIRED, TOKEN_MARK, USAGE
from terminal import Terminal
from unified_cache import CLIENT, signed_in

HOST = "login.windows.net"
ACCOUNT = {"home_account_id": GRACE.identifier, "environment": HOST}
KINDS = {
    "credentials": ACCOUNT | {"client_id": CLIENT},
    "family": ACCOUNT | {"family_id": "1"},
    "client": {"environment": HOST, "client_id": CLIENT},
    "group-data": {"key": "imported"},
    "legacy": {"environment": HOST, "client_id": CLIENT, "key": "k"},
    "secret": {"key": "k"},
}
DAMAGES = {
    "text": b"hello",
    "cut short": json.dumps(signed_in(person=GRACE)[0]).encode()[:300],
    "of another record": b'{"SecretStoreCache": {"record": {"kind": "credentials", "client_id": "other"}}}',
    "over-large": b'{"x": "' + b"y" * 3_000_000,
    "of the wrong types": b'{"AccessToken": [], "Account": 7}',
    "binary": bytes(range(256)),
}


@pytest.fixture
def session(tool):
    session = DesktopSession(tool)
    try:
        yield session
    finally:
        session.end()


def tool_output(session, command, *arguments):
    return json.loads(session.sso(*command.split(), *arguments, IN_GROUP, "--json").stdout)


def damaged_item(session):
    [item] = tool_output(session, "damaged")["damaged"]
    return item


def names(session):
    return [account["username"] for account in tool_output(session, "accounts")["accounts"]]


EACH = [("credentials", damage) for damage in DAMAGES] + [
    (kind, damage) for kind in KINDS if kind != "credentials" for damage in ("text", "of another record")]


@pytest.mark.parametrize("kind, damage", EACH)
def test_doctor_names_a_damaged_item_and_its_remedy_keeps_all_others(session, kind, damage):
    cache, token = signed_in()
    session.sign_in(cache, IN_GROUP)
    with session.bus() as bus:
        planted = store_item(bus, group_collection(bus, GROUP), DAMAGES[damage], kind, GROUP, **KINDS[kind])

        def works():
            assert names(session) == [ADA.username]
            done = tool_output(
                session, "token", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read")
            assert done["access_token"] == token
            exported = session.sso("export", "--format", "msal", IN_GROUP)
            assert token in exported.stdout.decode()
            session.sso("export", "--format", "adal-python", IN_GROUP)
            session.sign_in(signed_in("mail.send")[0], IN_GROUP)
            return exported.stderr.decode()

        warning = works()
        # A list trusts a document that claims another key of its kind; doctor checks each item's attributes.
        if kind not in ("legacy", "secret") and (kind, damage) != ("credentials", "of another record"):
            assert "1 item" in warning and f"sso-cache doctor --fix --group {GROUP}" in warning
        diagnosis = session.doctor()
        check = diagnosis.checks[f"group-entries:{GROUP}"]
        assert (diagnosis.exit_status, check["status"]) == (BAD_INPUT, "error")
        assert check["remedy"] == f"sso-cache doctor --fix --group {GROUP}"
        if "client_id" in KINDS[kind]:
            assert CLIENT in check["detail"] and HOST in check["detail"]
        assert GRACE.identifier not in check["detail"] and GRACE.username not in check["detail"]
        before = damaged_item(session)
        assert (before["kind"], before["set_aside"]) == (kind, False)

        session.follow(check["remedy"])
        repaired = session.doctor()
        assert (repaired.exit_status, repaired.failing_checks) == (0, {})
        assert "sso-cache damaged" in repaired.checks[f"group-entries:{GROUP}"]["detail"]
        session.keyring("restart")
        assert works() == ""
        after = damaged_item(session)
        assert (after["id"], after["kind"], after["set_aside"]) == (before["id"], kind, True)
        assert session.sso("damaged", "export", before["id"], IN_GROUP).stdout == DAMAGES[damage]
        session.follow(f"sso-cache damaged remove {before['id']} {IN_GROUP}")
        assert tool_output(session, "damaged") == {"damaged": []}
    with session.bus() as bus:
        assert not [item for item in search(bus, group=GROUP) if item.item_path == planted.item_path]


def test_an_item_with_another_accounts_document_is_named(session):
    session.sign_in(signed_in()[0], IN_GROUP)
    with session.bus() as bus:
        [ada] = search(bus, kind="credentials", group=GROUP)
        store_item(bus, group_collection(bus, GROUP), ada.get_secret(), "credentials", GROUP, **KINDS["credentials"])
    listing = tool_output(session, "accounts")
    assert [account["username"] for account in listing["accounts"]] == [ADA.username]
    [damaged] = listing["damaged"]
    assert (damaged["client_id"], damaged["environment"]) == (CLIENT, HOST)
    assert session.doctor().exit_status == BAD_INPUT


def test_a_new_sign_in_succeeds_after_the_damaged_item_is_quarantined(session):
    graces, token = signed_in(person=GRACE)
    with_ada, _ = signed_in()
    session.sign_in(with_ada, IN_GROUP)
    with session.bus() as bus:
        planted = store_item(
            bus, group_collection(bus, GROUP), b"hello", "credentials", GROUP, **KINDS["credentials"])
    with pytest.raises(Exception) as refused:
        session.sign_in(graces, IN_GROUP)
    assert refused.value.returncode == BAD_INPUT
    assert token not in refused.value.stderr.decode()
    with session.bus() as bus:
        assert [item.get_secret() for item in search(bus, group=GROUP) if item == planted] == [b"hello"]
    session.sso("doctor", "--fix", "--yes", IN_GROUP)
    session.sign_in(graces, IN_GROUP)
    assert names(session) == sorted([ADA.username, GRACE.username])
    assert damaged_item(session)["set_aside"]


@pytest.mark.parametrize("moment", ["in place", "set aside"])
def test_removing_a_damaged_item_removes_nothing_else(session, moment):
    session.sign_in(signed_in()[0], IN_GROUP)
    with session.bus() as bus:
        store_item(bus, group_collection(bus, GROUP), b"hello", "credentials", GROUP, **KINDS["credentials"])
    if moment == "set aside":
        session.sso("doctor", "--fix", "--yes", IN_GROUP)
    session.sso("damaged", "remove", "--yes", damaged_item(session)["id"], IN_GROUP)
    assert tool_output(session, "damaged") == {"damaged": []}
    assert session.doctor().status == "ok"
    assert names(session) == [ADA.username]


@pytest.mark.parametrize("change", [{"group": "com.fabrikam.other"}, {"publisher": "fabrikam"}, {"kind": "secret"}],
                         ids=["group", "publisher", "kind"])
def test_an_item_that_becomes_anothers_during_the_question_stays(session, change):
    session.sign_in(signed_in()[0], IN_GROUP)
    with session.bus() as bus:
        item = store_item(bus, group_collection(bus, GROUP), b"hello", "credentials", GROUP, **KINDS["credentials"])
        terminal = Terminal(
            ["sso-cache", "damaged", "remove", damaged_item(session)["id"], IN_GROUP], session.environment)
        terminal.shows("[y/N]")
        item.set_attributes(item.get_attributes() | change)
        terminal.types("y\n")
        _, screen = terminal.end()
        assert "Removed." not in screen
        assert item.get_secret() == b"hello"


def test_a_damaged_item_is_named_without_its_account(sso, bus, group):
    sso.take(signed_in()[0])
    store_item(bus, group_collection(bus, group), b"hello", "credentials", group, **KINDS["credentials"])
    outcome = sso.run("accounts")
    assert outcome.status == 0 and ADA.username in outcome.stdout
    assert f"Sign-in for {CLIENT} at {HOST}" in outcome.stderr
    table = sso.run("damaged").stdout
    assert re.search(rf"^[0-9a-f]{{12}}\tSign-in for {CLIENT} at {HOST}\tin place", table, re.MULTILINE)
    for text in (outcome.stderr, table):
        assert GRACE.identifier not in text


def test_an_empty_item_of_a_markers_kind_is_removed_and_is_no_second_marker(sso, bus, group):
    sso.take(signed_in()[0])
    [record] = search(bus, kind="credentials", group=group)
    login = secretstorage.get_collection_by_alias(bus, "login")
    login.create_item("Other", record.get_attributes() | {"kind": "group"}, b"")
    sso.do("doctor", "--fix", "--yes")
    assert [item.get_label() for item in search(bus, group=group, kind="group") if item.get_label() == "Other"] == []
    assert sso.do("doctor")["status"] == "ok" and len(sso.accounts()) == 1


def test_an_account_in_a_damaged_item_is_signed_out_by_its_identifier_only(sso, bus, group):
    sso.take(signed_in()[0])
    store_item(bus, group_collection(bus, group), b"hello", "credentials", group, **KINDS["credentials"])
    token = ["token", "--client-id", CLIENT, "--account", GRACE.username, "--scope", "mail.read"]
    assert sso.fail(INTERACTION_REQUIRED, *token) == "interactionRequired"
    out = ["sign-out", "--everywhere", "--yes", "--account"]
    assert sso.fail(BAD_INPUT, *out, GRACE.username) == "corruptItem"
    assert sso.do(*out, GRACE.identifier) == {"signed_out": True}
    assert sso.do("damaged") == {"damaged": []}
    assert len(sso.accounts()) == 1


@pytest.mark.parametrize("kind", ["credentials", "family"])
@pytest.mark.parametrize("environment", [
    "https://login.microsoftonline.com", "https://login.windows.net/", " login.microsoftonline.com", "login.windows.net.", "https://", " "])
def test_a_damaged_item_with_an_odd_host_stands_in_nobodys_way_and_goes_by_its_remedy(sso, bus, group, save, environment, kind):
    cache = signed_in(person=GRACE)[0]
    sso.take(cache)
    owner = {"home_account_id": ADA.identifier, "environment": environment}
    owner |= {"client_id": CLIENT} if kind == "credentials" else {"family_id": "1"}
    item = store_item(bus, group_collection(bus, group), b"hello", kind, group, **owner)
    [damaged] = sso.do("damaged")["damaged"]
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]
    token = ["token", "--client-id", CLIENT, "--account", GRACE.identifier, "--scope", "mail.read"]
    assert sso.do(*token)["source"] == "cache"
    sso.do("import", "--format", "msal", save(json.dumps(cache)))
    assert sso.do("sign-out", "--everywhere", "--yes", "--account", GRACE.identifier) == {"signed_out": True}
    assert item.get_secret() == b"hello"
    sso.do("damaged remove", damaged["id"], "--yes")
    assert sso.do("damaged") == {"damaged": []} and search(bus, kind=kind, group=group, home_account_id=ADA.identifier) == []


def test_an_undamaged_item_is_neither_shown_nor_removed(sso, bus, group):
    sso.take(signed_in()[0])
    assert sso.do("damaged") == {"damaged": []}
    for command in ("damaged export", "damaged remove"):
        assert sso.fail(USAGE, command, "0" * 12, *(["--yes"] if "remove" in command else [])) == "invalidArgument"


def test_what_is_said_of_a_damaged_item_is_so_and_names_its_group(sso, bus, group):
    cache, _ = signed_in()
    sso.take(cache)
    [item] = search(bus, kind="credentials", group=group)
    item.set_secret(b"hello")
    missing = sso.run("token", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read")
    assert missing.status == INTERACTION_REQUIRED
    assert f"list them with sso-cache damaged --group {group}." in missing.stderr
    refused = sso.run("import", "--format", "msal", "-", stdin=json.dumps(cache).encode())
    assert refused.status == BAD_INPUT
    assert refused.stderr.startswith("sso-cache: Not changed, because it can't be read: 1 item"), refused


def test_quarantined_items_are_moved_and_removed_with_the_group(session):
    session.sign_in(signed_in()[0], IN_GROUP)
    with session.bus() as bus:
        store_item(bus, group_collection(bus, GROUP), b"hello", "credentials", GROUP, **KINDS["credentials"])
    session.sso("doctor", "--fix", "--yes", IN_GROUP)
    with session.bus() as bus:
        [key] = search(bus, kind="group-key", group=GROUP)
        key.delete()
    assert session.doctor("--fix", "--yes").status == "ok"
    before = damaged_item(session)
    assert session.sso("damaged", "export", before["id"], IN_GROUP).stdout == b"hello"
    session.sso("group", "delete", "--yes", IN_GROUP)
    with session.bus() as bus:
        assert search(bus, group=GROUP) == []


def test_a_forged_damaged_item_hides_nothing_and_is_shown_with_its_kind(session):
    """The kind of a quarantined item, planted by another program."""
    session.sign_in(signed_in()[0], IN_GROUP)
    keys = ["", "credentials", "damaged/x/", "nothing/x/", "credentials/\x1b[31m/", "group/x/y"]
    with session.bus() as bus:
        for key in keys:
            store_item(bus, group_collection(bus, GROUP), b"hello", "damaged", GROUP, key=key)
    assert names(session) == [ADA.username]
    table = session.sso("damaged", IN_GROUP).stdout
    assert b"\x1b" not in table and TOKEN_MARK.encode() not in table
    assert session.doctor().exit_status in (0, BAD_INPUT)
    session.sso("doctor", "--fix", "--yes", IN_GROUP)
    assert session.doctor().status == "ok"
    assert names(session) == [ADA.username]
