# SPDX-License-Identifier: MIT
"""Runs `sso-cache watch` and applies what it says."""

import json
import subprocess
import threading
import time

LIMIT_SECONDS = 30


class Watcher:
    """What the changes told so far make of the group."""

    def __init__(self, sso, *arguments, stderr=None):
        self.told = []
        self.accounts = {}
        self.contradictions = []
        self._news = threading.Condition()
        self._process = subprocess.Popen(
            sso.arguments("watch", "--json", *arguments), stdout=subprocess.PIPE, stderr=stderr, text=True,
            env=sso.environment,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self):
        self.wait_for("snapshot", lambda: self.told)
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
            with self._news:
                self._take(change)
                self._news.notify_all()

    def _take(self, change):
        name = change["change"]
        if (name == "snapshot") != (not self.told):
            self.contradictions.append("a snapshot that is not the first, or a change before it")
        self.told.append(name)
        if name == "snapshot":
            self.accounts = {account["identifier"]: account for account in change["accounts"]}
        if "account" not in change:
            return
        account = change["account"]
        identifier = account["identifier"]
        if (name == "accountAdded") == (identifier in self.accounts):
            self.contradictions.append(f"{name}: {identifier}")
        if name == "accountRemoved":
            self.accounts.pop(identifier, None)
        else:
            self.accounts[identifier] = account

    def wait_for(self, what, holds, seconds=LIMIT_SECONDS):
        end = time.monotonic() + seconds
        with self._news:
            while not holds():
                left = end - time.monotonic()
                assert left > 0 and self._news.wait(left), f"no {what}; told was {self.told[-20:]}"
        assert not self.contradictions

    def wait_until_told(self, name):
        """Waits until the newest of the changes that are no account's is the one named."""
        self.wait_for(name, lambda: name in self.told)
