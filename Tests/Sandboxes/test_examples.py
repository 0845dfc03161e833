# SPDX-License-Identifier: MIT
"""The example apps in real Flatpaks, at a real provider; run by Scripts/support/flatpak-session with SSC_EXAMPLES."""

import json
import os
import subprocess
import time
import unittest
from pathlib import Path

from places import LIMIT_SECONDS, new_login

MAIL, CALENDAR, FABRIKAM = "com.contoso.mail", "com.contoso.calendar", "com.fabrikam.spy"
PROVIDER = str(Path(os.environ["SSC_SESSION_DIR"], "provider"))
# Sixteen processes start within it, also on a busy machine.
TOKEN_SECONDS = 30
# The contract's cases, and those that need no other program outside of the sandbox.
CASES, CASES_INSIDE = 51, 41
OPENED_URI = "msauth.com.contoso.mail://auth"
REDIRECT_URIS = f"http://127.0.0.1:8401/com.contoso.mail,http://127.0.0.1:8402/com.contoso.calendar,{OPENED_URI}"


def run(*command):
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_SECONDS)
    return done.returncode, done.stdout


class ContractTests(unittest.TestCase):
    def test_the_back_end_contract_holds_in_a_flatpak_over_the_agent(self):
        results = self.contract(MAIL)
        self.assertEqual([line for line in results if line.startswith("failed")], [])
        self.assertEqual(sum(line.startswith("passed") for line in results), CASES_INSIDE)
        # Outside of the sandbox they run over the agent as well.
        needs = {line.split(":")[0] for line in results if line.startswith("only")}
        self.assertEqual(len(results), CASES)
        self.assertEqual(needs, {f"only outside {rule}" for rule in (
            "unreadable-records", "empty-content", "lease-death")})

    def test_an_app_that_says_in_its_code_that_it_is_another_gets_nothing(self):
        results = self.contract(FABRIKAM)
        self.assertEqual(len(results), CASES)
        self.assertEqual([line for line in results if "failed identityMismatch" not in line], [])

    def contract(self, app):
        """Runs the contract in a Flatpak, as Contoso Mail."""
        status, out = run("flatpak", "run", "--command=sandbox-contract", app, MAIL, "com.contoso", "com.contoso.shared")
        self.assertEqual(status, 0, out)
        return [line for line in out.splitlines() if line.startswith(("passed", "only", "failed"))]


class ExampleTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        new_login()
        started = subprocess.run(
            ["oidc-provider", "start", PROVIDER, "--access-token-seconds", str(TOKEN_SECONDS), "--scope", "suite.read",
             "--one-use-refresh-tokens", "--client", f"contoso-suite={REDIRECT_URIS}"],
            check=True, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        cls.addClassCleanup(subprocess.run, ["oidc-provider", "stop", PROVIDER], timeout=LIMIT_SECONDS)
        os.environ |= {"CONTOSO_ISSUER": json.loads(started.stdout)["issuer"], "CONTOSO_EXPIRY_BUFFER": "1"}
        status, out = run("env", "BROWSER=browser", "contoso-mail", "sign-in")
        assert status == 0, out
        cls.signed_in = time.monotonic()

    def test_sixteen_processes_half_of_them_in_sandboxes_redeem_one_refresh_token_once(self):
        time.sleep(max(0, self.signed_in + TOKEN_SECONDS - time.monotonic()))
        places = [["flatpak", "run", MAIL], ["flatpak", "run", CALENDAR], ["contoso-mail"], ["contoso-calendar"]]
        processes = [
            subprocess.Popen([*place, "read"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for _ in range(4) for place in places]
        said = [process.communicate(timeout=LIMIT_SECONDS)[0] for process in processes]
        self.assertEqual([process.returncode for process in processes], [0] * 16, said)
        ways = ["refresh" if "by a refresh" in out else "cache" if "from the cache" in out else out for out in said]
        self.assertEqual(sorted(ways), ["cache"] * 15 + ["refresh"])
        # The provider refuses every token of a sign-in of which one was redeemed twice.
        time.sleep(TOKEN_SECONDS)
        self.assertIn("by a refresh", run("flatpak", "run", CALENDAR, "read")[1])

    def test_the_desktop_starts_a_second_sandbox_which_hands_the_response_to_the_sign_in(self):
        exports = Path(os.environ["HOME"], ".local/share/flatpak/exports/share")
        host = os.environ | {"XDG_DATA_DIRS": f"{exports}:/usr/share", "SSC_BROWSER_FORGED": "1"}
        with subprocess.Popen(["browser-port", "browser"], stdout=subprocess.PIPE, text=True, env=host) as browser:
            self.addCleanup(browser.kill)
            port = browser.stdout.readline().strip()
            status, out = run("env", f"SSC_BROWSER_PORT={port}", "flatpak", "run", MAIL, "sign-in",
                              "--redirect-uri", OPENED_URI)
            browser.kill()
        self.assertEqual(status, 0, out)
        self.assertIn("signed in as ada@contoso.com", out)
        self.assertIn("passed over a URL", out)

    def test_an_app_that_states_another_publishers_group_sees_it_as_long_as_it_is_granted(self):
        grant = [FABRIKAM, "com.contoso.shared", "--publisher", "com.contoso"]
        for allow, status, words in (
            (None, 77, "com.fabrikam.spy may not use the access group com.contoso.shared"),
            ("grant", 0, "sees ada@contoso.com"),
            ("revoke", 77, "com.fabrikam.spy may not use the access group com.contoso.shared"),
        ):
            if allow:
                self.assertEqual(run("sso-cache", allow, *grant)[0], 0)
            seen, out = run("flatpak", "run", FABRIKAM, "claim")
            self.assertEqual(seen, status, out)
            self.assertIn(words, out)


if __name__ == "__main__":
    unittest.main()
