# SPDX-License-Identifier: MIT
"""AD FS in MSAL Python: its entries are stored under its host, as Swift's and those of an import are."""

import msal
import pytest

from group_apps import FIRST, new_cache
from msal_apps import App
from people import Person
from providers import HTTPClient, OpenIDProvider
from removals import tokens_left
from secret_items import search
from secretstorecache import AccessGroupTokenCache
from unified_cache import account, secrets

HOST = "adfs.contoso.com"
ISSUER = f"https://{HOST}/adfs"
EVE = Person("eve@contoso.com", "Eve", "eve-of-adfs")


class ADFSApp(App):
    def __init__(self, provider, cache):
        self.client, self.cache, self._provider = FIRST, cache, provider
        self._app = msal.PublicClientApplication(
            FIRST, token_cache=cache, http_client=HTTPClient(provider), authority=ISSUER, instance_discovery=False)


@pytest.fixture
def provider():
    return OpenIDProvider(issuer=ISSUER)


@pytest.fixture(params=["cache", "persistence", "cache with the issuer"])
def app(request, group, provider):
    if request.param == "cache with the issuer":
        return ADFSApp(provider, AccessGroupTokenCache(group, app="com.contoso.mail", issuer=ISSUER))
    return ADFSApp(provider, new_cache(group, "com.contoso.mail", request.param))


@pytest.mark.parametrize("is_imported", [True, False], ids=["imported", "new"])
def test_a_sign_in_at_ad_fs_is_that_of_the_other_apps(sso, bus, group, provider, app, is_imported):
    if is_imported:
        sso.take(provider.cache_of_sign_in(EVE, FIRST, HOST, realm="adfs"))
        assert [each["username"] for each in app.accounts()] == [EVE.username]
        assert app.silent(["api"]) and app.silent(["api"], force_refresh=True)
    token = app.sign_in_with_browser(EVE, ["mail"])
    assert [(each["identifier"], each["environment"]) for each in sso.accounts()] == [(EVE.uid, HOST)]
    assert [each["username"] for each in app.accounts()] == [EVE.username]
    assert app.silent(["mail"]) == token and app.silent(["mail"], force_refresh=True)
    assert secrets(sso.give(), "AccessToken")
    app.remove(EVE.username)
    assert app.accounts() == [] and sso.accounts() == [] and tokens_left(bus, group) == []


def test_an_ad_fs_account_is_none_of_another_issuer_at_its_host(sso, group, provider):
    sso.take(provider.cache_of_sign_in(EVE, FIRST, HOST, realm="adfs"))
    cache = AccessGroupTokenCache(group, app="com.contoso.mail", issuer=f"https://{HOST}/other")
    assert cache.find("Account", query={"environment": HOST}) == []


def test_what_an_earlier_version_stored_under_the_issuer_is_found_and_goes(sso, bus, group, provider, app):
    sso.take(provider.cache_of_sign_in(EVE, FIRST, HOST, realm="adfs"))
    sso.take(provider.cache_of_sign_in(EVE, FIRST, ISSUER, realm="adfs"))
    assert len(search(bus, group=group, kind="credentials")) == 2
    assert app.silent(["api"], force_refresh=True)
    app._app.remove_account(account(EVE, HOST, "adfs", EVE.uid) | {"home_account_id": EVE.uid})
    assert app.accounts() == [] and tokens_left(bus, group) == []
