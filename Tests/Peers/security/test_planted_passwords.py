# SPDX-License-Identifier: MIT
"""Passwords that another program stores in the login keyring under a group's attributes."""

import time

import pytest

from people import ADA
from planted import login_of
from secret_items import search
from sso_cache import DONE
from unified_cache import signed_in


@pytest.fixture
def plant(bus, group):
    """Stores copies of the group's password's item, with other passwords."""
    made = []

    def plant(count, **changes):
        [key] = search(bus, kind="group-key", group=group)
        login = login_of(bus)
        # An item that is stored without replacing may have the attributes of another.
        made.extend(login.create_item("Planted", key.get_attributes() | changes, b"%064x" % number, replace=False) for number in range(count))
        return made

    yield plant
    for item in made:
        try:
            item.delete()
        except Exception:  # it was removed with the group
            pass


def test_many_planted_passwords_do_not_hide_the_groups_own(sso, bus, group, plant):
    """At most 64 are tried, and the group's own first: it was stored together with the marker."""
    sso.take(signed_in()[0])
    time.sleep(2)  # the times of items are in seconds
    plant(80)
    assert sso.run("group lock").status == DONE
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
