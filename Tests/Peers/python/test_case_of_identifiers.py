# SPDX-License-Identifier: MIT
"""Accounts of an OpenID provider whose identifiers differ by letter case only: MSAL Python's keys are in lower case."""

import pytest

from group_apps import SCOPE, new_cache
from msal_apps import App
from people import Person
from providers import OpenIDProvider
from unified_cache import CLIENT

AUTHORITY = "https://id.contoso.org/staff"
UPPER = Person("upper@contoso.org", "Upper", "Eve|1")
LOWER = Person("lower@contoso.org", "Lower", "eve|1")


@pytest.fixture
def provider():
    return OpenIDProvider()


@pytest.fixture
def new_app(provider, group):
    def new_app(kind, name="com.contoso.report"):
        return App(provider, CLIENT, new_cache(group, name, kind), oidc_authority=AUTHORITY)

    return new_app


def refresh_tokens(sso):
    return {entry["home_account_id"]: entry["secret"] for entry in sso.give()["RefreshToken"].values()}


def names(sso):
    return {account["identifier"]: account["username"] for account in sso.accounts()}


def identifiers(app):
    return {account["home_account_id"]: account["username"] for account in app.accounts()}


def is_own(token, person, sso):
    """Whether an access token is one that the group has for a person's account."""
    return (person.uid, token) in {
        (entry["home_account_id"], entry["secret"]) for entry in sso.give()["AccessToken"].values()}


@pytest.mark.parametrize("first, second", [(UPPER, LOWER), (LOWER, UPPER)], ids=["upper first", "lower first"])
def test_both_accounts_are_listed_refreshed_and_removed_by_themselves(new_app, sso, first, second):
    app = new_app("cache")
    for person in (first, second):
        app.sign_in_with_browser(person, [SCOPE])
    both = {person.uid: person.username for person in (first, second)}
    assert identifiers(app) == names(sso) == both
    for person in (first, second):
        before = refresh_tokens(sso)
        assert is_own(app.silent([SCOPE], person.username, force_refresh=True), person, sso)
        changed = {uid for uid, token in refresh_tokens(sso).items() if before[uid] != token}
        assert changed == {person.uid}
    app.remove(first.username)
    assert identifiers(app) == names(sso) == {second.uid: second.username}
    assert set(refresh_tokens(sso)) == {second.uid}


@pytest.mark.parametrize("first, second", [(UPPER, LOWER), (LOWER, UPPER)], ids=["upper first", "lower first"])
def test_a_persistence_shows_the_one_that_signed_in_last_and_keeps_the_other(new_app, sso, first, second):
    """`PersistedTokenCache` can hold one of the two only."""
    app = new_app("persistence")
    app.sign_in_with_browser(first, [SCOPE])
    first_token = refresh_tokens(sso)[first.uid]
    app.sign_in_with_browser(second, [SCOPE])
    assert names(sso) == {person.uid: person.username for person in (first, second)}
    assert refresh_tokens(sso)[first.uid] == first_token
    assert identifiers(app) == {second.uid: second.username}
    second_token = refresh_tokens(sso)[second.uid]
    assert is_own(app.silent([SCOPE], force_refresh=True), second, sso)
    assert refresh_tokens(sso)[first.uid] == first_token and refresh_tokens(sso)[second.uid] != second_token

    app.remove(second.username)
    assert names(sso) == identifiers(app) == {first.uid: first.username}
    assert refresh_tokens(sso) == {first.uid: first_token}
    assert is_own(app.silent([SCOPE], force_refresh=True), first, sso)


def test_a_persistence_keeps_to_the_account_that_it_has_shown(new_app, sso, caplog):
    """Otherwise MSAL would remove the entries of the one in place of the other's."""
    app = new_app("persistence")
    app.sign_in_with_browser(LOWER, [SCOPE])
    [shown] = app.accounts()
    new_app("cache", "com.contoso.mail").sign_in_with_browser(UPPER, [SCOPE])
    token = refresh_tokens(sso)[UPPER.uid]
    assert identifiers(app) == {LOWER.uid: LOWER.username}
    assert "differ by letter case only" in caplog.text
    app._app.remove_account(shown)
    assert names(sso) == {UPPER.uid: UPPER.username} and refresh_tokens(sso) == {UPPER.uid: token}
