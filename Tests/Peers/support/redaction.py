# SPDX-License-Identifier: MIT
"""The forms in which a secret can appear in an output."""

import base64
import binascii
import json
from functools import lru_cache
from urllib.parse import quote, quote_plus


@lru_cache(maxsize=1024)
def forms(secret):
    """The secret verbatim, escaped for JSON, for a URL and for Python, inside base64 text, in hexadecimal
    digits and as a list of bytes."""
    data = secret.encode()
    digits = binascii.hexlify(data).decode()
    escaped = json.dumps(secret)[1:-1]
    found = {
        secret, escaped, escaped.replace("/", "\\/"), quote(secret, safe=""), quote(secret), quote_plus(secret),
        repr(secret)[1:-1], digits, digits.upper(), " ".join(map(str, data)), ", ".join(map(str, data)),
    }
    for before in range(3):
        # The neighbouring bytes decide the base64 digits at both ends.
        whole = base64.b64encode(bytes(before) + data).decode().rstrip("=")
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        found |= {whole[first:last], whole[first:last].translate(str.maketrans("+/", "-_"))}
    return frozenset(found)


def shown(text, secrets):
    """The secrets that a text shows in any form."""
    return {secret for secret in secrets if any(form in text for form in forms(secret))}
