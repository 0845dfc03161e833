# SPDX-License-Identifier: MIT
"""A refresh token that an authority has sent is stored, whatever else is odd in the response."""

import time

import pytest

from held_provider import CLIENT, PERSON
from sso_cache import DONE, STORAGE_OR_NETWORK
from unified_cache import secrets


@pytest.mark.parametrize("member", ["expires_in", "ext_expires_in", "refresh_in"])
@pytest.mark.parametrize("value", [-1, 2_145_916_800, 1e300, "-3600", "99999999999999999999", "NaN", True, [1]])
def test_an_odd_lifetime_is_replaced_with_a_warning(sso, provider, arguments, is_signed_in, member, value):
    provider.changes = {member: value}
    provider.gate.set()
    outcome = sso.run("token", "--json", *arguments)
    assert outcome.status == DONE and outcome.json["source"] == "refresh", outcome
    assert f"warning: the authority's response has an odd {member}" in outcome.stderr
    assert outcome.json["expires_on"] <= time.time() + 315_360_000
    assert is_signed_in()


@pytest.mark.parametrize(
    "changes",
    [{"id_token": "x"}, {"id_token": 1}, {"id_token": None}, {"scope": ["api"]}, {"token_type": 1}, {"foci": 1},
     {"foci": "1" * 900_000}, {"foci": "1"}, {"foci": "a/b"}, {"client_info": 1}, {"client_info": "x"},
     {"expires_in": None}, {"expires_in": 0}],
    ids=lambda changes: str(changes)[:30])
def test_an_odd_response_keeps_the_sign_in(sso, provider, arguments, is_signed_in, changes):
    provider.changes = changes
    provider.gate.set()
    assert sso.run("token", "--json", *arguments).status == DONE
    assert is_signed_in()


def test_a_response_without_an_access_token_keeps_the_sign_in(sso, provider, arguments, is_signed_in):
    provider.changes = {"access_token": None}
    provider.gate.set()
    assert sso.fail(STORAGE_OR_NETWORK, "token", *arguments) == "serverError"
    assert is_signed_in()


def test_an_imported_family_outside_azure_ad_keeps_the_sign_in(sso, provider, authority, arguments, is_signed_in):
    """Other MSALs keep whatever a provider has sent."""
    host = authority.removeprefix("http://").removesuffix("/staff")
    cache = provider.cache_of_sign_in(PERSON, CLIENT, host)
    for section in ("RefreshToken", "AppMetadata"):
        for entry in cache[section].values():
            entry["family_id"] = "1"
    sso.take(cache, "--replace", "--yes")
    assert is_signed_in()


def test_a_number_as_the_refresh_token_is_stored_as_its_text(sso, provider, arguments):
    """RFC 6749 asks for a string; the number is the only token that the provider takes from now on."""
    provider.changes = {"refresh_token": 1234567890123}
    provider.gate.set()
    outcome = sso.run("token", "--json", *arguments)
    assert outcome.status == DONE, outcome
    assert "warning: the authority's response has an odd refresh_token" in outcome.stderr
    assert secrets(sso.give(), "RefreshToken") == {"1234567890123"}
