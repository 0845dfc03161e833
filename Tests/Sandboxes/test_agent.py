# SPDX-License-Identifier: MIT
"""The agent, called by real Flatpaks; run by Scripts/support/flatpak-session."""

import subprocess
import threading
import unittest

from places import LIMIT_SECONDS, OUTSIDE, Writer, flatpak, new_login, shell, write_at_once

DESK, PHONE, PAD, FORGER = "com.contoso.Desk", "com.contoso.Phone", "com.contoso.Pad", "com.fabrikam.Forger"
NAME = "com.contoso.shared --publisher com.contoso"
ACCOUNTS = f"sso-cache accounts --group {NAME}; echo status $?"
SERVICE = "org.freedesktop.secrets"


class AgentTests(unittest.TestCase):
    def setUp(self):
        new_login()
        shell(OUTSIDE, f"sso-cache group delete --group {NAME} --yes; rm -rf ~/.config/secretstorecache")

    def save(self, place, name="one"):
        writer = Writer(place, NAME, 1, name)
        writer.run()
        return len(writer.acknowledged) == 1

    def assert_refused(self, place, *words):
        self.assertTrue(self.save(OUTSIDE))
        out = shell(place, ACCOUNTS)
        self.assertNotIn("ada@contoso.com", out)
        for word in ("status 77", *words):
            self.assertIn(word, out)

    # Sharing.

    def test_two_apps_and_one_outside_share_a_sign_in(self):
        self.assertTrue(self.save(flatpak(DESK)))
        for place in (flatpak(PHONE), OUTSIDE):
            self.assertIn("ada@contoso.com", shell(place, ACCOUNTS))

    def test_an_app_that_uses_the_agent_cannot_reach_the_secret_service(self):
        self.assertTrue(self.save(flatpak(DESK)))
        self.assertIn("com.contoso.shared", shell(OUTSIDE, "sso-cache groups"))
        self.assertIn(f"lacks the permission to talk to {SERVICE}", shell(flatpak(DESK), "sso-cache groups"))

    def test_apps_that_write_at_once_inside_and_outside_lose_nothing(self):
        acknowledged, lost = write_at_once(NAME, flatpak(DESK), flatpak(PHONE), OUTSIDE)
        self.assertEqual(len(acknowledged), 45)
        self.assertEqual(lost, set())

    def test_a_change_outside_is_seen_at_once(self):
        self.assertTrue(self.save(OUTSIDE))
        watch = subprocess.Popen(
            [*flatpak(DESK), f"exec sso-cache watch --json --group {NAME}"], stdout=subprocess.PIPE, text=True)
        limit = threading.Timer(LIMIT_SECONDS, watch.kill)
        limit.start()
        try:
            self.assertIn("snapshot", watch.stdout.readline())
            self.assertTrue(self.save(OUTSIDE, "two"))
            self.assertIn("tokensChanged", watch.stdout.readline())
        finally:
            limit.cancel()
            subprocess.run(["flatpak", "kill", DESK], stderr=subprocess.DEVNULL)
            watch.terminate()
            watch.communicate()

    # Doctor.

    def test_doctor_asks_the_agent_for_the_groups_that_the_sandbox_states(self):
        out = shell(flatpak(DESK), "sso-cache doctor; echo status $?")
        self.assertIn("The agent opens the group com.contoso.shared of the publisher com.contoso for com.contoso.Desk", out)
        self.assertIn("status 0", out)

    def test_doctor_names_the_grant_that_is_missing(self):
        out = shell(flatpak(PAD), f"sso-cache doctor --group {NAME}; echo status $?")
        self.assertIn(f"sso-cache grant {PAD} com.contoso.shared --publisher com.contoso", out)
        self.assertNotIn("status 0", out)

    # Who may use what.

    def test_an_app_of_another_publisher_is_refused_although_it_states_the_group(self):
        self.assert_refused(flatpak(FORGER), FORGER)

    def test_an_app_that_states_no_group_is_refused_with_the_line_that_adds_it(self):
        self.assert_refused(flatpak(PAD), PAD, "--add-policy=SecretStoreCache.groups=")

    def test_an_app_that_makes_a_file_of_its_own_is_still_known(self):
        forged = f"[Application]\\nname={DESK}\\n[Policy SecretStoreCache]\\ngroups=com.contoso.shared;\\npublisher=com.contoso\\n"
        place = flatpak(FORGER)
        script = f"printf '{forged}' >$XDG_DATA_HOME/.flatpak-info; cd $XDG_DATA_HOME; {ACCOUNTS}"
        self.assertTrue(self.save(OUTSIDE))
        out = shell(place, script)
        self.assertNotIn("ada@contoso.com", out)
        self.assertIn(FORGER, out)

    def test_a_grant_lets_an_app_in_and_a_revoke_keeps_it_out(self):
        self.assert_refused(flatpak(FORGER), f"sso-cache grant {FORGER}")
        shell(OUTSIDE, f"sso-cache grant {FORGER} {NAME}")
        self.assertIn("ada@contoso.com", shell(flatpak(FORGER), ACCOUNTS))
        shell(OUTSIDE, f"sso-cache revoke {FORGER} {NAME}")
        self.assertNotIn("ada@contoso.com", shell(flatpak(FORGER), ACCOUNTS))

    def test_an_app_without_the_permission_for_the_agent_is_told_so(self):
        self.assertTrue(self.save(OUTSIDE))
        out = shell(flatpak("com.fabrikam.Spy"), ACCOUNTS)
        self.assertIn("lacks the permission", out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
