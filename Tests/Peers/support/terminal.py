# SPDX-License-Identifier: MIT
"""A pseudo-terminal with a user."""

import codecs
import os
import pty
import re
import select
import subprocess
import termios
import time

# A line over the one before, as a progress bar draws it.
FRAME = re.compile(r"\r([^\r\x1b]*)\x1b\[K")

# The limit for any text to appear and for any command to end.
LIMIT_SECONDS = 30


def rest_of(master):
    """All that a pseudo-terminal has left to read. One read returns only a part of it."""
    rest = b""
    while True:
        try:
            rest += os.read(master, 4096)
        except OSError:
            return rest


class Terminal:
    """A command at its own terminal, with the user's input and the screen."""

    def __init__(self, arguments, environment, columns=None):
        self.screen = ""
        # Everything that was ever on the screen.
        self.history = ""
        # A read may end within a character.
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._master, slave = pty.openpty()
        if columns:
            termios.tcsetwinsize(slave, (24, columns))
        self._slave = slave
        self.process = subprocess.Popen(
            arguments, env=environment, stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True, preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)))

    def shows(self, text):
        """Waits until a text appears on the screen, after the text that the last call waited for."""
        self._read(until=lambda: text in self.screen, what=text)
        self.screen = self.screen.split(text, 1)[1]

    @property
    def frames(self):
        """The lines that a progress bar has drawn."""
        return FRAME.findall(self.history)

    def counts(self, number):
        """Waits until a progress bar has counted so far."""
        def counted():
            return [int(count) for frame in self.frames for count in re.findall(r"(\d+)(?: of |/)\d", frame)]

        self._read(until=lambda: max(counted(), default=-1) >= number, what=number)

    def resizes(self, columns):
        termios.tcsetwinsize(self._master, (24, columns))

    def _read(self, until, what):
        end = time.monotonic() + LIMIT_SECONDS
        while not until():
            assert time.monotonic() < end, f"{what!r} is not on the screen: {self.history!r}"
            if select.select([self._master], [], [], 0.1)[0]:
                self._note(self._decoder.decode(os.read(self._master, 4096)))

    def _note(self, text):
        self.screen += text
        self.history += text

    def types(self, text):
        os.write(self._master, text.encode())

    def enters(self, prompt, text):
        """Types a text at a prompt without echo."""
        self.shows(prompt)
        assert not self.echoes
        self.types(text)

    @property
    def echoes(self):
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def end(self):
        """Waits for the end; returns the status and the rest of the screen."""
        self._read(until=lambda: self.process.poll() is not None, what="the end")
        status = self.process.returncode
        os.set_blocking(self._master, False)
        self._note(self._decoder.decode(rest_of(self._master), final=True))
        echoes = self.echoes
        os.close(self._master)
        os.close(self._slave)
        assert echoes, "the terminal was left without echo"
        return status, self.screen
