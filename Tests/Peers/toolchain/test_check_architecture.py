# SPDX-License-Identifier: MIT
"""Scripts/support/checks/check-architecture on a small tree."""

import shutil
import subprocess

import pytest

from repository import SCRIPTS

PAGE = """# Architecture

`Top.swift` calls `lowest(of:_:in:)` of a `Base(named:)`; the size is `limit` in `Kit/Lower/Base.swift`.

```
Kit
  Lower   the base
  Upper   what uses it
```
"""
SOURCES = {
    "Kit/Lower/Base.swift":
        "struct Base {\n  let limit = 1\n  init(named name: String) {}\n"
        "  func lowest<C>(\n    of name: Result<C, any Error>, _ count: (Int, C) -> Int = { $0 + $1 },\n"
        "    in list: [String: Int]? = nil  // as (it, is)\n  ) {}\n}\n",
    "Kit/Upper/Top.swift": "struct Top { let base: Base }\n",
}


def check(tree, page, sources=SOURCES):
    script = tree / "Scripts/support/checks/check-architecture"
    script.parent.mkdir(parents=True)
    for name in ("check-architecture", "check-layers", "script.py"):
        shutil.copy(SCRIPTS / "checks" / name, script.with_name(name))
    files = {f"Sources/{name}": text for name, text in sources.items()}
    for name, text in {"ARCHITECTURE.md": page, "Package.swift": "", **files}.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    done = subprocess.run([script], capture_output=True, text=True)
    return done.returncode, done.stderr.splitlines()


def test_a_page_that_names_what_is_there_passes(tmp_path):
    assert check(tmp_path, PAGE) == (0, [])


@pytest.mark.parametrize("true, false, problem", [
    ("`Top.swift`", "`Peak.swift`", "there is no Peak.swift"),
    ("(of:_:in:)", "(in:_:of:)", "there is no lowest(in:_:of:)"),
    ("(of:_:in:)", "(of:_:)", "there is no lowest(of:_:)"),
    ("(of:_:in:)", "(of:in:)", "there is no lowest(of:in:)"),
    ("(of:_:in:)", "()", "there is no lowest()"),
    ("Base(named:)", "Base(of:)", "there is no Base(of:)"),
    ("`limit` in `Kit/Lower/Base.swift`", "`limit` in `Kit/Upper/Top.swift`", "Kit/Upper/Top.swift has no limit"),
    ("`limit` in `Kit/Lower/Base.swift`", "`bound`", "there is no bound"),
    ("  Upper   what uses it\n", "", "the folder Kit/Upper is listed or there, and not both"),
    ("  Upper ", "  Middle\n  Upper ", "the folder Kit/Middle is listed or there, and not both"),
    ("  Lower   the base\n  Upper   what uses it\n", "  Upper   what uses it\n  Lower   the base\n",
     "Kit/Upper uses Kit/Lower, which stands below it"),
])
def test_a_line_that_is_not_so_fails_and_is_named(tmp_path, true, false, problem):
    assert true in PAGE
    assert check(tmp_path, PAGE.replace(true, false)) == (1, [f"ARCHITECTURE.md: {problem}"])


@pytest.mark.parametrize("folder, code, problems", [
    ("SecretStoreCache/GLib", "let pointer = g_object_ref(nil)", []),
    ("SecretStoreCache/GLib", "// g_object_ref", ["imports CLibSecret and uses no C symbol"]),
    ("Kit/Lower", "let pointer = g_object_ref(nil)", ["imports CLibSecret, and its folder isn't one that may"]),
])
def test_a_file_imports_clibsecret_only_in_its_folders_where_it_uses_a_c_symbol(tmp_path, folder, code, problems):
    page = PAGE.replace("Kit\n", "SecretStoreCache\n  GLib    what GLib has\nKit\n")
    sources = SOURCES | {"SecretStoreCache/GLib/Base.swift": "", f"{folder}/C.swift": f"import CLibSecret\n\n{code}\n"}
    assert check(tmp_path, page, sources) == (
        bool(problems), [f"ARCHITECTURE.md: {folder}/C.swift {problem}" for problem in problems])
