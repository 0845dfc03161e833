# SPDX-License-Identifier: MIT
"""SecretStorage: an item for each account in the default collection, over one connection."""

import secretstorage


class SecretStoragePeer:
    def __init__(self, plan):
        self.connection = secretstorage.dbus_init()
        self.collection = secretstorage.get_default_collection(self.connection)
        identifier = plan["accounts"][plan["measured"]]["identifier"]
        self.attributes = {"application": plan["application"], "account": identifier}
        self.secret = self.find().get_secret()
        assert len(self.secret) > 3_000

    def find(self):
        return next(iter(self.collection.search_items(self.attributes)))

    def look_up(self):
        return (lambda: self.find().get_secret(),)

    def save(self):
        return (lambda: self.find().set_secret(self.secret),)

    def first_save(self):
        def create():
            self.collection.create_item("Cache", self.attributes, self.secret, replace=True)

        return create, lambda: self.find().delete()
