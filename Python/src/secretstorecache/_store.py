# SPDX-License-Identifier: MIT
"""The entries of an access group, in the records in which all apps of the group keep them."""

from __future__ import annotations

import logging
import random
import time
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from . import _entries as entries
from . import _values as values
from ._agent import Group, Parts
from ._documents import LEFTOVERS, Document, RecordKey
from ._entries import ACCESS_TOKEN, ACCOUNT, APP_METADATA, REFRESH_TOKEN, SECTIONS, Entry, text
from .errors import (
    AmbiguousAccountError, CorruptItemError, InvalidArgumentError, LockTimedOutError, StorageFailedError,
    TimedOutError, persistently, signed_out,
)

_LOGGER = logging.getLogger("secretstorecache")

# The size of the largest record, and that above which access tokens make room for what is new, in bytes.
_MAXIMUM_BYTES = 1_600_000
_FULL_BYTES = 1_570_000
# What a save adds at most, where tokens have common sizes.
_SAVED_BYTES = 16_000

# In seconds. A wait for much longer is an error of Python's.
_LONGEST_TIMEOUT = 86_400

# The keys of the group's data that belongs to no account: what an import keeps of user names, and the beginning of
# those of the apps' own JSON objects.
_HINTS = "account-hints"
_OBJECTS = "keychain-"

_LEFTOVERS: Parts = {"kind": LEFTOVERS.kind}
_EVERYTHING: List[Parts] = [{"kind": "credentials"}, {"kind": "family"}, {"kind": "client"}, _LEFTOVERS]

# The app of programs that give no name.
_UNNAMED_APP = "msal-python"

REMOVE = object()


class Restored(NamedTuple):
    """What a record is made again from that another program has damaged since it was read."""

    document: Document
    #: A time at which it could be read, in seconds since 1970.
    read_at: int


class Place(NamedTuple):
    """An entry, and where it lies."""

    record: RecordKey
    section: str
    name: str
    entry: Entry


class Snapshot:
    """Records as they were read at one time."""

    def __init__(self, documents: Dict[RecordKey, Document], damaged: Set[RecordKey], app: str) -> None:
        self.documents = documents
        self.damaged = damaged
        self._app = app
        self._hidden = self._accounts(app, "signed_out") - self._accounts(app, "signed_in")

    def _accounts(self, app: str, state: str) -> Set[Tuple[str, str]]:
        return {(key.account, key.environment) for key, document in self.documents.items()
                if key.kind == "credentials" and document.state(app) == state}

    def places(self, section: str) -> Iterable[Place]:
        """The entries of a section that this app may see: not those of accounts or clients that it is signed out of."""
        for key, document in self.documents.items():
            if key.kind == "credentials" and document.state(self._app) == "signed_out":
                continue
            if key.account and (key.account, key.environment) in self._hidden:
                continue
            for name, entry in document.section(section).items():
                if entries.kind(section, entry) is not None and _belongs(key, section, entry):
                    yield Place(key, section, name, entry)

    def sign_out_number(self, key: RecordKey) -> Optional[int]:
        """The sign-outs of a record; None when there is none."""
        return self.documents[key].sign_out_number if key in self.documents else None


def _belongs(key: RecordKey, section: str, entry: Entry) -> bool:
    """Whether an entry is of the record's account, client and environment, which decide who may redeem it."""
    if key.kind == "group-data":
        return section == ACCOUNT
    if values.canonical(text(entry, "environment")) != key.environment:
        return False
    if section == APP_METADATA:
        return True
    if key.kind == "client":
        return not text(entry, "home_account_id")
    if values.stored_account(text(entry, "home_account_id")) != key.account:
        return False
    return section == ACCOUNT or entries.owner(section, entry) == key


class Store:
    """An access group, as one app sees it."""

    def __init__(self, group: Group, app: str, issuer: Optional[str]) -> None:
        self.group = group
        self.app = app
        self._issuer: Optional[values.Issuer] = None
        if issuer is not None:
            self._issuer = values.issuer(issuer)
            if self._issuer is None:
                raise InvalidArgumentError("The issuer is not an https URL with a host and a path only.")

    # Reading.

    def read(self, home_account_id: Optional[str] = None, includes_data: bool = False) -> Snapshot:
        """The records of an account, or all; with the group's data also those that are no cache's, but for the hints of
        user names and the objects of apps."""
        queries = _EVERYTHING
        if home_account_id:
            account = values.stored_account(home_account_id)
            queries = [{"kind": "credentials", "account": account}, {"kind": "family", "account": account},
                       _LEFTOVERS]
        documents: Dict[RecordKey, Document] = {}
        damaged: Set[RecordKey] = set()
        for record in self.group.records(queries):
            key = RecordKey.of(record.key)
            if key.kind == LEFTOVERS.kind and key != LEFTOVERS:
                if not includes_data or key.key == _HINTS or key.key.startswith(_OBJECTS):
                    continue
            try:
                if record.reason:
                    raise CorruptItemError(record.reason)
                documents[key] = Document.parse(record.content)
            except CorruptItemError as error:
                _LOGGER.warning("passes over a %s record that can't be read: %s", key.kind, error.detail)
                damaged.add(key)
        return Snapshot(documents, damaged, self.app)

    def seen_at(self, snapshot: Snapshot, section: str, host: Optional[str]) -> List[Place]:
        """The entries of a section at a host, in the environment that this app has there.

        Outside Microsoft's clouds a host may have several issuers, whose accounts must not be confused."""
        found = list(snapshot.places(section))
        if host is None:
            return [place for place in found if self._is_own(text(place.entry, "environment"))]
        environments = {text(place.entry, "environment") for each in SECTIONS for place in snapshot.places(each)}
        here = {each for each in environments if self._is_own(each) and (
            values.canonical(each) == values.canonical(host)
            or "/" in each and not values.is_microsoft_host(host) and entries.host(each) == host.lower())}
        known = {values.stored_environment(each) for each in here if values.host_of_unknown(each) is None}
        if len(known) > 1:
            raise AmbiguousAccountError(
                f"Several issuers at {host} have entries in the group: name one with issuer=.")
        here = {each for each in here if not known or values.stored_environment(each) in known}
        return [place for place in found if text(place.entry, "environment") in here]

    def _is_own(self, environment: str) -> bool:
        """Whether the app's issuer, if it has one, is that of an entry at its host outside of Microsoft's clouds."""
        if self._issuer is None or values.is_microsoft_host(environment):
            return True
        is_elsewhere = "/" not in environment and environment.lower() != self._issuer.host
        return is_elsewhere or values.stored_environment(environment) == self._issuer.environment

    def environment(
        self, host: str, home_account_id: Optional[str], issuer: Optional[object] = None, realm: str = "",
    ) -> str:
        """The environment for a new entry of an account at a host.

        That is the issuer outside of Microsoft's clouds, if the app, its tokens or the account tell it."""
        lower = host.lower()
        if values.is_microsoft_host(lower) or "/" in lower:
            return lower
        if self._issuer is not None and self._issuer.host == lower:
            return self._issuer.environment
        found = values.issuer(issuer)
        if found is not None and found.host == lower:
            return found.environment
        if values.is_host_only(realm):
            return lower
        if home_account_id:
            places = self.seen_at(self.read(home_account_id), REFRESH_TOKEN, lower)
            if places:
                return text(places[0].entry, "environment")
        return f"{lower}/*"

    # Writing.

    def require_room(self, document: Document) -> None:
        """Raises where a record has no room for a new refresh token: the stored one may be spent once it is sent."""
        tokens = document.root.get(ACCESS_TOKEN)
        others = {name: value for name, value in tokens.items() if not isinstance(value, dict)} \
            if isinstance(tokens, dict) else tokens
        content = Document({**document.root, ACCESS_TOKEN: others}).serialized()
        if len(content) > _MAXIMUM_BYTES - _SAVED_BYTES:
            raise StorageFailedError("The account's record has no room for a new refresh token, so none was requested.")

    def update(
        self, key: RecordKey, change: Callable[[Document], object],
        make_room: Optional[Callable[[Document, int], object]] = None, restored: Optional[Restored] = None,
    ) -> None:
        """Changes a record, and stores it unless another program has changed it meanwhile: then once more.

        `change` returns whether there is anything to store, or `REMOVE`; `make_room` frees some bytes of a full record.
        Both may run several times. `restored` is what a record is made again from that can't be read any more; what
        another program wrote is set aside."""
        deadline = self.group.deadline()
        is_contended = is_set_aside = False
        made: Optional[Document] = None
        try:
            while True:
                record, version = self.group.get(key.parts, deadline)
                if (record is None or record.reason) and restored is not None and not is_set_aside:
                    # A repair may have set it aside already.
                    is_set_aside = self.group.set_aside(key.parts, restored.read_at, deadline)
                    if is_set_aside:
                        _LOGGER.warning("makes a %s record again that can't be read and is set aside", key.kind)
                        continue
                if record is not None and record.reason:
                    raise CorruptItemError(record.reason)
                if record is not None:
                    document = Document.parse(record.content)
                    if made is not None and not document.has_entries_of(made):
                        made = None  # Another app has made the record meanwhile.
                else:
                    document = restored.document.copy() if restored is not None and is_set_aside else Document()
                outcome = change(document)
                if not outcome or outcome is REMOVE and record is None:
                    self._require_set_aside(key, made)
                    return
                content = b"" if outcome is REMOVE else document.serialized()
                excess = len(content) - _FULL_BYTES
                if make_room is not None and excess > 0:
                    make_room(document, excess)
                    content = document.serialized()
                if len(content) > _MAXIMUM_BYTES:
                    raise InvalidArgumentError(f"The record would be larger than {_MAXIMUM_BYTES} bytes.")
                if is_set_aside and (record is None or made is not None):
                    made = document
                if self.group.set(key.parts, version, content, deadline):
                    self._require_set_aside(key, made)
                    return
                is_contended = True
                time.sleep(min(random.uniform(0.001, 0.01), deadline.remaining()))
        except TimedOutError as error:
            if not is_contended:
                raise
            raise LockTimedOutError("Other apps changed the record until the deadline.") from error

    def _require_set_aside(self, key: RecordKey, made: Optional[Document]) -> None:
        """Removes a record that was made again, and raises, when what was set aside of it is gone.

        A removal of everything also removes that. One that came just before has not found the new record."""
        def check() -> None:
            deadline = self.group.deadline()
            while made is not None and not self.group.set_aside(key.parts, 0, deadline):
                record, version = self.group.get(key.parts, deadline)
                if record is None or record.reason or not Document.parse(record.content).has_entries_of(made) \
                        or self.group.set(key.parts, version, b"", deadline):
                    raise signed_out()
            if made is not None:
                record, _ = self.group.get(key.parts, deadline)
                if record is None or record.reason:
                    raise CorruptItemError("Another program goes on damaging the record.")

        persistently(check)

    def note_use(self, snapshot: Snapshot, key: RecordKey) -> None:
        """Records that this app uses an account's tokens, so that no other app's sign-out removes them."""
        def change(document: Document) -> bool:
            if document.state(self.app) is not None or not document.has_tokens:
                return False
            document.set_state(self.app, "signed_in")
            return True

        if key.kind == "credentials" and key in snapshot.documents and change(snapshot.documents[key]):
            self.update(key, change)

    def is_at(self, environment: str, host: str) -> bool:
        """Whether an environment, which is the app's own, is a cloud or an issuer that has a host."""
        return self._is_own(environment) and (
            values.canonical(_without_default_port(environment)) == values.canonical(_without_default_port(host))
            or "/" in environment and entries.host(environment) == host.lower())


def _without_default_port(environment: str) -> str:
    """A host without the port of https, which some caches write; an issuer as it is."""
    return environment[:-4] if environment.endswith(":443") and "/" not in environment else environment


def open_store(
    group: str, publisher: Optional[str], app: Optional[str], issuer: Optional[str], timeout: float
) -> Store:
    for what, name in (("group", group), ("publisher", publisher), ("app", app)):
        if name is not None and not values.is_name(name):
            raise InvalidArgumentError(
                f"The name of the {what} is not 1 to 200 ASCII letters, digits, '.', '-' and '_'.")
    if not (values.is_duration(timeout) and 0 < timeout <= _LONGEST_TIMEOUT):
        raise InvalidArgumentError("The time limit is not a number of seconds, more than none and a day at most.")
    return Store(Group(group, publisher or "", timeout), app or _UNNAMED_APP, issuer)
