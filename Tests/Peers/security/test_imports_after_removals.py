# SPDX-License-Identifier: MIT
"""Imports in one format over a group that has the person, or a sign-out of them, in the other format too."""

import json

import pytest

from removals import OF_CLIENT, OTHER, tokens_left
from sso_cache import DONE
from test_damaged_removals import ADAL_ITEM
from unified_cache import CLIENT, signed_in

NAMED_ONLY = {name: value for name, value in ADAL_ITEM.items() if name not in ("oid", "tenantId")}
MSAL, ADAL = "msal", "adal-python"


@pytest.fixture
def take(sso, save):
    """Imports a person in a format."""

    def take(format, content, *options):
        content = [content] if format == ADAL else content
        return sso.run("import", "--format", format, *options, save(json.dumps(content)))

    return take


@pytest.mark.parametrize("item", [ADAL_ITEM, NAMED_ONLY], ids=["", "that names the user only"])
@pytest.mark.parametrize("has_other", [False, True], ids=["", "while another client has the account"])
@pytest.mark.parametrize("first, second", [(MSAL, ADAL), (ADAL, MSAL), (MSAL, MSAL), (ADAL, ADAL)])
def test_an_import_takes_nothing_of_a_client_that_was_signed_out_in_either_format(
        sso, bus, group, take, first, second, has_other, item):
    contents = {MSAL: signed_in()[0], ADAL: item}
    take(first, contents[first])
    if has_other:
        sso.take(signed_in(client=OTHER)[0])
    assert sso.run(*OF_CLIENT).status == DONE
    assert "signed out" in take(second, contents[second]).stdout
    assert tokens_left(bus, group, client_id=CLIENT) == []
    assert [account["clients"] for account in sso.accounts()] == ([[OTHER]] if has_other else [])
