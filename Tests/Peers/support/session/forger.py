# SPDX-License-Identifier: MIT
"""Another program of the user, which replies to calls in place of the Secret Service or of the agent.

It eavesdrops on the calls, and a bus like Debian's delivers its replies.
"""

import threading

from jeepney import HeaderFields, MatchRule, MessageType, message_bus, new_error, new_method_return
from jeepney.io.blocking import open_dbus_connection
from secretstorage.dhcrypto import Session

LIMIT_SECONDS = 10
ROOT = "/org/freedesktop/secrets"
GNOME = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
KEY_LENGTH = 128
EMPTY_SERVICE = {
    "GetAll": ("a{sv}", ({},)),
    "Get": ("v", (("b", False),)),
    "Introspect": ("s", (f'<node><interface name="{GNOME}"/></node>',)),
    "SearchItems": ("aoao", ([], [])),
    "GetSecrets": ("a{o(oayays)}", ({},)),
    "ReadAlias": ("o", (f"{ROOT}/collection/login",)),
    "CreateItem": ("oo", (f"{ROOT}/collection/login/1", "/")),
    "CreateWithMasterPassword": ("o", (f"{ROOT}/collection/forged",)),
    "SetSecret": (None, ()),
}


class Forger:
    """An empty Secret Service, or another object with these replies, which replies to the callers of the real one.

    The bus lets any program eavesdrop on calls and reply to them, as Debian's does.
    """

    def __init__(self, path=ROOT, replies=None):
        self._path = path
        self._replies = EMPTY_SERVICE if replies is None else replies
        self._connection = open_dbus_connection("SESSION")
        self._is_over = False
        self._has_replied = threading.Event()
        self.sessions = set()
        # The methods that passed it secrets that it can decrypt.
        self.taken = []

    def __enter__(self):
        rule = MatchRule(type="method_call", eavesdrop=True)
        self._connection.send_and_get_reply(message_bus.AddMatch(rule))
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._is_over = True
        self._thread.join(LIMIT_SECONDS)
        self._connection.close()

    def wait(self):
        """Waits until the bus has passed on a reply of the forger."""
        assert self._has_replied.wait(LIMIT_SECONDS), "it has received no call"

    def _run(self):
        while not self._is_over:
            try:
                call = self._connection.receive(timeout=0.05)
            except TimeoutError:
                continue
            fields = call.header.fields
            if call.header.message_type is not MessageType.method_call:
                continue
            if not fields[HeaderFields.path].startswith(self._path):
                continue
            self._connection.send(self._reply(call, fields[HeaderFields.member]))
            # The bus delivers the reply before it replies to this call.
            self._connection.send_and_get_reply(message_bus.GetId())
            self._has_replied.set()

    def _reply(self, call, member):
        secrets = [value for value in call.body if isinstance(value, tuple) and value[0] in self.sessions]
        if secrets:
            self.taken.append(member)
        if member == "OpenSession":
            return self._open_session(call)
        if member not in self._replies:
            return new_error(call, "org.freedesktop.DBus.Error.UnknownMethod")
        return new_method_return(call, *self._replies[member])

    def _open_session(self, call):
        session = Session()
        session.set_server_public_key(int.from_bytes(call.body[1][1], "big"))
        path = f"{ROOT}/session/forged{len(self.sessions)}"
        self.sessions.add(path)
        return new_method_return(call, "vo", (("ay", session.my_public_key.to_bytes(KEY_LENGTH, "big")), path))
