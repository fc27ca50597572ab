"""Goofspiel with four cards: bid in secret for prizes that are turned up one by one.
Both hold the cards 1 to 4, and 1 to 4 are the prizes. Each round a prize is drawn, both bid a card
at the same time, and the higher bid gets the prize; equal bids win nothing. More points win.
"""

from cyberdeck import Feature, Field, Game, dice, end, kernel, nth_legal, offsets, win

CARDS, NONE = 4, -1
PRIZES = 2  # in `left`, after both hands
MOST_POINTS, EQUAL = 2, 3
FACES, SEATS = [str(card + 1) for card in range(CARDS)], ("you", "the other")


@kernel
def start(state):
    state.left[:] = 1
    state.points[:] = 0
    turn_up(state, CARDS)


@kernel
def turn_up(state, count):
    """Draw one of the *count* prizes that are left."""
    state.bid[:] = NONE
    state.mover = 0
    state.prize = nth_legal(state.left[PRIZES], dice.below(state, count))
    state.left[PRIZES, state.prize] = 0


@kernel
def legal(state, mask):
    for card in range(CARDS):
        mask[card] = state.left[state.mover, card]


@kernel
def act(state, action):
    state.bid[state.mover] = action
    if state.mover == 0:
        state.mover = 1
        return
    for seat in range(2):
        state.left[seat, state.bid[seat]] = 0
        if state.bid[seat] > state.bid[1 - seat]:
            state.points[seat] += state.prize + 1
    if state.decisions < 2 * CARDS:
        turn_up(state, CARDS - state.decisions // 2)
    elif state.points[0] == state.points[1]:
        end(state, EQUAL)
    else:
        win(state, 0 if state.points[0] > state.points[1] else 1, MOST_POINTS)


FEATURES = [
    Feature("cards", (3, CARDS), 0, 1, "left", labels=((*SEATS, "prizes to come"), FACES)),
    Feature("prize", (CARDS,), 0, 1, "the one that is bid for", labels=FACES),
    Feature("points", (2,), 0, 10, labels=SEATS),
    Feature("bid", (1,), 0, CARDS, "own, 0 before it"),
]
AT = offsets(FEATURES)


@kernel
def observe(state, seat, out):
    for card in range(CARDS):
        out[AT.cards + card] = state.left[seat, card]
        out[AT.cards + CARDS + card] = state.left[1 - seat, card]
        out[AT.cards + 2 * CARDS + card] = state.left[PRIZES, card]
    out[AT.prize + state.prize] = 1
    out[AT.points], out[AT.points + 1] = state.points[seat], state.points[1 - seat]
    out[AT.bid] = state.bid[seat] + 1


@kernel
def acts_simultaneously(state, seat):
    return seat >= state.mover


@kernel
def withdraw_secret_actions(state, seat):
    """The second bidder does not know the first bid: let it be made again."""
    if state.mover == 1 and seat == 1:
        state.bid[0] = NONE
        state.mover = 0
        state.decisions -= 1


@kernel
def resample(state, seat):
    """To the second bidder, the first bid may be any card that the other holds."""
    if state.mover == 1 and seat == 1:
        state.bid[0] = nth_legal(state.left[0], dice.below(state, CARDS - state.decisions // 2))


GAME = Game(
    name="goofspiel",
    seats=("left", "right"),
    fields=[
        Field("left", 0, 1, (3, CARDS)),
        Field("prize", 0, CARDS - 1),
        Field("bid", NONE, CARDS - 1, (2,)),
        Field("points", 0, 10, (2,)),
    ],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    acts_simultaneously=acts_simultaneously,
    withdraw_secret_actions=withdraw_secret_actions,
    resample=resample,
    features=FEATURES,
    actions=[(1, f"bid {face}") for face in FACES],
    reasons=("most_points", "equal"),
    longest=CARDS,
    names=("bid", "prize"),
)
