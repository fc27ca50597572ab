"""Legal actions as a person reads them: numbered, gathered by what they have in common, found by
notation and by words.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final, NamedTuple

from cyberdeck.views import notation

#: So many are listed one a line.
FEW: Final = 12


class Choice(NamedTuple):
    """An action, its words and its notation."""

    action: int
    words: str
    notation: str = ""

    @property
    def short(self) -> str:
        """The notation, where it does not say the same as the words."""
        return notation.short(self.notation, self.words)


def written(choices: Sequence[Choice], text: str) -> list[Choice]:
    """Those that *text* is the notation of: no more than one, if all have one.

    >>> written([Choice(0, "move to a", "M-a"), Choice(1, "move to b", "M-b")], "mB!")
    [Choice(action=1, words='move to b', notation='M-b')]
    """
    found = notation.found(text, {each.action: each.notation for each in choices})
    return [choice for choice in choices if choice.action in found]


def matching(choices: Sequence[Choice], text: str) -> list[Choice]:
    """Those whose words contain every part of *text*; just one if it says all of its words.

    >>> chosen = [Choice(0, "move"), Choice(1, "move to c4"), Choice(2, "land")]
    >>> [choice.action for choice in matching(chosen, "MO 4")]
    [1]
    >>> [choice.action for choice in matching(chosen, "move")]
    [0]
    """
    wanted = text.lower()
    exact = [choice for choice in choices if choice.words.lower() == wanted]
    parts = wanted.split()
    return exact or [
        choice for choice in choices if all(part in choice.words.lower() for part in parts)
    ]


def listed(choices: Sequence[Choice], width: int, lines: int = FEW) -> list[str]:
    """Lines of at most *width* characters, if the words allow it: a few choices one a line, if
    there are *lines* for them, with their notation, if there is room; many gathered by how they
    begin, or side by side.

    >>> places = [Choice(at, f"deploy in row {at // 6}, facing {at % 6}") for at in range(18)]
    >>> for line in listed(places, 70):
    ...     print(line)
    deploy in row 0, facing   0  0   1  1   2  2   3  3   4  4   5  5
    deploy in row 1, facing   6  0   7  1   8  2   9  3  10  4  11  5
    deploy in row 2, facing  12  0  13  1  14  2  15  3  16  4  17  5
    >>> listed([Choice(0, "move"), Choice(1, "land"), Choice(2, "EMP")], 60, lines=2)
    ['  0  move  1  land  2  EMP']
    >>> listed([Choice(4, "take the pawn of W0", "take W0"), Choice(68, "end the turn", "end")], 60)
    ['   4  take W0  take the pawn of W0', '  68           end the turn']
    """
    room = max(len(str(choice.action)) for choice in choices) + 2
    if len(choices) <= min(FEW, lines):
        wide = max(len(choice.short) for choice in choices)
        alone = [_numbered(choice.action, choice.words, room) for choice in choices]
        told = [
            _numbered(choice.action, f"{choice.short:<{wide}}  {choice.words}", room)
            for choice in choices
        ]
        return told if wide and max(map(len, told)) <= width else alone
    told, alone = [], []
    for beginning, group in _gathered(choices):
        if len(group) == 1:
            alone.append(_numbered(group[0].action, group[0].words, room))
            continue
        told += _side_by_side(alone, width)
        alone = []
        cells = [_numbered(each.action, each.words[len(beginning) + 1 :], room) for each in group]
        wide = max(map(len, cells))
        if len(beginning) + wide * len(cells) <= width:
            told.append(beginning + "".join(cell.ljust(wide) for cell in cells).rstrip())
        else:
            told += [beginning, *_side_by_side(cells, width)]
    return told + _side_by_side(alone, width)


def _side_by_side(cells: Sequence[str], width: int) -> list[str]:
    """As many a line as fit."""
    wide = max(map(len, cells), default=1)
    across = max(1, width // wide)
    rows = [cells[at : at + across] for at in range(0, len(cells), across)]
    return ["".join(cell.ljust(wide) for cell in row).rstrip() for row in rows]


def _numbered(action: int, words: str, room: int) -> str:
    return f"{action:>{room}}  {words}"


def _gathered(choices: Sequence[Choice]) -> list[tuple[str, list[Choice]]]:
    """Neighbours that share more than half of their words, with these words."""
    groups: list[tuple[list[str], list[Choice]]] = []
    for choice in choices:
        words = choice.words.split(" ")
        if groups:
            shared = _shared(groups[-1][0], words)
            longest = max(len(words), *(len(each.words.split(" ")) for each in groups[-1][1]))
            if 2 * len(shared) > longest and len(shared) < len(words):
                groups[-1] = (shared, [*groups[-1][1], choice])
                continue
        groups.append((words, [choice]))
    return [(" ".join(words), group) for words, group in groups]


def _shared(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """What two texts have in common at their beginning."""
    pairs = zip(one, other, strict=False)
    return [word for word, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)]
