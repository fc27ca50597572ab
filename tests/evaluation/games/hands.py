"""Thirty cards, five in hand, ten tricks: the higher card of the suit that is led takes them.

Cards are thrown onto two piles, the first player's at the beginning of the deck and the second's at
its end. Beside each pile lies that player's hand, and between the hands the stock, face down. So
all that a seat does not see is one stretch of the deck. It is redrawn as an option says: put in
order and shuffled, or shuffled as it lies. Both are right: every order is as likely.
"""

from cyberdeck import Feature, Field, Game, Option, dice, end, kernel, win

RANKS, CARDS, HAND = 6, 30, 5
TRICKS = CARDS // 2 - HAND
NONE = -1
MOST_TRICKS, EQUAL = 2, 3


@kernel
def shuffle(state):
    for card in range(CARDS):
        state.deck[card] = card
    dice.shuffle(state, state.deck, 0, CARDS)


@kernel
def start(state):
    state.thrown[:] = 0
    state.tricks[:] = 0
    state.led = NONE


@kernel
def place(state, seat, at):
    """Where the card lies that a player threw or holds as number *at*, the oldest first."""
    return at if seat == 0 else CARDS - 1 - at


@kernel
def legal(state, mask):
    mask[:] = 1


@kernel
def act(state, action):
    """The card changes places with the one beside the pile, and the hand moves on by one."""
    seat, other = state.mover, 1 - state.mover
    first = place(state, seat, state.thrown[seat])
    chosen = place(state, seat, state.thrown[seat] + action)
    card = state.deck[chosen]
    state.deck[chosen] = state.deck[first]
    state.deck[first] = card
    state.thrown[seat] += 1
    state.mover = other
    if state.led == NONE:
        state.led = card
        return
    beaten = card // RANKS == state.led // RANKS and card > state.led
    taker = seat if beaten else other
    state.led = NONE
    state.tricks[taker] += 1
    state.mover = taker
    if state.decisions == 2 * TRICKS:
        if state.tricks[0] == state.tricks[1]:
            end(state, EQUAL)
        else:
            win(state, 0 if state.tricks[0] > state.tricks[1] else 1, MOST_TRICKS)


@kernel
def observe(state, seat, out):
    for slot in range(HAND):
        out[slot] = state.deck[place(state, seat, state.thrown[seat] + slot)]
    for side in range(2):
        whose = seat if side == 0 else 1 - seat
        for at in range(state.thrown[whose]):
            out[HAND + side * TRICKS + at] = state.deck[place(state, whose, at)] + 1
        out[HAND + 2 * TRICKS + side] = state.tricks[whose]
    out[HAND + 2 * TRICKS + 2] = state.led + 1
    out[HAND + 2 * TRICKS + 3] = state.mover == seat


@kernel
def resample(state, seat):
    first = state.thrown[0] + (HAND if seat == 0 else 0)
    behind = CARDS - state.thrown[1] - (HAND if seat == 1 else 0)
    if state.redraw == 0:  # what comes out does not depend on how they lie
        for at in range(first, behind):
            for later in range(at + 1, behind):
                if state.deck[later] < state.deck[at]:
                    card = state.deck[at]
                    state.deck[at] = state.deck[later]
                    state.deck[later] = card
    dice.shuffle(state, state.deck, first, behind - first)


GAME = Game(
    name="right_hands",
    seats=("first", "second"),
    fields=[
        Field("deck", 0, CARDS - 1, (CARDS,)),
        Field("thrown", 0, TRICKS, (2,)),
        Field("tricks", 0, TRICKS, (2,)),
        Field("led", NONE, CARDS - 1),
    ],
    options=[Option("redraw", "in order", "the unseen cards", choices=("in order", "as they lie"))],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    features=[
        Feature("hand", (HAND,), 0, CARDS - 1),
        Feature("thrown", (2, TRICKS), 0, CARDS, "own cards and theirs, one more than the card"),
        Feature("tricks", (2,), 0, TRICKS, "own, theirs"),
        Feature("led", (1,), 0, CARDS),
        Feature("turn", (1,), 0, 1),
    ],
    actions=[(HAND, "throw card number")],
    reasons=("most_tricks", "equal"),
)
