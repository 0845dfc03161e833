# SPDX-License-Identifier: MIT
"""Several accounts of one user name: a sign-out asks which one is meant, and takes that one only."""

import json

import pytest

from people import ADA
from removals import ADAL_ITEM, EVERYWHERE, OF_CLIENT, entitlements, tokens_left
from sso_cache import AMBIGUOUS_ACCOUNT, DONE
from unified_cache import signed_in

# ADAL's tokens for one resource: no list shows the account, because no silent call gets a token with them.
ADFS_ITEM = {name: value for name, value in ADAL_ITEM.items() if name not in ("tenantId", "oid")} | {
    "_authority": "https://adfs.contoso.com/adfs", "resource": "urn:crm", "isMRRT": False,
}
US_ITEM = {name: value for name, value in ADAL_ITEM.items() if name != "refreshToken"} | {
    "_authority": f"https://login.microsoftonline.us/{ADA.utid}", "isMRRT": False,
}
UNLISTED = {"adfs.contoso.com": ADFS_ITEM, "login.microsoftonline.us": US_ITEM}


def take_adal(sso, save, *items):
    assert sso.run("import", "--format", "adal-python", save(json.dumps(items))).status == DONE


@pytest.fixture(params=["MSAL", "ADAL"])
def listed(request, sso, save):
    """Ada's account at Azure AD, which lists show, as one library or the other stores it."""
    sso.take(signed_in()[0]) if request.param == "MSAL" else take_adal(sso, save, ADAL_ITEM)


@pytest.mark.parametrize("removal", [EVERYWHERE, OF_CLIENT, None], ids=["everywhere", "of a client", "of an app"])
@pytest.mark.parametrize("host", UNLISTED)
def test_a_name_that_an_unlisted_account_has_as_well_is_ambiguous(sso, bus, group, save, listed, host, removal):
    take_adal(sso, save, UNLISTED[host])
    before = tokens_left(bus, group)
    outcome = sso.run(*(removal or ["sign-out", "--account", ADA.username, "--yes", *entitlements(save, group)]))
    assert outcome.status == AMBIGUOUS_ACCOUNT and host in outcome.stderr, outcome
    assert tokens_left(bus, group) == before


@pytest.mark.parametrize("removal", [EVERYWHERE, OF_CLIENT], ids=["everywhere", "of a client"])
@pytest.mark.parametrize("host", UNLISTED)
def test_an_unlisted_account_is_named_by_its_environment(sso, bus, group, save, listed, host, removal):
    before = tokens_left(bus, group)
    take_adal(sso, save, UNLISTED[host])
    assert len(tokens_left(bus, group)) == len(before) + 1
    assert sso.run(*removal, "--environment", host).stdout.startswith("Signed out: ")
    assert tokens_left(bus, group) == before
    assert "nothing to do" in sso.run(*removal, "--environment", host).stdout
    assert sso.run(*removal).stdout == f"Signed out: {ADA.username}.\n"
    assert tokens_left(bus, group) == []
