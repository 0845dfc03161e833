# SPDX-License-Identifier: MIT
"""The change feed, by the tool, against what other processes do to the group."""

import json
import threading
import time

import secretstorage

from people import Person
from secret_items import group_collection, search
from sso_cache import DONE, LOCKED_OR_TIMED_OUT, NO_SERVICE, STORAGE_OR_NETWORK
from unified_cache import CLIENT, access_token, cache_of
from watcher import Watcher

SCOPE = "User.Read"


def person(number):
    return Person(
        uid=f"9f4880d8-80ba-4c40-97bc-{number:012x}",
        utid="f645ad92-e38d-4d1a-b510-d1b09a74a8ca",
        username=f"user{number}@contoso.com",
        name=f"User {number}",
    )


def cache(number, scope=SCOPE):
    someone = person(number)
    return cache_of(access_token(scope, person=someone), person=someone)


def sign_out(sso, number):
    return sso.run("sign-out", "--account", person(number).identifier, "--everywhere", "--yes", "--json")


def test_a_sign_in_and_a_sign_out_of_another_process_are_told(sso):
    with Watcher(sso) as watcher:
        assert watcher.accounts == {}
        sso.take(cache(1))
        watcher.wait_for("account", lambda: person(1).identifier in watcher.accounts)
        sso.take(cache(1, "Mail.Read"))
        watcher.wait_until_told("tokensChanged")
        assert sign_out(sso, 1).status == DONE
        watcher.wait_for("sign-out", lambda: not watcher.accounts)
        assert watcher.told == [
            "snapshot", "groupMade", "accountAdded", "tokensChanged", "accountRemoved",
        ]


def test_making_locking_unlocking_and_deleting_are_told_and_a_lock_is_not_undone(sso):
    with Watcher(sso) as watcher:
        for command, name in (
            (["group create"], "groupMade"), (["group lock"], "groupLocked"),
        ):
            sso.do(*command)
            watcher.wait_until_told(name)
        time.sleep(0.5)
        [group] = [group for group in sso.do("groups")["groups"] if group["name"] == sso.group]
        assert group["locked"]
        sso.do("group unlock")
        watcher.wait_until_told("groupUnlocked")
        sso.do("group delete", "--yes")
        watcher.wait_until_told("groupDeleted")
        assert watcher.told == ["snapshot", "groupMade", "groupLocked", "groupUnlocked", "groupDeleted"]


def test_what_other_programs_do_is_told_by_the_providers_own_signals(sso, bus):
    for number in (1, 2):
        sso.take(cache(number))
    with Watcher(sso) as watcher:
        assert len(watcher.accounts) == 2
        [item] = search(bus, group=sso.group, kind="credentials", home_account_id=person(1).identifier)
        item.delete()
        watcher.wait_for("removal", lambda: list(watcher.accounts) == [person(2).identifier])
        collection = group_collection(bus, sso.group)
        collection.lock()
        watcher.wait_until_told("groupLocked")
        assert len(watcher.accounts) == 1
        assert len(sso.accounts()) == 1  # which opens it
        watcher.wait_until_told("groupUnlocked")
        collection.delete()
        watcher.wait_until_told("groupDeleted")
        assert watcher.accounts == {}


def test_a_move_is_told_and_takes_no_account_away(sso, bus):
    sso.take(cache(1))
    collection = group_collection(bus, sso.group)
    # As on a desktop whose provider makes no collection without a dialog: the group shares a common one.
    common = secretstorage.get_collection_by_alias(bus, "login")
    for item in collection.get_all_items():
        attributes = item.get_attributes()
        secret = item.get_secret()
        if attributes["kind"] == "group":
            secret = secret.replace(b"dedicated", b"shared")
        attributes.pop("xdg:schema", None)
        common.create_item(item.get_label(), attributes, secret, replace=True)
    collection.delete()
    for key in search(bus, kind="group-key", group=sso.group):
        key.delete()
    with Watcher(sso) as watcher:
        assert len(watcher.accounts) == 1
        assert sso.do("group move")["moved"] == 1
        watcher.wait_until_told("groupMoved")
        assert watcher.told == ["snapshot", "groupMoved"]


def test_a_marker_that_is_gone_takes_nothing_away(sso, bus):
    sso.take(cache(1))
    with Watcher(sso) as watcher:
        assert len(watcher.accounts) == 1
        [marker] = search(bus, kind="group", group=sso.group)
        marker.delete()
        sso.take(cache(1, "Mail.Read"))
        watcher.wait_until_told("tokensChanged")
        assert watcher.told == ["snapshot", "tokensChanged"]
        assert len(watcher.accounts) == 1


def test_a_daemon_that_goes_and_comes_back_is_waited_for(sso, daemon):
    sso.take(cache(1))
    with Watcher(sso) as watcher:
        daemon.kill()
        watcher.wait_until_told("unavailable")
        daemon.start()
        watcher.wait_until_told("available")
        sso.take(cache(2))
        watcher.wait_for("account", lambda: len(watcher.accounts) == 2)
        assert watcher.told == ["snapshot", "unavailable", "available", "accountAdded"]


def test_it_begins_without_a_daemon_and_tells_when_there_is_one(sso, daemon):
    sso.take(cache(1))
    daemon.kill()
    with Watcher(sso) as watcher:
        assert watcher.accounts == {}
        daemon.start()
        watcher.wait_for("account", lambda: len(watcher.accounts) == 1)
        assert watcher.told == ["snapshot", "available", "accountAdded"]


def test_a_login_that_comes_later_opens_the_group(sso, daemon):
    sso.take(cache(1))
    daemon.restart_locked()
    with Watcher(sso) as watcher:
        assert watcher.accounts == {}
        daemon.restart()
        watcher.wait_for("account", lambda: len(watcher.accounts) == 1)


def test_an_apps_view_hides_what_the_app_signed_out_of(sso):
    sso.take(cache(1))
    with Watcher(sso, "--client-id", CLIENT) as watcher:
        assert len(watcher.accounts) == 1
        assert sign_out(sso, 1).status == DONE
        watcher.wait_for("sign-out", lambda: not watcher.accounts)


ROUNDS = 50  # of five accounts, by each of four


class Changer(threading.Thread):
    """A process after the other that signs somebody in or out, each until it is acknowledged."""

    def __init__(self, sso, folder, numbers, failures):
        super().__init__()
        self._sso, self._folder, self._numbers, self._failures = sso, folder, numbers, failures

    def run(self):
        try:
            for round_number in range(ROUNDS):
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
                outcome = self._sso.run("import", "--format", "msal", "--replace", "--json", document)
            if outcome.status == DONE:
                return
            assert outcome.status in (NO_SERVICE, STORAGE_OR_NETWORK, LOCKED_OR_TIMED_OUT), outcome
            time.sleep(0.1)
        raise AssertionError("a change was never acknowledged")


def test_of_a_thousand_changes_by_four_processes_and_two_restarts_none_is_lost_or_told_twice(
    sso, daemon, tmp_path
):
    failures = []
    with Watcher(sso) as watcher:
        changers = [Changer(sso, tmp_path, range(first, 20, 4), failures) for first in range(4)]
        for changer in changers:
            changer.start()
        for share in (0.3, 0.6):
            watcher.wait_for("progress", lambda: len(watcher.told) > 250 * share, seconds=120)
            daemon.restart()
        for changer in changers:
            changer.join()
        assert not failures, failures
        end = {account["identifier"]: account for account in sso.accounts()}
        watcher.wait_for("end state", lambda: watcher.accounts == end)
        assert "snapshot" not in watcher.told[1:]
