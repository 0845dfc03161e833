# SPDX-License-Identifier: MIT
"""Scripts/support/swift-tests on a real test program, whose tests fail, crash and hang as asked."""

import os
import subprocess
from xml.etree import ElementTree

import pytest

from repository import SCRIPTS

pytestmark = pytest.mark.everything

PACKAGE = """// swift-tools-version: 6.2
import PackageDescription
let package = Package(name: "Sample", targets: [.testTarget(name: "SampleTests")])
"""
TESTS = """
import Foundation
import Testing

/// Whether the test has run before.
func again(_ name: String) -> Bool {
  let path = ProcessInfo.processInfo.environment["RAN"]! + "/" + name
  return !FileManager.default.createFile(atPath: path, contents: nil, attributes: nil) || hasRun(path)
}

/// The file has a byte for each run.
func hasRun(_ path: String) -> Bool {
  let count = (try? Data(contentsOf: URL(filePath: path + ".count")).count) ?? 0
  try! Data(count: count + 1).write(to: URL(filePath: path + ".count"))
  return count > 0
}

@Suite(.serialized) struct Sample {
  @Test func passes() {}
  @Test func failsOnce() { #expect(again("failsOnce"), "not yet") }
  @Test func failsAlways() { #expect(again("never") && false, "not ever") }
  @Test(arguments: [1, 2]) func failsOnceInOneCase(_ number: Int) { #expect(number == 1 || again("case")) }
  @Test func crashesOnce() { if !again("crashesOnce") { fatalError("as asked") } }
  @Test func crashesAlways() { fatalError("as asked") }
  @Test func hangsOnce() { if !again("hangsOnce") { Thread.sleep(forTimeInterval: 600) } }
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    (folder / "Tests/SampleTests").mkdir(parents=True)
    (folder / "Package.swift").write_text(PACKAGE)
    (folder / "Tests/SampleTests/SampleTests.swift").write_text(TESTS)
    subprocess.run(["swift", "build", "--build-tests"], cwd=folder, check=True, capture_output=True)
    return folder / ".build/debug/SamplePackageTests.xctest"


class Outcome:
    def __init__(self, program, folder, *options):
        results = folder / "results.xml"
        environment = os.environ | {"RAN": str(folder), "SSC_UNSTEADY": str(folder / "unsteady")}
        done = subprocess.run(
            [SCRIPTS / "swift-tests", "--results", results, *options, "--", program], env=environment,
            capture_output=True, text=True, timeout=300)
        self.status, self.output = done.returncode, done.stdout
        cases = ElementTree.parse(results).iter("testcase")
        self.passed = {case.get("name").split("(")[0]: not len(case) for case in cases}
        unsteady = folder / "unsteady"
        self.unsteady = unsteady.read_text() if unsteady.exists() else ""

    def runs(self, folder, name):
        return (folder / f"{name}.count").stat().st_size


def test_tests_that_pass_run_once_and_nothing_is_unsteady(program, tmp_path):
    outcome = Outcome(program, tmp_path, "--filter", "/passes")
    assert (outcome.status, outcome.passed, outcome.unsteady) == (0, {"passes": True}, "")


@pytest.mark.parametrize(("name", "said"), [
    ("failsOnce", "not yet"),
    ("failsOnceInOneCase", "Expectation failed"),
    ("crashesOnce", "the program ended in it"),
])
def test_a_test_that_fails_once_is_unsteady_and_does_not_fail_the_run(program, tmp_path, name, said):
    outcome = Outcome(program, tmp_path, "--filter", f"/({name}|passes)\\(")
    assert outcome.status == 0 and outcome.passed == {name: True, "passes": True}, outcome.output
    assert name in outcome.unsteady and said in outcome.unsteady


def test_a_test_that_hangs_once_is_ended_and_run_again(program, tmp_path):
    outcome = Outcome(program, tmp_path, "--limit", "5", "--filter", "/(hangsOnce|passes)")
    assert outcome.status == 0 and outcome.passed == {"hangsOnce": True, "passes": True}, outcome.output
    assert "hangsOnce" in outcome.unsteady and "ended after 5 s" in outcome.output


def test_a_test_that_fails_three_times_fails_the_run(program, tmp_path):
    outcome = Outcome(program, tmp_path, "--filter", "/(failsAlways|passes)")
    assert outcome.status == 1 and outcome.passed == {"failsAlways": False, "passes": True}
    assert "failed: SampleTests.Sample/failsAlways()" in outcome.output and "not ever" in outcome.output
    assert outcome.runs(tmp_path, "never") == 3 and outcome.unsteady == ""


def test_a_crash_fails_its_test_alone_and_the_tests_after_it_run(program, tmp_path):
    outcome = Outcome(program, tmp_path, "--filter", "/(crashesAlways|failsOnce|passes)\\(")
    assert outcome.status == 1, outcome.output
    assert outcome.passed == {"crashesAlways": False, "failsOnce": True, "passes": True}


def test_no_test_at_all_is_a_failure(program, tmp_path):
    outcome = Outcome(program, tmp_path, "--filter", "/nothingIsNamedSo")
    assert outcome.status == 1 and "no test ran" in outcome.output
