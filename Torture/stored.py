# SPDX-License-Identifier: MIT
"""What the Secret Service holds of a group, read by a program that knows nothing of the library."""

import secretstorage


def snapshot(group):
    """Every item of a group, wherever it is.

    A locked collection is opened as any program opens one, by the password that is in the login
    collection for it. No client may run: two who open one collection at once abort the daemon.
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
    """Deletes what a round has left."""
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
