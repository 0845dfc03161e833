# SPDX-License-Identifier: MIT
"""Finds entries by the queries of MSAL Python."""

from __future__ import annotations

import time
from typing import Any, Dict, Hashable, List, Mapping, Optional, Sequence, Tuple

from . import _entries as entries
from . import _values as values
from ._entries import ACCESS_TOKEN, ACCOUNT, APP_METADATA, Entry, text
from ._store import Place, Snapshot, Store

_NO_QUERY: Mapping[str, Any] = {}


def matching(
    store: Store, snapshot: Snapshot, section: str, target: Sequence[str] = (), query: Mapping[str, Any] = _NO_QUERY,
    now: Optional[float] = None,
) -> List[Tuple[Entry, Place]]:
    """The entries that match a query as MSAL Python's, at any host of its cloud and in any spelling of the account."""
    host, realm = query.get("environment"), query.get("realm")
    wanted = {name: value for name, value in query.items() if name != "environment"}
    if isinstance(wanted.get("home_account_id"), str):
        wanted["home_account_id"] = values.compared_account(wanted["home_account_id"])
    at = int(time.time() if now is None else now)
    found: Dict[Hashable, Tuple[Entry, Place]] = {}
    for place in store.seen_at(snapshot, section, host):
        environment = entries.host(text(place.entry, "environment"))
        if host and section != ACCOUNT:
            environment = host.lower()
        entry = entries.for_msal(section, place.entry, environment, realm)
        if entry is None:
            continue
        if section == ACCESS_TOKEN and int(entry["expires_on"]) < at:
            # MSAL Python, too, returns an expired one for exactly these scopes only.
            if set(target) != set(entry["target"].split()):
                continue
        compared = entry
        if entry.get("home_account_id"):
            compared = dict(entry, home_account_id=values.compared_account(entry["home_account_id"]))
        if "ext_cache_key" in entry and "ext_cache_key" not in query and section == ACCESS_TOKEN:
            continue
        is_wanted = all(name in compared and compared[name] == value for name, value in wanted.items())
        if is_wanted and set(target) <= set(text(entry, "target").split()):
            key: Hashable = len(found)
            if section in (ACCOUNT, APP_METADATA):
                # Each client of an account has a copy of it. MSAL Python's keys are the same in upper and lower case.
                key = entries.python_key(section, entry), values.compared_account(text(entry, "home_account_id"))
            if key not in found or entry.get("family_id"):
                found[key] = entry, place
    return list(found.values())
