# SPDX-License-Identifier: MIT
"""The fixtures of all tests: the tool, a group for each test, and the session's keyring.

The tests run in a private session, all of them in one, against the real
gnome-keyring that is in it:

    SSC_TOOL=.build/debug/sso-cache Scripts/support/private-session \
        python3 -m pytest Tests/Peers

Those that are marked every_provider also run against KWallet and KeePassXC:

    SSC_PROVIDER=kwallet … -m every_provider

Each test has its own group, so that no test sees the leftovers of another.
"""

import os
import stat
import uuid
from contextlib import closing
from pathlib import Path

import pytest
import secretstorage

import combinations
from agent_client import Bus
from example_apps import GROUP_OF_EXAMPLES
from few_threads import limit_of_threads
from keyring_daemon import KeyringDaemon
from real_provider import RealProvider
from secret_items import OWN_COLLECTIONS, delete_groups, search
from servers import Certificate, Trust
from sso_cache import SSOCache


def pytest_sessionstart(session):
    """Refuses to run outside a private session: the tests must never touch a user's keyrings."""
    if not os.environ.get("SSC_KEYRING_CONTROL") or not os.environ.get("SSC_SESSION_DIR"):
        pytest.exit("not in a private session; run: Scripts/support/private-session pytest …", 2)
    tool = os.environ.get("SSC_TOOL", "")
    if not os.access(tool, os.X_OK):
        pytest.exit(f"SSC_TOOL is not the path of a built sso-cache: {tool!r}", 2)
    # The providers of these tests are on the loopback interface, so the machine's proxy is not used.
    for name in list(os.environ):
        if name.lower() in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
            del os.environ[name]


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config, items):
    combinations.mark_slow(items)
    yield  # here the option -m takes effect
    keep_part(config, items)


def keep_part(config, items):
    """Keeps the part of the tests that SSC_PART names: 2/4 is the second of four. They are dealt in turn, since those of
    one file take about equally long, and each round begins with the next part: often every fourth is a slow one. The example apps listen on fixed ports: where the sessions share a network, their
    tests are all in the first part."""
    part = os.environ.get("SSC_PART")
    if part is None:
        return
    number, count = map(int, part.split("/"))
    together = []
    if os.environ["SSC_OWN_NETWORK"] != "yes":
        together = [item for item in items if "suite" in item.fixturenames]
    apart = [item for item in items if item not in together]
    dealt = [item for index, item in enumerate(apart) if (index + index // count) % count == number - 1]
    chosen = {*dealt, *(together if number == 1 else [])}
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]


def pytest_runtest_logreport(report):
    """Notes a test that failed and is run again in the file that SSC_UNSTEADY names."""
    file = os.environ.get("SSC_UNSTEADY")
    if file and report.outcome == "rerun":
        said = "".join(f"    {line}\n" for line in report.longreprtext.splitlines()[-30:])
        with open(file, "a", encoding="utf-8") as unsteady:
            unsteady.write(f"{report.nodeid} ({report.when})\n{said}")


@pytest.fixture(scope="session")
def tool():
    """The path of the tool."""
    return str(Path(os.environ["SSC_TOOL"]).resolve())


@pytest.fixture(scope="session")
def examples():
    """The folder of the example apps."""
    folder = Path(os.environ.get("SSC_EXAMPLES", ""))
    assert os.access(folder / "contoso-mail", os.X_OK), "SSC_EXAMPLES is not the folder of the built examples"
    return folder


@pytest.fixture
def group():
    """The name of a group that only this test uses.

    Its own collection and those whose names begin with it go afterwards: the daemon is slow with hundreds of
    collections, locked ones above all.
    """
    name = f"com.contoso.test-{uuid.uuid4().hex[:12]}"
    yield name
    if not OWN_COLLECTIONS:
        return
    bus = secretstorage.dbus_init()
    delete_groups(bus, name)
    bus.close()


@pytest.fixture
def sso(tool, group):
    """The tool on the test's group."""
    return SSOCache(tool, group)


@pytest.fixture
def daemon(group):
    """The keyring daemon, which a test may disturb. It is restored before the group is removed."""
    daemon = KeyringDaemon()
    yield daemon
    daemon.recover()


@pytest.fixture
def suite(tool, bus):
    """The tool on the group of the example apps, which is empty before and after the test."""
    tool_on_group = SSOCache(tool, GROUP_OF_EXAMPLES, ["--publisher=com.contoso"])

    def empty():
        # A restart of the daemon locks the group, and a locked item shows no attributes.
        tool_on_group.run("group unlock")
        for item in search(bus, group=GROUP_OF_EXAMPLES):
            if item.get_attributes()["kind"] not in ("group", "group-key"):
                item.delete()

    empty()
    yield tool_on_group
    empty()


@pytest.fixture
def real_provider(tmp_path):
    provider = RealProvider(tmp_path / "provider")
    yield provider
    provider.stop()


@pytest.fixture
def browser(tmp_path):
    """A browser whose user is already signed in at the provider."""
    script = tmp_path / "browser"
    script.write_text(
        "#!/usr/bin/python3\nimport sys, urllib.request\nurllib.request.urlopen(sys.argv[1]).read()\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


@pytest.fixture
def agent():
    """A program's connection to the session bus, to call the agent."""
    with closing(Bus()) as bus:
        yield bus


@pytest.fixture
def bus():
    """Another program's connection to the Secret Service."""
    connection = secretstorage.dbus_init()
    yield connection
    connection.close()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A certificate in Azure AD's name, which nobody trusts."""
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


@pytest.fixture(scope="session")
def few_threads(tmp_path_factory):
    """The variables under which the tool gets no more threads than it asks for."""
    return limit_of_threads(tmp_path_factory.mktemp("few"))
