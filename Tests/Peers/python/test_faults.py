# SPDX-License-Identifier: MIT
"""What the Python package does when the agent, the keyring or a record is not as it should be: each call ends within
its time limit, with an error of its own type, and nothing is lost."""

import json
import multiprocessing
import os
import signal
import threading
import time
import traceback

import pytest
from jeepney import HeaderFields, MatchRule, MessageType, message_bus, new_error
from jeepney.io.blocking import open_dbus_connection
from msal_extensions import PersistedTokenCache

import secretstorecache
from agent_client import kill, suspended
from group_apps import GroupApps
from msal_apps import App
from people import ADA, GRACE
from redaction import shown
from secret_items import search
from secretstorecache import (
    AccessGroupPersistence, AccessGroupTokenCache, CorruptItemError, GroupLockedError, InvalidArgumentError,
    SecretStoreError, ServiceUnavailableError, TimedOutError,
)
from secretstorecache._documents import Document
from secretstorecache._store import Store
from unified_cache import AAD, CLIENT, access_token, cache_of, secrets

SCOPE = "User.Read"
LIMIT_SECONDS = 30


@pytest.fixture
def new_app(provider, group):
    made = []

    def new_app(name="com.contoso.report", **options):
        made.append(AccessGroupTokenCache(group, app=name, **options))
        return App(provider, CLIENT, made[-1])

    yield new_app
    for cache in made:
        cache.close()


@pytest.fixture
def app(new_app):
    """An app with Ada signed in."""
    app = new_app()
    app.sign_in_with_browser(ADA, [SCOPE])
    return app


def test_a_cache_reaches_the_agent_that_follows_a_killed_one(app, agent):
    for number in (signal.SIGKILL, signal.SIGTERM):
        kill(agent.agent(), number)
        assert app.silent([SCOPE])
        kill(agent.agent(), number)
        assert app.silent([SCOPE], force_refresh=True)
        assert app.cache.save_error is None


def test_what_is_stored_while_the_agent_is_killed_again_and_again_is_complete(new_app, agent, provider, sso):
    new_app().sign_in_with_browser(ADA, [SCOPE])
    is_over = threading.Event()

    def assassin():
        while not is_over.wait(0.2):
            process = agent.agent()
            if process is not None:
                kill(process, signal.SIGKILL)

    app = new_app(timeout=5)
    killer = threading.Thread(target=assassin)
    killer.start()
    stored = []
    try:
        for turn in range(12):
            try:
                token = app.silent([f"scope{turn}"])
            except SecretStoreError:
                continue
            if app.cache.save_error is None:
                stored.append((f"scope{turn}", token))
    finally:
        is_over.set()
        killer.join(LIMIT_SECONDS)
    assert stored
    assert {token for _, token in stored} <= secrets(sso.give(), "AccessToken")
    assert app.silent(["after"])


@pytest.mark.parametrize("what", ["agent", "keyring"])
def test_a_call_to_what_hangs_ends_with_the_time_limit(new_app, agent, daemon, what):
    app = new_app(timeout=2)
    app.sign_in_with_browser(ADA, [SCOPE])
    with suspended(agent.agent() if what == "agent" else daemon.process()):
        for call in (app.accounts, lambda: app.cache.find("AccessToken"), lambda: new_app(timeout=2).accounts()):
            start = time.monotonic()
            with pytest.raises(TimedOutError):
                call()
            assert time.monotonic() - start < 10
    assert app.accounts()


def test_a_large_entry_to_a_frozen_agent_ends_with_the_time_limit(new_app, agent):
    """The agent reads nothing, and the socket takes a part only."""
    app = new_app(timeout=2)
    app.sign_in_with_browser(ADA, [SCOPE])
    store: Store = app.cache._store
    with suspended(agent.agent()):
        start = time.monotonic()
        with pytest.raises(TimedOutError):
            store.group.set({"kind": "client", "client_id": "c"}, "", b'{"a":"' + b"x" * 1_500_000 + b'"}',
                            store.group.deadline())
        assert time.monotonic() - start < 10
    assert app.accounts()


@pytest.mark.parametrize("address", [
    "unix:path=/nonexistent/bus", "unix:path=relative", "nonsense", "", "tcp:host=127.0.0.1,port=1"])
def test_without_a_session_bus_the_error_says_so(new_app, monkeypatch, address):
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    if not address:
        monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    with pytest.raises(ServiceUnavailableError):
        new_app().accounts()


def test_a_locked_group_is_an_error_and_never_no_accounts(app, new_app, daemon):
    daemon.restart_locked()
    for call in (new_app().accounts, app.accounts, lambda: app.cache.find("RefreshToken")):
        with pytest.raises(GroupLockedError):
            call()
    app.sign_in_with_browser(GRACE, [SCOPE])
    assert isinstance(app.cache.save_error, GroupLockedError)


@pytest.mark.parametrize("options", [
    {"group": ""}, {"group": ".hidden"}, {"group": "a/b"}, {"group": "a\n"}, {"group": "x" * 201}, {"group": "é"},
    {"group": 7}, {"publisher": ""}, {"publisher": "a b"}, {"app": ""}, {"app": "a\0"}, {"issuer": "contoso"},
    {"issuer": "http://id.contoso.com"}, {"issuer": "https://id.contoso.com?x"}, {"timeout": 0}, {"timeout": -1},
    {"timeout": float("nan")}, {"timeout": float("inf")}, {"timeout": 1e300}, {"timeout": "x"}, {"timeout": None},
    {"timeout": True}, {"timeout": 86_401}, {"lease_timeout": -1}, {"lease_timeout": float("nan")}, {"lease_timeout": "x"},
    {"lease_timeout": None},
])
def test_an_argument_that_is_not_valid_is_refused_at_once(options):
    with pytest.raises(InvalidArgumentError):
        AccessGroupTokenCache(**{"group": "com.contoso.shared"} | options)


def test_another_program_cannot_answer_in_the_agents_stead(new_app):
    new_app().sign_in_with_browser(ADA, [SCOPE])
    forger = open_dbus_connection("SESSION")
    forger.send_and_get_reply(message_bus.AddMatch(MatchRule(type="method_call", eavesdrop=True)))
    forged = []
    is_over = threading.Event()

    def forge():
        while not is_over.is_set():
            try:
                call = forger.receive(timeout=0.05)
            except TimeoutError:
                continue
            if call.header.message_type is MessageType.method_call and HeaderFields.sender in call.header.fields:
                member = call.header.fields[HeaderFields.member]
                if member in ("Hello", "StartServiceByName", "GetNameOwner", "Open"):
                    forger.send(new_error(call, "org.secretstorecache.Error.NotEntitled", "s", ("forged",)))
                    forged.append(member)

    thread = threading.Thread(target=forge)
    thread.start()
    try:
        for _ in range(10):
            app = new_app()
            assert app.accounts()
            app.cache.close()
    finally:
        is_over.set()
        thread.join(LIMIT_SECONDS)
        forger.close()
    assert "Open" in forged


def test_a_child_process_has_a_connection_of_its_own(app):
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=lambda: queue.put(len(app.accounts()))) for _ in range(3)]
    for child in children:
        child.start()
    assert [queue.get(timeout=LIMIT_SECONDS) for _ in children] == [1, 1, 1]
    for child in children:
        child.join(LIMIT_SECONDS)
    assert app.silent([SCOPE])


@pytest.mark.parametrize("kind", ["cache", "persistence"])
def test_a_child_process_does_not_wait_for_a_thread_of_its_parent(provider, group, app, frozen, kind):
    used = GroupApps(provider, group)("com.contoso.report", CLIENT, kind)
    assert used.accounts()
    frozen(3)
    thread = threading.Thread(target=used.accounts)
    thread.start()
    time.sleep(1)
    child = multiprocessing.get_context("fork").Process(target=used.accounts)
    child.start()
    child.join(8)
    child.kill()
    thread.join(LIMIT_SECONDS)
    child.join(LIMIT_SECONDS)
    assert child.exitcode == 0


def test_a_handler_of_a_signal_does_not_wait_for_the_call_that_it_interrupts(provider, group, app, frozen):
    used = App(provider, CLIENT, PersistedTokenCache(AccessGroupPersistence(group, timeout=1)))
    results = []

    def call(*_):
        try:
            results.append(used.accounts())
        except TimedOutError as error:
            results.append(error)

    def fail(*_):
        raise SystemExit("The handler waits.")  # MSAL passes over an Exception.

    former = signal.signal(signal.SIGUSR1, call), signal.signal(signal.SIGALRM, fail)
    frozen(2)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGUSR1)).start()
    signal.alarm(20)
    try:
        call()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGUSR1, former[0])
        signal.signal(signal.SIGALRM, former[1])
    assert len(results) == 2


@pytest.mark.parametrize("kind", ["cache", "persistence"])
def test_a_child_process_of_a_handler_of_a_signal_leaves_the_call_that_it_interrupts(
    provider, group, app, frozen, kind
):
    used, children = GroupApps(provider, group)("com.contoso.report", CLIENT, kind), []

    def fork(*_):
        children.append(os.fork())
        if not children[0]:
            raise SystemExit

    former = signal.signal(signal.SIGUSR1, fork)
    frozen(1)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGUSR1)).start()
    try:
        accounts = used.accounts()
    except BaseException as error:
        os._exit(0 if type(error) is SystemExit else 1)
    signal.signal(signal.SIGUSR1, former)
    assert accounts and os.waitpid(children[0], 0)[1] == 0


def test_threads_share_a_cache(app):
    failures = []

    def work():
        try:
            for _ in range(10):
                assert app.accounts() and app.silent([SCOPE])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_SECONDS)
    assert not failures


# What a record may hold that another program has written.

WRONG = [None, True, 7, -1.5, [], {}, "", "x" * 5000, "9" * 4000, "NaN", "1e400", "١"]
MEMBERS = {
    "AccessToken": ["expires_on", "refresh_on", "target", "home_account_id", "environment", "realm", "client_id",
                    "token_type", "credential_type", "secret", "ext_cache_key", "cached_at", "requested_default"],
    "RefreshToken": ["last_modification_time", "target", "family_id", "home_account_id", "environment", "secret"],
    "IdToken": ["secret", "realm"],
    "Account": ["username", "authority_type", "home_account_id", "environment", "realm", "local_account_id"],
    "AppMetadata": ["family_id", "client_id", "environment"],
}


def record(bus, group):
    [item] = search(bus, group=group, kind="credentials")
    return item, json.loads(item.get_secret())


@pytest.mark.parametrize("section", MEMBERS)
def test_an_entry_with_members_of_other_types_harms_no_other(app, new_app, bus, group, section):
    item, good = record(bus, group)
    fresh = new_app()
    for member in MEMBERS[section]:
        for value in WRONG:
            document = json.loads(json.dumps(good))
            [entry] = document[section].values()
            document[section]["planted"] = dict(entry, **{member: value})
            document[section]["no entry"] = value
            item.set_secret(json.dumps(document).encode(), "application/json")
            assert ADA.username in [account["username"] for account in fresh.accounts()], (member, value)
            assert fresh.silent([SCOPE], ADA.username)
            fresh.cache.find(section)
    item.set_secret(json.dumps(good).encode(), "application/json")
    assert new_app().silent([SCOPE])


@pytest.mark.parametrize("value", WRONG)
def test_a_section_of_our_own_that_others_have_written_is_read_as_empty(app, new_app, bus, group, value):
    item, document = record(bus, group)
    for member in ("apps", "epoch", "names", "tenants", "revision"):
        document["SecretStoreCache"][member] = value
    item.set_secret(json.dumps(document).encode(), "application/json")
    fresh = new_app()
    assert fresh.silent([SCOPE], force_refresh=True)
    assert fresh.cache.save_error is None
    fresh.remove(ADA.username)
    assert new_app().accounts() == []


@pytest.mark.parametrize("content", [b" ", b"no json", b"[]", b"{", b'{"AccessToken":[]}', b"\xff\xfe",
                                     b'{"a":1,"a":2}', b"[" * 100_000, b'{"x":"' + b"x" * 1_700_000 + b'"}'])
def test_a_record_that_cannot_be_read_is_an_error_for_its_client_and_is_not_changed(app, new_app, bus, group, content):
    app.sign_in_with_browser(GRACE, [SCOPE])
    [item] = [item for item in search(bus, group=group, kind="credentials")
              if ADA.identifier in item.get_secret().decode()]
    item.set_secret(content, "application/json")
    fresh = new_app()
    assert [account["username"] for account in fresh.accounts()] == [GRACE.username]
    assert fresh.silent([SCOPE], GRACE.username)
    with pytest.raises(CorruptItemError):
        fresh._app.acquire_token_silent([SCOPE], {"home_account_id": ADA.identifier, "environment": AAD})
    fresh.sign_in_with_browser(ADA, [SCOPE])
    assert isinstance(fresh.cache.save_error, CorruptItemError)
    assert item.get_secret() == content


def test_an_entry_in_another_accounts_record_is_not_used(app, new_app, bus, group, provider):
    """Another program may write into a record, and so choose whose token is redeemed for whom."""
    item, document = record(bus, group)
    own = secrets(document, "RefreshToken")
    grace = cache_of(access_token(SCOPE, person=GRACE), person=GRACE)
    for section, entries in grace.items():
        document[section] |= entries
    item.set_secret(json.dumps(document).encode(), "application/json")
    fresh = new_app()
    assert [account["username"] for account in fresh.accounts()] == [ADA.username]
    account = {"home_account_id": GRACE.identifier, "environment": AAD}
    requests = len(provider.token_requests)
    assert fresh._app.acquire_token_silent([SCOPE], account) is None
    assert fresh._app.acquire_token_silent([SCOPE], account, force_refresh=True) is None
    assert len(provider.token_requests) == requests
    assert fresh.silent([SCOPE], ADA.username, force_refresh=True)
    [request] = provider.token_requests[requests:]
    assert {request["refresh_token"]} == own


def test_nothing_that_is_raised_or_logged_holds_a_token(app, new_app, bus, group, daemon, caplog):
    """Tokens hold the tests' mark."""
    caplog.set_level("DEBUG")
    account = {"home_account_id": ADA.identifier, "environment": AAD}
    failures = []

    def failing(kind, call):
        with pytest.raises(kind) as error:
            call()
        failures.append(error.value)

    item, document = record(bus, group)
    assert "s3cr3t" in item.get_secret().decode()
    for content in (
        json.dumps(document)[:-1], json.dumps(document | {"RefreshToken": ["s3cr3t"]}), '"s3cr3t"', '{"s3cr3t": 1, "s3cr3t": 2}',
        json.dumps(document | {"s3cr3t": "x" * 1_700_000}),
    ):
        item.set_secret(content.encode(), "application/json")
        failing(CorruptItemError, lambda: new_app()._app.acquire_token_silent([SCOPE], account))
        failed = new_app()
        failed.sign_in_with_browser(ADA, [SCOPE])
        failures.append(failed.cache.save_error)
        assert isinstance(failures[-1], CorruptItemError)
    item.set_secret(json.dumps(document).encode(), "application/json")
    daemon.restart_locked()
    failing(GroupLockedError, lambda: new_app().accounts())
    app.sign_in_with_browser(ADA, [SCOPE])
    failures.append(app.cache.save_error)
    assert isinstance(failures[-1], GroupLockedError)
    assert [line for line in caplog.records if line.name.startswith("secretstorecache")], "nothing was logged"
    texts = [line.getMessage() for line in caplog.records if line.name.startswith("secretstorecache")]
    for each in [*failures, app.cache, app.cache._store]:
        texts += [repr(each), str(each), repr(vars(each))] if isinstance(each, Exception) else [repr(each), str(each)]
    for error in failures:
        texts.append("".join(traceback.format_exception(error)))
    assert not any(shown(text, ["s3cr3t"]) for text in texts)


@pytest.mark.parametrize("content", [b'{"secret": "s3cr3t', b"s3cr3t \xff", b'{"s3cr3t":' + b"[" * 100_000], ids=[
    "cut short", "no UTF-8", "too deep"])
def test_an_error_about_a_record_keeps_no_error_that_holds_its_content(content):
    """Those of json have the whole text as an attribute, which programs that report errors send along."""
    with pytest.raises(CorruptItemError) as error:
        Document.parse(content)
    assert error.value.__cause__ is None and error.value.__context__ is None


def test_an_error_about_a_saved_cache_keeps_no_error_that_holds_its_content(group):
    with pytest.raises(InvalidArgumentError) as error:
        secretstorecache.AccessGroupPersistence(group).save('{"secret": "s3cr3t')
    assert error.value.__cause__ is None and error.value.__context__ is None


def test_every_error_of_the_package_has_a_code_and_a_type_of_its_own():
    classes = [each for each in vars(secretstorecache).values()
               if isinstance(each, type) and issubclass(each, SecretStoreError) and each is not SecretStoreError]
    codes = {each.code for each in classes}
    assert len(codes) == len(classes) == 14
    assert all(each.__name__ == each.code[0].upper() + each.code[1:] + "Error" for each in classes)
