# SPDX-License-Identifier: MIT
"""What Contoso Mail's window shows of other apps, and what they have of its sign-out."""

import time

import pytest

WELCOME = "Welcome to Contoso Mail"
SIGNED_IN = "You have signed in as ada@contoso.com"
ACCOUNTS = "Accounts: "


# Without a notification a change shows after a minute, which is longer than these tests wait.


def test_a_siblings_sign_in_shows_at_once_and_a_toast_says_so(contoso):
    window = contoso.open()
    window.wait_for(WELCOME)
    contoso.run("contoso-calendar", "sign-in")
    window.wait_for("ada@contoso.com signed in with another Contoso app.")
    window.wait_for(SIGNED_IN)
    window.picture("mail-sibling")


@pytest.mark.parametrize("way", ["the app itself", "the person, everywhere"])
def test_a_sign_out_elsewhere_shows_at_once_and_a_toast_says_so(contoso, suite, way):
    contoso.run("contoso-calendar", "sign-in")
    window = contoso.open()
    window.wait_for(SIGNED_IN)
    if way == "the app itself":
        contoso.run("contoso-mail", "sign-out")
    else:
        suite.do("sign-out", "--everywhere", "--account", "ada@contoso.com", "--yes")
    window.wait_for("ada@contoso.com was signed out.")
    window.wait_for(WELCOME)


def test_a_siblings_own_sign_out_leaves_the_window_signed_in(contoso):
    contoso.run("contoso-mail", "sign-in")
    window = contoso.open()
    window.wait_for(SIGNED_IN)
    contoso.run("contoso-calendar", "read")
    contoso.run("contoso-calendar", "sign-out")
    time.sleep(1)
    assert window.find(SIGNED_IN) and not window.find("was signed out")


def ask_for_sign_out(window):
    window.wait_for(SIGNED_IN)
    window.press(ACCOUNTS)
    window.press("Sign Out…")
    window.wait_for("Sign out of ada@contoso.com?")


def test_signing_out_from_this_app_leaves_the_others_signed_in(contoso):
    contoso.run("contoso-calendar", "sign-in")
    window = contoso.open()
    ask_for_sign_out(window)
    window.picture("mail-sign-out")
    window.press("From This App")
    window.wait_for(WELCOME)
    assert not window.find("was signed out")
    assert "from the cache" in contoso.run("contoso-calendar", "read")
    assert "You need to sign in again." in contoso.run("contoso-mail", "read", status=10)


def test_signing_out_from_all_apps_leaves_nobody_signed_in(contoso, suite):
    contoso.run("contoso-calendar", "sign-in")
    window = contoso.open()
    ask_for_sign_out(window)
    window.press("From All Contoso Apps")
    window.wait_for(WELCOME)
    assert "You need to sign in again." in contoso.run("contoso-calendar", "read", status=10)
    assert suite.accounts() == []


def test_a_sign_out_that_is_taken_back_changes_nothing(contoso):
    contoso.run("contoso-calendar", "sign-in")
    window = contoso.open()
    ask_for_sign_out(window)
    window.press("Cancel")
    window.wait_until_gone("Sign out of ada@contoso.com?")
    assert window.find(SIGNED_IN)
    assert "from the cache" in contoso.run("contoso-mail", "read")
