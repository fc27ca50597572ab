"""Are two positions redrawn alike for a seat?"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice
from cyberdeck.engine.chance import Chance
from cyberdeck.engine.contract import Game, Record
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

#: (record, bits): a copy of the record, redrawn by these random bits.
Redraw = Callable[[Record, int], Record]

_SAMPLES: Final = 800  # redraws that are compared by their distribution
_ENOUGH: Final = 3  # pairs of which so many redraws were compared, and nothing was found
_LISTED: Final = 300  # most outcomes that are listed, of _THROWS throws at most
_THROWS: Final = 30
_VALUES: Final = 32  # of a number that takes more values, the bits are compared
_LEAST: Final = 5.0  # expected in each class
_SURE: Final = 6.0  # standard deviations


def fields_apart(one: NDArray[Any], other: NDArray[Any]) -> list[str]:
    """The fields by which records differ from as many others, apart from the generator."""
    return [
        name
        for name in one.dtype.names or ()
        if name != "dice" and not np.array_equal(one[name], other[name])
    ]


def _without_dice(record: Record) -> bytes:
    """The bytes of a record without the generator, which is always redrawn."""
    other = record.copy()
    other["dice"] = 0
    return other.tobytes()


class Redraws:
    """Compares how positions of a game that look alike to a seat are redrawn for it."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.alike = [0] * variant.seats  # pairs whose samples were alike, for each seat

    def redrawn(self, seat: int, record: Record, bits: int) -> Record:
        """A copy of a record, redrawn for the seat by these random bits."""
        world = record.copy()
        self.variant.loops.resample(world, 0, seat, dice.seeded(bits))
        return world

    def fault(self, one: Record, other: Record, seat: int, tries: Iterable[int]) -> str:
        """What is redrawn differently in the two positions, or "" if nothing is.

        *tries*: random bits by which both are redrawn first. Only if they become different records
        by any of them, all that may become of them is compared.
        """
        if self.alike[seat] == _ENOUGH:
            return ""
        pairs = ([self.redrawn(seat, each, bits) for each in (one, other)] for bits in tries)
        if all(_without_dice(first) == _without_dice(second) for first, second in pairs):
            return ""
        names, sampled = redrawn_otherwise(
            self.variant.game, functools.partial(self.redrawn, seat), one, other, seat
        )
        if not names:
            self.alike[seat] += sampled
            return ""
        return (
            f"how {' and '.join(names)} {'is' if len(names) == 1 else 'are'} redrawn for "
            f"{self.variant.agents[seat]} depends on what that seat cannot know: redraw only from "
            "state.dice and what it knows"
        )


def redrawn_otherwise(
    game: Game, redraw: Redraw, one: Record, other: Record, seat: int
) -> tuple[list[str], bool]:
    """The fields that are redrawn differently in the two positions; and whether that took many
    redraws.

    All outcomes are listed. If they are too many, a sample is drawn and compared number by number.
    """
    first, second = _outcomes(game, one, seat), _outcomes(game, other, seat)
    if first is not None and second is not None:
        return _unlike_lists(first, second, one.dtype), False
    samples = [
        np.concatenate([redraw(each, bits) for bits in range(_SAMPLES)]) for each in (one, other)
    ]
    names = [name for name in one.dtype.names or () if name != "dice"]
    return [name for name in names if not _alike(samples[0][name], samples[1][name])], True


def never_dealt(game: Game, record: Record, twin: Record, seat: int) -> str | None:
    """A number of the *twin* that no redraw of the record has in that place, in words, or "".

    None where not all outcomes can be listed: what is seldom may be missing from a sample.
    """
    outcomes = _outcomes(game, record, seat)
    if outcomes is None:
        return None
    dealt = np.frombuffer(b"".join(outcomes), record.dtype)
    for name in fields_apart(record, twin):
        missing = np.argwhere(~(dealt[name] == twin[name]).any(axis=0))
        if len(missing):
            place = tuple(missing[0].tolist())
            return f"{name}{list(place) if place else ''} is {twin[name][0][place]}"
    return ""


def _outcomes(game: Game, record: Record, seat: int) -> dict[bytes, float] | None:
    """Every record that may come out, and how probable it is; None if there are too many."""

    def beyond(outcomes: int) -> int:
        if len(chance.sizes) == _THROWS:
            raise OptionError("too many throws")
        return 0

    chance = Chance(beyond=beyond)
    resample = chance.in_plain_python(game.kernels.resample)
    probable: dict[bytes, float] = {}
    for _ in range(_LISTED):
        world = record.copy()
        try:
            resample(world, seat)
        except OptionError:
            return None
        key = _without_dice(world)
        probable[key] = probable.get(key, 0.0) + 1 / math.prod(chance.sizes)
        if not chance.next_script():
            return probable
    return None


def _unlike_lists(
    one: dict[bytes, float], other: dict[bytes, float], dtype: np.dtype[Any]
) -> list[str]:
    """The fields of records that are in one list only, or more probable there."""
    differ = [
        key
        for key in one.keys() | other.keys()
        if not math.isclose(one.get(key, 0.0), other.get(key, 0.0), abs_tol=1e-9)
    ]
    if not differ:
        return []
    records = np.frombuffer(b"".join(differ), dtype)
    names = [name for name in dtype.names or () if (records[name] != records[name][:1]).any()]
    return names or fields_apart(records[:1], np.frombuffer(next(iter(one)), dtype))


def _alike(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """True if two samples of a field may come from one distribution, number by number."""
    flat = [each.reshape(len(each), -1) for each in (one, other)]
    return all(_homogeneous(a, b) for a, b in zip(flat[0].T, flat[1].T, strict=True))


def _homogeneous(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """True if two samples of a number may come from one distribution: a chi-square test."""
    values, places = np.unique(np.concatenate([one, other]), return_inverse=True)
    if len(values) > _VALUES and values.dtype.kind in "iu":
        pair = one.astype(np.uint64), other.astype(np.uint64)
        ways = (np.uint64(1 << at) for at in range(8 * values.itemsize))
        return all(_homogeneous(pair[0] & bit, pair[1] & bit) for bit in ways)
    counts = np.array(
        [np.bincount(part, minlength=len(values)) for part in np.split(places, [len(one)])],
        np.float64,
    )
    expected = counts.sum(axis=0) / 2  # both samples are as large
    rare = expected < _LEAST
    if rare.any():
        counts = np.c_[counts[:, ~rare], counts[:, rare].sum(axis=1)]
        expected = counts.sum(axis=0) / 2
    freedom = len(expected) - 1
    if freedom < 1:
        return True
    square = float((((counts - expected) ** 2) / expected).sum())
    # Wilson and Hilferty's approximation by a normal distribution.
    spread = 2 / (9 * freedom)
    return bool(((square / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread) < _SURE)
