"""Many pictures as one HTML page to step through: a single file that needs no network."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from importlib.resources import files
from typing import Any

from cyberdeck.drawing import svg as palette

_BETWEEN_TAGS = re.compile("(?<=>)(?=<)")
_BLANK = re.compile(r"\{\{ (\w+) \}\}")


def page(
    title: str,
    headline: str,
    metrics: Sequence[tuple[str, str]],
    pictures: Sequence[tuple[str, str]],
    moves: Sequence[tuple[int, str, str]],
    seconds: float,
) -> str:
    """The page.

    Args:
        title: of the page.
        headline: who played, and how it ended.
        metrics: what else is to be told of the game, (name, words).
        pictures: (SVG, caption).
        moves: for each decision the picture that shows it, who made it, and what it was.
        seconds: how long a picture stays while the game is played.
    """
    tags, frames = packed([svg for svg, _ in pictures])
    data = {
        "tags": tags,
        "frames": frames,
        "captions": [caption for _, caption in pictures],
        "moves": moves,
        "seconds": seconds,
    }
    filled = {
        "title": html.escape(title),
        "headline": html.escape(headline),
        "metrics": "".join(
            f"<dt>{html.escape(name)}</dt><dd>{html.escape(words)}</dd>" for name, words in metrics
        ),
        # Nothing in it can end the script element or begin a comment.
        "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        **{name: getattr(palette, name) for name in ("NIGHT", "PANEL", "CARD", "LINE", "DIM")},
        **{name: getattr(palette, name) for name in ("BRIGHT", "CYAN", "MAGENTA")},
    }
    template = files("cyberdeck.replay").joinpath("page.html").read_text("utf-8")
    return _BLANK.sub(lambda blank: filled[blank[1]], template)


def packed(svgs: Sequence[str]) -> tuple[list[str], list[list[int]]]:
    """Pictures that have most of their tags in common, without saying any tag twice.

    Returns the tags, and each picture as a list of numbers: n >= 0 is a tag; n < 0 and the number
    after it are -n tags of the picture before, from that place on.
    """
    number: dict[str, int] = {}
    frames: list[list[int]] = []
    before: list[int] = []
    for svg in svgs:
        tags = [number.setdefault(tag, len(number)) for tag in _BETWEEN_TAGS.split(svg)]
        frames.append(_changed(before, tags))
        before = tags
    return list(number), frames


def _changed(before: Sequence[int], tags: list[int]) -> list[int]:
    changed: list[int] = []
    # The ends are alike in most pictures, and comparing them costs next to nothing.
    front = _alike(before, tags)
    back = _alike(before[front:][::-1], tags[front:][::-1])
    middle = SequenceMatcher(
        None, before[front : len(before) - back], tags[front : len(tags) - back], autojunk=False
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
    for at, (a, b) in enumerate(zip(one, two, strict=False)):
        if a != b:
            return at
    return min(len(one), len(two))
