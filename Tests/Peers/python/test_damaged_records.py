# SPDX-License-Identifier: MIT
"""What a record may hold that another program has written: it harms nothing else, and no error shows it."""

import json
import traceback

import pytest

import secretstorecache
from people import ADA, GRACE
from redaction import shown
from secret_items import search
from secretstorecache import CorruptItemError, GroupLockedError, InvalidArgumentError
from secretstorecache._documents import Document
from unified_cache import AAD, access_token, cache_of, secrets

SCOPE = "User.Read"


WRONG = [None, True, 7, -1.5, [], {}, "", "x" * 5000, "9" * 4000, "NaN", "1e400", "١"]
MEMBERS = {
    "AccessToken": ["expires_on", "refresh_on", "target", "home_account_id", "environment", "realm", "client_id",
                    "token_type", "credential_type", "secret", "ext_cache_key", "cached_at", "requested_default"],
    "RefreshToken": ["last_modification_time", "target", "family_id", "home_account_id", "environment", "secret"],
    "IdToken": ["secret", "realm"],
    "Account": ["username", "authority_type", "home_account_id", "environment", "realm", "local_account_id"],
    "AppMetadata": ["family_id", "client_id", "environment"],
}


def record(bus, group):
    [item] = search(bus, group=group, kind="credentials")
    return item, json.loads(item.get_secret())


@pytest.mark.parametrize("section", MEMBERS)
def test_an_entry_with_members_of_other_types_harms_no_other(app, new_app, bus, group, section):
    item, good = record(bus, group)
    fresh = new_app()
    for member in MEMBERS[section]:
        for value in WRONG:
            document = json.loads(json.dumps(good))
            [entry] = document[section].values()
            document[section]["planted"] = dict(entry, **{member: value})
            document[section]["no entry"] = value
            item.set_secret(json.dumps(document).encode(), "application/json")
            assert ADA.username in [account["username"] for account in fresh.accounts()], (member, value)
            assert fresh.silent([SCOPE], ADA.username)
            fresh.cache.find(section)
    item.set_secret(json.dumps(good).encode(), "application/json")
    assert new_app().silent([SCOPE])


@pytest.mark.parametrize("value", WRONG)
def test_a_section_of_our_own_that_others_have_written_is_read_as_empty(app, new_app, bus, group, value):
    item, document = record(bus, group)
    for member in ("apps", "epoch", "names", "tenants", "revision"):
        document["SecretStoreCache"][member] = value
    item.set_secret(json.dumps(document).encode(), "application/json")
    fresh = new_app()
    assert fresh.silent([SCOPE], force_refresh=True)
    assert fresh.cache.save_error is None
    fresh.remove(ADA.username)
    assert new_app().accounts() == []


@pytest.mark.parametrize("content", [b" ", b"no json", b"[]", b"{", b'{"AccessToken":[]}', b"\xff\xfe",
                                     b'{"a":1,"a":2}', b"[" * 100_000, b'{"x":"' + b"x" * 1_700_000 + b'"}'])
def test_a_record_that_cannot_be_read_is_an_error_for_its_client_and_is_not_changed(app, new_app, bus, group, content):
    app.sign_in_with_browser(GRACE, [SCOPE])
    [item] = [item for item in search(bus, group=group, kind="credentials")
              if ADA.identifier in item.get_secret().decode()]
    item.set_secret(content, "application/json")
    fresh = new_app()
    assert [account["username"] for account in fresh.accounts()] == [GRACE.username]
    assert fresh.silent([SCOPE], GRACE.username)
    with pytest.raises(CorruptItemError):
        fresh._app.acquire_token_silent([SCOPE], {"home_account_id": ADA.identifier, "environment": AAD})
    fresh.sign_in_with_browser(ADA, [SCOPE])
    assert isinstance(fresh.cache.save_error, CorruptItemError)
    assert item.get_secret() == content


def test_an_entry_in_another_accounts_record_is_not_used(app, new_app, bus, group, provider):
    """Another program may write into a record, and so choose whose token is redeemed for whom."""
    item, document = record(bus, group)
    own = secrets(document, "RefreshToken")
    grace = cache_of(access_token(SCOPE, person=GRACE), person=GRACE)
    for section, entries in grace.items():
        document[section] |= entries
    item.set_secret(json.dumps(document).encode(), "application/json")
    fresh = new_app()
    assert [account["username"] for account in fresh.accounts()] == [ADA.username]
    account = {"home_account_id": GRACE.identifier, "environment": AAD}
    requests = len(provider.token_requests)
    assert fresh._app.acquire_token_silent([SCOPE], account) is None
    assert fresh._app.acquire_token_silent([SCOPE], account, force_refresh=True) is None
    assert len(provider.token_requests) == requests
    assert fresh.silent([SCOPE], ADA.username, force_refresh=True)
    [request] = provider.token_requests[requests:]
    assert {request["refresh_token"]} == own


def test_nothing_that_is_raised_or_logged_holds_a_token(app, new_app, bus, group, daemon, caplog):
    """Tokens hold the tests' mark."""
    caplog.set_level("DEBUG")
    account = {"home_account_id": ADA.identifier, "environment": AAD}
    failures = []

    def failing(kind, call):
        with pytest.raises(kind) as error:
            call()
        failures.append(error.value)

    item, document = record(bus, group)
    assert "s3cr3t" in item.get_secret().decode()
    for content in (
        json.dumps(document)[:-1], json.dumps(document | {"RefreshToken": ["s3cr3t"]}), '"s3cr3t"', '{"s3cr3t": 1, "s3cr3t": 2}',
        json.dumps(document | {"s3cr3t": "x" * 1_700_000}),
    ):
        item.set_secret(content.encode(), "application/json")
        failing(CorruptItemError, lambda: new_app()._app.acquire_token_silent([SCOPE], account))
        failed = new_app()
        failed.sign_in_with_browser(ADA, [SCOPE])
        failures.append(failed.cache.save_error)
        assert isinstance(failures[-1], CorruptItemError)
    item.set_secret(json.dumps(document).encode(), "application/json")
    daemon.restart_locked()
    failing(GroupLockedError, lambda: new_app().accounts())
    app.sign_in_with_browser(ADA, [SCOPE])
    failures.append(app.cache.save_error)
    assert isinstance(failures[-1], GroupLockedError)
    assert [line for line in caplog.records if line.name.startswith("secretstorecache")], "nothing was logged"
    texts = [line.getMessage() for line in caplog.records if line.name.startswith("secretstorecache")]
    for each in [*failures, app.cache, app.cache._store]:
        texts += [repr(each), str(each), repr(vars(each))] if isinstance(each, Exception) else [repr(each), str(each)]
    for error in failures:
        texts.append("".join(traceback.format_exception(error)))
    assert not any(shown(text, ["s3cr3t"]) for text in texts)


@pytest.mark.parametrize("content", [b'{"secret": "s3cr3t', b"s3cr3t \xff", b'{"s3cr3t":' + b"[" * 100_000], ids=[
    "cut short", "no UTF-8", "too deep"])
def test_an_error_about_a_record_keeps_no_error_that_holds_its_content(content):
    """Those of json have the whole text as an attribute, which programs that report errors send along."""
    with pytest.raises(CorruptItemError) as error:
        Document.parse(content)
    assert error.value.__cause__ is None and error.value.__context__ is None


def test_an_error_about_a_saved_cache_keeps_no_error_that_holds_its_content(group):
    with pytest.raises(InvalidArgumentError) as error:
        secretstorecache.AccessGroupPersistence(group).save('{"secret": "s3cr3t')
    assert error.value.__cause__ is None and error.value.__context__ is None
