# SPDX-License-Identifier: MIT
"""The fixtures of the tests of what other programs plant."""

import pytest
import secretstorage

from keyrings import LOGIN, Keyrings
from planted import Plant
from secret_items import group_collection, search
from unified_cache import signed_in


@pytest.fixture
def home(sso, bus, group):
    """The group's own collection; a client without planted items is signed in."""
    sso.take(signed_in(client="bystander")[0])
    return group_collection(bus, group)


@pytest.fixture
def planted_in(bus, group):
    """Creates a planted collection, and removes it afterwards with the items planted in login for it."""
    made = []

    def make(planted):
        made.append(planted.make(bus, group))
        return made[-1]

    yield make
    connection = secretstorage.dbus_init()
    for collection in made:
        try:
            secretstorage.Collection(connection, collection.collection_path).delete()
        except secretstorage.SecretStorageException:
            pass
    for item in search(connection, group=group):
        if item.item_path.startswith(LOGIN):
            item.delete()
    connection.close()


@pytest.fixture
def plain_default(bus, group, planted_in):
    """A keyring without a password and with a shared marker, which another program has made the default one."""
    collection = planted_in(Plant(placement="shared"))
    former = Keyrings(bus).set_default(collection.collection_path)
    yield collection
    connection = secretstorage.dbus_init()
    Keyrings(connection).set_default(former)
    connection.close()


def made_by_others(bus, label):
    keyring = Keyrings(bus).make(label, "other")
    yield keyring
    connection = secretstorage.dbus_init()
    Keyrings(connection).open(keyring.collection_path, "other")
    secretstorage.Collection(connection, keyring.collection_path).delete()
    connection.close()


@pytest.fixture
def keyring_of_others(bus):
    """A keyring of another program, which is removed afterwards."""
    yield from made_by_others(bus, "com.example.other")


@pytest.fixture
def second_keyring_of_others(bus):
    yield from made_by_others(bus, "com.example.second")
