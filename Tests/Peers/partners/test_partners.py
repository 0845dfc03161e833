# SPDX-License-Identifier: MIT
"""sso-cache partners: what there is of each tool, and nothing else: no token, no unlocking, no change."""

import fcntl
import json
import os
import time

import pytest

from partner_caches import (
    AZURE_CLI, CLI_ITEM, CONTENTS, DOTNET, DOTNET_ITEM, PYTHON_ITEM, base64_of, json_of, one_account,
)
from people import ADA, TENANT
from sso_cache import DONE, LOCKED_OR_TIMED_OUT
from unified_cache import CLIENT

def test_each_tool_is_listed_with_who_is_signed_in_and_until_when(partners, present):
    name, client, is_plain = present
    report = partners.report(name)
    [cache] = report["caches"]
    [account] = cache["accounts"]
    assert (cache["state"], cache["plain_text"]) == ("readable", is_plain)
    assert (account["username"], account["identifier"]) == (ADA.username, ADA.identifier)
    assert (account["tenant"], account["client_id"], account["has_refresh_token"]) == (TENANT, client, True)
    assert abs(account["expires_on"] - time.time() - 3600) < 60
    assert any("plain text" in warning for warning in report["warnings"]) == is_plain


@pytest.mark.parametrize("document", [{}, {"RefreshToken": {}}, {"Account": one_account(ADA, AZURE_CLI)["Account"]}])
def test_a_file_without_tokens_is_not_said_to_hold_any(partners, document):
    partners.file(".azure/msal_token_cache.json", json.dumps(document).encode())
    report = partners.report("azure-cli")
    assert [cache["state"] for cache in report["caches"]] == ["readable"]
    assert not any("plain text" in warning for warning in report["warnings"]), report


def test_the_table_names_the_tool_and_the_user(partners, present):
    name, _, _ = present
    shown = partners.sso.run("partners")
    assert shown.status == DONE
    assert f"{name}\t{ADA.username}\t{TENANT}" in shown.stdout


def test_nothing_is_changed(partners, present):
    def everything():
        items = {
            item.item_path: (item.get_attributes(), item.get_secret(), item.get_modified())
            for item in partners.collection.get_all_items()
        }
        files = {
            path: (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
            for path in partners.home.rglob("*") if "modules" not in path.parts
        }
        return items, files

    before = everything()
    partners.sso.do("partners", "--all")
    assert everything() == before


@pytest.mark.parametrize("library", ["msal-extensions", "azure-identity-python", "azure-cli", "azure-cli-encrypted"])
def test_the_cache_of_the_real_library_is_listed(partners, library):
    location = partners.home / "contoso.bin"
    where = location if library == "msal-extensions" else "msal.cache"
    partners.run(library, where, "sign-in", AZURE_CLI, "ada", "s3cr3t-refresh")
    options = ["--location", location] if library == "msal-extensions" else []
    name = {"msal-extensions": f"msal-extensions:{location}"}.get(library, library.removesuffix("-encrypted"))
    report = partners.report(name, *options)
    [cache] = report["caches"]
    assert [account["username"] for account in cache["accounts"]] == ["ada@contoso.com"]
    assert cache["plain_text"] == (library == "azure-cli")


def test_a_locked_keyring_stays_locked_and_is_named(partners, daemon):
    partners.plant(PYTHON_ITEM, json_of(one_account(ADA, CLIENT)))
    daemon.restart_locked()
    states = {
        report["name"]: [cache["state"] for cache in report["caches"]]
        for report in partners.sso.do("partners", "--all")["partners"]
    }
    assert partners.collection.is_locked()
    assert "locked" in states["azure-identity-python"]
    assert states["azd"] == []


def test_a_cache_that_nothing_tells_of_is_not_named_while_the_keyring_is_locked(partners, daemon):
    location = partners.home / "contoso.bin"
    options = ["--location", location]
    assert partners.sso.do("partners", *options)["partners"] == []
    daemon.restart_locked()
    assert partners.sso.do("partners", *options)["partners"] == []
    shown = partners.sso.run("partners", *options).stdout
    assert "here that can be seen." in shown and f"can't be seen of: git-credentials, msal-extensions:{location}." in shown
    assert partners.sso.fail(LOCKED_OR_TIMED_OUT, "import", "--from", f"msal-extensions:{location}") == "groupLocked"
    partners.file("contoso.bin")
    [report] = partners.sso.do("partners", *options)["partners"]
    assert [cache["state"] for cache in report["caches"]] == ["locked"]


def test_a_keyring_daemon_that_hangs_hides_no_cache_in_a_file(partners, daemon):
    partners.file(".azure/msal_token_cache.json", json_of(one_account(ADA, AZURE_CLI)))
    daemon.freeze()
    outcome = partners.sso.run("partners", "--json")
    assert outcome.status == DONE
    reports = {report["name"]: report for report in json.loads(outcome.stdout)["partners"]}
    assert [account["username"] for account in reports["azure-cli"]["caches"][0]["accounts"]] == [ADA.username]
    assert any("did not reply" in warning for warning in reports["azure-identity-python"]["warnings"])


def test_the_account_record_of_visual_studio_code_is_listed_as_an_account_without_tokens(partners):
    partners.file(".azure/ms-azuretools.vscode-azureresourcegroups/authRecord.json", json.dumps({
        "username": ADA.username, "authority": "login.microsoftonline.com", "homeAccountId": ADA.identifier,
        "tenantId": TENANT, "clientId": "aebc6443-996d-45c2-90f0-388ff96faa56", "version": "1.0",
    }).encode())
    [cache] = partners.report("vscode")["caches"]
    [account] = cache["accounts"]
    assert (account["username"], account["tenant"], account["has_refresh_token"]) == (ADA.username, TENANT, False)


def test_an_encrypted_cache_is_listed_without_accounts(partners):
    partners.file(".cache/.IdentityService/msal.cache.nocae", b"eyJhbGciOiJkaXIifQ..s3cr3t")
    [cache] = partners.report("azidentity-go")["caches"]
    assert (cache["state"], cache["accounts"]) == ("encrypted", [])


def test_an_item_that_several_tools_overwrite_is_warned_of(partners):
    partners.plant(DOTNET_ITEM, base64_of(one_account(ADA, CLIENT)))
    partners.file(f"{DOTNET}/msal.cache.nocae")
    partners.file(".local/.IdentityService/msal.cache")
    for name in ("azure-dotnet", "git-credential-manager"):
        assert any("overwrite each other" in warning for warning in partners.report(name)["warnings"])
    assert not partners.report("artifacts-credprovider")["there"]


def test_an_item_of_azure_cli_that_its_service_principals_overwrote_is_reported(partners):
    partners.plant(CLI_ITEM, json.dumps([{"client_id": "C", "client_secret": "s3cr3t"}]).encode())
    report = partners.report("azure-cli")
    [cache] = report["caches"]
    assert cache["state"] == "unreadable"
    assert any("service principals" in warning for warning in report["warnings"])


def hold(lock):
    """Takes the lock as a tool does, before the clock was set forward; the tests' process ends it."""
    lock.write_text(f"{os.getpid()} python")
    os.utime(lock, (1, 1))
    fcntl.flock(os.open(lock, os.O_RDWR), fcntl.LOCK_EX)


LOCKS = {
    "of a process that is older than the file": (
        lambda lock: (lock.write_text("1 init"), os.utime(lock, (time.time() - 70,) * 2)), False),
    "held, and older than the process": (hold, False),
    "of a process that has ended": (lambda lock: lock.write_text("999999999 python"), True),
    "empty and old": (lambda lock: (lock.touch(), os.utime(lock, (1, 1))), True),
    "of a running process": (lambda lock: lock.write_text(f"{os.getpid()} python"), False),
    "older than the process that has its number now": (
        lambda lock: (lock.write_text(f"{os.getpid()} python"), os.utime(lock, (1, 1))), True),
    "new and empty": (lambda lock: lock.touch(), False),
    "a directory": (lambda lock: lock.mkdir(), True),
    "a link": (lambda lock: lock.symlink_to("/etc/hostname"), True),
}


@pytest.mark.parametrize("make, is_warned", LOCKS.values(), ids=LOCKS.keys())
def test_a_lock_file_that_stops_a_tool_is_warned_of_and_left(partners, make, is_warned):
    partners.file(".azure/msal_token_cache.json", json_of(one_account(ADA, AZURE_CLI)))
    lock = partners.home / ".azure/msal_token_cache.json.lockfile"
    make(lock)
    warned = any("lock file" in warning for warning in partners.report("azure-cli")["warnings"])
    assert warned == is_warned
    assert os.path.lexists(lock)


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS.keys())
def test_what_is_no_cache_is_unreadable_and_named(partners, content):
    partners.file(".azure/msal_token_cache.json", content)
    report = partners.report("azure-cli")
    [cache] = report["caches"]
    assert (cache["state"], cache["accounts"]) == ("unreadable", [])
    assert any("can't be read" in warning for warning in report["warnings"])
    [row] = [row for row in partners.sso.run("partners").stdout.splitlines() if row.startswith("azure-cli\t")]
    assert "\tunreadable\t" in row


def test_an_empty_cache_is_readable_and_has_nobody(partners):
    partners.file(".azure/msal_token_cache.json")
    [cache] = partners.report("azure-cli")["caches"]
    assert (cache["state"], cache["accounts"]) == ("readable", [])


def test_a_name_that_is_no_tool_and_a_relative_location_are_usage_errors(partners):
    assert partners.sso.run("partners", "--location", "cache.bin").status == 64
