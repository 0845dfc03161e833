# SPDX-License-Identifier: MIT
"""Which tests assert something, and are run: in their own body, or by a helper whose name says that it asserts."""

import ast
import re

SWIFT_TEST = r'(?:@Test|ContractCase)\(\s*"{}"'
SWIFT_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# FaultTable's methods check the outcome of a call.
SWIFT_ASSERTION = re.compile(r"#expect\b|#require\b|\bIssue\.record\b|\bexpect\w*\s*[({]|\btable\.(?:run|cancel)\(")
SWIFT_SKIP = re.compile(r"\.(?:disabled|enabled)\(")
PYTHON_HELPER = re.compile(r"raises|fail|check_\w+|assert_\w+|assert[A-Z]\w*")
# A mark of pytest or a decorator of unittest, by its last name; a call of pytest.skip or self.skipTest.
PYTHON_SKIP = re.compile(r"skip|skipif|skipIf|skipUnless|skipTest|xfail")
CLOSING = {"(": ")", "{": "}"}


def closed(text, start):
    """The end of what a bracket opens; brackets in texts are balanced in these tests."""
    opening, depth = text[start], 0
    for index in range(start, len(text)):
        if text[index] == opening:
            depth += 1
        elif text[index] == CLOSING[opening]:
            depth -= 1
            if depth == 0:
                return index + 1
    return len(text)


def swift_body(text, start):
    """The body that follows a declaration: what its first brace outside of parentheses opens."""
    index = start
    while index < len(text):
        if text[index] == "(":
            index = closed(text, index)
        elif text[index] == "{":
            return text[index : closed(text, index)]
        else:
            index += 1
    return ""


def swift_asserts(text, test):
    declared = re.search(SWIFT_TEST.format(re.escape(test)), text)
    start = text.index("(", declared.start())
    arguments = text[start : closed(text, start)]
    # A case of the contract is a closure among the arguments.
    body = arguments if "ContractCase" in declared[0] else swift_body(text, start + len(arguments))
    return not SWIFT_SKIP.search(arguments) and bool(SWIFT_ASSERTION.search(SWIFT_COMMENT.sub("", body)))


def name_of(node):
    """The last name of a function or decorator, called or not: skipif of pytest.mark.skipif(…)."""
    node = node.func if isinstance(node, ast.Call) else node
    return getattr(node, "id", getattr(node, "attr", ""))


def python_asserts(text, test):
    """Whether a test asserts something; a test of a module or by a function that is skipped does not count."""
    module = ast.parse(text)
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef) and node.name == test]
    if len(functions) != 1:
        return False
    [function] = functions
    marks = [
        mark for node in module.body if isinstance(node, ast.Assign) for mark in ast.walk(node.value)
        if any(name_of(target) == "pytestmark" for target in node.targets)
    ]
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    if any(PYTHON_SKIP.fullmatch(name_of(node)) for node in [*function.decorator_list, *marks, *calls]):
        return False
    return any(isinstance(node, ast.Assert) for node in ast.walk(function)) or any(
        PYTHON_HELPER.fullmatch(name_of(call)) for call in calls)


def asserts(path, test):
    """Whether a test of a file asserts something and is run."""
    text = path.read_text(encoding="utf-8")
    return (swift_asserts if path.suffix == ".swift" else python_asserts)(text, test)
