"""What a game shows: the features of its observation, and the metrics beside it."""

from __future__ import annotations

import math
import re
from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.definitions import (
    check_different,
    check_dtype,
    check_labels,
    check_name,
    check_shape,
    check_text,
    check_things,
)

#: What the numbers of an observation may be, each wider than the one before.
DTYPES: Final = ("int8", "int16", "float32")


@dataclass(frozen=True)
class Feature:
    """A named stretch of the observation, whose numbers are int8, from -128 to 127, by default.

    Args:
        name: what it is called in tables, and in plain text and pictures.
        shape: a tuple: ``(9,)`` for nine numbers in a row, ``(3, 3)`` for a grid, ``(2, 6, 7)`` for
            two planes. ``observe`` writes them one after the other, the last index fastest.
        low: the lowest of its numbers.
        high: the highest of them.
        meaning: what they say, for tables.
        labels: what people call its numbers, where they are shown plainly: a list of texts along
            the last axis, as ``["jack", "queen", "king"]``, or such a list for each axis. Of
            numbers that are 0 or 1, those of the ones are shown; of others each, with its number.
        dtype: "int16" for numbers from -32768 to 32767, "float32" for fractions and larger ones. An
            observation has one type, the widest that its features ask for.
    """

    name: str
    shape: tuple[int, ...]
    low: float
    high: float
    meaning: str = ""
    labels: Sequence[Any] = ()
    dtype: str = DTYPES[0]

    def __post_init__(self) -> None:
        check_text("the name of a feature", self.name)
        what = f"the feature {self.name!r}"
        check_shape(what, self.shape, 0)
        check_dtype(what, self.dtype, DTYPES, self.low, self.high)
        if len(self.labels):
            labels = check_labels(f"{what}: labels", self.labels, self.shape)
            object.__setattr__(self, "labels", labels)

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def widest(features: Sequence[Feature]) -> np.dtype[Any]:
    """The type of an observation with these features."""
    return np.dtype(max((each.dtype for each in features), key=DTYPES.index))


def layout(features: Sequence[Feature]) -> dict[str, slice]:
    """Where each feature lies in the vector: one after the other."""
    places, at = {}, 0
    for feature in features:
        places[feature.name] = slice(at, at + feature.size)
        at += feature.size
    return places


def offsets(features: Sequence[Feature]) -> Any:
    """Where each of these features begins in ``out``: for ``observe``, by their names.

    Make it once, at the top of the file: ``AT = offsets(FEATURES)``. To a kernel ``AT.hand`` is a
    constant, which costs nothing. Where a name has a blank or another sign, ``_`` stands for it.

    >>> offsets([Feature("you hold", (3,), 0, 1), Feature("paid", (2,), 0, 9)])
    Offsets(you_hold=0, paid=3)
    """
    names = [re.sub(r"\W", "_", each.name) for each in check_things("features", features, Feature)]
    check_different("features", names)
    for name in names:
        check_name("the place of a feature", name)
    return namedtuple("Offsets", names)(*(place.start for place in layout(features).values()))


def offset_table(layouts: Sequence[Sequence[Feature]]) -> NDArray[Any]:
    """``offsets`` of several layouts, which differ in size alone: an array with a row for each.

    For features that depend on an option: ``TABLE = offset_table([features({"size": n}) for n in
    SIZES])``. A kernel chooses the row, ``at = TABLE[state.size - 3]``, and then ``at.hand`` is the
    place.

    >>> table = offset_table([[Feature("own", (n, n), 0, 1), Feature("seat", (1,), 0, 1)]
    ...                       for n in (3, 4)])
    >>> table["seat"].tolist()
    [9, 16]
    """
    rows = [offsets(features) for features in layouts]
    return np.array(list(map(tuple, rows)), [(name, np.int64) for name in rows[0]._fields])


@dataclass(frozen=True)
class Metric:
    """A number that ``info`` reports beside the observation.

    Args:
        name: its key in ``info``.
        meaning: what it says, for tables.
    """

    name: str
    meaning: str = ""

    def __post_init__(self) -> None:
        check_text("the name of a metric", self.name)
