"""Solvers of games for two by tables: what a seat does by all that it remembers.

An iteration is one of each seat in turn: what each of its actions would have brought against the
other's strategy of now is gathered, and its own strategy changed by that.

``cfr``   counterfactual regret minimization (Zinkevich and others 2007)
``cfr+``  regrets never below 0, and later strategies count more (Tammelin 2014)
``dcfr``  earlier regrets and strategies are discounted (Brown and Sandholm 2019)
``pcfr+`` what was regretted last is expected again (Farina, Kroer and Sandholm 2021)
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.text import nearest
from cyberdeck.engine.kernels import compile_loops
from cyberdeck.errors import require
from cyberdeck.evaluation.exact.sequences import Sequences

#: By number, as the loops know them.
METHODS: Final = ("cfr", "cfr+", "dcfr", "pcfr+")
_CFR, _PLUS, _DISCOUNTED, _PREDICTIVE = range(4)


def _improve(  # type: ignore[no-untyped-def]
    method, t, start, stop, set_before, set_first, strategy, likely, got, regrets, total,
):  # fmt: skip
    """Iteration *t* of one seat, by what its sequences are paid at once, *got*.

    likely: how likely its sequences are. total: its strategies so far, by their weights.
    """
    positive, negative, weight = 1.0, 1.0, 1.0
    if method == _DISCOUNTED:
        positive, negative, weight = t**1.5 / (t**1.5 + 1.0), 0.5, t * t
    elif method == _PLUS:
        weight = t
    elif method == _PREDICTIVE:
        weight = t * t
    for i in range(stop - 1, start - 1, -1):
        begin, end = set_first[i], set_first[i + 1]
        value = 0.0
        for q in range(begin, end):
            value += strategy[q] * got[q]
            total[q] += weight * likely[set_before[i]] * strategy[q]
        got[set_before[i]] += value
        norm = 0.0
        for q in range(begin, end):
            now = got[q] - value
            regrets[q] += now
            if method == _DISCOUNTED:
                regrets[q] *= positive if regrets[q] >= 0 else negative
            elif method != _CFR:
                regrets[q] = max(regrets[q], 0.0)
            expected = regrets[q]
            if method == _PREDICTIVE:
                expected += now
            strategy[q] = max(expected, 0.0)
            norm += strategy[q]
        for q in range(begin, end):
            strategy[q] = strategy[q] / norm if norm > 0 else 1.0 / (end - begin)


class Solver:
    """Solves a game, iteration by iteration.

    Args:
        sequences: the game.
        method: one of ``METHODS``.

    >>> from cyberdeck.api.registration import load_file
    >>> from cyberdeck.evaluation.exact import Bench
    >>> bench = Bench(load_file("examples/games/kuhn_poker.py").name)
    >>> solver = Solver(Sequences(bench.positions), "cfr+")
    >>> solver.iterate(100)
    >>> solver.sequences.best_responses(solver.average).exploitability < 0.01
    True
    """

    def __init__(self, sequences: Sequences, method: str = "pcfr+") -> None:
        choose = f"choose one of {', '.join(METHODS)}{nearest(method, METHODS)}"
        require(method in METHODS, "method", method, choose)
        self.sequences, self.method, self.iterations = sequences, METHODS.index(method), 0
        #: (Q,): what is played now: the last iterate.
        self.strategy = sequences.uniform()
        self._regrets, self._total = np.zeros(sequences.count), np.zeros(sequences.count)
        (self._improve,) = compile_loops([_improve], "solvers")

    def iterate(self, times: int) -> None:
        """So many iterations more."""
        held = self.sequences
        got = np.empty(held.count)
        for _ in range(times):
            self.iterations += 1
            for seat, sets in enumerate(held.sets):
                likely = held.likely(self.strategy)
                held.gather(seat, likely, got)
                self._improve(
                    self.method, float(self.iterations), sets.start, sets.stop, held.set_before,
                    held.set_first, self.strategy, likely, got, self._regrets, self._total,
                )  # fmt: skip

    @property
    def average(self) -> NDArray[np.float64]:
        """(Q,): the average of what was played: that which comes to an equilibrium."""
        held = self.sequences
        legal = np.diff(held.set_first)
        sums = np.add.reduceat(self._total, held.set_first[:-1])
        each = np.repeat(sums, legal)
        uniform = held.uniform()
        found = np.divide(self._total[2:], each, out=uniform[2:].copy(), where=each > 0)
        return np.concatenate([uniform[:2], found])
