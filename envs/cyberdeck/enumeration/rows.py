"""Rows of bytes that differ, each found by its hash: positions, and situations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import kernel
from cyberdeck.engine.pieces import forward
from cyberdeck.enumeration.positions import longer

_PRIME, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_S32: Final = np.uint64(32)


class Rows(NamedTuple):
    """Rows that differ, found by their hashes."""

    words: NDArray[np.uint64]  # (N, W) the rows,
    slots: NDArray[np.int32]  # (M,) where they are found; -1: nothing is there


class One(NamedTuple):
    """One row of them."""

    record: NDArray[Any]  # (1,) as a record: of the game, or of the bytes of a situation
    words: NDArray[np.uint64]  # (1, W) the same


@kernel
def _slot_of(words: Any, i: Any, slots: Any) -> Any:
    """Where row *i* of *words* is looked for first."""
    h = _MIX
    for j in range(words.shape[1]):
        h = (h ^ words[i, j]) * _PRIME
        h ^= h >> _S32
    return np.int64(h % np.uint64(len(slots)))


@kernel
def find(rows: Any, new: Any) -> Any:
    """The place in slots of the row that is equal to row 0 of *new*, or of the first free one."""
    words, slots = rows.words, rows.slots
    slot = _slot_of(new, 0, slots)
    while slots[slot] >= 0:
        same = True
        for j in range(words.shape[1]):
            if words[slots[slot], j] != new[0, j]:
                same = False
                break
        if same:
            break
        slot = slot + 1 if slot + 1 < len(slots) else 0
    return slot


@kernel
def copy(words: Any, i: Any, source: Any, k: Any) -> None:
    for j in range(words.shape[1]):
        words[i, j] = source[k, j]


def insert(start: Any, stop: Any, rows: Any) -> None:
    """Have rows from *start* to *stop* found."""
    words, slots = rows.words, rows.slots
    for i in range(start, stop):
        slot = _slot_of(words, i, slots)
        while slots[slot] >= 0:
            slot = slot + 1 if slot + 1 < len(slots) else 0
        slots[slot] = i


def as_words(states: NDArray[Any]) -> NDArray[np.uint64]:
    """(N, W): records as whole numbers, eight bytes in each."""
    words = np.ascontiguousarray(states).view(np.uint64)
    return words.reshape(len(states), states.dtype.itemsize // 8)


def twice(rows: Rows, count: int, insert: Callable[..., None]) -> Rows:
    """Room for twice as many rows, with the first *count* of them."""
    more = Rows(
        longer(rows.words, 2 * len(rows.words)), np.full(2 * len(rows.slots) + 1, -1, np.int32)
    )
    forward(insert, 0, int(count), more)
    return more
