# SPDX-License-Identifier: MIT
"""A persistence for the PersistedTokenCache of msal_extensions."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from typing import Any, Dict, Iterable, List, Optional, Set

from . import _entries as entries
from . import _values as values
from ._documents import LEFTOVERS, Document
from ._entries import (
    ACCESS_TOKEN, ACCOUNT, APP_METADATA, CREDENTIALS, ID_TOKEN, REFRESH_TOKEN, SECTIONS, Entry, text,
)
from ._interrupts import CallInterrupts, is_in_msal
from ._queries import matching
from ._responses import LOADED, LOCKED_SECONDS, Cache, Owner, Responses, difference, is_readable, owner
from ._signing_out import is_sign_out
from ._store import Snapshot, Store
from ._turn import Turn
from .errors import InvalidArgumentError, SecretStoreError
from .token_cache import AccessGroupTokenCache

_LOGGER = logging.getLogger("secretstorecache")

_NONE = object()

# How much later than a call of the persistence MSAL notes the time of it, at most.
_NOTED_SECONDS = 60

# The account last: that signs this app out.
_REMOVAL_ORDER = (REFRESH_TOKEN, ACCESS_TOKEN, ID_TOKEN, APP_METADATA, ACCOUNT)


class _Clock:
    """The system's clock, and one that is ahead of it after it was set back.

    `PersistedTokenCache` notes the system's time when it has loaded or saved, and loads again what is later."""

    def __init__(self) -> None:
        self._latest = 0.0

    def now(self) -> float:
        now = time.time()
        if now < self._latest:
            return self._latest + _NOTED_SECONDS
        self._latest = now
        return now


class _Namesakes:
    """Accounts whose identifiers differ by letter case only: the keys of MSAL's memory are in lower case.

    So a persistence shows one of them, or MSAL would remove the tokens of one in place of the other's."""

    def __init__(self, store: Store) -> None:
        self._store = store
        #: The account that MSAL has in its memory, of those with its key.
        self._shown: Dict[Owner, Owner] = {}
        self._warned: Set[Owner] = set()

    @staticmethod
    def _key(account: Owner) -> Owner:
        return account[0].lower(), account[1]

    def show(self, account: Owner) -> None:
        """Notes that MSAL stores a token of an account, which then is the one in its memory."""
        self._shown[self._key(account)] = account

    def hidden(self, snapshot: Snapshot, cache: Iterable[Entry]) -> Set[Owner]:
        """The accounts that are not shown. Of several, that one is which was, or else one that this app uses."""
        found: Dict[Owner, Set[Owner]] = {}
        for account in {owner(entry) for entry in cache if text(entry, "home_account_id")}:
            found.setdefault(self._key(account), set()).add(account)
        hidden: Set[Owner] = set()
        for key, accounts in found.items():
            shown = self._shown.get(key)
            if shown not in accounts:
                shown = min(accounts, key=lambda account: (not self._is_used(snapshot, account), account))
            self._shown[key] = shown
            hidden |= accounts - {shown}
        if hidden - self._warned:
            _LOGGER.warning(
                "passes over accounts whose identifiers differ by letter case only from another's: %d", len(hidden))
            self._warned |= hidden
        return hidden

    def _is_used(self, snapshot: Snapshot, account: Owner) -> bool:
        return any(
            key.kind == "credentials" and key.account == values.stored_account(account[0])
            and document.state(self._store.app) == "signed_in" for key, document in snapshot.documents.items())


class AccessGroupPersistence:
    """The accounts and tokens of a keychain access group, as a persistence of `msal_extensions`:

        cache = PersistedTokenCache(AccessGroupPersistence("com.contoso.shared", publisher="com.contoso"))

    `save` stores the changes since `load`, so that nothing is lost that others have written meanwhile. Prefer
    `AccessGroupTokenCache`: this class can't tell when MSAL refreshes, so each app redeems the refresh token for
    itself, and one of two that do it at once may be refused.

    The parameters are those of `AccessGroupTokenCache`. `location` is the path of a file that is never made; the
    cache's lock file is beside it. By default it is in the user's own runtime directory.
    """

    is_encrypted = True

    def __init__(
        self, group: str, publisher: Optional[str] = None, *, app: Optional[str] = None,
        issuer: Optional[str] = None, timeout: float = 10, location: Optional[str] = None,
    ) -> None:
        self._cache = AccessGroupTokenCache(group, publisher, app=app, issuer=issuer, timeout=timeout)
        self._store = self._cache._store
        self._location = location or _location(group, publisher or "")
        self._lock = Turn(is_reentrant=True)  # A handler of a signal may call it, too.
        self._base: Optional[Cache] = None
        self._responses = Responses(self._store)
        #: The clients of the latest sign-out of an account; None for all.
        self._leaving: Dict[Owner, Optional[Set[str]]] = {}
        self._namesakes = _Namesakes(self._store)
        self._clock = _Clock()
        self._modified = 0.0
        self._interrupts = CallInterrupts()

    def get_location(self) -> str:
        return self._location

    def time_last_modified(self) -> float:
        """The time at which this process saw the latest change of the group, by a clock that is never set back."""
        self._interrupts.hold()
        with self._lock.take():
            current = self._read()
            now = self._clock.now()
            if current is not None and current != self._base:
                self._modified = now
            return self._modified

    def load(self) -> str:
        """The cache of the group, as MSAL Python serializes it."""
        with self._lock.take():
            current = self._read()
            if current is not None and current != self._base:
                self._change(current)
            return json.dumps(self._base or {})

    def _read(self) -> Optional[Cache]:
        """The cache of the group; None if an error would keep MSAL from saving what the server returned."""
        if not is_in_msal(sys._getframe(), "add", "update_rt"):
            return self._current()
        try:
            with self._store.group.within(LOCKED_SECONDS):
                return self._current()
        except SecretStoreError:
            return None

    def save(self, content: str) -> None:
        """Stores what has changed since `load` and the latest `save`."""
        new = _parsed(content)
        self._interrupts.hold()
        with self._lock.take():
            base = self._base or {}
            try:
                self._save(base, new)
            finally:
                if any(difference(new, base, REFRESH_TOKEN)):
                    self._interrupts.release()  # The refresh token comes last.

    def _save(self, base: Cache, new: Cache) -> None:
        # What can't be removed must not keep a new refresh token from being stored.
        failures = self._remove(base, new)
        for section in CREDENTIALS:
            for _, entry in difference(new, base, section):
                self._leaving.pop(owner(entry), None)
                self._namesakes.show(owner(entry))
        self._responses.save(base, new)
        self._change_leftovers(base, new)
        # What others have written meanwhile is not in the caller's memory, so its next save must not remove it.
        self._change(new)
        if failures:
            raise failures[0]

    def _change(self, base: Cache) -> None:
        """Notes what a cache has loaded or saved. Every other cache of this persistence must load it."""
        self._base, self._modified = base, self._clock.now()

    def _current(self) -> Cache:
        cache: Cache = {}
        snapshot = self._store.read()
        if self._responses.save_again():
            snapshot = self._store.read()
        self._responses.note(snapshot)
        found = {section: [entry for entry, _ in matching(self._store, snapshot, section, now=0)]
                 for section in SECTIONS}
        hidden = self._namesakes.hidden(snapshot, (each for section in found.values() for each in section))
        rest = snapshot.documents.get(LEFTOVERS, Document()).root
        cache.update(_members(rest))
        for section in SECTIONS:
            # MSAL fails at an account's entry of an odd kind when it signs out. What names no account it passes over.
            cache[section] = {
                name: entry for name, entry in _unreadable(rest, section).items()
                if not (isinstance(entry, dict) and entry.get("home_account_id"))}
            for entry in found[section]:
                if owner(entry) in hidden:
                    continue
                if section == ACCOUNT:
                    entry[LOADED] = True
                if section == REFRESH_TOKEN:
                    entry.update(self._responses.successor(entry))
                cache[section][entries.python_key(section, entry)] = entry
        return cache

    def _remove(self, base: Cache, new: Cache) -> List[SecretStoreError]:
        failures = []
        for section in _REMOVAL_ORDER:
            for name, entry in difference(base, new, section):
                if name not in new.get(section, {}):
                    try:
                        self._cache._remove(section, entry, self._signing_out(section, entry))
                    except SecretStoreError as error:
                        failures.append(error)
        return failures

    def _signing_out(self, section: str, entry: Entry) -> Optional[Set[str]]:
        """The clients for which MSAL removes an entry, which it doesn't say; None for all.

        A sign-out begins with the client's own refresh token, or with its family's, which names no client. Then it is
        that of the clients to which this app has signed in."""
        home, host = text(entry, "home_account_id"), text(entry, "environment")
        if not is_sign_out(section, entry):
            return None
        account = owner(entry)
        if section == REFRESH_TOKEN and not entries.family(section, entry):
            self._leaving[account] = (self._leaving.get(account) or set()) | {
                values.stored_client(text(entry, "client_id"))}
        elif account not in self._leaving:
            self._leaving[account] = {
                key.client_id for key, document in self._store.read(home).documents.items()
                if key.kind == "credentials" and self._store.is_at(key.environment, host)
                and document.state(self._store.app) == "signed_in"} or None
        return self._leaving[account]

    def _change_leftovers(self, base: Cache, new: Cache) -> None:
        """Stores the sections and entries that belong to nobody's record."""
        def change(document: Document) -> bool:
            before = document.serialized()
            for target, old, wanted in [(document.root, _members(base), _members(new))] + [
                (document.root.setdefault(section, {}), _unreadable(base, section), _unreadable(new, section))
                for section in SECTIONS
            ]:
                for name in old.keys() - wanted.keys():
                    target.pop(name, None)
                target.update((name, value) for name, value in wanted.items() if old.get(name, _NONE) != value)
            for section in SECTIONS:
                if not document.root[section]:
                    del document.root[section]
            return document.serialized() != before

        if any(_unreadable(cache, section) for cache in (base, new) for section in SECTIONS) \
                or _members(base) != _members(new):
            self._store.update(LEFTOVERS, change)


def _parsed(content: str) -> Cache:
    is_json = True
    try:
        new = json.loads(content)
    except (ValueError, RecursionError):
        is_json = False
    if not is_json:
        # Not in the handler: json's error holds the whole text, tokens and all, and would be this one's context.
        raise InvalidArgumentError("The content is not JSON.")
    if not isinstance(new, dict) or not all(isinstance(new.get(name, {}), dict) for name in SECTIONS):
        raise InvalidArgumentError("The content is not a token cache.")
    return new


def _members(cache: Cache) -> Dict[str, Any]:
    return {name: value for name, value in cache.items() if name not in (*SECTIONS, "SecretStoreCache")}


def _unreadable(cache: Cache, section: str) -> Dict[str, Any]:
    return {name: entry for name, entry in cache.get(section, {}).items() if not is_readable(section, entry)}


def _location(group: str, publisher: str) -> str:
    """A path that only this user can write to, for the lock file."""
    folder = os.environ.get("XDG_RUNTIME_DIR") or os.path.expanduser("~/.cache")
    name = values.digest(f"{publisher}\0{group}")[:32]
    return os.path.join(folder, "secretstorecache-python", name)
