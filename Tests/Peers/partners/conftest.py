# SPDX-License-Identifier: MIT
"""The fixtures of the tests beside Microsoft's tools."""

import pytest

from partner_caches import TOOLS, Library, Partners, one_account
from people import ADA


@pytest.fixture
def partners(tmp_path, bus, sso):
    """Microsoft's tools in a home of their own; their items go before and after the test."""
    tools = Partners(tmp_path / "home", bus, sso)
    tools.clear()
    yield tools
    tools.clear()


@pytest.fixture(params=TOOLS.values(), ids=TOOLS.keys())
def present(request, partners):
    """A tool with one account."""
    name, client, item, encoding, file = request.param
    content = encoding(one_account(ADA, client))
    if item:
        partners.plant(item, content)
    if name == "azd":
        partners.file(f"{file}.lock")  # which azd never removes
    if file:
        partners.file(file, b"" if item else content)
    return name, client, item is None


@pytest.fixture
def extensions(partners):
    """An app with msal-extensions that is signed in to one account."""
    library = Library(partners, "msal-extensions")
    library.sign_in("grace", "s3cr3t-grace")
    return library
