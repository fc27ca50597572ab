"""Two throw a die in turn, as often as they like: the eyes add up, but a 1 loses them and the
turn. Who stops, or has 12 or more, keeps them. After three turns each, the difference is paid.
"""

from cyberdeck import Feature, Field, Game, dice, end, kernel

THROW, STOP, ENOUGH, TURNS, OVER = 0, 1, 12, 6, 2
MOST = TURNS // 2 * (ENOUGH + 5)


@kernel
def start(state):
    state.kept[:] = 0
    state.heap = state.turn = 0


@kernel
def legal(state, mask):
    mask[THROW] = 1
    mask[STOP] = state.heap > 0


@kernel
def act(state, action):
    seat = state.mover
    done = action == STOP
    if action == THROW:
        eyes = 1 + dice.below(state, 6)
        state.heap = state.heap + eyes if eyes > 1 else 0
        done = eyes == 1 or state.heap >= ENOUGH
    if done:
        state.kept[seat] += state.heap
        state.heap = 0
        state.turn += 1
        state.mover = 1 - seat
    if state.turn == TURNS:
        state.reward[0] = state.kept[0] - state.kept[1]
        state.reward[1] = -state.reward[0]
        end(state, OVER)


@kernel
def observe(state, seat, out):
    out[0], out[1] = state.kept[seat], state.kept[1 - seat]
    out[2], out[3], out[4] = state.heap, state.turn, seat


GAME = Game(
    name="st_pigs",
    seats=("first", "second"),
    fields=[
        Field("kept", 0, MOST, (2,)),
        Field("heap", 0, ENOUGH + 5),
        Field("turn", 0, TURNS),
    ],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=[
        Feature("kept", (2,), 0, MOST, "own, the other's"),
        Feature("heap", (1,), 0, ENOUGH + 5),
        Feature("turn", (1,), 0, TURNS),
        Feature("seat", (1,), 0, 1),
    ],
    actions=[(1, "throw"), (1, "stop")],
    reasons=("over",),
    scored=True,
    rewards="What you have kept less what the other has.",
    reward_bound=MOST,
)
