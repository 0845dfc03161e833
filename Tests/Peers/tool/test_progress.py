# SPDX-License-Identifier: MIT
"""What long work shows on standard error: a bar on a terminal, lines of JSON when asked for, and nothing else."""

import json
import os
import pty
import re
import shlex
import subprocess
import time

import pytest

from hostile_names import HOSTILE, steering
from long_work import (
    RECORDS, accounts_from, held_up, identifiers, lines_of, on_terminal, outcome_of, with_pipes, write_cache,
)
from partner_caches import AZURE_CLI, CLI_ITEM, Partners, json_of, one_account
from people import ADA
from secret_items import share
from sso_cache import DONE
from terminal import FRAME, Terminal, rest_of

# The command, and what its bar says.
COMMANDS = {
    "import": (["import", "--format", "msal", "CACHE"], "Importing"),
    "import a tool's": (["import", "--from", "azure-cli"], "Importing"),
    "export": (["export", "--format", "msal"], "Reading"),
    "export to a tool": (["export", "--to", "azure-cli"], "Exporting"),
    "group move": (["group move"], "Moving"),
    "group copy": (["group copy", "--from", "GROUP", "--to", "GROUP.copy"], "Copying"),
    "partners": (["partners"], "Reading"),
}


@pytest.fixture
def tools(tmp_path, bus, sso):
    """The tool, where Azure CLI is signed in."""
    partners = Partners(tmp_path / "home", bus, sso)
    partners.clear()
    partners.plant(CLI_ITEM, json_of(one_account(ADA, AZURE_CLI)))
    yield partners.sso
    partners.clear()


@pytest.fixture
def big(tmp_path):
    """A file of many records."""
    return write_cache(tmp_path / "big.json")


@pytest.fixture
def importing(sso, big, save, daemon):
    """Runs an import on a terminal, which begins while the daemon does not reply."""

    def importing(*options, count=RECORDS, columns=100, **variables):
        file = big if count == RECORDS else save(json.dumps(accounts_from(0, count)))
        return held_up(daemon, lambda: on_terminal(
            sso, "import", "--format", "msal", *options, file, columns=columns, **variables))

    return importing


@pytest.fixture(params=COMMANDS.values(), ids=COMMANDS.keys())
def work(request, tools, bus, save):
    """The tool, a command that works on a group in the login collection, and what its bar says."""
    command, title = request.param
    tools.take(accounts_from(0, 2))
    if command == ["group move"]:
        share(bus, tools.group)
    file = save(json.dumps(accounts_from(2, 2)))
    return tools, [word.replace("CACHE", str(file)).replace("GROUP", tools.group) for word in command], title


# A terminal.


def test_a_bar_shows_the_items_the_rate_and_the_time_left_and_goes_when_it_is_over(importing, daemon):
    terminal = importing()
    terminal.counts(3)
    daemon.freeze()
    time.sleep(1.5)
    daemon.thaw()
    status, screen = terminal.end()
    assert status == DONE, screen
    assert any(
        re.fullmatch(rf"Importing  \[[#-]+\]  \d+ of {RECORDS}  [\d.]+/s  \d+:\d\d left", frame)
        for frame in terminal.frames), terminal.frames
    assert terminal.frames[0] == "Importing" and terminal.frames[-1] == ""
    assert terminal.history.endswith(f"\r\x1b[KDone: {RECORDS} added.\r\n")


def test_each_long_command_shows_its_work_on_a_terminal(work, daemon):
    sso, command, title = work
    terminal = held_up(daemon, lambda: on_terminal(sso, *command))
    status, screen = terminal.end()
    assert status == DONE, screen
    assert any(frame.startswith(title) for frame in terminal.frames) and terminal.frames[-1] == ""


def test_each_long_command_shows_nothing_without_a_terminal(work, daemon):
    sso, command, _ = work
    running = held_up(daemon, lambda: with_pipes(sso, *command))
    status, _, stderr = outcome_of(running)
    assert (status, stderr) == (DONE, b"")


def test_each_long_command_prints_lines_of_json_when_asked_to(work):
    sso, command, _ = work
    status, stdout, stderr = outcome_of(with_pipes(sso, *command, "--progress", "--json"))
    counts, others = lines_of(stderr)
    assert status == DONE and others == [] and json.loads(stdout)
    assert counts[-1]["completed"] == counts[-1]["total"] > 0
    assert {count["work"] for count in counts} == {command[0].removeprefix("group ")}


@pytest.mark.parametrize("options, variables", [
    ((), {"TERM": "dumb"}), ((), {"TERM": ""}), ((), {"TERM": None}), (("--json",), {}), (("--verbose",), {}),
], ids=["a dumb terminal", "an empty TERM", "no TERM", "--json", "--verbose"])
def test_no_bar_is_drawn_where_it_would_be_in_the_way(importing, options, variables):
    terminal = importing(*options, count=3, **variables)
    assert terminal.end()[0] == DONE
    assert "\x1b" not in terminal.history and "Importing" not in terminal.history


def test_a_bar_needs_no_colours(importing):
    terminal = importing(count=3, NO_COLOR="1")
    assert terminal.end()[0] == DONE
    assert terminal.frames and "\x1b" not in terminal.history.replace("\x1b[K", "")


def test_short_work_shows_nothing(sso, save):
    file = save(json.dumps(accounts_from(0, 1)))
    for _ in range(5):
        start = time.monotonic()
        terminal = on_terminal(sso, "import", "--format", "msal", file)
        assert terminal.end()[0] == DONE
        if time.monotonic() - start < 0.5:
            assert "\x1b" not in terminal.history
            return
    pytest.fail("the machine is too slow to tell")


def test_a_bar_is_shown_while_standard_output_is_a_file(sso, daemon, tmp_path):
    sso.take(accounts_from(0, 2))
    master, side = pty.openpty()
    with open(tmp_path / "export.json", "wb") as file:
        running = held_up(daemon, lambda: with_pipes(
            sso.with_environment(TERM="xterm"), "export", "--format", "msal", stdout=file, stderr=side))
    assert running.wait(30) == DONE
    os.close(side)
    screen = rest_of(master).decode()
    os.close(master)
    assert "Reading" in FRAME.findall(screen) and FRAME.findall(screen)[-1] == ""
    assert len(json.loads((tmp_path / "export.json").read_text())["Account"]) == 2


@pytest.mark.parametrize("columns, count", [
    (1, 3), pytest.param(10, RECORDS, marks=pytest.mark.slow), (30, RECORDS)])
def test_no_line_reaches_the_last_column_of_a_narrow_terminal(importing, columns, count):
    terminal = importing(columns=columns, count=count)
    if count == RECORDS:
        terminal.counts(1)
    assert terminal.end()[0] == DONE
    assert terminal.frames and all(len(frame) < columns for frame in terminal.frames), terminal.frames


@pytest.mark.slow
def test_a_bar_follows_a_terminal_that_is_resized(importing, daemon):
    terminal = importing()
    terminal.counts(1)
    terminal.resizes(12)
    before = len(terminal.frames)
    daemon.freeze()
    time.sleep(0.5)
    daemon.thaw()
    assert terminal.end()[0] == DONE
    # One line may have been on its way.
    assert terminal.frames[before + 1:] and all(len(frame) < 12 for frame in terminal.frames[before + 1:])


def test_a_bar_shows_nothing_of_stored_names(sso, daemon, save):
    cache = accounts_from(0, len(HOSTILE))
    for entry, name in zip(cache["Account"].values(), HOSTILE.values()):
        entry |= {"username": name, "name": name}
    file = save(json.dumps(cache))
    terminal = held_up(daemon, lambda: on_terminal(sso, "import", "--format", "msal", file))
    assert terminal.end()[0] == DONE
    assert not steering(FRAME.sub("", terminal.history).replace("\r\n", "\n")), terminal.history
    assert terminal.frames and all(re.fullmatch(r"[ -~]*", frame) for frame in terminal.frames)


# Lines of JSON.


@pytest.mark.slow
def test_lines_of_json_count_up_to_the_total(sso, big):
    status, stdout, stderr = outcome_of(with_pipes(
        sso, "import", "--format", "msal", big, "--progress", "--json"))
    counts, others = lines_of(stderr)
    assert status == DONE and others == [] and json.loads(stdout)["added"] == RECORDS
    done = [count["completed"] for count in counts]
    assert done == sorted(set(done)) and done[-1] == RECORDS
    assert all(count["total"] == RECORDS and count["work"] == "import" for count in counts)
    status, _, stderr = outcome_of(with_pipes(sso, "export", "--format", "msal", "--progress"))
    counts, _ = lines_of(stderr)
    assert (status, counts[-1]) == (DONE, {"work": "export", "completed": RECORDS, "total": RECORDS})


def test_an_error_follows_the_lines_of_json(sso, save):
    file = save("[]")
    status, stdout, stderr = outcome_of(with_pipes(
        sso, "import", "--format", "msal", file, "--progress", "--json"))
    counts, [error] = lines_of(stderr)
    assert status != DONE and stdout == b"" and counts == [] and error["error"]["code"] == "invalidFile"


# Standard error that takes nothing.


@pytest.mark.slow
def test_an_import_runs_to_its_end_with_standard_error_closed(sso, big):
    line = shlex.join(sso.arguments("import", "--format", "msal", "--progress", big))
    done = subprocess.run(["sh", "-c", f"exec {line} 2>&-"], env=sso.environment, stdout=subprocess.PIPE, timeout=60)
    assert done.returncode == DONE and len(sso.accounts()) == RECORDS


@pytest.mark.parametrize("is_read", [True, False], ids=["full", "without a reader"])
def test_an_import_does_not_wait_for_a_pipe(sso, big, is_read):
    reader, writer = os.pipe()
    if is_read:
        os.set_blocking(writer, False)
        while True:
            try:
                os.write(writer, b"x" * 4096)
            except BlockingIOError:
                break
        os.set_blocking(writer, True)
    else:
        os.close(reader)
    running = with_pipes(sso, "import", "--format", "msal", "--progress", big, stderr=writer)
    status, _, _ = outcome_of(running)
    for file in {reader, writer} if is_read else {writer}:
        os.close(file)
    assert status == DONE and len(sso.accounts()) == RECORDS


@pytest.mark.slow
def test_an_import_does_not_wait_for_a_terminal_whose_output_is_stopped(sso, importing):
    terminal = importing()
    terminal.types("\x13")  # Ctrl-S
    end = time.monotonic() + 30
    while len(sso.accounts()) < RECORDS:
        assert time.monotonic() < end
    terminal.types("\x11")
    assert terminal.end()[0] == DONE


@pytest.mark.slow
def test_in_the_background_nothing_is_drawn_and_the_terminal_stops_nobody(sso, big, tmp_path):
    line = shlex.join(sso.arguments("import", "--format", "msal", big))
    script = f"stty tostop; set -m; {line} >{shlex.quote(str(tmp_path / 'out'))} & wait $!; echo status=$?"
    terminal = Terminal(["bash", "-c", script], sso.environment | {"TERM": "xterm"}, columns=100)
    terminal.shows("status=0")
    assert terminal.end()[0] == DONE and not terminal.frames
    assert (tmp_path / "out").read_text() == f"Done: {RECORDS} added.\n"


@pytest.mark.slow
def test_a_bar_goes_on_after_the_process_was_stopped(sso, importing):
    terminal = importing()
    terminal.counts(1)
    os.kill(terminal.process.pid, 19)
    time.sleep(0.3)
    before = len(terminal.frames)
    os.kill(terminal.process.pid, 18)
    assert terminal.end()[0] == DONE
    assert len(terminal.frames) > before and identifiers(0, RECORDS) == {
        account["identifier"] for account in sso.accounts()}
