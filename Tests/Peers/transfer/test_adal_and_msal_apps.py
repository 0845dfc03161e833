# SPDX-License-Identifier: MIT
"""Apps of ADAL and of MSAL side by side in one real group; each call runs a new process.

The tests are the cells of the table in the documentation's page on moving from ADAL.
"""

import itertools

import pytest

from example_apps import ADAL_26, LIBRARIES, MSAL, App, AzureADOfBothVersions, BothVersions
from people import ADA

SUITE, OTHER = "b6c69a37-df96-4db0-9088-2ab96e1d8215", "d3adb33f-c0de-ed0c-c0de-deadb33fc0d3"

PAIRS = [
    pytest.param(first, second, shares, id=f"{first}-then-{second}-{'one' if shares else 'other'}-client")
    for first, second in itertools.product(LIBRARIES, LIBRARIES)
    for shares in (True, False)
]


@pytest.fixture
def server():
    with AzureADOfBothVersions(BothVersions(family=(SUITE, OTHER), person=ADA)) as server:
        yield server


@pytest.fixture
def apps(examples, suite, browser, server):
    """Creates the two apps of a pair."""

    def apps(first, second, shares, **options):
        return (
            App(str(examples / "contoso-mail"), first, SUITE, server.issuer, browser, options),
            App(str(examples / "contoso-calendar"), second, SUITE if shares else OTHER, server.issuer, browser),
        )

    return apps


def is_cut_off(first, second):
    """ADAL before 2.7 reads no items of MSAL."""
    return first == MSAL and second == ADAL_26


@pytest.mark.parametrize("first, second, shares", PAIRS)
def test_the_second_app_is_silent_and_stays_so_when_the_first_signs_out(apps, server, first, second, shares):
    mail, calendar = apps(first, second, shares)
    mail.sign_in(ADA)
    if is_cut_off(first, second):
        assert calendar.sees() == []
        assert not calendar.is_silent()
        return
    assert calendar.sees() == [ADA.username]
    assert calendar.is_silent()
    assert [request["grant_type"] for request in server.provider.token_requests] == [
        "authorization_code", "refresh_token",
    ]
    mail.sign_out()
    assert mail.sees() == []
    assert not mail.is_silent()
    assert calendar.sees() == [ADA.username]
    assert calendar.is_silent()


@pytest.mark.parametrize("first, second, shares", PAIRS)
def test_a_second_app_after_the_firsts_sign_out_needs_interaction(apps, first, second, shares):
    mail, calendar = apps(first, second, shares)
    mail.sign_in(ADA)
    mail.sign_out()
    assert calendar.sees() == []
    assert not calendar.is_silent()


@pytest.mark.parametrize("shares", [True, False], ids=["one-client", "other-client"])
def test_with_seeding_adal_before_2_7_is_silent_after_msal(apps, shares):
    mail, calendar = apps(MSAL, ADAL_26, shares, CONTOSO_SEED="1")
    mail.sign_in(ADA)
    assert calendar.sees() == [ADA.username]
    assert calendar.is_silent()


@pytest.mark.parametrize("first, second", [pair for pair in itertools.product(LIBRARIES, LIBRARIES) if pair[0] != pair[1]])
def test_a_migrated_app_is_silent_at_once_and_a_signed_out_one_stays_signed_out(
    apps, examples, browser, server, first, second
):
    mail, _ = apps(first, second, True)
    moved = App(str(examples / "contoso-mail"), second, SUITE, server.issuer, browser)
    mail.sign_in(ADA)
    if not is_cut_off(first, second):
        assert moved.sees() == [ADA.username]
        assert moved.is_silent()
    mail.sign_out()
    if second == ADAL_26:
        moved.sign_out()
    assert mail.sees() == []


def test_a_suite_migrates_from_adal_to_msal_one_app_at_a_time_with_one_sign_in(apps, examples, browser, server):
    def release(program, library):
        return App(str(examples / program), library, SUITE, server.issuer, browser)

    release("contoso-mail", ADAL_26).sign_in(ADA)
    for library in LIBRARIES:
        assert release("contoso-mail", library).is_silent()
        assert release("contoso-calendar", library).is_silent()
        assert release("contoso-mail", library).sees() == [ADA.username]
    grants = [request["grant_type"] for request in server.provider.token_requests]
    assert grants.count("authorization_code") == 1
