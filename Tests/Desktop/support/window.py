# SPDX-License-Identifier: MIT
"""A program with a window, and a person in front of it."""

import os
import subprocess
import time
from pathlib import Path

import accessibility

LIMIT_SECONDS = 20


def wait_for(what, condition, seconds=LIMIT_SECONDS):
    """The first true value of a condition; what it was that did not come is in the error."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end, f"waited in vain for {what() if callable(what) else what}"
        time.sleep(0.02)
    return result


class Window:
    """A running program. Its elements are found by name, and by role where that is not enough."""

    def __init__(self, program, *arguments, **environment):
        self.environment = os.environ | {
            "GTK_A11Y": "atspi", "GSK_RENDERER": "cairo", "G_MESSAGES_DEBUG": "", "NO_AT_BRIDGE": "0",
        } | environment
        self._errors = Path(os.environ["SSC_SESSION_DIR"], f"{Path(program).name}.{time.monotonic_ns()}.log")
        with open(self._errors, "wb") as errors:
            self.process = subprocess.Popen(
                [program, *arguments], env=self.environment, stdin=subprocess.DEVNULL, stdout=errors,
                stderr=errors)

    @property
    def pid(self):
        return self.process.pid

    @property
    def errors(self):
        """What the program wrote to standard output and standard error."""
        return self._errors.read_text(errors="replace")

    def elements(self):
        return accessibility.elements(self.pid)

    def find(self, name, role=None):
        """The shown element with a name, or with a name that holds it; None if there is none."""
        shown = [each for each in self.elements() if role in (None, each.role)]
        return next((each for each in shown if each.name == name), None) or next(
            (each for each in shown if name in each.name), None)

    def _state(self, name):
        def text():
            return f"{name!r}; shown are {self.elements()}; it wrote {self.errors!r}"

        return text

    def wait_for(self, name, role=None, seconds=LIMIT_SECONDS):
        return wait_for(self._state(name), lambda: self.find(name, role), seconds)

    def wait_until_gone(self, name, role=None, seconds=LIMIT_SECONDS):
        wait_for(self._state(f"no {name}"), lambda: not self.find(name, role), seconds)

    def press(self, name, role="push button"):
        """Presses the first element of that name that can be pressed: GTK's menu buttons have one in another."""

        def element():
            return next((each for each in self.elements() if each.role == role and name in each.name
                         and each.can_be_pressed), None)

        wait_for(self._state(name), element).press()

    # The person's eyes and hands.

    def _xdotool(self, *arguments):
        return subprocess.run(
            ["xdotool", *arguments], env=self.environment, capture_output=True, text=True, timeout=LIMIT_SECONDS
        ).stdout.strip()

    @property
    def x11_windows(self):
        """The windows on the screen that the process has, as X11 knows them."""
        return self._xdotool("search", "--onlyvisible", "--pid", str(self.pid)).split()

    def is_active(self):
        return self._xdotool("getactivewindow", "getwindowpid") == str(self.pid)

    def key(self, *keys):
        self._xdotool("key", "--delay", "50", *keys)

    def picture(self, name):
        """Takes one of the documentation's pictures, when they are wanted: once the screen is at rest."""
        folder = os.environ.get("SSC_PICTURES")
        if not folder:
            return
        file, last = Path(folder, f"{name}.png"), None
        self._xdotool("mousemove", "0", "0")
        for _ in range(50):
            time.sleep(0.4)
            shown = subprocess.run(
                ["import", "-window", "root", "rgb:-"], env=self.environment, check=True, capture_output=True).stdout
            if shown == last:
                break
            last = shown
        subprocess.run(
            ["import", "-window", "root", "-trim", "+repage", "-strip", "+dither", "-colors", "64",
             "-define", "png:compression-level=9", file], env=self.environment, check=True)

    # Its end.

    def close(self):
        """Closes the window by its button; the program ends without an error."""
        self.press("Close")
        assert self.process.wait(LIMIT_SECONDS) == 0, self.errors

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def complaints(self):
        """The lines in which GTK, GLib or Swift complain of the program."""
        marks = ("CRITICAL", "WARNING", "Fatal error", "assertion")
        return [line for line in self.errors.splitlines() if any(mark in line for mark in marks)]
