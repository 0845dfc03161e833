# SPDX-License-Identifier: MIT
"""What happens to groups and to the keyring while the window is open, and what doctor finds."""

import time

import secretstorage

from accounts_window import (
    MAIL, PASSWORD, accounts_window, desktop_file, dialogs_of_the_keyring, other_screen, person_at_dialogs,
    sign_in, type_password,
)
from people import ADA, GRACE
from secret_items import search, store_item
from window import wait_for


# Locked groups.


def test_a_group_that_is_locked_is_shown_locked_and_nothing_asks_by_itself(ada, programs, daemon):
    daemon.restart_locked()
    with person_at_dialogs(), accounts_window(programs) as window:
        window.wait_for("com.contoso.shared")
        time.sleep(2)
        assert dialogs_of_the_keyring(window) == []
        assert not window.find("Ada Lovelace")


def test_the_button_opens_a_locked_group_by_the_desktops_own_dialog(ada, programs, daemon):
    daemon.restart_locked()
    with person_at_dialogs(), accounts_window(programs) as window:
        window.wait_for("Locked")
        window.press("Open", "push button")
        type_password(window, PASSWORD)
        window.wait_for("Ada Lovelace")


def test_a_dialog_that_the_person_closes_says_so_and_changes_nothing(ada, programs, daemon):
    daemon.restart_locked()
    with person_at_dialogs(), accounts_window(programs) as window:
        window.press("Open", "push button")
        wait_for("the keyring's dialog", lambda: dialogs_of_the_keyring(window))
        time.sleep(0.5)
        window.key("Escape")
        window.wait_for("The request was cancelled, or nobody answered it in time.")
        window.press("OK")
        window.wait_for("Locked")


def test_a_group_is_locked_and_opened_again_without_a_dialog(ada, programs):
    with accounts_window(programs) as window:
        window.wait_for("Ada Lovelace")
        window.press("Lock com.contoso.shared")
        window.wait_for("Locked")
        window.wait_until_gone("Ada Lovelace")
        window.press("Open com.contoso.shared")
        window.wait_for("Ada Lovelace")


# The service.


def test_while_the_service_is_away_the_window_says_so_and_goes_on_when_it_is_back(ada, programs, daemon):
    with accounts_window(programs) as window:
        window.wait_for("Ada Lovelace")
        daemon.kill()
        window.wait_for("No keyring is running, so accounts can't be read or saved.")
        daemon.start()
        window.wait_until_gone("No keyring is running")
        window.wait_for("Ada Lovelace")


def test_without_a_service_it_says_why_and_leads_to_the_cause(ada, programs, daemon):
    daemon.stop()
    with accounts_window(programs) as window:
        window.wait_for("No keyring is running, so accounts can't be read or saved.")
        window.press("Look for the Cause")
        window.wait_for("Check Again")
        window.wait_for("Error")


def test_work_that_hangs_shows_a_spinner_and_is_cancelled_at_once(ada, programs, daemon):
    with accounts_window(programs) as window:
        window.wait_for("Ada Lovelace")
        daemon.freeze()
        window.press("Lock com.contoso.shared")
        window.press("Cancel: Working on com.contoso.shared")
        window.wait_for("Lock com.contoso.shared", "push button", seconds=5)
        daemon.thaw()
        window.wait_until_gone("did not respond")
        window.wait_for("Ada Lovelace")


def test_a_service_that_hangs_is_reported_within_its_deadline(ada, programs, daemon):
    with accounts_window(programs) as window:
        window.wait_for("Ada Lovelace")
        daemon.freeze()
        window.press("Lock com.contoso.shared")
        window.wait_for("Your keyring did not respond in time. Try again.", seconds=15)
        window.press("OK")
        daemon.thaw()
        window.wait_for("Ada Lovelace")


# What doctor finds.


def test_doctor_finds_nothing_and_then_a_problem_that_a_button_repairs(ada, programs, bus):
    with other_screen("640x540") as display, accounts_window(programs, DISPLAY=display) as window:
        window.show_page("Problems")
        window.wait_for("All is well.")
        [marker] = search(bus, kind="group", group=ada.group)
        store_item(
            bus, secretstorage.Collection(bus, marker.item_path.rpartition("/")[0]), b"", "credentials", ada.group,
            publisher="com.contoso", client_id="c", environment="id.contoso.com", home_account_id="x")
        window.press("Check Again")
        window.wait_for("Repair…", "push button")
        window.picture("accounts-problems")
        window.press("Repair…")
        window.wait_for("It loses no data.")
        window.agree("Repair")
        window.wait_until_gone("Repair…", "push button")
        assert [each["username"] for each in ada.accounts()] == [ADA.username]


def test_a_button_beside_what_doctor_finds_opens_the_keyring_by_a_dialog(ada, programs, daemon):
    daemon.restart_locked()
    with person_at_dialogs(), accounts_window(programs) as window:
        window.show_page("Problems")
        window.press("Open Keyring… Login")
        type_password(window, PASSWORD)
        window.wait_for("All is well.")


def lose_the_password(bus, group, daemon):
    for item in search(bus, kind="group-key", group=group):
        item.delete()
    daemon.restart()


def test_a_locked_collection_of_which_nothing_tells_the_group_is_shown_by_its_label(ada, programs, bus, daemon):
    lose_the_password(bus, ada.group, daemon)
    with accounts_window(programs) as window:
        window.wait_for("Locked; which group it holds is not known")
        window.wait_for("com.contoso.shared")


def test_a_group_whose_password_is_lost_is_reset_after_a_question(ada, programs, bus, daemon, desktop_files):
    (desktop_files / f"{MAIL}.desktop").write_text(desktop_file("Contoso Mail"))
    lose_the_password(bus, ada.group, daemon)
    with accounts_window(programs) as window:
        window.wait_for("its password is lost")
        window.press("Reset com.contoso.shared")
        window.wait_for("The collection")
        window.agree("Reset")
        window.wait_for("Nobody is signed in")
        sign_in(ada, GRACE)
        window.wait_for("Grace Hopper")
