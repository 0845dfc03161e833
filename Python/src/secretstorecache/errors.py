# SPDX-License-Identifier: MIT
"""The errors, with the codes of SecretStoreCache. No text of an error holds a token."""

from __future__ import annotations

import time
from typing import Callable, ClassVar, Dict, Type


class SecretStoreError(Exception):
    """An error of the store. `code` says what to do next; `detail` is a sentence for people."""

    code: ClassVar[str] = "storageFailed"
    detail: str

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class NotEntitledError(SecretStoreError):
    """The app may not use the group."""

    code = "notEntitled"


class IdentityMismatchError(SecretStoreError):
    """The agent can't tell which app this is."""

    code = "identityMismatch"


class GroupLockedError(SecretStoreError):
    """The group's keyring is locked. No call opens a dialog."""

    code = "groupLocked"


class GroupUnrecoverableError(SecretStoreError):
    """The password of the group's keyring is lost; the group must be reset."""

    code = "groupUnrecoverable"


class ServiceUnavailableError(SecretStoreError):
    """There is no session bus, no agent or no Secret Service."""

    code = "serviceUnavailable"


class InsecureTransportError(SecretStoreError):
    """The Secret Service has no encrypted session."""

    code = "insecureTransport"


class StorageFailedError(SecretStoreError):
    """The Secret Service failed."""


class TimedOutError(SecretStoreError):
    """The call's deadline has passed."""

    code = "timedOut"


class LockTimedOutError(SecretStoreError):
    """Other apps held a lock, or changed the record, until the deadline."""

    code = "lockTimedOut"


class AmbiguousAccountError(SecretStoreError):
    """Several issuers have accounts at one host; name the issuer."""

    code = "ambiguousAccount"


class InteractionRequiredError(SecretStoreError):
    """The account's tokens were removed during the refresh, as by a sign-out."""

    code = "interactionRequired"


class AccountMismatchError(SecretStoreError):
    """The server returned tokens of another account."""

    code = "accountMismatch"


class InvalidArgumentError(SecretStoreError):
    """An argument, or an entry to be stored, is not valid."""

    code = "invalidArgument"


class NoRoomError(InvalidArgumentError):
    """A record had no room for an access token, and was stored without it."""


class CorruptItemError(SecretStoreError):
    """A record can't be read, and is therefore neither used nor changed."""

    code = "corruptItem"


_CLASSES: Dict[str, Type[SecretStoreError]] = {
    each.code: each for each in SecretStoreError.__subclasses__()
}


def error_named(name: str, detail: str) -> SecretStoreError:
    """The error with the last part of a D-Bus error's name, such as `GroupLocked`."""
    found = _CLASSES.get(name[:1].lower() + name[1:])
    return found(detail) if found else StorageFailedError(f"{name}: {detail}")


def signed_out() -> InteractionRequiredError:
    """The error of a refresh during which the account's tokens were removed."""
    return InteractionRequiredError("The account's tokens were removed during the refresh, as by a sign-out.")


#: What may have passed a moment later.
TRANSIENT = (StorageFailedError, ServiceUnavailableError, TimedOutError, LockTimedOutError, GroupLockedError)


# Between two attempts, in seconds.
_PAUSE = 1


def persistently(action: Callable[[], None], seconds: float = 20, at_least: int = 2) -> None:
    """Does something, and does it again after an error that may have passed, until some seconds have passed."""
    end = time.monotonic() + seconds
    times = 0
    while True:
        try:
            times += 1
            action()
            return
        except TRANSIENT:
            if times >= at_least and time.monotonic() + _PAUSE > end:
                raise
        time.sleep(_PAUSE)
