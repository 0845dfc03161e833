# SPDX-License-Identifier: MIT
"""MSAL Python and the tool take turns on one cache: a sign-in there is silent here, a refresh here is
silent there, and a removal there is one here."""

import pytest

from people import ADA, GRACE, OTHER_TENANT, TENANT
from providers import AzureAD
from servers import AzureADServer
from turns import Documents, Files, Turns, of
from unified_cache import CLIENT, assert_same, secrets

FIRST = "1950a258-227b-4e31-a9cf-717495945fc2"
SECOND = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"


@pytest.fixture(params=[Files, Documents], ids=["files", "documents"])
def turns(sso, certificate, trust, tmp_path, request):
    provider = AzureAD(family=[FIRST, SECOND])
    with AzureADServer(provider, certificate) as server:
        yield Turns(trust.online(sso, server), provider, request.param(tmp_path))


# One account.


def test_one_account_takes_turns(turns):
    token = turns.sign_in_there()
    turns.to_here()
    assert turns.silent_here() == token

    turns.two_hours_pass()
    refreshed = turns.refresh_here()
    assert refreshed != token
    assert turns.silent_here() == refreshed

    turns.to_there()
    assert turns.silent_there() == refreshed

    turns.app().remove(ADA.username)
    turns.to_here_replacing()
    turns.assert_absent_here()


def test_one_account_moves_there_and_back_repeatedly(turns):
    """Each side refreshes in turn with the other's token, and both stay current."""
    turns.sign_in_there()
    turns.to_here()
    for _ in range(2):
        turns.two_hours_pass()
        refreshed = turns.refresh_here()
        turns.to_there()
        assert turns.silent_there() == refreshed

        turns.two_hours_pass()
        turns.to_there()
        newest = secrets(turns.here(), "RefreshToken")
        refreshed = turns.refresh_there()
        assert {turns.provider.token_requests[-1]["refresh_token"]} == newest
        turns.to_here()
        assert turns.silent_here() == refreshed
    assert len(secrets(turns.here(), "RefreshToken")) == 1


def test_an_account_that_was_only_listed_here_is_absent_after_its_removal_there(turns):
    """Nothing was refreshed here: MSAL Python removes its entries unchanged."""
    token = turns.sign_in_there()
    turns.to_here()
    turns.to_there()
    assert turns.silent_there() == token

    turns.app().remove(ADA.username)
    turns.to_here_replacing()
    turns.assert_absent_here()


def test_an_account_that_was_removed_there_and_signed_in_again_is_here_again(turns):
    turns.sign_in_there()
    turns.to_here()
    turns.app().remove(ADA.username)
    turns.to_here_replacing()
    turns.assert_absent_here()

    token = turns.sign_in_there()
    turns.to_here_replacing()
    assert turns.silent_here() == token


@pytest.mark.parametrize("tenant", ["common", "organizations"])
def test_an_account_of_the_tenantless_authority_takes_turns(turns, tenant):
    """MSAL Python stores and searches such tokens under the word in the authority's path, and the tool
    under their tenant: MSAL Python needs a refresh, with the refresh token from here."""
    token = turns.sign_in_there(tenant=tenant)
    turns.to_here()
    assert turns.silent_here(tenant=tenant) == token

    turns.two_hours_pass()
    turns.refresh_here(tenant=tenant)
    newest = secrets(turns.here(), "RefreshToken")

    turns.to_there()
    turns.refresh_there(tenant=tenant)
    assert {turns.provider.token_requests[-1]["refresh_token"]} == newest

    turns.app(tenant=tenant).remove(ADA.username)
    turns.to_here_replacing()
    turns.assert_absent_here(tenant=tenant)


# Two accounts.


def test_one_of_two_accounts_takes_turns_and_the_other_is_unchanged(turns):
    token = turns.sign_in_there(ADA)
    other = turns.sign_in_there(GRACE)
    untouched = of(turns.there(), GRACE)

    def assert_other_is_untouched_here():
        assert_same(of(turns.here(), GRACE), untouched)
        assert turns.silent_here(GRACE) == other

    def assert_other_is_untouched_there():
        assert_same(of(turns.there(), GRACE), untouched)
        assert turns.silent_there(GRACE) == other

    turns.to_here()
    assert turns.silent_here(ADA) == token
    assert_other_is_untouched_here()

    turns.two_hours_pass(ADA)
    refreshed = turns.refresh_here(ADA)
    assert_other_is_untouched_here()

    turns.to_there()
    assert sorted(turns.usernames_there()) == [ADA.username, GRACE.username]
    assert turns.silent_there(ADA) == refreshed
    assert_other_is_untouched_there()

    turns.app().remove(ADA.username)
    assert_other_is_untouched_there()
    turns.to_here_replacing()
    turns.assert_absent_here(ADA)
    assert_other_is_untouched_here()


# Two tenants of one account: its home tenant, and one where it is a guest.


def test_two_tenants_of_an_account_take_turns(turns):
    home = turns.sign_in_there()
    guest = turns.refresh_there(tenant=OTHER_TENANT)
    turns.to_here()
    assert turns.silent_here() == home
    assert turns.silent_here(tenant=OTHER_TENANT) == guest

    turns.two_hours_pass()
    refreshed_guest = turns.refresh_here(tenant=OTHER_TENANT)
    refreshed_home = turns.refresh_here()
    assert turns.silent_here(tenant=OTHER_TENANT) == refreshed_guest
    assert turns.silent_here() == refreshed_home

    turns.to_there()
    assert turns.silent_there() == refreshed_home
    assert turns.silent_there(tenant=OTHER_TENANT) == refreshed_guest

    turns.app().remove(ADA.username)
    turns.to_here_replacing()
    turns.assert_absent_here()
    turns.assert_absent_here(tenant=OTHER_TENANT)


@pytest.mark.parametrize("tenant, other", [(TENANT, OTHER_TENANT), (OTHER_TENANT, TENANT)],
                         ids=["home", "guest"])
def test_a_tenant_takes_turns_and_the_other_is_unchanged(turns, tenant, other):
    tokens = {TENANT: turns.sign_in_there(), OTHER_TENANT: turns.refresh_there(tenant=OTHER_TENANT)}
    untouched = of(turns.there(), ADA, other)
    turns.to_here()

    turns.two_hours_pass(realm=tenant)
    refreshed = turns.refresh_here(tenant=tenant)
    assert_same(of(turns.here(), ADA, other), untouched)
    assert turns.silent_here(tenant=other) == tokens[other]

    turns.to_there()
    assert turns.silent_there(tenant=tenant) == refreshed
    assert turns.silent_there(tenant=other) == tokens[other]

    turns.app(tenant=tenant).remove(ADA.username)
    turns.to_here_replacing()
    turns.assert_absent_here(tenant=tenant)
    turns.assert_absent_here(tenant=other)


# Two clients of one family.


def assert_family_token_was_redeemed(turns, client, newest):
    """The last request was the client's, with the family's refresh token."""
    request = turns.provider.token_requests[-1]
    assert request["client_id"] == client
    assert {request["refresh_token"]} == newest


def test_the_second_client_of_a_family_is_signed_in_here_by_the_firsts_token_from_there(turns):
    first = turns.sign_in_there(client=FIRST)
    turns.to_here()
    assert turns.silent_here(client=FIRST) == first
    newest = secrets(turns.here(), "RefreshToken")

    second = turns.refresh_here(client=SECOND)
    assert_family_token_was_redeemed(turns, SECOND, newest)
    assert len(secrets(turns.here(), "RefreshToken")) == 1

    turns.to_there()
    assert turns.silent_there(client=SECOND) == second
    assert turns.silent_there(client=FIRST) == first

    turns.app(SECOND).remove(ADA.username)
    turns.to_here_replacing()
    turns.assert_absent_here(client=FIRST)
    turns.assert_absent_here(client=SECOND)


def test_the_second_client_of_a_family_is_signed_in_there_by_the_firsts_token_from_here(turns):
    turns.sign_in_there(client=FIRST)
    turns.to_here()
    turns.two_hours_pass()
    first = turns.refresh_here(client=FIRST)
    turns.to_there()
    assert turns.silent_there(client=FIRST) == first

    turns.two_hours_pass()
    newest = secrets(turns.here(), "RefreshToken")
    turns.to_there()
    second = turns.refresh_there(client=SECOND)
    assert_family_token_was_redeemed(turns, SECOND, newest)
    turns.to_here()
    assert turns.silent_here(client=SECOND) == second

    turns.app(FIRST).remove(ADA.username)
    turns.to_here_replacing()
    turns.assert_absent_here(client=FIRST)
    turns.assert_absent_here(client=SECOND)


def test_a_removal_there_leaves_here_the_same_rest_of_a_client_outside_the_family(turns):
    """MSAL Python keeps such a client's refresh token and removes its account."""
    turns.sign_in_there(client=FIRST)
    turns.sign_in_there(client=CLIENT)
    turns.to_here()
    turns.app(FIRST).remove(ADA.username)
    [left] = of(turns.there(), ADA)["RefreshToken"].values()
    turns.to_here_replacing()
    assert left["client_id"] == CLIENT
    assert secrets(turns.here(), "RefreshToken") == {left["secret"]}
    assert secrets(turns.here(), "AccessToken") == set()


def test_a_client_that_left_its_family_there_is_in_no_family_here(turns):
    turns.sign_in_there(client=FIRST)
    turns.to_here()
    turns.two_hours_pass()
    turns.to_there()
    turns.provider.family.clear()
    turns.refresh_there(client=FIRST)
    turns.to_here_replacing()
    [metadata] = turns.here()["AppMetadata"].values()
    assert not metadata.get("family_id")
