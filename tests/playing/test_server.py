"""The small web server: who is answered, and how."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from cyberdeck.playing.server import Server

from .helpers import table

LOOK = b'{"do": "look"}'
JSON = {"Content_Type": "application/json"}


@pytest.fixture
def server() -> Iterator[Server]:
    """A game that is served."""
    with Server(table("tictactoe.py")) as found:
        threading.Thread(target=found.serve_forever, args=(0.05,), daemon=True).start()
        yield found
        found.shutdown()


def request(
    server: Server, method: str, path: str, body: bytes = b"", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and content of an answer."""
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        link.request(method, path, body or None, named)
        answer = link.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        link.close()


def message(server: Server, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    """A message of the page's: status and answer."""
    path, kind = f"/{server.token}/table", "application/json"
    status, _, answer = request(server, "POST", path, body, Content_Type=kind, **headers)
    return status, json.loads(answer)


def test_the_page_and_its_messages(server: Server) -> None:
    status, headers, page = request(server, "GET", f"/{server.token}/")
    assert status == 200
    assert page == server.page
    assert headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert b"http:" not in page
    assert b"https:" not in page
    status, answer = message(server, LOOK)
    assert (status, len(answer["choices"])) == (200, 9)


def test_a_port_that_is_forwarded_here(server: Server) -> None:
    assert message(server, LOOK, Host="localhost:8000", Origin="http://localhost:8000")[0] == 200


def test_it_listens_to_this_machine_alone(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "status"),
    [
        ("GET", "/", {}, b"", 403),
        ("GET", "/wrong/", {}, b"", 403),
        ("GET", "/%FF/", {}, b"", 403),
        ("POST", "/wrong/table", JSON, b"{}", 403),
        ("GET", "/TOKEN/", {"Host": "evil.example"}, b"", 403),
        ("GET", "/TOKEN/", {"Host": "evil.example:PORT"}, b"", 403),
        ("POST", "/TOKEN/table", {"Origin": "http://evil.example"}, b"{}", 403),
        ("POST", "/TOKEN/table", {"Origin": "null"}, b"{}", 403),
        ("POST", "/TOKEN/table", {"Origin": "http://127.0.0.1:1"}, b"{}", 403),
        ("GET", "/TOKEN/", {"Host": "127.0.0.1.evil.example:PORT"}, b"", 403),
        ("POST", "/TOKEN/table", {"Content_Type": "text/plain"}, b"{}", 415),
        ("POST", "/TOKEN/table", JSON, b"{", 400),
        ("POST", "/TOKEN/table", JSON, b"[]", 400),
        ("POST", "/TOKEN/table", JSON, b"[" * 60_000, 400),
        ("POST", "/TOKEN/table", JSON, b" " * 70_000, 413),
        ("POST", "/TOKEN/other", JSON, b"{}", 404),
        ("GET", "/TOKEN/table", {}, b"", 404),
        ("GET", "/TOKEN/../page.html", {}, b"", 404),
        ("PUT", "/TOKEN/table", {}, b"{}", 501),
    ],
)
def test_who_is_turned_away(
    method: str, path: str, headers: dict[str, str], body: bytes, status: int, server: Server
) -> None:
    def filled(text: str) -> str:
        return text.replace("TOKEN", server.token).replace("PORT", str(server.port))

    given = {name: filled(value) for name, value in headers.items()}
    found, _, said = request(server, method, filled(path), body, **given)
    assert found == status
    assert said
    # Nobody learns the token, and the game stands as it did.
    assert server.token.encode() not in said
    assert server.table.handle({"do": "look"})["heard"] == []


@pytest.mark.parametrize(
    ("line", "length", "status"),
    [
        (b"GET /\xff/", b"0", b"403"),
        (b"POST /TOKEN/table", b"\xb2", b"413"),
        (b"POST /TOKEN/table", b"-1", b"413"),
        (b"POST /TOKEN/table", b"9" * 5000, b"413"),
    ],
)
def test_bytes_that_no_browser_sends(
    line: bytes, length: bytes, status: bytes, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    line = line.replace(b"TOKEN", server.token.encode())
    head = b"%s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %s\r\n\r\n" % (line, length)
    with socket.create_connection(("127.0.0.1", server.port), 20) as link:
        link.sendall(head)
        assert link.recv(1000).startswith(b"HTTP/1.1 " + status)
    assert capsys.readouterr().err == ""


def test_another_port_and_the_same(server: Server) -> None:
    with Server(table("tictactoe.py"), server.port, "abc") as other:
        assert other.port != server.port
        assert other.token != "abc"  # which pages left open tell whoever has their port now
        kept = other.port
    with Server(table("tictactoe.py"), kept, "abc") as again:
        assert again.url == f"http://127.0.0.1:{kept}/abc/"


def test_a_mistake_of_the_program_is_told_and_the_game_goes_on(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(message: Any) -> Any:
        raise RuntimeError("oops")

    with monkeypatch.context() as patch:
        patch.setattr(server.table, "handle", broken)
        status, answer = message(server, b"{}")
    assert status == 500
    assert "terminal" in answer["error"]
    assert "RuntimeError: oops" in capsys.readouterr().err
    assert message(server, LOOK)[0] == 200
