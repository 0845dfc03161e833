# SPDX-License-Identifier: MIT
"""A stand-in for the servers of swift.org on the loopback interface, with keys and signatures of the test's own."""

import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from servers import LoopbackServer, _Handler

ENDLESS = iter(lambda: b"x" * 65536, None)

# What swiftly does, as far as it matters here: init moves it to its folder; install adds the keys of the server to
# the keyring, checks the toolchain's signature, and unpacks it. STAND_IN is a folder with what the server would send.
SWIFTLY = b"""#!/bin/bash
printf '%s\\n' "$*" >>"$STAND_IN/ran"
case $1 in
init) mkdir -p "$SWIFTLY_BIN_DIR" "$SWIFTLY_TOOLCHAINS_DIR" && mv "$0" "$SWIFTLY_BIN_DIR/swiftly" ;;
install)
    gpg --import "$STAND_IN/keys" && gpg --verify "$STAND_IN/toolchain.sig" "$STAND_IN/toolchain" || exit 1
    mkdir -p "$SWIFTLY_TOOLCHAINS_DIR/$2/usr/bin"
    cp "$STAND_IN/toolchain" "$SWIFTLY_TOOLCHAINS_DIR/$2/usr/bin/swift"
    chmod +x "$SWIFTLY_TOOLCHAINS_DIR/$2/usr/bin/swift"
    echo 'apt-get -y install nothing' >"${@: -1}" ;;
esac
"""
TOOLCHAIN = b"#!/bin/bash\necho 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'\n"


# When the keys were made, and those with an end had not come to it.
THEN = ["--faked-system-time", "20200601T000000!"]


class Keys:
    """A keyring with secret keys. Its folder's name is short, as that of a socket has to be."""

    def __init__(self):
        self.home = Path(tempfile.mkdtemp(prefix="ssc-gpg.", dir="/tmp"))

    def gpg(self, *arguments, data=None):
        options = ["--homedir", self.home, "--batch", "--quiet", "--yes", "--pinentry-mode", "loopback",
                   "--passphrase", ""]
        return subprocess.run(["gpg", *options, *arguments], input=data, capture_output=True, check=True).stdout

    def make(self, name, life="never"):
        """A new key that signs; returns its fingerprint."""
        self.gpg(*THEN, "--quick-generate-key", name, "ed25519", "sign", life)
        listed = self.gpg("--with-colons", "--list-secret-keys", f"={name}").decode()
        return next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:"))

    def revoke(self, key):
        certificate = (self.home / f"openpgp-revocs.d/{key}.rev").read_text()
        self.gpg("--import", data=certificate.replace(":-----BEGIN", "-----BEGIN").encode())

    def public(self, *keys):
        return self.gpg("--armor", "--export", *keys)

    def sign(self, key, data, *options, how="--detach-sign"):
        return self.gpg(*options, "--local-user", key, "--output", "-", how, data=data)

    def remove(self):
        subprocess.run(["gpgconf", "--homedir", self.home, "--kill", "all"], check=True)
        shutil.rmtree(self.home)


def archive(**files):
    """A tar.gz of programs."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o755
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


class _FileHandler(_Handler):
    def do_GET(self):
        self.server.requests.append(self.path)
        content = self.server.provider.get(self.path)
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.end_headers()
        try:
            for part in content if content is ENDLESS else [content]:
                self.wfile.write(part)
        except OSError:
            pass  # The client has had enough.


class SwiftServer(LoopbackServer):
    """Serves the files of a dictionary, by their paths."""

    handler = _FileHandler
    KEYS = "/keys/all-keys.asc"
    ARCHIVE = f"/swiftly/linux/swiftly-1.1.2-{os.uname().machine}.tar.gz"
    SIGNATURE = ARCHIVE + ".sig"
