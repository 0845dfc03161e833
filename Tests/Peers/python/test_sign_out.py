# SPDX-License-Identifier: MIT
"""What a sign-out of MSAL Python removes from a group, and what it leaves to other clients and apps."""

import json
import time
from dataclasses import replace

import pytest

from group_apps import FIRST, SCOPE, SECOND, new_cache
from msal_apps import App
from people import ADA, GRACE
from planted import copy_with_higher_revision
from removals import records, tokens_left
from secret_items import search
from secretstorecache import AccessGroupTokenCache, CorruptItemError
from secretstorecache._documents import Document, RecordKey
from unified_cache import access_token, account, credential, refresh_token, signed_in

MAIL, CALENDAR = "com.contoso.mail", "com.contoso.calendar"


@pytest.fixture(params=["a browser", "its family"])
def second(request, provider, new_app):
    """Signs the second client in."""
    if request.param == "its family":
        provider.family = {FIRST, SECOND}

    def second():
        app = new_app(CALENDAR, SECOND, "persistence")
        if request.param == "its family":
            assert app.silent([SCOPE])
        else:
            app.sign_in_with_browser(ADA, [SCOPE])
        return app

    return second


def test_a_sign_out_removes_the_tokens_of_a_copy_that_another_program_has_made(sso, bus, group, new_app):
    """The agent knows where the original is."""
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    app.silent([SCOPE], force_refresh=True)
    copy_with_higher_revision(bus, group)
    app.remove(ADA.username)
    assert tokens_left(bus, group) == [] and sso.accounts() == []


@pytest.mark.parametrize("first", ["persistence", "cache", "import"])
@pytest.mark.parametrize("way", ["app", "tool"])
def test_a_clients_sign_out_leaves_the_account_to_the_other_client(
    sso, bus, group, provider, new_app, second, first, way
):
    app = new_app(MAIL, FIRST, "cache" if first == "import" else first)
    if first == "import" and not provider.family:
        sso.take(signed_in(client=FIRST)[0])
    else:
        app.sign_in_with_browser(ADA, [SCOPE])
    other = second()
    if way == "app":
        app.remove(ADA.username)
        assert app.accounts() == []
    else:
        sso.do("sign-out", "--account", ADA.username, "--client-id", FIRST, "--yes")
    assert [account["clients"] for account in sso.accounts()] == [[SECOND]]
    exported = App(provider, SECOND, json.dumps(sso.give()))
    for each in (other, new_app(CALENDAR, SECOND, "persistence"), new_app(CALENDAR, SECOND), exported):
        assert [account["username"] for account in each.accounts()] == [ADA.username]
        assert each.silent([SCOPE])


@pytest.mark.parametrize("is_family", [True, False], ids=["a family", "no family"])
def test_a_clients_sign_out_leaves_what_was_imported_of_another(sso, provider, new_app, kind, is_family):
    cache, _ = signed_in(SCOPE, client=SECOND)
    if is_family:
        provider.family = {FIRST, SECOND}
        for entry in (*cache["RefreshToken"].values(), *cache["AppMetadata"].values()):
            entry["family_id"] = "1"
    sso.take(provider.honoring(cache, ADA, SECOND))
    app = new_app(MAIL, FIRST, kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    app.remove(ADA.username)
    assert app.accounts() == []
    assert [account["clients"] for account in sso.accounts()] == [[SECOND]]
    other = new_app(CALENDAR, SECOND, kind)
    assert other.silent([SCOPE]) and other.silent([SCOPE], force_refresh=True)


def test_a_client_that_is_signed_out_has_no_token_although_its_app_has_another_client(
    sso, provider, group, new_app, kind
):
    cache = new_cache(group, MAIL, kind)
    one, other, another_app = App(provider, FIRST, cache), App(provider, SECOND, cache), new_app(CALENDAR, FIRST)
    for app in (one, other, another_app):
        app.sign_in_with_browser(ADA, [SCOPE])
    [account] = one.accounts()
    one.remove(ADA.username)
    for force_refresh in (False, True):
        assert one._app.acquire_token_silent([SCOPE], account, force_refresh=force_refresh) is None
    for app in (other, another_app):
        assert app.silent([SCOPE]) and app.silent([SCOPE], force_refresh=True)


def test_a_family_token_goes_although_a_client_of_no_family_has_the_account(sso, bus, group, provider, new_app):
    provider.family = {FIRST}
    app, other = new_app(MAIL, FIRST), new_app(CALENDAR, SECOND)
    for each in (app, other):
        each.sign_in_with_browser(ADA, [SCOPE])
    app.remove(ADA.username)
    assert search(bus, group=group, kind="family") == []
    assert other.silent([SCOPE], force_refresh=True)


def test_an_account_that_no_client_has_is_removed_with_entries_of_unknown_kinds(sso, bus, group, new_app, kind):
    sso.take({"Account": {"a": account()}, "RefreshToken": {"odd": credential("Odd", client=FIRST)}})
    app = new_app(MAIL, FIRST, kind)
    app.remove(ADA.username)
    assert app.accounts() == [] and held_by(bus, group, ADA.identifier) == []


def test_a_sign_out_is_seen_although_the_clock_was_set_back(new_app, kind, monkeypatch):
    """PersistedTokenCache compares the time of the latest change with its clock."""
    app, other = (new_app("com.contoso.mail", FIRST, each) for each in (kind, "cache"))
    for person in (ADA, GRACE):
        app.sign_in_with_browser(person, [SCOPE])
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() - 3600)
    for person in (ADA, GRACE):
        other.remove(person.username)
        assert person.username not in [account["username"] for account in app.accounts()]


def test_two_clients_in_one_process_sign_out_one_by_one(sso, provider, group, kind):
    cache = new_cache(group, MAIL, kind)
    one, other = App(provider, FIRST, cache), App(provider, SECOND, cache)
    for app in (one, other):
        app.sign_in_with_browser(ADA, [SCOPE])
    one.remove(ADA.username)
    assert [account["clients"] for account in sso.accounts()] == [[SECOND]]
    assert other.silent([SCOPE], force_refresh=True)
    other.remove(ADA.username)
    assert sso.accounts() == []


def test_a_sign_in_of_one_client_is_none_of_a_client_that_is_signed_out(sso, bus, group, new_app):
    for name, client in ((MAIL, FIRST), (CALENDAR, SECOND)):
        new_app(name, client, "persistence").sign_in_with_browser(ADA, [SCOPE])
    sso.do("sign-out", "--account", ADA.username, "--client-id", FIRST, "--yes")
    new_app(CALENDAR, SECOND, "persistence").sign_in_with_browser(ADA, [SCOPE])
    held = {
        item.get_attributes()["client_id"]: json.loads(item.get_secret())
        for item in records(bus, group, kind="credentials")
    }
    assert "Account" not in held[FIRST] and len(held[SECOND]["Account"]) == 1
    assert CALENDAR not in held[FIRST]["SecretStoreCache"]["apps"]


def test_a_client_that_was_signed_out_is_not_signed_in_again_by_its_family_token(sso, provider, new_app):
    provider.family = {FIRST, SECOND}
    new_app(MAIL, FIRST).sign_in_with_browser(ADA, [SCOPE])
    app = new_app(CALENDAR, SECOND)
    [account] = app.accounts()
    sso.do("sign-out", "--account", ADA.username, "--client-id", SECOND, "--yes")
    requests = len(provider.token_requests)
    for force_refresh in (False, True):
        assert app._app.acquire_token_silent([SCOPE], account, force_refresh=force_refresh) is None
    assert len(provider.token_requests) == requests
    assert [account["clients"] for account in sso.accounts()] == [[FIRST]]
    assert new_app(MAIL, FIRST).silent([SCOPE], force_refresh=True)
    # A sign-in is one all the same.
    app.sign_in_with_browser(ADA, [SCOPE])
    assert app.silent([SCOPE], force_refresh=True)


def test_a_renamed_user_has_the_new_name_after_a_sign_in_in_one_client(provider, new_app):
    apps = [new_app(name, client, "persistence") for name, client in ((MAIL, FIRST), (CALENDAR, SECOND))]
    for app in apps:
        app.sign_in_with_browser(ADA, [SCOPE])
    apps[1].sign_in_with_browser(replace(ADA, username="ada.king@contoso.com"), [SCOPE])
    for app in apps:
        assert [account["username"] for account in app.accounts()] == ["ada.king@contoso.com"]


def strange(person=ADA, client=FIRST):
    """A cache with entries of kinds that nobody knows, under a key and in a section of any name."""
    cache, _ = signed_in(person=person, client=client)
    cache["RefreshToken"][f"odd of {person.name}"] = credential("Odd", person, client=client)
    device = {"deep": credential("Device", person, client=client)}
    cache[f"Devices of {person.name}"] = {"list": [device, {"kept": [1, 2.50]}]}
    return cache


def held_by(bus, group, secret):
    """The kinds of the items that hold a text."""
    return [item.get_attributes()["kind"] for item in search(bus, group=group) if secret.encode() in item.get_secret()]


def test_entries_of_unknown_kinds_go_with_the_last_app_of_the_client(sso, bus, group, new_app, kind):
    sso.take(strange())
    sso.take(strange(GRACE))
    app, other = new_app(MAIL, FIRST, kind), new_app(CALENDAR, FIRST, kind)
    for each in (app, other):
        each.sign_in_with_browser(ADA, [SCOPE])
    app.remove(ADA.username)
    assert "group-data" in held_by(bus, group, ADA.identifier)
    other.remove(ADA.username)
    assert tokens_left(bus, group, home_account_id=ADA.identifier) == []
    assert "group-data" not in held_by(bus, group, ADA.identifier)
    assert "group-data" in held_by(bus, group, GRACE.identifier) and held_by(bus, group, "2.5")
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]
    assert [account["username"] for account in app.accounts()] == [GRACE.username]


def test_entries_in_another_persons_record_go_with_the_last_app_of_the_client(sso, bus, group, new_app, kind):
    sso.take(signed_in(client=FIRST)[0])
    sso.take(signed_in(person=GRACE, client=FIRST)[0])
    [item] = [item for item in records(bus, group, kind="credentials")
              if item.get_attributes()["home_account_id"] == GRACE.identifier]
    document = json.loads(item.get_secret())
    document["AccessToken"]["planted"] = access_token("planted.read", client=FIRST)
    # Another cache may write the port of https.
    document["RefreshToken"]["planted"] = token = refresh_token(client=FIRST)
    token["environment"] += ":443"
    document["Account"]["planted"] = account()
    document["Others"] = {"planted": credential("Odd", client=SECOND)}
    item.set_secret(json.dumps(document).encode(), "application/json")
    app = new_app(MAIL, FIRST, kind)
    app.remove(ADA.username)
    [left] = [json.loads(item.get_secret()) for item in records(bus, group, kind="credentials")
              if item.get_attributes()["home_account_id"] == GRACE.identifier]
    # What is another client's stays, and what names no client goes with the last entry that does.
    assert [name for name, section in left.items() if "planted" in section] == ["Account", "Others"]
    assert left["AccessToken"] and left["RefreshToken"] and left["SecretStoreCache"]["removals"] == 1
    new_app(CALENDAR, SECOND).sign_in_with_browser(ADA, [SCOPE])
    new_app(CALENDAR, SECOND).remove(ADA.username)
    assert held_by(bus, group, ADA.username) == []
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]
    assert app.silent(["mail.read"], GRACE.username)


def test_entries_in_the_groups_data_go_with_the_last_app_of_the_client(sso, bus, group, new_app, kind):
    app, other = new_app(MAIL, FIRST, kind), new_app(CALENDAR, FIRST, kind)
    for each in (app, other):
        each.sign_in_with_browser(ADA, [SCOPE])
    store = AccessGroupTokenCache(group)._store
    stays = {"account-hints", "keychain-object"}

    def plant(document):
        document.root["Things"] = {"ada": credential("Odd", client=FIRST), "other": credential("Odd", client=SECOND),
                                   "grace": credential("Odd", GRACE, client=FIRST)}
        return True

    for name in ("throttling", "unknown", *stays):
        store.update(RecordKey("group-data", key=name), plant)
    app.remove(ADA.username)
    data = {item.get_attributes()["key"]: item for item in search(bus, group=group, kind="group-data")}
    assert all(len(json.loads(item.get_secret())["Things"]) == 3 for item in data.values())
    other.remove(ADA.username)
    left = {name: list(json.loads(item.get_secret())["Things"]) for name, item in data.items()}
    assert left == {name: ["ada", "other", "grace"] if name in stays else ["other", "grace"] for name in left}


def test_a_record_that_cannot_be_read_keeps_no_other(sso, bus, group, new_app):
    sso.take(strange())
    other = new_app(CALENDAR, SECOND)
    other.sign_in_with_browser(ADA, [SCOPE])
    [item] = search(bus, group=group, kind="credentials", client_id=FIRST)
    item.set_secret(b"no JSON", "application/json")
    with pytest.raises(CorruptItemError):
        new_app(MAIL, FIRST).remove(ADA.username)
    assert "group-data" not in held_by(bus, group, ADA.identifier)
    assert item.get_secret() == b"no JSON"
    assert other.silent([SCOPE])


def test_entries_are_removed_at_any_depth_and_the_rest_stays():
    owned = {"home_account_id": "a", "secret": "s"}
    deep = owned
    for _ in range(5000):
        deep = {"in": [deep, {"home_account_id": "b"}]}
    section = {"kept": dict(owned), **owned}
    document = Document({"Deep": deep, "a": dict(owned), "SecretStoreCache": section, "Empty": {}})
    assert document.remove_owned(lambda entry: entry["home_account_id"] == "a")
    assert not document.has_owned(lambda entry: entry["home_account_id"] == "a")
    assert document.has_owned(lambda entry: entry["home_account_id"] == "b")
    assert document.root["SecretStoreCache"] == {"kept": owned, **owned} and document.root["Empty"] == {}
    assert not document.remove_owned(lambda entry: entry["home_account_id"] == "a")
