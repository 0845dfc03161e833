# SPDX-License-Identifier: MIT
"""A removal on a full disk says what it has removed and what is left, and nothing else."""

import json
import os

from planted import file_of
from secret_items import group_collection, search
from small_disk import empty, fill, keyrings_on_small_disk
from sso_cache import DONE, STORAGE_OR_NETWORK
from unified_cache import signed_in


def refused(sso, command):
    """The error of a command that the full disk ends."""
    outcome = sso.run(command, "--yes", "--json")
    assert outcome.status == STORAGE_OR_NETWORK, outcome
    return json.loads(outcome.stderr)["error"]["detail"]


def test_a_deletion_whose_password_stays_says_that_nothing_else_is_left(sso, bus, group, tmp_path):
    sso.take(signed_in()[0])
    with keyrings_on_small_disk(tmp_path) as keyrings:
        # The deletion of this file gives no room.
        os.link(file_of(group_collection(bus, group)), keyrings / "filler-backup")
        fill(keyrings, "space")
        assert f"Left of the access group {group}: only its password in Login" in refused(sso, "group delete")
        assert [item.get_attributes()["kind"] for item in search(bus, group=group)] == ["group-key"]
        empty(keyrings)
        assert sso.run("group delete", "--yes").status == DONE
    assert search(bus, group=group) == []


def test_a_reset_that_cannot_make_the_group_anew_says_that_the_lost_keyring_is_removed(sso, bus, group, tmp_path):
    sso.take(signed_in()[0])
    for key in search(bus, kind="group-key", group=group):
        key.delete()
    keyring = group_collection(bus, group)
    file = file_of(keyring)
    keyring.lock()
    with keyrings_on_small_disk(tmp_path) as keyrings:
        fill(keyrings, "space")
        detail = refused(sso, "group reset")
        assert "were removed" in detail and "the next sign-in makes it" in detail
        assert not file.exists() and file.with_name(f"{file.name}.lost").exists()
        empty(keyrings)
        sso.take(signed_in()[0])
        assert len(sso.accounts()) == 1
