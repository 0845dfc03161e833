# SPDX-License-Identifier: MIT
"""A sign-out of MSAL Python beside a record that can't be written, and of an account that has no entry."""

import fcntl
import os
from contextlib import contextmanager
from pathlib import Path

import pytest
from msal_extensions import PersistedTokenCache

from group_apps import FIRST, GroupApps
from msal_apps import App
from people import ADA, GRACE
from providers import AzureAD
from removals import tokens_left
from secret_items import SCHEMA, digest, search
from secretstorecache import AccessGroupPersistence, AccessGroupTokenCache, LockTimedOutError, TimedOutError
from unified_cache import account, credential, signed_in

MAIL = "com.contoso.mail"
CACHES = {
    "cache": AccessGroupTokenCache,
    "persistence": lambda *names, **options: PersistedTokenCache(AccessGroupPersistence(*names, **options)),
}


@contextmanager
def locked(item):
    """Holds the lock for writing a record."""
    attributes = {name: value for name, value in item.get_attributes().items() if name != SCHEMA}
    name = digest("\n".join(["", attributes["group"], *(attributes[each] for each in sorted(attributes))]))
    lock = Path(os.environ["XDG_RUNTIME_DIR"]) / "secret-store-cache" / f"write-{name}.lock"
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def holding(bus, group, text):
    return [item.get_attributes()["kind"] for item in search(bus, group=group) if text.encode() in item.get_secret()]


@pytest.mark.parametrize("kind", CACHES)
def test_a_record_that_another_app_locks_keeps_no_other(sso, bus, group, kind):
    sso.take(signed_in(client=FIRST)[0])
    sso.take({"Account": {"g": account(GRACE)}, "RefreshToken": {"odd": credential("Odd", client=FIRST)}})
    [item] = search(bus, group=group, kind="credentials", client_id=FIRST)
    assert sorted(holding(bus, group, ADA.identifier)) == ["credentials", "group-data"]
    app = App(AzureAD(), FIRST, CACHES[kind](group, app=MAIL, timeout=2))
    with locked(item):
        with pytest.raises((TimedOutError, LockTimedOutError)):
            app.remove(ADA.username)
        assert holding(bus, group, ADA.identifier) == ["credentials"]
    App(AzureAD(), FIRST, CACHES[kind](group, app=MAIL))._app.remove_account(account())
    assert tokens_left(bus, group, home_account_id=ADA.identifier) == []


@pytest.mark.parametrize("kind", CACHES)
def test_a_sign_out_of_tokens_without_an_account_entry_is_one(sso, bus, group, kind):
    cache, _ = signed_in(client=FIRST)
    del cache["Account"]
    sso.take(cache)
    GroupApps(AzureAD(), group)(MAIL, FIRST, kind)._app.remove_account(account())
    assert tokens_left(bus, group) == []
    sso.take(cache)
    assert sso.accounts() == [] and tokens_left(bus, group) == []
