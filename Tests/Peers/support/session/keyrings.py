# SPDX-License-Identifier: MIT
"""Creates and opens gnome-keyring's keyrings with a password, as its dialogs do."""

import secretstorage
from secretstorage.util import DBusAddressWrapper, format_secret, open_session

LOGIN = "/org/freedesktop/secrets/collection/login"


class Keyrings:
    """The daemon's internal interface, which its dialogs and a login use."""

    def __init__(self, bus):
        self._bus = bus
        self._service = DBusAddressWrapper(
            "/org/freedesktop/secrets", "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface", bus)

    def _encoded(self, password):
        return format_secret(open_session(self._bus), password.encode(), "text/plain")

    def make(self, label, password):
        """A keyring with a password that a person chose."""
        properties = {"org.freedesktop.Secret.Collection.Label": ("s", label)}
        path, = self._service.call(
            "CreateWithMasterPassword", "a{sv}(oayays)", properties, self._encoded(password))
        return secretstorage.Collection(self._bus, path)

    def open(self, path, password):
        self._service.call("UnlockWithMasterPassword", "o(oayays)", path, self._encoded(password))

    def delete(self, path):
        """Deletes a keyring, which may be locked."""
        DBusAddressWrapper(path, "org.freedesktop.Secret.Collection", self._bus).call("Delete", "")

    def set_default(self, path):
        """Makes a keyring the default one; returns the path of the former."""
        service = DBusAddressWrapper("/org/freedesktop/secrets", "org.freedesktop.Secret.Service", self._bus)
        former, = service.call("ReadAlias", "s", "default")
        service.call("SetAlias", "so", "default", path)
        return former

    def change(self, path, old, new):
        """Gives a keyring another password."""
        session = open_session(self._bus)
        self._service.call(
            "ChangeWithMasterPassword", "o(oayays)(oayays)", path,
            format_secret(session, old.encode(), "text/plain"),
            format_secret(session, new.encode(), "text/plain"))
