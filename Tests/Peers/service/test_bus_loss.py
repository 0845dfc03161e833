# SPDX-License-Identifier: MIT
"""A session bus that exits and returns at the same address."""

import subprocess
import uuid

import pytest

from desktop_session import DesktopSession
from sso_cache import SSOCache
from watcher import Watcher, cache

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


def test_a_watcher_reconnects_to_the_bus(session, tool):
    bus = start_bus(session)
    session.keyring("start")
    sso = SSOCache(tool, f"com.contoso.bus-{uuid.uuid4().hex[:8]}", environment=session.environment)
    sso.take(cache(1))
    with Watcher(sso) as watcher:
        assert len(watcher.accounts) == 1
        bus.kill()
        bus.wait()
        watcher.wait_until_reported("unavailable")
        start_bus(session)
        session.keyring("restart")
        watcher.wait_until_reported("available")
        sso.take(cache(2))
        watcher.wait_for("account", lambda: len(watcher.accounts) == 2)
        assert watcher.reported == ["snapshot", "unavailable", "available", "accountAdded"]


def test_a_reader_that_exits_ends_the_watch(sso):
    """As in `sso-cache watch | head -1`."""
    watch = subprocess.Popen(sso.arguments("watch"), stdout=subprocess.PIPE, env=sso.environment)
    assert watch.stdout.readline()
    watch.stdout.close()
    sso.take(cache(1))
    assert watch.wait(30) != 0
