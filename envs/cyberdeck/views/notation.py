"""The short notation of actions: written for people, programs and language models, and read.

What is read may have other marks, spaces and capitals than what is written, a playing card's signs,
and no little words: ``w4xB4`` is ``W4-b4``, ``9♠ 2`` is ``9 of spades to pile 2``. Of the actions
that are legal together no two are alike even so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from cyberdeck.common.text import nearest, quoted
from cyberdeck.errors import ActionError
from cyberdeck.views.record import Record
from cyberdeck.views.view import View

#: What does not count.
_MARKS: Final = re.compile(r"[\W_]+")

#: Words that only join others.
_LITTLE: Final = re.compile(r"\b(?:a|the|of|on|to|pile)\b")

#: A playing card by its signs: K♥, or 12♥♦ where it is a red one.
_CARD: Final = re.compile(r"(?<!\w)(\w+?)\s*([♣♥♠♦]+)")
_RANKS: Final = {"a": "ace", "j": "jack", "q": "queen", "k": "king"}
_SUITS: Final = {"♣": "clubs", "♥": "hearts", "♠": "spades", "♦": "diamonds"}
_COLOURS: Final = {"♣♠": "black", "♥♦": "red"}

#: The sign of a capture: no letter of a word.
_CAPTURE: Final = re.compile(r"(?<=[\d\W_])x(?=.)", re.DOTALL)


def key(text: str) -> str:
    """What counts of a notation: its letters and digits, in no case, and playing cards by name.

    >>> key("W4-b4"), key(" w4 × B4+ "), key("K♥ to pile 2")
    ('w4b4', 'w4b4', 'kingofheartstopile2')
    """
    return _MARKS.sub("", _folded(text))


def _folded(text: str) -> str:
    if text.isascii():
        return text.casefold()
    return _CARD.sub(_card, unicodedata.normalize("NFKC", text).casefold())


def _card(signs: re.Match[str]) -> str:
    """A playing card by name: "king of hearts", "red 12"."""
    rank, suits = _RANKS.get(signs[1], signs[1]), signs[2]
    if suits in _COLOURS:
        return f"{_COLOURS[suits]} {rank} "
    return f"{rank} of {' '.join(map(_SUITS.__getitem__, suits))} "


def _joined(text: str) -> str:
    """The same without words that only join others."""
    return _MARKS.sub("", _LITTLE.sub("", _folded(text)))


def _bare(text: str) -> str:
    """The same without a capture's sign."""
    return _MARKS.sub("", _CAPTURE.sub("", _folded(text)))


def short(notation: str, words: str) -> str:
    """A notation to stand beside an action's words; nothing, where it would say the same again.

    >>> short("C2", "go to column 2"), short("end", "end the turn"), short("a5 to b", "5 of a to b")
    ('C2', '', '')
    """
    return notation if 2 * len(notation) <= len(words) and notation not in words else ""


def told_apart(names: Mapping[int, str]) -> dict[int, str]:
    """The names of actions, with their numbers where one could be taken for another.

    >>> told_apart({3: "bid 1", 4: "bid -1", 5: "pass"})
    {3: 'bid 1 (action 3)', 4: 'bid -1 (action 4)', 5: 'pass'}
    """
    known: dict[str, int] = {}
    for name in names.values():
        known[key(name)] = known.get(key(name), 0) + 1
    return {
        action: name if known[key(name)] == 1 and key(name) else f"{name} (action {action})".strip()
        for action, name in names.items()
    }


def notations(view: View, record: Record, mask: Sequence[int]) -> dict[int, str]:
    """The notation of each action that is legal by the mover's *mask*."""
    actions = [action for action, possible in enumerate(mask) if possible]
    if view.notation is not None:
        return {action: view.notation(record, action) for action in actions}
    return told_apart({action: view.action_name(record, action) for action in actions})


def found(text: str, names: Mapping[int, str]) -> list[int]:
    """The actions that *text* may stand for, of those with these notations: no more than one, where
    they can be told apart.

    >>> names = {0: "W4-b4", 1: "W4-b5"}
    >>> found("w4 B5!", names), found("W4xb4", names), found("W4", names)
    ([1], [0], [])
    >>> found("9♠ 2", {2: "9 of spades to pile 2", 12: "9 of spades to pile 12"})
    [2]
    """
    levels: tuple[Callable[[str], str], ...] = (str.strip, key, _bare, _joined)
    for level in levels:
        wanted = level(text)
        same = [action for action, name in names.items() if level(name) == wanted] if wanted else []
        if same:
            return same
    return []


def action_called(names: Mapping[int, str], text: str) -> int:
    """The legal action that *text* stands for, of those with these notations, or ``ActionError``.

    >>> action_called({3: "W4-b4", 4: "W4-b5"}, "w4 b5")
    4
    """
    same = found(text, names)
    if len(same) == 1:
        return same[0]
    listed = ", ".join(list(names.values())[:12]) + ", ..." * (len(names) > 12)
    if same:
        meant = " or ".join(names[action] for action in same)
        raise ActionError(f"{quoted(text)} may mean {meant}: write it in full")
    near = nearest(text, names.values())
    raise ActionError(f"{quoted(text)} is no legal action{near}: legal are {listed or 'none'}")
