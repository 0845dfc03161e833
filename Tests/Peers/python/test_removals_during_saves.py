# SPDX-License-Identifier: MIT
"""What is left when an account is removed between any two calls of a save: a refresh brings nothing back, and of a
sign-in there is all or nothing."""

import json

import pytest

from group_apps import FIRST, SCOPE, SECOND, GroupApps
from people import ADA
from providers import AzureAD
from removals import EVERYWHERE, WHOLE_GROUP
from secret_items import search
from secretstorecache import AccessGroupTokenCache
from secretstorecache._agent import Group
from unified_cache import SECTIONS

MAIL = "com.contoso.mail"


@pytest.fixture
def provider():
    return AzureAD(family=[FIRST, SECOND])


@pytest.fixture
def new_app(provider, group):
    """Makes an app in place of the one before, whose connections end: an app may have 64."""
    apps, opened = GroupApps(provider, group), []

    def new_app(client=FIRST, kind="cache", name=MAIL):
        app = apps(name, client, kind)
        opened.append(app.cache if isinstance(app.cache, AccessGroupTokenCache) else app.cache._persistence._cache)
        while len(opened) > 8:
            opened.pop(0).close()
        return app

    return new_app


class Interruption:
    """Does something before one of this process's next calls of the agent. Readings in a row count as one."""

    def __init__(self, monkeypatch):
        self._call, self._action, self._latest = Group._once, None, ""
        monkeypatch.setattr(Group, "_once", lambda *arguments: self._once(*arguments))

    def before(self, number, action):
        self._left, self._action = number, action

    def _once(self, group, method, *arguments):
        if self._action is not None:
            self._left -= (self._latest, method) != ("Records", "Records")
            self._latest = method
            if self._left == 0:
                action, self._action = self._action, None
                action()
        return self._call(group, method, *arguments)

    def is_over(self):
        """Whether it was done; if not, there were fewer calls."""
        was_done, self._action = self._action is None, None
        return was_done


@pytest.fixture
def interruption(monkeypatch):
    return Interruption(monkeypatch)


@pytest.fixture
def remove(sso, new_app):
    """Removes Ada in one of the ways."""
    def remove(way, client):
        if way == "by another process":
            app = new_app(client)
            for account in app.accounts():
                app.remove(account["username"])
        else:
            sso.do(*{
                "everywhere": EVERYWHERE, "of the whole group": WHOLE_GROUP,
                "of the client": ["sign-out", "--account", ADA.username, "--client-id", client, "--yes"],
            }[way])

    return remove


def left(bus, group):
    """What is left of Ada: the kinds of items and the sections."""
    return sorted(
        (item.get_attributes()["kind"], name)
        for item in search(bus, group=group) if item.get_attributes()["kind"] not in ("group", "group-key")
        for name, entries in json.loads(item.get_secret()).items() if name in SECTIONS and name != "AppMetadata"
        for entry in entries.values() if entry["home_account_id"] == ADA.identifier)


@pytest.mark.parametrize("save, way", [
    ("a refresh", "of the whole group"), ("a refresh", "by another process"), ("a first use", "everywhere"),
    ("a first sign-in", "of the whole group"), ("a later sign-in", "of the client")])
def test_a_removal_between_two_calls_of_a_save_leaves_all_of_a_sign_in_or_nothing(
    sso, bus, group, new_app, remove, interruption, kind, save, way
):
    client = SECOND if save == "a first use" else FIRST
    calls = 0
    while True:
        calls += 1
        if save != "a first sign-in":
            new_app(kind=kind).sign_in_with_browser(ADA, [SCOPE])
        app = new_app(client, kind)
        accounts = app.accounts()
        interruption.before(calls, lambda: remove(way, FIRST) if sso.accounts() else None)
        if "sign-in" in save:
            app.sign_in_with_browser(ADA, [SCOPE])
        else:
            app._app.acquire_token_silent([SCOPE], accounts[0], force_refresh=True)
        if not interruption.is_over():
            break
        if "sign-in" in save and new_app(kind=kind).accounts():
            assert new_app(kind=kind).silent([SCOPE], force_refresh=True), calls
            assert [account["username"] for account in sso.accounts()] == [ADA.username], calls
        else:
            assert (left(bus, group), sso.accounts(), new_app(client, kind).accounts()) == ([], [], []), calls
        sso.do(*WHOLE_GROUP)
    assert calls > 3
