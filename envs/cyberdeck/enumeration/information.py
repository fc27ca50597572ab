"""All that the seats of a game for two may remember, by numbers.

An *information set* is what a seat did last, and what it sees now; a *sequence* is an information
set with an action in it. Sequence 0 is that of the first seat when it has done nothing yet, 1 that
of the second; then come those of the first seat, and those of the second. What follows an
information set has a higher number.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress
from cyberdeck.enumeration.beliefs import CROWDED, THROUGH, Sets, Walk
from cyberdeck.enumeration.positions import Positions, grown
from cyberdeck.enumeration.waits import waits
from cyberdeck.errors import OptionError


class InformationPartition:
    """All that the seats of a game for two may remember. I information sets, Q sequences.

    Args:
        positions: all of the game's.
        memory: how many gigabytes the information sets may take.
        progress: is called with how many information sets have been found.
    """

    def __init__(
        self, positions: Positions, memory: float = 3.0, progress: Progress | None = None
    ) -> None:
        self.positions, self.memory = positions, memory
        sets, count = Sets(
            np.zeros(1024, np.int32), np.zeros(1024, np.int32),
            np.full(1025, 2, np.int32), np.full(4096, -1, np.int32),
        ), 0  # fmt: skip
        ends = []
        for seat in range(2):
            wait = waits(positions, seat, np.ones(len(positions.moves.actions)), memory)
            walk = Walk(positions, seat, wait, memory, sets=sets)
            walk.courses["sets"] = count

            def between(stopped: int, walk: Walk = walk) -> None:
                count = int(walk.courses["sets"][0])
                if stopped == CROWDED:
                    walk.sets = self._longer(walk.sets, count)
                if progress:
                    progress(count)

            ids, odds, _ = wait.beginning(positions, seat)
            walk.run(THROUGH, 0, ids, odds, between)
            sets, count = walk.sets, int(walk.courses["sets"][0])
            ends.append(count)
        #: The information sets of each seat.
        self.sets = range(ends[0]), range(*ends)
        self.set_before, self.set_seen = sets.before[:count], sets.seen[:count]
        self.set_first = sets.first[: count + 1]
        self.count = int(self.set_first[-1])
        self.set_below = sets.below[: self.count]

    def _longer(self, sets: Sets, count: int) -> Sets:
        """Twice as much room for what is more than half full, or for all that may be too small."""
        if 24 * len(sets.seen) + 8 * len(sets.below) > self.memory * 2**30:
            raise OptionError(
                f"{self.positions.variant.game.title} has more than {count:,} information sets: "
                f"they need more GB than memory={self.memory:g} allows"
            )
        full, sequences = 2 * count > len(sets.seen), 2 * sets.first[count] > len(sets.below)
        if full or not sequences:
            sets = grown(sets, "before", "seen", "first")
        return grown(sets, "below") if sequences or not full else sets

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """(I,): the information set in which the seat has decided last; -1: it has not yet."""
        return np.searchsorted(self.set_first, self.set_before, "right") - 1

    def by_decisions(self) -> Iterator[NDArray[np.int64]]:
        """Information sets after 0, 1, 2 and so on decisions of their seats."""
        sets = np.flatnonzero(self.parents < 0)
        while len(sets):
            yield sets
            chosen = np.zeros(len(self.set_seen) + 1, bool)
            chosen[sets] = True
            sets = np.flatnonzero(chosen[self.parents])

    def of(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """(Q,): a strategy that looks at the present observation, from its table, (C,)."""
        starts = self.positions.moves.first[self.positions.example[self.set_seen]]
        return np.concatenate([[1.0, 1.0], table[ranges(starts, np.diff(self.set_first))]])

    def uniform(self) -> NDArray[np.float64]:
        """(Q,): every legal action is equally likely."""
        return self.of(self.positions.uniform())


def ranges(starts: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers from each of *starts* on, so many.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(np.repeat(starts, counts) + within)
