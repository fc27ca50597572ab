"""HACKtheGRID: the exact value of every action, as the game rewards its outcome."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import require
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.games.hackthegrid.constants import NONE
from cyberdeck.players.solvers.hackthegrid.solver import OUTCOME_REWARDS, Solver, check_scrambles

#: Of the table of a solver that goes from deal to deal: what fits into a core's own memory.
_PLACES: Final = 1 << 14


class SolverValues(Values):
    """The solver's: 1 for an action that wins, 0 for a draw, -1 for one that loses.

    Args:
        variant: the game with its options.
        ties: what movers who cannot do better than lose prefer, "spiteful" or "friendly": see
            ``solver``. Losing alone and losing together are worth the same.
        scrambles: the most SCRAMBLEs of a deck, as of ``Optimal``.
    """

    def __init__(
        self, variant: Variant, ties: str = "spiteful", scrambles: int | None = None
    ) -> None:
        super().__init__(variant)
        paid = variant.options["reward"]
        needed = "exact values are of the outcome: leave it out, or choose 'outcome'"
        require(paid == c.REWARDS[c.OUTCOME], "reward", paid, needed)
        self._solver = Solver(ties, _PLACES)
        self._ties, self.name = ties, f"exact:ties={ties}"
        check_scrambles(variant, "exact", scrambles)

    @property
    def assumption(self) -> str:
        """How the game goes on: what is liked best of what is worth the same says the rule."""
        both = "would rather both lose than lose alone"
        alone = "would rather lose alone than both lose"
        loser = both if self._ties == "spiteful" else alone
        return f"{super().assumption}, and whoever can do no better than lose {loser}"

    def best(self, states: NDArray[Any]) -> NDArray[np.bool_]:
        """(N, A): which actions are optimal for one who also keeps to the rule for ties."""
        return self._solver.best(states)

    def of(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """(N, A): 1, 0 or -1 for each legal action, NaN for the others."""
        outcomes = self._solver.values(states)
        return np.where(outcomes == NONE, np.nan, OUTCOME_REWARDS[outcomes])
