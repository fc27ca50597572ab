"""Measuring one player: against each of some opponents, on both sides of the same deals."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self

import numpy as np

from cyberdeck.common.progress import Progress, further
from cyberdeck.common.statistics import Mean, mean_of, percent, share, shown
from cyberdeck.common.text import printable
from cyberdeck.engine import registry
from cyberdeck.engine.disguise import DISGUISE
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, ResultError
from cyberdeck.evaluation.games import ENDINGS, Games
from cyberdeck.evaluation.results import SHARES, Disguised, Noise, Result, Table, difference
from cyberdeck.evaluation.rounds import Match
from cyberdeck.evaluation.seeds import ReportingSeed, known_by
from cyberdeck.players import Player, built_in_names, find_players, short_name
from cyberdeck.text.chat.player import Chat

#: What the sides together are called, where there are two, more, or one.
TOGETHER: Final = ("both", "all", "-")

#: Shown of the scores of a game for one: so many hundredths of the games had that or less.
_QUANTILES: Final = (5, 25, 50, 75, 95)


@dataclass(frozen=True)
class Record:
    """The results of one player's games on one side against one opponent.

    In a game of scores, which nobody wins, no wins, draws and losses are counted, and the points
    are NaN: ``reward`` says how good it was.
    """

    opponent: str
    side: str
    games: int
    wins: int
    draws: int
    losses: int
    all_lose: int
    points: Mean
    """A win is 1, a draw 1/2 (of three 1/3 ...), anything else 0."""
    reward: Mean
    """The player's mean reward; games may pay other rewards than -1, 0 and 1."""
    decisions: float
    """Length of a game on average, everybody's decisions counted."""
    truncated: int


@dataclass(frozen=True, repr=False)
class Evaluation(Result):
    """The results of one player."""

    kind = "evaluation"

    player: str
    noise: Noise | None = None
    """The difference between the player and its copy, if it was measured twice."""
    disguised: Disguised | None = None
    """The difference that a disguise makes, if it was measured there as well."""

    @functools.cached_property
    def records(self) -> list[Record]:
        """Each opponent's sides and then all of them together; of a game for one, one record."""
        games = self.games
        own, names = np.argmax(games.lineups == 0, axis=1), side_names(games.variant)
        if len(names) == 1:
            return [Record("-", "-", **games.ended(np.flatnonzero(own == 0), own))]
        records = []
        for number, opponent in enumerate(games.players[1:], 1):
            against = (games.lineups == number).any(axis=1)
            sides = [(name, against & (own == side)) for side, name in enumerate(names)]
            for name, chosen in [*sides, ("both" if len(names) == 2 else "all", against)]:
                which = np.flatnonzero(chosen)
                records.append(Record(opponent, name, **games.ended(which, own[which])))
        return records

    @functools.cached_property
    def metrics(self) -> dict[str, Mean]:
        """In a game for one: the game's metrics at the end."""
        games = self.games
        if games.returns.shape[1] > 1:
            return {}
        return {
            metric.name: mean_of(games.metrics[:, at], games.observations(np.arange(len(games))))
            for at, metric in enumerate(games.variant.game.metrics)
        }

    @property
    def overall(self) -> list[Record]:
        """Of each opponent the record of all sides together, or the one of a game for one."""
        return [record for record in self.records if record.side in TOGETHER]

    @property
    def quantiles(self) -> dict[int, float]:
        """In a game for one with scores: what so many hundredths of the games had at most."""
        if self.measure == "points" or self.games.returns.shape[1] > 1 or not len(self.games):
            return {}
        scores = np.percentile(self.games.returns[:, 0], _QUANTILES)
        return dict(zip(_QUANTILES, scores.tolist(), strict=True))

    def heading(self) -> str:
        """The game, its deals and the player."""
        stopped = ", interrupted" if self.games.interrupted else ""
        return f"{super().heading()}{stopped}: {self.player}"

    def _notes(self) -> list[str]:
        return [each.words() for each in (self.noise, self.disguised) if each is not None]

    def _tables(self) -> list[Table]:
        if self.records[0].side != "-":
            shares = SHARES if self.measure == "points" else ()
            head = ("opponent", "side", "games", *shares, self.measure, "decisions")
            return [(head, [self._line(record) for record in self.records])]
        record = self.records[0]
        won = "won", percent(record.wins, record.games)
        lines = [("games", str(record.games))]
        lines += [won if self.measure == "points" else ("mean score", shown(record.reward))]
        for at, score in self.quantiles.items():
            lines += [("median" if at == 50 else f"{at}% have at most", f"{score:g}")]
        lines += [(name, shown(mean)) for name, mean in self.metrics.items()]
        return [(("", self.player), lines)]

    def _line(self, record: Record) -> tuple[str, ...]:
        counts = [getattr(record, name) for name in ENDINGS] if self.measure == "points" else []
        return (
            record.opponent,
            record.side,
            str(record.games),
            *(share(count, record.games) for count in counts),
            shown(getattr(record, self.measure)),
            f"{record.decisions:.0f}" if record.games else "-",
        )

    @classmethod
    def _of(cls, games: Games, content: Mapping[str, Any]) -> Self:
        if content.get("noise") or content.get("disguised"):
            raise ResultError("what was played twice, with null or disguise, is not made anew")
        return cls(games, games.players[0])

    def _content(self) -> dict[str, Any]:
        content = {
            "player": self.player,
            "records": [self._without_wins(asdict(record)) for record in self.records],
            "metrics": {name: asdict(mean) for name, mean in self.metrics.items()},
            "quantiles": self.quantiles,
            "noise": self.noise and asdict(self.noise),
            "disguised": self.disguised and asdict(self.disguised),
        }
        return {name: value for name, value in content.items() if value or name == "metrics"}

    def _rows(self) -> list[dict[str, Any]]:
        return [{"player": self.player, **vars(record)} for record in self.records]


def evaluate(
    game: str | Variant,
    player: Player,
    opponents: str | Sequence[Player] | None = None,
    *,
    deals: int | range = 500,
    seed: int | ReportingSeed = 0,
    openings: int = 0,
    illegal: str = "raise",
    processes: int = 1,
    threads: int | str = 1,
    keep_actions: bool = False,
    null: bool = False,
    disguise: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Evaluation:
    """Measure *player*: on each deal it plays every side against every opponent.

    In a game of teams, a player decides for all ships of its side. A game for one has no
    opponents: it is played once on each deal. Nobody named: random, and the heuristic where the
    game has one.

    Deals of a number, *seed*, are for choosing; a figure to publish takes ``reporting_seed``.
    *deals* says how many, or which: ``range(500, 1000)`` are others than ``range(500)``.

    *openings*: each game begins with so many random decisions, the same in all games of a deal.

    *null*, of a chat model: all is played again by an independent copy of it, which says how much
    it differs from itself (``noise``).

    *disguise*: all is played in that disguise as well, which says what the player loses where the
    game goes by other names (``disguised``).

    >>> result = evaluate("hackthegrid", "heuristic", ["random"], deals=50)
    >>> result.records[-1].games
    100
    """
    variant = registry.variant(game, **options).by_outcome
    plain = variant.undisguised if disguise else variant
    veiled = Variant(plain.game, {**plain.options, DISGUISE: disguise}) if disguise else plain
    sides = max(plain.sides) + 1
    if opponents is None:
        opponents = built_in_names(plain.game)
    others = [opponents] if isinstance(opponents, str) else list(opponents)
    if sides > 1 and not others:
        raise OptionError(f"opponents=[] is empty: {plain.game.title} needs at least one")
    everybody = named([player, *(others if sides > 1 else [])])
    players = find_players(plain, everybody)
    own, model = next(iter(players.items()))
    if null and not isinstance(model, Chat):
        raise OptionError(
            f"{own} is no chat model: how much it differs from itself, the intervals say"
        )
    # On each deal the first player plays on each side against each of the others.
    lineups = [
        [0 if at == side else number for at in range(sides)]
        for number in range(min(1, len(players) - 1), len(players))
        for side in range(sides)
    ]
    how = (seed, illegal, keep_actions, processes, threads, progress, openings)
    match = Match(plain, players, *how, known_by(everybody))
    last = played = match.play_rounds(lineups, deals)
    noise = disguised = None
    counts, games = dict(played.counts), len(played) + played.voided
    if null and isinstance(model, Chat) and not last.interrupted:
        twin = model.twin()
        again = replace(match, players={**players, own: twin}, progress=further(progress, games))
        last = again.play_rounds(lineups, deals)
        shared = model.moves.keys() & twin.moves.keys()
        alike = sum(model.moves[prompt] == twin.moves[prompt] for prompt in shared)
        noise = Noise(*difference(played, last), len(shared), alike, played.measure)
        counts[f"{own}, again"] = last.counts[own]
    if disguise and not last.interrupted:
        after = further(progress, games * (1 + null))
        last = replace(match, variant=veiled, progress=after).play_rounds(lineups, deals)
        disguised = Disguised(disguise, *difference(played, last), played.measure)
        counts |= {f"{who}, in disguise": each for who, each in last.counts.items()}
    whole = replace(played, counts=counts, interrupted=last.interrupted)
    return Evaluation(whole, own, noise, disguised)


def named(players: Sequence[Player]) -> dict[str, Player]:
    """Players by name; those of one name are numbered. Names of files are anybody's."""
    by_name: dict[str, Player] = {}
    for each in players:
        if isinstance(each, str):
            name = short_name(each)
        else:
            name = getattr(each, "name", getattr(each, "__name__", type(each).__name__))
        unique, number = (name := printable(name)), 1
        while unique in by_name:
            number += 1
            unique = f"{name} ({number})"
        by_name[unique] = each
    return by_name


def side_names(variant: Variant) -> tuple[str, ...]:
    """The names of the sides: teams, or seats."""
    return variant.teams or variant.agents
