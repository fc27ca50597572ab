"""Many pictures as one HTML page to step through: a single file that needs no network."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any, Final, TypeAlias

from cyberdeck.common.tables import text_of
from cyberdeck.drawing import svg as palette
from cyberdeck.play.finished import Judged
from cyberdeck.replay.frames import Consequence, Frame, doer, listed, together
from cyberdeck.replay.prompts import Asked
from cyberdeck.views.words import HIDDEN

#: A row of the list: the number of its first decision, who made it, and what it tells, each with
#: the picture that shows it and its notation. An event has no number and nobody who made it.
_Row: TypeAlias = tuple[int, str, list[tuple[int, str, str]]]

_BLANK = re.compile(r"\{\{ (\w+) \}\}")


#: The colours of the page, by the names that its style gives them.
_COLOURS: Final = {
    "night": palette.NIGHT,
    "panel": palette.PANEL,
    "card": palette.CARD,
    "line": palette.LINE,
    "dim": palette.DIM,
    "bright": palette.BRIGHT,
    "accent": palette.CYAN,
    "live": palette.MAGENTA,
}


def page(
    title: str,
    headline: str,
    metrics: Sequence[tuple[str, str]],
    views: Iterable[tuple[str, Iterable[Frame]]],
    names: Sequence[str],
    seconds: float,
    asked: Sequence[Sequence[Asked]],
    judged: Sequence[Sequence[Judged]],
) -> str:
    """The page.

    Args:
        title: of the page.
        headline: who played, and how it ended.
        metrics: what else there is to say of the game, (name, words).
        views: the game from each side that may be chosen, (name, pictures): these are packed one by
            one as they are drawn, since all of them together would take a lot of room.
        names: of the seats, if there are several.
        seconds: how long a picture stays while the game is played.
        asked: for each view what chat models were asked and have answered.
        judged: for each view what the decisions gave away.
    """
    number: dict[str, int] = {}
    wide, narrow = Packed(number), Packed(number)
    sides: list[tuple[str, list[Frame]]] = []
    for name, pictures in views:
        sides.append((name, []))
        for frame in pictures:
            wide.add(frame.svg)
            narrow.add(frame.narrow)
            sides[-1][1].append(replace(frame, svg="", narrow=""))
    talks = list(dict.fromkeys(one for each in asked for one in each))
    data = {
        "tags": list(number),
        "frames": wide.frames + narrow.frames,
        "talks": [(one.decision, one.said) for one in talks],
        "names": list(names),
        "views": [
            {
                "name": name,
                "talks": [talks.index(one) for one in said],
                "judged": [
                    (one.decision, one.seat, round(one.lost, 4), round(one.noise, 4), one.words)
                    for one in lost
                ],
                "captions": [frame.caption for frame in pictures],
                "decisions": [frame.decision for frame in pictures],
                "turns": _turns(pictures, names),
            }
            for (name, pictures), said, lost in zip(sides, asked, judged, strict=True)
        ],
        "seconds": seconds,
    }
    paint, dark, light = palette.both_themes(number)
    for name, colour in _COLOURS.items():
        dark += f"--{name}:{colour};"
        light += f"--{name}:{palette.LIGHT[colour]};"
    filled = {
        "title": html.escape(title),
        "headline": html.escape(headline),
        "metrics": "".join(
            f"<dt>{html.escape(name)}</dt><dd>{html.escape(words)}</dd>" for name, words in metrics
        ),
        # No "<": nothing in it can end the script.
        "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        "moving": text_of("cyberdeck.drawing", "moving.js"),
        "paint": paint,
        "dark": dark,
        "light": light,
    }
    template = text_of("cyberdeck.replay", "page.html")
    return _BLANK.sub(lambda blank: filled[blank[1]], template)


def _turns(pictures: Sequence[Frame], names: Sequence[str]) -> list[tuple[str, list[_Row]]]:
    """The list of moves: what stands above a turn, and its rows."""
    shown_in = {item: at for at, frame in enumerate(pictures) for item in frame.story}
    turns: list[tuple[str, list[_Row]]] = []
    for row in together(shown_in):
        first = row if isinstance(row, Consequence) else row[0]
        if not turns or turns[-1][0] != first.turn:
            turns.append((first.turn, []))
        if isinstance(row, Consequence):
            turns[-1][1].append((0, "", [(shown_in[row], row.words, "")]))
            continue
        who = doer(row[0], names) if names else ""
        # What is hidden is all one, whatever picture it falls into.
        start = shown_in[row[0]]
        said = groupby(
            row, key=lambda m: (start if m.words == HIDDEN else shown_in[m], m.words, m.short)
        )
        links = [(at, listed([words] * len(list(m))), short) for (at, words, short), m in said]
        turns[-1][1].append((row[0].number, who, links))
    return turns


class Packed:
    """Pictures that have most of their tags in common, without saying any tag twice.

    Each of the ``frames`` is a list of numbers: n >= 0 is a tag; n < 0 and the number after it are
    -n tags of the picture before, from that place on.

    Args:
        number: of each tag; those that are new are added.
    """

    def __init__(self, number: dict[str, int]) -> None:
        self.frames: list[list[int]] = []
        self._number, self._before = number, list[int]()

    def add(self, svg: str) -> None:
        """One more picture."""
        number = self._number
        # Between two tags, and between the lines of a description.
        parts = svg.replace("><", ">\0<").replace("\n", "\n\0").split("\0")
        tags = [number.setdefault(tag, len(number)) for tag in parts]
        self.frames.append(_changed(self._before, tags))
        self._before = tags


def _changed(before: Sequence[int], tags: list[int]) -> list[int]:
    changed: list[int] = []
    # The ends are alike in most pictures, and comparing them costs next to nothing.
    front = _alike(before, tags)
    back = _alike(before[front:][::-1], tags[front:][::-1])
    middle = SequenceMatcher(
        None, before[front : len(before) - back], tags[front : len(tags) - back]
    )
    runs: list[tuple[int, int, int]] = [
        (0, 0, front),
        *((front + a, front + b, size) for a, b, size in middle.get_matching_blocks()),
        (len(before) - back, len(tags) - back, back),
    ]
    done = 0
    for start, at, size in runs:
        if size > 2:  # shorter ones are said as quickly
            changed += [*tags[done:at], -size, start]
            done = at + size
    return changed + tags[done:]


def _alike(one: Sequence[Any], two: Sequence[Any]) -> int:
    """How many items two sequences have in common at their beginning."""
    unlike = (at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b)
    return next(unlike, min(len(one), len(two)))
