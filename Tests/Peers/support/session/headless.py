# SPDX-License-Identifier: MIT
"""Runs `sso-cache run` as on a machine without a desktop session."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

KEY = "correct horse battery"

# The limit for anything to begin or to end.
LIMIT_SECONDS = 30


def until(condition):
    """Waits until a condition is true; returns its value."""
    end = time.monotonic() + LIMIT_SECONDS
    while not (value := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
    return value


@contextmanager
def pipe_of(text):
    """The file descriptor of a pipe that holds a text and is closed for writing."""
    reader, writer = os.pipe()
    try:
        os.write(writer, text if isinstance(text, bytes) else text.encode())
    finally:
        os.close(writer)
    try:
        yield reader
    finally:
        os.close(reader)


class Headless:
    """A home without a session, and the keyring in it."""

    def __init__(self, tool):
        self.tool = tool
        self.home = Path(tempfile.mkdtemp(prefix="ssc-home.", dir="/tmp"))
        self.temporary = self.home / "tmp"
        self.temporary.mkdir()
        self.environment = {"HOME": str(self.home), "TMPDIR": str(self.temporary)}
        self.keyring = self.home / ".local/share/sso-cache/keyring"

    def remove(self):
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.home)

    def arguments(self, *command, options=()):
        return [self.tool, "run", *map(str, options), "--", *map(str, command)]

    def start(self, *command, key=KEY, options=(), environment=None, **settings):
        """Starts a command with the key in a pipe. The environment holds the home's variables only."""
        with pipe_of(key) as descriptor:
            return subprocess.Popen(
                self.arguments(*command, options=["--key-fd", descriptor, *options]),
                env=self.environment if environment is None else environment,
                pass_fds=[descriptor], text=True,
                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | settings,
            )

    def run(self, *command, **settings):
        """Runs a command to its end, with the key in a pipe."""
        return finished(self.start(*command, **settings))

    def run_without_key(self, *command, options=(), **settings):
        """Runs a command to its end; only the options name a key."""
        return subprocess.run(
            self.arguments(*command, options=options), capture_output=True, text=True, timeout=LIMIT_SECONDS,
            **{"env": self.environment, "stdin": subprocess.DEVNULL, "start_new_session": True} | settings,
        )

    def files(self):
        """Every file of the keyring, with its content."""
        return {
            path.name: path.read_bytes() for path in sorted(self.keyring.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }

    def processes(self, name=None):
        """The processes of this home: the wrapper, the bus, the daemon, the command."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if not entry.name.isdigit() or str(self.home).encode() not in (
                    (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
                ):
                    continue
                if name in (None, (entry / "comm").read_text().strip()):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def all_processes(self):
        """All four processes. A process shows no command line while it executes another program."""
        return until(lambda: len(found := self.processes()) == 4 and found)

    def daemon(self):
        [pid] = self.processes("gnome-keyring-d")
        return pid

    def bus(self):
        [pid] = self.processes("dbus-daemon")
        return pid

    def is_clean(self):
        """Whether every run has left nothing but the keyring."""
        link = self.keyring / "session"
        return not self.processes() and not list(self.temporary.iterdir()) and not link.is_symlink()


def finished(process):
    """Waits for a process; returns its result as subprocess.run does."""
    stdout, stderr = process.communicate(timeout=LIMIT_SECONDS)
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def state(pid):
    """The state letter of a process."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
