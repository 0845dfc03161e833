# SPDX-License-Identifier: MIT
"""Apps that use MSAL Python, and the ways in which their users sign in."""

import json
import warnings

import msal

from people import TENANT
from providers import HTTPClient
from unified_cache import CLIENT
REDIRECT_URI = "http://localhost:8400"


class App:
    """An app that uses MSAL Python with a cache, which several apps may share."""

    def __init__(self, provider, client=CLIENT, cache=None, tenant=TENANT, **options):
        if isinstance(cache, msal.TokenCache):
            self.cache = cache
        else:
            self.cache = msal.SerializableTokenCache()
            if cache is not None:
                self.cache.deserialize(cache if isinstance(cache, str) else json.dumps(cache))
        if "oidc_authority" not in options:
            options["authority"] = f"https://login.microsoftonline.com/{tenant}"
        self.client = client
        self._provider = provider
        self._app = msal.PublicClientApplication(
            client, token_cache=self.cache, http_client=HTTPClient(provider), **options
        )

    @property
    def serialized(self):
        """The cache as the app would store it."""
        return self.cache.serialize()

    def accounts(self):
        return self._app.get_accounts()

    def silent(self, scopes, username=None, force_refresh=False):
        """A token acquired silently, or `None`."""
        account = self._app.get_accounts(username)[0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = self._app.acquire_token_silent(scopes, account, force_refresh=force_refresh)
        return result and result["access_token"]

    def remove(self, username):
        self._app.remove_account(self._app.get_accounts(username)[0])

    # The ways to sign in; each returns the access token.

    def sign_in_with_browser(self, person, scopes):
        flow = self._app.initiate_auth_code_flow(scopes, redirect_uri=REDIRECT_URI)
        response = self._provider.authorize(flow["auth_uri"], person)
        return self._token(self._app.acquire_token_by_auth_code_flow(flow, response))

    def sign_in_with_code(self, person, scopes):
        """Signs in with the older call, without PKCE."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            address = self._app.get_authorization_request_url(
                scopes, state="state", redirect_uri=REDIRECT_URI
            )
            code = self._provider.authorize(address, person)["code"]
            result = self._app.acquire_token_by_authorization_code(code, scopes, redirect_uri=REDIRECT_URI)
        return self._token(result)

    def sign_in_with_device_code(self, person, scopes):
        flow = self._app.initiate_device_flow(scopes)
        self._provider.authorize_device(flow, person)
        return self._token(self._app.acquire_token_by_device_flow(flow))

    def sign_in_with_refresh_token(self, person, scopes):
        """Redeems a refresh token, as an app does that migrates from ADAL."""
        token = self._provider.issue_refresh_token(person, self.client)
        return self._token(self._app.acquire_token_by_refresh_token(token, scopes))

    @staticmethod
    def _token(result):
        assert "access_token" in result, result
        return result["access_token"]
