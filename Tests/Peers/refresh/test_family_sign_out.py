# SPDX-License-Identifier: MIT
"""Signing out of a family's refresh token, by the family's apps and by the user with the tool."""

import pytest

from adal_apps import ADALApp, AzureADVersion1
from example_apps import MSAL, App, AzureADOfBothVersions, BothVersions
from people import ADA, GRACE
from servers import AzureADServer
from sso_cache import INTERACTION_REQUIRED
from unified_cache import access_token, account, refresh_token, section, secrets

SUITE, OTHER = "b6c69a37-df96-4db0-9088-2ab96e1d8215", "d3adb33f-c0de-ed0c-c0de-deadb33fc0d3"
EVERYWHERE = ["--everywhere"]

# The clients' app metadata: none, the first one's, both.
METADATA = {"no metadata": [], "the first's": [SUITE], "both's": [SUITE, OTHER]}


@pytest.fixture
def server():
    with AzureADOfBothVersions(BothVersions(family=(SUITE, OTHER), person=ADA)) as server:
        yield server


@pytest.fixture
def mail(examples, suite, browser, server):
    return App(str(examples / "contoso-mail"), MSAL, SUITE, server.issuer, browser)


@pytest.fixture
def calendar(examples, suite, browser, server):
    """An app of another client of the family."""
    return App(str(examples / "contoso-calendar"), MSAL, OTHER, server.issuer, browser)


@pytest.fixture(params=METADATA.values(), ids=METADATA.keys())
def metadata(request):
    return request.param


@pytest.fixture
def family_of(server):
    """Creates a cache with the family's refresh token, which the provider accepts, and some clients' tokens."""

    def family_of(clients=(), metadata=(), has_account=True, person=ADA):
        host = server.host
        token = refresh_token(person, client=SUITE, environment=host, family_id="1")
        token["secret"] = server.provider.issue_refresh_token(person, SUITE)
        tokens = [access_token("suite.read", person, client=client, environment=host) for client in clients]
        known = [{"client_id": client, "environment": host, "family_id": "1"} for client in metadata]
        return {
            "AccessToken": section(*tokens),
            "RefreshToken": section(token),
            "Account": section(*[account(person, host)] if has_account else []),
            "AppMetadata": section(*known),
        }

    return family_of


def sign_out(suite, *options, account=ADA.username):
    return suite.do("sign-out", "--account", account, *options, "--yes")


def test_a_client_with_only_its_family_token_is_signed_out_by_its_id(
    suite, mail, calendar, family_of, metadata
):
    suite.take(family_of([SUITE], metadata))
    assert mail.sees() == [ADA.username] and len(calendar.sees()) == 1
    assert sign_out(suite, "--client-id", OTHER) == {"signed_out": True}
    assert calendar.sees() == []
    assert not calendar.is_silent()
    assert mail.sees() == [ADA.username]
    assert mail.is_silent()
    calendar.sign_in(ADA)
    assert calendar.is_silent()


def test_an_app_with_only_its_family_token_signs_itself_out(suite, mail, calendar, family_of, metadata):
    suite.take(family_of([SUITE], metadata))
    calendar.sign_out()
    assert calendar.sees() == []
    assert not calendar.is_silent()
    assert mail.is_silent()


@pytest.mark.parametrize("clients", [[], [SUITE], [SUITE, OTHER]], ids=["nobody", "one", "two"])
def test_signing_out_everywhere_removes_the_family_token_whatever_its_clients(
    suite, mail, calendar, family_of, metadata, clients
):
    suite.take(family_of(clients, metadata))
    sign_out(suite, *EVERYWHERE)
    left = suite.give()
    assert [secrets(left, name) for name in ("AccessToken", "RefreshToken", "IdToken")] == [set()] * 3
    assert suite.accounts() == []
    for app in (mail, calendar):
        assert app.sees() == []
        assert not app.is_silent()


def test_the_family_token_remains_until_the_last_client_that_uses_it(suite, mail, calendar, family_of, metadata):
    cache = family_of([SUITE, OTHER], metadata)
    suite.take(cache)
    sign_out(suite, "--client-id", SUITE)
    assert secrets(suite.give(), "RefreshToken") == secrets(cache, "RefreshToken")
    assert mail.sees() == [] and not mail.is_silent()
    assert calendar.is_silent()
    sign_out(suite, "--client-id", OTHER)
    assert secrets(suite.give(), "RefreshToken") == set()
    assert suite.accounts() == []


@pytest.mark.parametrize("has_account", [True, False], ids=["with its account", "alone"])
@pytest.mark.parametrize("flags", [EVERYWHERE, ["--client-id", SUITE]], ids=["everywhere", "client"])
def test_a_family_token_is_listed_used_and_removed(
    suite, mail, calendar, family_of, has_account, flags
):
    suite.take(family_of(has_account=has_account))
    [listed] = suite.accounts()
    assert listed["identifier"] == ADA.identifier
    assert listed["username"] == (ADA.username if has_account else "")
    assert listed["clients"] == []
    assert len(mail.sees()) == len(calendar.sees()) == 1
    sign_out(suite, *flags, account=ADA.identifier)
    assert suite.accounts() == []
    assert secrets(suite.give(), "RefreshToken") == set()
    assert mail.sees() == [] and not mail.is_silent()


def test_a_family_token_with_its_account_signs_an_app_in_silently(suite, calendar, family_of):
    suite.take(family_of())
    assert calendar.is_silent()
    assert calendar.sees() == [ADA.username]


# What an import must omit.


@pytest.mark.slow
def test_no_import_returns_an_account_that_was_signed_out_everywhere(suite, mail, calendar, family_of):
    """For all forms of the stored account and of the file's."""
    files = {
        "the family's token": family_of(),
        "the family's token, without its account": family_of(has_account=False),
        "the family's token and the first client's": family_of([SUITE], [SUITE]),
        "another client's": family_of([OTHER], [OTHER]),
        "a third client's": family_of(["11111111-2222-4333-8444-555555555555"]),
    }
    for held in files.values():
        suite.take(held, "--replace")
        sign_out(suite, *EVERYWHERE, account=ADA.identifier)
        for name, file in files.items():
            said = suite.take(file, "--dry-run")
            done = suite.take(file)
            assert said["signed_out"] == done["signed_out"] > 0, name
            # A client's app metadata belongs to no account.
            assert done["added"] <= len(file.get("AppMetadata", {})) and done["updated"] == 0, name
            assert ADA.identifier not in str(suite.give()), name
            assert suite.accounts() == [], name
            assert secrets(suite.give(), "RefreshToken") == set(), name
        assert calendar.sees() == [] and not calendar.is_silent()
        # Another user's account is imported.
        assert suite.take(family_of(person=GRACE))["added"] > 0
        suite.do("sign-out", "--whole-group", "--yes")
    assert suite.take(family_of())["added"] > 0
    assert mail.is_silent()


@pytest.mark.parametrize("has_family", [True, False], ids=["family", "client"])
def test_an_adal_user_signed_out_everywhere_is_omitted_from_imports_of_both_formats(
    sso, save, certificate, has_family
):
    provider = AzureADVersion1()
    with AzureADServer(provider, certificate) as server:
        app = ADALApp(server, ADA)
        app.sign_in(provider, "https://graph.windows.net")
        adalTokens = save(app.serialized, "adal.json")
    sso.do("import", "--format", "adal-python", adalTokens)
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
    sign_out(sso, *EVERYWHERE)
    token = refresh_token(client=OTHER, **{"family_id": "1"} if has_family else {})
    msalEntries = {"RefreshToken": section(token), "Account": section(account())}
    assert sso.take(msalEntries)["signed_out"] == 1
    assert sso.do("import", "--format", "adal-python", adalTokens)["signed_out"] > 0
    assert sso.accounts() == []
    # The reverse direction.
    sso.take(msalEntries, "--replace")
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
    sign_out(sso, *EVERYWHERE)
    assert sso.do("import", "--format", "adal-python", adalTokens)["signed_out"] > 0
    assert sso.accounts() == []
    arguments = ["--client-id", OTHER, "--account", ADA.username, "--scope", "mail.read"]
    assert sso.fail(INTERACTION_REQUIRED, "token", *arguments) == "interactionRequired"
