"""Connect Four: two players in turn drop discs into seven columns of six cells, where they lie on
each other. Four in a row, up, across or along a diagonal, win; a full grid is a draw.

A player's discs are a set of bits: column c has the bits 7 * c to 7 * c + 5 from the bottom up, and
one above them that stays 0, so that no row runs over the edge.

cyberdeck play examples/games/connect_four.py --opponent search
"""

import numpy as np

from cyberdeck import Feature, Field, Game, Symmetry, end, kernel, offsets, win

COLUMNS, ROWS = 7, 6
HEIGHT = ROWS + 1  # bits of a column
WON, FULL = 2, 3


@kernel
def start(state):
    state.discs[0] = 0
    state.discs[1] = 0
    for column in range(COLUMNS):
        state.height[column] = 0


@kernel
def legal(state, mask):
    for column in range(COLUMNS):
        mask[column] = state.height[column] < ROWS


@kernel
def four(discs):
    """Whether there are four in a row: up, across, or along a diagonal."""
    found = False
    for step in (1, HEIGHT, HEIGHT - 1, HEIGHT + 1):
        pairs = discs & (discs >> step)
        found |= (pairs & (pairs >> 2 * step)) != 0
    return found


@kernel
def act(state, action):
    seat = state.mover
    state.discs[seat] |= np.int64(1) << (HEIGHT * action + state.height[action])
    state.height[action] += 1
    state.mover = 1 - seat
    if four(state.discs[seat]):
        win(state, seat, WON)
    elif state.decisions == COLUMNS * ROWS:
        end(state, FULL)


FEATURES = [
    Feature("own", (1, ROWS, COLUMNS), 0, 1),
    Feature("theirs", (1, ROWS, COLUMNS), 0, 1),
]
AT = offsets(FEATURES)


@kernel
def observe(state, seat, out):
    own, theirs = state.discs[seat], state.discs[1 - seat]
    for row in range(ROWS):
        for column in range(COLUMNS):
            bit = HEIGHT * column + ROWS - 1 - row  # the top row comes first
            cell = COLUMNS * row + column
            out[AT.own + cell] = own >> bit & 1
            out[AT.theirs + cell] = theirs >> bit & 1


def mirror(records):
    discs = sum(
        ((records["discs"] >> HEIGHT * column) & 2**HEIGHT - 1) << HEIGHT * (COLUMNS - 1 - column)
        for column in range(COLUMNS)
    )
    records["discs"], records["height"] = discs, records["height"][:, ::-1].copy()


def exchange(records):
    records["discs"] = records["discs"][:, ::-1].copy()


GAME = Game(
    name="connect_four",
    seats=("red", "yellow"),
    fields=[
        Field("discs", 0, 2 ** (HEIGHT * COLUMNS) - 1, (2,)),
        Field("height", 0, ROWS, (COLUMNS,)),
    ],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=FEATURES,
    actions=[(COLUMNS, "drop into column")],
    reasons=("four_in_a_row", "full"),
    symmetries=[
        Symmetry(name="mirrored", apply=mirror, actions=[6, 5, 4, 3, 2, 1, 0]),
        Symmetry(name="sides exchanged", apply=exchange, seats=[1, 0]),
    ],
    names=("red", "yellow", "disc"),
)
