# SPDX-License-Identifier: MIT
"""The faults of the session during a round. Each fault is recorded with its time."""

import signal
import time
from dataclasses import dataclass

import secretstorage
from jeepney import DBusErrorResponse
from secretstorage.exceptions import SecretStorageException


@dataclass
class Fault:
    """A fault from its beginning to its end, in nanoseconds of the monotonic clock."""

    kind: str
    start: int
    end: int = 0


class Faults:
    """Draws one fault after another, each kind once before any repeats."""

    def __init__(self, session, clients, group, random, has_agent):
        self._session = session
        self._clients = clients
        self._group = group
        self._random = random
        self._kinds = self.KINDS + (self.KINDS_OF_AGENT if has_agent else [])
        self._bag = []
        self.happened = []

    KINDS = [
        "kill_client", "kill_client", "freeze_client", "kill_daemon", "restart_daemon", "freeze_daemon",
        "lose_bus", "lock", "rename", "fill_disk", "delete",
    ]
    KINDS_OF_AGENT = ["kill_agent", "kill_agent", "freeze_agent"]

    def next(self):
        """Runs one fault, and waits until it is over."""
        if not self._bag:
            self._bag = self._random.sample(self._kinds, len(self._kinds))
        kind = self._bag.pop()
        if kind == "delete" and self._clients.is_closing:
            return  # It would remove what shows whether sign-outs were final.
        fault = Fault(kind, time.monotonic_ns())
        # A fault that was impossible, since the collection was absent or locked, is not recorded.
        if getattr(self, f"_{kind}")() is not False:
            fault.end = time.monotonic_ns()
            self.happened.append(fault)

    def _wait(self, *choices):
        """A short time, drawn from one of several ranges."""
        time.sleep(self._random.uniform(*self._random.choice(choices)))

    def _kill_client(self):
        self._clients.kill(self._random)

    def _freeze_client(self):
        frozen = self._clients.freeze(self._random)
        self._wait((0.1, 0.5), (2.1, 2.5))
        self._clients.thaw(frozen)

    def _kill_daemon(self):
        self._session.control("kill")
        self._wait((0, 0.01), (0.1, 0.4))
        self._session.control("start")

    def _restart_daemon(self):
        self._session.control("restart")

    def _freeze_daemon(self):
        self._session.control("freeze")
        # Shorter and longer than the calls' deadline.
        self._wait((0.1, 0.5), (2.1, 2.5))
        self._session.control("thaw")

    def _kill_agent(self):
        return self._session.signal_agent(signal.SIGKILL)

    def _freeze_agent(self):
        if not self._session.signal_agent(signal.SIGSTOP):
            return False
        self._wait((0.1, 0.5), (2.1, 2.5))
        return self._session.signal_agent(signal.SIGCONT)

    def _lose_bus(self):
        self._session.bus.kill()
        self._wait((0, 0.01), (0.1, 0.4))
        self._session.bus_back()

    def _fill_disk(self):
        self._session.disk.fill()
        self._wait((0.1, 0.5))
        self._session.disk.free()

    def _lock(self):
        return self._disturb(lambda collection: collection.lock())

    def _rename(self):
        label = self._random.choice([self._group, "Renamed", "com.contoso.else", ""])
        return self._disturb(lambda collection: collection.set_label(label))

    def _delete(self):
        return self._disturb(lambda collection: collection.delete())

    def _disturb(self, change):
        """Changes the group's collection if it exists and is unlocked."""
        bus = secretstorage.dbus_init()
        try:
            for item in secretstorage.search_items(bus, {"kind": "group", "group": self._group}):
                change(secretstorage.Collection(bus, item.item_path.rpartition("/")[0]))
                return True
        except (SecretStorageException, DBusErrorResponse):
            pass  # It is locked, or can't be changed now: another time.
        finally:
            bus.close()
        return False
