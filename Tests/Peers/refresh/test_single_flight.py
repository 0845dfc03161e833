# SPDX-License-Identifier: MIT
"""One refresh at a time, also if the holder of the lease is killed or frozen."""

import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from broken_setups import change_owner
from held_provider import CLIENT, PERSON
from providers import OpenIDProvider
from sso_cache import DONE, INTERACTION_REQUIRED, STORAGE_OR_NETWORK, Outcome, check_contract
from unified_cache import secrets

# Other processes wait half a minute for a lease; a call that ends sooner did not wait for the timeout.
SOON_SECONDS = 15


class SlowProvider(OpenIDProvider):
    """Holds the first token request until the test releases it, before or after its processing."""

    def __init__(self, issuer):
        super().__init__(issuer)
        self.arrived, self._gate = threading.Event(), threading.Event()
        self.redeems_first = True
        self._lock = threading.Lock()

    def release(self):
        self._gate.set()

    def respond(self, url, form):
        if not url.endswith("/token"):
            return super().respond(url, form)
        with self._lock:
            is_first = not self.arrived.is_set()
            response = super().respond(url, form) if not is_first or self.redeems_first else None
            self.arrived.set()
        if is_first:
            self._gate.wait(60)
        if response:
            return response
        with self._lock:
            return super().respond(url, form)


@pytest.fixture
def provider():
    return SlowProvider("http://127.0.0.1/staff")


@pytest.fixture
def signed_in(sso, provider, server):
    """A group with the user signed in and an expired access token."""
    sso.take(provider.cache_of_sign_in(PERSON, CLIENT, server.host))
    return sso


class Refresh:
    """The tool, acquiring a token in the background."""

    def __init__(self, sso, authority):
        command = sso.arguments(
            "token", "--json", "--client-id", CLIENT, "--account", PERSON.uid, "--authority", authority,
            "--scope", "api")
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=sso.environment)

    def send(self, number):
        self.process.send_signal(number)

    def end(self):
        stdout, stderr = self.process.communicate(timeout=SOON_SECONDS)
        outcome = Outcome(self.process.returncode, stdout, stderr, 0)
        check_contract("token", True, outcome)
        return outcome


def is_waiting(refresh):
    """Whether a process still runs after a second."""
    time.sleep(1)
    return refresh.process.poll() is None


@pytest.fixture
def holder(signed_in, authority, provider):
    """A process that has the lease and has sent its request."""
    made = []

    def start(**options):
        provider.redeems_first = options.get("redeems", True)
        made.append(Refresh(signed_in, authority))
        assert provider.arrived.wait(SOON_SECONDS)
        return made[0]

    yield start
    for refresh in made:
        refresh.process.kill()
        refresh.process.wait()


def test_a_killed_holder_releases_its_lease(signed_in, holder, provider, authority):
    first = holder(redeems=False)
    second = Refresh(signed_in, authority)
    assert is_waiting(second) and len(provider.token_requests) == 0
    first.send(signal.SIGKILL)
    outcome = second.end()
    assert outcome.status == DONE and outcome.json["source"] == "refresh", outcome
    assert len(provider.token_requests) == 1


def test_a_frozen_holder_keeps_its_lease_and_refreshes_for_all_when_it_resumes(
    signed_in, holder, provider, authority
):
    first = holder()
    first.send(signal.SIGSTOP)
    others = [Refresh(signed_in, authority) for _ in range(3)]
    provider.release()
    assert all(is_waiting(other) for other in others)
    first.send(signal.SIGCONT)
    outcomes = [refresh.end() for refresh in [first, *others]]
    assert [outcome.status for outcome in outcomes] == [DONE] * 4, outcomes
    assert [outcome.json["source"] for outcome in outcomes] == ["refresh", "cache", "cache", "cache"]
    assert len({outcome.json["access_token"] for outcome in outcomes}) == 1
    assert len(provider.token_requests) == 1


def test_a_token_redeemed_by_a_killed_holder_is_lost_and_no_process_hangs(
    signed_in, holder, provider, authority
):
    """The user has to sign in again: the new token was sent to a process that was killed."""
    first = holder()
    second = Refresh(signed_in, authority)
    assert is_waiting(second)
    first.send(signal.SIGKILL)
    outcome = second.end()
    assert (outcome.status, outcome.error) == (INTERACTION_REQUIRED, "interactionRequired"), outcome


def test_a_sign_out_during_a_refresh_is_final(signed_in, holder, provider, authority):
    first = holder()
    signed_in.do("sign-out", "--account", PERSON.uid, "--everywhere", "--yes")
    provider.release()
    outcome = first.end()
    assert (outcome.status, outcome.error) == (INTERACTION_REQUIRED, "interactionRequired"), outcome
    left = signed_in.give()
    assert [secrets(left, name) for name in ("AccessToken", "RefreshToken", "IdToken")] == [set()] * 3
    assert signed_in.accounts() == []
    assert Refresh(signed_in, authority).end().status == INTERACTION_REQUIRED
    assert len(provider.token_requests) == 1


def test_a_sign_in_during_a_refresh_remains(signed_in, holder, provider, authority):
    """The user who signed in during the refresh has the newer refresh token."""
    first = holder()
    newer = provider.issue_refresh_token(PERSON, CLIENT)
    cache = signed_in.give()
    for entry in cache["RefreshToken"].values():
        entry["secret"] = newer
    signed_in.take(cache, "--replace")
    provider.release()
    assert first.end().status == DONE
    assert secrets(signed_in.give(), "RefreshToken") == {newer}


# The runtime directory.


def sandboxed(sso, folder):
    """The tool with its own runtime directory."""
    folder.mkdir(mode=0o700)
    return sso.with_environment(XDG_RUNTIME_DIR=str(folder))


def test_a_sandboxed_app_whose_token_another_redeemed_uses_the_new_token(
    signed_in, holder, provider, authority, tmp_path
):
    """They share no locks: both send the token, and the second is refused."""
    first = holder(redeems=False)
    second = Refresh(sandboxed(signed_in, tmp_path / "run"), authority).end()
    assert second.status == DONE and second.json["source"] == "refresh", second
    provider.release()
    outcome = first.end()
    assert outcome.status == DONE and outcome.json["source"] == "cache", outcome
    assert outcome.json["access_token"] == second.json["access_token"]


def test_a_sandboxed_app_whose_token_another_redeemed_for_another_scope_redeems_the_new_one(
    signed_in, holder, provider, authority, tmp_path
):
    first = holder(redeems=False)
    options = ["--client-id", CLIENT, "--account", PERSON.uid, "--authority", authority]
    sandboxed(signed_in, tmp_path / "run").do("token", *options, "--scope", "another")
    provider.release()
    outcome = first.end()
    assert outcome.status == DONE and outcome.json["source"] == "refresh", outcome
    redeemed = [request["refresh_token"] for request in provider.token_requests]
    assert len(redeemed) == 3 and redeemed[0] == redeemed[1] != redeemed[2]


def not_to_be_written_to(_):
    return Path("/sys/kernel")


def open_to_others(folder):
    (folder / "secret-store-cache").mkdir()
    (folder / "secret-store-cache").chmod(0o777)
    return folder


def open_to_the_group(folder):
    (folder / "secret-store-cache").mkdir()
    (folder / "secret-store-cache").chmod(0o770)
    return folder


def of_another(folder):
    (folder / "secret-store-cache").mkdir(mode=0o700)
    change_owner(folder / "secret-store-cache")
    return folder


def a_link(folder):
    (folder / "elsewhere").mkdir(mode=0o700)
    (folder / "secret-store-cache").symlink_to(folder / "elsewhere")
    return folder


@pytest.mark.parametrize("make", [not_to_be_written_to, open_to_others, open_to_the_group, of_another,
                                  a_link],
                         ids=lambda make: make.__name__)
def test_without_a_lock_folder_the_cache_is_read_and_nothing_is_written_or_redeemed(
    signed_in, provider, authority, tmp_path, make
):
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    provider.release()
    token = Refresh(signed_in, authority).end().json["access_token"]
    lockless = signed_in.with_environment(XDG_RUNTIME_DIR=str(make(folder)))
    options = ["--client-id", CLIENT, "--account", PERSON.uid, "--authority", authority]
    assert lockless.do("token", *options, "--scope", "api")["access_token"] == token
    assert [account["identifier"] for account in lockless.accounts()] == [PERSON.uid]
    before, requests = signed_in.give(), len(provider.token_requests)
    assert lockless.fail(STORAGE_OR_NETWORK, "token", *options, "--scope", "another") == "storageFailed"
    assert len(provider.token_requests) == requests
    sign_out = ["sign-out", "--account", PERSON.uid, "--everywhere", "--yes"]
    assert lockless.fail(STORAGE_OR_NETWORK, *sign_out) == "storageFailed"
    assert signed_in.give() == before
