# SPDX-License-Identifier: MIT
"""sso-cache export --to: the group's accounts reach the real libraries, and nothing is lost on either side."""

import json
import subprocess
import time

import pytest

from broken_setups import AS_A_USER
from keyrings import Keyrings
from partner_caches import ALAN, AZURE_CLI, Library, json_of, one_account, signed_in
from people import ADA, GRACE, Person
from secret_items import search
from sso_cache import DONE, USAGE
from unified_cache import access_token, cache_of, secrets

FILE = ".azure/msal_token_cache.json"
LIBRARIES = ["msal-extensions", "azure-identity-python", "azure-cli", "azure-cli-encrypted"]
OTHER_CLIENT = "0d6c69a3-df96-4db0-9088-2ab96e1d8215"
NOTHING = {"written": 0, "removed": 0, "signed_out_there": 0, "not_written": 0}


@pytest.fixture(params=LIBRARIES)
def library(request, partners):
    """A library that is signed in to one account."""
    library = Library(partners, request.param)
    library.sign_in("grace", "s3cr3t-grace")
    return library


def test_an_account_of_the_group_signs_the_library_in_silently(partners, library):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    [token] = secrets(partners.sso.give(), "AccessToken")
    assert library.export()["written"] == 3
    state = library.run("state")
    assert state["accounts"] == ["alan@contoso.com", "grace@contoso.com"]
    assert state["refresh_tokens"] == {"alan": "s3cr3t-alan", "grace": "s3cr3t-grace"}
    assert library.run("silent", AZURE_CLI, "alan", "user.read") == token
    assert library.export() == NOTHING


def test_what_only_another_programs_keyring_says_of_earlier_exports_counts_for_nothing(partners, extensions, bus):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    extensions.export()
    extensions.sign_out("alan")
    [base] = [item for item in search(bus, kind="group-data", group=partners.sso.group)
              if item.get_attributes()["key"].startswith("partner-")]
    collection = Keyrings(bus).make(f"{partners.sso.group}-others", "own")
    try:
        collection.create_item(base.get_label(), base.get_attributes(), base.get_secret())
        base.delete()
        assert extensions.export()["written"] == 3
    finally:
        collection.delete()


def test_a_cache_with_a_mode_that_lets_nobody_write_is_replaced(partners):
    file = partners.file(FILE, json_of(one_account(GRACE, AZURE_CLI)))
    file.chmod(0o400)
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    done = subprocess.run(
        [*AS_A_USER, *partners.sso.arguments("export", "--to", "azure-cli")], env=partners.sso.environment,
        capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (DONE, "")
    assert b"s3cr3t-alan" in file.read_bytes() and file.stat().st_mode & 0o777 == 0o400


def test_a_program_without_portalocker_gets_the_same(partners):
    library = Library(partners, "azure-identity-python", PARTNER_WITHOUT_PORTALOCKER="1")
    library.sign_in("grace", "s3cr3t-grace")
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    library.export()
    assert library.run("state")["accounts"] == ["alan@contoso.com", "grace@contoso.com"]
    library.sign_out("alan")
    assert library.export()["signed_out_there"] == 1


def test_the_library_removes_and_renews_what_was_written(partners, extensions):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    extensions.export()
    assert extensions.sign_in("alan", "s3cr3t-renewed")["refresh_tokens"]["alan"] == "s3cr3t-renewed"
    assert extensions.sign_out("alan")["refresh_tokens"] == {"grace": "s3cr3t-grace"}


def test_of_accounts_with_the_same_keys_one_is_written_and_the_rest_is_said(partners, extensions):
    """The identifiers of an OpenID provider differ by letter case only, and MSAL Python's keys are in lower case."""
    people = [Person(f"{name}@contoso.org", name, uid, "") for name, uid in (("upper", "Eve|1"), ("lower", "eve|1"))]
    for person in people:
        options = {"environment": "id.contoso.org", "identifier": person.uid, "client": AZURE_CLI}
        partners.sso.take(cache_of(access_token("api", person, **options), person=person, **options))

    def tokens_there():
        cache = json.loads(partners.item_of(extensions.location).get_secret())
        return {entry["home_account_id"]: entry["secret"] for entry in cache["RefreshToken"].values()
                if entry["environment"] == "id.contoso.org"}

    def tokens():
        return {entry["home_account_id"]: entry["secret"] for entry in partners.sso.give()["RefreshToken"].values()}

    for written in (3, 0):
        assert extensions.export() == NOTHING | {"written": written, "not_written": 1}
        assert tokens_there() == {"Eve|1": tokens()["Eve|1"]}
    arguments = ["export", "--to", extensions.name, *extensions.options]
    assert partners.sso.fail(USAGE, *arguments, "--account", "eve|1") == "invalidArgument"
    assert "1 accounts are not written" in partners.sso.run(*arguments).stderr
    partners.sso.do("sign-out", "--account", "Eve|1", "--everywhere", "--yes")
    assert extensions.export() == NOTHING | {"written": 3, "removed": 1}
    assert tokens_there() == {"eve|1": tokens()["eve|1"]}


def test_an_account_that_was_removed_there_does_not_come_back(partners, library):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    library.export()
    library.sign_out("alan")
    for _ in range(2):
        assert library.export() == NOTHING | {"signed_out_there": 1}
    partners.sso.take(signed_in(ALAN, "s3cr3t-later", age=1))
    assert library.export() == NOTHING | {"signed_out_there": 1}
    assert library.run("state")["accounts"] == ["grace@contoso.com"]
    assert secrets(partners.sso.give(), "RefreshToken") == {"s3cr3t-later"}


def test_an_account_that_came_from_there_and_was_removed_there_does_not_come_back(extensions):
    extensions.take()
    extensions.sign_out("grace")
    assert extensions.export() == NOTHING | {"signed_out_there": 1}
    assert extensions.run("state")["accounts"] == []


def test_an_account_that_was_removed_there_is_written_when_it_is_named(partners, extensions):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    extensions.export()
    extensions.sign_out("alan")
    assert extensions.export("--account", "ALAN@contoso.com")["written"] == 3
    assert extensions.run("state")["refresh_tokens"]["alan"] == "s3cr3t-alan"
    extensions.sign_out("alan")
    assert extensions.export()["signed_out_there"] == 1


def test_an_account_that_signs_in_there_again_is_shared_again(partners, extensions):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    extensions.export()
    extensions.sign_out("alan")
    extensions.export()
    extensions.sign_in("alan", "s3cr3t-again")
    assert extensions.export()["signed_out_there"] == 0
    assert extensions.run("state")["refresh_tokens"]["alan"] == "s3cr3t-again"


def test_an_account_that_an_export_brought_goes_with_its_sign_out_here(partners, extensions):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    extensions.export()
    partners.sso.do("sign-out", "--account", "alan@contoso.com", "--everywhere", "--yes")
    assert extensions.export() == NOTHING | {"removed": 1}
    assert extensions.run("state")["refresh_tokens"] == {"grace": "s3cr3t-grace"}
    assert extensions.run("state")["accounts"] == ["grace@contoso.com"]


def test_an_account_of_the_library_stays_whatever_is_signed_out_here(partners, extensions):
    extensions.take()
    extensions.export()
    partners.sso.do("sign-out", "--account", "grace@contoso.com", "--everywhere", "--yes")
    assert extensions.export() == NOTHING
    assert extensions.run("state")["refresh_tokens"] == {"grace": "s3cr3t-grace"}


@pytest.mark.parametrize("transfers", [[], ["export"], ["export", "export"], ["import"]], ids=" and ".join)
@pytest.mark.parametrize("signs_in", [False, True], ids=["renewed", "signed in again"])
def test_an_account_that_the_library_has_renewed_stays_after_its_sign_out_here(
        partners, extensions, signs_in, transfers):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    extensions.export()
    if signs_in:
        extensions.sign_out("alan")
        extensions.sign_in("alan", "s3cr3t-renewed")
    else:
        extensions.run("rotate", "alan", "s3cr3t-renewed")
    for transfer in transfers:
        extensions.export() if transfer == "export" else extensions.take()
    partners.sso.do("sign-out", "--whole-group", "--yes")
    for _ in range(2):
        assert extensions.export() == NOTHING
    assert extensions.run("state")["refresh_tokens"]["alan"] == "s3cr3t-renewed"


def test_of_two_tokens_the_one_that_changed_since_the_last_transfer_counts(partners, extensions):
    partners.sso.take(signed_in(ALAN, "s3cr3t-1", age=300))
    extensions.export()
    partners.sso.take(signed_in(ALAN, "s3cr3t-2", age=200))
    assert extensions.export()["written"] >= 1
    assert extensions.run("state")["refresh_tokens"]["alan"] == "s3cr3t-2"
    extensions.sign_in("alan", "s3cr3t-3")
    extensions.export()
    assert extensions.run("state")["refresh_tokens"]["alan"] == "s3cr3t-3"


def test_of_two_tokens_that_both_changed_the_newer_counts(partners, extensions):
    partners.sso.take(signed_in(ALAN, "s3cr3t-1", age=300))
    extensions.export()
    extensions.sign_in("alan", "s3cr3t-there")
    partners.sso.take(signed_in(ALAN, "s3cr3t-older", age=200))
    extensions.export()
    assert extensions.run("state")["refresh_tokens"]["alan"] == "s3cr3t-there"
    time.sleep(1.1)
    partners.sso.take(signed_in(ALAN, "s3cr3t-newer", age=0))
    extensions.export()
    assert extensions.run("state")["refresh_tokens"]["alan"] == "s3cr3t-newer"


def test_another_clients_tokens_are_not_written(partners, extensions):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan", client=OTHER_CLIENT))
    assert extensions.export() == NOTHING
    assert extensions.run("state")["clients"] == [AZURE_CLI]
    stored = partners.item_of(extensions.location).get_secret().decode()
    assert "s3cr3t-grace" in stored
    assert not [secret for secret in ("s3cr3t-alan", *secrets(partners.sso.give(), "AccessToken")) if secret in stored]


def test_a_family_token_is_written_on_request_only(partners, extensions):
    partners.sso.take(signed_in(ALAN, "s3cr3t-family", client=OTHER_CLIENT, family_id="1"))
    assert extensions.export() == NOTHING
    assert extensions.export("--family")["written"] == 1
    state = extensions.run("state")
    assert (state["refresh_tokens"]["alan"], state["clients"]) == ("s3cr3t-family", sorted([AZURE_CLI, OTHER_CLIENT]))
    assert "alan@contoso.com" in state["accounts"]
    assert extensions.export() == NOTHING, "without --family nothing is removed"


def test_one_account_is_written_on_request(partners, extensions):
    both = [signed_in(ALAN, "s3cr3t-alan"), signed_in(ADA, "s3cr3t-ada")]
    for cache in both:
        partners.sso.take(cache)
    extensions.export("--account", ADA.identifier)
    assert set(extensions.run("state")["refresh_tokens"].values()) == {"s3cr3t-ada", "s3cr3t-grace"}


def test_what_the_tool_has_of_its_own_survives(partners):
    cache = one_account(GRACE, AZURE_CLI)
    for name in ("AccessToken", "Account"):
        next(iter(cache[name].values()))["future_field"] = {"kept": 1.50}
    cache |= {"FutureSection": {"a": [1, None]}}
    cache["AccessToken"]["odd"] = {"credential_type": "FutureToken", "x": 1}
    file = partners.file(FILE, json_of(cache), mode=0o640)
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    assert Library(partners, "azure-cli").export()["written"] == 3
    after = json.loads(file.read_text())
    for name, entries in cache.items():
        assert entries.items() <= after[name].items(), name
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_an_access_token_that_has_expired_and_one_for_a_bound_key_are_not_written(partners, extensions):
    tokens = [
        access_token("a", ALAN, client_id=AZURE_CLI, age=7200), access_token("b", ALAN, client_id=AZURE_CLI),
        access_token("c", ALAN, client_id=AZURE_CLI, requested_claims='{"a":1}', requested_claims_hash="h"),
    ]
    partners.sso.take(cache_of(*tokens, person=ALAN, client=AZURE_CLI))
    extensions.export()
    item = partners.item_of(extensions.location)
    written = [entry for entry in json.loads(item.get_secret())["AccessToken"].values()
               if entry["home_account_id"] == ALAN.identifier]
    assert [entry["target"] for entry in written] == ["b"]


def test_an_entry_takes_the_tools_spelling_of_the_host(partners):
    partners.file(FILE, json_of(one_account(ADA, AZURE_CLI)))
    cache = signed_in(ADA, "s3cr3t-new", age=1)
    for entries in cache.values():
        for entry in entries.values():
            entry["environment"] = "login.windows.net"
    partners.sso.take(cache)
    Library(partners, "azure-cli").export()
    after = json.loads((partners.home / FILE).read_text())
    assert {entry["environment"] for entries in after.values() for entry in entries.values()} == {
        "login.microsoftonline.com"}
    assert len(after["RefreshToken"]) == 1


def test_a_running_library_sees_each_export_at_once(partners, extensions):
    """A program reloads its cache only if the companion file's time is later than when it last read."""
    process = subprocess.Popen(
        partners.arguments("msal-extensions", extensions.where, "renew", AZURE_CLI, "grace"),
        env=partners.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert json.loads(process.stdout.readline()) == {"ready": 0}
    for count in range(1, 6):
        process.stdin.write("\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == {"ready": count}
        partners.sso.take(signed_in(ALAN, f"s3cr3t-alan-{count}", age=20 - count))
        extensions.export()
    tokens = json.loads(process.communicate("")[0])["refresh_tokens"]
    assert tokens == {"alan": "s3cr3t-alan-5", "grace": "s3cr3t-grace-5"}


def test_the_item_stays_the_librarys_own(partners, extensions):
    before = partners.item_of(extensions.location)
    attributes, label = before.get_attributes(), before.get_label()
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    extensions.export()
    after = partners.item_of(extensions.location)
    assert after.item_path == before.item_path
    assert (after.get_attributes(), after.get_label()) == (attributes, label)


def test_the_base_holds_no_token_and_no_name(partners, extensions, bus, group):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    extensions.export()
    [base] = [item for item in search(bus, group=group) if item.get_attributes()["key"].startswith("partner-")]
    text = base.get_secret().decode() + json.dumps(base.get_attributes()) + base.get_label()
    for private in ("s3cr3t", "alan", "grace", "contoso.com\"", "@", ALAN.uid + "."):
        assert private not in text.replace(group, "")


def test_tokens_whose_owner_is_a_service_are_not_written(partners, extensions):
    cache = signed_in(ALAN, "s3cr3t-alan")
    cache["AccessToken"]["own"] = access_token("x", client_id=AZURE_CLI) | {"home_account_id": None}
    partners.sso.take(cache)
    assert extensions.export()["written"] == 3


def test_a_companion_file_that_is_gone_is_made_again(partners, extensions):
    partners.sso.take(signed_in(ALAN, "s3cr3t-alan"))
    extensions.location.unlink()
    extensions.export()
    assert extensions.location.stat().st_mode & 0o777 == 0o600
    assert extensions.run("state")["refresh_tokens"]["alan"] == "s3cr3t-alan"
