# SPDX-License-Identifier: MIT
"""keyring: a password for each account, in the back end that it takes on a desktop."""

import keyring
from keyring.backends.SecretService import Keyring


class KeyringPeer:
    def __init__(self, plan):
        self.service = plan["application"]
        self.account = plan["accounts"][plan["measured"]]["identifier"]
        keyring.set_keyring(Keyring())
        self.secret = keyring.get_password(self.service, self.account)
        assert len(self.secret) > 3_000

    def look_up(self):
        return (lambda: keyring.get_password(self.service, self.account),)

    def save(self):
        return (lambda: keyring.set_password(self.service, self.account, self.secret),)

    def first_save(self):
        return self.save()[0], lambda: keyring.delete_password(self.service, self.account)
