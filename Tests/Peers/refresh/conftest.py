# SPDX-License-Identifier: MIT
"""A sign-in at a provider that holds token requests, and whose refresh tokens are good for one use."""

import pytest

from held_provider import CLIENT, PERSON, HeldProvider
from servers import LoopbackServer
from sso_cache import DONE
from unified_cache import secrets


@pytest.fixture
def provider():
    return HeldProvider()


@pytest.fixture
def server(provider):
    with LoopbackServer(provider) as server:
        yield server
        provider.release()


@pytest.fixture
def authority(server):
    return f"{server.address}/staff"


@pytest.fixture
def arguments(sso, provider, server, authority):
    """The command that refreshes; its user's refresh token is good for one use."""
    sso.take(provider.cache_of_sign_in(PERSON, CLIENT, server.host))
    return ["--client-id", CLIENT, "--account", PERSON.uid, "--authority", authority, "--scope", "api"]


@pytest.fixture
def is_signed_in(sso, provider, arguments):
    """Whether the stored refresh token is one that the provider takes."""

    def check():
        provider.changes = {}
        provider.release()
        [stored] = secrets(sso.give(), "RefreshToken")
        again = sso.run("token", "--json", *arguments[:-1], "another")
        return again.status == DONE and secrets(sso.give(), "RefreshToken") != {stored}

    return check
