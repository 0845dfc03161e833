# SPDX-License-Identifier: MIT
"""Doctor: all is well where all is well, and for each set-up that is broken it names what mends it."""

import json
import os
import re
import shlex
import subprocess
from contextlib import contextmanager

import pytest

from broken_setups import GROUP, IN_GROUP, PERSON, SETUPS, login_collection, second_collection
from desktop_session import SCRIPTS, DesktopSession
from people import ADA, GRACE
from secret_items import group_collection, group_collections, search
from sso_cache import TOKEN_MARK, USAGE
from unified_cache import CLIENT, access_token, cache_of, signed_in

# The checks of every diagnosis, and those of every group that there is.
SESSION_CHECKS = {
    "sandbox", "bus", "activation", "provider", "encryption", "groups", "login", "default-collection",
    "runtime-directory", "leases", "round-trip", "manifest", "clock",
}
GROUP_CHECKS = {
    "group-lock", "group-collection", "group-marker", "group-placement", "group-key", "group-duplicates",
    "group-entries", "group-tokens", "group-wipe",
}


@pytest.fixture(scope="session")
def person(tmp_path_factory):
    """Who types passwords into gnome-keyring's dialogs."""
    program = tmp_path_factory.mktemp("person") / "person"
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "gcr-base-3"], check=True, capture_output=True)
    subprocess.run(
        ["cc", "-DGCR_API_SUBJECT_TO_CHANGE", "-o", program, SCRIPTS / "mock-prompter.c",
         *shlex.split(flags.stdout.decode())], check=True)
    return program


@contextmanager
def small_disk(folder):
    """A disk of a megabyte, where only root can mount one."""
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    subprocess.run([*prefix, "mount", "-t", "tmpfs", "-o", f"size=1m,mode=700,uid={os.geteuid()}", "tmpfs", folder],
                   check=True)
    try:
        yield
    finally:
        subprocess.run([*prefix, "umount", "--lazy", folder], check=True)


@contextmanager
def session_of(tool, *options, **variables):
    session = DesktopSession(tool, *options, **variables)
    try:
        yield session
    finally:
        session.end()


@pytest.fixture
def healthy(tool):
    with session_of(tool) as session:
        yield session


# Where all is well.


@pytest.mark.every_provider
def test_on_a_fresh_machine_all_is_well_and_nothing_is_made(healthy):
    diagnosis = healthy.doctor()
    assert (diagnosis.status, diagnosis.exit_status, diagnosis.amiss) == ("ok", 0, {})
    assert set(diagnosis.checks) == SESSION_CHECKS
    assert json.loads(healthy.sso("groups", "--json").stdout) == {"groups": []}


@pytest.mark.every_provider
def test_a_group_that_is_used_is_well_also_after_a_new_login(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP, "--publisher=contoso")
    healthy.sign_in(signed_in()[0])
    names = {f"{name}:{group}" for name in GROUP_CHECKS
             for group in (f"contoso.{GROUP}", "com.microsoft.adalcache")}
    for _ in range(2):
        diagnosis = healthy.doctor()
        assert (diagnosis.status, diagnosis.amiss) == ("ok", {})
        assert set(diagnosis.checks) == SESSION_CHECKS | names
        healthy.keyring("restart")


def test_a_group_that_is_named_is_the_only_one_that_is_looked_at(healthy):
    healthy.sign_in(signed_in()[0])
    diagnosis = healthy.doctor(IN_GROUP)
    assert diagnosis.status == "ok"
    assert [name for name in diagnosis.checks if ":" in name] == [f"group-lock:{GROUP}"]


def test_the_provider_and_its_version_are_named(healthy):
    version = subprocess.run(["gnome-keyring-daemon", "--version"], capture_output=True, text=True, check=True)
    number = re.search(r"\d[\d.]+", version.stdout)[0]
    assert f"gnome-keyring {number}" in healthy.doctor().checks["provider"]["detail"]


def test_who_removed_the_accounts_is_said(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.sso("sign-out", "--whole-group", "--yes", IN_GROUP)
    assert "removed all accounts" in healthy.doctor().checks[f"group-wipe:{GROUP}"]["detail"]


def test_people_see_a_line_for_each_check_and_what_it_comes_to(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    text = healthy.sso("doctor").stdout.decode()
    for name in SESSION_CHECKS | GROUP_CHECKS:
        assert re.search(rf"^✓ {name} +\S", text, re.MULTILINE), name
    assert f"\nGroup {GROUP}\n" in text and text.endswith("\nAll is well.\n")


# Where something is broken.


@pytest.mark.parametrize("name", SETUPS)
def test_what_is_broken_is_named_and_its_remedy_mends_it(name, tool, request, tmp_path):
    setup = SETUPS[name]
    variables = {}
    if PERSON in setup.options:
        variables["SSC_PERSON"] = str(request.getfixturevalue("person"))
    with session_of(tool, **variables) as session, disk_of(setup, session):
        if setup.signed_in:
            session.sign_in(signed_in()[0], IN_GROUP)
        assert session.doctor().status == "ok"

        setup.make(session)
        diagnosis = session.doctor()
        check = diagnosis.checks[setup.check]
        assert check["status"] == setup.status, diagnosis.amiss
        assert re.fullmatch(setup.remedy, check["remedy"]), check
        assert diagnosis.exit_status == setup.exit_status, diagnosis.amiss
        assert diagnosis.status == setup.status, diagnosis.amiss

        setup.follow(session, check["remedy"])
        mended = session.doctor()
        assert (mended.status, mended.amiss) == ("ok", {})
        if setup.keeps_account:
            assert names_of(session) == [ADA.username]


@contextmanager
def disk_of(setup, session):
    if "small disk" not in setup.options:
        yield
        return
    session.keyring("stop")
    with small_disk(session.data / "keyrings"):
        session.keyring("start")
        yield
        session.keyring("stop")


def test_people_see_what_is_amiss_and_below_it_what_mends_it(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    SETUPS["a stopped daemon"].make(healthy)
    done = subprocess.run(
        [healthy.programs / "sso-cache", "doctor"], env=healthy.environment, capture_output=True, text=True,
        timeout=30)
    assert done.returncode == 75 and done.stderr == ""
    assert re.search(r"^✗ provider .*stopped.*\n    → kill -CONT \d+$", done.stdout, re.MULTILINE)
    assert re.search(r"^- login +Not looked at: .*$", done.stdout, re.MULTILINE)
    healthy.keyring("thaw")


# Mending.


def test_nothing_is_mended_without_a_word(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    SETUPS["a lost marker"].make(healthy)
    for options in (["--fix"], ["--fix", "--json"]):
        done = subprocess.run(
            [healthy.programs / "sso-cache", "doctor", *options], env=healthy.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (USAGE, "")
    assert healthy.doctor().status == "error"
    with pytest.raises(AssertionError):
        healthy.follow("sso-cache doctor --fix", typed=b"n\n")
    assert healthy.doctor().status == "error"
    assert healthy.doctor("--fix", "--yes").status == "ok"


def test_several_things_are_mended_at_once(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    for name in ("items that are there twice", "empty items", "a lost password of an open group"):
        SETUPS[name].make(healthy)
    assert len(healthy.doctor().amiss) == 3
    mended = healthy.doctor("--fix", "--yes")
    assert (mended.status, mended.amiss) == ("ok", {})
    healthy.keyring("restart")
    assert healthy.doctor().status == "ok"


def test_copies_of_which_none_is_the_newer_one_are_left_alone(healthy):
    token = access_token("mail.read")
    healthy.sign_in(cache_of(token), IN_GROUP)
    with healthy.bus() as bus:
        [item] = search(bus, kind="credentials", group=GROUP)
        other = item.get_secret().replace(token["secret"].encode(), f"{TOKEN_MARK}-other".encode())
        group_collection(bus, GROUP).create_item("Copy", item.get_attributes(), other)
    before = healthy.doctor()
    assert list(before.amiss) == [f"group-duplicates:{GROUP}"]
    assert list(healthy.doctor("--fix", "--yes").amiss) == list(before.amiss)
    with healthy.bus() as bus:
        assert len(search(bus, kind="credentials", group=GROUP)) == 2


@pytest.mark.parametrize("other", ["another content of the same age", "one that can't be read"])
def test_no_copy_in_another_collection_is_removed_that_may_be_the_only_one(healthy, other):
    token = access_token("mail.read")
    healthy.sign_in(cache_of(token), IN_GROUP)
    with healthy.bus() as bus:
        [item] = search(bus, kind="credentials", group=GROUP)
        content = item.get_secret()
        differing = content.replace(token["secret"].encode(), f"{TOKEN_MARK}-other".encode())
        attributes = item.get_attributes()
        login_collection(bus).create_item("Copy", attributes, differing)
        if other == "one that can't be read":
            item.set_secret(b"{" + content)
    healthy.doctor("--fix", "--yes")
    with healthy.bus() as bus:
        left = {bytes(item.get_secret()) for item in search(bus, kind="credentials", group=GROUP)}
    assert left == {differing, content if other != "one that can't be read" else b"{" + content}


def test_another_publishers_group_of_the_name_is_none_of_ours(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP, "--publisher=contoso")
    [group] = [group for group in json.loads(healthy.sso("groups", "--json").stdout)["groups"]
               if group["publisher"] == "contoso"]
    unpublished = healthy.doctor("--group", GROUP)
    assert not [name for name, check in unpublished.checks.items() if check["status"] == "error"]
    healthy.doctor("--group", GROUP, "--fix", "--yes")
    assert healthy.doctor("--group", GROUP, "--publisher", "contoso").status == "ok"
    after = json.loads(healthy.sso("groups", "--json").stdout)["groups"]
    assert group in after and not [other for other in after if other["publisher"] == "" and other["name"] == GROUP]


def test_of_several_locked_collections_the_one_that_opens_is_found(healthy):
    """As the repair of a lost password leaves them that was cut short: the old one has no password any more."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    graces, token = signed_in(person=GRACE)
    second_collection(healthy, between=lambda: healthy.sign_in(graces, IN_GROUP))
    with healthy.bus() as bus:
        [old] = search(bus, kind="group-key", group=GROUP, keyring=f"LOCAL:/keyrings/{GROUP}.keyring")
        old.delete()
    healthy.keyring("restart")
    done = healthy.sso(
        "token", "--client-id", CLIENT, "--account", GRACE.identifier, "--scope", "mail.read", "--json", IN_GROUP)
    assert json.loads(done.stdout)["access_token"] == token


def test_accounts_of_both_collections_are_there_when_they_are_joined(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    second_collection(healthy, between=lambda: healthy.sign_in(signed_in(person=GRACE)[0], IN_GROUP))
    assert healthy.doctor().amiss.keys() == {f"group-collection:{GROUP}"}
    assert healthy.doctor("--fix", "--yes").status == "ok"
    with healthy.bus() as bus:
        assert len(group_collections(bus, GROUP)) == 1
        assert len(search(bus, kind="group-key", group=GROUP)) == 1
    healthy.keyring("restart")
    assert names_of(healthy) == sorted([ADA.username, GRACE.username])


def test_a_group_whose_password_was_lost_opens_after_the_next_login(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    SETUPS["a lost password of an open group"].make(healthy)
    assert healthy.doctor("--fix", "--yes").status == "ok"
    with healthy.bus() as bus:
        assert len(group_collections(bus, GROUP)) == 1
    healthy.keyring("restart")
    assert names_of(healthy) == [ADA.username]


def test_a_password_that_gnome_keyring_remembers_itself_will_do(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    with healthy.bus() as bus:
        [key] = search(bus, kind="group-key", group=GROUP)
        attributes, password = {"keyring": key.get_attributes()["keyring"]}, key.get_secret()
        key.delete()
        login_collection(bus).create_item("Unlock password", attributes, password)
    assert healthy.doctor().status == "ok"
    healthy.keyring("restart")
    assert healthy.doctor().status == "ok" and names_of(healthy) == [ADA.username]


def names_of(session):
    accounts = json.loads(session.sso("accounts", IN_GROUP, "--json").stdout)["accounts"]
    return sorted(account["username"] for account in accounts)


# Entitlements.


def test_the_groups_of_an_app_are_those_of_its_entitlements(healthy, save):
    plist = ("<plist version='1.0'><dict><key>application-identifier</key><string>contoso.com.contoso.mail</string>"
             f"<key>keychain-access-groups</key><array><string>contoso.{GROUP}</string></array></dict></plist>")
    diagnosis = healthy.doctor("--entitlements", save(plist, "mail.plist"))
    assert diagnosis.status == "ok" and f"group-lock:contoso.{GROUP}" in diagnosis.checks
    broken = healthy.doctor("--entitlements", save("<plist>", "broken.plist"))
    assert broken.exit_status == 65 and "apps init" in broken.checks["entitlements"]["remedy"]
