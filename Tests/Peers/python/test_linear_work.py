# SPDX-License-Identifier: MIT
"""The work of the Python package grows with what other programs have stored, and not with its square."""

import json

import pytest

from secretstorecache import _entries as entries
from secretstorecache._agent import StoredRecord
from secretstorecache._documents import Document, RecordKey
from secretstorecache._signing_out import sign_out
from secretstorecache._store import Store
from secretstorecache._writer import Writer
from secretstorecache._writing import remove

HOME = "9f4880d8-80ba-4c40-97bc-f7a23c703084.f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
CLIENT = "b6c69a37-df96-4db0-9088-2ab96e1d8215"


class CountedGroup:
    """A group in memory, which counts the records that it reads."""

    def __init__(self):
        self.stored = {}
        self.reads = 0

    def put(self, key, root):
        self.stored[key] = json.dumps(root).encode()

    def deadline(self):
        return None

    def records(self, queries):
        found = [key for key in self.stored
                 if any(all(getattr(key, name) == value for name, value in query.items()) for query in queries)]
        self.reads += len(found)
        return [StoredRecord(key.parts, self.stored[key], "") for key in found]

    def get(self, key, deadline):
        self.reads += 1
        content = self.stored.get(RecordKey.of(key))
        return (None if content is None else StoredRecord(key, content, "")), ""

    def set(self, key, version, content, deadline):
        self.stored[RecordKey.of(key)] = content
        if not content:
            del self.stored[RecordKey.of(key)]
        return True


def expect_linear(work):
    few, many = work(50), work(400)
    assert few > 25
    assert many < few * 12, f"{few} steps became {many}"


def credential(environment, **members):
    return {"home_account_id": HOME, "environment": environment, "client_id": CLIENT, "secret": "secret", **members}


def test_signing_out_at_many_issuers_of_a_host_is_linear():
    def work(count):
        group = CountedGroup()
        for number in range(count):
            environment = f"https://id.contoso.com/{number}"
            token = credential(environment, family_id="9")
            group.put(RecordKey("credentials", HOME, environment, CLIENT), {"AccessToken": {"token": token}})
            group.put(RecordKey("family", HOME, environment, family_id="9"), {"RefreshToken": {"token": token}})
        sign_out(Store(group, "com.contoso.report", None), HOME, "id.contoso.com", None)
        assert not any(key.kind == "family" for key in group.stored)
        assert all(b"token" not in content for content in group.stored.values())
        return group.reads

    expect_linear(work)


def test_removing_an_entry_from_many_families_is_linear():
    def work(count):
        group = CountedGroup()
        entry = credential("login.windows.net", family_id="0")
        name = entries.python_key("RefreshToken", entry)
        for number in range(count):
            group.put(RecordKey("family", HOME, "login.windows.net", family_id=str(number)),
                      {"RefreshToken": {name: {**entry, "family_id": str(number)}}})
        remove(Store(group, "com.contoso.report", None), "RefreshToken", entry, {CLIENT})
        assert all(b"secret" not in content for content in group.stored.values())
        return group.reads

    expect_linear(work)


@pytest.mark.parametrize("is_stored", [False, True])
def test_writing_many_entries_is_linear(monkeypatch, is_stored):
    def work(count):
        steps = 0

        def identity(section, entry, of=entries.identity):
            nonlocal steps
            steps += 1
            return of(section, entry)

        accounts = [credential("login.windows.net", realm=str(number)) for number in range(count)]
        document = Document({"Account": {str(number): entry for number, entry in enumerate(accounts)}}
                            if is_stored else {})
        with monkeypatch.context() as patch:
            patch.setattr(entries, "identity", identity)
            writer = Writer(document)
            for entry in accounts:
                writer.put("Account", dict(entry, environment=writer.host_in_use("login.microsoftonline.com")))
        assert len(document.section("Account")) == count
        return steps

    expect_linear(work)


def test_an_entry_takes_another_ones_key_and_is_found_afterwards():
    document = Document({"Account": {}})
    writer = Writer(document)
    other, entry = credential("login.windows.net", realm="a"), credential("login.windows.net", realm="b")
    document.put("Account", entries.python_key("Account", entry), other)
    writer.put("Account", entry)
    writer.put("Account", other)
    assert {each["realm"] for each in document.section("Account").values()} == {"a", "b"}
