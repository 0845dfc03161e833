# SPDX-License-Identifier: MIT
"""Apps of MSAL Python that share a group."""

import os
import signal
import threading

import pytest

from agent_client import Bus
from group_apps import GroupApps
from providers import AzureAD


@pytest.fixture
def provider():
    return AzureAD()


@pytest.fixture
def new_app(provider, group):
    return GroupApps(provider, group)


@pytest.fixture(params=["cache", "persistence"])
def kind(request):
    return request.param


@pytest.fixture
def agent():
    bus = Bus()
    yield bus
    bus.close()


@pytest.fixture
def frozen(agent):
    """Freezes the agent for some seconds."""
    def freeze(seconds):
        process = agent.agent()
        os.kill(process, signal.SIGSTOP)
        threading.Timer(seconds, os.kill, (process, signal.SIGCONT)).start()

    return freeze
