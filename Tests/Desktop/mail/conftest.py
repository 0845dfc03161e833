# SPDX-License-Identifier: MIT
"""Contoso Mail's window, its siblings on the command line, and the provider that they share."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from contoso import Provider, Suite
from repository import ROOT, SCRIPTS
from user_info import UserInfoServer


@pytest.fixture(scope="module")
def provider(tmp_path_factory):
    provider = Provider(tmp_path_factory.mktemp("provider"))
    yield provider
    provider.stop()


@pytest.fixture(scope="session")
def installed(programs):
    """Contoso Mail, as a package installs it for one user."""
    data = Path(os.environ["XDG_DATA_HOME"])
    shutil.copytree(ROOT / "examples/desktop/share", data, dirs_exist_ok=True)
    subprocess.run(["update-desktop-database", data / "applications"], check=True)
    os.environ["PATH"] = f"{programs}:{SCRIPTS}:{os.environ['PATH']}"


@pytest.fixture
def contoso(programs, installed, suite, provider):
    """Contoso's apps, in whose group nobody is signed in."""
    apps = Suite(programs, provider.issuer)
    yield apps
    apps.end()


@pytest.fixture
def script(tmp_path):
    """Makes a program of Python's text, for BROWSER."""

    def make(text):
        path = tmp_path / "browser"
        path.write_text(f"#!{sys.executable}\n{text}")
        path.chmod(0o755)
        return path

    return make


# It follows a redirection to an app's scheme as a browser does, by the desktop.
BROWSER = """import subprocess, sys, urllib.error, urllib.request
try:
    urllib.request.urlopen(sys.argv[1]).read()
except urllib.error.HTTPError as error:
    subprocess.run(["gio", "open", error.headers["location"]], check=True)
"""


@pytest.fixture
def open_window(programs, installed, suite, script):
    """Signs somebody in by a provider, and opens the window."""
    servers, apps = [], []

    def open_with(provider, **options):
        server = UserInfoServer(provider)
        servers.append(server)
        provider.issuer = server.address
        browser = script(BROWSER)
        contoso = Suite(programs, server.address, browser)
        apps.append(contoso)
        contoso.run("contoso-calendar", "sign-in")
        return contoso.open(**options), server

    yield open_with
    try:
        for each in apps:
            each.end()
    finally:
        for each in servers:
            each.__exit__()
