"""Kuhn poker: three cards, two players, one bet. The smallest game with a secret and a bluff.
Each pays one and gets jack, queen or king. In turn they pass or bet one more; who passes on a bet
folds. Two passes, or a bet that is met, show the cards: the higher one takes the pot.
"""

from cyberdeck import Feature, Field, Game, dice, end, kernel, offsets

CARDS = 3  # jack, queen, king
PASS, BET = 0, 1
FOLDED, SHOWN = 2, 3


@kernel
def shuffle(state):
    for card in range(CARDS):
        state.deck[card] = card
    dice.shuffle(state, state.deck, 0, CARDS)


@kernel
def start(state):
    state.paid[:] = 1


@kernel
def legal(state, mask):
    mask[:] = 1


@kernel
def pay(state, winner, reason):
    """The winner gets what the other has paid."""
    state.reward[winner] = state.paid[1 - winner]
    state.reward[1 - winner] = -state.paid[1 - winner]
    end(state, reason)


@kernel
def act(state, action):
    seat, other = state.mover, 1 - state.mover
    state.mover = other
    if action == BET:
        state.paid[seat] = 2
    elif state.paid[other] == 2:
        pay(state, other, FOLDED)
        return
    if state.paid[seat] == state.paid[other] and state.decisions > 1:
        pay(state, 0 if state.deck[0] > state.deck[1] else 1, SHOWN)


FEATURES = [
    Feature("card", (CARDS,), 0, 1, labels=("jack", "queen", "king")),
    Feature("paid", (2,), 0, 2, "own, the other's", labels=("you", "the other")),
    Feature("decisions", (1,), 0, 3),
]
AT = offsets(FEATURES)


@kernel
def observe(state, seat, out):
    out[AT.card + state.deck[seat]] = 1
    out[AT.paid] = state.paid[seat]
    out[AT.paid + 1] = state.paid[1 - seat]
    out[AT.decisions] = state.decisions


@kernel
def resample(state, seat):
    """The other two cards lie either way round."""
    turned = dice.below(state, 2)
    state.deck[1 - seat] = (state.deck[seat] + 1 + turned) % CARDS
    state.deck[2] = (state.deck[seat] + 2 - turned) % CARDS


GAME = Game(
    name="kuhn_poker",
    seats=("first", "second"),
    fields=[Field("deck", 0, CARDS - 1, (CARDS,)), Field("paid", 1, 2, (2,))],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    features=FEATURES,
    actions=[(1, "pass"), (1, "bet")],
    reasons=("folded", "shown"),
    scored=True,
    rewards="The winner gets what the loser has paid, 1 or 2; the loser loses as much.",
    longest=2,
    reward_bound=2.0,
)
