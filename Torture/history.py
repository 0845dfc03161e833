# SPDX-License-Identifier: MIT
"""What the journals of a round show: the reads, and the redemptions of refresh tokens."""

from collections import defaultdict
from dataclasses import dataclass

from journal import Step


@dataclass(frozen=True)
class Write:
    """An access token that is being stored in a document."""

    token: str
    step: Step
    is_saved: bool


class History:
    """All operations by their subject."""

    def __init__(self, round):
        self._round = round
        self.steps = round.steps
        self.writes = defaultdict(list)  # (account, client, scope) -> writes
        self.sign_ins = defaultdict(list)  # (account, app) -> saves
        self.saves = defaultdict(list)  # (account, client) -> saves of any app
        self.sign_outs = defaultdict(list)  # (account, app) -> sign-outs
        self.leaves = defaultdict(list)  # (account, client) -> sign-outs of any app
        self.by_name = {step.name: step for step in round.steps}
        self.deletions = round.of("delete")
        for step in round.steps:
            if step.kind == "save":
                self.sign_ins[step.account, step.app].append(step)
                self.saves[step.account, step.client].append(step)
            elif step.kind == "signOut":
                self.sign_outs[step.account, step.app].append(step)
                self.leaves[step.account, step.client].append(step)
        for entry in round.ledger:
            step = self.by_name.get(entry["operation"])
            if "access" in entry and step:
                is_saved = step.is_saved and step.token == entry["access"]
                write = Write(entry["access"], step, is_saved)
                self.writes[step.account, step.client, step.scope].append(write)

    def was_deleted(self, start, end):
        """Whether a deletion overlaps a span of time."""
        return any(fault["start"] <= end and start <= fault["end"] for fault in self.deletions)

    def is_in(self, account, app, start, end):
        """Whether an app is certainly signed in from `start` to `end`."""
        return any(
            save.is_done and save.end < start and not self.was_deleted(save.begin, end)
            and not any(leave.latest >= save.begin and leave.begin <= end
                        for leave in self.sign_outs[account, app])
            for save in self.sign_ins[account, app])

    def is_out(self, account, client, app, start, end):
        """Whether an app is certainly signed out from `start` to `end`.

        Signing out of an absent account records nothing: a save must have preceded it.
        """
        return any(
            leave.is_done and leave.end < start and not self.was_deleted(leave.begin, end)
            and any(save.is_done and save.end < leave.begin and not self.was_deleted(save.begin, leave.end)
                    for save in self.saves[account, client])
            and not any(save.latest >= leave.begin and save.begin <= end
                        for save in self.sign_ins[account, app])
            for leave in self.sign_outs[account, app])

    def was_left(self, account, client, since, until=None):
        """Whether a sign-out of any app of a client may have taken effect in a span of time."""
        return any(leave.latest >= since and (until is None or leave.begin <= until)
                   for leave in self.leaves[account, client])

    # The rules.

    def problems(self):
        yield from self._redeemed_twice()
        for step in self.steps:
            if step.kind == "list" and step.is_done:
                yield from self._listed(step)
            elif step.kind in ("read", "refresh"):
                yield from self._read(step)

    def _redeemed_twice(self):
        if self._round.is_sandboxed:
            return
        first = {}
        for entry in self._round.ledger:
            if "presented" not in entry:
                continue
            token = entry["presented"]
            if entry["granted"]:
                first[token] = entry
            elif entry["spent"]:
                step = self.by_name.get(first[token]["operation"])
                both = (step, self.by_name.get(entry["operation"]))
                if step and step.is_saved and not any(map(self._lost_its_lease, both)):
                    yield (f"a refresh token was redeemed twice: {token[:9]} by {entry['operation']}"
                           f" at {entry['time'] / 1e9:.3f}, after {step}")

    def _lost_its_lease(self, step):
        """Whether the agent, which held the lease of an operation, ended meanwhile; it ends with its bus."""
        return step is not None and step.is_behind_agent and any(
            fault["start"] < step.end and step.begin < fault["end"]
            for fault in self._round.of("kill_agent", "lose_bus"))

    def _listed(self, step):
        for account in {each.account for each in self.steps}:
            is_listed = account in step.accounts
            if is_listed and self.is_out(account, step.client, step.app, step.begin, step.end):
                yield f"an account that was signed out of is listed: {account[29:36]} in {step}"
            if not is_listed and self.is_in(account, step.app, step.begin, step.end):
                yield f"an account is not listed: {account[29:36]} in {step}"

    def _read(self, step):
        is_empty = step.is_done and not step.token
        if step.token and self.is_out(step.account, step.client, step.app, step.begin, step.end):
            yield f"a token for an app that is signed out: {step}"
        if is_empty and self.is_in(step.account, step.app, step.begin, step.end):
            yield f"the account was not found: {step}"
        writes = self.writes[step.account, step.client, step.scope]
        if step.is_done and step.source == "cache":
            yield from self._was_current(step, writes)
        if step.kind == "read" and step.outcome == "interactionRequired":
            kept = [write for write in writes if write.is_saved and write.step.end < step.begin
                    and not self.was_deleted(write.step.begin, step.end)
                    and not self.was_left(step.account, step.client, write.step.begin, step.end)]
            if kept and self.is_in(step.account, step.app, step.begin, step.end):
                yield f"a token that was saved is not there: {kept[-1].step}; {step}"

    def _was_current(self, step, writes):
        read = next((write for write in writes if write.token == step.token), None)
        if read is None or read.step.begin > step.end:
            yield f"a token that nobody has saved: {step}"
            return
        newer = [write for write in writes
                 if write.is_saved and write.step.begin > read.step.latest and write.step.end < step.begin
                 and not self.was_deleted(write.step.begin, step.end)]
        if newer:
            yield f"an old token: {step}, saved by {read.step}; there is a newer one: {newer[-1].step}"
