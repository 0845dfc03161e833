# SPDX-License-Identifier: MIT
"""Signing in in Contoso Mail's window, and what else the desktop opens it with."""

import subprocess

from window import wait_for

WELCOME = "Welcome to Contoso Mail"
MESSAGE = "Welcome, ada@contoso.com"
SIGNED_IN = "You have signed in as ada@contoso.com"
WAITING = "Continue in the Browser"
# A browser that shows its page for ever.
SLOW = "import time\ntime.sleep(60)\n"


def test_who_signs_in_with_the_browser_has_an_inbox_and_the_window_in_front(contoso):
    window = contoso.open()
    window.wait_for(WELCOME)
    window.picture("mail-signed-out")
    other = subprocess.Popen(["xmessage", "another window"])
    wait_for("another window in front", lambda: not window.is_active())
    window.press("Sign In")
    window.wait_for(SIGNED_IN)
    wait_for("the window in front", window.is_active)
    other.kill()
    other.wait()
    window.picture("mail-inbox")
    assert "from the cache" in contoso.run("contoso-calendar", "read")


def test_the_enter_key_alone_signs_in(contoso):
    window = contoso.open()
    window.wait_for(WELCOME)
    wait_for("the window in front", window.is_active)
    window.key("Return")
    window.wait_for(SIGNED_IN)


def test_a_forged_answer_is_passed_over_and_the_right_one_is_taken(contoso):
    window = contoso.open(SSC_BROWSER_FORGED="1")
    window.press("Sign In")
    window.wait_for("A link was opened that is no answer to this sign-in. It was ignored.")
    window.wait_for(SIGNED_IN)


def test_another_apps_answer_does_not_end_the_sign_in(contoso, script, programs):
    window = contoso.open(BROWSER=str(script(SLOW)))
    window.press("Sign In")
    window.wait_for(WAITING)
    for url in (
        "msauth.com.contoso.calendar://auth?code=stolen&state=x", "msauth.com.contoso.mail://other?code=x&state=y",
        "msauth.com.contoso.mail://auth", "msauth.com.contoso.mail://auth?code=x&state=" + "y" * 70_000,
        "msauth.com.contoso.mail://auth?error=access_denied&state=guessed", "file:///etc/passwd", "%00", "", "-",
    ):
        subprocess.run([programs / "contoso-mail-window", "--", url], env=window.environment, timeout=20)
        assert window.find(WAITING), (url[:80], window.errors)
    window.press("Cancel")
    window.wait_for(WELCOME)


def test_a_link_without_a_sign_in_opens_the_window_and_signs_nobody_in(contoso):
    window = contoso.open("msauth.com.contoso.mail://auth?code=forged&state=guessed")
    window.wait_for("No sign-in is under way. The link was ignored.")
    assert window.find(WELCOME)


def test_a_sign_in_of_the_app_on_the_command_line_gets_its_answer_through_the_window(contoso):
    window = contoso.open()
    window.wait_for(WELCOME)
    output = contoso.run("contoso-mail", "sign-in", "--redirect-uri", "msauth.com.contoso.mail://auth")
    assert "signed in as ada@contoso.com" in output
    window.wait_for(SIGNED_IN)


def test_a_browser_that_fails_is_told_and_the_page_is_as_before(contoso):
    window = contoso.open(BROWSER="false")
    window.press("Sign In")
    window.wait_for("No browser could be opened: false ended with status 1.")
    assert window.find(WELCOME)


def test_a_window_that_is_closed_during_a_sign_in_ends_and_the_next_one_can_sign_in(contoso, script):
    window = contoso.open(BROWSER=str(script(SLOW)))
    window.press("Sign In")
    window.wait_for(WAITING)
    window.close()
    window = contoso.open()
    window.press("Sign In")
    window.wait_for(SIGNED_IN)


def test_two_programs_that_start_at_once_have_one_window(contoso):
    windows = [contoso.open(), contoso.open()]
    first = wait_for("a window", lambda: next((each for each in windows if each.x11_windows), None))
    [second] = [each for each in windows if each is not first]
    assert second.process.wait(20) == 0
    first.wait_for(WELCOME)
    assert len(first.x11_windows) == 1


def test_without_a_provider_the_window_says_what_is_missing(contoso):
    window = contoso.open(CONTOSO_ISSUER="")
    window.wait_for("Contoso Mail Is Not Set Up")
    window.wait_for("Name the provider in the variable CONTOSO_ISSUER.")


def test_a_cold_start_shows_the_inbox_first_when_the_token_is_cached(contoso):
    contoso.run("contoso-calendar", "sign-in")
    window = contoso.open()
    first = wait_for("the window", lambda: {each.name for each in window.elements()})
    assert "Inbox" in first or "Accounts" in str(first)
    assert not first & {WELCOME, "Starting", "Your Accounts Are Locked"}
    window.wait_for(SIGNED_IN)
