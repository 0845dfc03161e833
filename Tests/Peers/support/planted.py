# SPDX-License-Identifier: MIT
"""What other programs plant beside a group: collections with its marker, and copies of its records."""

import json
import os
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import secretstorage

from keyrings import Keyrings
from people import ADA
from secret_items import group_collection, search, store_item
from unified_cache import CLIENT

SESSION = "/org/freedesktop/secrets/collection/session"
OWNER = dict(home_account_id=ADA.identifier, environment="login.windows.net", client_id=CLIENT)
TOKEN = ["token", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"]


def marker(group, **members):
    """The content of a group's marker, with other members where they are named, and without those that are None."""
    fields = {"name": group, "publisher": "", "placement": "dedicated", "format": 1} | members
    return json.dumps({name: value for name, value in fields.items() if value is not None}).encode()


@dataclass(frozen=True)
class Plant:
    """A collection of another program with a marker of the group in it."""

    label: str = "aaa"
    # OURS is the group's own password, which any program can read.
    password: str = ""
    placement: str = "dedicated"
    # The publisher that the marker's content names; its attributes name none.
    publisher: str = ""
    # Whether a second password of the group is planted in the login collection.
    has_key: bool = False
    # Whether it has the right name; the real one is random in each test.
    is_named: bool = False
    has_marker: bool = True

    def make(self, bus, group):
        keyrings = Keyrings(bus)
        [*keys] = search(bus, kind="group-key", group=group)
        password = keys[0].get_secret().decode() if self.password == OURS else self.password
        collection = keyrings.make(group if self.is_named else f"{group}-{self.label}", password)
        if self.has_marker:
            content = marker(group, publisher=self.publisher, placement=self.placement)
            store_item(bus, collection, content, "group", group)
        if self.has_key:
            stem = stem_of(collection)
            store_item(bus, login_of(bus), password.encode(), "group-key", group, keyring=f"LOCAL:/keyrings/{stem}.keyring")
        return collection


OURS = "ours"
PLANTS = {
    "no password": Plant(),
    "a password of its own": Plant(password="own"),
    "the group's password": Plant(password=OURS),
    "a password of its own, in login": Plant(password="own", has_key=True),
    "the right name and no password": Plant(is_named=True),
    "the right name and a password of its own": Plant(password="own", is_named=True),
    "a shared marker and no password": Plant(placement="shared"),
    "a shared marker, the right name and no password": Plant(placement="shared", is_named=True),
    "a marker with another publisher's content": Plant(publisher="contoso"),
    "a marker that is none": Plant(placement="elsewhere"),
}
# Equal in all respects to a group's own collection: the two cannot be distinguished.
INDISTINGUISHABLE = {
    "the right name and the group's password": Plant(password=OURS, is_named=True),
    "the right name and a password of its own, in login": Plant(password="own", is_named=True, has_key=True),
}


def login_of(bus):
    return secretstorage.get_collection_by_alias(bus, "login")


def stem_of(collection):
    name = collection.collection_path.rpartition("/")[2]
    return re.sub(r"_([0-9a-f]{2})", lambda match: chr(int(match[1], 16)), name)


def file_of(collection):
    return Path(os.environ["XDG_DATA_HOME"]) / f"keyrings/{stem_of(collection)}.keyring"


def places_of(bus, group, **attributes):
    return {item.item_path.rpartition("/")[0] for item in search(bus, kind="credentials", group=group, **attributes)}


def lock_and_have_read_again(keyring, open_one):
    """Locks a keyring and has the daemon read its file again, which it does at a change of another, open keyring.

    The daemon then knows digests of the attributes of its items, and no times."""
    keyring.lock()
    end = time.monotonic() + 30
    while not any("hashed" in name for item in keyring.get_all_items() for name in item.get_attributes()):
        assert time.monotonic() < end, "The daemon did not read the keyring again."
        os.utime(file_of(keyring))
        time.sleep(0.3)
        open_one.create_item("Note", {"note": "1"}, b"milk").delete()


def is_encrypted(collection):
    return file_of(collection).read_bytes().startswith(b"GnomeKeyring")


def forgery(item, token, revision):
    """A document with another token and another revision."""
    return item.get_secret().replace(token.encode(), b"forged").replace(b'"revision":1', b'"revision":%d' % revision)


def copy_with_higher_revision(bus, group):
    """Copies the group's only sign-in beside it, as one that counts instead."""
    [item] = search(bus, kind="credentials", group=group)
    newer = re.sub(rb'"revision":\d+', b'"revision":100', item.get_secret())
    return group_collection(bus, group).create_item("Copy", item.get_attributes(), newer)


def stored(bus, item):
    return secretstorage.Item(bus, item.item_path).get_secret()


def contents_of(collection):
    """What is stored; gnome-keyring adds a schema to an item without one."""
    return {
        item.item_path: (item.get_label(), item.get_attributes() | {"xdg:schema": ""}, item.get_secret())
        for item in collection.get_all_items()
    }


def checks(sso):
    done = subprocess.run(sso.arguments("doctor", "--json"), env=sso.environment, stdout=subprocess.PIPE, timeout=60)
    return json.loads(done.stdout)["checks"]


def checks_of_group(sso):
    """The checks by their names, without the group that they are of."""
    return {check["name"].partition(":")[0]: check for check in checks(sso)}


def failed_checks(sso):
    """The checks that aren't "ok", with all that they say."""
    return {name: check for name, check in checks_of_group(sso).items() if check["status"] != "ok"}
