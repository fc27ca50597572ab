"""Measuring one player: against each of some opponents, on both sides of the same deals."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from cyberdeck.common.progress import Progress, further
from cyberdeck.common.statistics import Mean, mean_of, percent, share, shown
from cyberdeck.common.text import printable, table
from cyberdeck.engine.disguise import DISGUISE
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.evaluation import counts, seeds
from cyberdeck.evaluation.counts import Disguised, Noise, Table
from cyberdeck.evaluation.games import ENDINGS
from cyberdeck.evaluation.match import Match, judged
from cyberdeck.evaluation.results import SHARES, Result, without_wins, write_json, write_rows
from cyberdeck.evaluation.seeds import ReportingSeed
from cyberdeck.players import Player, built_in_names, find_players, names_file
from cyberdeck.text.chat.player import Chat

#: Of a line of text where there is no terminal.
_WIDTH: Final = 100

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
            metric.name: mean_of(games.metrics[:, at], games.deals)
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
        found = np.percentile(self.games.returns[:, 0], _QUANTILES)
        return dict(zip(_QUANTILES, found.tolist(), strict=True))

    def table(self, width: int | None = None) -> str:
        """Rates, and points with their 95% confidence intervals; what players have counted."""
        made = [table(*each, width=width) for each in self.tables()]
        notes = [textwrap.fill(note, width or _WIDTH) for note in self.notes()]
        return "\n\n".join([*made, *notes])

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

    def save_json(self, path: str | Path) -> None:
        """All results, and the game and options they are of."""
        content = {
            "player": self.player,
            "interrupted": self.games.interrupted,
            "voided": self.games.voided,
            "measure": self.measure,
            "records": [without_wins(self.games, asdict(record)) for record in self.records],
            "metrics": {name: asdict(mean) for name, mean in self.metrics.items()},
        }
        content |= seeds.as_json(self.games.seed)
        if self.quantiles:
            content["quantiles"] = self.quantiles
        for name, found in (("noise", self.noise), ("disguised", self.disguised)):
            if found is not None:
                content[name] = asdict(found)
        content |= counts.as_json(self.games)
        write_json(path, self.games.variant, content)

    def save_csv(self, path: str | Path) -> None:
        """One line for each opponent and side."""
        write_rows(path, self.games, self.records, player=self.player)


def evaluate(
    game: str | Variant,
    player: Player,
    opponents: str | Sequence[Player] | None = None,
    *,
    deals: int = 500,
    seed: int | ReportingSeed = 0,
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

    *null*, of a chat model: all is played again by an independent copy of it, which says how much
    it differs from itself (``noise``).

    *disguise*: all is played in that disguise as well, which says what the player loses where the
    game goes by other names (``disguised``).

    >>> result = evaluate("hackthegrid", "heuristic", ["random"], deals=50)
    >>> result.records[-1].games
    100
    """
    variant = judged(game, options)
    in_disguise = variant
    if disguise:
        variant = variant.undisguised
        in_disguise = Variant(variant.game, {**variant.options, DISGUISE: disguise})
    sides = len(side_names(variant))
    if opponents is None:
        opponents = built_in_names(variant.game)
    others = [opponents] if isinstance(opponents, str) else list(opponents)
    if sides > 1 and not others:
        raise OptionError(f"opponents=[] is empty: {variant.game.title} needs at least one")
    players = find_players(variant, named([player, *(others if sides > 1 else [])]))
    own, model = next(iter(players.items()))
    if null and not isinstance(model, Chat):
        raise OptionError(
            f"{own} is no chat model: how much it differs from itself, the intervals say"
        )
    match = Match(variant, players, seed, illegal, keep_actions, processes, threads, progress)
    lineups = _lineups(len(players), sides)
    last = played = match.play_rounds(lineups, deals)
    noise = disguised = None
    counted, count = dict(played.counts), deals * len(lineups)
    if null and isinstance(model, Chat) and not last.interrupted:
        twin = model.twin()
        again = replace(match, players={**players, own: twin}, progress=further(progress, count))
        last = again.play_rounds(lineups, deals)
        noise = counts.noise(played, last, model.moves, twin.moves)
        counted[f"{own}, again"] = last.counts[own]
    if disguise and not last.interrupted:
        after = further(progress, count * (1 + null))
        veiled = replace(match, variant=in_disguise, progress=after)
        last = veiled.play_rounds(lineups, deals)
        disguised = counts.in_disguise(played, last, disguise)
        counted |= {f"{who}, in disguise": counts for who, counts in last.counts.items()}
    games = replace(played, counts=counted, interrupted=last.interrupted)
    return Evaluation(games, own, noise, disguised)


def _lineups(players: int, sides: int) -> list[list[int]]:
    """Those of each deal: the first player on each side against each of the others."""
    return [
        [0 if at == side else number for at in range(sides)]
        for number in range(min(1, players - 1), players)
        for side in range(sides)
    ]


def named(players: Sequence[Player]) -> dict[str, Player]:
    """Players by name; those of one name are numbered. Names of files are anybody's."""
    found: dict[str, Player] = {}
    for each in players:
        if isinstance(each, str):
            name = Path(each).stem if names_file(each) else each
        else:
            name = getattr(each, "name", getattr(each, "__name__", type(each).__name__))
        name = printable(name)
        unique, number = name, 1
        while unique in found:
            number += 1
            unique = f"{name} ({number})"
        found[unique] = each
    return found


def side_names(variant: Variant) -> tuple[str, ...]:
    """The names of the sides: teams, or seats."""
    return variant.teams or variant.agents
