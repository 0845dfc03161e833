# SPDX-License-Identifier: MIT
"""Apps of MSAL Python that share a group."""

import contextlib
import os
import signal
import threading

import pytest

from agent_client import suspend
from group_apps import SCOPE, GroupApps
from people import ADA
from providers import AzureAD


@pytest.fixture
def provider():
    return AzureAD()


@pytest.fixture
def new_app(provider, group):
    return GroupApps(provider, group)


@pytest.fixture
def app(new_app):
    """An app with Ada signed in."""
    app = new_app()
    app.sign_in_with_browser(ADA, [SCOPE])
    return app


@pytest.fixture(params=["cache", "persistence"])
def kind(request):
    return request.param


@pytest.fixture
def frozen(agent):
    """Freezes the agent for some seconds, or until the test ends."""
    timers = []

    def freeze(seconds):
        process = agent.agent()
        suspend(process)
        timers.append(threading.Timer(seconds, os.kill, (process, signal.SIGCONT)))
        timers[-1].start()

    yield freeze
    for timer in timers:
        timer.cancel()
        with contextlib.suppress(ProcessLookupError):
            os.kill(*timer.args)
