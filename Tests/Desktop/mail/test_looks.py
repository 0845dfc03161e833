# SPDX-License-Identifier: MIT
"""Contoso Mail's window for every person: narrow, dark, from right to left, with long names, by keyboard and by ear."""

import subprocess

import pytest

from people import Person
from repository import SCRIPTS
from user_info import UserInfoProvider, response
from window import wait_for

SIGNED_IN = "You have signed in as ada@contoso.com"
LONG = Person("a" * 150 + "@contoso.com", "Ada " * 40, "1001")


@pytest.fixture(scope="module")
def narrow():
    """A screen of a phone's width."""
    process = subprocess.Popen(
        [SCRIPTS / "private-screen", "360x640", "sh", "-c", 'echo "$DISPLAY"; cat'],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    yield {"DISPLAY": process.stdout.readline().strip()}
    process.stdin.close()
    process.wait()


@pytest.fixture(scope="session")
def hebrew(tmp_path_factory):
    """A locale whose language is written from right to left."""
    folder = tmp_path_factory.mktemp("locales")
    subprocess.run(
        ["localedef", "--no-archive", "-i", "he_IL", "-f", "UTF-8", folder / "he_IL.UTF-8"], check=True,
        capture_output=True)
    return {"LOCPATH": str(folder), "LC_ALL": "he_IL.UTF-8"}


def test_a_window_of_360_pixels_holds_the_longest_names(open_window, narrow):
    provider = UserInfoProvider(LONG)
    provider.user_info = response({"sub": "1001", "name": LONG.name, "email": LONG.username})
    window, _ = open_window(provider, **narrow)
    window.wait_for("Welcome, Ada Ada")
    window.picture("mail-narrow")
    assert too_wide(window) == []


def too_wide(window):
    """What has a name and exceeds a window of 360 pixels."""
    extents = [(each, *each.horizontal_extents()) for each in window.elements() if each.name]
    return [(each, left, width) for each, left, width in extents if left < 0 or left + width > 360]


def test_every_page_fits_into_360_pixels(contoso, narrow):
    window = contoso.open(**narrow)
    window.wait_for("Welcome to Contoso Mail")
    assert too_wide(window) == []


def test_the_window_is_dark_where_the_desktop_is(contoso):
    contoso.run("contoso-calendar", "sign-in")
    window = contoso.open(ADW_DEBUG_COLOR_SCHEME="prefer-dark")
    window.wait_for(SIGNED_IN)
    window.picture("mail-dark")
    assert brightness(window) < 0.3


def test_the_window_is_light_otherwise(contoso):
    window = contoso.open()
    window.wait_for("Welcome to Contoso Mail")
    assert brightness(window) > 0.8


def brightness(window):
    """Of the screen, which the window fills: 0 is black."""
    return float(subprocess.check_output(
        "import -window root png:- | convert png:- -colorspace Gray -format '%[fx:mean]' info:",
        shell=True, env=window.environment))


def test_from_right_to_left_the_accounts_are_on_the_right(contoso, hebrew):
    contoso.run("contoso-calendar", "sign-in")
    window = contoso.open(**hebrew)
    window.wait_for(SIGNED_IN)
    window.picture("mail-right-to-left")
    left, _ = window.wait_for("Accounts: ").horizontal_extents()
    _, whole = window.wait_for("Contoso Mail", "frame").horizontal_extents()
    assert left > whole / 2


def test_the_keyboard_alone_reaches_the_accounts_and_signs_out(contoso):
    contoso.run("contoso-calendar", "sign-in")
    window = contoso.open()
    window.wait_for(SIGNED_IN)
    wait_for("the window in front", window.is_active)
    wait_for("the focus", lambda: focus_by_key(window, "Accounts: "))
    window.key("space")
    window.wait_for("Sign Out…")
    wait_for("the focus", lambda: focus_by_key(window, "Sign Out…"))
    window.key("space")
    window.wait_for("Sign out of ada@contoso.com?")
    window.key("Escape")
    window.wait_until_gone("Sign out of ada@contoso.com?")
    window.key("ctrl+w")
    assert window.process.wait(20) == 0


def focus_by_key(window, name):
    window.key("Tab")
    return any(each.has("FOCUSED") and name in each.name for each in window.elements())


def test_a_screen_reader_has_a_name_for_every_control(contoso):
    contoso.run("contoso-calendar", "sign-in")
    window = contoso.open()
    window.wait_for(SIGNED_IN)
    window.press("Accounts: ")
    window.wait_for("Sign Out…")
    roles = ("push button", "list item")
    controls = [each for each in window.elements() if each.has("FOCUSABLE") or each.role in roles]
    assert len(controls) >= 4
    assert [each for each in controls if not each.name and each.role not in ("scroll pane", "panel", "filler")] == []
