"""Two lamps and three buttons behind a curtain. In turn each presses a button or passes, at most
twice: two buttons switch the first lamp, one the second. All see the lamps and nobody the
buttons. After six decisions "same" wins if both lamps are as each other, "other" if not.
"""

from cyberdeck import Feature, Field, Game, kernel, win

LEFT, MIDDLE, RIGHT, PASS = 0, 1, 2, 3
LENGTH, OVER = 6, 2


@kernel
def start(state):
    state.lit[:] = 0
    state.passes[:] = 2


@kernel
def legal(state, mask):
    mask[:PASS] = 1
    mask[PASS] = state.passes[state.mover] > 0


@kernel
def act(state, action):
    seat = state.mover
    if action == PASS:
        state.passes[seat] -= 1
    else:
        state.lit[1 if action == RIGHT else 0] ^= 1
    state.mover = 1 - seat
    if state.decisions == LENGTH:
        win(state, 0 if state.lit[0] == state.lit[1] else 1, OVER)


@kernel
def secret(state, seat):
    """Which button it was: of two of them one sees the same."""
    return True


@kernel
def observe(state, seat, out):
    out[0], out[1] = state.lit[0], state.lit[1]
    out[2], out[3] = state.passes[seat], state.passes[1 - seat]
    out[4], out[5] = state.decisions, seat


GAME = Game(
    name="st_lamps",
    seats=("same", "other"),
    fields=[Field("lit", 0, 1, (2,)), Field("passes", 0, 2, (2,))],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    secret=secret,
    features=[
        Feature("lit", (2,), 0, 1),
        Feature("passes", (2,), 0, 2, "left: own, the other's"),
        Feature("decisions", (1,), 0, LENGTH),
        Feature("seat", (1,), 0, 1),
    ],
    actions=[(1, "left"), (1, "middle"), (1, "right"), (1, "pass")],
    reasons=("over",),
    longest=LENGTH // 2,
)
