# SPDX-License-Identifier: MIT
"""What a server returns to a refresh: what MSAL Python can read of it, and whose it is."""

from __future__ import annotations

import base64
import json
from typing import Any, Dict, List, Mapping

from ._entries import ACCOUNT, ID_TOKEN, Entry, text
from ._store import Snapshot

_TEXTS = ("access_token", "refresh_token", "id_token", "token_type", "foci")
_LONGEST_FAMILY = 100


def readable(response: Mapping[str, Any], is_refresh: bool) -> Dict[str, Any]:
    """The response without the members at which MSAL Python would fail, before it has stored the refresh token.

    At a refresh the account is known, and a response need not name it."""
    kept = {name: value for name, value in response.items() if name not in _TEXTS or isinstance(value, str)}
    if not (len(text(kept, "foci")) <= _LONGEST_FAMILY and text(kept, "foci").isprintable()):
        del kept["foci"]
    for name in ("expires_in", "ext_expires_in", "refresh_in", "expires_on"):
        try:
            if not isinstance(kept.get(name, 0), int):
                kept[name] = max(0, int(float(kept[name])))
        except (TypeError, ValueError, OverflowError):
            del kept[name]
    info = claims_of(f".{kept.get('client_info')}")
    if not (text(info, "uid") and text(info, "utid")):
        kept.pop("client_info", None)
    claims = claims_of(text(kept, "id_token"))
    names_account = bool(text(claims, "sub")) or bool(claims) and "client_info" in kept
    if not names_account and (is_refresh or "client_info" in kept):
        kept.pop("id_token", None)
    return kept


def can_be(snapshot: Snapshot, home_account_id: str, claims: Mapping[str, Any]) -> bool:
    """Whether an Azure AD ID token can be the account's, as far as its IDs in the token's tenant are known.

    Object IDs are compared. A `sub` is another one for each client: without an object ID it is compared with that of
    the client's stored ID token."""
    uid, _, home = home_account_id.lower().partition(".")
    tenant, object_id = text(claims, "tid").lower() or home, text(claims, "oid").lower()
    if tenant == home and object_id and object_id == uid[:36]:
        return True

    def stored(section: str) -> List[Entry]:
        return [place.entry for place in snapshot.places(section) if text(place.entry, "realm").lower() == tenant]

    tokens = [claims_of(text(entry, "secret")) for entry in stored(ID_TOKEN)]
    if not object_id:
        known = {text(each, "sub") for each in tokens if each.get("aud") == claims.get("aud")}
        return not known or text(claims, "sub") in known
    known = {text(each, "oid").lower() for each in tokens} | {
        text(entry, "local_account_id").lower() for entry in stored(ACCOUNT)}
    known -= {"", text(claims, "sub").lower(), *([uid] if tenant != home else [])}
    return object_id in known or not known and tenant != home


def claims_of(token: str) -> Dict[str, Any]:
    """The claims of an ID token, which MSAL Python doesn't validate either."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode())
    except (IndexError, ValueError, RecursionError):
        return {}
    return claims if isinstance(claims, dict) else {}
