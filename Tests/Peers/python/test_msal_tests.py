# SPDX-License-Identifier: MIT
"""MSAL Python's own tests pass with an access group beneath, and when the tool imports and exports their cache after
each change; support/apps/store_beneath.py puts these there."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from repository import ROOT, SCRIPTS, SUPPORT

LIMIT_SECONDS = 300

# What the tests import, and the sources leave out.
LEFT_OUT = {
    "__init__.py": "import unittest\n",
    "http_client.py": """
class MinimalResponse:
    def __init__(self, status_code, text, headers=None):
        self.status_code, self.text, self.headers = status_code, text, headers or {}

    def raise_for_status(self):
        if self.status_code >= 400:
            raise RuntimeError(self.status_code)


class MinimalHttpClient:
    \"\"\"There is no network.\"\"\"

    def close(self):
        pass
""",
}


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    fetched = subprocess.run(
        [SCRIPTS / "msal-sources", sys.executable], check=True, stdout=subprocess.PIPE, text=True,
        timeout=LIMIT_SECONDS).stdout.strip()
    unpacked = tmp_path_factory.mktemp("msal") / "msal"
    shutil.copytree(fetched, unpacked)
    for name, text in LEFT_OUT.items():
        assert not (unpacked / "tests" / name).exists()
        (unpacked / "tests" / name).write_text(text)
    return unpacked


@pytest.mark.parametrize("beneath, tests, count", [
    ("group", "test_token_cache", 52), ("group", "test_application", 121), ("group", "test_ccs", 3),
    ("transfer", "test_token_cache", 52)])
def test_the_tests_of_msal_python_pass(sources, group, tool, beneath, tests, count):
    paths = [ROOT / "Python/src", SUPPORT / "apps", SUPPORT]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "store_beneath", f"tests/{tests}.py"],
        cwd=sources, capture_output=True, text=True, timeout=LIMIT_SECONDS,
        env=os.environ | {
            "PYTHONPATH": os.pathsep.join(map(str, paths)), "SSC_GROUP": group, "SSC_BENEATH": beneath,
            "SSC_TOOL": tool})
    assert done.returncode == 0, done.stdout[-8000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) == count
    assert "failed" not in done.stdout and "error" not in done.stdout.splitlines()[-1]
