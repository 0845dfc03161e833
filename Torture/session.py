# SPDX-License-Identifier: MIT
"""The private session of a torture run: its bus, its disk, its keyring daemon."""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import secretstorage
from jeepney import MessageType, message_bus

DISK_BYTES = 8 << 20
AGENT = "org.secretstorecache.Agent1"

BUS_CONFIGURATION = """\
<busconfig><type>session</type><keep_umask/><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
{services}<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
<allow own="*"/></policy></busconfig>
"""

PR_SET_PDEATHSIG = 1
prctl = ctypes.CDLL(None).prctl


class TortureError(Exception):
    """A missing precondition of the torture run: it fails, and is never skipped."""


def end_with_parent():
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


class Bus:
    """The run's own bus, which can exit and return at the same address."""

    def __init__(self, directory, agent):
        self._socket = directory / "bus"
        self._configuration = directory / "bus.conf"
        services = ""
        if agent:
            services = f"<servicedir>{directory}</servicedir>"
            (directory / f"{AGENT}.service").write_text(f"[D-BUS Service]\nName={AGENT}\nExec={agent}\n")
        self._configuration.write_text(BUS_CONFIGURATION.format(socket=self._socket, services=services))
        # Without the bus's identifier, which changes each time.
        self.address = f"unix:path={self._socket}"
        self._process = None

    def start(self):
        self._process = subprocess.Popen(
            ["dbus-daemon", "--nofork", "--nosyslog", "--nopidfile", f"--config-file={self._configuration}",
             "--print-address=1"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True, preexec_fn=end_with_parent)
        with self._process.stdout:
            if not self._process.stdout.readline():
                raise TortureError("the session bus did not start")

    def kill(self):
        self._process.kill()
        self._process.wait()


class Disk:
    """A small file system for the keyrings, which can be filled."""

    def __init__(self, place):
        self.place = place
        place.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=0700", "torture", str(place)],
            capture_output=True, text=True)
        if done.returncode != 0:
            raise TortureError(
                f"no small disk can be mounted for the keyrings, neither as root nor in a user namespace:"
                f" {done.stderr.strip()}")

    def fill(self):
        with contextlib.suppress(OSError), open(self.place / "filler", "wb", buffering=0) as file:
            while True:
                file.write(b"\0" * 4096)
        if shutil.disk_usage(self.place).free:
            raise TortureError("the disk was not filled")

    def free(self):
        (self.place / "filler").unlink(missing_ok=True)

    def tidy(self):
        """Removes gnome-keyring 42's leftovers of failed writes, which fill the disk in thirty rounds."""
        for file in self.place.glob("keyrings/*.keyring.temp-*"):
            file.unlink(missing_ok=True)

    def unmount(self):
        subprocess.run(["umount", "--lazy", str(self.place)], check=False)


class Session:
    """The whole session."""

    def __init__(self, agent):
        directory = os.environ.get("SSC_SESSION_DIR")
        if not directory or os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
            raise TortureError("not in a private session without a bus; run Scripts/torture")
        self.disk = Disk(Path(os.environ["XDG_DATA_HOME"]))
        self.bus = Bus(Path(os.environ["XDG_RUNTIME_DIR"]), agent)
        self.bus.start()
        os.environ["DBUS_SESSION_BUS_ADDRESS"] = self.bus.address
        self.control("start")

    def control(self, *arguments):
        done = subprocess.run(
            [os.environ["SSC_KEYRING_CONTROL"], *arguments], capture_output=True, text=True, timeout=200)
        if done.returncode != 0:
            raise TortureError(f"keyring-control {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout.strip()

    def has_daemon(self):
        try:
            self.control("pid")
        except TortureError:
            return False
        return True

    def agent(self):
        """The agent's process; None when it doesn't run."""
        with contextlib.closing(secretstorage.dbus_init()) as bus:
            reply = bus.send_and_get_reply(message_bus.GetConnectionUnixProcessID(AGENT))
            return reply.body[0] if reply.header.message_type is MessageType.method_return else None

    def signal_agent(self, number):
        """Sends the agent a signal, and returns whether it was there."""
        process = self.agent()
        with contextlib.suppress(ProcessLookupError):
            if process:
                os.kill(process, number)
                return True
        return False

    def bus_back(self):
        """Restarts the bus, and a keyring daemon on it: the old daemon exits with its bus."""
        self.bus.start()
        deadline = time.monotonic() + 0.5
        while self.has_daemon() and time.monotonic() < deadline:
            time.sleep(0.02)
        with contextlib.suppress(TortureError):  # It may end at this very moment.
            self.control("kill")
        self.control("start")

    def recover(self):
        """Makes the daemon run and reply, whatever its state."""
        with contextlib.suppress(TortureError):
            self.control("thaw")
        if not self.has_daemon():
            self.control("start")

    def log(self):
        """The end of the daemon's log."""
        return (Path(os.environ["SSC_SESSION_DIR"]) / "keyring-daemon.log").read_text()[-500:].strip()

    def close(self):
        with contextlib.suppress(TortureError, subprocess.TimeoutExpired):
            self.control("kill")
        self.bus.kill()
        self.disk.unmount()
