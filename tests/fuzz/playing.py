"""A person's table: games that were kept, and what a browser asks of its server."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from cyberdeck.errors import OptionError
from cyberdeck.playing.keeping import Keeper
from cyberdeck.playing.server import Server, _Handler
from cyberdeck.playing.table import Setup, Table
from tests.fuzz.changes import bytes_changed, json_text_changed, text_changed
from tests.fuzz.trial import Door, Failure
from tests.playing.helpers import GAMES, ask, play_on, variant, your_turn

_ASKED = ("about", "look", "choose", "go on", "undo", "new", "hint", "replay")


class KeptGames(Door):
    """The file of a table: the first byte says of which game."""

    name = "kept"
    refusals = (OptionError,)

    def right(self) -> Sequence[bytes]:
        os.environ["XDG_STATE_HOME"] = str(self.folder)
        self.variants = [variant(game, **options) for game, options in GAMES]
        return [b"%c%s" % (number, self._kept(number)) for number in range(len(self.variants))]

    def _keeper(self, number: int) -> Keeper:
        return Keeper(self.variants[number].game.name, {"number": number})

    def _kept(self, number: int) -> bytes:
        keeper = self._keeper(number)
        keeper.open()
        keeper.keep_address({"port": 8000, "token": "token", "url": "http://127.0.0.1:8000/token/"})
        seated = Table(self.variants[number], Setup(), seed=3, keep=keeper.keep_game)
        play_on(seated, 6)
        keeper.close()
        return keeper.path.read_bytes()

    def change(self, data: bytes, luck: Random) -> bytes:
        return data[:1] + json_text_changed(data[1:], luck, [*_ASKED, "heuristic", "0", -1])

    def enter(self, data: bytes) -> Any:
        number = data[0] % len(self.variants) if data else 0
        keeper = self._keeper(number)
        keeper.path.write_bytes(data[1:])
        try:
            keeper.open()
        finally:
            keeper.close()
        if keeper.game is None:
            raise OptionError("there is none")
        return (
            number,
            keeper,
            Table(self.variants[number], Setup(), keep=keeper.keep_game, kept=keeper.game),
        )

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        number, keeper, seated = found
        yield "".join(map(str, keeper.address.values()))
        shown = your_turn(seated)
        yield _told(shown)
        if shown["choices"]:
            yield _told(ask(seated, "choose", action=luck.choice(shown["choices"])["action"]))
            yield _told(your_turn(seated))
        yield _told(ask(seated, "undo"))
        yield _told(ask(seated, "replay"))
        yield _told(ask(seated, "about"))
        again = self._keeper(number)
        again.open()
        again.close()
        twin = Table(self.variants[number], Setup(), kept=again.game)
        here, there = your_turn(seated), your_turn(twin)
        if any(here[name] != there[name] for name in ("turn", "choices", "setup", "end")):
            raise Failure("kept again, it is another")


def _told(answer: Any) -> str:
    """All texts of an answer."""
    if isinstance(answer, dict):
        return "\n".join(map(_told, answer.values()))
    if isinstance(answer, (list, tuple)):
        return "\n".join(map(_told, answer))
    return str(answer)


# --- the server ----------------------------------------------------------------------------------


class _Socket:
    """Gives what was sent, and takes what is answered."""

    def __init__(self, sent: bytes) -> None:
        self.sent, self.answered = io.BytesIO(sent), io.BytesIO()

    def makefile(self, mode: str, *_: Any) -> io.BytesIO:
        return self.sent

    def sendall(self, content: Any) -> None:
        self.answered.write(content)

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


_LENGTH = re.compile(rb"Content-Length: \d+\r\n")


class Requests(Door):
    """What a browser, or somebody else, sends to the server of a table."""

    name = "request"

    def right(self) -> Sequence[bytes]:
        self.server = Server(self._table())
        self.server.server_close()  # requests come another way
        self.token, host = self.server.token.encode(), b"Host: 127.0.0.1\r\n"
        seeds = [b"GET /%s/ HTTP/1.1\r\n%s\r\n" % (b"TOKEN", host)]
        for message in (
            {"do": "look", "theme": "light", "narrow": True},
            *({"do": asked, "version": "VERSION"} for asked in _ASKED),
            {"do": "choose", "action": 3, "version": "VERSION"},
            {
                "do": "new",
                "seat": "1",
                "against": "random",
                "ally": "",
                "seed": 5,
                "version": "VERSION",
            },
        ):
            seeds.append(_message(host, json.dumps(message).encode()))
        return [*seeds, b"".join(seeds[1:3])]

    @staticmethod
    def _table() -> Table:
        return Table(variant("tictactoe.py"), Setup(), seed=3)

    def change(self, data: bytes, luck: Random) -> bytes:
        head, mark, body = data.partition(b"\r\n\r\n")
        if body and luck.random() < 0.7:
            body = json_text_changed(body, luck, [*_ASKED, "VERSION", "same", "random"])
            return (
                _LENGTH.sub(b"Content-Length: %d\r\n" % len(body), head + b"\r\n") + b"\r\n" + body
            )
        if luck.random() < 0.6:
            pieces = [
                "GET",
                "POST",
                "/TOKEN/",
                "//",
                "Origin: null\r\n",
                "Transfer-Encoding: chunked\r\n",
                "HTTP/0.9",
            ]
            head = text_changed(head.decode("latin-1"), luck, pieces).encode("latin-1", "replace")
            return head + mark + body
        return bytes_changed(data, luck, [b"\r\n", b"\r\n\r\n", b"TOKEN"])

    def enter(self, data: bytes) -> Any:
        self.server.table = self._table()
        version = self.server.table.version.encode()
        sent = data.replace(b"TOKEN", self.token).replace(b"VERSION", version)
        socket = _Socket(sent)
        _Handler(socket, ("127.0.0.1", 1), self.server)  # type: ignore[arg-type]
        return socket.answered.getvalue()

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        for at in [each.start() for each in re.finditer(rb"HTTP/1\.[01] ", found)]:
            status = found[at + 9 : at + 12]
            if status.startswith(b"5") and status not in (b"501", b"505"):
                raise Failure(f"answered by {found[at : at + 40]!r}")
        for head, body in _answers(found):
            yield head.decode("utf-8", "replace").replace("\r\n", "\n")
            yield _told(json.loads(body)) if body[:1] == b"{" else body.decode("utf-8", "replace")
        yield _told(self.server.table.handle({"do": "look"}))


def _answers(stream: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Head and body of each answer."""
    while stream.startswith(b"HTTP/"):
        head, _, stream = stream.partition(b"\r\n\r\n")
        told = re.search(rb"Content-Length: (\d+)", head)
        size = int(told[1]) if told else 0
        yield head, stream[:size]
        stream = stream[size:]


def _message(host: bytes, body: bytes) -> bytes:
    kind = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    return b"POST /TOKEN/table HTTP/1.1\r\n" + host + kind + body
