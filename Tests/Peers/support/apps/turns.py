# SPDX-License-Identifier: MIT
"""MSAL Python ("there") and the tool ("here") take turns on one cache."""

import json

import msal

from msal_apps import App
from people import ADA, TENANT
from sso_cache import INTERACTION_REQUIRED
from unified_cache import AAD, CLIENT, SECTIONS, assert_same, entries

SCOPE = "User.Read"
TIMES = ("cached_at", "expires_on", "extended_expires_on", "last_modification_time")


def of(cache, person, realm=None):
    """The entries of a cache that belong to a person, in all tenants or in one."""
    fields = {"home_account_id": person.identifier} | ({} if realm is None else {"realm": realm})
    return {
        name: {key: entry for key, entry in cache.get(name, {}).items() if entry.items() >= fields.items()}
        for name in SECTIONS
    }


def plain(cache):
    """A cache without empty members of AppMetadata: for a client in no family, MSAL Python omits
    `family_id`, and the tool writes an empty one."""
    metadata = cache.get("AppMetadata", {}).items()
    return cache | {"AppMetadata": {key: {name: value for name, value in entry.items() if value}
                                    for key, entry in metadata}}


class Files:
    """Each side writes a file for the other; MSAL Python's apps restart with that file."""

    def __init__(self, directory):
        self._written_there = directory / "msal-python.json"
        self._written_here = directory / "exported.json"

    def take(self, sso, text, *flags):
        self._written_there.write_text(text)
        return sso.take(self._written_there, *flags)

    def give(self, text, cache):
        self._written_here.write_text(text)
        cache = msal.SerializableTokenCache()
        cache.deserialize(self._written_here.read_text())
        return cache


class Documents:
    """No files: `import` reads standard input, and the SerializableTokenCache of MSAL Python's
    running apps deserializes the tool's document."""

    def __init__(self, _):
        pass

    def take(self, sso, text, *flags):
        if "--replace" in flags:
            flags = [*flags, "--yes"]
        return sso.do("import", "--format", "msal", *flags, "-", stdin=text.encode())

    def give(self, text, cache):
        cache.deserialize(text)
        return cache


class Turns:
    """Both sides; checks after every transfer that nothing was lost."""

    def __init__(self, sso, provider, transport):
        self.provider = provider
        self._sso = sso
        self._transport = transport
        self._cache = msal.SerializableTokenCache()
        self._apps = {}

    def to_here(self):
        """Imports MSAL Python's serialized cache; other entries remain."""
        before = plain(self.here())
        self._transport.take(self._sso, self._cache.serialize())
        there, after = plain(self.there()), plain(self.here())
        for name in SECTIONS:
            taken, held = set(entries(there, name)), set(entries(after, name))
            assert taken <= held <= taken | set(entries(before, name)), name

    def to_here_replacing(self):
        """Imports like `to_here`; other entries are removed."""
        self._transport.take(self._sso, self._cache.serialize(), "--replace")
        assert_same(plain(self.here()), plain(self.there()))

    def to_there(self):
        """MSAL Python deserializes the tool's export."""
        exported = self._sso.run("export", "--format", "msal").stdout
        cache = self._transport.give(exported, self._cache)
        if cache is not self._cache:
            self._cache, self._apps = cache, {}
        assert self.there() == json.loads(exported)

    # There.

    def there(self):
        """The content of MSAL Python's cache."""
        return json.loads(self._cache.serialize())

    def app(self, client=CLIENT, tenant=TENANT):
        """One of MSAL Python's apps, which share the cache."""
        if (client, tenant) not in self._apps:
            self._apps[client, tenant] = App(self.provider, client, self._cache, tenant)
        return self._apps[client, tenant]

    def sign_in_there(self, person=ADA, **app):
        return self.app(**app).sign_in_with_browser(person, [SCOPE])

    def silent_there(self, person=ADA, **app):
        """A token of the cache there."""
        requests = len(self.provider.token_requests)
        token = self._silent_there(person, app)
        assert len(self.provider.token_requests) == requests, "the network was asked"
        return token

    def refresh_there(self, person=ADA, **app):
        """A token that MSAL Python acquires silently with a refresh token."""
        requests = len(self.provider.token_requests)
        token = self._silent_there(person, app)
        assert len(self.provider.token_requests) == requests + 1
        return token

    def _silent_there(self, person, app):
        assert person.username in self.usernames_there(**app)
        token = self.app(**app).silent([SCOPE], person.username)
        assert token is not None
        return token

    def usernames_there(self, **app):
        return [account["username"] for account in self.app(**app).accounts()]

    # Here.

    def here(self):
        """The group's content."""
        return self._sso.give()

    def silent_here(self, person=ADA, client=CLIENT, tenant=TENANT):
        """A token of the cache here."""
        # Only an authority may name no tenant ("common"). Without a tenant the home tenant is used.
        options = [] if tenant in ("common", "organizations") else ["--tenant", tenant]
        result = self._sso.token(client, person.username, SCOPE, options=options)
        assert result["source"] == "cache"
        return result["access_token"]

    def refresh_here(self, person=ADA, client=CLIENT, tenant=TENANT):
        """A token that the tool gets from Azure AD."""
        result = self._sso.do("token", *self._arguments(person, client, tenant))
        assert result["source"] == "refresh"
        assert result["account"]["identifier"] == person.identifier
        return result["access_token"]

    def two_hours_pass(self, person=ADA, realm=None):
        """Makes the person's entries here two hours older, so that access tokens expire."""
        cache = self.here()
        for section in of(cache, person, realm).values():
            for entry in section.values():
                entry |= {name: str(int(entry[name]) - 7200) for name in TIMES if name in entry}
        self._sso.take(cache, "--replace")
        assert_same(self.here(), cache)

    def assert_absent_here(self, person=ADA, client=CLIENT, tenant=TENANT):
        """Checks that the person has no entry here, and that no refresh token is sent for them."""
        requests = len(self.provider.token_requests)
        arguments = self._arguments(person, client, tenant)
        assert self._sso.fail(INTERACTION_REQUIRED, "token", *arguments) == "interactionRequired"
        assert len(self.provider.token_requests) == requests
        left = [key for section in of(self.here(), person).values() for key in section]
        assert left == [], left
        assert person.identifier not in [account["identifier"] for account in self._sso.accounts()]

    @staticmethod
    def _arguments(person, client, tenant):
        return ["--client-id", client, "--account", person.username,
                "--authority", f"https://{AAD}/{tenant}", "--scope", SCOPE]
