# SPDX-License-Identifier: MIT
"""The people who sign in, and what a provider states about them."""

import base64
import itertools
import json
from dataclasses import dataclass

from sso_cache import TOKEN_MARK

TENANT = "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
OTHER_TENANT = "3338040d-6c67-4c5b-b112-36a304b66dad"

_numbers = itertools.count(1)


def new_token(kind):
    """A unique token, which tests recognise wherever it appears."""
    return f"{TOKEN_MARK}-{kind}-{next(_numbers):04d}"


def base64url(value):
    text = json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def new_id_token(claims):
    """An id token with a made-up signature, which MSAL does not check."""
    return ".".join([base64url({"typ": "JWT", "alg": "RS256"}), base64url(claims), new_token("signature")])


@dataclass(frozen=True)
class Person:
    """A person with an account at Azure AD."""

    username: str
    name: str
    uid: str
    utid: str = TENANT

    @property
    def identifier(self):
        return f"{self.uid}.{self.utid}"


ADA = Person("ada@contoso.com", "Ada Lovelace", "9f4880d8-80ba-4c40-97bc-f7a23c703084")
GRACE = Person("grace@contoso.com", "Grace Hopper", "0b1e1f5c-7d0a-4c0f-8f3e-2f3a4c5d6e7f")
