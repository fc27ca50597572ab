"""A whole game in a few letters, for the end of an address.

The letters are base64url of raw deflate of JSON: [1, game, seed, actions, options, players]. So a
script in a browser can read them as well. A game is named, and no file of one: whoever opens a link
runs nothing that others made.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from typing import Any, Final

from cyberdeck.common.reading import from_json
from cyberdeck.engine.contract import whole_numbers
from cyberdeck.errors import ReplayError
from cyberdeck.replay.file import MOST, Replay

_FORMAT: Final = 1

#: Letters of a link, and bytes that may come out of them.
_LONGEST: Final = 40_000
_UNPACKED: Final = 400_000

#: What stands before the letters in an address, behind the #.
MARK: Final = "game="

_BAD: Final = "this link holds no game: copy all of it, from its first letter to its last"


def is_link(text: str) -> bool:
    """Whether it is the address of a page with a game at its end.

    >>> is_link("http://127.0.0.1:8000/#game=q1Yy"), is_link("#token&game=q1Yy"), is_link("a.json")
    (True, True, False)
    """
    return text.strip().startswith(MARK) or f"#{MARK}" in text or f"&{MARK}" in text


def packed(replay: Replay) -> str:
    """The letters for a finished game.

    >>> game = Replay("hackthegrid", 7, [3, 2, 1, 0, 2, 3, 3, 14, 1, 1, 3, 30, 0, 0])
    >>> unpacked(packed(game)).actions == game.actions
    True
    """
    if replay.start is not None:
        raise ReplayError("a link holds games from their beginning alone: save this one as a file")
    held = [
        _FORMAT,
        replay.game,
        replay.seed,
        list(replay.actions),
        replay.variant.chosen,
        list(replay.players),
    ]
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    text = json.dumps(held, separators=(",", ":"), allow_nan=False)
    squeezed = packer.compress(text.encode()) + packer.flush()
    letters = base64.urlsafe_b64encode(squeezed).decode().rstrip("=")
    if len(letters) > _LONGEST:
        raise ReplayError("this game is too long for a link: save it as a file")
    return letters


def unpacked(text: Any) -> Replay:
    """The game in a link, or in its letters alone, played through, or ``ReplayError``."""
    letters = text.strip().rpartition(MARK)[2] if isinstance(text, str) else ""
    if not letters or len(letters) > _LONGEST or not letters.isascii():
        raise ReplayError(_BAD)
    try:
        squeezed = base64.b64decode(letters + "=" * (-len(letters) % 4), b"-_", validate=True)
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        held = from_json(unpacker.decompress(squeezed, _UNPACKED))
        whole = unpacker.eof and isinstance(held, list)
    except (binascii.Error, zlib.error, ValueError):
        whole = False
    if not whole or not held:
        raise ReplayError(_BAD)
    if held[0] != _FORMAT or len(held) != 6:
        raise ReplayError("this link is of another version of cyberdeck: a newer one may read it")
    _, game, seed, actions, options, players = held
    decided = whole_numbers(actions)
    if not isinstance(game, str) or decided is None:
        raise ReplayError(_BAD)
    if len(decided) > MOST:
        raise ReplayError(f"this link holds {len(decided):,} decisions: at most {MOST:,} are read")
    try:
        replay = Replay(game, seed, decided, players, options)
        replay.played()
    except ReplayError as error:
        raise ReplayError(f"the game in this link cannot be shown: {error}") from None
    return replay
