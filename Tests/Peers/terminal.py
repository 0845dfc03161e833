# SPDX-License-Identifier: MIT
"""A terminal, as a person sits at one."""

import codecs
import os
import pty
import select
import subprocess
import termios
import time

# By when anything is on the screen, or has ended.
LIMIT_SECONDS = 30


class Terminal:
    """A person at a terminal of their own, where a command was started."""

    def __init__(self, arguments, environment, columns=None):
        self.screen = ""
        # What is read may end within a character.
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._master, slave = pty.openpty()
        if columns:
            termios.tcsetwinsize(slave, (24, columns))
        self._slave = slave
        self.process = subprocess.Popen(
            arguments, env=environment, stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True, preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)))

    def shows(self, text):
        """Waits until a text is on the screen, behind what was waited for before."""
        end = time.monotonic() + LIMIT_SECONDS
        while text not in self.screen:
            assert time.monotonic() < end, f"{text!r} is not on the screen: {self.screen!r}"
            if select.select([self._master], [], [], 0.1)[0]:
                self.screen += self._decoder.decode(os.read(self._master, 4096))
        self.screen = self.screen.split(text, 1)[1]

    def types(self, text):
        os.write(self._master, text.encode())

    def answers(self, question, text):
        """Answers a question that is asked without echo."""
        self.shows(question)
        assert not self.echoes
        self.types(text)

    @property
    def echoes(self):
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def end(self):
        """The status, and what is left on the screen."""
        status = self.process.wait(timeout=LIMIT_SECONDS)
        self.screen += self._decoder.decode(self._left(), final=True)
        echoes = self.echoes
        os.close(self._master)
        os.close(self._slave)
        assert echoes, "the terminal was left without echo"
        return status, self.screen

    def _left(self):
        """All that was not read yet: a terminal gives 4 KiB at a time."""
        os.set_blocking(self._master, False)
        left = b""
        while True:
            try:
                left += os.read(self._master, 4096)
            except OSError:
                return left
