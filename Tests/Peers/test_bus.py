# SPDX-License-Identifier: MIT
"""What can be seen on the session bus by whoever listens there."""

import subprocess

from people import ADA
from secret_items import search
from unified_cache import CLIENT, access_token, cache_of

PATIENCE_SECONDS = 30


class Listener:
    """Keeps all that crosses the bus, as it crosses it."""

    def __init__(self, file):
        self._file = file

    def __enter__(self):
        with open(self._file, "wb") as file:
            self._monitor = subprocess.Popen(["dbus-monitor", "--session", "--pcap"], stdout=file)
        self._wait_for("listening")
        return self

    def __exit__(self, *_):
        self._wait_for("heard")
        self._monitor.terminate()
        self._monitor.wait(PATIENCE_SECONDS)

    def _wait_for(self, mark):
        """Waits until a call of that name is heard, and so all before it."""
        for _ in range(PATIENCE_SECONDS * 20):
            path = f"/org/secretstorecache/test/{mark}"
            subprocess.run(
                ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", path,
                 "org.freedesktop.DBus.Peer.Ping"], stdout=subprocess.DEVNULL, check=True,
            )
            if path.encode() in self.heard():
                return
        raise AssertionError("dbus-monitor reports nothing")

    def heard(self):
        return self._file.read_bytes()


def test_whoever_listens_to_the_bus_sees_no_token(sso, bus, group, daemon, tmp_path):
    entry = access_token("User.Read")
    cache = cache_of(entry)
    with Listener(tmp_path / "bus") as listener:
        sso.take(cache)
        daemon.restart()  # so that the group's password travels, too
        assert sso.token(CLIENT, ADA.username, "User.Read")["access_token"] == entry["secret"]
        sso.run("secret set", "--service", "imap.contoso.com", stdin=b"s3cr3t word")
    heard = listener.heard()
    [password] = [key.get_secret() for key in search(bus, kind="group-key", group=group)]
    assert b"SetSecret" in heard or b"CreateItem" in heard
    assert group.encode() in heard, "attributes are heard"
    for secret in (b"s3cr3t", password, ADA.username.encode(), ADA.name.encode()):
        assert secret not in heard
