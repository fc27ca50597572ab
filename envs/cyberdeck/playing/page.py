"""The page that people play on, as a whole."""

from __future__ import annotations

from importlib.resources import files

from cyberdeck.drawing import moving


def page() -> str:
    """It, with all that it needs but the table.

    >>> page().startswith("<!doctype html>")
    True
    """
    own = files("cyberdeck.playing").joinpath("page.html").read_text("utf-8")
    return own.replace("{{ moving }}", moving.script())
