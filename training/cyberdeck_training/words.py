"""Names, lists and times as people say them."""

from __future__ import annotations

from collections.abc import Iterable


def spaced(name: str) -> str:
    """A name of code in words."""
    return name.replace("_", " ")


def phrase(parts: Iterable[str]) -> str:
    """Several as one phrase.

    >>> phrase(["a", "b", "c"])
    'a, b and c'
    """
    *front, last = parts
    return f"{', '.join(front)} and {last}" if front else last


def duration(seconds: float) -> str:
    """In words.

    >>> duration(161), duration(7500), duration(4.2)
    ('2 min 41 s', '2 h 5 min', '4 s')
    """
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"
