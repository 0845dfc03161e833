# SPDX-License-Identifier: MIT
"""The desktop's own dialog, on a screen, with a user who reads it and types."""

import os
import subprocess
import time

import pytest

from repository import SCRIPTS
from sso_cache import LOCKED_OR_TIMED_OUT
from unified_cache import signed_in

pytestmark = pytest.mark.everything

PROMPTER = "/usr/libexec/gcr-prompter"
PROMPTER_NAME = "org.gnome.keyring.SystemPrompter"
LIMIT_SECONDS = 30


def wait_for(condition):
    end = time.monotonic() + LIMIT_SECONDS
    while not (result := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return result


def has_owner(name):
    done = subprocess.run(
        ["dbus-send", "--session", "--print-reply=literal", "--dest=org.freedesktop.DBus", "/",
         "org.freedesktop.DBus.NameHasOwner", f"string:{name}"], capture_output=True, text=True, check=True)
    return "true" in done.stdout


class Screen:
    """The user's view and actions."""

    def __init__(self, display):
        self.environment = os.environ | {"DISPLAY": display}
        self.prompter = None

    def _xdotool(self, *arguments):
        return subprocess.run(
            ["xdotool", *arguments], env=self.environment, capture_output=True, text=True, timeout=LIMIT_SECONDS)

    def dialog(self):
        """Waits until a dialog of the prompter is open and accepts input."""
        wait_for(lambda: self._xdotool("getactivewindow", "getwindowpid").stdout.strip() == str(self.prompter.pid))

    def type(self, text):
        self._xdotool("type", "--delay", "20", text)

    def press(self, key):
        self._xdotool("key", key)


@pytest.fixture
def screen():
    """A screen with a window manager, and the desktop's prompter on the bus."""
    process = subprocess.Popen(
        [SCRIPTS / "private-screen", "sh", "-c", 'echo "$DISPLAY"; cat'],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    screen = Screen(process.stdout.readline().strip())
    screen.prompter = subprocess.Popen([PROMPTER], env=screen.environment, stderr=subprocess.DEVNULL)
    wait_for(lambda: has_owner(PROMPTER_NAME))
    yield screen
    screen.prompter.kill()
    screen.prompter.wait()
    process.stdin.close()
    process.wait()


def start(sso, *arguments):
    return subprocess.Popen(
        sso.arguments(*arguments), env=sso.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture
def asked(sso, daemon, screen):
    """Locks everything, and lets the tool prompt for the password of a group with an account."""
    sso.take(signed_in()[0])
    daemon.restart_locked()
    process = start(sso.with_environment(DISPLAY=screen.environment["DISPLAY"]), "group unlock", "--prompt", "--json")
    screen.dialog()
    yield process
    process.kill()
    process.wait()


def test_the_password_that_the_user_types_unlocks_the_group(sso, screen, asked):
    screen.type("test")
    screen.press("Return")
    output, errors = asked.communicate(timeout=LIMIT_SECONDS)
    assert (asked.returncode, errors) == (0, "")
    assert output == '{"unlocked":true}\n'
    assert len(sso.accounts()) == 1


def test_a_dialog_that_the_user_closes_leaves_the_group_locked(sso, screen, asked):
    screen.press("Escape")
    output, errors = asked.communicate(timeout=LIMIT_SECONDS)
    assert asked.returncode == LOCKED_OR_TIMED_OUT and '"promptDismissed"' in errors
    assert output == ""
    assert sso.fail(LOCKED_OR_TIMED_OUT, "accounts") == "groupLocked"


def test_a_call_cancelled_during_a_dialog_leaves_the_dialog_and_the_daemon_running(sso, screen, asked, daemon):
    asked.terminate()
    asked.wait(timeout=LIMIT_SECONDS)
    assert sso.fail(LOCKED_OR_TIMED_OUT, "accounts") == "groupLocked"
    daemon.restart()
    assert len(sso.accounts()) == 1


def test_a_user_without_a_keyring_chooses_a_password_for_one(sso, screen, daemon):
    daemon.restart_fresh()
    process = start(sso.with_environment(DISPLAY=screen.environment["DISPLAY"]), "group create", "--prompt", "--json")
    screen.dialog()
    screen.type("chosen")
    screen.press("Tab")
    screen.type("chosen")
    screen.press("Return")
    output, errors = process.communicate(timeout=LIMIT_SECONDS)
    assert (process.returncode, errors) == (0, "")
    assert output == '{"created":true}\n'
    sso.take(signed_in()[0])
    assert len(sso.accounts()) == 1
