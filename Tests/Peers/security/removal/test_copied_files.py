# SPDX-License-Identifier: MIT
"""A copy of the keyring's file that appears while the daemon runs, which finds its items and can't delete them: a
removal names the file."""

import shutil
import time

import pytest
import secretstorage

from planted import file_of
from removals import DELETE, EVERYWHERE, OF_CLIENT, WHOLE_GROUP
from secret_items import group_collection, search
from sso_cache import DONE, LOCKED_OR_TIMED_OUT, STORAGE_OR_NETWORK
from unified_cache import signed_in

SECRET = ["secret remove", "--service", "imap"]


@pytest.fixture
def copied(daemon):
    """Makes the copy, which goes afterwards."""
    copies = []

    def copied(file):
        copies.append(file.with_name(f"{file.stem}_1.keyring"))
        shutil.copy(file, copies[0])
        return copies[0]

    yield copied
    for copy in copies:
        if copy.exists():
            copy.unlink()
            daemon.restart()


@pytest.mark.parametrize("removal", [EVERYWHERE, OF_CLIENT, WHOLE_GROUP, DELETE, SECRET], ids=" ".join)
@pytest.mark.parametrize("seconds", [0, 2], ids=["at once", "once the daemon has seen it"])
def test_a_removal_names_a_copied_file(sso, bus, group, daemon, copied, removal, seconds):
    sso.take(signed_in()[0])
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t-hunter")
    copy = copied(file_of(group_collection(bus, group)))
    time.sleep(seconds)
    for _ in range(2):
        outcome = sso.run(*removal)
        assert outcome.status in (STORAGE_OR_NETWORK, LOCKED_OR_TIMED_OUT) and outcome.stdout == "", outcome
        assert str(copy) in outcome.stderr and "log out and in again" in outcome.stderr, outcome
    copy.unlink()
    daemon.restart()
    assert sso.run(*removal).status == DONE
    assert sso.run("secret get", "--service", "imap").status != DONE or removal != SECRET
    assert removal == SECRET or sso.accounts() == []


def is_seen(bus, group):
    """Whether the daemon finds items that it has no object of."""
    try:
        search(bus, group=group)
        return False
    except secretstorage.exceptions.ItemNotFoundException:
        return True


@pytest.mark.parametrize("removal", [EVERYWHERE, WHOLE_GROUP, DELETE], ids=" ".join)
def test_a_removal_goes_on_beside_a_copied_file_of_another_publishers_group(sso, bus, group, copied, removal):
    theirs = ["--publisher", "com.fabrikam"]
    sso.take(signed_in()[0], *theirs)
    # The daemon sees a change of the folder by its time, in seconds.
    time.sleep(1.2)
    copied(file_of(group_collection(bus, group)))
    end = time.monotonic() + 20
    while not is_seen(bus, group):
        assert time.monotonic() < end, "the daemon does not see the copy"
        time.sleep(0.1)
    sso.take(signed_in()[0])
    assert sso.run(*removal).status == DONE
    assert sso.accounts() == []
    assert sso.run(*removal, *theirs).status in (STORAGE_OR_NETWORK, LOCKED_OR_TIMED_OUT)
