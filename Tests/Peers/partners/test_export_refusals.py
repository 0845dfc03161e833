# SPDX-License-Identifier: MIT
"""sso-cache export --to: what is refused, and that neither side changes then."""

import fcntl
import json
import os
import subprocess
from pathlib import Path

import pytest

from broken_setups import AS_A_USER
from partner_caches import (
    ALAN, AZURE_CLI, CLI_ITEM, CONTENTS, DOTNET_ITEM, Library, base64_of, json_of, one_account, signed_in,
)
from people import ADA, GRACE
from secret_items import search
from sso_cache import BAD_INPUT, LOCKED_OR_TIMED_OUT, STORAGE_OR_NETWORK, USAGE
from unified_cache import CLIENT

FILE = ".azure/msal_token_cache.json"


@pytest.mark.parametrize("content", [c for c in CONTENTS.values() if c], ids=[n for n, c in CONTENTS.items() if c])
@pytest.mark.parametrize("is_item", [False, True], ids=["file", "item"])
def test_a_cache_that_cannot_be_read_is_not_written(partners, bus, group, content, is_item):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    file = partners.file(FILE, b"" if is_item else content)
    if is_item:
        file.unlink()
        partners.plant(CLI_ITEM, content)
    stored = {item.item_path: item.get_secret() for item in search(bus, group=group)}
    assert partners.sso.fail(BAD_INPUT, "export", "--to", "azure-cli") == "invalidFile"
    assert (partners.item(CLI_ITEM).get_secret() if is_item else file.read_bytes()) == content
    assert {item.item_path: item.get_secret() for item in search(bus, group=group)} == stored


def test_a_link_is_not_written_through(partners):
    other = partners.file("elsewhere.json", json_of(one_account(GRACE, AZURE_CLI)))
    (partners.home / ".azure").mkdir()
    (partners.home / FILE).symlink_to(other)
    before = other.read_bytes()
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    assert partners.sso.fail(BAD_INPUT, "export", "--to", "azure-cli") == "invalidFile"
    assert other.read_bytes() == before and (partners.home / FILE).is_symlink()


def test_a_folder_that_is_a_link_is_followed(partners):
    (partners.home / "elsewhere").mkdir()
    (partners.home / ".azure").symlink_to(partners.home / "elsewhere")
    partners.file(FILE, json_of(one_account(GRACE, AZURE_CLI)))
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    assert partners.sso.run("export", "--to", "azure-cli", "--json").json["written"] == 3
    assert b"s3cr3t-alan" in (partners.home / "elsewhere" / Path(FILE).name).read_bytes()


def test_a_lock_that_is_held_is_busy_and_nothing_changes(partners, extensions):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    lock = partners.file("contoso.bin.lockfile", f"{os.getpid()} app".encode())
    before = partners.item_of(extensions.location).get_secret()
    arguments = ["export", "--to", extensions.name, *extensions.options]
    outcome = partners.sso.run(*arguments, "--json")
    assert (outcome.status, outcome.error) == (LOCKED_OR_TIMED_OUT, "lockTimedOut")
    assert "busy" in outcome.stderr and outcome.seconds < 8
    assert partners.item_of(extensions.location).get_secret() == before and lock.exists()
    lock.unlink()
    assert extensions.export()["written"] == 3


@pytest.mark.parametrize("is_held", [False, True], ids=["left", "held"])
def test_of_a_lock_file_that_names_nobody_the_remedy_is_that_of_its_lock(partners, extensions, is_held):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    lock = partners.file("contoso.bin.lockfile")
    arguments = ["export", "--to", extensions.name, *extensions.options, "--json"]
    with lock.open("r+") as file:
        if is_held:
            fcntl.flock(file, fcntl.LOCK_EX)
        outcome = partners.sso.run(*arguments)
        assert (outcome.status, outcome.error) == (LOCKED_OR_TIMED_OUT, "lockTimedOut")
        remedy = json.loads(outcome.stderr)["error"]["remedy"]
    assert lock.exists() and ("end the program" in remedy) == is_held
    if not is_held:
        subprocess.run(remedy.removesuffix(", and try again."), shell=True, check=True)
        assert extensions.export()["written"] == 3


def full_directory(path):
    path.mkdir()
    (path / "note").write_text("mine")


@pytest.mark.parametrize(
    "make", [os.mkdir, full_directory, os.mkfifo, lambda path: os.symlink("/dev/null", path)],
    ids=["directory", "full directory", "FIFO", "link"])
def test_a_lock_file_that_is_no_file_is_refused_at_once_and_its_removal_helps(partners, extensions, make):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    lock = partners.home / "contoso.bin.lockfile"
    make(lock)
    arguments = ["--to", extensions.name, *extensions.options]
    outcome = partners.sso.run("export", *arguments, "--json")
    assert (outcome.status, outcome.error) == (STORAGE_OR_NETWORK, "storageFailed")
    assert os.path.lexists(lock)
    remedy = json.loads(outcome.stderr)["error"]["remedy"].removesuffix(", and try again.")
    subprocess.run(remedy, shell=True, check=True)
    assert extensions.export()["written"] == 3


def test_a_folder_that_its_mode_closes_is_named_and_its_opening_helps(partners):
    partners.file(FILE, json_of(one_account(GRACE, AZURE_CLI)))
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    folder = partners.home / ".azure"
    folder.chmod(0o500)
    command = partners.sso.arguments("export", "--to", "azure-cli", "--json")
    done = subprocess.run([*AS_A_USER, *command], env=partners.sso.environment, capture_output=True)
    error = json.loads(done.stderr)["error"]
    assert (done.returncode, error["code"]) == (STORAGE_OR_NETWORK, "storageFailed")
    assert error["remedy"] == f"chmod u+rwx {folder}, and try again."
    subprocess.run(error["remedy"].partition(",")[0], shell=True, check=True)
    assert partners.sso.run("export", "--to", "azure-cli", "--json").json["written"] == 3


def test_an_account_that_the_group_lacks_is_refused(partners, extensions):
    arguments = ["--to", extensions.name, *extensions.options, "--account", "nobody@contoso.com"]
    assert partners.sso.fail(USAGE, "export", *arguments) == "invalidArgument"
    assert extensions.run("state")["accounts"] == ["grace@contoso.com"]


def test_a_locked_keyring_is_not_written(partners, extensions, daemon):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    daemon.restart_locked()
    arguments = ["--to", extensions.name, *extensions.options]
    assert partners.sso.fail(LOCKED_OR_TIMED_OUT, "export", *arguments) == "groupLocked"


@pytest.mark.parametrize("arguments", [
    [], ["--to", "azure-cli", "--format", "msal"], ["--to", "azure-dotnet"], ["--to", "azd"], ["--to", "nobody"],
    ["--to", "azure-identity-python"], ["--to", "azure-cli", "--client-id", CLIENT], ["--to", "msal-extensions:x"],
    ["--format", "msal", "--family"], ["--to", "azure-cli", "--output", "f"], ["--to", "azure-cli"],
], ids=" ".join)
def test_what_cannot_be_a_target_is_a_usage_error_and_makes_nothing(partners, arguments):
    partners.plant(DOTNET_ITEM, base64_of(one_account(ADA, CLIENT)))
    assert partners.sso.fail(USAGE, "export", *arguments) == "invalidArgument"
    assert [path.name for path in partners.home.iterdir()] == ["modules"]


def test_a_companion_file_that_is_a_link_is_refused_before_the_write(partners, extensions):
    """After it, no program would learn of the change."""
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    before = partners.item_of(extensions.location).get_secret()
    extensions.location.unlink()
    extensions.location.symlink_to(partners.home / "elsewhere")
    arguments = ["--to", extensions.name, *extensions.options]
    assert partners.sso.fail(STORAGE_OR_NETWORK, "export", *arguments) == "storageFailed"
    assert partners.item_of(extensions.location).get_secret() == before
    assert not (partners.home / "elsewhere").exists()


def test_what_a_killed_export_left_beside_the_file_is_removed_and_a_persons_file_stays(partners):
    file = partners.file(FILE, json_of(one_account(GRACE, AZURE_CLI)))
    partners.file(f"{FILE}.sso-cache-{'a1b2' * 8}", b"s3cr3t")
    backup = partners.file(f"{FILE}.sso-cache-20261126", b"a backup")
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    Library(partners, "azure-cli").export()
    assert sorted(path.name for path in file.parent.iterdir()) == [file.name, backup.name]


def test_a_group_with_what_cannot_be_read_is_not_exported(partners, extensions, bus, group):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    extensions.export()
    [record] = [item for item in search(bus, group=group) if item.get_attributes()["kind"] == "credentials"]
    record.set_secret(b"{", "application/json")
    arguments = ["--to", extensions.name, *extensions.options]
    assert partners.sso.fail(BAD_INPUT, "export", *arguments) == "corruptItem"
    assert extensions.run("state")["refresh_tokens"]["alan"] == "s3cr3t-alan"
