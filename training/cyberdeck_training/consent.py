"""Games in files, which are programs: run if the user says so, and not because a file does.

A configuration that somebody else made may name any file. It is run if the user names it too, or
says yes, or has trained with it before, when the same stood in it.
"""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from pathlib import Path

from cyberdeck import OptionError
from cyberdeck.common.folders import own_folder
from cyberdeck.common.reading import read_bytes


def _digest(file: Path) -> str:
    """Letters for a game's file, what is in it, and in its view beside it."""
    found = hashlib.sha256(str(file).encode())
    for each in (file, file.with_name(f"{file.stem}_view.py")):
        content = read_bytes(each) if each.is_file() else b""
        found.update(f" {len(content)} ".encode() + content)
    return found.hexdigest()


def remember(game: str) -> None:
    """Note that the user runs this file, as it is now."""
    folder = own_folder("games")
    if folder is not None:
        with suppress(OSError):  # then it is asked again
            (folder / _digest(Path(game).resolve())).touch()


def need(game: str, named_by: str) -> None:
    """``OptionError`` if the user has not said that *game* may be run, which another file names."""
    file, folder = Path(game).resolve(), own_folder("games")
    if not file.is_file():
        return  # it is refused where it is to be loaded
    try:
        known = folder is not None and (folder / _digest(file)).exists()
    except OSError as error:
        raise OptionError(f"{named_by} names a game that cannot be read: {error}") from None
    if known:
        return
    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        asked = f"{named_by} names the game {str(file)!r}, a program. Run it? [y/N] "
        print(asked, end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            remember(game)
            return
    raise OptionError(
        f"{named_by} names the game {str(file)!r}, a program that you have not trained with as it "
        "is now: if you trust it, name it too, by --game FILE (in Python: game=)"
    )
