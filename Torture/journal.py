# SPDX-License-Identifier: MIT
"""The records of a round: the clients' journals, the token server's ledger, the faults."""

import json
from dataclasses import dataclass, field
from pathlib import Path

SECOND = 1_000_000_000
# How long after a process's end, or after an error, a message of it can still reach the daemon.
UNDER_WAY = SECOND
# The deadline of the agent's own calls: what an app no longer waits for may go on at the agent until then.
AT_AGENT = 10 * SECOND


@dataclass
class Step:
    """One operation of a client, from its beginning to its end, if it ended."""

    process: int
    number: int
    kind: str
    app: str
    client: str
    family: str
    account: str
    scope: str
    begin: int
    token: str = ""
    outcome: str = ""  # "done", an error's code, or nothing of one that was killed
    detail: str = ""
    source: str = ""
    save_error: str = ""
    accounts: list = field(default_factory=list)
    end: int = 0
    # The latest time of its effect, if any: its end if that was acknowledged.
    latest: int = 0
    is_behind_agent: bool = False

    @property
    def is_done(self):
        return self.outcome == "done"

    @property
    def is_saved(self):
        """Whether its token was acknowledged as stored."""
        return self.is_done and not self.save_error and (self.kind == "save" or self.source == "refresh")

    @property
    def name(self):
        return f"api.p{self.process}-{self.number}"

    def __str__(self):
        words = [
            f"{self.name} {self.kind} of {self.account[29:36]} for {self.scope} by {self.app}/{self.client}",
            f"[{self.begin / SECOND:.3f}, {self.end / SECOND:.3f}]", self.outcome or "killed",
        ]
        words += [word for word in (self.source, self.save_error, self.token[:9], self.detail) if word]
        return " ".join(words)


@dataclass
class Round:
    """All of a round, as the checker reads it from the round's folder."""

    steps: list
    ledger: list
    faults: list
    group: str
    heal_from: int
    ended: int
    # Whether each process had its own runtime directory: they shared no lock.
    is_sandboxed: bool = False

    @classmethod
    def read(cls, directory):
        directory = Path(directory)
        info = json.loads((directory / "round.json").read_text())
        ledger = [json.loads(line) for line in (directory / "ledger.jsonl").read_text().splitlines()]
        steps = []
        for client in info["clients"]:
            steps += steps_of(client, directory / f"p{client['number']}.jsonl", info["ended"])
        round = cls(sorted(steps, key=lambda step: step.begin), ledger, info["faults"], info["group"],
                    info["heal_from"], info["ended"], info["sandboxes"])
        for step in round.steps:
            step.latest = round.latest(step)
        return round

    def of(self, *kinds):
        return [fault for fault in self.faults if fault["kind"] in kinds]

    def latest(self, step):
        """The latest time of an operation's effect, if any.

        An unacknowledged operation may take effect after its end: its message is on the way, or is queued
        for a frozen daemon until that resumes.
        """
        if step.is_done and not step.save_error:
            return step.end
        under_way = UNDER_WAY + (AT_AGENT if step.is_behind_agent else 0)
        latest = step.end + under_way
        for fault in self.of("freeze_daemon", *(["freeze_agent"] if step.is_behind_agent else [])):
            if fault["start"] < latest and step.begin < fault["end"]:
                latest = max(latest, fault["end"] + under_way)
        return latest


def steps_of(client, path, ended):
    """The operations in a client's journal; an operation without an end ended with its process."""
    steps = {}
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        if "begin" in entry:
            steps[entry["number"]] = Step(
                client["number"], entry["number"], entry["begin"], client["app"], client["client"],
                client["family"], entry["account"], entry.get("scope", ""), entry["time"],
                entry.get("token", ""))
        elif entry["number"] in steps:
            step = steps[entry["number"]]
            step.end, step.outcome = entry["time"], entry["end"]
            step.token = entry.get("token", step.token)
            step.source = entry.get("source", "")
            step.save_error, step.detail = entry.get("saveError", ""), entry.get("detail", "")
            step.accounts = entry.get("accounts", [])
            if step.kind == "signOut" and entry["end"] == "done" and not entry.get("isSignedOut"):
                step.kind = "read"  # It was not there: nothing was signed out of.
    for step in steps.values():
        step.is_behind_agent = client["is_behind_agent"]
        if not step.end:
            step.end = min((kill for kill in client["kills"] if kill > step.begin), default=ended)
    return list(steps.values())
