"""What a language model has answered: the last JSON object that has a ``move``. Prose is never read
for a move.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from cyberdeck.common.text import quoted
from cyberdeck.views.notation import found

#: What an answer is. A move that is not legal, and one that does not exist, are both illegal.
MOVE, ILLEGAL, UNPARSABLE, CUT_OFF = "move", "illegal", "unparsable", "cut_off"

#: So much of an answer, from its end, is read.
MOST_READ: Final = 100_000

_OBJECT: Final = re.compile(r'\{\s{0,99}"')
#: So many beginnings of objects are tried, from the end.
_MOST_TRIED: Final = 64
#: So many digits of a number are quoted.
_MOST_DIGITS: Final = 60
_DECODER: Final = json.JSONDecoder()


class Answer(NamedTuple):
    """An answer as it was understood."""

    kind: str
    """MOVE, ILLEGAL, UNPARSABLE or CUT_OFF."""
    action: int | None = None
    """The legal action that it names."""
    said: str = ""
    """Its notation; or the move as it was written, if it is illegal."""


def judged(text: str, legal: Mapping[int, str], cut_off: bool = False) -> Answer:
    """What is answered, where these actions are legal, with their notation.

    *cut_off*: the answer was stopped before its end, and so nothing of it counts.

    >>> legal = {0: "W4-b4", 1: "end"}
    >>> judged('I go for it: {"move": "w4xb4"}', legal).action
    0
    >>> judged("end", legal).kind, judged('{"move": "W4-c5"}', legal).kind
    ('unparsable', 'illegal')
    """
    if cut_off:
        return Answer(CUT_OFF)
    move = move_in(text)
    if move is None:
        return Answer(UNPARSABLE)
    said = quoted(move) if isinstance(move, str) else str(move)[:_MOST_DIGITS]
    same = found(move, legal) if isinstance(move, str) else [move] if move in legal else []
    if len(same) == 1:
        return Answer(MOVE, same[0], legal[same[0]])
    return Answer(ILLEGAL, said=said)


def move_in(text: str) -> str | int | None:
    """The move of the last JSON object that has one. A text is a notation, a whole number that of
    an action; None: there is neither.

    >>> move_in('{"move": "C2"}, no: {"move": 3}'), move_in('{"move": null}'), move_in("C2")
    (3, None, None)
    """
    for entry in reversed(_objects(text[-MOST_READ:])):
        if "move" in entry:
            return _move(entry["move"])
    return None


def _objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects in a text, in order, but for those within others."""
    starts = [match.start() for match in _OBJECT.finditer(text)][-_MOST_TRIED:]
    kept, end = [], 0
    for start in starts:
        if start < end:
            continue
        try:
            entry, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        kept.append(entry)
    return kept


def _move(value: Any) -> str | int | None:
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
