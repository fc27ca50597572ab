"""What the compiled loops are given: each says it where it is defined.

Their libraries are built from that (``building/``), and refuse anything else; numba compiles a loop
for nothing else.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

_F = TypeVar("_F", bound=Callable[..., Any])

#: The first length of arrays with something for each row: of the rows that are named by an array of
#: their numbers, or of all there are.
NAMED, ALL = "W", "N"


@dataclass(frozen=True)
class Array:
    """An array that a loop is given: of what, and a letter or a digit for each of its lengths.

    Equal letters are equal lengths in all that the loop is given; a digit is a length itself.
    An array of *some* has at least one element.
    """

    dtype: Any
    lengths: str
    some: bool = False


@dataclass(frozen=True)
class Index:
    """A whole number below the length that this letter stands for, of an array given before."""

    length: str
    dtype: Any = np.int64


def zeros(taken: Iterable[Any], **lengths: int) -> tuple[NDArray[Any], ...]:
    """Such arrays, by how long each letter is.

    >>> [array.shape for array in zeros([Array(np.int8, "NA"), Array(np.int64, "2N")], N=3, A=5)]
    [(3, 5), (2, 3)]
    """
    return tuple(
        np.zeros([lengths[n] if n in lengths else int(n) for n in each.lengths], each.dtype)
        for each in taken
    )


def takes(lengths: Mapping[str, int] | None = None, **given: Any) -> Callable[[_F], _F]:
    """Say what a loop is given: for each argument, by its name, one thing or a tuple of several.

    That is an ``Array``, an ``Index``, or np.int64, np.uint64 or np.float64 for a number. More may
    be given: loops can share what they say. *lengths*: of the letters that always stand for the
    same.
    """

    def note(loop: _F) -> _F:
        vars(loop)["lengths"] = lengths or {}
        vars(loop)["takes"] = tuple(given[name] for name in inspect.signature(loop).parameters)
        return loop

    return note


def row_arguments(taken: Sequence[Any]) -> tuple[int, ...]:
    """Which of the things that a loop takes have something for each row that it treats.

    >>> row_arguments([np.int64, Array(np.int8, "NA"), Array(np.int8, "P")])
    (1,)
    """
    firsts = [each.lengths[0] if isinstance(each, Array) else "" for each in taken]
    rows = NAMED if NAMED in firsts else ALL
    return tuple(at for at, first in enumerate(firsts) if first == rows)


def dtypes(loop: Callable[..., Any]) -> tuple[np.dtype[Any], ...]:
    """Of the arrays that a loop takes, in their order."""
    return tuple(np.dtype(each.dtype) for each in _arrays(vars(loop)["takes"]))


def _arrays(taken: Any) -> Iterator[Array]:
    for each in taken:
        if isinstance(each, tuple):
            yield from _arrays(each)
        elif isinstance(each, Array):
            yield each
