# SPDX-License-Identifier: MIT
"""Compares the data stored after a round with the acknowledged operations.

It reads the collection with SecretStorage, the documents with `json`, the clients' journals and the
token server's ledger, and does not use the library. Each journal has a line for when an operation
begins and one for when it ends; all processes share one clock.

**What "acknowledged" means.** An operation is acknowledged when its call returned without an error,
and, for a refresh, without a `saveError`: its effect took place between the two lines, is seen by all
that begin after it, and remains. An operation that ended in an error, or whose process was killed,
*may* have taken effect, at any time from its beginning until a second after its end: sent messages can
still arrive then. Where two operations overlap either may have been the last. From this follows,
for each fault:

- A client is killed: its begun operation may have taken effect completely or not at all, and a token that
  it had redeemed and not yet stored is lost. No earlier acknowledged operation is in doubt.
- A call is cancelled: as one that ended in an error. A sent write is awaited and stored.
- A client is frozen and resumed: nothing is excused. It keeps its locks meanwhile; others time out.
- The daemon is killed or restarted: acknowledged data are on the disk. (Each round ends with a
  restart, so that nothing counts that was in memory only.) A new item whose write a kill has
  interrupted has no secret; it holds no data, and the next save removes it.
- The daemon is frozen: a call that timed out meanwhile may take effect until a second after it resumes.
- The bus exits and returns: as a kill of the daemon, for all clients at once.
- The agent is killed or frozen: as a kill of the daemon, or as a freeze, for the clients behind it. The leases that
  it held are free: of two redemptions of a token, one was on its way. What such a client no longer waits for may go
  on at the agent for ten seconds.
- The disk is full: a failed write is an error; nothing else is excused.
- The collection is locked: the group's password unlocks it again without a dialog. Nothing is excused.
- The collection is renamed: nothing is excused, it is found by its marker.
- The collection is deleted: the effect of an operation that began before the deletion's end, acknowledged or
  not, may be lost; of a response for a family, which is two writes, the first. Later ones are not excused.

After the faults every client saves and refreshes once for every account: all of that must be
acknowledged and stored, and incomplete items of killed writers must be removed.

**A refresh token is redeemed once.** A redemption of a used token is a violation if the first
redemption was acknowledged as stored. If it was not, the new token is lost, and the user has to sign in.

**Sandboxes** share no lock. Two may redeem one refresh token, so that a refresh may end in
`interactionRequired`, also after the faults. An overwritten save is repeated: its token may be stored
although another client redeemed it before the save was acknowledged. A call that others overwrite until
its deadline ends in `lockTimedOut` or `timedOut`, before the last saves. Nothing else is excused.
"""

from history import History
from state import State

# Errors of a disturbed service. Any other error concerns the stored data, or the library.
DISTURBED = {"serviceUnavailable", "storageFailed", "timedOut", "groupLocked", "lockTimedOut"}
# Errors of clients that share no lock and wait for each other in every call.
WAITED = {"timedOut", "lockTimedOut"}
LONGEST_SECONDS = 120


def check(round, before, after):
    """The violations of a round, as text.

    `before` is the stored data after the daemon's last restart, `after` those after the last saves.
    """
    faulty = State(round, before, round.heal_from, is_mended=False)
    problems = [f"after the faults: {problem}" for problem in faulty.problems()]
    mended = State(round, after, round.ended, is_mended=True)
    problems += [f"at the end: {problem}" for problem in mended.problems()]
    problems += History(round).problems()
    problems += list(ends(round))
    return problems


def ends(round):
    """Every operation ends in time, and with a permitted outcome."""
    healing = [step for step in round.steps if step.begin >= round.heal_from]
    if not healing:
        yield "nothing was saved after the faults"
    for step in round.steps:
        allowed = {"done", "interactionRequired"}
        if step.begin < round.heal_from:
            allowed |= {"", "cancelled"}
            allowed |= (DISTURBED if round.faults else set()) | (WAITED if round.is_sandboxed else set())
        else:
            allowed = {"done"}
            if round.is_sandboxed and step.kind == "refresh":
                allowed |= {"interactionRequired"}
            elif step.kind == "refresh" and not step.token:
                yield f"there is nothing to refresh with: {step}"
        if step.outcome not in allowed:
            yield f"an unexpected end: {step}"
        elif step.end - step.begin > LONGEST_SECONDS * 1_000_000_000:
            yield f"it took too long: {step}"
