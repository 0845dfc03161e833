# SPDX-License-Identifier: MIT
"""A provider that says at the userinfo endpoint what a test lets it say."""

import json
from urllib.parse import parse_qsl, urlencode, urlsplit

from people import Person
from providers import OpenIDProvider
from servers import LoopbackServer, _Handler

ADA = Person("ada@contoso.com", "Ada Lovelace", "1001")


class UserInfoHandler(_Handler):
    """Responds at userinfo as the test says: a status, headers and parts of a body."""

    def do_GET(self):
        if not self.path.endswith("/userinfo"):
            return super().do_GET()
        self.server.requests.append(self._url())
        status, headers, parts = self.server.provider.user_info
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            for part in parts:
                self.wfile.write(part)
        except OSError:
            self.server.provider.was_cut_off = True
        return None


class UserInfoProvider(OpenIDProvider):
    """A provider whose user's browser is signed in."""

    def __init__(self, person=ADA):
        super().__init__("")
        self.person = person
        self.user_info = response({"sub": person.uid})
        self.was_cut_off = False

    def configuration(self, url):
        document = super().configuration(url)
        return document | {"userinfo_endpoint": f"{document['issuer']}/userinfo"}

    def respond(self, url, form):
        if urlsplit(url).path.endswith("/authorize"):
            query = dict(parse_qsl(urlsplit(url).query))
            return 302, {"location": f"{query['redirect_uri']}?{urlencode(self.authorize(url, self.person))}"}
        return super().respond(url, form)


class UserInfoServer(LoopbackServer):
    handler = UserInfoHandler


def response(claims, status=200):
    return status, {"Content-Type": "application/json"}, [json.dumps(claims).encode()]


def endless():
    yield b'{"sub":"1001","name":"'
    while True:
        yield b"A" * 65_536
