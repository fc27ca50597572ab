"""Two take one or more from a heap in turn. For a win: whoever takes the last one wins. For
points: the last one doubles what its taker has taken, and each gets what it has more than the
other.
"""

from cyberdeck import Feature, Field, Game, Option, end, kernel, win

MOST_HEAP, LAST = 12, 2


@kernel
def start(state):
    state.left = state.heap
    state.taken[:] = 0


@kernel
def legal(state, mask):
    for action in range(state.most):
        mask[action] = action < state.left
    return min(state.most, state.left)


@kernel
def act(state, action):
    seat = state.mover
    state.left -= action + 1
    state.taken[seat] += action + 1
    state.mover = 1 - seat
    if state.left > 0:
        return
    if state.prize == 0:
        win(state, seat, LAST)
        return
    state.reward[seat] = 2 * state.taken[seat] - state.taken[1 - seat]
    state.reward[1 - seat] = -state.reward[seat]
    end(state, LAST)


@kernel
def observe(state, seat, out):
    out[0] = state.left
    out[1], out[2] = state.taken[seat], state.taken[1 - seat]


GAME = Game(
    name="st_heap",
    seats=("first", "second"),
    options=[
        Option("heap", 9, "how many there are", bounds=(3, MOST_HEAP)),
        Option("most", 3, "to take at once", choices=(2, 3, 4)),
        Option("prize", "points", "what is paid", choices=("win", "points")),
    ],
    fields=[Field("left", 0, MOST_HEAP), Field("taken", 0, MOST_HEAP, (2,))],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=[
        Feature("left", (1,), 0, MOST_HEAP),
        Feature("taken", (2,), 0, MOST_HEAP, "own, the other's"),
    ],
    actions=lambda options: [(1, f"take {many + 1}") for many in range(options["most"])],
    reasons=("last",),
    scored=lambda options: options["prize"] == "points",
    rewards="For a win 1 and -1; for points, what one has more.",
    reward_bound=2.0 * MOST_HEAP,
)
