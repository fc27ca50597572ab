"""HACKtheGRID: how much a player gives away, measured against perfect play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress
from cyberdeck.common.statistics import Mean, shown
from cyberdeck.common.text import counted, table
from cyberdeck.engine import registry
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.values import given_away
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import require
from cyberdeck.games.hackthegrid.constants import CARDS, NONE
from cyberdeck.players import Player, find_player
from cyberdeck.players.solvers.hackthegrid.values import SolverValues

#: A won game counts a point and a lost one none: half of what lies between its rewards.
_POINTS: Final = 0.5

_RESAMPLES = 1000


@dataclass(frozen=True)
class Line:
    """One line of a ``Regret``: of a seat, or of both.

    decisions   those that left a choice
    loss        points (win 1, draw 1/2, else 0) given away in each, on average
    lossless    share of decisions that gave no points away
    optimal     share of decisions that are optimal for one who also keeps to the ties rule
    """

    seat: str
    decisions: int
    loss: Mean
    lossless: Mean
    optimal: Mean


@dataclass(frozen=True)
class Regret:
    """What ``regret`` has measured; ``str`` of it is a table."""

    player: str
    opponent: str
    ties: str
    deals: int
    lines: tuple[Line, ...]

    def __str__(self) -> str:
        deals = counted(self.deals, "deal")
        heading = f"{self.player} against {self.opponent}, {deals}, ties={self.ties}"
        head = ("seat", "decisions", "points lost per decision", "lossless", "optimal")
        rows = [
            (line.seat, str(line.decisions), *map(shown, (line.loss, line.lossless, line.optimal)))
            for line in self.lines
        ]
        return f"{heading}\n\n{table(head, rows, markdown=True)}"


def regret(
    player: Player,
    opponent: Player | None = None,
    *,
    deals: int = 200,
    seed: int = 0,
    ties: str = "spiteful",
    progress: Progress | None = None,
    **options: Any,
) -> Regret:
    """Compare every decision of *player* with the exact values of all its actions.

    Each deal is played from both seats against *opponent*, or once by the player alone for both
    seats. Decisions with a single legal action are not counted. The intervals are bootstrapped
    over deals. *progress* is told each turn how many decisions have been looked at.

    >>> measured = regret("random", "heuristic", deals=2)
    >>> [line.seat for line in measured.lines]
    ['column', 'row', 'both']
    """
    require(is_whole(deals) and deals >= 1, "deals", deals, "at least 1 is needed")
    variant = registry.variant("hackthegrid", **options)
    chosen = find_player(variant, player)
    other = chosen if opponent is None else find_player(variant, opponent)
    values = SolverValues(variant.by_outcome, ties, scrambles=CARDS)
    sums = np.zeros((deals, 2, 4))  # of each deal and seat: decisions, loss, lossless, optimal
    seats = (0, 1) if opponent is not None else (NONE,)
    for seat in seats:
        for which, states, actions in _decisions(variant, chosen, other, seat, deals, seed):
            worth, picked = values.of(states), (np.arange(len(which)), actions)
            lost = _POINTS * given_away(worth)[picked]
            free = (~np.isnan(worth)).sum(1) > 1
            found = [np.ones(len(which)), lost, lost == 0, values.best(states)[picked]]
            sums[which, states["mover"]] += np.stack(found, 1) * free[:, None]
            if progress is not None:
                progress(int(sums[..., 0].sum()))
    lines = [_line(name, sums[:, at]) for at, name in enumerate(variant.agents)]
    lines.append(_line("both", sums.sum(1)))
    against = "itself" if opponent is None else other.name
    return Regret(chosen.name, against, ties, deals, (*lines,))


def _decisions(
    variant: Variant, player: Policy, opponent: Policy, seat: int, deals: int, seed: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64]]]:
    """Play all deals; the player's decisions as (rows, records, actions). Seat NONE: both."""
    core = GameBatch(variant, deals, autoreset=DISABLED)
    core.reset(range(seed, seed + deals))
    while len(running := np.flatnonzero(core.movers != NONE)):
        own = (core.movers[running] == seat) | (seat == NONE)
        actions = np.zeros(deals, np.int64)
        for who, which in ((player, running[own]), (opponent, running[~own])):
            if len(which):
                actions[which] = core.ask(who, which)
        mine = running[own]
        if len(mine):
            yield mine, core.states[mine], actions[mine]
        core.step(actions)


def _line(seat: str, sums: NDArray[np.float64]) -> Line:
    """From sums (deals, 4) of decisions, loss, lossless and optimal ones."""
    drawn = np.random.default_rng(0).integers(len(sums), size=(_RESAMPLES, len(sums)))
    totals = sums[drawn].sum(1)
    # A deal may leave a seat no choice at all: of such deals alone nothing can be said.
    means = totals[:, 1:] / np.maximum(totals[:, :1], 1)
    low, high = np.percentile(means, [2.5, 97.5], axis=0)
    whole = sums.sum(0)
    mean = whole[1:] / max(whole[0], 1)
    return Line(seat, int(whole[0]), *map(Mean, mean.tolist(), low.tolist(), high.tolist()))
