# SPDX-License-Identifier: MIT
"""Exports beside running libraries, and exports that are killed: nothing is lost on either side."""

import json
import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import secretstorage

from partner_caches import ALAN, AZURE_CLI, Library, signed_in
from secret_items import search
from sso_cache import SSOCache
from unified_cache import secrets

ROUNDS = 5
# msal-extensions tries each start with one item that all programs share, so that they can't start at once.
STARTING = threading.Lock()


class Program:
    """A program that stores tokens of its own, one after the other, with its cache in memory."""

    def __init__(self, library, **variables):
        self.library = library
        self.stored = 0
        partners = library.partners
        self._process = subprocess.Popen(
            partners.arguments(library.kind, library.where, "renew", library.client, "grace"),
            env=partners.environment(**variables), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._read()

    def _read(self):
        self.stored = json.loads(self._process.stdout.readline())["ready"]

    def renew(self):
        """Stores the next token; the count stays if another has the lock for too long."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self._read()

    def end(self):
        output, _ = self._process.communicate("", timeout=60)
        assert self._process.returncode == 0
        return json.loads(output)


def tokens_in(library):
    """The refresh tokens by user, as the item holds them."""
    stored = json.loads(library.partners.item_of(library.location).get_secret())
    return {entry["home_account_id"].split(".")[0]: entry["secret"] for entry in stored["RefreshToken"].values()}


def group_of(partners, name):
    """The tool on a group of its own."""
    return SSOCache(partners.sso.tool, f"{partners.sso.group}.{name}", [], partners.sso._environment)


@pytest.mark.parametrize("without", ["", "1"], ids=["portalocker", "exclusive files"])
@pytest.mark.parametrize("programs", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_in_rounds_of_writing_at_once_nothing_is_lost_on_either_side(partners, programs, without):
    def transfer(number):
        library = Library(partners, "msal-extensions")
        library.location = library.where = partners.home / f"contoso-{number}.bin"
        library.name = f"msal-extensions:{library.location}"
        with STARTING:
            library.sign_in("grace", "s3cr3t-grace")
            program = Program(library, PARTNER_WITHOUT_PORTALOCKER=without)
        sso = group_of(partners, f"n{number}")
        for count in range(ROUNDS):
            sso.take(signed_in(ALAN, f"s3cr3t-alan-{count}", age=1000 - count))
            export = subprocess.Popen(
                sso.arguments("export", "--to", library.name, "--client-id", AZURE_CLI, "--json"),
                env=sso.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(3):
                program.renew()
            output, errors = export.communicate(timeout=30)
            assert export.returncode == 0, errors
            assert json.loads(output)["written"] >= 1
            tokens = tokens_in(library)
            assert tokens == {"alan": f"s3cr3t-alan-{count}", "grace": f"s3cr3t-grace-{program.stored}"}
            assert secrets(sso.give(), "RefreshToken") == {f"s3cr3t-alan-{count}"}
        assert program.stored >= 1
        return program.end()["accounts"]

    with ThreadPoolExecutor(programs) as pool:
        for accounts in pool.map(transfer, range(programs)):
            assert accounts == ["alan@contoso.com", "grace@contoso.com"]


class Steps:
    """What shows from outside how far an export has come."""

    def __init__(self, library, sso):
        self._library = library
        self._sso = sso
        self._bus = secretstorage.dbus_init()
        self._item = library.partners.item_of(library.location)
        self._lock = f"{library.location}.lockfile"
        self._base = self._base_now()
        self._content = self._item.get_secret()
        self._time = library.location.stat().st_mtime_ns

    def _base_now(self):
        for item in search(self._bus, group=self._sso.group):
            if item.get_attributes()["key"].startswith("partner-"):
                return item.get_secret()
        return None

    def has_come_to(self, step):
        return {
            "the start": lambda: True,
            "the lock": lambda: os.path.exists(self._lock),
            "the base": lambda: self._base_now() != self._base,
            "the write": lambda: self._item.get_secret() != self._content,
            "the time": lambda: self._library.location.stat().st_mtime_ns != self._time,
            "the end": lambda: self._time != self._library.location.stat().st_mtime_ns
            and not os.path.exists(self._lock),
        }[step]()


STEPS = ["the start", "the lock", "the base", "the write", "the time", "the end"]


def kill_at(step, library, sso):
    """Begins an export and kills it as soon as it has come to a step; returns whether it was running then."""
    steps = Steps(library, sso)
    export = subprocess.Popen(
        sso.arguments("export", "--to", library.name, "--client-id", AZURE_CLI), env=sso.environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 10
    while not steps.has_come_to(step):
        assert time.monotonic() < end and export.poll() is None, step
    is_running = export.poll() is None
    export.send_signal(signal.SIGKILL)
    export.wait()
    return is_running


@pytest.mark.slow
def test_in_100_rounds_of_kills_at_each_step_nothing_is_lost_on_either_side(partners, extensions):
    """The lock file that a killed export leaves is taken away by the next one only."""
    sso = partners.sso
    killed = dict.fromkeys(STEPS, 0)
    renewed = "s3cr3t-grace"
    for count in range(100):
        step = STEPS[count % len(STEPS)]
        sso.take(signed_in(ALAN, f"s3cr3t-alan-{count}", age=1000 - count))
        killed[step] += kill_at(step, extensions, sso)
        tokens = tokens_in(extensions)
        assert tokens["grace"] == renewed
        assert tokens.get("alan", "s3cr3t-alan").startswith("s3cr3t-alan")
        assert secrets(sso.give(), "RefreshToken") == {f"s3cr3t-alan-{count}"}
        if count % 10 == 9:
            extensions.export("--account", ALAN.username)
            assert not os.path.exists(f"{extensions.location}.lockfile")
            renewed = f"s3cr3t-grace-{count}"
            tokens = extensions.sign_in("grace", renewed)["refresh_tokens"]
            assert tokens == {"alan": f"s3cr3t-alan-{count}", "grace": renewed}
    assert all(killed.values()), killed


@pytest.mark.parametrize("step", ["the base", "the write"])
def test_after_a_kill_an_account_that_is_removed_there_does_not_come_back(partners, extensions, step):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    if step == "the base":
        extensions.export()
        partners.sso.take(signed_in(ALAN, "s3cr3t-later", age=1))
    kill_at(step, extensions, partners.sso)
    extensions.sign_out("alan")
    assert extensions.export() == {"written": 0, "removed": 0, "signed_out_there": 1, "not_written": 0}
    assert extensions.run("state")["accounts"] == ["grace@contoso.com"]


def test_after_a_kill_before_the_write_the_account_is_written(partners, extensions):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    for step in ("the start", "the lock", "the base"):
        kill_at(step, extensions, partners.sso)
    extensions.export()
    assert extensions.run("state")["refresh_tokens"]["alan"] == "s3cr3t-alan"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_the_lock_is_held_leaves_no_lock_file(partners, extensions, number):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    sso = partners.sso
    steps = Steps(extensions, sso)
    export = subprocess.Popen(
        sso.arguments("export", "--to", extensions.name, "--client-id", AZURE_CLI), env=sso.environment)
    while not steps.has_come_to("the lock"):
        assert export.poll() is None
    export.send_signal(number)
    assert export.wait(timeout=20) == 128 + number
    assert not os.path.exists(f"{extensions.location}.lockfile")
    assert extensions.export()["signed_out_there"] == 0
    assert extensions.run("state")["refresh_tokens"]["alan"] == "s3cr3t-alan"


def test_a_write_over_the_export_by_a_program_that_has_not_read_it_is_merged_again(partners, extensions):
    """Such as one that has another companion file for the same item."""
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    sso = partners.sso
    steps = Steps(extensions, sso)
    before = partners.item_of(extensions.location).get_secret()
    export = subprocess.Popen(
        sso.arguments("export", "--to", extensions.name, "--client-id", AZURE_CLI, "--json"), env=sso.environment,
        stdout=subprocess.PIPE)
    while not steps.has_come_to("the end"):
        assert export.poll() is None
    partners.item_of(extensions.location).set_secret(before.replace(b"s3cr3t-grace", b"s3cr3t-later"), "text/plain")
    output, _ = export.communicate(timeout=20)
    assert json.loads(output)["written"] == 3
    assert extensions.run("state")["refresh_tokens"] == {"alan": "s3cr3t-alan", "grace": "s3cr3t-later"}
