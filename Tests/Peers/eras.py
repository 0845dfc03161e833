# SPDX-License-Identifier: MIT
"""The example apps as releases of three eras, built with ADAL before 2.7, with ADAL after it, and with
MSAL, and an Azure AD of both versions at which they sign in."""

import base64
import json
import os
import subprocess
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit

from people import Person, base64url
from providers import AzureAD
from servers import LoopbackServer
from sso_cache import LIMIT_SECONDS, TOKEN_MARK

ADAL_26, ADAL_27, MSAL = ERAS = ("adal-2.6", "adal-2.7", "msal")

RESOURCE = "https://suite.contoso.com"
OTHER_RESOURCE = "https://outlook.contoso.com"


class BothVersions(AzureAD):
    """Answers under the address that it was asked at, to requests for scopes and to those for a resource."""

    def __init__(self, family=(), person=None):
        super().__init__(family)
        self.person = person

    def configuration(self, url):
        base = url.removesuffix("/.well-known/openid-configuration")
        return {
            "issuer": base,
            "token_endpoint": f"{base}/token",
            "authorization_endpoint": f"{base}/authorize",
        }

    def answer(self, url, form):
        if urlsplit(url).path.endswith("/authorize"):
            query = dict(parse_qsl(urlsplit(url).query))
            return 302, {"location": f"{query['redirect_uri']}?{urlencode(self.authorize(url, self.person))}"}
        return super().answer(url, form)

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
    """One of the suite's apps, in a release of an era; each call is a process of its own."""

    program: str
    era: str
    client: str
    issuer: str
    browser: str
    options: dict = field(default_factory=dict)

    def run(self, *arguments, **options):
        environment = os.environ | {
            "CONTOSO_ISSUER": self.issuer,
            "CONTOSO_AZURE": "1",
            "CONTOSO_CLIENT_ID": self.client,
            "CONTOSO_LIBRARY": self.era,
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
        """Whether the app has a token without asking anybody."""
        outcome = self.run("read", CONTOSO_SCOPE="suite.write", CONTOSO_RESOURCE=OTHER_RESOURCE)
        assert outcome.returncode in (0, 10), outcome
        assert (outcome.returncode == 10) == ("interactionRequired" in outcome.stderr), outcome
        return outcome.returncode == 0

    def sees(self):
        """The people who are signed in."""
        outcome = self.run("accounts")
        assert outcome.returncode == 0, outcome
        names = [line.partition(": ")[2] for line in outcome.stdout.splitlines()]
        return [] if names == ["nobody is signed in"] else names

    def sign_out(self):
        outcome = self.run("sign-out")
        assert outcome.returncode == 0, outcome


class AzureADOfBothVersions(LoopbackServer):
    """The provider, at a tenantless authority on a loopback port."""

    def __init__(self, provider):
        super().__init__(provider)
        self.provider = provider
        self.issuer = f"{self.address}/common"
