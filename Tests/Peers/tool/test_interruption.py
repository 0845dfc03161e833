# SPDX-License-Identifier: MIT
"""Long work that is interrupted ends at a whole item, and goes on when it is started again."""

import json
import re
import signal
import time

import pytest

from long_work import (
    RECORDS, accounts_from, done_before, held_up, identifiers, lines_of, on_terminal, outcome_of, with_pipes,
    write_cache,
)
from partner_caches import AZURE_CLI, CLI_ITEM, Partners, json_of, one_account
from people import ADA, GRACE
from secret_items import collection_of, search, share
from sso_cache import CANCELLED, DONE, LOCKED_OR_TIMED_OUT, NO_SERVICE, STORAGE_OR_NETWORK, SSOCache
from unified_cache import assert_same

CTRL_C = "\x03"
GO_ON = "Start it again to go on with what is left."


@pytest.fixture
def big(tmp_path):
    """A file of many records."""
    return write_cache(tmp_path / "big.json")


@pytest.fixture
def importing(sso, big, daemon):
    """Runs an import on a terminal, whose bar is there before the first record is written."""
    return lambda *options, file=big: held_up(
        daemon, lambda: on_terminal(sso, "import", "--format", "msal", *options, file))


def signed_in_accounts(sso):
    return {account["identifier"] for account in sso.accounts()}


def interrupted(terminal, number, outcome="records are"):
    """Presses Ctrl-C once so many items are done; returns how many were done at the end."""
    terminal.counts(number)
    start = time.monotonic()
    terminal.types(CTRL_C)
    status, screen = terminal.end()
    assert status == CANCELLED and time.monotonic() - start < 3, screen
    assert f" {outcome}" in screen and GO_ON in screen and terminal.frames[-1] == ""
    done = done_before(screen)
    assert done >= number
    return done


@pytest.mark.slow
def test_an_import_that_is_interrupted_again_and_again_ends_as_one_that_is_not(sso, group, big, importing):
    done = 0
    for number in (1, 10):
        done += interrupted(importing(), number)
        # What was counted is stored, and nothing else.
        assert len(sso.accounts()) == done < RECORDS
    assert sso.do("import", "--format", "msal", big)["added"] == RECORDS - done
    whole = SSOCache(sso.tool, f"{group}.whole")
    assert whole.do("import", "--format", "msal", big)["added"] == RECORDS
    assert_same(sso.give(), whole.give())
    whole.do("group delete", "--yes")


@pytest.mark.slow
def test_a_replacing_import_goes_on_with_what_is_left(sso, big, importing):
    sso.take(accounts_from(RECORDS - 30, 60))
    # What was only removed is not said to be imported.
    interrupted(importing("--replace", "--yes"), 20, "records are imported or removed.")
    sso.do("import", "--format", "msal", big, "--replace", "--yes")
    assert signed_in_accounts(sso) == identifiers(0, RECORDS)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_an_import_at_a_whole_record(sso, big, daemon, number):
    running = held_up(daemon, lambda: with_pipes(
        sso, "import", "--format", "msal", big, "--progress", "--json"))
    first = running.stderr.readline()
    running.send_signal(number)
    status, stdout, stderr = outcome_of(running)
    counts, [error] = lines_of(first + stderr)
    assert (status, stdout) == (128 + number, b"")
    error = error["error"]
    assert (error["code"], error["remedy"]) == ("cancelled", GO_ON)
    done = done_before(error["detail"])
    assert counts[-1]["completed"] == done == len(sso.accounts())


def test_an_ignored_signal_stays_ignored(sso, big):
    running = with_pipes(
        sso, "import", "--format", "msal", big, "--progress",
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    running.stderr.readline()
    running.send_signal(signal.SIGHUP)
    assert outcome_of(running)[0] == DONE and len(sso.accounts()) == RECORDS


def test_a_second_ctrl_c_ends_the_tool_although_the_daemon_hangs_in_a_write(sso, importing, daemon, tmp_path):
    for attempt in range(8):
        file = write_cache(tmp_path / "cache.json", attempt * 100, 100)
        terminal = importing(file=file)
        terminal.counts(1)
        daemon.freeze()
        terminal.types(CTRL_C)
        time.sleep(0.5)
        # A write is waited for; a read that is on its way ends at once.
        hangs = terminal.process.poll() is None
        if hangs:
            terminal.types(CTRL_C)
        status = terminal.end()[0]
        daemon.thaw()
        assert status == (-signal.SIGINT if hangs else CANCELLED)
        sso.do("import", "--format", "msal", file)
        assert signed_in_accounts(sso) == identifiers(0, (attempt + 1) * 100)
        if hangs:
            return
    pytest.fail("no write was on its way")


def test_an_error_says_how_much_was_done(sso, big, daemon):
    running = with_pipes(sso, "import", "--format", "msal", big, "--progress", "--json")
    running.stderr.readline()
    time.sleep(0.3)
    daemon.kill()
    status, _, stderr = outcome_of(running)
    _, [error] = lines_of(stderr)
    assert status in (NO_SERVICE, STORAGE_OR_NETWORK, LOCKED_OR_TIMED_OUT)
    assert re.search(rf" \d+ of {RECORDS} records are imported\.$", error["error"]["detail"]), error
    daemon.start()
    sso.do("group unlock")
    sso.do("import", "--format", "msal", big)
    assert signed_in_accounts(sso) == identifiers(0, RECORDS)


# The other commands.


@pytest.mark.slow
def test_a_move_and_the_repair_of_an_interrupted_move_go_on_with_what_is_left(sso, bus, daemon):
    count = 80
    sso.take(accounts_from(0, count))
    share(bus, sso.group)
    before = sso.give()
    moved = interrupted(held_up(daemon, lambda: on_terminal(sso, "group move")), 1)

    def own():
        [found] = [
            entry for entry in bus_collections(bus, sso.group)
            if any(item.get_attributes()["kind"] == "group" for item in entry.get_all_items())]
        return sum(item.get_attributes()["kind"] == "credentials" for item in found.get_all_items())

    assert 0 < moved < count and own() == moved
    assert len(search(bus, group=sso.group, kind="credentials")) == count, "a record is in both places"
    terminal = on_terminal(sso, "doctor", "--fix", "--yes")
    repaired = interrupted(terminal, 1)
    assert 0 < repaired < count - moved and own() == moved + repaired
    assert any(frame.startswith("Repair") for frame in terminal.frames)
    assert sso.run("doctor", "--fix", "--yes").status == DONE
    assert own() == count
    assert_same(sso.give(), before)


def bus_collections(bus, group):
    """The collections that are labelled with a group's name."""
    return list({
        collection.collection_path: collection
        for collection in (collection_of(bus, item) for item in search(bus, group=group))
        if collection.get_label() == group
    }.values())


def test_an_interrupted_export_writes_nothing(sso, daemon, tmp_path):
    sso.take(accounts_from(0, 3))
    file = tmp_path / "export.json"
    daemon.freeze()
    terminal = on_terminal(sso, "export", "--format", "msal", "--output", file)
    terminal.shows("Reading")
    start = time.monotonic()
    terminal.types(CTRL_C)
    status, screen = terminal.end()
    assert status == CANCELLED and time.monotonic() - start < 3
    assert "Interrupted." in screen and "go on" not in screen and not file.exists()
    daemon.thaw()
    assert sso.run("export", "--format", "msal", "--output", file).status == DONE
    assert len(json.loads(file.read_text())["Account"]) == 3


@pytest.fixture
def partners(tmp_path, bus, sso):
    tools = Partners(tmp_path / "home", bus, sso)
    tools.clear()
    yield tools
    tools.clear()


def test_an_interrupted_list_of_tools_ends_at_once(partners, daemon):
    daemon.freeze()
    terminal = on_terminal(partners.sso, "partners")
    terminal.shows("Reading")
    start = time.monotonic()
    terminal.types(CTRL_C)
    status, screen = terminal.end()
    assert status == CANCELLED and time.monotonic() - start < 3
    assert re.search(r"Interrupted: \d+ of \d+ tools are read\.", screen)


def test_an_interrupted_import_from_a_tool_goes_on_and_leaves_no_lock(partners, daemon):
    cache = accounts_from(0, RECORDS)
    for entries in cache.values():
        for entry in entries.values():
            if "client_id" in entry:
                entry["client_id"] = AZURE_CLI
    partners.plant(CLI_ITEM, json_of(cache))
    sso = partners.sso
    done = interrupted(held_up(daemon, lambda: on_terminal(sso, "import", "--from", "azure-cli")), 1)
    assert len(sso.accounts()) == done
    assert not [path for path in partners.home.rglob("*") if "lock" in path.name]
    assert sso.do("import", "--from", "azure-cli")["added"] == RECORDS - done
    assert signed_in_accounts(sso) == identifiers(0, RECORDS)


def test_an_interrupted_export_to_a_tool_leaves_no_lock_and_loses_nothing(partners, sso):
    partners.plant(CLI_ITEM, json_of(one_account(ADA, AZURE_CLI)))
    partners.sso.take(one_account(GRACE, AZURE_CLI))
    terminal = on_terminal(partners.sso, "export", "--to", "azure-cli")
    terminal.shows("Exporting")
    terminal.types(CTRL_C)
    status, screen = terminal.end()
    assert status in (CANCELLED, DONE), screen
    assert not [path for path in partners.home.rglob("*") if "lock" in path.name]
    assert partners.sso.run("export", "--to", "azure-cli").status == DONE
    cache = json.loads(partners.item(CLI_ITEM).get_secret())
    assert {entry["username"] for entry in cache["Account"].values()} == {ADA.username, GRACE.username}
