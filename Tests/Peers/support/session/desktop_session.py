# SPDX-License-Identifier: MIT
"""A desktop session that a test may break and repair: its bus, its home, its keyring."""

import json
import os
import pty
import re
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import secretstorage

import keyring_daemon
from people import ADA
from repository import SCRIPTS
from sso_cache import TOKEN_MARK

# The login keyring's password in every private session.
PASSWORD = b"test"

# What comes before a command of root's.
SUDO = [] if os.geteuid() == 0 else ["sudo", "-n"]

# The limit for a diagnosis, whatever hangs.
LIMIT_SECONDS = 30


class Diagnosis:
    """The report of doctor."""

    def __init__(self, status, document):
        self.exit_status = status
        self.status = document["status"]
        self.checks = {check["name"]: check for check in document["checks"]}
        assert len(self.checks) == len(document["checks"]), "two checks of one name"
        for check in document["checks"]:
            assert sorted(check) == ["detail", "name", "remedy", "status"]
            assert check["status"] in ("ok", "warning", "error") and check["detail"]
            assert check["status"] != "ok" or check["remedy"] == ""
            if check["status"] != "ok":
                assert check["remedy"] or check["detail"].startswith("Skipped: ")

    @property
    def failing_checks(self):
        """The checks that found a problem, without those that did not run."""
        return {
            name: check for name, check in self.checks.items()
            if check["status"] != "ok" and not check["detail"].startswith("Skipped: ")
        }


class DesktopSession:
    """A private session, and the environment of a program in it."""

    def __init__(self, tool, *options, **variables):
        self.programs = Path(tempfile.mkdtemp(prefix="ssc-programs."))
        os.symlink(tool, self.programs / "sso-cache")
        self._add_sudo()
        self.prefix = []
        self._mounts = []
        self._children = []
        # The session stays open as long as this pipe, to which nobody writes.
        self._process = subprocess.Popen(
            [SCRIPTS / "private-session", *options, "sh", "-c",
             'env -0 >"$SSC_SESSION_DIR/environment"; echo "$SSC_SESSION_DIR"; cat'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | variables,
        )
        self.folder = Path(self._process.stdout.readline().decode().strip())
        self.environment = self._read(self.folder / "environment")
        self.environment["PATH"] = f"{self.programs}:{os.environ['PATH']}"
        self.environment["XDG_DATA_DIRS"] = str(self.folder / "share")
        for name in ("data", "runtime"):
            setattr(self, name, Path(self.environment[
                {"data": "XDG_DATA_HOME", "runtime": "XDG_RUNTIME_DIR"}[name]]))

    def _add_sudo(self):
        """A sudo that only runs its command. Where the tests run as root, sudo may be missing."""
        if os.geteuid() == 0:
            path = self.programs / "sudo"
            path.write_text('#!/bin/sh\nexec "$@"\n')
            path.chmod(0o755)

    @staticmethod
    def _read(path):
        pairs = path.read_bytes().decode().split("\0")
        return dict(pair.split("=", 1) for pair in pairs if "=" in pair)

    def end(self):
        for child in self._children:
            child.kill()
            child.wait()
        for folder in self._mounts:
            subprocess.run([*SUDO, "umount", "--lazy", folder], check=True)
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=60)
        shutil.rmtree(self.programs)

    def mount_read_only(self, folder):
        """Mounts a folder for reading only, for all programs of the session."""
        subprocess.run([*SUDO, "mount", "--bind", folder, folder], check=True)
        self._mounts.append(folder)
        subprocess.run([*SUDO, "mount", "-o", "remount,bind,ro", folder], check=True)

    def mount_empty(self, folder):
        """Mounts an empty disk over a folder, for all programs of the session."""
        subprocess.run([*SUDO, "mount", "-t", "tmpfs", "-o", f"mode=700,uid={os.geteuid()}", "none", folder], check=True)
        self._mounts.append(folder)

    def mount_file(self, file):
        """Mounts a file at itself, for all programs of the session."""
        subprocess.run([*SUDO, "mount", "--bind", file, file], check=True)
        self._mounts.append(file)

    def forget_mount(self):
        """Leaves it to whoever has unmounted what was mounted last."""
        self._mounts.pop()

    def unmount_last(self):
        subprocess.run([*SUDO, "umount", self._mounts.pop()], check=True)

    def show_display(self):
        """Puts the programs on a display, which answers and shows nothing."""
        path = self.runtime / "wayland-0"
        if not path.exists():
            self._display = socket.socket(socket.AF_UNIX)
            self._display.bind(str(path))
            self._display.listen()
        self.environment["WAYLAND_DISPLAY"] = path.name

    def hide_display(self):
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            self.environment.pop(name, None)

    def start(self, *command, **options):
        """A program that runs until the session ends."""
        child = subprocess.Popen(command, env=self.environment, **options)
        self._children.append(child)
        return child

    def end_last(self):
        """Ends the program that was started last."""
        child = self._children.pop()
        child.kill()
        child.wait()

    def run(self, *command, timeout=60, **options):
        return subprocess.run(
            list(map(str, command)), env=self.environment, check=True, timeout=timeout, capture_output=True, **options
        )

    def with_mounts(self, steps):
        """The beginning of a command that runs as this user with mounts of its own, which `steps` make as root.

        sudo keeps none of the session's variables."""
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        user = f"--reuid={os.getuid()} --regid={os.getgid()} --init-groups"
        script = f'{steps} && exec setpriv {user} "$@"'
        return [*SUDO, "env", *variables, "unshare", "--mount", "sh", "-c", script, "sh"]

    def keyring(self, *arguments):
        self.run(SCRIPTS / "keyring-control", *arguments, timeout=keyring_daemon.LIMIT_SECONDS)

    # The tool.

    def sso(self, *arguments, stdin=b""):
        return self.run(*self.prefix, "sso-cache", *arguments, input=stdin)

    def sign_in(self, cache, *options):
        self.sso("import", "--format", "msal", *options, "-", stdin=json.dumps(cache).encode())

    def doctor(self, *options):
        done = subprocess.run(
            [*self.prefix, self.programs / "sso-cache", "doctor", "--json", *options], env=self.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_SECONDS,
        )
        assert done.stderr == "", done.stderr
        for secret in (TOKEN_MARK, ADA.username, ADA.name):
            assert secret not in done.stdout
        diagnosis = Diagnosis(done.returncode, json.loads(done.stdout))
        assert (done.returncode == 0) == (diagnosis.status != "error"), done
        return diagnosis

    def follow(self, remedy, typed=b"y\n"):
        """Executes a remedy as a user does: the command in a shell at a terminal.

        The terminal does not control the shell: processes that remain survive it, as in a shell with job
        control.
        """
        terminal, side = pty.openpty()
        os.write(terminal, typed)
        with tempfile.NamedTemporaryFile() as after, tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                ["bash", "-c", f"{remedy}\nstatus=$?; env -0 >{after.name}; exit $status"],
                stdin=side, stdout=output, stderr=output, env=self.environment,
            )
            os.close(side)
            status = process.wait(timeout=60)
            output.seek(0)
            os.close(terminal)
            assert status == 0, (remedy, output.read().decode())
            self.environment = self._read(Path(after.name))

    # Other programs' view.

    @contextmanager
    def bus(self):
        address = self.environment["DBUS_SESSION_BUS_ADDRESS"]
        with mock.patch.dict(os.environ, DBUS_SESSION_BUS_ADDRESS=address):
            connection = secretstorage.dbus_init()
            try:
                yield connection
            finally:
                connection.close()

    @property
    def bus_process(self):
        argument = f"--config-file={self.folder}/bus.conf".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if argument in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
            except OSError:  # it has ended
                continue
        [process] = found
        return process

    # The bus's policy.

    def set_policy(self, refused, interface="", member=""):
        """Makes the bus refuse or allow calls to the Secret Service, as a sandbox's bus does: all of them, or those of an
        interface or method."""
        path = self.folder / "bus.conf"
        text = re.sub(r"<deny [^>]*/>", "", path.read_text())
        if refused:
            names = {"destination": "org.freedesktop.secrets", "interface": interface, "member": member}
            if interface:
                del names["destination"]  # gnome-keyring's clients call it by its unique name, too.
            rule = "".join(f' send_{name}="{value}"' for name, value in names.items() if value)
            text = text.replace('<allow own="*"/>', f'<allow own="*"/><deny{rule}/>')
        path.write_text(text)
        self.run("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
                 "org.freedesktop.DBus.ReloadConfig")


@contextmanager
def session_of(tool, *options, **variables):
    session = DesktopSession(tool, *options, **variables)
    try:
        yield session
    finally:
        session.end()
