# SPDX-License-Identifier: MIT
"""Which tests assert something: in their own body or in a helper that they call, by its name."""

import ast
import functools
import re
from pathlib import Path

SWIFT_TEST = r'(?:@Test|ContractCase)\(\s*"{}"'
SWIFT_FUNCTION = re.compile(r"\bfunc\s+(\w+)|\b(init)\s*\(")
SWIFT_ASSERTION = re.compile(r"#expect\b|#require\b|\bIssue\.record\b|\bprecondition\b")
CALL = re.compile(r"\b(\w+)\s*[({]")
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


def grown(names, calls):
    """The names of helpers that assert something, directly or through others."""
    while more := {name for name, called in calls.items() if called & names} - names:
        names = names | more
    return names


@functools.cache
def swift_helpers(folder):
    asserting, calls = set(), {}
    for file in Path(folder).rglob("*.swift"):
        text = file.read_text(encoding="utf-8")
        for found in SWIFT_FUNCTION.finditer(text):
            name, body = found[1] or found[2], swift_body(text, found.end(1) if found[1] else found.end(2))
            if name == "init":
                continue
            if SWIFT_ASSERTION.search(body):
                asserting.add(name)
            calls.setdefault(name, set()).update(CALL.findall(body))
    return grown(asserting, calls)


def target_of(path):
    """The folder of the target that a file of tests is in."""
    return next(folder for folder in path.parents if folder.parent.name == "Tests")


def swift_asserts(path, test):
    text = path.read_text(encoding="utf-8")
    declared = re.search(SWIFT_TEST.format(re.escape(test)), text)
    start = text.index("(", declared.start())
    body = swift_body(text, closed(text, start))
    # A case of the contract is a closure among the arguments.
    body += text[start : closed(text, start)] if "ContractCase" in declared[0] else ""
    return bool(SWIFT_ASSERTION.search(body)) or bool(set(CALL.findall(body)) & swift_helpers(target_of(path)))


def called(function):
    names = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            names.add(getattr(node.func, "id", getattr(node.func, "attr", None)))
    return names


def python_asserts_itself(function):
    if any(isinstance(node, ast.Assert) for node in ast.walk(function)):
        return True
    # unittest's are called assertEqual and so on.
    return any(name == "raises" or name and re.match("assert[A-Z]", name) for name in called(function))


@functools.cache
def python_helpers(folder):
    asserting, calls = set(), {}
    for file in Path(folder).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                if python_asserts_itself(node):
                    asserting.add(node.name)
                calls.setdefault(node.name, set()).update(called(node))
    return grown(asserting, calls)


def python_asserts(path, test):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name == test:
            return python_asserts_itself(node) or bool(called(node) & python_helpers(target_of(path)))
    return False


def asserts(path, test):
    """Whether a test of a file asserts something."""
    return (swift_asserts if path.suffix == ".swift" else python_asserts)(path, test)
