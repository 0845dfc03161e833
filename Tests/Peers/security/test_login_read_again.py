# SPDX-License-Identifier: MIT
"""The login keyring is locked, and the daemon has read its file again: nothing shows that an open keyring of the group's
name is the group's. It is read, and nothing is stored in it."""

import json

import secretstorage

from keyrings import LOGIN
from people import ADA, GRACE
from planted import Plant, checks_of_group, contents_of, lock_and_have_read_again
from removals import EVERYWHERE
from secret_items import group_collection
from sso_cache import DONE, LOCKED_OR_TIMED_OUT
from unified_cache import signed_in


def imported(sso, save, person):
    return sso.run("import", "--format", "msal", save(json.dumps(signed_in(person=person)[0])))


def store(sso, name, content=b"s3cr3t"):
    return sso.run("secret set", "--service", name, stdin=content)


def test_the_groups_keyring_is_read_and_not_changed(sso, bus, group, daemon, save):
    sso.take(signed_in()[0])
    login = secretstorage.Collection(bus, LOGIN)
    lock_and_have_read_again(login, group_collection(bus, group))
    try:
        for change in (store(sso, "imap"), imported(sso, save, GRACE), sso.run(*EVERYWHERE)):
            assert change.status == LOCKED_OR_TIMED_OUT and "group unlock --prompt" in change.stderr, change
        assert [account["username"] for account in sso.accounts()] == [ADA.username]
        assert "group unlock --prompt" in checks_of_group(sso)["group-lock"]["remedy"]
    finally:
        daemon.restart()
    assert store(sso, "imap").status == DONE and imported(sso, save, GRACE).status == DONE
    assert sso.run(*EVERYWHERE).status == DONE
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]


def test_a_removal_of_everything_says_that_it_is_not_complete(sso, bus, group, daemon):
    sso.take(signed_in()[0])
    lock_and_have_read_again(secretstorage.Collection(bus, LOGIN), group_collection(bus, group))
    try:
        outcome = sso.run("sign-out", "--whole-group", "--yes")
        assert (outcome.status, outcome.stdout) == (LOCKED_OR_TIMED_OUT, "")
    finally:
        daemon.restart()
    assert sso.run("sign-out", "--whole-group", "--yes").status == DONE
    assert sso.accounts() == []


def test_a_keyring_in_the_place_of_the_groups_deleted_one_gets_nothing(
        sso, bus, group, home, daemon, save, planted_in):
    home.delete()
    theirs = planted_in(Plant(password="own", is_named=True))
    assert theirs.collection_path == home.collection_path
    planted = contents_of(theirs)
    lock_and_have_read_again(secretstorage.Collection(bus, LOGIN), theirs)
    try:
        for change in (store(sso, "imap"), imported(sso, save, GRACE)):
            assert change.status == LOCKED_OR_TIMED_OUT, change
        assert contents_of(theirs) == planted
    finally:
        daemon.restart()
