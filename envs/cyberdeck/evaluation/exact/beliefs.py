"""What a seat knows of a game for two: which positions it may be in.

Between two decisions of a seat the other decides, perhaps several times. From each position in
which the other decides, this says where the game may be when the seat decides next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import compile_loops, kernel
from cyberdeck.engine.pieces import Pieces
from cyberdeck.errors import OptionError
from cyberdeck.players.solvers.positions import Positions, longer

_DONE, _FULL, _LONG = 0, 1, 2

#: Entries of beliefs between two looks at whether somebody has interrupted, at first.
STEPS: Final = 1 << 20


def _wait(  # type: ignore[no-untyped-def]
    at, most, seat, mover, first, into, after, chance, reward, table, begin, end, ids, odds, gain,
    stamp, place,
):  # fmt: skip
    """Where the game is when *seat* decides next, from each position in which the other decides.

    ids, odds, from begin[i] to end[i]: which positions, and how likely each; gain: what *seat* has
    got by then. at: the next position, entries, tick, steps.
    """
    while at[0] >= 0:
        if at[3] > most:
            return _LONG
        i, n = at[0], at[1]
        begin[i], end[i], gain[i] = n, n, 0.0
        if mover[i] != seat:
            at[2] += 1
            for c in range(first[i], first[i + 1]):
                if table[c] <= 0:
                    continue
                for e in range(into[c], into[c + 1]):
                    p, j = table[c] * chance[e], after[e]
                    gain[i] += p * reward[e, seat]
                    if j < 0:
                        continue
                    own = mover[j] == seat
                    k, last = begin[j], end[j]
                    if own:
                        k, last = 0, 1
                    else:
                        gain[i] += p * gain[j]
                    at[3] += last - k
                    while k < last:
                        to, q = j, p
                        if not own:
                            to, q = ids[k], p * odds[k]
                        k += 1
                        if stamp[to] == at[2]:
                            odds[place[to]] += q
                            continue
                        if n == len(ids):
                            return _FULL
                        stamp[to], place[to] = at[2], n
                        ids[n], odds[n] = to, q
                        n += 1
        end[i], at[1], at[0] = n, n, i - 1
    return _DONE


@kernel
def group(top: Any, n: Any, seen: Any, places: Any, held: Any, order: Any, spare: Any) -> None:
    """Put held[top:n] in groups: positions in which the same is seen, by its first appearance.

    places: of each sight its number; they are used up. order[:n - top]: where each has gone.
    """
    where = 0
    for k in range(top, n):
        what = seen[held[k]]
        if places[what] > 0:  # from their number to minus the place of the next
            where, places[what] = where + places[what], -where
        to = -places[what]
        places[what] -= 1
        order[k - top], spare[to] = to, held[k]
    for k in range(top, n):
        held[k] = spare[k - top]


@dataclass(frozen=True)
class Waits:
    """Where the game is when a seat decides next, from each position in which the other decides."""

    begin: NDArray[np.int64]  # (P,) where its entries begin
    end: NDArray[np.int64]  # (P,) and end
    ids: NDArray[np.int32]  # (E,) positions
    odds: NDArray[np.float64]  # (E,) how likely each
    gain: NDArray[np.float64]  # (P,) what the seat has got by then

    def beginning(self, held: Positions, seat: int) -> tuple[dict[int, float], float]:
        """The positions in which *seat* decides first, how likely each; and what it has got."""
        belief: dict[int, float] = {}
        got = float(held.root_reward[seat])
        for root, chance in zip(held.roots.tolist(), held.root_chance.tolist(), strict=True):
            part = slice(self.begin[root], self.end[root])
            there = zip(self.ids[part].tolist(), self.odds[part].tolist(), strict=True)
            got += chance * float(self.gain[root])
            for position, p in [(root, 1.0)] if held.mover[root] == seat else there:
                belief[position] = belief.get(position, 0.0) + chance * p
        ordered = sorted(belief, key=lambda each: (held.seen[each], each))
        return {each: belief[each] for each in ordered}, got


def waits(held: Positions, seat: int, table: NDArray[np.float64], memory: float) -> Waits:
    """How long *seat* waits if the other plays this strategy, in at most so many gigabytes."""
    (wait,) = compile_loops([_wait], "beliefs")
    count = len(held)
    begin, end, gain = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count)
    ids, odds = np.empty(4096, np.int32), np.empty(4096)
    stamp, place = np.zeros(count, np.int64), np.zeros(count, np.int64)
    at, some, stopped = np.array([count - 1, 0, 0, 0]), Pieces(STEPS), _LONG
    game = (held.mover, held.first, held.into, held.after, held.chance, held.reward)
    while stopped != _DONE:
        with some.until(at[3:]) as most:
            stopped = wait(at, most, seat, *game, table, begin, end, ids, odds, gain, stamp, place)
        if stopped == _FULL:
            in_room(held, 2 * len(ids), memory)
            ids, odds = longer(ids, 2 * len(ids)), longer(odds, 2 * len(odds))
    return Waits(begin, end, ids, odds, gain)


def in_room(held: Positions, entries: int, memory: float) -> None:
    """``OptionError`` if so many entries of beliefs, a number and its odds, do not fit."""
    if 12 * entries > memory * 2**30:
        raise OptionError(
            f"beliefs in {held.variant.game.title} need more GB than memory={memory:g} allows"
        )
