"""What ends or fails while something is written: a killed process, a full disk, a power cut.

All that the suite writes goes through ``cyberdeck.common.files``, and so through ``os.fsync`` and
``os.replace``: these are the moments at which something happens here.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cyberdeck.common.files import PARTLY


class PowerCut(BaseException):
    """Nothing goes on after that."""


@contextmanager
def moments(happens: Callable[[int], None] = lambda at: None) -> Iterator[Callable[[], int]]:
    """Call *happens* with the number of each moment: before and after each fsync and renaming.

    Gives what tells how many there were.
    """
    count = 0

    def watched(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            nonlocal count
            for step in (lambda: None, lambda: real(*given)):
                step()
                count += 1
                happens(count - 1)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("fsync", "replace"):
            patch.setattr(os, name, watched(getattr(os, name)))
        yield lambda: count


def full_from(moment: int) -> Callable[[int], None]:
    """The disk is full from that moment on."""

    def happens(at: int) -> None:
        if at >= moment:
            raise OSError(errno.ENOSPC, "No space left on device")

    return happens


def killed_at(moment: int) -> Callable[[int], None]:
    """Kill the process at that moment."""

    def happens(at: int) -> None:
        if at == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    return happens


def leftovers(folder: Path) -> list[Path]:
    """What was half written in a folder, and is still there."""
    return list(folder.rglob(f"*{PARTLY}"))


class Disk:
    """Knows what would be left of a folder if the power went: what was synced, and no more.

    A file is what it was when it was synced last, or empty; and a folder has those names that it
    had then.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folders: dict[int, dict[str, tuple[int, bool]]] = {}
        self._files: dict[int, bytes] = {}
        for each in (root, *root.rglob("*")):
            self._note(each)

    @contextmanager
    def until(self, moment: int) -> Iterator[None]:
        """Note what is synced in this block; at that moment the power goes."""

        def happens(at: int) -> None:
            if at == moment:
                raise PowerCut

        with pytest.MonkeyPatch.context() as patch:
            real = os.fsync

            def fsync(file: int) -> None:
                real(file)
                self._note(Path(f"/proc/self/fd/{file}"))

            patch.setattr(os, "fsync", fsync)
            with moments(happens):
                yield

    def _note(self, path: Path) -> None:
        about = path.stat()
        if stat.S_ISDIR(about.st_mode):
            self._folders[about.st_ino] = {
                each.name: (each.inode(), each.is_dir()) for each in os.scandir(path)
            }
        else:
            self._files[about.st_ino] = path.read_bytes()

    def left(self, place: Path) -> Path:
        """Put there what would be left."""

        def put(inode: int, is_folder: bool, place: Path) -> None:
            if is_folder:
                place.mkdir()
                for name, each in self._folders.get(inode, {}).items():
                    put(*each, place / name)
            else:
                place.write_bytes(self._files.get(inode, b""))

        put(self._root.stat().st_ino, True, place)
        return place
