"""A table as a page in the browser: a small web server, for this machine alone if not asked for
more.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import math
import os
import re
import secrets
import socket
import sys
import threading
import time
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from cyberdeck.common.reading import from_json
from cyberdeck.common.tables import text_of
from cyberdeck.playing.table import Table

#: The page is for this machine: no other one is listened to, but where that was asked for.
HOST: Final = "127.0.0.1"

#: No message is longer.
_LONGEST: Final = 1 << 16

#: Connections at a time: a browser opens six, and a process may have 256 descriptors at least.
_MOST: Final = 64

#: Seconds within which all of a message comes, from its first byte on; and how long an idle
#: connection is kept.
_COMES, _STAYS = 10.0, 120.0

#: What is said once, so that no answer to anything else can pass for that to it: a UUID.
_ONCE = re.compile(rb"[0-9a-f-]{36}")

_SCRIPT = re.compile("<script>(.*)</script>", re.DOTALL)


def address_in_network() -> str | None:
    """Where this machine is found in its network, if it is in one. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("192.0.2.1", 9))  # kept for documentation: nobody has it
        except OSError:
            return None
        found = str(asked.getsockname()[0])
    return None if found.startswith(("127.", "0.")) else found


def page() -> str:
    """The page that people play on, with all that it needs but the table.

    >>> page().startswith("<!doctype html>")
    True
    """
    own = text_of("cyberdeck.playing", "page.html")
    return own.replace("{{ moving }}", text_of("cyberdeck.drawing", "moving.js"))


def proof(secret: str, *lines: str | bytes) -> str:
    """That somebody knows a secret, and says these lines."""
    said = b"\n".join(line.encode() if isinstance(line, str) else line for line in lines)
    return hmac.new(secret.encode(), said, hashlib.sha256).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves the page of a table, and answers its messages, to who knows the token.

    The token is in the page's address, behind the #, and is another one at each start. Neither the
    page nor the server ever sends it: each message and each answer has a proof with it. So whoever
    has the port while this server is down learns nothing from a page that was left open, and is not
    believed. What a page says that was open before, after the server has been started again, is
    proved with a token of before: such a page asks for ``again``, and finds out the new one by the
    table's *key*, which it was told earlier, and which is in no address. In a network no page is
    told a key, and it is another one at each start: there a link ends with the server.

    There are at most so many connections. Where one more comes, the one that has been waited for
    longest is closed; so those that others hold open keep nobody out.

    Args:
        table: what is shown.
        port: where; 0, or one that is taken already: any that is free.
        key: the same at each start; None: drawn. In a network it is always drawn.
        host: the one address that it listens on.
    """

    daemon_threads = True
    request_queue_size = _MOST
    # Elsewhere than on POSIX it would share the port with somebody else's server.
    allow_reuse_address = os.name == "posix"

    def __init__(
        self, table: Table, port: int = 0, key: str | None = None, host: str = HOST
    ) -> None:
        self.table, self.host = table, host
        # What a browser says that asks for the page; the port may be another one that is forwarded
        # here.
        names = "|".join(map(re.escape, (HOST, "localhost") if host == HOST else (host,)))
        self.known = re.compile(rf"({names})(:[0-9]{{1,5}})?")
        self.lasting = host == HOST
        self.key = (self.lasting and key) or secrets.token_hex(32)
        #: Names this start.
        self.start = secrets.token_hex(8)
        self.token = proof(self.key, "token", self.start)[:32]
        self.page = page().encode()
        found = _SCRIPT.search(self.page.decode())
        script = hashlib.sha256(found[1].encode()).digest() if found else b""
        self.policy = (
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
            f"script-src 'sha256-{base64.b64encode(script).decode()}'; "
            "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        )
        #: Of each connection since when, and for how many seconds, its next message is waited for.
        self._waits: dict[socket.socket, tuple[float, float]] = {}
        self._changed = threading.Condition()
        try:
            super().__init__((host, port), _Handler)
        except OSError:
            super().__init__((host, 0), _Handler)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{self.host}:{self.port}/#{self.token}"

    def wait(self, link: socket.socket, seconds: float) -> None:
        """From now on a connection is waited for so long; infinitely, while it is answered."""
        with self._changed:
            self._waits.pop(link, None)  # so that the one waited for longest comes first
            self._waits[link] = time.monotonic(), seconds

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a thread of its own, if there is room or can be made."""
        with self._changed:
            if len(self._waits) >= _MOST:
                waiting = (link for link, (_, most) in self._waits.items() if most < math.inf)
                if longest := next(waiting, None):
                    _end(longest)
                    self._changed.wait_for(lambda: len(self._waits) < _MOST, 1)
            if len(self._waits) >= _MOST:
                self.shutdown_request(request)
                return
            self.wait(request, _STAYS)
        super().process_request(request, client_address)

    def service_actions(self) -> None:
        """End those that have been waited for too long: each half a second."""
        now = time.monotonic()
        with self._changed:
            for link, (since, most) in self._waits.items():
                if now - since > most:
                    _end(link)

    def close_request(self, request: Any) -> None:
        """A connection is over."""
        super().close_request(request)
        with self._changed:
            self._waits.pop(request, None)
            self._changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A tab that was closed while it was answered is no error."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


def _end(link: socket.socket) -> None:
    """End a connection: whoever reads from it or writes to it hears so at once."""
    with contextlib.suppress(OSError):  # it has ended already
        link.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    """Answers one tab."""

    server: Server
    protocol_version = "HTTP/1.1"
    timeout = _STAYS

    def handle_one_request(self) -> None:
        """One message: once it has begun, the rest has to come soon."""
        try:
            begun = self.rfile.peek(1)  # type: ignore[attr-defined]
        except TimeoutError:
            begun = b""
        if not begun:
            self.close_connection = True
            return
        self.server.wait(self.connection, _COMES)
        super().handle_one_request()

    def do_GET(self) -> None:
        """The page itself: no secret is in it."""
        if self._admitted():
            if self._place() == "/":
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
        answers = {"/table": self._table, "/again": self._again}
        if self._place() not in answers:
            self._say(HTTPStatus.NOT_FOUND, "There is nothing here.")
        # Another site's form cannot send JSON, and its script not without being asked about it.
        elif self.headers.get_content_type() != "application/json":
            self._say(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Messages are JSON.")
        else:
            answers[self._place()](body)

    def _table(self, body: bytes) -> None:
        """A message to the table, from who knows the token."""
        server = self.server
        once, _, proved = self.headers.get("Proof", "").partition(" ")
        # As bytes: of text only ASCII can be compared.
        if not hmac.compare_digest(
            proved.encode(), proof(server.token, "asked", once, body).encode()
        ):
            self._say(HTTPStatus.FORBIDDEN, "This address is not that of the game.")
            return
        try:
            message = from_json(body)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            self._say(HTTPStatus.BAD_REQUEST, "That is no message: it must be a JSON object.")
            return
        server.wait(self.connection, math.inf)
        try:
            answer, status = server.table.handle(message), HTTPStatus.OK
            if server.lasting:
                answer = {**answer, "key": server.key}
        except Exception:
            traceback.print_exc()
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            answer = {"error": "Something is wrong in the program: the terminal shows what."}
        content = json.dumps(answer).encode()
        proved = proof(server.token, "answered", once, content)
        self._send(status, "application/json", content, Proof=proved)

    def _again(self, once: bytes) -> None:
        """Which start this is, for a page that knows the key: it makes the token of that.

        The port is proved as well: nobody at another one can pass this on as an own answer.
        """
        server = self.server
        if not _ONCE.fullmatch(once):
            self._say(HTTPStatus.BAD_REQUEST, "That is no UUID.")
            return
        proved = proof(server.key, "again", once, str(server.port), server.start)
        self._send(HTTPStatus.OK, "text/plain", server.start.encode(), Proof=proved)

    def _admitted(self) -> bool:
        """Whether it is this machine's browser, on this page."""
        # A foreign name that is made to lead here brings pages of others along.
        hosts = self.headers.get_all("Host", [])
        known = len(hosts) == 1 and self.server.known.fullmatch(hosts[0])
        if known and self.headers.get("Origin") in (None, f"http://{hosts[0]}"):
            return True
        self.close_connection = True
        self._say(HTTPStatus.FORBIDDEN, "This address is not that of the game.")
        return False

    def _place(self) -> str:
        """What is asked for."""
        return self.path.partition("?")[0]

    def _say(self, status: HTTPStatus, words: str) -> None:
        self._send(status, "text/plain; charset=utf-8", words.encode())

    def _send(self, status: HTTPStatus, kind: str, content: bytes, **more: str) -> None:
        self.server.wait(self.connection, _STAYS)
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Content-Security-Policy": self.server.policy,
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            **more,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def version_string(self) -> str:
        """What it says of itself."""
        return "cyberdeck"

    def log_message(self, format: str, *arguments: Any) -> None:
        """Not every request is worth a line in the terminal."""
