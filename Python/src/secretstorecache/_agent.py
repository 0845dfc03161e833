# SPDX-License-Identifier: MIT
"""The client of secret-store-agent. Sources/SecretStoreAgent/Interface has its interfaces, with documentation."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from jeepney import DBusAddress, HeaderFields, Message, MessageType, message_bus, new_method_call
from jeepney.bus import get_bus
from jeepney.io.blocking import DBusConnection, DBusConnectionBase, prep_socket
from jeepney.io.common import MessageFilters

from ._deadline import Deadline
from ._turn import Turn
from ._values import has_control_character
from .errors import (
    InvalidArgumentError, SecretStoreError, ServiceUnavailableError, StorageFailedError, TimedOutError, error_named,
)

_NAME = "org.secretstorecache.Agent1"
_AGENT_PATH = "/org/secretstorecache/Agent1"
# A private connection has no names; jeepney wants one.
_GROUP = DBusAddress("/org/secretstorecache/Group1", _NAME, "org.secretstorecache.Group1")
_ERRORS = "org.secretstorecache.Error."
_BUS = "org.freedesktop.DBus"

# What the agent waits at most for a lease.
_LONGEST_WAIT = 60.0

# How often a group is opened, when an agent has just ended.
_ATTEMPTS = 3

# An app may have 64 connections.
_IDLE_CONNECTIONS = 8

Parts = Dict[str, str]


class StoredRecord(NamedTuple):
    """A record as the agent returns it; a record that can't be read has a reason instead of its content."""

    key: Parts
    content: bytes
    reason: str


class _Ended(Exception):
    """The connection has ended: the agent was restarted, or the session bus is gone."""


class _Connection(DBusConnection):
    """A D-Bus connection whose every call has a deadline, and which believes only the sender that it asked."""

    def __init__(self, opened: Any, enable_fds: bool = False) -> None:
        # Without the call of Hello, which has no time limit in jeepney and which a private connection doesn't have.
        DBusConnectionBase.__init__(self, opened, enable_fds)
        self._filters = MessageFilters()

    def call(self, message: Message, reply: str, deadline: Deadline, sender: Optional[str] = None) -> Tuple[Any, ...]:
        """Sends a call and returns the body of its reply, which has the signature `reply`."""
        serial = next(self.outgoing_serial)
        is_unicode = True
        try:
            # A peer that doesn't read holds up a large message.
            self.sock.settimeout(deadline.remaining())
            self.send(message, serial=serial)
            while True:
                received = self.receive(timeout=deadline.remaining())
                fields = received.header.fields
                if fields.get(HeaderFields.reply_serial) != serial:
                    continue
                # Other programs on the bus can reply in another's stead; the bus itself tells that the asked one ended.
                if sender is None or fields.get(HeaderFields.sender) in (sender, _BUS):
                    break
        except UnicodeEncodeError:
            is_unicode = False
        except TimeoutError as error:
            raise TimedOutError("The agent did not reply within the time limit.") from error
        except (OSError, ValueError, RuntimeError) as error:
            raise _Ended(str(error)) from error
        if not is_unicode:
            # Not in the handler: that error holds the text, and would be this one's context.
            raise InvalidArgumentError("A text to be stored or looked for is not valid Unicode.")
        if received.header.message_type is MessageType.error:
            raise _error(received)
        if fields.get(HeaderFields.signature, "") != reply:
            raise StorageFailedError("The agent's reply has another type than its interface says.")
        return tuple(received.body)


def _error(message: Message) -> SecretStoreError:
    name = str(message.header.fields.get(HeaderFields.error_name, ""))
    detail = message.body[0] if message.body and isinstance(message.body[0], str) else ""
    if not detail or len(detail) > 4096 or has_control_character(detail):
        detail = "The agent refused the call."
    if name.startswith(_ERRORS):
        return error_named(name[len(_ERRORS):], detail)
    if name == f"{_BUS}.Error.InvalidArgs":
        return InvalidArgumentError(detail)
    if name == f"{_BUS}.Error.LimitsExceeded":
        return StorageFailedError(detail)
    return ServiceUnavailableError(f"{name}: {detail}")


def _open(group: str, publisher: str, deadline: Deadline) -> _Connection:
    """Opens a group, and returns its private connection."""
    try:
        bus = _Connection(prep_socket(get_bus("SESSION"), True, timeout=deadline.remaining()), enable_fds=True)
    except SecretStoreError:
        raise
    except Exception as error:  # jeepney raises many types for an address and a handshake that are wrong
        raise ServiceUnavailableError(f"There is no session bus: {error}.") from error
    try:
        def ask(message: Message, reply: str, sender: str) -> Tuple[Any, ...]:
            return bus.call(message, reply, deadline, sender)

        ask(message_bus.Hello(), "s", _BUS)
        try:
            ask(message_bus.StartServiceByName(_NAME), "u", _BUS)
        except ServiceUnavailableError as error:
            raise ServiceUnavailableError(f"secret-store-agent can't be started. {error.detail}") from error
        (owner,) = ask(message_bus.GetNameOwner(_NAME), "s", _BUS)
        agent = DBusAddress(_AGENT_PATH, owner, _NAME)
        descriptor, _ = ask(new_method_call(agent, "Open", "ss", (publisher, group)), "hs", owner)
        return _Connection(descriptor.to_socket())
    except _Ended as error:
        raise ServiceUnavailableError(f"The session bus or the agent ended during the call: {error}.") from error
    finally:
        bus.close()


class Group:
    """An access group at the agent. Threads may share it: they take turns on its connection."""

    def __init__(self, group: str, publisher: str, timeout: float) -> None:
        self.name = group
        self._publisher = publisher
        self._timeout = timeout
        self._limit: Optional[Deadline] = None
        self._turn = Turn()
        self._connection: Optional[_Connection] = None
        self._process = 0
        #: Connections for leases.
        self._idle: List[_Connection] = []

    def deadline(self) -> Deadline:
        return Deadline(min(self._timeout, self._limit.remaining()) if self._limit else self._timeout)

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Lets all calls of a block end within some seconds. Only for a group that no other thread uses meanwhile."""
        former, self._limit = self._limit, self._limit or Deadline(seconds)
        try:
            yield
        finally:
            self._limit = former

    def records(self, queries: List[Parts]) -> List[StoredRecord]:
        """The records that match any of the queries."""
        (found,) = self._call("Records", "aa{ss}", (queries,), "a(a{ss}ays)", self.deadline())
        return [StoredRecord(key, bytes(content), reason) for key, content, reason in found]

    def get(self, key: Parts, deadline: Deadline) -> Tuple[Optional[StoredRecord], str]:
        """A record and its version."""
        found, version = self._call("Get", "a{ss}", (key,), "a(a{ss}ays)s", deadline)
        records = [StoredRecord(each, bytes(content), reason) for each, content, reason in found]
        if any(record.key != key for record in records):
            raise StorageFailedError("The agent returned another record than it was asked for.")
        return (records[0] if records else None), version

    def set(self, key: Parts, version: str, content: bytes, deadline: Deadline) -> bool:
        """Stores a record if it still has that version; returns whether it did.

        When the agent ends during the call, nobody knows, and the caller looks at the record again."""
        try:
            return bool(self._once("Set", "a{ss}say", (key, version, content), "b", deadline)[0])
        except _Ended:
            return False

    def set_aside(self, key: Parts, since: int, deadline: Deadline) -> bool:
        """Sets aside what keeps a record from being read; returns whether that is so, or was done since a time."""
        return bool(self._call("SetAside", "a{ss}t", (key, since), "b", deadline)[0])

    def lease(self, key: Parts, wait: float) -> Optional["Lease"]:
        """The refresh lease of a key; None when another program has held it for the time of the wait."""
        end = time.monotonic() + min(wait, _LONGEST_WAIT)
        attempts = _ATTEMPTS
        while True:
            left = max(0.0, end - time.monotonic())
            call = new_method_call(_GROUP, "AcquireLease", "ua{ss}u", (1, key, int(left * 1000)))
            idle = self._take_idle()
            # Leases have connections of their own, because the wait for one holds up a connection.
            try:
                connection = idle or _open(self.name, self._publisher, self.deadline())
            except ServiceUnavailableError:
                # The bus may not know yet that the agent has ended.
                attempts -= 1
                if not attempts:
                    raise
                time.sleep(0.05)
                continue
            try:
                (held,) = connection.call(call, "b", Deadline(left + self._timeout))
            except BaseException as error:
                connection.close()
                # When the agent has ended, the bus starts the next one, at which others may have the lease.
                if isinstance(error, _Ended) and (left > 0 or idle is not None):
                    continue
                # A daemon that hangs ends the call before the time of the wait, and could save nothing.
                if isinstance(error, _Ended) or isinstance(error, TimedOutError) and time.monotonic() >= end:
                    return None
                raise
            if held:
                return Lease(connection, self._idle)
            _keep(connection, self._idle)
            return None

    def _take_idle(self) -> Optional[_Connection]:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def close(self) -> None:
        with self._turn.take():
            self._drop()
        for connection in iter(self._take_idle, None):
            connection.close()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _call(
        self, method: str, signature: str, arguments: Tuple[Any, ...], reply: str, deadline: Deadline
    ) -> Tuple[Any, ...]:
        """A call that changes nothing; it is sent once more when the agent has ended meanwhile."""
        try:
            return self._once(method, signature, arguments, reply, deadline)
        except _Ended:
            pass
        try:
            return self._once(method, signature, arguments, reply, deadline)
        except _Ended as error:
            raise ServiceUnavailableError(f"The agent ended during the call: {error}.") from error

    def _once(
        self, method: str, signature: str, arguments: Tuple[Any, ...], reply: str, deadline: Deadline
    ) -> Tuple[Any, ...]:
        with self._turn.take(deadline.remaining()) as is_taken:
            if not is_taken:
                raise TimedOutError("Other threads used the connection until the deadline.")
            if self._process != os.getpid():
                # This is a child of the process that had these connections.
                self._drop()
                self._idle.clear()
            if self._connection is None:
                self._connection = _open(self.name, self._publisher, deadline)
                self._process = os.getpid()
            try:
                message = new_method_call(_GROUP, method, signature, arguments)
                return self._connection.call(message, reply, deadline)
            except (_Ended, TimedOutError):
                # A late reply must not be taken for another call's.
                self._drop()
                raise


def _keep(connection: _Connection, idle: List[_Connection]) -> None:
    if len(idle) < _IDLE_CONNECTIONS:
        idle.append(connection)
    else:
        connection.close()


class Lease:
    """A refresh lease. It ends with this object, and with the process."""

    def __init__(self, connection: _Connection, idle: List[_Connection]) -> None:
        self._connection: Optional[_Connection] = connection
        self._idle = idle
        self._process = os.getpid()

    def release(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            if self._process == os.getpid():
                connection.call(new_method_call(_GROUP, "ReleaseLease", "u", (1,)), "", Deadline(1))
                _keep(connection, self._idle)
                return
        except Exception:
            pass  # Also at the end of the program, when modules are gone. The lease ends with the connection.
        connection.close()

    def __del__(self) -> None:
        self.release()
