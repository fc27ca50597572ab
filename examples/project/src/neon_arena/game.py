"""Neon Arena: two riders cross a 5x5 arena in turn. Each leaves a wall of light in every cell that
it has been to. Whoever cannot go on loses.
"""

import numpy as np

from cyberdeck import Feature, Field, Game, dice, kernel, offsets, win

SIDE, NOWHERE = 5, -1
CELLS = SIDE * SIDE
WAYS = ("up", "right", "down", "left")
DOWN, RIGHT = np.array([-1, 0, 1, 0]), np.array([0, 1, 0, -1])
BLOCKED = 2  # why a game is over: the first reason is 2


@kernel
def ahead(state, seat, way):
    """The cell that a rider comes to, if it may go there."""
    row = state.at[seat] // SIDE + DOWN[way]
    column = state.at[seat] % SIDE + RIGHT[way]
    inside = 0 <= row < SIDE and 0 <= column < SIDE
    return row * SIDE + column if inside and not state.lit[row * SIDE + column] else NOWHERE


@kernel
def shuffle(state):
    """They begin at opposite sides."""
    state.at[0] = SIDE * dice.below(state, SIDE)
    state.at[1] = SIDE * dice.below(state, SIDE) + SIDE - 1


@kernel
def start(state):
    state.lit[:] = 0
    for seat in range(2):
        state.lit[state.at[seat]] = 1


@kernel
def legal(state, mask):
    for way in range(len(WAYS)):
        mask[way] = ahead(state, state.mover, way) != NOWHERE


@kernel
def act(state, action):
    seat = state.mover
    state.at[seat] = ahead(state, seat, action)
    state.lit[state.at[seat]] = 1
    state.mover = 1 - seat
    for way in range(len(WAYS)):
        if ahead(state, state.mover, way) != NOWHERE:
            return
    win(state, seat, BLOCKED)


FEATURES = [Feature(name, (SIDE, SIDE), 0, 1) for name in ("own", "theirs", "lit")]
AT = offsets(FEATURES)


@kernel
def observe(state, seat, out):
    out[AT.own + state.at[seat]] = 1
    out[AT.theirs + state.at[1 - seat]] = 1
    for cell in range(CELLS):
        out[AT.lit + cell] = state.lit[cell]


GAME = Game(
    name="neon_arena",
    seats=("cyan", "magenta"),
    fields=[Field("at", 0, CELLS - 1, (2,)), Field("lit", 0, 1, (CELLS,))],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=FEATURES,
    actions=[(1, f"go {way}") for way in WAYS],
    reasons=("blocked",),
    longest=(CELLS - 1) // 2,
)
