# SPDX-License-Identifier: MIT
"""Frozen apps that hold write locks: every other record is changed, and what is not is named, within one deadline."""

import fcntl
import json
import os
from contextlib import contextmanager
from pathlib import Path

import pytest

from people import ADA
from removals import EVERYWHERE, WHOLE_GROUP
from secret_items import collection_of, search, share
from sso_cache import DONE, LOCKED_OR_TIMED_OUT
from unified_cache import signed_in

CLIENTS = ["aaa", "bbb", "ccc", "ddd"]


def write_locks():
    return set((Path(os.environ["XDG_RUNTIME_DIR"]) / "secret-store-cache").glob("write-*.lock"))


@contextmanager
def held(files):
    descriptors = [os.open(file, os.O_RDWR) for file in files]
    for descriptor in descriptors:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        yield
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


@pytest.fixture(params=[0, 3], ids=["the first record", "the last record"])
def frozen(request, sso):
    """Four clients of Ada; the name of one, and the lock files that only its sign-in has made."""
    locks = {}
    for client in CLIENTS:
        before = write_locks()
        sso.take(signed_in(client=client)[0])
        locks[client] = write_locks() - before
    client = CLIENTS[request.param]
    assert len(locks[client]) == 1
    return client, locks[client]


def contents(bus, group):
    return {item.get_attributes()["client_id"]: item.get_secret() for item in search(bus, group=group, kind="credentials")}


def check_error(outcome, client):
    assert outcome.status == LOCKED_OR_TIMED_OUT, outcome
    assert f"Not changed: Sign-in for {client} at login.windows.net." in outcome.stderr, outcome
    assert outcome.seconds < 14, outcome


@pytest.mark.parametrize("removal", [EVERYWHERE, WHOLE_GROUP], ids=["everywhere", "of the whole group"])
def test_a_sign_out_removes_all_other_records(sso, bus, group, frozen, removal):
    client, locks = frozen
    with held(locks):
        check_error(sso.run(*removal), client)
        assert [name for name, secret in contents(bus, group).items() if b"s3cr3t" in secret] == [client]
    assert sso.run(*removal).status == DONE
    assert not any(b"s3cr3t" in secret for secret in contents(bus, group).values())


def test_a_move_moves_all_other_records_and_the_next_one_moves_the_rest(sso, bus, group, frozen):
    client, locks = frozen
    share(bus, group)
    with held(locks):
        check_error(sso.run("group move"), client)
        assert sso.do("accounts")["accounts"][0]["clients"] == CLIENTS
    assert sso.do("group move") == {"moved": 1}
    assert len(contents(bus, group)) == len(CLIENTS)
    homes = {collection_of(bus, item).get_label() for item in search(bus, group=group, kind="credentials")}
    assert homes == {group}


def newer_caches():
    cache = {}
    for client in CLIENTS:
        for section, entries in signed_in("mail.send", client=client)[0].items():
            cache.setdefault(section, {}).update({f"{client}-{name}": entry for name, entry in entries.items()})
    return json.dumps(cache)


def test_an_import_writes_all_other_records(sso, bus, group, save, frozen):
    client, locks = frozen
    newer = newer_caches()
    with held(locks):
        check_error(sso.run("import", "--format", "msal", save(newer)), client)
        assert {name for name, secret in contents(bus, group).items() if b"mail.send" in secret} == {*CLIENTS} - {client}
    assert sso.take(newer)["updated"] == 1


def test_an_import_that_replaces_removes_all_other_records(sso, bus, group, save, frozen):
    client, locks = frozen
    replacement = json.dumps(signed_in(client="new")[0])
    with held(locks):
        check_error(sso.run("import", "--format", "msal", "--replace", "--yes", save(replacement)), client)
        left = {name for name, secret in contents(bus, group).items() if b"s3cr3t" in secret}
        assert left == {client, "new"}
    assert ADA.username in [account["username"] for account in sso.accounts()]


REPLACEMENT = "import", "--format", "msal", "--replace", "--yes"


@pytest.mark.parametrize(
    "command",
    [EVERYWHERE, WHOLE_GROUP, REPLACEMENT, ("group move",)],
    ids=["sign-out --everywhere", "sign-out --whole-group", "import --replace", "group move"],
)
def test_the_waits_for_several_locks_do_not_add_up(sso, bus, group, save, command):
    for client in CLIENTS:
        sso.take(signed_in(client=client)[0])
    if command == ("group move",):
        share(bus, group)
    file = [save(json.dumps(signed_in(client="eee")[0]))] if command[0] == "import" else []
    with held(write_locks()):
        outcome = sso.run(*command, *file)
    assert (outcome.status, outcome.seconds < 14) == (LOCKED_OR_TIMED_OUT, True), outcome
