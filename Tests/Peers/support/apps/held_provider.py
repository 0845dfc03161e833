# SPDX-License-Identifier: MIT
"""Providers that hold token requests, and the tool that waits for one."""

import subprocess
import threading

from people import Person
from providers import AzureAD, OpenIDProvider

PERSON = Person("ada@example.org", "Ada Lovelace", "248289761001")
CLIENT = "desktop"
SOON_SECONDS = 30


class Held:
    """Holds every token request until the test releases it, and changes what it sends then."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.arrived, self.gate = threading.Event(), threading.Event()
        self.changes = {}

    def release(self):
        self.gate.set()

    def respond(self, url, form):
        status, body = super().respond(url, form)
        if url.endswith("/token"):
            self.arrived.set()
            self.gate.wait(60)
            body = {name: value for name, value in (body | self.changes).items() if value is not None}
        return status, body


class HeldProvider(Held, OpenIDProvider):
    """An OpenID provider that holds token requests."""


class HeldAzureAD(Held, AzureAD):
    """Azure AD, holding token requests."""


def started(sso, arguments, provider, **options):
    """The tool, whose request the provider holds."""
    process = subprocess.Popen(
        sso.arguments("token", *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=sso.environment, **options)
    assert provider.arrived.wait(SOON_SECONDS)
    return process
