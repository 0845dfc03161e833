# SPDX-License-Identifier: MIT
"""A program that is killed while it makes a group: each publisher's group still gets one keyring of its own."""

import json
import plistlib
import subprocess
import uuid

import pytest
import secretstorage

from keyrings import Keyrings
from people import ADA, GRACE
from planted import checks, login_of
from repository import ROOT
from secret_items import delete_groups, group_collections, search, store_item
from sso_cache import DONE, SSOCache
from unified_cache import signed_in

PEOPLE = {"contoso": ADA, "fabrikam": GRACE}
KILLED = -9
FIRST = 20


@pytest.fixture(scope="module")
def killer(tmp_path_factory):
    library = tmp_path_factory.mktemp("kill") / "kill_after.so"
    source = ROOT / "Tests/Peers/support/kill_after.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return str(library)


def apps_of(tool, group, tmp_path):
    """An app of each publisher, with a group of one name."""
    apps = {}
    for publisher in PEOPLE:
        file = tmp_path / f"{publisher}.plist"
        file.write_bytes(plistlib.dumps({
            "application-identifier": f"{publisher}.com.{publisher}.mail",
            "keychain-access-groups": [f"{publisher}.{group}"],
        }))
        apps[publisher] = SSOCache(tool, group).with_options("--entitlements", str(file))
    return apps


def check_apart(apps, group):
    for publisher, app in apps.items():
        assert [account["username"] for account in app.accounts()] == [PEOPLE[publisher].username]
        # Of the session itself, other tests may have left something to mend.
        problems = [check for check in checks(app) if check["name"].startswith("group-") and check["status"] == "error"]
        assert problems == []
    bus = secretstorage.dbus_init()
    collections = {collection.collection_path for collection in group_collections(bus, group)}
    files = []
    for publisher in apps:
        items = [(item, item.get_attributes()) for item in search(bus, group=group, publisher=publisher)]
        places = {item.item_path.rpartition("/")[0] for item, attributes in items if attributes["kind"] != "group-key"}
        assert len(places) == 1
        collections -= places
        files += [attributes["keyring"] for _, attributes in items if "keyring" in attributes]
    assert collections == set(), "a keyring is left over"
    assert len(files) == len(set(files)) == 2, "gnome-keyring finds another password at the next login"
    bus.close()


@pytest.mark.parametrize("order, restarts, then", [
    pytest.param("the other group is there", False, "doctor --fix", marks=pytest.mark.slow),
    ("the other group is there", True, "import"),
    ("the other group comes next", False, "import"),
    pytest.param("the other group comes next", True, "doctor --fix", marks=pytest.mark.slow),
], ids=lambda value: {True: "after a new login", False: "at once"}.get(value, value))
def test_a_making_that_is_killed_at_any_step_leaves_each_group_a_keyring_of_its_own(
        tool, bus, group, daemon, killer, tmp_path, order, restarts, then):
    file = tmp_path / "cache.json"
    file.write_text(json.dumps(signed_in(person=GRACE)[0]))
    # The messages before this one only ask, so that nothing is left of them.
    for message in range(FIRST, 100):
        name = f"{group}-{uuid.uuid4().hex[:6]}"
        apps = apps_of(tool, name, tmp_path)
        if order == "the other group is there":
            apps["contoso"].take(signed_in(person=ADA)[0])
        dying = apps["fabrikam"].with_environment(LD_PRELOAD=killer, KILL_AFTER=str(message))
        status = dying.run("import", "--format", "msal", file).status
        if restarts:
            daemon.restart()
        if order == "the other group comes next":
            apps["contoso"].take(signed_in(person=ADA)[0])
        if then == "doctor --fix":
            apps["fabrikam"].run("doctor", "--fix", "--yes")
        assert apps["fabrikam"].run("import", "--format", "msal", file).status == DONE
        check_apart(apps, name)
        delete_groups(bus, name)
        if status != KILLED:
            assert status == DONE and message > FIRST + 5
            return
    pytest.fail("it was killed at every message")


@pytest.mark.parametrize("is_named", [True, False], ids=["the password names it", "the password names no keyring"])
def test_a_deletion_removes_the_keyring_that_a_killed_making_has_left_empty(sso, bus, group, is_named):
    keyring = Keyrings(bus).make(group, "0" * 64)
    names = {"keyring": f"LOCAL:/keyrings/{group}.keyring"} if is_named else {}
    store_item(bus, login_of(bus), b"0" * 64, "group-key", group, **names)
    assert sso.do("group delete", "--yes") == {"deleted": True}
    assert keyring.collection_path not in {each.collection_path for each in secretstorage.get_all_collections(bus)}
    assert search(bus, group=group) == []
    assert sso.do("group delete", "--yes") == {"deleted": False}


def test_a_deletion_leaves_an_empty_keyring_of_the_groups_name_that_another_program_made(sso, bus, group):
    keyring = Keyrings(bus).make(group, "own")
    sso.take(signed_in()[0])
    sso.do("group delete", "--yes")
    assert [each.collection_path for each in group_collections(bus, group)] == [keyring.collection_path]
    keyring.delete()
