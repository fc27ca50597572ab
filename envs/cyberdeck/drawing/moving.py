"""The script that lets things glide from one picture of a page to the next."""

from __future__ import annotations

from importlib.resources import files


def script() -> str:
    """It, for every page that shows one picture after the other.

    >>> "function move(picture, before, speed)" in script()
    True
    """
    return files("cyberdeck.drawing").joinpath("moving.js").read_text("utf-8")
