# SPDX-License-Identifier: MIT
"""The patches of `Scripts/torture --broken` fit the tree, so that the torture's checker can be checked by them."""

import re
import subprocess

import pytest

from repository import ROOT

BREAKAGES = ROOT / "Torture/breakages"
PATCHES = sorted(BREAKAGES.glob("*.patch"))


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_breakage_fits_the_tree(patch):
    check = subprocess.run(
        ["git", "apply", "--check", patch], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert check.returncode == 0, check.stderr


def test_the_page_lists_the_breakages():
    rows = re.findall(r"^\| `([a-z-]+)` \|", (BREAKAGES / "README.md").read_text(), re.MULTILINE)
    assert sorted(rows) == [patch.stem for patch in PATCHES]
