# SPDX-License-Identifier: MIT
"""Several concurrent processes that do not know of each other."""

import json
import subprocess
import time

import pytest

from people import ADA, GRACE
from secret_items import OWN_COLLECTIONS, group_collections, search
from sso_cache import (
    DONE, LIMIT_SECONDS, LOCKED_OR_TIMED_OUT, NO_SERVICE, STORAGE_OR_NETWORK, Outcome, check_contract,
)
from unified_cache import CLIENT, access_token, account, cache_of, refresh_token, secrets, signed_in

PROCESSES = 8

pytestmark = pytest.mark.every_provider


def run_together(sso, commands):
    """Starts the tool once for each command line, all at once; returns the outcomes."""
    processes = [
        subprocess.Popen(
            sso.arguments(*command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=sso.environment,
        )
        for command in commands
    ]
    outcomes = []
    for process, command in zip(processes, commands):
        stdout, stderr = process.communicate(timeout=2 * LIMIT_SECONDS)
        outcome = Outcome(process.returncode, stdout, stderr, 0)
        check_contract(command[0], "--json" in command, outcome)
        outcomes.append(outcome)
    return outcomes


def run_until_done(sso, commands):
    """As run_together, until all are done.

    A process that reached its deadline has waited for the others: nothing was acknowledged, and it is
    started again.
    """
    left = commands
    for _ in range(2):
        outcomes = run_together(sso, left)
        assert all(outcome.status == DONE or outcome.reached_deadline for outcome in outcomes), outcomes
        left = [command for command, outcome in zip(left, outcomes) if outcome.status != DONE]
        assert len(left) <= len(commands) // 2, outcomes
        if not left:
            return
    assert not left, outcomes


def imports(save, caches):
    return [
        ["import", "--json", "--format", "msal", save(json.dumps(cache), f"{index}.json")]
        for index, cache in enumerate(caches)
    ]


@pytest.mark.parametrize("run", range(3))
def test_eight_processes_that_save_tokens_of_one_account_lose_none(sso, save, run):
    sso.take(signed_in("first")[0])
    tokens = [access_token(f"scope{index}") for index in range(PROCESSES)]
    outcomes = run_together(sso, imports(save, [cache_of(token) for token in tokens]))
    assert [outcome.status for outcome in outcomes] == [DONE] * PROCESSES, outcomes
    assert secrets(sso.give(), "AccessToken") >= {token["secret"] for token in tokens}
    assert len(sso.give()["AccessToken"]) == PROCESSES + 1


@pytest.mark.parametrize("run", range(3))
def test_eight_processes_that_start_on_a_new_group_create_one(sso, bus, group, save, run):
    tokens = [access_token(f"scope{index}") for index in range(PROCESSES)]
    outcomes = run_together(sso, imports(save, [cache_of(token) for token in tokens]))
    assert [outcome.status for outcome in outcomes] == [DONE] * PROCESSES, outcomes
    assert len(group_collections(bus, group)) == OWN_COLLECTIONS
    assert len(search(bus, kind="group", group=group)) == 1
    assert len(search(bus, kind="group-key", group=group)) == OWN_COLLECTIONS
    assert len(search(bus, kind="credentials", group=group)) == 1
    assert secrets(sso.give(), "AccessToken") == {token["secret"] for token in tokens}


def test_eight_groups_created_at_once_are_eight(sso, bus, group, save, daemon):
    file = save(json.dumps(signed_in()[0]))
    names = [f"{group}.{index}" for index in range(PROCESSES)]
    run_until_done(sso, [["import", "--json", "--format", "msal", f"--group={name}", file] for name in names])
    assert all(len(group_collections(bus, name)) == OWN_COLLECTIONS for name in names)
    bus.close()
    daemon.restart()
    opened = run_together(sso, [["accounts", "--json", f"--group={name}"] for name in names])
    assert [len(outcome.json["accounts"]) for outcome in opened] == [1] * PROCESSES


def test_eight_processes_unlock_a_locked_group_at_once(sso, daemon):
    cache, token = signed_in()
    sso.take(cache)
    daemon.restart()
    command = ["token", "--json", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"]
    outcomes = run_together(sso, [command] * PROCESSES)
    assert [outcome.status for outcome in outcomes] == [DONE] * PROCESSES, outcomes
    assert {outcome.json["access_token"] for outcome in outcomes} == {token}


def test_eight_clients_of_one_account_are_all_saved(sso, save):
    clients = [f"client{index}" for index in range(PROCESSES)]
    caches = [signed_in(client=client)[0] for client in clients]
    outcomes = run_together(sso, imports(save, caches))
    assert [outcome.status for outcome in outcomes] == [DONE] * PROCESSES, outcomes
    [account] = sso.accounts()
    assert account["clients"] == clients


def test_a_second_process_sees_a_save_with_its_next_call(sso):
    for turn in range(20):
        cache, token = signed_in(f"scope{turn}")
        sso.take(cache)
        assert sso.token(CLIENT, ADA.username, f"scope{turn}")["access_token"] == token


def test_a_second_process_sees_a_sign_out_with_its_next_call(sso):
    for turn in range(5):
        # Only with this option an import returns a signed-out account.
        sso.take(signed_in(client=f"client{turn}")[0], "--replace")
        assert len(sso.accounts()) == 1
        sso.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
        assert sso.accounts() == []


def test_concurrent_saves_and_reads_never_see_a_partial_document(sso, save):
    sso.take(signed_in("scope0")[0])
    read = ["token", "--json", "--client-id", CLIENT, "--account", ADA.username, "--scope", "scope0"]
    writes = imports(save, [signed_in(f"scope{index}")[0] for index in range(1, 5)])
    outcomes = run_together(sso, [command for pair in zip(writes, [read] * 4) for command in pair])
    assert [outcome.status for outcome in outcomes] == [DONE] * 8, outcomes


def test_a_process_killed_at_any_moment_leaves_a_usable_group(sso, bus, group, save):
    cache, token = signed_in()
    file = save(json.dumps(cache))
    for milliseconds in range(10, 90, 16):
        name = f"{group}.{milliseconds}"
        process = subprocess.Popen(
            sso.arguments("import", "--format", "msal", f"--group={name}", file),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        time.sleep(milliseconds / 1000)
        process.kill()
        process.wait()
        sso.take(cache, f"--group={name}")
        assert len(sso.accounts(f"--group={name}")) == 1
        assert len(group_collections(bus, name)) == OWN_COLLECTIONS
        for kind in ("group", "credentials"):
            assert len(search(bus, kind=kind, group=name)) == 1, (milliseconds, kind)
        # A password is stored before its collection is created, and is never removed or used for another one.
        assert len(search(bus, kind="group-key", group=name)) in ((1, 2) if OWN_COLLECTIONS else (0,)), milliseconds


def whole_accounts():
    """A cache with two users, each with tokens of two clients and their family's refresh token; and each
    user's secrets."""
    cache = {name: {} for name in ("AccessToken", "RefreshToken", "Account")}
    for person in (ADA, GRACE):
        for client in ("mail", "calendar"):
            cache["AccessToken"][f"{person.uid} {client}"] = access_token("mail.read", person, client=client)
        cache["RefreshToken"][person.uid] = refresh_token(person, client="mail", family_id="1")
        cache["Account"][person.uid] = account(person)
    return cache, secrets_by_account(cache)


def secrets_by_account(cache):
    found = {}
    for name in ("AccessToken", "RefreshToken"):
        for entry in cache[name].values():
            found.setdefault(entry["home_account_id"], set()).add(entry["secret"])
    return found


@pytest.mark.parametrize("wipe", [["sign-out", "--whole-group"], ["group delete"]], ids=["whole-group", "delete"])
def test_an_import_during_a_wipe_leaves_each_account_complete_or_absent(
    sso, save, wipe
):
    cache, whole = whole_accounts()
    [importing] = imports(save, [cache])
    for turn in range(8):
        # The entries that the removal removes; every other time none.
        if turn % 2:
            sso.take(cache)
        process = subprocess.Popen(
            sso.arguments(*importing), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=sso.environment)
        time.sleep(turn * 0.012)
        removal = sso.run(*wipe, "--yes", "--json")
        stdout, stderr = process.communicate(timeout=2 * LIMIT_SECONDS)
        outcome = Outcome(process.returncode, stdout, stderr, 0)
        check_contract("import", True, outcome)
        assert outcome.status == removal.status == DONE, (turn, outcome, removal)
        left = secrets_by_account(sso.give())
        assert all(secrets == whole[name] for name, secrets in left.items()), (turn, left, whole)
        sso.run(*wipe, "--yes")


@pytest.mark.durable
@pytest.mark.parametrize("milliseconds", [20, 45])
def test_a_daemon_that_exits_is_an_error_in_time_and_acknowledged_saves_are_stored(
    sso, daemon, save, group, milliseconds
):
    caches = [signed_in(client=f"client{index}")[0] for index in range(4)]
    processes = [
        subprocess.Popen(
            sso.arguments(*command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )
        for command in imports(save, caches)
    ]
    time.sleep(milliseconds / 1000)
    daemon.kill()
    saved = set()
    for index, process in enumerate(processes):
        stdout, stderr = process.communicate(timeout=LIMIT_SECONDS)
        outcome = Outcome(process.returncode, stdout, stderr, 0)
        check_contract("import", True, outcome)
        assert outcome.status in (DONE, NO_SERVICE, STORAGE_OR_NETWORK, LOCKED_OR_TIMED_OUT), outcome
        if outcome.status == DONE:
            saved.add(f"client{index}")
    daemon.start()
    found = {client for account in sso.accounts() for client in account["clients"]}
    assert found >= saved
    for cache in caches:
        sso.take(cache)
    assert len(sso.accounts()[0]["clients"]) == 4
