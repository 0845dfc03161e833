# SPDX-License-Identifier: MIT
"""Apps in Flatpaks with runtime directories of their own: they share no lock with anybody."""

import json
import subprocess

import pytest

from sandboxes import flatpak
from secret_items import group_collections, search
from sso_cache import DONE, LIMIT_SECONDS, Outcome, check_contract
from unified_cache import access_token, cache_of, secrets, signed_in

PROCESSES = 4


@pytest.fixture
def together(sso, tmp_path, save):
    """Imports a cache each, at once and each in a sandbox of its own.

    Who was written over until the deadline was acknowledged nothing, and is started again.
    """

    def together(caches):
        left = dict(enumerate(caches))
        for _ in range(2):
            processes = {index: start(index, cache) for index, cache in left.items()}
            for index, process in processes.items():
                stdout, stderr = process.communicate(timeout=2 * LIMIT_SECONDS)
                outcome = Outcome(process.returncode, stdout, stderr, 0)
                check_contract("import", True, outcome)
                assert outcome.status == DONE or outcome.is_too_late, outcome
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
def test_four_sandboxes_that_start_on_a_fresh_group_make_one_that_opens_again(
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
