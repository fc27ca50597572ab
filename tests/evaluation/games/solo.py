"""For one: turn cards up for points, and stop before one comes that lies there already.

Each of six values is twice in the deck. Stopping brings what lies there, a double nothing; then the
cards are cleared away. After four such rows, or when the deck is empty, the game is over.
"""

from cyberdeck import Feature, Field, Game, dice, end, kernel

VALUES, CARDS, ROWS = 6, 12, 4
TURN_UP, STOP = 0, 1
FOUR_ROWS, EMPTY = 2, 3


@kernel
def shuffle(state):
    for card in range(CARDS):
        state.deck[card] = card % VALUES
    dice.shuffle(state, state.deck, 0, CARDS)


@kernel
def start(state):
    state.turned = 0
    state.rows = 0
    state.up[:] = 0


@kernel
def legal(state, mask):
    mask[TURN_UP] = 1
    for value in range(VALUES):
        if state.up[value] == 1:
            mask[STOP] = 1


@kernel
def clear(state):
    for value in range(VALUES):
        state.up[value] = 0
    state.rows += 1
    if state.rows == ROWS:
        end(state, FOUR_ROWS)


@kernel
def bring(state):
    """What lies there is the reward."""
    for value in range(VALUES):
        state.reward[0] += state.up[value] * (value + 1)


@kernel
def act(state, action):
    if action == STOP:
        bring(state)
        clear(state)
        return
    value = state.deck[state.turned]
    state.turned += 1
    if state.up[value] == 1:
        clear(state)
    else:
        state.up[value] = 1
    if state.turned == CARDS and state.terminated == 0:
        bring(state)
        end(state, EMPTY)


@kernel
def observe(state, seat, out):
    for value in range(VALUES):
        out[value] = state.up[value]
        out[VALUES + value] = 2
    for at in range(state.turned):
        out[VALUES + state.deck[at]] -= 1
    out[2 * VALUES] = state.rows


@kernel
def resample(state, seat):
    """The rest of the deck, shuffled as it lies: every order is as likely."""
    dice.shuffle(state, state.deck, state.turned, CARDS - state.turned)


GAME = Game(
    name="right_solo",
    seats=("player",),
    fields=[
        Field("deck", 0, VALUES - 1, (CARDS,)),
        Field("turned", 0, CARDS),
        Field("up", 0, 1, (VALUES,)),
        Field("rows", 0, ROWS),
    ],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    features=[
        Feature("up", (VALUES,), 0, 1),
        Feature("left", (VALUES,), 0, 2, "cards of each value in the deck"),
        Feature("rows", (1,), 0, ROWS),
    ],
    actions=[(1, "turn up a card"), (1, "stop")],
    reasons=("four_rows", "empty_deck"),
    rewards="The sum of the values in a row that is stopped.",
    reward_bound=21.0,
)
