"""The user's own folder, for what is trusted because nobody else could have put it there.

Compiled code is loaded by unpickling, and files that may be run are noted by their digests: both
must come from a folder that no other user can write to, or put another folder in the place of.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cyberdeck.common.text import warn

#: Chooses the folder.
CHOSEN: Final = "CYBERDECK_CACHE_DIR"


def own_folder(name: str) -> Path | None:
    """The folder *name* inside the user's own, made if need be; None if no place is safe.

    ``CYBERDECK_CACHE_DIR`` chooses where it is; otherwise that is the user's cache folder, or one
    among the temporary files. The answer is for now: who asks later asks again.
    """
    for candidate in _candidates():
        try:
            folder = _made(candidate / name)
        except OSError:
            continue
        way = others_way_in(folder)
        if way is None and os.access(folder, os.W_OK | os.X_OK):
            return folder
        if way is not None and os.environ.get(CHOSEN):
            warn(
                f"{CHOSEN}={candidate} is not used: others can change what is in {way}; "
                "choose a folder that nobody else can write to, nor to any above it",
                stacklevel=2,
            )
    return None


def _candidates() -> Iterator[Path]:
    if chosen := os.environ.get(CHOSEN):
        yield Path(chosen)
        return
    home = os.environ.get("XDG_CACHE_HOME")
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA", home)
    with contextlib.suppress(RuntimeError):  # no home folder
        yield (Path(home) if home else Path.home() / ".cache") / "cyberdeck"
    owner = os.geteuid() if hasattr(os, "geteuid") else os.environ.get("USERNAME", "user")
    yield Path(tempfile.gettempdir()) / f"cyberdeck-{owner}"


def _made(folder: Path) -> Path:
    """*folder* by its real name: a link on the way may later lead somewhere else."""
    folder = folder.absolute()
    for each in (*reversed(folder.parents), folder):
        if not each.is_dir():
            each.mkdir(mode=0o700, exist_ok=True)
    return folder.resolve(strict=True)


def others_way_in(folder: Path) -> Path | None:
    """The folder, or the one above it, through which another user could change what lies in it.

    Each must be the user's or root's and writable by nobody else; one above may be writable by
    all if it is sticky, as /tmp is: there nobody moves what is another's.
    """
    if not hasattr(os, "geteuid"):
        return None
    user = os.geteuid()
    for each in (folder, *folder.parents):
        found = each.stat()
        mine = found.st_uid == user or (each != folder and found.st_uid == 0)
        kept = each != folder and found.st_mode & stat.S_ISVTX
        if not mine or (found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not kept):
            return each
    return None
