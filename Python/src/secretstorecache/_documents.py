# SPDX-License-Identifier: MIT
"""Records and their documents: JSON of the unified cache, and the section of SecretStoreCache."""

from __future__ import annotations

import json
import time
from typing import Any, Callable, Collection, Dict, Iterable, Iterator, NamedTuple, Optional, Set, Tuple

from . import _values as values
from ._agent import Parts
from .errors import CorruptItemError, InvalidArgumentError

_SECTION = "SecretStoreCache"
# The highest number that counts.
_HIGHEST = 1 << 53


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

    def copy(self) -> "Document":
        return Document.parse(self.serialized())

    def has_entries_of(self, other: "Document") -> bool:
        """Whether both have the same members, but for the section of SecretStoreCache."""
        own, others = ({name: value for name, value in each.root.items() if name != _SECTION} for each in (self, other))
        return own == others

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

    def remove_owned(self, fits: Callable[[Dict[str, Any]], bool]) -> bool:
        """Removes the entries of any kind that name an account and fit, at any depth, and returns whether it did."""
        is_changed = False
        for container in self._containers():
            kept = [(name, value) for name, value in _members(container)
                    if not (self._is_owned(value) and fits(value))]
            if len(kept) == len(container):
                continue
            is_changed = True
            if isinstance(container, dict):
                container.clear()
                container.update(kept)
            else:
                container[:] = [value for _, value in kept]
        return is_changed

    def has_owned(self, fits: Callable[[Dict[str, Any]], bool]) -> bool:
        return any(self._is_owned(value) and fits(value)
                   for container in self._containers() for _, value in _members(container))

    def _containers(self) -> Iterator[Any]:
        """The objects and arrays at any depth, each before those in it."""
        pending = [value for name, value in self.root.items() if name != _SECTION]
        yield self.root
        while pending:
            container = pending.pop()
            if isinstance(container, (dict, list)):
                yield container
                pending.extend(value for _, value in _members(container))

    def _is_owned(self, value: Any) -> bool:
        # The section of SecretStoreCache is nobody's.
        return isinstance(value, dict) and isinstance(value.get("home_account_id"), str) \
            and value is not self.root.get(_SECTION)

    def count_removal(self, key: "RecordKey") -> None:
        """Counts a removal of entries, of which the store has other copies of the record deleted."""
        metadata = self._own()
        metadata["removals"] = _count(metadata.get("removals")) + 1
        if key == LEFTOVERS:
            self._raise_sign_out_number()

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
    def sign_out_number(self) -> int:
        return _count(self._metadata.get("epoch"))

    def _raise_sign_out_number(self) -> None:
        """Raises the sign-out number, to the milliseconds since 1970 at least: so a record that is made anew gets
        another one than the former record had."""
        now, count = int(time.time() * 1000), self.sign_out_number
        self._own()["epoch"] = max(count + 1, now) if count < _HIGHEST else now

    def state(self, app: str) -> Optional[str]:
        """`signed_in`, `signed_out`, or None for an app that has not used the account."""
        apps = self._metadata.get("apps")
        found = apps.get(app) if isinstance(apps, dict) else None
        return found if found in ("signed_in", "signed_out") else None

    def is_signed_out(self, app: str) -> bool:
        """Whether an app has signed out, or every app was signed out and this one has not signed in since."""
        state = self.state(app)
        return state == "signed_out" or state is None and self.sign_out_number > 0 and not self.has_tokens

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

    def make_room(self, excess: int, last: Collection[str] = ()) -> Set[str]:
        """Removes access tokens until that many bytes are free, and returns their secrets.

        Those go first that expire first, and those with the secrets `last` after all others."""
        tokens = self.section("AccessToken")
        secrets = {key: str(token.get("secret")) for key, token in tokens.items()}
        gone: Set[str] = set()
        for key in sorted(tokens, key=lambda key: (
            secrets[key] in last, values.seconds(tokens[key].get("expires_on")) or 0)
        ):
            if excess <= 0:
                break
            excess -= len(Document({key: tokens[key]}).serialized())
            gone.add(secrets[key])
            del self.root["AccessToken"][key]
        return gone

    def sign_out(self) -> None:
        """Leaves app metadata and who is signed out, and counts the sign-out, so that no refresh stores more."""
        names = {values.digest(_compared_name(entry.get("username"))) for entry in self.section("Account").values()
                 if _compared_name(entry.get("username"))}
        self.root = {name: value for name, value in self.root.items() if name in ("AppMetadata", _SECTION)}
        metadata = self._own()
        known = metadata.get("names")
        names |= {name for name in known if isinstance(name, str)} if isinstance(known, list) else set()
        if names:
            metadata["names"] = sorted(names)
        metadata.pop("tenants", None)
        self._raise_sign_out_number()


def _members(container: Any) -> Iterable[Tuple[Any, Any]]:
    return container.items() if isinstance(container, dict) else enumerate(container)


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _HIGHEST else 0


def _compared_name(name: object) -> str:
    return name.strip().lower() if isinstance(name, str) else ""


def _escaped(text: str) -> str:
    return text.replace("{", "\\u007b")


def _written(value: Any) -> Iterator[str]:
    """Compact JSON as it is stored, with each opening brace of a string as six bytes; json.dumps would write numbers in
    another way than they were read."""
    if isinstance(value, _Number):
        yield value.text
    elif isinstance(value, dict):
        yield "{"
        for number, (name, member) in enumerate(value.items()):
            yield f"{',' if number else ''}{_escaped(json.dumps(name))}:"
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
        try:
            yield _escaped(json.dumps(value, allow_nan=False))
        except (TypeError, ValueError):
            raise InvalidArgumentError("A value to be stored is not of JSON.") from None
