"""Solvers of games for two by tables: what a seat does by all that it remembers.

An iteration is one of each seat: what each of its actions would have brought against the other's
strategy is gathered, and its own strategy changed by that.

``cfr``   counterfactual regret minimization (Zinkevich and others 2007)
``cfr+``  regrets never below 0, and later strategies count more (Tammelin 2014)
``dcfr``  earlier regrets and strategies are discounted (Brown and Sandholm 2019)
``pcfr+`` what was regretted last is expected again (Farina, Kroer and Sandholm 2021)
``mmd``   magnetic mirror descent with dilated entropy (Sokota and others 2022)
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress, further
from cyberdeck.common.text import nearest
from cyberdeck.engine.kernels import compile_loops
from cyberdeck.engine.pieces import backward, forward
from cyberdeck.errors import require
from cyberdeck.exact.sequences import InformationSets
from cyberdeck.players import solved

#: By number, as the loops know them.
METHODS: Final = ("cfr", "cfr+", "dcfr", "pcfr+", "mmd")
_CFR, _PLUS, _DISCOUNTED, _PREDICTIVE, _MIRROR = range(5)

#: The stepsize and the temperature of ``mmd`` in iteration t, from 1 on.
Schedule: TypeAlias = Callable[[int], tuple[float, float]]

#: The stepsize where nobody says one, where no pair of sequences is paid more than 1; and the
#: temperature then, times stepsize and iteration. They were chosen by how soon the last iterate
#: solves the four small games of the tests. Twice the stepsize does not solve Goofspiel.
_STEP, _COOLING = 0.8, 6.0


def _improve(  # type: ignore[no-untyped-def]
    start, stop, method, t, set_before, set_first, strategy, likely, got, regrets, total,
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


def _descend(  # type: ignore[no-untyped-def]
    start, stop, stepsize, temperature, set_before, set_first, strategy, likely, got, logs, total,
):  # fmt: skip
    """A step of one seat along *got*, and by *temperature* towards the greatest dilated entropy.

    logs: those of the strategy, which may be too small for itself. What an information set adds to
    the sequence before it, as if it were paid there, is the logarithm of its norm.
    """
    pull = 1.0 + stepsize * temperature
    for i in range(stop - 1, start - 1, -1):
        begin, end = set_first[i], set_first[i + 1]
        most = -np.inf
        for q in range(begin, end):
            total[q] += likely[set_before[i]] * strategy[q]
            logs[q] = (logs[q] + stepsize * got[q]) / pull
            most = max(most, logs[q])
        norm = 0.0
        for q in range(begin, end):
            strategy[q] = np.exp(logs[q] - most)
            norm += strategy[q]
        log_norm = most + np.log(norm)
        for q in range(begin, end):
            strategy[q] /= norm
            logs[q] -= log_norm
        got[set_before[i]] += log_norm * pull / stepsize


def _share(start, stop, set_first, total, found):  # type: ignore[no-untyped-def]
    """found, (Q,): of each information set the shares in *total*, uniform where that is 0."""
    for i in range(start, stop):
        begin, end = set_first[i], set_first[i + 1]
        norm = 0.0
        for q in range(begin, end):
            norm += total[q]
        for q in range(begin, end):
            found[q] = total[q] / norm if norm > 0 else 1.0 / (end - begin)


class Solver:
    """Solves a game, iteration by iteration.

    Args:
        sequences: the game.
        method: one of ``METHODS``.
        schedule: of ``mmd``, the stepsize and the temperature of each iteration. By default the
            temperature falls, so that the last iterate comes to an equilibrium.
        simultaneous: both seats answer what the other did in the last iteration. By default the
            second answers what the first does in this one, which solves games much sooner.

    >>> from cyberdeck import load_file
    >>> from cyberdeck.exact import PositionSolver
    >>> positions = PositionSolver(load_file("examples/games/kuhn_poker.py").name).positions
    >>> solver = Solver(InformationSets(positions), "cfr+")
    >>> solver.iterate(100)
    >>> solver.sequences.best_responses(solver.average).exploitability < 0.01
    True
    """

    def __init__(
        self,
        sequences: InformationSets,
        method: str = "pcfr+",
        schedule: Schedule | None = None,
        simultaneous: bool = False,
    ) -> None:
        choose = f"choose one of {', '.join(METHODS)}{nearest(method, METHODS)}"
        require(method in METHODS, "method", method, choose)
        known = schedule is None or method == "mmd"
        require(known, "schedule", schedule, f"{method} has none, leave it out")
        self.sequences, self.method, self.iterations = sequences, method, 0
        self._number, self.simultaneous = METHODS.index(method), simultaneous
        self.schedule = schedule or _annealing(sequences)
        #: (Q,): what is played now: the last iterate.
        self.strategy = sequences.uniform()
        #: (Q,): regrets, or of mmd the logarithms of the strategy.
        self._regrets = np.log(self.strategy) if method == "mmd" else np.zeros(sequences.count)
        self._total = np.zeros(sequences.count)
        self._improve, self._descend, self._share = compile_loops(
            [_improve, _descend, _share], "solvers"
        )

    def iterate(self, times: int, progress: Progress | None = None) -> None:
        """So many iterations more. *progress* is told what is done of each, in thousandths of a
        seat's part in it.

        An iteration that is interrupted may have changed some of the strategy and left the rest: it
        is a strategy all the same, and later iterations go on from it.
        """
        game = self.sequences
        got = np.empty(game.count)
        for _ in range(times):
            now = self.iterations + 1
            for seat, sets in enumerate(game.sets):
                if seat == 0 or not self.simultaneous:
                    likely = game.likely(self.strategy)
                game.gather(seat, likely, got, further(progress, 1000 * seat))
                own = (
                    game.set_before, game.set_first, self.strategy, likely, got, self._regrets,
                    self._total,
                )  # fmt: skip
                part = sets.start, sets.stop
                if self._number == _MIRROR:
                    backward(self._descend, *part, *map(float, self.schedule(now)), *own)
                else:
                    backward(self._improve, *part, self._number, float(now), *own)
            self.iterations = now

    @property
    def average(self) -> NDArray[np.float64]:
        """(Q,): the average of what was played."""
        average = np.empty(self.sequences.count)
        average[:2] = 1.0
        first = self.sequences.set_first
        forward(self._share, 0, len(first) - 1, first, self._total, average)
        return average

    @property
    def solution(self) -> NDArray[np.float64]:
        """(Q,): what comes to an equilibrium: the average, or of ``mmd`` the last iterate."""
        return self.strategy if self.method == "mmd" else self.average

    def save(self, path: str | PathLike[str]) -> None:
        """Write ``solution`` to a file (``.npz``) that plays as ``solved:file=...``."""
        solved.save(path, self.sequences, self.solution)


def _annealing(sequences: InformationSets) -> Schedule:
    stepsize = _STEP / (sequences.largest or 1.0)
    return lambda t: (stepsize, _COOLING / (stepsize * t))
