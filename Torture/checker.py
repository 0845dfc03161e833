# SPDX-License-Identifier: MIT
"""Whether what is stored after a round is what was acknowledged in it.

It reads the collection with SecretStorage, the documents with `json`, the clients' journals and the
token server's ledger, and uses nothing of the library. Each journal has a line for when an operation
begins and one for when it ends; all processes share one clock.

**What "acknowledged" means.** An operation is acknowledged when its call returned without an error,
and, for a refresh, without a `saveError`: its effect took place between the two lines, is seen by all
that begin after it, and stays. An operation that ended in an error, or whose process was killed,
*may* have taken effect, at any time from its beginning until a second after its end: what was sent is
still under way then. Where two operations overlap either may have been the last. From this follows,
for each fault:

- A client is killed: what it had begun may or may not be there, whole or not at all, and what it had
  redeemed and not yet stored is lost. Nothing that was acknowledged to it before is in doubt.
- A call is cancelled: as one that ended in an error. What it had sent is waited for and stored.
- A client is frozen and thawed: nothing is excused. It holds its locks meanwhile; others time out.
- The daemon is killed or restarted: what was acknowledged is on the disk. (Each round ends with a
  restart, so that nothing counts that was in memory only.) A new item that a kill has cut off has no
  secret; that is nobody's data, and it is gone after the next save.
- The daemon is frozen: a call that timed out meanwhile may take effect until a second after the thaw.
- The bus goes and comes back: as a kill of the daemon, for all at once.
- The disk is full: what can't be written is an error; nothing else is excused.
- The collection is locked: the group's password opens it again, without a word. Nothing is excused.
- The collection is renamed: nothing is excused, it is found by its marker.
- The collection is deleted: what began before the deletion's end, acknowledged or not, may be gone. Of
  an answer for a family, which is two writes, the first may be. What began later is not excused.

After that, with no fault any more, every client saves and refreshes once for every account: all of it
has to be acknowledged and there, and what a kill left half made has to be gone.

**A refresh token is redeemed once.** That another redemption finds a token spent is a violation if the
first was acknowledged as stored. If it was not, the new token is lost, and the person has to sign in.

**Sandboxes** share no lock. Two may redeem one refresh token, so that a refresh may end in
`interactionRequired`, also after the faults. A save that was written over is made again: a token that it brought,
and that another redeemed before the save was acknowledged, may be what is stored. A call that others write over until
its deadline ends in `leaseTimedOut` or `timedOut`, before the healing. Nothing else is excused.
"""

from history import History
from state import State

# Errors of a service that is disturbed. Any other says something of what is stored, or of us.
DISTURBED = {"serviceUnavailable", "storageFailed", "timedOut", "groupLocked", "leaseTimedOut"}
# Errors of those that share no lock, and wait for one another in every call.
WAITED = {"timedOut", "leaseTimedOut"}
LONGEST_SECONDS = 120


def check(round, before, after):
    """What a round has violated, in words.

    `before` is what was stored after the daemon's last restart, `after` what was after the last saves.
    """
    faulty = State(round, before, round.heal_from, is_mended=False)
    problems = [f"after the faults: {problem}" for problem in faulty.problems()]
    mended = State(round, after, round.ended, is_mended=True)
    problems += [f"at the end: {problem}" for problem in mended.problems()]
    problems += History(round).problems()
    problems += list(ends(round))
    return problems


def ends(round):
    """Every operation ends, in time, and as it may."""
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
