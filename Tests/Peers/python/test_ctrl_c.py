# SPDX-License-Identifier: MIT
"""Ctrl-C after a refresh token was sent costs no new one, and ends the program's call all the same."""

import os
import signal
import threading
import time

import pytest

from group_apps import SCOPE, SECOND
from headless import state
from people import ADA
from unified_cache import secrets

MAIL, CALENDAR = "com.contoso.mail", "com.contoso.calendar"


@pytest.mark.parametrize("is_new", [True, False], ids=["a new refresh token", "none"])
@pytest.mark.parametrize("is_stored", [True, False], ids=["stored", "on its way"])
def test_ctrl_c_while_a_response_is_awaited_or_stored_costs_no_refresh_token(
    sso, provider, new_app, frozen, kind, is_new, is_stored
):
    app = new_app(MAIL, kind=kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    before = secrets(sso.give(), "RefreshToken")

    def interrupt(body):
        if is_stored:
            frozen(2)
            threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
        else:
            os.kill(os.getpid(), signal.SIGINT)
        return body if is_new else {name: value for name, value in body.items() if name != "refresh_token"}

    provider.after_the_next_redemption(interrupt)
    with pytest.raises(KeyboardInterrupt):
        app.silent(["Files.Read"])
        time.sleep(5)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert secrets(sso.give(), "RefreshToken").isdisjoint(before) == is_new
    assert app.silent(["Files.Read"]) and app.silent([SCOPE], force_refresh=True)


def test_ctrl_c_where_no_thread_can_be_started_costs_no_refresh_token(sso, provider, new_app, kind, monkeypatch):
    app = new_app(MAIL, kind=kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    before = secrets(sso.give(), "RefreshToken")

    def fail(_):
        raise RuntimeError("can't start new thread")

    def interrupt(_):
        monkeypatch.setattr(threading.Thread, "start", fail)
        os.kill(os.getpid(), signal.SIGINT)

    provider.after_the_next_redemption(interrupt)
    with pytest.raises(KeyboardInterrupt):
        app.silent([SCOPE], force_refresh=True)
        time.sleep(1)
    monkeypatch.undo()
    assert secrets(sso.give(), "RefreshToken").isdisjoint(before)
    assert app.silent([SCOPE], force_refresh=True)


def test_a_second_ctrl_c_ends_a_save(provider, new_app, agent, frozen, kind):
    app = new_app(MAIL, kind=kind)
    app.sign_in_with_browser(ADA, [SCOPE])

    def interrupt(body):
        # Less than a call's time limit, after which the save would end in any case.
        frozen(8)
        for seconds in (0.5, 1):
            threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()

    provider.after_the_next_redemption(interrupt)
    with pytest.raises(KeyboardInterrupt):
        app.silent([SCOPE], force_refresh=True)
    assert state(agent.agent()) == "T", "the save waited for the agent"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_ends_a_program_that_keeps_the_error_of_a_refresh(provider, new_app):
    app, other, errors = new_app(MAIL), new_app(CALENDAR, SECOND), []
    for each in (app, other):
        each.sign_in_with_browser(ADA, [SCOPE])
    provider.after_the_next_redemption(lambda body: body | {"refresh_in": "x"})
    try:
        app.silent([SCOPE], force_refresh=True)
    except TypeError as error:
        errors.append(error)
    provider.after_the_next_redemption(lambda _: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        other.silent([SCOPE], force_refresh=True)
    provider.after_the_next_redemption(lambda body: body | {"refresh_in": "x"})
    try:
        other.silent([SCOPE], force_refresh=True)
    except TypeError as error:
        errors.append(error)
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    assert len(errors) == 2 and signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("is_set_before", [True, False], ids=["set before", "set during the refresh"])
def test_a_programs_own_handler_of_ctrl_c_stays(provider, new_app, kind, is_set_before):
    app, calls = new_app(MAIL, kind=kind), []
    app.sign_in_with_browser(ADA, [SCOPE])

    def own(*_):
        calls.append(1)

    def set_or_call_own(_):
        if is_set_before:
            os.kill(os.getpid(), signal.SIGINT)
        else:
            signal.signal(signal.SIGINT, own)

    former = signal.getsignal(signal.SIGINT)
    if is_set_before:
        signal.signal(signal.SIGINT, own)
    provider.after_the_next_redemption(set_or_call_own)
    try:
        assert app.silent([SCOPE], force_refresh=True) and calls == [1] * is_set_before
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, former)


def test_ctrl_c_after_a_refresh_ends_the_program_at_once(provider, new_app, kind):
    app = new_app(MAIL, kind=kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    for is_refused in (False, True):
        if is_refused:
            provider.failure = 400, {"error": "invalid_grant"}
            app.silent([SCOPE], force_refresh=True)
        else:
            assert app.silent([SCOPE], force_refresh=True)
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_while_a_sign_in_is_stored_leaves_all_of_it(sso, provider, new_app, frozen, kind):
    app = new_app(MAIL, kind=kind)
    response = provider.response

    def respond(*arguments):
        frozen(2)
        threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
        return response(*arguments)

    provider.response = respond
    with pytest.raises(KeyboardInterrupt):
        app.sign_in_with_browser(ADA, [SCOPE])
        time.sleep(5)
    provider.response = response
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
    assert new_app(MAIL).silent([SCOPE], force_refresh=True)
