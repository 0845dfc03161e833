# SPDX-License-Identifier: MIT
"""Apps in Flatpaks with their own runtime directories: they share no locks."""

import fcntl
import json
import os
import stat
import subprocess
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from broken_setups import change_owner
from sandboxes import flatpak
from secret_items import group_collections, search
from sso_cache import (
    DONE, LIMIT_SECONDS, LOCKED_OR_TIMED_OUT, STORAGE_OR_NETWORK, Outcome, check_contract,
)
from unified_cache import access_token, cache_of, secrets, signed_in

PROCESSES = 4


@pytest.fixture
def together(sso, tmp_path, save):
    """Imports several caches at once, each in its own sandbox.

    A process whose writes were overwritten until the deadline has nothing acknowledged, and is started
    again.
    """

    def together(caches):
        left = dict(enumerate(caches))
        for _ in range(2):
            processes = {index: start(index, cache) for index, cache in left.items()}
            for index, process in processes.items():
                stdout, stderr = process.communicate(timeout=2 * LIMIT_SECONDS)
                outcome = Outcome(process.returncode, stdout, stderr, 0)
                check_contract("import", True, outcome)
                assert outcome.status == DONE or outcome.reached_deadline, outcome
                if outcome.status == DONE:
                    del left[index]
            assert len(left) <= len(caches) // 2, "most were too late"
            if not left:
                return
        assert not left, "who was too late was so again"

    def start(index, cache):
        metadata = save(f"[Application]\nname=com.contoso.app{index}\n", f"{index}.info")
        runtime = tmp_path / f"run{index}"
        runtime.mkdir(mode=0o700, exist_ok=True)
        file = save(json.dumps(cache), f"{index}.json")
        command = sso.arguments("import", "--json", "--format", "msal", file)
        return subprocess.Popen(
            [*flatpak(metadata), "--setenv", "XDG_RUNTIME_DIR", str(runtime), *map(str, command)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=sso.environment)

    return together


@pytest.mark.parametrize("run", range(3))
def test_four_sandboxes_that_save_tokens_of_one_account_lose_none(sso, together, run):
    sso.take(signed_in("first")[0])
    tokens = [access_token(f"scope{index}") for index in range(PROCESSES)]
    together([cache_of(token) for token in tokens])
    assert secrets(sso.give(), "AccessToken") >= {token["secret"] for token in tokens}
    assert len(sso.give()["AccessToken"]) == PROCESSES + 1


@pytest.mark.parametrize("run", range(3))
def test_four_sandboxes_that_start_on_a_new_group_create_one_that_unlocks_again(
    sso, bus, daemon, group, together, run
):
    tokens = [access_token(f"scope{index}") for index in range(PROCESSES)]
    together([cache_of(token) for token in tokens])
    assert len(group_collections(bus, group)) == 1
    kinds = sorted(item.get_attributes()["kind"] for item in search(bus, group=group))
    assert kinds == ["credentials", "group", "group-key"]
    bus.close()
    daemon.restart()
    assert secrets(sso.give(), "AccessToken") == {token["secret"] for token in tokens}


def test_an_app_without_a_runtime_directory_saves_and_reads(sso):
    cache, token = signed_in("first")
    without = sso.with_environment(XDG_RUNTIME_DIR="")
    without.take(cache)
    assert secrets(sso.give(), "AccessToken") == secrets(without.give(), "AccessToken") != set()


def test_a_missing_runtime_directory_is_created_for_the_user_alone(sso, tmp_path):
    """As in a snap."""
    cache, token = signed_in("first")
    runtime = tmp_path / "run/snap.contoso-mail"
    sso.with_environment(XDG_RUNTIME_DIR=str(runtime)).take(cache)
    for folder in (runtime.parent, runtime, runtime / "secret-store-cache"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert secrets(sso.give(), "AccessToken") == {token}


def test_without_a_runtime_directory_no_other_user_can_create_the_lock_files_first(sso, tmp_path):
    cache, token = signed_in("first")
    theirs = tmp_path / "temporary/secret-store-cache"
    theirs.mkdir(parents=True)
    change_owner(theirs)
    own = sso.with_environment(
        XDG_RUNTIME_DIR="/dev/null", XDG_STATE_HOME=str(tmp_path / "state"), TMPDIR=str(theirs.parent))
    own.take(cache)
    assert list(theirs.parent.rglob("*")) == [theirs]
    assert secrets(sso.give(), "AccessToken") == {token}
    folder = tmp_path / "state/secret-store-cache"
    assert list(folder.glob("write-*.lock")) and stat.S_IMODE(folder.stat().st_mode) == 0o700
    locks = list(folder.iterdir())
    change_owner(folder)
    outcome = own.run("import", "--format", "msal", "--json", "-", stdin=json.dumps(signed_in("second")[0]).encode())
    assert outcome.status == STORAGE_OR_NETWORK and str(folder) in outcome.stderr
    assert list(folder.iterdir()) == locks


def change_folder_owner(path):
    path.mkdir()
    change_owner(path)


@pytest.mark.parametrize("kind", ["a directory", "a FIFO"])
def test_a_lock_file_of_another_type_ends_a_write_at_once_and_is_named(sso, tmp_path, kind):
    cache, _ = signed_in("first")
    own = sso.with_environment(XDG_RUNTIME_DIR=str(tmp_path))
    own.take(cache)
    locks = sorted((tmp_path / "secret-store-cache").glob("write-*.lock"))
    for lock in locks:
        lock.unlink()
        lock.mkdir() if kind == "a directory" else os.mkfifo(lock)
    outcome = own.run("import", "--format", "msal", "--json", "-", stdin=json.dumps(signed_in("second")[0]).encode())
    assert outcome.status == STORAGE_OR_NETWORK
    assert any(lock.name in outcome.stderr for lock in locks)


@pytest.mark.slow
def test_a_write_that_waits_for_a_lock_until_the_deadline_names_the_holder(sso, tmp_path):
    cache, _ = signed_in("first")
    own = sso.with_environment(XDG_RUNTIME_DIR=str(tmp_path))
    own.take(cache)
    with ExitStack() as held:
        for lock in (tmp_path / "secret-store-cache").glob("write-*.lock"):
            fcntl.flock(held.enter_context(lock.open("r+")), fcntl.LOCK_EX)
        outcome = own.run("import", "--format", "msal", "--json", "-", stdin=json.dumps(signed_in("second")[0]).encode())
    assert outcome.status == LOCKED_OR_TIMED_OUT
    assert f"Process {os.getpid()} (" in outcome.stderr


def test_nothing_is_created_in_another_users_runtime_directory(sso, tmp_path):
    theirs = tmp_path / "theirs"
    change_folder_owner(theirs)
    outcome = sso.with_environment(XDG_RUNTIME_DIR=str(theirs)).run(
        "import", "--format", "msal", "--json", "-", stdin=json.dumps(signed_in("first")[0]).encode())
    assert outcome.status == STORAGE_OR_NETWORK
    assert str(theirs) in outcome.stderr and "another user" in outcome.stderr
    assert not list(theirs.iterdir())


@pytest.mark.parametrize("run", range(3))
def test_an_app_without_shared_locks_loses_nothing_of_one_with_them(sso, tmp_path, save, run):
    sso.take(signed_in("first")[0])
    metadata = save("[Application]\nname=com.contoso.app\n", "app.info")
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    prefix = [*flatpak(metadata), "--setenv", "XDG_RUNTIME_DIR", str(runtime)]
    writers = [Writer(sso, tmp_path, "sandboxed", prefix), Writer(sso, tmp_path, "locking", [])]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    kept = secrets(sso.give(), "AccessToken")
    for writer in writers:
        assert writer.acknowledged and writer.acknowledged <= kept


@pytest.mark.parametrize("run", range(3))
@pytest.mark.parametrize("places", [("", "other"), ("one", "other"), ("", "..")], ids=" and ".join)
def test_programs_with_different_runtime_directories_lose_nothing_that_was_acknowledged(
    sso, tmp_path, places, run
):
    """Outside of a sandbox, on one bus: that of the first runtime directory, or of neither; and one in the other."""
    sso.take(signed_in("first")[0])
    writers = []
    for place in places:
        prefix = []
        if place:
            folder = Path(os.environ["XDG_RUNTIME_DIR"]).parent if place == ".." else tmp_path / place
            folder.mkdir(mode=0o700, exist_ok=True)
            prefix = ["env", f"XDG_RUNTIME_DIR={folder}"]
        writers.append(Writer(sso, tmp_path, place.strip(".") or f"usual{len(writers)}", prefix, count=30))
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    kept = secrets(sso.give(), "AccessToken")
    for writer in writers:
        assert writer.acknowledged and writer.acknowledged <= kept


class Writer(threading.Thread):
    """An app that saves one token after another, and records which of them were acknowledged."""

    def __init__(self, sso, folder, name, prefix, count=15):
        super().__init__()
        self._sso, self._folder, self._name, self._prefix = sso, folder, name, prefix
        self._count = count
        self.acknowledged = set()

    def run(self):
        for number in range(self._count):
            token = access_token(f"{self._name}{number}")
            file = self._folder / f"{self._name}{number}.json"
            file.write_text(json.dumps(cache_of(token)))
            command = self._sso.arguments("import", "--json", "--format", "msal", file)
            done = subprocess.run([*self._prefix, *map(str, command)], capture_output=True, env=self._sso.environment)
            if done.returncode == DONE:
                self.acknowledged.add(token["secret"])
