# SPDX-License-Identifier: MIT
"""Each client's list shows the user name of its own last sign-in, and every command takes each of these names."""

import json
from dataclasses import replace

import pytest

from partner_caches import AZURE_CLI, Partners
from people import ADA, OTHER_TENANT, TENANT, Person, new_token
from removals import entitlements, tokens_left
from sso_cache import AMBIGUOUS_ACCOUNT, DONE
from test_user_names import RENAMED, cache, choices
from unified_cache import AAD, access_token, account, cache_of, refresh_token, secrets, section, signed_in

FIRST, SECOND, THIRD = (f"{digit * 8}-df96-4db0-9088-2ab96e1d8215" for digit in "123")
CLIENTS = [FIRST, SECOND, THIRD]
GUEST = replace(ADA, username="ada_contoso.com#EXT#@fabrikam.com")
ANOTHER_ADA = Person(ADA.username, "Another Ada", "11111111-7d0a-4c0f-8f3e-2f3a4c5d6e7f")


def without_accounts(stored):
    return stored | {"Account": {}}


def of_guest(client):
    token = access_token("mail.read", GUEST, age=60, client=client, realm=OTHER_TENANT)
    stored = cache_of(token, person=GUEST, client=client)
    return stored | {"Account": section(account(GUEST, realm=OTHER_TENANT))}


def of_family(client):
    tokens = section(refresh_token(client=client), refresh_token(client=client, family_id="1"))
    metadata = section({"client_id": client, "environment": AAD, "family_id": "1"})
    return cache(ADA, client, 900) | {"RefreshToken": tokens, "AppMetadata": metadata}


def adal_items(**changes):
    return [{
        "tokenType": "Bearer", "expiresOn": "2030-01-01 00:00:00.000000", "resource": "https://graph.windows.net",
        "accessToken": new_token("adal"), "refreshToken": new_token("adal"), "isMRRT": True, "userId": ADA.username,
        "oid": ADA.uid, "tenantId": TENANT, "_clientId": FIRST, "_authority": f"https://{AAD}/{TENANT}",
    } | changes]


def adal_items_by_name():
    return [{name: value for name, value in adal_items()[0].items() if name not in ("oid", "tenantId")}]


SIGN_INS = {
    "renamed": lambda: [cache(ADA, FIRST, 900), cache(RENAMED, SECOND, 60)],
    "without account entries": lambda: [without_accounts(cache(ADA, FIRST, 900)), cache(RENAMED, SECOND, 60)],
    "a guest": lambda: [cache(ADA, FIRST, 60), of_guest(SECOND)],
    "in a family": lambda: [of_family(FIRST), cache(RENAMED, SECOND, 60)],
    "ADAL's": lambda: [adal_items(), cache(RENAMED, SECOND, 60)],
    "ADAL's by user name": lambda: [adal_items_by_name(), cache(ADA, THIRD, 900), cache(RENAMED, SECOND, 60)],
}


@pytest.fixture(params=SIGN_INS)
def sign_in(request, sso, save):
    """Signs one account in, which clients have under several user names."""
    def sign_in():
        sso.run("sign-out", "--whole-group", "--yes")
        for number, stored in enumerate(SIGN_INS[request.param]()):
            if isinstance(stored, list):
                file = save(json.dumps(stored), f"{number}.json")
                assert sso.run("import", "--format", "adal-python", file).status == DONE
            else:
                sso.take(stored)
    return sign_in


def shown(sso):
    """What lists show: each client that has the account, and the user name."""
    return [(client, found["username"]) for client in CLIENTS for found in sso.accounts("--client-id", client)]


@pytest.mark.parametrize("is_app", [False, True], ids=["", "an app"])
def test_a_client_is_signed_out_by_each_user_name_that_its_list_shows(sso, save, group, sign_in, is_app):
    options = entitlements(save, group) if is_app else []
    sign_in()
    found = shown(sso)
    assert len({name for _, name in found}) == 2
    for client, name in found:
        sign_in()
        command = ["sign-out", "--account", name, "--client-id", client, *options, "--yes"]
        assert sso.do(*command) == {"signed_out": True}, (client, name)
        assert sso.accounts("--client-id", client, *options) == []


def test_all_clients_are_signed_out_by_each_user_name_that_a_list_shows(sso, bus, group, sign_in):
    sign_in()
    assert len(sso.accounts()) == 1
    for name in {name for _, name in shown(sso)}:
        sign_in()
        assert sso.do("sign-out", "--account", name, "--everywhere", "--yes") == {"signed_out": True}, name
        assert sso.accounts() == [] and tokens_left(bus, group) == []


def test_a_token_is_found_by_each_user_name_that_a_list_shows(sso):
    """Also by one that another client's list shows."""
    for stored in SIGN_INS["renamed"]():
        sso.take(stored)
    for client in (FIRST, SECOND):
        for name in (ADA.username, RENAMED.username):
            assert sso.token(client, name, "mail.read")["source"] == "cache"


@pytest.mark.parametrize("command", [
    ["token", "--scope", "mail.read", "--client-id", FIRST], ["sign-out", "--yes", "--client-id", FIRST],
    ["sign-out", "--yes", "--everywhere"],
], ids=" ".join)
def test_a_former_user_name_with_a_new_owner_is_ambiguous(sso, command):
    for stored in [*SIGN_INS["renamed"](), cache(ANOTHER_ADA, FIRST, 30)]:
        sso.take(stored)
    outcome = sso.run(*command, "--account", ADA.username, "--json")
    assert outcome.status == AMBIGUOUS_ACCOUNT and len(sso.accounts()) == 2
    assert {option[0] for option in choices(outcome)} == {
        f"--account={person.identifier}" for person in (ADA, ANOTHER_ADA)}
    for options in choices(outcome):
        assert sso.run(*command, *options).status == DONE


def test_an_item_of_the_new_owner_of_a_user_name_stays_at_the_former_owners_sign_out(sso, save):
    for stored in [*SIGN_INS["renamed"](), cache(ANOTHER_ADA, FIRST, 30)]:
        sso.take(stored)
    items = [item | {"_clientId": THIRD} for item in adal_items_by_name()]
    sso.run("import", "--format", "adal-python", save(json.dumps(items)))
    assert sso.do("sign-out", "--account", RENAMED.username, "--everywhere", "--yes") == {"signed_out": True}
    [left] = sso.accounts()
    assert (left["identifier"], left["clients"]) == (ANOTHER_ADA.identifier, [FIRST, THIRD])


@pytest.mark.parametrize("former", [cache, lambda *of: without_accounts(cache(*of))], ids=["", "without account entries"])
@pytest.mark.parametrize("name", [ADA.username, RENAMED.username])
def test_an_export_to_a_tool_takes_each_user_name_that_a_list_shows(sso, bus, tmp_path, former, name):
    partners = Partners(tmp_path / "home", bus, sso)
    partners.clear()
    file = ".azure/msal_token_cache.json"
    partners.file(file, json.dumps(signed_in(person=ANOTHER_ADA, client=AZURE_CLI)[0]).encode())
    stored = former(ADA, AZURE_CLI, 900)
    partners.sso.take(stored)
    partners.sso.take(cache(RENAMED, SECOND, 60))
    assert partners.sso.run("export", "--to", "azure-cli", "--account", name).status == DONE
    assert secrets(stored, "AccessToken") <= secrets(json.loads((partners.home / file).read_text()), "AccessToken")
