# SPDX-License-Identifier: MIT
"""The example apps, each release built with one of three libraries: ADAL before 2.7, ADAL 2.7, or MSAL. They
sign in at an Azure AD with both versions of its protocol."""

import base64
import json
import os
import subprocess
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit

from people import Person, base64url
from providers import AzureAD, configuration_at
from secret_items import search
from servers import LoopbackServer
from sso_cache import LIMIT_SECONDS, TOKEN_MARK

ADAL_26, ADAL_27, MSAL = LIBRARIES = ("adal-2.6", "adal-2.7", "msal")

# The group of the example apps, of the publisher com.contoso.
GROUP_OF_EXAMPLES = "com.contoso.shared"

RESOURCE = "https://suite.contoso.com"
OTHER_RESOURCE = "https://outlook.contoso.com"


def expire(bus):
    """Makes every access token of the group a day older."""
    for item in search(bus, kind="credentials", group=GROUP_OF_EXAMPLES):
        document = json.loads(item.get_secret())
        for entry in document.get("AccessToken", {}).values():
            entry |= {name: str(int(entry[name]) - 86400) for name in ("cached_at", "expires_on")}
            entry.pop("extended_expires_on", None)
        item.set_secret(json.dumps(document).encode(), "application/json")


def stored(bus):
    """The only document of the group."""
    [item] = search(bus, kind="credentials", group=GROUP_OF_EXAMPLES)
    return json.loads(item.get_secret())


class BothVersions(AzureAD):
    """Responds to requests for scopes and for a resource, as the issuer of the requested address."""

    def __init__(self, family=(), person=None):
        super().__init__(family)
        self.person = person

    def configuration(self, url):
        return configuration_at(url)

    def respond(self, url, form):
        if urlsplit(url).path.endswith("/authorize"):
            query = dict(parse_qsl(urlsplit(url).query))
            return 302, {"location": f"{query['redirect_uri']}?{urlencode(self.authorize(url, self.person))}"}
        return super().respond(url, form)

    def response(self, url, grant, form):
        body = super().response(url, grant, form)
        person: Person = grant.person
        claims = {"iss": url.removesuffix("/token"), "aud": form["client_id"]}
        if "resource" in form:
            body["resource"] = form["resource"]
            body["scope"] = "user_impersonation"
            claims |= {"ver": "1.0", "upn": person.username, "unique_name": person.username}
        body["id_token"] = changed_claims(body["id_token"], claims)
        return body


def changed_claims(token, changes):
    head, payload, signature = token.split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return ".".join([head, base64url(claims | changes), signature])


@dataclass
class App:
    """A release of one of the suite's apps, built with one library. Each call runs a new process."""

    program: str
    library: str
    client: str
    issuer: str
    browser: str
    options: dict = field(default_factory=dict)

    def run(self, *arguments, **options):
        environment = os.environ | {
            "CONTOSO_ISSUER": self.issuer,
            "CONTOSO_AZURE": "1",
            "CONTOSO_CLIENT_ID": self.client,
            "CONTOSO_LIBRARY": self.library,
            "CONTOSO_SCOPE": "suite.read",
            "CONTOSO_RESOURCE": RESOURCE,
            "BROWSER": self.browser,
        } | self.options | options
        outcome = subprocess.run(
            [self.program, *arguments], env=environment, capture_output=True, text=True, timeout=LIMIT_SECONDS,
        )
        assert TOKEN_MARK not in outcome.stdout + outcome.stderr
        return outcome

    def sign_in(self, person):
        outcome = self.run("sign-in")
        assert outcome.returncode == 0 and person.username in outcome.stdout, outcome

    def is_silent(self):
        """Whether the app gets a token without interaction."""
        outcome = self.run("read", CONTOSO_SCOPE="suite.write", CONTOSO_RESOURCE=OTHER_RESOURCE)
        assert outcome.returncode in (0, 10), outcome
        assert (outcome.returncode == 10) == ("You need to sign in again." in outcome.stderr), outcome
        return outcome.returncode == 0

    def sees(self):
        """The users who are signed in."""
        outcome = self.run("accounts")
        assert outcome.returncode == 0, outcome
        names = [line.partition(": ")[2] for line in outcome.stdout.splitlines()]
        return [] if names == ["nobody is signed in"] else names

    def sign_out(self):
        outcome = self.run("sign-out")
        assert outcome.returncode == 0, outcome


class AzureADOfBothVersions(LoopbackServer):
    """A server of the provider on a loopback port, with a tenantless authority."""

    def __init__(self, provider):
        super().__init__(provider)
        self.provider = provider
        self.issuer = f"{self.address}/common"
