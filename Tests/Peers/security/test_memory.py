# SPDX-License-Identifier: MIT
"""Released tokens in a process's memory, and so in a core dump."""

import fcntl
import os
import subprocess
import time
from pathlib import Path

import pytest

from people import ADA
from repository import SUPPORT
from secret_items import search
from unified_cache import access_token, cache_of
from watcher import LIMIT_SECONDS, Watcher

# Makes the C library overwrite all freed memory, in every size of block.
OVERWRITING = {"GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"}


# The number of write(2).
WRITE = {"x86_64": "1", "aarch64": "64"}[os.uname().machine]

# The time after which a notified process has processed a change.
REST_SECONDS = 5


def held(pid, texts):
    """The texts that are in a process's writable memory, which a core dump contains."""
    found = set()
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            addresses, permissions = line.split()[:2]
            if not permissions.startswith("rw"):
                continue
            start, end = (int(address, 16) for address in addresses.split("-"))
            try:
                memory.seek(start)
                content = memory.read(end - start)
            except OSError:  # the kernel's own pages
                continue
            found |= {text for text in texts if text.encode() in content}
    return found


def secrets_at_rest(pid, texts, expected):
    """The secrets in memory, once they are the expected ones, or after the time limit.

    An earlier scan may find tokens that are in use at that moment; secrets that are not wiped remain.
    """
    end = time.monotonic() + REST_SECONDS
    while (found := held(pid, texts)) != expected and time.monotonic() < end:
        time.sleep(0.05)
    return found


def tokens(cache):
    """Its tokens except ID tokens, which accounts hold for their claims."""
    return {entry["secret"] for section in ("AccessToken", "RefreshToken") for entry in cache[section].values()}


@pytest.fixture
def password(sso, bus):
    """The password of the group's collection, once the group is created."""

    def read():
        [key] = search(bus, kind="group-key", group=sso.group)
        return key.get_secret().decode()

    return read


def test_released_tokens_and_passwords_are_gone_if_freed_memory_is_overwritten(sso, daemon, password):
    first, second = cache_of(access_token("User.Read")), cache_of(access_token("Mail.Read"))
    sso.take(first)
    secrets = tokens(first) | tokens(second) | {password()}
    daemon.restart()  # so that the group has to be opened, with its password
    with Watcher(sso.with_environment(**OVERWRITING)) as watcher:
        watcher.wait_for("account", lambda: ADA.identifier in watcher.accounts)
        sso.take(second)
        watcher.wait_until_reported("tokensChanged")
        assert secrets_at_rest(watcher.pid, {ADA.username, *secrets}, {ADA.username}) == {ADA.username}


@pytest.fixture(scope="session")
def kept_memory(tmp_path_factory):
    """Variables for a program that never reuses memory: what it frees without wiping remains."""
    library = tmp_path_factory.mktemp("memory") / "keep_freed_memory.so"
    source = SUPPORT / "keep_freed_memory.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-fno-builtin", "-o", library, source], check=True)
    return {"LD_PRELOAD": str(library)}


def test_a_groups_password_leaves_memory_once_the_group_is_unlocked(sso, daemon, password, kept_memory):
    sso.take(cache_of(access_token("User.Read")))
    secret = password()
    daemon.restart()
    with Watcher(sso.with_environment(**kept_memory)) as watcher:
        watcher.wait_for("account", lambda: ADA.identifier in watcher.accounts)
        assert held(watcher.pid, {ADA.username, secret}) == {ADA.username}


def test_a_new_groups_password_leaves_memory_once_the_group_is_created(sso, password, kept_memory):
    arguments = sso.arguments("group create")
    with Stuck(arguments, sso.environment | kept_memory) as made:
        assert held(made.pid, {sso.group, password()}) == {sso.group}


class Stuck:
    """A program that has produced its first output, which is not read yet."""

    def __init__(self, arguments, environment):
        self._reader, writer = os.pipe()
        os.write(writer, bytes(fcntl.fcntl(writer, fcntl.F_GETPIPE_SZ)))
        self._process = subprocess.Popen(arguments, stdout=writer, env=environment)
        os.close(writer)
        self.pid = self._process.pid

    def __enter__(self):
        end = time.monotonic() + LIMIT_SECONDS
        while not self._is_writing():
            assert self._process.poll() is None and time.monotonic() < end, "it wrote nothing"
            time.sleep(0.01)
        return self

    def __exit__(self, *_):
        with open(self._reader, "rb") as output:
            output.read()
        assert self._process.wait(LIMIT_SECONDS) == 0

    def _is_writing(self):
        """Whether a thread waits in write(2) to standard output."""
        for thread in Path(f"/proc/{self.pid}/task").iterdir():
            try:
                call = (thread / "syscall").read_text()
            except (FileNotFoundError, ProcessLookupError):  # it has ended
                continue
            if call.split()[:2] == [WRITE, "0x1"]:
                return True
        return False
