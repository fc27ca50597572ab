"""Who holds the highest of five cards? Three get one each. First each looks, in turn, at the card
of the next or of the previous player, and all see at whose. Then each in turn passes or says "I
do": that ends the game, and whoever holds the highest of the three wins. Three passes are a
draw.
"""

from cyberdeck import Feature, Field, Game, dice, end, kernel, win

SEATS, CARDS, NONE = 3, 5, -1
PASS, CLAIM = 2, 3
CLAIMED, PASSED = 2, 3


@kernel
def shuffle(state):
    for card in range(CARDS):
        state.card[card] = card
    dice.shuffle(state, state.card, 0, CARDS)


@kernel
def start(state):
    state.looked[:] = 0
    state.seen[:] = NONE


@kernel
def legal(state, mask):
    for action in range(4):
        mask[action] = (action < PASS) == (state.decisions < SEATS)


@kernel
def act(state, action):
    seat = state.mover
    state.mover = (seat + 1) % SEATS
    if action < PASS:
        state.looked[seat] = action + 1
        state.seen[seat] = state.card[(seat + action + 1) % SEATS]
    elif action == CLAIM:
        best = 0
        for other in range(SEATS):
            if state.card[other] > state.card[best]:
                best = other
        win(state, best, CLAIMED)
    elif state.decisions == 2 * SEATS:
        end(state, PASSED)


@kernel
def observe(state, seat, out):
    out[state.card[seat]] = 1
    out[CARDS] = state.seen[seat] + 1
    for after in range(SEATS):
        out[CARDS + 1 + after] = state.looked[(seat + after) % SEATS]
    out[CARDS + 1 + SEATS] = state.decisions


@kernel
def resample(state, seat):
    """What it does not see lies in any order, and what the others have looked at with it."""
    known = (seat + state.looked[seat]) % SEATS  # itself, if it has not looked
    for place in range(CARDS - 1, 0, -1):
        other = dice.below(state, place + 1)
        while place != seat and place != known and other in (seat, known):
            other = dice.below(state, place + 1)
        if place != seat and place != known:
            state.card[place], state.card[other] = state.card[other], state.card[place]
    for other in range(SEATS):
        if state.looked[other] > 0:
            state.seen[other] = state.card[(other + state.looked[other]) % SEATS]


GAME = Game(
    name="st_peek",
    seats=("first", "second", "third"),
    fields=[
        Field("card", 0, CARDS - 1, (CARDS,)),
        Field("looked", 0, 2, (SEATS,)),
        Field("seen", NONE, CARDS - 1, (SEATS,)),
    ],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    features=[
        Feature("card", (CARDS,), 0, 1, "own"),
        Feature("seen", (1,), 0, CARDS, "1 more than the card looked at"),
        Feature("looked", (SEATS,), 0, 2, "at the next, at the previous"),
        Feature("decisions", (1,), 0, 2 * SEATS),
    ],
    actions=[(1, "look at the next"), (1, "look at the previous"), (1, "pass"), (1, "I do")],
    reasons=("claimed", "passed"),
    longest=2,
)
