# SPDX-License-Identifier: MIT
"""A copy of the keyring's file that appears while the daemon runs, which finds its items and can't delete them: a
removal names the file."""

import shutil
import time

import pytest

from planted import file_of
from removals import DELETE, EVERYWHERE, OF_CLIENT, WHOLE_GROUP
from secret_items import group_collection
from sso_cache import DONE, LOCKED_OR_TIMED_OUT, STORAGE_OR_NETWORK
from unified_cache import signed_in

SECRET = ["secret remove", "--service", "imap"]


@pytest.mark.parametrize("removal", [EVERYWHERE, OF_CLIENT, WHOLE_GROUP, DELETE, SECRET], ids=" ".join)
@pytest.mark.parametrize("seconds", [0, 2], ids=["at once", "once the daemon has seen it"])
def test_a_removal_names_a_copied_file(sso, bus, group, daemon, removal, seconds):
    sso.take(signed_in()[0])
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t-hunter")
    file = file_of(group_collection(bus, group))
    copy = file.with_name(f"{file.stem}_1.keyring")
    shutil.copy(file, copy)
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
