# SPDX-License-Identifier: MIT
"""An account that is too large for a record keeps no other from being imported, and is named."""

import json

import pytest

from people import ADA, GRACE
from sso_cache import BAD_INPUT
from unified_cache import CLIENT, access_token, account, refresh_token, secrets, signed_in


def cache_with(**large):
    """A cache in which Ada is signed in, and Grace with what is large."""
    cache, _ = signed_in()
    cache["RefreshToken"]["grace"] = refresh_token(GRACE, **large)
    cache["Account"]["grace"] = account(GRACE)
    return cache


def test_expired_access_tokens_make_room(sso):
    cache = cache_with()
    for number in range(700):
        cache["AccessToken"][f"grace {number}"] = access_token(
            f"scope{number}", GRACE, age=1_000_000, secret=f"s3cr3t-{number}-{'x' * 2_500}")
    assert sso.take(cache)["added"] == 2
    assert {each["username"] for each in sso.accounts()} == {ADA.username, GRACE.username}
    assert secrets(cache, "RefreshToken") == secrets(sso.give(), "RefreshToken")
    assert sso.take(cache)["unchanged"] == 2


@pytest.mark.parametrize("size", [1_000_001, 1_700_000])
@pytest.mark.parametrize("flags", [[], ["--dry-run"], ["--replace", "--yes"]], ids=str)
def test_an_account_that_is_too_large_is_named_and_the_others_are_imported(sso, save, size, flags):
    file = save(json.dumps(cache_with(secret="s3cr3t" + "z" * size)))
    outcome = sso.run("import", "--format", "msal", *flags, "--json", file)
    assert (outcome.status, outcome.error) == (BAD_INPUT, "invalidFile"), outcome
    error = json.loads(outcome.stderr)["error"]
    assert f"Sign-in for {CLIENT} at login.windows.net of {GRACE.identifier}" in error["detail"]
    assert "1 added" in error["detail"] and ADA.identifier not in error["detail"]
    assert "Sign in" in error["remedy"]
    assert [each["username"] for each in sso.accounts()] == ([] if "--dry-run" in flags else [ADA.username])
