"""Hearts in little, for three who play for themselves: follow suit, and take no hearts.

Of fifteen cards each holds four, and three lie aside, face down. The highest card of the suit that
was led takes the trick and leads next; every heart in it costs a point, at once. Who does not
follow suit has shown to have none of it: hands are redrawn so that this stays true.
"""

from cyberdeck import Feature, Field, Game, dice, end, kernel

SEATS, SUITS, RANKS, HAND = 3, 3, 5, 4
CARDS = SUITS * RANKS
HEARTS = 0
ASIDE, PLAYED = 3, 4  # in `holder`, after the seats
NONE = -1
PLAYED_OUT = 2


@kernel
def shuffle(state):
    for card in range(CARDS):
        state.holder[card] = min(card // HAND, ASIDE)
    dice.shuffle(state, state.holder, 0, CARDS)


@kernel
def start(state):
    state.played[:] = 0
    for trick in range(HAND):
        for seat in range(SEATS):
            state.tricks[trick, seat] = NONE
    for seat in range(SEATS):
        for suit in range(SUITS):
            state.none_of[seat, suit] = 0
    state.leader = 0
    state.trick = 0


@kernel
def led_suit(state):
    """The suit that was led, or NONE before that."""
    led = state.tricks[state.trick, state.leader]
    return led // RANKS if led != NONE else NONE


@kernel
def legal(state, mask):
    suit = led_suit(state)
    follows = False
    if suit != NONE:
        for card in range(suit * RANKS, suit * RANKS + RANKS):
            if state.holder[card] == state.mover:
                mask[card] = 1
                follows = True
    if not follows:
        for card in range(CARDS):
            mask[card] = state.holder[card] == state.mover


@kernel
def act(state, action):
    seat, suit = state.mover, led_suit(state)
    if suit != NONE and action // RANKS != suit:
        state.none_of[seat, suit] = 1
    state.holder[action] = PLAYED
    state.tricks[state.trick, seat] = action
    state.played[seat] += 1
    state.mover = (seat + 1) % SEATS
    if state.mover == state.leader:
        take(state)


@kernel
def take(state):
    suit, taker, hearts = led_suit(state), state.leader, 0
    for seat in range(SEATS):
        card = state.tricks[state.trick, seat]
        hearts += card // RANKS == HEARTS
        if card // RANKS == suit and card > state.tricks[state.trick, taker]:
            taker = seat
    state.reward[taker] = -hearts
    if state.trick == HAND - 1:
        end(state, PLAYED_OUT)
        return
    state.trick += 1
    state.leader = taker
    state.mover = taker


@kernel
def observe(state, seat, out):
    for card in range(CARDS):
        out[card] = state.holder[card] == seat
    for trick in range(HAND):
        for after in range(SEATS):
            whose = (seat + after) % SEATS
            out[CARDS + trick * SEATS + after] = state.tricks[trick, whose] + 1
    out[CARDS + HAND * SEATS] = (state.leader - seat) % SEATS
    out[CARDS + HAND * SEATS + 1] = state.trick


@kernel
def deals_again(state, seat):
    """Deal what *seat* does not see, the lowest card first; whether nobody gets what he had not."""
    one, two = (seat + 1) % SEATS, (seat + 2) % SEATS
    for_one, for_two = HAND - state.played[one], HAND - state.played[two]
    aside = CARDS - SEATS * HAND
    fits = True
    for card in range(CARDS):
        if state.holder[card] == seat or state.holder[card] == PLAYED:
            continue
        drawn = dice.below(state, for_one + for_two + aside)
        if drawn < for_one:
            state.holder[card] = one
            for_one -= 1
        elif drawn < for_one + for_two:
            state.holder[card] = two
            for_two -= 1
        else:
            state.holder[card] = ASIDE
            aside -= 1
        to = state.holder[card]
        if to != ASIDE and state.none_of[to, card // RANKS] == 1:
            fits = False
    return fits


@kernel
def resample(state, seat):
    while not deals_again(state, seat):
        pass


GAME = Game(
    name="right_three",
    seats=("west", "north", "east"),
    fields=[
        Field("holder", 0, PLAYED, (CARDS,)),
        Field("played", 0, HAND, (SEATS,)),
        Field("tricks", NONE, CARDS - 1, (HAND, SEATS)),
        Field("none_of", 0, 1, (SEATS, SUITS)),
        Field("leader", 0, SEATS - 1),
        Field("trick", 0, HAND - 1),
    ],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    features=[
        Feature("hand", (SUITS, RANKS), 0, 1),
        Feature("tricks", (HAND, SEATS), 0, CARDS, "own cards, the next seat's, the third's; or 0"),
        Feature("leader", (1,), 0, SEATS - 1, "how many seats after you"),
        Feature("trick", (1,), 0, HAND - 1),
    ],
    actions=[(RANKS, "play heart"), (RANKS, "play spade"), (RANKS, "play club")],
    reasons=("played_out",),
    rewards="A point less for each heart that is taken.",
    reward_bound=3.0,
)
