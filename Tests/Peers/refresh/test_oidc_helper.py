# SPDX-License-Identifier: MIT
"""The program that reaches an authority for the tool: its location, its input and its exit."""

import base64
import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from held_provider import CLIENT, PERSON, HeldProvider
from sso_cache import DONE, STORAGE_OR_NETWORK, TOKEN_MARK, USAGE, SSOCache

NAME = "sso-cache-oidc"
SOON_SECONDS = 15


@pytest.fixture
def provider():
    provider = HeldProvider("http://127.0.0.1/staff")
    provider.release()
    return provider


@pytest.fixture
def sign_in(sso, provider, server):
    """Signs the user in, with an access token of an age in seconds."""

    def take(age):
        sso.take(provider.cache_of_sign_in(PERSON, CLIENT, server.host, age=age))

    return take


@pytest.fixture
def arguments(authority):
    return ["--client-id", CLIENT, "--account", PERSON.uid, "--authority", authority, "--scope", "api"]


@pytest.fixture
def alone(tool, group, tmp_path):
    """The tool alone in a directory."""
    (tmp_path / "bin").mkdir()
    return SSOCache(shutil.copy(tool, tmp_path / "bin"), group)


@pytest.fixture
def program(tool):
    """The program at its place beside the tool."""
    return Path(tool).parent / NAME


def script(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def children(process):
    found = []
    for thread in Path(f"/proc/{process}/task").iterdir():
        try:
            found += map(int, (thread / "children").read_text().split())
        except (FileNotFoundError, ProcessLookupError):  # it has ended
            continue
    return found


def open_files(process):
    """The target of each descriptor of a process."""
    found = {}
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        try:
            found[int(descriptor.name)] = os.readlink(descriptor)
        except FileNotFoundError:  # it was closed
            continue
    return found


def within(seconds, is_so):
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.02)
    return is_so()


@pytest.mark.parametrize("folder", ["bin", "libexec"])
def test_it_is_found_beside_the_tool_however_the_tool_is_called(
    sign_in, alone, group, program, arguments, tmp_path, folder
):
    sign_in(age=7200)
    (tmp_path / folder).mkdir(exist_ok=True)
    shutil.copy(program, tmp_path / folder)
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere/sso-cache"
    link.symlink_to(alone.tool)
    assert SSOCache(str(link), group).do("token", *arguments)["source"] == "refresh"


def test_without_it_the_tool_names_the_missing_program(sign_in, alone, arguments, provider):
    sign_in(age=7200)
    outcome = alone.run("token", *arguments, "--json")
    assert (outcome.status, outcome.error) == (STORAGE_OR_NETWORK, "networkError")
    assert NAME in outcome.stderr and "Scripts/install" in outcome.stderr
    assert provider.token_requests == []


def test_one_that_does_not_start_is_named(sign_in, alone, arguments, tmp_path):
    sign_in(age=7200)
    script(tmp_path / "bin" / NAME, "echo no such library >&2; exit 127")
    outcome = alone.run("token", *arguments, "--json")
    assert (outcome.status, outcome.error) == (STORAGE_OR_NETWORK, "networkError")
    assert str(tmp_path / "bin" / NAME) in outcome.stderr


def test_one_on_the_path_or_in_the_working_directory_is_not_started(
    sign_in, alone, arguments, tmp_path, monkeypatch
):
    sign_in(age=7200)
    script(tmp_path / "work" / NAME, f"touch {tmp_path}/started")
    monkeypatch.chdir(tmp_path / "work")
    elsewhere = alone.with_environment(PATH=f"{tmp_path}/work:.:{os.environ['PATH']}")
    assert elsewhere.fail(STORAGE_OR_NETWORK, "token", *arguments) == "networkError"
    assert not (tmp_path / "started").exists()


def test_one_beside_the_folder_of_an_unpacked_tool_is_not_started(
    sign_in, tool, group, arguments, tmp_path
):
    sign_in(age=7200)
    (tmp_path / "unpacked").mkdir()
    unpacked = SSOCache(shutil.copy(tool, tmp_path / "unpacked"), group)
    script(tmp_path / "libexec" / NAME, f"touch {tmp_path}/started")
    assert unpacked.fail(STORAGE_OR_NETWORK, "token", *arguments) == "networkError"
    assert not (tmp_path / "started").exists()


def test_it_is_not_started_for_a_cached_token(sign_in, alone, arguments, tmp_path):
    sign_in(age=0)
    script(tmp_path / "bin" / NAME, f"touch {tmp_path}/started")
    assert alone.do("token", *arguments)["source"] == "cache"
    assert not (tmp_path / "started").exists()


@pytest.fixture
def running_helper(sso, sign_in, provider, arguments):
    """The tool and the program that it has started, whose request the provider holds."""
    sign_in(age=7200)
    provider.gate.clear()
    command = sso.arguments("token", "--json", *arguments)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert provider.arrived.wait(SOON_SECONDS)
    [child] = children(process.pid)
    yield process, child
    process.kill()
    process.communicate()


def test_its_arguments_and_environment_have_no_token(running_helper, provider):
    process, child = running_helper
    seen = Path(f"/proc/{child}")
    for name in ("cmdline", "environ"):
        assert TOKEN_MARK.encode() not in (seen / name).read_bytes()
    files = open_files(child)
    assert files[0].startswith("pipe:") and files[1].startswith("pipe:")
    assert not [path for number, path in files.items() if number > 2 and path.startswith("/") and
                not path.startswith("/dev/")], "a file of the tool's is open in it"
    provider.gate.set()
    stdout, _ = process.communicate(timeout=SOON_SECONDS)
    assert process.returncode == DONE and TOKEN_MARK in stdout


def test_it_exits_with_the_tool(running_helper):
    process, child = running_helper
    process.kill()
    process.wait()
    assert within(SOON_SECONDS, lambda: not Path(f"/proc/{child}/exe").exists())


def test_a_killed_helper_is_a_network_error(running_helper):
    process, child = running_helper
    os.kill(child, 9)
    stdout, stderr = process.communicate(timeout=SOON_SECONDS)
    assert (process.returncode, stdout) == (STORAGE_OR_NETWORK, "")
    assert '"networkError"' in stderr


@pytest.mark.slow
def test_a_helper_that_hangs_at_a_second_request_has_what_is_left_of_the_calls_time(
        sso, sign_in, provider, server, alone, arguments, tmp_path):
    """The first request takes 15 s, and another app stores another refresh token meanwhile, which is tried, too."""
    sign_in(age=7200)
    newer, refusal = tmp_path / "newer.json", tmp_path / "refusal.json"
    newer.write_text(json.dumps(provider.cache_of_sign_in(PERSON, CLIENT, server.host)))
    refusal.write_text(json.dumps({"status": 400, "body": base64.b64encode(b'{"error": "invalid_grant"}').decode()}))
    first = tmp_path / "first"
    stored = shlex.join(sso.arguments("import", "--format", "msal", "--replace", "--yes", newer))
    script(tmp_path / "bin" / NAME,
           f"[ -e {first} ] && exec sleep 300\ntouch {first}\nsleep 15\n{stored} >&2\ncat {refusal}")
    start = time.monotonic()
    outcome = subprocess.run(alone.arguments("token", "--json", *arguments), env=alone.environment, check=False,
                             capture_output=True, text=True, timeout=90)
    assert outcome.returncode == STORAGE_OR_NETWORK and "did not end in time" in outcome.stderr, outcome
    assert time.monotonic() - start < 42


def test_time_in_which_it_is_stopped_does_not_count(program, provider, authority):
    provider.gate.clear()
    request = {"authority": authority, "headers": [], "limit": "3000", "reserve": "1000",
               "body": "grant_type=refresh_token&refresh_token=unknown"}
    helper = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    helper.stdin.write(json.dumps(request) + "\n")
    helper.stdin.flush()
    assert provider.arrived.wait(SOON_SECONDS)
    helper.send_signal(signal.SIGSTOP)
    provider.gate.set()
    time.sleep(4)
    helper.send_signal(signal.SIGCONT)
    assert "status" in json.load(helper.stdout)
    helper.communicate(timeout=SOON_SECONDS)


@pytest.mark.parametrize("text", ["", "{}\n", "nonsense\n", '{"authority":"http://id.contoso.com"}\n'])
def test_by_itself_it_names_the_program_that_starts_it(program, text):
    done = subprocess.run([program], input=text, capture_output=True, text=True, timeout=SOON_SECONDS)
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert "sso-cache starts this program" in done.stderr
