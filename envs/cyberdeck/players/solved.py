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
from cyberdeck.engine.contract import DTYPES
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED, RANDOM
from cyberdeck.engine.policy import Policy, PolicyInput, drawn
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant, resolved
from cyberdeck.enumeration.information import InformationSets
from cyberdeck.errors import OptionError, PolicyError

VERSION: Final = 1

#: The arrays of a file, their types, and how many dimensions each has. Of S situations, an
#: observation with its mask and the seat that sees it; I information sets, a situation after the
#: seat's last sequence, 0 or 1 where it has not decided yet; and Q sequences, an information set
#: with a legal action each, from the third on.
_ARRAYS: Final[Mapping[str, tuple[str, int]]] = {
    "about": ("|u1", 1),  # words, as JSON
    "seats": ("|i1", 1),  # (S,)
    "observations": ("|i1", 2),  # (S, D), or of the wider type that the game has
    "masks": ("|i1", 2),  # (S, A)
    "before": ("<i4", 1),  # (I,)
    "seen": ("<i4", 1),  # (I,)
    "strategy": ("<f4", 1),  # (Q - 2,)
}

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
    >>> from cyberdeck.api.registration import load_file
    >>> from cyberdeck.exact import Bench, Sequences, Solver
    >>> bench = Bench(load_file("examples/games/kuhn_poker.py").name)
    >>> solver = Solver(Sequences(bench.positions))
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
            held = _read(file)
            about = reading.from_json(held["about"].tobytes())
            if not isinstance(about, dict) or about.get("cyberdeck solved") != VERSION:
                raise PolicyError(f"it is no table of version {VERSION}")
            self.game, self.options, self._looks = (
                _of_type(about.get(name), kind)
                for name, kind in (("game", str), ("options", dict), ("looks", str))
            )
            self._check(held)
        except FileNotFoundError:
            raise PolicyError(f"{file} does not exist: give a file of `cyberdeck solve`") from None
        except OSError as error:
            raise PolicyError(f"{file} cannot be read: {error.strerror or error}") from None
        except ValueError as error:
            raise PolicyError(
                f"{file} is no whole file of a solved game ({printable(str(error), 300)})"
            ) from None
        self._strategy = held["strategy"]
        told = held["observations"]
        self._looked_at = told.dtype, told.shape[1], held["masks"].shape[1]
        self._rows = _words(held["seats"], held["observations"], held["masks"])
        hashes = _hashed(self._rows)
        self._row_order = hashes.argsort()
        self._hashes = hashes[self._row_order]
        keys = _keys(held["before"], held["seen"])
        self._set_order = keys.argsort()
        self._keys = keys[self._set_order]
        for each in (self._hashes, self._keys):
            if (each[1:] == each[:-1]).any():
                raise PolicyError(f"{file} is no whole file of a solved game (it says some twice)")
        # Where something can be seen at a first decision and later as well, only the course of the
        # game tells which it is.
        begins = np.zeros(len(self._rows), bool)
        begins[held["seen"][held["before"] < 2]] = True
        self.needs_history = bool(begins[held["seen"][held["before"] >= 2]].any())
        self._fits: Variant | None = None

    def _check(self, held: Mapping[str, NDArray[Any]]) -> None:
        """All that the numbers must be for looking up to be safe."""
        seats, masks, before, seen = (held[each] for each in ("seats", "masks", "before", "seen"))
        situations, strategy = len(seats), held["strategy"]
        if not len(held["observations"]) == len(masks) == situations or len(before) != len(seen):
            raise PolicyError("its arrays are not equally long")
        if not np.isfinite(held["observations"]).all():
            raise PolicyError("its observations must be finite")
        if not np.isin(seats, (0, 1)).all() or not np.isin(masks, (0, 1)).all():
            raise PolicyError("its seats and masks must be 0 or 1")
        legal = masks.sum(axis=1, dtype=np.int64)
        if not len(seen) or not ((seen >= 0) & (seen < situations)).all() or not legal.all():
            raise PolicyError("it has information sets in which nothing is seen, or can be done")
        #: (I + 1,): where the sequences of each information set begin.
        self._first = np.concatenate([[2], 2 + legal[seen].cumsum()])
        if len(strategy) != self._first[-1] - 2:
            raise PolicyError(f"it has {len(strategy):,} chances for {self._first[-1] - 2:,}")
        if not ((before >= 0) & (before < self._first[:-1])).all():
            raise PolicyError("it has information sets before those that lead to them")
        whose = np.concatenate([[0, 1], np.repeat(seats[seen], legal[seen])]).astype(np.int8)
        if (whose[before] != seats[seen]).any():
            raise PolicyError("it has information sets after what the other seat did")
        within = ((strategy >= 0) & (strategy < 1 + 1e-3)).all()  # so that they can be added up
        sums = np.add.reduceat(strategy, self._first[:-1] - 2) if within else np.zeros(1)
        if not (np.abs(sums - 1) < 1e-3).all():
            raise PolicyError("its chances must not be below 0, and add up to 1")

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
            raise OptionError(
                f"{self.file} solves {variant.game.title} with {_worded(self.options)}, not with "
                f"{_worded(variant.chosen)}: solve it with these"
            )
        if (
            self._looked_at != (variant.dtype, variant.observation_size, variant.action_count)
            or looks(variant) != self._looks
        ):
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
        done = self._first[self._sets(seen)] + seen.masks.cumsum(axis=1)[at, actions] - 1
        seen.memory[:, 0], seen.memory[:, 1] = done // _HIGH, done % _HIGH

    def chances(self, seen: PolicyInput) -> NDArray[np.float64]:
        """(N, A): how likely it takes each action."""
        return self._chances(self._sets(seen), seen.masks)

    def _chances(self, sets: NDArray[np.int64], masks: NDArray[np.int8]) -> NDArray[np.float64]:
        legal = masks == 1
        offset = legal.cumsum(axis=1) - 1
        places = (self._first[sets] - 2)[:, None] + offset
        return np.where(legal, self._strategy[np.maximum(places, 0)], 0.0).astype(np.float64)

    def _sets(self, seen: PolicyInput) -> NDArray[np.int64]:
        """(N,): the information sets in which it has to decide."""
        memory = seen.memory.astype(np.int64)
        last = memory[:, 0] * _HIGH + memory[:, 1]
        begins = last == 0
        before = np.where(begins, seen.seats, last)
        situations = self._situations(seen.seats, seen.observations, seen.masks)
        sets = self._found(before, situations)
        known = (sets >= 0) & np.array(
            [not first or each.whole for first, each in zip(begins, seen.history, strict=True)]
            if self.needs_history
            else True
        )
        if known.all():
            return sets
        if (situations < 0).any():
            raise PolicyError(f"{self.name} sees what {self.file} has not: solve the game anew")
        raise PolicyError(
            f"{self.name} plays by all that it has seen and done, and does not know what was "
            "before a saved position: let it play games from their beginning"
        )

    def over(self, sets: InformationSets) -> NDArray[np.float64]:
        """(Q,): the strategy over all that the seats of its game may remember."""
        held = sets.positions
        self.check(held.variant)
        seats = held.mover[held.example]
        situations = self._situations(seats, held.observations, held.masks)
        first, legal = sets.set_first, np.diff(sets.set_first)
        own = np.full(sets.count, -1)  # of each sequence there, which it is here
        own[:2] = 0, 1
        waiting = np.arange(len(legal))
        while len(waiting):
            before = own[sets.set_before[waiting]]
            now, waiting = waiting[before >= 0], waiting[before < 0]
            same = self._found(before[before >= 0], situations[sets.set_seen[now]])
            if (same < 0).any():
                raise PolicyError(f"{self.file} does not have all that may be seen: solve it anew")
            counts = legal[now]
            offset = np.arange(counts.sum()) - np.repeat(counts.cumsum() - counts, counts)
            own[np.repeat(first[now], counts) + offset] = (
                np.repeat(self._first[same], counts) + offset
            )
        return np.concatenate([[1.0, 1.0], self._strategy[own[2:] - 2]])

    def _situations(
        self, seats: NDArray[Any], observations: NDArray[Any], masks: NDArray[Any]
    ) -> NDArray[np.int64]:
        """(N,): which of those in the file they are; -1: none."""
        rows = _words(seats, observations.reshape(len(seats), -1), masks)
        hashes = _hashed(rows)
        at = np.searchsorted(self._hashes, hashes).clip(max=len(self._hashes) - 1)
        found = self._row_order[at]
        same = (self._rows[found] == rows).all(axis=1)
        return np.where(same, found, -1)

    def _found(self, before: NDArray[Any], situations: NDArray[Any]) -> NDArray[np.int64]:
        """(N,): the information sets of situations after sequences; -1: there is none."""
        keys = _keys(before, situations)
        at = np.searchsorted(self._keys, keys).clip(max=len(self._keys) - 1)
        return np.where(self._keys[at] == keys, self._set_order[at], -1)


def save(path: str | PathLike[str], sets: InformationSets, strategy: NDArray[np.float64]) -> None:
    """Write a strategy over all that the seats of a game may remember, for ``Solved``."""
    held = sets.positions
    about = {
        "cyberdeck solved": VERSION,
        "game": held.variant.game.name,
        "options": held.variant.chosen,
        "looks": looks(held.variant),
    }
    arrays = {
        "about": np.frombuffer(json.dumps(about).encode(), np.uint8),
        "seats": held.mover[held.example],
        "observations": held.observations,
        "masks": held.masks,
        "before": sets.set_before,
        "seen": sets.set_seen,
        "strategy": strategy[2:],
    }
    kinds = {name: kind for name, (kind, _) in _ARRAYS.items()}
    kinds["observations"] = held.variant.dtype.str
    written = io.BytesIO()
    # Not compressed: what is read is no longer than the file, whoever wrote it.
    parts: dict[str, Any] = {n: np.ascontiguousarray(a, kinds[n]) for n, a in arrays.items()}
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


def _read(path: str) -> Mapping[str, NDArray[Any]]:
    """The arrays of a file."""
    found = archives.arrays(path, _MOST)
    if sorted(found) != sorted(_ARRAYS):
        raise PolicyError(f"its parts are {printable(', '.join(sorted(found)), 200)}")
    for name, (kind, dimensions) in _ARRAYS.items():
        array = found[name]
        kinds = DTYPES if name == "observations" else (kind,)
        if array.dtype not in map(np.dtype, kinds) or array.ndim != dimensions:
            raise PolicyError(f"{name} is {array.dtype} of the shape {array.shape}")
    return found


def _of_type(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise PolicyError("it does not say its game, options and rules")
    return value


def _worded(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in options.items()) or "default options"


def _keys(before: NDArray[Any], situations: NDArray[Any]) -> NDArray[np.int64]:
    """Numbers for pairs; -1 as a situation makes none that there is."""
    return before.astype(np.int64) << 32 | situations.astype(np.int64)


def _words(
    seats: NDArray[Any], observations: NDArray[Any], masks: NDArray[Any]
) -> NDArray[np.uint64]:
    """(N, W): all of a situation, eight numbers in one."""
    observations = np.ascontiguousarray(observations).view(np.int8)
    size = 1 + observations.shape[1] + masks.shape[1]
    rows = np.zeros((len(seats), -(-size // 8) * 8), np.int8)
    rows[:, 0], rows[:, 1 : 1 + observations.shape[1]] = seats, observations
    rows[:, size - masks.shape[1] : size] = masks
    return rows.view(np.uint64)


def _hashed(rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """(N,): one number for each row."""
    found = np.zeros(len(rows), np.uint64)
    for column in rows.T:
        found = (found ^ column) * _PRIME
        found ^= found >> _S32
    return found
