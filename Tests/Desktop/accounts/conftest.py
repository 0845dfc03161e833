# SPDX-License-Identifier: MIT
"""The fixtures of the tests of the accounts window."""

import os
from pathlib import Path

import pytest
import secretstorage

from accounts_window import CALENDAR, MAIL, OTHER_CLIENT, sign_in, use_as
from people import ADA
from unified_cache import CLIENT


@pytest.fixture
def ada(suite):
    """Ada, signed in to two apps of one client, and to another client."""
    sign_in(suite)
    sign_in(suite, client=OTHER_CLIENT)
    for app in (MAIL, CALENDAR):
        use_as(suite, app, CLIENT, ADA.username)
    return suite


@pytest.fixture
def bus():
    connection = secretstorage.dbus_init()
    yield connection
    connection.close()


@pytest.fixture
def desktop_files():
    folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share", "applications")
    folder.mkdir(parents=True, exist_ok=True)
    before = set(folder.iterdir())
    yield folder
    for file in set(folder.iterdir()) - before:
        file.unlink()
