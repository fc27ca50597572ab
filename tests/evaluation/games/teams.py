"""Two against two take stones: the side that takes the last one wins, both of it.

Everybody holds a token of 1 to 3 in secret from the other side, and takes so many stones at most.
Who has taken two has shown a token of two at least, and that is all that the others know.
"""

from cyberdeck import Feature, Field, Game, dice, kernel, win

SEATS, STONES, MOST = 4, 15, 3
LAST_STONE = 2


@kernel
def shuffle(state):
    state.stones = STONES - dice.below(state, MOST)
    for seat in range(SEATS):
        state.token[seat] = 1 + dice.below(state, MOST)


@kernel
def start(state):
    state.shown[:] = 1


@kernel
def legal(state, mask):
    count = min(state.token[state.mover], state.stones)
    for more in range(count):
        mask[more] = 1
    return count


@kernel
def act(state, action):
    seat = state.mover
    state.stones -= action + 1
    state.shown[seat] = max(state.shown[seat], action + 1)
    state.mover = (seat + 1) % SEATS
    if state.stones == 0:
        win(state, seat, LAST_STONE)


@kernel
def observe(state, seat, out):
    """From the seat on, in the order of play: its partner is the third."""
    for after in range(SEATS):
        whose = (seat + after) % SEATS
        out[after] = state.token[whose] if after % 2 == 0 else 0
        out[SEATS + after] = state.shown[whose]
    out[2 * SEATS] = state.stones
    out[2 * SEATS + 1] = (state.mover - seat) % SEATS if state.mover >= 0 else 0


@kernel
def side(state, seat):
    return seat % 2


@kernel
def resample(state, seat):
    for after in range(1, SEATS, 2):
        other = (seat + after) % SEATS
        shown = state.shown[other]
        state.token[other] = shown + dice.below(state, MOST - shown + 1)


GAME = Game(
    name="right_teams",
    seats=("north", "east", "south", "west"),
    fields=[
        Field("stones", 0, STONES),
        Field("token", 1, MOST, (SEATS,)),
        Field("shown", 1, MOST, (SEATS,)),
    ],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    side=side,
    teams=("vertical", "horizontal"),
    features=[
        Feature("tokens", (SEATS,), 0, MOST, "own, -, the partner's, -"),
        Feature("shown", (SEATS,), 1, MOST, "the most that each has taken, or 1"),
        Feature("stones", (1,), 0, STONES),
        Feature("mover", (1,), 0, SEATS - 1, "how many seats after you"),
    ],
    actions=[(MOST, "take this many less one:")],
    reasons=("last_stone",),
)
