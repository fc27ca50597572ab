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
from cyberdeck.playing.compiled import Compiled
from cyberdeck.playing.keeping import Keeper
from cyberdeck.playing.server import Server, _Handler, proof
from cyberdeck.playing.table import Setup, Table
from tests.fuzz.changes import bytes_changed, changed, text_changed
from tests.fuzz.trial import Door, Failure
from tests.playing.helpers import GAMES, ask, play_on, variant, your_turn

_ASKED = (
    *("about", "look", "choose", "go on", "hurry", "undo", "new", "hint", "worth", "replay"),
    *("offers", "open", "position", "review"),
)
#: A finished game of HACKtheGRID.
_LINK = "izbUUcpITM4uyUhNL8pMUdIx1ok21jEEQgMgNNQx0jEy1DGGMHQMYnWqa3WilQpSi4rz85SAOlNLizKLSzKTlWJjAQ"


class KeptGames(Door):
    """The file of a table: the first byte says of which game."""

    name = "kept"
    reads = ("cyberdeck.playing.keeping",)
    head = 1
    pieces = (*_ASKED, "heuristic", "0", -1)
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
        keeper.keep_address({"port": 8000, "key": "key", "url": "http://127.0.0.1:8000/#token"})
        seated = Table(Compiled(self.variants[number]), Setup(), seed=3, keep=keeper.keep_game)
        play_on(seated, 6)
        keeper.close()
        return keeper.path.read_bytes()

    def enter(self, data: bytes) -> Any:
        number = data[0] % len(self.variants) if data else 0
        keeper = self._keeper(number)
        keeper.path.write_bytes(data[1:])
        try:
            keeper.open()
            if keeper.game is None:
                raise OptionError("there is none")
            seated = Table(
                Compiled(self.variants[number]), Setup(), keep=keeper.keep_game, kept=keeper.game
            )
        finally:
            keeper.close()
        return number, keeper, seated

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        number, keeper, seated = found
        yield "".join(map(str, keeper.address.values()))
        try:
            yield from self._played(seated, luck)
        finally:
            keeper.close()
        again = self._keeper(number)
        again.open()
        again.close()
        twin = Table(Compiled(self.variants[number]), Setup(), kept=again.game)
        here, there = your_turn(seated), your_turn(twin)
        if any(here[name] != there[name] for name in ("turn", "choices", "setup", "end")):
            raise Failure("kept again, it is another")

    @staticmethod
    def _played(seated: Table, luck: Random) -> Iterator[str]:
        """All that its page shows; each change is kept."""
        shown = your_turn(seated)
        yield _told(shown)
        if shown["choices"]:
            yield _told(ask(seated, "choose", action=luck.choice(shown["choices"])["action"]))
            yield _told(your_turn(seated))
        for asked in ("undo", "replay", "about"):
            yield _told(ask(seated, asked))


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
        self.sent = io.BufferedReader(io.BytesIO(sent))
        self.answered = io.BytesIO()

    def makefile(self, mode: str, *_: Any) -> io.BufferedReader[io.BytesIO]:
        return self.sent

    def sendall(self, content: Any) -> None:
        self.answered.write(content)

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


_PIECES = (
    *("GET", "POST", "/table", "/again", "//", "Proof: \xe9 PROOF\r\n", "HTTP/0.9"),
    *("Origin: null\r\n", "Transfer-Encoding: chunked\r\n"),
)
_LENGTH = re.compile(rb"Content-Length: \d+\r\n")
_ID = "12345678"
_VERSION = f"{_ID}.1"
_ONCE = "00000000-0000-4000-8000-000000000000"


class Requests(Door):
    """What a browser, or somebody else, sends to the server of a table.

    Of a changed message the proof is made anew, so that it is read.
    """

    name = "request"
    reads = ("cyberdeck.playing.server",)

    def right(self) -> Sequence[bytes]:
        self.server = Server(self._table())
        self.server.server_close()  # requests come another way
        host = b"Host: 127.0.0.1\r\n"
        seeds = [b"GET / HTTP/1.1\r\n%s\r\n" % host, _message(host, _ONCE.encode(), b"/again")]
        new = {"do": "new", "seat": "1", "against": "random", "ally": "", "seed": 5}
        for message in (
            {"do": "look", "theme": "light", "narrow": True},
            *({"do": asked, "version": _VERSION} for asked in _ASKED),
            {"do": "choose", "action": 3, "version": _VERSION},
            {**new, "version": _VERSION},
            {**new, "game": "hackthegrid", "options": {"scramble": "at_end"}, "version": _VERSION},
            {"do": "position", "link": _LINK, "at": 3},
        ):
            seeds.append(_message(host, json.dumps(message).encode()))
        seeds.append(b"".join(seeds[2:4]))
        if not all(self.enter(each).startswith(b"HTTP/1.1 200") for each in seeds):
            raise Failure("a server turns its own page away")
        return seeds

    @staticmethod
    def _table() -> Table:
        made = Table(Compiled(variant("tictactoe.py")), Setup(), seed=3)
        made._id = _ID  # known to those who send
        return made

    def change(self, data: bytes, luck: Random) -> bytes:
        head, mark, body = data.partition(b"\r\n\r\n")
        if body and luck.random() < 0.7:
            body = changed(body, luck, [*_ASKED, _VERSION, "same", "random"])
            length = b"Content-Length: %d\r\n" % len(body)
            return _LENGTH.sub(length, head + b"\r\n") + b"\r\n" + body
        if luck.random() < 0.6:
            text = text_changed(head.decode("latin-1"), luck, _PIECES)
            return text.encode("latin-1", "replace") + mark + body
        return bytes_changed(data, luck, [b"\r\n", b"\r\n\r\n", b"PROOF"])

    def enter(self, data: bytes) -> Any:
        self.server.table = self._table()
        socket = _Socket(self._proved(data))
        _Handler(socket, ("127.0.0.1", 1), self.server)  # type: ignore[arg-type]
        self.server.close_request(socket)
        return socket.answered.getvalue()

    def _proved(self, sent: bytes) -> bytes:
        """Requests whose sender knows the token."""
        made, *others = sent.split(b"PROOF")
        for rest in others:
            head, _, body = rest.partition(b"\r\n\r\n")
            shown = proof(self.server.token, "asked", _ONCE, body[: _length(head)])
            made += shown.encode() + rest
        return made

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        for head, body in _answers(found):
            if head[9:10] == b"5" and head[9:12] not in (b"501", b"505"):
                raise Failure(f"answered by {head!r}")
            yield head.decode("utf-8", "replace").replace("\r\n", "\n")
            yield _told(json.loads(body)) if body[:1] == b"{" else body.decode("utf-8", "replace")
        yield _told(self.server.table.handle({"do": "look"}))


def _answers(stream: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Head and body of each answer."""
    while stream.startswith(b"HTTP/"):
        head, _, stream = stream.partition(b"\r\n\r\n")
        size = _length(head)
        yield head, stream[:size]
        stream = stream[size:]


def _length(head: bytes) -> int:
    """Of the body that comes after it, if it says so."""
    told = re.search(rb"Content-Length: (\d{1,5})(?!\d)", head)
    return int(told[1]) if told else 0


def _message(host: bytes, body: bytes, place: bytes = b"/table") -> bytes:
    proved = b"Proof: %s PROOF\r\n" % _ONCE.encode()
    kind = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    return b"POST %s HTTP/1.1\r\n" % place + host + proved + kind + body
