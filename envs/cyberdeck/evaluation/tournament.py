"""Tournaments: everybody against everybody on the same deals, points, and ratings."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.extras import need
from cyberdeck.common.statistics import Mean, points_of, share, shown
from cyberdeck.common.text import html_table, table
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.evaluation import counts, seeds
from cyberdeck.evaluation.evaluate import named, write_json, write_rows
from cyberdeck.evaluation.match import Games, Progress, judged, play_rounds
from cyberdeck.evaluation.ratings import Ratings, rate
from cyberdeck.evaluation.seeds import ReportingSeed
from cyberdeck.players import Player


@dataclass(frozen=True)
class Pairing:
    """How the games of two players ended, on both sides together; wins are the first one's."""

    player: str
    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    all_lose: int
    points: Mean
    """The player's: a win is 1, a draw 1/2, anything else 0."""
    opponent_points: Mean
    decisions: float
    """Length of a game on average, both players' decisions counted."""
    truncated: int


@dataclass(frozen=True)
class Tournament:
    """Who did how well against whom."""

    games: Games
    pairings: list[Pairing]
    """One for each two players, in the order they were named."""
    ratings: Ratings | None
    """On the Elo scale, players as in ``games.players``; None if the finished games do not connect
    all players."""
    anchor: str

    @property
    def players(self) -> tuple[str, ...]:
        return self.games.players

    def points(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Mean points of row against column, and the ends of the 95% intervals, each (n, n).

        NaN on the diagonal and for players that did not meet.
        """
        count = len(self.players)
        means = np.full((3, count, count), np.nan)
        for (one, other), pairing in zip(combinations(range(count), 2), self.pairings, strict=True):
            for row, column, mean in (
                (one, other, pairing.points),
                (other, one, pairing.opponent_points),
            ):
                means[:, row, column] = mean.value, mean.low, mean.high
        return means[0], means[1], means[2]

    def ranking(self) -> list[int]:
        """The players' numbers, best first: by rating, or by points if there are no ratings."""
        if self.ratings is not None:
            worth = self.ratings.values
        else:
            points = np.zeros(len(self.players))
            np.add.at(points, self.games.lineups, self.games.points())
            games = np.bincount(self.games.lineups.ravel(), minlength=len(points))
            worth = points / np.maximum(games, 1)
        return [int(number) for number in np.argsort(-worth, kind="stable")]

    def table(self, width: int | None = None) -> str:
        """The ranking, the points of everybody against everybody, and what players counted."""
        return "\n\n".join([*(table(*each, width=width) for each in self._tables()), *self.notes()])

    def __repr__(self) -> str:
        return f"{self._heading()}\n\n{self.table()}"

    def _repr_html_(self) -> str:
        tables = "".join(html_table(*each) for each in self._tables())
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes())
        return f"<p>{html.escape(self._heading())}</p>{tables}{notes}"

    def _heading(self) -> str:
        return f"{self.games.variant.game.title}, {seeds.shown(self.games.seed)}"

    def _tables(self) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        """The head and the lines of each."""
        order = self.ranking()
        ranks = [f"{place}. {self.players[at]}" for place, at in enumerate(order, 1)]
        head = ("rating", "95% interval", "games", "points", "win", "draw", "loss", "all lose")
        ranking = [(rank, *self._line(at)) for rank, at in zip(ranks, order, strict=True)]
        value, low, high = self.points()
        against = [
            (rank, *(_cell(value[at, to], low[at, to], high[at, to]) for to in order))
            for rank, at in zip(ranks, order, strict=True)
        ]
        places = (f"{place}." for place in range(1, len(order) + 1))
        tables = [(("player", *head), ranking), (("points against", *places), against)]
        return tables + counts.tables(self.games)

    def notes(self) -> list[str]:
        """What a reader of the results has to know beside them."""
        notes = counts.notes(self.games)
        if self.games.interrupted:
            notes.append("Interrupted: only the games that were finished count.")
        if self.ratings is None:
            notes.append("No ratings: the finished games do not connect all players.")
        elif not self.ratings.bounded.all():
            notes.append(
                f"inf: no games limit how far a rating is from that of {self.anchor}, so the "
                "rating itself says little. Play more deals, add players between, or choose "
                "another anchor."
            )
        none_won = self.games.all_lose()
        if none_won.any():
            notes.append(
                f"Both lost {100 * none_won.mean():.1f}% of the games: no points for that, and "
                "ties in the ratings."
            )
        return notes + seeds.notes(self.games.seed)

    def save_json(self, path: str | Path) -> None:
        """All results, and the game and options they are of; null where a number is not finite."""
        rated = self.ratings
        values = () if rated is None else (rated.values, rated.low, rated.high)
        lines = zip(self.players, *(each.tolist() for each in values), strict=True)
        names = ("player", "value", "low", "high")
        content = {
            "players": list(self.players),
            "interrupted": self.games.interrupted,
            "voided": self.games.voided,
            "anchor": self.anchor,
            "ratings": [dict(zip(names, line, strict=True)) for line in lines] if values else None,
            "points": self.points()[0].tolist(),
            "pairings": [asdict(pairing) for pairing in self.pairings],
        }
        content |= seeds.as_json(self.games.seed) | counts.as_json(self.games)
        write_json(path, self.games.variant, content)

    def save_csv(self, path: str | Path) -> None:
        """One line for each pairing."""
        write_rows(path, self.pairings)

    def plot_points(self, path: str | Path) -> None:
        """``points`` as a picture: PNG or SVG, by the ending of *path*."""
        from cyberdeck.evaluation import plots

        order = self.ranking()
        plots.points(
            [self.players[at] for at in order],
            self.points()[0][np.ix_(order, order)],
            path,
            title=self.games.variant.game.title,
        )

    def plot_ratings(self, path: str | Path) -> None:
        """The ratings with their intervals as a picture: PNG or SVG, by the ending of *path*."""
        from cyberdeck.evaluation import plots

        if self.ratings is None:
            raise OptionError("there are no ratings to plot: the games do not connect all players")
        plots.ratings(self.players, self.ratings, path, title=self.games.variant.game.title)

    def _line(self, number: int) -> tuple[str, ...]:
        """A player's line of the ranking."""
        ended = self.games.ended(*np.nonzero(self.games.lineups == number))
        games, counts = ended["games"], ("wins", "draws", "losses", "all_lose")
        rating, interval = "-", "-"
        if self.ratings is not None:
            rated = self.ratings
            rating = f"{rated.values[number]:z.0f}"
            interval = f"{rated.low[number]:z.0f} to {rated.high[number]:z.0f}"
            if number == rated.anchor:
                interval = "anchor"
        shares = (share(ended[name], games) for name in counts)
        return rating, interval, str(games), shown(ended["points"]), *shares


def tournament(
    game: str | Variant,
    players: Sequence[Player],
    *,
    deals: int = 100,
    seed: int | ReportingSeed = 0,
    anchor: str | None = None,
    illegal: str = "raise",
    processes: int = 1,
    threads: int | str = 1,
    keep_actions: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Tournament:
    """Let all *players* play each other: on each deal, each two of them with sides swapped.

    In a game of teams, a player decides for all ships of its side. After Ctrl-C the result is
    of the games that were finished.

    Args:
        game: name of the game, or a ``Variant``: the game with its options.
        players: at least two, see ``cyberdeck.players.find_player``; those of one name are
            numbered.
        deals: games on each side in each pairing; all pairings play the same deals.
        seed: what the deals are drawn from; of a figure to publish, a ``reporting_seed``.
        anchor: name of the player whose rating is 0: "random" if it plays, else the first.
        illegal: "raise" an error if a policy decides illegally, or let its side "lose".
        processes: play in so many processes; policies must be picklable then.
        threads: take steps and searches of many games in so many threads, "auto": one on each core;
            the result is the same.
        keep_actions: keep every game's decisions, for replays.
        progress: called with the number of finished games, of ``deals * n * (n - 1)``.
        **options: the game's own options.

    >>> result = tournament("hackthegrid", ["random", "heuristic"], deals=20)
    >>> [result.players[at] for at in result.ranking()]
    ['heuristic', 'random']
    """
    variant = judged(game, options)
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
    need("scipy", "ratings")
    pairs = list(combinations(range(len(everybody)), 2))
    round_ = [lineup for one, other in pairs for lineup in ((one, other), (other, one))]
    games = play_rounds(
        variant,
        everybody,
        round_,
        deals,
        seed=seed,
        illegal=illegal,
        processes=processes,
        threads=threads,
        keep_actions=keep_actions,
        progress=progress,
    )
    return of_games(games, chosen)


def of_games(games: Games, anchor: str | None = None) -> Tournament:
    """The tournament that games between several players make, however many of each pairing."""
    chosen = _anchor(games.players, anchor)
    pairs = combinations(range(len(games.players)), 2)
    pairings = [_pairing(games, one, other) for one, other in pairs]
    ratings = None
    try:
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
    """The games of two players."""
    met = [(games.lineups == each).any(axis=1) for each in (one, other)]
    which = np.flatnonzero(met[0] & met[1])
    sides = np.argmax(games.lineups[which] == one, axis=1)
    against = points_of(games.points()[which, 1 - sides], games.deals[which])
    ended = games.ended(which, sides)
    return Pairing(games.players[one], games.players[other], **ended, opponent_points=against)


def _counts(games: Games) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Wins of row against column and ties of both, for each deal: (deals, n, n)."""
    numbers, deal = np.unique(games.deals, return_inverse=True)
    shape = (len(numbers), len(games.players), len(games.players))
    wins, ties = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    points = games.points()
    one, other = games.lineups.T
    for own, against, won in ((one, other, points[:, 0]), (other, one, points[:, 1])):
        np.add.at(wins, (deal, own, against), won == 1)
        np.add.at(ties, (deal, own, against), points.max(axis=1) < 1)
    return wins, ties


def _cell(value: float, low: float, high: float) -> str:
    if math.isnan(value):
        return "-"
    spread = f" +- {(high - low) / 2:.2f}" if math.isfinite(high - low) else ""
    return f"{value:.2f}{spread}"
