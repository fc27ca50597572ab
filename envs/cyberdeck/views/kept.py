"""A finished game as people keep it and send it: the lines of a file, the letters of a link, and
one line that says how it ended. No NumPy is needed.

The letters are base64url of raw deflate of JSON: [1, game, seed, actions, options, players]. So a
script in a browser can read them as well. A game is named, and no file of one: whoever opens a link
runs nothing that others made.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from cyberdeck.common.reading import from_json
from cyberdeck.common.text import printable
from cyberdeck.common.whole import whole_numbers
from cyberdeck.errors import ReplayError

#: What a file begins with, and the version of all that stands in it.
BEGINNING: Final = "cyberdeck replay"
FORMAT: Final = 1

#: How many decisions of a file are read; and how many are shown, of a link or in pictures: that
#: takes a hundred times as long. The longest battle of Hovercrafts that its options allow in the
#: usual 50 turns has 4,510: ten ships with nine actions each, and where they start.
MOST: Final = 20_000
SHOWN: Final = 5_000

#: The version of a link.
_LINK: Final = 1

#: Letters of a link, and bytes that may come out of them.
_LONGEST: Final = 40_000
_UNPACKED: Final = 400_000

#: What stands before the letters in an address, behind the #.
MARK: Final = "game="

_BAD: Final = "this link holds no game: copy all of it, from its first letter to its last"


class Kept(NamedTuple):
    """What a link holds of a game, in its order."""

    game: str
    seed: Any
    actions: Sequence[int]
    options: Any
    players: Any


def lines(entries: Mapping[str, Any]) -> str:
    """The text of a file: JSON with a line for each entry.

    >>> print(lines({"game": "hackthegrid", "seed": 7}), end="")
    {
    "cyberdeck replay": 1,
    "game": "hackthegrid",
    "seed": 7
    }
    """
    told = [
        f"{json.dumps(name)}: {json.dumps(value, allow_nan=False)}"
        for name, value in {BEGINNING: FORMAT, **entries}.items()
    ]
    return "{\n" + ",\n".join(told) + "\n}\n"


def packed(kept: Kept) -> str:
    """The letters of a link.

    >>> unpacked(packed(Kept("hackthegrid", 7, [3, 2], {}, ["ada", "bob"]))).players
    ['ada', 'bob']
    """
    _check(kept.actions)
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    text = json.dumps([_LINK, *kept], separators=(",", ":"), allow_nan=False)
    squeezed = packer.compress(text.encode()) + packer.flush()
    letters = base64.urlsafe_b64encode(squeezed).decode().rstrip("=")
    if len(letters) > _LONGEST:
        raise ReplayError("this game is too long for a link: save it as a file")
    return letters


def unpacked(text: Any) -> Kept:
    """What is in a link, or in its letters alone, or ``ReplayError``; it is not played through."""
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
    if held[0] != _LINK or len(held) != 6:
        raise ReplayError("this link is of another version of cyberdeck: a newer one may read it")
    _, game, seed, actions, options, players = held
    decided = whole_numbers(actions)
    if not isinstance(game, str) or decided is None:
        raise ReplayError(_BAD)
    _check(decided)
    return Kept(game, seed, decided, options, players)


def _check(actions: Sequence[int]) -> None:
    """That a link can hold so many decisions."""
    if len(actions) > SHOWN:
        raise ReplayError(
            f"this game has {len(actions):,} decisions, and a link holds at most {SHOWN:,}: save "
            "it as a file where it was played"
        )


def cannot_be_shown(error: Exception) -> ReplayError:
    """What is said of a link whose game cannot be played through."""
    return ReplayError(printable(f"the game in this link cannot be shown: {error}"))


def headline(
    names: Sequence[str],
    players: Sequence[str],
    sides: Sequence[int],
    teams: Sequence[str],
    returns: Sequence[float],
    ended: str,
) -> str:
    """Who got what, by teams where there are any, and how it *ended*, in words.

    >>> headline(["x", "o"], ["ada", ""], [0, 1], [], [-1.0, 1.0], "three in a row")
    'x (ada) -1, o +1: three in a row'
    """
    found = [(name, [seat]) for seat, name in enumerate(names)]
    if teams:
        seats = range(len(names))
        found = [(name, [s for s in seats if sides[s] == side]) for side, name in enumerate(teams)]
    parts = []
    for name, seats_of in found:
        who = ", ".join(dict.fromkeys(players[seat] for seat in seats_of if players[seat]))
        parts.append(f"{name}{f' ({who})' if who else ''} {returns[seats_of[0]]:+g}")
    return f"{', '.join(parts)}: {ended}"
