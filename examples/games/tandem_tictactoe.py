"""Tic-tac-toe for two teams of two on a grid of 4x4. The four mark an empty cell in turn, partners
opposite each other: north and south are crosses, east and west noughts. Four marks of a team in a
row, in a column, in a diagonal or in a square of 2x2 win; a full grid is a draw.
"""

import numpy as np

from cyberdeck import Feature, Field, Game, end, kernel, offsets, win

SIDE, CELLS, EMPTY = 4, 16, -1
FOUR, FULL = 2, 3
LINES = np.array(
    [[SIDE * row + column for column in range(SIDE)] for row in range(SIDE)]
    + [[SIDE * row + column for row in range(SIDE)] for column in range(SIDE)]
    + [[5 * at for at in range(SIDE)], [3 * at + 3 for at in range(SIDE)]]
    + [[at, at + 1, at + SIDE, at + SIDE + 1] for at in range(CELLS - SIDE) if at % SIDE < 3]
)


@kernel
def side(state, seat):
    return seat % 2


@kernel
def start(state):
    state.grid[:] = EMPTY


@kernel
def legal(state, mask):
    for cell in range(CELLS):
        mask[cell] = state.grid[cell] == EMPTY


@kernel
def act(state, action):
    seat = state.mover
    state.grid[action] = side(state, seat)
    state.mover = (seat + 1) % 4
    for line in range(len(LINES)):
        marks = 0
        for at in range(SIDE):
            marks += state.grid[LINES[line, at]] == side(state, seat)
        if marks == SIDE:
            win(state, seat, FOUR)
            return
    if state.decisions == CELLS:
        end(state, FULL)


FEATURES = [Feature("own", (1, SIDE, SIDE), 0, 1), Feature("theirs", (1, SIDE, SIDE), 0, 1)]
AT = offsets(FEATURES)


@kernel
def observe(state, seat, out):
    for cell in range(CELLS):
        out[AT.own + cell] = state.grid[cell] == side(state, seat)
        out[AT.theirs + cell] = state.grid[cell] == 1 - side(state, seat)


GAME = Game(
    name="tandem_tictactoe",
    title="Tandem tic-tac-toe",
    seats=("north", "east", "south", "west"),
    side=side,
    teams=("crosses", "noughts"),
    fields=[Field("grid", EMPTY, 1, (CELLS,))],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=FEATURES,
    actions=[(CELLS, "mark cell")],
    reasons=("four", "full"),
)
