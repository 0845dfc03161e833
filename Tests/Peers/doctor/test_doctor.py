# SPDX-License-Identifier: MIT
"""Doctor: a healthy session passes, and each broken set-up is reported with its remedy."""

import fcntl
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import secretstorage

from broken_setups import (
    AS_A_USER, GROUP, IN_GROUP, KEEPASSXC, OTHER_USER, PERSON, SETUPS, SUDO, again_as_a_user, at_a_terminal, by_a_backup,
    a_link, attribute_closes, change_owner, closed, cut_short, damaged, data_folder, dead_bus, earlier_login, emptied,
    full_disk, install, keepassxc_beside_the_files, keyring_file, lock_folder, login_collection, login_deleted, manifest,
    mode_closes, mounted_read_only, of_another_version, renamed, second_collection, start_as_a_user, wait_until,
    without_password, without_the_logins_directory,
)
from desktop_session import PASSWORD, session_of
from keyrings import LOGIN, Keyrings
from people import ADA, GRACE
from repository import SCRIPTS
from secret_items import group_collection, group_collections, store_item, search
from silent_disk import silent_disk
from small_disk import small_disk
from sso_cache import CANCELLED, DONE, LOCKED_OR_TIMED_OUT, STORAGE_OR_NETWORK, TOKEN_MARK, USAGE
from terminal import Terminal
from unified_cache import CLIENT, access_token, cache_of, signed_in

# The checks of every diagnosis, and those of every existing group.
SESSION_CHECKS = {
    "sandbox", "bus", "activation", "provider", "second-daemon", "agent", "broker", "encryption", "groups",
    "login", "default-collection", "runtime-directory", "leases", "round-trip", "manifest", "clock",
}
GROUP_CHECKS = {
    "group-lock", "group-collection", "group-marker", "group-placement", "group-key", "group-duplicates",
    "group-entries", "group-tokens", "group-wipe",
}


@pytest.fixture(scope="session")
def person(tmp_path_factory):
    """The prompter that types passwords into gnome-keyring's dialogs."""
    program = tmp_path_factory.mktemp("person") / "person"
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "gcr-base-3"], check=True, capture_output=True)
    subprocess.run(
        ["cc", "-DGCR_API_SUBJECT_TO_CHANGE", "-o", program, SCRIPTS / "mocks/mock-prompter.c",
         *shlex.split(flags.stdout.decode())], check=True)
    return program


# Healthy sessions.


@pytest.mark.every_provider
def test_a_new_machine_passes_all_checks_and_doctor_creates_nothing(healthy):
    diagnosis = healthy.doctor()
    assert (diagnosis.status, diagnosis.exit_status, diagnosis.failing_checks) == ("ok", 0, {})
    assert set(diagnosis.checks) == SESSION_CHECKS
    assert json.loads(healthy.sso("groups", "--json").stdout) == {"groups": []}


@pytest.mark.every_provider
def test_a_used_group_passes_also_after_a_new_login(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP, "--publisher=contoso")
    healthy.sign_in(signed_in()[0])
    names = {f"{name}:{group}" for name in GROUP_CHECKS
             for group in (f"contoso.{GROUP}", "com.microsoft.adalcache")}
    for _ in range(2):
        diagnosis = healthy.doctor()
        assert (diagnosis.status, diagnosis.failing_checks) == ("ok", {})
        assert set(diagnosis.checks) == SESSION_CHECKS | names
        healthy.keyring("restart")


def test_only_the_named_group_is_checked(healthy):
    healthy.sign_in(signed_in()[0])
    diagnosis = healthy.doctor(IN_GROUP)
    assert diagnosis.status == "ok"
    assert [name for name in diagnosis.checks if ":" in name] == [f"group-lock:{GROUP}"]


def test_the_provider_and_its_version_are_named(healthy):
    version = subprocess.run(["gnome-keyring-daemon", "--version"], capture_output=True, text=True, check=True)
    number = re.search(r"\d[\d.]+", version.stdout)[0]
    assert f"gnome-keyring {number}" in healthy.doctor().checks["provider"]["detail"]


def test_doctor_states_who_signed_an_account_out_everywhere(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    assert healthy.doctor().checks[f"group-wipe:{GROUP}"]["detail"].startswith("No app has recorded a removal")
    healthy.sso("sign-out", "--account", ADA.username, "--everywhere", "--yes", IN_GROUP)
    detail = healthy.doctor().checks[f"group-wipe:{GROUP}"]["detail"]
    assert re.fullmatch(r"sso-cache signed 1 account out, last on \S+Z\.", detail)


def test_doctor_states_who_removed_the_accounts(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.sso("sign-out", "--whole-group", "--yes", IN_GROUP)
    assert "removed all accounts" in healthy.doctor().checks[f"group-wipe:{GROUP}"]["detail"]


def test_the_text_output_has_a_line_for_each_check_and_a_summary(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    text = healthy.sso("doctor").stdout.decode()
    for name in SESSION_CHECKS | GROUP_CHECKS:
        assert re.search(rf"^✓ {name} +\S", text, re.MULTILINE), name
    assert f"\nGroup {GROUP}\n" in text and text.endswith("\nAll is well.\n")


def test_a_terminal_of_a_classic_snap_shares_the_locks_of_the_login(healthy):
    """Its programs have the editor's variables, and the login's bus and runtime directory."""
    healthy.environment |= {"SNAP": "/snap/code/1", "SNAP_NAME": "code", "SNAP_INSTANCE_NAME": "code"}
    healthy.sign_in(signed_in()[0], IN_GROUP)
    diagnosis = healthy.doctor()
    assert (diagnosis.status, diagnosis.failing_checks) == ("ok", {})


def test_a_login_keyring_with_an_empty_password_opens_without_a_dialog(healthy):
    with healthy.bus() as bus:
        Keyrings(bus).change(LOGIN, PASSWORD.decode(), "")
    healthy.sign_in(signed_in()[0], IN_GROUP)
    for _ in range(2):
        healthy.keyring("restart", "--locked")
        assert names_of(healthy) == [ADA.username]
        diagnosis = healthy.doctor()
        assert (diagnosis.status, diagnosis.failing_checks) == ("ok", {})
        healthy.sign_in(signed_in()[0], IN_GROUP)


def test_a_plain_login_keyring_whose_lines_end_with_cr_and_lf_is_no_problem(healthy):
    """As an editor of another system writes it; the daemon reads it."""
    with healthy.bus() as bus:
        Keyrings(bus).change(LOGIN, PASSWORD.decode(), "")
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.keyring("stop")
    file = keyring_file(healthy, "login")
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    for _ in range(2):
        healthy.keyring("restart", "--locked")
        assert names_of(healthy) == [ADA.username]
        diagnosis = healthy.doctor()
        assert (diagnosis.status, diagnosis.failing_checks) == ("ok", {})


def test_the_files_of_two_groups_that_are_exchanged_are_no_problem(healthy):
    """A keyring's label and its marker are in its file, and its password opens it under any name."""
    other = "com.contoso.other"
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.sign_in(signed_in(person=GRACE)[0], f"--group={other}")
    healthy.keyring("stop")
    files = keyring_file(healthy), keyring_file(healthy, other)
    for file, content in zip(files, [file.read_bytes() for file in reversed(files)]):
        file.write_bytes(content)
    for _ in range(2):
        healthy.keyring("restart")
        assert healthy.doctor().failing_checks == {}
        assert names_of(healthy) == [ADA.username]
        healthy.sign_in(signed_in()[0], IN_GROUP)
    assert healthy.doctor(f"--group={other}").failing_checks == {}


@pytest.mark.parametrize("name", ["Work", "com.contoso.other"], ids=["any name", "the name of another group"])
def test_a_renamed_keyring_is_no_problem_and_nothing_to_delete(healthy, name):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.sign_in(signed_in(person=GRACE)[0], "--group=com.contoso.other")
    renamed(healthy, name)
    for _ in range(2):
        assert healthy.doctor().failing_checks == {}
        assert healthy.doctor("--group", name).failing_checks == {}
        assert names_of(healthy) == [ADA.username]
        healthy.sign_in(signed_in()[0], IN_GROUP)
        healthy.keyring("restart")


def test_the_help_states_the_exit_statuses(tool):
    """Names that are not allowed and --fix that was interrupted are no setups."""
    said = subprocess.run([tool, "help", "doctor"], capture_output=True, text=True, check=True).stdout
    statuses = " ".join(said.partition("Exit status:")[2].partition("Examples:")[0].split())
    of_setups = {setup.exit_status for setup in SETUPS.values()}
    assert {int(each) for each in re.findall(r"\b\d+\b", statuses)} == of_setups | {USAGE, CANCELLED}


def test_a_locked_default_keyring_that_no_group_needs_is_no_problem(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    with healthy.bus() as bus:
        other = Keyrings(bus).make("Default keyring", "other")
        Keyrings(bus).set_default(other.collection_path)
        other.lock()
    diagnosis = healthy.doctor()
    assert (diagnosis.status, diagnosis.failing_checks) == ("ok", {})
    assert "Default keyring, which is locked" in diagnosis.checks["default-collection"]["detail"]
    assert names_of(healthy) == [ADA.username]
    healthy.sign_in(signed_in(person=GRACE)[0], "--group=com.contoso.other")


def test_a_bus_that_refuses_to_read_properties_keeps_no_tokens_back(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    # As in a sandbox, where no file tells whether the login keyring has a password.
    healthy.environment["XDG_DATA_HOME"] = str(healthy.folder / "sandbox")
    healthy.set_policy(refused=True, interface="org.freedesktop.DBus.Properties", member="Get")
    done = healthy.sso("token", IN_GROUP, "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read")
    assert TOKEN_MARK.encode() in done.stdout


def test_a_keyrings_file_with_another_name_is_neither_gone_nor_without_password(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.keyring("stop")
    keyring_file(healthy).rename(keyring_file(healthy, "shared"))
    for _ in range(2):
        healthy.keyring("restart")
        assert names_of(healthy) == [ADA.username]
        assert healthy.doctor().failing_checks == {}
        healthy.sign_in(signed_in()[0], IN_GROUP)


def test_where_nobody_knows_the_login_keyrings_password_the_advice_leads_to_a_new_one(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.keyring("restart", "--locked")
    terminal = Terminal(["sso-cache", "group", "unlock", "--prompt"], healthy.environment)
    terminal.enters("login keyring", "wrong\n")
    _, screen = terminal.end()
    healthy.follow(re.search(r"mv \S+/login\.keyring \S+/login\.keyring\.aside", " ".join(screen.split()))[0])
    healthy.keyring("restart")
    assert "group reset" in healthy.doctor().checks[f"group-lock:{GROUP}"]["remedy"]
    healthy.sso("group", "reset", "--yes", IN_GROUP)
    healthy.sign_in(signed_in(person=GRACE)[0], IN_GROUP)
    assert names_of(healthy) == [GRACE.username] and healthy.doctor().failing_checks == {}


@pytest.mark.parametrize("exists", [True, False], ids=["locked", "deleted"])
def test_group_unlock_asks_on_the_terminal_where_there_is_no_display(healthy, exists):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    if exists:
        healthy.keyring("restart", "--locked")
    else:
        login_deleted(healthy)
    right = PASSWORD.decode()
    for typed, expected in ((["wrong"], LOCKED_OR_TIMED_OUT), ([right], 0)) if exists else (
            ([right, "other"], USAGE), ([right, right], 0)):
        terminal = Terminal(["sso-cache", "group", "unlock", "--prompt"], healthy.environment)
        for question, password in zip(["login keyring", "Once more: "], typed):
            terminal.enters(question, password + "\n")
        status, screen = terminal.end()
        assert status == expected, screen
        assert ("If nobody knows it, put a backup of" in screen) == (typed == ["wrong"]), screen
        with healthy.bus() as bus:
            assert (LOGIN in [path.collection_path for path in secretstorage.get_all_collections(bus)]) == (
                exists or status == 0)
    assert names_of(healthy) == [ADA.username]


def test_group_unlock_asks_on_the_terminal_for_a_backup_of_the_login_keyring(healthy):
    """As doctor says it: the login keyring is open, and another keyring has the group's password."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    with healthy.bus() as bus:
        # Any program can give a keyring a label that a terminal interprets.
        login_collection(bus).set_label("Login\x1b[2J")
    earlier_login(healthy)
    healthy.hide_display()
    check = healthy.doctor().checks[f"group-lock:{GROUP}"]
    for typed, expected in (("wrong", LOCKED_OR_TIMED_OUT), (PASSWORD.decode(), 0)):
        terminal = Terminal(["bash", "-c", check["remedy"]], healthy.environment)
        terminal.enters("login_1.keyring): ", typed + "\n")
        status, screen = terminal.end()
        assert (status, "login keyring:" in screen) == (expected, False), screen
        assert "\x1b" not in terminal.history
    assert names_of(healthy) == [ADA.username]
    healthy.sso("doctor", "--fix", "--yes", IN_GROUP)
    healthy.keyring("restart")
    assert names_of(healthy) == [ADA.username]
    assert healthy.doctor().failing_checks == {}


def test_group_unlock_without_a_group_asks_on_the_terminal_for_a_backup_of_the_login_keyring(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    earlier_login(healthy)
    healthy.hide_display()
    terminal = Terminal(["sso-cache", "group", "unlock", "--prompt"], healthy.environment)
    terminal.enters("login_1.keyring): ", PASSWORD.decode() + "\n")
    status, screen = terminal.end()
    assert status == 0, screen
    healthy.sso("doctor", "--fix", "--yes")
    healthy.keyring("restart")
    assert names_of(healthy) == [ADA.username]
    # The backup stays, and nobody needs it any more.
    terminal = Terminal(["sso-cache", "group", "unlock", "--prompt"], healthy.environment)
    status, screen = terminal.end()
    assert (status, "assword" in screen) == (0, False), screen
    assert healthy.doctor().failing_checks == {}


@pytest.mark.parametrize("typed", ["wrong", ""])
def test_group_unlock_without_a_group_opens_the_others_where_a_password_is_wrong(healthy, typed):
    other = "com.contoso.other"
    healthy.sign_in(signed_in()[0], IN_GROUP)
    earlier_login(healthy)
    healthy.sign_in(signed_in(person=GRACE)[0], f"--group={other}")
    healthy.sso("group", "lock", f"--group={other}")
    with healthy.bus() as bus:
        # Another program's, whose items are of the same kind by chance.
        foreign = Keyrings(bus).make("Foreign", "other")
        foreign.create_item("Key", {"kind": "group-key"}, b"s3cr3t")
        foreign.lock()
    healthy.hide_display()
    terminal = Terminal(["sso-cache", "group", "unlock", "--prompt"], healthy.environment)
    terminal.enters("login_1.keyring): ", f"{typed}\n")
    status, screen = terminal.end()
    assert status == LOCKED_OR_TIMED_OUT, screen
    assert "login_1.keyring)" in screen and f"The collection {GROUP} is still locked" in screen
    assert "Foreign" not in screen
    with healthy.bus() as bus:
        assert not group_collection(bus, other).is_locked()


def test_group_unlock_asks_on_the_terminal_for_a_groups_own_password(healthy):
    """The remedy of a lost password, which a person knows who chose it."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    with healthy.bus() as bus:
        [key] = search(bus, kind="group-key", group=GROUP)
        password = key.get_secret().decode()
        key.delete()
        group_collection(bus, GROUP).lock()
    remedy = re.search("run (sso-cache group unlock [^;]*);", healthy.doctor().checks[f"group-lock:{GROUP}"]["remedy"])[1]
    terminal = Terminal(["bash", "-c", remedy], healthy.environment)
    terminal.enters(f"{GROUP}.keyring): ", password + "\n")
    status, screen = terminal.end()
    assert status == 0, screen
    assert names_of(healthy) == [ADA.username]


def test_ctrl_c_at_the_question_for_a_keyrings_password_ends_group_unlock_and_keeps_the_echo(healthy):
    healthy.keyring("restart", "--locked")
    terminal = Terminal(["sso-cache", "group", "unlock", "--prompt"], healthy.environment)
    terminal.enters("login keyring: ", "\x03")
    status, screen = terminal.end()
    assert status == CANCELLED, screen


def test_group_unlock_asks_for_no_password_where_nothing_is_locked(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.hide_display()
    for options in ((), (IN_GROUP,)):
        terminal = Terminal(["sso-cache", "group", "unlock", "--prompt", *options], healthy.environment)
        status, screen = terminal.end()
        assert (status, "assword" in screen) == (0, False), screen


@pytest.mark.parametrize("mask", ["0777", "0277", "0177"])
@pytest.mark.parametrize("folder", ["runtime", "home"])
def test_an_app_whose_umask_takes_the_owners_rights_closes_the_locks_to_nobody(healthy, mask, folder):
    if folder == "home":
        healthy.environment.pop("XDG_RUNTIME_DIR")
    healthy.prefix = [*AS_A_USER, "bash", "-c", 'umask "$0" && exec "$@"', mask]
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.prefix = AS_A_USER
    healthy.sign_in(signed_in(person=GRACE)[0], IN_GROUP)
    assert names_of(healthy) == [ADA.username, GRACE.username]
    assert not [check for check in healthy.doctor().failing_checks.values() if check["status"] == "error"]


def test_a_daemon_that_nixos_has_wrapped_is_known_as_gnome_keyring_and_destroys_no_restored_file(healthy):
    """Its process has the name .gnome-keyring-daemon-wrapped, which the kernel truncates."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.keyring("stop")
    file = keyring_file(healthy, "login")
    backup = file.read_bytes()
    file.unlink()
    wrapped = healthy.folder / ".gnome-keyring-daemon-wrapped"
    shutil.copy(shutil.which("gnome-keyring-daemon"), wrapped)
    daemon = healthy.start(wrapped, "--foreground", "--unlock", "--components=secrets", stdin=subprocess.PIPE)
    daemon.stdin.write(PASSWORD)
    daemon.stdin.close()
    wait_until(file.exists)
    time.sleep(1.2)
    file.write_bytes(backup)
    diagnosis = healthy.doctor()
    assert diagnosis.checks["provider"]["detail"].startswith("gnome-keyring ")
    assert diagnosis.failing_checks["round-trip"]["remedy"].startswith("Before anything is saved, log out and in again:")
    assert file.read_bytes() == backup
    healthy.end_last()
    healthy.keyring("start")
    assert names_of(healthy) == [ADA.username]


# Broken set-ups.


# Who types passwords is built with a library that Scripts/test installs with --all, and so is KeePassXC.
@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[pytest.mark.everything] if {PERSON, KEEPASSXC} & set(setup.options) else [])
    for name, setup in SETUPS.items()
])
def test_a_broken_setup_is_named_and_its_remedy_repairs_it(name, tool, request, tmp_path):
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
        assert check["status"] == setup.status, diagnosis.failing_checks
        assert re.fullmatch(setup.remedy, check["remedy"]), check
        assert re.search(setup.detail, check["detail"]), check
        assert diagnosis.exit_status == setup.exit_status, diagnosis.failing_checks
        assert diagnosis.status == setup.status, diagnosis.failing_checks

        setup.follow(session, check["remedy"])
        repaired = session.doctor()
        assert (repaired.status, repaired.failing_checks) == ("ok", {})
        if setup.keeps_account:
            assert names_of(session) == [ADA.username]


def beside_anothers_note(collection):
    collection.create_item("Note", {"note": "1"}, b"milk")


def of_a_later_revision(collection):
    [item] = [item for item in collection.get_all_items() if item.get_attributes()["kind"] == "credentials"]
    item.set_secret(item.get_secret().replace(b'"revision":1', b'"revision":9'), "application/json")


@pytest.mark.parametrize("change", [beside_anothers_note, of_a_later_revision])
def test_a_keyring_without_password_that_has_more_than_copies_is_kept_and_named(healthy, change):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    without_password(healthy)
    with healthy.bus() as bus:
        plain = group_collection(bus, GROUP)
    healthy.sign_in(signed_in()[0], IN_GROUP)
    with healthy.bus() as bus:
        change(secretstorage.Collection(bus, plain.collection_path))
    for _ in range(2):
        healthy.sso("doctor", "--fix", "--yes", IN_GROUP)
        check = healthy.doctor().failing_checks[f"group-collection:{GROUP}"]
        assert f"{GROUP}.keyring is not encrypted" in check["detail"] and "if it has nothing of others" in check["remedy"]
        assert keyring_file(healthy).read_bytes().startswith(b"[keyring]")
        assert names_of(healthy) == [ADA.username]
        healthy.keyring("restart")


@pytest.mark.parametrize("close", [attribute_closes, mode_closes, mounted_read_only(data_folder)],
                         ids=["attribute", "mode", "disk"])
def test_a_folder_into_which_the_daemon_cannot_write_is_the_only_cause(healthy, close):
    """The group is open, and is read as apps read it."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    if close is mode_closes:
        healthy.keyring("stop")
        start_as_a_user(healthy)
    close(healthy)
    diagnosis = healthy.doctor()
    subprocess.run([*SUDO, "chattr", "-i", healthy.data / "keyrings"], check=False)
    assert set(diagnosis.failing_checks) - {"login"} == {"round-trip"}, diagnosis.failing_checks
    assert len({check["remedy"] for check in diagnosis.failing_checks.values()}) == 1, diagnosis.failing_checks
    assert not [check for check in diagnosis.checks.values() if check["detail"].startswith("Skipped")]


@pytest.mark.parametrize("change", [cut_short, closed, emptied, of_another_version])
def test_no_reset_is_named_while_a_login_brings_the_login_keyring_back(healthy, change):
    """The daemon could not read the file when it started, made another one, and keeps that."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    damaged(change, "login")(healthy)
    file = keyring_file(healthy, "login")
    file.chmod(0o600)
    file.write_bytes((healthy.folder / "backup").read_bytes())
    found = healthy.doctor().failing_checks
    assert found["login"]["remedy"].endswith("then log out and in again.")
    assert not [check for check in found.values() if "reset" in check["remedy"]], found
    reset = subprocess.run([*healthy.prefix, healthy.programs / "sso-cache", "group", "reset", IN_GROUP, "--yes"],
                           env=healthy.environment, check=False, capture_output=True, timeout=60)
    # The daemon may have read the file again, and then asks for its password.
    assert reset.returncode in (STORAGE_OR_NETWORK, LOCKED_OR_TIMED_OUT), reset
    again_as_a_user(healthy)
    assert names_of(healthy) == [ADA.username]
    assert healthy.doctor().failing_checks == {}


@pytest.mark.parametrize("name", ["login", GROUP])
def test_doctor_leaves_a_keyring_that_is_a_link_to_its_remedy(healthy, name):
    """A test of a password has the daemon write the file; and a remedy may be followed after a save has replaced it."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    a_link(name)(healthy)
    file = keyring_file(healthy, name)
    diagnosis = healthy.doctor()
    assert set(diagnosis.failing_checks) == {"round-trip"}
    assert file.is_symlink()
    assert diagnosis.checks[f"group-lock:{GROUP}"]["detail"].startswith("Skipped: a keyring's file is a link")
    healthy.sign_in(signed_in(person=GRACE)[0], IN_GROUP)
    healthy.sign_in(signed_in()[0], "--group=com.contoso.other")
    assert not file.is_symlink()
    remedy = diagnosis.failing_checks["round-trip"]["remedy"]
    assert subprocess.run(["bash", "-c", remedy], check=False, timeout=60).returncode == 1
    healthy.keyring("restart")
    left = healthy.doctor().failing_checks
    assert set(left) == {"round-trip"} and re.search(r"has \d{5} links that the keyring daemon left", left["round-trip"]["detail"])
    healthy.follow(left["round-trip"]["remedy"])
    assert healthy.doctor().failing_checks == {}
    assert names_of(healthy) == [ADA.username, GRACE.username]
    assert names_of(healthy, "com.contoso.other") == [ADA.username]


def test_another_programs_keyring_that_its_attribute_closes_is_no_problem(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    with healthy.bus() as bus:
        Keyrings(bus).make("Travel", "other")
    file = keyring_file(healthy, "Travel")
    subprocess.run([*SUDO, "chattr", "+i", file], check=True)
    try:
        assert healthy.doctor().failing_checks == {}
    finally:
        subprocess.run([*SUDO, "chattr", "-i", file], check=True)


@pytest.mark.parametrize("deleted, command", [
    ("keyrings", r"mkdir -m 700 \S+/keyrings"), ("", r"mkdir -p -m 700 \S+/share/keyrings"),
    ("..", r"mkdir -p -m 700 \S+/\.local/share/keyrings"),
    ("../..", r"sudo install -d -m 700 -o \d+ \S+/home && mkdir -p -m 700 \S+/\.local/share/keyrings"),
])
def test_what_the_daemon_holds_still_of_a_deleted_folder_is_written_again(tool, deleted, command):
    # The daemon drops the keyrings whose files it has seen. It looks at the folder again when the folder's time has
    # changed, in seconds: it doesn't see files of the second in which it looked last.
    for _ in range(20):
        with session_of(tool) as session:
            session.sign_in(signed_in()[0], IN_GROUP)
            folder = (session.data / deleted).resolve()
            if deleted == "../..":
                # As /home is.
                change_owner(session.folder)
                subprocess.run([*SUDO, "chmod", "755", session.folder], check=True)
                session.prefix = AS_A_USER
            shutil.rmtree(folder.rename(session.folder / "deleted"))
            checks = session.doctor().failing_checks
            if "login" in checks:
                continue
            remedy = checks["round-trip"]["remedy"]
            assert re.fullmatch(rf"{command} && sso-cache doctor --fix", remedy), checks
            assert "don't log out" in checks["round-trip"]["detail"]
            session.follow(remedy, typed=b"y\n")
            session.keyring("restart")
            assert session.doctor().failing_checks == {} and names_of(session) == [ADA.username]
            return
    pytest.fail("the daemon dropped the keyrings each time")


@pytest.mark.parametrize("close, check, command", [
    (full_disk, "round-trip", r"Free some space on the disk of \S+"),
    (attribute_closes, "round-trip", r"sudo chattr -ia \S+/keyrings"),
    (mode_closes, "login", r"(chmod 700 \S+/keyrings), then run sso-cache doctor again before you log out\."),
], ids=["disk", "attribute", "mode"])
def test_nobody_is_told_to_log_out_while_only_the_daemon_has_the_login_keyring(tool, close, check, command):
    # The daemon drops a keyring whose file it has seen, as above.
    for _ in range(20):
        with ExitStack() as stack:
            session = stack.enter_context(session_of(tool))
            session.keyring("stop")
            if close is full_disk:
                stack.enter_context(small_disk(session.data / "keyrings"))
            for file in (session.data / "keyrings").iterdir():
                file.unlink()
            start_as_a_user(session)
            session.sign_in(signed_in()[0], IN_GROUP)
            keyring_file(session, "login").unlink()
            close(session)
            found = session.doctor().failing_checks
            is_held = "don't log out before" in found[check]["detail"] if check in found else False
            if is_held and "There is no login" not in found[check]["detail"]:
                assert not [other for other in found.values() if "log out and in again" in other["remedy"]], found
                assert (remedy := re.fullmatch(command, found[check]["remedy"])), found
                if close is full_disk:
                    (session.data / "keyrings/filler").unlink()
                else:
                    session.follow(remedy[remedy.re.groups])
                assert session.doctor().failing_checks == {}
                again_as_a_user(session)
                assert session.doctor().failing_checks == {} and names_of(session) == [ADA.username]
            elif close is attribute_closes:
                subprocess.run([*SUDO, "chattr", "-i", session.data / "keyrings"], check=True)
            session.keyring("stop")
        if is_held:
            return
    pytest.fail("the daemon dropped the login keyring each time")


def test_the_daemon_gets_the_deleted_folder_again_before_a_new_login_keyring(tool):
    """The daemon has dropped the login keyring, whose file it has seen, and holds the group still."""
    for _ in range(20):
        with session_of(tool) as session:
            # It sees the login keyring in a second after that file's, and looks no more after the second of the group's.
            time.sleep(1.2)
            names_of(session)
            time.sleep(1.01 - time.time() % 1)
            session.sign_in(signed_in()[0], IN_GROUP)
            shutil.rmtree((session.data / "keyrings").rename(session.folder / "deleted"))
            check = session.doctor().failing_checks.get("login")
            if check is None or "don't log out" not in check["detail"].lower():
                continue
            assert re.fullmatch(r"mkdir -m 700 \S+/keyrings && sso-cache group unlock --prompt", check["remedy"]), check
            session.hide_display()
            at_a_terminal(session, check["remedy"])
            assert session.doctor().failing_checks == {} and names_of(session) == [ADA.username]
            return
    pytest.fail("the daemon held the login keyring, or dropped the group, each time")


def test_a_link_to_nowhere_above_the_keyrings_is_named_while_the_daemon_runs(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.data.rename(healthy.folder / "disk")
    healthy.data.symlink_to(healthy.folder / "mounted")
    checks = healthy.doctor().failing_checks
    assert "login" in checks
    for name in {"login", "round-trip"} & set(checks):
        assert checks[name]["remedy"].startswith(f"Bring back {healthy.folder}/mounted, as by mounting its disk"), checks
    (healthy.folder / "disk").rename(healthy.folder / "mounted")
    healthy.keyring("restart")
    assert healthy.doctor().failing_checks == {} and names_of(healthy) == [ADA.username]


def test_a_runtime_directory_of_roots_is_said_to_be_roots(tool):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(tool, folder)
        prefix = []
        if os.geteuid() == 0:
            change_owner(folder)
            prefix = ["setpriv", f"--reuid={OTHER_USER}", "--clear-groups"]
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "XDG_RUNTIME_DIR": "/usr"}
        done = subprocess.run([*prefix, f"{folder}/sso-cache", "doctor", "--json"], env=environment, capture_output=True)
        checks = {check["name"]: check["detail"] for check in json.loads(done.stdout)["checks"]}
    assert "XDG_RUNTIME_DIR is /usr, a directory of root (0) and not yours" in checks["runtime-directory"]


@pytest.mark.parametrize("is_asked", [False, True], ids=["before", "at the question"])
def test_no_repair_writes_over_a_login_keyring_that_was_put_back(healthy, is_asked):
    """The daemon has another one in memory, without the group's password."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    login = keyring_file(healthy, "login")
    backup = login.read_bytes()
    with healthy.bus() as bus:
        for key in search(bus, kind="group-key", group=GROUP):
            key.delete()

    def put_back():
        # The daemon takes a file for its own whose time, in seconds, is that of its own.
        written = login.stat()
        login.write_bytes(backup)
        os.utime(login, (written.st_atime, written.st_mtime))

    if is_asked:
        terminal = Terminal(["sso-cache", "doctor", "--fix"], healthy.environment)
        terminal.shows("Do it?")
        put_back()
        terminal.types("y\n")
        status, screen = terminal.end()
        assert f"sso-cache: Not done: Move {GROUP} into a new collection" in screen
    else:
        put_back()
        diagnosis = healthy.doctor("--fix", "--yes")
        remedies = {diagnosis.checks[name]["remedy"] for name in ("round-trip", f"group-key:{GROUP}")}
        assert len(remedies) == 1 and remedies.pop().startswith("Before anything is saved, log out and in again:")
        status = diagnosis.exit_status
    assert status == STORAGE_OR_NETWORK and login.read_bytes() == backup
    healthy.keyring("restart")
    assert healthy.doctor().failing_checks == {} and names_of(healthy) == [ADA.username]


def test_a_dead_bus_says_nothing_about_the_lock_files(healthy):
    dead_bus(healthy)
    assert set(healthy.doctor().failing_checks) == {"bus"}


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


def test_the_text_output_shows_each_problem_above_its_remedy(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    SETUPS["a stopped daemon"].make(healthy)
    done = subprocess.run(
        [healthy.programs / "sso-cache", "doctor"], env=healthy.environment, capture_output=True, text=True,
        timeout=30)
    assert done.returncode == 75 and done.stderr == ""
    assert re.search(r"^✗ provider .*stopped.*\n    → kill -CONT \d+$", done.stdout, re.MULTILINE)
    assert re.search(r"^- login +Skipped: .*$", done.stdout, re.MULTILINE)
    healthy.keyring("thaw")


@pytest.mark.every_provider
def test_doctor_proposes_to_start_the_provider_that_has_the_secrets(healthy):
    provider = os.environ.get("SSC_PROVIDER", "gnome-keyring")
    healthy.sign_in(signed_in()[0], IN_GROUP)
    if provider == "keepassxc":
        # Its executable differs from the one on a desktop.
        settings = Path(healthy.environment["XDG_CONFIG_HOME"])
        shutil.copy(settings / "keepassxc.ini", settings / "keepassxc/keepassxc.ini")
    healthy.keyring("stop")
    remedy = healthy.doctor().checks["activation"]["remedy"]
    program = {"gnome-keyring": "gnome-keyring-daemon", "kwallet": "kwalletd", "keepassxc": "keepassxc"}[provider]
    assert program in remedy and ("gnome-keyring" in remedy) == (provider == "gnome-keyring")
    healthy.keyring("start")
    assert healthy.doctor().status == "ok" and names_of(healthy) == [ADA.username]


@pytest.mark.parametrize("files, program", [
    ({"data/kwalletd/kdewallet.kwl": ""}, "kwalletd5"),
    ({"config/keepassxc/keepassxc.ini": "[General]\nA=1\n\n[FdoSecrets]\nEnabled=true\n"}, "keepassxc"),
])
def test_doctor_does_not_replace_another_providers_store_by_an_empty_one(healthy, files, program):
    healthy.keyring("stop")
    (healthy.data / "keyrings/login.keyring").unlink(missing_ok=True)
    roots = {"data": healthy.data, "config": healthy.folder / "config"}
    healthy.environment["XDG_CONFIG_HOME"] = str(roots["config"])
    for name, text in files.items():
        root, _, path = name.partition("/")
        file = roots[root] / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    remedy = healthy.doctor().checks["activation"]["remedy"]
    assert program in remedy and ("gnome-keyring" in remedy) == ("gnome-keyring" in program)


# These start the real KeePassXC, which Scripts/test installs with --all.


@pytest.mark.everything
def test_a_locked_database_of_keepassxc_may_have_the_groups_of_gnome_keyrings_files(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    keepassxc_beside_the_files(healthy)
    assert healthy.doctor().checks["login"]["status"] == "warning"
    healthy.keyring("restart", "--locked")
    diagnosis = healthy.doctor()
    healthy.keyring("stop")
    assert diagnosis.checks["login"]["status"] == "ok", diagnosis.failing_checks


@pytest.mark.everything
def test_doctor_proposes_to_enable_keepassxcs_secret_service(healthy):
    healthy.keyring("stop")
    (healthy.data / "keyrings/login.keyring").unlink()
    settings = healthy.folder / "config/keepassxc/keepassxc.ini"
    settings.parent.mkdir(parents=True)
    settings.write_text("[Browser]\nEnabled=true\n\n[FdoSecrets]\nEnabled=false\n")
    healthy.environment["XDG_CONFIG_HOME"] = str(settings.parent.parent)
    assert "gnome-keyring-daemon" in healthy.doctor().checks["activation"]["remedy"]
    healthy.start("env", "QT_QPA_PLATFORM=offscreen", "keepassxc", "--config", settings, "--localconfig",
                  settings.with_name("local.ini"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: "KeePassXC runs" in healthy.doctor().checks["activation"]["remedy"])


FLATPAK = """[Application]
name=com.contoso.Desk

[Context]
{context}

[Session Bus Policy]
{policy}

[Policy SecretStoreCache]
groups=com.contoso.shared;
publisher=com.contoso;
"""


@pytest.mark.parametrize("context, policy, option, override", [
    ("", "org.freedesktop.secrets=talk", "--no-talk-name=org.freedesktop.secrets",
     "[Session Bus Policy]\norg.freedesktop.secrets=none\n"),
    ("", "org.freedesktop.*=talk", "'--no-talk-name=org.freedesktop.*'",
     "[Session Bus Policy]\norg.freedesktop.*=none\n"),
    ("sockets=session-bus;", "", "--nosocket=session-bus", "[Context]\nsockets=!session-bus;\n"),
])
def test_doctor_names_a_flatpak_that_goes_around_the_agent(healthy, context, policy, option, override):
    metadata = healthy.data / "flatpak/app/com.contoso.Desk/current/active/metadata"
    metadata.parent.mkdir(parents=True)
    metadata.write_text(FLATPAK.format(context=context, policy=policy))
    check = healthy.doctor().checks["agent"]
    assert check["status"] == "warning" and "com.contoso.Desk" in check["detail"]
    assert check["remedy"] == f"flatpak override --user {option} com.contoso.Desk"
    # What the remedy writes.
    written = healthy.data / "flatpak/overrides/com.contoso.Desk"
    written.parent.mkdir(parents=True)
    written.write_text(override)
    assert healthy.doctor().checks["agent"]["status"] != "error"
    assert "Secret Service" not in healthy.doctor().checks["agent"]["detail"]


def test_doctor_finds_nothing_wrong_with_a_flatpak_that_asks_the_agent_alone(healthy):
    metadata = healthy.data / "flatpak/app/com.contoso.Desk/current/active/metadata"
    metadata.parent.mkdir(parents=True)
    metadata.write_text(FLATPAK.format(context="", policy="org.secretstorecache.Agent1=talk"))
    assert healthy.doctor().checks["agent"]["status"] == "ok"


def test_doctor_does_not_take_the_folder_of_a_bus_proxy_for_a_runtime_directory(healthy):
    folder = healthy.folder / "proxy"
    folder.mkdir(mode=0o700)
    healthy.environment |= {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/socket", "XDG_RUNTIME_DIR": "run"}
    (folder / "socket").symlink_to(healthy.runtime / "bus")
    check = healthy.doctor().checks["runtime-directory"]
    assert check["remedy"].endswith(f"export XDG_RUNTIME_DIR=/run/user/{os.getuid()}"), check


@pytest.mark.parametrize("path", ["relative", "a file"])
def test_doctor_names_an_invalid_runtime_directory(healthy, path):
    file = healthy.folder / path
    file.write_text("")
    healthy.environment["XDG_RUNTIME_DIR"] = path if path == "relative" else str(file)
    check = healthy.doctor().checks["runtime-directory"]
    assert check["status"] == "warning" and "XDG_RUNTIME_DIR is" in check["detail"]
    assert check["remedy"] == f"export XDG_RUNTIME_DIR={healthy.runtime}"


def test_doctor_says_that_no_variable_names_a_folder_for_lock_files(healthy):
    without_the_logins_directory(healthy)
    healthy.environment |= {"XDG_RUNTIME_DIR": "run", "HOME": "home", "XDG_STATE_HOME": ""}
    check = healthy.doctor().checks["runtime-directory"]
    assert "neither XDG_RUNTIME_DIR nor HOME is set to an absolute path" in check["detail"], check
    assert check["remedy"] == f"export XDG_RUNTIME_DIR={healthy.runtime}"


@pytest.mark.parametrize("variable, folder", [
    ("XDG_DATA_HOME", ""), ("XDG_DATA_HOME", "keyrings"), ("XDG_CONFIG_HOME", "")])
def test_every_command_names_a_disk_that_does_not_answer_and_ends(healthy, variable, folder):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    path = Path(healthy.environment[variable]) / folder
    path.mkdir(exist_ok=True)
    with silent_disk(path):
        commands = [subprocess.Popen([healthy.programs / "sso-cache", *command], env=healthy.environment,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                    for command in (["doctor"], ["accounts", IN_GROUP], ["token", IN_GROUP, "--client-id", CLIENT])]
        for command in commands:
            _, error = command.communicate(timeout=60)
            assert f"The disk of {path} does not answer." in error
            assert "findmnt" in error and command.returncode == STORAGE_OR_NETWORK
    assert names_of(healthy) == [ADA.username]
    assert healthy.doctor().failing_checks == {}


def test_doctor_names_a_disk_without_free_inodes(healthy):
    folder = lock_folder(healthy)
    folder.mkdir(mode=0o700, exist_ok=True)
    with small_disk(folder, "nr_inodes=3,"):
        for name in "ab":
            (folder / name).touch()
        assert healthy.doctor().checks["runtime-directory"]["remedy"].startswith("Remove some files on the disk of ")
        (folder / "a").unlink()
        assert healthy.doctor().checks["runtime-directory"]["status"] == "ok"


@pytest.mark.everything
def test_unlocking_without_a_group_unlocks_the_keyring_and_every_group(tool, person):
    with session_of(tool, SSC_PERSON=str(person)) as session:
        session.sign_in(signed_in()[0], IN_GROUP)
        session.keyring("restart", "--locked")
        refused = subprocess.run(
            [session.programs / "sso-cache", "group", "unlock"], env=session.environment, capture_output=True)
        assert refused.returncode == 75
        (session.folder / "person").write_bytes(b"password test\n")
        done = session.sso("group", "unlock", "--prompt")
        assert b"nothing to do" not in done.stdout
        assert session.doctor().status == "ok" and names_of(session) == [ADA.username]
        assert session.sso("group", "unlock").returncode == 0


REFUSALS = [
    "a manifest of another user", "manifests in a folder of another user", "a manifest that others can write to",
    "a folder of manifests that others can write to",
    "a manifest in the home that claims an installed app's publisher",
]
OVERRIDES = re.compile(r"\b(sudo|chown|chmod|install -|xdg-mime|update-desktop-database)")


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refused_manifest_gets_no_command_that_grants_it(name, healthy):
    SETUPS[name].make(healthy)
    check = healthy.doctor().checks[SETUPS[name].check]
    assert check["status"] == "error" and "ls -ld" in check["remedy"]
    lines = [other["detail"] + other["remedy"] for other in healthy.doctor().checks.values()]
    lines += healthy.sso("apps").stdout.decode().splitlines() + healthy.sso("apps", "--json").stdout.decode().splitlines()
    assert not [line for line in lines if OVERRIDES.search(line)]
    assert "refused" in healthy.sso("apps").stdout.decode()


def test_a_refused_apps_scheme_is_not_registered(healthy):
    install(healthy, manifest(MimeType="x-scheme-handler/msauth.com.contoso.mail;")).chmod(0o666)
    checks = healthy.doctor().checks
    assert checks["scheme:com.contoso.mail"]["detail"].startswith("Skipped: ")


# Repairs.


def test_doctor_repairs_nothing_without_confirmation(healthy):
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


def test_several_problems_are_repaired_at_once(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    for name in ("items that are there twice", "empty items", "a lost password of an open group"):
        SETUPS[name].make(healthy)
    assert len(healthy.doctor().failing_checks) == 3
    repaired = healthy.doctor("--fix", "--yes")
    assert (repaired.status, repaired.failing_checks) == ("ok", {})
    healthy.keyring("restart")
    assert healthy.doctor().status == "ok"


@pytest.mark.parametrize("options", [(), ("--json",)], ids=str)
def test_a_repair_that_fails_ends_no_other(healthy, options):
    """A repair that needs a lock, which another app holds."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    others = f"--group={GROUP}.other"
    with healthy.bus() as bus:
        for item in search(bus, kind="credentials", group=GROUP):
            item.set_secret(b"hello")
    locks = [os.open(file, os.O_RDWR) for file in lock_folder(healthy).iterdir() if file.name.startswith("write-")]
    for lock in locks:
        fcntl.flock(lock, fcntl.LOCK_EX)
    healthy.sign_in(signed_in()[0], others)
    with healthy.bus() as bus:
        for item in search(bus, kind="credentials", group=f"{GROUP}.other"):
            item.set_secret(b"hello")
    done = subprocess.run(
        [healthy.programs / "sso-cache", "doctor", "--fix", "--yes", *options], env=healthy.environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    for lock in locks:
        os.close(lock)
    assert done.returncode == LOCKED_OR_TIMED_OUT and "sso-cache: Not done: " in done.stderr, done
    report = healthy.doctor()
    failing = set(report.failing_checks)
    assert any(GROUP in name.split(":") for name in failing), failing
    with healthy.bus() as bus:
        assert not search(bus, kind="credentials", group=f"{GROUP}.other")


def test_copies_of_one_revision_are_left_unchanged(healthy):
    token = access_token("mail.read")
    healthy.sign_in(cache_of(token), IN_GROUP)
    with healthy.bus() as bus:
        [item] = search(bus, kind="credentials", group=GROUP)
        other = item.get_secret().replace(token["secret"].encode(), f"{TOKEN_MARK}-other".encode())
        group_collection(bus, GROUP).create_item("Copy", item.get_attributes(), other)
    before = healthy.doctor()
    assert list(before.failing_checks) == [f"group-duplicates:{GROUP}"]
    assert list(healthy.doctor("--fix", "--yes").failing_checks) == list(before.failing_checks)
    with healthy.bus() as bus:
        assert len(search(bus, kind="credentials", group=GROUP)) == 2


@pytest.mark.parametrize("is_readable", [True, False], ids=["readable", "not readable"])
def test_a_copy_in_the_login_collection_is_kept_only_where_the_groups_own_can_not_be_read(healthy, is_readable):
    token = access_token("mail.read")
    healthy.sign_in(cache_of(token), IN_GROUP)
    with healthy.bus() as bus:
        [item] = search(bus, kind="credentials", group=GROUP)
        content = item.get_secret()
        differing = content.replace(token["secret"].encode(), f"{TOKEN_MARK}-other".encode())
        attributes = item.get_attributes()
        login_collection(bus).create_item("Copy", attributes, differing)
        if not is_readable:
            item.set_secret(b"{" + content)
    healthy.doctor("--fix", "--yes")
    with healthy.bus() as bus:
        items = [item for kind in ("credentials", "damaged") for item in search(bus, kind=kind, group=GROUP)]
        left = {bytes(item.get_secret()) for item in items}
    assert left == ({content} if is_readable else {differing, b"{" + content})


def test_another_publishers_group_with_the_same_name_is_left_unchanged(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP, "--publisher=contoso")
    [group] = [group for group in json.loads(healthy.sso("groups", "--json").stdout)["groups"]
               if group["publisher"] == "contoso"]
    unpublished = healthy.doctor("--group", GROUP)
    assert not [name for name, check in unpublished.checks.items() if check["status"] == "error"]
    healthy.doctor("--group", GROUP, "--fix", "--yes")
    assert healthy.doctor("--group", GROUP, "--publisher", "contoso").status == "ok"
    after = json.loads(healthy.sso("groups", "--json").stdout)["groups"]
    assert group in after and not [other for other in after if other["publisher"] == "" and other["name"] == GROUP]


def test_the_unlockable_one_of_several_locked_collections_is_found(healthy):
    """The state after an interrupted repair of a lost password: the old collection has no password."""
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


def test_merged_collections_have_the_accounts_of_both(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    second_collection(healthy, between=lambda: healthy.sign_in(signed_in(person=GRACE)[0], IN_GROUP))
    assert healthy.doctor().failing_checks.keys() == {f"group-marker:{GROUP}"}
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


def test_a_password_stored_by_gnome_keyring_passes(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    with healthy.bus() as bus:
        [key] = search(bus, kind="group-key", group=GROUP)
        attributes, password = {"keyring": key.get_attributes()["keyring"]}, key.get_secret()
        key.delete()
        login_collection(bus).create_item("Unlock password", attributes, password)
    assert healthy.doctor().status == "ok"
    healthy.keyring("restart")
    assert healthy.doctor().status == "ok" and names_of(healthy) == [ADA.username]


def names_of(session, group=GROUP):
    accounts = json.loads(session.sso("accounts", f"--group={group}", "--json").stdout)["accounts"]
    return sorted(account["username"] for account in accounts)


# Files that the daemon cannot read.


@pytest.mark.parametrize("name", [
    "an empty file of a collection", "a collection's file that was cut short", "an empty file of the login keyring",
    "a login keyring's file that was overwritten",
])
def test_doctor_removes_nothing_that_a_damaged_file_may_need(healthy, name):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    setup = SETUPS[name]
    setup.make(healthy)
    cache = json.dumps(signed_in(person=GRACE)[0]).encode()
    for command, stdin in (
        (["accounts"], b""), (["import", "--format", "msal", "-"], cache), (["group", "reset", "--yes"], b""),
        (["group", "delete", "--yes"], b""), (["export", "--format", "msal"], b""),
    ):
        done = subprocess.run(
            [healthy.programs / "sso-cache", *command, IN_GROUP], env=healthy.environment, input=stdin,
            capture_output=True, timeout=60)
        assert done.returncode == 74 and b".keyring is there" in done.stderr, command
    assert "group reset" not in json.dumps([check["remedy"] for check in healthy.doctor().checks.values()])
    setup.follow(healthy, healthy.doctor().checks[setup.check]["remedy"])
    assert names_of(healthy) == [ADA.username]
    healthy.sign_in(signed_in(person=GRACE)[0], IN_GROUP)
    assert names_of(healthy) == sorted([ADA.username, GRACE.username])


def test_doctor_reports_no_sign_out_while_the_keyrings_cannot_be_read(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    SETUPS["a folder of keyrings on a disk that is not there"].make(healthy)
    done = subprocess.run(
        [healthy.programs / "sso-cache", "accounts", IN_GROUP], env=healthy.environment, capture_output=True, timeout=60)
    assert done.returncode == 74 and b"The folder of keyrings" in done.stderr


def test_a_recreated_groups_old_file_and_password_can_be_restored(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    setup = SETUPS["a lost password of a locked group"]
    setup.make(healthy)
    healthy.follow(f"sso-cache group reset {IN_GROUP}")
    assert names_of(healthy) == []
    [kept] = (healthy.data / "keyrings").glob("*.lost")
    assert kept.name == f"{GROUP}.keyring.lost"
    kept.rename(keyring_file(healthy))
    by_a_backup("login")(healthy, str(keyring_file(healthy, "login")))
    assert names_of(healthy) == [ADA.username]


def test_a_hung_daemon_is_not_waited_for_as_long_as_a_person(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.keyring("freeze")
    for command in (["unlock"], ["unlock", IN_GROUP], ["create", "--group=com.contoso.other"]):
        start = time.monotonic()
        done = subprocess.run(
            [healthy.programs / "sso-cache", "group", *command, "--prompt"], env=healthy.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=80)
        assert done.returncode == LOCKED_OR_TIMED_OUT, done
        assert time.monotonic() - start < 25, command
    healthy.keyring("thaw")


def test_an_errors_commands_name_the_commands_group(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    SETUPS["a lost password of a locked group"].make(healthy)
    done = subprocess.run(
        [healthy.programs / "sso-cache", "accounts", IN_GROUP], env=healthy.environment, capture_output=True, text=True,
        timeout=60)
    assert done.returncode == 78
    commands = re.findall(r"sso-cache [^;,.]+(?:\.[a-z]+)*", done.stderr)
    assert len(commands) == 4 and all(f"--group {GROUP}" in command for command in commands), commands


def test_no_remedy_ends_the_daemon_whose_login_keyring_is_gone(healthy):
    """It still has the groups that are open, which the next daemon could not open."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    SETUPS["a login keyring that was deleted while the group is open"].make(healthy)
    diagnosis = healthy.doctor()
    assert diagnosis.failing_checks["login"]["remedy"] == "sso-cache group unlock --prompt"
    assert not any("--replace" in check["remedy"] for check in diagnosis.checks.values())


def test_no_group_is_reported_as_unlocked_while_one_stays_locked(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    SETUPS["a lost password of a locked group"].make(healthy)
    done = subprocess.run(
        [healthy.programs / "sso-cache", "group", "unlock"], env=healthy.environment, capture_output=True, text=True,
        timeout=60)
    assert done.returncode == 75 and GROUP in done.stderr and done.stdout == ""
    assert done.stderr.endswith("\nsso-cache doctor says what opens it.\n")


def test_a_group_created_meanwhile_does_not_make_the_old_one_inaccessible(healthy):
    """An app that cannot see the file, as in a sandbox, creates the group."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    setup = SETUPS["an empty file of a collection"]
    setup.make(healthy)
    healthy.prefix = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", str(healthy.data / "keyrings")]
    healthy.sign_in(signed_in(person=GRACE)[0], IN_GROUP)
    healthy.prefix = []
    by_a_backup()(healthy, str(keyring_file(healthy)))
    both = sorted([ADA.username, GRACE.username])
    assert names_of(healthy) == both
    repaired = healthy.doctor("--fix", "--yes")
    assert (repaired.status, repaired.failing_checks) == ("ok", {})
    assert names_of(healthy) == both
    again_as_a_user(healthy)
    assert names_of(healthy) == both


def test_a_shell_with_another_data_folder_sees_the_daemons_keyrings(healthy):
    """A snap's terminal and a shell's start-up file set XDG_DATA_HOME otherwise than the login."""
    healthy.sign_in(signed_in()[0], IN_GROUP)
    healthy.environment["XDG_DATA_HOME"] = str(healthy.folder / "elsewhere")
    diagnosis = healthy.doctor()
    assert (diagnosis.status, diagnosis.failing_checks) == ("ok", {})
    healthy.environment["XDG_DATA_HOME"] = str(healthy.data)
    SETUPS["an empty file of a collection"].make(healthy)
    healthy.environment["XDG_DATA_HOME"] = str(healthy.folder / "elsewhere")
    assert str(keyring_file(healthy)) in healthy.doctor().failing_checks[f"group-lock:{GROUP}"]["detail"]
    done = subprocess.run(
        [healthy.programs / "sso-cache", "accounts", IN_GROUP], env=healthy.environment, capture_output=True, text=True)
    assert done.returncode == STORAGE_OR_NETWORK and str(keyring_file(healthy)) in done.stderr, done


def make_collection_beside_an_unreadable_file(healthy) -> None:
    healthy.sign_in(signed_in()[0], IN_GROUP)
    SETUPS["an empty file of a collection"].make(healthy)
    with healthy.bus() as bus:
        [old] = search(bus, kind="group-key", group=GROUP)
        old.delete()
    healthy.sign_in(signed_in(person=GRACE)[0], IN_GROUP)


def test_the_password_of_a_new_collection_names_its_file(healthy):
    """The daemon names a collection as if its file had the name of the unreadable one."""
    make_collection_beside_an_unreadable_file(healthy)
    with healthy.bus() as bus:
        [key] = search(bus, kind="group-key", group=GROUP)
        assert key.get_attributes()["keyring"] == f"LOCAL:/keyrings/{GROUP}_1.keyring"
        assert keyring_file(healthy, f"{GROUP}_1").exists()
    again_as_a_user(healthy)
    assert names_of(healthy) == [GRACE.username]
    assert healthy.doctor().status == "ok"


@pytest.mark.parametrize("removal", [
    ["sign-out", "--account", GRACE.username, "--everywhere"], ["sign-out", "--whole-group"], ["group", "delete"],
], ids=" ".join)
def test_a_removal_goes_on_in_a_collection_that_was_made_beside_an_unreadable_file(healthy, removal):
    make_collection_beside_an_unreadable_file(healthy)
    done = subprocess.run(
        ["sso-cache", *removal, IN_GROUP, "--yes"],
        env=healthy.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=30)
    assert done.returncode == DONE, done
    with healthy.bus() as bus:
        assert [item for item in search(bus, group=GROUP) if TOKEN_MARK.encode() in item.get_secret()] == []


# Entitlements.


def test_an_apps_groups_are_those_of_its_entitlements(healthy, save):
    plist = ("<plist version='1.0'><dict><key>application-identifier</key><string>contoso.com.contoso.mail</string>"
             f"<key>keychain-access-groups</key><array><string>contoso.{GROUP}</string></array></dict></plist>")
    diagnosis = healthy.doctor("--entitlements", save(plist, "mail.plist"))
    assert diagnosis.status == "ok" and f"group-lock:contoso.{GROUP}" in diagnosis.checks
    broken = healthy.doctor("--entitlements", save("<plist>", "broken.plist"))
    assert broken.exit_status == 65 and "apps init" in broken.checks["entitlements"]["remedy"]


# Other programs' changes to a group's password, to its markers, and to similar items.


def move_to(collection_of):
    def change(session):
        with session.bus() as bus:
            [key] = search(bus, kind="group-key", group=GROUP)
            collection = collection_of(bus)
            collection.create_item(key.get_label(), key.get_attributes(), key.get_secret())
            key.delete()

    return change


def with_content(content):
    def change(session):
        with session.bus() as bus:
            [key] = search(bus, kind="group-key", group=GROUP)
            key.set_secret(content)

    return change


LOST_AT_THE_NEXT_LOGIN = {
    "cut short": with_content(b"0123456789abcdef" * 3), "JSON": with_content(b"{}"), "empty": with_content(b""),
    "another": with_content(b"0123456789abcdef" * 4),
    "in its own collection": move_to(lambda bus: group_collection(bus, GROUP)),
    "in the session's collection": move_to(
        lambda bus: secretstorage.Collection(bus, "/org/freedesktop/secrets/collection/session")),
}


@pytest.mark.parametrize("name", LOST_AT_THE_NEXT_LOGIN)
def test_a_password_that_will_fail_at_the_next_login_is_replaced(healthy, name):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    LOST_AT_THE_NEXT_LOGIN[name](healthy)
    diagnosis = healthy.doctor()
    assert diagnosis.exit_status == 78 and diagnosis.checks[f"group-key:{GROUP}"]["status"] == "error"
    repaired = healthy.doctor("--fix", "--yes")
    assert (repaired.status, repaired.failing_checks) == ("ok", {})
    healthy.keyring("restart")
    assert names_of(healthy) == [ADA.username]


def test_a_password_with_a_markers_attributes_is_not_deleted(healthy):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    with healthy.bus() as bus:
        [key] = search(bus, kind="group-key", group=GROUP)
        password = key.get_secret()
        key.set_attributes({**key.get_attributes(), "kind": "group"})
    assert healthy.doctor().status == "error"
    # It is quarantined first, and then the group has no password.
    assert healthy.doctor("--fix", "--yes").checks[f"group-key:{GROUP}"]["status"] == "error"
    repaired = healthy.doctor("--fix", "--yes")
    assert (repaired.status, repaired.failing_checks) == ("ok", {})
    with healthy.bus() as bus:
        assert [item.get_secret() for item in search(bus, kind="damaged", group=GROUP)] == [password]
    healthy.keyring("restart")
    assert names_of(healthy) == [ADA.username]


@pytest.mark.parametrize("content", [b"my only diary", b"{}"])
def test_an_item_with_only_a_markers_attributes_is_not_deleted(healthy, content):
    healthy.sign_in(signed_in()[0], IN_GROUP)
    with healthy.bus() as bus:
        store_item(bus, login_collection(bus), content, "group", GROUP)
    repaired = healthy.doctor("--fix", "--yes")
    assert (repaired.status, repaired.failing_checks) == ("ok", {})
    with healthy.bus() as bus:
        assert content in [item.get_secret() for item in login_collection(bus).get_all_items()]
    assert names_of(healthy) == [ADA.username]
