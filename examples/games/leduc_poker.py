"""Leduc poker: two players bet in two rounds on two jacks, two queens and two kings.
Each pays 1 and gets a card. In turn they call (pay as much as the other has), raise by 2 more, or
fold to a raise. A round has two raises at most; a call ends it unless it opens it. Then a card is
opened, and raises are by 4. In the end a pair with it wins, else the higher card; equal ones draw.
"""

from cyberdeck import Feature, Field, Game, dice, end, kernel, nth_legal, offsets, win

CARDS, OPEN, NONE = 6, 2, -1  # both jacks, both queens, both kings; place of the open one
FOLD, CALL, RAISE, FOLDED, SHOWN = 0, 1, 2, 2, 3
BETS, MOST_RAISES = 4, 2  # of a round
NAMES = [f"{card} of {suit}" for card in ("jack", "queen", "king") for suit in ("clubs", "hearts")]


@kernel
def drawn(state, count):
    card = nth_legal(state.deck, dice.below(state, count))
    state.deck[card] = 0
    return card


@kernel
def shuffle(state):
    state.deck[:] = 1
    state.cards[0], state.cards[1] = drawn(state, CARDS), drawn(state, CARDS - 1)


@kernel
def start(state):
    state.cards[OPEN], state.made = NONE, 0
    state.paid[:] = 1
    state.bets[:] = 0


@kernel
def legal(state, mask):
    mask[FOLD] = state.paid[state.mover] < state.paid[1 - state.mover]
    mask[CALL] = 1
    called = state.bets[state.made // BETS * BETS] == CALL  # at first; what followed were raises
    mask[RAISE] = state.made % BETS - called < MOST_RAISES


@kernel
def act(state, action):
    seat, other = state.mover, 1 - state.mover
    answer, late = state.made % BETS > 0, state.made >= BETS
    if action == FOLD:
        win(state, other, FOLDED)
    else:
        state.paid[seat] = state.paid[other] + (action == RAISE) * (4 if late else 2)
        state.bets[state.made] = action
        state.made += 1
        state.mover = other
    if action == CALL and answer and late:
        first, second, pair = state.cards[0] // 2, state.cards[1] // 2, state.cards[OPEN] // 2
        if first == second:
            end(state, SHOWN)
        else:
            win(state, 0 if first == pair or (second != pair and first > second) else 1, SHOWN)
    elif action == CALL and answer:
        state.cards[OPEN] = drawn(state, CARDS - 2)
        state.made, state.mover = BETS, 0
    for each in range(2):  # what the loser has paid
        state.reward[each] *= min(state.paid[0], state.paid[1])


FEATURES = [
    Feature("cards", (2, CARDS), 0, 1, "own, the open one", labels=(("yours", "open"), NAMES)),
    Feature("paid", (2,), 0, 13, "own, the other's", labels=("you", "the other")),
    Feature("bets", (2, BETS), 0, RAISE, "of each round: 1 is a call, 2 a raise"),
]
AT = offsets(FEATURES)


@kernel
def observe(state, seat, out):
    out[AT.cards + state.cards[seat]] = 1
    if state.cards[OPEN] != NONE:
        out[AT.cards + CARDS + state.cards[OPEN]] = 1
    out[AT.paid], out[AT.paid + 1] = state.paid[seat], state.paid[1 - seat]
    for at in range(2 * BETS):
        out[AT.bets + at] = state.bets[at]


@kernel
def resample(state, seat):
    """The other may hold any card that the seat does not see."""
    state.deck[state.cards[1 - seat]] = 1
    state.cards[1 - seat] = drawn(state, CARDS - 1 - (state.cards[OPEN] != NONE))


GAME = Game(
    name="leduc_poker",
    seats=("first", "second"),
    fields=[
        Field("deck", 0, 1, (CARDS,)),
        Field("cards", NONE, CARDS - 1, (OPEN + 1,)),
        Field("paid", 1, 13, (2,)),
        Field("bets", 0, RAISE, (2 * BETS,)),
        Field("made", 0, 2 * BETS),
    ],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    features=FEATURES,
    actions=[(1, "fold"), (1, "call"), (1, "raise")],
    reasons=("folded", "shown"),
    scored=True,
    rewards="The winner gets what the loser has paid, 1 to 13.",
    longest=4,
    reward_bound=13.0,
)
