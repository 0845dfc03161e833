# SPDX-License-Identifier: MIT
"""A repair that brings a group without its password into a new keyring, and that ends in the middle."""

import json
import signal

import pytest

from long_work import accounts_from, identifiers, with_pipes
from planted import checks_of_group, failed_checks, file_of
from secret_items import group_collection, group_collections, search, share
from sso_cache import CANCELLED, DONE, UNRECOVERABLE
from unified_cache import signed_in

# A repair of so many records goes on for a while.
COUNT = 60


def accounts(sso):
    return {account["identifier"] for account in sso.accounts()}


def without_password(sso, bus, cache):
    sso.take(cache)
    for key in search(bus, group=sso.group, kind="group-key"):
        key.delete()
    return group_collection(bus, sso.group)


def interrupt(sso, daemon, number, *command):
    """Repairs, or does what the command does, and sends a signal once a record is done; returns what the command says last.

    It reports once a second. The daemon is slowed from the first report on, so that not all is done by the second.
    """
    repair = with_pipes(sso, *(command or ("doctor", "--fix", "--yes")), "--progress")
    line = repair.stderr.readline()
    with daemon.slowed():
        while json.loads(line)["progress"]["completed"] == 0:
            line = repair.stderr.readline()
        repair.send_signal(number)
        said = repair.communicate(timeout=60)[1].decode()
    assert repair.returncode == (-signal.SIGKILL if number == signal.SIGKILL else CANCELLED), said
    return said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_the_next_repair_ends_it(sso, bus, group, daemon, number):
    former = without_password(sso, bus, accounts_from(0, COUNT))
    said = interrupt(sso, daemon, number)
    assert "before you log out" in said or number == signal.SIGKILL

    assert sso.run("doctor").status == UNRECOVERABLE
    check = checks_of_group(sso)["group-collection"]
    assert check["status"] == "error" and file_of(former).name in check["detail"], check
    assert "interrupted" in check["detail"] and "--fix" in check["remedy"]

    assert sso.run("doctor", "--fix", "--yes").status == DONE
    assert len(group_collections(bus, group)) == 1
    daemon.restart()
    assert accounts(sso) == identifiers(0, COUNT)
    assert failed_checks(sso) == {}
    assert sso.run("sign-out", "--whole-group", "--yes").status == DONE
    assert sso.run("group delete", "--yes").status == DONE
    assert group_collections(bus, group) == []


def test_after_a_login_doctor_says_what_brings_back_the_rest(sso, bus, group, daemon):
    without_password(sso, bus, accounts_from(0, COUNT))
    interrupt(sso, daemon, signal.SIGINT)
    daemon.restart()
    assert 0 < len(accounts(sso)) < COUNT
    assert sso.run("doctor").status == UNRECOVERABLE
    check = checks_of_group(sso)["group-lock"]
    assert check["status"] == "error" and "login-backup.keyring" in check["remedy"], check
    assert "group reset" in check["remedy"]
    # As where there is no backup.
    assert sso.run("group reset", "--yes").status == DONE
    assert failed_checks(sso) == {}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_a_repair_ends_a_move_whose_password_is_deleted(sso, bus, group, daemon, number):
    sso.take(accounts_from(0, COUNT))
    share(bus, group)
    interrupt(sso, daemon, number, "group move")
    for key in search(bus, group=group, kind="group-key"):
        key.delete()
    assert accounts(sso) == identifiers(0, COUNT)
    assert sso.run("doctor").status == UNRECOVERABLE
    assert "--fix" in checks_of_group(sso)["group-collection"]["remedy"]
    assert sso.run("doctor", "--fix", "--yes").status == DONE
    assert group_collections(bus, group) == []
    daemon.restart()
    assert accounts(sso) == identifiers(0, COUNT)
    assert sso.run("doctor").status == DONE


def test_a_repair_says_that_items_of_others_stay_in_a_keyring_that_nothing_opens(sso, bus, group, daemon):
    cache, _ = signed_in()
    former = without_password(sso, bus, cache)
    former.create_item("Wi-Fi", {"network": "home"}, b"hunter2")
    assert sso.run("doctor", "--fix", "--yes").status == DONE
    check = checks_of_group(sso)["group-collection"]
    assert check["status"] == "warning" and file_of(former).name in check["detail"], check
    assert "items of others" in check["detail"] and "before you log out" in check["remedy"]
    assert [item.get_label() for item in former.get_all_items()] == ["Wi-Fi"]
