# SPDX-License-Identifier: MIT
"""A refresh token that arrives after another program damaged the item of the one that was sent, or doctor repaired it."""

import json

import pytest

from held_provider import SOON_SECONDS, HeldAzureAD, started
from people import ADA
from secret_items import search
from servers import AzureADServer
from sso_cache import DONE
from unified_cache import AAD, CLIENT, access_token, cache_of, refresh_token, section, secrets

SCOPE = "User.Read"
OTHER = "d3adb33f-c0de-ed0c-c0de-deadb33fc0d3"


@pytest.fixture
def provider():
    return HeldAzureAD((CLIENT, OTHER))


@pytest.fixture
def server(provider, certificate):
    with AzureADServer(provider, certificate) as server:
        yield server


def with_familys_token(sso, provider, save):
    """The client has an access token only; its refresh token is the family's."""
    token = refresh_token(ADA, client=OTHER, family_id="1") | {"secret": provider.issue_refresh_token(ADA, OTHER)}
    clients = [{"client_id": client, "environment": AAD, "family_id": "1"} for client in (CLIENT, OTHER)]
    cache = cache_of(access_token(SCOPE, age=7200))
    sso.take(cache | {"RefreshToken": section(token), "AppMetadata": section(*clients)})
    return token["secret"]


def with_adals_token(sso, provider, save):
    secret = provider.issue_refresh_token(ADA, CLIENT)
    sso.do("import", "--format", "adal-python", save(json.dumps([{
        "tokenType": "Bearer", "expiresIn": 3599, "expiresOn": "2020-01-01 00:00:00.000000", "accessToken": "s3cr3t-old",
        "resource": "https://graph.windows.net", "refreshToken": secret, "isMRRT": True, "_clientId": CLIENT,
        "userId": ADA.username, "oid": ADA.uid, "tenantId": ADA.utid, "_authority": f"https://{AAD}/{ADA.utid}",
    }])))
    return secret


def damaged(sso, item):
    item.set_secret(b"hello")


def moved(sso, item):
    item.set_attributes(item.get_attributes() | {"home_account_id": "other"})


def damaged_and_repaired(sso, item):
    damaged(sso, item)
    sso.do("doctor", "--fix", "--yes")


@pytest.mark.parametrize("change", [damaged, moved, damaged_and_repaired], ids=lambda change: change.__name__)
@pytest.mark.parametrize("sign_in, kind", [
    (with_familys_token, "family"), (with_familys_token, "credentials"), (with_adals_token, "legacy"),
], ids=["family's", "client's", "ADAL's"])
def test_no_refresh_token_is_lost_to_what_happens_to_its_item_during_the_refresh(
    sso, bus, group, provider, server, trust, save, sign_in, kind, change
):
    sent = sign_in(sso, provider, save)
    process = started(trust.online(sso, server), [
        "--json", "--client-id", CLIENT, "--account", ADA.username, "--authority", f"https://{AAD}/{ADA.utid}",
        "--scope", SCOPE], provider)
    for item in search(bus, kind=kind, group=group):
        change(sso, item)
    provider.release()
    stdout, stderr = process.communicate(timeout=SOON_SECONDS)
    assert (process.returncode, stderr) == (DONE, "") and stdout
    exported = sso.run("export", "--format", "msal")
    assert secrets(exported.json, "RefreshToken") - {sent}, exported
