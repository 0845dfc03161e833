# SPDX-License-Identifier: MIT
"""A lock for threads that take turns, in a process that may fork."""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import contextmanager
from typing import Iterator


class Turn:
    """A lock that nobody has in a new child process: a thread that had it is not there."""

    def __init__(self, is_reentrant: bool = False) -> None:
        self._make = threading.RLock if is_reentrant else threading.Lock
        self.begin()
        _TURNS.add(self)

    @contextmanager
    def take(self, timeout: float = -1) -> Iterator[bool]:
        """Takes the lock for a block, and yields whether it did within that many seconds."""
        lock = self._lock  # A process that forks in the block has another lock at its end.
        is_taken = lock.acquire(timeout=timeout)
        try:
            yield is_taken
        finally:
            if is_taken:
                lock.release()

    def begin(self) -> None:
        self._lock = self._make()


_TURNS: "weakref.WeakSet[Turn]" = weakref.WeakSet()


def _begin_child() -> None:
    for turn in list(_TURNS):
        turn.begin()


os.register_at_fork(after_in_child=_begin_child)
