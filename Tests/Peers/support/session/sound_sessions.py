# SPDX-License-Identifier: MIT
"""SecretStorage's sessions, whose two ends have the same key.

On KWallet 5.103 they differ in one session of 170: its key agreement loses a leading zero of the
shared number, and a leading 0xff of the client's public key before a byte over 0x7f. SecretStorage does
not detect that, and would read and store invalid data. This module opens another session instead.
"""

import secretstorage.collection
import secretstorage.item
import secretstorage.util
from secretstorage.dhcrypto import DH_PRIME_1024, Session

LENGTH = 128

_set_server_public_key = Session.set_server_public_key
_open_session = secretstorage.util.open_session


def set_server_public_key(session, key):
    session.shared = pow(key, session.my_private_key, DH_PRIME_1024).to_bytes(LENGTH, "big")
    _set_server_public_key(session, key)


def is_sound(session):
    public = session.my_public_key.to_bytes(LENGTH, "big")
    return session.shared[0] != 0 and not (public[0] == 0xFF and public[1] > 0x7F)


def open_session(connection):
    while True:
        session = _open_session(connection)
        if not session.encrypted or is_sound(session):
            return session


Session.set_server_public_key = set_server_public_key
for module in (secretstorage.util, secretstorage.collection, secretstorage.item):
    module.open_session = open_session
