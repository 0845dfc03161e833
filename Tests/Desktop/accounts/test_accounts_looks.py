# SPDX-License-Identifier: MIT
"""What others plant, many accounts, and windows of every shape."""

import json
import os
import subprocess
import time
import uuid
from pathlib import Path

import pytest
import secretstorage

from accounts_window import accounts_window, extents, other_screen, sign_in
from hostile_names import HOSTILE, steering
from people import Person
from secret_items import LOGIN, search, store_item
from unified_cache import access_token, cache_of
from window import wait_for


# What others plant.


MARKUP = "<b>Ada</b> & <span foreground='white'>x</span>"


def test_names_of_others_are_shown_as_plain_text(suite, programs):
    names = {"markup": MARKUP, "long": "W" * 5_000} | HOSTILE
    for key, name in names.items():
        person = Person(name.replace("\0", "") + "@contoso.com", name, str(uuid.uuid5(uuid.NAMESPACE_DNS, key)))
        sign_in(suite, person)
    with accounts_window(programs) as window:
        window.wait_for(MARKUP)
        time.sleep(1)
        for name in window.names():
            assert not steering(name.replace("\u2068", "").replace("\u2069", "")) and "\n" not in name, repr(name)
        window.expand(MARKUP)
        window.press(f"Sign {MARKUP} out of every app")
        window.wait_for("Nothing is revoked at the provider.")
        assert any(MARKUP in name for name in window.names())
        window.press("Cancel")


def test_planted_markers_and_labels_neither_hide_nor_double_a_group(ada, programs, bus):
    [marker] = search(bus, kind="group", group=ada.group)
    login = secretstorage.Collection(bus, LOGIN)
    store_item(bus, login, marker.get_secret(), "group", ada.group, publisher="com.contoso")
    store_item(bus, login, b"nonsense", "group", "com.evil.<b>x</b>", publisher="")
    try:
        with accounts_window(programs) as window:
            window.wait_for("com.contoso.shared")
            time.sleep(1)
            assert [each.name for each in window.elements()].count("com.contoso.shared") == 1
    finally:
        for item in search(bus, kind="group"):
            if item.item_path.startswith(LOGIN):
                item.delete()


def test_two_hundred_accounts_are_shown_soon_and_a_change_among_them_too(suite, programs):
    people = [
        Person(f"p{number:03}@contoso.com", f"Person {number:03}", str(uuid.uuid5(uuid.NAMESPACE_DNS, str(number))))
        for number in range(200)
    ]
    whole = {name: {} for name in ("AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata")}
    for number, person in enumerate(people):
        for name, entries in cache_of(access_token("mail.read", person), person=person).items():
            whole[name] |= {f"{number}-{key}": entry for key, entry in entries.items()}
    file = Path(os.environ["SSC_SESSION_DIR"], "many.json")
    file.write_text(json.dumps(whole))
    subprocess.run(
        suite.arguments("import", "--format", "msal", file), check=True, stdout=subprocess.DEVNULL, timeout=200)
    started = time.monotonic()
    with accounts_window(programs) as window:
        wait_for("the first of many", lambda: window.first_row() == "Person 000")
        assert time.monotonic() - started < 10
        suite.do("sign-out", "--account", "p000@contoso.com", "--everywhere", "--yes")
        wait_for("the first to go", lambda: window.first_row() == "Person 001", seconds=5)


# Every shape.


LONG = Person(
    "ada.augusta.king.countess.of.lovelace.who.wrote.the.first.program@analytical-engine.example",
    "Ada Augusta King, Countess of Lovelace, Who Wrote the First Program That Was Meant for a Machine",
    "6f4880d8-80ba-4c40-97bc-f7a23c703084")


def assert_inside(window, width):
    """No text or button is wider than the window, or cut by it; of three switches of pages two are hidden."""
    for each in window.elements():
        if each.role in ("label", "push button", "list item") and each.name not in ("Accounts", "Apps", "Problems"):
            x, _, wide, _ = extents(each)
            assert 0 <= x and x + wide <= width, (each, x, wide)


@pytest.mark.parametrize("settings", [{}, {"LANGUAGE": "he", "LC_ALL": "C.UTF-8"}], ids=["left", "right-to-left"])
def test_a_narrow_window_shows_long_names_whole(ada, programs, settings):
    sign_in(ada, LONG)
    with other_screen("360x720") as display, accounts_window(
        programs, DISPLAY=display, ADW_DEBUG_COLOR_SCHEME="prefer-dark", **settings
    ) as window:
        window.wait_for(LONG.name)
        window.expand("Ada Lovelace")
        window.wait_for("All apps")
        assert_inside(window, 360)
        if not settings:
            window.picture("accounts-narrow")
        for page in ("Apps", "Problems"):
            window.show_page(page)
            window.wait_for("Check Again" if page == "Problems" else "Grants")
            time.sleep(0.5)
            assert_inside(window, 360)


def test_a_language_that_is_written_from_the_right_turns_the_window(ada, programs):
    places = []
    for settings in ({}, {"LANGUAGE": "he", "LC_ALL": "C.UTF-8"}):
        with accounts_window(programs, **settings) as window:
            title = window.wait_for("com.contoso.shared", "label")
            places.append(extents(title)[0] - extents(window.wait_for("Lock com.contoso.shared"))[0])
    assert places[0] < 0 < places[1]


# Without a mouse.


def test_a_keyboard_is_enough_to_sign_out(suite, programs):
    sign_in(suite)
    with accounts_window(programs) as window:
        window.wait_for("Ada Lovelace")
        wait_for("the window to be active", window.is_active)

        window.tab_to("Ada Lovelace")
        window.key("Return")
        window.tab_to("Sign Ada Lovelace out of every app")
        window.key("space")
        window.wait_for("Nothing is revoked at the provider.")
        window.tab_to("Sign Out")
        window.key("Return")
        window.wait_for("Nobody is signed in")


def test_every_button_says_what_it_is_about(ada, programs):
    with accounts_window(programs) as window:
        window.expand("Ada Lovelace")
        window.wait_for("All apps")
        buttons = [each.name for each in window.elements() if each.role == "push button"]
        assert all(buttons), buttons
        assert len(buttons) == len(set(buttons)), buttons
