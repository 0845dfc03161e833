# SPDX-License-Identifier: MIT
"""MSAL Python reads the tool's exports, and the tool imports MSAL Python's caches."""

import json

import msal
import pytest

from msal_apps import App
from people import ADA, GRACE, OTHER_TENANT, TENANT, Person, new_token
from providers import AzureAD, HTTPClient, OpenIDProvider
from servers import LoopbackServer
from sso_cache import INTERACTION_REQUIRED
from unified_cache import CLIENT, assert_same, cache_of, access_token, secrets, signed_in

FAMILY_CLIENT = "1950a258-227b-4e31-a9cf-717495945fc2"
FAMILY_SIBLING = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"

WAYS_TO_SIGN_IN = [
    App.sign_in_with_browser,
    App.sign_in_with_code,
    App.sign_in_with_device_code,
    App.sign_in_with_refresh_token,
]


# Imports of MSAL Python's caches.


@pytest.mark.parametrize("sign_in", WAYS_TO_SIGN_IN, ids=lambda way: way.__name__)
def test_msal_pythons_token_is_found_after_the_import(sso, sign_in):
    app = App(AzureAD())
    token = sign_in(app, ADA, ["mail.read"])
    sso.take(app.serialized)

    result = sso.token(CLIENT, ADA.username, "mail.read")

    assert result["access_token"] == token
    assert result["source"] == "cache"
    assert "mail.read" in result["scopes"]
    assert result["account"]["identifier"] == ADA.identifier


@pytest.mark.parametrize("tenant", ["common", "organizations"])
def test_msal_pythons_token_at_the_tenantless_authority_is_found(sso, tenant):
    """MSAL Python's default is `common`, the Azure CLI's `organizations`; its entries have that word as the
    realm, and not the token's tenant."""
    app = App(AzureAD(), tenant=tenant)
    token = app.sign_in_with_browser(ADA, ["mail.read"])
    sso.take(app.serialized)

    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == token
    assert sso.accounts()[0]["username"] == ADA.username


@pytest.mark.parametrize("tenant", ["common", "organizations"])
def test_msal_python_finds_its_own_token_again_at_the_tenantless_authority(sso, tenant):
    first = App(AzureAD(), tenant=tenant)
    token = first.sign_in_with_browser(ADA, ["mail.read"])
    sso.take(first.serialized)
    provider = AzureAD()
    assert App(provider, cache=sso.give(), tenant=tenant).silent(["mail.read"]) == token
    assert provider.token_requests == []


def test_an_imported_token_is_found_by_account_identifier_and_by_user_name_in_any_case(sso):
    app = App(AzureAD())
    token = app.sign_in_with_browser(ADA, ["mail.read"])
    sso.take(app.serialized)
    for name in (ADA.identifier, ADA.identifier.upper(), ADA.username, ADA.username.upper()):
        assert sso.token(CLIENT, name, "mail.read")["access_token"] == token


def test_two_accounts_in_one_cache_stay_two(sso):
    app = App(AzureAD())
    tokens = {person: app.sign_in_with_browser(person, ["mail.read"]) for person in (ADA, GRACE)}
    sso.take(app.serialized)

    accounts = sso.accounts()

    assert [account["username"] for account in accounts] == [ADA.username, GRACE.username]
    assert [account["identifier"] for account in accounts] == [ADA.identifier, GRACE.identifier]
    assert all(account["clients"] == [CLIENT] for account in accounts)
    for person, token in tokens.items():
        assert sso.token(CLIENT, person.username, "mail.read")["access_token"] == token


def test_each_tenant_of_an_account_keeps_its_own_token(sso):
    provider = AzureAD()
    home = App(provider)
    home_token = home.sign_in_with_browser(ADA, ["mail.read"])
    guest_token = access_token("mail.read", realm=OTHER_TENANT)
    sso.take(home.serialized)
    sso.take(cache_of(guest_token, realm=OTHER_TENANT))

    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == home_token
    guest = sso.token(CLIENT, ADA.username, "mail.read", options=["--tenant", OTHER_TENANT])
    assert guest["access_token"] == guest_token["secret"]
    [account] = sso.accounts()
    assert sorted(account["tenants"]) == sorted([ADA.utid, OTHER_TENANT])


def test_a_scope_that_was_not_granted_needs_interaction(sso):
    app = App(AzureAD())
    app.sign_in_with_browser(ADA, ["mail.read"])
    sso.take(app.serialized)
    arguments = ["--client-id", CLIENT, "--account", ADA.username, "--scope"]
    assert sso.fail(INTERACTION_REQUIRED, "token", *arguments, "mail.send") == "interactionRequired"


# Exports to MSAL Python.


def test_msal_python_finds_an_exported_token_silently_and_without_the_network(sso):
    first = App(AzureAD())
    token = first.sign_in_with_browser(ADA, ["mail.read"])
    sso.take(first.serialized)

    provider = AzureAD()
    second = App(provider, cache=sso.give())

    assert [account["username"] for account in second.accounts()] == [ADA.username]
    assert second.silent(["mail.read"]) == token
    assert provider.token_requests == []


def test_msal_python_refreshes_with_an_exported_refresh_token(sso):
    provider = AzureAD()
    first = App(provider)
    old = first.sign_in_with_browser(ADA, ["mail.read"])
    sso.take(first.serialized)

    second = App(provider, cache=sso.give())
    token = second.silent(["mail.read"], force_refresh=True)

    assert token and token != old
    handed_in = provider.token_requests[-1]["refresh_token"]
    assert handed_in in secrets(sso.give(), "RefreshToken")


def test_msal_pythons_own_call_finds_an_exported_token_of_the_client_without_a_request(sso):
    scopes = ["https://graph.microsoft.com/.default"]

    class Service(AzureAD):
        def _token(self, url, form):
            assert form["grant_type"] == "client_credentials"
            return 200, {"token_type": "Bearer", "expires_in": 3600, "access_token": new_token("app")}

    def acquire(cache, provider):
        app = msal.ConfidentialClientApplication(
            CLIENT, "a secret", f"https://login.microsoftonline.com/{TENANT}", token_cache=cache,
            http_client=HTTPClient(provider))
        return app.acquire_token_for_client(scopes)["access_token"]

    first, second = msal.SerializableTokenCache(), msal.SerializableTokenCache()
    token = acquire(first, Service())
    sso.take(first.serialize())
    second.deserialize(json.dumps(sso.give()))

    provider = Service()
    assert acquire(second, provider) == token
    assert provider.token_requests == []
    assert sso.accounts() == []


def test_msal_python_finds_a_token_that_net_wrote_under_the_clouds_other_host(sso):
    cache, token = signed_in("mail.read", environment="login.windows.net")
    sso.take(cache)
    provider = AzureAD()
    app = App(provider, cache=sso.give())
    assert app.silent(["mail.read"]) == token
    assert provider.token_requests == []


def test_msal_python_sees_two_accounts_as_two(sso):
    first = App(AzureAD())
    tokens = {person: first.sign_in_with_browser(person, ["mail.read"]) for person in (ADA, GRACE)}
    sso.take(first.serialized)
    second = App(AzureAD(), cache=sso.give())
    for person, token in tokens.items():
        assert second.silent(["mail.read"], person.username) == token


def test_msal_python_no_longer_finds_an_account_that_was_signed_out_here(sso):
    first = App(AzureAD())
    for person in (ADA, GRACE):
        first.sign_in_with_browser(person, ["mail.read"])
    sso.take(first.serialized)
    sso.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
    second = App(AzureAD(), cache=sso.give())
    assert [account["username"] for account in second.accounts()] == [GRACE.username]


# Families of clients.


def test_a_family_token_signs_the_sibling_app_of_msal_python_in(sso):
    provider = AzureAD(family=[FAMILY_CLIENT, FAMILY_SIBLING])
    first = App(provider, FAMILY_CLIENT)
    first.sign_in_with_browser(ADA, ["mail.read"])
    sso.take(first.serialized)

    sibling = App(provider, FAMILY_SIBLING, cache=sso.give())

    assert sibling.silent(["files.read"])
    assert provider.token_requests[-1]["client_id"] == FAMILY_SIBLING


def test_a_family_is_one_refresh_token_after_both_siblings_were_imported(sso):
    provider = AzureAD(family=[FAMILY_CLIENT, FAMILY_SIBLING])
    first = App(provider, FAMILY_CLIENT)
    first_token = first.sign_in_with_browser(ADA, ["mail.read"])
    second = App(provider, FAMILY_SIBLING)
    second_token = second.sign_in_with_browser(ADA, ["files.read"])
    sso.take(first.serialized)
    sso.take(second.serialized)

    exported = sso.give()

    [family] = exported["RefreshToken"].values()
    assert family["family_id"] == "1"
    assert sorted(entry["family_id"] for entry in exported["AppMetadata"].values()) == ["1", "1"]
    assert sso.token(FAMILY_CLIENT, ADA.username, "mail.read")["access_token"] == first_token
    assert sso.token(FAMILY_SIBLING, ADA.username, "files.read")["access_token"] == second_token


def test_a_family_token_refreshed_by_msal_python_replaces_the_stored_one(sso):
    provider = AzureAD(family=[FAMILY_CLIENT])
    app = App(provider, FAMILY_CLIENT)
    app.sign_in_with_browser(ADA, ["mail.read"])
    for entry in app.cache._cache["AccessToken"].values():
        entry["cached_at"] = str(int(entry["cached_at"]) - 60)
    for entry in app.cache._cache["RefreshToken"].values():
        entry["last_modification_time"] = str(int(entry["last_modification_time"]) - 60)
    sso.take(app.serialized)
    app.silent(["mail.read"], force_refresh=True)
    newest = secrets(app.cache._cache, "RefreshToken")
    sso.take(app.serialized)
    assert secrets(sso.give(), "RefreshToken") == newest


def test_the_sibling_of_a_family_sees_the_account_but_has_no_token_without_the_network(sso):
    app = App(AzureAD(family=[FAMILY_CLIENT]), FAMILY_CLIENT)
    app.sign_in_with_browser(ADA, ["mail.read"])
    sso.take(app.serialized)
    assert [account["username"] for account in sso.accounts("--client-id", FAMILY_SIBLING)] == [ADA.username]
    arguments = ["--client-id", FAMILY_SIBLING, "--account", ADA.username, "--scope", "mail.read"]
    assert sso.fail(INTERACTION_REQUIRED, "token", *arguments) == "interactionRequired"


def test_a_client_outside_the_family_sees_no_account_of_it(sso):
    provider = AzureAD(family=[FAMILY_CLIENT])
    member = App(provider, FAMILY_CLIENT)
    member.sign_in_with_browser(ADA, ["mail.read"])
    outsider = App(provider)
    outsider.sign_in_with_browser(GRACE, ["mail.read"])
    sso.take(member.serialized)
    sso.take(outsider.serialized)
    assert [account["username"] for account in sso.accounts("--client-id", CLIENT)] == [GRACE.username]


# There and back.


def test_an_import_and_export_lose_nothing_of_msal_pythons_cache(sso):
    provider = AzureAD(family=[FAMILY_CLIENT])
    cache = None
    for client, person, scopes in [
        (CLIENT, ADA, ["files.read", "files.write"]),
        (CLIENT, GRACE, ["mail.read"]),
        (FAMILY_CLIENT, ADA, ["https://management.azure.com/user_impersonation"]),
    ]:
        app = App(provider, client, cache=cache)
        app.sign_in_with_browser(person, scopes)
        cache = app.serialized
    sso.take(cache)
    assert_same(sso.give(), app.cache._cache)


def test_a_token_refreshed_by_msal_python_replaces_the_stored_one_and_never_the_reverse(sso):
    provider = AzureAD()
    app = App(provider)
    app.sign_in_with_browser(ADA, ["mail.read"])
    old = app.cache._cache
    for entry in old["AccessToken"].values():
        entry["cached_at"] = str(int(entry["cached_at"]) - 60)
    before = app.serialized
    sso.take(before)
    token = app.silent(["mail.read"], force_refresh=True)
    after = app.serialized

    sso.take(after)
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == token
    newest = sso.give()
    summary = sso.take(before)

    assert summary["updated"] == summary["added"] == 0
    assert_same(sso.give(), newest)


def test_an_account_that_msal_python_signed_out_stays_here_until_the_cache_is_replaced(sso):
    app = App(AzureAD())
    for person in (ADA, GRACE):
        app.sign_in_with_browser(person, ["mail.read"])
    sso.take(app.serialized)
    app.remove(ADA.username)

    sso.take(app.serialized)
    assert len(sso.accounts()) == 2
    sso.take(app.serialized, "--replace")
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]


# A provider other than Microsoft: the ID token's sub identifies the account.

SUBJECT = Person("ada@example.org", "Ada Lovelace", "248289761001")


def test_a_token_refreshed_here_is_found_silently_there(sso):
    """MSAL Python identifies a provider by its host without a port, and accepts https only. The ID tokens
    name the issuer, at which the tool reaches it."""
    provider = OpenIDProvider()
    with LoopbackServer(provider) as server:
        provider.issuer = f"http://localhost:{server.port}/staff"
        app = App(provider, "desktop", oidc_authority="https://localhost/staff")
        old = app.sign_in_with_browser(SUBJECT, ["api"])
        sso.take(app.serialized)
        used = next(iter(secrets(app.cache._cache, "RefreshToken")))
        refreshed = sso.token(
            "desktop", SUBJECT.username, "api.more", options=["--authority", provider.issuer])

    assert refreshed["source"] == "refresh"
    assert refreshed["access_token"] != old
    assert refreshed["account"]["identifier"] == SUBJECT.uid
    requests = len(provider.token_requests)
    there = App(provider, "desktop", cache=sso.give(), oidc_authority="https://localhost/staff")
    assert there.silent(["api.more"]) == refreshed["access_token"]
    assert len(provider.token_requests) == requests
    # The refresh token was valid once; MSAL Python sends the new one.
    assert there.silent(["api.more"], force_refresh=True) not in (None, refreshed["access_token"])
    assert used not in secrets(sso.give(), "RefreshToken")


def test_a_token_refreshed_there_is_found_here(sso):
    provider = OpenIDProvider("https://localhost/staff")
    app = App(provider, "desktop", oidc_authority="https://localhost/staff")
    app.sign_in_with_browser(SUBJECT, ["api"])
    sso.take(app.serialized)
    app = App(provider, "desktop", cache=sso.give(), oidc_authority="https://localhost/staff")
    token = app.silent(["api.more"])
    sso.take(app.serialized)
    assert sso.token("desktop", SUBJECT.uid, "api.more")["access_token"] == token
