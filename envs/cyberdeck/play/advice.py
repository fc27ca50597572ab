"""What the best player that there is for a game would do, with a word or a number for each move."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import KernelError, OptionError
from cyberdeck.exact.values import find_values
from cyberdeck.play.beliefs import describe_beliefs
from cyberdeck.play.engine import Adviser, Hint, Worth
from cyberdeck.players import find_player
from cyberdeck.players.beliefs import Filter
from cyberdeck.players.search import usual_search
from cyberdeck.players.solvers import PLAYERS

#: So many worlds are followed for what a hint says of beliefs: it is to come soon.
WORLDS: Final = 50


class CompiledAdviser(Adviser):
    """Asks the player that solves the game, if there is one and it takes this game on; else search.

    It is shown what the person's seat may know, as players are. A position's ``core`` is a batch of
    one game.
    """

    def __init__(self, variant: Variant) -> None:
        self._variant = variant
        self._search = usual_search(variant.game)
        bound = float(variant.game.reward_bound)
        super().__init__(self._search.name, bound, alone=variant.seats == 1)

    @functools.cached_property
    def _solver(self) -> Policy | None:
        for name in PLAYERS.get(self._variant.game.name, ()):
            try:
                return find_player(self._variant, name)
            except OptionError:  # it would take too long with these options
                continue
        return None

    def examine(self, position: Any) -> tuple[Sequence[int], Sequence[float]]:
        """How often the search has looked at each action there, and what it expects of it."""
        core: GameBatch = position.core
        visits, values = (each[0] for each in self._search.examine(core.seen(core.all_rows, True)))
        return visits.tolist(), values.tolist()

    def hint(self, position: Any) -> Hint:
        """For whoever decides there."""
        core: GameBatch = position.core
        if self._solver is None:
            found = super().hint(position)
            shown = core.numbered(range(core.variant.action_count))
            worth = {int(shown[action]): word for action, word in found.worth.items()}
            found = found._replace(action=int(shown[found.action]), worth=worth)
        else:
            action = int(core.ask(self._solver, core.all_rows)[0])
            found = Hint(self._solver.name, action, self._outcomes(core))
        if core.logs is None:
            return found
        try:
            return found._replace(believed=describe_beliefs(self._believing, core.history_of(0)))
        except KernelError:  # a hint without beliefs is one, too
            return found

    @functools.cached_property
    def _believing(self) -> Filter:
        """Follows the worlds of the games, in which the others play like the heuristic."""
        variant = self._variant.undisguised
        usual = "heuristic" if variant.game.has_heuristic else "random"
        return Filter(variant, find_player(variant, usual), WORLDS)

    def worth(self, position: Any) -> Worth:
        """For whoever decides there: what the best move brings."""
        if self._exact is not None:
            found = self._exact.of(position.core.states)[0]
            if not np.isnan(found).all():
                return self._worth(float(np.nanmax(found)), "exact")
        return super().worth(position)

    @functools.cached_property
    def _exact(self) -> Values | None:
        """Exact values, where they are known and nothing is hidden."""
        if not self._variant.game.open:
            return None
        try:
            return find_values(self._variant)
        except OptionError:
            return None

    def _outcomes(self, core: GameBatch) -> dict[int, str]:
        """What the exact solver says of each move."""
        if self._solver is None or self._solver.name != "optimal":
            return {}
        from cyberdeck.players.solvers.hackthegrid import solver

        assert isinstance(self._solver, solver.Optimal)
        values = self._solver.solver.values(core.states)[0]
        order = np.argsort(-self._solver.solver.liking[values], kind="stable")
        shown = core.numbered(range(len(values)))
        return {int(shown[at]): solver.NAMES[values[at]] for at in order if values[at] >= 0}
