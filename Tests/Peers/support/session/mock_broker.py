# SPDX-License-Identifier: MIT
"""The mock of an identity broker on a session's bus; see Scripts/support/mocks/mock-broker."""

import json
import subprocess
import sys

from repository import ROOT, SCRIPTS

SHAPES = json.loads((ROOT / "Tests/TokenCacheModelTests/Fixtures/broker/shapes.json").read_text())
VERSIONS = ("2.0.1", "3.0.1", "himmelblau")
TENANT = "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"


def account_of(username, version="3.0.1", uid="9f4880d8-80ba-4c40-97bc-f7a23c703084", **changes):
    """An account as a version of the broker lists it; himmelblau does not say when a password expires."""
    account = {
        "environment": "login.windows.net", "givenName": "Ada", "homeAccountId": f"{uid}.{TENANT}",
        "localAccountId": uid, "name": "Ada Contoso", "realm": TENANT, "username": username,
    }
    return account | ({} if version == "himmelblau" else {"passwordExpiry": 0}) | changes


class MockBroker:
    """A running mock; it leaves the bus at the end of a with statement."""

    def __init__(self, environment=None):
        self._process = subprocess.Popen(
            [sys.executable, SCRIPTS / "mocks/mock-broker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=environment)
        self.process = self._process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(timeout=10)

    def tell(self, do, **arguments):
        self._process.stdin.write(json.dumps({"do": do} | arguments) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def reset(self, version="3.0.1", *accounts):
        self.tell("reset", version=version, accounts=list(accounts))

    def reply(self, method, kind, value=None):
        self.tell("reply", method=method, kind=kind, value=value)

    def requests(self):
        return self.tell("requests")
