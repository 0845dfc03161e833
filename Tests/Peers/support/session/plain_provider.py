# SPDX-License-Identifier: MIT
"""A Secret Service that offers unencrypted sessions only, as no real one can.

    python plain_provider.py READY-FILE

Runs until it is terminated; it creates READY-FILE when it accepts calls.
"""

import sys
from pathlib import Path

from jeepney import HeaderFields, MessageType, new_error, new_method_return
from jeepney.bus_messages import DBusNameFlags, message_bus
from jeepney.io.blocking import open_dbus_connection

PROPERTIES = {"Collections": ("ao", [])}


def reply(call):
    fields = call.header.fields
    method, body = fields.get(HeaderFields.member), call.body
    if method == "OpenSession":
        if body[0] == "plain":
            return new_method_return(call, "vo", (("s", ""), "/org/freedesktop/secrets/session/1"))
        return new_error(call, "org.freedesktop.DBus.Error.NotSupported", "s", ("Only plain sessions.",))
    if method == "GetAll":
        return new_method_return(call, "a{sv}", (PROPERTIES,))
    if method == "Get":
        return new_method_return(call, "v", (PROPERTIES["Collections"],))
    if method == "Introspect":
        return new_method_return(call, "s", ("<node/>",))
    if method == "Ping":
        return new_method_return(call)
    return new_error(call, "org.freedesktop.DBus.Error.UnknownMethod", "s", ("No such method.",))


def main():
    connection = open_dbus_connection()
    connection.send_and_get_reply(
        message_bus.RequestName("org.freedesktop.secrets", DBusNameFlags.do_not_queue)
    )
    Path(sys.argv[1]).touch()
    while True:
        message = connection.receive()
        if message.header.message_type is MessageType.method_call:
            connection.send(reply(message))


main()
