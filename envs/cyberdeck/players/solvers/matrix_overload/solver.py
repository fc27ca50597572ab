"""MATR1X 0VERL0AD with open cards: a search for moves that win.

A beam search over the game's own records. All positions of one depth have seen as many cards
played. Of their successors the best *width* by the heuristic's evaluation are kept. A line that is
found does win. Where none is found there may be one all the same.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress
from cyberdeck.common.statistics import wilson
from cyberdeck.engine import dice, registry
from cyberdeck.engine.arguments import Array, zeros
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.kernels import index, int64, kernel, loop_of
from cyberdeck.engine.positions import checked_position, unpacked
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import StateError, require
from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.games.matrix_overload import heuristic as h
from cyberdeck.games.matrix_overload.game import GAME
from cyberdeck.games.matrix_overload.rules import BORDERS, VALUE, face_up

legal, act = GAME.kernels.legal, GAME.kernels.act

#: Moves that a line may have. Won games take about 50.
LONGEST: Final = 256

#: Widths that are possible.
WIDEST: Final = 100_000

#: In the place of how many positions there are: a line that wins was found.
FOUND: Final = -1

#: Up to this width all depths are gone through at once, in some tenths of a second; beyond it each
#: by itself.
_NARROW: Final = 3000

# --- what a position is worth ---------------------------------------------------------------------


def _beside(action: int) -> list[int]:
    """The outer piles whose worth a card on pile *action* can change."""
    if action >= c.INNER:
        return [action - c.INNER]
    return [o for o in range(c.OUTER) if action in (BORDERS[o], h.MIDDLE[o], h.FAR[o])]


#: Those outer piles for each action, then NONE.
TOUCHED: Final = np.array([(_beside(at) + [c.NONE] * 4)[:4] for at in range(c.ACTIONS)], np.int8)


@kernel
def weigh(state: Any, mask: Any, lines: Any, values: Any) -> None:
    """Write into *values* what each legal action leads to.

    This is the heuristic's evaluation, and what the way there has brought. A card that resets
    nothing changes few outer piles: the others' worth, in *lines*, is computed once.
    """
    base = h.KILL * state.killed + h.RETURNED * state.left
    card = face_up(state)
    coming = h.to_come(state)
    count = max(int64(state.left) - 1, int64(1))
    resets = VALUE[card] <= 1
    for outer in range(c.OUTER):
        lines[outer] = 0.0
        if not resets and state.dead[outer] == 0:
            lines[outer] = h.value_at(state, outer, c.NONE, c.NONE, coming, count)
        base += lines[outer]
    for action in range(c.ACTIONS):
        if mask[action] == 0:
            continue
        if resets:
            values[action] = base + h.value_after(state, action, card, coming)
            continue
        value = base + h.value_of_piles(state, action, card, coming, count)
        for outer in TOUCHED[action]:
            if outer == c.NONE:
                break
            if state.dead[outer] == 0:
                value += h.value_at(state, outer, action, card, coming, count) - lines[outer]
        values[action] = value


#: Random bits by card, and by place: in the draw pile, or in an inner pile (from 64 on).
_SCATTER = np.random.default_rng(54).integers(-(2**63), 2**63 - 1, (c.CARDS, 64 * 10), np.int64)


@kernel
def signature(state: Any) -> Any:
    """64 bits that differ for positions of one deal and one depth whose futures may differ."""
    bits = int64(1)
    resets = False
    for at in range(state.left):
        card = state.draw[(state.head + at) & (c.RING - 1)]
        bits ^= _SCATTER[index(card), index(at)]
        resets |= VALUE[card] <= 1
    for inner in range(c.INNER):
        card = state.top[inner]
        while card != c.NONE:
            bits ^= _SCATTER[index(card), index(64 * (1 + inner) + state.height[card] * resets)]
            if not resets:
                break  # what lies under the top card stays there
            card = state.below[card]
    for outer in range(c.OUTER):
        kind = 128 * state.ice[outer] + 2 * (1 + state.royal[outer]) + state.dead[outer]
        bits ^= int64(dice.mixed(np.uint64(c.OUTER * kind + outer)))
    return bits


# --- the search -----------------------------------------------------------------------------------


class Room(NamedTuple):
    """What is searched in, W positions wide: as loops say that they take it, or arrays."""

    positions: Any = Array(GAME.dtype, "2W")  # of this depth and of the next
    values: Any = Array(np.float64, "W")  # of each successor kept: its value,
    parents: Any = Array(np.int32, "W")  # the position it comes from,
    actions: Any = Array(np.int8, "W")  # and the action
    heap: Any = Array(np.int64, "W")  # the successors kept, as a heap with the worst one on top
    signatures: Any = Array(np.int64, "P")  # of this depth, hashed; 0: free
    origins: Any = Array(np.int32, "LW")  # of every position of each depth: where it comes from,
    moves: Any = Array(np.int8, "LW")  # and by what action
    mask: Any = Array(np.int8, "A")
    lines: Any = Array(np.float64, "O")
    after: Any = Array(np.float64, "A")
    # What ``decide`` needs besides: a world, and of each action whether it is still in the running,
    # what it has brought, and its value.
    world: Any = Array(GAME.dtype, "1")
    running: Any = Array(np.int8, "A")
    score: Any = Array(np.float64, "A")
    promise: Any = Array(np.float64, "A")


ROOM: Final = Room()
LENGTHS: Final = {"L": LONGEST, "A": c.ACTIONS, "O": c.OUTER}


def room_of(width: int) -> Room:
    """Room for a search that is *width* wide."""
    places = 2 << int(width).bit_length()
    return Room._make(zeros(ROOM, W=width, P=places, **LENGTHS))


@kernel
def sift(heap: Any, values: Any, at: Any) -> None:
    """Let the successor at a place of the heap sink to where it belongs."""
    moved = heap[at]
    while True:
        under = 2 * at + 1
        if under >= len(heap):
            break
        if under + 1 < len(heap) and values[heap[under + 1]] < values[heap[under]]:
            under += 1
        if values[heap[under]] >= values[moved]:
            break
        heap[at] = heap[under]
        at = under
    heap[at] = moved


@kernel
def keep(kept: Any, value: Any, heap: Any, values: Any) -> Any:
    """The place for one more successor of this value, among *kept*; NONE if it is not needed."""
    if kept < len(heap):
        values[kept] = value
        heap[kept] = kept
        if kept == len(heap) - 1:
            for at in range(len(heap) // 2 - 1, -1, -1):
                sift(heap, values, at)
        return kept
    worst = heap[0]
    if value <= values[worst]:
        return c.NONE
    values[worst] = value
    sift(heap, values, 0)
    return worst


@kernel
def is_new(signatures: Any, bits: Any) -> Any:
    """Note a signature; False if it was there."""
    at = bits & (len(signatures) - 1)
    while signatures[at] != 0:
        if signatures[at] == bits:
            return False
        at = (at + 1) & (len(signatures) - 1)
    signatures[at] = bits
    return True


@kernel
def deepen(width: Any, depth: Any, count: Any, most: Any, room: Any) -> Any:
    """Go on from the *count* positions of a depth to those of the next.

    Returns how many these are, or ``FOUND``: then the last move comes from ``parents[0]`` by
    ``actions[0]``; and the most royals that have fallen anywhere, *most* so far.
    """
    parents, actions, mask = room.parents, room.actions, room.mask
    heap = room.heap[:width]
    here, there = room.positions[depth & 1], room.positions[1 - (depth & 1)]
    kept = 0
    for at in range(count):
        if legal(here[at], mask) > 1 or width > 1:
            weigh(here[at], mask, room.lines, room.after)
        for action in range(c.ACTIONS):
            if mask[action] == 1:
                place = keep(kept, room.after[action], heap, room.values)
                if place != c.NONE:
                    parents[place] = at
                    actions[place] = action
                    kept = max(kept, place + 1)
    if width > 1:
        room.signatures[:] = 0
    count = 0
    for place in range(kept):
        there[count] = here[parents[place]]
        state = there[count]
        act(state, actions[place])
        most = max(most, state.killed)
        if state.reason == c.WON:
            parents[0], actions[0] = parents[place], actions[place]
            return FOUND, most
        if state.mover != NOBODY and (width == 1 or is_new(room.signatures, signature(state))):
            room.origins[depth, count] = parents[place]
            room.moves[depth, count] = actions[place]
            count += 1
    return count, most


@kernel
def search(width: Any, begin: Any, end: Any, count: Any, room: Any) -> Any:
    """Search from the *count* positions of the depth *begin* on, until before the depth *end*.

    Returns how many positions there are then, or ``FOUND``; the last depth; the most royals that
    have fallen anywhere; and how many positions were looked at.
    """
    most, looked, depth = int64(room.positions[0, 0].killed), int64(0), begin
    for depth in range(begin, end):
        looked += count
        count, most = deepen(width, depth, count, most, room)
        if count <= 0:
            break
    return count, depth, most, looked


@loop_of(
    "matrix_overload",
    LENGTHS,
    width=np.int64,
    begin=np.int64,
    end=np.int64,
    count=np.int64,
    room=ROOM,
    line=Array(np.int64, "L"),
)
def find(width: Any, begin: Any, end: Any, count: Any, room: Any, line: Any) -> Any:
    """``search``: returns how many positions there are; or ``FOUND``, and the moves that win are in
    *line*, then NONE.
    """
    count, depth, _, _ = search(width, begin, end, count, room)
    if count == FOUND:
        line[depth + 1 :] = c.NONE
        at = room.parents[0]
        line[depth] = room.actions[0]
        for before in range(depth - 1, -1, -1):
            line[before] = room.moves[before, at]
            at = room.origins[before, at]
    return count


def solve(
    position: bytes | NDArray[Any], *, width: int = 30, widest: int = 30_000
) -> list[int] | None:
    """Actions that win from *position*, whose draw pile is known to the last card; or None.

    *position*: bytes of ``get_state``, or a record (an array of one). The search keeps *width*
    positions of each depth, and ten times as many after each failure, up to *widest*. None means
    that no such actions were found, not that there are none.

    >>> import gymnasium, cyberdeck
    >>> env = gymnasium.make("cyberdeck/MatrixOverload-v0").unwrapped
    >>> _ = env.reset(seed=0)
    >>> for action in solve(env.get_state()):
    ...     _, reward, terminated, _, info = env.step(action)
    >>> reward, terminated, env.metadata["reasons"][info["reason"]]
    (1.0, True, 'won')
    """
    record = read(position)
    check_whole("width", width, WIDEST)
    check_whole("widest", widest, WIDEST)
    if record["mover"][0] == NOBODY:
        raise StateError("that position is the end of a game: there is nothing left to solve")
    line = np.empty(LONGEST, np.int64)
    while True:
        room = room_of(width)
        room.positions[0, 0] = record[0]
        count, depths = 1, LONGEST if width <= _NARROW else 1
        for begin in range(0, LONGEST, depths):
            count = find(width, begin, begin + depths, count, room, line)
            if count <= 0:
                break
        if count == FOUND:
            return [int(action) for action in line if action != c.NONE]
        if width >= widest:
            return None
        width = min(10 * width, widest)


@loop_of(
    "matrix_overload",
    {"A": c.ACTIONS},  # a line may be of any length
    states=Array(GAME.dtype, "1"),
    line=Array(np.int64, "L"),
    mask=Array(np.int8, "A"),
)
def follow(states: Any, line: Any, mask: Any) -> Any:
    """Play a *line* in the only state: 1 if it is legal and wins, otherwise 0."""
    state = states[0]
    for action in line:
        legal(state, mask)
        if action == c.NONE or mask[action] == 0:
            return 0
        act(state, action)
    return 1 if state.reason == c.WON else 0


def wins(position: bytes | NDArray[Any], line: Sequence[int]) -> bool:
    """Whether the game's own rules say that these actions are legal, one by one, and win.

    >>> from cyberdeck import Batch
    >>> batch = Batch("matrix_overload", 1, seed=0)
    >>> wins(batch.get_state(0), solve(batch.get_state(0))), wins(batch.get_state(0), [0])
    (True, False)
    """
    record = read(position).copy()
    actions = np.array([action if 0 <= action < c.ACTIONS else c.NONE for action in line], np.int64)
    return bool(follow(record, actions, np.zeros(c.ACTIONS, np.int8)))


def read(position: bytes | NDArray[Any]) -> NDArray[Any]:
    """A position as a record (an array of one), or ``StateError``."""
    if isinstance(position, np.ndarray):
        if position.shape != (1,) or position.dtype != GAME.dtype:
            raise StateError(
                f"a position is an array of one record of {GAME.title}, or bytes of get_state(); "
                f"this is an array of shape {position.shape} of {position.dtype}"
            )
        return checked_position(GAME, position)
    return unpacked(GAME, position)[1]


def check_whole(name: str, value: Any, highest: int) -> None:
    possible = is_whole(value) and 1 <= value <= highest
    require(possible, name, value, f"a whole number from 1 to {highest} is needed")


# --- many deals -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class DealValues:
    """How many of some deals were won, and at what cost; ``str`` of it is a line.

    low, high: the 95% interval of the share won (Wilson's)
    royals: royals that fell, on average
    median, p95, longest: seconds of processor time for a deal
    """

    edition: str
    deals: int
    won: int
    low: float
    high: float
    royals: float
    median: float
    p95: float
    longest: float

    def __str__(self) -> str:
        return (
            f"{self.edition}: won {self.won} of {self.deals} "
            f"({self.won / self.deals:.1%}, 95% interval {self.low:.1%} to {self.high:.1%}), "
            f"{self.royals:.2f} royals; seconds a deal: median {self.median:.4f}, "
            f"95% within {self.p95:.4f}, longest {self.longest:.4f}"
        )


def solved(
    deals: int = 1000,
    *,
    game: str | Variant = "matrix_overload",
    seed: int = 0,
    width: int = 30,
    widest: int = 30_000,
    progress: Progress | None = None,
    **options: Any,
) -> DealValues:
    """Solve the deals of seed, seed + 1, ...; each win is confirmed by the rules.

    Of a deal for which no line is found, no royals are counted. *progress* is called with how
    many deals are done.

    >>> solved(5, edition="rulebook").won
    5
    """
    variant = registry.variant(game, **options)
    games = GameBatch(variant, deals)
    games.reset(range(seed, seed + deals))
    solve(games.save(0), width=width, widest=width)  # compile
    royals, seconds = [], []
    for row in range(deals):
        saved = games.save(row)
        begun = time.process_time()
        line = solve(saved, width=width, widest=widest)
        seconds.append(time.process_time() - begun)
        royals.append(c.OUTER if line is not None and wins(saved, line) else 0)
        if progress is not None:
            progress(row + 1)
    won, edition = royals.count(c.OUTER), variant.options["edition"]
    times = np.percentile(seconds, (50, 95, 100)).tolist()
    return DealValues(edition, deals, won, *wilson(won, deals), float(np.mean(royals)), *times)
