# SPDX-License-Identifier: MIT
"""Servers on the loopback interface at which the tool reaches a provider."""

import json
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

from unified_cache import AAD

TRUST_SOURCE = Path(__file__).with_name("trust.c")


class _Handler(BaseHTTPRequestHandler):
    """Sends the provider's responses."""

    scheme = "http"

    def do_GET(self):
        self._respond({})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._respond({name: values[0] for name, values in parse_qs(body).items()})

    def _url(self):
        return self.path if "://" in self.path else f"{self.scheme}://{self.headers['Host']}{self.path}"

    def _respond(self, form):
        self.server.requests.append(self._url())
        status, response = self.server.provider.respond(self._url(), form)
        body = json.dumps(response).encode()
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", response["location"])
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class LoopbackServer:
    """A provider over HTTP on a loopback port, also as an HTTP proxy.

    `requests` are the requested addresses.
    """

    handler = _Handler

    def __init__(self, provider):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler)
        self._server.provider = provider
        self.requests = self._server.requests = []
        self.port = self._server.server_port
        self.address = f"http://127.0.0.1:{self.port}"
        self.host = f"127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


class _TunnelHandler(_Handler):
    """Opens a client's tunnel to Azure AD; the provider is at its end, over TLS."""

    def do_CONNECT(self):
        self.server.tunnels.append(self.path)
        if self.path != f"{AAD}:443":
            self.send_error(403)
            return
        self.send_response_only(200)
        self.end_headers()
        try:
            self.request = self.server.context.wrap_socket(self.request, server_side=True)
        except OSError:
            return  # The client does not trust the certificate.
        self.scheme = "https"
        self.setup()
        self.handle_one_request()
        self.request.close()


class AzureADServer(LoopbackServer):
    """Azure AD over HTTPS on a loopback port, for a client that uses the port as its proxy for https.

    `tunnels` are the requested hosts. It opens a tunnel to Azure AD only, and never to the network: the
    name is the real one, and the certificate is the test's.
    """

    handler = _TunnelHandler

    def __init__(self, provider, certificate):
        super().__init__(provider)
        self.certificate = certificate
        self.tunnels = self._server.tunnels = []
        self._server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._server.context.load_cert_chain(certificate.path)


class Certificate:
    """A self-signed certificate of a host, with its key."""

    def __init__(self, directory, host=AAD):
        self.path = directory / f"{host}.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "1", "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}",
             "-keyout", self.path, "-out", self.path.with_suffix(".crt")],
            check=True, capture_output=True,
        )
        with open(self.path, "a") as file:
            file.write(self.path.with_suffix(".crt").read_text())


class Trust:
    """Makes the tool trust a server's certificate, as if the machine's administrator had added it.

    The tool's helper has no setting for that: a preloaded library configures libcurl.
    """

    def __init__(self, directory):
        self._library = directory / "trust.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self._library, TRUST_SOURCE, "-ldl"], check=True)

    def online(self, sso, server, certificate=None):
        """The tool, set up to reach the server and to trust its certificate or the given one."""
        trusted = certificate or server.certificate
        return sso.with_environment(
            https_proxy=server.address, LD_PRELOAD=str(self._library), TRUSTED_CERTIFICATE=str(trusted.path)
        )
