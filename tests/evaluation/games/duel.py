"""Three with two lives each. In turn each shoots at the next or at the previous of those still in,
and hits every second time. Without lives one is out; the last one wins. After 8 shots it is too
dark.
"""

from cyberdeck import Feature, Field, Game, dice, kernel, win

SEATS, LIVES, SHOTS, NOBODY = 3, 2, 8, -1
LAST, DARK = 2, 3


@kernel
def start(state):
    state.lives[:] = LIVES


@kernel
def beside(state, seat, step):
    """The first of those still in, from this seat on in steps."""
    seat = (seat + step) % SEATS
    while state.lives[seat] == 0:
        seat = (seat + step) % SEATS
    return seat


@kernel
def legal(state, mask):
    mask[:] = 1


@kernel
def act(state, action):
    seat = state.mover
    if dice.below(state, 2):
        state.lives[beside(state, seat, 1 + action)] -= 1
    state.mover = beside(state, seat, 1)
    if state.mover == seat:
        win(state, seat, LAST)
    elif state.decisions == SHOTS:
        state.mover = NOBODY
        state.truncated = 1
        state.reason = DARK


@kernel
def observe(state, seat, out):
    for after in range(SEATS):
        out[after] = state.lives[(seat + after) % SEATS]
    out[SEATS] = state.decisions


GAME = Game(
    name="st_duel",
    seats=("good", "bad", "ugly"),
    fields=[Field("lives", 0, LIVES, (SEATS,))],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=[
        Feature("lives", (SEATS,), 0, LIVES, "own, the next's, the previous one's"),
        Feature("decisions", (1,), 0, SHOTS),
    ],
    actions=[(1, "shoot at the next"), (1, "shoot at the previous")],
    reasons=("last", "dark"),
)
