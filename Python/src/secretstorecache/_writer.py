# SPDX-License-Identifier: MIT
"""Writes entries into a document."""

from __future__ import annotations

from typing import Dict, Hashable, List

from . import _entries as entries
from . import _values as values
from ._documents import Document
from ._entries import ACCOUNT, CREDENTIALS, Entry, text

# The members of an entry that whoever writes it sets or leaves out; all others outlive it.
_OWN_MEMBERS = frozenset((
    "credential_type", "home_account_id", "environment", "client_id", "secret", "realm", "target", "family_id",
    "token_type", "cached_at", "expires_on", "extended_expires_on", "ext_expires_on", "refresh_on",
    "requested_default", "last_modification_time", "key_id", "ext_cache_key",
))


class Writer:
    """Writes entries into a document, and finds those that they replace by their identity."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._identities: Dict[str, Dict[str, Hashable]] = {}
        self._names: Dict[Hashable, List[str]] = {}
        self._hosts: Dict[str, str] = {}
        for section in (ACCOUNT, *CREDENTIALS):
            for entry in document.section(section).values():
                environment = text(entry, "environment")
                self._hosts.setdefault(values.canonical(environment), environment)

    def _index(self, section: str) -> Dict[str, Hashable]:
        if section not in self._identities:
            self._identities[section] = {
                name: (section, entries.identity(section, stored))
                for name, stored in self._document.section(section).items()
                if entries.kind(section, stored) is not None}
            for name, identity in self._identities[section].items():
                self._names.setdefault(identity, []).append(name)
        return self._identities[section]

    def put(self, section: str, entry: Entry) -> None:
        """Writes an entry in place of the same entry under any key; what MSAL Python doesn't know of is kept.

        So is the form of another MSAL's key, by which that one replaces and removes the entry."""
        identities = self._index(section)
        wanted = (section, entries.identity(section, entry))
        same = {name: self._document.root[section][name] for name in self._names.get(wanted, ())}
        written = dict(entry)
        for stored in same.values():
            if section in CREDENTIALS:
                kept = {name: value for name, value in stored.items() if name not in _OWN_MEMBERS}
                written = {**kept, **written}
            else:
                written = {**stored, **{name: value for name, value in written.items() if value is not None}}
        key = entries.python_key(section, written)
        if len(same) == 1:
            [(name, stored)] = same.items()
            if entries.python_key(section, stored) == key and entries.is_key(section, name, stored):
                key = name
        for name in same:
            del self._document.root[section][name]
            del identities[name]
        if key in identities:  # Another entry has this key, and is replaced.
            self._names[identities[key]].remove(key)
        self._document.put(section, key, written)
        identities[key] = wanted
        self._names[wanted] = [key]
        environment = text(written, "environment")
        self._hosts.setdefault(values.canonical(environment), environment)

    def host_in_use(self, environment: str) -> str:
        """The host under which the document has entries of an environment: some MSALs search one host only."""
        return self._hosts.get(values.canonical(environment), environment)
