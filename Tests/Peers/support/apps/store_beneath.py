# SPDX-License-Identifier: MIT
"""A plugin of pytest that runs MSAL Python's own tests with a store beneath their token caches: SSC_BENEATH is `group`
(each is an AccessGroupTokenCache) or `transfer` (the tool imports and exports each after each change)."""

import itertools
import json
import os
import time

import msal
import msal.application
import msal.token_cache
import requests

from providers import AzureAD, HTTPClient
from secretstorecache import AccessGroupPersistence, AccessGroupTokenCache
from secretstorecache._entries import SECTIONS, kind, python_key
from secretstorecache._queries import matching
from secretstorecache._writing import _places
from secretstorecache._store import _EVERYTHING
from sso_cache import DONE, SSOCache


class _Sections:
    """What the tests expect of `_cache`: the sections of the cache with their entries by their keys."""

    def __init__(self, cache):
        self._cache = cache

    def __getitem__(self, section):
        # Expired ones, too.
        found = matching(self._cache._store, self._cache._store.read(), section, now=0)
        return {self._key(section, entry, place): entry for entry, place in found}

    @staticmethod
    def _key(section, entry, place):
        stored = python_key(section, place.entry)
        return python_key(section, entry) if place.name == stored else place.name

    def __setitem__(self, section, entries):
        cache = self._cache
        for entry in self[section].values():
            cache.modify(section, entry)
        for name, entry in entries.items():
            if kind(section, entry) is None:
                continue
            cache.modify(section, entry, entry)
            for place in _places(cache._store, section, entry):
                cache._store.update(place.record, lambda document: _rename(document, section, place.name, name))

    def get(self, section, default=None):
        return self[section] or default

    def setdefault(self, section, _):
        return self[section]


def _rename(document, section, old, new):
    document.put(section, new, document.root[section].pop(old))
    return True


class StoreBeneath(AccessGroupTokenCache):
    """Each is empty at first. No test uses more at once than there are groups."""

    _groups = itertools.cycle([f"{os.environ['SSC_GROUP']}-{number}" for number in range(3)])

    has_state_changed = False

    def __init__(self):
        self.group = next(self._groups)
        super().__init__(self.group, app="com.contoso.tests")
        for record in self._store.group.records(_EVERYTHING):
            self._store.group._call("Remove", "a{ss}", (record.key,), "", self._store.group.deadline())

    @property
    def _cache(self):
        return _Sections(self)

    @_cache.setter
    def _cache(self, sections):
        if sections:
            raise NotImplementedError


class SerializableStoreBeneath(StoreBeneath):
    """As msal.SerializableTokenCache: its state is what the persistence saves and loads."""

    def add(self, event, **kwargs):
        super().add(event, **kwargs)
        assert self.save_error is None, self.save_error
        self.has_state_changed = True

    def modify(self, *args, **kwargs):
        super().modify(*args, **kwargs)
        self.has_state_changed = True

    def _persistence(self):
        return AccessGroupPersistence(self.group, app="com.contoso.tests")

    def serialize(self):
        self.has_state_changed = False
        return self._persistence().load()

    def deserialize(self, state):
        persistence = self._persistence()
        persistence.load()
        persistence.save(state or "{}")
        self.has_state_changed = False


class TransferredCache(msal.TokenCache):
    """As msal.SerializableTokenCache. The tool imports and exports it after each change."""

    has_state_changed = False

    def modify(self, *arguments, **options):
        super().modify(*arguments, **options)
        self.has_state_changed = True
        if not any(kind(section, entry) for section in SECTIONS for entry in self._cache.get(section, {}).values()):
            return  # The tool refuses a cache of which it can take up nothing.
        sso = SSOCache(os.environ["SSC_TOOL"], os.environ["SSC_GROUP"])
        sso.take(self._cache, "--replace")
        exported = sso.run("export", "--format", "msal")
        assert exported.status == DONE, exported
        self._cache = exported.json

    def serialize(self):
        self.has_state_changed = False
        return json.dumps(self._cache)

    def deserialize(self, state):
        self._cache = json.loads(state)
        self.has_state_changed = False


BENEATH = {"group": (StoreBeneath, SerializableStoreBeneath), "transfer": (TransferredCache, TransferredCache)}

for module in (msal, msal.application, msal.token_cache):
    module.TokenCache, serializable = BENEATH[os.environ["SSC_BENEATH"]]
    if hasattr(module, "SerializableTokenCache"):
        module.SerializableTokenCache = serializable

# The tests' requests of Azure AD's configuration, which they leave to the network.
_NETWORK = HTTPClient(AzureAD())
requests.Session.get = lambda _, url, **options: _NETWORK.get(url, **options)


def pytest_runtest_call(item):
    """These tests compare whole seconds before and after a call: they begin with a second."""
    if "TestApplicationForRefreshInBehaviors" in item.nodeid:
        time.sleep(1 - time.time() % 1)
