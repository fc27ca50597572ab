"""A game's record: the header that all have, the game's own fields, and their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.constants import COMMON_REASONS, FORFEIT, NOBODY, RUNNING
from cyberdeck.engine.definitions import check_bounds, check_dtype, check_name, check_shape
from cyberdeck.errors import OptionError

__all__ = ["COMMON_REASONS", "FORFEIT", "NOBODY", "RUNNING", "Bounds", "Field", "header"]

_KINDS: Final = (np.int8, np.int16, np.int32, np.int64, np.uint64)

#: What a field may ask for.
_ASKED: Final = ("int8", "int16", "int32", "int64", "float32")


@dataclass(frozen=True)
class Field:
    """A field of a game's record: one number, or an array of them.

    By default it holds whole numbers, in the smallest type that holds the bounds, a signed one but
    for 64 bits of a generator: unsigned numbers become huge where a kernel subtracts.

    Args:
        name: kernels read and write it as ``state.<name>``.
        low: the lowest number that it may hold after any decision.
        high: the highest.
        shape: a tuple, ``(9,)`` or ``(3, 4)``, of an array; without it, it is one number.
        dtype: "float32" for fractions, or the whole numbers to take instead of the smallest that
            do: "int8", "int16", "int32" or "int64".

    >>> Field("board", -1, 1, (9,)).kind
    dtype('int8')
    >>> Field("share", 0, 0.5, dtype="float32").kind
    dtype('float32')
    """

    name: str
    low: float
    high: float
    shape: tuple[int, ...] = ()
    dtype: str | None = None

    def __post_init__(self) -> None:
        check_name("the name of a field", self.name)
        what = f"the field {self.name!r}"
        if self.dtype is None:
            check_bounds(what, self.low, self.high, ", or dtype='float32'")
        else:
            check_dtype(what, self.dtype, _ASKED, self.low, self.high)
        check_shape(what, self.shape, 1)
        _ = self.kind

    @property
    def kind(self) -> np.dtype[Any]:
        """The type of each number."""
        if self.dtype is not None:
            return np.dtype(self.dtype)
        for kind in _KINDS:
            if np.iinfo(kind).min <= self.low <= self.high <= np.iinfo(kind).max:
                return np.dtype(kind)
        raise OptionError(
            f"the field {self.name!r} has the bounds {self.low} to {self.high}: 64 bits do not "
            "hold them"
        )


def header(seats: int) -> list[tuple[Any, ...]]:
    """The fields that every game's record starts with: what each holds, ``Game`` says."""
    return [
        ("dice", np.uint64),
        ("decisions", np.int32),
        ("reward", np.float32, (seats,)),
        ("mover", np.int8),
        ("terminated", np.int8),
        ("truncated", np.int8),
        ("reason", np.int8),
    ]


def record_dtype(fields: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """An aligned record without holes: NumPy copies fields, not the bytes between them.

    With every byte a field's, equal states are equal bytes, and saved ones hold nothing else.
    """
    filled: list[tuple[Any, ...]] = []
    at = 0
    aligned = np.dtype(list(fields), align=True)
    for field_ in fields:
        kind, offset = aligned.fields[field_[0]][:2]  # type: ignore[index]  # it has fields
        if offset > at:
            filled.append((f"_{at}", np.int8, (offset - at,)))
        filled.append(field_)
        at = offset + kind.itemsize
    if aligned.itemsize > at:
        filled.append((f"_{at}", np.int8, (aligned.itemsize - at,)))
    return np.dtype(filled, align=True)


#: What holds of every game's records, before its own invariants.
COMMON_INVARIANTS: Final = ("every field is within its bounds", "the header agrees with itself")


class Bounds:
    """What the declared fields say of a game's records, checked for many records at once.

    Args:
        dtype: of the records.
        fields: the game's own, with their bounds.
        reasons: how many values ``reason`` may have.
    """

    def __init__(self, dtype: np.dtype[Any], fields: Sequence[Field], reasons: int) -> None:
        self._seats: int = dtype["reward"].shape[0]
        self._reasons = reasons
        self.fields = tuple(fields)
        #: For each type of number: where they lie in a record, the lowest and the highest of each.
        self._kinds = []
        for kind in sorted({field.kind for field in fields}, key=str):
            own = [field for field in fields if field.kind == kind]
            sizes = [int(np.prod(field.shape)) for field in own]
            firsts = [dtype.fields[field.name][1] // kind.itemsize for field in own]  # type: ignore[index]
            places = [np.arange(first, first + n) for first, n in zip(firsts, sizes, strict=True)]
            lows = np.repeat([field.low for field in own], sizes).astype(kind)
            highs = np.repeat([field.high for field in own], sizes).astype(kind)
            self._kinds.append((kind, np.concatenate(places), lows, highs))

    def broken(self, records: NDArray[Any]) -> NDArray[np.int64]:
        """(N,): 0, or 1 + the index of the one of ``COMMON_INVARIANTS`` that fails."""
        within = np.ones(len(records), np.bool_)
        for kind, places, lows, highs in self._kinds:
            numbers = records.view(kind).reshape(len(records), -1)[:, places]
            within &= ((numbers >= lows) & (numbers <= highs)).all(axis=1)
        return np.where(within, np.where(self._header_holds(records), 0, 2), 1)

    def found(self, record: np.void) -> str:
        """What is wrong in a record in which one of ``COMMON_INVARIANTS`` fails."""
        for field in self.fields:
            numbers = np.atleast_1d(record[field.name])
            within = (numbers >= field.low) & (numbers <= field.high)  # NaN is not
            for at in np.argwhere(~within)[:1]:
                where = str(at.tolist()) if field.shape else ""
                number = numbers[tuple(at)]
                return f"{field.name}{where} is {number}, and not {field.low} to {field.high}"
        return self._found_in_header(record)

    def _found_in_header(self, record: np.void) -> str:
        mover, reason = int(record["mover"]), int(record["reason"])
        ends = {name: int(record[name]) for name in ("terminated", "truncated")}
        if not NOBODY <= mover < self._seats:
            return f"mover is {mover}, and there are the seats 0 to {self._seats - 1}"
        if not 0 <= reason < self._reasons:
            return f"reason is {reason}, and there are 0 to {self._reasons - 1}"
        if not 0 <= min(ends.values()) <= sum(ends.values()) <= 1:
            return " and ".join(f"{name} is {number}" for name, number in ends.items())
        over = bool(sum(ends.values()))
        if over != (mover == NOBODY):
            who = "nobody" if mover == NOBODY else f"seat {mover}"
            return f"the game {'is over' if over else 'goes on'}, and {who} is to move"
        if over != (reason != RUNNING):
            return f"the game {'is over' if over else 'goes on'}, and reason is {reason}"
        if record["decisions"] < 0:
            return f"decisions is {record['decisions']}"
        return f"reward is {record['reward'].tolist()}"

    def _header_holds(self, records: NDArray[Any]) -> NDArray[np.bool_]:
        mover, reason = records["mover"], records["reason"]
        ends = records["terminated"].astype(np.int64) + records["truncated"]
        over = mover == NOBODY
        holds: NDArray[np.bool_] = (mover >= NOBODY) & (mover < self._seats)
        holds &= (reason >= 0) & (reason < self._reasons)
        holds &= (records["terminated"] >= 0) & (records["truncated"] >= 0)
        holds &= (ends == over) & ((reason != RUNNING) == over) & (records["decisions"] >= 0)
        holds &= np.isfinite(records["reward"]).all(axis=1)
        return holds
