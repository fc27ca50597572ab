"""What a seat observes, feature by feature: as grids, as lines, and what of it is likely."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from cyberdeck.views.record import Record
from cyberdeck.views.view import Page, Viewer
from cyberdeck.views.words import WIDTH

Grid: TypeAlias = list[list[Any]]  # of whole numbers, or of fractions
_Value = TypeVar("_Value")


class Description(NamedTuple):
    """What the plain view knows of a game with its options."""

    title: str
    seats: Sequence[str]
    features: Sequence[tuple[str, Sequence[int], float, float, Sequence[Sequence[str]]]]
    """(name, shape, lowest, highest, labels) of each feature of the observation, in order: whole
    numbers, unless the lowest and the highest are floats.
    """
    actions: Sequence[tuple[int, str]]
    """(how many, meaning) of each group of actions."""
    reasons: Sequence[str]
    simultaneous: bool = False
    secretive: bool = False
    """Whether others' decisions are secret: how many there have been may be one, too."""
    about: str = ""
    """The rules in short, or what it is."""
    rewards: str = ""


class Shown(NamedTuple):
    """A feature's numbers as grids, one or more: a vector is one row."""

    name: str
    low: float
    high: float
    grids: list[Grid]
    labels: Sequence[Sequence[str]] = ()
    planes: Sequence[str] = ()
    """Of several boards of 0 and 1 in one: their names. The numbers are sums of 1, 2, 4, ...."""

    @property
    def board(self) -> tuple[int, int] | None:
        """How many rows and columns it has, if it is one board of 0 and 1 without words."""
        rows, columns = len(self.grids[0]), len(self.grids[0][0])
        flags = bool(self.planes) or self.on_or_off
        whole = len(self.grids) == 1 and rows > 1 and columns > 1 and not self.labels
        return (rows, columns) if whole and flags else None

    def words(self, room: float, measure: Callable[[str], float]) -> tuple[str, Sequence[str]]:
        """What it is called, and what stands where each of its boards has a 1: the board's name;
        or a number for that, where names are several words or a row of them has no room.
        """
        names = self.planes
        wide = max(map(measure, names)) * len(self.grids[0][0])
        if wide <= room and not any(" " in name for name in names):
            return ", ".join(names), names
        numbers = [str(number) for number in range(1, len(names) + 1)]
        return ", ".join(map(" ".join, zip(names, numbers, strict=True))), numbers

    @property
    def lines(self) -> list[str]:
        """A feature with labels in words, a line for each of its rows."""
        *outer, names = self.labels
        rows, said = [row for grid in self.grids for row in grid], []
        for row in rows:
            pairs = list(zip(names, row, strict=True))
            there = [name for name, value in pairs if value]
            if not self.on_or_off:
                there = [f"{name} {plainly(value)}" for name, value in pairs]
            said.append(", ".join(there) or "none")
        heads = [" ".join(each) for each in itertools.product(*outer)] if outer else []
        heads = [self.name] if len(rows) == 1 else heads or [str(row) for row in range(len(rows))]
        return [f"{head}: {each}" for head, each in zip(heads, said, strict=True)]

    @property
    def on_or_off(self) -> bool:
        """Whether its numbers are 0 or 1, and nothing between."""
        return (self.low, self.high) == (0, 1) and isinstance(self.high, int)

    @property
    def single(self) -> bool:
        """Whether it is one number, and has no words for it."""
        return self.in_a_row and len(self.grids[0][0]) == 1 and not self.labels

    @property
    def in_a_line(self) -> bool:
        """Whether it is a row that has words for it."""
        return bool(self.labels) and self.in_a_row

    @property
    def in_a_row(self) -> bool:
        """Whether it is a row of numbers."""
        return len(self.grids) == len(self.grids[0]) == 1


#: Of what may stand in a line so many are told.
_LIKELIEST: Final = 6


def observed(game: Description, record: Record, viewer: Viewer) -> list[Shown]:
    """Every feature of what the viewer's seat observes; of what the first does, to a spectator."""
    vector = list(record.rules.observe(0 if viewer is None else viewer[0]))
    shown: list[Shown] = []
    for name, shape, low, high, labels in game.features:
        numbers, vector = vector[: math.prod(shape)], vector[math.prod(shape) :]
        numbers = [int(each) for each in numbers] if isinstance(high, int) else numbers
        each = Shown(name.replace("_", " "), low, high, _grids(numbers, shape), labels)
        last = shown[-1] if shown else None
        if last is None or each.board is None or each.board != last.board:
            shown.append(each)
            continue
        # Boards of 0 and 1 that follow each other and have one size are one: it says what is where.
        planes = (*(last.planes or (last.name,)), each.name)
        cells = zip(last.grids[0], each.grids[0], strict=True)
        grid = [
            [one + (other << len(planes) - 1) for one, other in zip(*rows, strict=True)]
            for rows in cells
        ]
        shown[-1] = last._replace(grids=[grid], planes=planes)
    return shown


def _grids(numbers: Sequence[Any], shape: Sequence[int]) -> list[Grid]:
    """Numbers of that shape as grids."""
    *_, rows, columns = (1, 1, *shape)
    lines = [list(numbers[at : at + columns]) for at in range(0, len(numbers), columns)]
    return [lines[at : at + rows] for at in range(0, len(lines), rows)]


def likely(
    game: Description, worlds: Sequence[Sequence[float]], weights: Sequence[float]
) -> list[str]:
    """How likely it is that somebody observes what, in lines: every feature that is not the same in
    all *worlds*. Of numbers that have no room for each of their values, the mean.
    """
    told, start = [], 0
    for name, shape, low, high, labels in game.features:
        head, columns, size = name.replace("_", " "), shape[-1] if shape else 1, math.prod(shape)
        places = list(zip(*(world[start : start + size] for world in worlds), strict=True))
        start += size
        unlike = [min(values) < max(values) for values in places]
        if not any(unlike):
            continue
        said = _percent if (low, high) == (0, 1) and isinstance(high, int) else _mean
        means = [  # what is the same in all worlds is known anyway
            sum(map(operator.mul, weights, values)) if some else 0
            for values, some in zip(places, unlike, strict=True)
        ]
        if labels:
            *outer, names = labels
            rows = [(str(row),) for row in range(size // columns)] if size > columns else [()]
            for row, words in enumerate(itertools.product(*outer) if outer else rows):
                part = slice(row * columns, (row + 1) * columns)
                if any(unlike[part]):
                    values = zip(names, map(said, means[part]), strict=True)
                    listed = [f"{each} {value}" for each, value in values if value != said(0)]
                    told.append(f"{' '.join((head, *words))}: {', '.join(listed)}")
        elif size == 1:
            shares = sorted(_shares(places[0], weights).items())
            listed = [f"{plainly(value)} {_percent(share)}" for value, share in shares]
            told.append(f"{head}: {', '.join(listed)}")
        else:
            lines = text_grids(_grids(means, shape), said)
            told += [f"{head}: {lines[0]}"] if len(lines) == 1 else [f"{head}:", *lines]
    return told


def likely_lines(pages: Sequence[Page], weights: Sequence[float]) -> list[str]:
    """How likely it is that somebody reads what: each line of the panels that is not the same on
    all *pages*, with what may stand there, the likeliest first. A mark that only follows some line
    is told once: which lines may have it, by their first words.
    """
    told, marks = [], dict[str, dict[str, float]]()
    for panels in zip(*(page.panels for page in pages), strict=False):
        for lines in itertools.zip_longest(*(panel.lines for panel in panels)):
            shares = _shares([line.text.strip() if line else "nothing" for line in lines], weights)
            plain = min(shares, key=len)
            longer = [text for text in shares if text != plain]
            if not all(text.startswith(f"{plain}, ") for text in longer):
                told.append(_likeliest(shares))
                continue
            for text in longer:
                mark = text.removeprefix(f"{plain}, ").removeprefix("the ")
                marks.setdefault(mark, {})[plain] = shares[text]
    return told + [f"{mark}: {_likeliest(_shortened(shares))}" for mark, shares in marks.items()]


def _shortened(shares: dict[str, float]) -> dict[str, float]:
    """The same by as many first words of each as tell them apart."""
    words = [text.split() for text in shares]
    for count in range(1, max(map(len, words))):
        heads = [" ".join(each[:count]) for each in words]
        if len(set(heads)) == len(shares):
            return dict(zip(heads, shares.values(), strict=True))
    return shares


def _likeliest(shares: dict[str, float]) -> str:
    likeliest = sorted(shares, key=shares.__getitem__, reverse=True)[:_LIKELIEST]
    return "; ".join(f"{text} {_percent(shares[text])}" for text in likeliest)


def _shares(values: Sequence[_Value], weights: Sequence[float]) -> dict[_Value, float]:
    """The weight of each value."""
    shares: dict[_Value, float] = {}
    for value, weight in zip(values, weights, strict=True):
        shares[value] = shares.get(value, 0.0) + weight
    return shares


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _mean(value: float) -> str:
    return f"{round(value, 2):g}"


def planes_in(words: Sequence[str], value: int) -> str:
    """Which of the words' boards a number of several in one stands for."""
    return "+".join(word for at, word in enumerate(words) if value >> at & 1)


def plainly(value: float) -> str:
    """A number, to six digits."""
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def text_grids(grids: list[Grid], said: Callable[[Any], str] = plainly) -> list[str]:
    """Grids side by side, as many as fit; several are numbered. A long row goes on below."""
    cells = [[["." if value == 0 else said(value) for value in row] for row in g] for g in grids]
    wide = max(len(cell) for grid in cells for row in grid for cell in row)
    if len(cells) == len(cells[0]) == 1:
        row, across = cells[0][0], max(1, (WIDTH - 2) // (wide + 1))
        cells = [[row[start : start + across] for start in range(0, len(row), across)]]
    blocks = [[" ".join(cell.rjust(wide) for cell in row) for row in grid] for grid in cells]
    room = max(len(line) for block in blocks for line in block) + 3
    if len(blocks) > 1:
        blocks = [[str(plane), *block] for plane, block in enumerate(blocks)]
    beside = max(1, (WIDTH - 2) // room)
    lines = []
    for start in range(0, len(blocks), beside):
        for parts in zip(*blocks[start : start + beside], strict=True):
            lines.append("".join(part.ljust(room) for part in parts).rstrip())
    return lines
