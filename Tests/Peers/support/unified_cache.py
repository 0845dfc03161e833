# SPDX-License-Identifier: MIT
"""Builds and compares whole caches in the JSON format that all MSAL libraries share."""

import json
import time

from people import ADA, new_id_token, new_token

SECTIONS = ("AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata")
AAD = "login.microsoftonline.com"
CLIENT = "b6c69a37-df96-4db0-9088-2ab96e1d8215"


def section(*entries):
    """Entries under meaningless keys: a reader never relies on keys."""
    return {f"key-{index}": entry for index, entry in enumerate(entries)}


def account(person=ADA, environment=AAD, realm=None, identifier=None):
    return {
        "home_account_id": identifier or person.identifier,
        "environment": environment,
        "realm": person.utid if realm is None else realm,
        "local_account_id": person.uid,
        "username": person.username,
        "name": person.name,
        "authority_type": "MSSTS",
    }


def credential(kind, person=ADA, client=CLIENT, environment=AAD, identifier=None, **fields):
    return {
        "credential_type": kind,
        "home_account_id": identifier or person.identifier,
        "environment": environment,
        "client_id": client,
        "secret": new_token(kind.lower()),
    } | fields


def access_token(scopes, person=ADA, age=0, lifetime=3600, realm=None, **fields):
    """An access token that was stored `age` seconds ago."""
    stored = int(time.time()) - age
    return credential(
        "AccessToken",
        person,
        **{
            "realm": person.utid if realm is None else realm,
            "target": scopes,
            "cached_at": str(stored),
            "expires_on": str(stored + lifetime),
            "extended_expires_on": str(stored + lifetime),
        }
        | fields,
    )


def refresh_token(person=ADA, **fields):
    return credential("RefreshToken", person, **fields)


def issuer_at(host, path=""):
    """The issuer at a path of a host. Outside Azure AD it identifies the owner of a cache's entries."""
    scheme = "http" if host.startswith(("127.0.0.1", "localhost")) else "https"
    return f"{scheme}://{host}/{path}".rstrip("/")


def id_token(person=ADA, realm=None, **fields):
    realm = person.utid if realm is None else realm
    claims = {
        "iss": issuer_at(fields.get("environment", AAD), realm), "preferred_username": person.username,
        "name": person.name, "sub": person.uid,
    }
    return credential(
        "IdToken", person, realm=realm, **{"secret": new_id_token(claims)} | fields,
    )


def cache_of(*access_tokens, person=ADA, client=CLIENT, environment=AAD, identifier=None, realm=None):
    """One account of one client, with a refresh token and these access tokens."""
    common = dict(client=client, environment=environment, identifier=identifier)
    return {
        "AccessToken": section(*access_tokens),
        "RefreshToken": section(refresh_token(person, **common)),
        "IdToken": section(id_token(person, realm, **common)),
        "Account": section(account(person, environment, realm, identifier)),
        "AppMetadata": section({"client_id": client, "environment": environment}),
    }


def signed_in(scopes="mail.read", **options):
    """A cache with one access token, and that token."""
    known = {name: options[name] for name in ("client", "environment", "identifier") if name in options}
    token = access_token(scopes, options.get("person", ADA), realm=options.get("realm"), **known)
    return cache_of(token, **options), token["secret"]


def entries(cache, name):
    """A section's entries without their keys, which differ from library to library."""
    return sorted(json.dumps(entry, sort_keys=True) for entry in cache.get(name, {}).values())


def assert_same(left, right):
    """Checks that two caches hold the same entries, section by section."""
    for name in SECTIONS:
        assert entries(left, name) == entries(right, name), name
    others = lambda cache: {name: value for name, value in cache.items() if name not in SECTIONS}
    assert others(left) == others(right)


def secrets(cache, name):
    return {entry["secret"] for entry in cache.get(name, {}).values() if "secret" in entry}
