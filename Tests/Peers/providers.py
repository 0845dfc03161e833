# SPDX-License-Identifier: MIT
"""Identity providers that answer MSAL Python, through its `http_client`, and the tool, over
loopback HTTP. What they answer has the shape of the real ones' answers."""

import json
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, parse_qsl, urlsplit

from people import Person, base64url, new_id_token, new_token

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


@dataclass
class Grant:
    """What a code or a refresh token stands for."""

    person: object
    client: str
    nonce: str = ""
    scope: str = ""


class Provider:
    """What the two kinds have in common: codes, refresh tokens, and a count of token requests."""

    def __init__(self):
        self.token_requests = []
        self.declined = set()  # scopes that nobody is granted
        self.lifetime = 4799
        self.failure = None  # (status, body) for the next token requests
        self._grants = {}

    def answer(self, url, form):
        """Answers a request: the status, and an object that is JSON in the body."""
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
            return self._token(form)
        return 404, {"error": "not_found"}

    def authorize(self, address, person):
        """What the browser brings back after a sign-in at an authorization address."""
        query = dict(parse_qsl(urlsplit(address).query))
        grant = Grant(person, query["client_id"], query.get("nonce", ""), query["scope"])
        return {"code": self._remember("code", grant), "state": query["state"]}

    def issue_refresh_token(self, person, client):
        """A refresh token that was had by other means."""
        return self._remember("refresh-token", Grant(person, client))

    def authorize_device(self, flow, person):
        """The person enters the code of a device flow elsewhere."""
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

    def _token(self, form):
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
        scope = form.get("scope") or grant.scope
        return 200, self.response(grant, form["client_id"], scope)

    def accepts(self, grant, form):
        return grant.client == form["client_id"]

    def used(self, handed_in):
        """For providers whose refresh tokens are good for once."""

    def granted(self, scope):
        return " ".join(name for name in scope.split() if name not in self.declined)


class AzureAD(Provider):
    """Azure AD's version 2 endpoints, in the public cloud."""

    def __init__(self, family=()):
        """`family`: the clients that are in the family 1."""
        super().__init__()
        self._family = set(family)

    def configuration(self, url):
        parts = urlsplit(url)
        tenant = parts.path.split("/")[1]
        base = f"https://{parts.netloc}/{tenant}"
        return {
            "issuer": "https://login.microsoftonline.com/{tenantid}/v2.0",
            "token_endpoint": f"{base}/oauth2/v2.0/token",
            "authorization_endpoint": f"{base}/oauth2/v2.0/authorize",
            "device_authorization_endpoint": f"{base}/oauth2/v2.0/devicecode",
            "cloud_instance_name": "microsoftonline.com",
        }

    def accepts(self, grant, form):
        return grant.client == form["client_id"] or {grant.client, form["client_id"]} <= self._family

    def response(self, grant, client, scope):
        person: Person = grant.person
        resources = [name for name in self.granted(scope).split() if name not in SIGN_IN_SCOPES]
        claims = {
            "aud": client,
            "iss": f"https://login.microsoftonline.com/{person.utid}/v2.0",
            "iat": int(time.time()),
            "exp": int(time.time()) + 3600,
            "name": person.name,
            "preferred_username": person.username,
            "oid": person.uid,
            "sub": "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
            "tid": person.utid,
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
        if client in self._family:
            body["foci"] = "1"
        return body


class OpenIDProvider(Provider):
    """Any other OpenID provider: the account is the id token's `sub`, and a refresh token is good
    for one use."""

    def __init__(self, issuer):
        super().__init__()
        self.issuer = issuer

    def configuration(self, url):
        # The endpoints are where it was asked: MSAL Python takes https only, and the tests' own
        # servers have no certificate.
        base = url.removesuffix("/.well-known/openid-configuration")
        return {
            "issuer": base,
            "token_endpoint": f"{base}/token",
            "authorization_endpoint": f"{base}/authorize",
        }

    def used(self, handed_in):
        del self._grants[handed_in]

    def response(self, grant, client, scope):
        person: Person = grant.person
        claims = {
            "iss": self.issuer,
            "aud": client,
            "sub": person.uid,
            "preferred_username": person.username,
            "name": person.name,
            "iat": int(time.time()),
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
    """A provider as MSAL Python's `http_client`: no network."""

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
        return self.Response(*self._provider.answer(url, params or {}))

    def post(self, url, params=None, data=None, headers=None, **_):
        return self.Response(*self._provider.answer(url, dict(data or {})))

    def close(self):
        pass


class LoopbackServer:
    """A provider over HTTP on a loopback port, also as an HTTP proxy in front of it."""

    def __init__(self, provider):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self._reply(self._url(), {})

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._reply(self._url(), {name: values[0] for name, values in parse_qs(body).items()})

            def _url(self):
                return self.path if "://" in self.path else f"http://{self.headers['Host']}{self.path}"

            def _reply(self, url, form):
                status, answer = provider.answer(url, form)
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        self.address = f"http://127.0.0.1:{self.port}"
        self.host = f"127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
