"""A player by a table that a solver has made: what a seat does by all that it has seen and done.

The file (``*.npz``) holds nothing but numbers, and nothing in it is run. It says for which game and
options it is, and what a few random games of it looked like: of another game, or other rules, the
table would say nothing.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common import archives, reading
from cyberdeck.common.files import write_whole
from cyberdeck.common.text import printable
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED, RANDOM
from cyberdeck.engine.policy import Policy, PolicyInput, drawn
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant, resolved
from cyberdeck.enumeration.information import InformationPartition, ranges
from cyberdeck.errors import OptionError, PolicyError

VERSION: Final = 1

#: The arrays of a file, their types, and how many dimensions each has. Of I information sets, each
#: known by a number that is made from its seat and all that this has seen and done; and Q
#: sequences, an information set with a legal action each.
_ARRAYS: Final[Mapping[str, tuple[str, int]]] = {
    "about": ("|u1", 1),  # words, as JSON
    "sets": ("<u8", 1),  # (I,) ascending
    "legal": ("<i2", 1),  # (I,) how many actions are legal
    "strategy": ("<f4", 1),  # (Q,)
}

#: What the words say.
_TOLD: Final = {"game": str, "options": dict, "looks": str, "history": bool}

#: How many bytes a file may have.
_MOST: Final = 1 << 34

#: How many random games tell one game from another.
_GAMES: Final = 256

#: A sequence is remembered as two numbers, each of which a single-precision float holds.
_HIGH: Final = 1 << 20

_PRIME, _S32 = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


class Solved(Policy):
    """What a solver has found, from the file that ``Solver.save`` has written.

    It remembers which information set it was in last, and what it did there.

    >>> from tempfile import TemporaryDirectory
    >>> from cyberdeck import load_file
    >>> from cyberdeck.exact import InformationSets, PositionSolver, Solver
    >>> positions = PositionSolver(load_file("examples/games/kuhn_poker.py").name).positions
    >>> solver = Solver(InformationSets(positions))
    >>> solver.iterate(100)
    >>> with TemporaryDirectory() as folder:
    ...     solver.save(f"{folder}/kuhn.npz")
    ...     player = Solved(f"{folder}/kuhn.npz")
    >>> player.name, player.game
    ('kuhn', 'kuhn_poker')
    """

    memory = 2
    tells_chances = True

    def __init__(self, file: str = "") -> None:
        if not file:
            raise OptionError("a solved game needs its file: solved:file=kuhn.npz")
        self.file, self.name = file, Path(file).stem
        try:
            about, self._sets, self._legal, self._strategy = _read(file)
        except FileNotFoundError:
            raise PolicyError(f"{file} does not exist: give a file of `cyberdeck solve`") from None
        except OSError as error:
            raise PolicyError(f"{file} cannot be read: {error.strerror or error}") from None
        except ValueError as error:
            raise PolicyError(
                f"{file} is no whole file of a solved game ({printable(str(error), 300)})"
            ) from None
        self.game, self.options, self._looks, self.needs_history = about
        #: (I + 1,): where the sequences of each information set begin.
        self._first = np.concatenate([[0], self._legal.cumsum()])
        self._fits: Variant | None = None

    def check(self, variant: Variant) -> None:
        """The game must be the one that was solved, with its options and its rules."""
        if variant is self._fits:
            return
        if variant.game.name != self.game:
            raise OptionError(f"{self.file} solves {self.game}, not {variant.game.name}")
        try:
            same = resolved(variant.game, self.options) == variant.options
        except (OptionError, KeyError, TypeError):  # there are no such options any more
            same = False
        if not same:
            own, others = list_options(self.options), list_options(variant.chosen)
            raise OptionError(
                f"{self.file} solves {variant.game.title} with {own}, not with {others}: solve it "
                "with these"
            )
        if looks(variant) != self._looks:
            raise OptionError(
                f"{self.file} solves another version of {variant.game.title}: solve it anew"
            )
        self._fits = variant

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        """An action drawn by the chances of the information set, which is remembered."""
        actions = drawn(self.chances(seen), seen.random_bits)
        self.took(seen, actions)
        return actions

    def took(self, seen: PolicyInput, actions: NDArray[np.int64]) -> None:
        """Note the sequence that they make of that before."""
        at = np.arange(len(seen))
        done = self._first[self._find(seen)] + seen.masks.cumsum(axis=1)[at, actions]
        seen.memory[:, 0], seen.memory[:, 1] = done // _HIGH, done % _HIGH

    def chances(self, seen: PolicyInput) -> NDArray[np.float64]:
        """(N, A): how likely it takes each action."""
        legal = seen.masks == 1
        places = self._first[self._find(seen)][:, None] + legal.cumsum(axis=1) - 1
        return np.where(legal, self._strategy[np.maximum(places, 0)], 0.0).astype(np.float64)

    def _find(self, seen: PolicyInput) -> NDArray[np.int64]:
        """(N,): the information sets in which it has to decide."""
        memory = seen.memory.astype(np.int64)
        last = memory[:, 0] * _HIGH + memory[:, 1] - 1  # -1: it has not decided yet
        before = np.searchsorted(self._first, last, "right") - 1
        after = _numbers(self._sets[before], last - self._first[before], last < 0)
        numbers = _hashed(np.stack([after, _situations(seen)], axis=1))
        found = self._places(numbers, seen.masks.sum(axis=1))
        known = found >= 0
        if self.needs_history:
            known &= (last >= 0) | np.array([each.whole for each in seen.history])
        if known.all():
            return found
        if (~known & (last >= 0)).any():
            raise PolicyError(f"{self.name} sees what {self.file} has not: solve the game anew")
        raise PolicyError(
            f"{self.name} plays by all that it has seen and done, and does not know what was "
            "before a saved position: let it play games from their beginning"
        )

    def _places(self, numbers: NDArray[np.uint64], legal: NDArray[Any]) -> NDArray[np.int64]:
        """(N,): the places of information sets in the file; -1: it has none of this kind."""
        at = np.searchsorted(self._sets, numbers).clip(max=len(self._sets) - 1)
        return np.where((self._sets[at] == numbers) & (self._legal[at] == legal), at, -1)

    def over(self, sets: InformationPartition) -> NDArray[np.float64]:
        """(Q,): the strategy over all that the seats of its game may remember."""
        self.check(sets.positions.variant)
        legal = np.diff(sets.set_first)
        at = self._places(_numbers_of(sets), legal)
        if (at < 0).any():
            raise PolicyError(f"{self.file} does not have all that may be seen: solve it anew")
        return np.concatenate([[1.0, 1.0], self._strategy[ranges(self._first[at], legal)]])


def _read(path: str) -> tuple[list[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Of a file: what its words say, the information sets, how much is legal there, and the
    strategy. They are safe to be looked up.
    """
    arrays = archives.arrays(path, _MOST)
    if sorted(arrays) != sorted(_ARRAYS):
        raise PolicyError(f"its parts are {printable(', '.join(sorted(arrays)), 200)}")
    for name, (kind, dimensions) in _ARRAYS.items():
        if (array := arrays[name]).dtype != np.dtype(kind) or array.ndim != dimensions:
            raise PolicyError(f"{name} is {array.dtype} of the shape {array.shape}")
    about = reading.from_json(arrays["about"].tobytes())
    if not isinstance(about, dict) or about.get("cyberdeck solved") != VERSION:
        raise PolicyError(f"it is no table of version {VERSION}")
    if [type(about.get(name)) for name in _TOLD] != [*_TOLD.values()]:
        raise PolicyError("it does not say its game, options and rules")
    sets, legal, strategy = arrays["sets"], arrays["legal"].astype(np.int64), arrays["strategy"]
    if not len(sets) == len(legal) > 0:
        raise PolicyError("its arrays are not equally long")
    if (sets[1:] <= sets[:-1]).any() or (legal < 1).any():
        raise PolicyError("its information sets must ascend, and leave something to be done")
    if len(strategy) != legal.sum():
        raise PolicyError(f"it has {len(strategy):,} chances for {legal.sum():,}")
    within = ((strategy >= 0) & (strategy < 1 + 1e-3)).all()  # so that they can be added up
    sums = np.add.reduceat(strategy, legal.cumsum() - legal) if within else np.zeros(1)
    if not (np.abs(sums - 1) < 1e-3).all():
        raise PolicyError("its chances must not be below 0, and add up to 1")
    return [about[name] for name in _TOLD], sets, legal, strategy


def save(
    path: str | PathLike[str], sets: InformationPartition, strategy: NDArray[np.float64]
) -> None:
    """Write a strategy over all that the seats of a game may remember, for ``Solved``."""
    variant, legal = sets.positions.variant, np.diff(sets.set_first)
    numbers = _numbers_of(sets)
    order = numbers.argsort()
    begins, later = (sets.set_seen[which] for which in (sets.parents < 0, sets.parents >= 0))
    about = {
        "cyberdeck solved": VERSION,
        "game": variant.game.name,
        "options": variant.chosen,
        "looks": looks(variant),
        # Where something can be seen at a first decision and later as well, only the course of the
        # game tells which it is.
        "history": bool(np.isin(begins, later).any()),
    }
    arrays = {
        "about": np.frombuffer(json.dumps(about).encode(), np.uint8),
        "sets": numbers[order],
        "legal": legal[order],
        "strategy": strategy[ranges(sets.set_first[:-1][order], legal[order])],
    }
    written = io.BytesIO()
    # Not compressed: what is read is no longer than the file, whoever wrote it.
    parts: dict[str, Any] = {n: np.ascontiguousarray(a, _ARRAYS[n][0]) for n, a in arrays.items()}
    np.savez(written, **parts)
    write_whole(path, written.getvalue())


def looks(variant: Variant) -> str:
    """Letters for what a few random games look like: of other rules or views, they are others."""
    core = GameBatch(variant, _GAMES, autoreset=DISABLED)
    core.reset([*range(_GAMES)])
    digest = hashlib.blake2b(digest_size=16)
    while True:
        running = core.movers != NOBODY
        for told in (core.movers, core.states["reward"]):
            digest.update(np.ascontiguousarray(told).tobytes())
        for told in (core.observations, core.masks):
            digest.update(told[running].tobytes())
        if not running.any():
            return digest.hexdigest()
        core.play(RANDOM, 1)


def list_options(options: Mapping[str, Any]) -> str:
    """Options as callers give them."""
    return ", ".join(f"{name}={value!r}" for name, value in options.items()) or "default options"


def _numbers_of(sets: InformationPartition) -> NDArray[np.uint64]:
    """(I,): the number by which a file knows each information set."""
    situations = _situations(sets.positions.as_input())
    found = np.zeros(len(sets.set_seen), np.uint64)
    for now in sets.by_decisions():
        parents = sets.parents[now]
        done = sets.set_before[now] - sets.set_first[parents]
        after = _numbers(found[parents], done, parents < 0)
        found[now] = _hashed(np.stack([after, situations[sets.set_seen[now]]], axis=1))
    return found


def _numbers(
    sets: NDArray[np.uint64], done: NDArray[np.int64], begins: NDArray[np.bool_]
) -> NDArray[np.uint64]:
    """(N,): numbers for what a seat has done in information sets; 0 where it *begins*."""
    numbers = _hashed(np.stack([sets, done.astype(np.uint64)], axis=1))
    return np.where(begins, np.uint64(0), numbers)


def _situations(seen: PolicyInput) -> NDArray[np.uint64]:
    """(N,): numbers for seats with what they see and may do."""
    count = len(seen)
    observations = np.ascontiguousarray(seen.observations.reshape(count, -1)).view(np.int8)
    parts = [np.asarray(seen.seats, np.int8).reshape(-1, 1), observations, seen.masks]
    size = sum(part.shape[1] for part in parts)
    padding = np.zeros((count, -size % 8), np.int8)
    return _hashed(np.ascontiguousarray(np.hstack([*parts, padding])).view(np.uint64))


def _hashed(rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """(N,): one number for each row."""
    found = np.zeros(len(rows), np.uint64)
    for column in rows.T:
        found = (found ^ column) * _PRIME
        found ^= found >> _S32
    return found
