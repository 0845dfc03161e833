# SPDX-License-Identifier: MIT
"""Apps of ADAL and of MSAL side by side in one real group, each call a process of its own.

The cells of the table in the documentation's page on moving from ADAL."""

import itertools
import stat

import pytest

from eras import ADAL_26, ERAS, MSAL, App, AzureADOfBothVersions, BothVersions
from people import ADA
from secret_items import search

SUITE, OTHER = "b6c69a37-df96-4db0-9088-2ab96e1d8215", "d3adb33f-c0de-ed0c-c0de-deadb33fc0d3"
GROUP = "com.contoso.shared"

PAIRS = [
    pytest.param(first, second, shares, id=f"{first}-then-{second}-{'one' if shares else 'other'}-client")
    for first, second in itertools.product(ERAS, ERAS)
    for shares in (True, False)
]


@pytest.fixture
def group(bus):
    """The group of the examples, empty before and after."""

    def empty():
        for item in search(bus, group=GROUP):
            if item.get_attributes()["kind"] not in ("group", "group-key"):
                item.delete()

    empty()
    yield GROUP
    empty()


@pytest.fixture
def browser(tmp_path):
    """A browser whose person is signed in at the provider already."""
    script = tmp_path / "browser"
    script.write_text(
        "#!/usr/bin/python3\nimport sys, urllib.request\nurllib.request.urlopen(sys.argv[1]).read()\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


@pytest.fixture
def server():
    with AzureADOfBothVersions(BothVersions(family=(SUITE, OTHER), person=ADA)) as server:
        yield server


@pytest.fixture
def apps(examples, group, browser, server):
    """Makes the two apps of a pair."""

    def apps(first, second, shares, **options):
        return (
            App(str(examples / "contoso-mail"), first, SUITE, server.issuer, browser, options),
            App(str(examples / "contoso-calendar"), second, SUITE if shares else OTHER, server.issuer, browser),
        )

    return apps


def is_cut_off(first, second):
    """ADAL before 2.7 reads nothing of MSAL's."""
    return first == MSAL and second == ADAL_26


@pytest.mark.parametrize("first, second, shares", PAIRS)
def test_the_second_is_silent_and_stays_so_when_the_first_signs_out(apps, server, first, second, shares):
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
def test_nothing_is_left_for_a_second_that_comes_after_the_first_has_signed_out(apps, first, second, shares):
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


@pytest.mark.parametrize("first, second", [pair for pair in itertools.product(ERAS, ERAS) if pair[0] != pair[1]])
def test_an_app_that_moves_is_silent_at_once_and_one_that_signed_out_does_not_come_back(
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


def test_a_suite_moves_from_adal_to_msal_one_app_at_a_time_with_one_sign_in(apps, examples, browser, server):
    def release(program, era):
        return App(str(examples / program), era, SUITE, server.issuer, browser)

    release("contoso-mail", ADAL_26).sign_in(ADA)
    for era in ERAS:
        assert release("contoso-mail", era).is_silent()
        assert release("contoso-calendar", era).is_silent()
        assert release("contoso-mail", era).sees() == [ADA.username]
    grants = [request["grant_type"] for request in server.provider.token_requests]
    assert grants.count("authorization_code") == 1
