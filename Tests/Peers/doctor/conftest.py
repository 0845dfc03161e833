# SPDX-License-Identifier: MIT
"""A desktop session in which all is well."""

import pytest

from desktop_session import session_of


@pytest.fixture
def healthy(tool):
    with session_of(tool) as session:
        yield session
