# SPDX-License-Identifier: MIT
"""What the stored data show when no client works."""

import json
from collections import Counter, defaultdict

from history import History

KEYS = {
    "kind", "publisher", "group", "home_account_id", "environment", "client_id", "family_id", "key",
    "xdg:schema",
}
PARTS = {
    "account": "home_account_id", "environment": "environment", "client_id": "client_id",
    "family_id": "family_id", "key": "key",
}
KINDS = {"group", "group-key", "credentials", "family", "group-data", "client"}
SECRETS = ("AccessToken", "RefreshToken", "IdToken", "Account")
OWN = "SecretStoreCache"


class State:
    """The stored data, beside the operations until then."""

    def __init__(self, round, items, ended, is_mended):
        self._history = History(round)
        self._steps = [step for step in round.steps if step.begin < ended]
        self._ended = ended
        self._items = items
        self._is_mended = is_mended
        self._ledger = round.ledger
        self._is_sandboxed = round.is_sandboxed
        self._deleted = max((fault["end"] for fault in round.of("delete")), default=0)
        self._documents = {}

    def problems(self):
        yield from self._are_items_whole()
        yield from self._is_one_group()
        for (kind, account, client, _), document in self._documents.items():
            if kind == "credentials":
                yield from self._is_whole(account, client, document)
                yield from self._is_counted(account, client, document)
        yield from self._are_tokens_there()
        yield from self._are_refresh_tokens_good()
        yield from self._are_signed_out()

    # Items.

    def _are_items_whole(self):
        for item in self._items:
            attributes, kind = item["attributes"], item["attributes"].get("kind")
            if kind == "making" and self._is_sandboxed:
                continue  # Who made the group was killed: an empty item, which stands in nobody's way for long.
            if kind not in KINDS or set(attributes) - {"keyring"} != KEYS:
                yield f"an item with other attributes than all of ours: {item['path']} {attributes}"
            elif item["locked"]:
                yield f"an item that nothing opens: {item['path']}"
            elif not item["secret"]:
                if self._is_mended:
                    yield f"an item without a secret: {item['path']} {kind}"
            elif kind != "group-key":
                yield from self._is_document(item, attributes, kind)
        # Passwords of deleted collections remain: a keyring file that was moved away may come back.
        records = Counter(json.dumps(item["attributes"], sort_keys=True) for item in self._items
                          if (item["secret"] or self._is_mended)
                          and (item["attributes"].get("kind") != "group-key" or "keyring" in item["attributes"]))
        for record, count in records.items():
            if count > 1:
                yield f"{count} items of one record: {record}"

    def _is_document(self, item, attributes, kind):
        try:
            document = json.loads(item["secret"])
        except ValueError:
            yield f"a document that is none: {item['path']} {kind}"
            return
        if kind == "group":
            return
        record = document.get(OWN, {}).get("record", {})
        spelled = {"kind": kind}
        spelled |= {part: attributes[name] for part, name in PARTS.items() if attributes[name]}
        if record != spelled:
            yield f"a document under another record's attributes: {item['path']} {record}"
        key = (kind, attributes["home_account_id"], attributes["client_id"], attributes["family_id"])
        self._documents[key] = document

    def _is_one_group(self):
        kinds = Counter(item["attributes"].get("kind") for item in self._items
                        if item["secret"] or self._is_mended)
        collections = {item["collection"] for item in self._items
                       if item["attributes"].get("kind") not in ("group-key", "making")}
        if len(collections) > 1:
            yield f"the group is in several collections: {sorted(collections)}"
        if kinds["group"] > 1 or kinds["group"] == 0 and self._documents:
            yield f"{kinds['group']} markers"
        # The daemon unlocks a keyring file with the password whose item names the file.
        current = sum(item["attributes"].get("kind") == "group-key" and "keyring" in item["attributes"]
                      for item in self._items if item["secret"])
        if current > 1 and self._is_mended or kinds["group-key"] == 0 and self._documents:
            yield f"{current} passwords of the group"

    # Documents.

    def _is_whole(self, account, client, document):
        """A token response is stored with all of its parts, or not at all."""
        tokens = document.get("AccessToken", {})
        families = {entry.get("family_id") for entry in document.get("AppMetadata", {}).values()} - {"", None}
        others = [self._documents.get(("family", account, "", family), {}) for family in families]
        has_refresh = any(part.get("RefreshToken") for part in [document] + others)
        parts = {name: bool(document.get(name)) for name in ("IdToken", "Account", "AppMetadata")}
        parts["RefreshToken"] = has_refresh
        missing = [name for name, is_there in parts.items() if not is_there]
        if missing == ["RefreshToken"] and families and self._was_torn(account):
            missing = []
        if tokens and missing:
            yield f"half a token response: {account[29:36]} {client}, without {missing}"
        for entry in tokens.values():
            if not all(entry.get(name) for name in ("secret", "target", "realm", "expires_on", "cached_at")):
                yield f"half an access token: {account[29:36]} {client} {entry.get('target')}"
        targets = Counter(entry.get("target") for entry in tokens.values())
        yield from (f"two access tokens for {scope}: {account[29:36]} {client}"
                    for scope, count in targets.items() if count > 1)

    def _was_torn(self, account):
        """Whether a deletion fell between the two writes of the last response for a family."""
        mine = [step for step in self._steps if step.family and step.account == account
                and step.kind in ("save", "read", "refresh")]
        return any(
            any(step.begin <= fault["end"] and step.latest >= fault["start"] for step in mine)
            and not any(step.is_saved and step.begin > fault["end"] for step in mine)
            for fault in self._history.deletions)

    def _is_counted(self, account, client, document):
        """No write replaced another: each one has counted."""
        saved = [step for step in self._steps if step.is_saved and step.begin > self._deleted
                 and (step.account, step.client) == (account, client)]
        revision = document.get(OWN, {}).get("revision", 0)
        if revision < len(saved):
            yield f"{account[29:36]} {client} was saved {len(saved)} times, and has counted {revision}"

    def _are_tokens_there(self):
        for (account, client, scope), writes in self._history.writes.items():
            document = self._documents.get(("credentials", account, client, ""), {})
            stored = [entry["secret"] for entry in document.get("AccessToken", {}).values()
                      if entry.get("target") == scope]
            writes = [write for write in writes if write.step.begin < self._ended]
            known = {write.token: write.step for write in writes}
            if stored and stored[0] not in known:
                yield f"a token that nobody has saved: {account[29:36]} {client} {scope} {stored[0][:9]}"
                continue
            for write in writes:
                step = write.step
                if not write.is_saved or step.begin <= self._deleted:
                    continue
                if not stored and not self._history.was_left(account, client, step.begin, self._ended):
                    yield f"a token that was saved is not there: {step}"
                if stored and known[stored[0]].latest < step.begin:
                    yield f"an old token, {stored[0][:9]}, is there instead of: {step}"

    def _are_refresh_tokens_good(self):
        issued = {entry["refresh"]: entry for entry in self._ledger if "refresh" in entry}
        spent = {entry["presented"]: entry for entry in self._ledger if entry.get("granted")}
        for (kind, account, client, family), document in self._documents.items():
            tokens = [entry["secret"] for entry in document.get("RefreshToken", {}).values()]
            if len(tokens) > 1:
                yield f"{len(tokens)} refresh tokens: {account[29:36]} {client or family}"
            owner = family or client
            for token in tokens:
                entry = issued.get(token)
                issued_to = entry and (entry["account"], entry["family"] or entry["client"])
                if issued_to != (account, owner):
                    yield f"a refresh token that was not issued to its owner: {account[29:36]} {owner}"
                elif token in spent:
                    step = self._history.by_name.get(spent[token]["operation"])
                    if self._was_seen_early(entry, step):
                        continue
                    if step and step.is_saved and step.begin < self._ended:
                        yield f"a spent refresh token is stored, {token[:9]}; it was redeemed by {step}"

    def _was_seen_early(self, entry, redeemed):
        """Whether a token was redeemed before its save was acknowledged. Without shared locks that save may
        have been repeated after the redemption."""
        saved = self._history.by_name.get(entry["operation"])
        return self._is_sandboxed and saved and redeemed and redeemed.begin < saved.end

    # Sign-outs.

    def _are_signed_out(self):
        apps = defaultdict(set)
        families = {}
        for step in self._steps:
            apps[step.account, step.client].add(step.app)
            families[step.client] = step.family
        out = set()
        for (account, client), names in apps.items():
            document = self._documents.get(("credentials", account, client, ""))
            state = (document or {}).get(OWN, {}).get("apps", {})
            gone = {app for app in names
                    if self._history.is_out(account, client, app, self._ended, self._ended)}
            for app in gone:
                if state.get(app) != "signed_out":
                    yield f"{app} was signed out of {account[29:36]} and is {state.get(app)}"
            for app in names:
                if self._history.is_in(account, app, self._ended, self._ended) and (
                        state.get(app) != "signed_in"):
                    yield f"{app} was signed in to {account[29:36]} and is {state.get(app)}"
            # An app that only got a token may still use the account.
            if gone == names:
                out.add((account, client))
                if any((document or {}).get(name) for name in SECRETS):
                    yield f"tokens came back after every app was signed out: {account[29:36]} {client}"
        yield from self._are_families_gone(apps, families, out)

    def _are_families_gone(self, apps, families, out):
        for account in {account for account, _ in apps}:
            members = {(account, client) for client, family in families.items() if family}
            members &= set(apps)
            document = self._documents.get(("family", account, "", "1"), {})
            if members and members <= out and document.get("RefreshToken") and not self._is_cut_off(account):
                yield f"the family's refresh token came back after every app was signed out: {account[29:36]}"

    def _is_cut_off(self, account):
        """Whether a save or a refresh of a family's client may have been interrupted between its two writes
        after the last sign-out."""
        mine = [step for step in self._steps if step.family and step.account == account]
        last = max(step.begin for step in mine if step.kind == "signOut" and step.is_done)
        return any(step.latest >= last and not step.is_done for step in mine if step.kind != "list")
