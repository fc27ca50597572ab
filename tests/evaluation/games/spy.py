"""A spy looks in secret at one of two cards, each black or red. Then each of their holders says
aloud whether it believes itself seen, and the spy says whether the cards are alike. If that is
right the spy wins; if not, the holders win.
"""

from cyberdeck import Feature, Field, Game, dice, kernel, win

NONE, SAY_NO, ALIKE, OTHER, ENDED = -1, 2, 4, 5, 2


@kernel
def side(state, seat):
    return min(seat, 1)


@kernel
def shuffle(state):
    state.card[0], state.card[1] = dice.below(state, 2), dice.below(state, 2)


@kernel
def start(state):
    state.looked = NONE
    state.said[:] = NONE


@kernel
def legal(state, mask):
    first = 0 if state.decisions == 0 else SAY_NO if state.mover > 0 else ALIKE
    mask[first] = mask[first + 1] = 1


@kernel
def act(state, action):
    seat = state.mover
    state.mover = (seat + 1) % 3
    if action < SAY_NO:
        state.looked = action
    elif action < ALIKE:
        state.said[seat - 1] = action - SAY_NO
    else:
        right = (state.card[0] == state.card[1]) == (action == ALIKE)
        win(state, 0 if right else 1, ENDED)


@kernel
def secret(state, seat):
    """Where the spy looks; all else is said aloud."""
    return state.decisions == 0


@kernel
def observe(state, seat, out):
    out[seat] = 1
    out[3], out[4], out[5] = state.said[0] + 1, state.said[1] + 1, state.decisions
    if seat > 0:
        out[6] = state.card[seat - 1] + 1
    elif state.looked != NONE:
        out[6], out[7] = state.card[state.looked] + 1, state.looked + 1


@kernel
def resample(state, seat):
    """The holders do not know where the spy has looked, nor each other's card."""
    if seat > 0 and state.looked != NONE:
        state.looked = dice.below(state, 2)
    for card in range(2):
        if card != (state.looked if seat == 0 else seat - 1):
            state.card[card] = dice.below(state, 2)


GAME = Game(
    name="st_spy",
    seats=("spy", "left", "right"),
    side=side,
    teams=("the spy", "the holders"),
    fields=[
        Field("card", 0, 1, (2,)),
        Field("looked", NONE, 1),
        Field("said", NONE, 1, (2,)),
    ],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    secret=secret,
    resample=resample,
    features=[
        Feature("seat", (3,), 0, 1),
        Feature("said", (2,), 0, 2, "1 is no, 2 is yes"),
        Feature("decisions", (1,), 0, 4),
        Feature("card", (1,), 0, 2, "own, or the one looked at, plus 1"),
        Feature("looked", (1,), 0, 2, "to the spy: at whose, plus 1"),
    ],
    actions=[
        (1, "look left"),
        (1, "look right"),
        (1, "no"),
        (1, "yes"),
        (1, "alike"),
        (1, "other"),
    ],
    reasons=("ended",),
    longest=2,
)
