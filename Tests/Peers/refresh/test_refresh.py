# SPDX-License-Identifier: MIT
"""The tool at an authority's token endpoint, over loopback HTTP."""

import socket
import subprocess

import pytest

from few_threads import with_few_threads
from held_provider import CLIENT, PERSON
from people import Person
from providers import OpenIDProvider
from servers import LoopbackServer
from sso_cache import (
    DECLINED_SCOPES, DONE, INTERACTION_REQUIRED, STORAGE_OR_NETWORK, USAGE, Outcome, check_contract,
)
from unified_cache import access_token, cache_of, secrets


@pytest.fixture
def provider():
    return OpenIDProvider()


@pytest.fixture
def signed_in(sso, provider, server):
    """A group with the user signed in and an expired access token."""
    sso.take(provider.cache_of_sign_in(PERSON, CLIENT, server.host))
    return sso


def token_arguments(authority, *scopes):
    return ["--client-id", CLIENT, "--account", PERSON.uid, "--authority", authority, "--scope", *scopes]


def test_a_refresh_needs_no_more_threads_than_the_tool_asks_for(signed_in, few_threads, provider, authority):
    command = signed_in.arguments("token", *token_arguments(authority, "api"))
    done = subprocess.run(
        with_few_threads(command), env=signed_in.environment | few_threads, capture_output=True, text=True, timeout=60)
    assert done.returncode == DONE and len(provider.token_requests) == 1, done


def test_an_expired_token_is_refreshed_and_the_next_call_uses_the_cache(
    signed_in, provider, authority
):
    first = signed_in.do("token", *token_arguments(authority, "api"))
    second = signed_in.do("token", *token_arguments(authority, "api"))
    offline = signed_in.token(CLIENT, PERSON.username, "api")

    assert first["source"] == "refresh"
    assert second["source"] == offline["source"] == "cache"
    assert first["access_token"] == second["access_token"] == offline["access_token"]
    assert len(provider.token_requests) == 1
    assert first["account"]["identifier"] == PERSON.uid
    assert first["account"]["environment"] in authority


def test_the_refresh_request_is_a_public_clients(signed_in, provider, authority):
    signed_in.do("token", *token_arguments(authority, "api", "openid"))
    [request] = provider.token_requests
    assert request["grant_type"] == "refresh_token"
    assert request["client_id"] == CLIENT
    assert set(request["scope"].split()) == {"api", "openid"}
    assert "client_secret" not in request


def test_a_one_use_refresh_token_is_replaced_by_the_next(signed_in, provider, authority):
    for scope in ("one", "two", "three"):
        assert signed_in.do("token", *token_arguments(authority, scope))["source"] == "refresh"
    assert len(secrets(signed_in.give(), "RefreshToken")) == 1


def test_eight_processes_that_need_a_refresh_redeem_a_one_use_token_once(signed_in, provider, authority):
    command = signed_in.arguments("token", "--json", *token_arguments(authority, "api"))
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(8)
    ]
    outcomes = []
    for process in processes:
        stdout, stderr = process.communicate(timeout=60)
        outcomes.append(Outcome(process.returncode, stdout, stderr, 0))
    for outcome in outcomes:
        check_contract("token", True, outcome)
    assert [outcome.status for outcome in outcomes] == [DONE] * 8
    assert len({outcome.json["access_token"] for outcome in outcomes}) == 1
    assert len(provider.token_requests) == 1


def test_a_refresh_token_that_the_server_refuses_needs_interaction(signed_in, provider, authority):
    provider.failure = 400, {"error": "invalid_grant", "error_description": "ada sent it"}
    arguments = token_arguments(authority, "api")
    for _ in range(2):
        for command in (["token"], ["token", "--json"]):
            outcome = signed_in.run(*command, *arguments)
            assert outcome.status == INTERACTION_REQUIRED
            assert "access tokens can't be used: 1 expired." in outcome.stderr, outcome
            assert "The server's reason: HTTP status 400: invalid_grant." in outcome.stderr
            assert "ada sent it" not in outcome.stderr


@pytest.mark.parametrize(
    "failure, status, requests",
    [((400, {"error": "invalid_grant"}), INTERACTION_REQUIRED, 1),
     ((429, {}), STORAGE_OR_NETWORK, 1),
     ((500, {}), STORAGE_OR_NETWORK, 2)],  # a server error is tried again once
)
def test_a_refused_request_is_not_sent_again_by_the_next_process(
    signed_in, provider, authority, failure, status, requests
):
    provider.failure = failure
    codes = {signed_in.fail(status, "token", *token_arguments(authority, "api")) for _ in range(3)}
    assert len(codes) == 1
    assert len(provider.token_requests) == requests


def test_a_server_error_before_a_successful_second_request_is_not_reported(signed_in, provider, authority):
    provider.failures = [(503, {})]
    assert signed_in.do("token", *token_arguments(authority, "api"))["source"] == "refresh"
    assert len(provider.token_requests) == 2


def test_scopes_that_the_server_declines_are_reported_as_declined(signed_in, provider, authority):
    provider.declined = {"admin"}
    arguments = token_arguments(authority, "api", "admin")
    assert signed_in.fail(DECLINED_SCOPES, "token", *arguments) == "declinedScopes"
    # The granted scopes are cached.
    assert signed_in.token(CLIENT, PERSON.uid, "api")["source"] == "cache"


@pytest.mark.parametrize("failure", [(500, {"error": "server_error"}), (200, {}), (200, [])])
def test_a_failing_server_is_a_network_error_and_changes_nothing(
    signed_in, provider, authority, failure
):
    before = signed_in.give()
    provider.failure = failure
    arguments = token_arguments(authority, "api")
    assert signed_in.fail(STORAGE_OR_NETWORK, "token", *arguments) in ("serverError", "networkError")
    assert signed_in.give() == before


def test_an_authority_without_a_listener_is_a_network_error(sso):
    with LoopbackServer(OpenIDProvider()) as server:
        host = server.host
    options = dict(client=CLIENT, environment=host, identifier=PERSON.uid)
    sso.take(cache_of(access_token("api", PERSON, age=7200, realm="staff", **options),
                      person=PERSON, realm="staff", **options))
    arguments = token_arguments(f"http://{host}/staff", "api")
    assert sso.fail(STORAGE_OR_NETWORK, "token", *arguments) == "networkError"


def test_a_refresh_token_is_never_sent_to_another_providers_host(signed_in, provider):
    with LoopbackServer(provider) as other:
        arguments = token_arguments(f"{other.address}/staff", "api")
        assert signed_in.fail(INTERACTION_REQUIRED, "token", *arguments) == "interactionRequired"
    assert provider.token_requests == []


@pytest.mark.parametrize("issuer", ["", "https://mallory.example"])
def test_a_response_for_another_account_is_discarded(signed_in, provider, authority, issuer):
    before = signed_in.give()
    provider.issuer = issuer
    intruder = Person("eve@example.org", "Eve", "666")
    for grant in provider._grants.values():
        grant.person = intruder
    outcome = signed_in.run("token", "--json", *token_arguments(authority, "api"))
    assert outcome.status != DONE
    assert outcome.error == "accountMismatch"
    assert signed_in.give() == before


@pytest.mark.parametrize(
    "authority",
    ["", "id.contoso.com", "http://id.contoso.com", "ftp://localhost", "https://user@id.contoso.com",
     "https://id.contoso.com/?tenant=x", "https://id.contoso.com/#x"],
)
def test_an_authority_that_is_no_secure_url_is_a_usage_error(sso, authority):
    assert sso.fail(USAGE, "token", *token_arguments(authority, "api")) == "invalidArgument"


PROXY_VARIABLES = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"]


@pytest.mark.parametrize("variables", [*([name] for name in PROXY_VARIABLES), PROXY_VARIABLES], ids=" ".join)
def test_an_unencrypted_request_uses_no_proxy(signed_in, provider, authority, variables):
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.setblocking(False)
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        tool = signed_in.with_environment(no_proxy="", NO_PROXY="", **dict.fromkeys(variables, address))
        assert tool.do("token", *token_arguments(authority, "api"))["source"] == "refresh"
        assert len(provider.token_requests) == 1
        with pytest.raises(BlockingIOError):
            proxy.accept()
