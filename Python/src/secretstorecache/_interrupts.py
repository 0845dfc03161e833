# SPDX-License-Identifier: MIT
"""Ctrl-C after a refresh token was sent: the server may have spent it, and only its response has the new one."""

from __future__ import annotations

import _thread
import signal
import threading
from types import FrameType
from typing import Optional


class Interrupts:
    """Holds Ctrl-C back while MSAL's call runs, in the main thread and where the program has no handler of its own.

    A second one ends the call at once."""

    def __init__(self) -> None:
        self._is_held = False
        self._is_pending = False

    def hold(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        handler = signal.getsignal(signal.SIGINT)
        earlier = getattr(handler, "__self__", None)
        if isinstance(earlier, Interrupts):
            # An error that MSAL has raised may keep its refresh for longer than the call.
            self._is_pending = earlier._is_pending
            earlier._is_held = False
        elif handler is not signal.default_int_handler:
            return
        self._is_held = True
        signal.signal(signal.SIGINT, self._handle)

    def _handle(self, number: int, frame: Optional[FrameType]) -> None:
        if self._is_held and not self._is_pending and _is_in_msal(frame):
            self._is_pending = True
            return
        self._is_held = self._is_pending = False
        signal.signal(signal.SIGINT, signal.default_int_handler)
        raise KeyboardInterrupt

    def release(self) -> None:
        """Holds no more back, and raises `KeyboardInterrupt` for what was."""
        if self._end():
            raise KeyboardInterrupt

    def drop(self) -> None:
        """Does so a moment later, from where nothing can be raised."""
        if self._end():
            threading.Timer(0.05, _thread.interrupt_main).start()

    def _end(self) -> bool:
        """Returns whether a Ctrl-C was held back."""
        was_held, self._is_held = self._is_held, False
        is_pending, self._is_pending = was_held and self._is_pending, False
        # The program may have set a handler of its own meanwhile.
        if (was_held and threading.current_thread() is threading.main_thread()
                and signal.getsignal(signal.SIGINT) == self._handle):
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return is_pending


def _is_in_msal(frame: Optional[FrameType]) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith("msal."):
            return True
        frame = frame.f_back
    return False
