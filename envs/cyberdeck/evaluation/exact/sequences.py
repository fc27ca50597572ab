"""A game for two as its seats remember it: information sets, sequences, and what they pay.

A seat knows the course of its own observations and actions. An *information set* is what it did
last, and what it sees now; a *sequence* is an information set with an action in it. Sequence 0 is
that of the first seat when it has done nothing yet, 1 that of the second. How the game pays is one
number for each pair of sequences, chance included, so that what a strategy is worth is a sum over
pairs (the sequence form: Koller, Megiddo and von Stengel 1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.text import counted
from cyberdeck.engine.kernels import compile_loops, kernel
from cyberdeck.errors import OptionError
from cyberdeck.evaluation.best_response import BestResponses
from cyberdeck.evaluation.exact.positions import Positions, longer

_DONE, _FULL = 0, 1
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)
_S29: Final = np.uint64(29)


@kernel
def _slot(before: Any, seen: Any, slots: Any) -> Any:
    """Where the information set of a sequence, and of what is seen after it, is looked for."""
    h = (np.uint64(before) * _MIX) ^ np.uint64(seen)
    h = (h ^ (h >> _S29)) * _MIX
    h ^= h >> _S29
    return np.int64(h % np.uint64(len(slots)))


def _found_again(before, seen, count, slots):  # type: ignore[no-untyped-def]
    """Fill *slots*, which are larger now."""
    for slot in range(len(slots)):
        slots[slot] = -1
    for known in range(count):
        slot = _slot(before[known], seen[known], slots)
        while slots[slot] >= 0:
            slot = slot + 1 if slot + 1 < len(slots) else 0
        slots[slot] = known


def _follow(  # type: ignore[no-untyped-def]
    at, mover, seen, first, into, after, chance, reward, position, reach, last, set_before,
    set_seen, set_first, slots, pairs, pays,
):  # fmt: skip
    """Follow every course of the game from at[0] on. at: courses looked at, courses, information
    sets, sequences, pairs.

    position, reach, last (2): of each course where it is, how likely chance makes it, and the last
    sequence of each seat. pairs (2), pays (2): which sequences are paid, and what, times chance.
    """
    while at[0] < at[1]:
        n = at[0]
        i = position[n]
        seat, actions = mover[i], first[i + 1] - first[i]
        outcomes = into[first[i + 1]] - into[first[i]]
        if at[1] + outcomes > len(position) or at[4] + outcomes > len(pairs):
            return _FULL
        if at[2] == len(set_seen):
            return _FULL
        slot = _slot(last[n, seat], seen[i], slots)
        while slots[slot] >= 0:
            known = slots[slot]
            if set_before[known] == last[n, seat] and set_seen[known] == seen[i]:
                break
            slot = slot + 1 if slot + 1 < len(slots) else 0
        if slots[slot] < 0:
            known = at[2]
            slots[slot], set_before[known], set_seen[known] = known, last[n, seat], seen[i]
            set_first[known] = at[3]
            at[2] += 1
            at[3] += actions
            set_first[known + 1] = at[3]
        begins = set_first[slots[slot]]
        for a in range(actions):
            for e in range(into[first[i] + a], into[first[i] + a + 1]):
                m = at[1]  # the next course; it stays if the game goes on
                if m < len(position):
                    position[m], reach[m] = after[e], reach[n] * chance[e]
                    last[m, 0], last[m, 1] = last[n, 0], last[n, 1]
                    last[m, seat] = begins + a
                if reward[e, 0] != 0 or reward[e, 1] != 0:
                    k = at[4]
                    pairs[k, 0], pairs[k, 1] = last[n, 0], last[n, 1]
                    pairs[k, seat] = begins + a
                    pays[k, 0] = reach[n] * chance[e] * reward[e, 0]
                    pays[k, 1] = reach[n] * chance[e] * reward[e, 1]
                    at[4] += 1
                if after[e] >= 0:
                    at[1] += 1
        at[0] += 1
    return _DONE


def plan(set_before, set_first, strategy, found):  # type: ignore[no-untyped-def]
    """found, (Q,): how likely each sequence is, as far as its seat decides."""
    found[0], found[1] = 1.0, 1.0
    for i in range(len(set_before)):
        for q in range(set_first[i], set_first[i + 1]):
            found[q] = found[set_before[i]] * strategy[q]


def gather(starts, others, pays, plan, got):  # type: ignore[no-untyped-def]
    """got, (Q,): what each sequence of a seat is paid at once, if the other plays *plan*."""
    for q in range(len(got)):
        total = 0.0
        for k in range(starts[q], starts[q + 1]):
            total += pays[k] * plan[others[k]]
        got[q] = total


def best(sets, set_before, set_first, got):  # type: ignore[no-untyped-def]
    """got, (Q,): what is paid from each sequence on, if the seat of *sets* answers best."""
    for k in range(len(sets) - 1, -1, -1):
        i = sets[k]
        most = got[set_first[i]]
        for q in range(set_first[i] + 1, set_first[i + 1]):
            most = max(most, got[q])
        got[set_before[i]] += most


@dataclass(frozen=True)
class Paid:
    """What the sequences of one seat are paid, by those of the other: rows of a sparse matrix."""

    starts: NDArray[np.int64]  # (Q + 1,)
    others: NDArray[np.int32]  # (K,)
    pays: NDArray[np.float64]  # (K,)


class Sequences:
    """A game for two as its seats remember it. I information sets, Q sequences.

    Args:
        positions: all of the game's.
        memory: how many gigabytes its courses may take.
    """

    def __init__(self, positions: Positions, memory: float = 3.0) -> None:
        held = self.positions = positions
        follow, again, self.plan_of, self.gather, self.best = compile_loops(
            [_follow, _found_again, plan, gather, best], "sequences"
        )
        roots = len(held.roots)
        size = max(4096, 2 * roots)
        position, reach = np.zeros(size, np.int32), np.zeros(size)
        last = np.zeros((size, 2), np.int32)
        position[:roots], reach[:roots], last[:roots, 1] = held.roots, held.root_chance, 1
        pairs, pays = np.zeros((size, 2), np.int32), np.zeros((size, 2))
        before, seen = np.zeros(1024, np.int32), np.zeros(1024, np.int32)
        begins, slots = np.zeros(1025, np.int32), np.full(4099, -1, np.int32)
        begins[0] = 2
        at = np.array([0, roots, 0, 2, 0])
        game = (held.mover, held.seen, held.first, held.into, held.after, held.chance, held.reward)
        most = memory * 2**30
        while (
            follow(
                at, *game, position, reach, last, before, seen, begins, slots, pairs, pays,
            )
            == _FULL
        ):  # fmt: skip
            if 2 * (20 * len(position) + 24 * len(pairs)) > most:
                title, found = held.variant.game.title, counted(int(at[1]), "course")
                raise OptionError(
                    f"{title} has more than {found}: they need more than {memory:g} GB"
                )
            if 2 * at[1] > len(position):
                size = 2 * len(position)
                position, reach = longer(position, size), longer(reach, size)
                last = longer(last, size)
            if 2 * at[4] > len(pairs):
                pairs, pays = longer(pairs, 2 * len(pairs)), longer(pays, 2 * len(pays))
            if 2 * at[2] > len(seen):
                size = 2 * len(seen)
                before, seen = longer(before, size), longer(seen, size)
                begins, slots = longer(begins, size + 1), np.empty(4 * size + 3, np.int32)
                again(before, seen, at[2], slots)
        _, self.courses, sets, self.count, paid = at.tolist()
        self.set_before, self.set_seen = before[:sets], seen[:sets]  # (I,)
        self.set_first = begins[: sets + 1]  # (I + 1,): where the sequences of each begin
        seats = held.mover[held.example[self.set_seen]]
        self.sets = [np.flatnonzero(seats == seat) for seat in range(2)]  # in their order
        self.paid = [self._paid(seat, pairs[:paid], pays[:paid]) for seat in range(2)]

    def _paid(self, seat: int, pairs: NDArray[np.int32], pays: NDArray[np.float64]) -> Paid:
        keys = pairs[:, seat].astype(np.int64) * self.count + pairs[:, 1 - seat]
        unique, which = np.unique(keys, return_inverse=True)
        total = np.asarray(np.bincount(which, pays[:, seat], len(unique)), np.float64)
        own, others = np.divmod(unique, self.count)
        starts = np.searchsorted(own, np.arange(self.count + 1))
        return Paid(starts.astype(np.int64), others.astype(np.int32), total)

    # --- strategies ------------------------------------------------------------------------------

    def uniform(self) -> NDArray[np.float64]:
        """(Q,): every legal action is equally likely."""
        legal = np.diff(self.set_first)
        return np.concatenate([[1.0, 1.0], np.repeat(1.0 / legal, legal)])

    def of(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """(Q,): a strategy that looks at the present observation, (C,) as of ``Bench``."""
        held = self.positions
        chosen = held.first[held.example[self.set_seen]]
        legal = np.diff(self.set_first)
        at = np.arange(legal.sum()) - np.repeat(self.set_first[:-1] - 2, legal)
        return np.concatenate([[1.0, 1.0], table[np.repeat(chosen, legal) + at]])

    # --- what they are worth ---------------------------------------------------------------------

    def likely(self, strategy: NDArray[np.float64]) -> NDArray[np.float64]:
        """(Q,): how likely each sequence is, as far as its seat decides."""
        found = np.empty(self.count)
        self.plan_of(self.set_before, self.set_first, strategy, found)
        return found

    def best_responses(self, strategy: NDArray[np.float64]) -> BestResponses:
        """What a strategy is worth, and what each seat gets by a best response to it."""
        likely, got = self.likely(strategy), np.empty(self.count)
        values, most = [], []
        for seat, paid in enumerate(self.paid):
            self.gather(paid.starts, paid.others, paid.pays, likely, got)
            begun = float(self.positions.root_reward[seat])
            own = self._own(seat)
            values.append(begun + float(got[own] @ likely[own]))
            self.best(self.sets[seat], self.set_before, self.set_first, got)
            most.append(begun + float(got[seat]))
        return BestResponses((values[0], values[1]), (most[0], most[1]))

    def _own(self, seat: int) -> NDArray[np.int64]:
        """The sequences of a seat."""
        sets = self.sets[seat]
        legal = np.diff(self.set_first)[sets]
        at = np.arange(legal.sum()) - np.repeat(np.cumsum(legal) - legal, legal)
        return np.concatenate([[seat], np.repeat(self.set_first[sets], legal) + at])
