# SPDX-License-Identifier: MIT
"""sso-cache export --to: who is signed out of the tool's client is not there, although the client's family goes on."""

import json

import pytest

from partner_caches import ALAN, AZURE_CLI, signed_in
from sso_cache import DONE, USAGE
from unified_cache import section

OTHER_CLIENT = "0d6c69a3-df96-4db0-9088-2ab96e1d8215"
NOTHING = {"written": 0, "removed": 0, "signed_out_there": 0, "not_written": 0}
SIGN_OUT = ["sign-out", "--account", "alan@contoso.com", "--client-id", AZURE_CLI, "--yes"]


def in_a_family():
    """Alan with tokens of Azure CLI and of another client of its family, and with the family's refresh token."""
    parts = [signed_in(ALAN, "s3cr3t-alan"), signed_in(ALAN, "s3cr3t-other", client=OTHER_CLIENT)]
    parts.append({"RefreshToken": signed_in(ALAN, "s3cr3t-family", client=OTHER_CLIENT, family_id="1")["RefreshToken"]})
    cache = {name: section(*[entry for part in parts for entry in part.get(name, {}).values()]) for name in parts[0]}
    for entry in cache["AppMetadata"].values():
        entry["family_id"] = "1"
    return cache


@pytest.mark.parametrize("options", [[], ["--family"]], ids=["", "with the family's token"])
@pytest.mark.parametrize("is_exported", [True, False], ids=["", "that no export brought"])
def test_an_account_that_the_client_is_signed_out_of_is_not_there(partners, extensions, options, is_exported):
    partners.sso.take(in_a_family())
    if is_exported:
        extensions.export(*options)
        assert "alan@contoso.com" in extensions.run("state")["accounts"]
    partners.sso.do(*SIGN_OUT)
    assert partners.sso.accounts("--client-id", OTHER_CLIENT) and not partners.sso.accounts("--client-id", AZURE_CLI)
    assert extensions.export(*options) == NOTHING | {"removed": int(is_exported)}
    state = extensions.run("state")
    assert (state["accounts"], state["refresh_tokens"]) == (["grace@contoso.com"], {"grace": "s3cr3t-grace"})
    assert extensions.export(*options) == NOTHING


def test_an_account_that_the_client_is_signed_out_of_is_not_written_by_name(partners, extensions):
    partners.sso.take(in_a_family())
    partners.sso.do(*SIGN_OUT)
    options = ["--to", extensions.name, "--client-id", AZURE_CLI, "--family", "--account", "alan@contoso.com"]
    assert partners.sso.fail(USAGE, "export", *options) == "invalidArgument"


def test_what_the_tool_has_of_its_own_stays_when_the_client_is_signed_out(partners, extensions):
    extensions.sign_in("alan", "s3cr3t-own")
    partners.sso.take(in_a_family())
    partners.sso.do(*SIGN_OUT)
    assert extensions.export("--family") == NOTHING
    assert extensions.run("state")["refresh_tokens"]["alan"] == "s3cr3t-own"


def test_the_account_is_there_again_after_a_sign_in(partners, extensions):
    partners.sso.take(in_a_family())
    extensions.export("--family")
    partners.sso.do(*SIGN_OUT)
    extensions.export("--family")
    outcome = partners.sso.run("import", "--format", "msal", "--replace", "--yes", "-", stdin=json.dumps(in_a_family()).encode())
    assert outcome.status == DONE
    assert extensions.export("--family")["written"] == 4
