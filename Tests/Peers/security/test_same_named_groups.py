# SPDX-License-Identifier: MIT
"""A keyring that a publisher's group or another program made first under a group's name: it is never the group's."""

import pytest

from people import ADA, GRACE
from planted import TOKEN, Plant, forgery, login_of, marker, places_of
from secret_items import group_collections, search, store_item
from sso_cache import DONE, SSOCache
from unified_cache import CLIENT, signed_in


@pytest.fixture
def publishers(tool, group):
    """The tool with the publisher's group, which has made the first keyring of the name."""
    publishers = SSOCache(tool, group, ["--publisher=com.fabrikam"])
    publishers.take(signed_in(person=GRACE)[0])
    yield publishers
    publishers.run("group delete", "--yes")


@pytest.fixture
def theirs(bus, group, publishers):
    """The publisher's keyring, which has the path of the group's name."""
    [collection] = group_collections(bus, group)
    return collection


def mark(bus, collection, group, publisher=""):
    return store_item(bus, collection, marker(group, publisher=publisher), "group", group, publisher=publisher)


def plant_key(bus, group):
    """Stores the publisher's password as one of the group."""
    [key] = search(bus, kind="group-key", group=group, publisher="com.fabrikam")
    store_item(bus, login_of(bus), key.get_secret(), "group-key", group)


@pytest.fixture(params=["a publisher's", "another program's"])
def first(request, planted_in):
    """The keyring that has the path of the group's name when the group is made."""
    if request.param == "a publisher's":
        return request.getfixturevalue("theirs")
    return planted_in(Plant(password="own", is_named=True, has_marker=False))


@pytest.mark.parametrize("is_login_locked", [False, True], ids=["login open", "login locked"])
@pytest.mark.parametrize("has_marker", [False, True], ids=["a copy", "a copy and a marker"])
def test_a_copy_in_the_keyring_that_was_there_first_counts_for_nothing(
        sso, bus, group, first, daemon, has_marker, is_login_locked):
    cache, token = signed_in()
    sso.take(cache)
    [item] = search(bus, kind="credentials", group=group, publisher="")
    assert not item.item_path.startswith(first.collection_path + "/")
    copy = first.create_item("Copy", item.get_attributes(), forgery(item, token, 9))
    if has_marker:
        mark(bus, first, group)
    forged = copy.get_secret()
    if is_login_locked:
        login_of(bus).lock()
        try:
            assert sso.do(*TOKEN)["access_token"] == token
        finally:
            daemon.restart()
        return
    for command in ([], ["doctor", "--fix", "--yes"]):
        if command:
            sso.run(*command)
        assert sso.do(*TOKEN)["access_token"] == token
        assert "forged" not in sso.run("export", "--format", "msal").stdout
        sso.take(signed_in("mail.send")[0])
        assert copy.get_secret() == forged and token.encode() in item.get_secret()


@pytest.mark.parametrize("plants", [["marker"], ["key"]], ids="+".join)
def test_the_first_save_makes_no_group_in_a_publishers_keyring(sso, bus, group, publishers, theirs, daemon, plants):
    if "marker" in plants:
        mark(bus, theirs, group)
    if "key" in plants:
        plant_key(bus, group)
    before = len(list(theirs.get_all_items()))
    cache, token = signed_in()
    sso.take(cache)
    assert theirs.collection_path not in places_of(bus, group, publisher="")
    assert len(list(theirs.get_all_items())) == before
    daemon.restart()
    assert sso.do(*TOKEN)["access_token"] == token
    assert [account["username"] for account in publishers.accounts()] == [GRACE.username]
    assert sso.run("group delete", "--yes").status == DONE
    assert [account["username"] for account in publishers.accounts()] == [GRACE.username]


@pytest.mark.parametrize("is_planted", [False, True], ids=["by itself", "with a foreign marker"])
def test_a_group_saves_into_its_own_keyring_whatever_publishers_marker_is_in_it(
        sso, bus, group, home, publishers, is_planted):
    if is_planted:
        mark(bus, home, group, "com.fabrikam")
    for scope in ("mail.read", "mail.send"):
        cache, token = signed_in(scope)
        sso.take(cache)
        assert sso.token(CLIENT, ADA.username, scope)["access_token"] == token
    sso.take(signed_in(client="another")[0])
    assert places_of(bus, group, publisher="") == {home.collection_path}
    assert sso.run("doctor", "--fix", "--yes").status == DONE
    assert places_of(bus, group, publisher="") == {home.collection_path}


def test_a_publishers_group_stays_in_its_keyring_beside_a_planted_marker(sso, bus, group, publishers, theirs):
    mark(bus, theirs, group)
    cache, token = signed_in("mail.send", person=GRACE)
    publishers.take(cache)
    publishers.take(signed_in(client="another", person=GRACE)[0])
    assert places_of(bus, group, publisher="com.fabrikam") == {theirs.collection_path}
    assert publishers.token(CLIENT, GRACE.username, "mail.send")["access_token"] == token
