# SPDX-License-Identifier: MIT
"""Apps that use ADAL Python, and version 1 of Azure AD's endpoints, which it uses."""

import json
import time
from urllib.parse import urlsplit

import adal

from people import new_id_token, new_token
from unified_cache import AAD, CLIENT

REDIRECT_URI = "http://localhost:8400"


class AzureADVersion1:
    """Azure AD's version 1 endpoints, in the public cloud: tokens for one resource, refresh tokens for all."""

    def __init__(self):
        self.token_requests = []
        self.lifetime = 3599
        self._people = {}

    def authorize(self, person):
        """The code in the redirect after a sign-in."""
        return self._remember("code", person)

    def respond(self, url, form):
        """The response to a request: the status, and the object whose JSON is the body."""
        assert urlsplit(url).path.endswith("/oauth2/token"), url
        self.token_requests.append(form)
        if form["grant_type"] == "client_credentials":
            return 200, self._access(form["resource"])
        person = self._people.get(form.get("code") or form.get("refresh_token"))
        if person is None:
            return 400, {"error": "invalid_grant", "error_description": "AADSTS70000"}
        claims = {
            "aud": form["client_id"], "upn": person.username, "oid": person.uid, "tid": person.utid,
            "given_name": person.name.split()[0], "family_name": person.name.split()[-1],
            "sub": "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ", "ver": "1.0",
        }
        return 200, self._access(form["resource"]) | {
            "refresh_token": self._remember("refresh-token", person),
            "id_token": new_id_token(claims),
            "scope": "user_impersonation",
        }

    def _access(self, resource):
        return {
            "token_type": "Bearer",
            "expires_in": str(self.lifetime),
            "ext_expires_in": str(self.lifetime),
            "expires_on": str(int(time.time()) + self.lifetime),
            "not_before": str(int(time.time())),
            "resource": resource,
            "access_token": new_token("access-token"),
        }

    def _remember(self, kind, person):
        token = new_token(kind)
        self._people[token] = person
        return token


class ADALApp:
    """An app that uses ADAL Python at a tenant and serializes its cache."""

    def __init__(self, server, person, cache=None, tenant=None, client=CLIENT):
        self.client = client
        self.cache = adal.TokenCache()
        if cache is not None:
            self.cache.deserialize(cache if isinstance(cache, str) else json.dumps(cache))
        self._person = person
        self._context = adal.AuthenticationContext(
            f"https://{AAD}/{tenant or person.utid}",
            validate_authority=False,
            cache=self.cache,
            verify_ssl=str(server.certificate.path.with_suffix(".crt")),
            proxies={"https": server.address},
        )

    @property
    def serialized(self):
        """The cache as the app would store it."""
        return self.cache.serialize()

    def sign_in(self, provider, resource):
        """A sign-in with a browser; returns the access token."""
        code = provider.authorize(self._person)
        result = self._context.acquire_token_with_authorization_code(
            code, REDIRECT_URI, resource, self.client
        )
        return result["accessToken"]

    def sign_in_as_itself(self, resource):
        """Acquires a token for the app itself; returns it."""
        result = self._context.acquire_token_with_client_credentials(resource, self.client, "hush")
        return result["accessToken"]

    def token(self, resource):
        """A token from the cache or by the cached refresh token; `None` when there is neither."""
        result = self._context.acquire_token(resource, self._person.username, self.client)
        return result and result["accessToken"]
