"""What is known of a terminal: its size, and whether it shows colours."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Final, TextIO

#: Where nobody says how large it is.
_SIZE: Final = (100, 30)


def size() -> tuple[int, int]:
    """Columns, at most 100, and lines."""
    found = shutil.get_terminal_size(_SIZE)
    return min(found.columns, _SIZE[0]), found.lines


def table_width() -> int | None:
    """How wide a table may be: as wide as it is, unless it is read in a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def coloured(stream: TextIO) -> bool:
    """Whether what is written there may have colours: see no-color.org."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain
