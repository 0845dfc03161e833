# SPDX-License-Identifier: MIT
"""Many processes at a real provider, whose refresh tokens can be redeemed once: one of them redeems for all."""

import os
import subprocess

import pytest

from example_apps import expire, stored
from repository import SCRIPTS
from sso_cache import DONE
from unified_cache import secrets

PROCESSES = 8


@pytest.fixture
def apps(examples, real_provider, suite):
    """The example apps at the real provider; Ada is signed in through one of them."""
    environment = os.environ | {"CONTOSO_ISSUER": real_provider.issuer, "BROWSER": str(SCRIPTS / "browser")}

    def start(app, command):
        return subprocess.Popen(
            [examples / app, command], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    signing_in = start("contoso-mail", "sign-in")
    stdout, stderr = signing_in.communicate(timeout=60)
    assert signing_in.returncode == 0, stdout + stderr
    return start


def stored_refresh_token(bus):
    [token] = secrets(stored(bus), "RefreshToken")
    return token


def test_eight_processes_at_a_real_provider_redeem_each_one_use_token_once(apps, bus):
    """The provider would refuse a second redemption, and no valid token would remain."""
    tokens = {stored_refresh_token(bus)}
    for turn in range(1, 6):
        expire(bus)
        processes = [apps(app, "read") for app in ["contoso-mail", "contoso-calendar"] * (PROCESSES // 2)]
        ended = [process.communicate(timeout=60) for process in processes]
        assert [process.returncode for process in processes] == [DONE] * PROCESSES, ended
        ways = sorted("by a refresh" in stdout for stdout, _ in ended)
        assert ways == [False] * (PROCESSES - 1) + [True], ended
        tokens.add(stored_refresh_token(bus))
        assert len(tokens) == turn + 1
