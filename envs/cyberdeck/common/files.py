"""Files that are there whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a file beside its place, and put it there when it is whole; text as UTF-8.

    If that fails, the place holds what it held before.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_whole(f"{folder}/note.txt", "hello")
    ...     Path(folder, "note.txt").read_text()
    'hello'
    """
    path = Path(path)
    partly = path.with_name(path.name + ".part")
    try:
        with partly.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        partly.replace(path)
    except BaseException:
        partly.unlink(missing_ok=True)
        raise


def write_csv(
    path: str | os.PathLike[str], head: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Write a table as a file of comma-separated values."""
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(head)
    writer.writerows(rows)
    write_whole(path, written.getvalue())
