# SPDX-License-Identifier: MIT
"""What real Flatpaks share, their permissions, and what doctor reports; run by Scripts/support/flatpak-session."""

import subprocess
import threading
import time
import unittest

from places import (
    CALENDAR, FOLDER, LIMIT_SECONDS, MAIL, OUTSIDE, RUNTIME, SPY, Writer, collections, doctor_lines, flatpak, new_login,
    shell, write_at_once,
)

SHARED = f"--filesystem={FOLDER}:create"


class FlatpakTests(unittest.TestCase):
    def setUp(self):
        new_login()
        self.group = "com.contoso." + self._testMethodName.replace("_", "-")[:60]

    def assert_none_lost(self, *places):
        acknowledged, lost = write_at_once(self.group, *places)
        self.assertEqual(len(acknowledged), 15 * len(places))
        self.assertEqual(lost, set())
        self.assertEqual(len(collections(self.group)), 1)

    # Permissions.

    def test_an_app_with_the_permission_reads_a_token_saved_outside(self):
        write_at_once(self.group, OUTSIDE, count=1)
        self.assertIn("ada@contoso.com", shell(flatpak(MAIL), f"sso-cache accounts --group {self.group}"))

    def test_an_app_without_it_gets_only_the_missing_permission(self):
        out = shell(flatpak(SPY), "sso-cache accounts; echo status $?")
        self.assertIn("lacks the permission to talk to org.freedesktop.secrets", out)
        self.assertIn("status 69", out)
        doctor = shell(flatpak(SPY), "sso-cache doctor")
        self.assertIn(f"flatpak override --user --talk-name=org.freedesktop.secrets {SPY}", doctor)
        self.assertNotIn("apt install", doctor)

    def test_a_wildcard_permission_includes_the_name(self):
        place = flatpak(SPY, "--talk-name=org.freedesktop.secrets.*")
        write_at_once(self.group, OUTSIDE, count=1)
        self.assertIn("ada@contoso.com", shell(place, f"sso-cache accounts --group {self.group}"))
        self.assertTrue(doctor_lines(place, "sandbox").startswith("✓"))

    # Locks.

    def test_doctor_reports_whether_the_folder_is_mounted_whatever_the_permissions(self):
        self.assertTrue(doctor_lines(flatpak(MAIL, SHARED), "runtime-directory").startswith("✓"))
        new_login()
        for place in (flatpak(MAIL), flatpak(MAIL, f"--filesystem={FOLDER}")):
            found = doctor_lines(place, "runtime-directory")
            self.assertTrue(found.startswith("!"), found)
            self.assertIn(f"flatpak override --user --filesystem={FOLDER}:create {MAIL}", found)

    def test_doctor_reports_another_folder_if_the_host_has_another_runtime_directory(self):
        found = doctor_lines(flatpak(MAIL, SHARED, XDG_RUNTIME_DIR=self.elsewhere()), "runtime-directory")
        self.assertTrue(found.startswith("!"), found)
        self.assertIn(f"whose XDG_RUNTIME_DIR is {RUNTIME}", found)

    def test_a_mounted_absolute_path_is_the_folder(self):
        (RUNTIME / "secret-store-cache").mkdir(mode=0o700)
        place = flatpak(MAIL, f"--filesystem={RUNTIME}/secret-store-cache")
        self.assertTrue(doctor_lines(place, "runtime-directory").startswith("✓"))

    def test_doctor_finds_a_lock_that_is_held_outside(self):
        folder = RUNTIME / "secret-store-cache"
        folder.mkdir(mode=0o700)
        holder = subprocess.Popen(["flock", folder / f"write-{'0' * 64}.lock", "sleep", "20"])
        try:
            found = doctor_lines(flatpak(MAIL, SHARED), "leases")
        finally:
            holder.kill()
            holder.wait()
        self.assertIn("A process outside of this sandbox holds a write lock", found)

    # Writing.

    def test_an_app_with_the_folder_read_only_writes(self):
        (RUNTIME / "secret-store-cache").mkdir(mode=0o700)
        self.assert_none_lost(flatpak(MAIL, f"--filesystem={FOLDER}:ro"))

    def test_two_apps_that_start_on_a_new_group_lose_nothing(self):
        self.assert_none_lost(flatpak(MAIL), flatpak(CALENDAR))

    def test_two_apps_that_share_the_folder_lose_nothing(self):
        self.assert_none_lost(flatpak(MAIL, SHARED), flatpak(CALENDAR, SHARED))

    def test_two_apps_whose_permission_mounts_nothing_lose_nothing(self):
        bare = f"--filesystem={FOLDER}"
        self.assert_none_lost(flatpak(MAIL, bare), flatpak(CALENDAR, bare))

    def test_two_apps_whose_folder_is_mounted_elsewhere_lose_nothing(self):
        elsewhere = self.elsewhere()
        self.assert_none_lost(
            *(flatpak(app, SHARED, XDG_RUNTIME_DIR=elsewhere) for app in (MAIL, CALENDAR)))

    def test_an_app_without_the_folder_and_one_outside_lose_nothing(self):
        self.assert_none_lost(flatpak(MAIL), OUTSIDE)

    def elsewhere(self):
        folder = RUNTIME / "elsewhere"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    # Watching.

    def test_an_app_sees_a_token_that_is_saved_outside(self):
        for options, seconds in (([SHARED], 1.5), ([], 5)):
            with self.subTest(options=options):
                self.assertLess(self.seconds_until_reported(flatpak(MAIL, *options), OUTSIDE), seconds)
                self.group += ".again"

    def test_a_program_outside_sees_a_token_that_an_app_saves(self):
        self.assertLess(self.seconds_until_reported(OUTSIDE, flatpak(MAIL)), 5)

    def seconds_until_reported(self, watching, writing):
        write_at_once(self.group, OUTSIDE, count=1)
        watch = subprocess.Popen(
            [*watching, f"exec sso-cache watch --json --group {self.group}"], stdout=subprocess.PIPE, text=True)
        limit = threading.Timer(LIMIT_SECONDS, watch.kill)
        limit.start()
        try:
            self.assertIn("snapshot", watch.stdout.readline())
            writer = Writer(writing, self.group, 1, "other")
            writer.run()
            self.assertEqual(len(writer.acknowledged), 1)
            began = time.monotonic()
            self.assertIn("tokensChanged", watch.stdout.readline())
            return time.monotonic() - began
        finally:
            limit.cancel()
            subprocess.run(["flatpak", "kill", MAIL], stderr=subprocess.DEVNULL)
            watch.terminate()
            watch.communicate()


if __name__ == "__main__":
    unittest.main(verbosity=2)
