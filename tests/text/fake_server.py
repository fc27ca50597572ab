"""A server of chat models for the tests: real sockets, and whatever answers a test asks for."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.text.playing import move


class Gone(Exception):
    """Raised by an answer: the server hangs up without a word."""


class FakeServer(socketserver.ThreadingTCPServer):
    """Answers what ``answer(request, number)`` returns: see ``reply``, ``error`` and ``raw``.

    A text is what the model says. ``requests`` are the bodies of all requests so far, ``headers``
    theirs, ``paths`` what was asked for.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, answer: Callable[[dict[str, Any], int], Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.most_at_once, self.at_once = 0, 0
        self.lock = threading.Lock()
        #: Set at the end: whoever never answers waits for it.
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Who asks may hang up: that is no error of the server."""


class _Handler(BaseHTTPRequestHandler):
    server: FakeServer

    def do_POST(self) -> None:
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            number = len(server.requests)
            server.requests.append(body)
            server.headers.append(dict(self.headers))
            server.paths.append(self.path)
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
        try:
            answer = server.answer(body, number)
            status, headers, content = reply(answer) if isinstance(answer, str) else answer
        except Gone:
            return
        finally:
            with server.lock:
                server.at_once -= 1
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(content))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


def reply(
    text: Any, reason: str = "stop", usage: Any = None, **message: Any
) -> tuple[int, dict[str, str], bytes]:
    """What a good server sends."""
    said = {"role": "assistant", "content": text, **message}
    counts = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    choices = [{"index": 0, "message": said, "finish_reason": reason}]
    about = {"id": "1", "object": "chat.completion", "created": 0, "model": "model"}
    content = {**about, "choices": choices, "usage": counts if usage is None else usage}
    return raw(json.dumps(content).encode())


def raw(content: bytes, status: int = 200, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Any bytes, by default with the status of success."""
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, content


def error(status: int, words: str = "", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """What a server sends that has something to complain about."""
    return raw(json.dumps({"error": {"message": words}}).encode(), status, **headers)


def listed(request: dict[str, Any]) -> list[str]:
    """The legal moves that the last prompt lists."""
    told = "".join(each["content"] for each in request["messages"] if each["role"] == "user")
    return told.rpartition("YOUR LEGAL MOVES\n")[2].split("\n")[0].split(", ")


def first(request: dict[str, Any], number: int) -> str:
    """A model that takes the first legal move."""
    return f"I wonder. {move(listed(request)[0])}"


@contextmanager
def serving(answer: Callable[[dict[str, Any], int], Any]) -> Iterator[FakeServer]:
    """A server that runs in a thread until the end of the block."""
    with FakeServer(answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()
