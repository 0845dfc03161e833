# SPDX-License-Identifier: MIT
"""The tool's change feed, compared with other processes' changes to the group."""

import json
import threading
import time

import pytest

from secret_items import group_collection, search, share
from sso_cache import DONE, LOCKED_OR_TIMED_OUT, NO_SERVICE, STORAGE_OR_NETWORK
from unified_cache import CLIENT
from watcher import Watcher, cache, person

def sign_out(sso, number):
    return sso.run("sign-out", "--account", person(number).identifier, "--everywhere", "--yes", "--json")


def test_another_processs_sign_in_and_sign_out_are_reported(sso):
    with Watcher(sso) as watcher:
        assert watcher.accounts == {}
        sso.take(cache(1))
        watcher.wait_for("account", lambda: person(1).identifier in watcher.accounts)
        sso.take(cache(1, "Mail.Read"))
        watcher.wait_until_reported("tokensChanged")
        assert sign_out(sso, 1).status == DONE
        watcher.wait_for("sign-out", lambda: not watcher.accounts)
        assert watcher.reported == [
            "snapshot", "groupCreated", "accountAdded", "tokensChanged", "accountRemoved",
        ]


def test_creating_locking_unlocking_and_deleting_are_reported_and_a_lock_is_not_undone(sso):
    with Watcher(sso) as watcher:
        for command, name in (
            (["group create"], "groupCreated"), (["group lock"], "groupLocked"),
        ):
            sso.do(*command)
            watcher.wait_until_reported(name)
        time.sleep(0.5)
        [group] = [group for group in sso.do("groups")["groups"] if group["name"] == sso.group]
        assert group["locked"]
        sso.do("group unlock")
        watcher.wait_until_reported("groupUnlocked")
        sso.do("group delete", "--yes")
        watcher.wait_until_reported("groupDeleted")
        assert watcher.reported == ["snapshot", "groupCreated", "groupLocked", "groupUnlocked", "groupDeleted"]


def test_other_programs_changes_are_reported_by_the_providers_own_signals(sso, bus):
    for number in (1, 2):
        sso.take(cache(number))
    with Watcher(sso) as watcher:
        assert len(watcher.accounts) == 2
        [item] = search(bus, group=sso.group, kind="credentials", home_account_id=person(1).identifier)
        item.delete()
        watcher.wait_for("removal", lambda: list(watcher.accounts) == [person(2).identifier])
        collection = group_collection(bus, sso.group)
        collection.lock()
        watcher.wait_until_reported("groupLocked")
        assert len(watcher.accounts) == 1
        assert len(sso.accounts()) == 1  # which opens it
        watcher.wait_until_reported("groupUnlocked")
        collection.delete()
        watcher.wait_until_reported("groupDeleted")
        assert watcher.accounts == {}


def test_a_move_is_reported_and_removes_no_account(sso, bus):
    sso.take(cache(1))
    share(bus, sso.group)
    with Watcher(sso) as watcher:
        assert len(watcher.accounts) == 1
        assert sso.do("group move")["moved"] == 1
        watcher.wait_until_reported("groupMoved")
        assert watcher.reported == ["snapshot", "groupMoved"]


def test_a_missing_marker_removes_no_account(sso, bus):
    sso.take(cache(1))
    with Watcher(sso) as watcher:
        assert len(watcher.accounts) == 1
        [marker] = search(bus, kind="group", group=sso.group)
        marker.delete()
        sso.take(cache(1, "Mail.Read"))
        watcher.wait_until_reported("tokensChanged")
        assert watcher.reported == ["snapshot", "tokensChanged"]
        assert len(watcher.accounts) == 1


def test_a_watcher_reconnects_to_a_restarted_daemon(sso, daemon):
    sso.take(cache(1))
    with Watcher(sso) as watcher:
        daemon.kill()
        watcher.wait_until_reported("unavailable")
        daemon.start()
        watcher.wait_until_reported("available")
        sso.take(cache(2))
        watcher.wait_for("account", lambda: len(watcher.accounts) == 2)
        assert watcher.reported == ["snapshot", "unavailable", "available", "accountAdded"]


def test_a_watch_begins_without_a_daemon_and_reports_when_one_starts(sso, daemon):
    sso.take(cache(1))
    daemon.kill()
    with Watcher(sso) as watcher:
        assert watcher.accounts == {}
        daemon.start()
        watcher.wait_for("account", lambda: len(watcher.accounts) == 1)
        assert watcher.reported == ["snapshot", "available", "accountAdded"]


def test_a_later_login_unlocks_the_group(sso, daemon):
    sso.take(cache(1))
    daemon.restart_locked()
    with Watcher(sso) as watcher:
        assert watcher.accounts == {}
        daemon.restart()
        watcher.wait_for("account", lambda: len(watcher.accounts) == 1)


def test_an_apps_watch_hides_the_accounts_that_the_app_signed_out(sso):
    sso.take(cache(1))
    with Watcher(sso, "--client-id", CLIENT) as watcher:
        assert len(watcher.accounts) == 1
        assert sign_out(sso, 1).status == DONE
        watcher.wait_for("sign-out", lambda: not watcher.accounts)


class Changer(threading.Thread):
    """One process after another signs a user in or out, each until it is acknowledged."""

    def __init__(self, sso, folder, numbers, rounds, failures):
        super().__init__()
        self._sso, self._folder, self._numbers, self._rounds, self._failures = sso, folder, numbers, rounds, failures

    def run(self):
        try:
            for round_number in range(self._rounds):
                for number in self._numbers:
                    self._change(number, round_number)
        except BaseException as error:
            self._failures.append(error)

    def _change(self, number, round_number):
        for _ in range(50):
            if round_number % 3 == 2:
                outcome = sign_out(self._sso, number)
            else:
                document = self._folder / f"{number}-{round_number}.json"
                document.write_text(json.dumps(cache(number, f"scope{round_number}")))
                outcome = self._sso.run("import", "--format", "msal", "--replace", "--yes", "--json", document)
            if outcome.status == DONE:
                return
            assert outcome.status in (NO_SERVICE, STORAGE_OR_NETWORK, LOCKED_OR_TIMED_OUT), outcome
            time.sleep(0.1)
        raise AssertionError("a change was never acknowledged")


@pytest.mark.parametrize("rounds", [5, pytest.param(50, marks=pytest.mark.slow)])
def test_the_changes_by_four_processes_with_two_restarts_are_each_reported_once(sso, daemon, tmp_path, rounds):
    failures = []
    with Watcher(sso) as watcher:
        changers = [Changer(sso, tmp_path, range(first, 20, 4), rounds, failures) for first in range(4)]
        for changer in changers:
            changer.start()
        for share in (0.3, 0.6):
            watcher.wait_for("progress", lambda: len(watcher.reported) > 5 * rounds * share, seconds=120)
            daemon.restart()
        for changer in changers:
            changer.join()
        assert not failures, failures
        end = {account["identifier"]: account for account in sso.accounts()}
        watcher.wait_for("end state", lambda: watcher.accounts == end)
        assert "snapshot" not in watcher.reported[1:]
