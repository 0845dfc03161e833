# SPDX-License-Identifier: MIT
"""Contoso's apps on the command line and in a window, and the provider at which their user signs in."""

import json
import os
import socket
import subprocess
import urllib.request
from pathlib import Path

from repository import SCRIPTS
from window import Window, wait_for

CLIENT = "contoso-suite"
SCHEME = "msauth.com.contoso.mail"


def free_port():
    with socket.socket() as connection:
        connection.bind(("127.0.0.1", 0))
        return connection.getsockname()[1]


# The redirect URI of each app on the command line: with a port of these tests, because others run beside them.
REDIRECT_URIS = {
    "contoso-mail": f"http://127.0.0.1:{free_port()}/com.contoso.mail",
    "contoso-calendar": f"http://127.0.0.1:{free_port()}/com.contoso.calendar",
}
LIMIT_SECONDS = 30


class Provider:
    """glewlwyd, with one user: Ada. It may be away for a time, and end every refresh token."""

    def __init__(self, folder):
        self._folder = Path(folder)
        self._program = str(SCRIPTS / "oidc-provider")
        done = subprocess.run(
            [self._program, "start", folder, "--scope", "suite.read",
             "--client", f"{CLIENT}={','.join([f'{SCHEME}://auth', *REDIRECT_URIS.values()])}"],
            check=True, capture_output=True)
        facts = json.loads(done.stdout)
        self.issuer, self._port = facts["issuer"], facts["port"]
        self._process = None

    def stop(self):
        if self._process:
            self._process.terminate()
            self._process.wait(LIMIT_SECONDS)
            self._process = None
        subprocess.run([self._program, "stop", self._folder], check=True)

    def start_again(self):
        """With all that it knew."""
        self._process = subprocess.Popen(
            ["glewlwyd", f"--config-file={self._folder}/provider.conf"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("the provider", self._is_ready)

    def _is_ready(self):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{self._port}/config", timeout=5).status == 200
        except OSError:
            return False


class Suite:
    """Contoso's apps, on one provider."""

    def __init__(self, programs, issuer, browser="browser"):
        self._programs = programs
        self.variables = {"CONTOSO_ISSUER": issuer, "BROWSER": str(browser), "CONTOSO_CLIENT_ID": CLIENT}
        self._windows = []

    def run(self, program, *arguments, status=0, **variables):
        """Runs one of the apps on the command line."""
        if "sign-in" in arguments and "--redirect-uri" not in arguments:
            arguments = [*arguments, "--redirect-uri", REDIRECT_URIS[program]]
        done = subprocess.run(
            [self._programs / program, *arguments], env=os.environ | self.variables | variables, capture_output=True,
            text=True, timeout=LIMIT_SECONDS)
        assert done.returncode == status, done
        return done.stdout + done.stderr

    def open(self, *arguments, **variables):
        """Starts the window."""
        window = Window(
            self._programs / "contoso-mail-window", *arguments, **self.variables | variables)
        self._windows.append(window)
        return window

    def end(self):
        """Ends the windows, of which GTK has complained about nothing."""
        for window in self._windows:
            window.end()
        complaints = [line for window in self._windows for line in window.complaints()]
        assert complaints == []
