# SPDX-License-Identifier: MIT
"""The values by which accounts, clients and hosts are compared, by the rules of the Swift library."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import FrozenSet, NamedTuple, Optional
from urllib.parse import unquote_to_bytes

# The hosts of each of Microsoft's clouds; entries are found under each of them.
_CLOUDS = (
    ("login.windows.net", "login.microsoftonline.com", "login.microsoft.com", "sts.windows.net"),
    ("login.microsoftonline.us", "login.usgovcloudapi.net"),
    ("login.partner.microsoftonline.cn", "login.chinacloudapi.cn"),
    ("login.microsoftonline.de",),
    ("login-us.microsoftonline.com",),
    ("login.sovcloud-identity.fr",),
    ("login.sovcloud-identity.de",),
    ("login.sovcloud-identity.sg",),
)
_CANONICAL_HOSTS = {host: cloud[0] for cloud in _CLOUDS for host in cloud}

_GUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_AZURE_AD = re.compile(f"{_GUID}(-b2c_[^@]*)?[.]{_GUID}", re.DOTALL)
_ISSUER = re.compile(
    r"(https?)://(\[[0-9A-Za-z:.]+\]|[0-9A-Za-z._~-]+)(?::([0-9]*))?((?:/[^?#]*)?)", re.IGNORECASE | re.ASCII)
_ISSUER_BYTES = 1024
_LOOPBACK = ("localhost", "127.0.0.1", "::1", "[::1]")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ALLOWED_IN_PATH = _UNRESERVED | frozenset(b"/:@!$&'()*+,;=")
_GRANTED_NAME = re.compile(r"(?!\.)[A-Za-z0-9._-]{1,200}", re.ASCII)


class Issuer(NamedTuple):
    """An OpenID provider's issuer: its canonical URL, and its host name as other MSALs write it."""

    text: str
    host: str

    @property
    def environment(self) -> str:
        """Where its entries are stored: AD FS and B2C have theirs under their host."""
        authority, *path = self.text.split("/")[2:]
        return self.host if path and is_host_only(path[0]) and authority == self.host else self.text


def issuer(text: object) -> Optional[Issuer]:
    """Reads an issuer in any spelling; None when it is none."""
    if not isinstance(text, str) or not text.isascii() or len(text) > _ISSUER_BYTES:
        return None
    match = _ISSUER.fullmatch(text)
    if match is None:
        return None
    scheme, host, port, path = match[1].lower(), match[2].lower(), match[3], _path(match[4])
    if path is None or scheme == "http" and host not in _LOOPBACK:
        return None
    if port and not 1 <= int(port) <= 65535:
        return None
    standard = {"https": 443, "http": 80}[scheme]
    shown = host if not port or int(port) == standard else f"{host}:{int(port)}"
    return Issuer(f"{scheme}://{shown}{path}", host)


def _path(text: str) -> Optional[str]:
    written = ""
    rest = text
    while rest:
        if rest[0] == "%":
            if not re.match("%[0-9A-Fa-f]{2}", rest):
                return None
            byte = unquote_to_bytes(rest[:3])[0]
            written += chr(byte) if byte in _UNRESERVED else f"%{byte:02X}"
            rest = rest[3:]
        elif ord(rest[0]) in _ALLOWED_IN_PATH:
            written, rest = written + rest[0], rest[1:]
        else:
            return None
    written = written.rstrip("/")
    return None if {".", ".."} & set(written.split("/")) else written


def is_host_only(realm: str) -> bool:
    """Whether an authority with this first part of its path is AD FS or B2C, where hosts are no issuers."""
    return realm.lower() in ("adfs", "tfp")


def host_of_unknown(environment: str) -> Optional[str]:
    """The host of an entry whose issuer is unknown; None for an issuer and for a host."""
    return environment[:-2] if environment.endswith("/*") and "://" not in environment else None


def canonical(environment: str) -> str:
    """The host under which a cloud's entries are stored, or the issuer in its canonical spelling."""
    if "/" in environment:
        found = issuer(environment)
        return found.text if found else environment
    lower = environment.lower()
    return _CANONICAL_HOSTS.get(lower, lower)


def stored_environment(environment: str) -> str:
    """The canonical environment, which is the host for an issuer of AD FS or of B2C."""
    found = issuer(environment) if "://" in environment else None
    return found.environment if found else canonical(environment)


def is_known_cloud(host: str) -> bool:
    return host.lower() in _CANONICAL_HOSTS


def is_microsoft_host(host: str) -> bool:
    """Whether a host is of a cloud, of B2C or of an external tenant, where hosts are no issuers."""
    lower = host.lower()
    return lower in _CANONICAL_HOSTS or re.fullmatch(r"[a-z0-9.-]+\.(b2clogin|ciamlogin)\.com", lower) is not None


def is_azure_ad(home_account_id: str) -> bool:
    """Whether an account's ID is `uid.utid`, both GUIDs."""
    return _AZURE_AD.fullmatch(home_account_id.lower()) is not None


def has_families(home_account_id: str, environment: str) -> bool:
    """Whether the clients of an account share refresh tokens by family: in Azure AD only, and not in B2C."""
    is_azure = is_azure_ad(home_account_id)
    if is_azure and "-b2c_" in home_account_id.lower():
        return False
    return is_known_cloud(environment) or is_azure and "/" not in environment


def compared_account(home_account_id: str) -> str:
    return home_account_id.lower() if is_azure_ad(home_account_id) else home_account_id


def stored_account(home_account_id: str) -> str:
    """The form of an account's ID in a record's key: Azure AD's as it is, the SHA-256 of any other."""
    compared = compared_account(home_account_id)
    return compared if is_azure_ad(compared) else digest(compared)


def stored_client(client_id: str) -> str:
    lower = client_id.lower()
    return lower if re.fullmatch(_GUID, lower) else client_id


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def scopes(target: object) -> FrozenSet[str]:
    return frozenset(target.lower().split()) if isinstance(target, str) else frozenset()


def seconds(value: object) -> Optional[int]:
    """A time in seconds since 1970, from a number or a string; None when it is none."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or len(str(value)) > 32:
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return int(number) if 0 <= number <= 9_999_999_999_999 else None


def has_control_character(text: str) -> bool:
    return any(unicodedata.category(character) == "Cc" for character in text)


def is_duration(value: object) -> bool:
    """Whether a value is a number of seconds, 0 or more."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def is_name(text: object) -> bool:
    """Whether a text may be the name of a group, an app or a publisher."""
    return isinstance(text, str) and _GRANTED_NAME.fullmatch(text) is not None
