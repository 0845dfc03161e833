# SPDX-License-Identifier: MIT
"""Stores what MSAL Python serializes entry by entry, and tells a sign-in from a refresh."""

from __future__ import annotations

import logging
import time
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Set, Tuple

from . import _entries as entries
from . import _values as values
from ._documents import Document, RecordKey
from ._entries import ACCESS_TOKEN, ACCOUNT, APP_METADATA, CREDENTIALS, REFRESH_TOKEN, SECTIONS, Entry, text
from ._refresh import require_unchanged
from ._saving import Batch, realm_of, save_sign_in
from ._signing_out import sign_out
from ._store import Snapshot, Store
from ._writer import Writer
from ._writing import write
from .errors import (
    TRANSIENT, CorruptItemError, InteractionRequiredError, InvalidArgumentError, NoRoomError, SecretStoreError,
    persistently, signed_out,
)

_LOGGER = logging.getLogger("secretstorecache")

Cache = Dict[str, Any]
Owner = Tuple[str, str]
# A section, an entry as it was, and as it is to be.
_Change = Tuple[str, Entry, Entry]

# How long a save of what a refresh brought may take, and each of the two readings before it. MSAL has a lock during all
# three, for which others wait ten seconds at most.
LOCKED_SECONDS = 3

# Marks the accounts that are loaded. At each sign-in MSAL writes one without it, also where the group has the same.
LOADED = "secretstorecache"


class _Unsaved(NamedTuple):
    """A refresh token that could not be stored, the one that the group has in its place, and the account's entries."""

    old: Entry
    new: Entry
    accounts: List[Entry]


class Responses:
    """The responses whose entries a persistence is given, one or more at a time.

    At a sign-in MSAL writes an access token first, then the account, the ID token and the refresh token. At a refresh
    it writes no account. So an account makes a sign-in of the token before it, and of the ID token and refresh token
    after it. All of a sign-in is stored again with each of its entries: a removal meanwhile leaves the whole of it, or
    nothing."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tokens: Batch = []
        #: The accounts' entries of the sign-ins under way.
        self._signing_in: Dict[Owner, List[Entry]] = {}
        #: Why the latest access token was not stored, which may be the first of a sign-in.
        self._refusal: Optional[SecretStoreError] = None
        self._unsaved: List[_Unsaved] = []
        #: The sign-outs of each record when its tokens were read for the last time.
        self._sign_out_numbers: Dict[RecordKey, int] = {}

    def note(self, snapshot: Snapshot) -> None:
        """Notes what MSAL has read, which it may redeem."""
        self._sign_out_numbers.update(
            (key, document.sign_out_number) for key, document in snapshot.documents.items() if document.has_tokens)

    def save(self, base: Cache, new: Cache) -> None:
        """Stores the entries that are new or different."""
        changes = [(section, _former(base.get(section, {}).get(name), entry), entry)
                   for section in SECTIONS for name, entry in difference(new, base, section)]
        tokens = [change for change in changes if change[0] in CREDENTIALS]
        accounts: Dict[Owner, List[Entry]] = {}
        for _, entry in difference(new, {}, ACCOUNT):
            accounts.setdefault(owner(entry), []).append(_plain(entry))
        self._note_sign_ins(changes, accounts)
        brought = self._save_sign_ins()
        for section, old, entry in tokens:
            if not text(entry, "home_account_id"):
                write(self._store, section, old, entry)
            elif owner(entry) not in self._signing_in:
                self._save_refreshed(section, old, entry, accounts.get(owner(entry), []))
        for section, old, entry in changes:
            if section == ACCOUNT and (owner(entry) not in brought or _plain(old) != _plain(entry)):
                write(self._store, ACCOUNT, _plain(old), _plain(entry))
            if section == APP_METADATA:
                try:
                    with self._store.group.within(LOCKED_SECONDS):
                        self._save_app_metadata(entry)
                except SecretStoreError as error:
                    _warn(error)

    def _note_sign_ins(self, changes: List[_Change], accounts: Dict[Owner, List[Entry]]) -> None:
        tokens = [(section, entry) for section, _, entry in changes
                  if section in CREDENTIALS and text(entry, "home_account_id")]
        going_on = {owner(entry) for section, entry in tokens if section != ACCESS_TOKEN}
        signing_in = {each: known for each, known in self._signing_in.items() if each in going_on}
        for section, _, entry in changes:
            if section == ACCOUNT and LOADED not in entry:
                signing_in[owner(entry)] = accounts[owner(entry)]
        if self._refusal is not None and not signing_in:
            _warn(self._refusal)
        self._refusal = None
        self._signing_in = signing_in
        self._tokens = self._tokens + tokens if signing_in else tokens

    def _save_sign_ins(self) -> Set[Owner]:
        batches: Dict[Tuple[Owner, str], Batch] = {}
        for section, entry in self._tokens:
            if owner(entry) in self._signing_in:
                batches.setdefault((owner(entry), text(entry, "client_id")), []).append((section, entry))
        for (each, client), batch in batches.items():
            home = text(batch[0][1], "home_account_id")
            batch = batch + [(ACCOUNT, account) for account in self._signing_in[each]]
            realm = realm_of(batch)
            stored = [(section, dict(entry, environment=self._store.environment(
                text(entry, "environment"), home, realm=realm))) for section, entry in batch]
            try:
                save_sign_in(self._store, client, home, stored, int(time.time()))
            except NoRoomError as error:
                _warn(error)  # The refresh token comes last.
        return {each for each, _ in batches}

    def _save_refreshed(self, section: str, old: Entry, entry: Entry, accounts: List[Entry]) -> None:
        """Saves a token of a refresh. An error must not keep MSAL from the next one, which may be the refresh token."""
        if section == REFRESH_TOKEN:
            old = self._stored_before(old)

        def save() -> None:
            _RefreshSave(self._store, self._sign_out_numbers).save(section, old, entry, accounts)

        try:
            with self._store.group.within(LOCKED_SECONDS):
                if section == REFRESH_TOKEN:
                    persistently(save, LOCKED_SECONDS, at_least=1)  # The redeemed one may be spent.
                else:
                    save()
        except SecretStoreError as error:
            if section == REFRESH_TOKEN and isinstance(error, TRANSIENT):
                self._unsaved.append(_Unsaved(old, entry, accounts))
            if section == ACCESS_TOKEN and isinstance(error, InteractionRequiredError):
                self._refusal = error
            else:
                _warn(error)

    def _stored_before(self, redeemed: Entry) -> Entry:
        """The refresh token that the group has in place of a redeemed one, which is forgotten if it was unsaved."""
        for each in self._unsaved:
            if text(each.new, "secret") == text(redeemed, "secret"):
                self._unsaved.remove(each)
                return each.old
        return redeemed

    def save_again(self) -> bool:
        """Stores the refresh tokens that could not be stored when MSAL handed them over; returns whether one was."""
        waiting = list(self._unsaved)
        for each in waiting:
            try:
                _RefreshSave(self._store, self._sign_out_numbers).save(REFRESH_TOKEN, *each)
            except TRANSIENT:
                break
            except SecretStoreError as error:
                _warn(error)
            if each in self._unsaved:  # A handler of a signal may have stored it meanwhile.
                self._unsaved.remove(each)
        return self._unsaved != waiting

    def successor(self, entry: Entry) -> Entry:
        """The members of the unsaved refresh token that replaces a redeemed one, which the group still has."""
        return next(({name: each.new[name] for name in ("secret", "last_modification_time") if name in each.new}
                     for each in self._unsaved if text(each.old, "secret") == text(entry, "secret")), {})

    def _save_app_metadata(self, entry: Entry) -> None:
        """Writes what is known of a client into each of its records that has tokens."""
        wanted = text(entry, "environment")
        for key in self._store.read().documents:
            if key.client_id != values.stored_client(text(entry, "client_id")) \
                    or not self._store.is_at(key.environment, wanted):
                continue

            def change(document: Document) -> bool:
                environment = key.environment if "/" in key.environment else wanted
                written = dict(entry, environment=environment)
                identity = entries.identity(APP_METADATA, written)
                if not document.has_tokens and all(
                        entries.identity(APP_METADATA, each) != identity
                        for each in document.section(APP_METADATA).values()):
                    return False
                writer = Writer(document)
                writer.put(APP_METADATA, dict(written, environment=writer.host_in_use(environment)))
                return True

            self._store.update(key, change)


class _RefreshSave:
    """What refreshes can have brought, of which a persistence sees the end only.

    A removal of the account forbids it: one before the save, and one during it."""

    def __init__(self, store: Store, sign_out_numbers: Mapping[RecordKey, int]) -> None:
        self._store, self._seen, self._sign_out_numbers = store, store.read(), sign_out_numbers

    def save(self, section: str, old: Entry, entry: Entry, accounts: List[Entry]) -> None:
        client = values.stored_client(text(entry, "client_id"))
        made: Set[RecordKey] = set()

        def check(key: RecordKey, document: Document) -> None:
            require_unchanged(document, self._seen.sign_out_number(key))
            self._require_sign_in(key, document, section, client)
            if key not in self._seen.documents:
                made.add(key)

        try:
            write(self._store, section, old, entry, accounts, check)
        except (CorruptItemError, InvalidArgumentError):
            if not entries.family(section, entry):
                raise
            # The family's record can't be read any more or has no room: the client keeps the token as its own.
            entry = entries.without_family(entry)
            write(self._store, section, entry, entry, accounts, check, is_in_place=False)
        for key in made:
            self._require_still(key, client, text(entry, "home_account_id"))

    def _require_sign_in(self, key: RecordKey, document: Document, section: str, client: str) -> None:
        """Raises for a record in which a token would sign an account in that nobody is signed in to any more."""
        client_key = key._replace(kind="credentials", client_id=client, family_id="")
        own = document if key == client_key else self._seen.documents.get(client_key, Document())
        if not self._is_signed_in(client_key, own) and not self._has_family(self._seen, key):
            raise signed_out()
        # What an app's refresh brings after its sign-out is for the client's other apps.
        is_of_others = section == REFRESH_TOKEN and (own.has_tokens or key.kind == "family")
        if own.is_signed_out(self._store.app) and not is_of_others:
            raise signed_out()

    def _require_still(self, key: RecordKey, client: str, home_account_id: str) -> None:
        """Raises, and takes a new record back, when the account was removed before there was that record to find."""
        now = self._store.read(home_account_id)
        if key.kind == "family":
            client_key = key._replace(kind="credentials", client_id=client, family_id="")
            is_still = now.sign_out_number(client_key) == self._seen.sign_out_number(client_key)
        else:
            is_still = self._has_family(now, key)
        if not is_still:
            sign_out(self._store, home_account_id, key.environment, {client})
            raise signed_out()

    def _has_family(self, snapshot: Snapshot, account: RecordKey) -> bool:
        """Whether there is a family's refresh token of an account, as far as it can be read."""
        return any(
            key.kind == "family" and (key.account, key.environment) == (account.account, account.environment)
            and (key in snapshot.damaged or self._is_signed_in(key, snapshot.documents[key]))
            for key in (*snapshot.documents, *snapshot.damaged))

    def _is_signed_in(self, key: RecordKey, document: Document) -> bool:
        """Whether a record has tokens, or had them, and there was no sign-out since they were read.

        Without one, a token that is gone is one that the server refused to another app, which had redeemed it."""
        return document.has_tokens or bool(document.root) \
            and document.sign_out_number == self._sign_out_numbers.get(key, 0 if key.kind == "family" else None)


def is_readable(section: str, entry: Any) -> bool:
    return isinstance(entry, dict) and entries.kind(section, entry) is not None


def difference(cache: Cache, other: Cache, section: str) -> Iterator[Tuple[str, Entry]]:
    """The readable entries that another cache lacks, or has with other members."""
    for name, entry in cache.get(section, {}).items():
        if is_readable(section, entry) and other.get(section, {}).get(name) != entry:
            yield name, entry


def owner(entry: Entry) -> Owner:
    """The account of an entry, which is the same under any host of its cloud."""
    return values.compared_account(text(entry, "home_account_id")), values.canonical(text(entry, "environment"))


def _former(stored: Any, entry: Entry) -> Entry:
    """The entry that another one replaces under its key, and itself for a new one: accounts whose identifiers differ by
    letter case only have the same keys."""
    return stored if isinstance(stored, dict) and owner(stored) == owner(entry) else entry


def _warn(error: SecretStoreError) -> None:
    _LOGGER.warning("did not store what the server returned: %s", error)


def _plain(account: Entry) -> Entry:
    return {name: value for name, value in account.items() if name != LOADED}
