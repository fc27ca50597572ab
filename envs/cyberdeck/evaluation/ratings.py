"""Ratings on the Elo scale from who beat whom how often.

The model is Davidson's (1970): with strengths s, player i beats j, loses to j or ties with j in the
proportions s_i : s_j : nu * sqrt(s_i * s_j). One nu for all pairs says how common ties are. So
400 points between two players mean ten wins for every loss, whatever the number of ties. There is
no term for the side that a player has: both players of a pair are to play each side as often.

Ratings are the most likely ones, given the games and a little imaginary evidence that keeps them
finite: each player won half a game and lost half a game against a player of strength 1, and
half of one game between equals was a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.statistics import Z
from cyberdeck.errors import OptionError

#: Points on the Elo scale for each unit of log strength.
SCALE: Final = 400 / np.log(10)

Floats: TypeAlias = NDArray[np.float64]
Links: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class Ratings:
    """The strengths of some players, relative to one of them."""

    values: Floats
    """(n,): On the Elo scale; the anchor's is 0."""
    low: Floats
    """(n,): The lower ends of the 95% intervals of the difference to the anchor. Minus infinity
    where no chain of wins leads from the player to the anchor: then only the imaginary games keep
    the value finite.
    """
    high: Floats
    """(n,): The upper ends. Infinite where no chain of wins leads from the anchor to the player."""
    ties: float
    """Nu: among equals, ties for each game that the first of them wins."""
    anchor: int
    """The index of the player whose value is 0."""

    @property
    def bounded(self) -> Links:
        """True for each rating that the games limit from below and from above."""
        return np.isfinite(self.low) & np.isfinite(self.high)


def rate(wins: Any, ties: Any, anchor: int = 0) -> Ratings:
    """Rate players who have played each other.

    Args:
        wins: games that i won against j, as (n, n); or as (deals, n, n), each deal by itself.
        ties: games between i and j that neither won, of the same shape, symmetric.
        anchor: the player whose rating is 0.

    Games of one deal are no independent evidence: the same cards come up for both sides. Given by
    deals, the intervals are made from how much the deals differ (the sandwich estimator, with a
    deal as the unit). Given as sums, every game counts as independent. The former needs some
    dozens of deals to be right.

    >>> rated = rate([[0, 300], [100, 0]], [[0, 50], [50, 0]], anchor=1)
    >>> rated.values.round().tolist()
    [191.0, 0.0]
    """
    won, tied = np.asarray(wins, np.float64), np.asarray(ties, np.float64)
    if won.ndim == 2:
        won, tied = won[None], tied[None]
    _check(won, tied, anchor)
    all_won, all_tied = won.sum(axis=0), tied.sum(axis=0)
    played = all_won + all_won.T + all_tied
    _check_connected(played)

    best = _fit(all_won, all_tied, played)
    inverse: NDArray[Any] = np.linalg.inv(_information(best, played))
    robust = model = _spread(inverse, anchor)
    if len(won) > 1:
        scores = _score(best, won, tied)
        between = scores.T @ scores * (len(won) / (len(won) - 1))
        robust = _spread(inverse @ between @ inverse, anchor)
    above, below = _limits(all_won, all_tied, anchor)
    # Where there is no limit all deals agree, and how much they differ says nothing.
    spread = Z * SCALE * np.where(above & below, robust, model)
    values = SCALE * (best[:-1] - best[anchor])
    return Ratings(
        values=values,
        low=np.where(below, values - spread, -np.inf),
        high=np.where(above, values + spread, np.inf),
        ties=float(np.exp(best[-1])),
        anchor=anchor,
    )


def _check(won: Floats, tied: Floats, anchor: int) -> None:
    count = won.shape[-1]
    if won.ndim != 3 or won.shape[1] != count or tied.shape != won.shape:
        raise OptionError(
            f"wins and ties have the shapes {won.shape} and {tied.shape}: both must be (n, n), or "
            "(deals, n, n)"
        )
    if count < 2:
        raise OptionError("ratings compare players with each other: give at least two")
    if not 0 <= anchor < count:
        raise OptionError(f"anchor={anchor!r} is no player: they are 0 to {count - 1}")
    for name, counts in (("wins", won), ("ties", tied)):
        if not (np.isfinite(counts).all() and (counts >= 0).all()):
            raise OptionError(f"{name} must be numbers of games, 0 or more")
        if counts.diagonal(axis1=1, axis2=2).any():
            raise OptionError(f"{name} has games of a player against itself: leave them out")
    if (tied != tied.swapaxes(1, 2)).any():
        raise OptionError("ties must be symmetric: a tie of i with j is one of j with i")


def _check_connected(played: Floats) -> None:
    if len(apart := np.flatnonzero(~_chains(played > 0)[0])):
        raise OptionError(
            f"no games connect player 0 with {', '.join(map(str, apart))}: only players who met, "
            "or met the same others, can be compared"
        )


# --- the model -----------------------------------------------------------------------------------
#
# The parameters are the log strengths and, last, the log of nu: (n + 1,).


def _chances(at: Floats) -> tuple[Floats, Floats]:
    """For each pair (n, n): that the first wins, and that they tie."""
    first, second = at[:-1, None], at[None, :-1]
    tie = at[-1] + (first + second) / 2
    total = np.logaddexp(np.logaddexp(first, second), tie)
    return np.exp(first - total), np.exp(tie - total)


def _score(at: Floats, won: Floats, tied: Floats) -> Floats:
    """The gradient of the log likelihood (..., n + 1): points and ties less those expected.

    The games are (..., n, n): of each deal, or of all together.
    """
    win, tie = _chances(at)
    played = won + won.swapaxes(-1, -2) + tied
    points = (won + tied / 2 - played * (win + tie / 2)).sum(axis=-1)
    ties = (tied - played * tie).sum(axis=(-1, -2)) / 2
    return np.concatenate([points, ties[..., None]], axis=-1)


def _imaginary(at: Floats) -> tuple[Floats, Floats]:
    """Of the imaginary games: gradient, and information of each parameter.

    All are half a success in one trial: with the odds s of a game, and nu / 2 of a tie of equals.
    """
    odds = at - np.append(np.zeros(len(at) - 1), np.log(2))
    chance = np.exp(odds - np.logaddexp(0, odds))
    return 0.5 - chance, chance * (1 - chance)


def _information(at: Floats, played: Floats) -> Floats:
    """Minus the Hessian of the log likelihood, imaginary games included: (n + 1, n + 1)."""
    win, tie = _chances(at)
    points = win + tie / 2
    varies = played * (win + tie / 4 - points**2)
    both = played * tie * (0.5 - points)
    hessian = np.diag(_imaginary(at)[1])
    hessian[:-1, :-1] += np.diag(varies.sum(axis=1)) - varies
    hessian[:-1, -1] = hessian[-1, :-1] = both.sum(axis=1)
    hessian[-1, -1] += (played * tie * (1 - tie)).sum() / 2
    return hessian


def _fit(won: Floats, tied: Floats, played: Floats) -> Floats:
    """The most likely parameters; there is exactly one maximum.

    Newton's method, with steps that are shortened so that each comes nearer: where odds change by
    *far* at most, curvature does by a factor of exp(*far*) (Sun and Tran-Dinh 2019).
    """
    at, far = np.zeros(len(won) + 1), 1.0
    while far > 1e-6:  # the last step is good to twice as many digits
        step = np.linalg.solve(_information(at, played), _score(at, won, tied) + _imaginary(at)[0])
        far = max(2 * float(np.abs(step).max()), 1e-300)
        at += step * np.log1p(far) / far
    return at


def _spread(covariance: Floats, anchor: int) -> Floats:
    """Standard deviations of the log strengths' differences to the anchor's."""
    own = covariance.diagonal()[:-1]
    beside = own + own[anchor] - 2 * covariance[:-1, anchor]
    return np.asarray(np.sqrt(np.maximum(beside, 0)))  # the anchor's own is 0 but for rounding


def _limits(won: Floats, tied: Floats, anchor: int) -> tuple[Links, Links]:
    """For each rating: do the games limit it from above, and from below, relative to the anchor?

    A chain of wins from i to the anchor limits i from below, one from the anchor to i from above.
    A tie is a link both ways, but only if wins somewhere go round in a circle: else all ties
    could as well come from a huge nu, at any distance.
    """
    reach = _chains(won > 0)
    if (reach & reach.T).sum() > len(won):  # more than each with itself
        reach = _chains((won > 0) | (tied > 0))
    return reach[anchor], reach[:, anchor]


def _chains(links: Links) -> Links:
    """The transitive closure: True where any number of links leads from i to j."""
    reach = links | np.eye(len(links), dtype=np.bool_)
    for _ in range(len(links).bit_length()):
        reach = reach @ reach  # over twice as many
    return reach
