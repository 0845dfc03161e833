#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A script of Contoso's suite: it has the accounts of Contoso Mail and Contoso Calendar, and signs in on its own.

    contoso_report.py sign-in | read | accounts | sign-out

CONTOSO_ISSUER is the address of the OpenID provider.
"""

import os
import sys

import msal
import requests

from secretstorecache import AccessGroupTokenCache, SecretStoreError

SCOPES = ["suite.read"]


class Loopback(requests.Session):
    """MSAL Python wants https. The provider of the demo has no certificate: it is on this machine only."""

    def request(self, method, url, **options):
        response = super().request(method, url.replace("https://127.0.0.1:", "http://127.0.0.1:", 1), **options)
        if url.endswith("/.well-known/openid-configuration"):
            response._content = response.content.replace(b"http://127.0.0.1:", b"https://127.0.0.1:")
        return response


def application(cache):
    issuer = os.environ["CONTOSO_ISSUER"]
    options = {}
    if issuer.startswith("http://127.0.0.1:"):
        issuer = issuer.replace("http:", "https:", 1)
        options["http_client"] = Loopback()
    return msal.PublicClientApplication("contoso-suite", oidc_authority=issuer, token_cache=cache, **options)


def sign_in(app):
    flow = app.initiate_device_flow(SCOPES)
    print(f"Open {flow['verification_uri']} and enter the code {flow['user_code']}.", flush=True)
    result = app.acquire_token_by_device_flow(flow)
    if "access_token" not in result:
        sys.exit(f"Report: {result.get('error_description', result['error'])}")
    return accounts(app)


def read(app):
    """Gets a token silently: from the cache that all apps share, or by a refresh, at most one of them."""
    found = app.get_accounts()
    result = app.acquire_token_silent(SCOPES, found[0]) if found else None
    if result is None:
        print("Report: interactionRequired: nobody is signed in.", file=sys.stderr)
        return 10
    way = "from the cache" if result["token_source"] == "cache" else "by a refresh"
    print(f"Report: got a token for {found[0]['username']} {way}, good for {result['expires_in']} s")
    return 0


def accounts(app):
    for account in app.get_accounts():
        print(f"Report: {account['username']}")
    return 0


def sign_out(app):
    for account in app.get_accounts():
        app.remove_account(account)
        print(f"Report: signed out of {account['username']}")
    return 0


def main():
    commands = {"sign-in": sign_in, "read": read, "accounts": accounts, "sign-out": sign_out}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    try:
        # The names by which the Swift apps open the group, and one of its own.
        cache = AccessGroupTokenCache("com.contoso.shared", publisher="com.contoso", app="com.contoso.report")
        return commands[sys.argv[1]](application(cache))
    except SecretStoreError as error:
        print(f"Report: {error.detail}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
