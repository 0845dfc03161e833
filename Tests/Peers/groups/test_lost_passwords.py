# SPDX-License-Identifier: MIT
"""A group that lost its password, its marker or its name while it was open: what is saved later ends no access to the
rest, and what would be lost at the next login is said and brought to safety."""

from contextlib import closing

import pytest
import secretstorage

from keyrings import Keyrings
from people import ADA, GRACE
from planted import checks_of_group, contents_of, file_of
from secret_items import group_collection, group_collections, search
from sso_cache import DONE, UNRECOVERABLE
from unified_cache import signed_in


@pytest.mark.parametrize("marker", [None, b"{}"], ids=["deleted", "overwritten"])
def test_what_is_saved_later_is_saved_beside_the_rest(sso, bus, group, daemon, marker):
    sso.take(signed_in()[0])
    assert sso.run("secret set", "--service", "imap", stdin=b"hunter2").status == DONE
    for item in search(bus, group=group, kind="group-key"):
        item.delete()
    [item] = search(bus, group=group, kind="group")
    if marker is None:
        item.delete()
    else:
        item.set_secret(marker)
    sso.take(signed_in(person=GRACE)[0])
    assert len(group_collections(bus, group)) == 1
    # Doctor gives it a password again, in time for the next login.
    repaired = sso.run("doctor", "--fix", "--yes")
    assert repaired.status == DONE, repaired.stdout
    daemon.restart()
    assert sorted(account["username"] for account in sso.accounts()) == [ADA.username, GRACE.username]
    assert sso.run("secret get", "--service", "imap").stdout == "hunter2"


class Changes:
    """What a person in Passwords and Keys, or another program, can do to an open group."""

    def __init__(self, bus, group):
        self._bus, self._group, self.keyring = bus, group, group_collection(bus, group)

    def _each(self, kind):
        return search(self._bus, group=self._group, kind=kind)

    def _delete(self, kind):
        for item in self._each(kind):
            item.delete()

    def _overwrite(self, kind, content):
        for item in self._each(kind):
            item.set_secret(content)

    def marker_deleted(self):
        self._delete("group")

    def marker_overwritten(self):
        self._overwrite("group", b"{}")

    def password_deleted(self):
        self._delete("group-key")

    def password_overwritten(self):
        self._overwrite("group-key", b"wrong")

    def password_changed(self):
        [item] = self._each("group-key")
        Keyrings(self._bus).change(self.keyring.collection_path, item.get_secret().decode(), "mine")

    def renamed(self):
        self.keyring.set_label("Renamed")


LOST_AT_LOGIN = [
    "marker_deleted password_overwritten", "marker_deleted password_overwritten renamed",
    "marker_deleted password_changed", "marker_deleted password_changed renamed",
    "marker_deleted password_deleted renamed", "marker_overwritten password_deleted renamed",
]


def changed(sso, bus, group, changes):
    """Signs Ada in, changes the group, and returns its keyring."""
    sso.take(signed_in()[0])
    made = Changes(bus, group)
    for change in changes.split():
        getattr(made, change)()
    return made.keyring


def assert_repair_saves(sso, daemon, keyring, people):
    before = contents_of(keyring)
    repaired = sso.run("doctor", "--fix", "--yes")
    assert repaired.status == DONE, repaired.stdout
    # The keyring may be another program's: it stays as it is.
    assert contents_of(keyring) == before
    daemon.restart()
    assert sorted(account["username"] for account in sso.accounts()) == sorted(person.username for person in people)


@pytest.mark.parametrize("changes", LOST_AT_LOGIN)
def test_a_keyring_that_no_password_opens_and_that_has_the_only_copy_is_an_error_that_one_repair_mends(
        sso, bus, group, daemon, changes):
    keyring = changed(sso, bus, group, changes)
    sso.take(signed_in(person=GRACE)[0])
    assert sso.run("doctor").status == UNRECOVERABLE
    check = checks_of_group(sso)["group-collection"]
    assert check["status"] == "error" and keyring.get_label() in check["detail"], check
    assert "only copy" in check["detail"] and "--fix" in check["remedy"] and "elete" not in check["remedy"]
    assert_repair_saves(sso, daemon, keyring, [ADA, GRACE])


@pytest.mark.parametrize("changes", LOST_AT_LOGIN[:2])
def test_such_a_keyring_is_an_error_before_anything_else_is_saved_too(sso, bus, group, daemon, changes):
    keyring = changed(sso, bus, group, changes)
    assert sso.run("doctor").status == UNRECOVERABLE
    assert_repair_saves(sso, daemon, keyring, [ADA])


@pytest.mark.parametrize("people", [[ADA], [ADA, GRACE]], ids=["before a save", "after a save"])
def test_nobody_is_told_to_delete_a_renamed_keyring_without_a_marker_that_has_the_only_copy(
        sso, bus, group, daemon, people):
    keyring = changed(sso, bus, group, "marker_deleted renamed")
    for person in people[1:]:
        sso.take(signed_in(person=person)[0])
    check = checks_of_group(sso)["group-collection"]
    assert check["status"] == "warning" and "only copy" in check["detail"] and "elete" not in check["remedy"], check
    assert_repair_saves(sso, daemon, keyring, people)
    # It is no longer needed.
    with closing(secretstorage.dbus_init()) as fresh:
        Keyrings(fresh).delete(keyring.collection_path)
    assert sorted(account["username"] for account in sso.accounts()) == sorted(person.username for person in people)


@pytest.mark.parametrize("changes", LOST_AT_LOGIN[:2], ids=["of the group's name", "renamed"])
def test_after_the_next_login_doctor_names_the_keyring_that_nothing_opens(sso, bus, group, daemon, changes):
    file = file_of(changed(sso, bus, group, changes))
    sso.take(signed_in(person=GRACE)[0])
    daemon.restart()
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]
    check = checks_of_group(sso)["group-lock"]
    assert check["status"] == "warning" and f"({file}) is locked" in check["detail"], check
    assert "login-backup.keyring" in check["remedy"]


def test_a_deletion_opens_a_renamed_keyring_whose_password_it_has(sso, bus, group, daemon):
    changed(sso, bus, group, "marker_deleted renamed")
    sso.take(signed_in(person=GRACE)[0])
    daemon.restart()
    assert sso.run("group delete", "--yes").status == DONE
    assert sso.accounts() == []
