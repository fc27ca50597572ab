"""Take-away: a game so small that its value is known. For the tests of learning only.

Two players in turn take one or two objects from a heap of three to eight; who takes the last one
loses or wins. It keeps the contract of every game of the suite, and is not one of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice
from cyberdeck.engine.contract import Feature, Game, Metric, Option, Options
from cyberdeck.engine.defaults import Kernels
from cyberdeck.engine.kernels import kernel
from cyberdeck.engine.record import COMMON_REASONS, FORFEIT, NOBODY, RUNNING, header, record_dtype
from cyberdeck.errors import OptionError

NAME = "take_away"
LEAST, MOST = 3, 8  # objects of a heap that nobody prescribes
ACTIONS = 2  # take 1 + action objects
PRICE = 0.25  # what an object brings its taker, and costs the other, with reward="objects"

WINS, LOSES = 0, 1
LAST = ("wins", "loses")  # what taking the last object does
OUTCOME, OBJECTS = 0, 1
REWARD = ("outcome", "objects")

EMPTIED, CUT = 2, 3  # after the reasons that every game has
REASONS = (*COMMON_REASONS, "emptied", "limit")

PIECES = (
    Feature("objects", (MOST + 1,), 0, 1, "1 at the number of objects in the heap"),
    Feature("to_move", (1,), 0, 1, "1 if this seat decides now"),
    Feature("seat", (1,), 0, 1, "this seat"),
    Feature("owed", (1,), 0, ACTIONS, "objects that the other took before this seat first decided"),
)

STATE = record_dtype(
    [
        *header(2),
        ("last", np.int8),
        ("worth", np.int8),
        ("limit", np.int8),
        ("first", np.int8),  # the seat that moves first
        ("heap", np.int8),
        ("opening", np.int8),  # how many objects the first decision took
    ]
)


@kernel
def shuffle(state: Any) -> None:
    state.heap = LEAST + dice.below(state, MOST - LEAST + 1)
    state.first = dice.below(state, 2)


@kernel
def deal(state: Any) -> None:
    state.reward[0] = 0.0
    state.reward[1] = 0.0
    state.decisions = 0
    state.terminated = 0
    state.truncated = 0
    state.reason = RUNNING
    state.opening = 0
    state.mover = state.first


@kernel
def legal(state: Any, mask: Any) -> Any:
    mask[0] = state.mover != NOBODY
    mask[1] = state.mover != NOBODY and state.heap > 1
    return mask[0] + mask[1]


@kernel
def act(state: Any, action: Any) -> None:
    mover = state.mover
    state.decisions += 1
    state.heap -= 1 + action
    if state.decisions == 1:
        state.opening = 1 + action
    gain = PRICE * (1 + action) if state.worth == OBJECTS else 0.0
    state.mover = 1 - mover
    if state.heap == 0:
        gain += 1.0 if state.last == WINS else -1.0
        state.terminated = 1
        state.reason = EMPTIED
        state.mover = NOBODY
    elif state.decisions == state.limit:
        state.truncated = 1
        state.reason = CUT
        state.mover = NOBODY
    state.reward[mover] = np.float32(gain)
    state.reward[1 - mover] = np.float32(-gain)


@kernel
def observe(state: Any, seat: Any, out: Any) -> None:
    for objects in range(MOST + 1):
        out[objects] = state.heap == objects
    out[MOST + 1] = state.mover == seat
    out[MOST + 2] = seat
    # What it paid for them is part of its first reward: the value is that of the heap less this.
    out[MOST + 3] = state.opening if state.decisions == 1 and seat != state.first else 0


@kernel
def report(state: Any, seat: Any, out: Any) -> None:
    out[0] = state.heap


@kernel
def resample(state: Any, seat: Any) -> None:
    """Nothing is hidden: the state as it is."""


@kernel
def heuristic(state: Any, mask: Any, luck: Any) -> Any:
    """Perfect play for the outcome: leave a multiple of three, or one more where the last loses."""
    spare = (state.heap - state.last) % 3
    if spare == 0:
        return dice.scaled(luck, mask[0] + mask[1])
    return spare - 1


INVARIANTS = ("the numbers are in range", "the end of the game agrees with the heap")


@kernel
def check_state(state: Any) -> Any:
    """0 for a possible position, else which of INVARIANTS fails, from 1."""
    if not (0 <= state.last <= 1 and 0 <= state.worth <= 1 and 0 <= state.first <= 1):
        return 1
    if not (0 <= state.opening <= ACTIONS and 0 <= state.heap <= MOST):
        return 1
    if not (1 <= state.limit <= MOST and state.decisions >= 0):
        return 1
    for seat in range(2):
        if not abs(state.reward[seat]) <= 1.0 + 2 * PRICE:
            return 1
    if state.mover == NOBODY:
        emptied = state.reason == EMPTIED and state.heap == 0
        over = state.terminated == 1 and (emptied or state.reason == FORFEIT)
        return 0 if over or (state.truncated == 1 and state.reason == CUT) else 2
    running = state.reason == RUNNING and state.terminated == 0 and state.truncated == 0
    return 0 if running and 0 <= state.mover <= 1 and state.heap > 0 else 2


def write_options(record: NDArray[Any], options: Options) -> None:
    record["last"] = LAST.index(options["last"])
    record["worth"] = REWARD.index(options["reward"])
    record["limit"] = options["limit"]


def read_options(record: NDArray[Any]) -> dict[str, Any]:
    return {
        "last": LAST[record["last"][0]],
        "reward": REWARD[record["worth"][0]],
        "limit": int(record["limit"][0]),
    }


def start(record: NDArray[Any], options: Options) -> bool:
    """Write the prescribed ``heap`` and ``first`` into the record."""
    for name, low, high in (("heap", LEAST, MOST), ("first", 0, 1)):
        if name in options:
            if options[name] not in range(low, high + 1):
                raise OptionError(f"{name}={options[name]!r} is not possible: {low} to {high}")
            record[name] = options[name]
    return False


def action_name(record: NDArray[Any], action: int) -> str:
    return f"take {action + 1}" if 0 <= action < ACTIONS else "nothing (actions are 0 and 1)"


def text(record: NDArray[Any], seat: int) -> str:
    return f"objects: {record['heap'][0]}"


def svg(record: NDArray[Any], seat: int, mask: NDArray[np.int8] | None = None) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg"><text>{text(record, seat)}</text></svg>'


GAME = Game(
    name=NAME,
    title="Take-away",
    gym_id="cyberdeck/TakeAway-v0",
    summary="Two players in turn take one or two objects from a heap.",
    agents=lambda options: ("north", "south"),
    options=(
        Option("last", "wins", "what taking the last object does", choices=LAST),
        Option("reward", "outcome", "what is rewarded", choices=REWARD, scoring=True),
        Option("limit", MOST, "decisions until the game is cut off", bounds=(1, MOST)),
    ),
    starts=(
        Metric("heap", f"objects in the heap, {LEAST} to {MOST}"),
        Metric("first", "the seat that moves first"),
    ),
    reasons=REASONS,
    reward_bound=1.0 + MOST * PRICE,
    metrics=(Metric("objects_left", "objects in the heap"),),
    invariants=INVARIANTS,
    rewards=f"Win 1, loss -1; or also {PRICE} for each object, which the other pays.",
    kernels=Kernels(
        shuffle=shuffle,
        deal=deal,
        legal=legal,
        act=act,
        observe=observe,
        report=report,
        resample=resample,
        heuristic=heuristic,
        check_state=check_state,
    ),
    dtype=STATE,
    actions=lambda options: ((ACTIONS, "take 1 + action objects"),),
    features=lambda options: PIECES,
    write_options=write_options,
    read_options=read_options,
    start=start,
    action_name=action_name,
    svg=svg,
    text=text,
)
