# SPDX-License-Identifier: MIT
"""A refresh token that an authority has sent is stored, whatever ends the tool or whoever reads its output."""

import contextlib
import functools
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from held_provider import SOON_SECONDS, started
from sso_cache import CANCELLED, DONE
from terminal import Terminal

CTRL_C = "\x03"

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


@pytest.mark.parametrize("number", [
    signal.SIGALRM, signal.SIGUSR1, signal.SIGXCPU, signal.SIGPROF, signal.SIGPWR, signal.SIGRTMIN, signal.SIGRTMAX])
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
    for number in [*SIGNALS, signal.SIGPIPE, signal.SIGIO]:
        os.kill(helper, number)
    provider.gate.set()
    assert process.communicate(timeout=SOON_SECONDS)[0] and process.returncode == DONE
    assert is_signed_in()
