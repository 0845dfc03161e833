#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fills the session's keyrings, by writing their files while the daemon is stopped.

    seeded_keyrings.py PLAN

PLAN is a JSON file: {"neighbours": N, "groups": [path of a group's file, …]}. Each group has one
account, which the library has saved; its items are the pattern of those of all other accounts.
Beside its group, each account has an item for SecretStorage and secret-tool and one for keyring in
the login collection, with as much in it; there the items of other apps make up the neighbours. Every
other keyring is removed. Through the bus this would take hours: its time grows with the square of
the number of items.

The files are plain text, which the library does not take for a group's. The daemon encrypts a keyring when
it writes it the first time after it was unlocked with a password: so an item is made and deleted in each group's.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import secretstorage

sys.path.append(str(Path(__file__).parents[2] / "Tests/Peers/support/session"))

from keyrings import Keyrings  # noqa: E402

GENERIC = "org.freedesktop.Secret.Generic"


class Keyring:
    """A keyring in gnome-keyring's plain-text format."""

    def __init__(self, label):
        self.parts = [
            f"[keyring]\ndisplay-name={label}\nctime=0\nmtime=0\nlock-on-idle=false\nlock-after=false\n"
        ]
        self.count = 0

    def add(self, label, attributes, secret):
        self.count += 1
        number, parts = self.count, self.parts
        # A backslash stands for itself twice in a key file.
        escaped = secret.replace("\\", "\\\\")
        parts.append(f"\n[{number}]\nitem-type=0\ndisplay-name={label}\nmtime=1\nctime=1\nsecret={escaped}\n")
        for place, (name, value) in enumerate(sorted(attributes.items())):
            parts.append(f"\n[{number}:attribute{place}]\nname={name}\ntype=string\nvalue={value}\n")

    def copy(self, item):
        self.add(item.get_label(), item.get_attributes(), item.get_secret().decode())

    def write(self, path):
        path.write_text("".join(self.parts))


class Group:
    """A group, and what is in it."""

    def __init__(self, bus, path):
        self.plan = json.loads(Path(path).read_text())
        self.items = []
        for item in secretstorage.search_items(bus, {"group": self.plan["name"]}):
            kind = item.get_attributes()["kind"]
            if kind == "group-key":
                self.password = item
            elif kind == "credentials":
                self.pattern = item
            else:
                self.items.append(item)
        # The daemon spells the name of the file in the collection's path.
        self.collection = self.pattern.item_path.rpartition("/")[0]
        name = self.collection.rpartition("/")[2]
        self.file = re.sub("_([0-9a-f]{2})", lambda match: chr(int(match[1], 16)), name) + ".keyring"
        self.key = self.password.get_secret().decode()

    def fill(self, login):
        """The group's keyring, and what belongs to it in the login keyring."""
        keyring = Keyring(self.plan["name"])
        for item in self.items:
            keyring.copy(item)
        login.copy(self.password)
        label, attributes = self.pattern.get_label(), self.pattern.get_attributes()
        secret = self.pattern.get_secret().decode()
        accounts = self.plan["accounts"]
        first = self.fields(accounts[0])
        for account in accounts:
            text = secret
            for old, new in zip(first, self.fields(account)):
                text = text.replace(old, new)
            identifier = account["identifier"]
            keyring.add(label, {**attributes, "home_account_id": identifier}, text)
            application = self.plan["application"]
            login.add(
                "Cache", {"application": application, "account": identifier, "xdg:schema": GENERIC}, text
            )
            login.add(
                f"Password for '{identifier}' on '{application}'",
                {
                    "application": "Python keyring library",
                    "service": application,
                    "username": identifier,
                    "xdg:schema": GENERIC,
                },
                text,
            )
        return keyring

    def encrypt(self, bus):
        """Has the daemon write the keyring with the group's password."""
        Keyrings(bus).open(self.collection, self.key)
        collection = secretstorage.Collection(bus, self.collection)
        collection.create_item("", {}, b"").delete()

    @staticmethod
    def fields(account):
        """What differs between the items of two accounts; a field never occurs in one before it."""
        response = account["response"]
        return [
            response["id_token"],
            response["client_info"],
            response["access_token"],
            response["refresh_token"],
            account["identifier"],
            account["identifier"].split(".")[0],
            account["username"],
            account["display_name"],
            account["subject"],
        ]


def main():
    plan = json.loads(Path(sys.argv[1]).read_text())
    directory = Path(os.environ["XDG_DATA_HOME"]) / "keyrings"
    control = os.environ["SSC_KEYRING_CONTROL"]
    bus = secretstorage.dbus_init()
    login = Keyring("Login")
    groups = [Group(bus, path) for path in plan["groups"]]
    keyrings = {group.file: group.fill(login) for group in groups}
    for number in range(plan["neighbours"] - login.count):
        attributes = {"server": f"host{number}.example.com", "user": "ada", "xdg:schema": "com.example.Mail"}
        login.add("Password", attributes, f"correct horse battery {number}")
    bus.close()

    subprocess.run([control, "stop"], check=True)
    for file in directory.glob("*.keyring"):
        file.unlink()
    login.write(directory / "login.keyring")
    for name, keyring in keyrings.items():
        keyring.write(directory / name)
    subprocess.run([control, "start"], check=True)
    bus = secretstorage.dbus_init()
    for group in groups:
        group.encrypt(bus)
    bus.close()


if __name__ == "__main__":
    main()
