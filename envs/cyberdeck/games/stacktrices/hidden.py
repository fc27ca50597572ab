"""Stacktrices: what a seat may not see, and how it is redrawn."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Seat, State, int64, kernel
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.board import TO_CAP, Kind, Stack
from cyberdeck.games.stacktrices.stacks import alive, drones_left


@kernel
def in_setup(state: State) -> bool:
    """Each side's caps are hidden until both have finished (ruling S4)."""
    return state.phase == c.HIDE or state.phase == c.CAP


@kernel
def revealed(state: State, owner: Seat) -> bool:
    """Whether a thief stands open to both: exposed, or in the middle of its raid."""
    phase = state.phase
    raiding = phase in (c.RAID, c.PLACE_RAIDED, c.HIDE_RAIDER)
    return state.exposed[owner] == 1 or (raiding and state.mover == owner)


@kernel
def known_thief(state: State, owner: Seat) -> Stack:
    """The drone that everybody knows to be *owner*'s thief, or NONE."""
    if in_setup(state) or state.thief[owner] == c.NONE:
        return c.NONE
    if revealed(state, owner) or drones_left(state, owner) == 1:
        return state.thief[owner]
    return c.NONE


@kernel
def resample(state: State, seat: Seat) -> None:
    """Draw evenly among all that *seat* cannot tell apart."""
    owner = 1 - seat
    if state.thief[owner] == c.NONE or revealed(state, owner):
        return
    place = dice.below(state, drones_left(state, owner))
    for drone in range(c.DRONES):
        if alive(state, owner, drone):
            if place == 0:
                state.thief[owner] = drone
            place -= 1
    if in_setup(state):
        resample_caps(state, owner)


# --- caps of the set-up --------------------------------------------------------------------------


KindCounts: TypeAlias = tuple[int, int, int, int, int, int]  # [kind]


@kernel
def choose(n: int, k: int) -> int:
    """How many sets of k things n things have."""
    if k > n:
        return 0
    ways = 1
    for at in range(k):
        ways = ways * (n - at) // (at + 1)
    return ways


@kernel
def cap_counts(number: int) -> KindCounts:
    """How many pieces of each kind a choice of counts has placed: *number* counts them all."""
    m_pawns, number = number % 3, number // 3
    m_drones, number = number % 3, number // 3
    m_queens, number = number % 2, number // 2
    s_pawns, number = number % 3, number // 3
    s_drones, s_queens = number % 3, number // 3
    return m_pawns, m_drones, m_queens, s_pawns, s_drones, s_queens


COUNT_CHOICES = 3 * 3 * 2 * 3 * 3 * 2


@kernel
def cap_ways(counts: KindCounts) -> int:
    """In how many ways stacks can be capped with that many pieces of each kind."""
    adults = counts[0] + counts[1] + counts[2]
    ways = choose(c.STACKS, counts[0])
    ways *= choose(c.STACKS - counts[0], counts[1])
    ways *= choose(c.STACKS - counts[0] - counts[1], counts[2])
    for size in range(c.SIZES):
        ways *= choose(adults, counts[c.SKILL + size])
    return ways


@kernel
def resample_caps(state: State, owner: Seat) -> None:
    """Redraw the caps of a set-up, finished or not: as many pieces, in any legal arrangement."""
    placed = 0
    for kind in range(c.KINDS):
        placed += TO_CAP[kind] - state.hand[owner, kind]
    all_ways = 0
    for number in range(COUNT_CHOICES):
        counts = cap_counts(number)
        if total(counts) == placed:
            all_ways += cap_ways(counts)
    left = int64(dice.draw(state) % np.uint64(all_ways))
    for number in range(COUNT_CHOICES):
        counts = cap_counts(number)
        if total(counts) == placed:
            left -= cap_ways(counts)
            if left < 0:
                arrange(state, owner, counts)
                return


@kernel
def total(counts: KindCounts) -> int:
    return counts[0] + counts[1] + counts[2] + counts[3] + counts[4] + counts[5]


@kernel
def arrange(state: State, owner: Seat, counts: KindCounts) -> None:
    """Cap bare stacks evenly with *counts* pieces: movement on any, then skills on those."""
    for stack in range(c.STACKS):
        for kind in range(c.KINDS):
            state.pieces[owner, stack, kind] = 0
    bare = c.STACKS
    for size in range(c.SIZES):
        place_evenly(state, owner, size, counts[size], bare, False)
        bare -= counts[size]
    for size in range(c.SIZES):
        place_evenly(state, owner, c.SKILL + size, counts[c.SKILL + size], c.STACKS - bare, True)
    for kind in range(c.KINDS):
        state.hand[owner, kind] = TO_CAP[kind] - counts[kind]


@kernel
def place_evenly(
    state: State, owner: Seat, kind: Kind, pieces: int, places: int, adults: bool
) -> None:
    """Put *pieces* of a kind on that many of the *places* stacks that are (or are not) adults."""
    for stack in range(c.STACKS):
        caps = state.pieces[owner, stack]
        if (caps[c.PAWN] + caps[c.DRONE] + caps[c.QUEEN] > 0) == adults:
            if dice.below(state, places) < pieces:
                caps[kind] += 1
                pieces -= 1
            places -= 1
