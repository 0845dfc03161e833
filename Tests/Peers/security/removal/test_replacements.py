# SPDX-License-Identifier: MIT
"""An import that replaces says what it removes beside the records that the file lacks, and asks first."""

import fcntl
import json
from contextlib import ExitStack

import pytest

from people import ADA, GRACE
from removals import copy_to, entitlements, family_cache, store_misnamed
from secret_items import collection_of, group_collection, search, snapshot, store_item
from sso_cache import BAD_INPUT, INTERACTION_REQUIRED, LOCKED_OR_TIMED_OUT, USAGE
from unified_cache import CLIENT, signed_in


def plant_unread(sso, bus, group, keyring):
    """An entry that an import can't read and has kept."""
    sso.take({"RefreshToken": {"x": {"home_account_id": ADA.identifier, "secret": "s3cr3t"}}})


def plant_unknown(sso, bus, group, keyring):
    store_item(bus, group_collection(bus, group), b"s3cr3t", "device", group, home_account_id=ADA.identifier, client_id=CLIENT)


def plant_misnamed(sso, bus, group, keyring):
    sso.take(signed_in(person=ADA)[0])
    [item] = search(bus, group=group, kind="credentials", home_account_id=ADA.identifier)
    item.set_attributes(item.get_attributes() | {"kind": "device"})


def plant_copy(sso, bus, group, keyring):
    copy_to(keyring, search(bus, group=group, kind="credentials"))


@pytest.mark.parametrize("plant", [plant_unread, plant_unknown, plant_misnamed, plant_copy])
def test_an_import_that_replaces_asks_before_it_removes_anything(sso, bus, group, save, keyring_of_others, plant):
    sso.take(signed_in(person=GRACE)[0])
    replace = ["import", "--format", "msal", "--replace", save(json.dumps(sso.give()))]
    plant(sso, bus, group, keyring_of_others)
    before = snapshot(bus, group)
    assert sso.do(*replace, "--dry-run")["removed"] == 1
    sso.fail(USAGE, *replace)
    assert snapshot(bus, group) == before
    assert [sso.do(*replace, "--yes")["removed"] for _ in range(2)] == [1, 0]
    sso.do(*replace)


def misnamed(sso, item, keyring):
    item.set_attributes(item.get_attributes() | {"kind": "device"})


def misnamed_copy(sso, item, keyring):
    store_misnamed(keyring, item, kind="device")


def copy_named_as_another_sign_in(sso, item, keyring):
    store_misnamed(collection_of(item.connection, item), item, client_id="another")


def copy_that_was_set_aside(sso, item, keyring):
    copy_named_as_another_sign_in(sso, item, keyring)
    sso.do("doctor", "--fix", "--yes")


def set_aside(sso, item, keyring):
    copy_named_as_another_sign_in(sso, item, keyring)
    item.delete()
    sso.do("doctor", "--fix", "--yes")


def copied_twice(sso, item, keyring):
    copy_to(keyring, [item, item])


@pytest.mark.parametrize("is_in_file", [True, False])
@pytest.mark.parametrize("plant", [
    misnamed, misnamed_copy, copied_twice, copy_named_as_another_sign_in, copy_that_was_set_aside, set_aside])
def test_a_dry_run_of_a_replacement_counts_what_the_replacement_does(sso, bus, group, save, keyring_of_others, plant, is_in_file):
    sso.take(signed_in(person=GRACE)[0])
    without = json.dumps(sso.give())
    sso.take(signed_in(person=ADA)[0])
    replace = ["import", "--format", "msal", "--replace", save(json.dumps(sso.give()) if is_in_file else without)]
    [item] = search(bus, group=group, kind="credentials", home_account_id=ADA.identifier)
    plant(sso, item, keyring_of_others)
    planned = sso.do(*replace, "--dry-run")
    assert sso.do(*replace, "--yes") == planned | {"dry_run": False}


MAIL_READ = ["token", "--client-id", CLIENT, "--account", ADA.identifier, "--scope", "mail.read"]


def replace_by(sso, save, *caches):
    for cache in caches:
        sso.do("import", "--format", "msal", "--replace", "--yes", save(json.dumps(cache)))


def test_a_replacement_signs_every_app_out(sso, group, save):
    """An app that has used an account counts as its user until it signs out, also after its tokens have gone."""
    mail, calendar = (entitlements(save, group, app) for app in ("com.contoso.mail", "com.contoso.calendar"))
    sso.take(signed_in()[0])
    sso.do(*MAIL_READ, *mail)
    replace_by(sso, save, signed_in(person=GRACE)[0], signed_in()[0])
    sso.do(*MAIL_READ, *calendar)
    sign_out = ["sign-out", "--client-id", CLIENT, "--account", ADA.identifier, "--yes", *calendar]
    assert sso.do(*sign_out) == {"signed_out": True}
    assert sso.accounts() == []
    assert sso.run(*MAIL_READ, *mail).status == INTERACTION_REQUIRED


def test_a_replacement_with_another_client_of_the_family_signs_every_app_out(sso, group, save):
    mail = entitlements(save, group)
    sso.take(family_cache())
    sso.do(*MAIL_READ, *mail)
    others = {
        section: {
            name: entry for name, entry in entries.items() if entry.get("client_id") != CLIENT or entry.get("family_id")
        } for section, entries in family_cache().items()
    }
    del others["AppMetadata"]["suite"]
    replace_by(sso, save, others)
    for app in (mail, []):
        assert sso.do("accounts", "--client-id", CLIENT, *app) == {"accounts": []}


def test_a_part_that_is_too_large_does_not_end_a_replacement(sso, bus, group, save, keyring_of_others):
    sso.take(signed_in(person=GRACE)[0])
    plant_unknown(sso, bus, group, keyring_of_others)
    cache = signed_in(person=GRACE)[0]
    cache["RefreshToken"] |= signed_in(person=ADA)[0]["RefreshToken"]
    for entry in cache["RefreshToken"].values():
        if entry["home_account_id"] == ADA.identifier:
            entry["secret"] = "s3cr3t" + "z" * 1_000_000
    assert sso.fail(BAD_INPUT, "import", "--format", "msal", "--replace", "--yes", save(json.dumps(cache))) == "invalidFile"
    assert search(bus, group=group, kind="device") == []


@pytest.mark.slow
def test_a_record_that_another_app_holds_does_not_end_a_replacement(sso, bus, group, save, tmp_path):
    own = sso.with_environment(XDG_RUNTIME_DIR=str(tmp_path))
    own.take(signed_in(person=GRACE)[0])
    plant_unknown(own, bus, group, None)
    file = save(json.dumps(signed_in(person=ADA)[0]))
    with ExitStack() as held:
        for lock in (tmp_path / "secret-store-cache").glob("write-*.lock"):
            fcntl.flock(held.enter_context(lock.open("r+")), fcntl.LOCK_EX)
        own.fail(LOCKED_OR_TIMED_OUT, "import", "--format", "msal", "--replace", "--yes", file)
    assert search(bus, group=group, kind="device") == []
    assert {account["username"] for account in sso.accounts()} == {ADA.username, GRACE.username}
