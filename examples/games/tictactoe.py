"""Tic-tac-toe: two players mark cells of a 3x3 grid in turn, 0 to 8 row by row; three in a row
win, a full grid is a draw.

cyberdeck play examples/games/tictactoe.py --opponent search
"""

import numpy as np

from cyberdeck import Feature, Field, Game, end, kernel, offsets, win

EMPTY, CELLS = -1, 9
ROWS, COLUMNS = [[0, 1, 2], [3, 4, 5], [6, 7, 8]], [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
LINES = np.array([*ROWS, *COLUMNS, [0, 4, 8], [2, 4, 6]])
WON, FULL = 2, 3


@kernel
def start(state):
    state.board[:] = EMPTY


@kernel
def legal(state, mask):
    for cell in range(CELLS):
        mask[cell] = state.board[cell] == EMPTY
    return CELLS - state.decisions  # how many: it may be left to be counted


@kernel
def act(state, action):
    seat = state.mover
    state.board[action] = seat
    state.mover = 1 - seat
    for line in LINES:
        if (  # without a branch, which `and` would be
            (state.board[line[0]] == seat)
            & (state.board[line[1]] == seat)
            & (state.board[line[2]] == seat)
        ):
            win(state, seat, WON)
            return
    if state.decisions == CELLS:
        end(state, FULL)


FEATURES = [Feature("own", (3, 3), 0, 1), Feature("theirs", (3, 3), 0, 1)]
AT = offsets(FEATURES)


@kernel
def observe(state, seat, out):
    for cell in range(CELLS):
        out[AT.own + cell] = state.board[cell] == seat
        out[AT.theirs + cell] = state.board[cell] == 1 - seat


GAME = Game(
    name="tictactoe",
    seats=("x", "o"),
    fields=[Field("board", EMPTY, 1, (CELLS,))],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=FEATURES,
    actions=[(CELLS, "mark cell")],
    reasons=("three_in_a_row", "full"),
    longest=5,
    names=("tic-tac-toe", "x", "o"),
)
