# SPDX-License-Identifier: MIT
"""Keyrings that a backup or another program has changed: what doctor says, and what brings the group back."""

import json
import subprocess
import threading
from contextlib import closing

import pytest
import secretstorage

from keyrings import Keyrings
from people import ADA, GRACE
from planted import checks_of_group, file_of, login_of
from secret_items import group_collection, search, store_item
from sso_cache import DONE, UNRECOVERABLE, SSOCache
from unified_cache import CLIENT, signed_in

BACKUP = "/org/freedesktop/secrets/collection/login_2dbackup"


def doctor(sso, *arguments):
    """Doctor on all groups, or on those that the arguments name."""
    done = subprocess.run(
        [sso.tool, "doctor", "--json", *arguments], env=sso.environment, stdout=subprocess.PIPE, timeout=60)
    checks = {check["name"].partition(":")[0]: check for check in json.loads(done.stdout)["checks"]}
    return done.returncode, checks


@pytest.fixture
def login(bus):
    """The file of the login keyring; a backup beside it goes in the end."""
    file = file_of(login_of(bus))
    yield file
    file.with_name("login-backup.keyring").unlink(missing_ok=True)


@pytest.fixture
def of_publisher(tool, group):
    sso = SSOCache(tool, group, ["--publisher=com.fabrikam"])
    yield sso
    sso.run("group delete", "--yes")


def test_a_group_that_is_newer_than_the_login_keyring_comes_back_by_a_newer_backup(
        sso, bus, group, daemon, login, of_publisher):
    older = login.read_bytes()
    of_publisher.take(signed_in()[0])
    daemon.stop()
    newer = login.read_bytes()
    login.write_bytes(older)
    daemon.start()
    try:
        for options in [], ["--publisher", "com.misspelt"]:
            status, checks = doctor(sso, "--group", group, *options)
            check = checks["group-lock"]
            assert status == UNRECOVERABLE and check["status"] == "error", check
            assert f"The collection {group} is locked, and the login keyring has no password for it" in check["detail"]
            assert f"copy a backup of {login} to {login.with_name('login-backup.keyring')}" in check["remedy"]
        assert of_publisher.run("accounts").status == UNRECOVERABLE
        # The remedy.
        login.with_name("login-backup.keyring").write_bytes(newer)
        daemon.restart()
        with closing(secretstorage.dbus_init()) as fresh:
            Keyrings(fresh).open(BACKUP, "test")
        assert of_publisher.run("doctor", "--fix", "--yes").status == DONE
        assert [account["username"] for account in of_publisher.accounts()] == [ADA.username]
        daemon.stop()
        login.with_name("login-backup.keyring").unlink()
        daemon.start()
        assert [account["username"] for account in of_publisher.accounts()] == [ADA.username]
    except AssertionError:
        # The next tests go on with this keyring.
        daemon.stop()
        login.write_bytes(newer)
        daemon.start()
        raise


def test_a_groups_file_in_the_place_of_the_login_keyrings_is_named(sso, bus, group, daemon, login):
    sso.take(signed_in()[0])
    file = file_of(group_collection(bus, group))
    own = login.read_bytes()
    login.write_bytes(file.read_bytes())
    daemon.restart_locked()
    try:
        status, checks = doctor(sso)
        assert status != DONE and f"it is a copy of the keyring {group}" in checks["login"]["detail"]
        assert f"Put a backup of {login} in its place" in checks["login"]["remedy"]
    finally:
        login.write_bytes(own)
        daemon.restart()
    assert [account["username"] for account in sso.accounts()] == [ADA.username]


def test_items_whose_attributes_another_program_has_removed_get_them_back(sso, bus, group):
    cache, token = signed_in()
    sso.take(cache)
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t-hunter")
    for item in list(group_collection(bus, group).get_all_items()):
        item.set_attributes({})
    check = checks_of_group(sso)["group-marker"]
    assert check["status"] == "error" and "has removed the attributes of" in check["detail"], check
    assert sso.run("doctor", "--fix", "--yes").status == DONE
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == token
    assert sso.run("secret get", "--service", "imap").stdout == "s3cr3t-hunter"
    assert sso.run("doctor").status == DONE
    assert sso.run("group delete", "--yes").status == DONE
    assert group not in [keyring.get_label() for keyring in secretstorage.get_all_collections(bus)]


@pytest.fixture
def without_attributes(sso, bus, group):
    """A group whose items have lost all attributes; since then another person has signed in, which made a marker."""
    cache, token = signed_in()
    sso.take(cache)
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t-hunter")
    home = group_collection(bus, group)
    for item in list(home.get_all_items()):
        item.set_attributes({})
    sso.take(signed_in(person=GRACE)[0])
    assert group_collection(bus, group).collection_path == home.collection_path
    return home, token


def test_doctor_restores_attributes_beside_a_marker_that_a_sign_in_has_made_since(sso, without_attributes):
    _, token = without_attributes
    check = checks_of_group(sso)["group-entries"]
    assert check["status"] == "warning" and "has changed or removed attributes" in check["detail"], check
    assert "writes the attributes again" in check["detail"], check
    assert sso.run("doctor", "--fix", "--yes").status == DONE
    assert {account["username"] for account in sso.accounts()} == {ADA.username, GRACE.username}
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == token
    assert sso.run("secret get", "--service", "imap").stdout == "s3cr3t-hunter"
    assert checks_of_group(sso)["group-entries"]["status"] == "ok"


def test_a_sign_out_takes_what_has_lost_its_attributes(sso, without_attributes):
    home, _ = without_attributes
    assert sso.run("sign-out", "--account", ADA.username, "--everywhere", "--yes").status == DONE
    left = [item.get_secret() for item in home.get_all_items() if ADA.identifier.encode() in item.get_secret()]
    assert [list(json.loads(secret)) for secret in left] == [["SecretStoreCache"]], "not the record of the sign-out alone"
    assert sso.run("secret remove", "--service", "imap").stdout == "Removed.\n"
    assert [item for item in home.get_all_items() if b"s3cr3t-hunter" in item.get_secret()] == []
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]


def test_a_deletion_of_the_group_takes_what_has_lost_its_attributes_with_the_keyring(sso, bus, group, without_attributes):
    assert sso.run("group delete", "--yes").status == DONE
    assert group not in [keyring.get_label() for keyring in secretstorage.get_all_collections(bus)]


@pytest.mark.parametrize("has_schema", [False, True], ids=["a text", "a copy of a record, with a schema"])
def test_another_programs_item_without_attributes_stays(sso, bus, group, without_attributes, has_schema):
    home, _ = without_attributes
    content = search(bus, group=group, kind="credentials")[0].get_secret() if has_schema else b"theirs"
    home.create_item("Theirs", {"xdg:schema": "org.example.Backup"} if has_schema else {}, content)
    assert sso.run("doctor", "--fix", "--yes").status == DONE
    assert sso.run("group delete", "--yes").status == DONE
    assert [item.get_secret() for item in home.get_all_items()] == [content]
    home.delete()


def test_doctor_brings_back_no_sign_in_from_before_a_removal_of_everything(sso, bus, group, without_attributes):
    home, _ = without_attributes
    lost = [item for item in home.get_all_items() if ADA.identifier.encode() in item.get_secret()]
    wiped = {"SecretStoreCache": {"record": {"kind": "group-data", "key": "wipe"}, "revision": 1},
             "wiped_by": "com.contoso.mail", "wiped_at": "4000000000"}
    store_item(bus, home, json.dumps(wiped).encode(), "group-data", group, key="wipe")
    sso.run("doctor", "--fix", "--yes")
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]
    assert lost and all("group" not in item.get_attributes() for item in lost)
    assert sso.run("secret get", "--service", "imap").stdout == "s3cr3t-hunter"


def test_doctor_leaves_what_has_lost_its_attributes_beside_a_later_sign_in(sso, bus, group):
    sso.take(signed_in()[0])
    home = group_collection(bus, group)
    [old] = search(bus, group=group, kind="credentials")
    old.set_attributes({})
    sso.take(signed_in()[0])
    check = checks_of_group(sso)["group-entries"]
    assert check["status"] == "warning" and "have another group or publisher, or none" in check["remedy"], check
    sso.run("doctor", "--fix", "--yes")
    assert old.item_path in [item.item_path for item in home.get_all_items()]
    assert len(list(search(bus, group=group, kind="credentials"))) == 1


@pytest.mark.parametrize("owner", [
    {"group": "com.contoso.changed"}, {"group": "com.contoso.changed", "publisher": "com.fabrikam"}], ids=str)
def test_doctor_restores_the_owner_of_a_secret(sso, bus, group, owner):
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t-hunter")
    [item] = search(bus, group=group, kind="secret")
    attributes = item.get_attributes()
    item.set_attributes(attributes | owner)
    assert checks_of_group(sso)["group-entries"]["status"] == "warning"
    assert sso.run("doctor", "--fix", "--yes").status == DONE
    assert item.get_attributes() == attributes
    assert sso.run("secret get", "--service", "imap").stdout == "s3cr3t-hunter"


@pytest.fixture
def locks_again_and_again(tool, group):
    """Locks the group's keyring in a loop, as another program may."""
    ended, threads = threading.Event(), []

    def begin(keyring):
        def run():
            with closing(secretstorage.dbus_init()) as connection:
                locked = secretstorage.Collection(connection, keyring.collection_path)
                while not ended.wait(0.005):
                    locked.lock()

        threads.append(threading.Thread(target=run))
        threads[0].start()

    yield begin
    ended.set()
    for thread in threads:
        thread.join()
    # A locked keyring would stay when the test is over.
    SSOCache(tool, group).run("group unlock")


def test_a_group_that_another_program_locks_again_and_again_is_neither_empty_nor_to_be_deleted(
        sso, bus, group, locks_again_and_again):
    sso.take(signed_in()[0])
    locks_again_and_again(group_collection(bus, group))
    for _ in range(8):
        checks = checks_of_group(sso)
        assert not any("elete it" in check["remedy"] for check in checks.values()), checks
        lock = checks["group-lock"]
        if lock["status"] == "ok":
            assert "Nobody is signed in" not in checks["group-tokens"]["detail"], checks
        else:
            assert lock["status"] == "error" and "Another keyring of its name" not in lock["detail"], lock
