"""The script that lets things glide from one picture of a page to the next."""

from __future__ import annotations

from cyberdeck.common.tables import text_of


def script() -> str:
    """It, for every page that shows one picture after the other.

    >>> "function move(picture, before, speed)" in script()
    True
    """
    return text_of("cyberdeck.drawing", "moving.js")
