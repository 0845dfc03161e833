# SPDX-License-Identifier: MIT
"""The removals of the tool, and what they leave."""

import plistlib

from people import ADA
from secret_items import collection_of, search
from sso_cache import TOKEN_MARK
from unified_cache import AAD, CLIENT, access_token, refresh_token, signed_in

OTHER = "d3adb33f-c0de-ed0c-c0de-deadb33fc0d3"
OF_CLIENT = ["sign-out", "--account", ADA.username, "--client-id", CLIENT, "--yes"]
EVERYWHERE = ["sign-out", "--account", ADA.username, "--everywhere", "--yes"]
WHOLE_GROUP = ["sign-out", "--whole-group", "--yes"]
DELETE = ["group delete", "--yes"]
REMOVALS = {
    "of a client": OF_CLIENT, "everywhere": EVERYWHERE, "of the whole group": WHOLE_GROUP, "with the group": DELETE,
}
ADAL_ITEM = {
    "tokenType": "Bearer", "expiresIn": 3599, "expiresOn": "2036-01-01 00:00:00.000000",
    "resource": "https://graph.windows.net", "accessToken": "s3cr3t-adal-at", "refreshToken": "s3cr3t-adal-rt",
    "userId": ADA.username, "isUserIdDisplayable": True, "isMRRT": True, "_clientId": CLIENT,
    "_authority": f"https://login.microsoftonline.com/{ADA.utid}", "tenantId": ADA.utid, "oid": ADA.uid,
}
# An entry of a kind that the library does not know; it names the account.
OWNED = {"home_account_id": ADA.identifier, "environment": AAD, "client_id": CLIENT, "secret": "s3cr3t-odd"}


def entitlements(save, group, app="com.contoso.mail"):
    """The option for an app that lists the group."""
    prefix = "$(AppIdentifierPrefix)"
    manifest = {"application-identifier": prefix + app, "keychain-access-groups": [prefix + group]}
    return ["--entitlements", save(plistlib.dumps(manifest), f"{app}.plist")]


def family_cache():
    """Ada with tokens of two clients of a family, and with the family's refresh token."""
    cache, _ = signed_in()
    cache["AccessToken"] |= {"of-other": access_token("other.read", client=OTHER)}
    cache["RefreshToken"] |= {"of-family": refresh_token(family_id="1")}
    cache["AppMetadata"] |= {
        "suite": {"client_id": CLIENT, "environment": AAD, "family_id": "1"},
        "other": {"client_id": OTHER, "environment": AAD, "family_id": "1"},
    }
    return cache


def copy_to(collection, items):
    for item in items:
        collection.create_item("Copy", item.get_attributes(), item.get_secret(), content_type="application/json")


def store_misnamed(collection, item, **changes):
    """Stores what an item holds under other attributes; those that are None are left out."""
    attributes = {name: value for name, value in (item.get_attributes() | changes).items() if value is not None}
    return collection.create_item("Misnamed", attributes, item.get_secret(), content_type="application/json")


def records(bus, group, **attributes):
    return [
        item for item in search(bus, group=group, **attributes)
        if item.get_attributes().get("kind") in ("credentials", "family", "legacy", "client", "group-data", "damaged")
    ]


def tokens_left(bus, group, **attributes):
    """The places of what is readable and holds a token."""
    return [
        (collection_of(bus, item).get_label(), item.get_attributes()["kind"])
        for item in records(bus, group, **attributes)
        if not item.is_locked() and TOKEN_MARK.encode() in item.get_secret()
    ]


def cut(bus, group, kind, **attributes):
    """Makes the items of a kind that hold a token unreadable: their ends are cut off."""
    items = [item for item in search(bus, group=group, kind=kind, **attributes) if TOKEN_MARK.encode() in item.get_secret()]
    assert items
    for item in items:
        item.set_secret(item.get_secret()[:-2], content_type="application/json")
