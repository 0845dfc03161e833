# SPDX-License-Identifier: MIT
"""Import and export of ADAL Python's and Azure CLI's caches: the tool imports what the real library wrote,
and the library finds the exported tokens without a network."""

import json
import time
from datetime import datetime, timedelta

import pytest

from adal_apps import ADALApp, AzureADVersion1
from people import ADA, GRACE, OTHER_TENANT
from secret_items import group_collections, search
from servers import AzureADServer
from sso_cache import BAD_INPUT

GRAPH = "https://graph.windows.net"
MANAGEMENT = "https://management.azure.com/"
VAULT = "https://vault.azure.net"
OTHER_CLIENT = "7c9f1d2e-0000-4000-8000-00000000c11e"


@pytest.fixture
def provider():
    return AzureADVersion1()


@pytest.fixture
def server(provider, certificate):
    with AzureADServer(provider, certificate) as server:
        yield server


@pytest.fixture
def in_zone(monkeypatch, sso):
    """Moves this process to a time zone; returns the tool with that zone."""

    def in_zone(name):
        monkeypatch.setenv("TZ", name)
        time.tzset()
        return sso.with_environment(TZ=name)

    yield in_zone
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def signed_in(server, provider):
    """Ada's app, with tokens for two resources."""
    app = ADALApp(server, ADA)
    app.sign_in(provider, GRAPH)
    app.token(MANAGEMENT)
    return app


def taken(sso, save, cache, *flags, form="adal-python"):
    return sso.do("import", "--format", form, *flags, save(cache))


def given(sso):
    return sso.do("export", "--format", "adal-python")


def tokens(cache, kind):
    return {entry.get(kind) for entry in cache} - {None, ""}


def age(cache, seconds):
    """The cache at a later time, or an hour off where clocks have changed."""
    for entry in cache:
        expiry = datetime.fromisoformat(entry["expiresOn"]).timestamp() - seconds
        entry["expiresOn"] = str(datetime.fromtimestamp(expiry))
    return cache


def is_clear(seconds):
    """Whether the later local time is one moment: an hour occurs twice in autumn and never in spring."""
    now = time.time()
    # The time, and the library's value for it, since the library adds to the time of day.
    times = (datetime.fromtimestamp(now + seconds), datetime.fromtimestamp(now) + timedelta(seconds=seconds))
    return all(local.replace(fold=0).timestamp() == local.replace(fold=1).timestamp() for local in times)


def test_the_library_finds_its_own_tokens(sso, save, server, signed_in):
    held = {resource: signed_in.token(resource) for resource in (GRAPH, MANAGEMENT)}
    taken(sso, save, signed_in.serialized)
    asked = len(server.requests)
    again = ADALApp(server, ADA, cache=given(sso))
    assert {resource: again.token(resource) for resource in held} == held
    assert len(server.requests) == asked


def test_no_token_is_lost(sso, save, signed_in):
    taken(sso, save, signed_in.serialized)
    before = {entry["resource"]: entry for entry in json.loads(signed_in.serialized)}
    for entry in given(sso):
        old = before.pop(entry["resource"])
        times = [datetime.fromisoformat(e.pop("expiresOn")) for e in (old, entry)]
        assert times[0].replace(microsecond=0) == times[1]
        # Members that the library does not write for a new token.
        entry.pop("createdOn")
        assert entry == old
    assert before == {}


def test_two_users_two_tenants_and_an_apps_own_token_stay_separate(sso, save, server, provider):
    ada, grace = ADALApp(server, ADA), ADALApp(server, GRACE, tenant=OTHER_TENANT)
    own = ADALApp(server, ADA, client=OTHER_CLIENT)
    held = [ada.sign_in(provider, GRAPH), grace.sign_in(provider, GRAPH)]
    secret = own.sign_in_as_itself(VAULT)
    cache = [entry for app in (ada, grace, own) for entry in json.loads(app.serialized)]
    taken(sso, save, json.dumps(cache))
    exported = given(sso)
    assert tokens(exported, "accessToken") == {*held, secret}
    asked = len(server.requests)
    people = [ADALApp(server, ADA, exported), ADALApp(server, GRACE, exported, OTHER_TENANT)]
    assert [app.token(GRAPH) for app in people] == held
    assert ADALApp(server, ADA, exported, client=OTHER_CLIENT).sign_in_as_itself(VAULT) == secret
    assert len(server.requests) == asked


def test_an_exported_refresh_token_is_valid_for_another_resource(sso, save, server, provider, signed_in):
    taken(sso, save, signed_in.serialized)
    app = ADALApp(server, ADA, cache=given(sso))
    assert app.token(VAULT) is not None
    assert provider.token_requests[-1]["resource"] == VAULT


def test_an_expired_exported_token_is_refreshed(sso, save, server, provider, signed_in):
    held = signed_in.token(GRAPH)
    taken(sso, save, json.dumps(age(json.loads(signed_in.serialized), 5 * 3600)))
    app = ADALApp(server, ADA, cache=given(sso))
    assert app.token(GRAPH) not in (None, held)
    assert provider.token_requests[-1]["grant_type"] == "refresh_token"


def test_a_refresh_token_without_an_access_token_is_found(sso, save, server, provider, signed_in):
    cache = json.loads(signed_in.serialized)
    for entry in cache:
        entry |= {"accessToken": "", "resource": None}
    taken(sso, save, json.dumps(cache[:1]))
    app = ADALApp(server, ADA, cache=given(sso))
    assert app.token(GRAPH) is not None
    assert provider.token_requests[-1]["refresh_token"] == cache[0]["refreshToken"]


@pytest.mark.parametrize("written", ["UTC", "America/New_York", "Asia/Kolkata"])
@pytest.mark.parametrize("read", ["UTC", "Europe/Berlin", "Pacific/Auckland"])
def test_an_expiry_is_the_same_moment_in_every_zone(in_zone, save, server, provider, written, read):
    """The library writes local time without its zone."""
    for zone in (read, written):
        sso = in_zone(zone)
        if not is_clear(provider.lifetime):
            provider.lifetime += 2 * 3600
    app = ADALApp(server, ADA)
    held = app.sign_in(provider, GRAPH)
    [entry] = json.loads(app.serialized)
    expiry = datetime.fromisoformat(entry["expiresOn"]).timestamp()
    taken(sso, save, app.serialized)

    exported = given(in_zone(read))

    [entry] = exported
    assert datetime.fromisoformat(entry["expiresOn"]).timestamp() == int(expiry)
    asked = len(server.requests)
    assert ADALApp(server, ADA, cache=exported).token(GRAPH) == held
    assert len(server.requests) == asked


# Azure CLI.


def test_azure_clis_service_principals_are_omitted(sso, save, signed_in):
    cache = json.loads(signed_in.serialized)
    for entry in cache:
        for name in ("familyName", "givenName", "isUserIdDisplayable", "tenantId"):
            del entry[name]
    principals = [
        {"servicePrincipalId": "robot", "servicePrincipalTenant": ADA.utid, "accessToken": "hush"},
        {"servicePrincipalId": "other", "servicePrincipalTenant": ADA.utid, "certificateFile": "/a.pem"},
    ]
    taken(sso, save, json.dumps([principals[0], *cache, principals[1]]), form="azure-cli")
    exported = given(sso)
    assert "hush" not in json.dumps(exported)
    for kind in ("accessToken", "refreshToken"):
        assert tokens(exported, kind) == tokens(cache, kind)
    assert {entry["tenantId"] for entry in exported} == {ADA.utid}


# Malformed files.


BAD = {
    "nothing": "",
    "an object": "{}",
    "cut off": '[{"_clientId": "c"',
    "no client": '[{"_authority": "a", "accessToken": "b", "resource": "c"}]',
    "another kind": '[{"_authority": "a", "_clientId": "c", "accessToken": 1}]',
    "another calendar": '[{"_authority": "a", "_clientId": "c", "accessToken": "b",'
    ' "expiresOn": "2569-05-31 12:00:00"}]',
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_an_unreadable_file_is_refused_and_nothing_is_stored(sso, save, bus, group, text):
    for form in ("adal-python", "azure-cli"):
        assert sso.fail(BAD_INPUT, "import", "--format", form, save(text)) == "invalidFile"
    assert search(bus, group=group) == []
    assert group_collections(bus, group) == []


def test_one_invalid_entry_refuses_the_file_unless_it_is_skipped(sso, save, bus, group, signed_in):
    cache = [{"_clientId": "no authority"}, *json.loads(signed_in.serialized)]
    path = save(json.dumps(cache))
    assert sso.fail(BAD_INPUT, "import", "--format", "adal-python", path) == "invalidFile"
    assert search(bus, group=group) == []
    taken(sso, save, json.dumps(cache), "--skip-invalid")
    assert tokens(given(sso), "accessToken") == tokens(cache, "accessToken")
