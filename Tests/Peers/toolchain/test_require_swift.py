# SPDX-License-Identifier: MIT
"""Where the scripts take Swift from when there is none: what they run is signed by a key that the tree names."""

import shutil
import socket
import subprocess
from types import SimpleNamespace

import pytest

from repository import SCRIPTS
from swift_server import ENDLESS, SWIFTLY, THEN, TOOLCHAIN, Keys, SwiftServer, archive

# A person waits for a script that can't have Swift.
LIMIT_SECONDS = 30
WHAT_TO_INSTALL = "Install it as https://www.swift.org/install/linux/ says"
ARCHIVE = archive(swiftly=SWIFTLY)
SCRIPT = """#!/bin/bash
set -euo pipefail
. "$(dirname "$0")/support/requirements.sh"
require_swift
swift --version
"""


@pytest.fixture(scope="module")
def keys():
    keys = Keys()
    yield keys
    keys.remove()


@pytest.fixture(scope="module")
def signed(keys):
    """Keys, and their signatures of the archive. The scripts trust the project's."""
    project, other, unlisted, revoked = (
        keys.make(name) for name in ("Swift Project", "Someone", "Unlisted", "Revoked"))
    expired = keys.make("Expired", "1y")
    signed = SimpleNamespace(
        keys=keys, project=project, other=other, trusted=(project, unlisted, expired, revoked),
        by_project=keys.sign(project, ARCHIVE), by_other=keys.sign(other, ARCHIVE),
        by_unlisted=keys.sign(unlisted, ARCHIVE), by_revoked=keys.sign(revoked, ARCHIVE),
        by_expired=keys.sign(expired, ARCHIVE, *THEN),
        for_a_day=keys.sign(project, ARCHIVE, *THEN, "--default-sig-expire", "1d"),
        as_text=keys.sign(project, ARCHIVE, "--textmode"),
        message=keys.sign(project, ARCHIVE, how="--sign"))
    keys.revoke(revoked)
    signed.list = keys.public(project, other, expired, revoked)
    return signed


class Machine:
    """A copy of the scripts on a machine without Swift, and what its servers send."""

    def __init__(self, folder, signed):
        self.home, self.stand_in, self.programs = folder / "home", folder / "stand-in", folder / "bin"
        self.tree = folder / "tree"
        self.scripts = self.tree / "Scripts/support"
        for each in (self.home, self.stand_in, self.programs, self.scripts):
            each.mkdir(parents=True)
        for name in ("requirements.sh", "fetch-swift", "swift-signature", "swift-keys.txt"):
            shutil.copy(SCRIPTS / name, self.scripts)
        self.trust(*signed.trusted)
        # Of Debian, all is installed but a new Swift.
        self.program("dpkg-query", 'test "$1" = --show && echo installed')
        self.program("apt-get", "exit 0")
        self.program("apt-cache", "exit 0")
        self.program("swift", "echo Swift version 6.1.3")

        self.files = {SwiftServer.KEYS: signed.list, SwiftServer.ARCHIVE: ARCHIVE,
                      SwiftServer.SIGNATURE: signed.by_project}
        (self.stand_in / "keys").write_bytes(signed.list)
        (self.stand_in / "toolchain").write_bytes(TOOLCHAIN)
        (self.stand_in / "toolchain.sig").write_bytes(signed.keys.sign(signed.project, TOOLCHAIN))

    def trust(self, *fingerprints):
        (self.scripts / "swift-keys.txt").write_text("".join(f"{key} A key\n" for key in fingerprints))

    def program(self, name, script):
        (self.programs / name).write_text(f"#!/bin/bash\n{script}\n")
        (self.programs / name).chmod(0o755)

    def start(self, server=None, **environment):
        """Runs a script that needs Swift, with the server at an address or with one that sends the files."""
        if server is None:
            with SwiftServer(self.files) as server:
                done = self.start(server.address, **environment)
                self.requests = server.requests
                return done
        environment = {"PATH": f"{self.programs}:/usr/bin:/bin", "HOME": str(self.home), "LC_ALL": "C.UTF-8",
                       "SSC_SWIFT_SERVER": server, "STAND_IN": str(self.stand_in)} | environment
        return subprocess.run(
            ["bash", "-c", SCRIPT, self.tree / "Scripts/build"], env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=LIMIT_SECONDS)

    @property
    def ran(self):
        """The arguments of each run of what was fetched."""
        log = self.stand_in / "ran"
        return log.read_text().splitlines() if log.exists() else []

    @property
    def left(self):
        """What is new in the tree and at home."""
        return [*self.tree.glob(".build/*"), *self.home.rglob("*")]

    def assert_refused(self, done, reason):
        assert (done.returncode, done.stdout) == (1, ""), done
        assert reason in done.stderr and WHAT_TO_INSTALL in done.stderr, done.stderr
        assert self.left == []


@pytest.fixture
def machine(tmp_path, signed):
    return Machine(tmp_path, signed)


def test_a_signed_toolchain_is_fetched_once(machine):
    done = machine.start()
    assert (done.returncode, done.stdout) == (0, "Swift version 6.3.1 (swift-6.3.1-RELEASE)\n"), done
    assert "Fetching Swift 6.3.1 with swiftly from swift.org, into" in done.stderr
    [init, install] = machine.ran
    assert init.startswith("init --assume-yes --no-modify-profile --skip-install"), init
    assert install.startswith("install 6.3.1 --verify --assume-yes --post-install-file /"), install
    assert machine.left == [machine.tree / ".build/swift-6.3.1"]
    assert len(machine.requests) == 3

    again = machine.start()
    assert (again.returncode, again.stdout, again.stderr) == (0, done.stdout, "")
    assert (machine.requests, len(machine.ran)) == ([], 2)


# What the server sends in place of the signature of the archive, and what the scripts say of it.
BAD_SIGNATURES = {
    "of a key that is not pinned": ("by_other", "which is not one of swift-keys.txt"),
    "of a key that is not in the list": ("by_unlisted", "a key that the list of keys does not have"),
    "of an expired key": ("by_expired", "the key has expired"),
    "of a revoked key": ("by_revoked", "the key was revoked"),
    "expired": ("for_a_day", "the signature has expired"),
    "of a text": ("as_text", "it is not the signature of a binary file"),
    "a signed message": ("message", "is refused"),
    "two": (lambda signed: signed.by_project + signed.by_other, "there is more than one signature"),
    "of another file": (
        lambda signed: signed.keys.sign(signed.project, b"other"), "the file is not the one that was signed"),
    "empty": (lambda signed: b"", "there is no signature in it"),
    "a page": (lambda signed: b"<html>Not found</html>", "there is no signature in it"),
    "cut": (lambda signed: signed.by_project[:-20], "is refused"),
    "missing": (lambda signed: None, "could not fetch"),
    "endless": (lambda signed: ENDLESS, "could not fetch"),
}


@pytest.mark.parametrize("signature", BAD_SIGNATURES)
def test_nothing_runs_that_the_project_has_not_signed(machine, signed, signature):
    content, reason = BAD_SIGNATURES[signature]
    machine.files[SwiftServer.SIGNATURE] = content(signed) if callable(content) else getattr(signed, content)
    machine.assert_refused(machine.start(), reason)
    assert machine.ran == []


BAD_FILES = {
    "changed archive": (SwiftServer.ARCHIVE, ARCHIVE[:-9] + b"\0" + ARCHIVE[-8:], "not the one that was signed"),
    "missing archive": (SwiftServer.ARCHIVE, None, "could not fetch"),
    "missing keys": (SwiftServer.KEYS, None, "could not fetch"),
    "keys that are none": (SwiftServer.KEYS, b"<html>", "a key that the list of keys does not have"),
    "endless keys": (SwiftServer.KEYS, ENDLESS, "could not fetch"),
}


@pytest.mark.parametrize("file", BAD_FILES)
def test_a_bad_download_is_refused(machine, file):
    path, content, reason = BAD_FILES[file]
    machine.files[path] = content
    machine.assert_refused(machine.start(), reason)
    assert machine.ran == []


def test_a_mirror_makes_no_key_trusted(machine):
    shutil.copy(SCRIPTS / "swift-keys.txt", machine.scripts)
    machine.assert_refused(machine.start(), "which is not one of swift-keys.txt")
    assert machine.ran == []


def test_the_persons_own_keyring_does_not_count(machine, signed, keys):
    machine.files[SwiftServer.KEYS] = b""
    done = machine.start(GNUPGHOME=str(keys.home))
    machine.assert_refused(done, "a key that the list of keys does not have")


def test_a_signed_archive_without_swiftly_is_refused(machine, signed):
    for content in (archive(swift=SWIFTLY), b"#!/bin/bash\n"):
        machine.files |= {SwiftServer.ARCHIVE: content,
                          SwiftServer.SIGNATURE: signed.keys.sign(signed.project, content)}
        machine.assert_refused(machine.start(), "there is no swiftly in")
        assert machine.ran == []


@pytest.mark.parametrize("signer", ["other", "nobody"])
def test_a_forged_toolchain_is_not_unpacked(machine, signed, signer):
    forged = signed.keys.sign(signed.other, TOOLCHAIN) if signer == "other" else b""
    (machine.stand_in / "toolchain.sig").write_bytes(forged)
    machine.assert_refused(machine.start(), "swiftly could not install Swift 6.3.1")
    assert [line.split()[0] for line in machine.ran] == ["init", "install"]


def test_offline_the_script_says_what_to_install(machine):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        machine.assert_refused(machine.start(f"http://127.0.0.1:{unused.getsockname()[1]}"), "could not fetch")


def test_a_server_that_says_nothing_is_given_up(machine):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        machine.assert_refused(machine.start(f"http://127.0.0.1:{silent.getsockname()[1]}"), "could not fetch")


def test_apts_swift_comes_first(machine):
    machine.program("apt-cache", "echo '  Candidate: 6.2.3-1'")
    machine.program("dpkg-query", "exit 1")
    install = f"printf '#!/bin/bash\necho Swift version 6.2.3\n' >'{machine.programs}/swift'"
    machine.program("apt-get", f'case "$*" in *swiftlang*) {install} ;; esac')
    machine.program("sudo", 'shift; exec "$@"')
    done = machine.start()
    assert (done.returncode, done.stdout) == (0, "Swift version 6.2.3\n"), done
    assert machine.requests == [] and machine.left == []


@pytest.mark.parametrize("answer", ["Swift version 6.1.3 (swift-6.1.3-RELEASE)", "python-swiftclient 4.2.0", ""])
def test_another_swift_is_not_used(machine, answer):
    machine.program("swift", f"echo '{answer}'")
    assert machine.start().stdout == "Swift version 6.3.1 (swift-6.3.1-RELEASE)\n"


def test_a_new_swift_is_used(machine):
    machine.program("swift", "echo 'Swift version 6.2.1'")
    done = machine.start()
    assert (done.stdout, done.stderr, machine.requests) == ("Swift version 6.2.1\n", "", [])
