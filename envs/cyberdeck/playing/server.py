"""A table as a page in the browser: a small web server for this machine alone."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import secrets
import sys
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any, Final

from cyberdeck.common.reading import from_json
from cyberdeck.playing.table import Table

#: The page is for this machine: no other one is listened to.
HOST: Final = "127.0.0.1"

#: No message is longer.
_LONGEST: Final = 1 << 16

_SCRIPT = re.compile("<script>(.*)</script>", re.DOTALL)


class Server(ThreadingHTTPServer):
    """Serves the page of a table, and answers its messages, to who knows the token.

    Args:
        table: what is shown.
        port: where; 0, or one that is taken already: any that is free.
        token: what the address has to hold; None, or on another port: drawn.
    """

    daemon_threads = True
    # Elsewhere than on POSIX it would share the port with somebody else's server.
    allow_reuse_address = os.name == "posix"

    def __init__(self, table: Table, port: int = 0, token: str | None = None) -> None:
        self.table = table
        self.token = token or secrets.token_urlsafe(16)
        self.page = files("cyberdeck.playing").joinpath("page.html").read_bytes()
        found = _SCRIPT.search(self.page.decode())
        script = hashlib.sha256(found[1].encode()).digest() if found else b""
        self.policy = (
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
            f"script-src 'sha256-{base64.b64encode(script).decode()}'; "
            "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        )
        try:
            super().__init__((HOST, port), _Handler)
        except OSError:
            # Pages left open tell the old token to whoever has that port now.
            self.token = secrets.token_urlsafe(16)
            super().__init__((HOST, 0), _Handler)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A tab that was closed while it was answered is no error."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Answers one tab."""

    server: Server
    protocol_version = "HTTP/1.1"
    timeout = 120  # a connection that is kept open and never used

    def do_GET(self) -> None:
        """The page itself."""
        if self._admitted():
            if self._place() == "":
                self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page)
            else:
                self._say(HTTPStatus.NOT_FOUND, "There is nothing here.")

    def do_POST(self) -> None:
        """A message of the page's."""
        if not self._admitted():
            return
        size = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,5}", size) or int(size) > _LONGEST:
            self.close_connection = True
            self._say(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "That message is too long, or no length is given.",
            )
            return
        body = self.rfile.read(int(size))
        if self._place() != "table":
            self._say(HTTPStatus.NOT_FOUND, "There is nothing here.")
            return
        # Another site's form cannot send JSON, and its script not without being asked about it.
        if self.headers.get_content_type() != "application/json":
            self._say(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Messages are JSON.")
            return
        try:
            message = from_json(body)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            self._say(HTTPStatus.BAD_REQUEST, "That is no message: it must be a JSON object.")
            return
        try:
            answer, status = self.server.table.handle(message), HTTPStatus.OK
        except Exception:
            traceback.print_exc()
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            answer = {"error": "Something is wrong in the program: the terminal shows what."}
        self._send(status, "application/json", json.dumps(answer).encode())

    def _admitted(self) -> bool:
        """Whether it is this machine's browser, on this page, that knows the token."""
        # A foreign name that is made to lead here brings pages of others along. The port may be
        # another one that is forwarded here.
        host = self.headers.get("Host", "")
        known = host.partition(":")[0] in (HOST, "localhost")
        known = known and self.headers.get("Origin") in (None, f"http://{host}")
        token = self.path.partition("?")[0].split("/")[1:2]
        # As bytes: of text only ASCII can be compared.
        if known and secrets.compare_digest("".join(token).encode(), self.server.token.encode()):
            return True
        self.close_connection = True
        self._say(
            HTTPStatus.FORBIDDEN,
            "This address is not, or no longer, that of the game: open the one that the terminal "
            "shows.",
        )
        return False

    def _place(self) -> str:
        """What is asked for, below the token."""
        return "/".join(self.path.partition("?")[0].split("/")[2:])

    def _say(self, status: HTTPStatus, words: str) -> None:
        self._send(status, "text/plain; charset=utf-8", words.encode())

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Content-Security-Policy": self.server.policy,
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def version_string(self) -> str:
        """What it says of itself."""
        return "cyberdeck"

    def log_message(self, format: str, *arguments: Any) -> None:
        """Not every request is worth a line in the terminal."""
