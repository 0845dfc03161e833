# SPDX-License-Identifier: MIT
"""Import and export of other languages' caches: nothing is lost, and nothing newer is replaced."""

import contextlib
import copy
import json
import os
import threading
import time

import pytest

from people import ADA, GRACE
from repository import ROOT
from secret_items import group_collections, search, snapshot
from sso_cache import BAD_INPUT, CANCELLED, INTERACTION_REQUIRED, USAGE
from terminal import Terminal
from unified_cache import CLIENT, SECTIONS, access_token, assert_same, cache_of, secrets, signed_in

FIXTURES = ROOT / "Tests/TokenCacheModelTests/Fixtures/unified-cache"
PEERS = {"go": "go.json", "node": "node.json", "java": "java-aad/full_cache.json"}
NOTHING_DONE = {"added": 0, "updated": 0, "signed_out": 0, "removed": 0}


@pytest.fixture(params=PEERS.values(), ids=PEERS.keys())
def peer(request):
    return FIXTURES / request.param


def test_a_peers_cache_is_exported_as_it_was_imported(sso, peer):
    sso.take(peer)
    assert_same(sso.give(), json.loads(peer.read_text()))


def test_a_peers_cache_is_exported_as_it_was_imported_after_a_new_login(sso, daemon, peer):
    sso.take(peer)
    daemon.restart()
    assert_same(sso.give(), json.loads(peer.read_text()))


def test_an_export_has_all_five_sections(sso, peer):
    assert set(SECTIONS) <= set(sso.give())
    sso.take(peer)
    assert set(SECTIONS) <= set(sso.give())


def test_an_export_of_an_absent_group_is_an_empty_cache_and_creates_nothing(sso, bus, group):
    assert sso.give() == {name: {} for name in SECTIONS}
    assert search(bus, group=group) == []


def test_this_librarys_own_section_is_not_exported(sso, peer):
    sso.take(peer)
    assert "SecretStoreCache" not in sso.give()


def test_a_repeated_import_changes_nothing(sso, bus, group, peer):
    first = sso.take(peer)
    before = snapshot(bus, group)
    second = sso.take(peer)
    assert first["added"] > 0
    assert {name: second[name] for name in NOTHING_DONE} == NOTHING_DONE
    assert second["unchanged"] == first["added"]
    assert snapshot(bus, group) == before


def test_an_export_imported_into_another_group_is_the_same_there(sso, group, peer):
    sso.take(peer)
    exported = sso.give()
    other = f"--group={group}.copy"
    sso.take(exported, other)
    assert_same(sso.do("export", "--format", "msal", other), exported)


def test_a_cache_with_a_trailing_comma_is_refused_and_nothing_is_stored(sso, bus, group):
    """MSAL.NET's own fixture; its parser is more lenient than the format."""
    arguments = ["--format", "msal", FIXTURES / "dotnet.json"]
    assert sso.fail(BAD_INPUT, "import", *arguments) == "invalidFile"
    assert search(bus, group=group) == []
    assert group_collections(bus, group) == []


def test_the_same_cache_without_its_faults_is_imported(sso):
    text = (FIXTURES / "dotnet.json").read_text(encoding="utf-8-sig")
    text = text.replace('ed0c-c0de-deadb33fc0d3",\n    }', 'ed0c-c0de-deadb33fc0d3"\n    }')
    cache = json.loads(text)
    sso.take(cache)
    assert_same(sso.give(), cache)


def test_unknown_sections_entries_and_fields_survive_import_refresh_and_export(sso):
    cache, _ = signed_in("mail.read")
    cache["FutureSection"] = {"entry": {"nested": [1, 2.50, None, True, {"a": "b"}], "big": 9007199254740993}}
    cache["FutureValue"] = "text"
    cache["AccessToken"]["future"] = {"credential_type": "FutureToken", "x": 1}
    cache["Account"]["future"] = {"no": "account"}
    for name in SECTIONS:
        next(iter(cache[name].values()))["future_field"] = {"kept": ["as", "it", "is"]}
    sso.take(cache)
    newer, _ = signed_in("mail.read")
    for entry in newer["AccessToken"].values():
        entry["cached_at"] = str(int(entry["cached_at"]) + 1)
    sso.take(newer)

    exported = sso.give()

    assert exported["FutureSection"] == cache["FutureSection"]
    assert exported["FutureValue"] == "text"
    assert {"credential_type": "FutureToken", "x": 1} in exported["AccessToken"].values()
    assert {"no": "account"} in exported["Account"].values()
    for name in SECTIONS:
        kept = [entry for entry in exported[name].values() if "future_field" in entry]
        assert len(kept) == 1, name
    assert secrets(exported, "AccessToken") >= secrets(newer, "AccessToken")


def test_unreadable_entries_are_skipped_on_request(sso):
    cache, token = signed_in("mail.read")
    cache["AccessToken"]["future"] = {"credential_type": "FutureToken"}
    summary = sso.take(cache, "--skip-invalid")
    assert summary["left_out"] == 1
    assert secrets(sso.give(), "AccessToken") == {token}


def test_names_beyond_ascii_survive(sso):
    cache, _ = signed_in("mail.read")
    for entry in cache["Account"].values():
        entry["name"] = "Ада Лавлейс 👩‍💻 \u0000\u001f\"\\/\u2028"
    sso.take(json.dumps(cache, ensure_ascii=False))
    assert_same(sso.give(), cache)
    sso.take(json.dumps(cache, ensure_ascii=True))
    assert_same(sso.give(), cache)


def test_keys_are_recomputed_in_the_form_of_net_and_java(sso):
    cache, token = signed_in("mail.read")
    sso.take(cache)
    [key] = sso.give()["AccessToken"]
    assert key == f"{ADA.identifier}-login.microsoftonline.com-accesstoken-{CLIENT}-{ADA.utid}-mail.read"
    [key] = sso.give()["RefreshToken"]
    assert key == f"{ADA.identifier}-login.microsoftonline.com-refreshtoken-{CLIENT}--"


# Newer, older, signed out.


def aged(cache, seconds):
    cache = copy.deepcopy(cache)
    for entry in cache["AccessToken"].values():
        entry["cached_at"] = str(int(entry["cached_at"]) - seconds)
        entry["secret"] += "-old"
    for entry in cache["RefreshToken"].values():
        entry["secret"] += "-old"
        if "last_modification_time" in entry:
            entry["last_modification_time"] = str(int(entry["last_modification_time"]) - seconds)
    return cache


def dated(cache):
    """The cache with a refresh token that has its storage date, as in MSAL Python."""
    [token] = cache["RefreshToken"].values()
    token["last_modification_time"] = str(int(time.time()))
    return cache


def test_a_newer_token_replaces_an_older_one(sso):
    cache = dated(signed_in("mail.read")[0])
    sso.take(aged(cache, 600))
    summary = sso.take(cache)
    assert summary["updated"] == 1
    assert_same(sso.give(), cache)


def test_an_older_token_never_replaces_a_newer_one(sso, bus, group):
    cache, token = signed_in("mail.read")
    sso.take(cache)
    before = snapshot(bus, group)
    summary = sso.take(aged(cache, 600))
    assert summary["unchanged"] == 1
    assert snapshot(bus, group) == before


def test_an_older_token_replaces_a_newer_one_on_request(sso):
    cache, _ = signed_in("mail.read")
    sso.take(cache)
    old = aged(cache, 600)
    sso.take(old, "--replace")
    assert_same(sso.give(), old)


def test_an_import_omits_a_signed_out_account(sso):
    cache, _ = signed_in("mail.read")
    sso.take(cache)
    sso.do("sign-out", "--account", ADA.username, "--client-id", CLIENT, "--yes")
    summary = sso.take(cache)
    assert summary["signed_out"] == 1
    assert sso.accounts() == []
    assert secrets(sso.give(), "RefreshToken") == set()
    arguments = ["--client-id", CLIENT, "--account", ADA.username, "--scope", "mail.read"]
    assert sso.fail(INTERACTION_REQUIRED, "token", *arguments) == "interactionRequired"


@pytest.mark.parametrize("spelling", [
    "LOGIN.microsoftonline.com", "login.microsoftonline.com.", "login.microsoftonline.com:443",
    "https://login.microsoftonline.com", "https://sts.windows.net/",
])
def test_an_import_omits_a_signed_out_account_under_any_spelling_of_its_host(sso, spelling):
    cache, _ = signed_in()
    sso.take(cache)
    sso.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
    for section in SECTIONS:
        for entry in cache.get(section, {}).values():
            entry["environment"] = spelling
    assert sso.take(cache)["added"] == 0
    assert sso.accounts() == []


ADAL_ENTRY = {
    "tokenType": "Bearer", "expiresIn": 3600, "expiresOn": "2099-11-29 00:00:00.000000", "isMRRT": True,
    "resource": "https://graph.windows.net", "accessToken": "AT-adal", "refreshToken": "RT-adal", "_clientId": CLIENT,
}


@pytest.mark.parametrize("signed_out_at, authority, user", [
    ("login.microsoftonline.com", "https://login.microsoftonline.com./{tenant}", ADA.username),
    ("login.microsoftonline.com", "https://login.microsoftonline.com/{tenant}", ADA.uid),
    ("https://adfs.contoso.com/adfs", "https://adfs.contoso.com/adfs", ADA.username),
    ("adfs.contoso.com", "https://adfs.contoso.com/adfs", ADA.username),
])
def test_an_import_omits_a_signed_out_account_under_any_adal_name(sso, save, signed_out_at, authority, user):
    sso.take(signed_in(environment=signed_out_at)[0])
    sso.do("sign-out", "--account", ADA.identifier, "--everywhere", "--yes")
    entry = ADAL_ENTRY | {"_authority": authority.format(tenant=ADA.utid), "userId": user, "tenantId": ADA.utid}
    done = sso.do("import", "--format", "adal-python", save(json.dumps([entry])))
    assert done["added"] == 0 and done["signed_out"] > 0
    assert sso.accounts() == []


@pytest.mark.parametrize("there, here", [
    ("https://id.contoso.com", "id.contoso.com"), ("id.contoso.com", "https://id.contoso.com/staff"),
])
def test_an_account_with_an_unknown_issuer_stays_signed_out(sso, there, here):
    subject = "248289761001"

    def without_id_token(environment):
        return signed_in(environment=environment, identifier=subject)[0] | {"IdToken": {}}

    sso.take(without_id_token(here))
    sso.do("sign-out", "--account", subject, "--everywhere", "--yes")
    assert sso.take(without_id_token(there))["added"] == 0
    assert sso.accounts() == []


def test_a_file_without_importable_entries_replaces_nothing(sso, save):
    sso.take(signed_in()[0])
    nothing = save(json.dumps({"RefreshToken": {"x": {"secret": 5}}}))
    for options in ([], ["--skip-invalid"]):
        code = sso.fail(BAD_INPUT, "import", "--format", "msal", "--replace", "--yes", *options, nothing)
        assert code == "invalidFile"
    assert [account["username"] for account in sso.accounts()] == [ADA.username]


def test_an_import_adds_a_signed_out_account_on_request(sso):
    cache, token = signed_in("mail.read")
    sso.take(cache)
    sso.do("sign-out", "--account", ADA.username, "--client-id", CLIENT, "--yes")
    sso.take(cache, "--replace")
    assert sso.token(CLIENT, ADA.username, "mail.read")["access_token"] == token


def test_replace_makes_the_group_hold_only_the_file(sso):
    sso.take(signed_in("mail.read")[0])
    sso.take(signed_in("files.read", client="11111111-2222-4333-8444-555555555555")[0])
    cache, _ = signed_in("mail.send", person=GRACE)
    summary = sso.take(cache, "--replace")
    assert summary["removed"] == 2
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]
    exported = sso.give()
    for name in ("AccessToken", "RefreshToken", "IdToken", "Account"):
        assert secrets_or_ids(exported, name) == secrets_or_ids(cache, name), name


def secrets_or_ids(cache, name):
    return {entry.get("secret") or entry["home_account_id"] for entry in cache[name].values()}


def test_of_one_clients_refresh_tokens_the_newest_is_stored_in_any_order(sso):
    """MSAL Python stores one for each set of scopes, in the order of the first sign-ins."""
    for newest_first in (True, False):
        cache, _ = signed_in("mail.read", client=f"client-{newest_first}")
        [newest] = cache["RefreshToken"].values()
        newest |= {"target": "mail.read", "last_modification_time": "1700000600"}
        older = newest | {
            "secret": newest["secret"] + "-old",
            "target": "mail.send",
            "last_modification_time": "1700000000",
        }
        tokens = [newest, older] if newest_first else [older, newest]
        cache["RefreshToken"] = {token["target"]: token for token in tokens}
        sso.take(cache, "--replace")
        assert secrets(sso.give(), "RefreshToken") == {newest["secret"]}, newest_first


def test_a_newer_refresh_token_replaces_an_older_one_if_no_access_token_has_a_date(sso):
    cache, _ = signed_in("mail.read")
    del cache["AccessToken"]
    [token] = cache["RefreshToken"].values()
    token["last_modification_time"] = "1700000000"
    sso.take(cache)
    token |= {"secret": token["secret"] + "-newer", "last_modification_time": "1700000600"}
    sso.take(cache)
    assert secrets(sso.give(), "RefreshToken") == {token["secret"]}


# A dry run.


def test_a_dry_run_creates_no_group(sso, bus, group):
    summary = sso.take(signed_in()[0], "--dry-run")
    assert summary["dry_run"] is True
    assert summary["added"] == 1
    assert search(bus, group=group) == []
    assert group_collections(bus, group) == []


@pytest.mark.parametrize("flags", [[], ["--replace"]], ids=["merge", "replace"])
def test_a_dry_run_reports_what_the_import_does_and_writes_nothing(sso, bus, group, flags):
    sso.take(signed_in("mail.read")[0])
    sso.take(signed_in("files.read", person=GRACE)[0])
    cache = cache_of(access_token("mail.read"), access_token("mail.send"))
    for entry in cache["AccessToken"].values():
        entry["cached_at"] = str(int(entry["cached_at"]) + 1)
    before = snapshot(bus, group)

    said = sso.take(cache, "--dry-run", *flags)
    assert snapshot(bus, group) == before
    done = sso.take(cache, *flags)

    assert said.pop("dry_run") is True and done.pop("dry_run") is False
    assert said == done


# Sources of the cache.


def test_a_cache_is_read_from_a_file_of_any_name(sso, save):
    cache, _ = signed_in()
    assert sso.take(save(json.dumps(cache), "näme with spaces.json"))["added"] == 1


def test_a_cache_is_read_from_standard_input(sso):
    cache, _ = signed_in()
    text = json.dumps(cache).encode()
    assert sso.do("import", "--format", "msal", "-", stdin=text)["added"] == 1


def test_a_cache_is_read_from_a_pipe_that_a_shell_names(sso, tmp_path):
    cache, _ = signed_in()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write():
        with contextlib.suppress(BrokenPipeError):
            pipe.write_text(json.dumps(cache))

    threading.Thread(target=write, daemon=True).start()
    assert sso.take(pipe)["added"] == 1


def test_an_empty_cache_is_accepted_and_stores_nothing(sso, bus, group):
    summary = sso.take({})
    assert {name: summary[name] for name in NOTHING_DONE} == NOTHING_DONE
    assert search(bus, group=group) == []


# Signed-out accounts are omitted; replacing asks first.


OTHER = "11111111-2222-4333-8444-555555555555"
FOREIGN = {
    "the same client": {},
    "another client": {"client": OTHER},
    "another host": {"environment": "sts.windows.net"},
    "the id in capitals": {"identifier": ADA.identifier.upper()},
}


@pytest.mark.parametrize("named", FOREIGN.values(), ids=FOREIGN.keys())
def test_an_import_omits_an_account_signed_out_everywhere_under_any_name(sso, named):
    sso.take(signed_in("mail.read")[0])
    sso.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
    cache, _ = signed_in("mail.read", **named)
    said = sso.take(cache, "--dry-run")
    done = sso.take(cache)
    assert done["signed_out"] == said["signed_out"] == 1
    assert sso.accounts() == []


def test_an_import_into_a_wiped_group_adds_all_entries(sso):
    cache, _ = signed_in("mail.read")
    sso.take(cache)
    sso.do("sign-out", "--account", ADA.username, "--everywhere", "--yes")
    sso.do("sign-out", "--whole-group", "--yes")
    assert sso.take(cache)["added"] == 1
    assert [account["username"] for account in sso.accounts()] == [ADA.username]


def test_replacing_asks_before_a_removal_and_without_a_terminal_is_a_usage_error(sso, bus, group, save):
    sso.take(signed_in("mail.read")[0])
    before = snapshot(bus, group)
    other = save(json.dumps(signed_in("mail.read", person=GRACE)[0]))
    sso.fail(USAGE, "import", "--format", "msal", "--replace", other)
    assert snapshot(bus, group) == before
    terminal = Terminal(sso.arguments("import", "--format", "msal", "--replace", other), dict(os.environ))
    terminal.types("n\n")
    status, text = terminal.end()
    assert status == CANCELLED and "Remove 1 and replace 0 of the records" in text
    assert snapshot(bus, group) == before
    terminal = Terminal(sso.arguments("import", "--format", "msal", "--replace", other), dict(os.environ))
    terminal.types("y\n")
    assert terminal.end()[0] == 0
    assert [account["username"] for account in sso.accounts()] == [GRACE.username]


def test_replacing_asks_nothing_if_nothing_is_removed(sso, save):
    cache = save(json.dumps(signed_in("mail.read")[0]))
    assert sso.do("import", "--format", "msal", "--replace", cache)["added"] == 1


@pytest.mark.parametrize("date", ["0", "99999999999", "soon", "-1"])
def test_an_invalid_date_neither_wins_nor_blocks(sso, date):
    cache, token = signed_in("mail.read")
    wrong = copy.deepcopy(cache)
    for entry in wrong["AccessToken"].values():
        entry |= {"cached_at": date, "secret": entry["secret"] + "-wrong"}
    sso.take(cache)
    assert sso.take(wrong)["unchanged"] == 1
    assert secrets(sso.give(), "AccessToken") == {token}
    sso.take(wrong, "--replace")
    assert sso.take(cache)["updated"] == 1
    assert secrets(sso.give(), "AccessToken") == {token}
