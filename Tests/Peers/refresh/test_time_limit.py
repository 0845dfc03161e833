# SPDX-License-Identifier: MIT
"""The limit of 30 seconds is for the whole exchange with an authority, and no token is sent shortly before it."""

import socket
import subprocess
import threading
import time

import pytest

from held_provider import CLIENT, PERSON
from sso_cache import STORAGE_OR_NETWORK


@pytest.mark.slow
@pytest.mark.parametrize("at", ["configuration", "headers", "body"])
def test_a_server_that_sends_a_byte_a_second_ends_at_the_deadline(sso, provider, at):
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def respond(connection):
        with connection:
            try:
                request = connection.recv(65_536)
                if b"openid-configuration" in request and at != "configuration":
                    body = f'{{"issuer":"{address}","token_endpoint":"{address}/token"}}'
                    connection.sendall(
                        f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
                    return
                connection.sendall(b"HTTP/1.1 200 OK\r\n")
                if at == "body":
                    connection.sendall(b"Content-Length: 100000\r\n\r\n")
                else:
                    connection.sendall(b"X-Slow: ")
                while True:
                    connection.sendall(b" ")
                    time.sleep(1)
            except OSError:
                return

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=respond, args=(connection,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    host = address.removeprefix("http://")
    with listener:
        sso.take(provider.cache_of_sign_in(PERSON, CLIENT, host, realm=""))
        options = ["--client-id", CLIENT, "--account", PERSON.uid, "--authority", address, "--scope", "api"]
        process = subprocess.Popen(
            sso.arguments("token", "--json", *options), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=sso.environment)
        start = time.monotonic()
        stdout, stderr = process.communicate(timeout=45)
        # A third of the limit is kept for the token request.
        limit = 20 if at == "configuration" else 30
        assert time.monotonic() - start > limit - 1, "it ended before the deadline"
        assert (process.returncode, stdout) == (STORAGE_OR_NETWORK, "") and '"networkError"' in stderr


@pytest.mark.slow
def test_the_deadline_is_for_all_requests_of_a_call(sso, provider, arguments):
    """A server error is answered by a second request, which has what is left of the time."""
    first = threading.Event()

    def respond(url, form, own=provider.respond):
        if url.endswith("/token"):
            if first.is_set():
                provider.gate.wait(60)
            first.set()
            time.sleep(15)
            return 500, {}
        return own(url, form)

    provider.respond = respond
    began = time.monotonic()
    done = subprocess.run(
        sso.arguments("token", "--json", *arguments), capture_output=True, text=True, env=sso.environment, timeout=45)
    assert (done.returncode, done.stdout) == (STORAGE_OR_NETWORK, "") and '"networkError"' in done.stderr
    assert time.monotonic() - began < 40


@pytest.mark.slow
def test_no_token_is_sent_with_too_little_time_for_its_response(sso, provider, arguments, is_signed_in):
    """The first request is answered late by a server error; the second one would have two seconds."""

    def respond(url, form, own=provider.respond):
        if url.endswith("/token") and not provider.gate.is_set():
            provider.token_requests.append(form)
            time.sleep(22)
            return 500, {}
        return own(url, form)

    provider.respond = respond
    done = subprocess.run(
        sso.arguments("token", "--json", *arguments), capture_output=True, text=True, env=sso.environment, timeout=45)
    assert done.returncode == STORAGE_OR_NETWORK and '"networkError"' in done.stderr
    assert len(provider.token_requests) == 1
    assert is_signed_in()
