"""All positions of a game, each once, and what every decision there may lead to.

Courses of a game that lead to equal records lead to one position. The record counts decisions, so
whatever follows a position has a higher number.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import compile_loops, kernel
from cyberdeck.engine.pieces import backward, forward
from cyberdeck.engine.policy import PolicyInput
from cyberdeck.engine.threads import together
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

#: Arrays that grow: a NamedTuple.
Room = TypeVar("Room", bound=Any)

#: What one thread works in.
Space = TypeVar("Space")


def counters(names: str) -> np.dtype[Any]:
    """A record of whole numbers with these names."""
    return np.dtype([(name, np.int64) for name in names.split()])


class TooManyPositions(OptionError):
    """A game has more of them, or of what chance may do, than can be gone through."""


class Moves(NamedTuple):
    """Who decides in each position, and what may follow. P positions, C legal actions in them, E
    outcomes of these, S seats.
    """

    mover: NDArray[np.int8]  # (P,)
    seen: NDArray[np.int32]  # (P,) the mover's situation
    first: NDArray[np.int64]  # (P + 1,) where its actions begin
    actions: NDArray[np.int16]  # (C,)
    into: NDArray[np.int64]  # (C + 1,) where the outcomes of each begin
    after: NDArray[np.int32]  # (E,) a position, or -1: the game is over
    chance: NDArray[np.float64]  # (E,)
    reward: NDArray[np.float32]  # (E, S) what each seat gets


def _evaluate(
    start: Any, stop: Any, moves: Any, table: Any, values: Any, action_values: Any
) -> Any:
    """From the last position back. action_values, (C,): what each action is worth to who takes it;
    values, (P, S): what each seat gets from each position on, if all play by *table*, (C,), or,
    where that is empty, take what is best for themselves.
    """
    first, into, after, chance, reward = (
        moves.first, moves.into, moves.after, moves.chance, moves.reward,
    )  # fmt: skip
    for i in range(stop - 1, start - 1, -1):
        mover, best, most = moves.mover[i], -1, -np.inf
        for c in range(first[i], first[i + 1]):
            worth = 0.0
            for e in range(into[c], into[c + 1]):
                value = np.float64(reward[e, mover])
                if after[e] >= 0:
                    value += values[after[e], mover]
                worth += chance[e] * value
            action_values[c] = worth
            if worth > most:
                best, most = c, worth
        for seat in range(values.shape[1]):
            total = 0.0
            for c in range(first[i], first[i + 1]):
                p = table[c] if len(table) > 0 else np.float64(c == best)
                if p > 0:
                    for e in range(into[c], into[c + 1]):
                        value = np.float64(reward[e, seat])
                        if after[e] >= 0:
                            value += values[after[e], seat]
                        total += p * chance[e] * value
            values[i, seat] = total


@cache
def _loop() -> Any:
    return compile_loops([_evaluate], "positions")[0]


@dataclass(frozen=True)
class Positions:
    """All positions in which somebody decides.

    I situations: an observation with its mask, and which seat sees it.
    """

    variant: Variant
    states: NDArray[Any]  # (P,) records
    moves: Moves
    roots: NDArray[np.int32]  # (R,) positions in which games begin,
    root_chance: NDArray[np.float64]  # (R,) how likely each,
    root_reward: NDArray[np.float64]  # (S,) and what was got by then, on average
    observations: NDArray[Any]  # (I, D)
    masks: NDArray[np.int8]  # (I, A)
    example: NDArray[np.int32]  # (I,) a position in which it is seen

    def __len__(self) -> int:
        return len(self.states)

    @property
    def legal(self) -> NDArray[np.int64]:
        """(P,): how many actions are legal in each."""
        return np.diff(self.moves.first)

    @property
    def depth(self) -> int:
        """More than any seat decides in a game."""
        return int(self.states["decisions"].max(initial=0)) + 3

    def as_input(self, situations: NDArray[np.int32] | slice = slice(None)) -> PolicyInput:
        """These situations, as a policy sees them."""
        states = self.states[self.example[situations]]
        return PolicyInput(
            self.variant,
            self.observations[situations],
            self.masks[situations],
            states["mover"],
            np.zeros(len(states), np.uint64),
            states,
            notes=[None] * len(states),
        )

    def uniform(self) -> NDArray[np.float64]:
        """(C,): every legal action is equally likely."""
        return np.repeat(1.0 / self.legal, self.legal)

    def table(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """(C,): a strategy, from the probability of each action in each situation, (I, A)."""
        return np.asarray(probabilities[np.repeat(self.moves.seen, self.legal), self.moves.actions])

    def evaluate(
        self, table: NDArray[np.float64] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(P, S), what each seat gets from each position on, if all play by *table*, (C,), or by
        default what is best for themselves where nothing is hidden; and (C,), what each action is
        worth to who takes it.
        """
        values = np.zeros((len(self), self.variant.seats))
        action_values = np.zeros(len(self.moves.actions))
        by = np.zeros(0) if table is None else table
        backward(_loop(), 0, len(self), self.moves, by, values, action_values)
        return values, action_values


def longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    """A copy with room behind it."""
    more = np.zeros((length, *array.shape[1:]), array.dtype)
    more[: len(array)] = array
    return more


def grown(arrays: Room, *names: str) -> Room:
    """With twice as much room in the arrays of these names, or in all. One whose length is odd has
    an element more than there is room for, and keeps it.
    """
    old = {name: getattr(arrays, name) for name in names or arrays._fields}
    new = {name: longer(each, 2 * len(each) - len(each) % 2) for name, each in old.items()}
    longer_arrays: Room = arrays._replace(**new)
    return longer_arrays


def in_parts(
    work: Callable[[Space, int], None],
    count: int,
    spaces: Sequence[Space],
    report: Callable[[int], None],
) -> None:
    """Do ``work(space, part)`` for each of *count* parts, with a thread for each space.

    *report* is called with how many are done, after each. What it or the work raises ends all.
    """
    free, finished = list(spaces), itertools.count(1)

    def do(part: int) -> None:
        space = free.pop()  # no more threads work than there are spaces
        work(space, part)
        free.append(space)
        report(next(finished))

    together(do, count, len(spaces))


# --- rows of bytes that differ: positions, and situations ----------------------------------------

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
    words = longer(rows.words, 2 * len(rows.words))
    more = Rows(words, np.full(2 * len(rows.slots) + 1, -1, np.int32))
    forward(insert, 0, int(count), more)
    return more
