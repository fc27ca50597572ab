"""One way to change what was right: somewhere in it, in whatever formats lie in each other."""

from __future__ import annotations

import base64
import copy
import io
import json
import struct
import warnings
import zipfile
import zlib
from collections.abc import Sequence
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
#: No more bytes come of a change.
LONGEST: Final = 1 << 20

Pieces = Sequence[Any]


def changed(data: bytes, luck: Random, pieces: Pieces = ()) -> bytes:
    """*data* with one change, mostly within the format that it has; *pieces* may get into it."""
    if luck.random() < 0.9:
        for change in (_archive, _array, _tensors, _json, _lines, _text):
            # What was changed before need no longer be of the format that it begins like.
            with suppress(ValueError, LookupError, TypeError, RecursionError, struct.error):
                return change(data, luck, pieces)
    return bytes_changed(data, luck, pieces)


def bytes_changed(data: bytes, luck: Random, pieces: Pieces = ()) -> bytes:
    """A byte, a stretch, or a number of several bytes is another; or a piece more, or less."""
    made = bytearray(data)
    at = luck.randrange(len(data) + 1)
    length = min(luck.choice((1, 1, 2, 4, 8, 16, 100, 1000)), len(data) - at)
    what = luck.randrange(6)
    if what == 0:
        made[at : at + length] = luck.randbytes(length)
    elif what == 1:
        number = luck.choice([each for each in NUMBERS if isinstance(each, int)])
        size, order = luck.choice((1, 2, 4, 8)), luck.choice(("little", "big"))
        made[at : at + size] = (number % 2 ** (8 * size)).to_bytes(size, order)
    elif what == 2:
        del made[at : at + length]
    elif what == 3:
        made[at:at] = made[at : at + length] * luck.choice((1, 2, 10, 1000))
    elif what == 4:
        made = made[:at]
    else:
        piece = luck.choice([*pieces, *WORDS])
        made[at:at] = piece if isinstance(piece, bytes) else str(piece).encode("utf-8", "replace")
    return bytes(made[:LONGEST])


def text_changed(text: str, luck: Random, pieces: Pieces = ()) -> str:
    """A stretch is left out, repeated or put elsewhere; or a word or a number is another."""
    at, length = luck.randrange(len(text) + 1), luck.choice((1, 1, 2, 5, 20, 100))
    what = luck.randrange(5)
    if what == 0:
        return text[:at] + text[at + length :]
    if what == 1:
        repeated = text[at : at + length] * luck.choice((2, 2, 10, 100, 5000))
        return (text[:at] + repeated + text[at + length :])[:LONGEST]
    if what == 2:
        to = luck.randrange(len(text) + 1)
        return text[:to] + text[at : at + length] + text[to:]
    words = [each for each in pieces if isinstance(each, str)]
    piece = luck.choice([*words, *WORDS]) if what == 3 else str(luck.choice(NUMBERS))
    begins = max(text.rfind(each, 0, at) for each in " ,:\n[{(") + 1
    ends = min([found for each in " ,:\n]})" if (found := text.find(each, at)) >= 0] or [at])
    return text[:begins] + piece + text[max(begins, ends) :]


def value_changed(value: Any, luck: Random, pieces: Pieces = ()) -> Any:
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
        inner = changed(here.encode(), luck, pieces) if here[:1] in tuple("[{") else b""
        outer[key] = inner.decode("utf-8", "replace") or text_changed(here, luck, pieces)
    else:
        outer[key] = luck.choice([*NUMBERS, *WORDS, *(e for e in pieces if type(e) is not bytes)])
    return root[0]


# --- formats: each of these raises an error for what is of another --------------------------------


def _json(data: bytes, luck: Random, pieces: Pieces) -> bytes:
    return json.dumps(value_changed(json.loads(data), luck, pieces)).encode()


def _text(data: bytes, luck: Random, pieces: Pieces) -> bytes:
    return text_changed(data.decode(), luck, pieces).encode("utf-8", "surrogatepass")


def _lines(data: bytes, luck: Random, pieces: Pieces) -> bytes:
    """Lines of JSON: one is changed, left out, or there twice."""
    lines = data.split(b"\n")
    json.loads(lines[0])
    at, what = luck.randrange(len(lines)), luck.randrange(8)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines.insert(at, lines[luck.randrange(len(lines))])
    else:
        lines[at] = changed(lines[at], luck, pieces)
    return b"\n".join(lines)


def _array(data: bytes, luck: Random, pieces: Pieces) -> bytes:
    """An array of NumPy's: its head, or its numbers, which may be a text."""
    if not data.startswith(b"\x93NUMPY"):
        raise ValueError("no array")
    begin = 10 + int.from_bytes(data[8:10], "little")
    head, numbers = data[10:begin], data[begin:]
    if numbers.startswith(b"{") and luck.random() < 0.8:
        numbers = changed(numbers, luck, pieces)
        head = b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % len(numbers)
    elif luck.random() < 0.6:
        numbers = bytes_changed(numbers, luck)
    else:
        heads = ["'<f8'", "'|O'", "'<U9'", "(2, 3)", "(0,)", "(-1,)", "True", "[('a', '<i4')]"]
        head = text_changed(head.decode("latin-1"), luck, heads).encode("latin-1", "replace")
        head = head[: 2**16 - 1]
    return data[:8] + len(head).to_bytes(2, "little") + head + numbers


def _tensors(data: bytes, luck: Random, pieces: Pieces) -> bytes:
    """A file of safetensors: its head, or its weights."""
    (length,) = struct.unpack("<Q", data[:8])
    if data[8:9] != b"{":
        raise ValueError("no head")
    head, weights = data[8 : 8 + length], data[8 + length :]
    if luck.random() < 0.7:
        kinds = ["F32", "F64", "I8", "BF16", "F8_E4M3", "0.weights", "value.0.biases"]
        head = changed(head, luck, [*pieces, *kinds])
    else:
        large = [struct.pack("<f", each) for each in (1e38, float("nan"), float("inf"))]
        weights = bytes_changed(weights, luck, large)
    return struct.pack("<Q", len(head)) + head + weights


def _archive(data: bytes, luck: Random, pieces: Pieces) -> bytes:
    """A part of a zip archive is changed, left out, there twice, or packed."""
    parts = unzipped(data)
    at, what = luck.randrange(len(parts)), luck.randrange(10)
    name, content = parts[at]
    if what == 0:
        del parts[at]
    elif what == 1:
        parts.append((luck.choice([name, "more.npy", "../up.npy"]), content))
    else:
        parts[at] = name, changed(content, luck, pieces)
    return zipped(parts, zipfile.ZIP_DEFLATED if luck.random() < 0.03 else zipfile.ZIP_STORED)


def link_changed(data: bytes, luck: Random, pieces: Pieces) -> bytes:
    """What the letters of a link hold is changed, or are they."""
    with suppress(ValueError, zlib.error):
        squeezed = base64.urlsafe_b64decode(data + b"=" * (-len(data) % 4))
        held = zlib.decompress(squeezed, -zlib.MAX_WBITS)
        if luck.random() < 0.8:
            packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
            packed = packer.compress(changed(held, luck, pieces)) + packer.flush()
            return base64.urlsafe_b64encode(packed).rstrip(b"=")
    return bytes_changed(data, luck)


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
