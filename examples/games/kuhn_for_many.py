"""Kuhn poker for two to five: one card each of a deck with one card more, and one bet. Each pays
one. In turn all pass or bet one more, until somebody has bet: then the others, in turn, pass, which
is to fold, or bet as much. The highest card of those who have bet takes the pot; or, if nobody has,
the highest of all.
"""

from cyberdeck import Feature, Field, Game, Option, dice, end, kernel, offset_table

LEAST, MOST, NOBODY_BET = 2, 5, -1
PASS, BET = 0, 1
UNBET, SHOWN = 2, 3


@kernel
def shuffle(state):
    for card in range(MOST + 1):
        state.deck[card] = card
    dice.shuffle(state, state.deck, 0, state.players + 1)


@kernel
def start(state):
    state.opener = NOBODY_BET
    for seat in range(MOST):
        state.paid[seat] = seat < state.players


@kernel
def legal(state, mask):
    mask[:] = 1


@kernel
def act(state, action):
    seat = state.mover
    state.mover = (seat + 1) % state.players
    if action == BET:
        state.paid[seat] = 2
        if state.opener == NOBODY_BET:
            state.opener = seat
    if state.opener == NOBODY_BET:
        if state.mover == 0:
            show(state, 1, UNBET)
    elif state.mover == state.opener:
        show(state, 2, SHOWN)


@kernel
def show(state, stake, reason):
    """The highest card of those who have paid the stake takes what all have paid."""
    winner, pot = -1, 0
    for seat in range(state.players):
        pot += state.paid[seat]
        if state.paid[seat] == stake and (winner < 0 or state.deck[seat] > state.deck[winner]):
            winner = seat
    for seat in range(state.players):
        state.reward[seat] = (pot if seat == winner else 0) - state.paid[seat]
    end(state, reason)


def features(options):
    seats = ["you", "the next", "the third", "the fourth", "the fifth"][: options["players"]]
    cards = [f"card {number}" for number in range(1, options["players"] + 2)]
    return [
        Feature("you hold", (len(cards),), 0, 1, labels=cards),
        Feature("paid", (len(seats),), 1, 2, labels=seats),
        Feature("first bet", (len(seats),), 0, 1, "whose it was", labels=seats),
        Feature("begins", (len(seats),), 0, 1, labels=seats),
        Feature("decisions", (1,), 0, 2 * MOST - 1),
    ]


PLACES = offset_table([features({"players": n}) for n in range(LEAST, MOST + 1)])


@kernel
def observe(state, seat, out):
    at = PLACES[state.players - LEAST]
    out[at.you_hold + state.deck[seat]] = 1
    for after in range(state.players):
        other = (seat + after) % state.players
        out[at.paid + after] = state.paid[other]
        out[at.first_bet + after] = other == state.opener
        out[at.begins + after] = other == 0
    out[at.decisions] = state.decisions


@kernel
def resample(state, seat):
    """The cards of the others, and the one left over, lie in any order."""
    own = state.deck[seat]
    state.deck[seat], state.deck[0] = state.deck[0], own
    dice.shuffle(state, state.deck, 1, state.players)
    state.deck[0], state.deck[seat] = state.deck[seat], own


GAME = Game(
    name="kuhn_for_many",
    title="Kuhn poker for many",
    seats=lambda options: [f"player {number + 1}" for number in range(options["players"])],
    most_seats=MOST,
    seat_count=kernel(lambda state: state.players),
    options=[Option("players", 3, "of the game", bounds=(LEAST, MOST))],
    fields=[
        Field("deck", 0, MOST, (MOST + 1,)),
        Field("paid", 0, 2, (MOST,)),
        Field("opener", NOBODY_BET, MOST - 1),
    ],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    features=features,
    actions=[(1, "pass"), (1, "bet")],
    reasons=("nobody_bet", "shown"),
    scored=True,
    rewards="The pot to the winner, less what one has paid.",
    reward_bound=8.0,
    longest=2,
)
