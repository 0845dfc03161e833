# SPDX-License-Identifier: MIT
"""Scripts/support/checks/check-layers on small trees."""

import shutil
import subprocess

import pytest

from repository import SCRIPTS

TYPE = "public struct {} {{}}\n"
# Two folders, of which Upper uses Lower.
LAYERED = {
    "Kit/Lower/Base.swift": "package struct Base {}\nextension Base {\n  package func lowest() {}\n}\n",
    "Kit/Upper/Top.swift": "package struct Top { let base: Base }\nextension Base {\n  package func topmost() {}\n}\n",
}


@pytest.fixture
def check(tmp_path):
    def run(files, reasons=()):
        script = tmp_path / "Scripts/support/checks/check-layers"
        script.parent.mkdir(parents=True)
        shutil.copy(SCRIPTS / "checks/check-layers", script)
        table = "".join(f"| `{name}` | a reason |\n" for name in reasons)
        (tmp_path / "ARCHITECTURE.md").write_text(f"### Public types\n\n{table}\n## Folders\n")
        for name, text in files.items():
            file = tmp_path / "Sources" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return subprocess.run([script], capture_output=True, text=True)

    return run


def test_folders_that_use_each_other_one_way_pass(check):
    done = check(LAYERED)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "2 files in 2 folders, no circle of folders, and 0 public top-level types.\n"


@pytest.mark.parametrize("code, arrow", [
    ("func f(_ top: Top) {}", "Top"),
    ("func f(_ base: Base) { base.topmost() }", ".topmost"),
    ("extension Base {\n  func f() { topmost() }\n}\n", ".topmost"),
], ids=["by a type", "by a member of an extension", "by a member without a dot"])
def test_a_circle_of_folders_fails_and_is_named(check, code, arrow):
    done = check({**LAYERED, "Kit/Lower/Back.swift": code})
    assert done.returncode == 1
    assert "These folders use each other in a circle: Kit/Lower, Kit/Upper\n" in done.stderr
    assert f"  Kit/Lower -> Kit/Upper: {arrow}\n" in done.stderr


def test_comments_strings_and_names_that_two_folders_declare_are_no_arrow(check):
    code = '// Top\nlet text = "Top"\nfunc f(_ base: Base) { base.topmost() }\nfunc topmost() {}\n'
    assert check({**LAYERED, "Kit/Lower/Back.swift": code}).returncode == 0


@pytest.mark.parametrize("code", ["func f(topmost: Int) -> Int { topmost }", "f(topmost: 1)", "$topmost"],
                         ids=["a parameter", "a label", "another name"])
def test_a_name_without_a_dot_that_is_no_member_is_no_arrow(check, code):
    assert check({**LAYERED, "Kit/Lower/Back.swift": code}).returncode == 0


@pytest.mark.parametrize("count, status", [(100, 0), (101, 1)])
def test_the_101st_public_type_fails(check, count, status):
    names = [f"Type{number}" for number in range(count)]
    done = check({"Kit/Types.swift": "".join(map(TYPE.format, names))}, reasons=names)
    assert done.returncode == status
    assert done.stderr == ("101 top-level types are public, more than 100.\n" if status else "")


def test_a_public_type_without_a_reason_fails(check):
    done = check({"Kit/Types.swift": TYPE.format("Known") + TYPE.format("Unknown")}, reasons=["Known"])
    assert done.returncode == 1
    assert "no reason to be public: Unknown\n" in done.stderr
