"""How well players answer single positions, by how hard these are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cyberdeck.common.progress import Progress
from cyberdeck.common.statistics import Mean, mean_of, shown
from cyberdeck.common.text import counted, table
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.loops import DISABLED
from cyberdeck.errors import OptionError, require
from cyberdeck.players import Player, find_player
from cyberdeck.text.tasks import Tasks
from cyberdeck.transformed import new_games

ALL = "all"


@dataclass(frozen=True)
class Line:
    """One band of difficulty, or all of them.

    tasks   how many
    floor   the grade of a random legal move
    grades  of each player's move
    """

    band: str
    tasks: int
    floor: Mean
    grades: tuple[Mean, ...]


@dataclass(frozen=True)
class Grades:
    """What ``grades`` has measured; ``str`` of it is a table."""

    players: tuple[str, ...]
    deals: int
    known_by: str
    lines: tuple[Line, ...]

    def __str__(self) -> str:
        head = ("band", "tasks", "any legal move", *self.players)
        rows = [
            (line.band, f"{line.tasks:,}", *map(shown, (line.floor, *line.grades)))
            for line in self.lines
        ]
        about = f"Mean grade in the tasks of {counted(self.deals, 'deal')}, {self.known_by}"
        return f"{about}\n\n{table(head, rows, markdown=True)}"


def grades(
    tasks: Tasks,
    players: Sequence[Player],
    *,
    deals: int = 200,
    seed: int = 0,
    progress: Progress | None = None,
) -> Grades:
    """Ask players for a move in each task of some deals, *seed*, *seed* + 1, ...

    The intervals take into account that the tasks of one deal are alike. *progress* is told how
    many deals are done.

    >>> from cyberdeck.text.tasks import Tasks
    >>> measured = grades(Tasks("hackthegrid"), ["random", "optimal"], deals=3)
    >>> {line.grades[1].value for line in measured.lines}
    {1.0}
    """
    require(is_whole(deals) and deals >= 1, "deals", deals, "at least 1 is needed")
    chosen = [find_player(tasks.variant, each) for each in players]
    for each in chosen:
        if each.memory:
            raise OptionError(
                f"{each.name} decides by what it has seen in a whole game: it cannot be asked "
                "about single positions"
            )
    core = new_games(tasks.variant, 1, autoreset=DISABLED, history=True)
    graded: list[tuple[str, int, list[float]]] = []  # band, deal, floor and grades
    known_by = ""
    for deal in range(deals):
        core.reset([seed + deal])
        before = 0
        for task in tasks.of_deal(seed + deal):
            for action in task.played[before:]:
                core.advance_one(action)
            before, known_by = len(task.played), task.known_by
            got = [task.grades.item(core.ask(each, core.all_rows)[0]) for each in chosen]
            graded.append((task.band, deal, [task.floor, *got]))
        if progress is not None:
            progress(deal + 1)
    if not graded:
        raise OptionError(
            f"{counted(deals, 'deal')} of {tasks.variant.game.title} have no task of the bands "
            f"{', '.join(tasks.bands)}: take more deals, or other bands"
        )
    lines = []
    for band in (*tasks.bands, ALL):
        own = [each for each in graded if band in (each[0], ALL)]
        if own:
            dealt = np.array([deal for _, deal, _ in own])
            columns = np.array([got for *_, got in own]).T
            floor, *means = (mean_of(column, dealt) for column in columns)
            lines.append(Line(band, len(own), floor, tuple(means)))
    return Grades(tuple(each.name for each in chosen), deals, known_by, tuple(lines))
