# SPDX-License-Identifier: MIT
"""The fixtures of the tests of windows: the accessibility bus, the keyring, the provider.

The tests run in a private session and on a private screen, all of them in one:

    SSC_TOOL=.build/debug/sso-cache SSC_EXAMPLES=.build/debug Scripts/support/private-session \\
        Scripts/support/private-screen 720x540 python3 -m pytest Tests/Desktop

With SSC_PICTURES, the name of a folder, they put the documentation's pictures there.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Debian's bindings of GLib, which no registry has as a wheel.
sys.path.append("/usr/lib/python3/dist-packages")

from keyring_daemon import KeyringDaemon
from sso_cache import SSOCache

LIMIT_SECONDS = 30
GROUP = "com.contoso.shared"


def pytest_sessionstart(session):
    """Refuses to run outside a private session and screen: the tests must never touch a user's keyrings."""
    for name in ("SSC_KEYRING_CONTROL", "SSC_SESSION_DIR", "DISPLAY"):
        if not os.environ.get(name):
            pytest.exit("not in a session of its own; run: private-session private-screen pytest …", 2)
    for name in ("SSC_TOOL", "SSC_EXAMPLES"):
        if not os.access(os.environ.get(name, ""), os.X_OK):
            pytest.exit(f"{name} is not the path of what was built: {os.environ.get(name)!r}", 2)
    for name in list(os.environ):
        if name.lower() in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
            del os.environ[name]


@pytest.fixture(scope="session", autouse=True)
def accessibility():
    """The bus on which windows tell assistive technologies what they show."""
    launcher = subprocess.Popen(["/usr/libexec/at-spi-bus-launcher", "--launch-immediately"])
    subprocess.run(["gdbus", "wait", "--session", f"--timeout={LIMIT_SECONDS}", "org.a11y.Bus"], check=True)
    yield
    launcher.terminate()
    launcher.wait(LIMIT_SECONDS)


@pytest.fixture(scope="session")
def programs():
    """The folder of what was built."""
    return Path(os.environ["SSC_EXAMPLES"]).resolve()


@pytest.fixture
def daemon():
    """The keyring daemon, which a test may disturb. It is restored afterwards."""
    daemon = KeyringDaemon()
    yield daemon
    daemon.recover()


@pytest.fixture
def suite(daemon):
    """The tool on the group of Contoso's apps, which is not there before and after the test."""
    tool = SSOCache(os.environ["SSC_TOOL"], GROUP, ["--publisher=com.contoso"])

    def remove():
        tool.run("group unlock")
        tool.run("group delete", "--yes")

    remove()
    yield tool
    daemon.recover()
    remove()
