# SPDX-License-Identifier: MIT
"""Runs the tool and checks every run against the tool's contract."""

import json
import os
import pty
import subprocess
import tempfile
import time
from dataclasses import dataclass

from redaction import shown

# Every token in these tests holds this text, and nothing else does.
TOKEN_MARK = "s3cr3t"

# The limit for every run of the tool.
LIMIT_SECONDS = 15

DONE = 0
INTERACTION_REQUIRED = 10
DECLINED_SCOPES = 11
AMBIGUOUS_ACCOUNT = 12
USAGE = 64
BAD_INPUT = 65
NO_SERVICE = 69
STORAGE_OR_NETWORK = 74
LOCKED_OR_TIMED_OUT = 75
NOT_ENTITLED = 77
UNRECOVERABLE = 78
CANCELLED = 130


@dataclass(frozen=True)
class Outcome:
    """The result of a run."""

    status: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def json(self):
        return json.loads(self.stdout)

    @property
    def error(self):
        """The code of a failure that was reported as JSON."""
        return json.loads(self.stderr)["error"]["code"]


    @property
    def reached_deadline(self):
        """Whether the run waited for others until its deadline, so that it acknowledged nothing."""
        return self.status == LOCKED_OR_TIMED_OUT and self.error in ("timedOut", "lockTimedOut")


class SSOCache:
    """The tool on one group."""

    def __init__(self, tool, group, options=(), environment=None):
        self.tool = tool
        self.group = group
        self._options = list(options)
        self._environment = environment or {}

    def with_options(self, *options):
        return SSOCache(self.tool, self.group, [*self._options, *options], self._environment)

    def with_environment(self, **variables):
        return SSOCache(self.tool, self.group, self._options, self._environment | variables)

    def arguments(self, command, *arguments):
        """The command line, for the test's group unless the arguments name one."""
        options = list(self._options)
        if command not in ("groups", "partners", "agent status", "group copy") and not any(
            str(each).startswith(("--group", "--broker")) for each in arguments
        ):
            options = [f"--group={self.group}", *options]
        return [self.tool, *command.split(), *options, *map(os.fspath, arguments)]

    @property
    def environment(self):
        return os.environ | self._environment

    def run(self, command, *arguments, stdin=None):
        """Runs the tool to its end and checks the contract."""
        start = time.monotonic()
        done = subprocess.run(
            self.arguments(command, *arguments),
            input=stdin if stdin is not None else b"",
            capture_output=True,
            timeout=LIMIT_SECONDS,
            env=self.environment,
        )
        outcome = Outcome(
            done.returncode, done.stdout.decode(), done.stderr.decode(), time.monotonic() - start
        )
        check_contract(command, "--json" in arguments, outcome)
        return outcome

    def fail(self, status, command, *arguments, stdin=None):
        """Runs the tool with --json, which must fail; returns the error code."""
        outcome = self.run(command, *arguments, "--json", stdin=stdin)
        assert outcome.status == status, outcome
        return outcome.error

    def do(self, command, *arguments, stdin=None):
        """Runs the tool with --json (an export: without); returns the document that it prints."""
        flags = [] if command == "export" else ["--json"]
        outcome = self.run(command, *arguments, *flags, stdin=stdin)
        assert outcome.status == DONE, outcome
        assert outcome.stderr == ""
        return outcome.json

    def declined(self, command):
        """Runs a command that asks for consent, on a terminal, and answers no; returns what it asked."""
        terminal, side = pty.openpty()
        os.write(terminal, b"n\n")
        done = subprocess.run(
            self.arguments(command), env=self.environment, stdin=side, capture_output=True, text=True,
            timeout=LIMIT_SECONDS)
        os.close(side)
        os.close(terminal)
        return done.stderr

    # The commands that most tests need.

    def take(self, cache, *flags):
        """Imports a cache without a question: a path, JSON text, or an object to serialise."""
        if "--replace" in flags:
            flags = (*flags, "--yes")
        if isinstance(cache, os.PathLike):
            return self.do("import", "--format", "msal", *flags, cache)
        text = cache if isinstance(cache, str) else json.dumps(cache)
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            file.write(text.encode())
            file.flush()
            return self.do("import", "--format", "msal", *flags, file.name)

    def give(self):
        """Exports the group."""
        return self.do("export", "--format", "msal")

    def accounts(self, *arguments):
        return self.do("accounts", *arguments)["accounts"]

    def token(self, client, account, *scopes, options=()):
        return self.do("token", "--client-id", client, "--account", account, *options, "--scope", *scopes)


def check_contract(command, is_json, outcome):
    """The rules for every run: no token in any form where none belongs, and with --json exactly one
    document on the right stream."""
    assert not shown(outcome.stderr, [TOKEN_MARK]), "a token on standard error"
    if command not in ("token", "export", "secret get"):
        assert not shown(outcome.stdout, [TOKEN_MARK]), "a token on standard output"
    if not is_json:
        return
    if outcome.status == DONE:
        assert isinstance(json.loads(outcome.stdout), dict)
        assert outcome.stdout.endswith("\n")
        return
    assert outcome.stdout == "", "standard output is not empty after a failure"
    document = json.loads(outcome.stderr)
    assert list(document) == ["error"]
    assert sorted(document["error"]) == ["code", "detail", "remedy"]
    assert all(isinstance(value, str) for value in document["error"].values())
    assert document["error"]["code"] and document["error"]["detail"]
