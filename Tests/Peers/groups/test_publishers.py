# SPDX-License-Identifier: MIT
"""Two publishers, each with a group of the same name, on one real keyring."""

import json
import plistlib

import pytest

from people import ADA, GRACE
from secret_items import search, snapshot
from sso_cache import INTERACTION_REQUIRED, NOT_ENTITLED
from unified_cache import CLIENT, signed_in

PEOPLE = {"contoso": ADA, "fabrikam": GRACE}


@pytest.fixture
def apps(sso, group, save):
    """The two publishers' apps, each with a user who is not signed in to the other."""
    apps = {}
    for publisher, person in PEOPLE.items():
        entitlements = {
            "application-identifier": f"{publisher}.com.{publisher}.mail",
            "keychain-access-groups": [f"{publisher}.{group}"],
        }
        file = save(plistlib.dumps(entitlements), f"{publisher}.plist")
        apps[publisher] = sso.with_options("--entitlements", str(file))
        apps[publisher].take(signed_in(person=person)[0])
    return apps


def names(app):
    return [account["username"] for account in app.accounts()]


def token_status(app, person):
    arguments = ["--client-id", CLIENT, "--account", person.username, "--scope", "mail.read"]
    return app.run("token", *arguments, "--json").status


def check_apart(apps):
    assert names(apps["contoso"]) == [ADA.username]
    assert names(apps["fabrikam"]) == [GRACE.username]
    for publisher, other in (("contoso", "fabrikam"), ("fabrikam", "contoso")):
        assert token_status(apps[publisher], PEOPLE[publisher]) == 0
        assert token_status(apps[publisher], PEOPLE[other]) == INTERACTION_REQUIRED


def test_two_publishers_with_a_group_of_one_name_never_see_each_others_accounts(sso, apps, daemon):
    check_apart(apps)
    assert sso.accounts() == [], "the group of no publisher is a third one"
    daemon.restart()
    check_apart(apps)


def test_emptying_one_leaves_the_other_unchanged(apps, daemon):
    apps["contoso"].do("sign-out", "--whole-group", "--yes")
    assert names(apps["contoso"]) == []
    assert names(apps["fabrikam"]) == [GRACE.username]
    daemon.restart()
    assert names(apps["contoso"]) == []
    assert token_status(apps["fabrikam"], GRACE) == 0


def test_the_publishers_secrets_are_separate(apps):
    for publisher, app in apps.items():
        app.do("secret set", "--service", "imap", "--account", "a", stdin=publisher.encode())
    for publisher, app in apps.items():
        assert app.run("secret get", "--service", "imap", "--account", "a").stdout == publisher


def test_no_app_can_request_another_publishers_group(apps, group):
    for name in (f"fabrikam.{group}", "com.fabrikam.mail"):
        assert apps["contoso"].run("accounts", f"--group={name}", "--json").status == NOT_ENTITLED


def test_no_app_can_request_a_group_that_its_manifest_does_not_give_it(apps, sso, bus, group):
    """Neither to read it, nor to write or remove anything: not even one of its own publisher, or of no publisher."""
    other = f"{group}.other"
    sso.take(signed_in()[0], f"--group={other}")
    before = snapshot(bus, other)
    for name in (other, f"contoso.{other}", f"fabrikam.{other}", group.rpartition("-")[0]):
        for command in (["accounts"], ["export", "--format", "msal"], ["import", "--format", "msal", "-"],
                        ["sign-out", "--whole-group", "--yes"], ["group create"], ["group delete", "--yes"],
                        ["secret list"]):
            outcome = apps["contoso"].run(*command, f"--group={name}", stdin=json.dumps(signed_in()[0]).encode())
            assert outcome.status == NOT_ENTITLED, (name, command, outcome)
    assert snapshot(bus, other) == before
    assert {item.get_attributes()["publisher"] for item in search(bus, group=other)} == {""}
