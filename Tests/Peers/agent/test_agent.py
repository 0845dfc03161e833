# SPDX-License-Identifier: MIT
"""The agent's D-Bus interfaces, and what a hostile caller can do to them: nothing, but to itself."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import secretstorage

from agent_client import AGENT, GROUP, AgentError, Bus, kill, suspend, suspended
from forger import Forger
from jeepney import HeaderFields, MessageType, new_method_call
from keyrings import Keyrings
from people import ADA
from secret_items import group_collection, search
from sso_cache import LOCKED_OR_TIMED_OUT, NO_SERVICE
from unified_cache import AAD, CLIENT

NOTE = {"kind": "group-data", "key": "note"}
NOTES = {"kind": "group-data"}


def document(text):
    return json.dumps({"note": text}).encode()


def text(records):
    return [json.loads(content)["note"] for _, content, reason in records if not reason]


@pytest.fixture
def opened(agent, group):
    opened = agent.open(group)
    yield opened
    opened.close()


@pytest.fixture
def other(agent, group):
    """Another app's connection to the same group, which must work after each attack."""
    other = agent.open(group)
    yield other
    store(other, "after")
    assert text(other.get(NOTE)[0]) == ["after"]
    other.close()


def store(opened, note):
    while not opened.set(NOTE, opened.get(NOTE)[1], document(note)):
        pass


def test_a_record_that_one_connection_stores_is_read_and_removed_by_another(agent, group, opened, sso):
    assert opened.get(NOTE) == ([], "")
    assert opened.set(NOTE, "", document("one"))
    other = agent.open(group)
    records, version = other.get(NOTE)
    assert text(records) == ["one"] and version
    assert text(other.records(NOTES)) == ["one"]
    other.remove(NOTE)
    assert opened.get(NOTE) == ([], "")
    other.close()


CREDENTIALS = {
    "kind": "credentials", "account": ADA.identifier, "environment": "login.windows.net", "client_id": CLIENT}
SPELLINGS = {
    "another host of the cloud": {"environment": AAD}, "the host in capitals": {"environment": "LOGIN.WINDOWS.NET"},
    "the account in capitals": {"account": ADA.identifier.upper()}, "the client in capitals": {"client_id": CLIENT.upper()},
    "a part that the kind doesn't have": {"key": "x"},
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_record_is_one_in_every_spelling_of_its_key(opened, spelling):
    assert opened.set(CREDENTIALS | spelling, "", document("one"))
    for key in (CREDENTIALS, CREDENTIALS | spelling):
        records, version = opened.get(key)
        assert text(records) == ["one"] and version and records[0][0] == CREDENTIALS
    if "key" not in spelling:
        assert text(opened.records(CREDENTIALS | spelling)) == ["one"]
    opened.remove(CREDENTIALS | spelling)
    assert opened.get(CREDENTIALS) == ([], "")


def test_what_keeps_a_record_from_being_read_is_set_aside(bus, group, opened):
    assert opened.set(NOTE, "", document("one")) and not opened.set_aside(NOTE)
    search(bus, kind="group-data", key="note", group=group)[0].set_secret(b"hello")
    [(_, _, reason)], version = opened.get(NOTE)
    assert reason
    with pytest.raises(AgentError, match="CorruptItem"):
        opened.set(NOTE, version, document("two"))
    assert opened.set_aside(NOTE) and opened.get(NOTE) == ([], "")
    assert opened.set_aside(NOTE, since=int(time.time()) - 60), "it is"
    assert not opened.set_aside(NOTE, since=int(time.time()) + 60), "It was before that time."
    assert opened.set(NOTE, "", document("two"))
    assert [item.get_secret() for item in search(bus, kind="damaged", group=group)] == [b"hello"]


def test_a_keyring_that_gets_an_empty_password_gets_no_more_records(agent, bus, group, opened):
    for note in ("zero", "one"):
        store(opened, note)
    time.sleep(0.1)  # the time that a token request takes
    own = group_collection(bus, group)
    [key] = search(bus, kind="group-key", group=group)
    Keyrings(bus).change(own.collection_path, key.get_secret().decode(), "")
    assert opened.set(NOTE, opened.get(NOTE)[1], document("two"))
    plain = secretstorage.Collection(bus, own.collection_path)
    assert document("two") not in [item.get_secret() for item in plain.get_all_items()]
    plain.delete()
    assert text(opened.get(NOTE)[0]) == ["two"]


def test_a_change_of_another_version_is_not_stored(opened):
    assert opened.set(NOTE, "", document("one"))
    assert not opened.set(NOTE, "", document("two"))
    version = opened.get(NOTE)[1]
    assert opened.set(NOTE, version, document("two"))
    assert not opened.set(NOTE, version, b"")
    assert text(opened.get(NOTE)[0]) == ["two"]


def test_the_groups_of_two_publishers_are_two(agent, group):
    first, second = agent.open(group, "contoso"), agent.open(group, "fabrikam")
    store(first, "one")
    assert second.get(NOTE) == ([], "")
    first.close()
    second.close()


@pytest.mark.parametrize(
    "name, publisher", [("", ""), (".hidden", ""), ("a/b", ""), ("a b", ""), ("x" * 201, ""), ("g", "a.b/c")])
def test_a_name_that_is_no_group_is_refused(agent, name, publisher):
    with pytest.raises(AgentError) as error:
        agent.open(name, publisher)
    assert error.value.code == "InvalidArgument"


@pytest.mark.parametrize("kind", ["group", "group-key", "damaged", "retired", "", "nonsense"])
def test_what_is_the_librarys_own_is_not_served(opened, kind, sso, bus):
    store(opened, "one")
    for call in (
        lambda: opened.get({"kind": kind}), lambda: opened.records({"kind": kind}),
        lambda: opened.set({"kind": kind}, "", document("x")), lambda: opened.remove({"kind": kind}),
        lambda: opened.set_aside({"kind": kind}),
        lambda: opened.acquire_lease(1, {"kind": kind}),
    ):
        with pytest.raises(AgentError) as error:
            call()
        assert error.value.code == "InvalidArgument"


BAD_KEYS = [
    {}, {"key": "note"}, {"kind": "group-data", "group": "com.fabrikam.other"},
    {"kind": "group-data", "publisher": "fabrikam"}, {"kind": "group-data", "key": "a\nb"},
    {"kind": "group-data", "key": "x" * 4097}, {"kind": "group-data", "xdg:schema": "x"},
]


@pytest.mark.parametrize("key", BAD_KEYS)
def test_a_key_with_anything_else_is_refused(opened, key):
    with pytest.raises(AgentError) as error:
        opened.get(key)
    assert error.value.code == "InvalidArgument"


@pytest.mark.parametrize("content", [b"no json", b"[1]", b"{", b"\xff\xfe", b'{"a":1,"a":2}'])
def test_content_that_is_no_document_is_not_stored(opened, content):
    store(opened, "one")
    with pytest.raises(AgentError) as error:
        opened.set(NOTE, opened.get(NOTE)[1], content)
    assert error.value.code in ("CorruptItem", "InvalidArgument")
    assert text(opened.get(NOTE)[0]) == ["one"]


def test_content_beyond_the_limit_is_not_stored(opened, other):
    with pytest.raises(AgentError) as error:
        opened.set(NOTE, "", document("x" * 2_000_000))
    assert error.value.code == "InvalidArgument"


def test_values_of_other_types_are_refused(opened, other):
    for signature, arguments in (("s", ("note",)), ("a{sv}", ({},)), ("a{ss}s", (NOTE, "")), (None, ())):
        with pytest.raises(AgentError) as error:
            opened.call("Get", signature, *arguments)
        assert error.value.code == "InvalidArgs"


def test_a_record_that_cannot_be_read_is_listed_with_the_reason(opened, group, bus, sso):
    store(opened, "one")
    [item] = search(bus, group=group, kind="group-data")
    item.set_secret(b"damaged")
    [(_, content, reason)], version = opened.get(NOTE)
    assert (content, version) == (b"", "") and reason
    with pytest.raises(AgentError) as error:
        opened.set(NOTE, version, document("two"))
    assert error.value.code == "CorruptItem"
    assert item.get_secret() == b"damaged"


def test_what_a_program_without_the_library_stores_is_read_and_can_be_replaced(opened, group, bus, sso):
    store(opened, "one")
    opened.get(NOTE)
    [item] = search(bus, group=group, kind="group-data")
    item.set_secret(item.get_secret().replace(b"one", b"two"))
    records, version = opened.get(NOTE)
    assert text(records) == ["two"]
    assert opened.set(NOTE, version, document("three"))


def test_a_locked_group_is_an_error_and_no_dialog_is_shown(opened, group, bus):
    store(opened, "one")
    collection = group_collection(bus, group)
    for key in search(bus, kind="group-key", group=group):
        key.delete()
    collection.lock()
    with pytest.raises(AgentError) as error:
        opened.get(NOTE)
    assert error.value.code in ("GroupLocked", "GroupUnrecoverable")


# Leases.


def test_a_lease_is_held_by_one_connection_until_it_is_released(agent, group, opened):
    other = agent.open(group)
    assert opened.acquire_lease(1, NOTE)
    assert not other.acquire_lease(1, NOTE, 200)
    opened.release_lease(1)
    assert other.acquire_lease(1, NOTE)
    other.close()


def test_a_lease_ends_with_the_connection(agent, group, opened):
    other = agent.open(group)
    assert other.acquire_lease(7, NOTE)
    other.close()
    assert opened.acquire_lease(1, NOTE, 5000)


def test_leases_of_two_keys_are_two(opened):
    assert opened.acquire_lease(1, NOTE)
    assert opened.acquire_lease(2, NOTE | {"key": "other"})


def test_a_number_in_use_and_too_many_leases_are_refused(opened):
    assert opened.acquire_lease(1, NOTE)
    with pytest.raises(AgentError) as error:
        opened.acquire_lease(1, NOTE | {"key": "other"})
    assert error.value.code == "InvalidArgument"
    for number in range(2, 65):
        assert opened.acquire_lease(number, NOTE | {"key": str(number)})
    with pytest.raises(AgentError):
        opened.acquire_lease(65, NOTE | {"key": "65"})


# Hostile callers.

GARBAGE = [b"", b"\0", b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 4096, b"l\1\0\1" + b"\xff\xff\xff\x7f" * 3]


@pytest.mark.parametrize("content", GARBAGE)
def test_garbage_ends_that_connection_alone(agent, group, other, content):
    opened, _ = agent.open_socket(group)
    opened.settimeout(20)
    opened.sendall(content)
    opened.shutdown(socket.SHUT_WR)
    try:
        assert opened.recv(1) == b""
    except ConnectionResetError:
        pass
    opened.close()


def test_half_a_message_keeps_nobody_else_waiting(agent, group, other):
    halves = [agent.open_socket(group)[0] for _ in range(20)]
    for opened in halves:
        opened.sendall(b"l\1\0\1\0\0\0\7")
    began = time.monotonic()
    store(other, "meanwhile")
    assert time.monotonic() - began < 5
    for opened in halves:
        opened.close()


def test_an_app_that_never_reads_loses_its_connection(agent, group, other):
    store(other, "x" * 200_000)
    hostile = agent.open(group)
    message = hostile_calls(hostile, 3000)
    hostile.connection.sock.settimeout(30)
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        for part in message:
            hostile.connection.sock.sendall(part)
        wait_until_closed(hostile.connection.sock)
    hostile.close()


def hostile_calls(hostile, count):
    for _ in range(count):
        call = new_method_call(GROUP, "Get", "a{ss}", (NOTE,))
        yield call.serialise(serial=next(hostile.connection.outgoing_serial))


def wait_until_closed(opened):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        opened.send(b"")
        opened.sendall(b"l")
        time.sleep(0.2)
    pytest.fail("the connection is still open")


def test_more_connections_than_an_app_may_have_are_refused(agent, group, other):
    opened = []
    with pytest.raises(AgentError) as error:
        for _ in range(200):
            opened.append(agent.open_socket(group)[0])
    assert error.value.code == "StorageFailed"
    assert 10 < len(opened) <= 64
    for end in opened:
        end.close()


def test_a_flood_of_calls_for_groups_is_refused_and_keeps_nobody_waiting(agent, group, other):
    hostile = Bus()
    for _ in range(2000):
        hostile.connection.send(new_method_call(AGENT, "Open", "ss", ("", "refused/")))
    began = time.monotonic()
    agent.open(group).close()
    assert time.monotonic() - began < 5
    errors = []
    while len(errors) < 2000:
        header = hostile.connection.receive(timeout=20).header
        if header.message_type is MessageType.error:
            errors.append(header.fields[HeaderFields.error_name])
    hostile.close()
    assert errors.count("org.freedesktop.DBus.Error.LimitsExceeded") > 1000


KILLED = """
import sys, os, signal
sys.path[:0] = sys.argv[1].split(":")
from agent_client import Bus
step, group = int(sys.argv[2]), sys.argv[3]
note = {"kind": "group-data", "key": "note"}
def end(at):
    if step == at:
        os.kill(os.getpid(), signal.SIGKILL)
bus = Bus(); end(0)
opened = bus.open(group); end(1)
opened.acquire_lease(1, note); end(2)
version = opened.get(note)[1]; end(3)
from jeepney import new_method_call
from agent_client import GROUP
call = new_method_call(GROUP, "Set", "a{ss}say", (note, version, b'{"note":"killed"}'))
opened.connection.send(call); end(4)
opened.connection.receive(timeout=20); end(5)
"""


@pytest.mark.parametrize("step", range(6))
def test_an_app_that_is_killed_at_any_step_blocks_nobody(agent, group, other, step):
    store(other, "before")
    subprocess.run([sys.executable, "-c", KILLED, ":".join(sys.path), str(step), group], timeout=60, check=False)
    assert other.acquire_lease(9, NOTE, 5000)
    assert text(other.get(NOTE)[0]) in (["before"], ["killed"])
    assert step < 5 or text(other.get(NOTE)[0]) == ["killed"]


# The agent's own end.


def test_nothing_acknowledged_is_lost_when_the_agent_is_killed_again_and_again(agent, group):
    acknowledged, failures, ended = {}, [], threading.Event()

    def write(name):
        key = NOTE | {"key": name}
        bus, opened, number = Bus(), None, 0
        while not ended.is_set():
            try:
                opened = opened or bus.open(group)
                version = opened.get(key)[1]
                number += 1
                if opened.set(key, version, document(str(number))):
                    acknowledged[name] = number
            except (OSError, EOFError, TimeoutError, AgentError) as error:
                failures.append(error)
                opened = None
        bus.close()

    writers = [threading.Thread(target=write, args=(str(index),)) for index in range(4)]
    for writer in writers:
        writer.start()
    for _ in range(6):
        time.sleep(0.5)
        if process := agent.agent():
            kill(process, signal.SIGKILL)
    ended.set()
    for writer in writers:
        writer.join()
    opened = agent.open(group)
    assert len(acknowledged) == 4 and failures
    for name, number in acknowledged.items():
        [stored] = text(opened.get(NOTE | {"key": name})[0])
        assert int(stored) >= number
    opened.close()


def test_a_second_agent_ends_with_an_error(agent, opened, tool):
    program = Path(tool).with_name("secret-store-agent")
    second = subprocess.run([program], capture_output=True, text=True, timeout=20)
    assert second.returncode == 1 and "Another agent" in second.stderr
    store(opened, "still there")


def test_status_counts_the_connections_of_a_group(agent, opened, group):
    connections, _ = agent.status()
    assert any(entry[1] == group and entry[2] == 1 for entry in connections)


@pytest.mark.parametrize(
    ("is_killed", "status", "code", "detail"),
    [(False, LOCKED_OR_TIMED_OUT, "timedOut", "The agent did not reply in time."),
     (True, NO_SERVICE, "serviceUnavailable", "The agent can't be reached, or ended during the call.")])
def test_the_status_of_an_agent_that_does_not_reply_blames_the_agent_alone(
    agent, opened, sso, is_killed, status, code, detail
):
    process = agent.agent()
    suspend(process)
    end = threading.Timer(1, kill, (process, signal.SIGKILL))
    if is_killed:
        end.start()
    try:
        outcome = sso.run("agent status", "--json")
    finally:
        if not is_killed:
            os.kill(process, signal.SIGCONT)
    assert (outcome.status, outcome.error) == (status, code)
    assert detail in outcome.stderr and "doctor shows what to do about the agent" in outcome.stderr
    assert "keyring" not in outcome.stderr and "Secret Service" not in outcome.stderr


def test_a_status_that_another_program_forges_is_ignored(agent, opened, group, sso):
    forged = {"Status": ("a(ssu)a(ssu)", ([("forged", "forged", 1)], []))}
    with Forger(AGENT.object_path, forged) as forger, ThreadPoolExecutor() as threads:
        with suspended(agent.agent()):
            running = threads.submit(lambda: sso.do("agent status"))
            forger.wait()
        connections = running.result()["connections"]
    assert group in [connection["group"] for connection in connections]
    assert "forged" not in [connection["group"] for connection in connections]
