# SPDX-License-Identifier: MIT
"""sso-cache import --from: what a tool has comes into the group, under the tool's locks; the tool keeps all it has."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lock_holder
from partner_caches import AZURE_CLI, DOTNET, PYTHON_ITEM, json_of, one_account
from people import ADA, GRACE, TENANT
from secret_items import search
from sso_cache import AMBIGUOUS_ACCOUNT, INTERACTION_REQUIRED, LOCKED_OR_TIMED_OUT, STORAGE_OR_NETWORK, USAGE
from unified_cache import CLIENT, access_token, cache_of, refresh_token, section, secrets

HOLDER = Path(lock_holder.__file__)
FILE = ".azure/msal_token_cache.json"
LOCK = f"{FILE}.lockfile"


def holding(algorithm, lock, path="-", rounds=0):
    """A process with a tool's lock algorithm, which has the lock."""
    process = subprocess.Popen(
        [sys.executable, str(HOLDER), algorithm, str(lock), str(path), str(rounds)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    return process


def test_the_accounts_and_tokens_of_each_tool_are_taken_and_it_keeps_them(partners, present):
    name, client, _ = present
    before = partners.everything()
    summary = partners.sso.do("import", "--from", name)
    assert (summary["added"], summary["hints"]) == (1, 1)
    assert partners.everything() == before
    [account] = partners.sso.accounts()
    assert (account["username"], account["clients"]) == (ADA.username, [client])
    assert partners.sso.token(client, ADA.username, "user.read")["source"] == "cache"
    assert partners.sso.do("import", "--from", name)["added"] == 0


@pytest.mark.parametrize("library", ["msal-extensions", "azure-identity-python", "azure-cli", "azure-cli-encrypted"])
def test_what_the_real_library_stored_is_taken(partners, library):
    location = partners.home / "contoso.bin"
    where = location if library == "msal-extensions" else "msal.cache"
    partners.run(library, where, "sign-in", AZURE_CLI, "ada", "s3cr3t-refresh")
    name = f"msal-extensions:{location}" if library == "msal-extensions" else library.removesuffix("-encrypted")
    partners.sso.do("import", "--from", name)
    assert secrets(partners.sso.give(), "RefreshToken") == {"s3cr3t-refresh"}
    assert partners.run(library, where, "state")["accounts"] == ["ada@contoso.com"]


def test_a_cache_with_a_name_of_its_own_is_taken(partners):
    partners.run("azure-identity-python", "contoso", "sign-in", CLIENT, "ada", "s3cr3t-refresh")
    partners.sso.do("import", "--from", "azure-identity-python:contoso")
    assert secrets(partners.sso.give(), "RefreshToken") == {"s3cr3t-refresh"}


def both(client=AZURE_CLI):
    ada, grace = one_account(ADA, client), one_account(GRACE, client)
    return {name: section(*ada[name].values(), *grace[name].values()) for name in ada}


def test_one_account_is_taken_on_request(partners):
    partners.file(FILE, json_of(both()))
    partners.sso.do("import", "--from", "azure-cli", "--account", GRACE.username.upper())
    assert [account["username"] for account in partners.sso.accounts()] == [GRACE.username]
    assert [hint["username"] for hint in partners.sso.do("accounts", "--hints")["hints"]] == [GRACE.username]


def test_an_account_that_is_not_there_and_one_that_is_ambiguous_are_refused(partners):
    cache = both()
    for entry in [*cache["Account"].values()]:
        entry["username"] = ADA.username
    partners.file(FILE, json_of(cache))
    options = ["--from", "azure-cli", "--account"]
    assert partners.sso.fail(AMBIGUOUS_ACCOUNT, "import", *options, ADA.username) == "ambiguousAccount"
    assert partners.sso.fail(USAGE, "import", *options, "nobody@contoso.com") == "invalidArgument"
    assert partners.sso.accounts() == []


def test_the_tokens_of_another_client_are_a_hint_and_not_taken(partners):
    partners.file(FILE, json_of(one_account(ADA, CLIENT)))
    assert partners.sso.do("import", "--from", "azure-cli")["added"] == 0
    assert partners.sso.accounts() == []
    [hint] = partners.sso.do("accounts", "--hints")["hints"]
    assert hint == {
        "username": ADA.username, "identifier": ADA.identifier, "environment": "login.microsoftonline.com",
        "tenant": TENANT, "source": "azure-cli",
    }


def test_the_tokens_of_one_client_are_taken_on_request(partners):
    partners.plant(PYTHON_ITEM, json_of(both(CLIENT)))
    partners.sso.do("import", "--from", "azure-identity-python", "--client-id", AZURE_CLI)
    assert partners.sso.accounts() == []
    partners.sso.do("import", "--from", "azure-identity-python", "--client-id", CLIENT.upper())
    assert len(partners.sso.accounts()) == 2


def test_hints_alone_bring_no_token_and_go_with_the_groups_accounts(partners):
    partners.file(".azure/ms-azuretools.vscode-azureresourcegroups/authRecord.json", json.dumps({
        "username": ADA.username, "authority": "https://login.microsoftonline.com/x", "tenantId": TENANT,
        "homeAccountId": ADA.identifier, "clientId": "aebc6443-996d-45c2-90f0-388ff96faa56",
    }).encode())
    partners.file(FILE, json_of(one_account(GRACE, AZURE_CLI)))
    partners.sso.do("import", "--from", "vscode")
    partners.sso.do("import", "--from", "azure-cli", "--hints")
    assert partners.sso.accounts() == []
    hints = partners.sso.do("accounts", "--hints")["hints"]
    assert [(hint["username"], hint["source"]) for hint in hints] == [
        (ADA.username, "vscode"), (GRACE.username, "azure-cli")]
    partners.sso.do("sign-out", "--whole-group", "--yes")
    assert partners.sso.do("accounts", "--hints")["hints"] == []


def test_a_dry_run_writes_nothing(partners, bus, group):
    partners.file(FILE, json_of(one_account(ADA, AZURE_CLI)))
    assert partners.sso.do("import", "--from", "azure-cli", "--dry-run")["added"] == 1
    assert search(bus, group=group) == []


def test_an_account_that_signed_out_here_does_not_come_back(partners):
    partners.file(FILE, json_of(one_account(ADA, AZURE_CLI)))
    partners.sso.do("import", "--from", "azure-cli")
    partners.sso.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
    assert partners.sso.do("import", "--from", "azure-cli")["signed_out"] == 1
    assert partners.sso.accounts() == []


def test_of_two_caches_of_a_tool_the_newer_token_counts(partners):
    old, new = cache_of(access_token("s", age=900)), cache_of(access_token("s", age=9))
    for number, (cache, file) in enumerate([(new, "cae"), (old, "nocae")]):
        cache["RefreshToken"] = section(refresh_token(last_modification_time=str(int(time.time()) - 900 * number)))
        partners.plant(PYTHON_ITEM | {"xdg:schema": f"msal.cache.{file}"}, json_of(cache))
    partners.sso.do("import", "--from", "azure-identity-python")
    assert secrets(partners.sso.give(), "RefreshToken") == secrets(new, "RefreshToken")


ALGORITHMS = {
    "dotnet": ("azure-dotnet", f"{DOTNET}/msal.cache.nocae"),
    "java": ("azure-dotnet", f"{DOTNET}/msal.cache.nocae"),
    "node": ("azure-js", ".IdentityService/msal.cache"),
    "go": ("azd", ".azd/auth/msal/cache.json"),
}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_cache_is_read_only_while_no_program_with_its_lock_writes_it(partners, algorithm):
    name, path = ALGORITHMS[algorithm]
    client = AZURE_CLI if name == "azd" else CLIENT
    file = partners.file(path, json_of(one_account(ADA, client)))
    lock = {"go": f"{file}.lock"}.get(algorithm, f"{file}.lockfile")
    if algorithm == "java":
        lock = partners.file(".IdentityService/.lockfile")
        lock.unlink()
    process = holding(algorithm, lock, file, 15)
    count = 0
    while process.poll() is None:
        outcome = partners.sso.run("import", "--from", name, "--dry-run", "--json")
        assert outcome.status == 0, outcome
        count += 1
    assert process.wait() == 0 and count >= 3


@pytest.mark.parametrize("name, path, algorithm", [
    ("azure-cli", f"{FILE}.lockfile", "hold"), ("azd", ".azd/auth/msal/cache.json.lock", "hold-flock"),
])
def test_a_lock_that_is_held_for_ever_is_busy_within_seconds_and_stays(partners, bus, group, name, path, algorithm):
    partners.file(FILE, json_of(one_account(ADA, AZURE_CLI)))
    partners.file(".azd/auth/msal/cache.json", json_of(one_account(ADA, AZURE_CLI)))
    process = holding(algorithm, partners.home / path)
    outcome = partners.sso.run("import", "--from", name, "--json")
    assert (outcome.status, outcome.error) == (LOCKED_OR_TIMED_OUT, "lockTimedOut")
    assert "busy" in outcome.stderr and 4 < outcome.seconds < 8 and "doctor" not in outcome.stderr
    assert (partners.home / path).exists() and process.poll() is None
    assert search(bus, group=group) == []
    process.kill()
    process.wait()


def test_the_lock_file_that_a_killed_process_of_another_tool_left_is_never_taken_away(partners):
    partners.file(FILE, json_of(one_account(ADA, AZURE_CLI)))
    lock = partners.file(LOCK, b"999999999 az")
    outcome = partners.sso.run("import", "--from", "azure-cli", "--json")
    assert (outcome.status, outcome.error) == (LOCKED_OR_TIMED_OUT, "lockTimedOut")
    assert f"rm {lock}" in outcome.stderr
    assert lock.read_bytes() == b"999999999 az"


def test_the_lock_file_that_a_killed_process_of_this_tool_left_is_its_own(partners):
    partners.file(FILE, json_of(one_account(ADA, AZURE_CLI)))
    lock = partners.file(LOCK, b"999999999 sso-cache 1")
    assert partners.sso.do("import", "--from", "azure-cli")["added"] == 1
    assert not lock.exists()


LOCKS = {
    "a directory": lambda lock: lock.mkdir(),
    "a link": lambda lock: lock.symlink_to(lock.parent / "elsewhere"),
    "a pipe": lambda lock: os.mkfifo(lock),
}


@pytest.mark.parametrize("make", LOCKS.values(), ids=LOCKS.keys())
def test_a_lock_file_that_is_none_fails_at_once_and_stays(partners, make):
    partners.file(FILE, json_of(one_account(ADA, AZURE_CLI)))
    lock = partners.home / LOCK
    make(lock)
    outcome = partners.sso.run("import", "--from", "azure-cli", "--json")
    assert (outcome.status, outcome.error) == (STORAGE_OR_NETWORK, "storageFailed")
    assert outcome.seconds < 3
    assert os.path.lexists(lock) and not (lock.parent / "elsewhere").exists()
    assert partners.sso.accounts() == []


def test_a_token_that_is_taken_serves_no_other_client(partners):
    partners.file(FILE, json_of(one_account(ADA, AZURE_CLI)))
    partners.sso.do("import", "--from", "azure-cli")
    options = ["--client-id", CLIENT, "--account", ADA.username, "--scope", "user.read"]
    assert partners.sso.fail(INTERACTION_REQUIRED, "token", *options) == "interactionRequired"
