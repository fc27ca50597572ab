"""Liar's dice for two: bid on all the dice while you see your own, until one is called a liar.
Both throw their dice in secret. In turn they bid that at least so many of all dice show a face, and
each bid is higher than the last: more dice, or as many of a higher face. The highest face counts as
any. Who doubts a bid says liar, and all dice are shown: the bidder wins if the bid is true.
"""

from cyberdeck import Feature, Field, Game, Option, dice, kernel, win

MOST_DICE, MOST_SIDES, NONE = 5, 6, -1
MOST_BIDS = 2 * MOST_DICE * MOST_SIDES
TRUE_BID, LIE = 2, 3


@kernel
def throw(state, seat):
    """How many of its dice show each face."""
    for face in range(MOST_SIDES):
        state.cup[seat, face] = 0
    for _ in range(state.each):
        state.cup[seat, dice.below(state, state.sides)] += 1


@kernel
def shuffle(state):
    throw(state, 0)
    throw(state, 1)


@kernel
def start(state):
    state.bid = NONE
    state.said[:] = 0


@kernel
def legal(state, mask):
    liar = len(mask) - 1
    for bid in range(state.bid + 1, liar):
        mask[bid] = 1
    mask[liar] = state.bid != NONE


@kernel
def act(state, action):
    seat, other = state.mover, 1 - state.mover
    state.said[action] = 1
    state.mover = other
    if action < 2 * state.each * state.sides:
        state.bid = action
        return
    quantity, face, wild = state.bid // state.sides + 1, state.bid % state.sides, state.sides - 1
    count = state.cup[0, face] + state.cup[1, face]
    if face != wild:
        count += state.cup[0, wild] + state.cup[1, wild]
    if count >= quantity:
        win(state, other, TRUE_BID)
    else:
        win(state, seat, LIE)


@kernel
def observe(state, seat, out):
    for face in range(state.sides):
        out[face] = state.cup[seat, face]
    for action in range(2 * state.each * state.sides + 1):
        out[state.sides + action] = state.said[action]


@kernel
def resample(state, seat):
    """The other's dice may show anything, whatever was bid."""
    throw(state, 1 - seat)


def words(options):
    """How many dice a bid may say, and of which faces."""
    return [[str(at + 1) for at in range(n)] for n in (2 * options["dice"], options["sides"])]


def actions(options):
    many, faces = words(options)
    return [*((1, f"bid {count} x {face}") for count in many for face in faces), (1, "liar")]


def features(options):
    many, faces = words(options)
    shown, rows = [f"{face}s" for face in faces], [f"{count} x" for count in many]
    return [
        Feature("dice", (len(faces),), 0, options["dice"], "own, of each face", labels=shown),
        Feature("bids", (len(many), len(faces)), 0, 1, "so far", labels=(rows, faces)),
        Feature("liar", (1,), 0, 1, labels=("said",)),
    ]


GAME = Game(
    name="liars_dice",
    seats=("first", "second"),
    fields=[
        Field("cup", 0, MOST_DICE, (2, MOST_SIDES)),
        Field("bid", NONE, MOST_BIDS - 1),
        Field("said", 0, 1, (MOST_BIDS + 1,)),
    ],
    options=[
        Option("dice", 1, "of each player", bounds=(1, MOST_DICE), field="each"),
        Option("sides", 6, "of a die", bounds=(2, MOST_SIDES)),
    ],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    features=features,
    actions=actions,
    reasons=("true_bid", "lie"),
    longest=lambda options: options["dice"] * options["sides"] + 1,
    names=("liar",),
)
