# SPDX-License-Identifier: MIT
"""Ctrl-C after a refresh token was sent: the server may have spent it, and only its response has the new one."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
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
        if self._is_held and not self._is_pending and self._is_protected(frame):
            self._is_pending = True
            self._wait()
            return
        self._is_held = self._is_pending = False
        signal.signal(signal.SIGINT, signal.default_int_handler)
        raise KeyboardInterrupt

    def _is_protected(self, frame: Optional[FrameType]) -> bool:
        return is_in_msal(frame)

    def _wait(self) -> None:
        """Called when a Ctrl-C is held back."""

    def release(self) -> None:
        """Holds no more back, and raises `KeyboardInterrupt` for what was."""
        if self._end():
            raise KeyboardInterrupt

    def drop(self) -> None:
        """Does so a moment later, from where nothing can be raised."""
        if self._end() and not _start(threading.Timer(0.05, _thread.interrupt_main)):
            self._is_pending = True  # The next call's end raises it.

    def _end(self) -> bool:
        """Returns whether a Ctrl-C was held back."""
        was_held, self._is_held = self._is_held, False
        is_pending, self._is_pending = was_held and self._is_pending, False
        # The program may have set a handler of its own meanwhile.
        if (was_held and threading.current_thread() is threading.main_thread()
                and signal.getsignal(signal.SIGINT) == self._handle):
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return is_pending


class CallInterrupts(Interrupts):
    """The same for a persistence, which isn't told when MSAL's call ends."""

    def hold(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # Ctrl-C is the main thread's.
        if self._is_protected(sys._getframe()):
            super().hold()
        else:
            self.release()

    def release(self) -> None:
        if threading.current_thread() is threading.main_thread():
            super().release()

    def _is_protected(self, frame: Optional[FrameType]) -> bool:
        return is_in_msal(frame, "refresh_token", "add")

    def _wait(self) -> None:
        # Without it, the call of the persistence that stores the refresh token ends MSAL's, or else the next one.
        _start(threading.Thread(target=self._interrupt_after_call, daemon=True))

    def _interrupt_after_call(self) -> None:
        main = threading.main_thread().ident
        while self._is_pending:
            time.sleep(0.05)
            if not self._is_protected(sys._current_frames().get(main or 0)):
                if self._is_pending:
                    _thread.interrupt_main()
                return


def _start(thread: threading.Thread) -> bool:
    """Starts a thread, where the process may have one more: an error would end the save that was interrupted."""
    try:
        thread.start()
    except RuntimeError:
        return False
    return True


def is_in_msal(frame: Optional[FrameType], *names: str) -> bool:
    """Whether a frame is in a call of MSAL, or in one of a function in whose name there is one of these."""
    while frame is not None:
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if package in ("msal", "msal_extensions") and (
                not names or any(name in frame.f_code.co_name for name in names)):
            return True
        frame = frame.f_back
    return False
