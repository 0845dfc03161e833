# SPDX-License-Identifier: MIT
"""Files of keyrings that the daemon has not read: what is in them is not lost, and nobody is told so."""

import json
import os
import shutil
import subprocess
import time

import pytest

from broken_setups import (
    AS_A_USER, GROUP, IN_GROUP, OTHER_USER, again_as_a_user, ask_bus, change_owner, cut_short, damaged,
    fifo_before_the_login, keyring_file, link_to_a_file_of_another_user, login_collection, overwritten,
    start_without_login,
)
from keyrings import Keyrings
from people import ADA, GRACE
from secret_items import group_collection, search, store_item
from sso_cache import DONE, LOCKED_OR_TIMED_OUT, STORAGE_OR_NETWORK, UNRECOVERABLE
from unified_cache import CLIENT, signed_in

OTHER = "com.contoso.other"


def status(session, *arguments):
    return subprocess.run(
        ["sso-cache", *arguments], env=session.environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=30
    ).returncode


def emptied(file):
    file.write_bytes(b"")


def away(file):
    file.rename(file.with_suffix(".away"))
    file.symlink_to(file.with_suffix(".missing"))


@pytest.mark.parametrize("login", ["damaged", "locked"])
@pytest.mark.parametrize("damage", [emptied, cut_short, overwritten, away])
def test_a_group_is_not_absent_while_its_file_and_its_password_are_out_of_reach(healthy, damage, login):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.keyring("stop")
    damage(keyring_file(healthy))
    if login == "damaged":
        damage(keyring_file(healthy, "login"))
    healthy.keyring("restart", *(["--locked"] if login == "locked" else []))
    for command in [
        ["accounts"], ["export", "--format", "msal"], ["secret", "list"], ["group", "delete", "--yes"],
        ["sign-out", "--account", "ada@contoso.com", "--everywhere", "--yes"], ["sign-out", "--whole-group", "--yes"],
    ]:
        assert status(healthy, *command, IN_GROUP) in (STORAGE_OR_NETWORK, LOCKED_OR_TIMED_OUT), command


@pytest.mark.parametrize("is_used", [False, True], ids=["before a sign-in", "after a sign-in"])
def test_a_closed_keyring_of_the_groups_name_that_no_password_names_is_named(healthy, is_used):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    with healthy.bus() as bus:
        [key] = search(bus, kind="group-key", group=GROUP)
        key.delete()
    damaged(lambda file: file.chmod(0))(healthy)
    if is_used:
        healthy.sign_in(signed_in(person=GRACE)[0], IN_GROUP)
    check = healthy.doctor(IN_GROUP).checks[f"group-lock:{GROUP}"]
    assert check["status"] == "warning" and f"{keyring_file(healthy)} is there" in check["detail"], check
    assert check["remedy"].startswith(f"chmod 600 {keyring_file(healthy)}, then "), check


@pytest.mark.parametrize("copied, moved", [("login", False), ("Travel", False), ("Travel", True)])
def test_a_group_is_not_absent_while_another_keyring_is_in_the_place_of_its_file(healthy, copied, moved):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    with healthy.bus() as bus:
        Keyrings(bus).make("Travel", "other")
    healthy.keyring("stop")
    own, other = keyring_file(healthy).read_bytes(), keyring_file(healthy, copied)
    keyring_file(healthy).write_bytes(other.read_bytes())
    if moved:
        other.unlink()
    healthy.keyring("start")
    for command in [
        ["accounts"], ["export", "--format", "msal"], ["secret", "list"], ["group", "create"], ["group", "unlock"],
        ["sign-out", "--account", "ada@contoso.com", "--everywhere", "--yes"], ["sign-out", "--whole-group", "--yes"],
    ]:
        assert status(healthy, *command, IN_GROUP) in (STORAGE_OR_NETWORK, UNRECOVERABLE), command
    remedy = healthy.doctor().checks[f"group-lock:{GROUP}"]["remedy"]
    assert "backup" in remedy and str(keyring_file(healthy)) in remedy
    keyring_file(healthy).write_bytes(own)
    healthy.keyring("restart")
    assert status(healthy, "accounts", IN_GROUP) == 0
    assert healthy.doctor().failing_checks == {}


def put_back(session, name):
    """Puts a keyring's file back into the folder of a daemon that has written there meanwhile."""
    file = keyring_file(session, name)
    session.keyring("stop")
    kept = file.read_bytes()
    file.unlink()
    session.keyring("start")
    session.sign_in(signed_in()[0], f"--group={OTHER}")
    # The daemon sees a change of the folder by its time, in seconds.
    time.sleep(1.2)
    file.write_bytes(kept)
    time.sleep(1.2)


@pytest.mark.parametrize("name", [GROUP, "Work"])
def test_a_file_that_appears_while_the_daemon_runs_is_named_and_costs_no_other_group(healthy, name):
    for group in (GROUP, OTHER):
        healthy.sign_in(signed_in()[0], f"--group={group}")
    if name != GROUP:
        keyring_file(healthy, name).write_bytes(keyring_file(healthy, OTHER).read_bytes())
    put_back(healthy, name)
    checks = healthy.doctor().failing_checks
    if name == GROUP:
        check = checks[f"group-lock:{GROUP}"]
        assert str(keyring_file(healthy)) in check["detail"] and check["remedy"].endswith(", then log out and in again.")
        assert status(healthy, "group", "delete", "--yes", IN_GROUP) == STORAGE_OR_NETWORK
        healthy.keyring("restart")
        assert healthy.doctor().failing_checks == {}
    else:
        assert checks == {} and json.loads(healthy.sso("groups", "--json").stdout)["groups"]
    assert status(healthy, "accounts", f"--group={OTHER}") == 0


def place_in_login(session):
    """Makes the group share the login keyring."""
    marker = {"format": 1, "name": GROUP, "publisher": "", "placement": "shared"}
    with session.bus() as bus:
        store_item(bus, login_collection(bus), json.dumps(marker).encode(), "group", GROUP)


def put_away_and_back(session):
    """Moves the folder above the keyrings away, so that the daemon drops them, and back."""
    session.data.rename(session.folder / "aside")
    subprocess.run(["sso-cache", "groups"], env=session.environment, stdin=subprocess.DEVNULL, timeout=30, check=False)
    shutil.rmtree(session.data, ignore_errors=True)
    (session.folder / "aside").rename(session.data)


def replaced_by_a_copy(session):
    keyrings = session.data / "keyrings"
    shutil.copytree(keyrings, session.folder / "copy")
    shutil.rmtree(keyrings)
    subprocess.run(["sso-cache", "groups"], env=session.environment, stdin=subprocess.DEVNULL, timeout=30, check=False)
    subprocess.run(["cp", "-a", session.folder / "copy", keyrings], check=True)


@pytest.mark.parametrize("bring_back", [put_away_and_back, replaced_by_a_copy])
@pytest.mark.parametrize("placement", ["dedicated", "shared"])
def test_nobody_is_said_to_be_signed_out_while_the_daemon_has_not_read_the_keyrings_again(
        healthy, placement, bring_back):
    if placement == "shared":
        place_in_login(healthy)
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.keyring("restart")
    assert status(healthy, "accounts", IN_GROUP) == DONE
    # The daemon sees a change of the folder by its time, in seconds.
    time.sleep(1.2)
    bring_back(healthy)
    token = ["--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"]
    for command in [
        ["accounts", IN_GROUP], ["token", IN_GROUP, *token], ["export", IN_GROUP, "--format", "msal"], ["groups"],
        ["secret", "list", IN_GROUP], ["group", "unlock", IN_GROUP], ["group", "create", IN_GROUP],
        ["group", "delete", "--yes", IN_GROUP], ["sign-out", "--whole-group", "--yes", IN_GROUP],
        ["sign-out", "--account", ADA.username, "--everywhere", "--yes", IN_GROUP],
    ]:
        assert status(healthy, *command) == STORAGE_OR_NETWORK, command
    assert set(healthy.doctor(IN_GROUP).failing_checks) == {"login", f"group-lock:{GROUP}"}
    healthy.keyring("restart")
    assert status(healthy, "token", IN_GROUP, *token) == DONE and healthy.doctor().failing_checks == {}


def test_doctor_names_a_groups_file_that_came_back_within_the_second_of_a_command(healthy):
    """The daemon sees a change of the folder by its time, in seconds: until the next one it knows nothing of the file."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.keyring("stop")
    keyrings, aside = healthy.data / "keyrings", healthy.folder / "aside"
    keyrings.rename(aside)
    keyrings.mkdir(mode=0o700)
    healthy.keyring("start")
    for _ in range(3):
        status(healthy, "groups")
        for file in keyrings.iterdir():
            file.unlink()
        subprocess.run(["cp", "-a", f"{aside}/.", keyrings], check=True)
        check = healthy.doctor().checks["groups"]
        assert check["status"] == "error" and str(keyring_file(healthy)) in check["detail"], check
    healthy.keyring("restart")
    assert status(healthy, "accounts", IN_GROUP) == 0 and healthy.doctor().failing_checks == {}


def test_doctor_says_that_the_login_keyring_is_there_when_the_folder_was_closed_at_the_start(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.keyring("stop")
    keyrings = healthy.data / "keyrings"
    aside = keyrings.rename(healthy.folder / "aside")
    keyrings.symlink_to(healthy.folder / "gone")
    start_without_login(healthy)
    keyrings.unlink()
    aside.rename(keyrings)
    status(healthy, "groups")
    check = healthy.doctor().checks["login"]
    assert str(keyring_file(healthy, "login")) in check["detail"] and "log out and in again" in check["remedy"], check
    healthy.end_last()
    healthy.keyring("start")
    assert status(healthy, "accounts", IN_GROUP) == 0 and healthy.doctor().failing_checks == {}


def test_a_group_in_the_login_keyring_is_not_absent_while_that_is_damaged(healthy):
    place_in_login(healthy)
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.keyring("stop")
    content = keyring_file(healthy, "login").read_bytes()
    cut_short(keyring_file(healthy, "login"))
    # This makes another login keyring beside it.
    healthy.keyring("start")
    for command in [
        ["accounts", IN_GROUP], ["group", "delete", "--yes", IN_GROUP], ["groups"],
        ["sign-out", "--account", ADA.username, "--everywhere", "--yes", IN_GROUP],
    ]:
        assert status(healthy, *command) == STORAGE_OR_NETWORK, command
    keyring_file(healthy, "login").write_bytes(content)
    healthy.keyring("restart")
    found = json.loads(healthy.sso("accounts", IN_GROUP, "--json").stdout)["accounts"]
    assert [account["username"] for account in found] == [ADA.username]


def test_the_first_remedy_does_not_end_the_session_while_a_groups_password_is_gone(healthy):
    """The group is open, and doctor can store its password again; after a login nothing opens it."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.sign_in(signed_in()[0], f"--group={OTHER}")
    healthy.keyring("stop")
    content = keyring_file(healthy, OTHER).read_bytes()
    emptied(keyring_file(healthy, OTHER))
    healthy.keyring("start")
    assert status(healthy, "accounts", IN_GROUP) == 0
    with healthy.bus() as bus:
        for password in search(bus, kind="group-key", group=GROUP):
            password.delete()
    checks = healthy.doctor().failing_checks
    remedies = [check["remedy"] for check in checks.values()]
    [first] = [remedy for remedy in remedies if "log out" in remedy.lower()]
    assert "mend what else sso-cache doctor names" in first, checks
    assert any("--fix" in remedy for remedy in remedies), checks
    keyring_file(healthy, OTHER).write_bytes(content)
    healthy.sso("doctor", "--fix", "--yes", IN_GROUP)
    healthy.keyring("restart")
    assert healthy.doctor().failing_checks == {}


def test_a_keyring_of_a_groups_name_in_the_place_of_its_deleted_one_keeps_no_sign_in_back(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    with healthy.bus() as bus:
        group_collection(bus, GROUP).delete()
        Keyrings(bus).make(GROUP, "other")
    healthy.keyring("restart")
    assert status(healthy, "accounts", IN_GROUP) == DONE
    healthy.sign_in(signed_in(person=GRACE)[0], IN_GROUP)
    healthy.keyring("restart")
    found = json.loads(healthy.sso("accounts", IN_GROUP, "--json").stdout)["accounts"]
    assert [account["username"] for account in found] == [GRACE.username]


def test_a_keyring_of_another_user_that_can_be_read_is_saved_and_no_problem(healthy):
    """The daemon copies the file, and gives the new one its name."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    again_as_a_user(healthy)
    file = keyring_file(healthy)
    file.chmod(0o644)
    change_owner(file)
    assert healthy.doctor().status == "ok"
    healthy.sign_in(signed_in(person=GRACE)[0], IN_GROUP)
    assert file.stat().st_uid == os.getuid()


def test_no_remedy_has_root_follow_a_link_that_another_program_planted(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    damaged(link_to_a_file_of_another_user)(healthy)
    said = [str(check) for check in healthy.doctor().checks.values()]
    said.append(subprocess.run(
        [*AS_A_USER, "sso-cache", "accounts", IN_GROUP], env=healthy.environment, capture_output=True, text=True,
        timeout=30).stderr)
    assert GROUP in said[-1] and not [text for text in said if "sudo" in text], said


def test_no_remedy_has_root_give_away_what_a_link_leads_to(healthy):
    """The folder is outside of the home, and another program may have planted the link."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    local = healthy.data.parent
    aside = local.rename(healthy.folder / "elsewhere")
    local.symlink_to(aside)
    aside.chmod(0o700)
    change_owner(aside)
    healthy.prefix = AS_A_USER
    check = healthy.doctor().checks["login"]
    assert check["status"] == "error" and f"{local} is there, and it belongs to {OTHER_USER}" in check["detail"], check
    assert f"ls -ld {local}" in check["remedy"] and "sudo" not in check["remedy"], check


def test_a_fifo_is_named_where_the_bus_starts_the_daemon_that_it_blocks(healthy):
    fifo_before_the_login(healthy)
    (healthy.folder / "services/org.freedesktop.secrets.service").write_text(
        "[D-BUS Service]\nName=org.freedesktop.secrets\n"
        f"Exec=/usr/bin/env XDG_DATA_HOME={healthy.data} gnome-keyring-daemon --foreground --components=secrets\n")
    ask_bus(healthy, "ReloadConfig")
    check = healthy.doctor().checks["provider"]
    assert check["status"] == "error" and str(keyring_file(healthy, "old")) in check["detail"], check
    # It also releases the daemon that the bus has started.
    healthy.follow(check["remedy"].partition(", then ")[0])
