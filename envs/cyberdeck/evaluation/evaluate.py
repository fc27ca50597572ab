"""Measuring one player: against each of some opponents, on both sides of the same deals."""

from __future__ import annotations

import html
import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.files import write_csv, write_whole
from cyberdeck.common.statistics import Mean, finite, mean_of, percent, share, shown
from cyberdeck.common.text import html_table, printable, table
from cyberdeck.engine.disguise import DISGUISE
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.evaluation import counts, seeds
from cyberdeck.evaluation.counts import Disguised, Noise
from cyberdeck.evaluation.match import ENDINGS, Games, Progress, judged, play_rounds
from cyberdeck.evaluation.seeds import ReportingSeed
from cyberdeck.players import Player, built_in_names, find_player, names_file
from cyberdeck.text.chat.player import Chat

#: Of a line of text where there is no terminal.
_WIDTH: Final = 100

#: What the sides together are called, where there are two, more, or one.
TOGETHER: Final = ("both", "all", "-")

#: The shares of ``ENDINGS`` in a table.
SHARES: Final = ("win", "draw", "loss", "all lose")

#: Shown of the scores of a game for one: so many hundredths of the games had that or less.
_QUANTILES: Final = (5, 25, 50, 75, 95)


@dataclass(frozen=True)
class Record:
    """How one player's games on one side against one opponent ended.

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
    """What the player got in the game's own rewards, which may be other than -1, 0 and 1."""
    decisions: float
    """Length of a game on average, everybody's decisions counted."""
    truncated: int


@dataclass(frozen=True)
class Evaluation:
    """How a player did; ``records`` has each opponent's sides and then both of them together."""

    player: str
    games: Games
    records: list[Record]
    metrics: dict[str, Mean]
    """In a game for one: the game's metrics at the end."""
    noise: Noise | None = None
    """How much the player differs from itself, if it was measured twice."""
    disguised: Disguised | None = None
    """How it does in disguise, if it was measured there as well."""

    @property
    def overall(self) -> list[Record]:
        """Of each opponent the record of all sides together, or the one of a game for one."""
        return [record for record in self.records if record.side in TOGETHER]

    @property
    def measure(self) -> str:
        """What the player is measured by: "points", or "reward" in a game that nobody wins."""
        return self.games.measure

    @property
    def quantiles(self) -> dict[int, float]:
        """In a game for one with scores: what so many hundredths of the games had at most."""
        if self.measure == "points" or self.games.returns.shape[1] > 1 or not len(self.games):
            return {}
        found = np.percentile(self.games.returns[:, 0], _QUANTILES)
        return dict(zip(_QUANTILES, found.tolist(), strict=True))

    def table(self, width: int | None = None) -> str:
        """Rates, and points with their 95% confidence intervals; what players have counted."""
        made = [table(*each, width=width) for each in self._tables()]
        said = [textwrap.fill(note, width or _WIDTH) for note in self._notes()]
        return "\n\n".join([*made, *said])

    def __repr__(self) -> str:
        return f"{self._heading()}\n\n{self.table()}"

    def _repr_html_(self) -> str:
        tables = "".join(html_table(*each) for each in self._tables())
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self._notes())
        return f"<p>{html.escape(self._heading())}</p>{tables}{notes}"

    def _heading(self) -> str:
        stopped = ", interrupted" if self.games.interrupted else ""
        title, deals = self.games.variant.game.title, seeds.shown(self.games.seed)
        return f"{title}, {deals}{stopped}: {self.player}"

    def _tables(self) -> list[tuple[Sequence[str], Sequence[Sequence[str]]]]:
        return [self._lines(), *counts.tables(self.games)]

    def _notes(self) -> list[str]:
        compared = [each.words() for each in (self.noise, self.disguised) if each is not None]
        return [*counts.notes(self.games), *compared, *seeds.notes(self.games.seed)]

    def _lines(self) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """The head and the lines of the table."""
        if self.records[0].side != "-":
            shares = SHARES if self.measure == "points" else ()
            head = ("opponent", "side", "games", *shares, self.measure, "decisions")
            return head, [self._line(record) for record in self.records]
        record = self.records[0]
        lines = [("games", str(record.games))]
        if self.measure == "points":
            lines += [("won", percent(record.wins, record.games))]
        else:
            lines += [("mean score", shown(record.reward))]
        for at, score in self.quantiles.items():
            lines += [("median" if at == 50 else f"{at}% have at most", f"{score:g}")]
        lines += [(name, shown(mean)) for name, mean in self.metrics.items()]
        return ("", self.player), lines

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
        if self.noise is not None:
            content["noise"] = asdict(self.noise)
        if self.disguised is not None:
            content["disguised"] = asdict(self.disguised)
        content |= counts.as_json(self.games)
        write_json(path, self.games.variant, content)

    def save_csv(self, path: str | Path) -> None:
        """One line for each opponent and side."""
        write_rows(path, self.games, self.records, player=self.player)


def write_json(path: str | Path, variant: Variant, content: Mapping[str, Any]) -> None:
    """Results, after the game and options they are of; null where a number is not finite."""
    of = {"game": variant.game.name, "options": dict(variant.options)}
    write_whole(path, json.dumps(finite({**of, **content}), indent=2, allow_nan=False) + "\n")


def without_wins(games: Games, values: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of some games, as it is written: nothing of wins where nobody wins."""
    left_out = () if games.measure == "points" else (*ENDINGS, "points", "opponent_points")
    return {name: value for name, value in values.items() if name not in left_out}


def write_rows(path: str | Path, games: Games, records: Sequence[Any], **first: str) -> None:
    """One line for each of *records*, after what is *first* in all; means and intervals last."""
    rows: list[dict[str, Any]] = []
    for record in records:
        values = without_wins(games, vars(record))
        means = {name: each for name, each in values.items() if isinstance(each, Mean)}
        rows.append({**first, **{name: values[name] for name in values if name not in means}})
        for name, mean in means.items():
            rows[-1] |= mean.columns(name)
    write_csv(path, list(rows[0]), [list(row.values()) for row in rows])


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
    sides = max(variant.sides) + 1
    if opponents is None:
        opponents = built_in_names(variant.game)
    others = [opponents] if isinstance(opponents, str) else list(opponents)
    others = others if sides > 1 else []
    if sides > 1 and not others:
        raise OptionError(f"opponents=[] is empty: {variant.game.title} needs at least one")
    everybody = named([player, *others])
    own, *rest = everybody
    model = everybody[own] = find_player(variant, player)
    if null and not isinstance(model, Chat):
        raise OptionError(
            f"{own} is no chat model: how much it differs from itself, the intervals say"
        )
    round_ = [
        [0 if at == side else number for at in range(sides)]
        for number in (range(1, len(everybody)) if rest else [0])
        for side in range(sides)
    ]
    how: dict[str, Any] = {"seed": seed, "illegal": illegal, "processes": processes}
    how |= {"threads": threads, "keep_actions": keep_actions}
    played = play_rounds(variant, everybody, round_, deals, progress=progress, **how)
    noise = None
    if null and isinstance(model, Chat) and not played.interrupted:
        twin = model.twin()
        everybody[own] = twin
        before = deals * len(round_)
        later = None if progress is None else lambda done: progress(before + done)
        again = play_rounds(variant, everybody, round_, deals, progress=later, **how)
        noise = counts.noise(played, again, model.moves, twin.moves)
        total = played.counts | {f"{own}, again": again.counts[own]}
        played = replace(played, counts=total, interrupted=again.interrupted)
    disguised = None
    if disguise and not played.interrupted:
        everybody[own] = model
        before = deals * len(round_) * (1 + null)
        later = None if progress is None else lambda done: progress(before + done)
        again = play_rounds(in_disguise, everybody, round_, deals, progress=later, **how)
        disguised = counts.in_disguise(played, again, disguise)
        total = {f"{who}, in disguise": counted for who, counted in again.counts.items()}
        played = replace(played, counts=played.counts | total, interrupted=again.interrupted)
    own_sides = np.argmax(played.lineups == 0, axis=1)
    if not rest:
        metrics = {
            metric.name: mean_of(played.metrics[:, at], played.deals)
            for at, metric in enumerate(variant.game.metrics)
        }
        record = _record(played, own_sides == 0, "-", "-")
        return Evaluation(own, played, [record], metrics, noise, disguised)
    records = []
    for number, opponent in enumerate(rest, 1):
        against = (played.lineups == number).any(axis=1)
        for side, name in enumerate(side_names(variant)):
            records.append(_record(played, against & (own_sides == side), opponent, name))
        records.append(_record(played, against, opponent, "both" if sides == 2 else "all"))
    return Evaluation(own, played, records, {}, noise, disguised)


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
    """What the sides are called: teams, or seats."""
    return variant.teams or variant.agents


def _record(games: Games, chosen: NDArray[np.bool_], opponent: str, side: str) -> Record:
    """Of the *chosen* games, each on the side that the player had there."""
    which = np.flatnonzero(chosen)
    own = np.argmax(games.lineups[which] == 0, axis=1)
    return Record(opponent, side, **games.ended(which, own))
