"""Matching pennies twice, and nobody sees anything: a first decision looks like a second one."""

from cyberdeck import Feature, Field, Game, end, kernel


@kernel
def start(state):
    pass


@kernel
def legal(state, mask):
    mask[:] = 1


@kernel
def act(state, action):
    if state.mover == 0:
        state.coin = action
        state.mover = 1
        return
    won = 1 if state.coin == action else -1
    state.reward[0], state.reward[1] = won, -won
    state.mover = 0
    if state.decisions == 4:
        end(state, 1)


@kernel
def observe(state, seat, out):
    out[0] = 1


GAME = Game(
    name="blind_pennies",
    seats=("even", "odd"),
    fields=[Field("coin", 0, 1)],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=[Feature("nothing", (1,), 0, 1)],
    actions=[(2, "heads or tails")],
)
