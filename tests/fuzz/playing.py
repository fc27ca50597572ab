"""A person's table: games that were kept, and what a page asks."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from cyberdeck.common.reading import from_json
from cyberdeck.errors import OptionError
from cyberdeck.playing.compiled import Compiled
from cyberdeck.playing.keeping import Keeper
from cyberdeck.playing.table import Setup, Table
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


_ID = "12345678"
_VERSION = f"{_ID}.1"


class Messages(Door):
    """What a page asks of its table; ``playing/test_server.py`` has how it gets there."""

    name = "message"
    reads = ("cyberdeck.playing.server",)
    refusals = (ValueError,)
    pieces = (*_ASKED, _VERSION, "same", "random")

    def right(self) -> Sequence[bytes]:
        new = {"do": "new", "seat": "1", "against": "random", "ally": "", "seed": 5}
        other = {"game": "hackthegrid", "options": {"scramble": "at_end"}}
        messages: list[dict[str, Any]] = [
            {"do": "look", "theme": "light", "narrow": True},
            *({"do": asked, "version": _VERSION} for asked in _ASKED),
            {"do": "choose", "action": 3, "version": _VERSION},
            *({**new, **more, "version": _VERSION} for more in ({}, other)),
            {"do": "position", "link": _LINK, "at": 3},
        ]
        return [json.dumps(message).encode() for message in messages]

    def enter(self, data: bytes) -> Any:
        message = from_json(data)
        if not isinstance(message, dict):
            raise ValueError("no message")
        table = Table(Compiled(variant("tictactoe.py")), Setup(), seed=3)
        table._id = _ID  # known to those who send
        return table, table.handle(message)

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        table, answer = found
        yield _told(answer)
        yield _told(table.handle({"do": "look"}))
