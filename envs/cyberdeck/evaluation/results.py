"""Results of games: the tables, notes and files that evaluations and tournaments share."""

from __future__ import annotations

import html
import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Self, TypeAlias, TypeVar

import numpy as np

from cyberdeck.common.files import write_csv, write_whole
from cyberdeck.common.statistics import Mean, finite, mean_of, share
from cyberdeck.common.text import counted, html_table, table
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ResultError
from cyberdeck.evaluation import saved, seeds
from cyberdeck.evaluation.games import ENDINGS, Games

#: The shares of ``ENDINGS`` in a table.
SHARES: Final = ("win", "draw", "loss", "all lose")

#: Head and lines.
Table: TypeAlias = tuple[Sequence[str], Sequence[Sequence[str]]]

#: Results of one kind.
AnyResult = TypeVar("AnyResult", bound="Result")

#: Of a line of text where there is no terminal.
_WIDTH: Final = 100

#: What players count of their own work, such as a chat model's faults, that is said as a share.
_SHARED: Final = {
    "forfeited": "games",
    "voided": "games",
    "illegal": "decisions",
    "unparsable": "decisions",
    "cut_off": "decisions",
}


@dataclass(frozen=True, repr=False)
class Result:
    """The results of some games."""

    games: Games

    #: What a file of it is called in its first line.
    kind: ClassVar[str]

    @property
    def measure(self) -> str:
        """The measure of players: "points", or "reward" in a game that nobody wins."""
        return self.games.measure

    def heading(self) -> str:
        """The game and its deals."""
        return f"{self.games.variant.game.title}, {seeds.shown(self.games.seed)}"

    def tables(self) -> list[Table]:
        """The head and the lines of each; the last is of what players have counted, if any has."""
        counts = self.games.counts
        names = list(dict.fromkeys(name for each in counts.values() for name in each))
        head = ("player", *(name.replace("_", " ") for name in names))
        lines = [(who, *(_cell(name, each) for name in names)) for who, each in counts.items()]
        return [*self._tables(), *([(head, lines)] if counts else [])]

    def notes(self) -> list[str]:
        """Remarks for the readers of the tables."""
        games, voided = self.games, self.games.voided_words()
        notes = [voided] if voided else []
        if games.openings:
            began = f"Each game began with {counted(games.openings, 'random decision')}"
            notes.append(f"{began}, the same in all games of a deal.")
        if games.repeats.any():
            notes.append(
                f"Only {games.distinct} of the {len(games)} games differ: players that decide "
                "without chance play the same game again on the same deal, which counts once in "
                "all intervals; with openings=N (--openings N) each deal begins with N random "
                "decisions of its own."
            )
        return [*notes, *self._notes(), *seeds.notes(games.seed)]

    def table(self, width: int | None = None) -> str:
        """The tables and the notes below them, for a terminal of that *width*."""
        tables = [table(*each, width=width) for each in self.tables()]
        notes = [textwrap.fill(note, width or _WIDTH) for note in self.notes()]
        return "\n\n".join([*tables, *notes])

    def __repr__(self) -> str:
        return f"{self.heading()}\n\n{self.table()}"

    def _repr_html_(self) -> str:
        tables = "".join(html_table(*each) for each in self.tables())
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes())
        return f"<p>{html.escape(self.heading())}</p>{tables}{notes}"

    def save_json(self, path: str | Path) -> None:
        """All results, and the games they are of; null where a number is not finite."""
        figures = {"measure": self.measure, **self._content()}
        write_whole(path, saved.text_of(self.kind, self.games, figures))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what ``save_json`` has written: the same results, but for the games' actions.

        All figures of the games are made anew. The file may come from anybody: ``ResultError``
        says what is wrong with it.
        """
        result: Self = saved.read(path, cls.kind, cls._of)
        return result

    @classmethod
    def _of(cls, games: Games, content: Mapping[str, Any]) -> Self:
        """The results of *games*; *content*: what else a file holds."""
        return cls(games)

    def save_csv(self, path: str | Path) -> None:
        """One line for each pairing, or each opponent and side; means and intervals last."""
        rows: list[dict[str, Any]] = []
        for record in self._rows():
            values = self._without_wins(record)
            means = {name: each for name, each in values.items() if isinstance(each, Mean)}
            rows.append({name: values[name] for name in values if name not in means})
            for name, mean in means.items():
                rows[-1] |= mean.columns(name)
        write_csv(path, list(rows[0]), [list(row.values()) for row in rows])

    def _without_wins(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values to be written: without wins, where nobody wins."""
        left_out = () if self.measure == "points" else (*ENDINGS, "points", "opponent_points")
        return {name: value for name, value in values.items() if name not in left_out}

    def _tables(self) -> list[Table]:
        raise NotImplementedError

    def _notes(self) -> list[str]:
        return []

    def _content(self) -> dict[str, Any]:
        raise NotImplementedError

    def _rows(self) -> list[dict[str, Any]]:
        raise NotImplementedError


def _cell(name: str, counts: Mapping[str, float]) -> str:
    if name not in counts:
        return "-"
    if name in _SHARED:
        return share(int(counts[name]), int(counts.get(_SHARED[name], 0)))
    return f"{counts[name]:,}" if isinstance(counts[name], int) else f"{counts[name]:,.1f}"


def write_json(path: str | Path, variant: Variant, content: Mapping[str, Any]) -> None:
    """Results, after the game and options they are of; null where a number is not finite."""
    of = {"game": variant.game.name, "options": dict(variant.options)}
    write_whole(path, json.dumps(finite({**of, **content}), indent=2, allow_nan=False) + "\n")


def merge(first: AnyResult, *others: AnyResult) -> AnyResult:
    """One result of all deals: what a single run over them would have given.

    The results are of the same game, options, players and seed, and no deal is in two of them:
    ``ResultError`` says what differs, or which deals are.

    >>> from cyberdeck import evaluate
    >>> parts = [evaluate("hackthegrid", "random", deals=range(at, at + 5)) for at in (0, 5)]
    >>> merge(*parts).table() == evaluate("hackthegrid", "random", deals=10).table()
    True
    """
    parts = (first, *others)
    if len({type(each) for each in parts}) > 1:
        raise ResultError(f"only results of one kind can be merged: the first is a {first.kind}")
    for each in parts:  # whatever cannot be made anew is refused
        each._of(each.games, each._content())
    return first._of(saved.merged([each.games for each in parts]), first._content())


# --- the same games played twice -----------------------------------------------------------------


@dataclass(frozen=True)
class Noise:
    """The difference between a player and an independent copy of it."""

    games: int
    """Played by both: the same deals, sides and opponents."""
    difference: Mean
    """The second time's points (or reward) less the first time's."""
    prompts: int
    """Prompts that both were given, the same to the byte."""
    alike: int
    """Of these prompts, how many both answered with the same move."""
    measure: str = "points"
    """The measure: "points", or "reward" in a game that nobody wins."""

    def words(self) -> str:
        """For people."""
        return (
            f"Noise: the same {counted(self.games, 'game')} played again by an independent copy "
            f"brought {signed(self.difference, self.measure)}. Given the same prompt, "
            f"{counted(self.prompts, 'time')}, the two moved alike in "
            f"{share(self.alike, self.prompts)}."
        )


@dataclass(frozen=True)
class Disguised:
    """The difference that a disguise of the game makes to a player."""

    seed: int
    """The seed of the disguise."""
    games: int
    """Played in both: the same deals, sides and opponents."""
    difference: Mean
    """The points (or reward) in disguise less those in the game itself."""
    measure: str = "points"
    """The measure: "points", or "reward" in a game that nobody wins."""

    def words(self) -> str:
        """For people."""
        return (
            f"Disguise: the same {counted(self.games, 'game')} in disguise {self.seed} brought "
            f"{signed(self.difference, self.measure)}."
        )


def signed(mean: Mean, measure: str) -> str:
    """A difference in words, with its interval."""
    return f"{mean.value:+.3f} {measure} a game ({mean.low:+.3f} to {mean.high:+.3f})"


def difference(first: Games, second: Games) -> tuple[int, Mean]:
    """How many games of one lineup were played in both of two matches, and what the first player
    got more in the second.
    """
    gains = []
    for games in (first, second):
        own = games.gains()[np.arange(len(games)), np.argmax(games.lineups == 0, axis=1)]
        keys = zip(games.deals.tolist(), map(tuple, games.lineups.tolist()), strict=True)
        gains.append(dict(zip(keys, own.tolist(), strict=True)))
    both = sorted(gains[0].keys() & gains[1].keys())
    more = np.array([gains[1][game] - gains[0][game] for game in both], np.float64)
    return len(both), mean_of(more, np.array([deal for deal, _ in both], np.int64))
