# SPDX-License-Identifier: MIT
"""The Secret Service as a program sees it that does not know the library."""

import hashlib
import os

import secretstorage

import sound_sessions  # noqa: F401
from keyrings import LOGIN, Keyrings

KEYS = {
    "kind", "publisher", "group", "home_account_id", "environment", "client_id", "family_id", "key",
}
SCHEMA = "xdg:schema"
# The number of collections of a group. Only gnome-keyring creates them without a dialog.
OWN_COLLECTIONS = 1 if os.environ.get("SSC_PROVIDER", "gnome-keyring") == "gnome-keyring" else 0


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def search(bus, **attributes):
    return list(secretstorage.search_items(bus, attributes))


def collection_of(bus, item):
    return secretstorage.Collection(bus, item.item_path.rpartition("/")[0])


def group_collections(bus, group):
    """The collections that are labelled with a group's name."""
    collections = secretstorage.get_all_collections(bus)
    return [collection for collection in collections if collection.get_label() == group]


def group_collection(bus, group):
    [collection] = group_collections(bus, group)
    return collection


def delete_groups(bus, start):
    """Deletes the collections and the passwords of the groups whose names begin with a text, also locked ones."""
    for collection in list(secretstorage.get_all_collections(bus)):
        label = collection.get_label()
        if not label.lower().startswith(start):
            continue
        Keyrings(bus).delete(collection.collection_path)
        for key in search(bus, kind="group-key", group=label):
            if not key.is_locked():
                key.delete()


def everything(bus):
    """Every item of every collection, with its collection."""
    for collection in secretstorage.get_all_collections(bus):
        for item in collection.get_all_items():
            yield collection, item


def snapshot(bus, group):
    """All that is stored for a group: attributes, label, secret and time of change by path."""
    return {
        item.item_path: (item.get_attributes(), item.get_label(), item.get_secret(), item.get_modified())
        for item in search(bus, group=group)
    }


def share(bus, group):
    """Moves a group into the login collection, as where a provider makes no collection without a dialog."""
    collection = group_collection(bus, group)
    common = secretstorage.Collection(bus, LOGIN)
    for item in collection.get_all_items():
        attributes = item.get_attributes()
        secret = item.get_secret()
        if attributes["kind"] == "group":
            secret = secret.replace(b"dedicated", b"shared")
        attributes.pop(SCHEMA, None)
        common.create_item(item.get_label(), attributes, secret, replace=True)
    collection.delete()
    for key in search(bus, kind="group-key", group=group):
        key.delete()


def attributes_of(kind, group, **values):
    """A complete set of the library's attributes, which any program can write."""
    attributes = dict.fromkeys(KEYS, "") | {"kind": kind, "group": group} | values
    return attributes | {SCHEMA: "org.secretstorecache.Item"}


def store_item(bus, collection, secret, kind, group, **values):
    """Stores an item under the library's attributes, as another program can."""
    return collection.create_item(
        "Planted", attributes_of(kind, group, **values), secret, content_type="application/json"
    )
