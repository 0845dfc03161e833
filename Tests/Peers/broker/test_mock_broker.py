# SPDX-License-Identifier: MIT
"""The mock of an identity broker is what the brokers' clients document, request by request and reply by reply.

No real broker can be installed here. The shapes name their sources.
"""

import json
import uuid

import pytest
from jeepney import DBusAddress, MessageType, new_method_call
from jeepney.io.blocking import open_dbus_connection

from mock_broker import SHAPES, VERSIONS, MockBroker, account_of

CLIENT = "b6c69a37-df96-4db0-9088-2ab96e1d8215"
NATIVE = "https://login.microsoftonline.com/common/oauth2/nativeclient"
BROKER = DBusAddress(
    "/com/microsoft/identity/broker1", bus_name="com.microsoft.identity.broker1",
    interface="com.microsoft.identity.Broker1")
ADA = "ada@contoso.com"
PYTHON_TYPES = {"text": str, "number": int, "list": list, "object": dict}


@pytest.fixture
def broker():
    with MockBroker() as mock:
        mock.reset("3.0.1", account_of(ADA))
        yield mock


def call(method, request, version="0.0", correlation=None):
    """Calls a method as a client of the brokers does; returns the reply, or the D-Bus error's name."""
    connection = open_dbus_connection("SESSION")
    try:
        message = new_method_call(BROKER, method, "sss", (version, correlation or str(uuid.uuid4()), request))
        reply = connection.send_and_get_reply(message, timeout=10)
    finally:
        connection.close()
    if reply.header.message_type is MessageType.error:
        return reply.header.fields[4]
    return json.loads(reply.body[0])


def parameters(of, /, **changes):
    return {
        "authParameters": {
            "account": of, "additionalQueryParametersForAuthorization": {},
            "authority": "https://login.microsoftonline.com/common", "authorizationType": 1, "clientId": CLIENT,
            "redirectUri": NATIVE, "requestedScopes": ["https://graph.microsoft.com/.default"],
            "username": of["username"], "uxContextHandle": -1,
        } | changes
    }


def assert_shape(value, shape):
    """That a value has the members of a shape, of their types, and no others."""
    for name, member in value.items():
        kind = shape[name]
        if isinstance(kind, dict):
            assert_shape(member, kind)
        elif kind.startswith("@"):
            assert_shape(member, SHAPES[kind.strip("@?")]["members"])
        else:
            assert isinstance(member, tuple(PYTHON_TYPES[each] for each in kind.rstrip("?").split("|"))), name
    for name, kind in shape.items():
        assert name in value or (isinstance(kind, str) and kind.endswith("?")), f"{name} is missing"


@pytest.mark.parametrize("version", VERSIONS)
def test_each_reply_has_the_documented_shape(broker, version):
    account = account_of(ADA, version)
    broker.reset(version, account)
    ask = {"clientId": CLIENT, "redirectUri": NATIVE}
    accounts = call("getAccounts", json.dumps(ask))
    assert_shape(accounts, SHAPES["getAccounts reply"]["members"])
    for each in accounts["accounts"]:
        assert_shape(each, SHAPES["account"]["members"])
    token = call("acquireTokenSilently", json.dumps(parameters(account)))
    assert_shape(token, SHAPES["acquireTokenSilently reply"]["members"])
    number = call("getLinuxBrokerVersion", '{"msalCppVersion":"1.0.0"}')
    assert_shape(number, SHAPES["getLinuxBrokerVersion reply"]["members"])
    removed = call("removeAccount", json.dumps({"clientId": CLIENT, "account": account}))
    assert [each["wrong"] for each in broker.requests()] == [[]] * 4

    # What the versions do differently.
    token = token["brokerTokenResponse"]
    assert ("account" in token) == (version == "2.0.1")
    assert bool(token.get("refreshToken")) == (version == "2.0.1")
    assert token["expiresOn"] > 10**12
    assert (token["extendedExpiresOn"] < 10**11) == (version == "himmelblau")
    assert (removed == "org.freedesktop.DBus.Error.Failed") == (version == "himmelblau")
    left = call("getAccounts", json.dumps(ask))
    assert left == {"accounts": [account] if version == "himmelblau" else []}


def test_himmelblau_refuses_to_list_no_account(broker):
    broker.reset("himmelblau")
    assert call("getAccounts", json.dumps({"clientId": CLIENT, "redirectUri": NATIVE})).endswith("Failed")


ACCOUNT = account_of(ADA)
WRONG = {
    "no JSON": ("getAccounts", "{"),
    "a list": ("getAccounts", "[]"),
    "no client": ("getAccounts", json.dumps({"redirectUri": NATIVE})),
    "a client that is a number": ("getAccounts", json.dumps({"clientId": 1, "redirectUri": NATIVE})),
    "an unknown member": ("getAccounts", json.dumps({"clientId": CLIENT, "redirectUri": NATIVE, "more": 1})),
    "no parameters": ("acquireTokenSilently", "{}"),
    "no account": ("acquireTokenSilently", json.dumps(parameters(ACCOUNT, account={}))),
    "another account": ("acquireTokenSilently", json.dumps(parameters(account_of("eve@contoso.com")))),
    "another user name": ("acquireTokenSilently", json.dumps(parameters(ACCOUNT, username="eve@contoso.com"))),
    "another type of call": ("acquireTokenSilently", json.dumps(parameters(ACCOUNT, authorizationType=6))),
    "no scope": ("acquireTokenSilently", json.dumps(parameters(ACCOUNT, requestedScopes=[]))),
    "a refresh token": ("acquireTokenSilently", json.dumps(parameters(ACCOUNT, requestedScopes=["offline_access"]))),
    "the cookie of the primary token": ("acquirePrtSsoCookie", "{}"),
    "a dialog": ("acquireTokenInteractively", json.dumps(parameters(ACCOUNT))),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_request_is_noticed(broker, name):
    method, request = WRONG[name]
    broker.reply(method, "text", "{}")
    call(method, request)
    (seen,) = broker.requests()
    assert seen["method"] == method and seen["wrong"]


@pytest.mark.parametrize("version, correlation", [("1.0", None), ("0.0", "1"), ("0.0", "{" + str(uuid.uuid4()) + "}")])
def test_a_wrong_version_or_correlation_id_is_noticed(broker, version, correlation):
    call("getAccounts", json.dumps({"clientId": CLIENT, "redirectUri": NATIVE}), version, correlation)
    (seen,) = broker.requests()
    assert seen["wrong"]
