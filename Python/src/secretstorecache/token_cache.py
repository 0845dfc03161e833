# SPDX-License-Identifier: MIT
"""MSAL Python's token cache in an access group."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set

import msal

from . import _entries as entries
from . import _values as values
from ._documents import Document, RecordKey
from ._entries import ACCESS_TOKEN, ACCOUNT, APP_METADATA, REFRESH_TOKEN, Entry, text
from ._interrupts import Interrupts
from ._queries import matching
from ._refresh import Redeemable, Refresh, RefreshToken, ThreadState
from ._saving import Batch, save
from ._signing_out import is_sign_out, sign_out
from ._store import Snapshot, open_store
from ._token_response import readable
from ._writing import remove, write, write_refresh_token
from .errors import TRANSIENT, AccountMismatchError, CorruptItemError, InvalidArgumentError, SecretStoreError

_LOGGER = logging.getLogger("secretstorecache")


class AccessGroupTokenCache(msal.TokenCache):
    """An `msal.TokenCache` whose accounts and tokens are those of a keychain access group.

    The apps of the group share them, whatever language they are written in. Each call asks `secret-store-agent`;
    nothing is kept in memory. Threads, processes and applications may share the cache.

    group: The group's name, such as `com.contoso.shared`.
    publisher: The publisher's name; None for a group without one.
    app: The name by which this program signs in and out, such as `com.contoso.report`. Programs without one
        count as one app, `msal-python`.
    issuer: Outside of Microsoft's clouds, the issuer of the app's authority. It is needed only where several
        issuers at one host have accounts in the group.
    timeout: The time limit of each reading of records, and of each change of one, in seconds. A call of MSAL makes
        several; to store a new refresh token, changes are repeated for 20 seconds.
    lease_timeout: How long to wait, at most 60 seconds, while another app redeems the refresh token. Then this
        one does so, too.

    Each call raises a `SecretStoreError`; see `save_error` for what follows a response of the server.
    """

    def __init__(
        self, group: str, publisher: Optional[str] = None, *, app: Optional[str] = None,
        issuer: Optional[str] = None, timeout: float = 10, lease_timeout: float = 30,
    ) -> None:
        super().__init__()
        if not values.is_duration(lease_timeout):
            raise InvalidArgumentError("The time limit of the lease is not a number of seconds.")
        self._store = open_store(group, publisher, app, issuer, timeout)
        self._lease_timeout = lease_timeout
        self._thread = ThreadState()
        #: Why the tokens of the latest response could not be stored; None when they were. MSAL returns them anyway.
        self.save_error: Optional[SecretStoreError] = None

    def close(self) -> None:
        """Closes the connection to the agent; the next call opens another."""
        self._thread.release()
        self._store.group.close()

    # Reading.

    def search(
        self, credential_type: str, target: Optional[Sequence[str]] = None, query: Optional[Dict[str, Any]] = None,
        *, now: Optional[float] = None,
    ) -> Iterator[Entry]:
        """The entries that match, as `msal.TokenCache.search`."""
        target, query = list(target or []), dict(query or {})
        is_of_user = bool(query.get("home_account_id"))
        if is_of_user and credential_type == ACCESS_TOKEN and "client_id" in query:
            return self._access_tokens(target, query, now)
        if is_of_user and credential_type == REFRESH_TOKEN and ("client_id" in query or "family_id" in query):
            with self._ending_at_an_error():
                return iter(self._refresh_tokens(query))
        snapshot = self._store.read(query.get("home_account_id"))
        return (entry for entry, _ in matching(self._store, snapshot, credential_type, target, query, now))

    def find(
        self, credential_type: str, target: Optional[Sequence[str]] = None, query: Optional[Dict[str, Any]] = None,
        *, now: Optional[float] = None,
    ) -> List[Entry]:
        """`search` as a list."""
        return list(self.search(credential_type, target, query, now=now))

    def _access_tokens(
        self, target: List[str], query: Dict[str, Any], now: Optional[float]
    ) -> Iterator[Entry]:
        """The access tokens for a silent call. When none of them is fresh, MSAL goes on to refresh: so this waits for
        the refresh lease first, and then finds what another app has brought meanwhile."""
        self._thread.release()
        at = time.time() if now is None else now
        for is_leased in (False, True):
            with self._ending_at_an_error():
                snapshot = self._read_for(query)
                found = matching(self._store, snapshot, ACCESS_TOKEN, target, query, now)
            fresh = [(entry, place) for entry, place in found if entries.is_fresh(entry, at)]
            if fresh:
                self._thread.release()
                self._note_use(snapshot, fresh[0][1].record)
                yield from (entry for entry, _ in fresh)
                return
            try:
                if is_leased:
                    self._store.require_room(snapshot.documents.get(keys[0], Document()))
                    break
                keys = self._lease_keys(snapshot, query, query["client_id"])
                if not keys:
                    break
                self._begin(keys)
            except TRANSIENT as error:
                # Without the time of its refresh, MSAL takes a token that is only due for one.
                due = [{name: value for name, value in entry.items() if name != "refresh_on"} for entry, _ in found]
                valid = [entry for entry in due if entries.is_fresh(entry, at)]
                self._thread.release()
                if not valid:
                    raise
                _LOGGER.warning("an access token that is due for a refresh is used: %s", error)
                yield from valid
                return
        yield from (entry for entry, _ in found)

    def _note_use(self, snapshot: Snapshot, key: RecordKey) -> None:
        try:
            self._store.note_use(snapshot, key)
        except SecretStoreError as error:
            _LOGGER.warning("could not note that this app uses the account: %s", error)

    @contextmanager
    def _ending_at_an_error(self) -> Iterator[None]:
        """Ends the refresh that waits for MSAL's next call of the cache when there won't be one."""
        try:
            yield
        except BaseException:  # Also that of a program's handler of a signal.
            self._thread.release()
            raise

    def _refresh_tokens(self, query: Dict[str, Any]) -> List[Entry]:
        """The refresh tokens for a silent call, which hold the leases."""
        read_at = int(time.time())
        snapshot = self._read_for(query)
        keys = self._lease_keys(snapshot, query, query.get("client_id") or self._thread.client)
        refresh = self._thread.waiting(keys)
        if refresh is None and keys:
            refresh = self._begin(keys)
            read_at = int(time.time())
            snapshot = self._read_for(query)
            if not self._lease_keys(snapshot, query, keys[0].client_id):
                refresh = None  # The client was signed out meanwhile.
        found = matching(self._store, snapshot, REFRESH_TOKEN, (), query)
        if refresh is None or not found:
            if "client_id" in query:
                self._thread.release()
            return []
        client = refresh.keys[0]
        self._store.require_room(snapshot.documents.get(client, Document()))
        self._thread.hand_over()
        refresh.interrupts.hold()
        tokens = [
            RefreshToken(entry, Redeemable(place, client, {
                key: snapshot.documents.get(key) for key in (client, place.record)}, read_at), refresh)
            for entry, place in found]
        self._thread.remember({text(token, "secret"): token.redeemable for token in tokens})
        return tokens

    def _read_for(self, query: Dict[str, Any]) -> Snapshot:
        """The records of a silent call, of which the client's own must be readable."""
        snapshot = self._store.read(query["home_account_id"])
        client = values.stored_client(query.get("client_id") or "")
        if any(key.kind == "credentials" and key.client_id == client for key in snapshot.damaged):
            raise CorruptItemError("The client's record of the account can't be read.")
        return snapshot

    def _lease_keys(self, snapshot: Snapshot, query: Dict[str, Any], client: Optional[str]) -> List[RecordKey]:
        """The leases of a refresh, in the order in which all apps take them: the client's, then the family's."""
        if not client:
            return []
        places = self._store.seen_at(snapshot, REFRESH_TOKEN, query.get("environment"))
        stored = values.stored_client(client)
        own = [place.record for place in places if place.record.client_id == stored]
        families = [place.record for place in places if place.record.kind == "family"]
        if not own and not families:
            return []
        first = (own or families)[0]
        key = RecordKey("credentials", first.account, first.environment, stored)
        if snapshot.documents.get(key, Document()).is_signed_out(self._store.app):
            return []  # No family's token signs it in again.
        return [key] if own else [key, *families[:1]]

    def _begin(self, keys: List[RecordKey]) -> Refresh:
        self._thread.release()
        refresh = Refresh(keys, lambda key: self._store.group.lease(key.parts, self._lease_timeout))
        self._thread.begin(refresh)
        return refresh

    def _get(self, credential_type: str, key: str, default: Any = None) -> Any:
        for entry, _ in matching(self._store, self._store.read(), credential_type):
            if self.key_makers[credential_type](**entry) == key:
                return entry
        return default

    def _get_app_metadata(self, environment: str, client_id: str, default: Any = None) -> Any:
        self._thread.client = client_id
        query = {"environment": environment, "client_id": client_id}
        with self._ending_at_an_error():
            found = matching(self._store, self._store.read(), APP_METADATA, (), query)
        return found[0][0] if found else default

    # Writing.

    def add(self, event: Dict[str, Any], now: Optional[float] = None) -> None:
        """Stores the tokens of a response, as `msal.TokenCache.add`; see `save_error`.

        Ctrl-C ends the call when they are stored; at a refresh when the refresh token is, which comes last."""
        secret = event.get("data", {}).get("refresh_token") if event.get("grant_type") == "refresh_token" else None
        redeemed = self._thread.redeemed(secret)
        of_refresh = self._thread.interrupts(redeemed)
        interrupts = of_refresh or Interrupts()
        interrupts.hold()
        try:
            self._add(event, redeemed, now)
        finally:
            if of_refresh is None:
                interrupts.release()
        if isinstance(self.save_error, AccountMismatchError):
            self._thread.forget(secret)

    def _add(self, event: Dict[str, Any], redeemed: Optional[Redeemable], now: Optional[float]) -> None:
        event = dict(event, response=readable(
            event.get("response", {}), is_refresh=event.get("grant_type") == "refresh_token"))
        batch: Batch = []
        self._thread.batch = batch
        self.save_error = None
        try:
            super().add(event, now=now)
        except Exception as error:
            if redeemed is None:
                raise
            # MSAL has yet to hand over the new refresh token.
            self.save_error = InvalidArgumentError(f"MSAL can't read the response: {type(error).__name__}.")
            return
        finally:
            self._thread.batch = None
        self._saving(lambda: save(
            self._store, event, batch, redeemed, int(time.time() if now is None else now)))

    def update_rt(self, rt_item: Entry, new_rt: str) -> None:
        """Stores the refresh token that replaces a redeemed one; see `save_error`."""
        if isinstance(rt_item, RefreshToken) and self._thread.redeemed(text(rt_item, "secret")) is None:
            self._thread.release()  # It came with tokens of another account.
            return
        if isinstance(new_rt, str) and new_rt:
            self._saving(lambda: super(AccessGroupTokenCache, self).update_rt(rt_item, new_rt))
        else:
            self.save_error = InvalidArgumentError(
                "The server returned a refresh token that is empty or no text. The old one stays, and may be spent.")
        self._thread.release()

    def _saving(self, action: Callable[[], None]) -> None:
        try:
            action()
        except SecretStoreError as error:
            # The calls during which it was raised have the refresh token, and so the leases.
            error.__cause__ = error.__context__ = error.__traceback__ = None
            self.save_error = error
            _LOGGER.warning("could not store what the server returned: %s", error)

    def modify(
        self, credential_type: str, old_entry: Entry, new_key_value_pairs: Optional[Dict[str, Any]] = None
    ) -> None:
        """Changes, adds or removes an entry, as `msal.TokenCache.modify`.

        Removing an account signs this app out of it. Tokens that another app uses are not removed. A refresh token
        that another app has replaced meanwhile is not changed."""
        if self._thread.batch is not None and new_key_value_pairs:
            self._thread.batch.append((credential_type, {**old_entry, **new_key_value_pairs}))
        elif new_key_value_pairs and credential_type == REFRESH_TOKEN:
            write_refresh_token(self._store, old_entry, new_key_value_pairs)
        elif new_key_value_pairs:
            write(self._store, credential_type, old_entry, new_key_value_pairs)
        else:
            client = self._thread.client
            self._remove(credential_type, old_entry, {values.stored_client(client)} if client else None)

    def _remove(self, credential_type: str, entry: Entry, clients: Optional[Set[str]]) -> None:
        if credential_type == ACCOUNT:
            sign_out(self._store, text(entry, "home_account_id"), text(entry, "environment"), clients)
            return
        try:
            remove(self._store, credential_type, entry, clients)
        except SecretStoreError:
            if not is_sign_out(credential_type, entry):
                raise
            # MSAL ends its sign-out here. What else there is of the account goes all the same.
            sign_out(self._store, text(entry, "home_account_id"), text(entry, "environment"), clients)
