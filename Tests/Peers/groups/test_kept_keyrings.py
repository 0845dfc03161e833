# SPDX-License-Identifier: MIT
"""A keyring that can't be opened is deleted only when it is the group's alone and its file is kept: somebody may find its
password."""

import errno
import json
import os
import shutil
import stat
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
import secretstorage
from secretstorage.util import DBusAddressWrapper

from planted import checks_of_group, file_of
from repository import ROOT
from secret_items import group_collection, search
from sso_cache import DONE, STORAGE_OR_NETWORK, UNRECOVERABLE
from unified_cache import signed_in

COMMANDS = ["group delete", "group reset"]


def lose_password(bus, group, change=lambda keyring: None):
    """Changes a group's keyring, loses its password and locks it; returns the keyring."""
    keyring = group_collection(bus, group)
    change(keyring)
    for key in search(bus, kind="group-key", group=group):
        key.delete()
    keyring.lock()
    return keyring


@pytest.fixture
def lost(sso, bus, group):
    """The file of a group whose password is lost."""
    sso.take(signed_in()[0])
    return file_of(lose_password(bus, group))


def preloaded(sso, name, folder):
    """The tool with a library of the tests in it."""
    library, source = folder / f"{name}.so", ROOT / f"Tests/Peers/support/{name}.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return sso.with_environment(LD_PRELOAD=str(library))


@pytest.fixture
def without_links(sso, tmp_path):
    return preloaded(sso, "no_hard_links", tmp_path)


def names_of_kept(file):
    return [file.with_name(f"{file.name}.lost{suffix}") for suffix in ["", *(f"-{number}" for number in range(2, 1000))]]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_file_of_a_lost_keyring_is_kept_on_a_disk_without_hard_links(without_links, lost, command):
    content = lost.read_bytes()
    first, second = names_of_kept(lost)[:2]
    first.write_bytes(b"an earlier one")
    said = without_links.do(command, "--yes")["left"]
    assert any(str(second) in line for line in said), said
    if command == "group reset":
        assert not any(f"{first} " in line for line in said), said
    assert first.read_bytes() == b"an earlier one"
    assert second.read_bytes() == content and stat.S_IMODE(second.stat().st_mode) == 0o600
    assert any(str(second) in line for line in without_links.do("group delete", "--yes")["left"])


@pytest.mark.parametrize("command", COMMANDS)
def test_a_lost_keyring_whose_file_is_copied_halfway_stays_without_half_a_copy(without_links, lost, command):
    content, limit = lost.read_bytes(), 1
    assert len(content) > limit * 1024
    done = subprocess.run(
        ["bash", "-c", 'ulimit -f "$0"; trap "" XFSZ; exec "$@"', str(limit), *without_links.arguments(command, "--yes")],
        env=without_links.environment, capture_output=True, text=True)
    assert done.returncode == STORAGE_OR_NETWORK and f"error {errno.EFBIG}" in done.stderr, done
    assert lost.read_bytes() == content and not names_of_kept(lost)[0].exists()
    assert without_links.run(command, "--yes").status == DONE
    assert names_of_kept(lost)[0].read_bytes() == content


@pytest.mark.parametrize("command", COMMANDS)
def test_a_lost_keyring_whose_file_cannot_be_kept_stays(sso, lost, command):
    content = lost.read_bytes()
    for name in names_of_kept(lost):
        name.touch()
    outcome = sso.run(command, "--yes")
    assert outcome.status == STORAGE_OR_NETWORK and f"{lost}.lost" in outcome.stderr, outcome
    assert lost.read_bytes() == content
    # What the remedy says is enough.
    for name in names_of_kept(lost):
        name.unlink()
    assert sso.run(command, "--yes").status == DONE
    assert names_of_kept(lost)[0].read_bytes() == content


@pytest.fixture
def numbered(sso, group, lost, daemon):
    """The file of a second lost keyring, which the daemon has numbered because the first one is damaged."""
    daemon.stop()
    lost.write_bytes(b"damaged")
    daemon.start()
    sso.take(signed_in()[0])
    with closing(secretstorage.dbus_init()) as fresh:
        lose_password(fresh, group)
    return lost.with_name(f"{group}_1.keyring")


def test_the_file_of_a_lost_keyring_is_kept_where_the_daemon_has_given_it_a_number(sso, numbered):
    content = numbered.read_bytes()
    assert sso.run("group reset", "--yes").status == DONE
    assert names_of_kept(numbered)[0].read_bytes() == content


def test_a_reset_that_fails_names_the_files_that_it_has_kept(sso, lost, numbered):
    for name in names_of_kept(numbered):
        name.touch()
    outcome = sso.run("group reset", "--yes")
    assert outcome.status == STORAGE_OR_NETWORK and f"{lost}.lost stays" in outcome.stderr, outcome


def with_others_items(keyring):
    keyring.create_item("Mine", {"application": "mine"}, b"mine")


def with_another_name(keyring):
    keyring.set_label("Mine")


@pytest.mark.parametrize("change, commands", [
    (with_others_items, ["accounts", "import", "group unlock", "group reset", "group delete"]),
    (with_another_name, ["accounts", "import", "group unlock", "group reset"]),
], ids=["with others' items", "with another name"])
def test_what_is_said_of_a_lost_keyring_that_no_reset_removes_is_a_way_out(
        sso, bus, group, daemon, tmp_path, change, commands):
    sso.take(signed_in()[0])
    file = file_of(lose_password(bus, group, change))
    content = file.read_bytes()
    arguments = {"import": ["--format", "msal", "-"], "group reset": ["--yes"], "group delete": ["--yes"]}
    remedies = []
    for command in commands:
        outcome = sso.run(command, *arguments.get(command, []), "--json", stdin=json.dumps(signed_in()[0]).encode())
        assert outcome.status == UNRECOVERABLE, (command, outcome)
        remedies.append(json.loads(outcome.stderr)["error"]["remedy"])
    remedies.append(checks_of_group(sso)["group-lock"]["remedy"])
    for remedy in remedies:
        assert "group reset" not in remedy and f"move {file} to another folder" in remedy, remedy
    bus.close()
    daemon.stop()
    file.rename(tmp_path / file.name)
    daemon.start()
    sso.take(signed_in()[0])
    assert len(sso.accounts()) == 1
    assert (tmp_path / file.name).read_bytes() == content


def run_without_files(sso, *command):
    """Runs a command where the keyrings' files are not seen, as in a sandbox; returns what the process has done."""
    folder = Path(os.environ["XDG_DATA_HOME"]) / "keyrings"
    return subprocess.run(
        ["bwrap", "--dev-bind", "/", "/", "--tmpfs", folder, *sso.arguments(*command)], env=sso.environment,
        capture_output=True, text=True)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_lost_keyring_whose_file_is_not_seen_stays(sso, lost, command):
    content = lost.read_bytes()
    done = run_without_files(sso, command, "--yes")
    assert done.returncode == STORAGE_OR_NETWORK and f"it is not in {lost.parent}" in done.stderr, done
    assert lost.read_bytes() == content
    # What the remedy says is enough: a terminal of the desktop.
    assert sso.run(command, "--yes").status == DONE
    assert names_of_kept(lost)[0].read_bytes() == content


def without_files(folder, lost):
    (folder / "keyrings").mkdir()


def with_another_file(folder, lost):
    without_files(folder, lost)
    shutil.copy(lost.with_name("login.keyring"), folder / "keyrings" / lost.name)


def with_copies(folder, lost):
    shutil.copytree(lost.parent, folder / "keyrings")


@pytest.mark.parametrize("variable", ["XDG_DATA_HOME", "SSO_CACHE_KEYRING", "HOME"])
@pytest.mark.parametrize(
    "make", [without_files, with_another_file, with_copies], ids=lambda make: make.__name__)
def test_the_daemons_file_is_kept_where_a_variable_leads_to_another_folder(sso, lost, tmp_path, variable, make):
    """A shell, cron or a snap may set it otherwise than the login."""
    data = tmp_path / ".local/share" if variable == "HOME" else tmp_path
    data.mkdir(parents=True, exist_ok=True)
    make(data, lost)
    elsewhere = {name: value for name, value in sso.environment.items() if name != "XDG_DATA_HOME"}
    elsewhere[variable] = str(tmp_path)
    content = lost.read_bytes()
    done = subprocess.run(sso.arguments("group reset", "--yes"), env=elsewhere, capture_output=True, text=True)
    assert done.returncode == DONE and f"{lost}.lost stays" in done.stdout, done
    assert names_of_kept(lost)[0].read_bytes() == content


@pytest.mark.parametrize("command", COMMANDS)
def test_a_lost_keyring_stays_where_its_file_may_be_an_old_copy(sso, lost, tmp_path, command):
    """The variables of a daemon with file capabilities can't be read: then only a write shows its folder."""
    with_copies(tmp_path, lost)
    hidden = preloaded(sso, "hidden_environments", tmp_path)
    content = lost.read_bytes()
    outcome = hidden.with_environment(XDG_DATA_HOME=str(tmp_path)).run(command, "--yes")
    assert outcome.status == STORAGE_OR_NETWORK and "can't be kept" in outcome.stderr, outcome
    assert lost.read_bytes() == content and not names_of_kept(tmp_path / "keyrings" / lost.name)[0].exists()
    assert hidden.run(command, "--yes").status == DONE
    assert names_of_kept(lost)[0].read_bytes() == content


def test_where_the_daemons_file_was_replaced_since_it_started_a_lost_keyring_stays(sso, lost):
    backup = lost.with_name("login.keyring").read_bytes()
    time = lost.stat().st_mtime
    lost.write_bytes(backup)
    os.utime(lost, (time, time))  # As backups are restored. The daemon reads only a file whose time has changed.
    outcome = sso.run("group reset", "--yes")
    assert outcome.status == STORAGE_OR_NETWORK and "or another one is there" in outcome.stderr, outcome
    assert lost.read_bytes() == backup


@pytest.mark.parametrize("command", COMMANDS)
def test_a_lost_keyring_whose_file_is_a_link_stays_until_the_file_is_in_its_place(sso, lost, command, tmp_path):
    content, target = lost.read_bytes(), tmp_path / "moved"
    shutil.move(lost, target)
    lost.symlink_to(target)
    before = set(os.listdir(lost.parent))
    outcome = sso.run(command, "--yes", "--json")
    assert outcome.status == STORAGE_OR_NETWORK and set(os.listdir(lost.parent)) == before, outcome
    error = json.loads(outcome.stderr)["error"]
    assert f"{lost} is a link to {target}" in error["detail"]
    subprocess.run(["bash", "-c", error["remedy"]], check=True)
    assert sso.run(command, "--yes").status == DONE
    assert names_of_kept(lost)[0].read_bytes() == content


def test_where_its_file_is_not_seen_the_way_out_is_to_delete_the_keyring(sso, bus, group):
    sso.take(signed_in()[0])
    keyring = lose_password(bus, group, with_others_items)
    remedy = json.loads(run_without_files(sso, "accounts", "--json").stderr)["error"]["remedy"]
    assert f"delete the keyring {group} in Passwords and Keys" in remedy and "group reset" not in remedy
    # The window deletes it without its password, which SecretStorage's own call does not.
    DBusAddressWrapper(keyring.collection_path, "org.freedesktop.Secret.Collection", bus).call("Delete", "")
    assert sso.accounts() == []


def a_link(path):
    path.symlink_to("nowhere")


def a_folder(path):
    path.mkdir()


def a_fifo(path):
    os.mkfifo(path)


@pytest.mark.parametrize("make", [a_link, a_folder, a_fifo], ids=lambda make: make.__name__)
def test_what_is_no_file_is_not_said_to_be_a_kept_one(sso, bus, group, make):
    sso.take(signed_in()[0])
    file = file_of(group_collection(bus, group))
    made = file.with_name(f"{file.name}.lost")
    make(made)
    try:
        assert sso.do("group delete", "--yes") == {"deleted": True}
    finally:
        made.rmdir() if made.is_dir() and not made.is_symlink() else made.unlink()
