# SPDX-License-Identifier: MIT
"""The tool at Azure AD: over TLS, under its real name, on the loopback interface."""

import pytest

from people import ADA, GRACE, OTHER_TENANT, TENANT
from providers import AzureAD
from servers import AzureADServer, Certificate
from sso_cache import DECLINED_SCOPES, DONE, INTERACTION_REQUIRED, STORAGE_OR_NETWORK
from unified_cache import AAD, CLIENT, access_token, cache_of, secrets, section

SCOPE = "User.Read"
TUNNEL = f"{AAD}:443"


@pytest.fixture
def provider():
    return AzureAD()


@pytest.fixture
def server(provider, certificate):
    with AzureADServer(provider, certificate) as server:
        yield server


@pytest.fixture
def signed_in(sso, provider):
    """A group with Ada signed in and an expired access token. The tool has no server."""
    sso.take(provider.honoring(cache_of(access_token(SCOPE, age=7200)), ADA, CLIENT))
    return sso


@pytest.fixture
def online(signed_in, server, trust):
    """The same, with a server of Azure AD."""
    return trust.online(signed_in, server)


def refusal(error, suberror):
    return 400, {
        "error": error,
        "suberror": suberror,
        "error_description": "AADSTS50173: The provided grant has expired due to it being revoked.",
        "error_codes": [50173],
    }


def token_arguments(*scopes, tenant=TENANT):
    return ["--client-id", CLIENT, "--account", ADA.username,
            "--authority", f"https://{AAD}/{tenant}", "--scope", *scopes]


# The request and its response.


def test_the_request_is_a_public_clients_with_client_info_and_a_sign_ins_scopes(online, provider):
    [refresh_token] = online.give()["RefreshToken"].values()
    online.do("token", *token_arguments(SCOPE, "Mail.Read"))
    [request] = provider.token_requests
    assert set(request.pop("scope").split()) == {SCOPE, "Mail.Read", "openid", "profile", "offline_access"}
    assert request == {
        "grant_type": "refresh_token",
        "client_id": CLIENT,
        "refresh_token": refresh_token["secret"],
        "client_info": "1",
    }


@pytest.mark.parametrize(
    "authority, tenant",
    [("common", TENANT), ("organizations", TENANT), (TENANT, TENANT), (OTHER_TENANT, OTHER_TENANT)],
    ids=["common", "organizations", "home", "guest"],
)
def test_the_request_goes_to_the_tenant_under_which_the_token_is_stored(
    online, server, authority, tenant
):
    """Without a tenant in the authority the request goes to the home tenant."""
    token = online.do("token", *token_arguments(SCOPE, tenant=authority))["access_token"]
    assert server.requests[-1] == f"https://{AAD}/{tenant}/oauth2/v2.0/token"
    assert set(server.tunnels) == {TUNNEL}
    [realm] = [entry["realm"] for entry in online.give()["AccessToken"].values() if entry["secret"] == token]
    assert realm == tenant


def test_an_expired_token_is_refreshed_once_and_then_returned_from_the_cache(online, provider):
    first = online.do("token", *token_arguments(SCOPE))
    second = online.do("token", *token_arguments(SCOPE))
    offline = online.token(CLIENT, ADA.identifier, SCOPE)
    assert [result["source"] for result in (first, second, offline)] == ["refresh", "cache", "cache"]
    assert first["access_token"] == second["access_token"] == offline["access_token"]
    assert len(provider.token_requests) == 1


def test_the_next_refresh_uses_the_refresh_token_of_the_last_response(online, provider):
    online.do("token", *token_arguments(SCOPE))
    [brought] = online.give()["RefreshToken"].values()
    online.do("token", *token_arguments("Mail.Read"))
    assert [request["refresh_token"] for request in provider.token_requests][1] == brought["secret"]


# Refusals and failures.


@pytest.mark.parametrize(
    "error, suberror",
    [("invalid_grant", "token_expired"), ("interaction_required", "basic_action"), ("login_required", ""),
     ("consent_required", "consent_required")],
)
def test_a_refused_refresh_needs_interaction(online, provider, error, suberror):
    before = online.give()
    provider.failure = refusal(error, suberror)
    assert online.fail(INTERACTION_REQUIRED, "token", *token_arguments(SCOPE)) == "interactionRequired"
    assert online.give() == before


def test_a_refresh_token_that_the_server_calls_bad_is_not_sent_again(online, provider):
    provider.failure = refusal("invalid_grant", "bad_token")
    assert online.fail(INTERACTION_REQUIRED, "token", *token_arguments(SCOPE)) == "interactionRequired"
    provider.failure = None
    assert online.fail(INTERACTION_REQUIRED, "token", *token_arguments(SCOPE)) == "interactionRequired"
    assert len(provider.token_requests) == 1
    assert secrets(online.give(), "RefreshToken") == set()


@pytest.mark.parametrize(
    "status, error",
    [(500, "server_error"), (503, "temporarily_unavailable"), (400, "invalid_client"), (400, "slow_down"),
     (400, "unauthorized_client"), (400, "access_denied"), (400, {"code": "ServiceUnavailable"}), (401, None)],
)
def test_a_failing_server_is_a_server_error(online, provider, status, error):
    before = online.give()
    provider.failure = status, {"error": error}
    assert online.fail(STORAGE_OR_NETWORK, "token", *token_arguments(SCOPE)) == "serverError"
    assert online.give() == before
    if status < 500:
        provider.failure = None
        assert online.do("token", *token_arguments(SCOPE))["source"] == "refresh"


def test_declined_scopes_are_reported_and_the_granted_ones_stored(online, provider):
    provider.declined = {"Mail.Send"}
    assert online.fail(DECLINED_SCOPES, "token", *token_arguments(SCOPE, "Mail.Send")) == "declinedScopes"
    assert online.token(CLIENT, ADA.username, SCOPE)["source"] == "cache"


def test_a_response_for_another_user_is_discarded(online, provider):
    before = online.give()
    for grant in provider._grants.values():
        grant.person = GRACE
    outcome = online.run("token", "--json", *token_arguments(SCOPE))
    assert outcome.status != DONE
    assert outcome.error == "accountMismatch"
    assert online.give() == before


# No other server receives the refresh token.


def test_a_server_with_an_untrusted_certificate_receives_no_refresh_token(signed_in, server):
    before = signed_in.give()
    reaching = signed_in.with_environment(https_proxy=server.address)
    assert reaching.fail(STORAGE_OR_NETWORK, "token", *token_arguments(SCOPE)) == "networkError"
    assert TUNNEL in server.tunnels
    assert server.requests == []
    assert signed_in.give() == before


def test_a_server_with_another_hosts_certificate_receives_no_refresh_token(
    signed_in, provider, trust, tmp_path
):
    with AzureADServer(provider, Certificate(tmp_path, "login.example.com")) as server:
        reaching = trust.online(signed_in, server)
        assert reaching.fail(STORAGE_OR_NETWORK, "token", *token_arguments(SCOPE)) == "networkError"
    assert TUNNEL in server.tunnels
    assert server.requests == []


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_refresh_token_does_not_follow_a_redirect(online, server, provider, status):
    provider.failure = status, {"location": "https://login.example.com/oauth2/v2.0/token"}
    assert online.fail(STORAGE_OR_NETWORK, "token", *token_arguments(SCOPE)) == "serverError"
    assert set(server.tunnels) == {TUNNEL}


@pytest.mark.parametrize("environment", ["login.microsoftonline.us", "login.partner.microsoftonline.cn"])
def test_a_refresh_token_of_another_cloud_is_not_sent_to_this_one(sso, server, trust, environment):
    cache = cache_of(access_token(SCOPE, age=7200, environment=environment), environment=environment)
    sso.take(cache)
    online = trust.online(sso, server)
    assert online.fail(INTERACTION_REQUIRED, "token", *token_arguments(SCOPE)) == "interactionRequired"
    assert server.tunnels == []


def test_a_valid_token_costs_no_request(sso, server, trust):
    sso.take(cache_of(access_token(SCOPE)))
    assert trust.online(sso, server).do("token", *token_arguments(SCOPE))["source"] == "cache"
    assert server.tunnels == []


def test_a_client_outside_a_family_does_not_get_the_refresh_token_of_another(online, server):
    outsider = "11111111-2222-4333-8444-555555555555"
    online.take({
        "AppMetadata": section({"client_id": outsider, "environment": AAD, "family_id": ""})
    })
    arguments = ["--client-id", outsider, *token_arguments(SCOPE)[2:]]
    assert online.fail(INTERACTION_REQUIRED, "token", *arguments) == "interactionRequired"
    assert server.tunnels == []
