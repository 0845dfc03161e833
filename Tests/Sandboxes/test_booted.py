# SPDX-License-Identifier: MIT
"""Tests of real snaps and a real `systemd --user` on the system that Scripts/sandboxes boots."""

import os
import shutil
import subprocess
import time
import unittest
from pathlib import Path

from places import OUTSIDE, RUNTIME, collections, doctor_lines, shell, snap, unit, write_at_once

MAIL, OTHER = "contoso-mail", "contoso-other"


class SnapTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # A snap's mount namespace is kept as long as one of its processes runs; making it fails now and then in a
        # namespace.
        cls.keepers = [cls.keeper(name) for name in (MAIL, OTHER)]

    @staticmethod
    def keeper(name):
        for _ in range(20):
            keeper = subprocess.Popen([*snap(name), "echo ready; exec sleep 600"], stdout=subprocess.PIPE, text=True)
            if keeper.stdout.readline() == "ready\n":
                return keeper
            keeper.communicate()
        raise AssertionError(f"the snap {name} does not start")

    @classmethod
    def tearDownClass(cls):
        for keeper in cls.keepers:
            keeper.kill()
            keeper.communicate()

    def test_1_a_disconnected_plug_is_named(self):
        self.assertIn(f"sudo snap connect {MAIL}:password-manager-service", doctor_lines(snap(MAIL), "sandbox"))

    def test_2_a_connected_plug_is_sufficient(self):
        (Path(os.environ["SSC_LAB"]) / "connect").touch()
        while not (Path(os.environ["SSC_LAB"]) / "connected").exists():
            time.sleep(0.1)
        self.assertTrue(doctor_lines(snap(MAIL), "sandbox").startswith("✓"))

    def test_3_an_app_writes_before_the_runtime_directory_exists(self):
        group = "com.contoso.first"
        shutil.rmtree(RUNTIME / f"snap.{MAIL}")  # doctor has made it
        self.assertIn("No such file", shell(snap(MAIL), 'ls -d "$XDG_RUNTIME_DIR" 2>&1'))
        acknowledged, lost = write_at_once(group, snap(MAIL), count=1)
        self.assertEqual((len(acknowledged), lost), (1, set()))
        self.assertEqual(shell(snap(MAIL), 'stat -c %a "$XDG_RUNTIME_DIR"').strip(), "700")
        self.assertTrue(doctor_lines(snap(MAIL), "runtime-directory").startswith("!"))

    def test_4_two_concurrent_writers_lose_nothing(self):
        for places in ((snap(MAIL), snap(OTHER)), (snap(MAIL), OUTSIDE)):
            with self.subTest(places=places):
                group = f"com.contoso.pair{len(places[1])}"
                acknowledged, lost = write_at_once(group, *places)
                self.assertEqual((len(acknowledged), lost), (30, set()))
                self.assertEqual(len(collections(group)), 1)


class SystemdTests(unittest.TestCase):
    def test_a_unit_shares_its_locks_with_the_session(self):
        place = unit("app-com.contoso.mail@1.service")
        self.assertTrue(doctor_lines(place, "runtime-directory").startswith("✓"))
        self.assertTrue(doctor_lines(place, "bus").startswith("✓"))

    def test_a_unit_and_the_session_lose_nothing(self):
        acknowledged, lost = write_at_once(
            "com.contoso.units", unit("app-com.contoso.mail@2.service"), OUTSIDE)
        self.assertEqual((len(acknowledged), lost), (30, set()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
