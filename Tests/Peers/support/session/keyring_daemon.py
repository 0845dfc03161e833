# SPDX-License-Identifier: MIT
"""The private session's keyring daemon."""

import os
import signal
import subprocess
import threading
from contextlib import contextmanager

# The control program gives each step of a command a minute, and reports a timeout itself before this limit.
LIMIT_SECONDS = 200


class KeyringDaemon:
    """Stops, starts and suspends the daemon, and restores it afterwards."""

    def __init__(self):
        self._control = os.environ["SSC_KEYRING_CONTROL"]
        self._is_frozen = False
        self._is_disturbed = False

    def _run(self, *arguments):
        subprocess.run([self._control, *arguments], check=True, timeout=LIMIT_SECONDS)

    def process(self):
        return int(subprocess.check_output([self._control, "pid"], timeout=LIMIT_SECONDS))

    def restart(self):
        """Restarts as after a login: the login keyring is open, every other is locked."""
        self._run("restart")

    def restart_locked(self):
        """Restarts as after a login without a password: every keyring is locked."""
        self._is_disturbed = True
        self._run("restart", "--locked")

    def restart_fresh(self):
        """Restarts as for a new user whose login has no password: there is no keyring."""
        self._is_disturbed = True
        self._run("restart", "--fresh")

    def stop(self):
        self._is_disturbed = True
        self._run("stop")

    def kill(self):
        self._is_disturbed = True
        self._run("kill")

    def start(self):
        self._run("start")
        self._is_disturbed = False

    def freeze(self):
        self._is_frozen = True
        self._run("freeze")

    def thaw(self):
        self._run("thaw")
        self._is_frozen = False

    @contextmanager
    def slowed(self):
        """Has the daemon run for a fiftieth of a second out of every third of one."""
        process, end = self.process(), threading.Event()

        def slow():
            while not end.wait(0.02):
                os.kill(process, signal.SIGSTOP)
                end.wait(0.3)
                os.kill(process, signal.SIGCONT)

        thread = threading.Thread(target=slow)
        thread.start()
        try:
            yield
        finally:
            end.set()
            thread.join()

    def recover(self):
        """Restores a responsive daemon with an unlocked login keyring."""
        if self._is_frozen:
            self.thaw()
        if self._is_disturbed:
            self._run("restart")
            self._is_disturbed = False
