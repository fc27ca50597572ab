"""What clauses are written with: which interfaces each is asked of, and comparisons in words."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from cyberdeck.testing.faces import (
    SB3,
    Face,
    Gymnasium,
    OrderedTurns,
    Rounds,
    Rows,
    Turns,
    Vector,
)

#: Makes the interface that is tested, of the game that is tested; takes the interface's arguments.
New = Callable[..., Any]
Function = Callable[[New], None]

LEARNERS: Final = (Gymnasium, Vector, SB3)
ALL_SEATS: Final = (Turns, OrderedTurns, Rounds)
EVERY: Final = (*LEARNERS, *ALL_SEATS, Rows)

#: The clauses of each interface.
CLAUSES: Final[dict[type[Face], list[Function]]] = {face: [] for face in EVERY}


def asked_of(*faces: type[Face]) -> Callable[[Function], Function]:
    """Have a function asked of these interfaces; its docstring says what must hold."""

    def note(function: Function) -> Function:
        for face in faces:
            CLAUSES[face].append(function)
        return function

    return note


def hold(holds: Any, words: str) -> None:
    """An error in these words, unless it holds."""
    if not holds:
        raise AssertionError(words)


def same(one: Any, other: Any, where: str = "what is handed out") -> None:
    """Hold two nested results to be equal bit for bit: keys, types, dtypes and values.

    >>> same({"seat": 1}, {"seat": 2}, "the info")
    Traceback (most recent call last):
    AssertionError: the info['seat'] is 1, and not 2
    """
    if type(one) is not type(other):
        raise AssertionError(f"{where} is of {type(one)}, and not of {type(other)}")
    if isinstance(one, np.ndarray):
        if one.dtype != other.dtype:  # to print a type takes longer than to compare it
            raise AssertionError(f"{where} is of {one.dtype}, and not of {other.dtype}")
        if one.shape != other.shape:
            raise AssertionError(f"{where} has {one.shape}, and not {other.shape}")
        if one.dtype == np.object_:
            same(one.tolist(), other.tolist(), where)
        elif not np.array_equal(one, other):
            place = tuple(np.argwhere(one != other)[0].tolist())
            raise AssertionError(f"{where} is {one[place]} at {place}, and not {other[place]}")
    elif isinstance(one, dict):
        if one.keys() != other.keys():
            raise AssertionError(f"{where} has {[*one]}, and not {[*other]}")
        for key in one:
            same(one[key], other[key], f"{where}[{key!r}]")
    elif isinstance(one, (list, tuple)):
        hold(len(one) == len(other), f"{where} has {len(one)} entries, and not {len(other)}")
        for at, pair in enumerate(zip(one, other, strict=True)):
            same(*pair, f"{where}[{at}]")
    elif one != other:
        raise AssertionError(f"{where} is {one!r}, and not {other!r}")


def refused(error: Any, call: Callable[..., Any], *arguments: Any, **more: Any) -> str:
    """The words of the error that a call raises."""
    try:
        call(*arguments, **more)
    except error as raised:
        hold(len(str(raised)) > 20, f"the error says too little: {raised}")
        return str(raised)
    shown = ", ".join([*(repr(each)[:40] for each in arguments), *map(str, more.items())])
    raise AssertionError(f"{call.__name__}({shown}) is accepted")


@contextlib.contextmanager
def quietly(*allowed: str) -> Iterator[None]:
    """A library's own test: what it warns of is an error, but for what begins so."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DeprecationWarning)  # it warns of itself
        for words in allowed:
            warnings.filterwarnings("ignore", words)
        yield
