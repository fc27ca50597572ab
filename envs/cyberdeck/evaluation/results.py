"""Results of games: the tables, notes and files that evaluations and tournaments share."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cyberdeck.common.files import write_csv, write_whole
from cyberdeck.common.statistics import Mean, finite
from cyberdeck.common.text import html_table, table
from cyberdeck.engine.variant import Variant
from cyberdeck.evaluation import counts, seeds
from cyberdeck.evaluation.counts import Table
from cyberdeck.evaluation.games import ENDINGS, Games

#: The shares of ``ENDINGS`` in a table.
SHARES: Final = ("win", "draw", "loss", "all lose")


@dataclass(frozen=True, repr=False)
class Result:
    """The results of some games."""

    games: Games

    @property
    def measure(self) -> str:
        """The measure of players: "points", or "reward" in a game that nobody wins."""
        return self.games.measure

    def heading(self) -> str:
        """The game and its deals."""
        return f"{self.games.variant.game.title}, {seeds.shown(self.games.seed)}"

    def tables(self) -> list[Table]:
        """The head and the lines of each."""
        return [*self._tables(), *counts.tables(self.games)]

    def _tables(self) -> list[Table]:
        raise NotImplementedError

    def notes(self) -> list[str]:
        """Remarks for the readers of the tables."""
        return [*counts.notes(self.games), *self._notes(), *seeds.notes(self.games.seed)]

    def _notes(self) -> list[str]:
        raise NotImplementedError

    def table(self, width: int | None = None) -> str:
        """The tables and the notes below them, for a terminal of that *width*."""
        return "\n\n".join([*(table(*each, width=width) for each in self.tables()), *self.notes()])

    def __repr__(self) -> str:
        return f"{self.heading()}\n\n{self.table()}"

    def _repr_html_(self) -> str:
        tables = "".join(html_table(*each) for each in self.tables())
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes())
        return f"<p>{html.escape(self.heading())}</p>{tables}{notes}"


def write_json(path: str | Path, variant: Variant, content: Mapping[str, Any]) -> None:
    """Results, after the game and options they are of; null where a number is not finite."""
    of = {"game": variant.game.name, "options": dict(variant.options)}
    write_whole(path, json.dumps(finite({**of, **content}), indent=2, allow_nan=False) + "\n")


def without_wins(games: Games, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values to be written: without wins, where nobody wins."""
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
