# SPDX-License-Identifier: MIT
"""Stores what MSAL Python makes of a response."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

from . import _entries as entries
from . import _values as values
from ._documents import Document, RecordKey
from ._entries import ACCESS_TOKEN, ACCOUNT, APP_METADATA, CREDENTIALS, ID_TOKEN, REFRESH_TOKEN, Entry, text
from ._refresh import Redeemable
from ._signing_out import sign_out
from ._store import Snapshot, Store
from ._token_response import can_be, claims_of
from ._writer import Writer
from ._writing import put_accounts
from .errors import (
    AccountMismatchError, CorruptItemError, InteractionRequiredError, InvalidArgumentError, NoRoomError, signed_out,
)

Batch = List[Tuple[str, Entry]]


def save(store: Store, event: Mapping[str, Any], batch: Batch, redeemed: Optional[Redeemable], now: int) -> None:
    """Stores the entries of a response, those of each record at once.

    A response to a refresh need not name the account: it is then the redeemed token's."""
    home = next((entry["home_account_id"] for _, entry in batch if entry.get("home_account_id")), None)
    claims = claims_of(next((text(entry, "secret") for section, entry in batch if section == ID_TOKEN), ""))
    if redeemed is not None:
        owner = text(redeemed.place.entry, "home_account_id")
        if home and values.compared_account(home) != values.compared_account(owner):
            _require_owner(store, event, claims, owner)
        home = owner
    is_silent = bool(event.get("skip_account_creation"))
    refresh = redeemed if is_silent else None
    if refresh is not None:
        snapshot = store.read(home)
        _require_family(snapshot, refresh)
        # A client that uses the account for the first time, with its family's token, has a copy of it, too.
        batch = batch + [(ACCOUNT, place.entry) for place in snapshot.places(ACCOUNT)
                         if place.record.environment == refresh.record.environment]

    def environment(entry: Entry) -> str:
        if redeemed is not None:
            return text(redeemed.place.entry, "environment")
        return store.environment(text(entry, "environment"), home, claims.get("iss"), realm_of(batch))

    stored = [(section, {**entry, "environment": environment(entry),
                         **({"home_account_id": home} if section in CREDENTIALS else {})})
              for section, entry in batch]
    if is_silent:
        _save_refresh(store, event.get("client_id"), home, stored, refresh, now)
    else:
        save_sign_in(store, event.get("client_id"), home, stored, now)


def _require_owner(store: Store, event: Mapping[str, Any], claims: Mapping[str, Any], owner: str) -> None:
    """Raises for a response that names another account than the redeemed token's."""
    # At Azure AD, MSAL takes the `sub` of the ID token for the account where there is no client_info.
    is_named = "client_info" in event.get("response", {}) or not values.is_azure_ad(owner)
    if is_named or not can_be(store.read(owner), owner, claims):
        raise AccountMismatchError(
            "The server returned tokens of another account than the refresh token's. They are not stored, and the "
            "refresh token may be spent: then a new sign-in is needed.")


def _save_refresh(
    store: Store, client: Optional[str], home: Optional[str], batch: Batch, refresh: Optional[Redeemable], now: int
) -> None:
    left_out = None
    for key, changes in _by_record(batch, home, client).items():
        try:
            _RecordChange(store, key, changes, now, is_silent=True, refresh=refresh).save()
        except NoRoomError as error:
            left_out = error
    if refresh is not None and refresh.seen[refresh.record] is None:
        # A sign-out from now on finds the client's new record. One that came before it has left no trace in it.
        try:
            _require_family(store.read(home), refresh)
        except InteractionRequiredError:
            sign_out(store, text(refresh.place.entry, "home_account_id"), refresh.record.environment,
                     {refresh.record.client_id})
            raise
    if left_out is not None:
        raise left_out


def save_sign_in(store: Store, client: Optional[str], home: Optional[str], batch: Batch, now: int) -> None:
    """Stores the entries of a sign-in, which have the environment of their records.

    A removal between the family's record and the client's would leave an account without its refresh token: then both
    are stored once more. A family's record that can't be read or has no room costs no token: the client keeps it as its
    own."""
    deadline = store.group.deadline()
    while True:
        changes = _by_record(batch, home, client)
        family = next((key for key in changes if key.kind == "family"), None)
        try:
            # A family's refresh token first: without it, the client's record could not be refreshed.
            if family is not None:
                _RecordChange(store, family, changes.pop(family), now).save()
        except (CorruptItemError, InvalidArgumentError):
            if family is None:
                raise
            batch = [(section, entries.without_family(entry) if section == REFRESH_TOKEN else entry)
                     for section, entry in batch]
            continue
        left_out = None
        for key, of_record in changes.items():
            try:
                _RecordChange(store, key, of_record, now, brings_family_token=family is not None).save()
            except NoRoomError as error:
                left_out = error
        if family is None or _has_token(store, family):
            break
        deadline.remaining()  # Raises after removals that don't end.
    if left_out is not None:
        raise left_out


def _has_token(store: Store, family: RecordKey) -> bool:
    """Whether a family's record may have its refresh token: a replacing import leaves it without."""
    stored = store.group.get(family.parts, store.group.deadline())[0]
    return stored is not None and bool(stored.reason or Document.parse(stored.content).has_tokens)


def realm_of(batch: Batch) -> str:
    """The first part of the path of a response's authority, which its refresh token doesn't name."""
    return next((text(entry, "realm") for _, entry in batch if text(entry, "realm")), "")


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


def _record(section: str, entry: Entry, home: Optional[str], client: Optional[str]) -> RecordKey:
    if home and section in (ACCOUNT, APP_METADATA):
        return entries.owner(ID_TOKEN, dict(entry, home_account_id=home, client_id=client))
    return entries.owner(section, entry)


class _RecordChange:
    """What a response changes in a record."""

    def __init__(
        self, store: Store, key: RecordKey, changes: Batch, now: int, *, is_silent: bool = False,
        refresh: Optional[Redeemable] = None, brings_family_token: bool = False,
    ) -> None:
        self._store, self._key, self._changes, self._now = store, key, changes, now
        self._is_silent, self._refresh, self._brings_family_token = is_silent, refresh, brings_family_token
        self._is_signed_out = self._is_left_out = False

    def save(self) -> None:
        restored = None if self._refresh is None else self._refresh.restored(self._key)
        self._store.update(self._key, self._apply, self._make_room, restored)
        if self._is_signed_out:
            # What the refresh brought is the client's other apps'.
            raise signed_out()
        if self._is_left_out:
            raise NoRoomError("The record has no room for the access token. What else came with it is stored.")

    def _apply(self, document: Document) -> bool:
        self._is_left_out = False
        self._is_signed_out = self._is_silent and document.state(self._store.app) == "signed_out"
        if self._refresh is not None:
            self._refresh.check(self._key, document)
        if self._is_signed_out and not document.is_used_by_others(self._store.app):
            raise signed_out()
        document.remove(ACCESS_TOKEN, lambda _, entry: entries.is_spent(entry, self._now))
        if self._brings_family_token and self._key.kind == "credentials":
            # The client's own token of an earlier sign-in would be preferred to the family's.
            document.remove(REFRESH_TOKEN, lambda _, entry: entries.kind(REFRESH_TOKEN, entry) == "refreshtoken"
                            and not text(entry, "family_id") and not text(entry, "user_assertion_hash"))
        self._put(document)
        if self._key.kind == "credentials" and not self._is_signed_out:
            document.set_state(self._store.app, "signed_in")
        return True

    def _put(self, document: Document) -> None:
        writer = Writer(document)
        put_accounts(writer, document, [entry for section, entry in self._changes if section == ACCOUNT],
                     is_sign_in=not self._is_silent)
        for section, entry in self._changes:
            if section != ACCOUNT:
                writer.put(section, dict(entry, environment=writer.host_in_use(entry["environment"])))
            if section == REFRESH_TOKEN:
                document.note_refresh_token(self._now)

    def _make_room(self, document: Document, excess: int) -> None:
        new = {text(entry, "secret") for section, entry in self._changes if section == ACCESS_TOKEN}
        self._is_left_out = not new.isdisjoint(document.make_room(excess, last=new))
