"""What the best player that there is for a game would do, with a word or a number for each move."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

import numpy as np

from cyberdeck import showing
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import KernelError, OptionError
from cyberdeck.exact.values import find_values
from cyberdeck.players import find_player
from cyberdeck.players.beliefs import Filter
from cyberdeck.players.search import usual_search
from cyberdeck.players.solvers import PLAYERS
from cyberdeck.playing.engine import Hint, Worth

if TYPE_CHECKING:
    from cyberdeck.playing.compiled import CompiledPosition

#: So many worlds are followed for what a hint says of beliefs: it is to come soon.
WORLDS: Final = 50


class Adviser:
    """Asks the player that solves the game, if there is one and it takes this game on; else search.

    It is shown what the person's seat may know, as players are.
    """

    def __init__(self, variant: Variant) -> None:
        self._variant = variant
        self._search = usual_search(variant.game)

    @functools.cached_property
    def _solver(self) -> Policy | None:
        for name in PLAYERS.get(self._variant.game.name, ()):
            try:
                return find_player(self._variant, name)
            except OptionError:  # it would take too long with these options
                continue
        return None

    def hint(self, position: CompiledPosition) -> Hint:
        """For whoever decides there."""
        core = position.core
        if self._solver is None:
            found = self._searched(core)
        else:
            action = int(core.ask(self._solver, core.all_rows)[0])
            found = Hint(self._solver.name, action, self._outcomes(core))
        if core.logs is None:
            return found
        try:
            return found._replace(believed=showing.beliefs(self._believing, core.history_of(0)))
        except KernelError:  # a hint without beliefs is one, too
            return found

    @functools.cached_property
    def _believing(self) -> Filter:
        """Follows the worlds of the games, in which the others play like the heuristic."""
        variant = self._variant.undisguised
        usual = "heuristic" if variant.game.has_heuristic else "random"
        return Filter(variant, find_player(variant, usual), WORLDS)

    def worth(self, position: CompiledPosition) -> Worth:
        """For whoever decides there: what the best move brings."""
        core = position.core
        bound = float(core.game.reward_bound)
        least = -bound if core.variant.seats > 1 else 0.0
        exact = self._exact
        if exact is not None and not np.isnan(found := exact.of(core.states)[0]).all():
            value, who = float(np.nanmax(found)), "exact"
        else:
            visits, values = (
                found[0] for found in self._search.examine(core.seen(core.all_rows, True))
            )
            best = np.lexsort((-values, -visits))[0]
            value, who = float(values[best]), self._search.name
        share = (value - least) / (bound - least)
        return Worth(min(max(share, 0.0), 1.0), f"{round(value, 2) + 0.0:+.2f}", who)

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

    def _searched(self, core: GameBatch) -> Hint:
        seen = core.seen(core.all_rows, True)
        visits, values = (found[0] for found in self._search.examine(seen))
        order = np.lexsort((-values, -visits))
        # Rounded first: there is no "-0.00".
        expected = np.round(values, 2) + 0.0
        shown = core.numbered(range(len(visits)))
        worth = {int(shown[at]): f"{expected[at]:+.2f}" for at in order if visits[at]}
        return Hint(self._search.name, int(shown[order[0]]), worth)
