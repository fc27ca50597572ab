"""Ways to change what was right: bytes, texts, values of JSON, and archives of arrays."""

from __future__ import annotations

import copy
import io
import json
import warnings
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Any, Final

#: What a reader may not have thought of.
NUMBERS: Final[Sequence[Any]] = (
    *(0, 1, -1, 2, 127, 128, 255, 256, 624, 625, 2**31 - 1, 2**31, -(2**31), 2**53 + 1),
    *(2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64, 10**400, 1.5, -0.0, 1e308, 1e226, 5e-324),
    *(float("nan"), float("inf"), float("-inf"), True, False),
)
WORDS: Final = (
    *("", " ", "\0", "\n", "a\x1b[2Jb", "\x9b31m", "\u202eabc", "\ud800", "\U0010ffff", "é"),
    *("a" * 300, "a" * 70_000, "\x1b" * 2_000, "<script>alert(1)</script>", "]]>", "--", "'\"&"),
    *("../../../etc/passwd", "nan", "-inf", "1e999", "0x10", "9" * 5_000, "None", "null", "{}"),
    *("heuristic", "random", "self", "past", "seat", "state", "__class__", "*a", "&a [*a]"),
)


def bytes_changed(data: bytes, luck: Random, pieces: Sequence[bytes] = ()) -> bytes:
    """A byte, a stretch, or a number of several bytes is another; or a piece more, or less."""
    changed = bytearray(data)
    at = luck.randrange(len(data) + 1)
    length = min(luck.choice((1, 1, 2, 4, 8, 16, 100, 1000)), len(data) - at)
    what = luck.randrange(6)
    if what == 0:
        changed[at : at + length] = luck.randbytes(length)
    elif what == 1:
        number = luck.choice([each for each in NUMBERS if isinstance(each, int)])
        size, order = luck.choice((1, 2, 4, 8)), luck.choice(("little", "big"))
        changed[at : at + size] = (number % 2 ** (8 * size)).to_bytes(size, order)
    elif what == 2:
        del changed[at : at + length]
    elif what == 3:
        changed[at:at] = changed[at : at + length] * luck.choice((1, 2, 10, 1000))
    elif what == 4:
        changed = changed[:at]
    else:
        changed[at:at] = luck.choice(
            [*pieces, *(word.encode("utf-8", "replace") for word in WORDS)]
        )
    return bytes(changed[: 1 << 20])


def text_changed(text: str, luck: Random, pieces: Sequence[str] = ()) -> str:
    """A stretch is left out, repeated or put elsewhere; or a word or a number is another."""
    at, length = luck.randrange(len(text) + 1), luck.choice((1, 1, 2, 5, 20, 100))
    what = luck.randrange(5)
    if what == 0:
        return text[:at] + text[at + length :]
    if what == 1:
        repeated = text[at : at + length] * luck.choice((2, 2, 10, 100, 5000))
        return (text[:at] + repeated + text[at + length :])[: 1 << 20]
    if what == 2:
        to = luck.randrange(len(text) + 1)
        return text[:to] + text[at : at + length] + text[to:]
    piece = luck.choice([*pieces, *WORDS]) if what == 3 else str(luck.choice(NUMBERS))
    begins = max(text.rfind(each, 0, at) for each in " ,:\n[{(") + 1
    ends = min([found for each in " ,:\n]})" if (found := text.find(each, at)) >= 0] or [at])
    return text[:begins] + piece + text[max(begins, ends) :]


def json_changed(value: Any, luck: Random, pieces: Sequence[Any] = ()) -> Any:
    """A value anywhere in it is another, is gone, or is there more than once."""
    root = [copy.deepcopy(value)]
    places: list[tuple[Any, Any]] = []
    waiting: list[Any] = [root]
    while waiting:
        outer = waiting.pop()
        if isinstance(outer, (dict, list)):
            keys = list(outer) if isinstance(outer, dict) else range(len(outer))
            places += [(outer, key) for key in keys]
            waiting += [outer[key] for key in keys]
    outer, key = luck.choice(places)
    here, what = outer[key], luck.randrange(8)
    if what == 0 and outer is not root:
        del outer[key]
    elif what == 1 and isinstance(here, list) and here:
        here[luck.randrange(len(here)) :] = here * luck.choice((1, 2, 100))
    elif what == 1 and isinstance(here, dict):
        here[luck.choice(WORDS)] = luck.choice(NUMBERS)
    elif what == 2:
        other, there = luck.choice(places)
        outer[key] = copy.deepcopy(other[there])
    elif what == 3:
        deep = json.loads("[" * 99 + "]" * 99)
        outer[key] = luck.choice(([here], {"a": here}, [], {}, None, deep))
    elif what <= 5 and isinstance(here, (int, float)):
        near = here + luck.choice((-1, 1, luck.randrange(-9, 10)))
        outer[key] = luck.choice((near, near, luck.choice(NUMBERS)))
    elif what <= 5 and isinstance(here, str):
        outer[key] = text_changed(here, luck, [each for each in pieces if isinstance(each, str)])
    else:
        outer[key] = luck.choice([*NUMBERS, *WORDS, *pieces])
    return root[0]


def json_text_changed(data: bytes, luck: Random, pieces: Sequence[Any] = ()) -> bytes:
    """The same of a JSON text, or else its bytes changed."""
    if luck.random() < 0.8:
        with suppress(ValueError, RecursionError):
            return json.dumps(json_changed(json.loads(data), luck, pieces)).encode()
    return bytes_changed(data, luck)


def lines_changed(data: bytes, luck: Random, change: Callable[[bytes, Random], bytes]) -> bytes:
    """A line is changed, left out, or there twice."""
    lines = data.split(b"\n")
    at, what = luck.randrange(len(lines)), luck.randrange(8)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines.insert(at, lines[luck.randrange(len(lines))])
    else:
        lines[at] = change(lines[at], luck)
    return b"\n".join(lines)


def archive_changed(data: bytes, luck: Random, change: Callable[[bytes, Random], bytes]) -> bytes:
    """A part of a zip archive is changed, left out, there twice, or packed; or its bytes are."""
    parts = unzipped(data)
    if not parts or luck.random() < 0.1:
        return bytes_changed(data, luck)
    at, what = luck.randrange(len(parts)), luck.randrange(10)
    name, content = parts[at]
    if what == 0:
        del parts[at]
    elif what == 1:
        parts.append((luck.choice([name, "more.npy", "../up.npy"]), content))
    else:
        parts[at] = name, change(content, luck)
    packing = zipfile.ZIP_DEFLATED if luck.random() < 0.03 else zipfile.ZIP_STORED
    return zipped(parts, packing)


def unzipped(data: bytes) -> list[tuple[str, bytes]]:
    """The parts of an archive that can be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [(each.filename, archive.read(each)) for each in archive.infolist()]
    except Exception:  # any that zipfile raises where the bytes were changed before
        return []


def zipped(parts: Sequence[tuple[str, bytes]], packing: int = zipfile.ZIP_STORED) -> bytes:
    """An archive of parts, of which some may have the same name."""
    written = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(written, "w", packing) as archive:
        warnings.simplefilter("ignore")  # of names that are there twice
        for name, content in parts:
            archive.writestr(zipfile.ZipInfo(name), content, packing)
    return written.getvalue()
