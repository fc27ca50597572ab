"""The small web server: who is answered, and how."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from cyberdeck.playing import server as module
from cyberdeck.playing.server import Server, proof

from .helpers import served, table

LOOK = b'{"do": "look"}'
JSON = {"Content_Type": "application/json"}
ONCE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def server() -> Iterator[Server]:
    """A game that is served."""
    with served(table("tictactoe.py")) as found:
        yield found


def request(
    server: Server, method: str, path: str, body: bytes = b"", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and content of an answer."""
    link = http.client.HTTPConnection(*server.server_address, timeout=60)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        link.request(method, path, body or None, named)
        answer = link.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        link.close()


def message(server: Server, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    """A message of the page's: status and answer, which is proved to be the server's."""
    given = {**JSON, "Proof": proved(server, body), **headers}
    status, found, answer = request(server, "POST", "/table", body, **given)
    assert found["Proof"] == proof(server.token, "answered", ONCE, answer)
    return status, json.loads(answer)


def proved(server: Server, body: bytes) -> str:
    """The header of a page that knows the token."""
    return f"{ONCE} {proof(server.token, 'asked', ONCE, body)}"


def test_the_page_and_its_messages(server: Server) -> None:
    status, headers, page = request(server, "GET", "/")
    assert status == 200
    assert page == server.page
    assert headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert b"http:" not in page
    assert b"https:" not in page
    status, answer = message(server, LOOK)
    assert (status, len(answer["choices"])) == (200, 9)
    # It listens to this machine alone; a port may be forwarded to it.
    assert server.server_address[0] == "127.0.0.1"
    assert message(server, LOOK, Host="localhost:8000", Origin="http://localhost:8000")[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "status"),
    [
        ("GET", "/wrong/", {}, b"", 404),
        ("GET", "/", {"Host": "localhost:80@evil.example"}, b"", 403),
        ("GET", "/", {"Host": "localhost:"}, b"", 403),
        ("GET", "/", {"Host": "127.0.0.1.evil.example:PORT"}, b"", 403),
        ("POST", "/table", {"Origin": "http://127.0.0.1:1"}, b"{}", 403),
        ("POST", "/table", {"Proof": "TOKEN"}, b"{}", 403),
        ("POST", "/table", {"Proof": "\xff \xff"}, b"{}", 403),
        ("POST", "/table", {"Proof": f"{ONCE} {proof('wrong', 'asked', ONCE, b'{}')}"}, b"{}", 403),
        ("POST", "/table", {"Content_Type": "text/plain"}, b"{}", 415),
        ("POST", "/table", {}, b"{", 400),
        ("POST", "/table", {}, b"[]", 400),
        ("POST", "/table", {}, b"[" * 60_000, 400),
        ("POST", "/table", {}, b" " * 70_000, 413),
        ("POST", "/again", {}, b"x\n80", 400),
        ("POST", "/other", {}, b"{}", 404),
        ("GET", "/table", {}, b"", 404),
        ("PUT", "/table", {}, b"{}", 501),
    ],
)
def test_who_is_turned_away(
    method: str, path: str, headers: dict[str, str], body: bytes, status: int, server: Server
) -> None:
    def filled(text: str) -> str:
        return text.replace("TOKEN", server.token).replace("PORT", str(server.port))

    known = {**JSON, "Proof": proved(server, body)}
    given = {name: filled(value) for name, value in {**known, **headers}.items()}
    found, _, said = request(server, method, path, body, **given)
    assert found == status
    assert said
    # Nobody learns a secret, and the game stands as it did.
    assert server.token.encode() not in said
    assert server.key.encode() not in said
    assert server.table.handle({"do": "look"})["heard"] == []


@pytest.mark.parametrize(
    ("line", "more", "status"),
    [
        (b"GET /", b"Host: 127.0.0.1", b"403"),  # a request for two hosts is for none
        (b"GET /\xff/", b"Content-Length: 0", b"404"),
        (b"POST /table", b"Content-Length: \xb2", b"413"),
        (b"POST /table", b"Content-Length: " + b"9" * 5000, b"413"),
    ],
)
def test_bytes_that_no_browser_sends(
    line: bytes, more: bytes, status: bytes, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 20) as link:
        link.sendall(b"%s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n\r\n" % (line, more))
        assert link.recv(1000).startswith(b"HTTP/1.1 " + status)
    assert capsys.readouterr().err == ""


def test_the_same_port_and_another_token_at_each_start(server: Server) -> None:
    with Server(table("tictactoe.py"), server.port, "abc") as other:
        assert other.port != server.port
        kept, before = other.port, other.token
    with Server(table("tictactoe.py"), kept, "abc") as again:
        assert again.port == kept
        assert again.token != before
        assert again.url == f"http://127.0.0.1:{kept}/#{again.token}"


def test_a_server_proves_to_be_the_same_tables_without_telling_its_secrets(server: Server) -> None:
    status, headers, start = request(server, "POST", "/again", ONCE.encode(), **JSON)
    assert status == 200
    assert headers["Proof"] == proof(server.key, "again", ONCE, str(server.port), start)
    assert proof(server.key, "token", start)[:32] == server.token
    told = f"{headers} {start!r}"
    assert server.token not in told
    assert server.key not in told
    # Who is asked by a page at another port cannot pass this on.
    assert headers["Proof"] != proof(server.key, "again", ONCE, str(server.port + 1), start)


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


def test_in_the_network_it_answers_to_its_own_address_alone() -> None:
    """Another address of this machine's own stands for that in a network."""
    with served(table("tictactoe.py"), host="127.0.0.2") as found:
        assert found.server_address[0] == "127.0.0.2"
        assert found.url.startswith(f"http://127.0.0.2:{found.port}/#")
        own, foreign = f"127.0.0.2:{found.port}", {"Origin": "http://127.0.0.3"}
        for host, more, status in (
            (own, {}, 200),
            (own, foreign, 403),
            *((other, {}, 403) for other in ("127.0.0.1", "localhost", "127x0.0.2")),
        ):
            assert request(found, "GET", "/", Host=host, **more)[0] == status
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.1", found.port), timeout=5)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2"])
def test_a_link_in_the_network_ends_with_the_server(host: str) -> None:
    """What its pages are told leads to no token of a later start; on this machine it does."""
    told: list[dict[str, Any]] = []
    for _ in range(2):
        with served(table("tictactoe.py"), 0, "abc", host=host) as found:
            told.append(message(found, LOOK)[1])
            start = request(found, "POST", "/again", ONCE.encode(), **JSON)[2]
            leads = proof(told[0].get("key", ""), "token", start)[:32] == found.token
            assert leads == (host == "127.0.0.1")
            assert (found.key == "abc") == leads
            assert ("key" in told[-1]) == leads


def ended(link: socket.socket) -> bool:
    """Whether the server has closed a connection, without a word."""
    try:
        return link.recv(1) == b""
    except ConnectionError:
        return True


HALF = b"POST /table HTTP/1.1\r\nContent-Length: 60000\r\n", b"Host: 127.0.0.1\r\n\r\n", b"{"


@pytest.mark.parametrize("most", [1, 4])
def test_connections_that_are_held_open_keep_nobody_out(
    most: int, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST", most)
    answering, go_on = threading.Event(), threading.Event()

    def handle(asked: Any) -> dict[str, Any]:
        answering.set()
        return {"waited": go_on.wait(60)}

    monkeypatch.setattr(server.table, "handle", handle)
    with ThreadPoolExecutor() as pool, contextlib.ExitStack() as stack:
        answer = pool.submit(message, server, LOOK)
        assert answering.wait(60)
        held = []
        for said in (b"", b"G", HALF[0], b"".join(HALF)) * 2:
            link = socket.create_connection(("127.0.0.1", server.port), 20)
            held.append(stack.enter_context(link))
            with contextlib.suppress(ConnectionError):  # there is no room at all
                link.sendall(said)
        # Those go that have been waited for longest, and none that is answered.
        assert all(map(ended, held[: 1 - most or None]))
        go_on.set()
        assert answer.result() == (200, {"waited": True, "key": server.key})
        assert message(server, LOOK)[0] == 200


@pytest.mark.parametrize("begun", [b"G", HALF[0] + b"More: ", b"".join(HALF)])
def test_a_message_that_comes_byte_by_byte_is_not_waited_for(
    begun: bytes, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_COMES", 0.2)
    address = "127.0.0.1", server.port
    quiet = http.client.HTTPConnection(*address, timeout=60)
    quiet.connect()
    with socket.create_connection(address, 0.05) as link, contextlib.suppress(ConnectionError):
        link.sendall(begun)
        for _ in range(100):
            link.sendall(b"x")
            with contextlib.suppress(TimeoutError):
                assert ended(link)
                break
        else:
            pytest.fail("it is still open")
    # One that says nothing may stay.
    quiet.request("GET", "/")
    assert quiet.getresponse().status == 200
    quiet.close()
