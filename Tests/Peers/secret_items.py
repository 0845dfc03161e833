# SPDX-License-Identifier: MIT
"""What a program that knows nothing of us sees in the Secret Service."""

import hashlib
import os

import secretstorage

import sound_sessions  # noqa: F401

KEYS = {
    "kind", "publisher", "group", "home_account_id", "environment", "client_id", "family_id", "key",
}
SCHEMA = "xdg:schema"
# How many collections of its own a group has: gnome-keyring makes them without a dialog, others don't.
OWN_COLLECTIONS = 1 if os.environ.get("SSC_PROVIDER", "gnome-keyring") == "gnome-keyring" else 0
LOGIN = "/org/freedesktop/secrets/collection/login"


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


def attributes_of(kind, group, **values):
    """A full set of our attributes, as any program can write it."""
    attributes = dict.fromkeys(KEYS, "") | {"kind": kind, "group": group} | values
    return attributes | {SCHEMA: "org.secretstorecache.Item"}


def plant(bus, collection, secret, kind, group, **values):
    """An item under our attributes that we did not write."""
    return collection.create_item(
        "Planted", attributes_of(kind, group, **values), secret, content_type="application/json"
    )
