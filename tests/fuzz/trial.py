"""One try: something is read through a door, within bounds, and used if it is accepted."""

from __future__ import annotations

import re
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Final

from tests.fuzz import changes, known
from tests.reach import reached

#: What no door may take longer than, in seconds of this thread, nor more, in bytes of memory, for
#: a file of a megabyte.
SECONDS: Final = 1.0
MEMORY: Final = 200 << 20

#: What use may take.
SECONDS_OF_USE: Final = 30.0

#: No error is longer.
LONGEST_ERROR: Final = 5_000

#: What would rule a terminal, or turn the text around, or is no Unicode.
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Failure(AssertionError):
    """A door, or what is behind it, has not kept what it promises."""


class Door:
    """Where something of others comes in.

    What is ``right()``, and to be accepted, is changed into others like it. ``enter(data)`` is what
    is read, never None, or raises one of the refusals. ``use(found, luck)`` does with it all that
    can be done: every text that comes out.
    """

    name: ClassVar[str]
    #: The modules that read what comes in here.
    reads: ClassVar[tuple[str, ...]] = ()
    #: What is raised for what is wrong.
    refusals: ClassVar[tuple[type[Exception], ...]] = ()
    #: What may get into changed data.
    pieces: Sequence[Any] = ()
    #: So many bytes at the beginning say which game it is, and stay.
    head: ClassVar[int] = 0

    def __init__(self, folder: Path) -> None:
        """*folder*: for files."""
        self.folder = folder

    def right(self) -> Sequence[bytes]:
        """What is to be accepted."""
        raise NotImplementedError

    def found(self, right: Sequence[bytes]) -> Sequence[bytes]:
        """What was made of it and not withstood before."""
        made = getattr(known, self.name, None)
        return [*made(right[0])] if made else []

    def change(self, data: bytes, luck: Random) -> bytes:
        """It with one change."""
        return data[: self.head] + changes.changed(data[self.head :], luck, self.pieces)

    def enter(self, data: bytes) -> Any:
        """Read it."""
        raise NotImplementedError

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        """Do with what was read all that can be done."""
        yield str(found)

    def file(self, name: str, data: bytes) -> Path:
        """A file of it."""
        path = self.folder / name
        path.write_bytes(data)
        return path


def withstand(door: Door, tries: int) -> list[bool]:
    """Try all that is right, what was not withstood before, and so many changes; of what is right,
    whether it was accepted.
    """
    right = door.right()
    accepted = [tried(door, data) for data in right]
    for data in door.found(right):
        tried(door, data)
    for data in several_changed(door, right, range(tries)):
        tried(door, data)
    return accepted


def several_changed(door: Door, right: Sequence[bytes], numbers: Iterable[int]) -> Iterator[bytes]:
    """What is right after one to four changes, for each of these numbers: always the same."""
    for number in numbers:
        luck = Random(number)
        yield changed(door, luck.choice(right), luck, luck.randint(1, 4))


def changed(door: Door, data: bytes, luck: Random, times: int) -> bytes:
    """*data* after so many changes."""
    for _ in range(times):
        data = door.change(data, luck)
    return data


def tried(door: Any, data: bytes, slow: float = 1.0) -> bool:
    """Whether *data* was accepted, and could be used; raises whatever went wrong.

    *slow*: so many times as long as usual may everything take.
    """
    for left in range(2, -1, -1):
        found, took, more = _entered(door, data)
        if took <= slow * SECONDS and more <= MEMORY:
            break
        if not left:  # not once alone, as when something is loaded, or comes back from the disk
            told = f"{took:.1f} s" if took > slow * SECONDS else f"{more >> 20:,} MB"
            raise Failure(f"reading {len(data):,} bytes took {told}")
    if found is None:
        return False
    began = time.thread_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in door.use(found, Random(zlib.crc32(data))):
            check_shown(text)
    if (took := time.thread_time() - began) > slow * SECONDS_OF_USE:
        raise Failure(f"using {len(data):,} bytes took {took:.1f} s")
    return True


def _entered(door: Any, data: bytes) -> tuple[Any, float, int]:
    """What is read, or None if it is refused; the seconds and the bytes of memory that it took."""
    _forget_peak()
    before, began, found = _peak(), time.thread_time(), None
    try:
        with warnings.catch_warnings(), reached(door.folder) as did:
            warnings.simplefilter("error")
            found = door.enter(data)
    except door.refusals as error:
        check_shown(told := str(error))
        if len(told) > LONGEST_ERROR:
            raise Failure(f"an error has {len(told):,} characters: {told[:100]!a}") from None
    took, more = time.thread_time() - began, _peak() - before
    if did:
        effect, told = did[0]
        raise Failure(f"reading {effect}: {told[:200]}")
    return found, took, more


def check_shown(text: str) -> None:
    """``Failure`` if it holds what cannot be shown."""
    if found := _CONTROL.search(text):
        near = text[max(0, found.start() - 40) : found.end() + 40]
        raise Failure(f"it shows a control character: {near!a}")


def _forget_peak() -> None:
    """Linux counts the most memory that was used anew."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """The most memory that was used, in bytes; 0 where that is not told."""
    try:
        told = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", told)
    return int(found[1]) << 10 if found else 0
