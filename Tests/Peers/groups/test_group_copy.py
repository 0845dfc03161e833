# SPDX-License-Identifier: MIT
"""A suite copies the group that it shared in ADAL's days into a group of its own, on a real keyring."""

import plistlib

import pytest

from adal_apps import ADALApp, AzureADVersion1
from people import ADA, GRACE
from secret_items import group_collection, search, snapshot, store_item
from servers import AzureADServer
from sso_cache import (
    DONE, INTERACTION_REQUIRED, LOCKED_OR_TIMED_OUT, NOT_ENTITLED, SSOCache, UNRECOVERABLE, USAGE,
)
from unified_cache import CLIENT, access_token, cache_of, signed_in

NAME = ("--service", "imap", "--account", "ada")
NOTHING = {"added": 0, "updated": 0, "unchanged": 0, "signed_out": 0, "conflicting": 0, "left_out": 0}


@pytest.fixture
def shared(tool, group):
    """The suite's new group; the test's group is the former one."""
    return SSOCache(tool, f"{group}.shared")


@pytest.fixture
def copy(sso, shared):
    """Copies the former group into the new one, and returns the counts that are not 0."""

    def copy(*options):
        counts = sso.do("group copy", "--from", sso.group, "--to", shared.group, *options)
        assert set(counts) == {"dry_run", *NOTHING}
        assert counts.pop("dry_run") == ("--dry-run" in options)
        return {name: count for name, count in counts.items() if count}

    return copy


@pytest.fixture
def copy_of_publishers(sso):
    """Copies between the groups of the test's name that publishers have, and returns the counts."""
    return lambda *options: sso.do("group copy", "--from", sso.group, "--to", sso.group, *options)


@pytest.fixture
def app(save):
    """Options to act as an app of Contoso's that lists groups."""

    def app(*groups):
        content = {
            "application-identifier": "contoso.com.contoso.mail",
            "keychain-access-groups": [f"contoso.{group}" for group in groups],
        }
        return "--entitlements", save(plistlib.dumps(content), "mail.plist")

    return app


def test_an_app_of_the_second_group_gets_its_token_silently(sso, shared, copy, app, daemon):
    contoso = "--publisher=contoso"
    sso.take(signed_in()[0], contoso)
    request = ["--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"]
    calendar = shared.with_options(*app(shared.group))
    assert calendar.run("token", *request).status == INTERACTION_REQUIRED
    assert copy(contoso) == {"added": 1}
    daemon.restart()
    assert calendar.do("token", *request)["access_token"] == sso.do("token", *request, contoso)["access_token"]


def test_adals_items_states_and_secrets_are_copied_and_the_first_group_stays(sso, shared, copy, certificate, save, bus):
    provider = AzureADVersion1()
    with AzureADServer(provider, certificate) as server:
        adal = ADALApp(server, GRACE)
        adal.sign_in(provider, "https://graph.windows.net")
    sso.take(signed_in()[0])
    sso.do("import", "--format", "adal-python", save(adal.serialized))
    sso.do("secret set", *NAME, stdin=b"s3cr3t")
    before = snapshot(bus, sso.group)
    assert copy("--dry-run")["added"] >= 3
    assert search(bus, group=shared.group) == []
    copied = copy()
    assert snapshot(bus, sso.group) == before
    for command in (["export", "--format", "adal-python"], ["export", "--format", "msal"], ["secret get", *NAME]):
        assert shared.run(*command).stdout == sso.run(*command).stdout
    assert copy() == {"unchanged": copied["added"]}


def test_the_newer_copy_of_a_token_counts(sso, shared, copy):
    older, newer = cache_of(access_token("mail.read", age=600)), cache_of(access_token("mail.read", age=10))
    sso.take(older)
    shared.take(newer)
    copy()
    request = ["--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"]
    [newest] = newer["AccessToken"].values()
    assert shared.do("token", *request)["access_token"] == newest["secret"]


def test_a_signed_out_account_stays_so_and_another_secret_stays(sso, shared, copy):
    for each in (sso, shared):
        each.take(signed_in()[0])
        each.do("secret set", *NAME, stdin=each.group.encode())
    shared.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
    assert copy().items() >= {"signed_out": 1, "conflicting": 1}.items()
    assert shared.accounts() == []
    assert shared.run("secret get", *NAME).stdout == shared.group


def test_what_cant_be_read_is_named_and_the_rest_is_copied(sso, shared, bus):
    sso.take(signed_in()[0])
    store_item(bus, group_collection(bus, sso.group), b"hello", "credentials", sso.group, client_id="other")
    done = sso.run("group copy", "--from", sso.group, "--to", shared.group)
    assert (done.status, done.stdout) == (DONE, "Done: 1 added, 1 left out.\n")
    assert f"1 item of {sso.group} can't be read and is left out: Sign-in for other" in done.stderr
    assert [account["username"] for account in shared.accounts()] == [ADA.username]


@pytest.mark.parametrize("options", [[], ["--dry-run"]], ids=["copy", "dry-run"])
def test_both_groups_have_to_be_the_apps(sso, shared, app, bus, options):
    sso.take(signed_in()[0], "--publisher=contoso")
    groups = ["--from", sso.group, "--to", shared.group, *options]
    for listed in (sso.group, shared.group):
        assert sso.fail(NOT_ENTITLED, "group copy", *groups, *app(listed)) == "notEntitled"
    assert search(bus, group=shared.group) == []
    assert sso.do("group copy", *groups, *app(sso.group, shared.group))["added"] == 1


@pytest.mark.parametrize("options", [
    [], ["--publisher=contoso", "--to-publisher=contoso"], ["--from-publisher=contoso", "--to-publisher=contoso"]])
def test_a_group_is_not_copied_into_itself(sso, options):
    assert sso.fail(USAGE, "group copy", "--from", sso.group, "--to", sso.group, *options) == "invalidArgument"


def test_an_apps_group_is_not_copied_into_itself_under_its_name_with_the_publisher(sso, app):
    """An entitlements file has the publisher before the name; in the tool both names are the app's group."""
    groups = ["--from", sso.group, "--to", f"contoso.{sso.group}"]
    assert sso.fail(USAGE, "group copy", *groups, *app(sso.group)) == "invalidArgument"


def test_what_apps_kept_before_they_had_a_publisher_is_copied_into_the_publishers_group(sso, copy_of_publishers):
    sso.take(signed_in()[0])
    sso.do("secret set", *NAME, stdin=b"s3cr3t")
    assert copy_of_publishers("--to-publisher=contoso")["added"] == 2
    contoso = sso.with_options("--publisher=contoso")
    assert [account["username"] for account in contoso.accounts()] == [ADA.username]
    assert contoso.run("secret get", *NAME).stdout == "s3cr3t"
    assert copy_of_publishers("--from-publisher=contoso", "--publisher=fabrikam")["added"] == 2
    assert len(sso.with_options("--publisher=fabrikam").accounts()) == 1


def test_an_app_copies_groups_of_its_own_publisher_only(sso, app):
    groups = ["--from", sso.group, "--to", sso.group, *app(sso.group)]
    for option in ("--from-publisher=fabrikam", "--to-publisher=fabrikam"):
        assert sso.fail(USAGE, "group copy", *groups, option) == "invalidArgument"


def test_locked_groups_are_the_usual_error(sso, shared, copy, daemon, bus):
    for each in (sso, shared):
        each.take(signed_in()[0])
    before = snapshot(bus, shared.group)
    daemon.restart_locked()
    assert sso.fail(LOCKED_OR_TIMED_OUT, "group copy", "--from", sso.group, "--to", shared.group) == "groupLocked"
    daemon.restart()
    assert len(shared.accounts()) == 1
    assert snapshot(bus, shared.group) == before
    copy()


@pytest.mark.parametrize("is_first", [True, False], ids=["first", "second"])
def test_a_group_that_nothing_opens_is_named_in_the_remedy(sso, shared, bus, is_first):
    for each in (sso, shared):
        each.take(signed_in()[0])
    lost = sso if is_first else shared
    lost.do("group lock")
    for key in search(bus, kind="group-key", group=lost.group):
        key.delete()
    failed = sso.run("group copy", "--from", sso.group, "--to", shared.group)
    assert failed.status == UNRECOVERABLE
    assert f"group reset --group {lost.group}" in failed.stderr.replace("=", " "), failed
