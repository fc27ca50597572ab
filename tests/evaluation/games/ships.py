"""Battleship on a strip of five cells. Both put a ship of two cells down at the same time, in
secret, and then shoot at the other's strip in turn. A shot shows whether it hits; two hits win.
"""

from cyberdeck import Feature, Field, Game, dice, kernel, win

CELLS, PLACES, NONE = 5, 4, -1
NEW, MISS, HIT, SUNK = 0, 1, 2, 2


@kernel
def start(state):
    state.ship[:] = NONE
    state.shot[:] = NEW


@kernel
def legal(state, mask):
    for place in range(PLACES):
        mask[place] = state.ship[state.mover] == NONE
    for cell in range(CELLS):
        mask[PLACES + cell] = (
            state.ship[state.mover] != NONE and state.shot[state.mover, cell] == NEW
        )


@kernel
def covers(place, cell):
    return place == cell or place + 1 == cell


@kernel
def act(state, action):
    seat, other, cell = state.mover, 1 - state.mover, action - PLACES
    state.mover = other
    if action < PLACES:
        state.ship[seat] = action
        return
    state.shot[seat, cell] = HIT if covers(state.ship[other], cell) else MISS
    hits = 0
    for each in range(CELLS):
        hits += state.shot[seat, each] == HIT
    if hits == 2:
        win(state, seat, SUNK)


@kernel
def observe(state, seat, out):
    for cell in range(CELLS):
        out[cell], out[CELLS + cell] = state.shot[seat, cell], state.shot[1 - seat, cell]
    out[2 * CELLS], out[2 * CELLS + 1] = state.ship[seat] + 1, seat


@kernel
def acts_simultaneously(state, seat):
    return state.ship[seat] == NONE if state.ship[1] == NONE else seat == state.mover


@kernel
def withdraw_secret_actions(state, seat):
    if seat == 1 and state.mover == 1 and state.ship[1] == NONE:
        state.ship[0] = NONE
        state.mover = 0
        state.decisions -= 1


@kernel
def resample(state, seat):
    """Where the other's ship may lie after one's own shots."""
    other, fits = 1 - seat, state.ship[1 - seat] == NONE
    while not fits:
        fits, state.ship[other] = True, dice.below(state, PLACES)
        for cell in range(CELLS):
            shot = state.shot[seat, cell]
            fits &= shot == NEW or (shot == HIT) == covers(state.ship[other], cell)


GAME = Game(
    name="st_ships",
    seats=("first", "second"),
    fields=[Field("ship", NONE, PLACES - 1, (2,)), Field("shot", 0, 2, (2, CELLS))],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    acts_simultaneously=acts_simultaneously,
    withdraw_secret_actions=withdraw_secret_actions,
    resample=resample,
    features=[
        Feature("shots", (2, CELLS), 0, 2, "own, the other's: 1 is a miss, 2 a hit"),
        Feature("ship", (1,), 0, PLACES, "own, plus 1"),
        Feature("seat", (1,), 0, 1),
    ],
    actions=[(PLACES, "ship at"), (CELLS, "shoot at")],
    reasons=("sunk",),
    longest=1 + CELLS,
)
