"""Take-away: a game so small that its value is known. For the tests of learning only.

Two players in turn take one or two objects from a heap of three to eight; who takes the last one
loses or wins.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from cyberdeck import NOBODY, Feature, Field, Game, Metric, Option, OptionError, dice, end, kernel

LEAST, MOST = 3, 8  # objects of a heap that nobody prescribes
ACTIONS = 2  # take 1 + action objects
PRICE = 0.25  # what an object brings its taker, and costs the other, with reward="objects"

LAST = ("wins", "loses")  # what taking the last object does
REWARD = ("outcome", "objects")
EMPTIED, CUT = 2, 3


@kernel
def shuffle(state):
    state.heap = LEAST + dice.below(state, MOST - LEAST + 1)
    state.first = dice.below(state, 2)


@kernel
def start(state):
    state.opening = 0
    state.mover = state.first


@kernel
def legal(state, mask):
    mask[0] = 1
    mask[1] = state.heap > 1


@kernel
def act(state, action):
    mover = state.mover
    state.heap -= 1 + action
    if state.decisions == 1:
        state.opening = 1 + action
    gain = PRICE * (1 + action) * state.reward_kind
    state.mover = 1 - mover
    if state.heap == 0:
        gain += 1.0 - 2.0 * state.last
        end(state, EMPTIED)
    elif state.decisions == state.limit:
        state.truncated = 1
        state.reason = CUT
        state.mover = NOBODY
    state.reward[mover] = gain
    state.reward[1 - mover] = -gain


@kernel
def observe(state, seat, out):
    out[state.heap] = 1
    out[MOST + 1] = state.mover == seat
    out[MOST + 2] = seat
    # What it paid for them is part of its first reward: the value is that of the heap less this.
    out[MOST + 3] = state.opening if state.decisions == 1 and seat != state.first else 0


@kernel
def report(state, seat, out):
    out[0] = state.heap


@kernel
def heuristic(state, mask, random_bits):
    """Perfect play for the outcome: leave a multiple of three, or one more where the last loses."""
    spare = (state.heap - state.last) % 3
    if spare == 0:
        return dice.scaled(random_bits, mask[0] + mask[1])
    return spare - 1


def prescribe(record: NDArray[Any], options: Any) -> bool:
    for name, low, high in (("heap", LEAST, MOST), ("first", 0, 1)):
        if name in options:
            if options[name] not in range(low, high + 1):
                raise OptionError(f"{name}={options[name]!r} is not possible: {low} to {high}")
            record[name] = options[name]
    return False


GAME = Game(
    name="take_away",
    seats=("north", "south"),
    fields=[Field("first", 0, 1), Field("heap", 0, MOST), Field("opening", 0, ACTIONS)],
    options=(
        Option("last", "wins", "what taking the last object does", choices=LAST),
        Option(
            "reward",
            "outcome",
            "what is rewarded",
            choices=REWARD,
            scoring=True,
            field="reward_kind",
        ),
        Option("limit", MOST, "decisions until the game is cut off", bounds=(1, MOST)),
    ),
    starts=(Metric("heap"), Metric("first")),
    prescribe=prescribe,
    shuffle=shuffle,
    start=start,
    legal=legal,
    act=act,
    observe=observe,
    features=[
        Feature("objects", (MOST + 1,), 0, 1, "1 at the number of objects in the heap"),
        Feature("to_move", (1,), 0, 1),
        Feature("seat", (1,), 0, 1),
        Feature("owed", (1,), 0, ACTIONS, "objects taken before this seat first decided"),
    ],
    actions=[(1, "take 1"), (1, "take 2")],
    reasons=("emptied", "limit"),
    reward_bound=1.0 + MOST * PRICE,
    metrics=(Metric("objects_left"),),
    report=report,
    heuristic=heuristic,
)
