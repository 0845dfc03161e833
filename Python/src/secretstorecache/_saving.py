# SPDX-License-Identifier: MIT
"""Stores what MSAL Python makes of a response, and changes and removes single entries."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from . import _entries as entries
from . import _values as values
from ._documents import LEFTOVERS, Document, RecordKey
from ._entries import ACCESS_TOKEN, ACCOUNT, APP_METADATA, CREDENTIALS, ID_TOKEN, REFRESH_TOKEN, Entry, text
from ._refresh import Redeemable, RefreshToken
from ._refreshed import can_be, claims_of
from ._signing_out import is_sign_out, sign_out, sign_out_app
from ._store import REMOVE, Place, Snapshot, Store, Writer
from .errors import AccountMismatchError, CorruptItemError, InteractionRequiredError, persistently, signed_out

# The size above which access tokens make room for a refresh token, in bytes.
_FULL_BYTES = 1_570_000

Batch = List[Tuple[str, Entry]]
Check = Callable[[RecordKey, Document], None]


def save(store: Store, event: Mapping[str, Any], batch: Batch, redeemed: Optional[Redeemable], now: int) -> None:
    """Stores the entries of a response, those of each record at once.

    A response to a refresh need not name the account: it is then the redeemed token's."""
    home = next((entry["home_account_id"] for _, entry in batch if entry.get("home_account_id")), None)
    claims = claims_of(next((text(entry, "secret") for section, entry in batch if section == ID_TOKEN), ""))
    if redeemed is not None:
        owner = text(redeemed.place.entry, "home_account_id")
        if home and values.compared_account(home) != values.compared_account(owner):
            # At Azure AD, MSAL takes the `sub` of the ID token for the account where there is no client_info.
            is_named = "client_info" in event.get("response", {}) or not values.is_azure_ad(owner)
            if is_named or not can_be(store.read(owner), owner, claims):
                raise AccountMismatchError("The server returned tokens of another account than the refresh token's.")
        home = owner
    is_silent = bool(event.get("skip_account_creation"))
    refresh = redeemed if is_silent else None
    if refresh is not None:
        snapshot = store.read(home)
        _require_family(snapshot, refresh)
        # A client that uses the account for the first time, with its family's token, has a copy of it, too.
        batch = batch + [(ACCOUNT, place.entry) for place in snapshot.places(ACCOUNT)
                         if place.record.environment == refresh.record.environment]
    stored: Batch = []
    for section, entry in batch:
        if redeemed is not None:
            environment = text(redeemed.place.entry, "environment")
        else:
            environment = store.environment(text(entry, "environment"), home, claims.get("iss"), realm_of(batch))
        entry = dict(entry, environment=environment)
        if section in CREDENTIALS:
            entry["home_account_id"] = home
        stored.append((section, entry))
    if not is_silent:
        save_sign_in(store, event.get("client_id"), home, stored, now)
        return
    for key, changes in _by_record(stored, home, event.get("client_id")).items():
        _change(store, key, changes, refresh, is_silent, now)
    if refresh is not None and refresh.sign_out_counts[refresh.record] is None:
        # A sign-out from now on finds the client's new record. One that came before it has left no trace in it.
        try:
            _require_family(store.read(home), refresh)
        except InteractionRequiredError:
            client = refresh.record
            sign_out(store, text(refresh.place.entry, "home_account_id"), client.environment, {client.client_id})
            raise


def save_sign_in(store: Store, client: Optional[str], home: Optional[str], batch: Batch, now: int) -> None:
    """Stores the entries of a sign-in, which have the environment of their records.

    A removal between the family's record and the client's would leave an account without its refresh token: then both
    are stored once more. A family's record that can't be read costs no token: the client keeps it as its own."""
    deadline = store.group.deadline()
    while True:
        changes = _by_record(batch, home, client)
        family = next((key for key in changes if key.kind == "family"), None)
        try:
            # A family's refresh token first: without it, the client's record could not be refreshed.
            if family is not None:
                _change(store, family, changes.pop(family), None, False, now)
        except CorruptItemError:
            batch = [(section, without_family(entry) if section == REFRESH_TOKEN else entry)
                     for section, entry in batch]
            continue
        for key, of_record in changes.items():
            _change(store, key, of_record, None, False, now, brings_family_token=family is not None)
        if family is None:
            return
        stored = store.group.get(family.parts, deadline)[0]
        # A replacing import leaves the family's record without tokens.
        if stored is not None and (stored.reason or Document.parse(stored.content).has_tokens):
            return


def realm_of(batch: Batch) -> str:
    """The first part of the path of a response's authority, which its refresh token doesn't name."""
    return next((text(entry, "realm") for _, entry in batch if text(entry, "realm")), "")


def without_family(entry: Entry) -> Entry:
    return {name: value for name, value in entry.items() if name != "family_id"}


def _by_record(batch: Batch, home: Optional[str], client: Optional[str]) -> Dict[RecordKey, Batch]:
    changes: Dict[RecordKey, Batch] = {}
    for section, entry in batch:
        changes.setdefault(_record(section, entry, home, client), []).append((section, entry))
    return changes


def _require_family(snapshot: Snapshot, refresh: Redeemable) -> None:
    """Raises when the family's refresh token that was redeemed is gone: then the account was signed out."""
    key = refresh.place.record
    if key.kind == "family" and key not in snapshot.damaged:
        refresh.check(key, snapshot.documents.get(key, Document()))


def write_refresh_token(store: Store, old: Entry, new: Dict[str, Any]) -> None:
    """Writes the refresh token that replaces a redeemed one, and keeps trying: the redeemed one may be spent.

    Where the family's record can't be read any more, the client keeps the token as its own."""
    if not isinstance(old, RefreshToken):
        write(store, REFRESH_TOKEN, old, new)
        return
    redeemable = old.redeemable
    try:
        persistently(lambda: write(store, REFRESH_TOKEN, old, new, check=redeemable.check))
    except CorruptItemError:
        if redeemable.place.record.kind != "family":
            raise
        own = dict(without_family({**old, **new}), client_id=redeemable.record.client_id)
        persistently(lambda: write(store, REFRESH_TOKEN, own, {}, check=redeemable.check))


def _record(section: str, entry: Entry, home: Optional[str], client: Optional[str]) -> RecordKey:
    if home and section in (ACCOUNT, APP_METADATA):
        return entries.owner(ID_TOKEN, dict(entry, home_account_id=home, client_id=client))
    return entries.owner(section, entry)


def _change(
    store: Store, key: RecordKey, changes: Batch, refresh: Optional[Redeemable], is_silent: bool, now: int,
    brings_family_token: bool = False,
) -> None:
    is_signed_out = False

    def change(document: Document) -> bool:
        nonlocal is_signed_out
        is_signed_out = is_silent and document.state(store.app) == "signed_out"
        if refresh is not None:
            refresh.check(key, document)
        if is_signed_out and not document.is_used_by_others(store.app):
            raise signed_out()
        document.remove(ACCESS_TOKEN, lambda _, entry: entries.is_spent(entry, now))
        if brings_family_token and key.kind == "credentials":
            # The client's own token of an earlier sign-in would be preferred to the family's.
            document.remove(REFRESH_TOKEN, lambda _, entry: entries.kind(REFRESH_TOKEN, entry) == "refreshtoken"
                            and not text(entry, "family_id") and not text(entry, "user_assertion_hash"))
        writer = Writer(document)
        _put_accounts(writer, document, [entry for section, entry in changes if section == ACCOUNT], not is_silent)
        for section, entry in changes:
            if section != ACCOUNT:
                writer.put(section, dict(entry, environment=writer.host_in_use(entry["environment"])))
            if section == REFRESH_TOKEN:
                document.note_refresh_token(now)
        if key.kind == "credentials" and not is_signed_out:
            document.set_state(store.app, "signed_in")
        return True

    store.update(key, change)
    if is_signed_out:
        # What the refresh brought is the client's other apps'.
        raise signed_out()


def _places(store: Store, section: str, entry: Entry) -> List[Place]:
    """Where an entry lies that MSAL Python was given, or has made."""
    if isinstance(entry, RefreshToken):
        return [entry.redeemable.place]
    snapshot = store.read(entry.get("home_account_id"))
    return [
        place for place in store.seen_at(snapshot, section, text(entry, "environment") or None)
        if entries.identity(section, place.entry) == entries.identity(
            section, dict(entry, environment=text(place.entry, "environment"), requested_default=None))
        or place.name == entries.python_key(section, dict(entry, environment=text(place.entry, "environment")))
    ]


def write(
    store: Store, section: str, old_entry: Entry, new: Dict[str, Any], accounts: Sequence[Entry] = (),
    check: Optional[Check] = None,
) -> None:
    """Writes an entry where it lies, or into its owner's record; without a check nowhere when it was removed meanwhile.

    accounts: The account's entries, of which each client that has its tokens has a copy.
    check: Raises when a record must not get the entry.
    """
    home = text(old_entry, "home_account_id")
    places = _places(store, section, old_entry)
    written = {**old_entry, **new}
    keys = {place.record: text(place.entry, "environment") for place in places}
    names = {place.name for place in places}
    if not keys:
        environment = store.environment(text(old_entry, "environment"), home, realm=text(written, "realm"))
        written["environment"] = environment
        keys = dict.fromkeys(_new_owners(store, section, written), environment)

    for key, environment in keys.items():
        entry = dict(written, environment=environment)

        def change(document: Document) -> bool:
            if check is not None:
                check(key, document)
            wanted = entries.identity(section, entry)
            stored = [each for each in document.section(section).values()
                      if entries.kind(section, each) is not None and entries.identity(section, each) == wanted]
            # Whoever checks knows a removal from a token that was refused to another app.
            if check is None and names and not stored and names.isdisjoint(document.section(section)):
                return False
            is_replaced = section == REFRESH_TOKEN and old_entry.get("secret") != entry.get("secret")
            if is_replaced and (stored or check is None) and all(
                    text(each, "secret") != old_entry.get("secret") for each in stored):
                return False  # A sign-in or another app's refresh has replaced it.
            writer = Writer(document)
            writer.put(section, entry)
            if section == REFRESH_TOKEN:
                document.note_refresh_token(int(time.time()))
                document.make_room(_FULL_BYTES)
            if key.kind == "credentials" and section in CREDENTIALS:
                _put_accounts(writer, document, [dict(each, environment=entry["environment"]) for each in accounts],
                              is_sign_in=False)
                if document.state(store.app) is None:
                    document.set_state(store.app, "signed_in")
            return True

        store.update(key, change)


def _put_accounts(writer: Writer, document: Document, accounts: Sequence[Entry], is_sign_in: bool) -> None:
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
