# SPDX-License-Identifier: MIT
"""Scripts/release, in a repository of a small package and with a key that is thrown away.

Only the building of the packages is another one: the real one takes minutes, and Tests/Packages tests it.
"""

import os
import re
import shutil
import subprocess

import pytest

from repository import ROOT

pytestmark = pytest.mark.everything

PACKAGE = """// swift-tools-version: 6.2
import PackageDescription
let package = Package(
  name: "Greeting", products: [.library(name: "Greeting", targets: ["Greeting"])], targets: [.target(name: "Greeting")])
"""
API = "public func greet(_ name: String) -> String { name }\n"
BROKEN_API = "public func greet(name: String) -> String { name }\n"
SMALL_DEB = """#!/bin/bash
set -e
mkdir -p .build/small/DEBIAN .build/package
printf 'Package: small\\nVersion: 1\\nArchitecture: all\\nMaintainer: A <a@contoso.com>\\nDescription: x\\n' \\
    >.build/small/DEBIAN/control
dpkg-deb --build .build/small .build/package/small_1_all.deb
"""


class Repository:
    """The repository of the package, released or not, and the person's key."""

    def __init__(self, folder, keys):
        self.folder = folder
        self._environment = os.environ | {"GNUPGHOME": str(keys), "GIT_CONFIG_GLOBAL": str(folder.parent / "gitconfig")}
        for file in ("Scripts/release", "Scripts/support/version", "Scripts/support/requirements.sh"):
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, folder / file)
        self.write("Scripts/package", SMALL_DEB)
        (folder / "Scripts/package").chmod(0o755)
        self.write("Package.swift", PACKAGE)
        self.write(".gitignore", ".build/\n")
        self.write("Sources/Greeting/Greeting.swift", API)
        self.run("git", "init", "--quiet", "--initial-branch=main")
        for key, value in (("user.name", "Ada"), ("user.email", "ada@contoso.com")):
            self.run("git", "config", "--global", key, value)
        # Where a release that published something would fail.
        self.run("git", "remote", "add", "origin", "file:///nowhere")
        self.set_version("0.1.0")
        self.commit()

    def run(self, *command, check=True):
        done = subprocess.run(
            command, cwd=self.folder, env=self._environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0 or not check, done.stdout + done.stderr
        return done

    def write(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def set_version(self, version, heading=None):
        self.write("CHANGELOG.md", f"# Changelog\n\n## {heading or f'{version} - 2026-12-01'}\n\n- A change.\n")
        self.write("Sources/sso-cache/SSOCache.swift", f'  static let version = "{version}"\n')

    def commit(self):
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message=Change")

    def tag(self, version):
        self.run("git", "tag", version)

    def release(self):
        done = self.run("Scripts/release", "--key", "ada@contoso.com", check=False)
        return done.returncode, done.stdout + done.stderr

    def tags(self):
        return self.run("git", "tag").stdout.split()


@pytest.fixture
def repository(tmp_path):
    keys = tmp_path / "keys"
    keys.mkdir(mode=0o700)
    (tmp_path / "package").mkdir()
    repository = Repository(tmp_path / "package", keys)
    repository.run("gpg", "--batch", "--quiet", "--passphrase=", "--quick-generate-key", "ada@contoso.com", "ed25519",
                   "sign", "never")
    yield repository
    repository.run("gpgconf", "--kill", "all")


def test_a_release_is_the_packages_the_source_and_a_signed_list_of_their_digests(repository):
    status, said = repository.release()
    assert status == 0, said
    output = repository.folder / ".build/release-0.1.0"
    assert sorted(os.listdir(output)) == [
        "SHA256SUMS", "SHA256SUMS.asc", "SecretStoreCache-0.1.0.tar.gz", "small_1_all.deb"]
    digests = (output / "SHA256SUMS").read_text()
    assert re.findall(r"^[0-9a-f]{64}  (\S+)$", digests, re.MULTILINE) == [
        "SecretStoreCache-0.1.0.tar.gz", "small_1_all.deb"]
    checked = ["env", "-C", str(output), "sh", "-ec",
               "gpg --verify SHA256SUMS.asc SHA256SUMS && sha256sum --check --strict SHA256SUMS"]
    repository.run(*checked)
    source = repository.run("tar", "--list", "--file", str(output / "SecretStoreCache-0.1.0.tar.gz")).stdout.split()
    assert "SecretStoreCache-0.1.0/Sources/Greeting/Greeting.swift" in source
    # Nothing is published, and the tag is the person's to set.
    assert repository.tags() == []
    for file in ("small_1_all.deb", "SHA256SUMS"):
        with open(output / file, "ab") as forged:
            forged.write(b"\n")
        assert repository.run(*checked, check=False).returncode != 0


def dirty(repository):
    repository.write("Sources/Greeting/Other.swift", "")


def unreleased(repository):
    repository.set_version("0.1.0-dev", heading="0.1.0 - unreleased")
    repository.commit()


def other_version_of_the_tool(repository):
    repository.set_version("0.2.0", heading="0.1.0 - 2026-12-01")
    repository.commit()


def without_a_date(repository):
    repository.set_version("0.1.0", heading="0.1.0")
    repository.commit()


def without_a_version(repository):
    repository.set_version("0.1.0", heading="Unreleased")
    repository.commit()


def lower_than_the_last_tag(repository):
    repository.tag("0.10.0")
    repository.set_version("0.9.0")
    repository.commit()


def tagged_elsewhere(repository):
    repository.tag("0.1.0")
    repository.write("Sources/Greeting/Greeting.swift", API + API.replace("greet", "welcome"))
    repository.commit()


def made_before(repository):
    repository.write(".build/release-0.1.0/small_1_all.deb", "")


@pytest.mark.parametrize("prepare, message", [
    (dirty, "the work tree is not clean"),
    (unreleased, "0.1.0 is not released"),
    (other_version_of_the_tool, "CHANGELOG.md says 0.1.0, and Sources/sso-cache/SSOCache.swift 0.2.0"),
    (without_a_date, "has no version with a date"),
    (without_a_version, "has no version with a date"),
    (lower_than_the_last_tag, "0.9.0 is lower than the last tag, 0.10.0"),
    (tagged_elsewhere, "the tag 0.1.0 is another commit"),
    (made_before, "release-0.1.0 is there already"),
])
def test_what_is_no_release_is_refused_before_anything_is_made(repository, prepare, message):
    prepare(repository)
    before = repository.run("find", ".build", "-newer", "Package.swift", check=False).stdout
    status, said = repository.release()
    assert (status, message in said) == (1, True), said
    assert repository.run("find", ".build", "-newer", "Package.swift", check=False).stdout == before


@pytest.mark.parametrize("options, status, message", [
    ([], 1, "--key is missing"), (["--key"], 1, "--key needs a value"),
    (["--key", "grace@contoso.com"], 1, "gpg has no secret key of grace@contoso.com"),
    (["--publish"], 64, "Scripts/release --key KEY"),
])
def test_a_release_without_the_persons_key_is_refused(repository, options, status, message):
    done = repository.run("Scripts/release", *options, check=False)
    assert (done.returncode, message in done.stderr) == (status, True), done.stderr


def test_a_changed_api_needs_a_version_that_allows_it(repository):
    repository.tag("0.1.0")
    repository.write("Sources/Greeting/Greeting.swift", BROKEN_API)
    repository.set_version("0.1.1")
    repository.commit()
    status, said = repository.release()
    assert status == 1, said
    assert "API breakage: func greet(_:) has been" in said and "0.1.1 breaks the API of 0.1.0" in said
    assert not (repository.folder / ".build/release-0.1.1").exists()
    repository.set_version("0.2.0")
    repository.commit()
    status, said = repository.release()
    assert (status, "API breakage: func greet(_:)" in said) == (0, True), said
