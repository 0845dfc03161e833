# SPDX-License-Identifier: MIT
"""MSAL Python's token cache in a keychain access group, which it shares with the other apps of the group."""

from .errors import (
    AccountMismatchError, AmbiguousAccountError, CorruptItemError, GroupLockedError, GroupUnrecoverableError,
    IdentityMismatchError, InsecureTransportError, InteractionRequiredError, InvalidArgumentError, LockTimedOutError,
    NotEntitledError, SecretStoreError, ServiceUnavailableError, StorageFailedError, TimedOutError,
)
from .persistence import AccessGroupPersistence
from .token_cache import AccessGroupTokenCache

__all__ = [
    "AccessGroupPersistence", "AccessGroupTokenCache", "AccountMismatchError", "AmbiguousAccountError",
    "CorruptItemError", "GroupLockedError", "GroupUnrecoverableError", "IdentityMismatchError",
    "InsecureTransportError", "InteractionRequiredError", "InvalidArgumentError", "LockTimedOutError",
    "NotEntitledError", "SecretStoreError", "ServiceUnavailableError", "StorageFailedError", "TimedOutError",
]
