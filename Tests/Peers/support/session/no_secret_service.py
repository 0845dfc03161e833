# SPDX-License-Identifier: MIT
"""A program that has the name of the Secret Service on the session bus and knows none of its calls.

Usage: no_secret_service.py
"""

from jeepney import DBusAddress, MessageType, new_error, new_method_call
from jeepney.io.blocking import open_dbus_connection

BUS = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")

connection = open_dbus_connection("SESSION")
connection.send_and_get_reply(new_method_call(BUS, "RequestName", "su", ("org.freedesktop.secrets", 4)))
print("ready", flush=True)
while True:
    message = connection.receive()
    if message.header.message_type == MessageType.method_call:
        connection.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod", "s", ("There is no such method.",)))
