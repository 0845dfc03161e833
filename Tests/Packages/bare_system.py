# SPDX-License-Identifier: MIT
"""A bare Debian on which the packages of .build/package are installed."""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / ".build/package"
LIMIT_SECONDS = 600

sys.path.insert(0, str(ROOT / "Tests/Peers/support"))

# Each logs in to a session of their own. Nobody else is in the system.
USERS = ("ada", "grace", "joan", "mary")

# What belongs to apt, dpkg and the users; their own notes of a package remain after it.
NOT_COMPARED = re.compile("/(home|tmp|var/log|var/lib/(apt|dpkg)|var/cache/(apt|debconf))(/|$)")


@dataclass(frozen=True)
class Outcome:
    status: int
    stdout: str
    stderr: str


class BareSystem:
    """The system, in a folder that goes afterwards."""

    def __init__(self):
        self._scratch = tempfile.mkdtemp(prefix="ssc-packages.")
        self._folder = f"{self._scratch}/root"
        # It takes a while when debootstrap has to make it.
        subprocess.run([ROOT / "Scripts/support/bare-root", self._folder], check=True)

    def remove(self):
        as_root = [] if os.geteuid() == 0 else ["sudo", "--"]
        subprocess.run([*as_root, "rm", "-rf", self._scratch], check=True)

    def run(self, script, user=None, packages=PACKAGES, stdin=""):
        """Runs a shell script as root, or in a session of a user. The packages are in /packages."""
        command = ["bash", "-euc", script] if user is None else ["/tests/session", user, script]
        done = subprocess.run(
            [ROOT / "Scripts/support/bare-root", self._folder, "--bind-read-only", f"{packages}:/packages",
             "--bind-read-only", f"{ROOT}/Tests/Packages:/tests", *command],
            input=stdin, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        return Outcome(done.returncode, done.stdout, done.stderr)

    def output(self, script, user=None, **settings):
        """The output of a script that succeeds."""
        outcome = self.run(script, user, **settings)
        assert outcome.status == 0, outcome
        return outcome.stdout

    def install(self, packages=PACKAGES):
        self.output("apt-get --quiet=2 install --yes /packages/*.deb", packages=packages)

    def files(self):
        """Every path that is not the users' or a note of dpkg's."""
        paths = self.output("find / -xdev -print").splitlines()
        return {path for path in paths if not NOT_COMPARED.match(path)}


def names():
    """The names of the packages."""
    return sorted(path.name.partition("_")[0] for path in PACKAGES.glob("*.deb"))


def raised(folder, version):
    """Makes the packages again in a folder, with another version."""
    for package in PACKAGES.glob("*.deb"):
        content = folder / package.name.partition("_")[0]
        subprocess.run(["dpkg-deb", "--raw-extract", package, content], check=True)
        control = content / "DEBIAN/control"
        control.write_text(re.sub("^Version: .*", f"Version: {version}", control.read_text(), flags=re.MULTILINE))
        subprocess.run(
            ["dpkg-deb", "-Znone", "--root-owner-group", "--build", content, f"{content}.deb"], check=True,
            stdout=subprocess.DEVNULL)
