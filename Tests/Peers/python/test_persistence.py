# SPDX-License-Identifier: MIT
"""AccessGroupPersistence, which is given all of a cache and stores what has changed in it."""

import json
import time

import msal
import pytest
from msal_extensions import PersistedTokenCache

from group_apps import FIRST, OUTSIDER, SCOPE
from msal_apps import App
from people import ADA
from secretstorecache import AccessGroupPersistence, InvalidArgumentError
from test_shared_cache import entries_of
from unified_cache import CLIENT, access_token, cache_of, secrets


def test_a_save_removes_nothing_that_was_stored_after_the_load(group, sso):
    persistence = AccessGroupPersistence(group)
    content = json.dumps(cache_of(access_token("mine", person=ADA)))
    persistence.load()
    sso.take(cache_of(access_token("imported", person=ADA, client=OUTSIDER), client=OUTSIDER))
    for _ in range(3):
        persistence.save(content)
        assert {entry["target"] for entry in entries_of(sso.give(), ADA)} == {"mine", "imported"}
    saved = time.time()
    assert persistence.time_last_modified() > saved, "the cache would not be read again"
    persistence.load()
    assert persistence.time_last_modified() < time.time()


def test_a_persistence_keeps_sections_and_entries_that_nobody_knows(group, sso):
    persistence = AccessGroupPersistence(group)
    state = json.loads(persistence.load())
    state["Future"] = {"a": [1, 2.50]}
    state["AccessToken"]["strange"] = {"foo": "bar"}
    persistence.save(json.dumps(state))
    other = json.loads(AccessGroupPersistence(group).load())
    assert other["Future"] == {"a": [1, 2.5]} and other["AccessToken"]["strange"] == {"foo": "bar"}
    del state["Future"]
    persistence.save(json.dumps(state))
    assert "Future" not in json.loads(AccessGroupPersistence(group).load())


@pytest.mark.parametrize("content", ["", "no json", "[]", '{"AccessToken":[]}', "[" * 100_000])
def test_a_persistence_saves_no_content_that_is_no_cache(group, sso, provider, content):
    sso.take(provider.honoring(cache_of(access_token(SCOPE)), ADA, CLIENT))
    before = sso.give()
    persistence = AccessGroupPersistence(group)
    persistence.load()
    with pytest.raises(InvalidArgumentError):
        persistence.save(content)
    assert sso.give() == before


def test_a_persistence_that_was_never_loaded_removes_nothing(group, sso, provider):
    sso.take(provider.honoring(cache_of(access_token(SCOPE)), ADA, CLIENT))
    before = sso.give()
    AccessGroupPersistence(group).save(msal.SerializableTokenCache().serialize())
    assert sso.give() == before


def test_caches_with_one_persistence_remove_nothing_that_the_others_store(group, sso, provider):
    persistence = AccessGroupPersistence(group)
    app, other = (App(provider, FIRST, PersistedTokenCache(persistence)) for _ in range(2))
    app.sign_in_with_browser(ADA, [SCOPE])
    for each in (app, other):
        assert each.silent([SCOPE], force_refresh=True)
    [account] = app.accounts()
    assert other.silent(["Files.Read"], force_refresh=True)
    stored = secrets(sso.give(), "RefreshToken")
    assert app._app.acquire_token_silent(["Mail.Read"], account, force_refresh=True)
    assert provider.token_requests[-1]["refresh_token"] in stored
    scopes = {scope for entry in entries_of(sso.give(), ADA) for scope in entry["target"].split()}
    assert {SCOPE, "Files.Read", "Mail.Read"} <= scopes
    assert secrets(sso.give(), "RefreshToken").isdisjoint(stored)
