# SPDX-License-Identifier: MIT
"""An unresponsive daemon: every call ends in time, and the next one succeeds."""

import json
import subprocess
import time

from people import ADA
from sso_cache import LOCKED_OR_TIMED_OUT, Outcome, check_contract
from unified_cache import CLIENT, signed_in

# The store's deadline is ten seconds. A busy machine needs more, for six processes that start and end together;
# twice the deadline would be two of them.
EARLIEST, LATEST = 9, 19


def test_every_call_to_a_frozen_daemon_times_out_and_succeeds_when_it_resumes(sso, daemon, save):
    cache, token = signed_in()
    sso.take(cache)
    newer, newer_token = signed_in("mail.send")
    commands = [
        ["accounts", "--json"],
        ["groups", "--json"],
        ["export", "--json", "--format", "msal"],
        ["token", "--json", "--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"],
        ["import", "--json", "--format", "msal", save(json.dumps(newer))],
        ["sign-out", "--json", "--account", ADA.username, "--everywhere", "--yes"],
    ]
    daemon.freeze()
    start = time.monotonic()
    processes = [
        subprocess.Popen(
            sso.arguments(*command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )
        for command in commands
    ]
    for command, process in zip(commands, processes):
        stdout, stderr = process.communicate(timeout=30)
        seconds = time.monotonic() - start
        outcome = Outcome(process.returncode, stdout, stderr, seconds)
        check_contract(command[0], True, outcome)
        assert outcome.status == LOCKED_OR_TIMED_OUT, (command, outcome)
        assert outcome.error == "timedOut", (command, outcome)
        assert EARLIEST < seconds < LATEST, (command, outcome)

    daemon.thaw()
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == token
    assert sso.take(newer)["updated"] == 1
    assert sso.token(CLIENT, ADA.username, "mail.send")["access_token"] == newer_token
