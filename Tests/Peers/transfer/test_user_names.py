# SPDX-License-Identifier: MIT
"""Who an account is: every command gives the user name that accounts gives, and can name one account of several."""

import itertools
import json
import re
import shlex
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from partner_caches import AZURE_CLI, Partners
from people import ADA, GRACE, TENANT, new_id_token
from secret_items import group_collection, store_item
from sso_cache import AMBIGUOUS_ACCOUNT, DONE, INTERACTION_REQUIRED, USAGE
from unified_cache import CLIENT, access_token, cache_of, secrets, section, signed_in

CHINA = "login.partner.microsoftonline.cn"
GLOBAL = "login.microsoftonline.com"
RENAMED = replace(ADA, username="ada.king@contoso.com", name="Ada King")
FORMER = replace(ADA, username="a.lovelace@contoso.com", name="A. Lovelace")
CLIENTS = ["first", "second", "third"]


def cache(person, client, age, scopes="mail.read", environment=GLOBAL):
    token = access_token(scopes, person, age=age, client=client, environment=environment)
    return cache_of(token, person=person, client=client, environment=environment)


def names(exported):
    return {entry["username"] for entry in exported["Account"].values()}


@pytest.mark.parametrize("people", [*itertools.permutations([(ADA, 900), (FORMER, 1800), (RENAMED, 60)])], ids=lambda people: " ".join(
    person.username.partition("@")[0] for person, _ in people))
def test_every_export_gives_the_user_name_that_accounts_gives(sso, people):
    """Each client holds the user name of its last sign-in; the newest counts, whichever was saved last."""
    for client, (person, age) in zip(CLIENTS, people):
        sso.take(cache(person, client, age))
    [account] = sso.accounts()
    assert account["username"] == RENAMED.username
    for _ in range(5):  # the order of the records differs from process to process
        assert names(sso.give()) == {RENAMED.username}
    for client in CLIENTS:
        assert sso.do("token", "--client-id", client, "--account", ADA.identifier, "--scope", "mail.read")["access_token"]


def test_an_export_keeps_what_only_an_older_copy_of_an_account_says(sso):
    older = cache(FORMER, "first", 900)
    for entry in older["Account"].values():
        entry["peer"] = "kept"
    sso.take(older)
    sso.take(cache(RENAMED, "second", 60))
    [entry] = sso.give()["Account"].values()
    assert (entry["username"], entry["name"], entry["peer"]) == (RENAMED.username, RENAMED.name, "kept")


def test_a_copy_of_an_account_without_a_token_does_not_count(sso):
    sso.take(cache(RENAMED, "first", 60))
    sso.take({"Account": cache(FORMER, "first", 60)["Account"]})
    [account] = sso.accounts()
    assert names(sso.give()) == {account["username"]}


def test_an_export_to_a_tool_brings_its_user_name_up_to_date(sso, bus, tmp_path):
    """What else the tool's entry says stays."""
    partners = Partners(tmp_path / "home", bus, sso)
    partners.clear()
    theirs = cache(FORMER, AZURE_CLI, 1800, environment="login.microsoftonline.com")
    for entry in theirs["Account"].values():
        entry["peer"] = "kept"
    file = ".azure/msal_token_cache.json"
    partners.file(file, json.dumps(theirs).encode())
    partners.sso.take(cache(FORMER, "first", 3600))
    partners.sso.take(cache(RENAMED, AZURE_CLI, 60))
    assert partners.sso.run("export", "--to", "azure-cli").status == DONE
    [entry] = json.loads((partners.home / file).read_text())["Account"].values()
    assert (entry["username"], entry["peer"]) == (RENAMED.username, "kept")
    assert entry["environment"] == "login.microsoftonline.com"


# One account of several.


def choices(outcome):
    """The options of each choice that an error's remedy names."""
    remedy = json.loads(outcome.stderr)["error"]["remedy"]
    found = [shlex.split(words) for words in re.findall(r"--account=\S+ --environment=[^,\s]+", remedy)]
    assert found, remedy
    return found


@pytest.fixture(params=["one identifier in two clouds", "one user name of two accounts"])
def two(request, sso):
    """Two accounts of one name, by their environment and identifier, each with its access token; and that name."""
    if request.param == "one identifier in two clouds":
        accounts, name = [(ADA, GLOBAL), (ADA, CHINA)], ADA.identifier
    else:
        twin = replace(GRACE, username=ADA.username)
        accounts, name = [(ADA, GLOBAL), (twin, GLOBAL)], ADA.username
    tokens = {}
    for person, environment in accounts:
        stored = cache(person, CLIENT, 60, environment=environment)
        sso.take(stored)
        [tokens[person.identifier, environment]] = secrets(stored, "AccessToken")
    assert len(sso.accounts()) == 2
    return tokens, name


COMMANDS = {
    "token": ["token", "--client-id", CLIENT, "--scope", "mail.read"],
    "sign-out": ["sign-out", "--client-id", CLIENT, "--yes"],
    "sign-out --everywhere": ["sign-out", "--everywhere", "--yes"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_remedy_for_an_ambiguous_account_names_options_that_work(sso, two, command):
    tokens, name = two
    command = COMMANDS[command]
    outcome = sso.run(*command, "--account", name, "--json")
    assert outcome.status == AMBIGUOUS_ACCOUNT
    found = choices(outcome)
    assert len(found) == 2
    for options in found:
        identifier, environment = (option.partition("=")[2] for option in options)
        done = sso.do(*command, *options)
        if command[0] == "token":
            assert done["access_token"] == tokens[identifier, environment]
        else:
            assert done == {"signed_out": True}
            assert (identifier, environment) not in {
                (account["identifier"], account["environment"]) for account in sso.accounts()}
    assert len(sso.accounts()) == (2 if command[0] == "token" else 0)


@pytest.mark.parametrize("direction", ["import", "export"])
def test_the_remedy_for_an_ambiguous_account_of_a_tool_names_options_that_work(sso, bus, tmp_path, direction):
    partners = Partners(tmp_path / "home", bus, sso)
    partners.clear()
    both = {}
    for environment in ("login.microsoftonline.com", CHINA):
        one = cache(ADA, AZURE_CLI, 60, environment=environment)
        both = {name: section(*both.get(name, {}).values(), *one[name].values()) for name in one}
    file = ".azure/msal_token_cache.json"
    if direction == "import":
        partners.file(file, json.dumps(both).encode())
        command = ["import", "--from", "azure-cli"]
    else:
        partners.file(file, json.dumps(signed_in(person=GRACE, client=AZURE_CLI)[0]).encode())
        partners.sso.take(both)
        command = ["export", "--to", "azure-cli"]
    outcome = partners.sso.run(*command, "--account", ADA.identifier, "--json")
    assert outcome.status == AMBIGUOUS_ACCOUNT
    found = choices(outcome)
    assert len(found) == 2
    for number, options in enumerate(found, 1):
        assert partners.sso.run(*command, *options, "--json").status == DONE
        if direction == "import":
            assert len(partners.sso.accounts()) == number
        else:
            stored = json.loads((partners.home / file).read_text())
            assert len([entry for entry in stored["Account"].values() if entry["home_account_id"] == ADA.identifier]) == number


@pytest.mark.parametrize("environment", [
    "login.microsoftonline.com", "Login.Windows.Net:443", "https://login.microsoftonline.com",
    "https://login.microsoftonline.com/common", f"https://login.microsoftonline.com/{TENANT}/v2.0",
    f"HTTPS://STS.Windows.Net:443/{TENANT}/", f"login.microsoftonline.com/{TENANT}",
])
@pytest.mark.parametrize("command", COMMANDS)
def test_an_environment_is_named_by_its_host_its_authority_or_its_issuer(sso, command, environment):
    sso.take(signed_in()[0])
    elsewhere = ["--account", ADA.username, "--environment", f"https://{CHINA}/{TENANT}/v2.0"]
    assert sso.run(*COMMANDS[command], *elsewhere).status == (INTERACTION_REQUIRED if command == "token" else DONE)
    assert len(sso.accounts()) == 1
    done = sso.do(*COMMANDS[command], "--account", ADA.username, "--environment", environment)
    assert done["access_token"] if command == "token" else done == {"signed_out": True}


def signed_in_at(issuer):
    """A cache of an account at an OpenID provider; the environment's host is not in the issuer's cloud."""
    cache, _ = signed_in(environment=urlsplit(issuer).netloc, identifier="ada", realm="r")
    for entry in cache["IdToken"].values():
        entry["secret"] = new_id_token({"iss": issuer, "sub": "ada", "preferred_username": ADA.username})
    return cache


@pytest.mark.parametrize("issuer, named", [
    *((issuer, issuer) for issuer in [
        "https://id.contoso.com/adfs", "https://id.contoso.com/Adfs", "https://id.contoso.com/adfs/ls",
        "https://id.contoso.com/tfp/x", "https://login.contoso.com/tfp/contoso.onmicrosoft.com/b2c_1_x/v2.0",
        "https://id.contoso.com:8443/staff",
    ]),
    ("https://id.contoso.com/staff", "id.contoso.com"), ("https://id.contoso.com:8443/staff", "id.contoso.com:8443"),
])
@pytest.mark.parametrize("command", COMMANDS)
def test_an_environment_is_named_as_lists_show_it_or_by_its_host(sso, command, issuer, named):
    sso.take(signed_in_at(issuer))
    assert [account["environment"] for account in sso.accounts()] == [issuer]
    done = sso.do(*COMMANDS[command], "--account", ADA.username, "--environment", named)
    assert done["access_token"] if command == "token" else done == {"signed_out": True}


@pytest.mark.parametrize("host", ["login.private.com", "sts.private.org", "https://sts.private.org/common"])
def test_an_environment_is_named_by_each_host_that_the_group_has_learned(sso, bus, group, host):
    sso.take(signed_in(person=GRACE)[0])
    hosts = ["login.private.com", "login.private.net", "sts.private.org"]
    aliases = {"environments": [{"preferred_network": hosts[0], "preferred_cache": hosts[1], "aliases": hosts}]}
    document = json.dumps(aliases | {"SecretStoreCache": {"record": {"kind": "group-data", "key": "environments"}}})
    store_item(bus, group_collection(bus, group), document.encode(), "group-data", group, key="environments")
    sso.take(signed_in(environment=hosts[1])[0])
    sign_out = [*COMMANDS["sign-out --everywhere"], "--account", ADA.username, "--environment", host]
    assert sso.do(*sign_out) == {"signed_out": True}
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]


def test_an_environment_names_the_account_that_is_shown_with_it(sso):
    """The authority https://id.contoso.com/adfs has the environment id.contoso.com."""
    issuer = "https://id.contoso.com/adfs"
    sso.take(signed_in(environment="id.contoso.com", identifier="ada", realm="adfs")[0])
    sso.take(signed_in_at(issuer))
    assert {account["environment"] for account in sso.accounts()} == {"id.contoso.com", issuer}
    sign_out = [*COMMANDS["sign-out --everywhere"], "--account", "ada", "--environment"]
    for named, left in [(issuer, ["id.contoso.com"]), ("id.contoso.com", [])]:
        assert sso.do(*sign_out, named) == {"signed_out": True}
        assert [account["environment"] for account in sso.accounts()] == left


@pytest.mark.parametrize("environment", ["foo bar", "münchen.example", "ftp://login.microsoftonline.com", "a:b:c", "x%20y", "a\u200bb.example"])
def test_an_environment_is_named_as_accounts_prints_it(sso, environment):
    """Another library's cache can have any text there."""
    sso.take(signed_in(environment=environment, realm="")[0])
    sso.take(signed_in(person=GRACE)[0])
    listed = {account["username"]: account["environment"] for account in sso.accounts()}[ADA.username]
    printed = listed.replace("\u200b", "?")
    assert printed in sso.run("accounts").stdout
    sign_out = [*COMMANDS["sign-out --everywhere"], "--account", ADA.username, "--environment"]
    assert sso.run(*sign_out, "no " + listed).status == USAGE
    assert sso.do(*sign_out, printed) == {"signed_out": True}
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]


@pytest.mark.parametrize("environment", ["", " ", "https://", "ftp://login.microsoftonline.com", "https://ada@login.microsoftonline.com"])
@pytest.mark.parametrize("command", COMMANDS)
def test_an_environment_that_is_none_is_a_usage_error(sso, command, environment):
    sso.take(signed_in()[0])
    assert sso.run(*COMMANDS[command], "--account", ADA.username, "--environment", environment).status == USAGE
    assert len(sso.accounts()) == 1


# A user name that is another account's identifier.

ISSUER = "https://id.contoso.com"


@pytest.fixture
def spelled_alike(sso):
    """An account of an issuer by its identifier, and Azure AD's Ada with that as her user name."""
    other = signed_in(environment="id.contoso.com", identifier=ADA.username, realm="", person=GRACE)[0]
    for entry in other["IdToken"].values():
        entry["secret"] = new_id_token({"iss": ISSUER, "sub": ADA.username, "preferred_username": GRACE.username})
    sso.take(other)
    sso.take(signed_in()[0])
    assert environments(sso) == {ISSUER: ADA.username, GLOBAL: ADA.identifier}
    return other


def environments(sso):
    return {account["environment"]: account["identifier"] for account in sso.accounts()}


@pytest.mark.parametrize("command", COMMANDS)
def test_an_identifier_goes_before_another_accounts_user_name(sso, spelled_alike, command):
    sso.do(*COMMANDS[command], "--account", ADA.username)
    if command != "token":
        assert list(environments(sso)) == [GLOBAL]


@pytest.mark.parametrize("environment", [ISSUER, GLOBAL])
@pytest.mark.parametrize("command", COMMANDS)
def test_an_environment_is_chosen_before_the_name(sso, spelled_alike, command, environment):
    done = sso.do(*COMMANDS[command], "--account", ADA.username, "--environment", environment)
    if command == "token":
        assert done["access_token"] == {ISSUER: secrets(spelled_alike, "AccessToken").pop()}.get(environment, done["access_token"])
        assert (done["account"]["environment"]) == environment
    else:
        assert set(environments(sso)) == {ISSUER, GLOBAL} - {environment}


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "token"])
def test_a_repeated_sign_out_by_an_identifier_takes_no_account_of_that_user_name(sso, spelled_alike, command):
    command = COMMANDS[command]
    assert sso.do(*command, "--account", ADA.username) == {"signed_out": True}
    outcome = sso.run(*command, "--account", ADA.username, "--json")
    assert outcome.status == AMBIGUOUS_ACCOUNT and "named by its identifier and environment" in outcome.stderr
    assert environments(sso) == {GLOBAL: ADA.identifier}
    done = {}
    for options in choices(outcome):
        done[options[1].partition("=")[2]] = sso.do(*command, *options)["signed_out"]
    assert done == {ISSUER: False, GLOBAL: True} and sso.accounts() == []
    # Both are signed out now.
    assert sso.run(*command, "--account", ADA.username).status == AMBIGUOUS_ACCOUNT
    assert sso.do(*command, "--account", ADA.username, "--environment", ISSUER) == {"signed_out": False}


def test_an_export_to_a_tool_takes_no_account_whose_user_name_is_an_identifier(sso, spelled_alike, bus, tmp_path):
    partners = Partners(tmp_path / "home", bus, sso)
    partners.clear()
    file = ".azure/msal_token_cache.json"
    partners.file(file, json.dumps(signed_in(person=GRACE, client=AZURE_CLI)[0]).encode())
    partners.sso.take(cache(ADA, AZURE_CLI, 60))
    command = ["export", "--to", "azure-cli", "--account", ADA.username]
    for options, is_written in [([], False), (["--environment", "login.microsoftonline.com"], True)]:
        partners.sso.run(*command, *options)
        entries = json.loads((partners.home / file).read_text())["Account"].values()
        assert (ADA.identifier in {entry["home_account_id"] for entry in entries}) == is_written
