# SPDX-License-Identifier: MIT
"""Issuers on one host, each with a user of the same `sub`, in the example apps and the tool."""

import json
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from example_apps import MSAL, App
from people import Person
from providers import OpenIDProvider
from servers import LoopbackServer
from sso_cache import AMBIGUOUS_ACCOUNT, INTERACTION_REQUIRED, USAGE
from unified_cache import secrets

CLIENT = "contoso-suite"
ADA = Person("ada@contoso.com", "Ada Lovelace", "1001")
BOB = Person("bob@contoso.com", "Bob Babbage", "1001")
RED, OTHER = "/red", "/blue"
ENDPOINTS = ("/.well-known/openid-configuration", "/authorize", "/token")


class ProvidersOfOneHost:
    """A provider at each path, with a user whose browser is signed in there."""

    def __init__(self, people):
        self.people = people
        self.providers = {path: OpenIDProvider() for path in people}

    def respond(self, url, form):
        path = urlsplit(url).path
        [end] = [end for end in ENDPOINTS if path.endswith(end)]
        provider, person = self.providers[path.removesuffix(end)], self.people[path.removesuffix(end)]
        provider.issuer = url.partition("?")[0].removesuffix(end)
        if end == "/authorize":
            query = dict(parse_qsl(urlsplit(url).query))
            return 302, {"location": f"{query['redirect_uri']}?{urlencode(provider.authorize(url, person))}"}
        return provider.respond(url, form)


@pytest.fixture
def other(request):
    return getattr(request, "param", OTHER)


@pytest.fixture
def host(other):
    with LoopbackServer(ProvidersOfOneHost({RED: ADA, other: BOB})) as server:
        yield server.address


@pytest.fixture
def apps(examples, suite, browser, host, other):
    """Mail and Calendar, as releases for each of the two issuers."""

    def app(program, path):
        return App(str(examples / program), MSAL, CLIENT, host + path, browser, {"CONTOSO_AZURE": "0"})

    return {
        (name, person): app(f"contoso-{name}", path)
        for name in ("mail", "calendar") for person, path in ((ADA, RED), (BOB, other))
    }


@pytest.fixture
def both(apps):
    """The apps, with each user signed in to Mail."""
    for person in (ADA, BOB):
        apps["mail", person].sign_in(person)
    return apps


def whose(app):
    """The user whose token the app uses."""
    outcome = app.run("read")
    assert outcome.returncode == 0, outcome
    return outcome.stdout.partition("got a token for ")[2].split()[0]


def given(suite):
    """The group's cache; the note that MSAL identifies hosts and not issuers goes to standard error."""
    return json.loads(suite.run("export", "--format", "msal").stdout)


def environments(suite):
    return {account["username"]: account["environment"] for account in suite.accounts()}


@pytest.mark.parametrize("other", [OTHER, "/Red", "/red/deeper", ""], indirect=True)
def test_no_user_of_one_issuer_is_listed_at_the_other(apps):
    apps["mail", ADA].sign_in(ADA)
    for name in ("mail", "calendar"):
        assert apps[name, BOB].sees() == []
        assert not apps[name, BOB].is_silent()
    assert apps["calendar", ADA].sees() == [ADA.username]


def test_users_with_one_sub_are_two_accounts_with_a_token_each(both, suite, host, other):
    for (_, person), app in both.items():
        assert app.sees() == [person.username]
        assert whose(app) == person.username
        assert app.is_silent()
        assert whose(app) == person.username
    assert environments(suite) == {ADA.username: host + RED, BOB.username: host + other}
    assert [account["identifier"] for account in suite.accounts()] == ["1001", "1001"]
    arguments = ["--client-id", CLIENT, "--account", "1001", "--scope", "suite.read"]
    assert suite.fail(AMBIGUOUS_ACCOUNT, "token", *arguments) == "ambiguousAccount"
    tokens = {suite.token(CLIENT, person.username, "suite.read")["access_token"] for person in (ADA, BOB)}
    assert len(tokens) == 2 and tokens <= secrets(given(suite), "AccessToken")


def test_the_tool_returns_an_issuers_token_to_its_own_authority_only(both, suite, host, other):
    for path, person in ((RED, ADA), (other, BOB)):
        options = ["--authority", host + path]
        token = suite.token(CLIENT, "1001", "suite.read", options=options)
        assert token["account"]["username"] == person.username
        another_user = ADA if person == BOB else BOB
        arguments = ["--client-id", CLIENT, "--account", another_user.username, *options, "--scope", "suite.read"]
        assert suite.fail(INTERACTION_REQUIRED, "token", *arguments) == "interactionRequired"


@pytest.mark.parametrize("leaving, staying", [(ADA, BOB), (BOB, ADA)], ids=["ada", "bob"])
@pytest.mark.parametrize("way", ["app", "client", "everywhere"])
def test_signing_out_of_one_issuer_leaves_the_other_unchanged(both, suite, way, leaving, staying):
    before = environments(suite)
    if way == "app":
        both["mail", leaving].sign_out()
    else:
        flags = {"client": ["--client-id", CLIENT], "everywhere": ["--everywhere"]}[way]
        suite.do("sign-out", "--account", leaving.username, *flags, "--yes")
    for name in ("mail", "calendar"):
        assert both[name, leaving].sees() == []
        assert not both[name, leaving].is_silent()
        assert both[name, staying].sees() == [staying.username]
        assert both[name, staying].is_silent()
        assert whose(both[name, staying]) == staying.username
    assert environments(suite) == {staying.username: before[staying.username]}


def test_the_issuer_distinguishes_two_accounts_with_one_identifier(both, suite, host, other):
    arguments = ["--account", "1001", "--everywhere", "--yes"]
    assert suite.fail(AMBIGUOUS_ACCOUNT, "sign-out", *arguments) == "ambiguousAccount"
    assert len(suite.accounts()) == 2
    elsewhere = suite.do("sign-out", *arguments, "--environment", f"{host}/elsewhere")
    assert elsewhere == {"signed_out": False} and len(suite.accounts()) == 2
    suite.do("sign-out", *arguments, "--environment", f"{host}{other}/")
    assert environments(suite) == {ADA.username: host + RED}
    assert suite.fail(USAGE, "sign-out", "--whole-group", "--environment", host, "--yes") == "invalidArgument"


def test_an_export_separates_the_issuers_and_an_import_restores_each(both, suite):
    before, exported = environments(suite), given(suite)
    suite.do("sign-out", "--whole-group", "--yes")
    assert suite.take(exported)["added"] == 2
    assert environments(suite) == before
    for (_, person), app in both.items():
        assert app.sees() == [person.username]
        assert whose(app) == person.username and app.is_silent()


def test_an_export_of_one_issuer_has_its_host_and_is_imported_under_the_issuer(apps, suite, host):
    apps["mail", ADA].sign_in(ADA)
    exported = given(suite)
    tokens = [entry for name in ("AccessToken", "RefreshToken", "IdToken") for entry in exported[name].values()]
    assert {(entry["environment"], entry["issuer"]) for entry in tokens} == {("127.0.0.1", host + RED)}
    suite.do("sign-out", "--whole-group", "--yes")
    suite.take(exported)
    assert environments(suite) == {ADA.username: host + RED}
    assert whose(apps["calendar", ADA]) == ADA.username
    assert apps["calendar", BOB].sees() == []


def test_an_import_omits_the_signed_out_issuers_account_and_adds_the_others(both, suite):
    exported = given(suite)
    for person in (ADA, BOB):
        suite.do("sign-out", "--account", person.username, "--everywhere", "--yes")
    assert suite.take(exported)["signed_out"] == 2
    both["mail", BOB].sign_in(BOB)
    assert suite.take(exported)["signed_out"] == 1
    assert list(environments(suite)) == [BOB.username]
