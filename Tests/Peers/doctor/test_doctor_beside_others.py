# SPDX-License-Identifier: MIT
"""What doctor says and repairs while others use the same keyrings."""

import os
import signal
import subprocess
import threading
import time

import secretstorage

from broken_setups import wait_until
from keyrings import LOGIN
from people import ADA
from planted import checks_of_group
from secret_items import group_collections, search
from sso_cache import DONE
from unified_cache import signed_in


def test_a_daemon_that_ends_at_once_is_no_second_daemon(sso):
    sso.take(signed_in()[0])
    ended = threading.Event()

    def ask_for_versions():
        while not ended.is_set():
            subprocess.run(["gnome-keyring-daemon", "--version"], capture_output=True, check=True)

    others = threading.Thread(target=ask_for_versions)
    others.start()
    try:
        found = [sso.do("doctor")["checks"] for _ in range(6)]
    finally:
        ended.set()
        others.join()
    second = [check for checks in found for check in checks if check["name"] == "second-daemon"]
    assert {check["status"] for check in second} == {"ok"}, second


def test_a_process_that_waits_for_the_logins_daemon_is_no_second_daemon(sso):
    """D-Bus starts it where the login has started the daemon, and it tells that to go on."""
    sso.take(signed_in()[0])
    waiting = subprocess.Popen(STARTING, env=sso.environment, stdout=subprocess.DEVNULL)
    try:
        time.sleep(1)
        assert waiting.poll() is None
        assert second_daemon(sso) == "ok"
    finally:
        waiting.kill()
        waiting.wait()


def test_a_daemon_that_another_bus_started_is_a_second_one(sso, tmp_path):
    sso.take(signed_in()[0])
    tmp_path.chmod(0o700)
    other = subprocess.Popen(
        ["dbus-run-session", "--", *STARTING], env=sso.environment | {"XDG_RUNTIME_DIR": str(tmp_path)},
        stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        wait_until((tmp_path / "keyring/control").exists)
        assert second_daemon(sso) == "warning"
    finally:
        # The end of dbus-run-session alone leaves the daemon.
        os.killpg(other.pid, signal.SIGKILL)
        other.wait()
    wait_until(lambda: second_daemon(sso) == "ok")


def test_a_daemon_whose_keyrings_cant_be_seen_from_a_user_namespace_is_not_to_be_ended(sso, tmp_path):
    sso.take(signed_in()[0])
    tmp_path.chmod(0o700)
    homes = {name: str(tmp_path) for name in ("HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")}
    other = subprocess.Popen(
        ["dbus-run-session", "--", *STARTING], env=sso.environment | homes, stdout=subprocess.DEVNULL,
        start_new_session=True)
    try:
        wait_until((tmp_path / "keyring/control").exists)
        inside = ["unshare", "--user", "--map-current-user", *sso.arguments("doctor")]
        report = subprocess.run(inside, env=sso.environment, capture_output=True, text=True, timeout=60)
        assert "second-daemon" in report.stdout and "kill" not in report.stdout, report
    finally:
        os.killpg(other.pid, signal.SIGKILL)
        other.wait()


STARTING = ["gnome-keyring-daemon", "--start", "--foreground", "--components=secrets"]


def second_daemon(sso):
    return next(check["status"] for check in sso.do("doctor")["checks"] if check["name"] == "second-daemon")


def test_repairs_at_once_make_one_keyring(sso, bus, group, daemon):
    sso.take(signed_in()[0])
    for key in search(bus, group=group, kind="group-key"):
        key.delete()
    command = sso.arguments("doctor", "--fix", "--yes")
    repairs = [
        subprocess.Popen(command, env=sso.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(4)
    ]
    ends = [(repair.communicate(timeout=90)[0], repair.returncode) for repair in repairs]
    assert [status for _, status in ends] == [DONE] * 4, ends
    assert len(group_collections(bus, group)) == 1
    assert len(search(bus, group=group, kind="group-key")) == 1
    daemon.restart()
    assert [account["username"] for account in sso.accounts()] == [ADA.username]


def test_a_password_is_not_called_gone_while_the_login_keyring_is_locked(sso, bus, daemon):
    sso.take(signed_in()[0])
    secretstorage.Collection(bus, LOGIN).lock()
    key = checks_of_group(sso)["group-key"]
    daemon.restart()
    assert key["detail"] == "Skipped: the login keyring is locked, which may hold its password."
    assert checks_of_group(sso)["group-key"]["status"] == "ok"
