"""A whole game as a tree in plain Python: the reference for compiled code, for any number of seats.

All of the game is enumerated, chance included, so it is for games of up to a million positions.

>>> from cyberdeck import load_file, variant
>>> from cyberdeck.exact import uniform
>>> tree = Tree(variant(load_file("examples/games/kuhn_poker.py").name))
>>> round(tree.best_responses(uniform).exploitability, 4)
0.4583
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress
from cyberdeck.engine.chance import Outcomes
from cyberdeck.engine.contract import Record
from cyberdeck.engine.history import History, Log
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.exact.strategies import BestResponses, Questions, Strategy
from cyberdeck.players.beliefs import refuse_memory

#: (I, A): the same for each information set, by its number: of one that remembers
Table: TypeAlias = NDArray[np.float64]

MOST: Final = 1_000_000


@dataclass(slots=True)
class _Node:
    """A position: its end, or the decision to be made there.

    information   what its mover knows, as a number: all that it has seen and done, and sees now
    children      for each action the positions that it may lead to, with their probabilities
    """

    returns: NDArray[np.float64]  # (S,): what the seats have got by then
    mover: int = NOBODY
    information: int = -1
    children: dict[int, _Outcomes] = field(default_factory=dict)


#: Positions that chance may lead to, with their probabilities.
_Outcomes: TypeAlias = list[tuple[float, _Node]]


class _Place(NamedTuple):
    """What a record says, whichever way the game has come to it."""

    observation: NDArray[Any]
    mask: NDArray[np.int8]
    after: dict[int, list[tuple[float, Record]]]


class Tree:
    """A whole game, or ``OptionError`` if it is too large to be enumerated.

    *history*: a player can be asked in it that decides by the history of its game.
    """

    def __init__(self, variant: Variant, history: bool = False) -> None:
        self.variant = variant
        #: Of each information set what is seen there, the mask, and one course that leads there.
        self.observations: list[NDArray[Any]] = []
        self.masks: list[NDArray[np.int8]] = []
        self.histories: list[History] = []
        self._outcomes, self._count = Outcomes(variant), 0
        self._places: dict[bytes, _Place] = {}
        self._information: dict[Hashable, int] = {}
        nothing = np.zeros(variant.seats)
        unknown: tuple[Hashable, ...] = ((),) * variant.seats
        self.roots: _Outcomes = []
        for chance, record in self._outcomes.beginnings():
            log = Log(variant, record) if history else None
            self.roots.append((chance, self._node(record, nothing, unknown, log)))
        del self._places, self._information  # they were for making the nodes

    def __len__(self) -> int:
        """How many positions it has."""
        return self._count

    def _node(
        self,
        record: Record,
        returns: NDArray[np.float64],
        known: tuple[Hashable, ...],
        log: Log | None,
    ) -> _Node:
        self._count += 1
        if self._count > MOST:
            raise too_large(self.variant)
        returns = returns + record["reward"][0][: len(returns)]
        mover = int(record["mover"][0])
        if mover == NOBODY:
            return _Node(returns)
        place = self._place(record)
        seen = (mover, known[mover], place.observation.tobytes(), place.mask.tobytes())
        information = self._information.setdefault(seen, len(self._information))
        if information == len(self.masks):
            self.observations.append(place.observation)
            self.masks.append(place.mask)
            if log is not None:
                self.histories.append(History(log, mover))
        node = _Node(returns, mover, information)
        for action, outcomes in place.after.items():
            learned = (*known[:mover], (information, action), *known[mover + 1 :])
            node.children[action] = []
            for chance, after in outcomes:
                longer = log and log.after(action, place.observation, after)
                child = self._node(after, returns, learned, longer)
                node.children[action].append((chance, child))
        return node

    def _place(self, record: Record) -> _Place:
        now = record.copy()
        now["dice"], now["reward"] = 0, 0  # it does not matter from now on
        key = now.tobytes()
        if key not in self._places:
            mask, observation, _ = self.variant.look(record, int(record["mover"][0]))
            legal = np.flatnonzero(mask).tolist()
            after = {action: self._outcomes.after(record, action) for action in legal}
            self._places[key] = _Place(observation, mask, after)
        return self._places[key]

    def table_of(
        self,
        policy: Policy,
        times: int,
        minutes: float = np.inf,
        progress: Progress | None = None,
    ) -> tuple[Table, bool]:
        """What a policy that needs the history of its game does how often in each information set,
        asked so many *times*; and whether that is exact: no random bits made a difference.

        It is asked with one of the courses that lead there. *progress* is called with in how many
        it has been asked, which may take so many *minutes*.

        >>> from cyberdeck import find_player, load_file, variant
        >>> kuhn = variant(load_file("examples/games/kuhn_poker.py").name)
        >>> tree = Tree(kuhn, history=True)
        >>> table, exact = tree.table_of(find_player(kuhn, "search:iterations=9,belief=random"), 2)
        >>> table.shape, exact
        ((12, 2), False)
        """
        refuse_memory(policy, history=True)
        count = len(self.histories)
        questions = Questions(policy, times, count, minutes, progress)

        def look(part: slice) -> PolicyInput:
            histories = self.histories[part]
            states = np.concatenate([each.log.record for each in histories])
            return PolicyInput(
                self.variant,
                np.array(self.observations[part]),
                np.array(self.masks[part]),
                states["mover"],
                np.zeros(len(states), np.uint64),
                states,
                history=histories,
                notes=[None] * len(states),
            )

        return questions.ask(count, look), questions.exact

    def _table(self, strategy: Strategy | Table) -> Table:
        if isinstance(strategy, np.ndarray):
            return strategy
        return np.array([*map(strategy, self.observations, self.masks)])

    def _values(self, tables: Sequence[Table], seat: int) -> Callable[[_Outcomes], float]:
        """What *seat* gets on average after given outcomes, if each seat plays by its table."""

        def value(outcomes: _Outcomes) -> float:
            return sum(p * worth(node) for p, node in outcomes)

        def worth(node: _Node) -> float:
            if node.mover == NOBODY:
                return float(node.returns[seat])
            chances: list[float] = tables[node.mover][node.information].tolist()
            return sum(
                chances[a] * value(node.children[a]) for a in node.children if chances[a] > 0
            )

        return value

    def value(self, strategy: Strategy | Table | Sequence[Strategy | Table]) -> NDArray[np.float64]:
        """(S,): what every seat gets on average if all play *strategy*, or each seat its own."""
        seats = range(self.variant.seats)
        own = strategy if isinstance(strategy, Sequence) else [strategy for _ in seats]
        tables = [self._table(each) for each in own]
        return np.array([self._values(tables, seat)(self.roots) for seat in seats])

    def best_response(self, strategy: Strategy | Table, seat: int) -> float:
        """What *seat* gets if it answers best to all others playing *strategy*."""
        table = self._table(strategy)
        alike: dict[int, list[tuple[float, _Node]]] = defaultdict(list)

        def collect(outcomes: _Outcomes, reach: float) -> None:
            """How likely the others and chance let the game come to each of the seat's nodes."""
            for p, node in outcomes:
                if node.mover == seat:
                    alike[node.information].append((reach * p, node))
                for action, after in node.children.items():
                    chance = 1.0 if node.mover == seat else float(table[node.information, action])
                    collect(after, reach * p * chance)

        collect(self.roots, 1.0)
        answer = table.copy()
        tables = [answer if each == seat else table for each in range(self.variant.seats)]
        value = self._values(tables, seat)
        for information in sorted(alike, reverse=True):  # what follows has a higher number
            places = alike[information]
            worths = {
                action: sum(reach * value(node.children[action]) for reach, node in places)
                for action in places[0][1].children
            }
            answer[information] = 0.0
            answer[information, max(worths, key=worths.__getitem__)] = 1.0
        return value(self.roots)

    def best_responses(self, strategy: Strategy | Table) -> BestResponses:
        """The best response of every seat."""
        best = tuple(self.best_response(strategy, seat) for seat in range(self.variant.seats))
        return BestResponses(tuple(self.value(strategy).tolist()), best)


def too_large(variant: Variant) -> OptionError:
    """The error for a game whose positions are too many."""
    title = variant.game.title
    return OptionError(f"{title} has more than {MOST:,} positions: too many to enumerate")
