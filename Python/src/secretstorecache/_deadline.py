# SPDX-License-Identifier: MIT
"""When a call ends."""

from __future__ import annotations

import time

from .errors import TimedOutError


class Deadline:
    """The time at which a call ends, whatever it waits for."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """The seconds that are left; raises `TimedOutError` when there are none."""
        remaining = self._end - time.monotonic()
        if remaining <= 0:
            raise TimedOutError("The call took longer than its time limit.")
        return remaining
