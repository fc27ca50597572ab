"""Phantom tic-tac-toe: three in a row win, and nobody sees the other's marks.
Two players mark cells of a 3x3 grid in turn. The cells are 0 to 8, row by row. If the other already
holds the chosen cell, the mover finds that out, and the other does not notice: by classical rules
the mover chooses again, by abrupt rules the turn is over. A full grid is a draw.
"""

import numpy as np

from cyberdeck import Feature, Field, Game, Option, dice, end, kernel, offsets, win

CELLS, ALL = 9, 2**9 - 1
LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)  # a digit is a row of the grid
HAS_LINE = np.array([any(line & cells == line for line in LINES) for cells in range(ALL + 1)])
COUNT = np.array([cells.bit_count() for cells in range(ALL + 1)])
WON, FULL = 2, 3


@kernel
def start(state):
    for seat in range(2):
        state.marks[seat] = state.found[seat] = 0


@kernel
def legal(state, mask):
    known = state.marks[state.mover] | state.found[state.mover]
    for cell in range(CELLS):
        mask[cell] = (known >> cell & 1) == 0


@kernel
def act(state, action):
    seat, other, bit = state.mover, 1 - state.mover, 1 << action
    held = state.marks[other] & bit
    state.found[seat] |= held
    state.marks[seat] |= bit ^ held
    if state.abrupt or not held:
        state.mover = other
    if HAS_LINE[state.marks[seat]]:
        win(state, seat, WON)
    elif state.marks[0] | state.marks[1] == ALL:
        end(state, FULL)


@kernel
def secret(state, seat):
    """Nobody sees where the other tries."""
    return True


FEATURES = [
    Feature("own", (3, 3), 0, 1, "marks"),
    Feature("found", (3, 3), 0, 1, "the other's that are known"),
    Feature("seat", (1,), 0, 1, "whether you are o, the second"),
]
AT = offsets(FEATURES)


@kernel
def observe(state, seat, out):
    for cell in range(CELLS):
        out[AT.own + cell] = state.marks[seat] >> cell & 1
        out[AT.found + cell] = state.found[seat] >> cell & 1
    out[AT.seat] = seat


@kernel
def some(state, cells, many):
    """Draw so many of these cells."""
    drawn = 0
    while COUNT[drawn] < many:
        drawn |= 1 << dice.below(state, CELLS) & cells
    return drawn


@kernel
def resample(state, seat):
    """Abrupt rules tell a seat how many cells the other has tried; classical, how many it has."""
    other, own, known = 1 - seat, state.marks[seat], state.found[seat]
    tried = state.marks[other] | state.found[other] * state.abrupt
    while state.mover >= 0:
        finds = 0 if state.abrupt else some(state, own, dice.below(state, COUNT[own] + 1))
        cells = ~known if state.abrupt else ~known & ~own
        cells = known | finds | some(state, cells, COUNT[tried & ~known])
        if not HAS_LINE[cells & ~own] and cells | own != ALL:
            state.marks[other], state.found[other] = cells & ~own, cells & own
            state.decisions = COUNT[own] + COUNT[known] + COUNT[cells]
            return


GAME = Game(
    name="phantom_tictactoe",
    seats=("x", "o"),
    options=[
        Option("rules", "classical", "of a taken cell", ("classical", "abrupt"), field="abrupt")
    ],
    fields=[Field("marks", 0, ALL, (2,)), Field("found", 0, ALL, (2,))],  # a bit for each cell
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    secret=secret,
    features=FEATURES,
    actions=[(CELLS, "mark cell")],
    reasons=("three_in_a_row", "full"),
    longest=CELLS,
    names=("phantom", "tic-tac-toe", "x", "o"),
)
