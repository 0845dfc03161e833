# SPDX-License-Identifier: MIT
"""Machines without a desktop session: `sso-cache run`."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headless import KEY, Headless, finished, pipe_of, state, until
from people import ADA
from sso_cache import (
    BAD_INPUT, DONE, LOCKED_OR_TIMED_OUT, NO_SERVICE, NOT_ENTITLED, STORAGE_OR_NETWORK, USAGE,
)
from unified_cache import signed_in

CLEAN = "the run left something behind"


@pytest.fixture
def headless(tool):
    """A home without a session."""
    headless = Headless(tool)
    yield headless
    headless.remove()


@pytest.fixture
def running(headless):
    """Starts a shell script in a run; it is running when this returns."""
    started = []

    def start(script, **settings):
        process = headless.start("sh", "-c", f"echo ready\n{script}", **settings)
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        finished(process)


# The keyring in successive runs.


def test_the_second_run_has_the_first_ones_accounts_in_an_empty_environment(headless, save):
    cache, _ = signed_in()
    keyring = ["--keyring", headless.home / "keyring"]
    for command in (["import", "--format", "msal", save(json.dumps(cache))], ["groups"]):
        done = headless.run(headless.tool, *command, options=keyring, environment={})
        assert (done.returncode, done.stderr) == (DONE, "")
    done = headless.run(headless.tool, "accounts", "--json", options=keyring, environment={})
    assert [account["username"] for account in json.loads(done.stdout)["accounts"]] == [ADA.username]
    assert headless.is_clean(), CLEAN


def test_the_keyring_is_below_the_data_home_and_accessible_to_the_user_only(headless):
    assert headless.run("true").returncode == DONE
    assert sorted(headless.files()) == ["lock", "login.keyring", "user.keystore"]
    assert headless.keyring.stat().st_mode & 0o777 == 0o700
    other = headless.home / "data"
    environment = headless.environment | {"XDG_DATA_HOME": str(other)}
    assert headless.run("true", environment=environment).returncode == DONE
    assert (other / "sso-cache/keyring/keyrings/login.keyring").exists()


def test_stored_data_are_encrypted(headless):
    stored = headless.run(
        "sh", "-c", f"printf treasure | {headless.tool} secret set --service s --account a")
    assert stored.returncode == DONE, stored
    assert headless.run(headless.tool, "secret", "get", "--service", "s", "--account", "a").stdout == "treasure"
    assert b"treasure" not in b"".join(headless.files().values())


def test_the_callers_own_bus_and_keyring_are_not_used(headless, sso):
    keyrings = Path(os.environ["XDG_DATA_HOME"], "keyrings")

    def own():
        return {path.name: path.read_bytes() for path in keyrings.iterdir()}, sso.do("groups")

    before = own()
    environment = dict(os.environ) | headless.environment
    options = ["--keyring", headless.keyring]
    for arguments in (["group", "create", "--group", sso.group], ["groups"]):
        done = headless.run(headless.tool, *arguments, options=options, environment=environment)
        assert done.returncode == DONE, done
    assert sso.group in done.stdout
    assert own() == before


def test_the_bus_activates_nothing(headless):
    done = headless.run(
        "dbus-send", "--session", "--print-reply=literal", "--dest=org.freedesktop.DBus", "/",
        "org.freedesktop.DBus.ListActivatableNames")
    assert done.stdout.split() == ["array", "[", "org.freedesktop.DBus", "]"]


# The command's environment.


def test_the_command_keeps_the_callers_environment_except_for_the_bus(headless):
    runtime = headless.home / "runtime"
    runtime.mkdir()
    given = headless.environment | {
        "XDG_RUNTIME_DIR": str(runtime), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
        "DBUS_SESSION_BUS_PID": "1", "LANG": "C", "EDITOR": "ed",
    }
    lines = headless.run("env", environment=given).stdout.splitlines()
    got = dict(line.split("=", 1) for line in lines)
    assert got.pop("DBUS_SESSION_BUS_ADDRESS").startswith(f"unix:path={runtime}/sso-cache.")
    assert got.pop("GNOME_KEYRING_CONTROL").startswith(f"{runtime}/sso-cache.")
    assert got.pop("SSO_CACHE_KEYRING") == str(headless.keyring)
    del given["DBUS_SESSION_BUS_ADDRESS"], given["DBUS_SESSION_BUS_PID"]
    assert got == given
    assert list(runtime.iterdir()) == []


@pytest.mark.parametrize("has_runtime_directory", [True, False])
def test_the_commands_locks_are_shared(headless, has_runtime_directory):
    """The socket of the bus is in the command's runtime directory itself. A killed run's socket goes with the next run."""
    runtime = headless.temporary / "runtime"
    runtime.mkdir(mode=0o700)
    environment = headless.environment | ({"XDG_RUNTIME_DIR": str(runtime)} if has_runtime_directory else {})
    script = 'test "$0" || exec kill -KILL $PPID; echo $XDG_RUNTIME_DIR; exec "$0" doctor --json'
    headless.run("sh", "-c", script, "", environment=environment)
    done = headless.run("sh", "-c", script, headless.tool, environment=environment)
    path, _, report = done.stdout.partition("\n")
    [check] = [check for check in json.loads(report)["checks"] if check["name"] == "runtime-directory"]
    assert check["status"] == "ok" and path in check["detail"], check
    assert [file.name for file in runtime.iterdir()] == ["secret-store-cache"] * has_runtime_directory


@pytest.mark.parametrize("runtime", [None, "/nowhere", "relative", "/dev/null"])
def test_a_command_without_a_runtime_directory_gets_a_temporary_one(headless, runtime):
    environment = headless.environment | ({"XDG_RUNTIME_DIR": runtime} if runtime else {})
    script = 'stat -c "%a %n" "$XDG_RUNTIME_DIR"; : >"$XDG_RUNTIME_DIR/f"'
    done = headless.run("sh", "-c", script, environment=environment)
    mode, path = done.stdout.split()
    assert (mode, path.startswith(f"{headless.temporary}/sso-cache.")) == ("700", True)
    assert headless.is_clean(), CLEAN


def test_the_command_inherits_the_callers_files_and_not_the_keys(headless, tmp_path):
    (tmp_path / "file").write_text("hello")
    with open(tmp_path / "file", "rb") as file, pipe_of(KEY) as key:
        script = f"cat /proc/self/fd/{file.fileno()}; test -e /proc/self/fd/{key}"
        done = headless.run_without_key(
            "sh", "-c", script, options=["--key-fd", key], pass_fds=[key, file.fileno()])
    assert (done.returncode, done.stdout) == (1, "hello")


def test_the_command_reads_the_callers_standard_input(headless):
    with pipe_of("for you") as given:
        assert headless.run("cat", stdin=given).stdout == "for you"


# Exit.


@pytest.mark.parametrize(
    "script, status",
    [("exit 0", 0), ("exit 1", 1), ("exit 75", 75), ("exit 255", 255), ("kill -KILL $$", 137),
     ("kill -TERM $$", 143), ("kill -INT $$", 130), ("ulimit -c 0; kill -ABRT $$", 134)])
def test_the_exit_status_is_the_commands(headless, script, status):
    assert headless.run("sh", "-c", script).returncode == status
    assert headless.is_clean(), CLEAN


def test_a_command_that_cannot_be_run_has_a_shells_exit_status(headless, tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("#!/bin/sh\n")
    missing = headless.run("no-such-command")
    assert missing.returncode == 127
    assert missing.stderr == "sso-cache: no-such-command: No such file or directory\n"
    assert headless.run(plain).returncode == 126
    assert headless.run(tmp_path).returncode == 126
    plain.chmod(0o755)
    assert headless.run(plain).returncode == 0
    assert headless.is_clean(), CLEAN


def test_options_after_the_dashes_are_the_commands(headless):
    done = headless.run("echo", "--json", "--", "--keyring")
    assert (done.returncode, done.stdout) == (DONE, "--json -- --keyring\n")
    failed = headless.run(headless.tool, "accounts", "--json", "--group", ".", key="")
    assert failed.returncode == BAD_INPUT and failed.stderr.startswith("sso-cache: ")


@pytest.mark.parametrize("arguments", [["run"], ["run", "--"], ["run", "true"], ["run", "--", ""]])
def test_a_run_without_a_command_is_a_usage_error(headless, arguments):
    done = subprocess.run(
        [headless.tool, *arguments], env=headless.environment, capture_output=True, timeout=30)
    assert (done.returncode, done.stdout) == (USAGE, b"")
    assert not headless.keyring.exists()


def test_the_commands_remaining_processes_do_not_keep_the_keyring(headless):
    done = headless.run("sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!")
    left = int(done.stdout)
    assert headless.processes() == [left]
    os.kill(left, signal.SIGKILL)
    until(headless.is_clean)


# Signals.


@pytest.mark.parametrize("name", ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2"])
def test_a_signal_goes_to_the_command_which_decides(headless, running, name):
    process = running(f"trap 'echo got {name}; exit 42' {name}; echo set; while :; do sleep 0.02; done")
    assert process.stdout.readline() == "set\n"
    process.send_signal(getattr(signal, f"SIG{name}"))
    done = finished(process)
    assert (done.returncode, done.stdout) == (42, f"got {name}\n")
    assert headless.is_clean(), CLEAN


def test_a_signal_that_the_caller_ignores_stays_ignored(headless, running):
    process = running(
        "while ! test -e $HOME/go; do sleep 0.02; done; exit 7",
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    (headless.home / "go").touch()
    assert finished(process).returncode == 7


def test_the_command_starts_with_the_callers_mask_and_dispositions(headless):
    script = ["sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status"]
    assert headless.run(*script).stdout == subprocess.run(script, capture_output=True, text=True).stdout


def test_the_run_stops_and_continues_with_the_command(headless, running):
    process = running("echo $$; exec sleep 600", process_group=0)
    command = int(process.stdout.readline())
    process.send_signal(signal.SIGTSTP)
    until(lambda: state(command) == "T" and state(process.pid) == "T")
    process.send_signal(signal.SIGCONT)
    until(lambda: state(command) == "S" and state(process.pid) == "S")
    process.terminate()
    assert finished(process).returncode == 143


def test_a_signal_while_the_run_waits_for_the_key_ends_it(headless):
    reader, writer = os.pipe()
    process = subprocess.Popen(
        headless.arguments("true", options=["--key-fd", reader]), env=headless.environment, pass_fds=[reader])
    os.close(reader)
    until(lambda: (headless.keyring / "lock").exists())
    process.terminate()
    assert process.wait(timeout=30) == 143
    os.close(writer)
    assert headless.is_clean(), CLEAN


# Concurrent runs and killed processes.


def test_a_second_run_on_one_keyring_is_refused_and_changes_nothing(headless, running):
    first = running(f"while ! test -e $HOME/go; do sleep 0.02; done; exec {headless.tool} accounts")
    before = headless.files()
    second = headless.run("true")
    assert second.returncode == LOCKED_OR_TIMED_OUT
    assert "Another sso-cache run" in second.stderr and "--keyring" in second.stderr
    assert headless.files() == before
    other = headless.run("true", options=["--keyring", headless.home / "other"])
    assert other.returncode == DONE
    (headless.home / "go").touch()
    assert finished(first).returncode == DONE
    assert headless.run("true").returncode == DONE


def test_ten_concurrent_runs_run_one_by_one_or_are_refused(headless):
    store = f'printf x | {headless.tool} secret set --service s --account "$0"'
    script = f'mkdir "$HOME/one" || exit 9; {store} && rmdir "$HOME/one"'
    processes = [headless.start("sh", "-c", script, str(number)) for number in range(10)]
    results = [finished(process).returncode for process in processes]
    assert set(results) <= {DONE, LOCKED_OR_TIMED_OUT} and DONE in results
    listed = headless.run(headless.tool, "secret", "list", "--json")
    accounts = {item["account"] for item in json.loads(listed.stdout)["secrets"]}
    assert accounts == {str(number) for number, status in enumerate(results) if status == DONE}


def test_after_a_killed_run_the_next_one_works(headless, running):
    headless.run("sh", "-c", f"printf kept | {headless.tool} secret set --service s --account a")
    process = running("exec sleep 600")
    process.kill()
    process.wait()
    got = headless.run(headless.tool, "secret", "get", "--service", "s", "--account", "a")
    assert (got.returncode, got.stdout) == (DONE, "kept")
    assert headless.is_clean(), CLEAN


def test_a_killed_run_ends_the_command_the_daemon_and_the_bus(headless, running):
    process = running("exec sleep 600")
    headless.all_processes()
    process.kill()
    until(lambda: not headless.processes())


@pytest.mark.parametrize("part", ["daemon", "bus"])
def test_without_its_daemon_or_bus_the_command_continues_and_gets_an_error(headless, running, part):
    headless.run("sh", "-c", f"printf kept | {headless.tool} secret set --service s --account a")
    process = running(f"read line; {headless.tool} accounts; echo $?; exit 5", stdin=subprocess.PIPE)
    os.kill(getattr(headless, part)(), signal.SIGKILL)
    assert process.stderr.readline().startswith("sso-cache: The ")
    process.stdin.write("\n")
    done = finished(process)
    assert (done.returncode, done.stdout) == (5, f"{NO_SERVICE}\n")
    got = headless.run(headless.tool, "secret", "get", "--service", "s", "--account", "a")
    assert (got.returncode, got.stdout) == (DONE, "kept")
    assert headless.is_clean(), CLEAN


def test_doctor_in_a_run_without_its_daemon_proposes_no_other_keyring(headless, running):
    process = running(f"read line; {headless.tool} doctor --json", stdin=subprocess.PIPE)
    os.kill(headless.daemon(), signal.SIGKILL)
    assert process.stderr.readline().startswith("sso-cache: The ")
    process.stdin.write("\n")
    checks = {check["name"]: check for check in json.loads(finished(process).stdout)["checks"]}
    assert checks["activation"]["status"] == "error"
    assert checks["activation"]["remedy"] == "End this run of sso-cache run, and start it again."


def test_a_remedy_in_a_run_says_to_start_it_again_and_no_login(headless, save):
    cache, _ = signed_in()
    assert headless.run(headless.tool, "import", "--format", "msal", save(json.dumps(cache))).returncode == DONE
    [file] = [path for path in headless.keyring.rglob("*.keyring") if path.name != "login.keyring"]
    backup = file.read_bytes()
    file.write_bytes(b"")
    done = headless.run(headless.tool, "doctor", "--json")
    remedies = [check["remedy"] for check in json.loads(done.stdout)["checks"] if str(file) in check["remedy"]]
    assert done.returncode == STORAGE_OR_NETWORK and "log out" not in done.stdout
    assert remedies and all("end this run of sso-cache run and start it again" in remedy for remedy in remedies)
    file.write_bytes(backup)
    done = headless.run(headless.tool, "accounts", "--json")
    assert [account["username"] for account in json.loads(done.stdout)["accounts"]] == [ADA.username]


# A daemon that owns its name and replies to nothing for longer than a call's time limit.
SLOW_DAEMON = f"""#!{sys.executable}
import os, sys, time
from jeepney import message_bus
from jeepney.io.blocking import open_dbus_connection

bus = open_dbus_connection()
bus.send_and_get_reply(message_bus.RequestName("org.freedesktop.secrets"))
time.sleep(11)
bus.close()
os.execv("/usr/bin/gnome-keyring-daemon", sys.argv)
"""


@pytest.mark.slow
def test_a_daemon_that_is_slow_to_reply_is_waited_for_and_its_key_not_called_wrong(headless):
    headless.run("true")
    programs = headless.home / "bin"
    programs.mkdir()
    (programs / "gnome-keyring-daemon").write_text(SLOW_DAEMON)
    (programs / "gnome-keyring-daemon").chmod(0o755)
    done = headless.run("true", environment=headless.environment | {"PATH": f"{programs}:/usr/bin:/bin"})
    assert (done.returncode, done.stderr) == (DONE, "")


# Requirements.


@pytest.mark.parametrize(
    "missing, package", [("dbus-daemon", "dbus-daemon"), ("gnome-keyring-daemon", "gnome-keyring")])
def test_a_missing_program_is_named_with_its_package(headless, missing, package):
    programs = headless.home / "bin"
    programs.mkdir()
    for name in {"dbus-daemon", "gnome-keyring-daemon"} - {missing}:
        (programs / name).symlink_to(f"/usr/bin/{name}")
    done = headless.run("true", environment=headless.environment | {"PATH": str(programs)})
    assert done.returncode == NO_SERVICE
    assert missing in done.stderr and f"Debian package {package}" in done.stderr


def test_a_configuration_that_cannot_be_written_is_reported_with_the_cause(headless):
    done = headless.run("true", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)), restore_signals=False)
    assert done.returncode == STORAGE_OR_NETWORK
    assert "bus.conf can't be written: File too large." in done.stderr


def test_no_new_login_keyring_is_created_beside_keyrings_that_need_the_old_one(headless):
    headless.run("sh", "-c", f"printf treasure | {headless.tool} secret set --service s --account a")
    login = headless.keyring / "keyrings/login.keyring"
    kept = login.read_bytes()
    login.unlink()
    done = headless.run("true")
    assert done.returncode == STORAGE_OR_NETWORK and "login.keyring is missing" in done.stderr
    login.write_bytes(kept)
    assert headless.run(headless.tool, "secret", "get", "--service", "s", "--account", "a").stdout == "treasure"


@pytest.mark.parametrize("name", ["other.keyring", "login.keyring", "user.keystore"])
def test_a_fifo_that_would_have_the_daemon_wait_is_named_at_once(headless, name):
    headless.run("sh", "-c", f"printf treasure | {headless.tool} secret set --service s --account a")
    file = headless.keyring / "keyrings" / name
    if file.exists():
        file.rename(headless.home / name)
    os.mkfifo(file)
    start = time.monotonic()
    done = headless.run("true")
    assert time.monotonic() - start < 10
    assert done.returncode == STORAGE_OR_NETWORK and f"{file} can't be used: it is a FIFO" in done.stderr
    command = re.search(r"mv .* && : <>\S+(?=, then run it again)", done.stderr)[0]
    subprocess.run(["sh", "-c", command], check=True, timeout=10)
    if (headless.home / name).exists():
        (headless.home / name).rename(file)
    assert headless.run(headless.tool, "secret", "get", "--service", "s", "--account", "a").stdout == "treasure"


def test_a_closed_folder_of_keyrings_is_named_and_its_mode_restored_by_the_remedy(headless):
    headless.run("sh", "-c", f"printf treasure | {headless.tool} secret set --service s --account a")
    folder = headless.keyring / "keyrings"
    folder.chmod(0)
    done = headless.run("true")
    assert done.returncode == STORAGE_OR_NETWORK and f"{folder} can't be used: its mode" in done.stderr, done
    command = re.search(r"chmod 700 \S+(?=, then run it again)", done.stderr)[0]
    subprocess.run(["sh", "-c", command], check=True)
    assert headless.run(headless.tool, "secret", "get", "--service", "s", "--account", "a").stdout == "treasure"


def test_a_directory_with_other_files_is_refused_and_left_unchanged(headless):
    keyrings = headless.home / ".local/share/keyrings"
    keyrings.mkdir(parents=True)
    (keyrings / "login.keyring").write_text("mine")
    for place in (headless.home, keyrings.parent, keyrings):
        done = headless.run("true", options=["--keyring", place])
        assert done.returncode == USAGE, done
        assert "something else" in done.stderr
    assert [path.name for path in keyrings.iterdir()] == ["login.keyring"]


def test_root_creates_nothing_in_another_users_data_home(headless, tmp_path):
    (tmp_path / "theirs").mkdir()
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    subprocess.run([*prefix, "chown", "65533", tmp_path / "theirs"], check=True)
    place = tmp_path / "theirs/share/keyring"
    done = subprocess.run(
        [*prefix, "env", f"PATH={os.environ['PATH']}", *headless.arguments("true", options=["--keyring", place])],
        capture_output=True, text=True, timeout=20)
    assert done.returncode == STORAGE_OR_NETWORK and "another user" in done.stderr and "without sudo" in done.stderr
    assert list((tmp_path / "theirs").iterdir()) == []


def test_a_directory_that_others_can_change_is_refused(headless):
    assert headless.run("true").returncode == DONE
    headless.keyring.chmod(0o770)
    done = headless.run("true")
    assert done.returncode == STORAGE_OR_NETWORK and "ls -ld" in done.stderr
    headless.keyring.chmod(0o700)
    assert headless.run("true").returncode == DONE
    file = headless.home / "file"
    file.touch()
    assert headless.run("true", options=["--keyring", file]).returncode == STORAGE_OR_NETWORK


@pytest.mark.parametrize("name", ["precious", "sso-cache.git", "sso-cache.a1B2c3"])
def test_a_killed_runs_files_are_removed_only_in_a_runs_directory(headless, tmp_path, name):
    assert headless.run("true").returncode == DONE
    precious = tmp_path / name
    precious.mkdir()
    (precious / "thesis.txt").touch()
    (headless.keyring / "session").symlink_to(precious)
    assert headless.run("true").returncode == DONE
    assert (precious / "thesis.txt").exists()
    assert NOT_ENTITLED == headless.run("true", key="another").returncode


def as_a_user(headless, passwd, *command):
    """Runs a command in a run, as a user with another ID, with these users in the database."""
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n", "env", *(f"{k}={v}" for k, v in headless.environment.items())]
    inside = 'mount --bind "$0" /etc/passwd && exec unshare --user --map-user=4242 --map-group=4242 "$@"'
    return subprocess.run(
        [*prefix, "unshare", "--mount", "sh", "-c", inside, passwd,
         *headless.arguments(*command, options=["--key-fd", 0])],
        env=headless.environment | {"PATH": os.environ["PATH"]}, input=KEY, capture_output=True, text=True, timeout=20)


def test_a_user_missing_from_the_database_gets_the_remedy_at_once(headless, tmp_path):
    """D-Bus refuses a user without an entry: the wait for the keyring daemon would last until its timeout."""
    passwd = tmp_path / "passwd"
    passwd.write_text(Path("/etc/passwd").read_text())
    done = as_a_user(headless, passwd, "true")
    assert (done.returncode, done.stdout) == (NO_SERVICE, "")
    assert "4242" in done.stderr and "useradd --no-create-home --uid 4242" in done.stderr
    assert not headless.keyring.exists()
    with passwd.open("a") as file:
        file.write(f"user4242:x:4242:4242::{headless.home}:/bin/sh\n")
    done = as_a_user(headless, passwd, "echo", "ran")
    assert (done.returncode, done.stdout) == (DONE, "ran\n"), done
