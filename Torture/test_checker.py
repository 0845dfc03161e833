# SPDX-License-Identifier: MIT
"""The checker finds exactly the broken rule in constructed rounds."""

import copy
import json

import pytest

from checker import LONGEST_SECONDS, check
from journal import SECOND, Round, Step
from token_server import identifier

ACCOUNT = identifier(0)
MAIL, CALENDAR = "com.contoso.mail", "com.contoso.calendar"
DOCUMENT = {"kind": "credentials", "home_account_id": ACCOUNT, "environment": "login.windows.net",
            "client_id": "suite"}
FAR = 100


class Made:
    """A round as in its files; times are seconds."""

    def __init__(self):
        self.steps, self.ledger, self.faults = [], [], []
        self.is_sandboxed = False
        self.items = [
            item("login", "secret", kind="group-key", keyring="LOCAL:/keyrings/g.keyring"),
            item("g", json.dumps({"name": "g"}), kind="group"),
        ]
        self.last_items = None

    def step(self, kind, begin, end, process=0, app=MAIL, outcome="done", **values):
        number = len(self.steps)
        made = Step(process, number, kind, app, "suite", "", ACCOUNT, values.pop("scope", "s"),
                    int(begin * SECOND), outcome=outcome, end=int(end * SECOND), **values)
        self.steps.append(made)
        return made

    def save(self, begin, end, token, **values):
        return self._issuing("save", begin, end, token, **values)

    def refresh(self, begin, end, token, redeemed, granted=True, **values):
        step = self._issuing("refresh", begin, end, token, source="refresh", **values)
        self.present(step, begin, redeemed, granted)
        return step

    def present(self, step, time, token, granted=True):
        self.ledger.append({"time": int(time * SECOND), "operation": step.name, "presented": token,
                            "granted": granted, "spent": not granted})

    def _issuing(self, kind, begin, end, token, **values):
        step = self.step(kind, begin, end, token=token, **values)
        self.ledger.append({
            "time": int(begin * SECOND), "operation": step.name, "access": token, "refresh": f"rt-{token}",
            "account": ACCOUNT, "client": "suite", "family": "", "scope": step.scope})
        return step

    def fault(self, kind, start, end):
        self.faults.append({"kind": kind, "start": int(start * SECOND), "end": int(end * SECOND)})

    def store(self, tokens, refresh, revision, apps=None):
        """The document's content: access tokens by scope."""
        self.items.append(item("g", json.dumps(document(tokens, refresh, revision, apps)), **DOCUMENT))

    def problems(self):
        """The checker's report, with a correct last save at the end."""
        round = Round(self.steps, self.ledger, self.faults, "g", FAR * SECOND, 2 * FAR * SECOND,
                      self.is_sandboxed)
        for step in self.steps:
            step.latest = round.latest(step)
        before = copy.deepcopy(self.items)
        self.save(FAR + 1, FAR + 2, "last", scope="last")
        self.steps[-1].latest = self.steps[-1].end
        after = self.last_items or self._after()
        return check(round, before, after)

    def _after(self):
        items = [each for each in self.items if each["secret"]]
        if not any(each["attributes"]["kind"] == "group" for each in items):
            items.append(item("g", json.dumps({"name": "g"}), kind="group"))
        for each in items:
            if each["attributes"]["kind"] == "credentials":
                stored = json.loads(each["secret"])
                stored["SecretStoreCache"]["revision"] += 1
                stored["SecretStoreCache"]["apps"][MAIL] = "signed_in"
                for name, value in document({"last": "last"}, "rt-last", 0).items():
                    if name == "RefreshToken":
                        stored[name] = value
                    elif name != "SecretStoreCache":
                        stored.setdefault(name, {}).update(value)
                each["secret"] = json.dumps(stored)
        if not any(each["attributes"]["kind"] == "credentials" for each in items):
            items.append(item("g", json.dumps(document({"last": "last"}, "rt-last", 1)), **DOCUMENT))
        return items


def item(collection, secret, **attributes):
    keys = ("kind", "publisher", "group", "home_account_id", "environment", "client_id", "family_id", "key")
    attributes = dict.fromkeys(keys, "") | {"group": "g", "xdg:schema": "schema"} | attributes
    return {"path": f"{collection}/1", "collection": collection, "attributes": attributes, "locked": False,
            "secret": secret}


def document(tokens, refresh, revision, apps=None):
    record = {"kind": "credentials", "account": ACCOUNT, "environment": "login.windows.net",
              "client_id": "suite"}
    made = {"SecretStoreCache": {"record": record, "revision": revision, "apps": apps or {MAIL: "signed_in"}}}
    if tokens:
        made["AccessToken"] = {
            scope: {"secret": token, "target": scope, "realm": "r", "expires_on": "1", "cached_at": "1"}
            for scope, token in tokens.items()}
        made |= {"IdToken": {"i": {}}, "Account": {"a": {}}, "AppMetadata": {"m": {"family_id": ""}},
                 "RefreshToken": {"r": {"secret": refresh}}}
    return made


@pytest.fixture
def made():
    """Two saves, a refresh, and a read of the refreshed token."""
    made = Made()
    made.save(1, 2, "one", scope="other")
    made.save(3, 4, "two")
    made.refresh(5, 6, "three", "rt-two")
    made.step("read", 7, 8, token="three", source="cache")
    made.store({"other": "one", "s": "three"}, "rt-three", 3)
    return made


def test_a_sound_round_has_no_problems(made):
    assert made.problems() == []


def stored(made):
    return json.loads(made.items[-1]["secret"])


def lost_save(made):
    made.save(9, 10, "four", scope="lost")


def old_value(made):
    made.save(9, 10, "four", scope="other")


def uncounted(made):
    made.items.pop()
    made.store({"other": "one", "s": "three"}, "rt-three", 2)


def unknown_token(made):
    made.items.pop()
    made.store({"other": "one", "s": "nobody's"}, "rt-three", 3)


def stale_read(made):
    made.step("read", 9, 10, token="two", source="cache")


def read_nothing(made):
    made.step("read", 9, 10)


def read_interaction(made):
    made.step("read", 9, 10, outcome="interactionRequired")


def unlisted(made):
    made.step("list", 9, 10)


def redeemed_twice(made):
    made.present(made.step("refresh", 9, 10, outcome="interactionRequired"), 9, "rt-two", granted=False)


def used_token_stored(made):
    made.items.pop()
    made.store({"other": "one", "s": "three"}, "rt-two", 3)


def token_of_another(made):
    made.items.pop()
    made.store({"other": "one", "s": "three"}, "rt-unknown", 3)


def back_after_sign_out(made):
    made.step("signOut", 9, 10)
    made.items.pop()
    made.store({"other": "one", "s": "three"}, "rt-three", 4, {MAIL: "signed_out"})


def lost_sign_out(made):
    made.step("signOut", 9, 10)


def read_after_sign_out(made):
    made.step("signOut", 9, 10)
    made.step("read", 11, 12, token="three", source="cache")
    made.items.pop()
    made.store({}, "", 4, {MAIL: "signed_out"})


def listed_after_sign_out(made):
    made.step("signOut", 9, 10)
    made.step("list", 11, 12, accounts=[ACCOUNT])
    made.items.pop()
    made.store({}, "", 4, {MAIL: "signed_out"})


def half_response(made):
    whole = stored(made)
    del whole["IdToken"]
    made.items[-1]["secret"] = json.dumps(whole)


def half_token(made):
    whole = stored(made)
    whole["AccessToken"]["s"].pop("realm")
    made.items[-1]["secret"] = json.dumps(whole)


def no_document(made):
    made.last_items = made._after() + [item("g", '{"half', kind="family")]


def wrong_record(made):
    made.items[-1]["attributes"]["client_id"] = "other"


def lacking_attribute(made):
    del made.items[-1]["attributes"]["key"]


def locked_forever(made):
    made.items[-1]["locked"] = True


def two_items(made):
    made.items.append(made.items[-1])


def two_markers(made):
    made.items.insert(0, item("g", json.dumps({"name": "g"}), kind="group"))


def no_marker(made):
    made.last_items = [each for each in made._after() if each["attributes"]["kind"] != "group"]


def two_passwords(made):
    made.items.insert(0, item("login", "secret", kind="group-key", keyring="LOCAL:/keyrings/g_1.keyring"))


def empty_item_stays(made):
    made.last_items = made._after() + [item("g", "", kind="family")]


def two_collections(made):
    made.items.append(item("elsewhere", made.items[1]["secret"], kind="group"))


def unexpected_error(made):
    made.fault("kill_daemon", 8, 9)
    made.step("read", 9, 10, outcome="corruptItem")


def error_without_faults(made):
    made.step("read", 9, 10, outcome="storageFailed")


def too_long(made):
    made.step("list", 10, 11 + LONGEST_SECONDS, accounts=[ACCOUNT])


VIOLATIONS = [
    (lost_save, "a token that was saved is not there"), (old_value, "an old token"),
    (uncounted, "has counted 2"),
    (unknown_token, "a token that nobody has saved"), (stale_read, "an old token"),
    (read_nothing, "the account was not found"), (read_interaction, "a token that was saved is not there"),
    (unlisted, "not listed"), (redeemed_twice, "redeemed twice"),
    (used_token_stored, "a spent refresh token"),
    (token_of_another, "not issued to its owner"), (back_after_sign_out, "tokens came back"),
    (lost_sign_out, "was signed out of"), (read_after_sign_out, "signed out: "),
    (listed_after_sign_out, "is listed"), (half_response, "half a token response"),
    (half_token, "half an access token"), (no_document, "a document that is none"),
    (wrong_record, "under another record's"), (lacking_attribute, "other attributes"),
    (locked_forever, "nothing opens"), (two_items, "2 items of one record"), (two_markers, "2 markers"),
    (no_marker, "0 markers"), (two_passwords, "2 passwords"), (empty_item_stays, "without a secret"),
    (two_collections, "several collections"), (unexpected_error, "an unexpected end"),
    (error_without_faults, "an unexpected end"), (too_long, "it took too long"),
]


@pytest.mark.parametrize("break_rule, words", VIOLATIONS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_broken_rule_is_reported(made, break_rule, words):
    break_rule(made)
    problems = made.problems()
    assert any(words in problem for problem in problems), problems


def killed_save(made):
    """It may be stored or not."""
    made.save(9, 10, "four", outcome="")


def failed_save(made):
    made.fault("fill_disk", 8, 10)
    made.save(9, 10, "four", outcome="storageFailed")


def deleted_after(made):
    made.fault("delete", 8.5, 8.6)
    made.items = [made.items[0]]


def redeemed_by_a_killed_client(made):
    """A token redeemed and not stored is lost, and the next client is refused."""
    made.refresh(9, 10, "four", "rt-three", outcome="")
    made.present(made.step("refresh", 11, 12, outcome="interactionRequired"), 11, "rt-three", granted=False)


def overlapping_saves(made):
    """Either may have been the last."""
    made.save(9, 11, "four")
    made.save(10, 12, "five", process=1)
    made.items.pop()
    made.store({"other": "one", "s": "four"}, "rt-four", 5)


def late_after_resuming(made):
    """A write that timed out took effect when the daemon resumed."""
    made.fault("freeze_daemon", 9, 20)
    made.save(9, 11, "four", outcome="timedOut")
    made.save(20.5, 20.9, "five", process=1)
    made.items.pop()
    made.store({"other": "one", "s": "four"}, "rt-four", 5)


def late_at_the_agent(made):
    """A write that an app no longer waited for took effect at the agent."""
    made.fault("kill_daemon", 8.5, 8.6)
    made.save(9, 11, "four", outcome="timedOut", is_behind_agent=True)
    made.save(15, 16, "five", process=1)
    made.items.pop()
    made.store({"other": "one", "s": "four"}, "rt-four", 5)


def lease_lost_with_the_agent(made):
    """The agent was killed while an app behind it redeemed, and another one took the lease."""
    made.fault("kill_agent", 5.5, 5.6)
    made.steps[2].is_behind_agent = True
    redeemed_twice(made)


def signed_out_by_the_other_app(made):
    """It does not hide this one."""
    made.step("signOut", 9, 10, app=CALENDAR)
    made.items.pop()
    made.store({"other": "one", "s": "three"}, "rt-three", 4, {MAIL: "signed_in", CALENDAR: "signed_out"})
    made.step("read", 11, 12, token="three", source="cache")


def empty_after_a_kill(made):
    made.fault("kill_daemon", 8, 9)
    made.items.append(item("g", "", kind="family"))


@pytest.mark.parametrize(
    "disturb",
    [killed_save, failed_save, deleted_after, redeemed_by_a_killed_client, overlapping_saves,
     late_after_resuming, late_at_the_agent, lease_lost_with_the_agent, signed_out_by_the_other_app,
     empty_after_a_kill],
    ids=lambda value: value.__name__)
def test_what_a_fault_excuses_is_no_violation(made, disturb):
    disturb(made)
    assert made.problems() == []


@pytest.mark.parametrize("is_behind_agent, kind, at", [
    (False, "kill_agent", 5.5), (True, "kill_agent", 6.5), (True, "freeze_agent", 5.5)])
def test_a_lease_that_was_not_lost_excuses_nothing(made, is_behind_agent, kind, at):
    made.fault(kind, at, at + 0.1)
    made.steps[2].is_behind_agent = is_behind_agent
    redeemed_twice(made)
    assert any("redeemed twice" in problem for problem in made.problems())


@pytest.mark.parametrize("is_behind_agent, outcome, kind, latest", [
    (False, "done", None, 10), (True, "done", None, 10), (False, "timedOut", None, 11), (True, "timedOut", None, 21),
    (False, "timedOut", "freeze_daemon", 31), (True, "timedOut", "freeze_daemon", 41),
    (False, "timedOut", "freeze_agent", 11), (True, "timedOut", "freeze_agent", 41),
])
def test_a_write_that_was_not_acknowledged_takes_effect_until_a_deadline(made, is_behind_agent, outcome, kind, latest):
    if kind:
        made.fault(kind, 9.5, 30)
    step = made.save(9, 10, "four", outcome=outcome, is_behind_agent=is_behind_agent)
    made.problems()
    assert step.latest == latest * SECOND


def test_a_save_after_a_deletion_is_not_excused(made):
    made.fault("delete", 8.5, 8.6)
    made.items = made.items[:2]
    made.save(9, 10, "four", scope="late")
    assert any("is not there" in problem for problem in made.problems())


def test_in_sandboxes_a_token_may_be_redeemed_twice(made):
    made.is_sandboxed = True
    redeemed_twice(made)
    made.present(made.step("refresh", FAR + 3, FAR + 4, outcome="interactionRequired"), FAR + 3, "rt-two", False)
    assert made.problems() == []


@pytest.mark.parametrize("outcome", ["lockTimedOut", "timedOut"])
def test_in_sandboxes_a_call_may_be_overwritten_until_its_deadline(made, outcome):
    made.is_sandboxed = True
    made.save(12, 22, "five", scope="late", outcome=outcome)
    assert made.problems() == []


@pytest.mark.parametrize("outcome", ["lockTimedOut", "timedOut"])
def test_with_locks_and_without_faults_no_call_reaches_its_deadline(made, outcome):
    made.save(12, 22, "five", scope="late", outcome=outcome)
    [problem] = made.problems()
    assert problem.startswith("an unexpected end")


@pytest.mark.parametrize(
    "break_rule, words", [each for each in VIOLATIONS if each[0] is not redeemed_twice],
    ids=lambda value: getattr(value, "__name__", ""))
def test_in_sandboxes_nothing_else_is_excused(made, break_rule, words):
    made.is_sandboxed = True
    test_a_broken_rule_is_reported(made, break_rule, words)


@pytest.mark.parametrize("saved_until, words", [(12, []), (9.5, ["a spent refresh token"])])
def test_in_sandboxes_a_token_redeemed_before_its_save_was_acknowledged_may_be_stored(
    made, saved_until, words
):
    made.is_sandboxed = True
    made.save(9, saved_until, "four", scope="new")
    made.refresh(10, 11, "five", "rt-four", process=1)
    made.items.pop()
    made.store({"other": "one", "new": "four", "s": "five"}, "rt-four", 5)
    problems = made.problems()
    assert len(problems) == len(words) and all(word in problems[0] for word in words), problems
