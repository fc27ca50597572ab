"""Two players compared: on every deal both play every side against the other."""

from __future__ import annotations

import functools
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress
from cyberdeck.common.statistics import Mean, mean_of, points_of, share, shown
from cyberdeck.engine import registry
from cyberdeck.engine.variant import Variant
from cyberdeck.evaluation.evaluate import named
from cyberdeck.evaluation.results import Result, Table, signed
from cyberdeck.evaluation.rounds import Match
from cyberdeck.evaluation.seeds import ReportingSeed, known_by
from cyberdeck.evaluation.tournament import seatings
from cyberdeck.players import Player, find_players


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """The results of two players against each other."""

    kind = "match"

    @property
    def difference(self) -> Mean:
        """How much more the first player gets in a game: the mean over deals.

        The interval is paired: all games of a deal, in every seating, are one observation.
        """
        (one, other), observations = self._deals
        if self.measure == "reward":
            return mean_of(one - other, observations)
        half = points_of((one - other + 1) / 2, observations)
        return Mean(2 * half.value - 1, 2 * half.low - 1, 2 * half.high - 1)

    @property
    def deals(self) -> dict[str, int]:
        """On how many deals the first player got more ("better"), both as much ("equal"), or the
        second more ("worse"). A deal on which all is repeated is not counted again.
        """
        (one, other), observations = self._deals
        more = np.round(one - other, 9)  # rounding errors make nobody better
        signs = np.sign(more[np.unique(observations, return_index=True)[1]])
        names = {"better": 1, "equal": 0, "worse": -1}
        return {name: int((signs == sign).sum()) for name, sign in names.items()}

    @functools.cached_property
    def _deals(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Of the deals that were finished in every seating: (2, deals), what each player got in a
        game on average, and (deals,), which of them are one observation.
        """
        games, sides = self.games, self.games.lineups.shape[1]
        seated = len(seatings(2, sides))
        _, at, count = np.unique(games.deals, return_inverse=True, return_counts=True)
        order = np.argsort(games.deals, kind="stable")
        which = order[count[at[order]] == seated]
        lineups, gains = games.lineups[which], games.gains()[which]
        own = np.stack([lineups == player for player in range(2)]).reshape(2, -1, seated * sides)
        got = (own * gains.reshape(-1, seated * sides)).sum(axis=2) / own.sum(axis=2)
        return got, games.observations(which)[::seated]

    def heading(self) -> str:
        """The game, its deals and the players."""
        return f"{super().heading()}: {' against '.join(self.games.players)}"

    def _tables(self) -> list[Table]:
        (one, other), mean = self.games.players, points_of if self.measure == "points" else mean_of
        (got, observations), total = self._deals, sum(self.deals.values())
        whose = f"{one} better", "equal", f"{other} better"
        counts = zip(whose, self.deals.values(), strict=True)
        lines = [
            (f"{self.measure}, {one}", shown(mean(got[0], observations))),
            (f"{self.measure}, {other}", shown(mean(got[1], observations))),
            ("difference", signed(self.difference, self.measure)),
            *((f"deals, {who}", f"{n} ({share(n, total)})") for who, n in counts),
            ("distinct games", f"{self.games.distinct} of {len(self.games)}"),
        ]
        return [(("", f"{one} against {other}"), lines)]

    def _content(self) -> dict[str, Any]:
        difference, distinct = asdict(self.difference), self.games.distinct
        return {"difference": difference, "deals": self.deals, "distinct": distinct}

    def _rows(self) -> list[dict[str, Any]]:
        about = dict(zip(("player", "opponent"), self.games.players, strict=True))
        counts = {"games": len(self.games), "distinct": self.games.distinct, **self.deals}
        return [{**about, **counts, "difference": self.difference}]


def match(
    game: str | Variant,
    player: Player,
    opponent: Player,
    *,
    deals: int | range = 500,
    seed: int | ReportingSeed = 0,
    openings: int = 0,
    illegal: str = "raise",
    processes: int = 1,
    threads: int | str = 1,
    keep_actions: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Comparison:
    """Compare two players: on each deal they play each other with the sides swapped.

    Where there are more sides, the two sit in every way that seats both. In a game for one, each
    plays every deal. The difference of the two comes with a paired interval: all games of a deal
    are one observation.

    Args:
        game: name of the game, or a ``Variant``: the game with its options.
        player: see ``cyberdeck.find_player``.
        opponent: likewise.
        deals: how many, or which: ``range(500, 1000)`` are others than ``range(500)``, and both
            results can be merged.
        seed: what the deals are drawn from; of a figure to publish, a ``reporting_seed``.
        openings: begin each game with so many random decisions, the same in all games of a deal.
            Players that decide without chance play different games then, also where the game has
            only one deal.
        illegal: "raise" an error if a policy decides illegally, or let its side "lose".
        processes: play in so many processes; policies must be picklable then.
        threads: take steps and searches of many games in so many threads, "auto": one on each core;
            the result is the same.
        keep_actions: keep every game's decisions, for replays.
        progress: called with the number of finished games.
        **options: the game's own options.

    >>> import cyberdeck
    >>> result = cyberdeck.match("hackthegrid", "heuristic", "random", deals=50)
    >>> result.difference.low > 0.5
    True
    """
    variant = registry.variant(game, **options).by_outcome
    both = named([player, opponent])
    how = (seed, illegal, keep_actions, processes, threads, progress, openings, known_by(both))
    games = Match(variant, find_players(variant, both), *how)
    return Comparison(games.play_rounds(seatings(2, max(variant.sides) + 1), deals))
