# SPDX-License-Identifier: MIT
"""Writes and removes single entries."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Set

from . import _entries as entries
from . import _values as values
from ._documents import LEFTOVERS, Document, RecordKey
from ._entries import ACCOUNT, CREDENTIALS, REFRESH_TOKEN, Entry, text
from ._refresh import Redeemable, RefreshToken
from ._signing_out import is_sign_out, sign_out_app
from ._store import REMOVE, Place, Store
from ._writer import Writer
from .errors import CorruptItemError, InvalidArgumentError, persistently

Check = Callable[[RecordKey, Document], None]


def write_refresh_token(store: Store, old: Entry, new: Dict[str, Any]) -> None:
    """Writes the refresh token that replaces a redeemed one, and keeps trying: the redeemed one may be spent.

    Where the family's record can't be read any more or has no room, the client keeps the token as its own."""
    if not isinstance(old, RefreshToken):
        write(store, REFRESH_TOKEN, old, new)
        return
    redeemable = old.redeemable
    try:
        persistently(lambda: write(store, REFRESH_TOKEN, old, new, redeemable=redeemable))
    except (CorruptItemError, InvalidArgumentError):
        if redeemable.place.record.kind != "family":
            raise
        own = dict(entries.without_family({**old, **new}), client_id=redeemable.record.client_id)
        persistently(lambda: write(store, REFRESH_TOKEN, own, {}, redeemable=redeemable, is_in_place=False))


def _places(store: Store, section: str, entry: Entry) -> List[Place]:
    """Where an entry lies that MSAL Python was given, or has made."""
    if isinstance(entry, RefreshToken):
        return [entry.redeemable.place]
    snapshot = store.read(entry.get("home_account_id"))
    account = values.compared_account(text(entry, "home_account_id"))

    def is_entry(place: Place) -> bool:
        # Keys are the same for accounts whose identifiers differ by letter case only.
        if values.compared_account(text(place.entry, "home_account_id")) != account:
            return False
        here = dict(entry, environment=text(place.entry, "environment"), requested_default=None)
        return entries.identity(section, place.entry) == entries.identity(section, here) \
            or place.name == entries.python_key(section, here)

    return [place for place in store.seen_at(snapshot, section, text(entry, "environment") or None)
            if is_entry(place)]


def write(
    store: Store, section: str, old_entry: Entry, new: Dict[str, Any], accounts: Sequence[Entry] = (),
    check: Optional[Check] = None, redeemable: Optional[Redeemable] = None, is_in_place: bool = True,
) -> None:
    """Writes an entry where it lies, or into its owner's record; without a check nowhere when it was removed meanwhile.

    accounts: The account's entries, of which each client that has its tokens has a copy.
    check: Raises when a record must not get the entry.
    redeemable: The refresh token that was redeemed for the entry; it checks the record, too.
    is_in_place: Whether it is written where it lies; otherwise into its owner's record.
    """
    if redeemable is not None:
        check = redeemable.check
    places = _places(store, section, old_entry) if is_in_place else []
    written = {**old_entry, **new}
    names = {place.name for place in places}
    keys = {place.record: text(place.entry, "environment") for place in places}
    for key, environment in (keys or _new_records(store, section, old_entry, written)).items():
        entry = dict(written, environment=environment)

        def change(document: Document) -> bool:
            if check is not None:
                check(key, document)
            elif names and _is_removed(document, section, entry, names):
                return False
            if section == REFRESH_TOKEN and _is_replaced(document, old_entry, entry, check is None):
                return False
            writer = Writer(document)
            writer.put(section, entry)
            if section == REFRESH_TOKEN:
                document.note_refresh_token(int(time.time()))
            if key.kind == "credentials" and section in CREDENTIALS:
                put_accounts(writer, document, [dict(each, environment=entry["environment"]) for each in accounts],
                             is_sign_in=False)
                if document.state(store.app) is None:
                    document.set_state(store.app, "signed_in")
            return True

        restored = None if redeemable is None else redeemable.restored(key)
        store.update(key, change, Document.make_room if section == REFRESH_TOKEN else None, restored)


def _new_records(store: Store, section: str, old_entry: Entry, written: Entry) -> Dict[RecordKey, str]:
    """The records of an entry that is in none, and its environment there."""
    environment = store.environment(
        text(old_entry, "environment"), text(old_entry, "home_account_id"), realm=text(written, "realm"))
    return dict.fromkeys(_new_owners(store, section, dict(written, environment=environment)), environment)


def _same(document: Document, section: str, entry: Entry) -> List[Entry]:
    wanted = entries.identity(section, entry)
    return [each for each in document.section(section).values()
            if entries.kind(section, each) is not None and entries.identity(section, each) == wanted]


def _is_removed(document: Document, section: str, entry: Entry, names: Set[str]) -> bool:
    """Whether an entry that was under these names is gone. Whoever checks a record knows a removal from a token that
    was refused to another app."""
    return not _same(document, section, entry) and names.isdisjoint(document.section(section))


def _is_replaced(document: Document, old: Entry, new: Entry, is_absent_replaced: bool) -> bool:
    """Whether a sign-in or another app's refresh has replaced the refresh token that was redeemed."""
    if old.get("secret") == new.get("secret"):
        return False
    stored = _same(document, REFRESH_TOKEN, new)
    return bool(stored or is_absent_replaced) and all(text(each, "secret") != old.get("secret") for each in stored)


def put_accounts(writer: Writer, document: Document, accounts: Sequence[Entry], is_sign_in: bool) -> None:
    """Writes an account's entries; without a sign-in only those that the record lacks."""
    known = {entries.identity(ACCOUNT, entry) for entry in document.section(ACCOUNT).values()}
    for account in accounts:
        if is_sign_in or entries.identity(ACCOUNT, account) not in known:
            writer.put(ACCOUNT, dict(account, environment=writer.host_in_use(account["environment"])))


def _new_owners(store: Store, section: str, entry: Entry) -> List[RecordKey]:
    """The records of a new entry: an account is kept with each client that has tokens of it."""
    if section != ACCOUNT:
        return [entries.owner(section, entry)]
    environment = values.canonical(entry["environment"])
    return [key for key, document in store.read(text(entry, "home_account_id")).documents.items()
            if key.kind == "credentials" and key.environment == environment and document.has_tokens] or [LEFTOVERS]


def remove(store: Store, section: str, entry: Entry, clients: Optional[Set[str]]) -> None:
    """Removes an entry, unless another app or a client that is none of these uses it; None for all clients."""
    is_of_user = bool(text(entry, "home_account_id"))
    if clients is not None and is_of_user and values.stored_client(text(entry, "client_id")) not in clients \
            and not entries.family(section, entry):
        return  # MSAL signs out of the account for all clients of the cache.
    secrets: Dict[RecordKey, Dict[str, str]] = {}
    for place in _places(store, section, entry):
        secrets.setdefault(place.record, {})[place.name] = text(place.entry, "secret")
    is_kept = any(key.kind == "family" for key in secrets) \
        and _is_used_by_others(store, text(entry, "home_account_id"), clients or set())
    for key, known in secrets.items():
        if key.kind == "family" and is_kept:
            continue

        def change(document: Document) -> object:
            if is_of_user and document.is_used_by_others(store.app):
                return False
            is_removed = document.remove(section, lambda name, stored: known.get(name) == text(stored, "secret"))
            if is_removed and is_sign_out(section, entry) and key.kind == "credentials" \
                    and not document.has_tokens and not document.section(ACCOUNT):
                sign_out_app(document, store.app)  # Without an account's entry, MSAL removes no more of it.
            return REMOVE if is_removed and key.kind == "family" and not document.has_tokens else is_removed

        store.update(key, change)


def _is_used_by_others(store: Store, home_account_id: str, clients: Set[str]) -> bool:
    """Whether another app or client may redeem the refresh tokens of an account's families."""
    snapshot = store.read(home_account_id)
    return bool(snapshot.damaged) or any(
        document.is_used_by_others(store.app)
        or document.has_tokens and key.client_id not in clients
        for key, document in snapshot.documents.items() if key.kind == "credentials")
