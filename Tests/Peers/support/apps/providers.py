# SPDX-License-Identifier: MIT
"""Identity providers for MSAL Python, through its `http_client`, and for the tool, through
the servers. Their responses have the form of the real providers' responses."""

import json
import time
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from people import Person, base64url, new_id_token, new_token
from unified_cache import access_token, cache_of

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"

CLOUDS = [
    {
        "preferred_network": "login.microsoftonline.com",
        "preferred_cache": "login.windows.net",
        "aliases": [
            "login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net",
        ],
    },
    {
        "preferred_network": "login.microsoftonline.us",
        "preferred_cache": "login.microsoftonline.us",
        "aliases": ["login.microsoftonline.us", "login.usgovcloudapi.net"],
    },
]

SIGN_IN_SCOPES = {"openid", "profile", "offline_access"}

TENANTLESS = {"common", "organizations", "consumers"}


@dataclass
class Grant:
    """The rights that a code or a refresh token stands for."""

    person: object
    client: str
    nonce: str = ""
    scope: str = ""


def configuration_at(url):
    """The configuration of a provider with its endpoints at the requested address."""
    base = url.removesuffix("/.well-known/openid-configuration")
    return {
        "issuer": base,
        "token_endpoint": f"{base}/token",
        "authorization_endpoint": f"{base}/authorize",
    }


class Provider:
    """The common part of the providers: codes, refresh tokens, and a count of token requests."""

    def __init__(self):
        self.token_requests = []
        self.declined = set()  # scopes that nobody is granted
        self.lifetime = 4799
        self.failure = None  # (status, body) for the next token requests
        self.failures = []  # the same, for one request each
        self._grants = {}
        self._issued = 0

    def release(self):
        """Lets the requests go that a provider holds."""

    def next_issued(self):
        """The `iat` of the next ID token; it always increases, even within one second."""
        self._issued = max(int(time.time()) - 60, self._issued + 1)
        return self._issued

    def respond(self, url, form):
        """The response to a request: the status, and the object whose JSON is the body."""
        path = urlsplit(url).path
        if path.endswith("/.well-known/openid-configuration"):
            return 200, self.configuration(url)
        if path.endswith("/discovery/instance"):
            return 200, {
                "tenant_discovery_endpoint": "https://login.microsoftonline.com/common/v2.0/"
                ".well-known/openid-configuration",
                "api-version": "1.1",
                "metadata": CLOUDS,
            }
        if path.endswith("/devicecode"):
            return 200, self._device_code(form)
        if path.endswith("/token"):
            self.token_requests.append(form)
            return self._token(url, form)
        return 404, {"error": "not_found"}

    def after_the_next_redemption(self, action):
        """Does something after the next refresh token is redeemed; it may return another body for the response."""
        respond = self.respond

        def respond_after_action(url, form):
            status, body = respond(url, form)
            if form.get("grant_type") == "refresh_token":
                self.respond = respond
                body = action(body) or body
            return status, body

        self.respond = respond_after_action

    def authorize(self, address, person):
        """The query in the redirect after a sign-in at an authorization address."""
        query = dict(parse_qsl(urlsplit(address).query))
        grant = Grant(person, query["client_id"], query.get("nonce", ""), query["scope"])
        return {"code": self._remember("code", grant), "state": query["state"]}

    def issue_refresh_token(self, person, client):
        """Issues a refresh token outside of any request."""
        return self._remember("refresh-token", Grant(person, client))

    def honoring(self, cache, person, client):
        """The cache, with refresh tokens that were issued here."""
        for entry in cache["RefreshToken"].values():
            entry["secret"] = self.issue_refresh_token(person, client)
        return cache

    def authorize_device(self, flow, person):
        """Enters the code of a device flow, as the user does on another device."""
        self._grants[flow["device_code"]].person = person

    def _device_code(self, form):
        code = self._remember("device-code", Grant(None, form["client_id"], scope=form["scope"]))
        return {
            "user_code": "CQ4KPXJ7R",
            "device_code": code,
            "verification_uri": "https://microsoft.com/devicelogin",
            "expires_in": 900,
            "interval": 5,
            "message": "To sign in, use a web browser …",
        }

    def _remember(self, kind, grant):
        token = new_token(kind)
        self._grants[token] = grant
        return token

    def _token(self, url, form):
        if self.failures:
            return self.failures.pop(0)
        if self.failure:
            return self.failure
        field = {"authorization_code": "code", "refresh_token": "refresh_token", DEVICE_GRANT: "device_code"}
        handed_in = form[field[form["grant_type"]]]
        grant = self._grants.get(handed_in)
        if grant is None or not self.accepts(grant, form):
            return 400, {
                "error": "invalid_grant",
                "error_description": "AADSTS70000: The provided grant is invalid or malformed.",
                "error_codes": [70000],
            }
        self.used(handed_in)
        return 200, self.response(url, grant, form)

    def accepts(self, grant, form):
        return grant.client == form["client_id"]

    def used(self, handed_in):
        """Rotates refresh tokens: each is valid once."""

    def granted(self, scope):
        return " ".join(name for name in scope.split() if name not in self.declined)


class AzureAD(Provider):
    """Azure AD's version 2 endpoints, in the public cloud."""

    def __init__(self, family=()):
        """`family`: the clients that are in the family 1."""
        super().__init__()
        self.family = set(family)

    @staticmethod
    def _tenant(url):
        return urlsplit(url).path.split("/")[1]

    def configuration(self, url):
        base = f"https://{urlsplit(url).netloc}/{self._tenant(url)}"
        return {
            "issuer": "https://login.microsoftonline.com/{tenantid}/v2.0",
            "token_endpoint": f"{base}/oauth2/v2.0/token",
            "authorization_endpoint": f"{base}/oauth2/v2.0/authorize",
            "device_authorization_endpoint": f"{base}/oauth2/v2.0/devicecode",
            "cloud_instance_name": "microsoftonline.com",
        }

    def accepts(self, grant, form):
        return grant.client == form["client_id"] or {grant.client, form["client_id"]} <= self.family

    def response(self, url, grant, form):
        person: Person = grant.person
        client, scope = form["client_id"], form.get("scope") or grant.scope
        # A guest's token belongs to the requested tenant; the account still belongs to the home tenant.
        tenant = person.utid if self._tenant(url) in TENANTLESS else self._tenant(url)
        resources = [name for name in self.granted(scope).split() if name not in SIGN_IN_SCOPES]
        claims = {
            "aud": client,
            "iss": f"https://login.microsoftonline.com/{tenant}/v2.0",
            "iat": self.next_issued(),
            "exp": int(time.time()) + 3600,
            "name": person.name,
            "preferred_username": person.username,
            "oid": person.uid,
            "sub": "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
            "tid": tenant,
            "ver": "2.0",
        }
        if grant.nonce:
            claims["nonce"] = grant.nonce
        body = {
            "token_type": "Bearer",
            "scope": " ".join([*resources, "openid", "profile", "email"]),
            "expires_in": self.lifetime,
            "ext_expires_in": self.lifetime,
            "access_token": new_token("access-token"),
            "refresh_token": self._remember("refresh-token", Grant(person, client)),
            "id_token": new_id_token(claims),
            "client_info": base64url({"uid": person.uid, "utid": person.utid}),
        }
        if client in self.family:
            body["foci"] = "1"
        return body


class OpenIDProvider(Provider):
    """Any other OpenID provider: the account is the ID token's `sub`, and a refresh token is valid
    once. The ID tokens name the requested address as the issuer, unless there is another one."""

    def __init__(self, issuer=""):
        super().__init__()
        self.issuer = issuer

    def configuration(self, url):
        # The endpoints are at the requested address: MSAL Python accepts https only, and the tests' own
        # servers have no certificate.
        return configuration_at(url)

    def cache_of_sign_in(self, person, client, host, realm="staff", age=7200):
        """A cache after a sign-in here, with an access token for `api` of an age in seconds."""
        options = dict(client=client, environment=host, identifier=person.uid)
        token = access_token("api", person, age=age, realm=realm, **options)
        return self.honoring(cache_of(token, person=person, realm=realm, **options), person, client)

    def used(self, handed_in):
        del self._grants[handed_in]

    def response(self, url, grant, form):
        person: Person = grant.person
        client, scope = form["client_id"], form.get("scope") or grant.scope
        claims = {
            "iss": self.issuer or url.removesuffix("/token"),
            "aud": client,
            "sub": person.uid,
            "preferred_username": person.username,
            "name": person.name,
            "iat": self.next_issued(),
            "exp": int(time.time()) + 3600,
        }
        if grant.nonce:
            claims["nonce"] = grant.nonce
        return {
            "token_type": "Bearer",
            "scope": self.granted(scope),
            "expires_in": self.lifetime,
            "access_token": new_token("access-token"),
            "refresh_token": self._remember("refresh-token", Grant(person, client)),
            "id_token": new_id_token(claims),
        }


class HTTPClient:
    """A provider as MSAL Python's `http_client`, without a network."""

    class Response:
        def __init__(self, status, body):
            self.status_code = status
            self.text = json.dumps(body)
            self.headers = {"Content-Type": "application/json; charset=utf-8"}

        def raise_for_status(self):
            if self.status_code >= 400:
                raise RuntimeError(f"HTTP status {self.status_code}")

    def __init__(self, provider):
        self._provider = provider

    def get(self, url, params=None, headers=None, **_):
        return self.Response(*self._provider.respond(url, params or {}))

    def post(self, url, params=None, data=None, headers=None, **_):
        return self.Response(*self._provider.respond(url, dict(data or {})))

    def close(self):
        pass
