"""Three name a number from 1 to 4 at the same time. The lowest that only one has named wins. If
there is none, all is shown and they name again; after three rounds it is a draw.
"""

from cyberdeck import Feature, Field, Game, dice, end, kernel, win

SEATS, NUMBERS, ROUNDS, NONE = 3, 4, 3, -1
LOWEST, TIED = 2, 3


@kernel
def start(state):
    state.named[:] = NONE
    state.last[:] = NONE


@kernel
def legal(state, mask):
    mask[:] = 1


@kernel
def act(state, action):
    state.named[state.mover] = action
    state.mover = (state.mover + 1) % SEATS
    if state.mover > 0:
        return
    for number in range(NUMBERS):
        count, who = 0, 0
        for seat in range(SEATS):
            if state.named[seat] == number:
                count, who = count + 1, seat
        if count == 1:
            win(state, who, LOWEST)
            return
    for seat in range(SEATS):
        state.last[seat], state.named[seat] = state.named[seat], NONE
    if state.decisions == ROUNDS * SEATS:
        end(state, TIED)


@kernel
def observe(state, seat, out):
    out[0] = state.named[seat] + 1
    for after in range(SEATS):
        out[1 + after] = state.last[(seat + after) % SEATS] + 1
    out[1 + SEATS] = state.decisions // SEATS


@kernel
def acts_simultaneously(state, seat):
    return seat >= state.mover


@kernel
def withdraw_secret_actions(state, seat):
    """Whoever still has to decide knows no number; who has decided knows its own."""
    first = 0 if seat >= state.mover else seat + 1
    while state.mover > first:
        state.mover -= 1
        state.named[state.mover] = NONE
        state.decisions -= 1


@kernel
def resample(state, seat):
    for other in range(state.mover):
        if other != seat:
            state.named[other] = dice.below(state, NUMBERS)


GAME = Game(
    name="st_lowest",
    seats=("first", "second", "third"),
    fields=[
        Field("named", NONE, NUMBERS - 1, (SEATS,)),
        Field("last", NONE, NUMBERS - 1, (SEATS,)),
    ],
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    acts_simultaneously=acts_simultaneously,
    withdraw_secret_actions=withdraw_secret_actions,
    resample=resample,
    features=[
        Feature("named", (1,), 0, NUMBERS, "own, in this round"),
        Feature("last", (SEATS,), 0, NUMBERS, "in the last round: own, the next, the previous"),
        Feature("round", (1,), 0, ROUNDS),
    ],
    actions=[(NUMBERS, "name")],
    reasons=("lowest", "tied"),
    longest=ROUNDS,
)
