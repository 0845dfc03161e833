# SPDX-License-Identifier: MIT
"""A program that keeps its cache with the real msal-extensions, azure-identity or azure-cli-core.

    partner_app.py TOOL WHERE COMMAND [ARGUMENT…]

TOOL is msal-extensions, azure-identity-python, azure-cli or azure-cli-encrypted; WHERE is the location, or the name of
the cache. With PARTNER_WITHOUT_PORTALOCKER in the environment it locks as those programs do that have no portalocker.
It prints one line of JSON, or a line for each round.
"""

import base64
import json
import os
import sys
import time

if os.environ.get("PARTNER_WITHOUT_PORTALOCKER"):
    sys.modules["portalocker"] = None  # type: ignore[assignment]

import msal  # noqa: E402
import msal_extensions  # noqa: E402

TENANT = "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
AUTHORITY = f"https://login.microsoftonline.com/{TENANT}"


def open_cache(tool, where):
    if tool == "msal-extensions":
        return msal_extensions.PersistedTokenCache(msal_extensions.build_encrypted_persistence(where))
    if tool == "azure-identity-python":
        from azure.identity import TokenCachePersistenceOptions
        from azure.identity._persistent_cache import _load_persistent_cache

        return _load_persistent_cache(TokenCachePersistenceOptions(name=where), is_cae=False)
    from azure.cli.core.auth.persistence import load_persisted_token_cache

    folder = os.path.expanduser("~/.azure")
    os.makedirs(folder, exist_ok=True)
    return load_persisted_token_cache(os.path.join(folder, "msal_token_cache"), tool == "azure-cli-encrypted")


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def sign_in(cache, client, user, refresh_token, family=None, scope="user.read"):
    """Stores the response to a sign-in, as the library does."""
    claims = {
        "iss": f"https://login.microsoftonline.com/{TENANT}/v2.0", "preferred_username": f"{user}@contoso.com",
        "sub": user, "oid": user, "tid": TENANT, "aud": client, "iat": int(time.time()),
    }
    response = {
        "access_token": f"s3cr3t-access-{user}", "refresh_token": refresh_token, "expires_in": 3600,
        "client_info": encoded({"uid": user, "utid": TENANT}), "token_type": "Bearer", "scope": scope,
        "id_token": ".".join([encoded({"alg": "none"}), encoded(claims), "s3cr3t"]),
    }
    if family:
        response["foci"] = family
    cache.add({
        "client_id": client, "scope": scope.split(), "token_endpoint": f"{AUTHORITY}/oauth2/v2.0/token",
        "environment": "login.microsoftonline.com", "response": response,
    })


class Discovery:
    """The response to discovery, which MSAL asks for before it looks into its cache; there is no network here."""

    status_code, headers = 200, {}
    text = json.dumps({
        name: f"{AUTHORITY}/oauth2/v2.0/{name}"
        for name in ("authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "issuer")
    })

    def get(self, *_, **__):
        return self

    def post(self, *_, **__):
        raise AssertionError("a token request")

    def close(self):
        pass

    def raise_for_status(self):
        pass


def app(cache, client):
    return msal.PublicClientApplication(
        client, authority=AUTHORITY, token_cache=cache, instance_discovery=False, http_client=Discovery())


def state(cache):
    """The accounts, and the newest refresh token of each."""
    kinds = msal.TokenCache.CredentialType
    accounts = sorted({entry["username"] for entry in cache.search(kinds.ACCOUNT)})
    tokens = sorted(cache.search(kinds.REFRESH_TOKEN), key=lambda t: int(t.get("last_modification_time", "0")))
    return {
        "accounts": accounts,
        "refresh_tokens": {token["home_account_id"].split(".")[0]: token["secret"] for token in tokens},
        "clients": sorted({token["client_id"] for token in tokens}),
    }


def main(tool, where, command, *arguments):
    cache = open_cache(tool, where)
    if command == "sign-in":
        sign_in(cache, *arguments)
    elif command == "sign-out":
        client, user = arguments
        for account in app(cache, client).get_accounts(f"{user}@contoso.com"):
            app(cache, client).remove_account(account)
    elif command == "rotate":
        # The refresh token that a refresh has brought, in place of the redeemed one.
        user, token = arguments
        for entry in list(cache.search(msal.TokenCache.CredentialType.REFRESH_TOKEN)):
            if entry["home_account_id"].startswith(f"{user}."):
                cache.update_rt(entry, token)
    elif command == "silent":
        client, user, scope = arguments
        [account] = app(cache, client).get_accounts(f"{user}@contoso.com")
        result = app(cache, client).acquire_token_silent([scope], account)
        print(json.dumps(result and result["access_token"]), flush=True)
        return
    elif command == "renew":
        # Tokens of its own, one after the other, until the input ends; each is printed once it is stored.
        client, user = arguments
        count = 0
        while True:
            print(json.dumps({"ready": count}), flush=True)
            if not sys.stdin.readline():
                break
            count += 1
            try:
                sign_in(cache, client, user, f"s3cr3t-{user}-{count}")
            except Exception as error:  # The lock is another's; nothing was stored.
                count -= 1
                if "Lock" not in type(error).__name__ and "Locked" not in type(error).__name__:
                    raise
    print(json.dumps(state(cache)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
