# SPDX-License-Identifier: MIT
"""What a process still holds in its memory, and so in a core dump, of tokens that it has released."""

import os

import pytest

from people import ADA
from secret_items import search
from unified_cache import access_token, cache_of
from watcher import Watcher

# Has the C library overwrite whatever is freed, in every size of block.
OVERWRITING = {"GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"}


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
        assert held(watcher.pid, {ADA.username, *secrets}) == {ADA.username}
