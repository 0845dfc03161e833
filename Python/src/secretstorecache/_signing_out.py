# SPDX-License-Identifier: MIT
"""Signs an app out of an account, and removes what names the account."""

from __future__ import annotations

import time
from functools import partial
from typing import Callable, List, Optional, Set

from . import _values as values
from ._documents import LEFTOVERS, Document, RecordKey
from ._entries import ACCESS_TOKEN, ACCOUNT, APP_METADATA, Entry, text
from ._store import REMOVE, Snapshot, Store
from .errors import SecretStoreError


def is_sign_out(section: str, entry: Entry) -> bool:
    """Whether MSAL signs out of an account when it removes an entry: it also removes each token that has expired."""
    expires = values.seconds(entry.get("expires_on"))
    is_expired = section == ACCESS_TOKEN and expires is not None and expires < time.time()
    return bool(text(entry, "home_account_id")) and not is_expired


def sign_out(store: Store, home_account_id: str, host: str, clients: Optional[Set[str]]) -> None:
    """Signs this app out of an account, for some clients; None for all.

    What names the account goes with the last app of the client that uses it.

    Where a record can't be changed, the others are, and then its error is raised."""
    _SignOut(store, home_account_id, host, clients).run()


class _SignOut:
    def __init__(self, store: Store, home_account_id: str, host: str, clients: Optional[Set[str]]) -> None:
        self._store, self._host, self._clients = store, host, clients
        self._home_account_id, self._account = home_account_id, values.stored_account(home_account_id)
        self._snapshot = store.read(home_account_id)
        self._keys = {*self._snapshot.documents, *self._snapshot.damaged}
        self._environments = {key.environment for key in self._keys
                              if key.account == self._account and store.is_at(key.environment, host)}
        #: The clients of whose records other apps use some.
        self._in_use: Set[str] = set()
        self._failures: List[SecretStoreError] = []

    def run(self) -> None:
        records = self._records()
        for key in records:
            self._sign_out_record(key)
        chosen = {key.client_id for key in records} if self._clients is None else self._clients
        if self._clients is None or chosen - self._in_use:
            self._remove_entries(chosen)
        if self._environments:
            _remove_unused_families(self._store, self._home_account_id, self._environments, self._update)
        if self._failures:
            raise self._failures[0]

    def _records(self) -> Set[RecordKey]:
        if self._clients is None:
            return {key for key in self._keys if key.kind == "credentials" and key.environment in self._environments}
        return {RecordKey("credentials", self._account, environment, client)
                for environment in self._environments for client in self._clients}

    def _sign_out_record(self, key: RecordKey) -> None:
        def change(document: Document) -> bool:
            if document.is_used_by_others(self._store.app):
                self._in_use.add(key.client_id)
            return sign_out_app(document, self._store.app)

        if not self._update(key, change) and key in self._snapshot.documents \
                and self._snapshot.documents[key].is_used_by_others(self._store.app):
            self._in_use.add(key.client_id)

    def _remove_entries(self, chosen: Set[str]) -> None:
        def goes(client: str) -> bool:
            """Whether a client's entries go; what names no client has an empty one, and goes with all clients."""
            is_chosen = self._clients is None and bool(client or not self._in_use) or client in chosen
            return is_chosen and client not in self._in_use

        removal = _EntryRemoval(self._account, goes, lambda environment: self._store.is_at(environment, self._host))
        for key, document in self._store.read(includes_data=True).documents.items():
            if removal.apply(key, document):
                self._update(key, partial(removal.apply, key))

    def _update(self, key: RecordKey, change: Callable[[Document], object]) -> bool:
        try:
            self._store.update(key, change)
        except SecretStoreError as error:
            self._failures.append(error)
            return False
        return True


def sign_out_app(document: Document, app: str) -> bool:
    """Signs an app out of a record, and every app when no other uses it; returns whether there was anything to do."""
    if document.state(app) == "signed_out":
        return False
    document.set_state(app, "signed_out")
    if not document.is_used_by_others(app):
        document.sign_out()
    return True


class _EntryRemoval:
    """The removal of an account's entries, of any kind, from records that are not its own, or are another client's.

    An import leaves entries of unknown kinds, and another program can write any entry into any record."""

    def __init__(self, account: str, is_client: Callable[[str], bool], is_here: Callable[[str], bool]) -> None:
        self._account, self._is_client, self._is_here = account, is_client, is_here

    def apply(self, key: RecordKey, document: Document) -> bool:
        """Removes the entries from a record's document, and returns whether there were any."""
        is_own = key.account == self._account

        def is_of_account(entry: Entry) -> bool:
            if values.stored_account(text(entry, "home_account_id")) != self._account:
                return False
            # What names no environment has that of its account's record, and elsewhere may be the account's in each.
            named = text(entry, "issuer") or text(entry, "environment") or (key.environment if is_own else "")
            return not named or self._is_here(named)

        def is_of_client(entry: Entry) -> bool:
            # A family's refresh token names the client that stored it last, and belongs to the family.
            is_family_token = key.kind == "family" and is_own and bool(text(entry, "family_id"))
            return not is_family_token and self._is_client(values.stored_client(text(entry, "client_id")))

        is_changed = document.remove_owned(lambda entry: is_of_account(entry) and is_of_client(entry))
        if key == LEFTOVERS:
            is_changed = document.remove(ACCOUNT, lambda _, entry: is_of_account(entry)) or is_changed
        # What names no client goes with the last entry that does. In the account's own record it is its client's.
        elif not (is_own and self._is_here(key.environment)) \
                and not document.has_owned(lambda entry: is_of_account(entry) and bool(text(entry, "client_id"))):
            is_changed = document.remove_owned(is_of_account) or is_changed
        if is_changed:
            document.count_removal(key)
        return is_changed


def _remove_unused_families(
    store: Store, home_account_id: str, environments: Set[str],
    update: Callable[[RecordKey, Callable[[Document], object]], bool],
) -> None:
    """Removes the family records that no client with tokens can use, also one that gets a token meanwhile."""
    snapshot = store.read()
    account = values.stored_account(home_account_id)
    if any(key.kind == "credentials" and key.account == account for key in snapshot.damaged):
        return  # It may be in use.
    used = {(key.environment, _family(snapshot, key)) for key, document in snapshot.documents.items()
            if key.kind == "credentials" and key.account == account and document.has_tokens}
    for key, read in snapshot.documents.items():
        if key.kind == "family" and key.account == account and key.environment in environments \
                and (key.environment, key.family_id) not in used:
            seen = read.serialized()
            is_changed = False

            def change(document: Document) -> object:
                nonlocal is_changed
                is_changed = document.serialized() != seen
                return False if is_changed else REMOVE

            if update(key, change) and is_changed:
                _remove_unused_families(store, home_account_id, environments, update)
                return


def _family(snapshot: Snapshot, key: RecordKey) -> str:
    """The family of a client, as its records say, or none; a client of which nothing is known counts as of family 1."""
    for each in (key, RecordKey("client", environment=key.environment, client_id=key.client_id)):
        for entry in snapshot.documents.get(each, Document()).section(APP_METADATA).values():
            if values.stored_client(text(entry, "client_id")) == key.client_id:
                return text(entry, "family_id")
    return "1"
