#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tortures the library and a real gnome-keyring, round after round; run it by Scripts/torture.

In a round several processes work on one group: saves, refreshes, reads and sign-outs of the same accounts.
Meanwhile processes are killed and frozen, the daemon is killed, restarted and frozen, the bus exits and
returns, the disk is full, and the collection is locked, renamed and deleted. Then the checker compares the
stored data with the acknowledged operations.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import stored
from checker import check
from clients import Clients, cast
from faults import Faults
from journal import Round
from session import Session, TortureError
from token_server import TokenServer

PROCESSES = 8
ACCOUNTS = 5
# They do not measure speed: a client that exceeds them, even on a busy machine, hangs.
HEAL_SECONDS = 180
ROUND_SECONDS = 600


class Torture:
    def __init__(self, options, session):
        self._options = options
        self._session = session

    def round(self, seed):
        """Runs one round; returns its violations and a line that describes it."""
        options, chance = self._options, random.Random(seed)
        self._session.disk.tidy()
        directory = Path(tempfile.mkdtemp(prefix=f"round-{seed}-", dir=options.results))
        group = f"com.contoso.torture-{seed}"
        server = TokenServer(directory / "ledger.jsonl", seed)
        everybody = cast(directory, chance, PROCESSES)
        for client in everybody if options.sandboxes else []:
            client.environment = {"XDG_RUNTIME_DIR": make_private(directory / f"run{client.number}")}
        for client in everybody if options.agent else []:
            client.is_behind_agent = client.number % 4 in (1, 2)
        clients = Clients(options.client, group, server.address, options.operations, everybody, ACCOUNTS)
        faults = Faults(self._session, clients, group, chance, bool(options.agent))
        begin = time.monotonic()
        problems = self._work(clients, faults, chance)
        # What is not on the disk is lost, as in a crash; nothing that an agent has in hand arrives later.
        self._session.signal_agent(signal.SIGKILL)
        self._session.control("restart")
        ended = time.monotonic_ns()
        before = stored.snapshot(group)
        heal_from = time.monotonic_ns()
        hung = clients.heal(HEAL_SECONDS)
        problems += succeeded(clients, hung)
        after = stored.snapshot(group)
        server.close()
        (directory / "round.json").write_text(json.dumps({
            "seed": seed, "sandboxes": options.sandboxes, "group": group, "heal_from": heal_from,
            "ended": time.monotonic_ns(),
            "faults": [asdict(fault) for fault in faults.happened],
            "clients": [{"number": client.number, "app": client.app, "client": client.client,
                         "family": client.family, "kills": client.kills,
                         "is_behind_agent": client.is_behind_agent} for client in everybody],
            "before": before, "after": after}))
        round = Round.read(directory)
        problems += check(round, before, after)
        stored.remove(group)
        if not problems and not self._options.keep:
            shutil.rmtree(directory)
        done = sum(step.is_done for step in round.steps)
        kinds = {fault.kind for fault in faults.happened}
        line = (f"{len(round.steps)} operations, {done} acknowledged, {len(faults.happened)} faults of"
                f" {len(kinds)} kinds, {time.monotonic() - begin:.1f} s")
        return problems, line, directory

    def _work(self, clients, faults, chance):
        """Disturbs the clients until they have completed their plans."""
        problems = []
        clients.start()
        deadline = time.monotonic() + ROUND_SECONDS
        while clients.running() and time.monotonic() < deadline:
            clients.close_soon()
            if self._options.calm:
                time.sleep(0.05)
                continue
            time.sleep(chance.uniform(0.1, 0.6))
            if clients.running():
                problems += self._disturb(faults)
        hung = clients.wait(max(0, deadline - time.monotonic()))
        return problems + succeeded(clients, hung)

    def _disturb(self, faults):
        """Runs a fault; a daemon that exits for another reason is a problem."""
        try:
            faults.next()
        except TortureError as error:
            log = self._session.log()
            self._session.recover()
            return [f"a fault could not be brought about: {error}; the daemon says: {log}"]
        return []


def succeeded(clients, hung):
    """No client hangs, and none traps."""
    problems = [f"p{client.number} did not come to its end" for client in hung]
    return problems + [f"p{client.number} ended with status {client.process.returncode}"
                       for client in clients.failed() if client not in hung]


def make_private(directory):
    directory.mkdir(mode=0o700)
    return str(directory.resolve())


def parse():
    parser = argparse.ArgumentParser(prog="Scripts/torture", description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, metavar="N", help="how many rounds (default: 1)", default=1)
    parser.add_argument("--minutes", type=float, metavar="N", help="as many rounds as begin in N minutes")
    parser.add_argument("--seed", type=int, metavar="S",
                        help="the first round's seed; the next one's is S + 1")
    parser.add_argument("--operations", type=int, default=500, metavar="N",
                        help="operations of each of the 8 processes in a round (default: 500)")
    parser.add_argument("--calm", action="store_true", help="no faults: only the processes themselves")
    parser.add_argument("--sandboxes", action="store_true",
                        help="a runtime directory of its own for each process: no locks between them")
    parser.add_argument("--agent", metavar="FILE", help="the agent's program; half of the processes ask it")
    parser.add_argument("--until-violation", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--keep", action="store_true", help="keep what sound rounds leave behind, too")
    parser.add_argument("--client", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--results", required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = parse()
    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    end = time.monotonic() + 60 * (options.minutes or 0)
    rounds = None if options.minutes else options.rounds
    os.makedirs(options.results, exist_ok=True)
    count, failed = 0, 0
    session = Session(options.agent)
    try:
        torture = Torture(options, session)
        while count < rounds if rounds else time.monotonic() < end:
            problems, line, directory = torture.round(seed + count)
            print(f"seed {seed + count}: {line}{': ' if problems else ''}{len(problems) or ''}"
                  f"{' violations' if problems else ', sound'}", flush=True)
            for problem in problems[:20]:
                print(f"  {problem}", flush=True)
            if problems:
                print(f"  what the round left behind: {directory}", flush=True)
            failed += bool(problems)
            count += 1
            if failed and options.until_violation:
                break
    finally:
        session.close()
    print(f"{count} rounds from seed {seed}: {f'{failed} with violations' if failed else 'every one sound'}")
    if options.until_violation:
        print("the breakage was noticed" if failed else "the breakage was NOT noticed")
        return 0 if failed else 1
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TortureError as error:
        sys.exit(f"torture: {error}")
