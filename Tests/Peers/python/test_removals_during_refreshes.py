# SPDX-License-Identifier: MIT
"""What a refresh of MSAL Python stores when the account is removed between its request and the response."""

import json

import pytest

from group_apps import FIRST, SCOPE, SECOND
from people import ADA, GRACE, TENANT
from providers import AzureAD
from removals import DELETE, EVERYWHERE, WHOLE_GROUP, tokens_left
from secret_items import search
from secretstorecache import AccessGroupTokenCache
from secretstorecache._documents import Document
from servers import AzureADServer
from sso_cache import INTERACTION_REQUIRED
from unified_cache import AAD, secrets, signed_in

MAIL, CALENDAR = "com.contoso.mail", "com.contoso.calendar"


def of_client(client):
    return ["sign-out", "--account", ADA.username, "--client-id", client, "--yes"]


REMOVALS = {
    "of the client": of_client, "everywhere": lambda _: EVERYWHERE, "of the whole group": lambda _: WHOLE_GROUP,
    "with the group": lambda _: DELETE, "by an import": None,
}


@pytest.fixture(params=[True, False], ids=["a family", "no family"])
def provider(request):
    return AzureAD(family=[FIRST, SECOND] if request.param else [])


@pytest.fixture
def remove(sso, save):
    """Removes Ada in one of the ways."""
    def remove(way, client):
        if REMOVALS[way] is None:
            sso.do("import", "--format", "msal", "--replace", "--yes",
                   save(json.dumps(signed_in(person=GRACE)[0]), "grace.json"))
        else:
            sso.do(*REMOVALS[way](client))

    return remove


def sign_out_of_all_records(bus, group):
    """As an import does that replaces: each record stays, and counts the sign-out."""
    for item in search(bus, group=group):
        if item.get_attributes()["kind"] in ("credentials", "family"):
            document = Document.parse(item.get_secret())
            document.sign_out()
            item.set_secret(document.serialized(), "application/json")


def assert_nothing_came_back(sso, bus, group):
    assert ADA.username not in [account["username"] for account in sso.accounts()]
    assert not [item for item in search(bus, group=group) if ADA.identifier.encode() in item.get_secret()
                and secrets(json.loads(item.get_secret()), "AccessToken")]
    assert [place for place in tokens_left(bus, group, home_account_id=ADA.identifier)] == []


def assert_says(app, code):
    """A persistence has no place for an error that does not end the call."""
    if isinstance(app.cache, AccessGroupTokenCache):
        assert (app.cache.save_error and app.cache.save_error.code) == code


@pytest.mark.parametrize("way", REMOVALS)
def test_a_removal_during_a_refresh_of_the_clients_token_stays_one(
    sso, bus, group, provider, new_app, remove, way, kind
):
    app = new_app(MAIL, FIRST, kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    provider.after_the_next_redemption(lambda _: remove(way, FIRST))
    assert app.silent([SCOPE], force_refresh=True)
    assert_says(app, "interactionRequired")
    assert_nothing_came_back(sso, bus, group)
    assert ADA.username not in [account["username"] for account in app.accounts()]
    assert bool(search(bus, group=group)) == (way != "with the group")
    assert app.sign_in_with_browser(ADA, [SCOPE]) == new_app(MAIL, FIRST, kind).silent([SCOPE], ADA.username)
    assert app.silent([SCOPE], ADA.username, force_refresh=True)
    assert_says(app, None)


@pytest.mark.parametrize("way", REMOVALS)
def test_a_removal_during_the_first_use_of_a_family_token_stays_one(
    sso, bus, group, provider, new_app, remove, way, kind
):
    provider.family = {FIRST, SECOND}
    new_app(MAIL, FIRST).sign_in_with_browser(ADA, [SCOPE])
    app = new_app(CALENDAR, SECOND, kind)
    spent = secrets(sso.give(), "RefreshToken")
    provider.after_the_next_redemption(lambda _: remove(way, SECOND))
    assert app.silent([SCOPE])
    assert_says(app, "interactionRequired")
    if way == "of the client":
        # The first client goes on, with the token that the refresh brought: the server has spent the other one.
        assert [account["clients"] for account in sso.accounts()] == [[FIRST]]
        assert secrets(sso.give(), "RefreshToken").isdisjoint(spent)
        assert new_app(MAIL, FIRST).silent([SCOPE], force_refresh=True)
    else:
        assert_nothing_came_back(sso, bus, group)


@pytest.mark.parametrize("is_signed_in_again", [True, False], ids=["again", "first"])
@pytest.mark.parametrize("is_first_use", [True, False], ids=["the first use", "a later use"])
def test_a_refusal_of_the_token_to_another_app_during_a_refresh_is_no_removal(
    sso, bus, group, provider, new_app, kind, is_first_use, is_signed_in_again, certificate, trust, tmp_path
):
    """The other app shares no runtime directory, and so no lease, and redeems the token that is spent by then."""
    app = new_app(MAIL, FIRST, kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    if is_signed_in_again:
        sign_out_of_all_records(bus, group)
        app = new_app(MAIL, FIRST, kind)
        app.sign_in_with_browser(ADA, [SCOPE])
    if provider.family and is_first_use:
        app = new_app(CALENDAR, SECOND, kind)
    with AzureADServer(provider, certificate) as server:
        alone = trust.online(sso, server).with_environment(XDG_RUNTIME_DIR=str(tmp_path))

        def refuse(_):
            provider.failure = 400, {"error": "invalid_grant", "suberror": "bad_token"}
            alone.fail(INTERACTION_REQUIRED, "token", "--client-id", FIRST, "--account", ADA.username,
                       "--scope", "Mail.Read", "--authority", f"https://{AAD}/{TENANT}")
            provider.failure = None
            assert secrets(sso.give(), "RefreshToken") == set()

        provider.after_the_next_redemption(refuse)
        token = app.silent(["Files.Read"])
    assert_says(app, None)
    assert token in secrets(sso.give(), "AccessToken")
    assert len(secrets(sso.give(), "RefreshToken")) == 1
    assert app.silent([SCOPE], force_refresh=True)


def test_a_family_token_that_comes_during_a_sign_out_goes_with_it(bus, group, provider, new_app, monkeypatch):
    provider.family = {FIRST}
    app = new_app(MAIL, FIRST)
    app.sign_in_with_browser(ADA, [SCOPE])
    [item] = search(bus, group=group, kind="family")
    with_token = item.get_secret()
    item.set_secret(json.dumps(json.loads(with_token) | {"RefreshToken": {}}).encode(), "application/json")
    agent = app.cache._store.group
    set_record = agent.set

    def set_after_refresh(key, version, content, deadline):
        if not content:
            monkeypatch.setattr(agent, "set", set_record)
            item.set_secret(with_token, "application/json")
        return set_record(key, version, content, deadline)

    monkeypatch.setattr(agent, "set", set_after_refresh)
    app.remove(ADA.username)
    assert agent.set is not set_after_refresh
    assert search(bus, group=group, kind="family") == []


def test_an_apps_sign_out_during_its_refresh_keeps_the_new_token_for_the_clients_other_apps(
    sso, provider, new_app, kind
):
    app, other = new_app(MAIL, FIRST, kind), new_app(CALENDAR, FIRST)
    app.sign_in_with_browser(ADA, [SCOPE])
    assert other.silent([SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    provider.after_the_next_redemption(lambda _: new_app(MAIL, FIRST).remove(ADA.username))
    assert app.silent([SCOPE], force_refresh=True)
    assert_says(app, "interactionRequired")
    assert app.accounts() == []
    assert secrets(sso.give(), "RefreshToken").isdisjoint(spent)
    assert other.silent([SCOPE], force_refresh=True) and other.cache.save_error is None
    # A sign-in is one all the same.
    assert app.sign_in_with_browser(ADA, [SCOPE])
    assert [account["username"] for account in app.accounts()] == [ADA.username]


def test_a_sign_out_between_the_two_records_of_a_family_refresh_is_found_afterwards(
    sso, bus, group, provider, new_app, monkeypatch
):
    """The new client has no record when the account is removed, so only the family's token shows it."""
    provider.family = {FIRST, SECOND}
    new_app(MAIL, FIRST).sign_in_with_browser(ADA, [SCOPE])
    app = new_app(CALENDAR, SECOND)
    agent = app.cache._store.group
    set_record = agent.set

    def set_after_sign_out(*arguments):
        monkeypatch.setattr(agent, "set", set_record)
        sso.do(*EVERYWHERE)
        return set_record(*arguments)

    monkeypatch.setattr(agent, "set", set_after_sign_out)
    assert app.silent([SCOPE])
    assert app.cache.save_error.code == "interactionRequired"
    assert_nothing_came_back(sso, bus, group)
    assert app.accounts() == []
