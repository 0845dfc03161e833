# SPDX-License-Identifier: MIT
"""The sources of the key for `sso-cache run`, and the places that never hold it."""

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from headless import KEY, Headless, finished, pipe_of, until
from sso_cache import BAD_INPUT, DONE, NOT_ENTITLED, STORAGE_OR_NETWORK, USAGE
from terminal import Terminal


@pytest.fixture
def headless(tool):
    """A home without a session."""
    headless = Headless(tool)
    yield headless
    headless.remove()


def at_terminal(headless, *command):
    """A user at a terminal who starts a run."""
    return Terminal(headless.arguments(*command), headless.environment)


# The terminal.


def test_the_terminal_asks_twice_for_a_new_keyrings_key_and_once_later(headless):
    first = at_terminal(headless, "echo", "done")
    first.enters("New keyring's key: ", f"{KEY}\n")
    first.enters("The same once more: ", f"{KEY}\n")
    status, screen = first.end()
    assert (status, screen.split()) == (DONE, ["done"])
    second = at_terminal(headless, "echo", "again")
    second.enters("Keyring's key: ", f"{KEY}\n")
    status, screen = second.end()
    assert (status, screen.split()) == (DONE, ["again"])
    assert headless.run("true").returncode == DONE


def test_two_different_keys_create_no_keyring(headless):
    terminal = at_terminal(headless, "true")
    terminal.enters("New keyring's key: ", f"{KEY}\n")
    terminal.enters("The same once more: ", "another\n")
    status, screen = terminal.end()
    assert status == BAD_INPUT and "differ" in screen
    assert sorted(headless.files()) == ["lock"]


@pytest.mark.parametrize(
    "typed, status", [("\n", BAD_INPUT), ("\x04", BAD_INPUT), ("\x03", 130), ("\x1c", 131)])
def test_the_user_can_cancel_the_prompt(headless, typed, status):
    terminal = at_terminal(headless, "true")
    terminal.enters("New keyring's key: ", typed)
    assert terminal.end()[0] == status
    assert headless.is_clean()


TELL_INTERRUPTS = """
import os, signal, sys
if "background" in sys.argv:
    os.setpgid(0, 0)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
print("ready", flush=True)
# In the background it never comes.
came = signal.sigtimedwait({signal.SIGINT}, 2 if "background" in sys.argv else 20)
print("from", came and came.si_pid)
"""


@pytest.mark.parametrize("place, sender", [("foreground", "0"), ("background", "None")])
def test_ctrl_c_reaches_a_command_in_the_foreground_from_the_terminal_alone(headless, place, sender):
    terminal = at_terminal(headless, sys.executable, "-c", TELL_INTERRUPTS, place)
    terminal.enters("New keyring's key: ", f"{KEY}\n")
    terminal.enters("The same once more: ", f"{KEY}\n")
    terminal.shows("ready")
    terminal.types("\x03")
    status, screen = terminal.end()
    assert status == DONE and f"from {sender}" in screen, screen


def test_ctrl_z_stops_the_run_and_returns_to_the_shell(headless):
    shell = ["bash", "--norc", "--noprofile", "-i"]
    terminal = at_terminal(headless, *shell)
    terminal.enters("New keyring's key: ", f"{KEY}\n")
    terminal.enters("The same once more: ", f"{KEY}\n")
    inner = headless.home / "inner"
    terminal.shows("bash")
    terminal.types(
        f"PS1=; {headless.tool} run --keyring {inner} --key-fd 3 -- "
        f"sh -c 'echo be''gun; read line; echo go''ne' 3< <(echo key)\n")
    # Nothing starts after that: a shell that is starting a process would wait for its stopped child.
    terminal.shows("begun")
    terminal.types("\x1a")
    terminal.shows("Stopped")
    terminal.types("fg\n")
    terminal.shows("read line")  # which bash repeats when it goes on
    terminal.types("\n")
    terminal.shows("gone")
    terminal.types("exit 3\n")
    assert terminal.end()[0] == 3
    assert headless.is_clean()


def test_without_a_terminal_there_is_no_prompt(headless):
    done = headless.run_without_key("true")
    assert done.returncode == USAGE
    assert "--credential or --key-fd" in done.stderr


# A file descriptor.


@pytest.mark.parametrize("key", ["", "\n", "a\0b", "x" * 4097, "x" * 4097 + "\n", "x" * 4096 + "\n\n"])
def test_an_invalid_key_is_refused(headless, key):
    done = headless.run("true", key=key)
    assert done.returncode == BAD_INPUT, done
    assert sorted(headless.files()) == ["lock"]


@pytest.mark.parametrize("key", ["x" * 4096, "ключ", b"\xff\xfe", " a b\tc ", "two\nlines"])
def test_a_key_is_read_verbatim_except_for_a_final_line_feed(headless, key):
    assert headless.run("true", key=key).returncode == DONE
    line = key + (b"\n" if isinstance(key, bytes) else "\n")
    assert headless.run("true", key=line).returncode == DONE
    assert headless.run("true", key=key[:-1]).returncode == NOT_ENTITLED


def test_a_wrong_key_is_an_error_and_changes_nothing(headless):
    headless.run("true")
    before = headless.files()
    done = headless.run("true", key="wrong")
    assert done.returncode == NOT_ENTITLED
    assert "does not open the keyring" in done.stderr and "wrong" not in done.stderr
    assert headless.files() == before
    assert headless.is_clean()
    assert headless.run("true").returncode == DONE


def test_a_file_on_a_disk_is_refused_and_one_without_a_name_is_not(headless, tmp_path):
    path = tmp_path / "key"
    path.write_text(KEY)
    with open(path, "rb") as file:
        def run():
            options = ["--key-fd", file.fileno()]
            return headless.run_without_key("true", options=options, pass_fds=[file.fileno()])

        refused = run()
        assert refused.returncode == USAGE and "in clear" in refused.stderr
        path.unlink()
        assert run().returncode == DONE
    assert headless.run("true").returncode == DONE


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_here_string_and_a_shells_substitution_are_accepted(headless, shell):
    for redirection in (f"3<<<'{KEY}'", f"3< <(printf %s '{KEY}')"):
        script = f"'{headless.tool}' run --key-fd 3 -- true {redirection}"
        environment = headless.environment | {"PATH": "/usr/bin:/bin"}
        assert subprocess.run([shell, "-c", script], env=environment).returncode == DONE


def test_the_key_may_come_from_standard_input_which_is_then_empty(headless):
    with pipe_of(KEY) as key:
        done = headless.run_without_key("wc", "-c", options=["--key-fd", 0], stdin=key)
    assert (done.returncode, done.stdout.strip()) == (DONE, "0")


@pytest.mark.parametrize("number", ["1", "2", "77", "-1", "x"])
def test_a_descriptor_from_which_no_key_can_be_read_is_a_usage_error(headless, number):
    assert headless.run_without_key("true", options=[f"--key-fd={number}"]).returncode == USAGE


def test_a_terminal_as_the_descriptor_is_refused(headless):
    master, slave = pty.openpty()
    done = headless.run_without_key("true", options=["--key-fd", slave], pass_fds=[slave])
    os.close(master)
    os.close(slave)
    assert done.returncode == USAGE and "would show the key" in done.stderr


# A systemd credential.


@pytest.fixture
def credentials():
    """A directory in memory, as systemd creates it for a service."""
    directory = Path(tempfile.mkdtemp(dir="/dev/shm"))
    yield directory
    shutil.rmtree(directory)


def with_credential(headless, directory, name="keyring-key"):
    environment = headless.environment | {"CREDENTIALS_DIRECTORY": str(directory)}
    return headless.run_without_key("true", options=["--credential", name], env=environment)


def test_a_credential_is_read_from_memory(headless, credentials):
    (credentials / "keyring-key").write_text(KEY)
    (credentials / "keyring-key").chmod(0o400)
    assert with_credential(headless, credentials).returncode == DONE
    assert headless.run("true").returncode == DONE


def test_a_credential_that_is_not_systemds_is_refused(headless, credentials, tmp_path):
    (tmp_path / "keyring-key").write_text(KEY)
    (tmp_path / "keyring-key").chmod(0o400)
    if os.stat("/dev/shm").st_dev != tmp_path.stat().st_dev:
        assert with_credential(headless, tmp_path).returncode == USAGE
    (credentials / "open").write_text(KEY)
    (credentials / "open").chmod(0o444)
    assert with_credential(headless, credentials, "open").returncode == USAGE
    (credentials / "link").symlink_to(tmp_path / "keyring-key")
    assert with_credential(headless, credentials, "link").returncode == STORAGE_OR_NETWORK
    assert with_credential(headless, credentials, "missing").returncode == STORAGE_OR_NETWORK
    for name in ("../keyring-key", "/etc/passwd", "", ".."):
        assert with_credential(headless, credentials, name).returncode == USAGE
    assert "login.keyring" not in headless.files()


def test_without_credentials_or_with_two_sources_nothing_is_started(headless, credentials):
    done = headless.run_without_key("true", options=["--credential", "keyring-key"])
    assert done.returncode == USAGE and "CREDENTIALS_DIRECTORY" in done.stderr
    with pipe_of(KEY) as key:
        both = ["--credential", "keyring-key", "--key-fd", key]
        assert headless.run_without_key("true", options=both, pass_fds=[key]).returncode == USAGE


# Places that never hold the key.


def memory(pid):
    """All memory that a process may read of its own; empty if reading is forbidden."""
    found = []
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as file:
            for start, end in re.findall(r"^([0-9a-f]+)-([0-9a-f]+) r[w-]", maps.read(), re.MULTILINE):
                try:
                    file.seek(int(start, 16))
                    found.append(file.read(int(end, 16) - int(start, 16)))
                except (OSError, ValueError, OverflowError):
                    continue
    except PermissionError:
        pass
    return b"".join(found)


def test_the_key_is_in_no_environment_argument_log_or_the_runs_memory(headless):
    key = "s3ldom-heard-of"
    process = headless.start("sh", "-c", "echo ready; exec sleep 600", key=key)
    assert process.stdout.readline() == "ready\n"
    pids = headless.all_processes()
    for pid in pids:
        for name in ("environ", "cmdline"):
            assert key.encode() not in Path(f"/proc/{pid}/{name}").read_bytes()
    # Only the daemon needs it, and keeps it in locked memory.
    for pid in set(pids) - {headless.daemon()}:
        assert key.encode() not in memory(pid)
    for path in headless.temporary.rglob("*"):
        assert not path.is_file() or key.encode() not in path.read_bytes()
    assert key.encode() not in b"".join(headless.files().values())
    process.terminate()
    finished(process)


def test_the_run_locks_the_key_into_memory_and_leaves_no_core_dump(headless, tmp_path):
    def allow_dumps():
        import resource
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    reader, writer = os.pipe()
    process = subprocess.Popen(
        headless.arguments("true", options=["--key-fd", reader]), env=headless.environment, pass_fds=[reader],
        cwd=tmp_path, preexec_fn=allow_dumps)
    os.close(reader)
    os.write(writer, KEY.encode())
    until(lambda: (headless.keyring / "lock").exists())
    # Its key is in memory that is locked, and not yet at its end.
    until(lambda: locked_kilobytes(process.pid) > 4)
    process.send_signal(signal.SIGXCPU)
    _, status = os.waitpid(process.pid, 0)
    process.returncode = -os.WTERMSIG(status)
    os.close(writer)
    assert os.WTERMSIG(status) == signal.SIGXCPU and not os.WCOREDUMP(status)
    assert list(tmp_path.iterdir()) == []


def locked_kilobytes(pid):
    [line] = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmLck:")]
    return int(line.split()[1])


@pytest.mark.parametrize("damage", ["emptied", "cut short", "overwritten"])
def test_a_damaged_keyring_is_not_replaced_by_one_with_another_key(headless, damage):
    assert headless.run("true").returncode == DONE
    file = headless.keyring / "keyrings/login.keyring"
    whole = file.read_bytes()
    file.write_bytes({"emptied": b"", "cut short": whole[:-20], "overwritten": bytes(len(whole))}[damage])
    before = sorted(headless.files())
    for key in (KEY, "another" * 5):
        done = headless.run("true", key=key)
        assert done.returncode == STORAGE_OR_NETWORK and "login.keyring" in done.stderr
        assert sorted(headless.files()) == before
    file.write_bytes(whole)
    assert headless.run("true").returncode == DONE


def test_what_is_advised_for_a_damaged_keyring_leads_to_a_run(headless):
    assert headless.run("true").returncode == DONE
    (headless.keyring / "keyrings/login.keyring").write_bytes(b"")
    said = headless.run("true").stderr
    assert f"move {headless.keyring} away" in said and "then run it again" in said
    assert "log out" not in said and "doctor" not in said
    headless.keyring.rename(headless.keyring.with_name("moved"))
    assert headless.run("true").returncode == DONE
