# SPDX-License-Identifier: MIT
"""A lock for threads that take turns, in a process that may fork."""

from __future__ import annotations

import os
import threading
import weakref


class Turn:
    """A lock that nobody has in a new child process: a thread that had it is not there."""

    def __init__(self, is_reentrant: bool = False) -> None:
        self._make = threading.RLock if is_reentrant else threading.Lock
        self.begin()
        _TURNS.add(self)

    def acquire(self, timeout: float = -1) -> bool:
        return self._lock.acquire(timeout=timeout)

    def release(self) -> None:
        self._lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def begin(self) -> None:
        self._lock = self._make()


_TURNS: "weakref.WeakSet[Turn]" = weakref.WeakSet()


def _begin_child() -> None:
    for turn in list(_TURNS):
        turn.begin()


os.register_at_fork(after_in_child=_begin_child)
