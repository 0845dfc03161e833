# SPDX-License-Identifier: MIT
"""The core library of the examples, at a real provider: sign-in by device code, shared with the apps of the suite."""

import json
import os
import re
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

LIMIT_SECONDS = 60


@pytest.fixture
def terminal(examples, real_provider, suite):
    """Starts a command of the app without a browser."""

    def start(command, app="contoso-terminal", issuer=real_provider.issuer):
        return subprocess.Popen(
            [examples / app, command], env=os.environ | {"CONTOSO_ISSUER": issuer}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    return start


def done(process):
    stdout, stderr = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 0, stdout + stderr
    return stdout


def test_a_sign_in_by_device_code_serves_every_app_of_the_suite_until_each_signs_out(terminal, real_provider):
    failed = terminal("token")
    assert failed.communicate(timeout=LIMIT_SECONDS) == ("", "You need to sign in again.\n")
    signing_in = terminal("sign-in")
    code = re.fullmatch(r"Open http://\S+ and enter the code (\S+)\.\n", signing_in.stdout.readline())
    real_provider.enter(code[1])
    assert done(signing_in) == "ada@contoso.com is signed in.\n"
    assert done(terminal("token")) == "A token for ada@contoso.com, from the cache.\n"
    assert "ada@contoso.com" in done(terminal("read", "contoso-calendar"))
    assert done(terminal("sign-out")) == ""
    assert done(terminal("accounts")) == ""
    assert "ada@contoso.com" in done(terminal("read", "contoso-calendar"))


def test_a_redirection_of_the_token_endpoint_is_not_followed(terminal):
    """What would be sent on redeems the tokens."""
    followed = []

    class Redirecting(BaseHTTPRequestHandler):
        def answer(self, status, body=None, location=None):
            content = json.dumps(body or {}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            if location:
                self.send_header("Location", location)
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self):
            issuer = f"http://127.0.0.1:{self.server.server_port}"
            self.answer(200, {
                "issuer": issuer, "token_endpoint": f"{issuer}/token", "device_authorization_endpoint": f"{issuer}/device"})

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/device":
                self.answer(200, {"device_code": "dc", "user_code": "WXYZ", "verification_uri": "http://x", "interval": 1})
            elif self.path == "/token":
                self.answer(307, location="/elsewhere")
            else:
                followed.append(self.path)
                self.answer(400)

        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Redirecting) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        outcome = terminal("sign-in", issuer=f"http://127.0.0.1:{server.server_port}")
        _, stderr = outcome.communicate(timeout=LIMIT_SECONDS)
        server.shutdown()
    assert outcome.returncode == 1 and followed == [], stderr


def test_a_provider_that_sends_a_byte_a_second_ends_at_the_time_limit(terminal):
    """The limit is for the whole exchange; an idle timeout would begin anew with each byte."""

    def serve(listener, beginning):
        connection, _ = listener.accept()
        with connection:
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\n" + beginning)
                while True:
                    connection.sendall(b" ")
                    time.sleep(1)
            except OSError:
                return

    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    for listener, beginning in zip(listeners, [b"X-Slow: ", b"Content-Length: 100000\r\n\r\n"]):
        threading.Thread(target=serve, args=(listener, beginning), daemon=True).start()
    began = time.monotonic()
    waiting = [terminal("sign-in", issuer=f"http://127.0.0.1:{listener.getsockname()[1]}") for listener in listeners]
    for process in waiting:
        stdout, stderr = process.communicate(timeout=LIMIT_SECONDS)
        assert (process.returncode, stdout) == (1, "")
        assert stderr == "The sign-in server can't be reached. Check your connection, and try again.\n"
    assert 11 < time.monotonic() - began < 30
