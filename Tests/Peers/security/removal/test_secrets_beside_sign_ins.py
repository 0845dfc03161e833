# SPDX-License-Identifier: MIT
"""Apps' secrets and sign-ins that name one another: the removal of one leaves the other."""

import json

import pytest

from people import ADA, GRACE
from removals import ADAL_ITEM, WHOLE_GROUP, family_cache
from secret_items import search
from sso_cache import DONE
from unified_cache import signed_in

IMAP = ["--service", "imap", "--account", "ada"]
SECRET = {"service": "imap", "account": "ada", "text": "s3cr3t"}
SIGN_INS = ["credentials", "family", "legacy", "group-data"]


@pytest.fixture
def item_of(sso, bus, group, save):
    """Stores sign-ins of every kind, and returns an item of one."""
    sso.take(family_cache() | {"Other": {"x": {"a": 1}}})
    sso.run("import", "--format", "adal-python", save(json.dumps([ADAL_ITEM])))
    return lambda kind: search(bus, group=group, kind=kind)[0]


def paths(bus, group):
    return {item.item_path for item in search(bus, group=group)}


@pytest.mark.parametrize("kind", SIGN_INS)
def test_removing_a_secret_leaves_a_sign_in_that_has_a_secrets_member(sso, bus, group, item_of, kind):
    item = item_of(kind)
    item.set_secret(
        json.dumps(json.loads(item.get_secret()) | {"Secret": SECRET}).encode(), content_type="application/json")
    before = paths(bus, group)
    assert sso.do("secret remove", *IMAP) == {"removed": False}
    assert paths(bus, group) == before


def test_removing_a_secret_leaves_an_imported_section_of_its_name(sso, bus, group):
    sso.take(signed_in()[0] | {"Secret": SECRET, "Other": {"x": {"a": 1}}})
    before = paths(bus, group)
    sso.run("secret set", *IMAP, stdin=b"hunter2")
    assert sso.do("secret remove", *IMAP) == {"removed": True}
    assert paths(bus, group) == before and sso.give()["Secret"] == SECRET


@pytest.mark.parametrize("kind", SIGN_INS)
def test_removing_a_secret_leaves_a_sign_in_with_its_attributes(sso, bus, group, item_of, kind):
    sso.run("secret set", *IMAP, stdin=b"hunter2")
    [secret] = search(bus, group=group, kind="secret")
    attributes = secret.get_attributes()
    secret.delete()
    item = item_of(kind)
    content = item.get_secret()
    item.set_attributes(attributes)
    assert sso.do("secret remove", *IMAP) == {"removed": False}
    assert item.get_secret() == content and item.get_attributes()["kind"] == kind


@pytest.mark.parametrize("kind", ["credentials", "family", "client", "legacy", "group-data"])
@pytest.mark.parametrize("removal", ["of the whole group", "by an import"])
def test_a_removal_of_all_leaves_a_secret_with_a_sign_ins_attributes(sso, bus, group, save, kind, removal):
    sso.take(signed_in(person=ADA)[0])
    sso.run("secret set", *IMAP, stdin=b"hunter2")
    [secret] = search(bus, group=group, kind="secret")
    secret.set_attributes(secret.get_attributes() | {"kind": kind})
    imports = ["import", "--format", "msal", "--replace", "--yes", save(json.dumps(signed_in(person=GRACE)[0]))]
    assert sso.run(*(WHOLE_GROUP if removal == "of the whole group" else imports)).status == DONE
    assert sso.run("secret get", *IMAP).stdout == "hunter2"
