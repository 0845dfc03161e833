# SPDX-License-Identifier: MIT
"""What a provider may say at the userinfo endpoint, and what Contoso Mail's window makes of it."""

import pytest

from people import Person
from user_info import UserInfoProvider, UserInfoServer, response
from window import wait_for

ERROR = "The server reports an error."
MARKUP = "<b>Ada</b> & <span size='99999'>x</span> &#0; %s %n"


@pytest.mark.parametrize(
    "name, shown",
    [
        (MARKUP, f"Welcome, {MARKUP}"),
        ("Ada\n\n\u202egnp.exe\u0007", "Welcome, Ada gnp.exe"),
        ("A" * 500_000, "Welcome, " + "A" * 199 + "…"),
        ("\u0000\u200f", "Welcome, Ada Lovelace"),
        ("עדה לאבלייס", "Welcome, עדה לאבלייס"),
    ],
    ids=["markup", "direction", "long", "empty", "right to left"],
)
def test_a_name_of_the_provider_is_shown_as_text_of_one_line(open_window, name, shown):
    provider = UserInfoProvider()
    provider.user_info = response({"sub": "1001", "name": name})
    window, _ = open_window(provider)
    assert window.wait_for("Welcome, ").name.startswith(shown)


def test_names_of_an_account_are_text_in_every_place(open_window):
    person = Person("<i>ada</i>&@contoso.com", MARKUP, "1001")
    window, _ = open_window(UserInfoProvider(person))
    window.press(f"Accounts: {MARKUP}")
    window.press("Sign Out…")
    window.wait_for("Sign out of <i>ada</i>&@contoso.com?")
    window.press("From All Contoso Apps")
    window.wait_for("Welcome to Contoso Mail")


@pytest.mark.parametrize(
    "user_info",
    [
        (200, {}, [b"<html>Sign in</html>"]), (200, {}, [b""]), response({"sub": "1002", "name": "Eve"}),
        response({"name": "Eve"}), response([]), response({}, status=500), response({"sub": "1001"}, status=401),
        (200, {}, [b"[" * 500_000]),
    ],
    ids=["page", "nothing", "another user", "no user", "list", "error", "refused", "deep"],
)
def test_an_answer_that_is_no_answer_is_an_error_and_the_window_stays(open_window, user_info):
    provider = UserInfoProvider()
    provider.user_info = user_info
    window, server = open_window(provider)
    window.wait_for(ERROR)
    assert not window.find("Eve")
    provider.user_info = response({"sub": "1001", "name": "Ada"})
    window.press("Try Again")
    window.wait_for("Welcome, Ada")
    asked = [url for url in server.requests if url.endswith("/userinfo")]
    assert len(asked) <= 3, "the window asks again and again"


def endless():
    yield b'{"sub":"1001","name":"'
    while True:
        yield b"A" * 65_536


def test_an_answer_without_an_end_is_cut_off(open_window):
    provider = UserInfoProvider()
    provider.user_info = (200, {}, endless())
    window, _ = open_window(provider)
    window.wait_for(ERROR)
    wait_for("the end of the connection", lambda: provider.was_cut_off)


def test_a_redirection_gets_no_token(open_window):
    provider, other = UserInfoProvider(), UserInfoProvider()
    with UserInfoServer(other) as elsewhere:
        provider.user_info = (302, {"Location": f"{elsewhere.address}/userinfo"}, [])
        window, _ = open_window(provider)
        window.wait_for(ERROR)
        assert elsewhere.requests == []
