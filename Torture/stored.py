# SPDX-License-Identifier: MIT
"""The Secret Service's items of a group, read by a program that does not know the library."""

import secretstorage


def snapshot(group):
    """Every item of a group in all collections.

    A locked collection is unlocked as any program does it, with its password in the login collection. No
    client may run: two programs that unlock one collection at once abort the daemon.
    """
    bus = secretstorage.dbus_init()
    try:
        items = []
        for item in secretstorage.search_items(bus, {"kind": "group", "group": group}):
            if item.is_locked():
                item.unlock()
        for item in secretstorage.search_items(bus, {"group": group}):
            collection = item.item_path.rpartition("/")[0]
            locked = item.is_locked()
            items.append({
                "path": item.item_path, "collection": collection, "attributes": item.get_attributes(),
                "locked": locked, "secret": "" if locked else item.get_secret().decode(),
            })
        return items
    finally:
        bus.close()


def remove(group):
    """Deletes the items of a round."""
    bus = secretstorage.dbus_init()
    try:
        items = list(secretstorage.search_items(bus, {"group": group}))
        paths = {item.item_path.rpartition("/")[0] for item in items}
        for path in paths:
            collection = secretstorage.Collection(bus, path)
            if collection.is_locked():
                collection.unlock()
            if not path.endswith("/login") and not collection.is_locked():
                collection.delete()
        for item in items:
            if item.item_path.rpartition("/")[0].endswith("/login"):
                item.delete()
    finally:
        bus.close()
