# SPDX-License-Identifier: MIT
"""What a process still holds in its memory, and so in a core dump, of tokens that it has released."""

import fcntl
import os
import subprocess
import time
from pathlib import Path

import pytest

from people import ADA
from secret_items import search
from unified_cache import access_token, cache_of
from watcher import LIMIT_SECONDS, Watcher

# Has the C library overwrite whatever is freed, in every size of block.
OVERWRITING = {"GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"}


# The number of write(2).
WRITE = {"x86_64": "1", "aarch64": "64"}[os.uname().machine]

# By when a process that was told of a change is done with it.
REST_SECONDS = 5


def held(pid, texts):
    """Which of the texts stand in a process's writable memory, which is what a core dump has of its data."""
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


def held_at_rest(pid, texts, expected):
    """What is held when it is what is expected, or when time is up.

    A look that comes late may meet tokens that are in use just then; what is not wiped stays.
    """
    end = time.monotonic() + REST_SECONDS
    while (found := held(pid, texts)) != expected and time.monotonic() < end:
        time.sleep(0.05)
    return found


def tokens(cache):
    """Its tokens but for ID tokens, which accounts hold for their claims."""
    return {entry["secret"] for section in ("AccessToken", "RefreshToken") for entry in cache[section].values()}


@pytest.fixture
def password(sso, bus):
    """The password of the group's collection, once the group is made."""

    def read():
        [key] = search(bus, kind="group-key", group=sso.group)
        return key.get_secret().decode()

    return read


def test_released_tokens_and_passwords_are_gone_where_freed_memory_is_overwritten(sso, daemon, password):
    first, second = cache_of(access_token("User.Read")), cache_of(access_token("Mail.Read"))
    sso.take(first)
    secrets = tokens(first) | tokens(second) | {password()}
    daemon.restart()  # so that the group has to be opened, with its password
    with Watcher(sso.with_environment(**OVERWRITING)) as watcher:
        watcher.wait_for("account", lambda: ADA.identifier in watcher.accounts)
        sso.take(second)
        watcher.wait_until_told("tokensChanged")
        assert held_at_rest(watcher.pid, {ADA.username, *secrets}, {ADA.username}) == {ADA.username}


@pytest.fixture(scope="session")
def hoarding(tmp_path_factory):
    """Variables by which a program never uses memory again: what it frees and has not wiped stays."""
    library = tmp_path_factory.mktemp("hoard") / "hoard.so"
    source = Path(__file__).with_name("hoard.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-fno-builtin", "-o", library, source], check=True)
    return {"LD_PRELOAD": str(library)}


def test_the_password_of_a_group_is_gone_as_soon_as_it_has_opened_it(sso, daemon, password, hoarding):
    sso.take(cache_of(access_token("User.Read")))
    secret = password()
    daemon.restart()
    with Watcher(sso.with_environment(**hoarding)) as watcher:
        watcher.wait_for("account", lambda: ADA.identifier in watcher.accounts)
        assert held(watcher.pid, {ADA.username, secret}) == {ADA.username}


def test_the_password_that_a_group_is_made_with_is_gone_as_soon_as_it_is_made(sso, password, hoarding):
    arguments = sso.arguments("group create")
    with Stuck(arguments, sso.environment | hoarding) as made:
        assert held(made.pid, {sso.group, password()}) == {sso.group}


class Stuck:
    """A program that has come to its first output, which nobody reads yet."""

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
