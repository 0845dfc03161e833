#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times a Python peer.

    worker.py PEER-OPERATION COUNT MILLISECONDS GROUP

GROUP is the path of a group's file. Prints the nanoseconds that each of COUNT runs took, one a line;
fewer, but at least three, when the milliseconds are over.
"""

import json
import sys
import time
from pathlib import Path

MINIMUM = 3


def time_runs(count, milliseconds, operation, prepare=lambda: None):
    end = time.monotonic() + milliseconds / 1000
    for run in range(count):
        if run >= MINIMUM and time.monotonic() > end:
            return
        argument = prepare()
        start = time.perf_counter_ns()
        operation() if argument is None else operation(argument)
        print(time.perf_counter_ns() - start)


def main():
    name, count, milliseconds, path = sys.argv[1:]
    plan = json.loads(Path(path).read_text())
    peer, _, operation = name.partition("-")
    # Each peer is imported where it is used, so that none carries another's modules.
    if peer == "msal":
        from msal_peer import MSALPeer as Peer
    elif peer == "secretstorage":
        from secretstorage_peer import SecretStoragePeer as Peer
    else:
        from keyring_peer import KeyringPeer as Peer
    runs = getattr(Peer(plan), operation.replace("-", "_"))()
    if runs is not None:
        time_runs(int(count), int(milliseconds), *runs)


if __name__ == "__main__":
    main()
