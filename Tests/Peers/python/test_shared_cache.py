# SPDX-License-Identifier: MIT
"""MSAL Python with an access group at Azure AD, beside the tool: clouds, families, tenants and clients."""

import threading
import time

import pytest

from group_apps import FIRST, OUTSIDER, SCOPE, SECOND, new_cache
from held_provider import PERSON, HeldProvider
from msal_apps import App
from people import ADA, GRACE, OTHER_TENANT, TENANT, base64url
from providers import AzureAD
from secret_items import search
from secretstorecache import AccessGroupTokenCache, InvalidArgumentError
from sso_cache import INTERACTION_REQUIRED
from unified_cache import CLIENT, access_token, cache_of, refresh_token, secrets, section


@pytest.fixture
def provider():
    return AzureAD(family=[FIRST, SECOND])


def test_a_sign_in_in_python_is_silent_in_the_tool_and_in_another_script(new_app, sso, kind):
    token = new_app(kind=kind).sign_in_with_browser(ADA, [SCOPE])
    assert sso.token(CLIENT, ADA.username, SCOPE)["access_token"] == token
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
    assert new_app("com.contoso.other", kind=kind).silent([SCOPE]) == token


@pytest.mark.parametrize("way", ["with_browser", "with_code", "with_device_code", "with_refresh_token"])
def test_every_way_to_sign_in_stores_the_account(new_app, sso, way):
    app = new_app()
    token = getattr(app, f"sign_in_{way}")(ADA, [SCOPE])
    assert app.cache.save_error is None
    assert sso.token(CLIENT, ADA.username, SCOPE)["access_token"] == token
    assert app.silent([SCOPE]) == token


@pytest.mark.parametrize("host", ["login.microsoftonline.com", "login.windows.net", "sts.windows.net"])
def test_an_account_under_any_host_of_the_cloud_is_found_without_the_network(new_app, sso, provider, host, kind):
    sso.take(provider.honoring(cache_of(access_token(SCOPE, environment=host), environment=host), ADA, CLIENT))
    app = new_app(kind=kind)
    # MSAL asks for the hosts of the cloud when it finds nothing under its own.
    if kind == "cache":
        app._app._get_instance_metadata = None
    assert [account["username"] for account in app.accounts()] == [ADA.username]
    assert app.silent([SCOPE])
    assert app.silent([SCOPE], force_refresh=True) in secrets(sso.give(), "AccessToken")
    assert len(secrets(sso.give(), "RefreshToken")) == 1


def test_two_tenants_and_two_people_have_their_own_tokens(new_app):
    home, guest = new_app(), new_app(tenant=OTHER_TENANT)
    tokens = [home.sign_in_with_browser(ADA, [SCOPE]), home.sign_in_with_browser(GRACE, [SCOPE])]
    assert [home.silent([SCOPE], person.username) for person in (ADA, GRACE)] == tokens
    other = guest.silent([SCOPE], ADA.username)
    assert other not in tokens and guest.silent([SCOPE], ADA.username) == other
    assert home.silent([SCOPE], ADA.username) == tokens[0]
    home.remove(GRACE.username)
    assert [account["username"] for account in home.accounts()] == [ADA.username]
    assert home.silent([SCOPE], ADA.username) == tokens[0]


def test_a_family_shares_its_refresh_token_until_the_last_client_signs_out(new_app, sso, provider):
    first, second = new_app(client=FIRST), new_app("com.contoso.second", client=SECOND)
    first.sign_in_with_browser(ADA, [SCOPE])
    token = second.silent([SCOPE])
    assert token and provider.token_requests[-1]["client_id"] == SECOND
    assert len(secrets(sso.give(), "RefreshToken")) == 1
    first.remove(ADA.username)
    assert first.accounts() == []
    assert second.silent([SCOPE]) == token
    assert second.silent([SCOPE], force_refresh=True)
    assert sso.token(SECOND, ADA.username, SCOPE)
    second.remove(ADA.username)
    assert not secrets(sso.give(), "RefreshToken") and not sso.accounts()


def test_entries_keep_the_form_of_the_key_that_another_msal_gave_them(new_app, sso, provider):
    cache = provider.honoring(cache_of(access_token(SCOPE, age=7200), client=FIRST), ADA, FIRST)
    account = f"{ADA.identifier}-login.microsoftonline.com"
    [refresh_token] = cache["RefreshToken"].values()
    refresh_token["family_id"] = "1"
    key = f"{account}-refreshtoken-1--"  # MSAL.NET's
    sso.take(cache | {"RefreshToken": {key: refresh_token}})
    assert new_app(client=FIRST).silent([SCOPE])
    assert provider.token_requests[-1]["refresh_token"] == refresh_token["secret"]
    after = sso.give()
    assert set(after["RefreshToken"]) == {key}
    assert after["RefreshToken"][key]["secret"] != refresh_token["secret"]


def test_a_sign_in_that_brings_a_family_token_replaces_the_clients_own(new_app, sso, provider):
    provider.family.clear()
    new_app(client=FIRST).sign_in_with_browser(ADA, [SCOPE])
    own = secrets(sso.give(), "RefreshToken")
    provider.family.update((FIRST, SECOND))
    new_app(client=FIRST).sign_in_with_browser(ADA, [SCOPE])
    [token] = sso.give()["RefreshToken"].values()
    assert token["family_id"] == "1" and token["secret"] not in own


def test_outside_azure_ad_a_family_in_the_response_leaves_the_token_to_the_client(bus, group):
    """Any provider can send `foci`, and the apps in Swift look for no family's token there."""
    provider = HeldProvider("https://localhost/staff")
    provider.changes = {"foci": "1"}
    provider.release()
    cache = new_cache(group, "com.contoso.report")
    app = App(provider, "desktop", cache, oidc_authority="https://localhost/staff")
    app.sign_in_with_browser(PERSON, ["api"])
    for scope in ("api.more", "api.most"):
        assert app.silent([scope])
    kinds = [item.get_attributes()["kind"] for item in search(bus, group=group) if b"RefreshToken" in item.get_secret()]
    assert kinds == ["credentials"]


def test_signing_out_leaves_the_tokens_of_other_clients(new_app, sso):
    own, other = new_app(), new_app("com.contoso.other", client=OUTSIDER)
    own.sign_in_with_browser(ADA, [SCOPE])
    token = other.sign_in_with_browser(ADA, [SCOPE])
    own.remove(ADA.username)
    assert own.accounts() == []
    assert other.silent([SCOPE]) == token
    assert sso.fail(INTERACTION_REQUIRED, "token", "--client-id", CLIENT, "--account", ADA.username,
                    "--scope", SCOPE) == "interactionRequired"
    assert sso.token(OUTSIDER, ADA.username, SCOPE)["access_token"] == token


def test_apps_of_one_client_sign_out_one_by_one(new_app, sso, kind):
    own, other = new_app(kind=kind), new_app("com.contoso.other", kind=kind)
    token = own.sign_in_with_browser(ADA, [SCOPE])
    assert other.silent([SCOPE]) == token
    if kind == "persistence":
        # It can't tell that a token was used, only that a token was stored.
        other.sign_in_with_browser(ADA, [SCOPE])
    own.remove(ADA.username)
    assert new_app(kind=kind).accounts() == []
    assert new_app("com.contoso.other", kind=kind).silent([SCOPE])
    other.remove(ADA.username)
    assert not secrets(sso.give(), "RefreshToken") and not sso.accounts()


def test_the_tools_sign_out_is_one_here(new_app, sso, kind):
    app = new_app(kind=kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    sso.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
    assert app.accounts() == []


def test_a_clients_own_token_is_shared_and_belongs_to_nobody(provider, group, sso):
    cache = new_cache(group, "com.contoso.service")
    event = {
        "client_id": CLIENT, "scope": ["https://graph/.default"], "environment": "login.microsoftonline.com",
        "token_endpoint": f"https://login.microsoftonline.com/{TENANT}/oauth2/v2.0/token",
        "grant_type": "client_credentials",
        "response": {"access_token": "s3cr3t-app", "expires_in": 3600, "token_type": "Bearer"}, "data": {},
    }
    cache.add(event)
    assert cache.save_error is None
    query = {"client_id": CLIENT, "environment": "login.microsoftonline.com", "realm": TENANT,
             "home_account_id": None}
    [token] = new_cache(group, "com.contoso.other").search("AccessToken", ["https://graph/.default"], query)
    assert token["secret"] == "s3cr3t-app" and not sso.accounts()


@pytest.mark.parametrize("member", [
    "requested_claims", "application_cache_identifier", "kid", "cache_partition", "user_assertion_hash"])
def test_a_token_that_only_the_swift_library_tells_apart_is_not_used(new_app, sso, provider, member):
    cache = cache_of(access_token(SCOPE, **{member: "x"}))
    sso.take(provider.honoring(cache, ADA, CLIENT))
    special = secrets(cache, "AccessToken")
    assert {new_app().silent([SCOPE])}.isdisjoint(special)
    assert special < secrets(sso.run("export", "--format", "msal").json, "AccessToken")


def test_a_sign_in_keeps_the_tokens_that_others_have_on_behalf_of_users(new_app, sso, provider):
    """A client of the family may have refresh tokens of its own for assertions."""
    hashes = [{"user_assertion_hash": name} for name in ("first", "second")]
    cache = cache_of(*(access_token(SCOPE, **each) for each in hashes), client=FIRST)
    cache["RefreshToken"] = section(*(refresh_token(client=FIRST, **each) for each in hashes))
    for token in cache["AccessToken"].values():
        token["client_id"] = FIRST
    sso.take(cache)
    assert new_app(client=FIRST).sign_in_with_browser(ADA, [SCOPE])
    exported = sso.give()
    for name in ("AccessToken", "RefreshToken"):
        assert len(secrets(cache, name)) == 2 and secrets(cache, name) < secrets(exported, name)


def test_an_access_token_from_before_the_clock_was_set_back_is_not_used(new_app, provider, kind, monkeypatch):
    """Nobody knows when it expires."""
    app = new_app("com.contoso.mail", kind=kind)
    with monkeypatch.context() as later:
        clock = time.time
        later.setattr(time, "time", lambda: clock() + 86_400)
        app.sign_in_with_browser(ADA, [SCOPE])
    requests = len(provider.token_requests)
    for _ in range(2):
        assert app.silent([SCOPE])
        assert len(provider.token_requests) == requests + 1


def test_a_response_for_another_account_is_not_stored(new_app, sso, provider):
    app = new_app()
    app.sign_in_with_browser(ADA, [SCOPE])
    before = sso.give()
    for grant in provider._grants.values():
        grant.person = GRACE
    app.silent([SCOPE], force_refresh=True)
    assert app.cache.save_error.code == "accountMismatch"
    after = sso.give()
    assert after["AccessToken"] == before["AccessToken"]
    assert [account["username"] for account in sso.accounts()] == [ADA.username]


@pytest.mark.parametrize("client", ["\ud800", "a\nb", "a\0b", "x" * 5000])
def test_an_identifier_that_cannot_be_stored_is_reported_at_once(new_app, group, client):
    cache = AccessGroupTokenCache(group)
    start = time.monotonic()
    cache.add({
        "client_id": client, "scope": [SCOPE], "environment": "login.microsoftonline.com", "data": {},
        "token_endpoint": f"https://login.microsoftonline.com/{TENANT}/oauth2/v2.0/token",
        "response": {"access_token": "s3cr3t-token", "expires_in": 3600,
                     "client_info": base64url({"uid": ADA.uid, "utid": ADA.utid})},
    })
    assert cache.save_error.code in ("invalidArgument", "corruptItem")
    assert "s3cr3t" not in str(cache.save_error) and time.monotonic() - start < 5
    new_app().sign_in_with_browser(ADA, [SCOPE])
    assert [account["username"] for account in cache.search("Account")] == [ADA.username]


def test_what_cannot_be_stored_is_returned_and_reported(new_app, provider, sso):
    app = new_app()
    response = provider.response
    provider.response = lambda *arguments: response(*arguments) | {"access_token": "s3cr3t-" + "x" * 1_700_000}
    assert app.sign_in_with_browser(ADA, [SCOPE]).startswith("s3cr3t-x")
    assert isinstance(app.cache.save_error, InvalidArgumentError)
    assert "s3cr3t" not in str(app.cache.save_error)
    provider.response = response
    app.sign_in_with_browser(ADA, [SCOPE])
    assert app.cache.save_error is None


def test_nothing_is_lost_without_a_word_when_all_write_at_once(new_app, group, sso, kind, caplog):
    people = [ADA, GRACE]
    for person in people:
        new_app().sign_in_with_browser(person, [SCOPE])
    failures = []

    def work(number):
        try:
            app = new_app(f"com.contoso.app{number}", kind=kind if number % 2 else "cache")
            for turn in range(6):
                for person in people:
                    app.silent([f"scope{number}.{turn}"], person.username)
                if kind == "cache":
                    assert app.cache.save_error is None
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    sso.take(cache_of(access_token("imported", person=ADA, client=OUTSIDER), client=OUTSIDER))
    for thread in threads:
        thread.join(120)
    assert not failures
    whole = sso.give()
    wanted = {f"scope{number}.{turn}" for number in range(4) for turn in range(6)}
    lost = [
        each for person in people for each in
        wanted - {scope for entry in entries_of(whole, person) for scope in entry["target"].split()}]
    # A persistence waits for a few seconds only, because MSAL has a lock meanwhile, and then logs that it stored nothing.
    unsaved = [record for record in caplog.records if "did not store" in record.getMessage()]
    assert len(lost) <= len(unsaved), lost
    assert kind == "persistence" or not lost
    assert "imported" in {entry["target"] for entry in entries_of(whole, ADA)}


def entries_of(cache, person):
    return [entry for entry in cache["AccessToken"].values() if entry["home_account_id"] == person.identifier]
