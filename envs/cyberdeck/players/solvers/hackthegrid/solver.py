"""HACKtheGRID solved: what every legal action leads to if both play on as well as they can.

The game is not zero-sum: if cards remain, both lose. What is computed is subgame-perfect play, by
backward induction: every mover takes what is best for itself, knowing that the other will too. A
mover may be indifferent between losing alone and losing together. The ties rule decides that, so
that every position has exactly one outcome:

- ``spiteful``: rather both than alone: win > draw > both lose > loss;
- ``friendly``: rather alone than both: win > draw > loss > both lose.
"""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress
from cyberdeck.engine import registry
from cyberdeck.engine.arguments import Array
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.game_batch import dealt
from cyberdeck.engine.kernels import loop_of
from cyberdeck.engine.pieces import Pieces
from cyberdeck.engine.policy import Expert, PolicyInput
from cyberdeck.engine.positions import unpacked
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import EpisodeError, OptionError, StateError, require
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.games.hackthegrid.constants import NONE
from cyberdeck.games.hackthegrid.game import GAME
from cyberdeck.games.hackthegrid.heuristic import heuristic
from cyberdeck.players.solvers.hackthegrid import exact
from cyberdeck.players.solvers.hackthegrid.result_partitions import RANK, TIES

#: What an action leads to, from the mover's side; NONE for illegal actions.
WIN, DRAW, LOSS, BOTH_LOSE = range(4)
NAMES: Final = ("win", "draw", "loss", "both lose")
#: What each pays where the game rewards the outcome.
OUTCOME_REWARDS: Final = np.array([1.0, 0.0, -1.0, -1.0])

#: The most SCRAMBLEs of a deck, by `scramble`, with which deals take a few seconds, as measured.
_MOST_SCRAMBLES: Final = {"on_take": 8, "at_end": 4}

#: Positions that are looked at at once, where it is not known how long that takes.
_AT_ONCE: Final = 100_000

#: How many deals a solver tells apart before it starts its transpositions anew.
_MOST_DEALS: Final = 1024


@loop_of(
    "hackthegrid",
    {"A": c.ACTIONS},
    states=Array(GAME.dtype, "N"),
    masks=Array(np.int8, "NA"),
    random_bits=Array(np.uint64, "N"),
    chosen=Array(np.int64, "N"),
)
def prefer(states: Any, masks: Any, random_bits: Any, chosen: Any) -> None:
    """What the heuristic likes best of the actions that the *masks* allow."""
    for at in range(len(states)):
        chosen[at] = heuristic(states[at], masks[at], random_bits[at])


def liking(ties: str) -> NDArray[np.int64]:
    """How much a mover likes WIN, DRAW, LOSS and BOTH_LOSE: 3 the most.

    >>> liking("spiteful").tolist()
    [3, 2, 0, 1]
    """
    require(ties in TIES, "ties", ties, f"choose one of {', '.join(map(repr, TIES))}")
    return np.asarray(RANK[TIES.index(ties), 0])


class Solver:
    """Solves positions exactly. What it has found out helps it on, and never changes a result; nor
    does Ctrl-C.

    Args:
        ties: "spiteful" or "friendly", see above.
        places: of the transposition table, a power of two; each takes 24 bytes.

    >>> from cyberdeck import Batch
    >>> batch = Batch("hackthegrid", 2, seed=0)
    >>> outcomes = Solver().values(batch.states)
    >>> outcomes.shape, [NAMES[outcome] for outcome in outcomes[0, :4]]
    ((2, 69), ['draw', 'draw', 'loss', 'draw'])
    """

    def __init__(self, ties: str = "spiteful", places: int = 1 << 16) -> None:
        self.liking = liking(ties)  # says so if there is no such rule
        self.ties = ties
        power = places >= 1 and not places & (places - 1)
        require(power, "places", places, "it must be a power of two")
        self._places, self._at_once = places, Pieces(_AT_ONCE)
        # Deals as they were first seen: scramble, what each card is, what lies on each cell.
        self._deals = np.zeros((_MOST_DEALS, 1 + 2 * c.CARDS), np.int8)
        self._count = 0

    @functools.cached_property
    def _room(self) -> exact.Room:  # something has to be compiled for it
        return exact.room_of(self._places)

    @property
    def visited(self) -> int:
        """Positions looked at so far."""
        return int(self._room.visited[0])

    def clear(self) -> None:
        """Forget everything."""
        self._room.transpositions[:] = 0
        self._count = 0

    def values(self, states: NDArray[Any] | np.void) -> NDArray[np.int8]:
        """WIN, DRAW, LOSS or BOTH_LOSE for every legal action of the mover, NONE for the others.

        *states*: records of the game, as ``Batch.states`` holds them. One record gives
        (A,), an array of them (N, A). Of a game that is over no action is legal.
        """
        records = np.atleast_1d(np.asarray(states, GAME.dtype))
        outcomes = np.full((len(records), c.ACTIONS), NONE, np.int8)
        ties = TIES.index(self.ties)
        room, at, begun = self._room, 0, False
        while at < len(records):
            # A piece is many positions where few are left to look at, or a part of one.
            with self._at_once.until(room.visited) as until:
                while at < len(records):
                    if not begun:
                        number, room.course[0] = self._number(records[at]), (0, -1, NONE)
                    given = records[at : at + 1], ties, number, until, room, outcomes[at]
                    if begun := exact.solve(*given) == exact.LATER:
                        break
                    at += 1
        return outcomes if np.ndim(states) else outcomes[0]

    def best(self, states: NDArray[Any] | np.void) -> NDArray[np.bool_]:
        """Which actions are optimal: the same shape as ``values``."""
        return self.optimal(self.values(states))

    def optimal(self, outcomes: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Which of the actions with these ``values`` the mover likes best."""
        liked = np.where(outcomes == NONE, NONE, self.liking[outcomes])
        return np.asarray((liked == liked.max(-1, keepdims=True)) & (liked != NONE))

    def _number(self, record: np.void) -> int:
        """The number of the record's deal, which keeps positions of several deals apart.

        What lay on cells that are empty by now makes no difference to the position.
        """
        cards = 8 * record["kind"] + record["colour"]
        grid = np.where(record["grid"] == NONE, NONE, cards[record["grid"]])
        cards_and_rule = [record["scramble"], *cards]
        known = self._deals[: self._count]
        same = (known[:, : len(cards_and_rule)] == cards_and_rule).all(1)
        same &= ((known[:, len(cards_and_rule) :] == grid) | (grid == NONE)).all(1)
        fitting = np.flatnonzero(same)
        if len(fitting):
            return int(fitting[-1])
        if self._count == _MOST_DEALS:
            self.clear()
        self._deals[self._count] = [*cards_and_rule, *grid]
        self._count += 1
        return self._count - 1


def check_most(scrambles: int | None) -> None:
    """``OptionError`` unless that can be the most SCRAMBLEs."""
    possible = scrambles is None or (is_whole(scrambles) and scrambles >= 0)
    require(possible, "scrambles", scrambles, "a whole number is needed")


def check_scrambles(variant: Variant, name: str, most: int | None) -> None:
    """``OptionError`` if the deck has more SCRAMBLEs than *name* takes on: see ``Optimal``."""
    check_most(most)
    rule = variant.options["scramble"]
    most = _MOST_SCRAMBLES[rule] if most is None else most
    count = sum(kind == c.KINDS[c.SCRAMBLE] for kind, _ in variant.options["deck"])
    if count > most:
        raise OptionError(
            f"the deck has {count} SCRAMBLEs, and {name} takes on {most} with scramble={rule!r}: "
            "solving more may take minutes for a single decision; "
            f"{name}:scrambles={count} tries it nevertheless"
        )


def solve(game: Any, ties: str = "spiteful") -> dict[int, str]:
    """What every legal action of the mover leads to: "win", "draw", "loss" or "both lose".

    *game*: an env of Gymnasium or PettingZoo, the bytes of its ``get_state()`` or of a batch's, or
    a record.

    >>> import gymnasium, cyberdeck
    >>> env = gymnasium.make("cyberdeck/HackTheGrid-v0", opponent="optimal")
    >>> _ = env.reset(seed=3)
    >>> solve(env)
    {0: 'draw', 1: 'draw', 2: 'draw', 3: 'loss'}
    """
    record = game if isinstance(game, (np.ndarray, np.void)) else _record(game)
    outcomes = Solver(ties).values(np.reshape(record, ()))
    return {action: NAMES[outcome] for action, outcome in enumerate(outcomes) if outcome != NONE}


def _record(game: Any) -> NDArray[Any]:
    """The record of a game that is running, an array of one, from an env or from saved bytes."""
    if not isinstance(game, (bytes, bytearray, memoryview)):
        env = getattr(game, "unwrapped", game)
        if not hasattr(env, "get_state"):
            raise StateError(
                f"{game!r} cannot be solved: give an env of HACKtheGRID, the bytes of "
                "get_state(), or a record"
            )
        game = env.get_state()
    record = unpacked(GAME, game)[1]
    if record["mover"][0] == NOBODY:
        raise EpisodeError("the game is over: there is nothing left to solve")
    return record


class Optimal(Expert):
    """Plays perfectly. Among optimal actions it takes what the heuristic likes best.

    The random bits decide where the heuristic is indifferent.

    Args:
        ties: "spiteful" or "friendly", see above.
        scrambles: the most SCRAMBLEs of a deck it takes on. None: as many as are surely solved
            within seconds, 8 with scramble="on_take" and 4 with "at_end".

    >>> from cyberdeck import Batch
    >>> batch = Batch("hackthegrid", 4, seed=0, seat=0, opponent="optimal:ties=friendly")
    """

    needs_states = True

    def __init__(self, ties: str = "spiteful", scrambles: int | None = None) -> None:
        check_most(scrambles)
        self.solver = Solver(ties)
        self.scrambles = scrambles
        self.name = "optimal" if ties == "spiteful" else f"optimal:ties={ties}"

    def check(self, variant: Variant) -> None:
        if variant.game.name != "hackthegrid":
            raise OptionError(
                f"this player is for hackthegrid alone: it cannot play {variant.game.title}"
            )
        check_scrambles(variant, "optimal", self.scrambles)

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        """Everything is open in this game: the positions seen are the true ones."""
        allowed = self.solver.best(seen.states).astype(np.int8)
        actions = np.zeros(len(seen), np.int64)
        prefer(seen.states, allowed, seen.random_bits, actions)
        return actions

    def targets(self, seen: PolicyInput) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """All optimal actions alike, and the exact outcome, if that is what the game rewards."""
        outcomes = self.solver.values(seen.states)
        allowed = self.solver.optimal(outcomes)
        worths = np.full(len(seen), np.nan)
        by_outcome = seen.variant.options["reward"] == c.REWARDS[c.OUTCOME]
        if by_outcome and not seen.variant.regret:
            worths = OUTCOME_REWARDS[outcomes[np.arange(len(seen)), allowed.argmax(axis=1)]]
        return allowed / allowed.sum(axis=1, keepdims=True), worths


# --- many deals -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class DealValues:
    """What ``deal_values`` has found.

    outcomes    deals that are a win, a draw, a loss and lost by both, for who goes first
    seconds     of one core, for the values of all actions of a deal: median, 95%, most
    positions   looked at for that: the same
    """

    outcomes: tuple[int, ...]
    seconds: tuple[float, ...]
    positions: tuple[int, ...]


def deal_values(
    deals: int = 1000,
    ties: str = "spiteful",
    *,
    game: str | Variant = "hackthegrid",
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> DealValues:
    """Solve the deals *seed*, *seed* + 1, ...; *progress* is called with how many are done.

    >>> deal_values(5).outcomes
    (0, 5, 0, 0)
    """
    states = dealt(registry.variant(game, **options), deals, seed)
    solver = Solver(ties)
    solver.values(states[0])  # whatever has to be compiled is compiled now
    outcomes, seconds, positions = [0] * len(NAMES), [], []
    for at, state in enumerate(states):
        solver.clear()  # each deal by itself
        before, begun = solver.visited, time.process_time()
        values = solver.values(state)
        seconds.append(time.process_time() - begun)
        positions.append(solver.visited - before)
        outcomes[values[solver.optimal(values)][0]] += 1
        if progress is not None:
            progress(at + 1)
    times, numbers = (np.percentile(each, (50, 95, 100)) for each in (seconds, positions))
    return DealValues(tuple(outcomes), tuple(times.tolist()), tuple(map(int, numbers)))
