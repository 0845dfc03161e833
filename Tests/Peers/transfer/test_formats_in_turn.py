# SPDX-License-Identifier: MIT
"""Files of two formats for one account, imported in turn: the tokens of both stay, of each format the newest."""

import json
import time
from datetime import datetime

import pytest

from people import ADA, new_token
from removals import ADAL_ITEM
from unified_cache import access_token, cache_of, refresh_token, section, secrets

# What an import counts of each file: a record of an account and client; an item for the resource and one for any.
COUNTS = {"msal": 1, "adal-python": 2}


def msal(age):
    cache = cache_of(access_token("mail.read", age=age))
    cache["RefreshToken"] = section(refresh_token(last_modification_time=str(int(time.time()) - age)))
    return cache


def adal(age):
    expiry = datetime.fromtimestamp(int(time.time()) - age + ADAL_ITEM["expiresIn"])
    tokens = {"accessToken": new_token("at"), "refreshToken": new_token("rt")}
    return [ADAL_ITEM | tokens | {"expiresOn": expiry.strftime("%Y-%m-%d %H:%M:%S.%f")}]


@pytest.mark.parametrize("order", [["msal", "adal-python"], ["adal-python", "msal"]], ids=" then ".join)
@pytest.mark.parametrize("is_newer_first", [False, True], ids=["the older first", "the newer first"])
def test_the_newest_token_of_each_format_stays_and_is_counted(sso, save, order, is_newer_first):
    files = {"msal": [msal(900), msal(9)], "adal-python": [adal(900), adal(9)]}

    def take(name, content):
        summary = sso.do("import", "--format", name, save(json.dumps(content)))
        return {outcome: summary[outcome] for outcome in ("added", "updated", "unchanged") if summary[outcome]}

    for number in (1, 0) if is_newer_first else (0, 1):
        is_first = is_newer_first == (number == 1)
        outcome = "added" if is_first else "unchanged" if is_newer_first else "updated"
        for name in order:
            assert take(name, files[name][number]) == {outcome: COUNTS[name]}, (name, number)
    for name in order:
        for content in files[name]:
            assert take(name, content) == {"unchanged": COUNTS[name]}, name
    cache, newest = sso.give(), files["msal"][1]
    for kind in ("AccessToken", "RefreshToken"):
        assert secrets(cache, kind) == secrets(newest, kind)
    items = sso.do("export", "--format", "adal-python")
    assert {item["refreshToken"] for item in items} == {files["adal-python"][1][0]["refreshToken"]}
    assert [account["identifier"] for account in sso.accounts()] == [ADA.identifier]
