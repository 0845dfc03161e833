# SPDX-License-Identifier: MIT
"""A refresh token that an authority has sent is stored, whatever ends the tool or is odd in the response."""

import contextlib
import functools
import json
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest
import secretstorage

from people import Person
from providers import OpenIDProvider
from secret_items import search
from servers import LoopbackServer
from small_disk import empty, fill, small_disk
from sso_cache import CANCELLED, DONE, STORAGE_OR_NETWORK
from terminal import Terminal
from unified_cache import secrets

PERSON = Person("ada@example.org", "Ada Lovelace", "248289761001")
CLIENT = "desktop"
CTRL_C = "\x03"
SOON_SECONDS = 30


class HeldProvider(OpenIDProvider):
    """Holds every token request until the test releases it, and changes what it sends then."""

    def __init__(self):
        super().__init__()
        self.arrived, self.gate = threading.Event(), threading.Event()
        self.changes = {}

    def respond(self, url, form):
        status, body = super().respond(url, form)
        if url.endswith("/token"):
            self.arrived.set()
            self.gate.wait(60)
            body = {name: value for name, value in (body | self.changes).items() if value is not None}
        return status, body


@pytest.fixture
def provider():
    return HeldProvider()


@pytest.fixture
def authority(provider):
    with LoopbackServer(provider) as server:
        yield f"{server.address}/staff"
        provider.gate.set()


@pytest.fixture
def arguments(sso, provider, authority):
    """The command that refreshes; its user's refresh token is good for one use."""
    host = authority.removeprefix("http://").removesuffix("/staff")
    sso.take(provider.cache_of_sign_in(PERSON, CLIENT, host))
    return ["--client-id", CLIENT, "--account", PERSON.uid, "--authority", authority, "--scope", "api"]


@pytest.fixture
def is_signed_in(sso, provider, arguments):
    """Whether the stored refresh token is one that the provider takes."""

    def check():
        provider.changes = {}
        provider.gate.set()
        [stored] = secrets(sso.give(), "RefreshToken")
        again = sso.run("token", "--json", *arguments[:-1], "another")
        return again.status == DONE and secrets(sso.give(), "RefreshToken") != {stored}

    return check


def started(sso, arguments, provider, **options):
    """The tool, whose request the provider holds."""
    process = subprocess.Popen(
        sso.arguments("token", *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=sso.environment, **options)
    assert provider.arrived.wait(SOON_SECONDS)
    return process


SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("of", ["process", "process group"])
def test_a_signal_ends_the_tool_when_the_response_is_saved(
    sso, provider, arguments, is_signed_in, number, count, of
):
    """Twice and to the process group, too, in which the tool's helper is."""
    process = started(sso, ["--json", *arguments], provider, start_new_session=True)
    for _ in range(count):
        (os.killpg if of == "process group" else os.kill)(process.pid, number)
        time.sleep(0.2)
    assert process.poll() is None, process.communicate()
    provider.gate.set()
    stdout, stderr = process.communicate(timeout=SOON_SECONDS)
    assert (process.returncode, stdout) == (128 + number, "")
    assert '"cancelled"' in stderr and "the new token is in the cache" in stderr
    assert is_signed_in()


def test_a_signal_before_the_request_ends_the_tool_at_once(sso, provider, arguments, is_signed_in):
    holder = started(sso, ["--json", *arguments], provider)
    waiting = subprocess.Popen(
        sso.arguments("token", "--json", *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=sso.environment)
    time.sleep(1)
    waiting.send_signal(signal.SIGINT)
    stdout, stderr = waiting.communicate(timeout=10)
    assert (waiting.returncode, stdout) == (CANCELLED, "") and "in the cache" not in stderr
    provider.gate.set()
    holder.communicate(timeout=SOON_SECONDS)
    assert holder.returncode == DONE and is_signed_in()


def test_ctrl_c_at_a_terminal_says_what_is_waited_for(sso, provider, arguments, is_signed_in):
    terminal = Terminal(sso.arguments("token", *arguments), sso.environment)
    assert provider.arrived.wait(SOON_SECONDS)
    terminal.types(CTRL_C)
    terminal.shows("waiting for the authority, so that the sign-in is not lost")
    terminal.types(CTRL_C)
    provider.gate.set()
    assert terminal.end()[0] == CANCELLED
    assert is_signed_in()


def test_a_terminal_that_is_closed_loses_nothing(sso, provider, arguments, is_signed_in):
    master, slave = os.openpty()
    process = subprocess.Popen(
        sso.arguments("token", *arguments), stdin=slave, stdout=slave, stderr=slave, env=sso.environment,
        start_new_session=True, preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)))
    os.close(slave)
    assert provider.arrived.wait(SOON_SECONDS)
    os.close(master)
    time.sleep(0.5)
    provider.gate.set()
    process.wait(SOON_SECONDS)
    assert is_signed_in()


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_reader_that_is_gone_loses_nothing(sso, provider, arguments, is_signed_in, closed):
    process = started(sso, arguments, provider)
    getattr(process, closed).close()
    process.send_signal(signal.SIGTERM)
    time.sleep(1)
    provider.gate.set()
    process.wait(SOON_SECONDS)
    assert is_signed_in()


@pytest.mark.parametrize("number", [signal.SIGALRM, signal.SIGUSR1, signal.SIGXCPU])
def test_another_ending_signal_waits_for_the_response(sso, provider, arguments, is_signed_in, number):
    """To the process group, as timeout sends it."""
    process = started(sso, ["--json", *arguments], provider, start_new_session=True)
    os.killpg(process.pid, number)
    time.sleep(0.5)
    provider.gate.set()
    process.communicate(timeout=SOON_SECONDS)
    assert process.returncode == 128 + number and is_signed_in()


def test_a_caller_that_ignores_the_end_of_its_children_loses_nothing(sso, provider, arguments, is_signed_in):
    ignore = functools.partial(signal.signal, signal.SIGCHLD, signal.SIG_IGN)
    process = started(sso, ["--json", *arguments], provider, preexec_fn=ignore)
    provider.gate.set()
    stdout, stderr = process.communicate(timeout=SOON_SECONDS)
    assert process.returncode == DONE and json.loads(stdout)["source"] == "refresh", stderr
    assert is_signed_in()


def test_log_lines_that_nobody_reads_keep_no_token_from_being_saved(sso, provider, arguments, is_signed_in):
    process = started(sso, ["-v", "--json", *arguments], provider)
    filler = os.open(f"/proc/{process.pid}/fd/2", os.O_WRONLY | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(filler, b"x")
    os.close(filler)
    provider.gate.set()
    process.wait(SOON_SECONDS)
    assert process.returncode == DONE and is_signed_in()


def test_signals_to_the_helper_alone_lose_nothing(sso, provider, arguments, is_signed_in):
    process = started(sso, ["--json", *arguments], provider)
    children = Path(f"/proc/{process.pid}/task").glob("*/children")
    [helper] = [int(child) for file in children for child in file.read_text().split()]
    for number in SIGNALS:
        os.kill(helper, number)
    provider.gate.set()
    assert process.communicate(timeout=SOON_SECONDS)[0] and process.returncode == DONE
    assert is_signed_in()


def test_a_copy_that_another_program_makes_during_a_refresh_hides_no_token(
    sso, bus, group, provider, arguments, is_signed_in
):
    process = started(sso, ["--json", *arguments], provider)
    [item] = search(bus, kind="credentials", group=group)
    newer = item.get_secret().replace(b'"revision":1', b'"revision":100')
    secretstorage.get_collection_by_alias(bus, "login").create_item("Copy", item.get_attributes(), newer)
    provider.gate.set()
    assert process.communicate(timeout=SOON_SECONDS)[0] and process.returncode == DONE
    sso.do("doctor", "--fix", "--yes")
    assert is_signed_in()
    assert len(search(bus, kind="credentials", group=group)) == 1


@pytest.fixture(params=[True, False], ids=["shared locks", "own locks"])
def runtime(request, arguments, tmp_path, monkeypatch):
    """A small disk that holds the lock files: the folder that all apps share, or a runtime directory of the tool's own."""
    disk = Path(os.environ["XDG_RUNTIME_DIR"]) / "secret-store-cache"
    if not request.param:
        disk = tmp_path / "runtime"
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(disk))
    disk.mkdir(0o700, exist_ok=True)
    with small_disk(disk, "nr_inodes=60,"):
        yield disk


@pytest.mark.parametrize("lacks", ["space", "files"])
def test_a_runtime_directory_that_fills_up_during_a_refresh_loses_nothing(
    sso, provider, arguments, is_signed_in, runtime, lacks
):
    process = started(sso, ["--json", *arguments], provider)
    fill(runtime, lacks)
    provider.gate.set()
    stdout, stderr = process.communicate(timeout=SOON_SECONDS)
    assert (process.returncode, stderr) == (DONE, "") and stdout
    empty(runtime)
    assert is_signed_in()


@pytest.mark.parametrize("lacks", ["space", "write access"])
def test_a_runtime_directory_without_room_loses_nothing(sso, provider, arguments, is_signed_in, runtime, lacks):
    fill(runtime, lacks)
    provider.gate.set()
    outcome = sso.run("token", "--json", *arguments)
    assert (outcome.status, outcome.stderr) == (DONE, "")
    assert is_signed_in()


def test_without_room_for_lock_files_no_token_is_sent(sso, provider, arguments, is_signed_in, runtime):
    fill(runtime, "files")
    provider.gate.set()
    outcome = sso.run("token", "--json", *arguments)
    assert (outcome.status, outcome.error) == (STORAGE_OR_NETWORK, "storageFailed")
    assert "no space left" in outcome.stderr and str(runtime) in outcome.stderr
    assert provider.token_requests == []
    empty(runtime)
    assert is_signed_in()


@pytest.mark.parametrize("member", ["expires_in", "ext_expires_in", "refresh_in"])
@pytest.mark.parametrize("value", [-1, 2_145_916_800, 1e300, "-3600", "99999999999999999999", "NaN", True, [1]])
def test_an_odd_lifetime_is_replaced_with_a_warning(sso, provider, arguments, is_signed_in, member, value):
    provider.changes = {member: value}
    provider.gate.set()
    outcome = sso.run("token", "--json", *arguments)
    assert outcome.status == DONE and outcome.json["source"] == "refresh", outcome
    assert f"warning: the authority's response has an odd {member}" in outcome.stderr
    assert outcome.json["expires_on"] <= time.time() + 315_360_000
    assert is_signed_in()


@pytest.mark.parametrize(
    "changes",
    [{"id_token": "x"}, {"id_token": 1}, {"id_token": None}, {"scope": ["api"]}, {"token_type": 1}, {"foci": 1},
     {"foci": "1" * 900_000}, {"client_info": 1}, {"client_info": "x"}, {"expires_in": None}, {"expires_in": 0}],
    ids=lambda changes: str(changes)[:30])
def test_an_odd_response_keeps_the_sign_in(sso, provider, arguments, is_signed_in, changes):
    provider.changes = changes
    provider.gate.set()
    assert sso.run("token", "--json", *arguments).status == DONE
    assert is_signed_in()


def test_a_response_without_an_access_token_keeps_the_sign_in(sso, provider, arguments, is_signed_in):
    provider.changes = {"access_token": None}
    provider.gate.set()
    assert sso.fail(STORAGE_OR_NETWORK, "token", *arguments) == "serverError"
    assert is_signed_in()


# The deadline of 30 seconds is for the whole exchange.


@pytest.mark.slow
@pytest.mark.parametrize("at", ["configuration", "headers", "body"])
def test_a_server_that_sends_a_byte_a_second_ends_at_the_deadline(sso, provider, at):
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def respond(connection):
        with connection:
            try:
                request = connection.recv(65_536)
                if b"openid-configuration" in request and at != "configuration":
                    body = f'{{"issuer":"{address}","token_endpoint":"{address}/token"}}'
                    connection.sendall(
                        f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
                    return
                connection.sendall(b"HTTP/1.1 200 OK\r\n")
                if at == "body":
                    connection.sendall(b"Content-Length: 100000\r\n\r\n")
                else:
                    connection.sendall(b"X-Slow: ")
                while True:
                    connection.sendall(b" ")
                    time.sleep(1)
            except OSError:
                return

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=respond, args=(connection,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    host = address.removeprefix("http://")
    with listener:
        sso.take(provider.cache_of_sign_in(PERSON, CLIENT, host, realm=""))
        options = ["--client-id", CLIENT, "--account", PERSON.uid, "--authority", address, "--scope", "api"]
        process = subprocess.Popen(
            sso.arguments("token", "--json", *options), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=sso.environment)
        start = time.monotonic()
        stdout, stderr = process.communicate(timeout=45)
        # A third of the limit is kept for the token request.
        limit = 20 if at == "configuration" else 30
        assert time.monotonic() - start > limit - 1, "it ended before the deadline"
        assert (process.returncode, stdout) == (STORAGE_OR_NETWORK, "") and '"networkError"' in stderr


@pytest.mark.slow
def test_the_deadline_is_for_all_requests_of_a_call(sso, provider, arguments):
    """A server error is answered by a second request, which has what is left of the time."""
    first = threading.Event()

    def respond(url, form, own=provider.respond):
        if url.endswith("/token"):
            if first.is_set():
                provider.gate.wait(60)
            first.set()
            time.sleep(15)
            return 500, {}
        return own(url, form)

    provider.respond = respond
    began = time.monotonic()
    done = subprocess.run(
        sso.arguments("token", "--json", *arguments), capture_output=True, text=True, env=sso.environment, timeout=45)
    assert (done.returncode, done.stdout) == (STORAGE_OR_NETWORK, "") and '"networkError"' in done.stderr
    assert time.monotonic() - began < 40


@pytest.mark.slow
def test_no_token_is_sent_with_too_little_time_for_its_response(sso, provider, arguments, is_signed_in):
    """The first request is answered late by a server error; the second one would have two seconds."""

    def respond(url, form, own=provider.respond):
        if url.endswith("/token") and not provider.gate.is_set():
            provider.token_requests.append(form)
            time.sleep(22)
            return 500, {}
        return own(url, form)

    provider.respond = respond
    done = subprocess.run(
        sso.arguments("token", "--json", *arguments), capture_output=True, text=True, env=sso.environment, timeout=45)
    assert done.returncode == STORAGE_OR_NETWORK and '"networkError"' in done.stderr
    assert len(provider.token_requests) == 1
    assert is_signed_in()
