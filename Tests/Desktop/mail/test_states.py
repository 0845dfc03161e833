# SPDX-License-Identifier: MIT
"""What Contoso Mail's window shows when the keyring is locked, lost or away, and the provider is away or refuses."""

import subprocess

import pytest
import secretstorage

from secret_items import group_collection, search
from user_info import UserInfoProvider, response
from window import wait_for

WELCOME = "Welcome to Contoso Mail"
SIGNED_IN = "You have signed in as ada@contoso.com"
LOCKED = "Your Accounts Are Locked"
GROUP = "com.contoso.shared"
PROMPTER = "/usr/libexec/gcr-prompter"


@pytest.fixture
def signed_in(contoso):
    contoso.run("contoso-calendar", "sign-in")
    return contoso


@pytest.fixture
def window(signed_in):
    window = signed_in.open()
    window.wait_for(SIGNED_IN)
    return window


@pytest.fixture
def prompter():
    """The desktop's dialog."""
    process = subprocess.Popen([PROMPTER], stderr=subprocess.DEVNULL)
    subprocess.run(["gdbus", "wait", "--session", "--timeout=30", "org.gnome.keyring.SystemPrompter"], check=True)
    yield process
    process.kill()
    process.wait()


def dialog_of(window, prompter):
    """The dialog's window, once it takes what is typed."""

    def find():
        active = window._xdotool("getactivewindow")
        return active if window._xdotool("getwindowpid", active) == str(prompter.pid) else None

    return wait_for("the dialog", find)


def test_a_locked_group_opens_with_the_desktops_dialog_which_is_given_the_window(window, daemon, prompter, tmp_path):
    daemon.restart_locked()
    window.wait_for(LOCKED)
    window.picture("mail-locked")
    [own] = window.x11_windows
    with open(tmp_path / "calls", "w") as calls:
        monitor = subprocess.Popen(
            ["dbus-monitor", "--session", "interface='org.freedesktop.Secret.Prompt',member='Prompt'"], stdout=calls)
        wait_for("the monitor", lambda: (tmp_path / "calls").stat().st_size)
        window.press("Unlock…")
        dialog_of(window, prompter)
        monitor.terminate()
        monitor.wait()
    # gnome-keyring 42.1 is given the window, and gives its dialog none: so only the call is looked at.
    assert f'string "{own}"' in (tmp_path / "calls").read_text()
    window._xdotool("type", "--delay", "20", "test")
    window.key("Return")
    window.wait_for(SIGNED_IN)
    assert not window.find("signed in with another")


def test_a_dialog_that_is_closed_leaves_the_page_and_opens_again_when_asked_for(signed_in, daemon, prompter):
    daemon.restart_locked()
    window = signed_in.open()
    for _ in range(2):
        window.press("Unlock…")
        dialog_of(window, prompter)
        window.key("Escape")
        wait_for("the button", lambda: window.wait_for("Unlock…", "push button").has("SENSITIVE"))
    window.press("Unlock…")
    dialog_of(window, prompter)
    window._xdotool("type", "--delay", "20", "test")
    window.key("Return")
    window.wait_for(SIGNED_IN)


def test_a_collection_that_somebody_locks_opens_silently_and_the_inbox_stays(window, suite):
    suite.do("group lock")
    wait_for("the open group", lambda: not is_locked())
    assert window.find(SIGNED_IN) and not window.find(LOCKED)


def is_locked():
    bus = secretstorage.dbus_init()
    try:
        return group_collection(bus, GROUP).is_locked()
    finally:
        bus.close()


def test_the_inbox_stays_when_the_daemon_is_restarted(window, daemon, contoso):
    daemon.restart()
    contoso.run("contoso-mail", "read")
    window.wait_until_gone("The keyring does not reply.")
    assert window.find(SIGNED_IN)
    contoso.run("contoso-mail", "sign-out")
    window.wait_for(WELCOME)


def test_a_lost_group_shows_the_remedy_that_doctor_names(window, daemon, suite):
    bus = secretstorage.dbus_init()
    [key] = search(bus, kind="group-key", group=GROUP)
    key.delete()
    bus.close()
    daemon.restart()
    window.wait_for("Your Accounts Can’t Be Opened")
    window.wait_for("sso-cache group reset --group com.contoso.shared --publisher com.contoso")
    window.picture("mail-lost")
    suite.run("group reset", "--yes")
    window.wait_for(WELCOME)


def test_offline_the_messages_of_before_stay_and_come_again_when_the_provider_is_back(window, provider):
    provider.stop()
    try:
        wait_for("the window in front", window.is_active)
        window.key("F5")
        window.wait_for("You are offline. These are the messages of before.")
        assert window.find(SIGNED_IN)
        window.picture("mail-offline")
    finally:
        provider.start_again()
    window.press("Try Again")
    window.wait_until_gone("You are offline.")
    assert window.find(SIGNED_IN)


def test_a_start_without_a_network_shows_who_is_signed_in(signed_in, provider):
    provider.stop()
    try:
        window = signed_in.open()
        window.wait_for("You are offline. Your messages come later.")
        assert window.find("Accounts: Ada Lovelace")
    finally:
        provider.start_again()
    window.press("Try Again")
    window.wait_for(SIGNED_IN)


def test_a_refused_refresh_token_asks_for_a_sign_in_which_mends_it(open_window):
    """The real provider of these tests refuses with an empty body, which says nothing of the token."""
    provider = UserInfoProvider()
    provider.user_info = response({"sub": "1001", "name": "Ada Lovelace"})
    # A token that is still good for an hour counts as expired.
    window, _ = open_window(provider, CONTOSO_EXPIRY_BUFFER="36000")
    window.wait_for("Welcome, Ada Lovelace")
    provider.failures = [(400, {"error": "invalid_grant"})]
    wait_for("the window in front", window.is_active)
    window.key("F5")
    window.wait_for("Contoso asks you to sign in again.")
    window.picture("mail-sign-in-again")
    provider.user_info = response({"sub": "1001", "name": "Ada King"})
    window.press("Sign In Again")
    window.wait_for("Welcome, Ada King")
    assert not window.find("Contoso asks you to sign in again.")


def test_a_daemon_that_hangs_is_told_and_the_window_goes_on_when_it_replies(window, daemon):
    daemon.freeze()
    wait_for("the window in front", window.is_active)
    window.key("F5")
    window.wait_for("The keyring does not reply.", seconds=15)
    daemon.thaw()
    window.press("Try Again")
    window.wait_until_gone("The keyring does not reply.")
    assert window.find(SIGNED_IN)


def test_a_daemon_that_dies_under_a_call_is_told_and_the_inbox_is_back_with_it(window, daemon):
    daemon.freeze()
    wait_for("the window in front", window.is_active)
    window.key("F5")
    daemon.kill()
    window.wait_for("The keyring does not reply.")
    daemon.start()
    window.wait_until_gone("The keyring does not reply.")
    assert window.find(SIGNED_IN)


def test_a_window_opens_although_the_daemon_hangs(signed_in, daemon):
    daemon.freeze()
    window = signed_in.open()
    window.wait_for("Starting", seconds=5)
    window.wait_for("The Keyring Does Not Reply", seconds=15)
    daemon.thaw()
    window.press("Try Again")
    window.wait_for(SIGNED_IN)
