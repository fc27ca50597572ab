"""A player of MATR1X 0VERL0AD that does not know the deck: it searches decks that it redraws."""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice
from cyberdeck.engine.arguments import Array
from cyberdeck.engine.kernels import int64, kernel, loop_of
from cyberdeck.engine.pieces import Pieces
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.games.matrix_overload.game import GAME
from cyberdeck.games.matrix_overload.rules import resample
from cyberdeck.players.solvers.matrix_overload import solver
from cyberdeck.players.solvers.matrix_overload.solver import check_whole

legal, act = GAME.kernels.legal, GAME.kernels.act

#: Positions that are looked at at once, where it is not known how long that takes.
_AT_ONCE: Final = 10_000

#: What a royal that falls in a lost game counts; a won game counts 1.
ROYAL: Final = 1 / 120

#: The width once the order of all cards is known.
OPEN: Final = 100


@kernel
def outcome(state: Any, action: Any, width: Any, room: Any) -> Any:
    """What *action* comes to in this world: 1 if a win is found, else a little for royals; and how
    many positions were looked at for that.

    A win at once counts 2: it is the same in every world.
    """
    root = room.positions[0]
    root[0] = state
    act(root[0], action)
    if root[0].mover == NOBODY:
        return 2.0 if root[0].reason == c.WON else ROYAL * root[0].killed, int64(1)
    count, _, most, looked = solver.search(width, 0, solver.LONGEST, 1, room)
    return 1.0 if count == solver.FOUND else ROYAL * most, looked


@kernel
def drop_worst(mask: Any, score: Any, values: Any) -> None:
    """The worst score leaves the mask; of equals the one of the lowest value, then the last."""
    worst = c.NONE
    for action in range(c.ACTIONS):
        if mask[action] == 1 and (
            worst == c.NONE
            or score[action] < score[worst]
            or (score[action] == score[worst] and values[action] <= values[worst])
        ):
            worst = action
    mask[worst] = 0


#: How far ``decide_all`` has come: the row, how many of its actions are in the running (0: it has
#: not begun), the rounds, all tries in them, and the worlds of this round.
COURSE: Final = np.dtype(
    [(name, np.int64) for name in ("row", "count", "rounds", "tries", "worlds")]
)


@kernel
def decide(state: Any, decks: Any, width: Any, most: Any, course: Any, room: Any) -> Any:
    """Go on with finding the action that wins most of the worlds that this position may be.

    In each of several rounds all actions still in the running are tried in the same worlds, which
    the position's dice draw; then the worse half drops out. Every round costs about as much.
    Returns the action, or c.NONE once *most* positions were looked at; and how many are left.
    """
    world, mask, score = room.world, room.running, room.score
    if state.known_first + state.known_last >= state.left - 1:
        decks, width = 1, max(width, OPEN)
    if course.count == 0:
        course.count = legal(state, mask)
        course.rounds, course.tries, course.worlds = 0, decks * course.count, 0
        while 1 << course.rounds < course.count:
            course.rounds += 1
        solver.weigh(state, mask, room.lines, room.promise)
        score[:] = 0.0
    while course.count > 1:
        while course.worlds < max(course.tries // (course.rounds * course.count), 1):
            if most <= 0:
                return c.NONE, most
            world[0] = state
            world[0].dice = dice.draw(state)
            resample(world[0], 0)
            for action in range(c.ACTIONS):
                if mask[action] == 1:
                    gained, looked = outcome(world[0], action, width, room)
                    score[action] += gained
                    most -= looked
            course.worlds += 1
        for _ in range(course.count // 2):
            drop_worst(mask, score, room.promise)
        course.count -= course.count // 2
        course.worlds = 0
    for action in range(c.ACTIONS):
        if mask[action] == 1:
            return action, most
    return 0, most  # the game is over


@loop_of(
    "matrix_overload",
    solver.LENGTHS,
    states=Array(GAME.dtype, "N"),
    random_bits=Array(np.uint64, "N"),
    decks=np.int64,
    width=np.int64,
    most=np.int64,
    courses=Array(COURSE, "1"),
    room=solver.ROOM,
    out=Array(np.int64, "N"),
)
def decide_all(
    states: Any, random_bits: Any, decks: Any, width: Any, most: Any, courses: Any, room: Any,
    out: Any
) -> Any:  # fmt: skip
    """The action of ``decide`` in every one of *states*, until *most* positions were looked at;
    returns how many are left.
    """
    course = courses[0]
    while course.row < len(states):
        i = course.row
        if course.count == 0:
            states[i].dice = random_bits[i]
        action, most = decide(states[i], decks, width, most, course, room)
        if action == c.NONE:
            break
        out[i] = action
        course.row, course.count = i + 1, 0
    return most


class Sampler(Policy):
    """Tries every legal action in many decks that it redraws, and takes the one that wins most.

    decks: how many decks each legal action is tried in, if all are tried equally often. The better
        ones are tried oftener, and the worse ones less.
    width: how many positions of each depth the search for a win keeps in each. With 1 it plays
        one game on as the heuristic would; more use what the redrawn deck will bring.

    >>> from cyberdeck import Batch
    >>> batch = Batch("matrix_overload", 2, seed=0)
    >>> actions = batch.choose(Sampler(decks=10))
    >>> batch.step(actions)
    """

    name = "sampler"
    needs_states = True

    def __init__(self, decks: int = 100, width: int = 1) -> None:
        check_whole("decks", decks, 100_000)
        check_whole("width", width, 1000)
        self.decks = decks
        self.width = width

    def check(self, variant: Variant) -> None:
        if variant.game.name != "matrix_overload":
            raise OptionError(
                f"{self.name} plays MATR1X 0VERL0AD only, not {variant.game.title}: "
                "choose another player"
            )

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        actions = np.empty(len(seen), np.int64)
        room = solver.room_of(max(self.width, OPEN))
        states, random_bits = seen.states.copy(), np.ascontiguousarray(seen.random_bits)
        courses, some = np.zeros(1, COURSE), Pieces(_AT_ONCE)
        while courses["row"][0] < len(states):
            most, began = some.some, time.perf_counter()
            given = states, random_bits, self.decks, self.width, most, courses, room, actions
            some.learn(most - decide_all(*given), began)
        return actions
