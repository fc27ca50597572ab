"""One hides in one of nine rooms in a row, the other does not see in which. It looks into three:
each time it is told found, next door, or far. Found wins for the seeker; not found wins for the
hider.
"""

from cyberdeck import Feature, Field, Game, dice, kernel, legal_count, nth_legal, win

ROOMS, TRIES, NOWHERE = 9, 3, -1
FOUND, HIDDEN = 2, 3


@kernel
def start(state):
    state.room = NOWHERE
    state.maybe[:] = 1


@kernel
def legal(state, mask):
    for room in range(ROOMS):
        mask[room] = state.maybe[room]


@kernel
def act(state, action):
    if state.mover == 0:
        state.room = action
        state.mover = 1
        return
    away = abs(state.room - action)
    for room in range(ROOMS):
        if min(abs(room - action), 2) != min(away, 2):
            state.maybe[room] = 0
    if away == 0:
        win(state, 1, FOUND)
    elif state.decisions == 1 + TRIES:
        win(state, 0, HIDDEN)


@kernel
def secret(state, seat):
    """Where it hides; where it is looked for, all see."""
    return state.mover == 0


@kernel
def observe(state, seat, out):
    for room in range(ROOMS):
        out[room] = state.maybe[room]
    out[ROOMS] = state.decisions
    out[ROOMS + 1] = seat
    if seat == 0:
        out[ROOMS + 2] = state.room + 1


@kernel
def resample(state, seat):
    """To the seeker, every room that agrees with what it was told."""
    if seat == 1 and state.decisions > 0:
        state.room = nth_legal(state.maybe, dice.below(state, legal_count(state.maybe)))


GAME = Game(
    name="st_hideout",
    seats=("hider", "seeker"),
    fields=[Field("room", NOWHERE, ROOMS - 1), Field("maybe", 0, 1, (ROOMS,))],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    secret=secret,
    resample=resample,
    features=[
        Feature("maybe", (ROOMS,), 0, 1, "where it may be, from all that was told"),
        Feature("decisions", (1,), 0, 1 + TRIES),
        Feature("seat", (1,), 0, 1),
        Feature("room", (1,), 0, ROOMS, "own, to the hider"),
    ],
    actions=[(ROOMS, "room")],
    reasons=("found", "hidden"),
    longest=TRIES,
)
