# SPDX-License-Identifier: MIT
"""sso-cache import --from: what is refused, and that neither side changes then."""

import os

import pytest

from partner_caches import (
    AZURE_CLI, CLI_ITEM, CONTENTS, DOTNET, DOTNET_ITEM, PYTHON_ITEM, base64_of, json_of, one_account,
)
from people import ADA, GRACE
from planted import login_of
from secret_items import search
from sso_cache import BAD_INPUT, DONE, LOCKED_OR_TIMED_OUT, USAGE
from unified_cache import CLIENT

FILE = ".azure/msal_token_cache.json"
LOCK = f"{FILE}.lockfile"


def link(file):
    other = file.with_name("other.json")
    file.rename(other)
    file.symlink_to(other)


def foreign(file):
    """A file of another user: root's, unless the tests run as root."""
    if os.geteuid() == 0:
        os.chown(file, 12345, 12345)
        return None
    return "msal-extensions:/etc/hostname"


def too_large(file):
    with open(file, "wb") as sparse:
        sparse.truncate((64 << 20) + 1)


FILES = {"a link": link, "another user's": foreign, "over 64 MiB": too_large}


@pytest.mark.parametrize("change", FILES.values(), ids=FILES.keys())
def test_a_file_that_is_not_the_users_own_is_not_read(partners, bus, group, change):
    file = partners.file(FILE, json_of(one_account(ADA, AZURE_CLI)))
    name = change(file) or "azure-cli"
    assert partners.sso.fail(BAD_INPUT, "import", "--from", name) == "invalidFile"
    assert search(bus, group=group) == []
    if name == "azure-cli":
        [cache] = partners.report(name)["caches"]
        assert cache["state"] == "unreadable"
    assert not (partners.home / LOCK).exists()


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS.keys())
@pytest.mark.parametrize("is_item", [False, True], ids=["file", "item"])
def test_what_is_no_cache_is_refused_and_neither_side_changes(partners, bus, group, content, is_item):
    if is_item:
        partners.plant(DOTNET_ITEM, content)
        partners.file(f"{DOTNET}/msal.cache.nocae")
    else:
        partners.file(FILE, content)
    before = partners.everything()
    name = "azure-dotnet" if is_item else "azure-cli"
    assert partners.sso.fail(BAD_INPUT, "import", "--from", name) == "invalidFile"
    assert partners.everything() == before
    assert search(bus, group=group) == []


def test_a_bad_cache_of_a_tool_with_several_lets_nothing_in(partners, bus, group):
    partners.plant(PYTHON_ITEM, json_of(one_account(ADA, CLIENT)))
    partners.plant(PYTHON_ITEM | {"xdg:schema": "msal.cache.cae"}, b"{")
    assert partners.sso.fail(BAD_INPUT, "import", "--from", "azure-identity-python") == "invalidFile"
    assert search(bus, group=group) == []


def test_an_item_that_another_tool_overwrote_is_refused_by_name(partners):
    partners.plant(CLI_ITEM, b'[{"client_id": "C", "client_secret": "s3cr3t"}]')
    outcome = partners.sso.run("import", "--from", "azure-cli", "--json")
    assert outcome.status == BAD_INPUT and "service principals" in outcome.stderr


def test_a_record_of_what_was_imported_that_cannot_be_read_stops_no_import(partners, bus, group):
    cache = one_account(ADA, AZURE_CLI)
    partners.file(FILE, json_of(cache))
    assert partners.sso.do("import", "--from", "azure-cli")["added"] > 0
    for item in search(bus, group=group, kind="group-data"):
        item.set_secret(b"garbage")
    partners.sso.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
    partners.file(FILE, json_of(one_account(GRACE, AZURE_CLI)))
    outcome = partners.sso.run("import", "--from", "azure-cli", "--json")
    assert (outcome.status, outcome.error) == (BAD_INPUT, "corruptItem")
    assert [account["username"] for account in partners.sso.accounts()] == [GRACE.username]


def test_a_record_of_hints_that_cannot_be_read_is_named_and_ends_no_list(partners, bus, group):
    partners.file(FILE, json_of(one_account(GRACE, AZURE_CLI)))
    partners.sso.do("import", "--from", "azure-cli", "--hints")
    [own] = search(bus, group=group, key="account-hints")
    theirs = login_of(bus).create_item("Theirs", own.get_attributes(), b"garbage")
    assert [hint["username"] for hint in partners.sso.do("accounts", "--hints")["hints"]] == [GRACE.username]
    theirs.delete()
    own.set_secret(b"garbage")
    listed = partners.sso.do("accounts", "--hints")
    assert (listed["hints"], [each["kind"] for each in listed["damaged"]]) == ([], ["group-data"])
    outcome = partners.sso.run("accounts", "--hints")
    assert outcome.status == DONE and "can't be read and is left out" in outcome.stderr, outcome


def test_the_item_of_dotnet_is_not_taken_for_javas(partners):
    partners.plant(DOTNET_ITEM, base64_of(one_account(ADA, CLIENT)))
    assert partners.sso.fail(USAGE, "import", "--from", "azure-java") == "invalidArgument"


def test_a_locked_keyring_is_the_error_and_no_empty_cache(partners, daemon):
    partners.plant(PYTHON_ITEM, json_of(one_account(ADA, CLIENT)))
    daemon.restart_locked()
    outcome = partners.sso.run("import", "--from", "azure-identity-python", "--json")
    assert (outcome.status, outcome.error) == (LOCKED_OR_TIMED_OUT, "groupLocked")
    # It is not the group's keyring.
    assert "Unlock that keyring" in outcome.stderr and "group unlock" not in outcome.stderr


@pytest.mark.parametrize("arguments", [
    [], ["--from", "azure-cli", "--format", "msal", "f"], ["--from", "azure-cli", "f"], ["--from", "nobody"],
    ["--from", "msal-extensions"], ["--from", "msal-extensions:"], ["--from", "msal-extensions:cache.bin"],
    ["--from", "azure-cli:x"], ["--from", "azure-identity-python:../x"], ["--from", "azure-cli", "--replace"],
    ["--format", "msal"], ["--format", "msal", "f", "--account", "x"],
], ids=" ".join)
def test_a_command_line_that_names_no_cache_is_a_usage_error(partners, arguments):
    assert partners.sso.fail(USAGE, "import", *arguments) == "invalidArgument"


def test_a_tool_without_a_cache_is_named(partners):
    assert partners.sso.fail(USAGE, "import", "--from", "azd") == "invalidArgument"
    assert not (partners.home / ".azd").exists()
