# SPDX-License-Identifier: MIT
"""Records and their documents: JSON of the unified cache, and the section of SecretStoreCache."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional

from . import _values as values
from ._agent import Parts
from .errors import CorruptItemError

_SECTION = "SecretStoreCache"


class RecordKey(NamedTuple):
    """The key of a record; a part that doesn't apply is empty."""

    kind: str
    account: str = ""
    environment: str = ""
    client_id: str = ""
    family_id: str = ""
    key: str = ""

    @property
    def parts(self) -> Parts:
        return {name: value for name, value in self._asdict().items() if value}

    @staticmethod
    def of(parts: Parts) -> "RecordKey":
        return RecordKey(**{name: value for name, value in parts.items() if name in RecordKey._fields})


# Entries that belong to nobody's record.
LEFTOVERS = RecordKey("group-data", key="imported")


class _Number(float):
    """A number with a fraction or an exponent, which is written as it was read."""

    text: str

    def __new__(cls, text: str) -> "_Number":
        number = super().__new__(cls, text)
        number.text = text
        return number


class Document:
    """What a record holds. What this library doesn't know is kept as it is."""

    def __init__(self, root: Optional[Dict[str, Any]] = None) -> None:
        self.root = {} if root is None else root

    @staticmethod
    def parse(content: bytes) -> "Document":
        is_json = True
        try:
            root = json.loads(content, parse_float=_Number)
        except (ValueError, RecursionError):
            is_json = False
        if not is_json:
            # Not in the handler: json's error holds the whole text, tokens and all, and would be this one's context.
            raise CorruptItemError("A record is not valid JSON.")
        if not isinstance(root, dict) or not all(
            isinstance(root.get(name, {}), dict)
            for name in ("AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata", _SECTION)
        ):
            raise CorruptItemError("A record is not a cache document.")
        return Document(root)

    def serialized(self) -> bytes:
        return "".join(_written(self.root)).encode("ascii")

    def section(self, name: str) -> Dict[str, Any]:
        """The entries of a section by their keys; those that are no objects are left out."""
        section = self.root.get(name, {})
        return {key: entry for key, entry in section.items() if isinstance(entry, dict)}

    def put(self, section: str, key: str, entry: Dict[str, Any]) -> None:
        self.root.setdefault(section, {})[key] = entry

    def remove(self, section: str, fits: Callable[[str, Dict[str, Any]], bool]) -> bool:
        """Removes the entries that fit, and returns whether there were any."""
        gone = [key for key, entry in self.section(section).items() if fits(key, entry)]
        for key in gone:
            del self.root[section][key]
        return bool(gone)

    @property
    def has_tokens(self) -> bool:
        return any(self.section(name) for name in ("AccessToken", "RefreshToken", "IdToken"))

    @property
    def _metadata(self) -> Dict[str, Any]:
        metadata: Dict[str, Any] = self.root.get(_SECTION, {})
        return metadata

    def _own(self) -> Dict[str, Any]:
        metadata: Dict[str, Any] = self.root.setdefault(_SECTION, {})
        return metadata

    @property
    def sign_out_count(self) -> int:
        count = self._metadata.get("epoch")
        return count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= 1 << 53 else 0

    def state(self, app: str) -> Optional[str]:
        """`signed_in`, `signed_out`, or None for an app that has not used the account."""
        apps = self._metadata.get("apps")
        found = apps.get(app) if isinstance(apps, dict) else None
        return found if found in ("signed_in", "signed_out") else None

    def set_state(self, app: str, state: str) -> None:
        metadata = self._own()
        if not isinstance(metadata.get("apps"), dict):
            metadata["apps"] = {}
        metadata["apps"][app] = state

    def is_used_by_others(self, app: str) -> bool:
        apps = self._metadata.get("apps")
        return isinstance(apps, dict) and any(
            state == "signed_in" and name != app for name, state in apps.items())

    def note_refresh_token(self, now: int) -> None:
        self._own()["refresh_token_at"] = str(now)

    def sign_out(self) -> None:
        """Removes all tokens and accounts, and counts the sign-out, so that no refresh in progress stores more."""
        names = {values.digest(_compared_name(entry.get("username"))) for entry in self.section("Account").values()
                 if _compared_name(entry.get("username"))}
        for section in ("AccessToken", "RefreshToken", "IdToken", "Account"):
            self.root.pop(section, None)
        metadata = self._own()
        known = metadata.get("names")
        names |= {name for name in known if isinstance(name, str)} if isinstance(known, list) else set()
        if names:
            metadata["names"] = sorted(names)
        metadata.pop("tenants", None)
        metadata["epoch"] = self.sign_out_count + 1


def _compared_name(name: object) -> str:
    return name.strip().lower() if isinstance(name, str) else ""


def _written(value: Any) -> Iterator[str]:
    """Compact JSON; json.dumps would write numbers in another way than they were read."""
    if isinstance(value, _Number):
        yield value.text
    elif isinstance(value, dict):
        yield "{"
        for number, (name, member) in enumerate(value.items()):
            yield f"{',' if number else ''}{json.dumps(name)}:"
            yield from _written(member)
        yield "}"
    elif isinstance(value, (list, tuple)):
        yield "["
        for number, element in enumerate(value):
            if number:
                yield ","
            yield from _written(element)
        yield "]"
    else:
        yield json.dumps(value, allow_nan=False)


