# SPDX-License-Identifier: MIT
"""A token server with refresh tokens that can be redeemed once, and a ledger of its operations.

It responds as Azure AD does. Like a real provider with one-use tokens it treats the second redemption of a
token as theft: it refuses that redemption, and every later token of that sign-in.
"""

import base64
import itertools
import json
import random
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

TENANT = "7a1e6a10-54c2-4b1b-8d39-3f0f1f6c9a55"
SIGN_IN_SCOPES = {"openid", "profile", "offline_access"}


def identifier(number):
    """The home account ID of an account."""
    return f"c0ffee00-0000-4000-8000-{number:012d}.{TENANT}"


def encoded(claims):
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


class Ledger:
    """The issued, redeemed and refused tokens, in order; each line has a time and the client's operation."""

    def __init__(self, path):
        self._file = open(path, "a", buffering=1)
        self._lock = threading.Lock()

    def write(self, **entry):
        with self._lock:
            print(json.dumps({"time": time.monotonic_ns()} | entry), file=self._file)


class TokenServer:
    """The server, for one round."""

    def __init__(self, ledger_path, seed=0):
        self.ledger = Ledger(ledger_path)
        self._random = random.Random(seed)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._unspent = {}  # refresh token -> (sign-in, account, client or family)
        self._owners = {}
        self._revoked = set()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        serve = {"target": self._server.serve_forever, "kwargs": {"poll_interval": 0.05}}
        threading.Thread(**serve, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def respond(self, path, form, operation):
        if path == "/sign-in":
            account, family = int(form["account"]), form.get("family", "")
            number = next(self._numbers)
            return 200, self._issue(operation, number, account, form["client_id"], family, form["scope"])
        # The network's part: the time between two redemptions of one token varies.
        time.sleep(self._random.choice([0, 0.002, 0.02, 0.05]))
        return self._redeem(form, operation)

    def _redeem(self, form, operation):
        token = form["refresh_token"]
        with self._lock:
            grant = self._owners.get(token)
            spent = grant is not None and token not in self._unspent
            if spent:
                self._revoked.add(grant[0])
            good = grant is not None and not spent and grant[0] not in self._revoked
            if good:
                del self._unspent[token]
        self.ledger.write(operation=operation, presented=token, granted=good, spent=spent)
        if not good:
            return 400, {"error": "invalid_grant", "error_description": "The refresh token is not valid."}
        scopes = [scope for scope in form["scope"].split() if scope not in SIGN_IN_SCOPES]
        number, account, family = grant
        return 200, self._issue(operation, number, account, form["client_id"], family, " ".join(scopes))

    def _issue(self, operation, sign_in, account, client, family, scope):
        with self._lock:
            number = next(self._numbers)
            access, refresh = f"at-{number:06d}" + "x" * 240, f"rt-{number:06d}" + "x" * 160
            self._unspent[refresh] = self._owners[refresh] = (sign_in, account, family)
        self.ledger.write(
            operation=operation, access=access, refresh=refresh, account=identifier(account), client=client,
            family=family, scope=scope)
        uid, _, tenant = identifier(account).partition(".")
        claims = {"oid": uid, "tid": tenant, "sub": f"subject-{account}", "name": f"User {account}",
                  "preferred_username": f"user{account}@contoso.com",
                  "iss": f"https://login.microsoftonline.com/{tenant}/v2.0"}
        response = {"token_type": "Bearer", "scope": scope, "expires_in": 3600, "ext_expires_in": 7200,
                  "access_token": access, "refresh_token": refresh,
                  "id_token": f"header.{encoded(claims)}.signature",
                  "client_info": encoded({"uid": uid, "utid": tenant})}
        return response | ({"foci": family} if family else {})


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """The client may have been killed."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        operation = self.headers.get("X-Operation", "")
        status, response = self.server.owner.respond(self.path, form, operation)
        body = json.dumps(response).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass
