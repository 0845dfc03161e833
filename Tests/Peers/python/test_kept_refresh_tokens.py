# SPDX-License-Identifier: MIT
"""A new refresh token is stored whatever else can't be: the server may have spent the old one."""

import json
import os
import signal
import threading
import time

import pytest

from agent_client import Bus
from group_apps import FIRST, SCOPE, SECOND, GroupApps
from msal_apps import App
from people import ADA, GRACE
from providers import AzureAD
from secret_items import search
from secretstorecache import AccessGroupTokenCache
from unified_cache import access_token, secrets

MAIL, CALENDAR = "com.contoso.mail", "com.contoso.calendar"


@pytest.fixture(params=["cache", "persistence"])
def kind(request):
    return request.param


@pytest.fixture
def provider():
    return AzureAD()


@pytest.fixture
def new_app(provider, group):
    return GroupApps(provider, group)


def before_the_next_response(provider, change):
    """Does something after the server has redeemed a refresh token; returns what it sends then."""
    respond = provider.respond

    def respond_after_change(url, form):
        status, body = respond(url, form)
        if form.get("grant_type") == "refresh_token":
            provider.respond = respond
            body = change(body) or body
        return status, body

    provider.respond = respond_after_change


def assert_is_stored(sso, spent, app):
    """Checks that the group has another refresh token, which the server takes."""
    assert secrets(sso.give(), "RefreshToken").isdisjoint(spent)
    assert app.silent([SCOPE], force_refresh=True)


def test_an_access_token_that_is_too_large_costs_no_refresh_token(sso, provider, new_app, kind):
    app = new_app(MAIL, kind=kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    before_the_next_response(provider, lambda body: body | {"access_token": "s3cr3t-" + "x" * 1_700_000})
    assert app.silent([SCOPE], force_refresh=True).startswith("s3cr3t-x")
    assert_is_stored(sso, spent, app)


@pytest.mark.parametrize("member, value", [
    ("expires_in", "soon"), ("expires_in", [1]), ("expires_in", "3600.5"), ("expires_in", "1e999"),
    ("ext_expires_in", {}), ("client_info", "!!"), ("client_info", 7), ("client_info", None)])
def test_an_odd_response_costs_no_refresh_token(sso, provider, new_app, member, value):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    before_the_next_response(provider, lambda body: {
        name: each for name, each in (body | {member: value}).items() if each is not None})
    token = app.silent([SCOPE], force_refresh=True)
    assert app.cache.save_error is None
    assert token in secrets(sso.give(), "AccessToken")
    assert_is_stored(sso, spent, app)
    assert [account["username"] for account in sso.accounts()] == [ADA.username]


def test_a_response_at_which_msal_fails_in_the_end_costs_no_refresh_token(sso, provider, new_app):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    before_the_next_response(provider, lambda body: body | {"refresh_in": "x"})
    with pytest.raises(TypeError):
        app.silent([SCOPE], force_refresh=True)
    assert_is_stored(sso, spent, app)


def test_without_client_info_an_id_token_of_another_person_is_refused(sso, provider, new_app):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    before = secrets(sso.give(), "AccessToken")
    for grant in provider._grants.values():
        grant.person = GRACE
    before_the_next_response(provider, lambda body: {
        name: value for name, value in body.items() if name != "client_info"})
    app.silent([SCOPE], force_refresh=True)
    assert app.cache.save_error.code == "accountMismatch"
    assert secrets(sso.give(), "AccessToken") == before


def test_in_a_full_record_access_tokens_make_room_for_a_refresh_token(sso, bus, group, provider, new_app, kind):
    app = new_app(MAIL, kind=kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    [item] = search(bus, group=group, kind="credentials")
    document = json.loads(item.get_secret())
    [refresh_token] = document["RefreshToken"].values()
    for number in range(30):
        document["AccessToken"][f"large-{number}"] = access_token(
            f"scope{number}", client=refresh_token["client_id"], lifetime=3600 + number) | {"secret": "s3cr3t" * 8800}
    document["Padding"] = ""
    document["Padding"] = "x" * (1_599_990 - len(json.dumps(document, separators=(",", ":"))))
    item.set_secret(json.dumps(document, separators=(",", ":")).encode(), "application/json")
    before_the_next_response(provider, lambda body: body | {"refresh_token": body["refresh_token"] + "x" * 5000})
    assert app.silent([SCOPE], force_refresh=True)
    assert secrets(sso.give(), "RefreshToken").isdisjoint(spent)


@pytest.mark.parametrize("when", ["at a sign-in", "during a refresh"])
def test_a_familys_record_that_cannot_be_read_costs_no_refresh_token(sso, bus, group, provider, new_app, kind, when):
    provider.family = {FIRST, SECOND}
    app = new_app(MAIL, FIRST, kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    [family] = search(bus, group=group, kind="family")

    def damage(_=None):
        family.set_secret(b"no JSON", "application/json")

    if when == "at a sign-in":
        damage()
        app.sign_in_with_browser(ADA, [SCOPE])
    else:
        before_the_next_response(provider, damage)
        assert app.silent([SCOPE], force_refresh=True)
    assert family.get_secret() == b"no JSON"
    [credentials] = [json.loads(item.get_secret()) for item in search(bus, group=group, kind="credentials")]
    assert secrets(credentials, "RefreshToken") and secrets(credentials, "RefreshToken").isdisjoint(spent)
    assert new_app(MAIL, FIRST, kind).silent([SCOPE], force_refresh=True)


@pytest.fixture
def frozen():
    """Freezes the agent for some seconds."""
    bus = Bus()

    def freeze(seconds):
        process = bus.agent()
        os.kill(process, signal.SIGSTOP)
        threading.Timer(seconds, os.kill, (process, signal.SIGCONT)).start()

    yield freeze
    bus.close()


@pytest.mark.parametrize("is_new", [True, False], ids=["a new refresh token", "none"])
@pytest.mark.parametrize("is_stored", [True, False], ids=["stored", "on its way"])
def test_ctrl_c_while_a_response_is_awaited_or_stored_costs_no_refresh_token(
    sso, provider, new_app, frozen, is_new, is_stored
):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    before = secrets(sso.give(), "RefreshToken")

    def interrupt(body):
        if is_stored:
            frozen(2)
            threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
        else:
            os.kill(os.getpid(), signal.SIGINT)
        return body if is_new else {name: value for name, value in body.items() if name != "refresh_token"}

    before_the_next_response(provider, interrupt)
    with pytest.raises(KeyboardInterrupt):
        app.silent(["Files.Read"])
        time.sleep(5)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert secrets(sso.give(), "RefreshToken").isdisjoint(before) == is_new
    assert app.silent(["Files.Read"]) and app.silent([SCOPE], force_refresh=True)


def test_a_second_ctrl_c_ends_a_save(provider, new_app, frozen):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])

    def interrupt(body):
        frozen(3)
        for seconds in (0.5, 1):
            threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()

    before_the_next_response(provider, interrupt)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        app.silent([SCOPE], force_refresh=True)
    assert time.monotonic() - start < 2.5
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_ends_a_program_that_keeps_the_error_of_a_refresh(provider, new_app):
    app, other, errors = new_app(MAIL), new_app(CALENDAR, SECOND), []
    for each in (app, other):
        each.sign_in_with_browser(ADA, [SCOPE])
    before_the_next_response(provider, lambda body: body | {"refresh_in": "x"})
    try:
        app.silent([SCOPE], force_refresh=True)
    except TypeError as error:
        errors.append(error)
    before_the_next_response(provider, lambda _: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        other.silent([SCOPE], force_refresh=True)
    before_the_next_response(provider, lambda body: body | {"refresh_in": "x"})
    try:
        other.silent([SCOPE], force_refresh=True)
    except TypeError as error:
        errors.append(error)
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    assert len(errors) == 2 and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_programs_own_handler_of_ctrl_c_stays(provider, new_app, frozen):
    app, calls = new_app(MAIL), []
    app.sign_in_with_browser(ADA, [SCOPE])
    before_the_next_response(provider, lambda body: os.kill(os.getpid(), signal.SIGINT))

    def own(*_):
        calls.append(1)

    former = signal.signal(signal.SIGINT, own)
    try:
        assert app.silent([SCOPE], force_refresh=True) and calls == [1]
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, former)


def test_a_handler_of_ctrl_c_that_the_program_sets_during_a_refresh_stays(provider, new_app, frozen):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])

    def own(*_):
        pass

    def set_own(_):
        signal.signal(signal.SIGINT, own)

    former = signal.getsignal(signal.SIGINT)
    before_the_next_response(provider, set_own)
    try:
        assert app.silent([SCOPE], force_refresh=True)
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, former)


def test_a_save_that_fails_for_a_moment_is_tried_again(sso, provider, group, frozen):
    app = App(provider, FIRST, AccessGroupTokenCache(group, timeout=2))
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    before_the_next_response(provider, lambda _: frozen(4.5))
    assert app.silent([SCOPE], force_refresh=True)
    assert_is_stored(sso, spent, app)
