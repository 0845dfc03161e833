# SPDX-License-Identifier: MIT
"""Entries of the unified cache: which are the same, whose they are, and how MSAL Python sees them."""

from __future__ import annotations

import time
from typing import Any, Dict, Hashable, Mapping, Optional

from . import _values as values
from ._documents import RecordKey

Entry = Dict[str, Any]

ACCESS_TOKEN, REFRESH_TOKEN, ID_TOKEN = "AccessToken", "RefreshToken", "IdToken"
ACCOUNT, APP_METADATA = "Account", "AppMetadata"
CREDENTIALS = (ACCESS_TOKEN, REFRESH_TOKEN, ID_TOKEN)
SECTIONS = (*CREDENTIALS, ACCOUNT, APP_METADATA)

# The kinds of credential of each section; MSAL Python knows the first of each only.
_KINDS = {
    ACCESS_TOKEN: ("accesstoken", "accesstoken_with_authscheme"),
    REFRESH_TOKEN: ("refreshtoken", "familyrefreshtoken", "boundrefreshtoken", "primaryrefreshtoken"),
    ID_TOKEN: ("idtoken", "v1idtoken"),
}

# What an entry must have to be one. All but the user names of accounts are identifiers.
_REQUIRED = {
    ACCESS_TOKEN: ("secret", "client_id", "environment"),
    REFRESH_TOKEN: ("secret", "client_id", "environment", "home_account_id"),
    ID_TOKEN: ("secret", "client_id", "environment", "home_account_id"),
    ACCOUNT: ("home_account_id", "environment"),
    APP_METADATA: ("client_id", "environment"),
}

# Members that set an access token apart which MSAL Python, not knowing them, would use for anything.
_UNKNOWN_TO_MSAL = ("requested_claims", "requestedClaims", "application_cache_identifier", "kid", "cache_partition",
                    "user_assertion_hash")


def text(entry: Mapping[str, Any], member: str) -> str:
    value = entry.get(member)
    return value if isinstance(value, str) else ""


def kind(section: str, entry: Mapping[str, Any]) -> Optional[str]:
    """The kind of an entry; None when it can't be read."""
    if section not in _REQUIRED or not all(text(entry, member) for member in _REQUIRED[section]):
        return None
    if entry.get("home_account_id") is not None and not isinstance(entry["home_account_id"], str):
        return None
    if section not in _KINDS:
        return section.lower()
    found = (text(entry, "credential_type") or section).lower()
    return found if found in _KINDS[section] else None


def family(section: str, entry: Mapping[str, Any]) -> str:
    """The family that shares a refresh token; empty where only the client can use it, as outside Azure AD."""
    is_shared = section == REFRESH_TOKEN and values.has_families(
        text(entry, "home_account_id"), text(entry, "environment"))
    return text(entry, "family_id") if is_shared else ""


def without_family(entry: Entry) -> Entry:
    return {name: value for name, value in entry.items() if name != "family_id"}


def identity(section: str, entry: Mapping[str, Any]) -> Hashable:
    """What makes two entries the same, under whatever keys they lie."""
    environment = values.canonical(text(entry, "environment"))
    home = text(entry, "home_account_id")
    realm = "" if "/" in environment else text(entry, "realm").lower()
    client = values.stored_client(text(entry, "client_id"))
    if section == APP_METADATA:
        return section, environment, client
    if section == ACCOUNT:
        return section, environment, values.compared_account(home), realm
    if section == REFRESH_TOKEN and (values.is_known_cloud(environment) or values.is_azure_ad(home)):
        realm = ""
    shared_by = family(section, entry)
    owner = f"family {shared_by}" if shared_by else client
    base = (kind(section, entry), environment, values.compared_account(home), owner, realm,
            text(entry, "user_assertion_hash"))
    if section != ACCESS_TOKEN:
        return (*base, text(entry, "bound_device_id"))
    scheme = text(entry, "token_type").lower() or text(entry, "tokenType").lower()
    partition = tuple(text(entry, name) for name in (
        "requested_claims", "application_cache_identifier", "cache_partition", "ext_cache_key"))
    key_id = next((text(entry, name) for name in ("kid", "key_id", "keyid", "keyId") if text(entry, name)), "")
    granted = values.scopes(entry.get("target")) | values.scopes(entry.get("requested_default"))
    return (*base, granted, "" if scheme == "bearer" else scheme, partition, key_id)


def python_key(section: str, entry: Mapping[str, Any]) -> str:
    """The key that MSAL Python has for an entry."""
    def part(member: str) -> str:
        return text(entry, member)

    if section == APP_METADATA:
        return f"appmetadata-{part('environment')}-{part('client_id')}"
    head = [part("home_account_id"), part("environment")]
    if section == ACCOUNT:
        return "-".join([*head, part("realm")]).lower()
    extended = part("ext_cache_key") if section == ACCESS_TOKEN else ""
    name = "atext" if extended else section
    tail = {ACCESS_TOKEN: [part("realm"), part("target")], REFRESH_TOKEN: ["", part("target")],
            ID_TOKEN: [part("realm"), ""]}[section]
    return "-".join([*head, name, part("client_id"), *tail, *([extended] if extended else [])]).lower()


def is_key(section: str, name: str, entry: Mapping[str, Any]) -> bool:
    """Whether a key may be an MSAL's for an entry: all begin in the same way."""
    stem = "appmetadata" if section == APP_METADATA else text(entry, "home_account_id")
    return name.lower().startswith(f"{stem}-{text(entry, 'environment')}-".lower())


def owner(section: str, entry: Mapping[str, Any]) -> RecordKey:
    """The record that an entry belongs to; app metadata is also kept in the records of its client's accounts."""
    environment, client = values.canonical(text(entry, "environment")), values.stored_client(text(entry, "client_id"))
    home = text(entry, "home_account_id")
    if section == APP_METADATA or section == ACCESS_TOKEN and not home:
        return RecordKey("client", environment=environment, client_id=client)
    account = values.stored_account(home)
    shared_by = family(section, entry)
    if shared_by:
        return RecordKey("family", account, environment, family_id=shared_by)
    return RecordKey("credentials", account, environment, client)


def host(environment: str) -> str:
    """The host by which MSAL Python calls an environment."""
    found = values.issuer(environment)
    return found.host if found else values.host_of_unknown(environment) or environment


def for_msal(section: str, entry: Entry, environment: str, realm: Optional[str] = None) -> Optional[Entry]:
    """An entry as MSAL Python may use it, under the host by which it asks; None for one that it must not use.

    Members on which MSAL Python depends have the types that it expects."""
    found = kind(section, entry)
    if found is None or section in _KINDS and found != _KINDS[section][0]:
        return None
    if any(text(entry, member) for member in _UNKNOWN_TO_MSAL):
        return None
    seen = dict(entry, environment=environment)
    seen.pop("issuer", None)
    if section in _KINDS:
        seen["credential_type"] = section
        if realm is not None and "/" in text(entry, "environment") and section != REFRESH_TOKEN:
            # MSAL Python takes a part of the token endpoint's path for a tenant.
            seen["realm"] = realm
    if section == ACCESS_TOKEN:
        expires, cached = values.seconds(entry.get("expires_on")), values.seconds(entry.get("cached_at"))
        if expires is None or (cached or 0) - 1 > time.time():
            return None  # The clock was set back: nobody knows when the token expires.
        seen["expires_on"] = str(expires)
        _normalize_time(seen, "refresh_on")
        seen["target"] = _with_defaults(text(entry, "target"), text(entry, "requested_default"))
    elif "target" in seen:
        seen["target"] = text(entry, "target")
    if section == REFRESH_TOKEN:
        _normalize_time(seen, "last_modification_time")
        if not family(section, entry):
            seen.pop("family_id", None)
    if section == ACCOUNT:
        seen["username"] = text(entry, "username")
        seen["authority_type"] = text(entry, "authority_type") or "MSSTS"
        seen.setdefault("realm", "")
    return seen


def _with_defaults(target: str, defaults: str) -> str:
    missing = values.scopes(defaults) - values.scopes(target)
    return " ".join([target, *(scope for scope in defaults.split() if scope.lower() in missing)]).strip()


def _normalize_time(entry: Entry, member: str) -> None:
    if member not in entry:
        return
    seconds = values.seconds(entry[member])
    if seconds is None:
        del entry[member]
    else:
        entry[member] = str(seconds)


def is_spent(entry: Mapping[str, Any], now: float) -> bool:
    """Whether an access token can't be used any more, not even while the server is down."""
    times = [values.seconds(entry.get(name)) for name in ("expires_on", "extended_expires_on", "ext_expires_on")]
    return all(each is None or each < now for each in times)


def is_fresh(entry: Mapping[str, Any], now: float) -> bool:
    """Whether MSAL Python uses an access token without a refresh."""
    expires, refresh = values.seconds(entry.get("expires_on")), values.seconds(entry.get("refresh_on"))
    return expires is not None and int(expires) - now >= 300 and (refresh is None or refresh >= now)
