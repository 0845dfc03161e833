# SPDX-License-Identifier: MIT
"""How long MSAL Python has a refresh lease, for which other apps wait."""

import fcntl
import os
import signal
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from agent_client import kill, suspend
from msal_apps import App
from people import ADA, GRACE, base64url
from secretstorecache import AccessGroupTokenCache, TimedOutError
from secretstorecache._agent import Group
from unified_cache import CLIENT

SCOPE = "User.Read"
OTHER = base64url({"uid": GRACE.uid, "utid": GRACE.utid})


@pytest.fixture
def new_app(provider, group):
    return lambda **options: App(provider, CLIENT, AccessGroupTokenCache(group, **options))


def held_leases():
    held = []
    for path in Path(os.environ["XDG_RUNTIME_DIR"]).glob("secret-store-cache/refresh-*.lock"):
        with open(path) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.append(path)
    return held


def no_lease_is_held(seconds=5):
    """The agent ends a lease when it reads that the app's call has ended, which is a moment later."""
    end = time.monotonic() + seconds
    while held_leases() and time.monotonic() < end:
        time.sleep(0.02)
    return not held_leases()


@pytest.mark.parametrize("ends, lease_timeout", [("later", 20), ("never", 2)])
def test_a_refresh_waits_for_another_apps_lease_and_not_for_ever(
    new_app, agent, group, provider, ends, lease_timeout
):
    app = new_app(lease_timeout=lease_timeout)
    app.sign_in_with_browser(ADA, [SCOPE])
    key = {"kind": "credentials", "account": ADA.identifier, "environment": "login.windows.net", "client_id": CLIENT}
    other = agent.open(group)
    assert other.acquire_lease(1, key)
    if ends == "later":
        threading.Timer(1, other.close).start()
    requests, start = len(provider.token_requests), time.monotonic()
    assert app.silent([SCOPE], force_refresh=True)
    assert 0.9 < time.monotonic() - start < 15
    assert len(provider.token_requests) == requests + 1
    other.close()


def test_a_refresh_waits_for_a_lease_although_the_agent_ends_meanwhile(new_app, agent, group, provider):
    app = new_app(lease_timeout=20)
    app.sign_in_with_browser(ADA, [SCOPE])
    key = {"kind": "credentials", "account": ADA.identifier, "environment": "login.windows.net", "client_id": CLIENT}
    other = agent.open(group)
    assert other.acquire_lease(1, key)
    [path] = held_leases()
    refresh = threading.Thread(target=app.silent, args=([SCOPE],), kwargs={"force_refresh": True})
    with open(path) as lease:
        # It has the lock at the moment at which the agent has it no more.
        waiting = threading.Thread(target=fcntl.flock, args=(lease, fcntl.LOCK_EX))
        waiting.start()
        refresh.start()
        time.sleep(3)  # It asks for the lease by then.
        requests = len(provider.token_requests)
        kill(agent.agent(), signal.SIGKILL)
        waiting.join(10)
        time.sleep(1)
        assert len(provider.token_requests) == requests
    refresh.join(30)
    assert len(provider.token_requests) == requests + 1
    other.close()


@pytest.mark.parametrize("changes, code", [
    ({"client_info": OTHER}, "accountMismatch"), ({"client_info": OTHER, "refresh_token": None}, "accountMismatch"),
    ({"access_token": "s3cr3t-" + "x" * 1_700_000}, "invalidArgument")])
def test_what_could_not_be_stored_keeps_no_lease(new_app, provider, changes, code):
    """An error keeps the calls during which it was raised, and they the refresh token that has the lease."""
    app = new_app()
    app.sign_in_with_browser(ADA, [SCOPE])
    provider.after_the_next_redemption(lambda body: {
        name: value for name, value in (body | changes).items() if value is not None})
    app.silent([SCOPE], force_refresh=True)
    assert app.cache.save_error.code == code
    assert no_lease_is_held()


def test_an_agent_that_ends_during_a_save_keeps_no_lease(new_app, provider, agent):
    app = new_app(timeout=1)
    app.sign_in_with_browser(ADA, [SCOPE])
    process = agent.agent()
    response = provider.response
    # Without a new refresh token, nothing but the error is left of the call.
    provider.response = lambda *arguments: {
        name: value for name, value in response(*arguments).items() if name != "refresh_token"}
    provider.after_the_next_redemption(lambda _: suspend(process))
    try:
        assert app.silent([SCOPE], force_refresh=True)
        assert app.cache.save_error.code == "timedOut"
    finally:
        os.kill(process, signal.SIGCONT)
    assert no_lease_is_held()


@pytest.mark.parametrize("error", [TimedOutError, SystemExit])
def test_a_call_that_fails_between_its_readings_keeps_no_lease(new_app, provider, monkeypatch, error):
    app = new_app()
    provider.lifetime = 10
    app.sign_in_with_browser(ADA, [SCOPE])
    [account] = app.accounts()
    call, failures = Group._once, 0
    for number in range(1, 20):
        left = number

        def fail_once(*arguments):
            nonlocal left
            left -= 1
            if left == 0:
                raise error("The agent did not reply within the time limit.")
            return call(*arguments)

        monkeypatch.setattr(Group, "_once", fail_once)
        try:
            app._app.acquire_token_silent([SCOPE], account)
        except error:
            failures += 1
        monkeypatch.setattr(Group, "_once", call)
        assert no_lease_is_held(), number
    assert failures > 3


def test_few_connections_stay_open_after_many_waits_for_a_lease(new_app, agent, group):
    """The agent refuses an app's 65th."""
    app = new_app(lease_timeout=2)
    app.sign_in_with_browser(ADA, [SCOPE])
    key = {"kind": "credentials", "account": ADA.identifier, "environment": "login.windows.net", "client_id": CLIENT}
    with closing(agent.open(group)) as other:
        assert other.acquire_lease(1, key)
        threads = [threading.Thread(target=app.silent, args=([SCOPE],), kwargs={"force_refresh": True})
                   for _ in range(14)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        [open_now] = [count for _, name, count in agent.status()[0] if name == group]
    assert open_now <= 10
