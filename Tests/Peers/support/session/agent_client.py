# SPDX-License-Identifier: MIT
"""The agent as a program in another language sees it; org.secretstorecache.Agent1.xml documents the interfaces."""

import contextlib
import os
import select
import signal
import time
from pathlib import Path

from jeepney import DBusAddress, HeaderFields, MessageType, message_bus, new_method_call
from jeepney.io.blocking import DBusConnection, DBusConnectionBase, open_dbus_connection
from jeepney.io.common import MessageFilters

NAME = "org.secretstorecache.Agent1"
AGENT = DBusAddress("/org/secretstorecache/Agent1", NAME, NAME)
# A private connection has no names; jeepney wants one.
GROUP = DBusAddress("/org/secretstorecache/Group1", NAME, "org.secretstorecache.Group1")
LIMIT_SECONDS = 20


class AgentError(Exception):
    """An error of the agent: its name after the last dot, and its text."""

    def __init__(self, message):
        name = message.header.fields[HeaderFields.error_name]
        super().__init__(name, *message.body)
        self.code = name.rpartition(".")[2]


def read(message):
    if message.header.message_type is MessageType.error:
        raise AgentError(message)
    return message.body


class Bus:
    """A connection to the session bus."""

    def __init__(self):
        self.connection = open_dbus_connection("SESSION", enable_fds=True)

    def close(self):
        self.connection.close()

    def open_socket(self, group, publisher=""):
        """The socket of a group, and the app that the agent takes the caller for."""
        call = new_method_call(AGENT, "Open", "ss", (publisher, group))
        descriptor, app = read(self.connection.send_and_get_reply(call, timeout=LIMIT_SECONDS))
        return descriptor.to_socket(), app

    def open(self, group, publisher=""):
        return Group(self.open_socket(group, publisher)[0])

    def status(self):
        return read(self.connection.send_and_get_reply(new_method_call(AGENT, "Status"), timeout=LIMIT_SECONDS))

    def agent(self):
        """The agent's process; None when it doesn't run."""
        try:
            call = message_bus.GetConnectionUnixProcessID(NAME)
            return read(self.connection.send_and_get_reply(call, timeout=LIMIT_SECONDS))[0]
        except AgentError:
            return None


class PrivateConnection(DBusConnection):
    """A connection without a bus: nobody is there to answer Hello."""

    def __init__(self, opened):
        DBusConnectionBase.__init__(self, opened)
        self._filters = MessageFilters()


class Group:
    """A group on a private connection."""

    def __init__(self, opened):
        self.connection = PrivateConnection(opened)

    def close(self):
        self.connection.close()

    def call(self, method, signature=None, *arguments, timeout=LIMIT_SECONDS):
        message = new_method_call(GROUP, method, signature, arguments)
        return read(self.connection.send_and_get_reply(message, timeout=timeout))

    def get(self, key):
        return self.call("Get", "a{ss}", key)

    def set(self, key, version, content):
        return self.call("Set", "a{ss}say", key, version, content)[0]

    def set_aside(self, key, since=0):
        return self.call("SetAside", "a{ss}t", key, since)[0]

    def remove(self, key):
        self.call("Remove", "a{ss}", key)

    def records(self, *queries):
        return self.call("Records", "aa{ss}", list(queries))[0]

    def acquire_lease(self, number, key, milliseconds=1000):
        return self.call("AcquireLease", "ua{ss}u", number, key, milliseconds)[0]

    def release_lease(self, number):
        self.call("ReleaseLease", "u", number)


def kill(process, number):
    """Ends a process, and waits until it is gone."""
    descriptor = os.pidfd_open(process)
    try:
        os.kill(process, number)
        select.select([descriptor], [], [], LIMIT_SECONDS)
    finally:
        os.close(descriptor)


def suspend(process):
    """Suspends a process. A thread may still run when the signal is sent, and answer a call."""
    os.kill(process, signal.SIGSTOP)
    end = time.monotonic() + LIMIT_SECONDS
    while not all(is_stopped(thread) for thread in Path(f"/proc/{process}/task").iterdir()):
        assert time.monotonic() < end, "The process still runs."
        time.sleep(0.001)


def is_stopped(thread):
    return (thread / "stat").read_text().rpartition(")")[2].split()[0] == "T"


@contextlib.contextmanager
def suspended(process):
    """Suspends a process for a block."""
    suspend(process)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)
