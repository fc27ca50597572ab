"""Morra: both hold up one, two or three fingers at the same time. If the sum is even, the first
gets a point, else the second. Whoever has three points wins.
"""

from cyberdeck import Feature, Field, Game, dice, kernel, win

NONE, GOAL, MOST_POINTS = -1, 3, 2


@kernel
def start(state):
    state.fingers[:] = NONE
    state.last[:] = NONE
    state.points[:] = 0


@kernel
def legal(state, mask):
    mask[:] = 1
    return 3


@kernel
def act(state, action):
    state.fingers[state.mover] = action
    state.mover = 1 - state.mover
    if state.mover == 0:
        winner = (state.fingers[0] + state.fingers[1]) % 2
        state.points[winner] += 1
        for seat in range(2):
            state.last[seat], state.fingers[seat] = state.fingers[seat], NONE
        if state.points[winner] == GOAL:
            win(state, winner, MOST_POINTS)


@kernel
def observe(state, seat, out):
    for after in range(2):
        other = (seat + after) % 2
        out[after], out[2 + after] = state.points[other], state.last[other] + 1
    out[4], out[5] = state.fingers[seat] + 1, seat


@kernel
def acts_simultaneously(state, seat):
    return seat >= state.mover


@kernel
def withdraw_secret_actions(state, seat):
    if state.mover == 1 and seat == 1:
        state.fingers[0] = NONE
        state.mover = 0
        state.decisions -= 1


@kernel
def resample(state, seat):
    if state.mover == 1 and seat == 1:
        state.fingers[0] = dice.below(state, 3)


GAME = Game(
    name="st_morra",
    seats=("even", "odd"),
    fields=[
        Field("fingers", NONE, 2, (2,)),
        Field("last", NONE, 2, (2,)),
        Field("points", 0, GOAL, (2,)),
    ],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    acts_simultaneously=acts_simultaneously,
    withdraw_secret_actions=withdraw_secret_actions,
    resample=resample,
    features=[
        Feature("points", (2,), 0, GOAL, "own, the other's"),
        Feature("last", (2,), 0, 3, "of the last round: own, the other's"),
        Feature("fingers", (1,), 0, 3, "own, 0 before"),
        Feature("seat", (1,), 0, 1),
    ],
    actions=[(1, "one"), (1, "two"), (1, "three")],
    reasons=("three_points",),
    longest=2 * GOAL - 1,
)
