# SPDX-License-Identifier: MIT
"""A Python script and the Swift apps of the examples share accounts at a real provider, whose refresh tokens can be
redeemed once."""

import json
import os
import re
import subprocess
import sys
import threading

import pytest

import contoso_report
from example_apps import GROUP_OF_EXAMPLES, expire, stored
from real_provider import CLIENT, SCOPE
from repository import ROOT, SCRIPTS
from secret_items import search
from secretstorecache import AccessGroupTokenCache, AmbiguousAccountError
from unified_cache import secrets

LIMIT_SECONDS = 60
ADA = "ada@contoso.com"
REPORT = "contoso_report.py"
APPS = (REPORT, "contoso-mail", "contoso-calendar")


@pytest.fixture
def start(examples, real_provider, suite):
    """Starts a command of an app."""
    environment = os.environ | {
        "CONTOSO_ISSUER": real_provider.issuer, "BROWSER": str(SCRIPTS / "browser"),
        "PYTHONPATH": str(ROOT / "Python/src"),
        # As MSAL Python has it.
        "CONTOSO_EXPIRY_BUFFER": "300",
    }

    def start(app, command):
        program = [sys.executable, ROOT / "examples/python" / app] if app == REPORT else [examples / app]
        return subprocess.Popen(
            [*program, command], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    return start


@pytest.fixture
def run(start, real_provider):
    """Runs a command of an app; returns its exit status, and what it printed."""
    def run(app, command):
        process = start(app, command)
        if app == REPORT and command == "sign-in":
            code = re.fullmatch(r"Open \S+ and enter the code (\S+)\.\n", process.stdout.readline())
            real_provider.enter(code[1])
        stdout, stderr = process.communicate(timeout=LIMIT_SECONDS)
        return process.returncode, stdout + stderr

    return run


def is_silent(run, app):
    status, output = run(app, "read")
    refusal = "interactionRequired" if app == REPORT else "You need to sign in again."
    assert status in (0, 10) and (status == 10) == (refusal in output), output
    assert status == 10 or ADA in output
    return status == 0


@pytest.mark.parametrize("first", APPS[:2])
def test_who_signs_in_to_one_app_has_a_token_in_every_other(run, first, bus):
    assert [is_silent(run, app) for app in APPS] == [False] * 3
    status, output = run(first, "sign-in")
    assert status == 0, output
    for app in APPS:
        status, output = run(app, "read")
        assert status == 0 and f"a token for {ADA} from the cache" in output
        assert run(app, "accounts")[1].endswith(f": {ADA}\n")
    assert len(secrets(stored(bus), "RefreshToken")) == len(secrets(stored(bus), "AccessToken")) == 1


def test_the_apps_take_turns_to_refresh_and_each_finds_what_the_other_brought(run, bus):
    run("contoso-mail", "sign-in")
    tokens = {*secrets(stored(bus), "RefreshToken")}
    for turn, app in enumerate([REPORT, "contoso-mail", REPORT, "contoso-calendar"], start=2):
        expire(bus)
        assert "by a refresh" in run(app, "read")[1]
        tokens |= secrets(stored(bus), "RefreshToken")
        assert len(tokens) == turn
        for other in APPS:
            assert "from the cache" in run(other, "read")[1]
    assert len(secrets(stored(bus), "RefreshToken")) == 1


def test_of_many_processes_in_both_languages_one_redeems_each_one_use_token(start, run, bus):
    """The provider would refuse a second redemption, and no valid token would remain."""
    run("contoso-mail", "sign-in")
    tokens = {*secrets(stored(bus), "RefreshToken")}
    for turn in range(2, 5):
        expire(bus)
        processes = [start(app, "read") for app in APPS * 2]
        ended = [process.communicate(timeout=LIMIT_SECONDS) for process in processes]
        assert [process.returncode for process in processes] == [0] * len(processes), ended
        assert sorted("by a refresh" in stdout for stdout, _ in ended) == [False] * 5 + [True], ended
        tokens |= secrets(stored(bus), "RefreshToken")
        assert len(tokens) == turn


@pytest.fixture
def application(real_provider, run, monkeypatch):
    """Makes an app of this process, with a cache of its own."""
    monkeypatch.setenv("CONTOSO_ISSUER", real_provider.issuer)

    def application(name="com.contoso.report", **options):
        return contoso_report.application(
            AccessGroupTokenCache(GROUP_OF_EXAMPLES, publisher="com.contoso", app=name, **options))

    return application


def token(app):
    return app.acquire_token_silent([SCOPE], app.get_accounts()[0])


def test_of_many_threads_one_redeems_the_refresh_token(application, run, bus):
    run("contoso-mail", "sign-in")
    app = application()
    for _ in range(3):
        expire(bus)
        results = []
        threads = [threading.Thread(target=lambda: results.append(token(app))) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT_SECONDS)
        assert sorted(result["token_source"] for result in results) == ["cache"] * 5 + ["identity_provider"]
        assert len({result["access_token"] for result in results}) == 1
        assert app.token_cache.save_error is None


@pytest.mark.parametrize("first, second", [(REPORT, "contoso-mail"), ("contoso-mail", REPORT)])
def test_each_app_signs_out_by_itself_and_the_tokens_go_with_the_last(run, first, second, bus):
    run("contoso-mail", "sign-in")
    assert is_silent(run, REPORT)
    assert "signed out of ada@contoso.com" in run(first, "sign-out")[1]
    assert not is_silent(run, first) and ADA not in run(first, "accounts")[1]
    expire(bus)
    assert "by a refresh" in run(second, "read")[1]
    assert not is_silent(run, first)
    run(second, "sign-out")
    assert not any(secrets(stored(bus), section) for section in ("AccessToken", "RefreshToken", "IdToken"))
    assert stored(bus).get("Account", {}) == {}
    assert [is_silent(run, app) for app in APPS] == [False] * 3


def test_who_signed_out_can_sign_in_again(run):
    run("contoso-mail", "sign-in")
    run(REPORT, "sign-out")
    assert not is_silent(run, REPORT)
    assert run(REPORT, "sign-in")[0] == 0
    assert is_silent(run, REPORT) and is_silent(run, "contoso-mail")


def test_a_refresh_that_ends_after_the_sign_out_stores_nothing(application, run, bus):
    run(REPORT, "sign-in")
    expire(bus)
    app, same_app = application(), application()
    post = app.http_client.post

    def post_while_signing_out(*arguments, **options):
        [account] = same_app.get_accounts()
        same_app.remove_account(account)
        return post(*arguments, **options)

    app.http_client.post = post_while_signing_out
    assert token(app)["token_source"] == "identity_provider"
    assert not any(secrets(stored(bus), section) for section in ("AccessToken", "RefreshToken"))
    assert application().get_accounts() == []


def test_a_sign_in_during_a_refresh_keeps_its_refresh_token(application, run, bus):
    run("contoso-mail", "sign-in")
    expire(bus)
    app = application()
    post = app.http_client.post
    newest = []

    def post_before_a_sign_in(*arguments, **options):
        response = post(*arguments, **options)
        run("contoso-mail", "sign-in")
        newest.extend(secrets(stored(bus), "RefreshToken"))
        return response

    app.http_client.post = post_before_a_sign_in
    assert "access_token" in token(app)
    assert secrets(stored(bus), "RefreshToken") == set(newest)


@pytest.mark.parametrize("failure", ["refused", "unreachable"])
def test_a_refresh_that_fails_lets_go_of_the_lease(application, run, bus, failure):
    run("contoso-mail", "sign-in")
    expire(bus)
    app = application()
    post = app.http_client.post

    def fail(address, *arguments, **options):
        if failure == "unreachable":
            raise contoso_report.requests.ConnectionError("no network")
        options["data"] = dict(options["data"], refresh_token="another")
        return post(address, *arguments, **options)

    app.http_client.post = fail
    with pytest.raises(Exception) as error:
        result = token(app)
        assert result and "access_token" in result
    # While the error, and so MSAL's frames, are still there: this thread's next call does not wait for itself.
    app.http_client.post = post
    assert token(app)["token_source"] == "identity_provider"
    assert app.token_cache.save_error is None, error
    expire(bus)
    assert "by a refresh" in run("contoso-mail", "read")[1]


def test_what_the_script_does_not_know_of_survives_it(application, run, bus):
    run("contoso-mail", "sign-in")
    [item] = search(bus, kind="credentials", group=GROUP_OF_EXAMPLES)
    text = item.get_secret().decode()
    extra = '"FutureSection":{"x":{"number":1.10,"big":123456789012345678901234567890,"text":"\\ud83d\\ude00"}},'
    item.set_secret(("{" + extra + text[1:]).encode(), "application/json")
    expire_text(item)
    assert "by a refresh" in run(REPORT, "read")[1]
    [item] = search(bus, kind="credentials", group=GROUP_OF_EXAMPLES)
    kept = item.get_secret().decode()
    assert '"number":1.10' in kept and "123456789012345678901234567890" in kept
    assert json.loads(kept)["FutureSection"]["x"]["text"] == "😀"
    assert json.loads(kept)["SecretStoreCache"]["apps"]["com.contoso.mail"] == "signed_in"


def expire_text(item):
    """Makes the access token expired, and leaves everything else as it is written."""
    text = item.get_secret().decode()
    item.set_secret(re.sub(r'("expires_on":")\d+', r"\g<1>1700000000", text).encode(), "application/json")


def test_accounts_of_two_issuers_at_one_host_are_not_confused(application, run, suite, real_provider):
    run("contoso-mail", "sign-in")
    other = real_provider.issuer.replace("/api/oidc", "/other")
    cache = application().token_cache
    [own] = cache.search("Account", query={"environment": "127.0.0.1"})
    entry = {"home_account_id": "someone", "environment": other, "client_id": CLIENT, "secret": "s3cr3t-other"}
    suite.take({
        "RefreshToken": {"r": entry | {"credential_type": "RefreshToken"}},
        "Account": {"a": {"home_account_id": "someone", "environment": other, "realm": "", "username": "other"}},
    })
    with pytest.raises(AmbiguousAccountError):
        application().get_accounts()
    app = application(issuer=real_provider.issuer)
    assert [account["username"] for account in app.get_accounts()] == [own["username"]]
    assert "access_token" in token(app)
    [account] = application(issuer=other).get_accounts()
    assert account["home_account_id"] == "someone"
