# SPDX-License-Identifier: MIT
"""MSAL Python over msal-extensions: one item for the whole cache, in the default collection."""

import json
import os
import re
import sys
from pathlib import Path

import msal
from msal_extensions import PersistedTokenCache, build_encrypted_persistence

HOSTS = ["login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net"]


class Answer:
    status_code = 200
    headers = {}

    def __init__(self, body):
        self.text = json.dumps(body)

    def raise_for_status(self):
        pass


class NoNetwork:
    """Answers what MSAL asks Microsoft once in a process, before anything is timed."""

    def get(self, url, **_):
        if "discovery/instance" in url:
            aliases = {"preferred_network": HOSTS[0], "preferred_cache": HOSTS[1], "aliases": HOSTS}
            return Answer({"tenant_discovery_endpoint": url, "metadata": [aliases]})
        base = url.split("/v2.0/")[0]
        return Answer(
            {
                "issuer": base + "/v2.0",
                "authorization_endpoint": base + "/oauth2/v2.0/authorize",
                "token_endpoint": base + "/oauth2/v2.0/token",
                "device_authorization_endpoint": base + "/oauth2/v2.0/devicecode",
            }
        )

    def post(self, url, **_):
        sys.exit(f"MSAL asked {url} for a token that is in its cache.")

    def close(self):
        pass


class MSALPeer:
    def __init__(self, plan):
        self.plan = plan
        self.measured = plan["accounts"][plan["measured"]]
        self.scopes = plan["scopes"]
        directory = Path(os.environ["SSC_SESSION_DIR"]) / plan["application"]
        directory.mkdir(exist_ok=True)
        self.persistence = build_encrypted_persistence(str(directory / "cache"))
        self.app = msal.PublicClientApplication(
            plan["client_id"],
            authority=plan["authority"],
            token_cache=PersistedTokenCache(self.persistence),
            http_client=NoNetwork(),
        )
        self.version = 0

    def event(self, account, version=0):
        """What MSAL hands its cache when a token endpoint has answered."""
        response = dict(account["response"])
        for name in ["access_token", "refresh_token"]:
            response[name] = re.sub(r"-\d{9}-", f"-{version:09}-", response[name], count=1)
        return {
            "client_id": self.plan["client_id"],
            "scope": self.scopes,
            "token_endpoint": self.plan["authority"] + "/oauth2/v2.0/token",
            "grant_type": "authorization_code",
            "environment": HOSTS[0],
            "response": response,
            "data": {},
            "params": {},
        }

    # The operations

    def seed(self):
        """Not timed: saves all accounts at once."""
        cache = msal.SerializableTokenCache()
        for account in self.plan["accounts"]:
            cache.add(self.event(account))
        self.persistence.save(cache.serialize())

    def forget(self):
        """As at the start of a process: a cache that has loaded nothing."""
        self.app.token_cache = PersistedTokenCache(self.persistence)

    def account(self):
        identifier = self.measured["identifier"]
        return next(a for a in self.app.get_accounts() if a["home_account_id"] == identifier)

    def token(self, account):
        result = self.app.acquire_token_silent(self.scopes, account=account)
        if not result or "access_token" not in result:
            sys.exit("MSAL found no token.")

    def look_up(self):
        account = self.account()

        def cold():
            self.forget()
            self.token(account)

        return (cold,)

    def warm_look_up(self):
        account = self.account()
        return (lambda: self.token(account),)

    def list(self):
        def accounts():
            self.forget()
            if len(self.app.get_accounts()) != len(self.plan["accounts"]):
                sys.exit("MSAL did not find all accounts.")

        return (accounts,)

    def save(self):
        self.account()

        def next_event():
            self.version += 1
            return self.event(self.measured, self.version)

        return lambda event: self.app.token_cache.add(event), next_event

    def first_save(self):
        others = msal.SerializableTokenCache()
        for account in self.plan["accounts"]:
            if account is not self.measured:
                others.add(self.event(account))
        content = others.serialize()

        def without():
            self.persistence.save(content)
            self.forget()
            self.app.get_accounts()
            return self.event(self.measured)

        return lambda event: self.app.token_cache.add(event), without

    def memory(self):
        """Prints the kB at the greatest, and what no other process can share, when the process has had a token of each account."""
        accounts = self.app.get_accounts()
        for account in accounts:
            self.token(account)
        if len(accounts) != len(self.plan["accounts"]):
            sys.exit("MSAL did not find all accounts.")
        status = Path("/proc/self/status").read_text()
        for name in ("VmHWM", "RssAnon"):
            print(re.search(rf"{name}:\s+(\d+)", status)[1])
