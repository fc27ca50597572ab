"""Tournaments: everybody against everybody on the same deals, points, and ratings.

Where more than two sides play, each group of players sits in every order on each deal, so that
equal players get equally much. Ratings are then made of the pairs in each game: who got most beat
all others, and those say nothing of each other. That is consistent for the model of Plackett and
Luce, in which the winner is drawn by strength.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, combinations_with_replacement, permutations
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress
from cyberdeck.common.statistics import Mean, share, shown
from cyberdeck.engine import registry
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.evaluation.evaluate import named
from cyberdeck.evaluation.games import ENDINGS, Games
from cyberdeck.evaluation.ratings import Ratings, rate
from cyberdeck.evaluation.results import SHARES, Result, Table
from cyberdeck.evaluation.rounds import Match
from cyberdeck.evaluation.seeds import ReportingSeed, known_by
from cyberdeck.players import Player, find_players

#: Players sit in every order, if that makes no more lineups than this of a deal.
MOST_LINEUPS: Final = 1000


@dataclass(frozen=True)
class Pairing:
    """The results of the games in which two players met, on all sides; wins are the first's.

    In a game of scores nothing of wins, and the points are NaN.
    """

    player: str
    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    all_lose: int
    points: Mean
    """The player's: a win is 1, a draw 1/2 (of three 1/3 ...), anything else 0."""
    opponent_points: Mean
    reward: Mean
    """The player's, in the game's own rewards."""
    opponent_reward: Mean
    decisions: float
    """Length of a game on average, everybody's decisions counted."""
    truncated: int


@dataclass(frozen=True, repr=False)
class Tournament(Result):
    """The results of a tournament."""

    kind = "tournament"

    pairings: list[Pairing]
    """One for each two players, in the order they were named."""
    ratings: Ratings | None
    """On the Elo scale, players as in ``games.players``; None if the finished games do not connect
    all players, or nobody wins in this game.
    """
    anchor: str

    @property
    def players(self) -> tuple[str, ...]:
        return self.games.players

    def points(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Mean points of row against column, and the ends of the 95% intervals, each (n, n).

        In a game that nobody wins, mean rewards. NaN on the diagonal and for players that did not
        meet.
        """
        count, name = len(self.players), self.measure
        means = np.full((3, count, count), np.nan)
        for (one, other), pairing in zip(combinations(range(count), 2), self.pairings, strict=True):
            for row, column, mean in (
                (one, other, getattr(pairing, name)),
                (other, one, getattr(pairing, f"opponent_{name}")),
            ):
                means[:, row, column] = mean.value, mean.low, mean.high
        return means[0], means[1], means[2]

    def ranking(self) -> list[int]:
        """The players' numbers, best first: by rating, or by what they got on average."""
        if self.ratings is not None:
            worth = self.ratings.values
        else:
            gains = np.zeros(len(self.players))
            np.add.at(gains, self.games.lineups, self.games.gains())
            games = np.bincount(self.games.lineups.ravel(), minlength=len(gains))
            worth = gains / np.maximum(games, 1)
        return [int(number) for number in np.argsort(-worth, kind="stable")]

    def _tables(self) -> list[Table]:
        order = self.ranking()
        ranks = [f"{place}. {self.players[at]}" for place, at in enumerate(order, 1)]
        head: tuple[str, ...] = ("rating", "95% interval", "games", "points", *SHARES)
        if self.measure == "reward":
            head = ("games", "reward")
        ranking = [(rank, *self._line(at)) for rank, at in zip(ranks, order, strict=True)]
        value, low, high = self.points()
        against = [
            (rank, *(_cell(value[at, to], low[at, to], high[at, to]) for to in order))
            for rank, at in zip(ranks, order, strict=True)
        ]
        places = (f"{place}." for place in range(1, len(order) + 1))
        return [(("player", *head), ranking), ((f"{self.measure} against", *places), against)]

    def _notes(self) -> list[str]:
        notes = []
        if self.games.interrupted:
            notes.append("Interrupted: only the games that were finished count.")
        if self.measure == "reward":
            notes.append("No ratings: this game has scores, and nobody wins it.")
        elif self.ratings is None:
            notes.append("No ratings: the finished games do not connect all players.")
        elif not self.ratings.bounded.all():
            notes.append(
                f"inf: no games limit how far a rating is from that of {self.anchor}, so the "
                "rating itself says little. Play more deals, add players between, or choose "
                "another anchor."
            )
        none_won, sides = self.games.all_lose(), self.games.lineups.shape[1]
        if none_won.any() and self.measure == "points":
            everybody = "Both" if sides == 2 else "All"
            notes.append(
                f"{everybody} lost {100 * none_won.mean():.1f}% of the games: no points for that, "
                "and ties in the ratings."
            )
        if not every_seating(len(self.players), sides):
            notes.append("Each group of players sat in the turns of one order, not in all orders.")
        return notes

    @classmethod
    def _of(cls, games: Games, content: Mapping[str, Any]) -> Self:
        made = of_games(games, content.get("anchor"))
        return cls(games, made.pairings, made.ratings, made.anchor)

    def _content(self) -> dict[str, Any]:
        rated = self.ratings
        values = () if rated is None else (rated.values, rated.low, rated.high)
        lines = zip(self.players, *(each.tolist() for each in values), strict=True)
        names = ("player", "value", "low", "high")
        return {
            "players": list(self.players),
            "anchor": self.anchor,
            "ratings": [dict(zip(names, line, strict=True)) for line in lines] if values else None,
            self.measure: self.points()[0].tolist(),
            "pairings": [self._without_wins(asdict(pairing)) for pairing in self.pairings],
        }

    def _rows(self) -> list[dict[str, Any]]:
        return [vars(pairing) for pairing in self.pairings]

    def plot_points(self, path: str | Path) -> None:
        """``points`` as a picture: PNG or SVG, by the ending of *path*."""
        from cyberdeck.evaluation import plots

        order, title = self.ranking(), self.games.variant.game.title
        even = 1 / self.games.lineups.shape[1] if self.measure == "points" else 0.0
        players, mean = [self.players[at] for at in order], self.points()[0][np.ix_(order, order)]
        plots.points(players, mean, path, title, measure=self.measure, even=even)

    def plot_ratings(self, path: str | Path) -> None:
        """The ratings with their intervals as a picture: PNG or SVG, by the ending of *path*."""
        from cyberdeck.evaluation import plots

        if self.ratings is None:
            raise OptionError("there are no ratings to plot: the games do not connect all players")
        plots.ratings(self.players, self.ratings, path, title=self.games.variant.game.title)

    def _line(self, number: int) -> tuple[str, ...]:
        """A player's line of the ranking."""
        ended = self.games.ended(*np.nonzero(self.games.lineups == number))
        games = ended["games"]
        if self.measure == "reward":
            return str(games), shown(ended["reward"])
        rating, interval, rated = "-", "-", self.ratings
        if rated is not None:
            rating = f"{rated.values[number]:z.0f}"
            limits = f"{rated.low[number]:z.0f} to {rated.high[number]:z.0f}"
            interval = "anchor" if number == rated.anchor else limits
        shares = (share(ended[name], games) for name in ENDINGS)
        return rating, interval, str(games), shown(ended["points"]), *shares


def every_seating(players: int, sides: int) -> bool:
    """True if each group of so many players sits in every order."""
    orders = math.factorial(sides)
    return orders * math.comb(max(players, sides), sides) <= MOST_LINEUPS


def seatings(players: int, sides: int) -> list[tuple[int, ...]]:
    """The lineups of each deal: who plays each side.

    Every group of players sits in every order; if that is too much, in the turns of one order. Of
    fewer players than there are sides, some play several, in every way.

    >>> seatings(3, 2)
    [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    >>> seatings(2, 3)
    [(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    """
    numbers = range(players)
    groups = list(combinations(numbers, sides))
    if players < sides:
        every = combinations_with_replacement(numbers, sides)
        groups = [group for group in every if set(group) == set(numbers)]
    lineups = dict[tuple[int, ...], None]()
    for group in groups:
        turns = [(*group[at:], *group[:at]) for at in range(sides)]
        lineups |= dict.fromkeys(permutations(group) if every_seating(players, sides) else turns)
    return list(lineups)


def tournament(
    game: str | Variant,
    players: Sequence[Player],
    *,
    deals: int | range = 100,
    seed: int | ReportingSeed = 0,
    openings: int = 0,
    anchor: str | None = None,
    illegal: str = "raise",
    processes: int = 1,
    threads: int | str = 1,
    keep_actions: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Tournament:
    """Let all *players* play each other: on each deal, each two of them with sides swapped.

    Where there are more sides, each group of players sits in every order. In a game of teams, a
    player decides for all ships of its side. After Ctrl-C the result is of the games that were
    finished.

    Args:
        game: name of the game, or a ``Variant``: the game with its options.
        players: at least two, see ``cyberdeck.find_player``; those of one name are
            numbered.
        deals: games on each side in each pairing; all pairings play the same deals. Or which:
            ``range(100, 200)`` are others than ``range(100)``.
        seed: what the deals are drawn from; of a figure to publish, a ``reporting_seed``.
        openings: begin each game with so many random decisions, the same in all games of a deal.
        anchor: name of the player whose rating is 0: "random" if it plays, else the first.
        illegal: "raise" an error if a policy decides illegally, or let its side "lose".
        processes: play in so many processes; policies must be picklable then.
        threads: take steps and searches of many games in so many threads, "auto": one on each core;
            the result is the same.
        keep_actions: keep every game's decisions, for replays.
        progress: called with the number of finished games, of ``deals * len(seatings(n, sides))``.
        **options: the game's own options.

    >>> result = tournament("hackthegrid", ["random", "heuristic"], deals=20)
    >>> [result.players[at] for at in result.ranking()]
    ['heuristic', 'random']
    """
    variant = registry.variant(game, **options).by_outcome
    if max(variant.sides) == 0:
        raise OptionError(
            f"{variant.game.title} is a solitaire: its players have no opponents to meet in a "
            "tournament; measure each of them with evaluate"
        )
    if isinstance(players, str) or len(players) < 2:
        raise OptionError(f"players={players!r} make no tournament: give at least two")
    everybody = named(players)
    # What can go wrong goes wrong before hours of play, not after them.
    chosen = _anchor(tuple(everybody), anchor)
    everyone = find_players(variant, everybody)
    how = (seed, illegal, keep_actions, processes, threads, progress, openings)
    match = Match(variant, everyone, *how, known_by(everybody))
    lineups = seatings(len(everybody), max(variant.sides) + 1)
    return of_games(match.play_rounds(lineups, deals), chosen)


def of_games(games: Games, anchor: str | None = None) -> Tournament:
    """The tournament that games between several players make, however many of each pairing."""
    chosen = _anchor(games.players, anchor)
    pairs = combinations(range(len(games.players)), 2)
    pairings = [_pairing(games, one, other) for one, other in pairs]
    ratings = None
    try:
        if games.measure == "points":
            ratings = rate(*_counts(games), anchor=games.players.index(chosen))
    except OptionError:
        if not games.interrupted and not games.voided:
            raise
    return Tournament(games, pairings, ratings, chosen)


def _anchor(players: tuple[str, ...], anchor: str | None) -> str:
    if anchor is None:
        return "random" if "random" in players else players[0]
    if anchor not in players:
        raise OptionError(f"anchor={anchor!r} does not play: choose one of {', '.join(players)}")
    return anchor


def _pairing(games: Games, one: int, other: int) -> Pairing:
    """The games in which two players met."""
    own = [games.lineups == each for each in (one, other)]
    both = own[0].any(axis=1, keepdims=True) & own[1].any(axis=1, keepdims=True)
    ended, against = (games.ended(*np.nonzero(each & both)) for each in own)
    theirs = {f"opponent_{name}": against[name] for name in ("points", "reward")}
    return Pairing(games.players[one], games.players[other], **ended, **theirs)


def _counts(games: Games) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Wins of row against column and ties of both, for each deal: (deals, n, n)."""
    numbers, deal = np.unique(games.deals, return_inverse=True)
    shape = (len(numbers), len(games.players), len(games.players))
    wins, ties = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    points, all_lose = games.points(), games.all_lose()
    for one, other in permutations(range(games.lineups.shape[1]), 2):
        own, against = games.lineups[:, one], games.lineups[:, other]
        met = (own != against) & ~games.repeats
        more = met & (points[:, one] > points[:, other])
        even = met & (points[:, one] == points[:, other]) & ((points[:, one] > 0) | all_lose)
        np.add.at(wins, (deal, own, against), more)
        np.add.at(ties, (deal, own, against), even)
    return wins, ties


def _cell(value: float, low: float, high: float) -> str:
    if math.isnan(value):
        return "-"
    spread = f" +- {(high - low) / 2:.2f}" if math.isfinite(high - low) else ""
    return f"{value:.2f}{spread}"
