# SPDX-License-Identifier: MIT
"""What the Python package does when the agent or the keyring is not as it should be: each call ends within its time
limit, with an error of its own type, and nothing is lost."""

import multiprocessing
import os
import signal
import threading
import time

import pytest
from jeepney import HeaderFields, MatchRule, MessageType, message_bus, new_error
from jeepney.io.blocking import open_dbus_connection
from msal_extensions import PersistedTokenCache

import secretstorecache
from agent_client import kill, suspend, suspended
from group_apps import GroupApps
from msal_apps import App
from people import ADA, GRACE
from secretstorecache import (
    AccessGroupPersistence, AccessGroupTokenCache, GroupLockedError, InvalidArgumentError, SecretStoreError,
    ServiceUnavailableError, StorageFailedError, TimedOutError,
)
from secretstorecache._agent import Group
from secretstorecache._store import Store
from unified_cache import CLIENT, secrets

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


def test_a_cache_reaches_the_agent_that_follows_a_killed_one(app, agent):
    for number in (signal.SIGKILL, signal.SIGTERM):
        kill(agent.agent(), number)
        assert app.silent([SCOPE])
        kill(agent.agent(), number)
        assert app.silent([SCOPE], force_refresh=True)
        assert app.cache.save_error is None


def test_a_call_ends_when_the_agent_is_killed_while_it_opens_the_group(new_app, agent):
    """The bus itself replies to the call of an agent that has ended."""
    new_app().sign_in_with_browser(ADA, [SCOPE])
    opened = Group("contoso", "", LIMIT_SECONDS)
    process = agent.agent()
    suspend(process)
    killer = threading.Timer(1, kill, (process, signal.SIGKILL))
    killer.start()
    start = time.monotonic()
    with pytest.raises(ServiceUnavailableError, match="NoReply"):
        opened.records([])
    assert time.monotonic() - start < LIMIT_SECONDS / 2
    killer.join()
    assert opened.records([]) == []


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


def test_a_use_that_cannot_be_noted_is_no_error_of_a_response(app, new_app, monkeypatch, caplog):
    def fail(*_):
        raise StorageFailedError("The Secret Service failed.")

    other = new_app("com.contoso.mail")
    monkeypatch.setattr(Group, "set", fail)
    assert other.silent([SCOPE])
    assert other.cache.save_error is None
    [said] = [record.getMessage() for record in caplog.records if record.name == "secretstorecache"]
    assert "uses the account" in said


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


def test_another_program_cannot_reply_in_the_agents_stead(new_app):
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
        if children == [0]:
            os._exit(0 if type(error) is SystemExit else 1)
        raise
    finally:
        if children == [0]:
            os._exit(2)
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


def test_every_error_of_the_package_has_a_code_and_a_type_of_its_own():
    classes = [each for each in vars(secretstorecache).values()
               if isinstance(each, type) and issubclass(each, SecretStoreError) and each is not SecretStoreError]
    codes = {each.code for each in classes}
    assert len(codes) == len(classes) == 14
    assert all(each.__name__ == each.code[0].upper() + each.code[1:] + "Error" for each in classes)
