# SPDX-License-Identifier: MIT
"""A new refresh token is stored whatever else can't be: the server may have spent the old one."""

import json
import signal
import time

import pytest

from agent_client import kill
from group_apps import FIRST, SCOPE, SECOND
from msal_apps import App
from people import ADA, GRACE, TENANT, base64url, new_id_token
from planted import copy_with_higher_revision, lock_and_have_read_again, login_of
from secret_items import group_collection, search
from secretstorecache import AccessGroupTokenCache, InvalidArgumentError
from secretstorecache._agent import Group
from secretstorecache.errors import GroupLockedError, InteractionRequiredError, NoRoomError, StorageFailedError
from sso_cache import DONE
from unified_cache import access_token, secrets

MAIL = "com.contoso.mail"


def assert_is_stored(sso, spent, app):
    """Checks that the group has another refresh token, which the server takes."""
    assert secrets(sso.give(), "RefreshToken").isdisjoint(spent)
    assert app.silent([SCOPE], force_refresh=True)


SIGN_INS = {
    "during a refresh": lambda app: app.silent([SCOPE], force_refresh=True),
    "at a sign-in": lambda app: app.sign_in_with_browser(ADA, [SCOPE]),
}


@pytest.mark.parametrize("family", [{FIRST, SECOND}, set()], ids=["a family", "no family"])
@pytest.mark.parametrize("when", SIGN_INS)
def test_an_access_token_that_is_too_large_costs_no_refresh_token(sso, provider, new_app, kind, when, family):
    provider.family = family
    app = new_app(MAIL, FIRST, kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    response = provider.response
    provider.response = lambda *arguments: response(*arguments) | {"access_token": "s3cr3t-" + "x" * 1_700_000}
    assert SIGN_INS[when](app).startswith("s3cr3t-x")
    if kind == "cache" and when == "at a sign-in":
        assert isinstance(app.cache.save_error, InvalidArgumentError)
    provider.response = response
    assert_is_stored(sso, spent, app)


@pytest.mark.parametrize("when", SIGN_INS)
def test_a_copy_that_another_program_has_made_hides_no_refresh_token(sso, bus, group, new_app, when):
    """The agent knows where the original is."""
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    app.silent([SCOPE], force_refresh=True)
    copy_with_higher_revision(bus, group)
    spent = secrets(sso.give(), "RefreshToken")
    SIGN_INS[when](app)
    assert_is_stored(sso, spent, app)


@pytest.mark.parametrize("repairs", [False, True], ids=["damaged", "repaired"])
@pytest.mark.parametrize("changes", [{}, {"access_token": 7}], ids=["whole", "refresh token only"])
def test_a_record_that_another_program_damages_during_a_refresh_is_made_again(
    sso, bus, group, provider, new_app, changes, repairs
):
    """From what was read before; what the other program wrote is set aside, if doctor has not done so."""
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    accounts, spent = sso.accounts(), secrets(sso.give(), "RefreshToken")

    def damage(body):
        [item] = search(bus, kind="credentials", group=group)
        item.set_secret(b"hello")
        if repairs:
            sso.do("doctor", "--fix", "--yes")
        return body | changes

    provider.after_the_next_redemption(damage)
    app.silent([SCOPE], force_refresh=True)
    assert [item.get_secret() for item in search(bus, kind="damaged", group=group)] == [b"hello"]
    assert sso.accounts() == accounts
    assert_is_stored(sso, spent, app)


def fill(bus, group, kind, size, character="x"):
    """Fills a record with an entry that no save removes."""
    [item] = search(bus, kind=kind, group=group)
    content = item.get_secret()
    filling = character.encode() * (size - len(content) - 20)
    item.set_secret(b'{"x":{"x":"%s"},' % filling + content[1:], content_type="application/json")


def make_due(bus, group):
    """Makes each access token one that is due for a refresh."""
    [item] = search(bus, kind="credentials", group=group)
    content = json.loads(item.get_secret())
    for entry in content["AccessToken"].values():
        entry["refresh_on"] = "1"
    item.set_secret(json.dumps(content).encode(), content_type="application/json")


@pytest.mark.parametrize("size, character, is_full", [
    (1_590_000, "x", True), (1_580_000, "x", False), (1_580_000, "}", False)], ids=["full", "roomy", "full of braces"])
def test_nothing_is_sent_where_the_clients_record_has_no_room(
        sso, bus, group, provider, new_app, size, character, is_full):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    fill(bus, group, "credentials", size, character)
    sent = len(provider.token_requests)
    if is_full:
        with pytest.raises(StorageFailedError, match="no room"):
            app.silent([SCOPE], force_refresh=True)
        assert (len(provider.token_requests), secrets(sso.give(), "RefreshToken")) == (sent, spent)
    else:
        app.silent([SCOPE], force_refresh=True)
        assert secrets(sso.give(), "RefreshToken").isdisjoint(spent)


@pytest.mark.parametrize("when", SIGN_INS)
def test_where_the_familys_record_has_no_room_the_client_keeps_the_token_as_its_own(
        sso, bus, group, provider, new_app, kind, when):
    provider.family = {FIRST, SECOND}
    app = new_app(MAIL, FIRST, kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    fill(bus, group, "family", 1_599_990)
    response = provider.response
    provider.response = lambda *arguments: {
        name: value + "x" * 500 if name == "refresh_token" else value for name, value in response(*arguments).items()}
    SIGN_INS[when](app)
    provider.response = response
    assert kind == "persistence" or app.cache.save_error is None
    [item] = search(bus, kind="credentials", group=group)
    own = json.loads(item.get_secret())["RefreshToken"]
    assert len(own) == 1 and {entry["secret"] for entry in own.values()}.isdisjoint(spent)


def test_a_sign_out_of_all_apps_while_the_record_is_damaged_counts_although_there_was_one_before(
        sso, bus, group, provider, new_app):
    app = new_app(MAIL)
    sign_out = ["sign-out", "--account", ADA.identifier, "--everywhere", "--yes"]
    app.sign_in_with_browser(ADA, [SCOPE])
    sso.run(*sign_out)
    app.sign_in_with_browser(ADA, [SCOPE])

    def change(body):
        search(bus, kind="credentials", group=group)[0].set_secret(b"hello")
        assert sso.run(*sign_out).status == DONE
        return body

    provider.after_the_next_redemption(change)
    app.silent([SCOPE], force_refresh=True)
    assert isinstance(app.cache.save_error, InteractionRequiredError)
    assert sso.accounts() == [] and not secrets(sso.give(), "RefreshToken")


@pytest.mark.parametrize("knows_it", [True, False], ids=["an agent that knew it", "an agent that has seen nothing"])
def test_while_nothing_shows_whose_the_groups_keyring_is_nothing_is_sent(
        sso, bus, group, provider, new_app, agent, daemon, knows_it):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    make_due(bus, group)
    lock_and_have_read_again(login_of(bus), group_collection(bus, group))
    if not knows_it:
        kill(agent.agent(), signal.SIGKILL)  # The next one has seen nothing.
    sent = len(provider.token_requests)
    try:
        with pytest.raises(GroupLockedError):
            app.silent([SCOPE], force_refresh=True)
        assert app.silent([SCOPE]), "One that is only due is good enough."
        assert len(provider.token_requests) == sent
    finally:
        daemon.restart()
    assert app.silent([SCOPE], force_refresh=True)


def test_what_was_set_aside_before_a_refresh_brings_no_record_back(sso, bus, group, provider, new_app):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    search(bus, kind="credentials", group=group)[0].set_secret(b"hello")
    sso.do("doctor", "--fix", "--yes")
    app.sign_in_with_browser(ADA, [SCOPE])
    time.sleep(2.1)  # The daemon gives times in whole seconds.

    def remove(body):
        search(bus, kind="credentials", group=group)[0].delete()
        return body

    provider.after_the_next_redemption(remove)
    app.silent([SCOPE], force_refresh=True)
    assert isinstance(app.cache.save_error, InteractionRequiredError)
    assert search(bus, kind="credentials", group=group) == []


def test_a_slow_sign_in_that_is_stored_has_no_error_but_that_of_its_access_token(provider, group, monkeypatch):
    """Each change of a record has the time limit, and not all of them together."""
    provider.family = {FIRST, SECOND}
    app, store = App(provider, FIRST, AccessGroupTokenCache(group, timeout=2)), Group.set
    app.sign_in_with_browser(ADA, [SCOPE])

    def slow(*arguments):
        time.sleep(1.3)
        return store(*arguments)

    monkeypatch.setattr(Group, "set", slow)
    app.sign_in_with_browser(ADA, [SCOPE])
    assert app.cache.save_error is None
    response = provider.response
    provider.response = lambda *arguments: response(*arguments) | {"access_token": "s3cr3t-" + "x" * 1_700_000}
    app.sign_in_with_browser(ADA, [SCOPE])
    assert isinstance(app.cache.save_error, NoRoomError)


NO_SUBJECT = new_id_token({"aud": FIRST, "oid": ADA.uid, "tid": TENANT})


# What MSAL Python reads at a sign-in, too.
ODD = [
    {"expires_in": "soon"}, {"expires_in": [1]}, {"expires_in": "3600.5"}, {"expires_in": "1e999"},
    {"ext_expires_in": {}}, {"token_type": 7}, {"foci": float("nan")}, {"foci": ["1"]}, {"foci": "\ud800"},
    {"foci": "1\0"}, {"foci": "1" * 70_000}, {"foci": ""},
]
# Without an account, which is known at a refresh.
ODD_AT_A_REFRESH = [
    {"client_info": "!!"}, {"client_info": 7}, {"client_info": None},
    {"client_info": base64url({"uid": 7, "utid": None})}, {"client_info": None, "id_token": NO_SUBJECT},
    {"client_info": None, "id_token": new_id_token([1])}, {"id_token": new_id_token("a")},
]


@pytest.mark.parametrize("when, changes", [
    *((when, changes) for when in SIGN_INS for changes in ODD),
    *(("during a refresh", changes) for changes in ODD_AT_A_REFRESH)], ids=lambda value: str(value)[:40])
def test_an_odd_response_costs_no_refresh_token(sso, provider, new_app, when, changes):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    response = provider.response
    provider.response = lambda *arguments: {
        name: each for name, each in (response(*arguments) | changes).items() if each is not None}
    token = SIGN_INS[when](app)
    provider.response = response
    assert app.cache.save_error is None
    assert token in secrets(sso.give(), "AccessToken")
    assert_is_stored(sso, spent, app)
    assert [account["username"] for account in sso.accounts()] == [ADA.username]


@pytest.mark.parametrize("changes", [{"access_token": 7}, {"access_token": {}}, {"access_token": float("inf")}])
def test_without_a_readable_access_token_the_new_refresh_token_is_stored(sso, provider, new_app, changes):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    before = sso.give()
    provider.after_the_next_redemption(lambda body: body | changes)
    app.silent([SCOPE], force_refresh=True)
    assert secrets(sso.give(), "AccessToken") == secrets(before, "AccessToken")
    assert_is_stored(sso, secrets(before, "RefreshToken"), app)


@pytest.mark.parametrize("value", [7, ["s3cr3t"], {}, float("nan"), True, ""])
def test_a_refresh_token_that_is_no_text_replaces_none(sso, provider, new_app, value):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    before = secrets(sso.give(), "RefreshToken")
    provider.after_the_next_redemption(lambda body: body | {"refresh_token": value})
    assert app.silent([SCOPE], force_refresh=True)
    assert app.cache.save_error.code == "invalidArgument"
    assert secrets(sso.give(), "RefreshToken") == before and app.silent([SCOPE], force_refresh=True)
    assert app.cache.save_error is None


def test_a_response_at_which_msal_fails_in_the_end_costs_no_refresh_token(sso, provider, new_app):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    provider.after_the_next_redemption(lambda body: body | {"refresh_in": "x"})
    with pytest.raises(TypeError):
        app.silent([SCOPE], force_refresh=True)
    assert_is_stored(sso, spent, app)


def test_without_client_info_an_id_token_of_another_person_is_refused(sso, provider, new_app):
    app = new_app(MAIL)
    app.sign_in_with_browser(ADA, [SCOPE])
    before = secrets(sso.give(), "AccessToken")
    for grant in provider._grants.values():
        grant.person = GRACE
    provider.after_the_next_redemption(lambda body: {
        name: value for name, value in body.items() if name != "client_info"})
    app.silent([SCOPE], force_refresh=True)
    assert app.cache.save_error.code == "accountMismatch"
    assert secrets(sso.give(), "AccessToken") == before


@pytest.mark.parametrize("when", SIGN_INS)
def test_in_a_full_record_access_tokens_make_room_for_new_ones(sso, bus, group, provider, new_app, kind, when):
    app = new_app(MAIL, kind=kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    [item] = search(bus, group=group, kind="credentials")
    document = json.loads(item.get_secret())
    [refresh_token] = document["RefreshToken"].values()
    for number in range(30):
        document["AccessToken"][f"large-{number}"] = access_token(
            f"scope{number}", client=refresh_token["client_id"], lifetime=3600 + number) | {"secret": "s3cr3t" * 8800}
    document["Padding"] = ""
    document["Padding"] = "x" * (1_599_990 - len(json.dumps(document, separators=(",", ":"))))
    item.set_secret(json.dumps(document, separators=(",", ":")).encode(), "application/json")
    response = provider.response

    def longer(*arguments):
        body = response(*arguments)
        return body | {"refresh_token": body["refresh_token"] + "x" * 5000}

    provider.response = longer
    token = SIGN_INS[when](app)
    assert secrets(sso.give(), "RefreshToken").isdisjoint(spent)
    assert when == "during a refresh" or token in secrets(sso.give(), "AccessToken")


def test_no_more_access_tokens_make_room_than_are_needed(sso, bus, group, provider, new_app, kind):
    """A brace in a string is stored as six bytes."""
    app = new_app(MAIL, kind=kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    [item] = search(bus, group=group, kind="credentials")
    document = json.loads(item.get_secret())
    [refresh_token] = document["RefreshToken"].values()
    for number in range(20):
        document["AccessToken"][f"large-{number}"] = access_token(
            f"scope{number}", client=refresh_token["client_id"], lifetime=3600 + number) | {"note": "{" * 10_000}
    document["Padding"] = ""
    size = len(json.dumps(document, separators=(",", ":"))) + 5 * 20 * 10_000
    document["Padding"] = "x" * (1_569_000 - size)
    item.set_secret(json.dumps(document, separators=(",", ":")).encode(), "application/json")
    response = provider.response

    def longer(*arguments):
        body = response(*arguments)
        return body | {"refresh_token": body["refresh_token"] + "x" * 30_000}

    provider.response = longer
    assert app.silent([SCOPE], force_refresh=True)
    left = {entry["target"] for entry in sso.give()["AccessToken"].values() if "note" in entry}
    assert left == {f"scope{number}" for number in range(1, 20)}


@pytest.mark.parametrize("when", ["at a sign-in", "during a refresh"])
def test_a_family_record_that_cannot_be_read_costs_no_refresh_token(sso, bus, group, provider, new_app, kind, when):
    provider.family = {FIRST, SECOND}
    app = new_app(MAIL, FIRST, kind)
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    [family] = search(bus, group=group, kind="family")

    def damage(_=None):
        family.set_secret(b"no JSON", "application/json")

    if when == "at a sign-in":
        damage()
        app.sign_in_with_browser(ADA, [SCOPE])
    else:
        provider.after_the_next_redemption(damage)
        assert app.silent([SCOPE], force_refresh=True)
    assert family.get_secret() == b"no JSON"
    [credentials] = [json.loads(item.get_secret()) for item in search(bus, group=group, kind="credentials")]
    assert secrets(credentials, "RefreshToken") and secrets(credentials, "RefreshToken").isdisjoint(spent)
    assert new_app(MAIL, FIRST, kind).silent([SCOPE], force_refresh=True)


def test_a_save_that_fails_for_a_moment_is_tried_again(sso, provider, group, frozen):
    app = App(provider, FIRST, AccessGroupTokenCache(group, timeout=2))
    app.sign_in_with_browser(ADA, [SCOPE])
    spent = secrets(sso.give(), "RefreshToken")
    provider.after_the_next_redemption(lambda _: frozen(4.5))
    assert app.silent([SCOPE], force_refresh=True)
    assert_is_stored(sso, spent, app)
