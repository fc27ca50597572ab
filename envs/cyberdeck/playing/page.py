"""The page that people play on, as a whole."""

from __future__ import annotations

from cyberdeck.common.tables import text_of


def page() -> str:
    """It, with all that it needs but the table.

    >>> page().startswith("<!doctype html>")
    True
    """
    own = text_of("cyberdeck.playing", "page.html")
    return own.replace("{{ moving }}", text_of("cyberdeck.drawing", "moving.js"))
