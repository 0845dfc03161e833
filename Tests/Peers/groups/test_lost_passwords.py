# SPDX-License-Identifier: MIT
"""A group that lost its password and its marker while it was open: what is saved later ends no access to the rest."""

import pytest

from people import ADA, GRACE
from secret_items import group_collections, search
from sso_cache import DONE
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
    # Doctor gives it a password again, in time for the next login; a marker that can't be read is repaired before that.
    for _ in range(1 if marker is None else 2):
        repaired = sso.run("doctor", "--fix", "--yes")
    assert repaired.status == DONE, repaired.stdout
    daemon.restart()
    assert sorted(account["username"] for account in sso.accounts()) == [ADA.username, GRACE.username]
    assert sso.run("secret get", "--service", "imap").stdout == "hunter2"
