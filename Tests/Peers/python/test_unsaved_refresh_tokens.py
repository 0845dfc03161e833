# SPDX-License-Identifier: MIT
"""A new refresh token that can't be stored is used and stored later."""

import time
from contextlib import contextmanager

import pytest
from msal_extensions import PersistedTokenCache

from group_apps import FIRST, SCOPE
from msal_apps import App
from people import ADA
from secretstorecache import AccessGroupPersistence, StorageFailedError, TimedOutError, _writing
from secretstorecache._agent import Group
from test_kept_refresh_tokens import MAIL, assert_is_stored
from unified_cache import secrets


@pytest.mark.parametrize("timeout", [1, 10])
def test_a_persistence_keeps_the_msal_lock_for_less_than_ten_seconds_and_stores_later(
    sso, provider, group, frozen, monkeypatch, timeout
):
    """MSAL's other users wait for the lock for ten seconds at most."""
    update, times = PersistedTokenCache.update_rt, []

    def timed(*arguments):
        frozen(12)
        start = time.monotonic()
        update(*arguments)
        times.append(time.monotonic() - start)

    app = App(provider, FIRST, PersistedTokenCache(AccessGroupPersistence(group, timeout=timeout)))
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    monkeypatch.setattr(PersistedTokenCache, "update_rt", timed)
    assert app.silent([SCOPE], force_refresh=True)
    monkeypatch.setattr(PersistedTokenCache, "update_rt", update)
    assert len(times) == 1 and times[0] < 10
    time.sleep(max(0, 12 - times[0]))
    assert app.accounts()
    assert_is_stored(sso, spent, app)


@pytest.fixture
def failing(monkeypatch):
    """Lets no record be stored in a block, in this process."""
    @contextmanager
    def failing():
        def fail(*_):
            raise StorageFailedError("The Secret Service failed.")

        with monkeypatch.context() as patch:
            patch.setattr(Group, "set", fail)
            yield

    return failing


def test_a_persistence_redeems_the_refresh_token_that_it_could_not_store(sso, provider, new_app, failing):
    app = new_app(MAIL, FIRST, "persistence")
    app.sign_in_with_browser(ADA, [SCOPE])
    stored = secrets(sso.give(), "RefreshToken")
    with failing():
        for _ in range(3):
            assert app.silent([SCOPE], force_refresh=True)
    assert secrets(sso.give(), "RefreshToken") == stored
    redeemed = [request["refresh_token"] for request in provider.token_requests[-3:]]
    assert {redeemed[0]} == stored and len(set(redeemed)) == 3
    assert app.silent([SCOPE], force_refresh=True)
    assert provider.token_requests[-1]["refresh_token"] not in redeemed
    assert_is_stored(sso, {*redeemed, provider.token_requests[-1]["refresh_token"]}, new_app(MAIL, FIRST))


def test_a_refresh_token_that_could_not_be_stored_is_in_the_result(sso, provider, new_app, failing, monkeypatch):
    monkeypatch.setattr(_writing, "persistently", lambda action: action())
    app = new_app(MAIL, FIRST)
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    with failing():
        result = app._app.acquire_token_silent([SCOPE], app.accounts()[0], force_refresh=True)
    assert app.cache.save_error.code == "storageFailed"
    assert secrets(sso.give(), "RefreshToken") == spent
    app._app.acquire_token_by_refresh_token(result["refresh_token"], [SCOPE])
    assert app.cache.save_error is None
    assert provider.token_requests[-1]["refresh_token"] not in spent
    assert_is_stored(sso, spent, app)


def test_an_unsaved_refresh_token_signs_nobody_in_again(sso, provider, new_app, failing):
    app, other = new_app(MAIL, FIRST, "persistence"), new_app("com.contoso.calendar", FIRST)
    for each in (app, other):
        each.sign_in_with_browser(ADA, [SCOPE])
    with failing():
        assert app.silent([SCOPE], force_refresh=True)
    sso.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
    assert app.accounts() == [] and sso.accounts() == []
    other.sign_in_with_browser(ADA, [SCOPE])
    stored = secrets(sso.give(), "RefreshToken")
    assert app.accounts() == [] and secrets(sso.give(), "RefreshToken") == stored


def test_an_unsaved_refresh_token_delays_no_error_of_a_reading(provider, group, new_app, failing, monkeypatch):
    persistence = AccessGroupPersistence(group)
    app = App(provider, FIRST, PersistedTokenCache(persistence))
    app.sign_in_with_browser(ADA, [SCOPE])
    with failing():
        assert app.silent([SCOPE], force_refresh=True)
    calls = []

    def hang(*arguments):
        calls.append(arguments)
        raise TimedOutError("The agent did not reply within the time limit.")

    monkeypatch.setattr(Group, "_once", hang)
    with pytest.raises(TimedOutError):
        persistence.load()
    assert len(calls) == 1
