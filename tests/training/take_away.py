"""Take-away: a game so small that its value is known. For the tests of learning only.

Two players in turn take one or two objects from a heap of three to eight. Each object is paid for
by the other player; who takes the last one loses.
"""

from __future__ import annotations

import numpy as np

from cyberdeck import Feature, Field, Game, dice, end, kernel

LEAST, MOST = 3, 8  # objects of a heap
ACTIONS = 2  # take 1 + action objects
PRICE = 0.25  # what an object brings its taker, and costs the other
EMPTIED = 2


@kernel
def shuffle(state):
    state.heap = LEAST + dice.below(state, MOST - LEAST + 1)
    state.first = dice.below(state, 2)


@kernel
def start(state):
    state.opening = 0
    state.mover = state.first


@kernel
def legal(state, mask):
    mask[0] = 1
    mask[1] = state.heap > 1


@kernel
def act(state, action):
    mover = state.mover
    state.heap -= 1 + action
    if state.decisions == 1:
        state.opening = 1 + action
    gain = PRICE * (1 + action)
    state.mover = 1 - mover
    if state.heap == 0:
        gain -= 1.0
        end(state, EMPTIED)
    state.reward[mover] = gain
    state.reward[1 - mover] = -gain


@kernel
def observe(state, seat, out):
    out[state.heap] = 1
    out[MOST + 1] = state.mover == seat
    out[MOST + 2] = seat
    # What it paid for them is part of its first reward: the value is that of the heap less this.
    out[MOST + 3] = state.opening if state.decisions == 1 and seat != state.first else 0


def potential(seen):
    """Of any use to nobody: as large as what is at stake, up and down by the heap."""
    return np.sin(2.0 * seen[:, : MOST + 1].argmax(axis=1))


GAME = Game(
    name="take_away",
    seats=("north", "south"),
    fields=[Field("first", 0, 1), Field("heap", 0, MOST), Field("opening", 0, ACTIONS)],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=[
        Feature("objects", (MOST + 1,), 0, 1, "1 at the number of objects in the heap"),
        Feature("to_move", (1,), 0, 1),
        Feature("seat", (1,), 0, 1),
        Feature("owed", (1,), 0, ACTIONS, "objects taken before this seat first decided"),
    ],
    actions=[(1, "take 1"), (1, "take 2")],
    reasons=("emptied",),
    reward_bound=1.0 + MOST * PRICE,
)
