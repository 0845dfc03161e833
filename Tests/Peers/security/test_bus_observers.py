# SPDX-License-Identifier: MIT
"""What a listener on the session bus can see and send."""

import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from forger import Forger
from mock_broker import MockBroker, account_of
from people import ADA
from secret_items import search
from unified_cache import CLIENT, access_token, cache_of

LIMIT_SECONDS = 30


class Listener:
    """Records all messages on the bus."""

    def __init__(self, file):
        self._file = file

    def __enter__(self):
        with open(self._file, "wb") as file:
            self._monitor = subprocess.Popen(["dbus-monitor", "--session", "--pcap"], stdout=file)
        self._wait_for("listening")
        return self

    def __exit__(self, *_):
        self._wait_for("heard")
        self._monitor.terminate()
        self._monitor.wait(LIMIT_SECONDS)

    def _wait_for(self, mark):
        """Waits until a call with that name is recorded, and so all before it."""
        for _ in range(LIMIT_SECONDS * 20):
            path = f"/org/secretstorecache/test/{mark}"
            subprocess.run(
                ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", path,
                 "org.freedesktop.DBus.Peer.Ping"], stdout=subprocess.DEVNULL, check=True,
            )
            if path.encode() in self.heard():
                return
        raise AssertionError("dbus-monitor reports nothing")

    def heard(self):
        return self._file.read_bytes()


def test_a_bus_monitor_sees_no_token(sso, bus, group, daemon, tmp_path):
    entry = access_token("User.Read")
    cache = cache_of(entry)
    with Listener(tmp_path / "bus") as listener:
        sso.take(cache)
        daemon.restart()  # so that the group's password travels, too
        assert sso.token(CLIENT, ADA.username, "User.Read")["access_token"] == entry["secret"]
        sso.run("secret set", "--service", "imap.contoso.com", stdin=b"s3cr3t word")
    heard = listener.heard()
    [password] = [key.get_secret() for key in search(bus, kind="group-key", group=group)]
    assert b"SetSecret" in heard or b"CreateItem" in heard
    assert group.encode() in heard, "attributes are heard"
    for secret in (b"s3cr3t", password, ADA.username.encode(), ADA.name.encode()):
        assert secret not in heard


def test_a_bus_monitor_sees_what_a_broker_replies(sso, tmp_path):
    """The brokers' protocol sends everything in clear."""
    with MockBroker() as broker, Listener(tmp_path / "bus") as listener:
        broker.reset("3.0.1", account_of(ADA.username))
        assert sso.do("accounts", "--broker")["accounts"]
    assert ADA.username.encode() in listener.heard()


def while_frozen(daemon, forger, run):
    """The outcome of a run to which another program replies first, and the service a second later."""
    with ThreadPoolExecutor() as threads:
        daemon.freeze()
        running = threads.submit(run)
        forger.wait()
        with pytest.raises(TimeoutError):
            running.result(timeout=1)
        daemon.thaw()
        return running.result()


def test_a_reply_that_another_program_forges_is_ignored(sso, daemon):
    entry = access_token("User.Read")
    sso.take(cache_of(entry))
    with Forger() as forger:
        token = while_frozen(daemon, forger, lambda: sso.token(CLIENT, ADA.username, "User.Read"))
    assert token["access_token"] == entry["secret"]


def test_a_program_that_forges_replies_receives_no_saved_secret(sso, bus, group, daemon):
    """It negotiates its own session, for which secrets would be encrypted."""
    with Forger() as forger:
        while_frozen(daemon, forger, lambda: sso.take(cache_of(access_token("User.Read"))))
        assert forger.sessions, "it has offered no session"
        assert forger.taken == []
    assert search(bus, kind="credentials", group=group)
