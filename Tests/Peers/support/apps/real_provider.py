# SPDX-License-Identifier: MIT
"""A real OpenID provider with one user, ada, whose refresh tokens can be redeemed once."""

import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from repository import SCRIPTS

CLIENT = "contoso-suite"
SCOPE = "suite.read"


class NoRedirection(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: glewlwyd has no pages here."""

    def redirect_request(self, *_):
        return None


class RealProvider:
    """glewlwyd; its log records its requests."""

    def __init__(self, folder):
        self._folder = folder
        self._program = str(SCRIPTS / "oidc-provider")
        apps = "http://127.0.0.1:8401/com.contoso.mail,http://127.0.0.1:8402/com.contoso.calendar"
        done = subprocess.run(
            [self._program, "start", folder, "--one-use-refresh-tokens", "--access-token-seconds", "3600",
             "--scope", SCOPE, "--client", f"{CLIENT}={apps}"],
            capture_output=True, text=True, check=True)
        self.issuer = json.loads(done.stdout)["issuer"]

    def stop(self):
        subprocess.run([self._program, "stop", self._folder], check=True)

    def enter(self, user_code):
        """Does what the user does with a device code: signs in, consents, and enters it."""
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(), NoRedirection())
        interface = self.issuer.removesuffix("/oidc")

        def send(method, address, body=None):
            request = urllib.request.Request(address, method=method)
            if body is not None:
                request.data = json.dumps(body).encode()
                request.add_header("Content-Type", "application/json")
            try:
                return opener.open(request, timeout=30).geturl()
            except urllib.error.HTTPError as response:
                return response.headers["Location"]

        send("POST", f"{interface}/auth", {"username": "ada", "password": "correct horse"})
        send("PUT", f"{interface}/auth/grant/{CLIENT}", {"scope": f"openid {SCOPE}"})
        code = urllib.parse.quote(user_code)
        end = send("GET", f"{self.issuer}/device?code={code}&g_continue")
        assert "deviceComplete" in end, end
