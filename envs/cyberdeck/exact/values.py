"""Exact values of single actions: who knows them, found by name as players are."""

from __future__ import annotations

import contextlib
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.text import nearest
from cyberdeck.engine.contract import HISTORY, OBSERVATION, is_whole
from cyberdeck.engine.defaults import hide_nothing
from cyberdeck.engine.disguise import Disguise
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.enumeration.beliefs import THROUGH, TWICE, Walk
from cyberdeck.enumeration.exploring import Enumeration
from cyberdeck.enumeration.positions import Positions, TooManyPositions
from cyberdeck.enumeration.waits import waits
from cyberdeck.errors import OptionError, require
from cyberdeck.exact.strategies import table_of
from cyberdeck.players import find_player, made

#: Those of every game: name -> where the class is, as ``module:class``.
VALUES: Final = {
    "exact": "cyberdeck.exact.values:Exact",
    "response": "cyberdeck.exact.values:Response",
}

#: Those of one game, in the place of these: game -> name -> where the class is.
OWN_VALUES: Final[dict[str, dict[str, str]]] = {
    "hackthegrid": {"exact": "cyberdeck.players.solvers.hackthegrid.values:SolverValues"},
}

#: Where no rounding makes rewards of two unequal.
_CLOSE: Final = 1e-6

#: How often a player is asked whether it does the same whatever it draws.
_TIMES: Final = 3


def find_values(variant: Variant, chosen: str = "exact") -> Values:
    """Who knows the exact values of this game, or ``OptionError``: a name, with settings.

    Those of a game in disguise are of the actions as they are shown.

    >>> from cyberdeck import Batch
    >>> batch = Batch("hackthegrid", 1, seed=0)
    >>> values = find_values(batch.variant, "exact:ties=friendly")
    >>> values.name, values.of(batch.states)[0, :5].tolist()
    ('exact:ties=friendly', [-1.0, -1.0, -1.0, -1.0, nan])
    """
    name, _, settings = chosen.partition(":")
    where = {**VALUES, **OWN_VALUES.get(variant.game.name, {})}
    choose = f"choose one of {', '.join(where)}{nearest(name, where)}"
    require(name in where, "values", chosen, choose)
    values: Values = made(where[name], name, settings, variant.undisguised)
    return values if variant.disguise is None else _Shown(values, variant, variant.disguise)


class _Shown(Values):
    """Values of a game in disguise: those of the game itself, by the numbers that are shown."""

    def __init__(self, own: Values, variant: Variant, disguise: Disguise) -> None:
        super().__init__(variant)
        self.name, self.whole = own.name, own.whole
        self._own, self._disguise = own, disguise

    @property
    def assumption(self) -> str:
        """The same in other words."""
        return self._disguise.words(self._own.assumption)

    def of(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """(N, A)."""
        return self._own.of(states)[:, self._disguise.own]


class Exact(Values):
    """Values of a game for one or two in which nothing is hidden from who is to move.

    All positions are counted once, if they fit into so many gigabytes. Otherwise values are known
    where few positions can still be reached, and where something is hidden earlier, but not then.

    Args:
        variant: the game with its options.
        memory: how many gigabytes all positions may take.
        reach: from how many positions on a position is not solved, where they do not fit.

    >>> from cyberdeck import Batch, load_file
    >>> batch = Batch(load_file("examples/games/tictactoe.py").name, 1, seed=0)
    >>> for action in (0, 8, 2):
    ...     batch.step([action])
    >>> Exact(batch.variant).of(batch.states)[0].tolist()
    [nan, -1.0, nan, -1.0, -1.0, -1.0, -1.0, -1.0, nan]
    """

    def __init__(self, variant: Variant, memory: float = 0.5, reach: int = 5_000) -> None:
        super().__init__(variant)
        game, title = variant.game, variant.game.title
        require(memory > 0, "memory", memory, "a number above 0 is needed")
        possible = is_whole(reach) and reach >= 1
        require(possible, "reach", reach, "a whole number from 1 on is needed")
        if not game.open:
            raise OptionError(
                f"{title} has no exact values: something in it is hidden from a seat, and what a "
                "move is worth depends on what the other does there; choose response:to=random, "
                "against a strategy that is known, or an open game"
            )
        if (seats := variant.seats) > 2:
            raise OptionError(
                f"{title} has no exact values: it is for {seats}, and they are for one or two"
            )
        self._memory, self._reach = memory, reach
        self._enumeration = Enumeration(variant)
        self._all: tuple[Positions, NDArray[np.float64]] | None = None
        self._hides = game.resample is not hide_nothing
        if not self._hides:
            with contextlib.suppress(TooManyPositions):
                positions = self._enumeration.all(memory)
                self._all = positions, self._solve(positions)
        self.whole = self._all is not None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.variant, self._memory, self._reach)

    def of(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """(N, A): the value of each legal action of the one to move; NaN where it is not known."""
        values = np.full((len(states), self.variant.action_count), np.nan)
        rows = np.flatnonzero(states["mover"] != NOBODY)
        if self._all is not None:
            numbers = self._enumeration.numbers(states[rows])
            for row, number in zip(rows, numbers, strict=True):
                if number >= 0:
                    _fill(values[row], *self._all, number)
            return values
        if self._hides:
            rows = rows[self._enumeration.open_to_mover(states[rows])]
        for row in rows:
            with contextlib.suppress(OptionError):  # chance without end, or sums that are not 0
                ahead = self._enumeration.from_here(states[row : row + 1], self._reach)
                if ahead is None:
                    continue
                if not self._hides or self._enumeration.open_to_mover(ahead.states).all():
                    _fill(values[row], ahead, self._solve(ahead), 0)
        return values

    def _solve(self, positions: Positions) -> NDArray[np.float64]:
        """(C,): the value of each action in all these positions."""
        sums = positions.moves.reward.sum(axis=1)
        if self.variant.seats == 2 and (np.abs(sums) > _CLOSE).any():
            raise OptionError(
                f"{self.variant.game.title} has no exact values: what one seat gains the other "
                "does not always lose, and then it is open what is best"
            )
        return positions.evaluate()[1]


def _fill(row: NDArray[Any], positions: Positions, values: NDArray[Any], at: int) -> None:
    """Write the values of a position's actions."""
    part = slice(*positions.moves.first[at : at + 2])
    row[positions.moves.actions[part]] = values[part]


class Response(Values):
    """What each action is worth to a seat that answers best to all others playing one strategy.

    What a move is worth where something is hidden depends on what the others do with what they
    know. Against a strategy that is stated it is exact again: the seat knows all that it has seen
    and done, and so how likely each position is in which it may be.

    Its observation has to say all that it has seen and done; ``observation="history"`` does. Where
    it never comes against that strategy, nothing is known.

    Args:
        variant: the game with its options.
        to: who plays all other seats: "random", or a player that decides by the present alone and
            of which it can be told how likely it does what, such as the file of a policy.
        memory: how many gigabytes all positions may take; and beliefs, in each of them.

    >>> from cyberdeck import Batch, load_file
    >>> batch = Batch(load_file("examples/games/kuhn_poker.py").name, 1, seed=0)
    >>> Response(batch.variant).of(batch.states).round(6).tolist()
    [[0.0, 0.5]]
    """

    def __init__(self, variant: Variant, to: str = "random", memory: float = 0.5) -> None:
        super().__init__(variant)
        require(memory > 0, "memory", memory, "a number above 0 is needed")
        player = find_player(variant, to)
        self.name, self._to, self._memory = f"response:to={player.name}", to, memory
        self._others = "at random" if player.name == "random" else f"like {player.name}"
        self._enumeration = Enumeration(variant)
        positions = self._enumeration.all(memory)
        table, exact = table_of(positions, player, _TIMES)
        if not exact:
            raise OptionError(
                f"{self.name} is not possible: {player.name} draws what it does, and how likely "
                "each action is cannot be told; choose to=random, or the file of a policy"
            )
        self._seen = positions.moves.seen
        #: (I, A): for each situation.
        self._values = np.full(positions.masks.shape, np.nan)
        for seat in range(variant.seats):
            wait = waits(positions, seat, table, memory)
            ids, odds, _ = wait.beginning(positions, seat)
            walk = Walk(positions, seat, wait, memory, values=self._values)
            walk.run(THROUGH, 0, ids, odds, self._refuse_twice)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.variant, self._to, self._memory)

    @property
    def assumption(self) -> str:
        """How the game goes on."""
        return f"all others play {self._others}, and you as well as you can against that"

    def of(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """(N, A): the value of each legal action of the one to move."""
        values = np.full((len(states), self.variant.action_count), np.nan)
        rows = np.flatnonzero(states["mover"] != NOBODY)
        numbers = self._enumeration.numbers(states[rows])
        known = numbers >= 0
        values[rows[known]] = self._values[self._seen[numbers[known]]]
        return values

    def _refuse_twice(self, stopped: int) -> None:
        if stopped == TWICE:
            raise OptionError(
                f"{self.variant.game.title} has no such values as it is seen: an observation does "
                f"not say all that its seat has seen and done; choose {OBSERVATION}={HISTORY}, "
                "which a game has that says its longest"
            )
