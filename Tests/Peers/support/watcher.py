# SPDX-License-Identifier: MIT
"""Runs `sso-cache watch` and applies the changes that it reports."""

import json
import subprocess
import threading
import time

from people import Person
from unified_cache import access_token, cache_of

LIMIT_SECONDS = 30
SCOPE = "User.Read"


def person(number):
    return Person(
        uid=f"9f4880d8-80ba-4c40-97bc-{number:012x}",
        utid="f645ad92-e38d-4d1a-b510-d1b09a74a8ca",
        username=f"user{number}@contoso.com",
        name=f"User {number}",
    )


def cache(number, scope=SCOPE):
    someone = person(number)
    return cache_of(access_token(scope, person=someone), person=someone)


class Watcher:
    """The state of the group according to the changes reported so far."""

    def __init__(self, sso, *arguments, stderr=None):
        self.reported = []
        self.accounts = {}
        self.inconsistencies = []
        self._changed = threading.Condition()
        self._process = subprocess.Popen(
            sso.arguments("watch", "--json", *arguments), stdout=subprocess.PIPE, stderr=stderr, text=True,
            env=sso.environment,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self):
        self.wait_for("snapshot", lambda: self.reported)
        return self

    @property
    def pid(self):
        return self._process.pid

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(LIMIT_SECONDS)
        self._reader.join(LIMIT_SECONDS)

    def _read(self):
        for line in self._process.stdout:
            change = json.loads(line)
            with self._changed:
                self._take(change)
                self._changed.notify_all()

    def _take(self, change):
        name = change["change"]
        if (name == "snapshot") != (not self.reported):
            self.inconsistencies.append("a snapshot that is not the first, or a change before it")
        self.reported.append(name)
        if name == "snapshot":
            self.accounts = {account["identifier"]: account for account in change["accounts"]}
        if "account" not in change:
            return
        account = change["account"]
        identifier = account["identifier"]
        if (name == "accountAdded") == (identifier in self.accounts):
            self.inconsistencies.append(f"{name}: {identifier}")
        if name == "accountRemoved":
            self.accounts.pop(identifier, None)
        else:
            self.accounts[identifier] = account

    def wait_for(self, what, holds, seconds=LIMIT_SECONDS):
        end = time.monotonic() + seconds
        with self._changed:
            while not holds():
                left = end - time.monotonic()
                assert left > 0 and self._changed.wait(left), f"no {what}; reported were {self.reported[-20:]}"
        assert not self.inconsistencies

    def wait_until_reported(self, name):
        """Waits until a change of this name was reported."""
        self.wait_for(name, lambda: name in self.reported)
