# SPDX-License-Identifier: MIT
"""Two clients of MSAL Python with a persistence in one group: the sign-out of one is none of the other."""

import json
from dataclasses import replace

import pytest

from group_apps import FIRST, SCOPE, SECOND, GroupApps
from msal_apps import App
from people import ADA
from providers import AzureAD
from removals import records
from unified_cache import signed_in

MAIL, CALENDAR = "com.contoso.mail", "com.contoso.calendar"


@pytest.fixture
def provider():
    return AzureAD()


@pytest.fixture
def new_app(provider, group):
    return GroupApps(provider, group)


@pytest.fixture(params=["a browser", "its family"])
def second(request, provider, new_app):
    """Signs the second client in."""
    if request.param == "its family":
        provider.family = {FIRST, SECOND}

    def second():
        app = new_app(CALENDAR, SECOND, "persistence")
        if request.param == "its family":
            assert app.silent([SCOPE])
        else:
            app.sign_in_with_browser(ADA, [SCOPE])
        return app

    return second


@pytest.mark.parametrize("first", ["persistence", "cache", "import"])
@pytest.mark.parametrize("way", ["app", "tool"])
def test_a_clients_sign_out_leaves_the_account_to_the_other_client(
    sso, bus, group, provider, new_app, second, first, way
):
    app = new_app(MAIL, FIRST, "cache" if first == "import" else first)
    if first == "import" and not provider.family:
        sso.take(signed_in(client=FIRST)[0])
    else:
        app.sign_in_with_browser(ADA, [SCOPE])
    other = second()
    if way == "app":
        app.remove(ADA.username)
        assert app.accounts() == []
    else:
        sso.do("sign-out", "--account", ADA.username, "--client-id", FIRST, "--yes")
    assert [account["clients"] for account in sso.accounts()] == [[SECOND]]
    exported = App(provider, SECOND, json.dumps(sso.give()))
    for each in (other, new_app(CALENDAR, SECOND, "persistence"), new_app(CALENDAR, SECOND), exported):
        assert [account["username"] for account in each.accounts()] == [ADA.username]
        assert each.silent([SCOPE])


def test_a_sign_in_of_one_client_is_none_of_a_client_that_is_signed_out(sso, bus, group, new_app):
    for name, client in ((MAIL, FIRST), (CALENDAR, SECOND)):
        new_app(name, client, "persistence").sign_in_with_browser(ADA, [SCOPE])
    sso.do("sign-out", "--account", ADA.username, "--client-id", FIRST, "--yes")
    new_app(CALENDAR, SECOND, "persistence").sign_in_with_browser(ADA, [SCOPE])
    held = {
        item.get_attributes()["client_id"]: json.loads(item.get_secret())
        for item in records(bus, group, kind="credentials")
    }
    assert "Account" not in held[FIRST] and len(held[SECOND]["Account"]) == 1
    assert CALENDAR not in held[FIRST]["SecretStoreCache"]["apps"]


def test_a_renamed_user_has_the_new_name_after_a_sign_in_in_one_client(provider, new_app):
    apps = [new_app(name, client, "persistence") for name, client in ((MAIL, FIRST), (CALENDAR, SECOND))]
    for app in apps:
        app.sign_in_with_browser(ADA, [SCOPE])
    apps[1].sign_in_with_browser(replace(ADA, username="ada.king@contoso.com"), [SCOPE])
    for app in apps:
        assert [account["username"] for account in app.accounts()] == ["ada.king@contoso.com"]
