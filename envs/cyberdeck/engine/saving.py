"""Saved states: bytes that say whose they are and what lies where, and that are checked first.

magic, version | game | layout of the bookkeeping | layout of the record   (a line of text each)
the bookkeeping | the record | a digest of it all

A layout names all fields, with their types and shapes: ``dice:u8 reward:f4:2 mover:i1``. So a
state can be read after its game's record has changed: fields are taken over by name. One that the
game has no more is left out; a new one is what its option is by default, or an error.

States of version 1 have a digest in the place of their layout: ``layouts.json`` has those that the
games of the suite had then.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import re
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Game
from cyberdeck.engine.recall import PAST
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import StateError

_MAGIC, _MAGIC_1 = b"cyberdeck 2\n", b"cyberdeck 1\n"
_DIGEST = 16

#: No layout is longer, in bytes: that of a game with a hundred fields is a fiftieth of it.
_LONGEST = 2**16

#: A name, a type, and a shape if it is an array. Only (0,) has no elements: what a field takes can
#: then be no less than any of its dimensions.
_FIELD = re.compile(
    r"([^\s:]+):(i[1248]|u8|f[48])(?::(0|[1-9][0-9]{0,8}(?:,[1-9][0-9]{0,8}){0,3}))?"
)

#: What ``record_dtype`` calls the bytes between fields.
_BETWEEN = re.compile(r"_\d+")


def _hash(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


# --- layouts -------------------------------------------------------------------------------------


def layout(dtype: np.dtype[Any]) -> str:
    """A record's layout as a line of text.

    >>> layout(np.dtype([("dice", np.uint64), ("board", np.int8, (7, 7))]))
    'dice:u8 board:i1:7,7'
    """
    fields = []
    for name in dtype.names or ():
        kind, shape = dtype[name].base.str[1:], ",".join(map(str, dtype[name].shape))
        fields.append(f"{name}:{kind}:{shape}" if shape else f"{name}:{kind}")
    return " ".join(fields)


def _dtype(text: str, room: int) -> np.dtype[Any]:
    """The type of record that a layout describes; ``ValueError`` if it makes no sense.

    It comes from anybody: nothing is made that is larger than *room*, which is there already.
    """
    fields, size = [], 0
    for each in text.split(" "):
        found = _FIELD.fullmatch(each)
        if found is None:
            raise ValueError(f"{each[:40]!r} is not a field")
        name, kind, dimensions = found.groups()
        shape = tuple(map(int, dimensions.split(","))) if dimensions else ()
        size += int(kind[1]) * math.prod(shape)
        if size > room or max(shape, default=0) > room:
            raise ValueError(f"{name[:40]!r} is larger than the state")
        fields.append((name, "<" + kind, shape))
    return np.dtype(fields)  # a name that is there twice is a ValueError as well


@functools.cache
def heading(game: Game, row: np.dtype[Any]) -> bytes:
    """What stands before the bookkeeping and the record of a saved state."""
    return _MAGIC + f"{game.name}\n{layout(row)}\n{layout(game.dtype)}\n".encode()


@functools.cache
def _digest_1(game: Game, row: np.dtype[Any]) -> bytes:
    """What states of version 1 have in the place of a layout."""
    return _hash(f"{game.name} {game.dtype.descr} {row.descr}".encode())


@functools.cache
def _layouts_1() -> dict[str, list[str]]:
    """Digest -> the layouts of bookkeeping and record."""
    text = files("cyberdeck.engine").joinpath("layouts.json").read_text("utf-8")
    return dict(json.loads(text))


# --- packing and unpacking -----------------------------------------------------------------------


def pack(game: Game, row: NDArray[Any], record: NDArray[Any]) -> bytes:
    """Bytes of one game and its row of bookkeeping (arrays of one)."""
    body = heading(game, row.dtype) + row.tobytes() + record.tobytes()
    return body + _hash(body)


def unpack(game: Game, row: np.dtype[Any], saved: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
    """The bookkeeping and the record in *saved*; raises ``StateError`` and touches nothing else.

    The caller still has to check that the record is a possible position (``checked_position``).
    """
    if not isinstance(saved, (bytes, bytearray, memoryview)):
        raise StateError(
            f"a saved state is bytes, as get_state() gives, not {type(saved).__name__}"
        )
    saved = bytes(saved)
    body, digest = saved[:-_DIGEST], saved[-_DIGEST:]
    own = heading(game, row)
    known = body.startswith(own)
    if not known:
        _check_owner(game, body)
    if _hash(body) != digest:
        raise StateError("the saved state is damaged: its digest does not fit its content")
    if known:
        row_there, record_there, content = row, game.dtype, body[len(own) :]
    else:
        row_there, record_there, content = _content(game, row, body)
    size = row_there.itemsize
    if len(content) != size + record_there.itemsize:
        raise StateError("the saved state is damaged: it is not as long as its layout says")
    kept = np.frombuffer(content[:size], row_there)
    record = np.frombuffer(content[size:], record_there)
    if known:
        return kept.copy(), record.copy()
    new = _new(game, record[0])
    return _taken_over(game, kept, row, {}), _taken_over(game, record, game.dtype, new)


def _check_owner(game: Game, body: bytes) -> None:
    """``StateError`` if these are no state, or one of another game."""
    if not body.startswith((_MAGIC, _MAGIC_1)):
        raise StateError("these bytes are no state that this version of cyberdeck can read")
    label = body[len(_MAGIC) : len(_MAGIC) + _LONGEST].partition(b"\n")[0]
    if not body.startswith(game.name.encode() + b"\n", len(_MAGIC)):
        other = label[:40].decode(errors="replace")
        raise StateError(f"this is a state of {other!r}, not of {game.name!r}")


def _content(
    game: Game, row: np.dtype[Any], body: bytes
) -> tuple[np.dtype[Any], np.dtype[Any], bytes]:
    """A state that begins otherwise than those of today: its two layouts, and what they lay out."""
    content = body[len(_MAGIC) + len(game.name.encode()) + 1 :]
    if body.startswith(_MAGIC_1):
        digest, content = content[:_DIGEST], content[_DIGEST:]
        if digest == _digest_1(game, row):
            return row, game.dtype, content
        texts = _layouts_1().get(digest.hex())
        if texts is None:
            raise StateError(
                f"this state of {game.title} was saved by a version with another record layout, "
                "which is not known here: use that version"
            )
    else:
        lines = content[: 2 * _LONGEST].split(b"\n", 2)[:2]
        content = content[sum(len(line) + 1 for line in lines) :]
        texts = [line.decode(errors="replace") for line in lines]
    try:
        row_there, record_there = (_dtype(text, len(content)) for text in texts)
    except ValueError as error:
        raise StateError(f"the saved state is damaged: in its layout, {error}") from None
    return row_there, record_there, content


def _new(game: Game, old: np.void) -> dict[str, Any]:
    """What fields are in states of before there were such: options are what they are by default,
    unless the game says otherwise.
    """
    return {**_usual(game), **game.older(old)}


@functools.cache
def _usual(game: Game) -> dict[str, NDArray[Any]]:
    """The fields of options as they are by default."""
    blank = Variant(game, {}).blank()
    options = {each.field or each.name: each.default is not None for each in game.options}
    names = game.dtype.names or ()
    return {name: blank[name] for name, settled in options.items() if settled and name in names}


def _taken_over(
    game: Game, old: NDArray[Any], dtype: np.dtype[Any], new: dict[str, Any]
) -> NDArray[Any]:
    """A copy of *old*, an array of one, as a record of today; *new*: what it may lack."""
    record = np.zeros(1, dtype)
    there, lacking = old.dtype.names or (), []
    for name in dtype.names or ():
        if _BETWEEN.fullmatch(name):
            continue
        if name not in there and name in new:
            record[name] = new[name]
            continue
        if name not in there:
            lacking.append(name)
            continue
        value, place = old[name], record[name]
        whole = value.dtype.kind == place.dtype.kind == "i"
        if value.shape == place.shape and (whole or value.dtype == place.dtype):
            place[:] = value
            if not whole or (place == value).all():
                continue
        raise StateError(
            f"this state of {game.title} was saved by a version whose field {name!r} does not fit "
            "into that of this one: use that version"
        )
    if set(lacking) & set(PAST):
        raise StateError(
            f"this state of {game.title} was saved without the past that observation='history' "
            "shows: go on from it with another observation"
        )
    if lacking:
        raise StateError(
            f"this state of {game.title} was saved by a version without "
            f"{', '.join(map(repr, lacking))}, which this one needs: use that version"
        )
    return record
