# SPDX-License-Identifier: MIT
"""Who is signed in, and signing out: every state is reached by what really happens."""

import json
import subprocess
import time

import pytest

from accounts_window import CALENDAR, MAIL, OTHER_CLIENT, accounts_window, desktop_file, other_screen, sign_in
from people import ADA, GRACE
from repository import ROOT
from unified_cache import CLIENT
from window import wait_for


# Who is signed in.


def test_it_shows_who_is_signed_in_where_and_in_which_apps_and_no_token(ada, programs, desktop_files):
    for app, name in ((MAIL, "Contoso Mail"), (CALENDAR, "Contoso Calendar")):
        (desktop_files / f"{app}.desktop").write_text(desktop_file(name))
    with other_screen("640x540") as display, accounts_window(programs, DISPLAY=display) as window:
        window.wait_for("com.contoso.shared")
        window.wait_for("Publisher com.contoso", "label")
        window.wait_for(f"{ADA.username} · login.microsoftonline.com", "label")
        window.expand("Ada Lovelace")
        for text in (CLIENT, OTHER_CLIENT, MAIL, "Contoso Mail", CALENDAR, "Contoso Calendar"):
            window.wait_for(text)
        window.picture("accounts-window")


def test_where_there_is_no_group_it_says_so(suite, programs, daemon):
    daemon.restart_fresh()
    with accounts_window(programs) as window:
        window.wait_for("No Accounts Yet")


# Without a notification a change shows after a minute, which is longer than these tests wait.


def test_a_sign_in_and_a_sign_out_of_other_programs_show_at_once(suite, programs):
    sign_in(suite)
    with accounts_window(programs) as window:
        window.wait_for("Ada Lovelace")
        sign_in(suite, GRACE)
        window.wait_for("Grace Hopper")
        suite.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
        window.wait_until_gone("Ada Lovelace")


def test_a_group_that_is_made_or_removed_while_the_window_is_open_comes_and_goes(suite, programs):
    with accounts_window(programs) as window:
        window.wait_until_gone("com.contoso.shared")
        sign_in(suite)
        window.wait_for("Ada Lovelace")
        suite.do("group delete", "--yes")
        window.wait_until_gone("com.contoso.shared")


# Signing out.


def signed_in_apps(window):
    return {each.name for each in window.elements() if each.name in (MAIL, CALENDAR)}


def test_signing_out_of_one_app_leaves_the_others(ada, programs):
    with accounts_window(programs) as window:
        window.expand("Ada Lovelace")
        window.press(f"Sign Ada Lovelace out of {MAIL}")
        window.wait_for("The tokens stay while another app of the client uses them.")
        window.agree("Sign Out")
        wait_for("the app's row to go", lambda: signed_in_apps(window) == {CALENDAR})
        [account] = ada.accounts()
        assert sorted(account["clients"]) == sorted([CLIENT, OTHER_CLIENT])


def test_signing_out_of_one_client_leaves_the_others(ada, programs):
    with accounts_window(programs) as window:
        window.expand("Ada Lovelace")
        window.press(f"Sign Ada Lovelace out of all apps of the client {CLIENT}")
        window.agree("Sign Out")
        window.wait_until_gone(CLIENT)
        assert ada.accounts()[0]["clients"] == [OTHER_CLIENT]


def test_signing_out_everywhere_removes_the_account(ada, programs):
    sign_in(ada, GRACE)
    with accounts_window(programs) as window:
        window.expand("Ada Lovelace")
        window.press("Sign Ada Lovelace out of every app")
        window.wait_for("All tokens of the account in this group are removed, for every app.")
        window.agree("Sign Out")
        window.wait_until_gone("Ada Lovelace")
        assert [each["username"] for each in ada.accounts()] == [GRACE.username]


@pytest.mark.parametrize("answer", ["Cancel", "Escape", "Return"])
def test_whoever_does_not_agree_stays_signed_in(ada, programs, answer):
    before = ada.accounts()
    with accounts_window(programs) as window:
        window.expand("Ada Lovelace")
        window.press("Sign Ada Lovelace out of every app")
        window.wait_for("Nothing is revoked at the provider.")
        if answer == "Cancel":
            window.press("Cancel")
        else:
            time.sleep(0.5)
            window.key(answer)
        window.wait_until_gone("Nothing is revoked at the provider.")
        assert ada.accounts() == before


# Apps and grants.


def test_apps_are_named_by_their_desktop_files_and_refusals_are_explained(ada, programs, desktop_files):
    (desktop_files / f"{MAIL}.desktop").write_text(desktop_file("Contoso Mail"))
    (desktop_files / "org.example.bad.desktop").write_text(desktop_file("<b>Bad</b>", groups="*;"))
    with accounts_window(programs) as window:
        window.expand("Ada Lovelace")
        window.wait_for("Contoso Mail")
        window.show_page("Apps")
        window.wait_for("<b>Bad</b>")
        assert any("Refused:" in name for name in window.names())


def test_a_grant_is_revoked_after_a_question(suite, programs):
    subprocess.run(
        [suite.tool, "grant", "com.fabrikam.App", "com.contoso.shared", "--publisher", "com.contoso"], check=True,
        stdout=subprocess.DEVNULL)
    with accounts_window(programs) as window:
        window.show_page("Apps")
        window.wait_for("com.fabrikam.App")
        window.press("Revoke com.fabrikam.App")
        window.agree("Revoke")
        window.wait_for("No group is granted to an app.")
    listed = subprocess.run([suite.tool, "grants", "--json"], check=True, capture_output=True, text=True).stdout
    assert json.loads(listed)["grants"] == []


# What is installed.


def test_what_is_installed_with_the_window_is_valid():
    share = ROOT / "Desktop/share"
    name = "org.secretstorecache.Accounts"
    for command in (
        ["desktop-file-validate", share / f"{name}.desktop"],
        ["appstreamcli", "validate", "--no-net", share / f"{name}.metainfo.xml"],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
