# SPDX-License-Identifier: MIT
"""What a thread does at the moment: MSAL Python calls its cache several times for one silent call."""

from __future__ import annotations

import threading
import weakref
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

from ._agent import Lease
from ._documents import Document, RecordKey
from ._entries import Entry
from ._interrupts import Interrupts
from ._store import Place, Restored
from ._values import digest
from .errors import signed_out


class Refresh:
    """A refresh in progress: its leases, and the Ctrl-C that waits until its response is stored."""

    def __init__(self, keys: List[RecordKey], lease: Callable[[RecordKey], Optional[Lease]]) -> None:
        self.keys = keys
        self.interrupts = Interrupts()
        self._leases: List[Lease] = []
        for key in keys:
            # Another app that holds the lease for too long is not waited for: this one goes on without it.
            held = lease(key)
            if held is not None:
                self._leases.append(held)

    def release(self) -> None:
        while self._leases:
            self._leases.pop().release()
        self.interrupts.release()

    def __del__(self) -> None:
        self.interrupts.drop()


class Redeemable(NamedTuple):
    """A refresh token that MSAL was given, to tell whose a response is, which does not always say so."""

    place: Place
    #: The client's record.
    record: RecordKey
    #: The client's record and the token's, when the token was read; None for no record.
    seen: Dict[RecordKey, Optional[Document]]
    #: A time at which they could be read, in seconds since 1970.
    read_at: int

    def check(self, key: RecordKey, document: Document) -> None:
        """Raises when every app was signed out of a record since the token was read."""
        seen = self.seen.get(key)
        require_unchanged(document, None if seen is None else seen.sign_out_number)

    def restored(self, key: RecordKey) -> Optional[Restored]:
        """What a client's record had, for one that another program has damaged since. A family's is not made again: the
        client keeps the token as its own."""
        seen = self.seen.get(key) if key.kind == "credentials" else None
        return None if seen is None else Restored(seen, self.read_at)


def require_unchanged(document: Document, seen: Optional[int]) -> None:
    """Raises when every app was signed out of a record since its sign-outs were counted; None for no record."""
    # A removal of everything removes the record, and the count with it. One that an app made is never empty. A record
    # without its token is none: the server may have refused that to another app.
    if seen is not None and not document.root or document.sign_out_number != (seen or 0):
        raise signed_out()


class RefreshToken(Entry):
    """A refresh token for MSAL Python. The leases end when MSAL drops it, which it does when its call returns."""

    def __init__(self, entry: Entry, redeemable: Redeemable, refresh: Refresh) -> None:
        super().__init__(entry)
        self.redeemable = redeemable
        self._refresh = refresh


class ThreadState(threading.local):
    """The calls of one thread."""

    def __init__(self) -> None:
        #: The client whose call it is.
        self.client: Optional[str] = None
        #: The entries of the response that MSAL adds.
        self.batch: Optional[List[Tuple[str, Entry]]] = None
        #: By the digests of their secrets.
        self._redeemable: Dict[str, Redeemable] = {}
        self._waiting: Optional[Refresh] = None
        self._latest: Callable[[], Optional[Refresh]] = lambda: None

    def remember(self, tokens: Dict[str, Redeemable]) -> None:
        self._redeemable = {digest(secret): token for secret, token in tokens.items()}

    def redeemed(self, secret: Optional[str]) -> Optional[Redeemable]:
        """The token of this thread's latest silent call with a secret."""
        return self._redeemable.get(digest(secret)) if secret else None

    def forget(self, secret: Optional[str]) -> None:
        if secret:
            self._redeemable.pop(digest(secret), None)

    def begin(self, refresh: Refresh) -> None:
        """Keeps a refresh until MSAL asks for the refresh token."""
        self.release()
        self._waiting = refresh
        self._latest = weakref.ref(refresh)

    def waiting(self, keys: List[RecordKey]) -> Optional[Refresh]:
        """The refresh that waits, if it has these leases."""
        return self._waiting if self._waiting is not None and self._waiting.keys == keys else None

    def interrupts(self, redeemed: Optional[Redeemable]) -> Optional[Interrupts]:
        """Those of the refresh of a token, until MSAL Python drops it."""
        refresh = self._latest() if redeemed is not None else None
        return refresh.interrupts if refresh is not None else None

    def hand_over(self) -> None:
        """Leaves the refresh to MSAL, which has its refresh token now."""
        self._waiting = None

    def release(self) -> None:
        """Lets go of the leases that this thread's earlier calls have left, so that it never waits for itself.

        An error that MSAL has raised keeps its call's refresh token until it is handled."""
        refresh, self._waiting = self._latest(), None
        if refresh is not None:
            refresh.release()
