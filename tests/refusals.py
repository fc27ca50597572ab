"""What is refused, and in which words: the tables of ``refusals.txt``.

A table begins with ``# its name``; a line is what is given and what the error says, with `` | ``
between them. Lines that begin with ``##`` are comments.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cyberdeck.errors import OptionError

FILE = Path(__file__).with_name("refusals.txt")


def refusals(table: str) -> list[tuple[str, ...]]:
    """The lines of a table, each in its parts."""
    text = FILE.read_text("utf-8").partition(f"\n# {table}\n")[2].partition("\n# ")[0]
    lines = [line for line in text.splitlines() if line and not line.startswith("##")]
    assert lines, table
    return [tuple(line.split(" | ")) for line in lines]


def check_refused(*calls: tuple[str, Callable[[], Any]], error: Any = OptionError) -> None:
    """Each of these calls is refused, in words that match."""
    for words, call in calls:
        with pytest.raises(error, match=words):
            call()
