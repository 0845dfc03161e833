# SPDX-License-Identifier: MIT
"""Creating, unlocking, locking and removing groups with the tool."""

import json
import subprocess

import pytest

from long_work import accounts_from, identifiers, with_pipes
from planted import file_of
from secret_items import group_collections, search, share
from sso_cache import DONE, INTERACTION_REQUIRED, LOCKED_OR_TIMED_OUT, UNRECOVERABLE, USAGE, SSOCache
from unified_cache import CLIENT, access_token, cache_of

SCOPE = "User.Read"


def state(sso):
    [group] = [group for group in sso.do("groups")["groups"] if group["name"] == sso.group] or [None]
    return group and ("locked" if group["locked"] else "open")


def test_a_group_is_created_locked_unlocked_and_removed(sso, bus):
    assert sso.do("group create") == {"created": True}
    assert sso.do("group create") == {"created": False}
    assert state(sso) == "open"
    assert sso.do("group lock") == {"locked": True}
    assert state(sso) == "locked"
    assert sso.do("group unlock") == {"unlocked": True}
    assert state(sso) == "open"
    assert sso.do("group delete", "--yes") == {"deleted": True}
    assert state(sso) is None
    assert group_collections(bus, sso.group) == [] and search(bus, group=sso.group) == []


def test_an_absent_group_is_no_error_and_none_is_created(sso):
    assert sso.do("group unlock") == {"unlocked": False}
    assert sso.do("group lock") == {"locked": False}
    assert sso.do("group delete", "--yes") == {"deleted": False}
    assert state(sso) is None


def test_the_next_command_unlocks_a_locked_group(sso):
    sso.take(cache_of(access_token(SCOPE)))
    sso.do("group lock")
    [account] = sso.accounts()
    assert sso.token(CLIENT, account["identifier"], SCOPE)["source"] == "cache"


@pytest.mark.parametrize("damage", ["password", "file"])
def test_unlocking_every_group_names_one_that_stays_locked_and_opens_the_others(tool, bus, group, daemon, damage):
    lost, sound = (SSOCache(tool, f"{group}.{name}") for name in "ab")
    for sso in (lost, sound):
        sso.take(cache_of(access_token(SCOPE)))
    [key] = search(bus, kind="group-key", group=lost.group)
    if damage == "password":
        key.set_secret(b"0" * 64)
    file = file_of(group_collections(bus, lost.group)[0])
    bus.close()
    daemon.stop()
    if damage == "file":
        file.write_bytes(b"damaged")
    daemon.start()
    done = subprocess.run([tool, "group", "unlock", "--json"], capture_output=True, text=True, timeout=60)
    error = json.loads(done.stderr)["error"]
    assert lost.group in error["detail"] and sound.group not in error["detail"]
    assert state(sound) == "open" and state(lost) == "locked"
    if damage == "password":
        assert lost.run("group reset", "--yes").status == DONE
    file.unlink()


def test_only_a_group_that_nothing_can_unlock_is_recreated(sso, bus):
    sso.take(cache_of(access_token(SCOPE)))
    assert sso.fail(USAGE, "group reset", "--yes") == "invalidArgument"
    assert len(sso.accounts()) == 1
    sso.do("group lock")
    for key in search(bus, kind="group-key", group=sso.group):
        key.delete()
    assert sso.fail(UNRECOVERABLE, "accounts") == "groupUnrecoverable"
    assert sso.do("group reset", "--yes")["reset"] is True
    assert sso.accounts() == []
    assert sso.fail(INTERACTION_REQUIRED, "token", "--client-id", CLIENT, "--account", "ada@contoso.com",
                    "--scope", SCOPE) == "interactionRequired"


@pytest.mark.parametrize("command", ["group delete", "group reset"])
def test_nothing_is_removed_without_confirmation(sso, command):
    sso.take(cache_of(access_token(SCOPE)))
    assert sso.fail(USAGE, command) == "invalidArgument"
    assert len(sso.accounts()) == 1


@pytest.mark.parametrize("limit", ["0", "-1", "3601", "x"])
def test_an_invalid_time_limit_is_a_usage_error(sso, limit):
    assert sso.run("group unlock", "--prompt", "--time-limit", limit).status == USAGE


def test_no_dialog_opens_without_permission_and_without_a_display_the_group_stays_locked(sso, daemon):
    sso.do("group create")
    daemon.restart_locked()
    assert sso.fail(LOCKED_OR_TIMED_OUT, "group unlock") == "groupLocked"
    # There is no display, so the daemon's own prompter exits at once.
    code = sso.fail(LOCKED_OR_TIMED_OUT, "group unlock", "--prompt", "--time-limit", "5")
    assert code == "groupLocked"


def test_every_account_is_listed_while_its_group_is_moved(sso, bus, group):
    sso.take(accounts_from(0, 100))
    share(bus, group)
    move = with_pipes(sso, "group move", "--progress")
    lists = []
    while move.poll() is None:
        lists.append({account["identifier"] for account in sso.accounts()})
    move.communicate()
    assert move.returncode == DONE and lists
    assert all(each == identifiers(0, 100) for each in lists), [len(each) for each in lists]
