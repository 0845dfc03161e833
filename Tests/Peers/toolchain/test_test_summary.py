# SPDX-License-Identifier: MIT
"""Scripts/support/test-summary on results as Scripts/test leaves them."""

import subprocess

import pytest

from repository import SCRIPTS

PASSED = '<testcase classname="S" name="{}" time="{}"/>'
FAILED = '<testcase classname="S" name="{}" time="1"><failure>no</failure></testcase>'
BROKEN = '<testcase classname="S" name="{}" time="1"><error>no</error></testcase>'


def results(folder, seconds="unit 7\nservice 30\n", unsteady=None, **cases):
    folder.mkdir()
    (folder / "seconds").write_text(seconds)
    for name, tests in cases.items():
        (folder / f"{name.replace('_', '-')}.xml").write_text(f"<testsuite>{''.join(tests)}</testsuite>")
    if unsteady:
        (folder / "unsteady").write_text(unsteady)
    return folder


def summary(*arguments):
    done = subprocess.run([SCRIPTS / "test-summary", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout


def test_it_counts_the_tests_of_each_step_in_all_its_parts(tmp_path):
    folder = results(
        tmp_path / "r", unit=[PASSED.format("a", 1)], service_swift_1=[PASSED.format("b", 20)],
        service_swift_2=[PASSED.format("c", 3), '<testcase classname="S" name="d"><skipped/></testcase>'])
    status, text = summary(folder)
    assert status == 0
    assert [line.split() for line in text.splitlines()[2:5]] == [["unit", "1", "7"], ["service", "2", "30"], ["3"]]
    assert text.index("20.0  service: S.b") < text.index("3.0  service: S.c") < text.index("1.0  unit: S.a")


def test_it_ends_with_the_unsteady_tests_and_what_they_said(tmp_path):
    status, text = summary(results(tmp_path / "r", unsteady="S/a\n    it failed\n", unit=[PASSED.format("a", 1)]))
    assert status == 0 and text.endswith("\n\nS/a\n    it failed\n")


@pytest.mark.parametrize("unsteady, cases, status, line", [
    ([None, None], [PASSED, PASSED], 0, "2 rounds on busy cores. No test failed."),
    (["S/a/File.swift:1:2\n    said\n", None], [PASSED, PASSED], 0, "   1 of 2  S.a"),
    (["S/a/File.swift:1:2\n    said\n"] * 2, [PASSED, PASSED], 1, "   2 of 2  S.a"),
    (["tool/test_a.py::test_b[c/d (e)] (call)\n", None], [PASSED, PASSED], 0, "   1 of 2  tool.test_a.test_b[c/d (e)]"),
    (["S/a/File.swift:1:2\n", None], [FAILED, PASSED], 1, "   1 of 2  S.a (also when it was run again)"),
    ([None, None], [PASSED, FAILED], 1, "   1 of 2  S.a (also when it was run again)"),
    ([None, None], [BROKEN, PASSED], 1, "   1 of 2  S.a (also when it was run again)"),
])
def test_the_rounds_on_busy_cores_fail_when_a_test_fails_twice_or_never_passes(
    tmp_path, unsteady, cases, status, line
):
    folders = [
        results(tmp_path / f"{number}", unsteady=unsteady[number], unit=[cases[number].format("a", 1)])
        for number in range(2)
    ]
    found, text = summary("--steady", *folders)
    assert found == status and line in text.splitlines()
