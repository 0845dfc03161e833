# SPDX-License-Identifier: MIT
"""Files of keyrings that the daemon has not read: what is in them is not lost, and nobody is told so."""

import json
import shutil
import subprocess
import time

import pytest

from broken_setups import GROUP, IN_GROUP, cut_short, keyring_file, login_collection, overwritten
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
