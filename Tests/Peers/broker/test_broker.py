# SPDX-License-Identifier: MIT
"""The identity broker in the tool: its accounts, and what doctor says of it."""

import json
import os
import signal
import time

import pytest

from desktop_session import DesktopSession
from mock_broker import VERSIONS, MockBroker, account_of
from sso_cache import USAGE

ADA = "ada@contoso.com"
GRACE = "grace@contoso.com"


@pytest.fixture
def broker():
    with MockBroker() as mock:
        yield mock


def accounts_of_two(version="3.0.1"):
    other = "1b2c3d4e-0000-4c40-97bc-f7a23c703084"
    return [account_of(GRACE, version, other), account_of(ADA, version)]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_brokers_accounts_are_listed(sso, broker, version):
    broker.reset(version, *accounts_of_two(version))
    listed = sso.do("accounts", "--broker")["accounts"]
    assert [each["username"] for each in listed] == [ADA, GRACE]
    assert listed[0] == {
        "identifier": account_of(ADA)["homeAccountId"], "username": ADA, "environment": listed[0]["environment"],
        "clients": [], "tenants": [account_of(ADA)["realm"]], "broker": True,
    }
    assert all(request["wrong"] == [] for request in broker.requests())


def test_the_client_id_of_the_question_can_be_chosen(sso, broker):
    broker.reset("3.0.1", account_of(ADA))
    sso.do("accounts", "--broker", "--client-id", "contoso")
    (request,) = broker.requests()
    assert request["request"]["clientId"] == "contoso"


def test_the_brokers_accounts_belong_to_no_group(sso):
    for option in ("--group=com.contoso.shared", "--publisher=contoso"):
        assert sso.run("accounts", "--broker", option).status == USAGE


def test_no_broker_and_no_account_are_said(sso):
    outcome = sso.run("accounts", "--broker")
    assert (outcome.status, outcome.stdout) == (0, "No identity broker is installed.\n")
    assert sso.do("accounts", "--broker") == {"accounts": []}
    with MockBroker() as broker:
        broker.reset("3.0.1")
        assert sso.run("accounts", "--broker").stdout == "The identity broker has no account.\n"


def test_a_brokers_text_is_not_interpreted_by_a_terminal(sso, broker):
    broker.reset("3.0.1", account_of("\x1b[2Jada@contoso.com"))
    outcome = sso.run("accounts", "--broker")
    assert outcome.status == 0 and "\x1b" not in outcome.stdout and ADA in outcome.stdout


@pytest.mark.parametrize("kind, value, code", [
    ("hang", None, "networkError"), ("vanish", None, "networkError"), ("type", None, "invalidResponse"),
    ("text", "no JSON", "invalidResponse"), ("text", '{"accounts":[{}]}', "invalidResponse"),
    ("error", "org.freedesktop.DBus.Error.Failed", "serverError"),
    ("text", '{"error":{"context":"AADSTS50078 ada@contoso.com","status":2}}', "interactionRequired"),
])
def test_a_failing_broker_is_a_typed_error_in_time(sso, broker, kind, value, code):
    broker.reset("3.0.1", account_of(ADA))
    broker.reply("getAccounts", kind, value)
    start = time.monotonic()
    outcome = sso.run("accounts", "--broker", "--json")
    assert outcome.error == code and outcome.stdout == "" and ADA not in outcome.stderr
    assert time.monotonic() - start < 10


# Doctor.


@pytest.fixture
def session(tool):
    session = DesktopSession(tool)
    try:
        yield session
    finally:
        session.end()


def test_doctor_names_the_broker_its_version_and_the_number_of_its_accounts(session):
    assert "No identity broker is installed" in session.doctor().checks["broker"]["detail"]
    with MockBroker(session.environment) as broker:
        for version, number, accounts in [
            ("3.0.1", "3.0.1", 2), ("2.0.1", "2.0.1", 1), ("himmelblau", "2.0.0", 1), ("3.0.1", "3.0.1", 0),
        ]:
            broker.reset(version, *accounts_of_two(version)[:accounts])
            check = session.doctor().checks["broker"]
            plural = "account" if accounts == 1 else "accounts"
            assert check["status"] == "ok"
            assert check["detail"] == (
                f"The identity broker, process {broker.process}, of version {number} has {accounts} {plural}.")
            assert all(request["wrong"] == [] for request in broker.requests())
        broker.reset("himmelblau")
        assert "has no account of this user" in session.doctor().checks["broker"]["detail"]


def test_a_stopped_broker_is_named_and_continued(session):
    with MockBroker(session.environment) as broker:
        broker.reset("3.0.1", account_of(ADA))
        os.kill(broker.process, signal.SIGSTOP)
        diagnosis = session.doctor()
        assert (diagnosis.status, diagnosis.exit_status) == ("warning", 0)
        assert diagnosis.checks["broker"]["remedy"] == f"kill -CONT {broker.process}"
        session.follow(diagnosis.checks["broker"]["remedy"])
        assert session.doctor().status == "ok"


def test_doctor_shows_no_account_of_the_broker(session):
    with MockBroker(session.environment) as broker:
        broker.reset("3.0.1", *accounts_of_two())
        assert ADA not in json.dumps(session.doctor().checks)
