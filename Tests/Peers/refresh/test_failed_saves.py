# SPDX-License-Identifier: MIT
"""A refresh token that an authority has sent is stored although the disk is full; if it can't be, the tool says so."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
import secretstorage

from held_provider import PERSON, SOON_SECONDS, started
from keyrings import Keyrings
from planted import lock_and_have_read_again, login_of
from removals import copy_to
from secret_items import group_collection, search
from small_disk import empty, fill, keyrings_on_small_disk, small_disk
from sso_cache import DECLINED_SCOPES, DONE, INTERACTION_REQUIRED, LOCKED_OR_TIMED_OUT, STORAGE_OR_NETWORK, Outcome, check_contract
from unified_cache import secrets


@pytest.mark.parametrize("place", ["login", "own"])
@pytest.mark.parametrize("revision", [2, 100, 1 << 53])
def test_a_copy_that_another_program_makes_during_a_refresh_hides_no_token(
    sso, bus, group, provider, arguments, is_signed_in, place, revision
):
    process = started(sso, ["--json", *arguments], provider)
    [item] = search(bus, kind="credentials", group=group)
    newer = item.get_secret().replace(b'"revision":1', b'"revision":%d' % revision)
    collection = login_of(bus) if place == "login" else group_collection(bus, group)
    collection.create_item("Copy", item.get_attributes(), newer)
    provider.gate.set()
    assert process.communicate(timeout=SOON_SECONDS)[0] and process.returncode == DONE
    sso.do("doctor", "--fix", "--yes")
    assert is_signed_in()
    assert len(search(bus, kind="credentials", group=group)) == 1


@pytest.mark.parametrize(
    "content", [b"hello", b"{}", b'{"Account":[]}', b"x" * 2_000_000], ids=["text", "empty", "sections", "large"])
def test_a_record_that_another_program_damages_during_a_refresh_is_made_again(
    sso, bus, group, provider, arguments, is_signed_in, content
):
    """From what was read before; what the other program wrote is set aside."""
    accounts = sso.accounts()
    process = started(sso, ["--json", *arguments], provider)
    [item] = search(bus, kind="credentials", group=group)
    item.set_secret(content)
    provider.gate.set()
    stdout, stderr = process.communicate(timeout=SOON_SECONDS)
    assert (process.returncode, stderr) == (DONE, "") and stdout
    assert [each.get_secret() for each in search(bus, kind="damaged", group=group)] == [content]
    assert sso.accounts() == accounts and is_signed_in()


def test_a_sign_out_while_the_record_is_damaged_counts_although_there_was_one_before(
    sso, bus, group, provider, arguments
):
    cache = sso.give()
    sign_out = ["sign-out", "--account", PERSON.uid, "--everywhere", "--yes"]
    sso.run(*sign_out)
    sso.take(cache, "--replace")
    process = started(sso, ["--json", *arguments], provider)
    search(bus, kind="credentials", group=group)[0].set_secret(b"hello")
    assert sso.run(*sign_out).status == DONE
    provider.gate.set()
    process.communicate(timeout=SOON_SECONDS)
    assert process.returncode == INTERACTION_REQUIRED
    assert sso.accounts() == [] and not secrets(sso.give(), "RefreshToken")


def test_while_nothing_shows_whose_the_groups_keyring_is_nothing_is_sent(
    sso, bus, group, provider, arguments, is_signed_in, daemon
):
    lock_and_have_read_again(login_of(bus), group_collection(bus, group))
    try:
        outcome = sso.run("token", *arguments)
        assert outcome.status == LOCKED_OR_TIMED_OUT and not provider.token_requests, outcome
    finally:
        daemon.restart()
    assert is_signed_in()


def test_what_was_set_aside_before_a_refresh_brings_no_record_back(sso, bus, group, provider, arguments):
    cache = sso.give()
    search(bus, kind="credentials", group=group)[0].set_secret(b"hello")
    sso.do("doctor", "--fix", "--yes")
    sso.take(cache)
    time.sleep(3.1)  # A refresh counts from two seconds before, and the daemon gives whole ones.
    process = started(sso, ["--json", *arguments], provider)
    search(bus, kind="credentials", group=group)[0].delete()
    provider.gate.set()
    process.communicate(timeout=SOON_SECONDS)
    assert process.returncode == INTERACTION_REQUIRED
    assert search(bus, kind="credentials", group=group) == []


@pytest.mark.parametrize("change", ["content", "attribute"])
def test_a_repair_during_a_refresh_loses_no_token(sso, bus, group, provider, arguments, is_signed_in, change):
    accounts = sso.accounts()
    process = started(sso, ["--json", *arguments], provider)
    [item] = search(bus, kind="credentials", group=group)
    if change == "content":
        item.set_secret(b"hello")
    else:
        item.set_attributes(item.get_attributes() | {"client_id": "other"})
    sso.do("doctor", "--fix", "--yes")
    provider.gate.set()
    stdout, stderr = process.communicate(timeout=SOON_SECONDS)
    assert (process.returncode, stderr) == (DONE, "") and stdout
    assert sso.accounts() == accounts and is_signed_in()


def without_password(bus, group, own):
    [key] = search(bus, kind="group-key", group=group)
    Keyrings(bus).change(own.collection_path, key.get_secret().decode(), "")


def replaced(password):
    def replace(bus, group, own):
        """By a keyring of its own with a copy of the record."""
        [item] = search(bus, kind="credentials", group=group)
        attributes, content = item.get_attributes(), item.get_secret()
        own.delete()
        Keyrings(bus).make(group, password).create_item("Copy", attributes, content)

    return replace


@pytest.mark.parametrize(
    "change", [without_password, replaced("other"), replaced("")], ids=["no password", "replaced", "replaced by a plain one"])
def test_no_token_goes_into_a_keyring_that_stops_being_the_groups_during_a_refresh(
    sso, bus, group, provider, arguments, is_signed_in, change
):
    process = started(sso, ["--json", *arguments], provider)
    own = group_collection(bus, group)
    change(bus, group, own)
    former = {item.get_secret() for item in secretstorage.Collection(bus, own.collection_path).get_all_items()}
    provider.gate.set()
    assert process.communicate(timeout=SOON_SECONDS)[0] and process.returncode == DONE
    assert {item.get_secret() for item in secretstorage.Collection(bus, own.collection_path).get_all_items()} == former
    secretstorage.Collection(bus, own.collection_path).delete()
    assert is_signed_in()


def test_a_record_that_a_newer_version_rewrites_during_a_refresh_stays(sso, bus, group, provider, arguments):
    """That version reads it. The new refresh token is named as lost."""
    process = started(sso, ["--json", *arguments], provider)
    [item] = search(bus, kind="credentials", group=group)
    newer = item.get_secret().replace(b'"SecretStoreCache":{', b'"SecretStoreCache":{"format":99,')
    item.set_secret(newer)
    provider.gate.set()
    stdout, stderr = process.communicate(timeout=SOON_SECONDS)
    assert process.returncode == DONE and "is lost" in stderr and "newer version" in stderr, (stdout, stderr)
    assert [each.get_secret() for each in search(bus, kind="credentials", group=group)] == [newer]


@pytest.fixture(params=[True, False], ids=["shared locks", "own locks"])
def runtime(request, arguments, tmp_path, monkeypatch):
    """A small disk that holds the lock files: the folder that all apps share, or a runtime directory of the tool's own."""
    disk = Path(os.environ["XDG_RUNTIME_DIR"]) / "secret-store-cache"
    if not request.param:
        disk = tmp_path / "runtime"
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(disk))
    disk.mkdir(0o700, exist_ok=True)
    with small_disk(disk, "nr_inodes=60,"):
        yield disk


@pytest.mark.parametrize("lacks", ["space", "files"])
def test_a_runtime_directory_that_fills_up_during_a_refresh_loses_nothing(
    sso, provider, arguments, is_signed_in, runtime, lacks
):
    process = started(sso, ["--json", *arguments], provider)
    fill(runtime, lacks)
    provider.gate.set()
    stdout, stderr = process.communicate(timeout=SOON_SECONDS)
    assert (process.returncode, stderr) == (DONE, "") and stdout
    empty(runtime)
    assert is_signed_in()


@pytest.mark.parametrize("lacks", ["space", "write access"])
def test_a_runtime_directory_without_room_loses_nothing(sso, provider, arguments, is_signed_in, runtime, lacks):
    fill(runtime, lacks)
    provider.gate.set()
    outcome = sso.run("token", "--json", *arguments)
    assert (outcome.status, outcome.stderr) == (DONE, "")
    assert is_signed_in()


def test_without_room_for_lock_files_no_token_is_sent(sso, provider, arguments, is_signed_in, runtime):
    fill(runtime, "files")
    provider.gate.set()
    outcome = sso.run("token", "--json", *arguments)
    assert (outcome.status, outcome.error) == (STORAGE_OR_NETWORK, "storageFailed")
    assert "no space left" in outcome.stderr and str(runtime) in outcome.stderr
    assert provider.token_requests == []
    empty(runtime)
    assert is_signed_in()


def test_a_process_that_may_write_no_files_sends_no_token(sso, provider, arguments, is_signed_in):
    provider.gate.set()
    limited = ["bash", "-c", 'ulimit -f 0; exec "$@"', "bash", *sso.arguments("token", "--json", *arguments)]
    done = subprocess.run(limited, env=sso.environment, capture_output=True, text=True, timeout=SOON_SECONDS)
    assert done.returncode == STORAGE_OR_NETWORK and "ulimit -f" in done.stderr, done
    assert provider.token_requests == [] and is_signed_in()


def test_a_refresh_whose_save_would_have_to_make_the_group_makes_it_first(
    sso, bus, group, provider, arguments, is_signed_in, tmp_path
):
    """Only another program's keyring has the sign-in, and the save could fail when the old refresh token is spent."""
    [item] = search(bus, kind="credentials", group=group)
    others = Keyrings(bus).make("com.example.other", "other")
    copy_to(others, [item])
    group_collection(bus, group).delete()
    provider.gate.set()
    with keyrings_on_small_disk(tmp_path) as keyrings:
        fill(keyrings, "space")
        outcome = sso.run("token", "--json", *arguments)
        assert (outcome.status, outcome.error) == (STORAGE_OR_NETWORK, "storageFailed"), outcome
        assert provider.token_requests == []
        empty(keyrings)
        assert is_signed_in()
    others.delete()


@pytest.fixture
def unsaved(provider, arguments, daemon, tmp_path):
    """Keeps everything from being saved until the test ends: the keyrings' disk is full, or the daemon gone."""
    with keyrings_on_small_disk(tmp_path) as keyrings:
        yield {"full disk": lambda: fill(keyrings, "space"), "no daemon": daemon.stop}


@pytest.mark.parametrize(
    ("cause", "changes", "number", "status"),
    [("full disk", {}, None, DONE),
     ("full disk", {"scope": "other"}, None, DECLINED_SCOPES),
     ("full disk", {"access_token": None}, None, STORAGE_OR_NETWORK),
     ("full disk", {}, signal.SIGTERM, 128 + signal.SIGTERM),
     ("no daemon", {"scope": "other"}, None, DECLINED_SCOPES),
     ("no daemon", {"access_token": None}, None, STORAGE_OR_NETWORK),
     ("no daemon", {"scope": "other"}, signal.SIGINT, 128 + signal.SIGINT)])
def test_a_refresh_token_that_could_not_be_saved_is_named_as_lost(
    sso, provider, arguments, unsaved, cause, changes, number, status
):
    process = started(sso, ["--json", *arguments], provider)
    provider.changes = changes
    if number:
        process.send_signal(number)
    unsaved[cause]()
    provider.gate.set()
    stdout, stderr = process.communicate(timeout=SOON_SECONDS)
    outcome = Outcome(process.returncode, stdout, stderr, 0)
    check_contract("token", status != DONE, outcome)
    assert outcome.status == status, outcome
    assert "the new refresh token could not be saved and is lost, so that a new sign-in may be needed" in stderr
    assert ".." not in stderr
    if status != DONE:
        assert "If the next call asks for a sign-in, sign in with one of the group's apps." in stderr
        assert "sso-cache doctor" in stderr, "no remedy for what kept it from being saved"


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_a_lost_refresh_token_is_named_also_where_the_output_cannot_be_written(
    sso, provider, arguments, unsaved, options
):
    command = ["bash", "-c", 'exec "$@" >/dev/full', "bash", *sso.arguments("token", *options, *arguments)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=sso.environment)
    assert provider.arrived.wait(SOON_SECONDS)
    unsaved["no daemon"]()
    provider.gate.set()
    _, stderr = process.communicate(timeout=SOON_SECONDS)
    assert process.returncode == STORAGE_OR_NETWORK and "The output can't be written" in stderr
    assert "the new refresh token could not be saved and is lost, so that a new sign-in may be needed" in stderr


@pytest.mark.parametrize(
    ("changes", "status"),
    [({}, DONE), ({"scope": "other"}, DECLINED_SCOPES), ({"access_token": None}, STORAGE_OR_NETWORK)])
def test_a_refresh_token_that_the_authority_sends_again_is_not_named_as_lost(
    sso, provider, arguments, daemon, changes, status
):
    [stored] = secrets(sso.give(), "RefreshToken")
    provider.used = lambda _: None
    process = started(sso, arguments, provider)
    provider.changes = {"refresh_token": stored} | changes
    daemon.stop()
    provider.gate.set()
    _, stderr = process.communicate(timeout=SOON_SECONDS)
    assert process.returncode == status
    assert "the token could not be saved" in stderr and "lost" not in stderr
    daemon.start()
    provider.changes = {"refresh_token": stored}
    assert sso.run("token", "--json", *arguments[:-1], "another").status == DONE
