# SPDX-License-Identifier: MIT
"""The responses of an authority that the program reads which reaches it for the tool: their origin, size and end."""

import base64
import contextlib
import gzip
import json
import socket
import subprocess
import threading
import time
import zlib
from pathlib import Path

import pytest

from providers import OpenIDProvider

SOON_SECONDS = 15


@pytest.fixture
def provider():
    return OpenIDProvider("http://127.0.0.1/staff")


@pytest.fixture
def program(tool):
    """The program at its place beside the tool."""
    return Path(tool).parent / "sso-cache-oidc"


def request_to(authority, **members):
    body = "grant_type=refresh_token&refresh_token=s3cr3t"
    return json.dumps({"authority": authority, "headers": [], "body": body, "limit": "30000", "reserve": "0"} | members) + "\n"


def helper_response(program, request):
    """The program's response to a request, a line of JSON."""
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write(request)
    process.stdin.flush()  # and stays open: the program ends with it
    response = json.loads(process.stdout.read())
    process.stdin.close()
    process.wait(SOON_SECONDS)
    return response


@pytest.mark.parametrize(
    "issuer",
    ["https://id.fabrikam.com/staff", "http://127.0.0.1/staff/other", "", None, 1, "HTTP"],
)
def test_a_configuration_of_another_issuer_is_not_used(provider, authority, program, issuer):
    """OpenID Connect Discovery 1.0, section 4.3."""
    own = provider.configuration

    def configuration(url):
        return own(url) | {"issuer": issuer}

    provider.configuration = configuration
    response = helper_response(program, request_to(authority))
    assert "another issuer's" in response["unusable"]
    assert provider.token_requests == []


def test_a_response_above_four_mebibytes_is_not_read(provider, authority, program):
    own = provider.configuration
    provider.configuration = lambda url: own(url) | {"more": "x" * 4_200_000}
    assert "more than 4194304 bytes" in helper_response(program, request_to(authority))["unusable"]
    provider.configuration = own
    provider.failure = 200, {"access_token": "x" * 4_200_000}
    assert "more than 4194304 bytes" in helper_response(program, request_to(authority))["unusable"]


def test_a_response_without_end_is_not_read(program):
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                connection.sendall(b" " * 65_536)

    threading.Thread(target=serve, daemon=True).start()
    with listener:
        authority = f"http://127.0.0.1:{listener.getsockname()[1]}"
        assert "more than 4194304 bytes" in helper_response(program, request_to(authority))["unusable"]


@contextlib.contextmanager
def authority_that_sends(response, closes=True):
    """The address of an authority whose token endpoint sends a response as it is given, headers included."""
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    configuration = json.dumps({"issuer": address, "token_endpoint": f"{address}/token"})
    done = threading.Event()

    def serve():
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(configuration)}\r\nConnection: close\r\n\r\n"
        with contextlib.suppress(OSError):  # the listener is closed
            while True:
                connection, _ = listener.accept()
                is_configuration = b"GET /.well-known" in connection.recv(65_536)
                connection.sendall((head + configuration).encode() if is_configuration else response)
                if not is_configuration and not closes:
                    done.wait(60)
                connection.close()

    threading.Thread(target=serve, daemon=True).start()
    with listener:
        yield address
        done.set()


def body_of(response):
    return base64.b64decode(response["body"]).decode()


@pytest.mark.parametrize("framing", [
    "Content-Length: 5000", "Transfer-Encoding: chunked", "Connection: keep-alive"])
@pytest.mark.parametrize("closes", [True, False], ids=["the server closes", "the server does not close"])
@pytest.mark.parametrize("repaired", ["", ',"expires_in":03600,'], ids=["valid JSON", "invalid JSON"])
def test_a_whole_body_counts_however_the_response_ends(program, framing, closes, repaired):
    """A refresh token in it can be had only once."""
    body = f'{{"access_token":"new","refresh_token":"rotated"{repaired}}}'
    sent = f"{len(body):x}\r\n{body}\r\n" if "chunked" in framing else body
    with authority_that_sends(f"HTTP/1.1 200 OK\r\n{framing}\r\n\r\n{sent}".encode(), closes) as address:
        response = helper_response(program, request_to(address, limit="2000"))
    assert (response["status"], body_of(response)) == (200, body)


CHUNKED = "Transfer-Encoding: chunked"
# A header of the response, and how its body is encoded.
ODD_HEADERS = {
    "a trailer": (CHUNKED, lambda body: b"%x\r\n%s\r\n0\r\nServer-Timing: a;dur=1\r\n\r\n" % (len(body), body)),
    "a charset as the encoding": ("Content-Encoding: UTF-8", bytes),
    "an encoding that the body does not have": ("Content-Encoding: br", bytes),
    "gzip, not asked for": ("Content-Encoding: gzip", gzip.compress),
    "gzip, cut in its checksum": ("Content-Encoding: gzip", lambda body: gzip.compress(body)[:-4]),
    "gzip, with a wrong checksum": (
        "Content-Encoding: gzip", lambda body: gzip.compress(body)[:-8] + b"\1\2\3\4" + gzip.compress(body)[-4:]),
    "gzip in two members": (
        "Content-Encoding: gzip", lambda body: gzip.compress(body[:20]) + gzip.compress(body[20:])),
    "gzip, twice": ("Content-Encoding: gzip, gzip", lambda body: gzip.compress(gzip.compress(body))),
    "deflate, not asked for": ("Content-Encoding: deflate", zlib.compress),
    "deflate without the header of zlib": ("Content-Encoding: deflate", lambda body: zlib.compress(body)[2:-4]),
    "deflate that the body does not have": ("Content-Encoding: deflate", bytes),
    "a byte of Latin-1": ("X-Place: caf\xe9", bytes),
    "a space in a name": ("X Place: cafe", bytes),
    "a space before the colon": ("X-Place : cafe", bytes),
    "a header of 90 kB": ("X-Place: " + "x" * 90_000, bytes),
}


@pytest.mark.parametrize("header, encode", ODD_HEADERS.values(), ids=ODD_HEADERS.keys())
@pytest.mark.parametrize("reason", [" OK", " D\xe9j\xe0", ""], ids=["OK", "Latin-1", "no reason"])
def test_a_whole_body_counts_whatever_its_headers_are(program, header, encode, reason):
    body = b'{"access_token":"new","refresh_token":"rotated"}'
    head = f"HTTP/1.1 200{reason}\r\n{header}\r\n\r\n".encode("latin-1")
    with authority_that_sends(head + encode(body)) as address:
        response = helper_response(program, request_to(address))
    assert (response["status"], body_of(response)) == (200, body.decode())


def test_a_small_body_that_would_be_a_large_one_is_not_decoded(program):
    bomb = gzip.compress(b'{"access_token":"' + b"x" * 50_000_000 + b'"}')
    with authority_that_sends(b"HTTP/1.1 200 OK\r\n\r\n" + bomb) as address:
        response = helper_response(program, request_to(address))
    assert base64.b64decode(response["body"]) == bomb


def test_a_body_that_is_cut_behind_its_refresh_token_counts(program):
    body = '{"access_token":"new","refresh_token":"rotated","expires_in":36'
    with authority_that_sends(f"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{body}".encode()) as address:
        response = helper_response(program, request_to(address))
    assert (response["status"], body_of(response)) == (200, body)


@pytest.mark.parametrize("body", [
    '{"access_token":"new","expires_in":036', '{"access_token":"new","refresh_token":"rot',
    '{"access_token":"new","refresh_token":""', '{"access_token":"new","x":{"refresh_token":"nested"'])
def test_a_body_that_is_cut_without_a_refresh_token_does_not_count(program, body):
    with authority_that_sends(f"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{body}".encode()) as address:
        assert helper_response(program, request_to(address))["domain"] == "libcurl"


@pytest.mark.parametrize("challenge", [
    'Basic realm="staff"', 'Digest realm="staff", nonce="n"', "Negotiate", "NTLM", "Bearer"])
@pytest.mark.parametrize(
    "status, header", [(401, "WWW-Authenticate"), (407, "Proxy-Authenticate"), (400, "WWW-Authenticate")])
@pytest.mark.parametrize("body", ['{"error":"invalid_client"}', "<html>", ""])
def test_a_demand_for_a_password_does_not_hold_up_the_response(program, status, header, challenge, body):
    """RFC 6749, section 5.2: a refusal with status 401 can name a scheme."""
    head = f"HTTP/1.1 {status} No\r\n{header}: {challenge}\r\nContent-Length: {len(body)}\r\n"
    with authority_that_sends(f"{head}Connection: close\r\n\r\n{body}".encode()) as address:
        began = time.monotonic()
        response = helper_response(program, request_to(address))
    assert (response["status"], body_of(response)) == (status, body)
    assert time.monotonic() - began < SOON_SECONDS


def test_a_configuration_behind_a_password_is_none(program):
    challenge = b'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="staff"\r\nContent-Length: 0\r\n\r\n'
    with authority_that_sends(challenge) as address:
        response = helper_response(program, request_to(f"{address}/staff"))
    assert "no OpenID configuration" in response["unusable"]


def test_a_response_that_never_begins_times_out(program):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        authority = f"http://127.0.0.1:{listener.getsockname()[1]}"
        response = helper_response(program, request_to(authority, limit="1000"))
    assert (response["domain"], response["code"]) == ("libcurl", 28)


@pytest.mark.parametrize("status", [200, 400])
def test_a_header_that_begins_as_a_status_line_does_is_a_header(program, status):
    head = f"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 {status} X\r\nHTTP/1.1 503 Busy: x\r\nContent-Length: 2\r\n\r\n"
    with authority_that_sends(f"{head}{{}}".encode()) as address:
        response = helper_response(program, request_to(address, limit="2000"))
    assert (response["status"], body_of(response)) == (status, "{}")
