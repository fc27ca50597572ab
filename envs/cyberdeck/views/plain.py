"""The plain view of any game, made from what a seat observes: for games that have none.

And a plain picture of a page, for views that draw none.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.lettering import LEAST, width
from cyberdeck.drawing.svg import BRIGHT, CARD, CYAN, DEEP, DIM, LIME, LINE, MAGENTA, Block, at, box
from cyberdeck.engine.constants import COMMON_REASONS, FORFEIT, NOBODY
from cyberdeck.engine.naming import named_action
from cyberdeck.views import view as v
from cyberdeck.views.notation import told_apart
from cyberdeck.views.record import Record
from cyberdeck.views.rules import paragraph, sections
from cyberdeck.views.view import Board, Drawn, Ending, Line, Look, Mask, Page, Panel, View, Viewer
from cyberdeck.views.words import WIDTH, filled

Grid: TypeAlias = list[list[Any]]  # of whole numbers, or of fractions


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
        heads = [" ".join(each) for each in itertools.product(*outer)] if outer else []
        rows = [row for grid in self.grids for row in grid]
        heads = heads or [str(at) for at in range(len(rows))]
        only, said = self.on_or_off, []
        for row in rows:
            pairs = zip(names, row, strict=True)
            there = [
                name if only else f"{name} {_plainly(value)}"
                for name, value in pairs
                if value or not only
            ]
            said.append(", ".join(there) or "none")
        if len(rows) == 1:
            return [f"{self.name}: {said[0]}"]
        return [f"{head}: {each}" for head, each in zip(heads, said, strict=True)]

    @property
    def on_or_off(self) -> bool:
        """Whether its numbers are 0 or 1, and nothing between."""
        return (self.low, self.high) == (0, 1) and isinstance(self.high, int)

    @property
    def single(self) -> bool:
        """Whether it is one number, and has no words for it."""
        row = len(self.grids) == len(self.grids[0]) == 1
        return row and len(self.grids[0][0]) == 1 and not self.labels

    @property
    def in_a_line(self) -> bool:
        """Whether it is a row that has words for it."""
        return bool(self.labels) and len(self.grids) == len(self.grids[0]) == 1


def view(game: Description) -> View:
    """The plain view of a game."""

    def action_name(record: Record, action: int) -> str:
        return named_action(game.actions, action)

    @functools.cache
    def notations() -> dict[int, str]:
        count = sum(size for size, _ in game.actions)
        return told_apart({action: named_action(game.actions, action) for action in range(count)})

    def ending(record: Record, viewer: Viewer) -> Ending | None:
        if record.mover != NOBODY:
            return None
        # By an illegal action, or by giving up: the record does not say which.
        why = "forfeited" if record.reason == FORFEIT else game.reasons[record.reason]
        return Ending("Game over", v.sentence(why.replace("_", " ")), v.DRAWN)

    def page(record: Record, viewer: Viewer, mask: Mask) -> Page:
        """Every feature by its name; dots are zeros. Then the legal actions."""
        shown = observed(game, record, viewer)
        singles = [(each.name, each.grids[0][0][0]) for each in shown if each.single]
        numbers = filled(f"{name} {_plainly(value)}" for name, value in singles)
        numbers += [line for each in shown if each.in_a_line for line in each.lines]
        panels = [Panel("", [Line(line) for line in numbers])] if numbers else []
        for each in shown:
            if each.labels and not each.in_a_line:
                panels.append(Panel(each.name, [Line(line) for line in each.lines]))
            elif not each.single and not each.in_a_line:
                panels.append(_panel(each))
        over = ending(record, viewer)
        status = [] if game.secretive else [f"decisions {record.decisions}"]
        if len(game.seats) > 1:
            seat = v.seat_of(viewer)
            status.insert(0, f"seen by {'a spectator' if seat is None else game.seats[seat]}")
        names = [
            f"{action} {named_action(game.actions, action)}"
            for action, legal in enumerate(mask or ())
            if legal and (viewer is None or record.mover in viewer)
        ]
        turn = "" if over else _turn(game, record, viewer)
        return Page(game.title, status, turn, over, panels=panels, choices=names)

    def draw(record: Record, page: Page, look: Look) -> Drawn:
        """A panel for each feature, and the legal actions by name."""
        shown = observed(game, record, look.viewer)
        before = shown if look.before is None else observed(game, look.before, look.viewer)
        pairs = list(zip(shown, before, strict=True))
        room = _room(look)
        singles = [_number(each, old) for each, old in pairs if each.single]
        blocks = [svg.flow(singles, room, _GAP)] if singles else []
        blocks += [_feature(each, old, room) for each, old in pairs if not each.single]
        if look.choices:
            named = [(action, named_action(game.actions, action)) for action in look.choices]
            blocks.append(_choices(named, room))
        changed = at(-_CELL / 2, -_CELL / 2, _changed(0, 0, _CELL, _CELL))
        return _drawn(look, blocks, [(changed, "just changed")])

    return View(
        action_name=action_name,
        notation=lambda record, action: notations()[action],
        how_to_write=how_to_write(game.actions),
        seat_name=lambda record, seat: game.seats[seat],
        ending=ending,
        page=page,
        draw=draw,
        how_to_play=how_to_play(game),
    )


#: Of what may stand in a line so many are told.
_LIKELIEST: Final = 6


def how_to_play(game: Description) -> str:
    """What the game says of itself."""
    ends = ", ".join(reason.replace("_", " ") for reason in game.reasons[len(COMMON_REASONS) :])
    return sections(
        paragraph(game.about),
        paragraph(f"Rewards: {game.rewards}" if game.rewards else ""),
        paragraph(f"A game can end by: {ends}." if ends else ""),
    )


def how_to_write(actions: Sequence[tuple[int, str]]) -> str:
    """How actions are written that are called by the meaning of their groups.

    >>> how_to_write([(9, "mark cell"), (1, "pass")])
    'mark cell 0 to mark cell 8; pass'
    """
    each = (f"{name} 0 to {name} {count - 1}" if count > 1 else name for count, name in actions)
    return "\n".join(filled(each))


def observed(game: Description, record: Record, viewer: Viewer) -> list[Shown]:
    """Every feature of what the viewer's seat observes; of what the first does, to a spectator."""
    vector = list(record.rules.observe(0 if viewer is None else viewer[0]))
    found, start = [], 0
    for name, shape, low, high, labels in game.features:
        *stack, rows, columns = (1, 1, *shape)
        grids: list[Grid] = []
        for _ in range(math.prod(stack)):
            grids.append([])
            for _ in range(rows):
                row = vector[start : start + columns]
                grids[-1].append([int(each) for each in row] if isinstance(high, int) else row)
                start += columns
        found.append(Shown(name.replace("_", " "), low, high, grids, labels))
    return _together(found)


def likely(
    game: Description, worlds: Sequence[Sequence[float]], weights: Sequence[float]
) -> list[str]:
    """How likely it is that somebody observes what, in lines: every feature that is not the same in
    all *worlds*. Of numbers that have no room for each of their values, the mean.
    """
    told, start = [], 0
    for name, shape, low, high, labels in game.features:
        head, columns, size = name.replace("_", " "), shape[-1] if shape else 1, math.prod(shape)
        parts = [world[start : start + size] for world in worlds]
        start += size
        unlike = [min(each) < max(each) for each in zip(*parts, strict=True)]
        if not any(unlike):
            continue
        there = (low, high) == (0, 1) and isinstance(high, int)
        said = _percent if there else _mean
        means = [  # what is the same in all worlds is known anyway
            sum(map(operator.mul, weights, each)) if some else 0
            for each, some in zip(zip(*parts, strict=True), unlike, strict=True)
        ]
        rows = [means[at : at + columns] for at in range(0, size, columns)]
        if labels:
            *outer, names = labels
            heads = [" ".join((head, *each)) for each in itertools.product(*outer)]
            for at, (row_head, row) in enumerate(zip(heads, rows, strict=True)):
                if any(unlike[at * columns : (at + 1) * columns]):
                    values = [
                        f"{each} {said(mean)}"
                        for each, mean in zip(names, row, strict=True)
                        if said(mean) != said(0)
                    ]
                    told.append(f"{row_head}: {', '.join(values)}")
        elif size == 1:
            shares: dict[float, float] = {}
            for (value,), weight in zip(parts, weights, strict=True):
                shares[value] = shares.get(value, 0.0) + weight
            values = [f"{_plainly(each)} {_percent(shares[each])}" for each in sorted(shares)]
            told.append(f"{head}: {', '.join(values)}")
        else:
            deep = shape[-2] if len(shape) > 1 else 1
            grids = [rows[at : at + deep] for at in range(0, len(rows), deep)]
            lines = _text_grids(grids, said)
            told += [f"{head}: {lines[0]}"] if len(lines) == 1 else [f"{head}:", *lines]
    return told


def likely_lines(pages: Sequence[Page], weights: Sequence[float]) -> list[str]:
    """How likely it is that somebody reads what: each line of the panels that is not the same on
    all *pages*, with what may stand there, the likeliest first.
    """
    told = []
    for panels in zip(*(page.panels for page in pages), strict=False):
        for lines in itertools.zip_longest(*(panel.lines for panel in panels)):
            shares: dict[str, float] = {}
            for line, weight in zip(lines, weights, strict=True):
                text = line.text.strip() if line else "nothing"
                shares[text] = shares.get(text, 0.0) + weight
            if len(shares) > 1:
                likeliest = sorted(shares, key=shares.__getitem__, reverse=True)[:_LIKELIEST]
                told.append("; ".join(f"{text} {_percent(shares[text])}" for text in likeliest))
    return told


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _mean(value: float) -> str:
    return f"{round(value, 2):g}"


def _together(shown: Sequence[Shown]) -> list[Shown]:
    """Boards of 0 and 1 that follow each other and have one size are one: it says what is where."""
    found: list[Shown] = []
    for each in shown:
        last = found[-1] if found else None
        if last is None or each.board is None or each.board != last.board:
            found.append(each)
            continue
        planes = (*(last.planes or (last.name,)), each.name)
        cells = zip(last.grids[0], each.grids[0], strict=True)
        grid = [
            [one + (other << len(planes) - 1) for one, other in zip(*rows, strict=True)]
            for rows in cells
        ]
        found[-1] = last._replace(grids=[grid], planes=planes)
    return found


def _turn(game: Description, record: Record, viewer: Viewer) -> str:
    """Who decides, as that seat may know it: not who of several that do it in secret is next."""
    mover, seat = record.mover, v.seat_of(viewer)
    if game.simultaneous:
        those = record.rules.deciding()
        if seat is None:
            return "all decide" if len(those) == len(game.seats) else "some decide"
        if seat not in those:
            return "others decide"
        return "your turn, others decide as well" if len(those) > 1 else "your turn"
    return "your turn" if mover == seat else f"{game.seats[mover]}'s turn"


# --- plain text ----------------------------------------------------------------------------------


def _those(words: Sequence[str], value: int) -> str:
    """Which of the words' boards a number of several in one stands for."""
    return "+".join(word for at, word in enumerate(words) if value >> at & 1)


def _panel(shown: Shown) -> Panel:
    """A feature's grids under its name."""
    head, said = shown.name, _plainly
    if shown.planes:
        head, words = shown.words(WIDTH - 2, lambda word: len(word) + 1)
        said = functools.partial(_those, words)
    return Panel(head, [Line(line) for line in _text_grids(shown.grids, said)])


def _plainly(value: float) -> str:
    """A number, to six digits."""
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def _text_grids(grids: list[Grid], said: Callable[[Any], str] = _plainly) -> list[str]:
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


# --- the picture ---------------------------------------------------------------------------------

_WIDE: Final = 720  # a picture's width, if no grid needs more
_NARROW: Final = 390
_EDGE: Final = 14
_PAD: Final = 16
_GAP: Final = 12
_CELL: Final = 28
_SIZE: Final = LEAST
_INKS: Final = (CYAN, MAGENTA, LIME)  # of boards that are shown as one


def draw_page(view: View, record: Record, page: Page, look: Look) -> Drawn:
    """A page's board, cell by cell, its panels line by line, and the legal actions by name: these
    not in a bare picture.
    """
    blocks = [_board(page.board)] if page.board else []
    for panel in page.panels:
        said = [lettering.lines(line.text, _room(look)) for line in panel.lines]
        below = svg.flow(said, 0, 6)
        blocks.append(_headed(panel.title, below) if panel.title else below)
    if look.choices and not look.bare:
        named = [(action, view.action_name(record, action)) for action in look.choices]
        blocks.append(_choices(named, _room(look)))
    return _drawn(look, blocks, page.legend)


def _room(look: Look) -> float:
    return (_NARROW if look.narrow else _WIDE) - 2 * _EDGE - 2 * _PAD


def _drawn(look: Look, blocks: Sequence[Block], signs: Sequence[tuple[str, str]]) -> Drawn:
    panels = [svg.panelled(block, _PAD) for block in blocks]
    wide = max([_room(look) + 2 * _PAD, *(block.width for block in panels)]) + 2 * _EDGE
    legend = [v.LEGEND] if signs else []
    news = [v.NEWS] if look.events else []
    return Drawn(wide, _EDGE, _GAP, [*panels, *legend, *news, v.STATUS], signs)


def _board(board: Board) -> Block:
    wide = max(_CELL, *(width(cell.text, _SIZE) + 12 for row in board.cells for cell in row))
    drawn = ""
    for row, cells in enumerate(board.cells):
        for column, cell in enumerate(cells):
            x, y = column * wide, row * _CELL + (_CELL / 2 * (column % 2) if board.hexes else 0)
            drawn += box(x, y, wide, _CELL, 2, fill=DEEP, stroke=LINE)
            middle = y + (_CELL + _SIZE) / 2
            drawn += lettering.text(cell.text, x + wide / 2, middle, _SIZE, "middle", BRIGHT)
    rows = len(board.cells) + (0.5 if board.hexes else 0)
    return Block(wide * len(board.cells[0]), _CELL * rows, drawn)


def _headed(head: str, below: Block) -> Block:
    content = lettering.text(head, 0, _SIZE, _SIZE, colour=DIM) + at(0, _SIZE + 10, below.content)
    return Block(max(width(head, _SIZE), below.width), _SIZE + 10 + below.height, content)


def _number(shown: Shown, before: Shown) -> Block:
    """A feature of one number, by name."""
    value = shown.grids[0][0][0]
    far = width(shown.name, _SIZE) + 10
    content = lettering.text(shown.name, 0, _SIZE, _SIZE, colour=DIM)
    content += lettering.text(_signed(value), far, _SIZE, _SIZE, colour=_ink(value))
    if shown.grids != before.grids:
        content += _changed(far - 5, -5, width(_signed(value), _SIZE) + 10, _SIZE + 10)
    return Block(far + _widest(shown) + 14, _SIZE, content)


def _widest(shown: Shown) -> float:
    """The room that any of its numbers may take: so a picture keeps its size all game long."""
    fraction = [] if isinstance(shown.high, int) else ["-0.888888"]
    most = [*fraction, _signed(shown.low), _signed(shown.high)]
    return max(width(each, _SIZE) for each in most)


def _feature(shown: Shown, before: Shown, room: float) -> Block:
    """A feature's grids under its name; or what they say, where there are words for them."""
    if shown.labels:
        return _worded(shown, before, room)
    head, cell = shown.name, max(_CELL, _widest(shown) + 10)
    most = max(abs(shown.low), abs(shown.high), 1)

    def told(value: Any) -> _Told:
        return _Told(_signed(value), _ink(value), 0.18 + 0.5 * abs(value) / most)

    if shown.planes:
        head, words = shown.words(room, lambda word: width(word, _SIZE) + 10)
        cell = max(_CELL, *(width(word, _SIZE) + 10 for word in words))

        def told(value: Any) -> _Told:
            first = (value & -value).bit_length() - 1
            return _Told(_those(words, value), _INKS[first % len(_INKS)], 0.4)

    if len(shown.grids) == len(shown.grids[0]) == 1:
        across = max(1, int(room // cell))
        row, old = shown.grids[0][0], before.grids[0][0]
        rows = [
            _grid([row[start : start + across]], [old[start : start + across]], cell, told)
            for start in range(0, len(row), across)
        ]
        return _headed(head, svg.flow(rows, cell * min(across, len(row)), 0))
    blocks = [
        _grid(grid, old, cell, told) for grid, old in zip(shown.grids, before.grids, strict=True)
    ]
    if len(blocks) > 1:
        blocks = [_headed(str(plane), block) for plane, block in enumerate(blocks)]
    return _headed(head, svg.flow(blocks, room, _PAD))


def _worded(shown: Shown, before: Shown, room: float) -> Block:
    """A feature with labels: a line for each of its rows, under its name if there are several."""
    content, high, wide = "", 0.0, 0.0
    for line, old, longest in zip(shown.lines, before.lines, _fullest(shown).lines, strict=True):
        told, most = (lettering.lines(each, room - 10) for each in (line, longest))
        content += at(0, high, told.content)
        if line != old:
            content += _changed(-5, high - 5, told.width + 10, told.height + 10)
        high, wide = high + most.height + 14, max(wide, most.width)
    block = Block(wide, high - 14, content)
    return block if shown.in_a_line else _headed(shown.name, block)


def _fullest(shown: Shown) -> Shown:
    """With all its words: so a picture keeps its size all game long."""
    most = max(shown.low, shown.high, key=lambda bound: len(_signed(bound)))
    value = 1 if shown.on_or_off else most
    return shown._replace(grids=[[[value] * len(row) for row in grid] for grid in shown.grids])


def _changed(x: float, y: float, wide: float, high: float) -> str:
    """A frame with a full corner around what has just changed."""
    corner = f"M{svg.number(x + wide - 9)} {svg.number(y)}h9v9z"
    return box(x, y, wide, high, 2, stroke=BRIGHT, stroke_width=2) + svg.path(corner, fill=BRIGHT)


class _Told(NamedTuple):
    """How a number is shown in its cell."""

    text: str
    ink: str
    strength: float


def _grid(values: Grid, before: Grid, cell: float, told: Callable[[Any], _Told]) -> Block:
    """Numbers in cells, as they are *told*; zeros are dots."""
    rows, columns = len(values), len(values[0])
    wide, high = columns * cell, rows * _CELL
    content, dots, changed = box(0, 0, wide, high, fill=DEEP), "", ""
    for row, numbers in enumerate(values):
        for column, value in enumerate(numbers):
            x, y = column * cell, row * _CELL
            if value != before[row][column]:
                changed += _changed(x + 1, y + 1, cell - 2, _CELL - 2)
            if value == 0:
                dots += f"M{svg.number(x + cell / 2)} {svg.number(y + _CELL / 2)}h.01"
                continue
            text, ink, strength = told(value)
            content += box(x, y, cell, _CELL, fill=ink, fill_opacity=strength)
            middle = y + (_CELL + _SIZE) / 2
            content += lettering.text(text, x + cell / 2, middle, _SIZE, "middle", BRIGHT)
    lines = "".join(f"M{svg.number(at_ * cell)} 0v{high}" for at_ in range(columns + 1))
    lines += "".join(f"M0 {at_ * _CELL}h{svg.number(wide)}" for at_ in range(rows + 1))
    content += svg.path(lines, stroke=LINE, fill="none")
    return Block(wide, high, content + (svg.stroke(dots, LINE, 4) if dots else "") + changed)


def _choices(named: Sequence[tuple[int, str]], room: float) -> Block:
    """Legal actions, each in a pill that stands for it."""
    blocks = []
    for action, name in named:
        words = name
        while width(words, _SIZE) > room - 24:
            words = words.removesuffix("...")[:-1] + "..."
        wide = width(words, _SIZE) + 24
        content = box(0, 0, wide, _CELL, _CELL / 2, fill=CARD, stroke=LIME, stroke_width=1.2)
        content += lettering.text(words, 12, (_CELL + _SIZE) / 2, _SIZE, colour=LIME)
        blocks.append(Block(wide, _CELL, svg.target(content, [action], name)))
    return _headed("legal actions", svg.flow(blocks, room, 8))


def _ink(value: float) -> str:
    return BRIGHT if value == 0 else CYAN if value > 0 else MAGENTA


def _signed(value: float) -> str:
    return _plainly(value).replace("-", "\N{MINUS SIGN}")
