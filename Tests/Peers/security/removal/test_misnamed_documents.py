# SPDX-License-Identifier: MIT
"""Items whose document and attributes spell their record otherwise: what lists show, a removal takes."""

import json
import re

import pytest

from people import ADA, GRACE
from removals import ADAL_ITEM, EVERYWHERE, OF_CLIENT, OTHER, WHOLE_GROUP, entitlements, family_cache
from secret_items import collection_of, search
from sso_cache import DONE, STORAGE_OR_NETWORK
from unified_cache import AAD, CLIENT, signed_in

IMAP = ["--service", "imap", "--account", "ada"]
MEMBERS = {"home_account_id": "account"}
CREDENTIALS = {
    "the account in capitals": {"home_account_id": str.upper},
    "another host of the cloud": {"environment": lambda _: AAD},
    "the client in capitals": {"client_id": str.upper},
    "a key that the kind doesn't have": {"key": lambda _: "x"},
    "a family that the kind doesn't have": {"family_id": lambda _: "x"},
}
ADALS = {"the client in capitals": {"client_id": str.upper}, "the key in capitals": {"key": str.upper}}
SECRETS = {"the key in capitals": {"key": str.upper}, "another key": {"key": lambda _: "z" * 64}}


@pytest.fixture
def respell(bus, group, keeps):
    """Stores an item, or a copy of it, with other values in its document and its attributes."""

    def change(kind, changes):
        for item in search(bus, group=group, kind=kind):
            attributes, document = item.get_attributes(), json.loads(item.get_secret())
            record = document["SecretStoreCache"]["record"]
            for name, other in changes.items():
                attributes[name] = record[MEMBERS.get(name, name)] = other(attributes[name])
            secret = json.dumps(document).encode()
            collection_of(bus, item).create_item("Respelled", attributes, secret, content_type="application/json")
            if not keeps:
                item.delete()

    return change


@pytest.fixture(params=[False, True], ids=["the only item", "a copy"])
def keeps(request):
    return request.param


@pytest.fixture(params=["of a client", "everywhere", "of the last app", "of the whole group"])
def removal(request, save, group):
    if request.param == "of the last app":
        return ["sign-out", "--account", ADA.username, "--client-id", CLIENT, "--yes", *entitlements(save, group)]
    return {"of a client": OF_CLIENT, "everywhere": EVERYWHERE}.get(request.param, WHOLE_GROUP)


def left(bus, group):
    return [item.get_attributes() for item in search(bus, group=group) if b"s3cr3t" in item.get_secret()]


def check(sso, removal):
    assert [account["username"] for account in sso.accounts()] == [ADA.username]
    outcome = sso.run(*removal)
    assert outcome.status == DONE and outcome.stdout.startswith("Signed out: "), outcome
    assert sso.accounts() == [] and "nothing to do" in sso.run(*removal).stdout


@pytest.mark.parametrize("changes", CREDENTIALS.values(), ids=CREDENTIALS.keys())
def test_a_sign_out_takes_a_record_that_is_spelled_otherwise(sso, bus, group, respell, removal, changes):
    sso.take(signed_in()[0])
    respell("credentials", changes)
    check(sso, removal)
    assert left(bus, group) == []


def renamed(bus, group, person, other):
    """A person's item whose document says that it is another's, and nothing else does."""
    [item] = search(bus, group=group, kind="credentials", home_account_id=person.identifier)
    document = json.loads(item.get_secret())
    document["SecretStoreCache"]["record"]["account"] = other.identifier
    item.set_secret(json.dumps(document).encode(), content_type="application/json")
    return item


def test_a_sign_out_leaves_anothers_item_that_names_the_account_in_the_librarys_own_section_only(sso, bus, group):
    sso.take(signed_in()[0])
    sso.take(signed_in(person=GRACE)[0])
    content = renamed(bus, group, ADA, GRACE).get_secret()
    assert sso.run("sign-out", "--account", GRACE.identifier, "--everywhere", "--yes").status == DONE
    [adas] = search(bus, group=group, kind="credentials", home_account_id=ADA.identifier)
    assert adas.get_secret() == content


def test_a_sign_out_of_an_item_that_names_another_account_in_the_librarys_own_section_is_recorded(sso, bus, group):
    cache = signed_in()[0]
    sso.take(cache)
    renamed(bus, group, ADA, GRACE)
    assert sso.run(*EVERYWHERE).status == DONE and left(bus, group) == []
    sso.take(cache)
    assert sso.accounts() == []


@pytest.mark.parametrize("removal", [OF_CLIENT, EVERYWHERE], ids=["of a client", "everywhere"])
def test_a_sign_out_takes_a_document_that_names_no_record_under_the_attributes_of_another(sso, bus, group, removal):
    for person, client in ((ADA, CLIENT), (GRACE, OTHER)):
        sso.take(signed_in(person=person, client=client)[0])
    [item] = search(bus, group=group, kind="credentials", home_account_id=ADA.identifier)
    document = json.loads(item.get_secret())
    del document["SecretStoreCache"]
    attributes = item.get_attributes() | {"home_account_id": GRACE.identifier, "client_id": "another"}
    collection_of(bus, item).create_item("Nameless", attributes, json.dumps(document).encode())
    sso.do(*removal)
    assert [attributes["client_id"] for attributes in left(bus, group)] == [OTHER]


@pytest.mark.parametrize("changes", ADALS.values(), ids=ADALS.keys())
def test_a_sign_out_takes_an_adal_item_that_is_spelled_otherwise(sso, bus, group, save, respell, removal, changes):
    sso.run("import", "--format", "adal-python", save(json.dumps([ADAL_ITEM])))
    for item in search(bus, group=group, kind="credentials"):
        item.delete()
    respell("legacy", changes)
    check(sso, removal)
    assert left(bus, group) == []


@pytest.mark.parametrize("changes", [CREDENTIALS["the account in capitals"], {"key": lambda _: "x"}], ids=["account", "key"])
def test_the_last_client_takes_the_family_item_that_is_spelled_otherwise(sso, bus, group, respell, changes):
    sso.take(family_cache())
    sso.run("sign-out", "--account", ADA.username, "--client-id", OTHER, "--yes")
    respell("family", changes)
    check(sso, OF_CLIENT)
    assert left(bus, group) == []


@pytest.mark.parametrize("changes", SECRETS.values(), ids=SECRETS.keys())
def test_removing_a_secret_takes_its_item_that_is_spelled_otherwise(sso, bus, group, respell, changes):
    sso.run("secret set", *IMAP, stdin=b"s3cr3t-hunter")
    respell("secret", changes)
    assert sso.do("secret remove", *IMAP) == {"removed": True}
    assert left(bus, group) == [] and sso.do("secret list")["secrets"] == []
    assert sso.do("secret remove", *IMAP) == {"removed": False}


def test_an_apps_sign_out_says_that_its_list_shows_the_account_still(sso, bus, group, save, respell, keeps):
    sso.take(signed_in(client="desk", environment="id.example.org", identifier="Sub-1", realm="")[0])
    respell("credentials", {"environment": lambda _: "id.example.org"})
    of_client = ["sign-out", "--account", ADA.username, "--client-id", "desk", "--yes"]
    outcome = sso.run(*of_client, *entitlements(save, group))
    if not keeps:
        assert outcome.status == STORAGE_OR_NETWORK and "shows the account still" in outcome.stderr, outcome
        command = re.search("`sso-cache ([^`]+)`", outcome.stderr)[1]
        assert sso.run(*command.split(), "--yes").status == DONE
    assert sso.accounts() == [] and left(bus, group) == []
