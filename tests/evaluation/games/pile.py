"""Seven cards in a pile, the top one is turned up. Say whether the next is higher or lower. Each
right answer is a point and turns up the next; a wrong one, or the last card, ends the game.
"""

from cyberdeck import Feature, Field, Game, dice, end, kernel

CARDS, LOWER, HIGHER = 7, 0, 1
WRONG, LAST = 2, 3


@kernel
def shuffle(state):
    for card in range(CARDS):
        state.pile[card] = card
    dice.shuffle(state, state.pile, 0, CARDS)


@kernel
def start(state):
    state.top = 0


@kernel
def legal(state, mask):
    mask[LOWER] = mask[HIGHER] = 1


@kernel
def act(state, action):
    state.top += 1
    if (state.pile[state.top] > state.pile[state.top - 1]) != (action == HIGHER):
        end(state, WRONG)
        return
    state.reward[0] = 1
    if state.top == CARDS - 1:
        end(state, LAST)


@kernel
def observe(state, seat, out):
    for place in range(state.top + 1):
        out[place] = state.pile[place] + 1


@kernel
def resample(state, seat):
    dice.shuffle(state, state.pile, state.top + 1, CARDS - 1 - state.top)


GAME = Game(
    name="st_pile",
    seats=("player",),
    fields=[Field("pile", 0, CARDS - 1, (CARDS,)), Field("top", 0, CARDS - 1)],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    features=[Feature("turned_up", (CARDS,), 0, CARDS, "in their order; 0 is face down")],
    actions=[(1, "lower"), (1, "higher")],
    reasons=("wrong", "last"),
    scored=True,
    rewards="A point for each right answer.",
    longest=CARDS - 1,
)
