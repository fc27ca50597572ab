"""Both hide a boat, one after the other and in secret; then they shoot in turn until one is hit.

What is hidden was chosen by players, and by no dice: redrawn, it lies wherever it may still lie.
"""

from cyberdeck import Feature, Field, Game, Option, dice, kernel, nth_legal, win

MOST, NONE = 9, -1
UNTRIED, TRIED = 1, 0
HIT = 2


@kernel
def start(state):
    state.boat[:] = NONE
    for seat in range(2):
        for cell in range(MOST):
            state.untried[seat, cell] = UNTRIED if cell < state.cells else TRIED


@kernel
def hiding(state):
    """Whether boats are still being hidden."""
    return state.boat[1] == NONE


@kernel
def legal(state, mask):
    if hiding(state):
        for cell in range(state.cells):
            mask[cell] = 1
    else:
        for cell in range(state.cells):
            mask[state.cells + cell] = state.untried[1 - state.mover, cell]


@kernel
def act(state, action):
    seat, other = state.mover, 1 - state.mover
    state.mover = other
    if action < state.cells:
        state.boat[seat] = action
        return
    cell = action - state.cells
    state.untried[other, cell] = TRIED
    if state.boat[other] == cell:
        win(state, seat, HIT)


@kernel
def observe(state, seat, out):
    cells = state.cells
    for cell in range(cells):
        out[cell] = state.untried[seat, cell]
        out[cells + cell] = state.untried[1 - seat, cell]
    if state.boat[seat] != NONE:
        out[2 * cells + state.boat[seat]] = 1
    out[3 * cells] = state.boat[1 - seat] != NONE


@kernel
def resample(state, seat):
    """The other's boat, if there is one, lies on any cell that was not tried."""
    other = 1 - seat
    if state.boat[other] == NONE:
        return
    count = 0
    for cell in range(state.cells):
        count += state.untried[other, cell]
    state.boat[other] = nth_legal(state.untried[other], dice.below(state, count))


@kernel
def secret(state, seat):
    return state.boat[1] == NONE


GAME = Game(
    name="right_secret_setup",
    seats=("first", "second"),
    fields=[Field("boat", NONE, MOST - 1, (2,)), Field("untried", 0, 1, (2, MOST))],
    options=[Option("cells", 6, "where a boat may lie", bounds=(2, MOST))],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    secret=secret,
    features=lambda options: [
        Feature("untried", (2, options["cells"]), 0, 1, "own cells, theirs"),
        Feature("boat", (options["cells"],), 0, 1, "own"),
        Feature("theirs", (1,), 0, 1, "whether their boat is hidden"),
    ],
    actions=lambda options: [(options["cells"], "hide at"), (options["cells"], "shoot at")],
    reasons=("hit",),
)
