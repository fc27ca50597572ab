"""Two teams of a giver and a guesser. Each giver is shown one of nine cells of a 3x3 grid, its own
team's. In turn a giver says the row or the column of it, aloud, and its guesser names a cell.
The first team to name its own cell wins; after two rounds it is a draw.
"""

from cyberdeck import Feature, Field, Game, dice, end, kernel, win

CELLS, NONE, HIT, MISSED = 9, -1, 2, 3


@kernel
def side(state, seat):
    return seat % 2


@kernel
def shuffle(state):
    for team in range(2):
        state.cell[team] = dice.below(state, CELLS)


@kernel
def start(state):
    state.told[:] = NONE
    state.tried[:] = 0


@kernel
def legal(state, mask):
    team = state.mover % 2
    if state.mover < 2:
        mask[0], mask[1] = state.told[team, 0] == NONE, state.told[team, 1] == NONE
        return
    for cell in range(CELLS):
        mask[2 + cell] = not state.tried[team, cell]


@kernel
def act(state, action):
    seat, team = state.mover, state.mover % 2
    if seat < 2:
        state.told[team, action] = state.cell[team] % 3 if action else state.cell[team] // 3
        state.mover = seat + 2
        return
    state.tried[team, action - 2] = 1
    state.mover = 1 - team
    if action - 2 == state.cell[team]:
        win(state, seat, HIT)
    elif state.decisions == 8:
        end(state, MISSED)


@kernel
def fits(state, team, cell):
    """Whether a team's cell may be this one, after what was said and tried."""
    row, column = state.told[team, 0], state.told[team, 1]
    if state.tried[team, cell] or (row != NONE and row != cell // 3):
        return False
    return column == NONE or column == cell % 3


@kernel
def observe(state, seat, out):
    for after in range(2):
        team = (seat + after) % 2
        out[2 * after], out[2 * after + 1] = state.told[team, 0] + 1, state.told[team, 1] + 1
        for cell in range(CELLS):
            out[4 + CELLS * after + cell] = state.tried[team, cell]
    at = 4 + 2 * CELLS
    out[at] = state.cell[seat] + 1 if seat < 2 else 0
    out[at + 1 + seat] = 1


@kernel
def resample(state, seat):
    if state.mover < 0:
        return
    for team in range(2):
        if team != seat:  # seats 0 and 1 have been shown their own
            state.cell[team] = dice.below(state, CELLS)
            while not fits(state, team, state.cell[team]):
                state.cell[team] = dice.below(state, CELLS)


SEATS = ("giver of red", "giver of blue", "guesser of red", "guesser of blue")
GAME = Game(
    name="st_hints",
    seats=SEATS,
    side=side,
    teams=("red", "blue"),
    fields=[
        Field("cell", 0, CELLS - 1, (2,)),
        Field("told", NONE, 2, (2, 2)),
        Field("tried", 0, 1, (2, CELLS)),
    ],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    features=[
        Feature("told", (2, 2), 0, 3, "row and column, plus 1: of the own team, of the other"),
        Feature("tried", (2, CELLS), 0, 1, "by the own team, by the other"),
        Feature("cell", (1,), 0, CELLS, "to a giver its own team's, plus 1"),
        Feature("seat", (4,), 0, 1),
    ],
    actions=[(1, "say the row"), (1, "say the column"), (CELLS, "cell")],
    reasons=("hit", "missed"),
    longest=2,
)
