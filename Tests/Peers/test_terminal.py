# SPDX-License-Identifier: MIT
"""What a person sees at a terminal, and a program does not."""

import os
import re

import pytest

from people import ADA
from terminal import Terminal
from unified_cache import signed_in

STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def screen(sso):
    """What the tool shows on a terminal of so many columns."""
    sso.take(signed_in()[0])

    def screen(*command, columns=200, **variables):
        given = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
        environment = given | {"TERM": "xterm"} | variables
        terminal = Terminal(sso.arguments(*command), environment, columns=columns)
        status, text = terminal.end()
        assert status == 0, text
        return text.replace("\r\n", "\n")

    return screen


def test_titles_stand_out_on_a_terminal(screen):
    title, row = screen("accounts").splitlines()
    assert title.startswith("\x1b[1mUSERNAME\x1b[0m")
    assert not STYLE.search(row)


@pytest.mark.parametrize("value", ["1", "0", "false"])
def test_no_color_takes_the_colours_away_whatever_it_says(screen, value):
    assert not STYLE.search(screen("accounts", NO_COLOR=value))


def test_an_empty_no_color_says_nothing(screen):
    assert STYLE.search(screen("accounts", NO_COLOR=""))


def test_a_terminal_that_knows_no_colours_gets_none(screen):
    assert not STYLE.search(screen("accounts", TERM="dumb"))


def test_a_locked_group_is_yellow(screen, sso):
    sso.do("group create", "--group", sso.group)
    sso.do("group lock", "--group", sso.group)
    [row] = [line for line in screen("groups").splitlines() if sso.group in line]
    assert "\x1b[33mlocked\x1b[0m" in row


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_a_table_fits_the_terminal_and_says_where_it_was_cut(screen, columns):
    lines = STYLE.sub("", screen("accounts", columns=columns)).splitlines()
    assert all(len(line) <= columns for line in lines)
    assert "…" in lines[1] and ("…" in lines[0]) == (columns == 40)
    assert all(lines[0].index(title) == start for title, start in zip(lines[0].split(), starts(lines)))


def starts(lines):
    """Where the columns begin, by the row beneath the titles."""
    return [match.start() for match in re.finditer(r"\S+", lines[1])]


def test_a_wide_terminal_and_columns_cut_nothing(screen):
    for text in (screen("accounts", columns=200), screen("accounts", columns=40, COLUMNS="200")):
        assert ADA.identifier in text and ADA.username in text and "…" not in text
    assert "…" in screen("accounts", columns=200, COLUMNS="60")
    assert "…" in screen("accounts", columns=60, COLUMNS="nonsense")


def test_a_program_gets_all_of_it_in_no_colour(sso, screen):
    outcome = sso.with_environment(COLUMNS="20", TERM="xterm").run("accounts")
    assert ADA.identifier in outcome.stdout and "…" not in outcome.stdout
    assert not STYLE.search(outcome.stdout)
