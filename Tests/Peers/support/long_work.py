# SPDX-License-Identifier: MIT
"""Work that takes a while, and what it shows meanwhile."""

import json
import os
import re
import subprocess
import time

from sso_cache import LIMIT_SECONDS
from terminal import Terminal
from watcher import cache, person

# An import of so many records takes most of a second and more.
RECORDS = 120
# Longer than the time for which nothing is shown.
QUIET_SECONDS = 0.9


def accounts_from(first, count):
    """A cache with many accounts, each of which is one record."""
    whole = {}
    for number in range(first, first + count):
        for section, entries in cache(number).items():
            whole.setdefault(section, {}).update({f"{number}-{key}": value for key, value in entries.items()})
    return whole


def identifiers(first, count):
    return {person(number).identifier for number in range(first, first + count)}


def on_terminal(sso, *command, columns=100, **variables):
    environment = {name: value for name, value in sso.environment.items() if name not in ("NO_COLOR", "COLUMNS")}
    environment = environment | {"TERM": "xterm"} | variables
    environment = {name: value for name, value in environment.items() if value is not None}
    return Terminal(sso.arguments(*command), environment, columns=columns)


def held_up(daemon, start):
    """Starts work while the daemon does not reply, for longer than short work takes; returns what `start` returns."""
    daemon.freeze()
    try:
        running = start()
        time.sleep(QUIET_SECONDS)
        return running
    finally:
        daemon.thaw()


def with_pipes(sso, *command, **options):
    return subprocess.Popen(
        sso.arguments(*command), env=sso.environment,
        **({"bufsize": 0, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options))


def outcome_of(process):
    stdout, stderr = process.communicate(timeout=2 * LIMIT_SECONDS)
    return process.returncode, stdout, stderr


def lines_of(stderr):
    """The counts that --progress has printed, and the other lines."""
    counts, others = [], []
    for line in stderr.decode().splitlines():
        document = json.loads(line)
        if "progress" in document:
            counts.append(document["progress"])
        else:
            others.append(document)
    return counts, others


def done_before(text):
    """How many items were done when the work was interrupted."""
    [count] = re.findall(r"Interrupted: (\d+) of \d+ ", text)
    return int(count)


def write_cache(path, first=0, count=RECORDS):
    path.write_text(json.dumps(accounts_from(first, count)))
    return os.fspath(path)
