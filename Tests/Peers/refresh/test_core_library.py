# SPDX-License-Identifier: MIT
"""The core library of the examples, at a real provider: sign-in by device code, shared with the apps of the suite."""

import os
import re
import subprocess

import pytest

LIMIT_SECONDS = 60


@pytest.fixture
def terminal(examples, real_provider, suite):
    """Starts a command of the app without a browser."""
    environment = os.environ | {"CONTOSO_ISSUER": real_provider.issuer}

    def start(command, app="contoso-terminal"):
        return subprocess.Popen(
            [examples / app, command], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    return start


def done(process):
    stdout, stderr = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 0, stdout + stderr
    return stdout


def test_a_sign_in_by_device_code_serves_every_app_of_the_suite_until_each_signs_out(terminal, real_provider):
    failed = terminal("token")
    assert failed.communicate(timeout=LIMIT_SECONDS) == ("", "You need to sign in again.\n")
    signing_in = terminal("sign-in")
    code = re.fullmatch(r"Open http://\S+ and enter the code (\S+)\.\n", signing_in.stdout.readline())
    real_provider.enter(code[1])
    assert done(signing_in) == "ada@contoso.com is signed in.\n"
    assert done(terminal("token")) == "A token for ada@contoso.com, from the cache.\n"
    assert "ada@contoso.com" in done(terminal("read", "contoso-calendar"))
    assert done(terminal("sign-out")) == ""
    assert done(terminal("accounts")) == ""
    assert "ada@contoso.com" in done(terminal("read", "contoso-calendar"))
