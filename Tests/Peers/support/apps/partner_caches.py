# SPDX-License-Identifier: MIT
"""The caches of Microsoft's tools: the real libraries of Python, and the exact shape of the others' items."""

import base64
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import secretstorage
from secretstorage.defines import SS_PATH
from secretstorage.util import DBusAddressWrapper

from keyrings import LOGIN
from people import ADA, TENANT, Person
from sso_cache import DONE
from unified_cache import CLIENT, access_token, cache_of

APP = Path(__file__).with_name("partner_app.py")
SERVICE = "Microsoft.Developer.IdentityService"
ALAN = Person("alan@contoso.com", "Alan Turing", "alan", TENANT)
AZURE_CLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
DOTNET_ITEM = {"xdg:schema": "msal.cache", "MsalClientID": SERVICE, SERVICE: "1.0.0.0"}
JAVA_ITEM = {"xdg:schema": "msal.cache", "MsalClientID": SERVICE}
JS_ITEM = {"xdg:schema": "org.freedesktop.Secret.Generic", "service": SERVICE, "account": "MSALCache"}
CLI_ITEM = {"xdg:schema": "my_schema_name", "my_attr1": "foo", "my_attr2": "bar"}
CLI_NEXT_ITEM = {"xdg:schema": "Microsoft Azure CLI", "type": "Token cache"}
AZUREAUTH_ITEM = {
    "xdg:schema": "com.microsoft.identity.tokencache", "Version": "1", "ProductGroup": "Microsoft Develoepr Tools",
}
PYTHON_ITEM = {"xdg:schema": "msal.cache.nocae", "MsalClientID": SERVICE}
SCHEMAS = {"msal.cache", "org.freedesktop.Secret.Generic", "my_schema_name", "Microsoft Azure CLI",
           "com.microsoft.identity.tokencache", "com.microsoft.GitCredentialManager"}


def json_of(cache):
    return json.dumps(cache).encode()


def base64_of(cache):
    return base64.b64encode(json_of(cache))


class Partners:
    """A home of its own for the tools, and the items that they keep in the default collection."""

    def __init__(self, home, bus, sso):
        self.home = home
        self.bus = bus
        # A test before may have left another default collection, which a new daemon has locked.
        service = DBusAddressWrapper(SS_PATH, "org.freedesktop.Secret.Service", bus)
        service.call("SetAlias", "so", "default", LOGIN)
        self.sso = sso.with_environment(**self._variables())
        modules = home / "modules"
        modules.mkdir(parents=True)
        # PyGObject has no wheel; this is Debian's, for the Python that the virtual environment is made of.
        (modules / "gi").symlink_to("/usr/lib/python3/dist-packages/gi")
        self._modules = modules

    def _variables(self):
        return {
            "HOME": str(self.home), "XDG_DATA_HOME": str(self.home / ".local/share"),
            "XDG_CACHE_HOME": str(self.home / ".cache"), "AZURE_CONFIG_DIR": "", "AZD_CONFIG_DIR": "",
        }

    @property
    def collection(self):
        """The default collection, over a connection of the thread's own."""
        is_main = threading.current_thread() is threading.main_thread()
        return secretstorage.get_default_collection(self.bus if is_main else secretstorage.dbus_init())

    def item(self, attributes):
        """The newest item with exactly these attributes, or None."""
        found = [item for item in self.collection.search_items(attributes) if item.get_attributes() == attributes]
        return max(found, key=lambda item: item.get_modified(), default=None)

    def item_of(self, location):
        """The item of msal-extensions for a location."""
        return self.item({"xdg:schema": hashlib.sha256(str(location).encode()).hexdigest()})

    def plant(self, attributes, content):
        """Stores a tool's item as the tool does."""
        return self.collection.create_item("MSALCache", attributes, content, replace=False, content_type="text/plain")

    def file(self, path, content=b"", mode=0o600):
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(mode)
        return file

    def everything(self):
        """The content of all items of others, and of all files."""
        items = {
            item.item_path: (item.get_attributes(), item.get_secret())
            for item in self.collection.get_all_items() if "kind" not in item.get_attributes()
        }
        files = {
            path: path.read_bytes() for path in self.home.rglob("*") if path.is_file() and "modules" not in path.parts
        }
        return items, files

    def clear(self):
        for item in list(self.collection.get_all_items()):
            schema = item.get_attributes().get("xdg:schema", "")
            if schema in SCHEMAS or len(schema) == 64 or schema.endswith("cae"):
                item.delete()

    def environment(self, **variables):
        variables = {name: value for name, value in (self._variables() | variables).items() if value}
        others = {name: value for name, value in os.environ.items() if not name.startswith("AZURE")}
        return others | variables | {"PYTHONPATH": str(self._modules), "PYTHONDONTWRITEBYTECODE": "1"}

    def arguments(self, tool, where, *arguments):
        return [sys.executable, str(APP), tool, str(where), *map(str, arguments)]

    def run(self, tool, where, *arguments, **variables):
        """Runs the real library once; returns what it prints."""
        done = subprocess.run(
            self.arguments(tool, where, *arguments), env=self.environment(**variables), capture_output=True, text=True,
            timeout=60)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def report(self, name, *arguments):
        """What the tool says of one partner."""
        found = self.sso.do("partners", "--all", *arguments)["partners"]
        [report] = [partner for partner in found if partner["name"] == name]
        return report


def one_account(person, client, age=0, **fields):
    """A tool's cache with one account of a client."""
    return cache_of(access_token("user.read", person, age=age, client_id=client), person=person, client=client) | fields


DOTNET = ".local/share/.IdentityService"

class Library:
    """A real library with the cache that the tool writes into."""

    def __init__(self, partners, kind, **variables):
        self.partners = partners
        self.kind = kind
        self.client = AZURE_CLI
        self.location = partners.home / "contoso.bin"
        self.where = {"msal-extensions": self.location}.get(kind, "msal.cache")
        self.name = {"msal-extensions": f"msal-extensions:{self.location}"}.get(kind, kind.removesuffix("-encrypted"))
        self._variables = variables

    def run(self, *arguments):
        return self.partners.run(self.kind, self.where, *arguments, **self._variables)

    def sign_in(self, user, token):
        return self.run("sign-in", self.client, user, token)

    def sign_out(self, user):
        return self.run("sign-out", self.client, user)

    @property
    def options(self):
        return [] if self.kind.startswith("azure-cli") else ["--client-id", self.client]

    def export(self, *arguments):
        outcome = self.partners.sso.run("export", "--to", self.name, *self.options, *arguments, "--json")
        assert outcome.status == DONE, outcome
        return outcome.json

    def take(self):
        """Imports the library's accounts into the group."""
        self.partners.sso.do("import", "--from", self.name)


def signed_in(person, token, client=AZURE_CLI, age=100, **fields):
    """A cache for the group, whose refresh token was stored `age` seconds ago."""
    cache = one_account(person, client, age=age)
    [entry] = cache["RefreshToken"].values()
    entry |= {"secret": token, "last_modification_time": str(int(time.time()) - age)} | fields
    return cache


# name, client, item, encoding, files that are there beside it
TOOLS = {
    "azure-cli file": ("azure-cli", AZURE_CLI, None, json_of, ".azure/msal_token_cache.json"),
    "azure-cli item": ("azure-cli", AZURE_CLI, CLI_ITEM, json_of, ".azure/msal_token_cache.bin"),
    "azure-cli later item": ("azure-cli", AZURE_CLI, CLI_NEXT_ITEM, json_of, ".azure/msal_token_cache.sig"),
    "azd": ("azd", AZURE_CLI, None, json_of, ".azd/auth/msal/cache.json"),
    "azure-identity-python": (
        "azure-identity-python", CLIENT, PYTHON_ITEM, json_of, ".IdentityService/msal.cache.nocae"),
    "azure-identity-python in plain text": (
        "azure-identity-python", CLIENT, None, json_of, ".IdentityService/msal.cache.cae"),
    "azure-dotnet": ("azure-dotnet", CLIENT, DOTNET_ITEM, base64_of, f"{DOTNET}/msal.cache.nocae"),
    "az-powershell": (
        "az-powershell", "1950a258-227b-4e31-a9cf-717495945fc2", DOTNET_ITEM, base64_of, f"{DOTNET}/msal.cache.cae"),
    "git-credential-manager": (
        "git-credential-manager", "872cd9fa-d31f-45e0-9eab-6e460a02d1f1", DOTNET_ITEM, base64_of,
        ".local/.IdentityService/msal.cache"),
    "artifacts-credprovider": (
        "artifacts-credprovider", CLIENT, DOTNET_ITEM, base64_of, ".local/.IdentityService/msal.cache/msal.cache"),
    "azure-java": ("azure-java", CLIENT, JAVA_ITEM, base64_of, None),
    "azure-js": ("azure-js", CLIENT, JS_ITEM, json_of, ".IdentityService/msal.cache"),
    "azureauth": ("azureauth", CLIENT, AZUREAUTH_ITEM, base64_of, f"{DOTNET}/msal_{TENANT}.cache"),
}

WHOLE = json_of(one_account(ADA, AZURE_CLI))
CONTENTS = {
    "cut short": WHOLE[: len(WHOLE) // 2],
    "not JSON": b"{no json",
    "neither JSON nor Base64": b"\xff\xfe\x00 !",
    "Base64 of no JSON": b"bm8ganNvbg==",
    "a list": b"[]",
    "another schema": b'{"format": 2}',
    "a section that is no object": b'{"AccessToken": []}',
    "an identifier with a control character": json_of(
        {"Account": {"a": {"home_account_id": "u\n.t", "environment": "e", "realm": "t"}}}),
    "deep": b'{"AccessToken":' + b"[" * 100_000,
}
