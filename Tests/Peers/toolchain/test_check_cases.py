# SPDX-License-Identifier: MIT
"""Scripts/support/checks/check-cases on small tables."""

import shutil
import subprocess

import pytest

from repository import SCRIPTS

SWIFT = '''
  @Test("One line")
  @Test(
    """
    "A sentence", and
    what follows it
    """)
  @Test(
    "With \\\\"quotes\\\\"", arguments: [1])
/* @Test("Commented out") */
'''.replace("\\\\", "\\")
FILES = {
    "Tests/A.swift": SWIFT,
    "Tests/test_b.py": "def test_b():\n    pass\n",
    "Sources/Page.md": "# Page\n\n### What falls away, and why\n\n```sh\n# A comment\n```\n",
}
GUIDANCE = [
    "- **redirects**: a page", "- **move**: another page", "",
    "| no. | document | what it says | test or heading | file |", "|---|---|---|---|---|",
    "| 1 | redirects | a rule | `One line` | Tests/A.swift |",
    '| 2 | move, redirects | two | `"A sentence", and what follows it` | Tests/A.swift |',
    '| 2 | move | two | `With "quotes"` | Tests/A.swift |',
    "| 3 | move | three | `test_b` | Tests/test_b.py |",
    "| 4 | move | four | `What falls away, and why` | Sources/Page.md |",
]


@pytest.fixture
def check(tmp_path):
    def run(guidance=GUIDANCE, row="| {} | a test | a rule | `One line` | Tests/A.swift |"):
        script = tmp_path / "Scripts/support/checks/check-cases"
        script.parent.mkdir(parents=True)
        shutil.copy(SCRIPTS / "checks/check-cases", script)
        cases = "\n".join(row.format(case) for case in range(1, 86))
        texts = {**FILES, "Tests/MSALCases.md": cases, "Tests/GuidanceCases.md": "\n".join(guidance)}
        for name, text in texts.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        done = subprocess.run([script], capture_output=True, text=True)
        assert done.stderr == ""
        return done.returncode, done.stdout.splitlines()

    return run


def test_tables_that_name_what_is_there_pass(check):
    said = "85 cases of MSAL's tests and 4 statements of Microsoft's guidance are mapped."
    assert check() == (0, [said])


@pytest.mark.parametrize("line, problem", [
    ("| 4 | move | x | `Another` | Tests/A.swift |", "Tests/A.swift declares no test `Another`"),
    ("| 4 | move | x | `Commented out` | Tests/A.swift |", "Tests/A.swift declares no test `Commented out`"),
    ("| 4 | move | x | One line | Tests/A.swift |", "a name stands between backticks, and this doesn't: One line"),
    ("| 4 | move | x | `One line` | Tests/B.swift |", "no Swift or Python file or page: Tests/B.swift"),
    ("| 4 | move | x | `Overview` | Sources/Page.md |", "Sources/Page.md has no heading `Overview`"),
    ("| 4 | move | x | `A comment` | Sources/Page.md |", "Sources/Page.md has no heading `A comment`"),
    ("| 5 | move | x | `One line` | Tests/A.swift |", "after statement 3 stands 5"),
    ("| 2 | move | x | `One line` | Tests/A.swift |", "after statement 3 stands 2"),
    ("| 3 | move | x | `test_b` | Tests/test_b.py |", "statement 3 has this row already"),
    ("| 4 | brokers, move | x | `One line` | Tests/A.swift |", "no document: brokers"),
    ("| 4 | move | x | `One line` |", "a row of 4 cells"),
])
def test_a_row_of_the_guidance_that_is_not_so_fails_and_is_named(check, line, problem):
    assert check([*GUIDANCE[:-1], line]) == (1, [f"Tests/GuidanceCases.md:{len(GUIDANCE)}: {problem}"])


def test_a_table_without_a_statement_fails(check):
    assert check(GUIDANCE[:5]) == (1, ["Tests/GuidanceCases.md:1: no statement is mapped"])


def test_a_heading_is_no_test_of_a_case_of_msal(check):
    status, lines = check(row="| {} | a test | a rule | `Page` | Sources/Page.md |")
    assert status == 1 and len(lines) == 85
    assert lines[0] == "Tests/MSALCases.md:1: no Swift or Python file: Sources/Page.md"
