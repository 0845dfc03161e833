# SPDX-License-Identifier: MIT
"""A persistence for the PersistedTokenCache of msal_extensions."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from typing import Any, Dict, Iterator, List, Optional, Tuple

from . import _entries as entries
from . import _values as values
from ._documents import LEFTOVERS, Document, RecordKey
from ._entries import (
    ACCESS_TOKEN, ACCOUNT, APP_METADATA, CREDENTIALS, ID_TOKEN, REFRESH_TOKEN, SECTIONS, Entry, text,
)
from ._saving import Check, write
from ._store import Snapshot
from .errors import InteractionRequiredError, InvalidArgumentError, signed_out
from .token_cache import AccessGroupTokenCache

_LOGGER = logging.getLogger("secretstorecache")

_Cache = Dict[str, Any]
# A section, an entry as it was, and as it is to be.
_Change = Tuple[str, Entry, Entry]
_Owner = Tuple[str, str]
_NONE = object()

# Marks the accounts that `load` returns. At each sign-in MSAL writes one without it, also where the group has the same.
_LOADED = "secretstorecache"

# The account last: that signs this app out.
_REMOVAL_ORDER = (REFRESH_TOKEN, ACCESS_TOKEN, ID_TOKEN, APP_METADATA, ACCOUNT)


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
        self._lock = threading.Lock()
        self._base: Optional[_Cache] = None
        #: The tokens that the latest `save` did not store, because nobody is signed in whose they can be.
        self._held: List[_Change] = []
        self._modified = 0.0

    def get_location(self) -> str:
        return self._location

    def time_last_modified(self) -> float:
        """The time at which this process saw the latest change of the group."""
        with self._lock:
            if self._current() != self._base:
                self._modified = time.time()
            return self._modified

    def load(self) -> str:
        """The cache of the group, as MSAL Python serializes it."""
        with self._lock:
            self._base = self._current()
            return json.dumps(self._base)

    def save(self, content: str) -> None:
        """Stores what has changed since `load` and the latest `save`."""
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
        with self._lock:
            base = self._base or {}
            self._remove(base, new)
            self._write(base, new)
            self._change_leftovers(base, new)
            # What others have written meanwhile is not in the caller's memory, so its next save must not remove it.
            self._base = new

    def _current(self) -> _Cache:
        cache: _Cache = {}
        snapshot = self._store.read()
        rest = snapshot.documents.get(LEFTOVERS, Document()).root
        cache.update(_members(rest))
        for section in SECTIONS:
            # MSAL fails at an account's entry of an odd kind when it signs out. What names no account it passes over.
            cache[section] = {
                name: entry for name, entry in _unreadable(rest, section).items()
                if not (isinstance(entry, dict) and entry.get("home_account_id"))}
            for entry, _ in self._cache._matching(snapshot, section, now=0):
                mark = {_LOADED: True} if section == ACCOUNT else {}
                cache[section][entries.python_key(section, entry)] = {**entry, **mark}
        return cache

    def _remove(self, base: _Cache, new: _Cache) -> None:
        for section in _REMOVAL_ORDER:
            for name, entry in _difference(base, new, section):
                if name not in new.get(section, {}):
                    self._cache.modify(section, entry)

    def _write(self, base: _Cache, new: _Cache) -> None:
        """Writes the entries that are new or different.

        At a sign-in MSAL writes an access token first, and then the account; at a refresh no account. So a token that
        no refresh of a signed-in account can have brought is held until the next `save`, and then belongs to a sign-in
        or to nobody: the account was signed out during its refresh."""
        held, self._held = self._held, []
        changes = [(section, base.get(section, {}).get(name, entry), entry)
                   for section in SECTIONS for name, entry in _difference(new, base, section)]
        if not held and not changes:
            return
        accounts: Dict[_Owner, List[Entry]] = {}
        for _, entry in _difference(new, {}, ACCOUNT):
            accounts.setdefault(_owner(entry), []).append(entry)
        signed_in = {_owner(entry) for section, _, entry in changes if section == ACCOUNT and _LOADED not in entry}
        tokens = held + [change for change in changes if change[0] in CREDENTIALS]
        snapshot = self._store.read()
        refreshed = _Refreshed(snapshot, self._store.app)
        clients = {key.client_id for key in snapshot.documents}
        for number, (section, old, entry) in enumerate(tokens):
            owner = _owner(entry)
            is_sign_in = owner in signed_in or not text(entry, "home_account_id")
            try:
                write(self._store, section, old, entry, [_plain(each) for each in accounts.get(owner, ())],
                      None if is_sign_in else refreshed.check(section, text(entry, "client_id")), is_sign_in)
                clients.add(values.stored_client(text(entry, "client_id")))
            except InteractionRequiredError as error:
                if number < len(held):
                    _LOGGER.warning("did not store what the server returned: %s", error)
                else:
                    self._held.append(tokens[number])
        brought = {_owner(entry) for _, _, entry in tokens} & signed_in
        for section, old, entry in changes:
            if section == ACCOUNT and (_owner(entry) not in brought or _plain(old) != _plain(entry)):
                write(self._store, ACCOUNT, _plain(old), _plain(entry))
            if section == APP_METADATA and values.stored_client(text(entry, "client_id")) in clients:
                write(self._store, APP_METADATA, old, entry)

    def _change_leftovers(self, base: _Cache, new: _Cache) -> None:
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


class _Refreshed:
    """What a refresh can have brought, of which a persistence sees the end only."""

    def __init__(self, snapshot: Snapshot, app: str) -> None:
        self._documents, self._app = snapshot.documents, app
        self._families = {
            (key.account, key.environment) for key in (*snapshot.documents, *snapshot.damaged)
            if key.kind == "family" and (key in snapshot.damaged or snapshot.documents[key].has_tokens)}

    def check(self, section: str, client_id: str) -> Check:
        """Raises for a record in which a token would sign an account in that nobody is signed in to any more."""
        client = values.stored_client(client_id)

        def check(key: RecordKey, document: Document) -> None:
            client_key = RecordKey("credentials", key.account, key.environment, client)
            own = document if key == client_key else self._documents.get(client_key, Document())
            if own.has_tokens:
                # What an app's refresh brings after its sign-out is for the client's other apps.
                is_allowed = section == REFRESH_TOKEN or own.state(self._app) != "signed_out"
            else:
                is_allowed = (key.account, key.environment) in self._families \
                    and (key.kind == "family" or own.sign_out_count == 0)
            if not is_allowed:
                raise signed_out()

        return check


def _members(cache: _Cache) -> Dict[str, Any]:
    return {name: value for name, value in cache.items() if name not in (*SECTIONS, "SecretStoreCache")}


def _unreadable(cache: _Cache, section: str) -> Dict[str, Any]:
    return {name: entry for name, entry in cache.get(section, {}).items() if not _is_readable(section, entry)}


def _is_readable(section: str, entry: Any) -> bool:
    return isinstance(entry, dict) and entries.kind(section, entry) is not None


def _difference(cache: _Cache, other: _Cache, section: str) -> Iterator[Tuple[str, Entry]]:
    """The readable entries that another cache lacks, or has with other members."""
    for name, entry in cache.get(section, {}).items():
        if _is_readable(section, entry) and other.get(section, {}).get(name) != entry:
            yield name, entry


def _plain(account: Entry) -> Entry:
    return {name: value for name, value in account.items() if name != _LOADED}


def _owner(entry: Entry) -> _Owner:
    """The account of an entry, which is the same under any host of its cloud."""
    return values.compared_account(text(entry, "home_account_id")), values.canonical(text(entry, "environment"))


def _location(group: str, publisher: str) -> str:
    """A path that only this user can write to, for the lock file."""
    folder = os.environ.get("XDG_RUNTIME_DIR") or os.path.expanduser("~/.cache")
    name = values.digest(f"{publisher}\0{group}")[:32]
    return os.path.join(folder, "secretstorecache-python", name)
