"""Exact values of small games: what a strategy is worth, and the best answer to it.

All of the game is enumerated, chance included, so it is for games of up to a million positions.

>>> from cyberdeck.api.registration import load_file
>>> kuhn = load_file("examples/games/kuhn_poker.py")
>>> round(exploitability(kuhn.name, uniform), 4)
0.4583
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.chance import Outcomes
from cyberdeck.engine.contract import Record
from cyberdeck.engine.loops import loops_of
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.registry import variant as variant_of
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.players.search import Search

#: (observation, mask) -> the probability of each action
Strategy: TypeAlias = Callable[[NDArray[np.int8], NDArray[np.int8]], NDArray[np.float64]]

_MOST: Final = 1_000_000


def uniform(observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float64]:
    """Every legal action alike."""
    chances: NDArray[np.float64] = mask / mask.sum()
    return chances


@dataclass
class _Node:
    """A position: its end, or the decision to be made there.

    information   what its mover knows: all that it has seen and done, and what it sees now
    children      for each action the positions that it may lead to, with their probabilities
    """

    returns: NDArray[np.float64]  # (S,): what the seats have got by then
    mover: int = NOBODY
    information: Hashable = None
    observation: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))
    mask: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))
    children: dict[int, list[tuple[float, _Node]]] = field(default_factory=dict)


class Tree:
    """A whole game."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self._outcomes, self._count = Outcomes(variant), 0
        nothing = np.zeros(variant.seats)
        unknown: tuple[Hashable, ...] = ((),) * variant.seats
        self.roots = [
            (chance, self._node(record, nothing, unknown))
            for chance, record in self._outcomes.beginnings()
        ]

    def _node(
        self, record: Record, returns: NDArray[np.float64], known: tuple[Hashable, ...]
    ) -> _Node:
        self._count += 1
        if self._count > _MOST:
            raise OptionError(
                f"{self.variant.game.title} has more than {_MOST} positions: too many to enumerate"
            )
        returns = returns + record["reward"][0]
        mover = int(record["mover"][0])
        if mover == NOBODY:
            return _Node(returns)
        observation = np.zeros(self.variant.observation_size, np.int8)
        mask = np.zeros(self.variant.action_count, np.int8)
        metrics = np.zeros(len(self.variant.game.metrics), np.int32)
        loops_of(self.variant.game).look(record, 0, mover, mask, observation, metrics)
        information = (mover, known[mover], observation.tobytes(), mask.tobytes())
        node = _Node(returns, mover, information, observation, mask)
        for action in np.flatnonzero(mask).tolist():
            learned = (*known[:mover], (information, action), *known[mover + 1 :])
            node.children[action] = [
                (chance, self._node(after, returns, learned))
                for chance, after in self._outcomes.after(record, action)
            ]
        return node

    def value(self, strategy: Strategy) -> NDArray[np.float64]:
        """(S,): what every seat gets on average if all play *strategy*."""

        def worth(node: _Node) -> NDArray[np.float64]:
            if node.mover == NOBODY:
                return node.returns
            chances = strategy(node.observation, node.mask)
            total = np.zeros_like(node.returns)
            for action, outcomes in node.children.items():
                if chances[action] > 0:
                    total += chances[action] * sum(p * worth(child) for p, child in outcomes)
            return total

        total: NDArray[np.float64] = sum(p * worth(node) for p, node in self.roots)  # type: ignore[assignment]
        return total

    def best_response(self, strategy: Strategy, seat: int) -> float:
        """What *seat* gets if it answers best to all others playing *strategy*."""
        alike: dict[Hashable, list[tuple[float, _Node]]] = defaultdict(list)

        def collect(node: _Node, reach: float) -> None:
            """How likely the others and chance let the game come to each of the seat's nodes."""
            if node.mover == NOBODY:
                return
            if node.mover == seat:
                alike[node.information].append((reach, node))
                chances = np.ones(len(node.mask))
            else:
                chances = strategy(node.observation, node.mask)
            for action, outcomes in node.children.items():
                for p, child in outcomes:
                    collect(child, reach * p * float(chances[action]))

        for p, node in self.roots:
            collect(node, p)
        chosen: dict[Hashable, int] = {}

        def best(information: Hashable) -> int:
            if information not in chosen:
                places = alike[information]
                worths = {
                    action: sum(reach * after(node, action) for reach, node in places)
                    for action in places[0][1].children
                }
                chosen[information] = max(worths, key=worths.__getitem__)
            return chosen[information]

        def after(node: _Node, action: int) -> float:
            return sum(p * worth(child) for p, child in node.children[action])

        def worth(node: _Node) -> float:
            if node.mover == NOBODY:
                return float(node.returns[seat])
            if node.mover == seat:
                return after(node, best(node.information))
            chances = strategy(node.observation, node.mask)
            return sum(float(chances[a]) * after(node, a) for a in node.children if chances[a] > 0)

        return sum(p * worth(node) for p, node in self.roots)


def situations(variant: Variant) -> PolicyInput:
    """Each in which somebody has to decide, once, with one of the positions that it may be."""
    outcomes, look = Outcomes(variant), loops_of(variant.game).look
    metrics = np.zeros(len(variant.game.metrics), np.int32)
    found: dict[tuple[bytes, bytes], Record] = {}
    met: set[bytes] = set()
    waiting = [record for _, record in outcomes.beginnings()]
    while waiting:
        record = waiting.pop()
        record["dice"], record["reward"] = 0, 0
        if record["mover"][0] == NOBODY or record.tobytes() in met:
            continue
        met.add(record.tobytes())
        observation = np.zeros(variant.observation_size, np.int8)
        mask = np.zeros(variant.action_count, np.int8)
        look(record, 0, int(record["mover"][0]), mask, observation, metrics)
        found.setdefault((observation.tobytes(), mask.tobytes()), record)
        for action in np.flatnonzero(mask).tolist():
            waiting += [after for _, after in outcomes.after(record, action)]
    states = np.concatenate(list(found.values()))
    observations, masks = (
        np.array([np.frombuffer(each[at], np.int8) for each in found]) for at in (0, 1)
    )
    luck = np.zeros(len(states), np.uint64)
    return PolicyInput(variant, observations, masks, states["mover"], luck, states)


def strategy_of(variant: Variant, policy: Policy, times: int, seed: int = 0) -> Strategy:
    """What *policy*, which must not remember, does how often in each situation.

    It decides so many *times* in each, with other luck. Of a search that draws its action, the
    chances are taken that it draws by.

    >>> from cyberdeck import variant
    >>> from cyberdeck.api.registration import load_file
    >>> from cyberdeck.players.search import Search
    >>> kuhn = variant(load_file("examples/games/kuhn_poker.py").name)
    >>> round(exploitability(kuhn, strategy_of(kuhn, Search(iterations=1, prior=0), 1000)), 1)
    0.5
    """
    seen = situations(variant)
    luck = np.random.default_rng(seed)
    total = np.zeros(seen.masks.shape)
    for _ in range(times):
        bits = luck.integers(0, 2**64, len(seen), np.uint64)
        now = replace(seen, random_bits=bits, states=seen.states.copy())
        if isinstance(policy, Search):
            total += policy.chances(now)
        else:
            total[np.arange(len(seen)), policy.decide(now)] += 1
    chances = {
        (observation.tobytes(), mask.tobytes()): row / times
        for observation, mask, row in zip(seen.observations, seen.masks, total, strict=True)
    }
    return lambda observation, mask: chances[observation.tobytes(), mask.tobytes()]


def exploitability(game: str | Variant, strategy: Strategy, **options: Any) -> float:
    """How much a seat gains on average by answering best, instead of playing *strategy* too.

    It is 0 in an equilibrium, and only there.
    """
    tree = Tree(game if isinstance(game, Variant) else variant_of(game, **options))
    values = tree.value(strategy)
    seats = range(tree.variant.seats)
    gains = [tree.best_response(strategy, seat) - float(values[seat]) for seat in seats]
    return sum(gains) / len(gains)
