# SPDX-License-Identifier: MIT
"""The processes that work on a group."""

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from session import end_with_parent

# A call's deadline, in milliseconds. Who shares no lock waits for more than a lock: it is the library's own. After
# the faults nothing excuses an error: it is longer than any machine is busy.
TIMEOUT, SANDBOXED_TIMEOUT, HEALING_TIMEOUT = 2_000, 10_000, 30_000

# As in the client.
FIRST_OF_BURST, WINDOWS = 1_000_000, 4


@dataclass
class Client:
    """One client, with all its processes, one after another."""

    number: int
    app: str
    client: str
    family: str
    seed: int
    journal: str
    own_scope: str = ""
    environment: dict = field(default_factory=dict)
    is_behind_agent: bool = False
    process: object = None
    # When its processes were killed.
    kills: list = field(default_factory=list)

    @property
    def is_sandboxed(self):
        """Whether it has its own runtime directory."""
        return "XDG_RUNTIME_DIR" in self.environment

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def begun(self):
        """The number of operations that it has begun."""
        # The last line may be incomplete while it is written.
        lines = Path(self.journal).read_text().rpartition("\n")[0].splitlines()
        return max((planned(json.loads(line)["number"]) for line in lines), default=-1) + 1


def planned(number):
    """The number of an operation in the client's plan; a burst has four at once."""
    return number if number < FIRST_OF_BURST else (number - FIRST_OF_BURST) // WINDOWS


def cast(directory, random, count):
    """The clients of a round: two apps of one client, and, in every other round, four of a family."""
    has_family = random.random() < 0.5
    clients = []
    for number in range(count):
        app, client, family = ("mail", "calendar")[number % 2], "suite", ""
        if has_family and number >= count // 2:
            app = client = ("planner", "notes")[number % 2]
            family = "1"
        clients.append(Client(
            number, f"com.contoso.{app}", client, family, random.getrandbits(48),
            str(directory / f"p{number}.jsonl"), f"api.p{number}"))
    return clients


class Clients:
    """All clients of a round."""

    def __init__(self, program, group, server, operations, clients, accounts):
        self._program = program
        self._group = group
        self._server = server
        self._operations = operations
        self._accounts = accounts
        self._closing = Path(clients[0].journal).with_name("closing")
        self.all = clients

    def start(self):
        for client in self.all:
            Path(client.journal).touch()
            self._start(client, 0)

    def _start(self, client, first, is_healing=False):
        timeout = SANDBOXED_TIMEOUT if client.is_sandboxed else TIMEOUT
        family = ["--family", client.family] if client.family else []
        command = [
            self._program, "--group", self._group, "--app", client.app, "--client", client.client, *family,
            "--own-scope", client.own_scope, "--server", self._server, "--journal", client.journal,
            "--seed", str(client.seed), "--first", str(first), "--operations", str(self._operations),
            "--accounts", str(self._accounts), "--closing", str(self._closing),
            "--timeout", str(HEALING_TIMEOUT if is_healing else timeout),
            *(["--is-healing"] if is_healing else []),
            # Half of each app's processes read from their record cache.
            *(["--caches-records"] if client.number % 4 < 2 else []),
            *(["--is-sandboxed"] if client.is_sandboxed else []),
            *(["--is-behind-agent"] if client.is_behind_agent else []),
        ]
        # GLib's messages on a lost bus, or Swift's on a trap.
        with open(Path(client.journal).with_suffix(".log"), "ab") as log:
            client.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stderr=log, env=os.environ | client.environment,
                preexec_fn=end_with_parent)

    def running(self):
        return [client for client in self.all if client.is_running]

    def kill(self, random):
        """Kills one, and starts its next process."""
        running = self.running()
        if not running:
            return
        client = random.choice(running)
        self.end(client)
        self._start(client, client.begun())

    def end(self, client):
        client.process.kill()
        client.process.wait()
        client.kills.append(time.monotonic_ns())

    def freeze(self, random):
        running = self.running()
        frozen = random.choice(running) if running else None
        if frozen:
            frozen.process.send_signal(signal.SIGSTOP)
        return frozen

    def thaw(self, frozen):
        if frozen:
            frozen.process.send_signal(signal.SIGCONT)

    @property
    def is_closing(self):
        return self._closing.exists()

    def close_soon(self):
        """After two thirds of the first client's operations, stops signing in to most accounts."""
        if max(client.begun() for client in self.all) * 3 > self._operations * 2:
            self._closing.touch()

    def heal(self, seconds):
        """Each client saves and refreshes once for every account, without faults."""
        for client in self.all:
            self._start(client, max(client.begun(), self._operations), is_healing=True)
        return self.wait(seconds)

    def wait(self, seconds):
        """Waits for all to end; returns those that did not end and were killed."""
        deadline = time.monotonic() + seconds
        while self.running() and time.monotonic() < deadline:
            time.sleep(0.02)
        hung = self.running()
        for client in hung:
            self.end(client)
        return hung

    def failed(self):
        """The clients whose last process did not exit by itself."""
        return [client for client in self.all if client.process.returncode != 0]
