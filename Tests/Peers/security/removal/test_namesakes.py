# SPDX-License-Identifier: MIT
"""Several accounts of one user name: a sign-out asks which one is meant, and takes that one only."""

import json

import pytest

from people import ADA, Person
from removals import ADAL_ITEM, EVERYWHERE, OF_CLIENT, OTHER, entitlements, tokens_left
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


# ADAL's item that names its user by object ID and tenant, beside another account of the user name.

PERSONAL = Person(
    ADA.username, "Ada (personal)", "00000000-0000-0000-1234-56789abcdef0", "9188040d-6c67-4c5b-b112-36a304b66dad")
OTHERS_ITEM = ADAL_ITEM | {"_clientId": OTHER}
GUESTS_ITEM = OTHERS_ITEM | {"identityProvider": "live.com"}


def of(person, *scope):
    return ["sign-out", "--account", person.identifier, *(scope or ["--everywhere"]), "--yes"]


def identifiers(sso):
    return {account["identifier"] for account in sso.accounts()}


@pytest.fixture
def personal(sso):
    """The personal account of Ada's user name, which MSAL has signed in."""
    sso.take(signed_in(person=PERSONAL)[0])


def test_a_sign_out_takes_adals_item_with_the_account_of_its_ids_only(sso, bus, group, save, personal):
    take_adal(sso, save, OTHERS_ITEM)
    assert identifiers(sso) == {PERSONAL.identifier, ADA.identifier}
    assert sso.run(*EVERYWHERE).status == AMBIGUOUS_ACCOUNT
    assert "nothing to do" in sso.run(*of(PERSONAL, "--client-id", OTHER)).stdout
    assert sso.run(*of(PERSONAL)).status == DONE
    assert identifiers(sso) == {ADA.identifier}
    assert {kind for _, kind in tokens_left(bus, group)} == {"legacy"}
    assert sso.run(*of(ADA)).stdout == f"Signed out: {ADA.username}.\n"
    assert tokens_left(bus, group) == []


@pytest.mark.parametrize("first", [PERSONAL, ADA], ids=["the personal one", "the one of the item"])
def test_adals_item_goes_with_that_account_of_both_libraries_that_it_names(sso, bus, group, save, personal, first):
    sso.take(signed_in()[0])
    take_adal(sso, save, OTHERS_ITEM)
    assert identifiers(sso) == {PERSONAL.identifier, ADA.identifier}
    assert sso.run(*of(first)).status == DONE
    assert ("legacy" in [kind for _, kind in tokens_left(bus, group)]) == (first == PERSONAL)
    assert len(identifiers(sso)) == 1


def test_adals_item_of_a_guest_goes_with_the_account_of_the_name(sso, bus, group, save, personal):
    take_adal(sso, save, GUESTS_ITEM)
    assert identifiers(sso) == {PERSONAL.identifier}
    assert sso.run(*of(PERSONAL)).status == DONE
    assert tokens_left(bus, group) == []
