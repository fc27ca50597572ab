"""Seven stones, of which the last one wins, with a secret card each: and one fault, if wanted.

The faults are an option, so that they are all compiled at once.
"""

import numpy as np

from cyberdeck import Feature, Field, Game, Option, dice, kernel, nth_legal, win
from cyberdeck.errors import OptionError

STONES, MOST, CARDS = 7, 3, 4
LAST_STONE = 2

#: The faults, and the check by which compiled code is to find each.
FAULTS = {
    "none": "",
    "invariant": "bounds",
    "mask_of_two": "mask",
    "no_action": "mask",
    "nobody_moves": "mover",
    "number_too_high": "observation",
    "observe_changes": "mask",
    "random_act": "copy",
    "option_misread": "bytes",
    "own_card_redrawn": "resample",
    "redrawn_from_secret": "secrets",
    "start_forgets": "fresh",
    "heuristic_illegal": "heuristic",
    "heuristic_changes": "heuristic",
    "reward_too_high": "rewards",
    "endless": "end",
}
(
    _,
    INVARIANT,
    MASK_OF_TWO,
    NO_ACTION,
    NOBODY_MOVES,
    NUMBER_TOO_HIGH,
    OBSERVE_CHANGES,
    RANDOM_ACT,
    OPTION_MISREAD,
    OWN_CARD_REDRAWN,
    REDRAWN_FROM_SECRET,
    START_FORGETS,
    HEURISTIC_ILLEGAL,
    HEURISTIC_CHANGES,
    REWARD_TOO_HIGH,
    ENDLESS,
) = range(len(FAULTS))


@kernel
def shuffle(state):
    for seat in range(2):
        state.card[seat] = dice.below(state, CARDS)


@kernel
def start(state):
    state.left = STONES
    state.noted = 0
    if state.fault != START_FORGETS:
        state.taken[:] = 0


@kernel
def legal(state, mask):
    if state.fault == NO_ACTION and state.left == 1:
        return
    for more in range(min(MOST, state.left)):
        mask[more] = 1
    if state.fault == MASK_OF_TWO and state.left == 1:
        mask[0] = 2


@kernel
def act(state, action):
    seat = state.mover
    state.left -= action + 1
    state.taken[seat] += action + 1
    state.mover = 1 - seat
    if state.left == 0 and state.fault == ENDLESS:
        state.left = STONES
        state.taken[:] = 0
    elif state.left == 0:
        win(state, seat, LAST_STONE)
        if state.fault == REWARD_TOO_HIGH:
            state.reward[seat] = 2.0
    elif state.fault == INVARIANT and state.left < 3:
        state.taken[seat] = 0
    elif state.fault == NOBODY_MOVES and state.left < 3:
        state.mover = -1
    elif state.fault == RANDOM_ACT:
        state.noted = np.random.randint(STONES)  # noqa: NPY002  # numba has no other


@kernel
def observe(state, seat, out):
    out[state.card[seat]] = 1
    out[CARDS] = state.left
    if state.fault == NUMBER_TOO_HIGH and state.left < 3:
        out[CARDS] = STONES + 1
    if state.fault == OBSERVE_CHANGES and state.left < 3:
        state.noted = (state.noted + 1) % STONES


@kernel
def resample(state, seat):
    other = 1 - seat
    if state.fault == REDRAWN_FROM_SECRET:
        state.card[other] = (state.card[other] + 1) % CARDS
    else:
        state.card[other] = dice.below(state, CARDS)
    if state.fault == OWN_CARD_REDRAWN:
        state.card[seat] = dice.below(state, CARDS)


@kernel
def heuristic(state, mask, random_bits):
    if state.fault == HEURISTIC_CHANGES:
        state.noted = 1
    if state.fault == HEURISTIC_ILLEGAL:
        return MOST - 1
    return nth_legal(mask, 0)


@kernel
def check_state(state):
    return state.left + state.taken[0] + state.taken[1] != STONES


class Colour(Option):
    """An option that is no field by itself."""

    def allow(self, value):
        if value not in ("red", "blue"):
            raise OptionError("colour is 'red' or 'blue'")
        return value

    def encoded(self, value):
        return {"blue": int(value == "blue")}

    def read(self, state):
        misread = state["fault"] == OPTION_MISREAD
        return "blue" if state["blue"] and not misread else "red"


GAME = Game(
    name="seven_stones_broken",
    seats=("first", "second"),
    fields=[
        Field("left", 0, STONES),
        Field("taken", 0, STONES, (2,)),
        Field("card", 0, CARDS - 1, (2,)),
        Field("noted", 0, STONES),
        Field("blue", 0, 1),
    ],
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    resample=resample,
    heuristic=heuristic,
    check_state=check_state,
    invariants=("all stones are somewhere",),
    features=[Feature("card", (CARDS,), 0, 1), Feature("left", (1,), 0, STONES)],
    actions=[(MOST, "take this many less one:")],
    reasons=("last_stone",),
    options=[Option("fault", "none", choices=tuple(FAULTS)), Colour("colour", "blue")],
)
