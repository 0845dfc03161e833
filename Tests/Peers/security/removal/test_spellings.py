# SPDX-License-Identifier: MIT
"""Items whose attributes spell an account in another way: a sign-out takes them, or names the locked keyring."""

import pytest

from keyrings import Keyrings
from people import ADA, GRACE
from removals import EVERYWHERE, OF_CLIENT, WHOLE_GROUP
from secret_items import digest, group_collection, search, store_item
from sso_cache import DONE, LOCKED_OR_TIMED_OUT, TOKEN_MARK
from unified_cache import CLIENT, signed_in

ACCOUNT = dict(home_account_id=ADA.identifier, environment="login.windows.net", client_id=CLIENT)
SPELLINGS = {
    "an account in capitals": ACCOUNT | {"home_account_id": ADA.identifier.upper()},
    "another host of the cloud": ACCOUNT | {"environment": "login.microsoftonline.com"},
    "a host in capitals": ACCOUNT | {"environment": "LOGIN.WINDOWS.NET"},
    "a client in capitals": ACCOUNT | {"client_id": CLIENT.upper()},
    "another person": ACCOUNT | {"home_account_id": GRACE.identifier},
}
REMOVALS = {"of a client": OF_CLIENT, "everywhere": EVERYWHERE, "of the whole group": WHOLE_GROUP}


@pytest.fixture(params=[name for name in SPELLINGS if name != "another person"])
def spelling(request):
    return SPELLINGS[request.param]


@pytest.fixture(params=REMOVALS.values(), ids=REMOVALS.keys())
def removal(request):
    return request.param


def move(bus, group, attributes):
    """Gives the record's item other attributes."""
    [item] = search(bus, group=group, kind="credentials", home_account_id=ADA.identifier)
    secret = item.get_secret()
    item.delete()
    store_item(bus, group_collection(bus, group), secret, "credentials", group, **attributes)


def left(bus, group):
    return [
        item for item in search(bus, group=group)
        if b"hidden" in item.get_secret() or TOKEN_MARK.encode() in item.get_secret() and b"bystander" not in item.get_secret()
    ]


@pytest.mark.parametrize("attributes", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_removal_takes_a_record_whose_attributes_spell_it_otherwise(sso, bus, group, removal, attributes):
    sso.take(signed_in(person=GRACE, client="bystander")[0])
    sso.take(signed_in()[0])
    move(bus, group, attributes)
    assert ADA.username in [account["username"] for account in sso.accounts()]
    assert sso.run(*removal).stdout.startswith("Signed out: ")
    assert left(bus, group) == []
    assert ADA.username not in [account["username"] for account in sso.accounts()]


@pytest.mark.parametrize("kind", ["credentials", "damaged", "device"])
def test_a_removal_takes_items_whose_attributes_spell_the_account_otherwise(
        sso, bus, group, removal, spelling, kind):
    sso.take(signed_in()[0])
    store_item(bus, group_collection(bus, group), b"hidden", kind, group, **spelling)
    assert sso.run(*removal).status == DONE
    assert left(bus, group) == []


@pytest.mark.parametrize("kind", ["credentials", "damaged", "device"])
def test_a_removal_takes_what_cannot_be_read_from_another_programs_unlocked_keyring(
        sso, bus, group, keyring_of_others, removal, kind):
    sso.take(signed_in()[0])
    store_item(bus, keyring_of_others, b"hidden", kind, group, **ACCOUNT)
    assert sso.run(*removal).status == DONE
    assert left(bus, group) == []


@pytest.mark.parametrize("kind", ["family", "device"])
@pytest.mark.parametrize("is_restarted", [False, True], ids=["locked", "not unlocked since the start"])
def test_a_removal_names_the_locked_keyring_whose_attributes_spell_the_account_otherwise(
        sso, bus, group, daemon, keyring_of_others, spelling, kind, is_restarted):
    sso.take(signed_in()[0])
    store_item(bus, keyring_of_others, b"hidden", kind, group, **spelling)
    keyring_of_others.lock()
    if is_restarted:
        daemon.restart()
        sso.run("group unlock")
    for _ in range(2):
        outcome = sso.run(*EVERYWHERE)
        assert outcome.status == LOCKED_OR_TIMED_OUT and "com.example.other (1 item)" in outcome.stderr, outcome
    Keyrings(bus).open(keyring_of_others.collection_path, "other")
    assert sso.run(*EVERYWHERE).status == DONE
    assert left(bus, group) == []


def test_another_persons_items_and_other_programs_items_stay(sso, bus, group, spelling):
    sso.take(signed_in()[0])
    home = group_collection(bus, group)
    store_item(bus, home, b"hidden", "device", group, **spelling | {"home_account_id": GRACE.identifier})
    home.create_item("Theirs", {"group": group, "kind": "device", "xdg:schema": "com.other.Item"} | spelling, b"hidden")
    assert sso.run(*EVERYWHERE).status == DONE
    assert len(left(bus, group)) == 2


@pytest.mark.parametrize("scope", [["--everywhere"], ["--client-id", "desk"]], ids=" ".join)
@pytest.mark.parametrize("is_listed", [True, False], ids=["an account", "no account"])
def test_a_sign_out_leaves_the_account_whose_digest_is_the_identifier(sso, is_listed, scope):
    """Items name an account that isn't Azure AD's by the digest of its identifier, which can be an identifier, too."""
    options = dict(client="desk", environment="id.example.org", realm="")
    sso.take(signed_in(identifier="sub-of-ada", **options)[0])
    if is_listed:
        sso.take(signed_in(person=GRACE, identifier=digest("sub-of-ada"), **options)[0])
    outcome = sso.run("sign-out", "--account", digest("sub-of-ada"), *scope, "--yes")
    assert ("Signed out: " in outcome.stdout) == is_listed, outcome
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
