"""Stacktrices: what a seat may not see, and how it is redrawn."""

from __future__ import annotations

from itertools import product
from math import comb, prod

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Seat, State, int64, kernel
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.board import EACH_CAPS, TO_CAP, Counts, Kind, Stack
from cyberdeck.games.stacktrices.stacks import alive, drones_left, in_hand


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


def _ways(pawns: int, drones: int, queens: int, *skills: int) -> int:
    """In how many ways stacks can be capped with that many pieces of each kind."""
    ways = comb(c.STACKS, pawns) * comb(c.STACKS - pawns, drones)
    ways *= comb(c.STACKS - pawns - drones, queens)
    return ways * prod(comb(pawns + drones + queens, count) for count in skills)


#: [choice, kind]: how many pieces of each kind may have been placed; with that many, and in how
#: many ways. The first kind's counts change fastest.
_CHOICES = product(*(range(most + 1) for most in TO_CAP[::-1]))
CAP_COUNTS = np.array([counts[::-1] for counts in _CHOICES], np.int8)
CAP_PIECES = CAP_COUNTS.sum(axis=1)
CAP_WAYS = np.array([_ways(*counts) for counts in CAP_COUNTS.tolist()], np.int64)


@kernel
def resample_caps(state: State, owner: Seat) -> None:
    """Redraw the caps of a set-up, finished or not: as many pieces, in any legal arrangement."""
    placed = EACH_CAPS - in_hand(state, owner)
    all_ways = 0
    for choice in range(len(CAP_WAYS)):
        all_ways += CAP_WAYS[choice] * (CAP_PIECES[choice] == placed)
    left = int64(dice.draw(state) % np.uint64(all_ways))
    for choice in range(len(CAP_WAYS)):
        left -= CAP_WAYS[choice] * (CAP_PIECES[choice] == placed)
        if left < 0:
            arrange(state, owner, CAP_COUNTS[choice])
            return


@kernel
def arrange(state: State, owner: Seat, counts: Counts) -> None:
    """Cap bare stacks evenly with *counts* pieces: movement on any, then skills on those."""
    state.pieces[owner][:] = 0
    bare = c.STACKS
    for size in range(c.SIZES):
        place_evenly(state, owner, size, counts[size], bare, False)
        bare -= counts[size]
    for kind in range(c.SKILL, c.KINDS):
        place_evenly(state, owner, kind, counts[kind], c.STACKS - bare, True)
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
