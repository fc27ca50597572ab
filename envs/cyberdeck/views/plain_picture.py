"""Plain pictures: of what a seat observes, and of any page whose view draws none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.lettering import LEAST, width
from cyberdeck.drawing.svg import BRIGHT, CARD, CYAN, DEEP, DIM, LIME, LINE, MAGENTA, Block, at, box
from cyberdeck.views import view as v
from cyberdeck.views.features import Grid, Shown, plainly, planes_in
from cyberdeck.views.record import Record
from cyberdeck.views.view import Board, Drawn, Look, Page, View

_WIDE: Final = 720  # a picture's width, if no grid needs more
_NARROW: Final = 390
_EDGE: Final = 14
_PAD: Final = 16
_GAP: Final = 12
_CELL: Final = 28
_SIZE: Final = LEAST
_INKS: Final = (CYAN, MAGENTA, LIME)  # of boards that are shown as one


def draw_features(
    pairs: Sequence[tuple[Shown, Shown]], named: Sequence[tuple[int, str]], look: Look
) -> Drawn:
    """A panel for each feature, with what it was before, and the legal actions by name."""
    room = _room(look)
    singles = [_number(each, old) for each, old in pairs if each.single]
    blocks = [svg.flow(singles, room, _GAP)] if singles else []
    blocks += [_feature(each, old, room) for each, old in pairs if not each.single]
    if named:
        blocks.append(_choices(named, room))
    changed = at(-_CELL / 2, -_CELL / 2, _changed(0, 0, _CELL, _CELL))
    return _drawn(look, blocks, [(changed, "just changed")])


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
            return _Told(planes_in(words, value), _INKS[first % len(_INKS)], 0.4)

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
    return plainly(value).replace("-", "\N{MINUS SIGN}")
