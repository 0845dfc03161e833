# SPDX-License-Identifier: MIT
"""Runs the tool in real sandboxes and outside of them."""

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, os.environ.get("SSC_PEERS", str(Path(__file__).parents[1] / "Peers/support")))

from unified_cache import access_token, cache_of, secrets  # noqa: E402

MAIL, CALENDAR, SPY = "com.contoso.Mail", "com.contoso.Calendar", "com.fabrikam.Spy"
TOOL = os.environ["SSC_TOOL"]
RUNTIME = Path(os.environ["XDG_RUNTIME_DIR"])
FOLDER = "xdg-run/secret-store-cache"
LIMIT_SECONDS = 180


def flatpak(app, *options, **environment):
    """The command that runs a shell in a Flatpak, with the host's environment."""
    variables = [f"{name}={value}" for name, value in environment.items()]
    return ["env", *variables, "flatpak", "run", *options, app, "-c"]


def snap(name):
    """The command that runs a shell in a snap."""
    return ["snap", "run", f"{name}.sh", "-c"]


def unit(name):
    """The command that runs a shell in a unit of the user's systemd."""
    return ["systemd-run", "--user", "--quiet", "--wait", "--collect", "--pipe", f"--setenv=PATH={PATH}",
            f"--unit={name}", "bash", "-c"]


PATH = f"{Path(TOOL).parent}:{os.environ['PATH']}"
OUTSIDE = ["env", f"PATH={PATH}", "bash", "-c"]


def shell(place, script, stdin=""):
    """The output of a script in a place, with its standard error."""
    done = subprocess.run(
        [*place, script], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=LIMIT_SECONDS)
    return done.stdout


def doctor_lines(place, check):
    """Doctor's line for a check, and the one below it."""
    lines = shell(place, "sso-cache doctor").splitlines()
    found = [index for index, line in enumerate(lines) if line[2:].split(" ")[0] == check]
    assert len(found) == 1, lines
    [index] = found
    return "\n".join(lines[index:index + 2])


def new_login():
    """Removes the state that a new login would not have."""
    for path in [RUNTIME / "secret-store-cache", *RUNTIME.glob(".flatpak/com.*")]:
        shutil.rmtree(path, ignore_errors=True)


class Writer(threading.Thread):
    """Saves one token after another in a place, and records which were acknowledged."""

    SCRIPT = """while read -r number cache; do
        printf %s "$cache" | sso-cache import --format msal --group GROUP - >/dev/null 2>&1 && echo "$number"
    done"""

    def __init__(self, place, group, count, name):
        super().__init__()
        self._place, self._script = place, self.SCRIPT.replace("GROUP", group)
        self._tokens = [access_token(f"{name}.{number}") for number in range(count)]
        self.acknowledged = set()

    def run(self):
        caches = "".join(
            f"{number} {json.dumps(cache_of(token))}\n" for number, token in enumerate(self._tokens))
        words = shell(self._place, self._script, caches).split()
        self.acknowledged = {self._tokens[int(word)]["secret"] for word in words if word.isdigit()}


def write_at_once(group, *places, count=15):
    """Runs writers in several places at once; returns the acknowledged tokens, and the missing ones of them."""
    writers = [Writer(place, group, count, f"scope{index}") for index, place in enumerate(places)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    acknowledged = set().union(*(writer.acknowledged for writer in writers))
    kept = secrets(json.loads(shell(OUTSIDE, f"sso-cache export --format msal --group {group}")), "AccessToken")
    return acknowledged, acknowledged - kept


def collections(group):
    listed = json.loads(shell(OUTSIDE, "sso-cache groups --json"))["groups"]
    return [entry for entry in listed if entry["name"] == group]
