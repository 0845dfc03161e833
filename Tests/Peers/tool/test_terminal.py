# SPDX-License-Identifier: MIT
"""Output that is for terminals only."""

import os
import re
import signal
import time

import pytest

from people import ADA
from sso_cache import USAGE
from terminal import Terminal
from unified_cache import signed_in

def wait_until(is_so):
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def screen(sso):
    """The tool's output on a terminal with a number of columns."""
    sso.take(signed_in()[0])

    def screen(*command, columns=200, **variables):
        given = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
        environment = given | {"TERM": "xterm"} | variables
        terminal = Terminal(sso.arguments(*command), environment, columns=columns)
        status, text = terminal.end()
        assert status == 0, text
        return text.replace("\r\n", "\n")

    return screen


def test_titles_are_bold_on_a_terminal(screen):
    title, row = screen("accounts").splitlines()
    assert title.startswith("\x1b[1mUSERNAME\x1b[0m")
    assert not STYLE.search(row)


@pytest.mark.parametrize("value", ["1", "0", "false"])
def test_no_color_with_any_value_disables_colours(screen, value):
    assert not STYLE.search(screen("accounts", NO_COLOR=value))


def test_an_empty_no_color_has_no_effect(screen):
    assert STYLE.search(screen("accounts", NO_COLOR=""))


def test_a_terminal_without_colours_gets_none(screen):
    assert not STYLE.search(screen("accounts", TERM="dumb"))


def test_a_locked_group_is_yellow(screen, sso):
    sso.do("group create", "--group", sso.group)
    sso.do("group lock", "--group", sso.group)
    # Wide enough for the groups that other tests have left.
    [row] = [line for line in screen("groups", columns=1000).splitlines() if sso.group in line]
    assert "\x1b[33mlocked\x1b[0m" in row


@pytest.mark.parametrize("columns", [100, 110, 120])
def test_a_table_fits_the_terminal_and_marks_truncated_cells(screen, columns):
    lines = STYLE.sub("", screen("accounts", columns=columns)).splitlines()
    assert all(len(line) <= columns for line in lines)
    assert ADA.identifier in lines[1], "the next command needs it"
    assert "…" in lines[1] and ("…" in lines[0]) == (columns == 100)
    assert all(lines[0].index(title) == start for title, start in zip(lines[0].split(), starts(lines)))


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_if_an_identifier_would_be_truncated_each_row_becomes_a_list(screen, columns):
    lines = STYLE.sub("", screen("accounts", columns=columns)).splitlines()
    assert lines[0].split() == ["USERNAME", ADA.username]
    assert lines[1].split() == ["IDENTIFIER", ADA.identifier]


def test_a_wide_character_takes_two_columns(sso, screen):
    for service, account in (("メール", "エイダ"), ("imap", "ada"), ("e\u0301t\u0301", "👩‍💻")):
        sso.run("secret set", "--service", service, "--account", account, "--label", "x", stdin=b"s3cr3t")
    lines = STYLE.sub("", screen("secret list")).splitlines()
    begin = lines[0].index("ACCOUNT")
    widths = {"メール": 6, "imap": 4, "e\u0301t\u0301": 2}
    for line in lines[1:]:
        service = line.split()[0]
        assert line.removeprefix(service).index(line.split()[1]) == begin - widths[service]


def starts(lines):
    """The positions of the columns, by the row below the titles."""
    return [match.start() for match in re.finditer(r"\S+", lines[1])]


def test_a_wide_terminal_and_columns_truncate_nothing(screen):
    for text in (screen("accounts", columns=200), screen("accounts", columns=40, COLUMNS="200")):
        assert ADA.identifier in text and ADA.username in text and "…" not in text
    assert "…" in screen("accounts", columns=200, COLUMNS="110")
    assert "…" in screen("accounts", columns=110, COLUMNS="nonsense")


def test_piped_output_is_complete_and_without_colours(sso, screen):
    outcome = sso.with_environment(COLUMNS="20", TERM="xterm").run("accounts")
    assert ADA.identifier in outcome.stdout and "…" not in outcome.stdout
    assert not STYLE.search(outcome.stdout)
    titles, row = outcome.stdout.splitlines()
    assert titles.split("\t") == ["USERNAME", "IDENTIFIER", "ENVIRONMENT", "CLIENTS"]
    assert row.split("\t")[:2] == [ADA.username, ADA.identifier]


@pytest.fixture
def prompt(sso):
    """A user at the prompt for a secret that replaces a stored one."""
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t before")
    terminal = Terminal(sso.arguments("secret set", "--service", "imap"), os.environ | {"TERM": "xterm"})
    terminal.shows("Secret: ")
    assert not terminal.echoes
    return terminal


def kept(sso):
    return sso.run("secret get", "--service", "imap").stdout


@pytest.mark.parametrize("key, number", [("\x03", signal.SIGINT), ("\x1c", signal.SIGQUIT)])
def test_a_key_that_ends_a_program_is_not_typed_into_a_secret(sso, prompt, key, number):
    prompt.types("s3cr3t half" + key)
    status, screen = prompt.end()  # which sees that the terminal echoes again
    assert status == 128 + number and "s3cr3t" not in screen
    assert kept(sso) == "s3cr3t before"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_a_secret_is_typed_restores_the_terminal(sso, prompt, number):
    prompt.types("s3cr3t half")
    prompt.process.send_signal(number)
    assert prompt.end()[0] == 128 + number
    assert kept(sso) == "s3cr3t before"


def test_a_program_that_is_stopped_while_a_secret_is_typed_restores_the_echo(sso, prompt):
    prompt.types("\x1a")
    wait_until(lambda: prompt.echoes)
    prompt.process.send_signal(signal.SIGCONT)
    prompt.enters("Secret: ", "s3cr3t after\n")
    assert prompt.end()[0] == 0
    assert kept(sso) == "s3cr3t after"


@pytest.mark.parametrize("typed", ["\n", "\x04"])
def test_an_empty_typed_secret_is_refused(sso, prompt, typed):
    prompt.types(typed)
    status, screen = prompt.end()
    assert status == USAGE and "--allow-empty" in screen
    assert kept(sso) == "s3cr3t before"


def test_an_empty_piped_secret_is_refused_unless_it_is_allowed(sso):
    sso.run("secret set", "--service", "imap", stdin=b"s3cr3t before")
    for nothing in (b"", b"\n"):
        assert sso.fail(USAGE, "secret set", "--service", "imap", stdin=nothing) == "invalidArgument"
        assert kept(sso) == "s3cr3t before"
    assert sso.run("secret set", "--service", "imap", "--allow-empty", stdin=b"").status == 0
    assert kept(sso) == ""
