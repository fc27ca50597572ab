"""Where a game may be when a seat decides next: between two decisions of it others decide."""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import compile_loops
from cyberdeck.engine.pieces import Pieces
from cyberdeck.enumeration.positions import Positions, counters, grown
from cyberdeck.errors import OptionError

#: Why loops stop: they are done; no room is left; they have taken so many steps that somebody may
#: interrupt.
DONE, FULL, LONG = 0, 1, 2

#: Entries of beliefs between two looks at whether somebody has interrupted, at first.
STEPS: Final = 1 << 20


class Waits(NamedTuple):
    """Where the game is when a seat decides next, from each position in which others decide."""

    begin: NDArray[np.int64]  # (P,) where its entries begin
    end: NDArray[np.int64]  # (P,) and end
    ids: NDArray[np.int32]  # (E,) positions
    odds: NDArray[np.float64]  # (E,) how likely each
    gain: NDArray[np.float64]  # (P,) what the seat has got by then

    def beginning(
        self, positions: Positions, seat: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], float]:
        """The positions in which *seat* decides first, how likely each; and what it has got."""
        belief: dict[int, float] = {}
        got = float(positions.root_reward[seat])
        for root, chance in zip(
            positions.roots.tolist(), positions.root_chance.tolist(), strict=True
        ):
            part = slice(self.begin[root], self.end[root])
            there = zip(self.ids[part].tolist(), self.odds[part].tolist(), strict=True)
            got += chance * float(self.gain[root])
            for position, p in [(root, 1.0)] if positions.moves.mover[root] == seat else there:
                belief[position] = belief.get(position, 0.0) + chance * p
        ids = sorted(belief, key=lambda each: (positions.moves.seen[each], each))
        return np.array(ids, np.int32), np.array([belief[each] for each in ids], np.float64), got


#: The next position, entries, marks that were used, steps.
_WAIT: Final = counters("position entries tick steps")


def _wait(
    courses: Any, most: Any, seat: Any, moves: Any, table: Any, waits: Any, stamp: Any, place: Any
) -> Any:
    """Write ``Waits``, from the last position back; the others play by *table*, (C,)."""
    course = courses[0]
    begin, end, ids, odds, gain = waits.begin, waits.end, waits.ids, waits.odds, waits.gain
    first, into, after, chance = moves.first, moves.into, moves.after, moves.chance
    while course.position >= 0:
        if course.steps > most:
            return LONG
        i, n = course.position, course.entries
        begin[i], end[i], gain[i] = n, n, 0.0
        if moves.mover[i] != seat:
            course.tick += 1
            for c in range(first[i], first[i + 1]):
                if table[c] <= 0:
                    continue
                for e in range(into[c], into[c + 1]):
                    p, j = table[c] * chance[e], after[e]
                    gain[i] += p * moves.reward[e, seat]
                    if j < 0:
                        continue
                    own = moves.mover[j] == seat
                    k, last = begin[j], end[j]
                    if own:
                        k, last = 0, 1
                    else:
                        gain[i] += p * gain[j]
                    course.steps += last - k
                    while k < last:
                        to, q = j, p
                        if not own:
                            to, q = ids[k], p * odds[k]
                        k += 1
                        if stamp[to] == course.tick:
                            odds[place[to]] += q
                            continue
                        if n == len(ids):
                            return FULL
                        stamp[to], place[to] = course.tick, n
                        ids[n], odds[n] = to, q
                        n += 1
        end[i], course.entries, course.position = n, n, i - 1
    return DONE


@functools.cache
def _loop() -> Any:
    return compile_loops([_wait], "beliefs")[0]


def waits(positions: Positions, seat: int, table: NDArray[np.float64], memory: float) -> Waits:
    """How *seat* waits if the others play by *table*, (C,), in at most so many gigabytes."""
    wait = _loop()
    count = len(positions)
    waiting = Waits(
        np.zeros(count, np.int64), np.zeros(count, np.int64),
        np.empty(4096, np.int32), np.empty(4096), np.zeros(count),
    )  # fmt: skip
    marks = np.zeros(count, np.int64), np.zeros(count, np.int64)
    courses, some, stopped = np.zeros(1, _WAIT), Pieces(STEPS), LONG
    courses["position"] = count - 1
    while stopped != DONE:
        with some.until(courses["steps"]) as most:
            stopped = wait(courses, most, seat, positions.moves, table, waiting, *marks)
        if stopped == FULL:
            need_room(positions, 2 * len(waiting.ids), memory)
            waiting = grown(waiting, "ids", "odds")
    return waiting


def need_room(positions: Positions, entries: int, memory: float) -> None:
    """``OptionError`` if so many entries of beliefs, a number and its odds, do not fit."""
    if 12 * entries > memory * 2**30:
        raise OptionError(
            f"beliefs in {positions.variant.game.title} need more GB than memory={memory:g} allows"
        )
