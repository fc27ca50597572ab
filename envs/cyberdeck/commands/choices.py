"""Legal actions as a person reads them: numbered, gathered by what they have in common, found by
words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

#: So many are listed one a line.
FEW: Final = 12


class Choice(NamedTuple):
    """An action and its words."""

    action: int
    words: str


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


def listed(choices: Sequence[Choice], width: int) -> list[str]:
    """Lines of at most *width* characters, if the words allow it: a few choices one a line, many
    gathered by how they begin.

    >>> places = [Choice(at, f"deploy in row {at // 9}, facing {at % 9}") for at in range(18)]
    >>> for line in listed(places, 40):
    ...     print(line)
    deploy in row 0, facing
          0  0      1  1      2  2      3  3
          4  4      5  5      6  6      7  7
          8  8
    deploy in row 1, facing
          9  0     10  1     11  2     12  3
         13  4     14  5     15  6     16  7
         17  8
    """
    if len(choices) <= FEW:
        return [_numbered(*choice) for choice in choices]
    lines = []
    for beginning, group in _gathered(choices):
        if len(group) == 1:
            lines.append(_numbered(*group[0]))
            continue
        lines.append(beginning)
        cells = [_numbered(action, words[len(beginning) + 1 :]) for action, words in group]
        wide = max(map(len, cells))
        across = max(1, width // wide)
        for at in range(0, len(cells), across):
            row = "".join(cell.ljust(wide) for cell in cells[at : at + across])
            lines.append(row.rstrip())
    return lines


def _numbered(action: int, words: str) -> str:
    return f"{action:>7}  {words}"


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
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return list(one[:count])
