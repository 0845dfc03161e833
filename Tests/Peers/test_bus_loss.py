# SPDX-License-Identifier: MIT
"""A session bus that goes away, and comes back at the same address."""

import subprocess
import uuid

import pytest

from desktop_session import DesktopSession
from sso_cache import SSOCache
from test_watch import cache
from watcher import Watcher

CONFIGURATION = """\
<busconfig><type>session</type><keep_umask/><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>
"""


@pytest.fixture
def session(tool):
    session = DesktopSession(tool, "--no-bus")
    yield session
    session.end()


def start_bus(session):
    socket = session.folder / "own-bus"
    configuration = session.folder / "own-bus.conf"
    configuration.write_text(CONFIGURATION.format(socket=socket))
    session.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={socket}"
    bus = session.start(
        "dbus-daemon", "--nofork", "--nopidfile", "--nosyslog", f"--config-file={configuration}", "--print-address=1",
        stdout=subprocess.PIPE)
    assert bus.stdout.readline()
    bus.stdout.close()
    return bus


def test_who_watches_finds_the_bus_again(session, tool):
    bus = start_bus(session)
    session.keyring("start")
    sso = SSOCache(tool, f"com.contoso.bus-{uuid.uuid4().hex[:8]}", environment=session.environment)
    sso.take(cache(1))
    with Watcher(sso) as watcher:
        assert len(watcher.accounts) == 1
        bus.kill()
        bus.wait()
        watcher.wait_until_told("unavailable")
        start_bus(session)
        session.keyring("restart")
        watcher.wait_until_told("available")
        sso.take(cache(2))
        watcher.wait_for("account", lambda: len(watcher.accounts) == 2)
        assert watcher.told == ["snapshot", "unavailable", "available", "accountAdded"]


def test_a_reader_that_has_gone_ends_the_watch(sso):
    """As in `sso-cache watch | head -1`."""
    watch = subprocess.Popen(sso.arguments("watch"), stdout=subprocess.PIPE, env=sso.environment)
    assert watch.stdout.readline()
    watch.stdout.close()
    sso.take(cache(1))
    assert watch.wait(30) != 0
