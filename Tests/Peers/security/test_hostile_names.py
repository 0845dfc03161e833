# SPDX-License-Identifier: MIT
"""No name that another program or a server chose controls the terminal of the tool's user."""

import json
import os

import pytest

from hostile_names import HOSTILE, steering
from people import ADA, GRACE
from secret_items import group_collection, store_item
from terminal import Terminal
from unified_cache import CLIENT, signed_in

COMMANDS = {
    "accounts": ["accounts"],
    "sign-out": ["sign-out", "--client-id", CLIENT, "--yes", "--account", ADA.identifier],
    "ambiguous token": ["token", "--client-id", CLIENT, "--scope", "mail.read", "--account"],
    "ambiguous sign-out": ["sign-out", "--everywhere", "--yes", "--account"],
    "doctor": ["doctor"],
    "groups": ["groups"],
    "apps": ["apps", "list"],
    "import": ["import", "--format", "msal", "--dry-run"],
}


def cache_named(name, *people):
    """A cache in which each user has one of the names."""
    whole = {}
    for person in people:
        cache, _ = signed_in("mail.read", person=person)
        for entry in cache["Account"].values():
            entry |= {"username": name, "name": name}
        for section, entries in cache.items():
            whole.setdefault(section, {}).update(
                {f"{person.uid}-{key}": entry for key, entry in entries.items()})
    return whole


# No argument of a program can contain a zero byte.
CASES = [
    pytest.param(command, name, id=f"{command_id}-{name_id}")
    for command_id, command in COMMANDS.items() for name_id, name in HOSTILE.items()
    if not (command[-1] == "--account" and "\x00" in name)
]


@pytest.mark.parametrize("command, name", CASES)
def test_no_command_prints_a_names_control_characters(sso, save, command, name):
    cache = cache_named(name, *([ADA, GRACE] if command[-1] == "--account" else [ADA]))
    sso.take(cache)
    arguments = list(command)
    if command[-1] == "--account":
        arguments.append(name)
    if command[0] == "import":
        arguments.append(save(json.dumps(cache)))
    outcome = sso.run(*arguments)
    # Tabs separate the cells of a table, and no cell contains one.
    assert not steering(outcome.stdout.replace("\t", " ")), ascii(outcome.stdout)
    assert not steering(outcome.stderr), ascii(outcome.stderr)
    assert "\nSigned out: bob" not in outcome.stdout


@pytest.mark.parametrize("command", [
    ["accounts"], ["token", "--client-id", CLIENT, "--scope", "mail.read", "--account", ADA.username],
    ["export", "--format", "msal"], ["damaged list"], ["doctor"], ["group move"],
    ["sign-out", "--everywhere", "--account", ADA.username, "--yes"],
], ids=lambda command: command[0])
@pytest.mark.parametrize(
    "name", [pytest.param(name, id=name_id) for name_id, name in HOSTILE.items() if "\x00" not in name])
def test_no_log_line_prints_control_characters_of_another_programs_item(sso, bus, group, command, name):
    sso.take(signed_in()[0])
    collection = group_collection(bus, group)
    for kind in ("credentials", "family", "client", "legacy", "group-data"):
        store_item(bus, collection, b"no document", kind, group, client_id=CLIENT, environment=name)
    outcome = sso.run(*command, "--verbose")
    assert not steering(outcome.stderr), ascii(outcome.stderr)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_confirmation_prompt_prints_no_names_control_characters(sso, name):
    sso.take(cache_named(name, ADA))
    command = ["sign-out", "--client-id", CLIENT, "--account", ADA.identifier]
    terminal = Terminal(sso.arguments(*command), dict(os.environ))
    terminal.types("n\n")
    _, text = terminal.end()
    assert "Sign ada" in text
    assert not steering(text.replace("\r\n", "\n")), ascii(text)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
def test_output_for_programs_holds_a_name_as_it_is(sso, name):
    sso.take(cache_named(name, ADA))
    assert [account["username"] for account in sso.accounts()] == [name]
    assert {account["username"] for account in sso.give()["Account"].values()} == {name}


def test_a_zero_byte_in_a_client_id_affects_no_other_clients_tokens(sso):
    cache, _ = signed_in("mail.read", client="client-one")
    sso.take(cache)
    before = sso.give()
    hostile, _ = signed_in("mail.read", client="client-one\x00x")
    outcome = sso.run("import", "--format", "msal", "--json", "-", stdin=json.dumps(hostile).encode())
    assert outcome.status == 65 and "control character" in outcome.stderr
    assert sso.give() == before
    assert sso.take(hostile, "--skip-invalid")["left_out"] > 0
    assert sso.give() == before
