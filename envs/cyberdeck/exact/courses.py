"""Goes through courses of a game, one after the other: what they pay pairs of sequences."""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import compile_loops, kernel
from cyberdeck.engine.pieces import Pieces
from cyberdeck.enumeration.beliefs import Sets
from cyberdeck.enumeration.positions import Moves, counters, grown
from cyberdeck.enumeration.waits import DONE, FULL, LONG, STEPS

#: Of a course of the game: its position, the last sequence of the seat and of the other, and how
#: many decisions of the seat are left before it is put aside.
PLACE: Final = np.dtype([(name, np.int32) for name in ("position", "own", "other", "left")])

#: How many courses wait, were put aside, were gone through; and how many pairs are listed.
_COUNTS: Final = counters("waiting aside steps pairs")


class Courses(NamedTuple):
    """Courses that wait, or were put aside."""

    places: NDArray[Any]  # (N,)
    reach: NDArray[np.float64]  # (N,) how likely chance makes each


class _Pairs(NamedTuple):
    """Pairs of sequences, and what they pay."""

    own: NDArray[np.int32]  # (K,)
    other: NDArray[np.int32]  # (K,)
    pays: NDArray[np.float64]  # (K,)


@kernel
def _set_of(sequence: Any, what: Any, sets: Any) -> Any:
    """The information set in which *what* is seen after a sequence."""
    i = sets.below[sequence]
    while sets.seen[i] != what:
        i += 1
    return i


@kernel
def _list(pairs: Any, counts: Any, own: Any, other: Any, pay: Any) -> None:
    """Note one more pair."""
    k = counts.pairs
    pairs.own[k], pairs.other[k], pairs.pays[k] = own, other, pay
    counts.pairs += 1


@kernel
def _wait(waiting: Any, n: Any, position: Any, own: Any, other: Any, left: Any, reach: Any) -> Any:
    """Have one more course wait; how many there are then."""
    place = waiting.places[n]
    place.position, place.own, place.other, place.left = position, own, other, left
    waiting.reach[n] = reach
    return n + 1


def walk(
    counters: Any, most: Any, seat: Any, moves: Any, sets: Any, likely: Any, waiting: Any,
    aside: Any, got: Any, pairs: Any,
) -> Any:  # fmt: skip
    """What the sequences of *seat* are paid by all courses that wait: each is added to *got*, (Q,),
    if the other's sequences are so *likely*; or listed in *pairs*. One of these is None: code is
    made for the other.
    """
    counts = counters[0]
    first, into, after, chance = moves.first, moves.into, moves.after, moves.chance
    while counts.waiting > 0:
        if counts.steps > most:
            return LONG
        n = counts.waiting - 1
        place, p = waiting.places[n], waiting.reach[n]
        i, own, other, left = place.position, place.own, place.other, place.left
        last = first[i + 1]
        more = into[last] - into[first[i]]
        if counts.waiting + more > len(waiting.places):
            return FULL
        if pairs is not None and counts.pairs + more > len(pairs.pays):
            return FULL
        if moves.mover[i] == seat and left == 0:
            if counts.aside == len(aside.places):
                return FULL
            counts.aside = _wait(aside, counts.aside, i, own, other, 0, p)
            counts.waiting, counts.steps = n, counts.steps + 1
            continue
        counts.steps += 1
        if moves.mover[i] == seat:
            q = sets.first[_set_of(own, moves.seen[i], sets)]
            pay = p * likely[other]
            for c in range(first[i], last):
                for e in range(into[c], into[c + 1]):
                    if moves.reward[e, seat] != 0:
                        if pairs is not None:
                            _list(pairs, counts, q, other, pay * chance[e] * moves.reward[e, seat])
                        if got is not None:
                            got[q] += pay * chance[e] * moves.reward[e, seat]
                    if after[e] >= 0:
                        n = _wait(waiting, n, after[e], q, other, left - 1, p * chance[e])
                q += 1
        else:
            q, total = sets.first[_set_of(other, moves.seen[i], sets)], 0.0
            for c in range(first[i], last):
                pay = p * likely[q]
                if pay > 0:
                    for e in range(into[c], into[c + 1]):
                        if moves.reward[e, seat] != 0:
                            if pairs is not None:
                                _list(
                                    pairs, counts, own, q, pay * chance[e] * moves.reward[e, seat]
                                )
                            total += pay * chance[e] * moves.reward[e, seat]
                        if after[e] >= 0:
                            n = _wait(waiting, n, after[e], own, q, left, p * chance[e])
                q += 1
            if got is not None and total != 0:
                got[own] += total
        counts.waiting = n
    return DONE


@functools.cache
def _loop(label: str) -> Any:
    return compile_loops([walk], label)[0]


class Space:
    """Courses that one thread goes through."""

    def __init__(self, moves: Moves, sets: Sets, pairs: bool = False) -> None:
        self.moves, self.sets = moves, sets
        self._walk = _loop("pairs" if pairs else "courses")
        self.counters, self.steps = np.zeros(1, _COUNTS), Pieces(STEPS)
        #: What waits, what was put aside, and pairs.
        self.lists: dict[str, Any] = {
            name: Courses(np.zeros(1 << 14, PLACE), np.empty(1 << 14))
            for name in ("waiting", "aside")
        }
        if pairs:
            rows = np.zeros(4096, np.int32)
            self.lists["pairs"] = _Pairs(rows, rows.copy(), np.zeros(len(rows)))

    def go_through(
        self,
        seat: int,
        courses: Courses,
        likely: NDArray[np.float64],
        got: NDArray[np.float64] | None = None,
        decisions: int = 1 << 30,
    ) -> None:
        """Go through these *courses* to their end, or until *seat* has made so many decisions."""
        count, counts = len(courses.reach), self.counters[0]
        lists = self.lists
        while count > len(lists["waiting"].reach):
            lists["waiting"] = grown(lists["waiting"])
        waiting = lists["waiting"]
        waiting.places[:count], waiting.reach[:count] = courses
        waiting.places["left"][:count] = decisions
        counts["waiting"], counts["aside"] = count, 0
        stopped = LONG
        while stopped != DONE:
            with self.steps.until(self.counters["steps"]) as most:
                stopped = self._walk(
                    self.counters, most, seat, self.moves, self.sets, likely,
                    lists["waiting"], lists["aside"], got, lists.get("pairs"),
                )  # fmt: skip
            if stopped == FULL:
                self._grow()

    def _grow(self) -> None:
        """Twice as much room for what is more than half full, or for all if nothing is."""
        counts, lists = self.counters[0], self.lists
        full = {name: 2 * counts[name] > len(each[-1]) for name, each in lists.items()}
        for name, each in lists.items():
            if full[name] or not any(full.values()):
                lists[name] = grown(each)
