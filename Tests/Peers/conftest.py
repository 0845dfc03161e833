# SPDX-License-Identifier: MIT
"""The tool, a group of one's own, and the session's keyring, for every test.

The tests run in a private session, all of them in one, against the real
gnome-keyring that is in it:

    SSC_TOOL=.build/debug/sso-cache Scripts/support/private-session \
        python3 -m pytest Tests/Peers

Those that are marked every_provider also run against KWallet and KeePassXC:

    SSC_PROVIDER=kwallet … -m every_provider

Each test has a group of its own, so that none meets what another left behind.
"""

import os
import uuid
from pathlib import Path

import pytest
import secretstorage

from keyring_daemon import KeyringDaemon
from secret_items import OWN_COLLECTIONS, search
from servers import Certificate, Trust
from sso_cache import SSOCache


def pytest_sessionstart(session):
    """Nothing here may ever run over a user's own keyrings."""
    if not os.environ.get("SSC_KEYRING_CONTROL") or not os.environ.get("SSC_SESSION_DIR"):
        pytest.exit("not in a private session; run: Scripts/support/private-session pytest …", 2)
    tool = os.environ.get("SSC_TOOL", "")
    if not os.access(tool, os.X_OK):
        pytest.exit(f"SSC_TOOL is not the path of a built sso-cache: {tool!r}", 2)
    # The providers of these tests are on the loopback interface: no proxy of the machine's.
    for name in list(os.environ):
        if name.lower() in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
            del os.environ[name]


@pytest.fixture(scope="session")
def tool():
    """The path of the tool."""
    return str(Path(os.environ["SSC_TOOL"]).resolve())


@pytest.fixture(scope="session")
def examples():
    """Where the example apps are."""
    folder = Path(os.environ.get("SSC_EXAMPLES", ""))
    assert os.access(folder / "contoso-mail", os.X_OK), "SSC_EXAMPLES is not the folder of the built examples"
    return folder


@pytest.fixture
def group():
    """The name of a group that no other test knows.

    Its own collection and of those whose names begin with it goes afterwards, if it is open: the
    daemon is slow with hundreds of collections.
    """
    name = f"com.contoso.test-{uuid.uuid4().hex[:12]}"
    yield name
    if not OWN_COLLECTIONS:
        return
    bus = secretstorage.dbus_init()
    for collection in list(secretstorage.get_all_collections(bus)):
        label = collection.get_label()
        if label.lower().startswith(name) and not collection.is_locked():
            for key in search(bus, kind="group-key", group=label):
                key.delete()
            collection.delete()
    bus.close()


@pytest.fixture
def sso(tool, group):
    """The tool, working on the test's group."""
    return SSOCache(tool, group)


@pytest.fixture
def daemon(group):
    """The keyring daemon, to be disturbed; it runs again, before the group goes."""
    daemon = KeyringDaemon()
    yield daemon
    daemon.recover()


@pytest.fixture
def bus():
    """Another program's connection to the Secret Service."""
    connection = secretstorage.dbus_init()
    yield connection
    connection.close()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A certificate in Azure AD's name, that nobody trusts."""
    return Certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="session")
def trust(tmp_path_factory):
    """Makes the tool trust a server's certificate."""
    return Trust(tmp_path_factory.mktemp("trust"))


@pytest.fixture
def save(tmp_path):
    """Writes text or bytes into a file and returns its path."""

    def save(content, name="cache.json"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return save
