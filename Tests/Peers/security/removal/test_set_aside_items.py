# SPDX-License-Identifier: MIT
"""Items that were set aside: what they hold says whose they are, whatever their attributes say."""

from people import ADA, GRACE
from removals import EVERYWHERE, records, store_misnamed
from secret_items import group_collection, search
from sso_cache import DONE
from unified_cache import signed_in


def set_aside(collection, named, holder):
    """Stores what an item holds as if another one had been set aside."""
    attributes = named.get_attributes()
    names = ("home_account_id", "environment", "client_id", "family_id")
    return store_misnamed(
        collection, holder, kind="damaged", key=f"{attributes['kind']}/1/{attributes['key']}",
        **{name: attributes[name] for name in names})


def left(bus, group):
    return len(search(bus, group=group, kind="damaged"))


def test_a_secret_goes_with_what_was_set_aside_of_it_and_with_nothing_else(sso, bus, group):
    found = {}
    for service in ("imap", "smtp"):
        sso.do("secret set", "--service", service, stdin=f"s3cr3t of {service}".encode())
        [found[service]] = [item for item in search(bus, group=group, kind="secret") if item not in found.values()]
    imap, smtp = found.values()
    set_aside(group_collection(bus, group), imap, holder=smtp)
    for is_there in (True, False):
        assert sso.do("secret remove", "--service", "imap") == {"removed": is_there}
        assert left(bus, group) == 1
    assert sso.do("secret remove", "--service", "smtp") == {"removed": True}
    assert left(bus, group) == 0


def test_an_account_goes_with_what_was_set_aside_of_it_and_with_nothing_else(sso, bus, group):
    for person in (ADA, GRACE):
        sso.take(signed_in(person=person)[0])
    adas, graces = (next(item for item in records(bus, group, kind="credentials", home_account_id=person.identifier))
                    for person in (ADA, GRACE))
    set_aside(group_collection(bus, group), adas, holder=graces)
    assert sso.run(*EVERYWHERE).status == DONE
    assert left(bus, group) == 1
    graces_sign_out = [GRACE.username if argument == ADA.username else argument for argument in EVERYWHERE]
    assert sso.run(*graces_sign_out).status == DONE
    assert left(bus, group) == 0


def test_the_sign_out_of_an_account_of_which_all_was_set_aside_stays(sso, bus, group):
    sso.take(signed_in()[0])
    [item] = records(bus, group, kind="credentials")
    item.set_secret(b"junk")
    sso.do("doctor", "--fix", "--yes")
    assert left(bus, group) == 1
    identified = [ADA.identifier if argument == ADA.username else argument for argument in EVERYWHERE]
    assert sso.run(*identified).stdout == f"Signed out: {ADA.identifier}.\n"
    assert left(bus, group) == 0
    assert sso.take(signed_in()[0])["signed_out"] == 1
    assert sso.accounts() == []
