"""The plain view of any game, made from what a seat observes: for games that have none; and plain
pictures, also of any page whose view draws none.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.lettering import LEAST, small, width
from cyberdeck.drawing.svg import BRIGHT, CARD, CYAN, DEEP, DIM, LIME, LINE, MAGENTA, Block, at, box
from cyberdeck.engine.constants import COMMON_REASONS, FORFEIT, NOBODY
from cyberdeck.engine.naming import named_action
from cyberdeck.views import view as v
from cyberdeck.views.features import Description, Shown, observed, plainly, planes_in, text_grids
from cyberdeck.views.notation import told_apart
from cyberdeck.views.record import Record
from cyberdeck.views.texts import sections, wrapped
from cyberdeck.views.view import Board, Drawn, Ending, Line, Look, Mask, Page, Panel, View, Viewer
from cyberdeck.views.words import WIDTH, filled


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
        numbers = filled(f"{name} {plainly(value)}" for name, value in singles)
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
        """A panel for each feature, with what it was before, and the legal actions by name."""
        features, room = observed(game, record, look.viewer), _room(look)
        before = features if look.before is None else observed(game, look.before, look.viewer)
        pairs = list(zip(features, before, strict=True))
        singles = [_number(each, old) for each, old in pairs if each.single]
        blocks = [svg.flow(singles, room, _GAP)] if singles else []
        blocks += [_feature(each, old, room) for each, old in pairs if not each.single]
        blocks += _choices(action_name, record, look)
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


def how_to_play(game: Description) -> str:
    """What the game says of itself."""
    ends = ", ".join(reason.replace("_", " ") for reason in game.reasons[len(COMMON_REASONS) :])
    return sections(
        wrapped(game.about),
        wrapped(f"Rewards: {game.rewards}" if game.rewards else ""),
        wrapped(f"A game can end by: {ends}." if ends else ""),
    )


def how_to_write(actions: Sequence[tuple[int, str]]) -> str:
    """How actions are written that are called by the meaning of their groups.

    >>> how_to_write([(9, "mark cell"), (1, "pass")])
    'mark cell 0 to mark cell 8; pass'
    """
    each = (f"{name} 0 to {name} {count - 1}" if count > 1 else name for count, name in actions)
    return "\n".join(filled(each))


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


def _panel(shown: Shown) -> Panel:
    """A feature's grids under its name."""
    head, said = shown.name, plainly
    if shown.planes:
        head, words = shown.words(WIDTH - 2, lambda word: len(word) + 1)
        said = functools.partial(planes_in, words)
    return Panel(head, [Line(line) for line in text_grids(shown.grids, said)])


# --- plain pictures ------------------------------------------------------------------------------

_WIDE: Final = 720  # a picture's width, if no grid needs more
_NARROW: Final = 390
_EDGE: Final = 14
_PAD: Final = 16
_GAP: Final = 12
_CELL: Final = 28
_INKS: Final = (CYAN, MAGENTA, LIME)  # of boards that are shown as one

#: How a number is shown in its cell: its text, its ink, and how strong that lies behind it.
_Told: TypeAlias = tuple[str, str, float]
_Grid: TypeAlias = Sequence[Sequence[Any]]


def draw_page(view: View, record: Record, page: Page, look: Look) -> Drawn:
    """A page's board, cell by cell, its panels line by line, and the legal actions by name: these
    not in a bare picture.
    """
    blocks = [_board(page.board)] if page.board else []
    for panel in page.panels:
        said = [lettering.lines(line.text, _room(look)) for line in panel.lines]
        below = svg.flow(said, 0, 6)
        blocks.append(_headed(panel.title, below) if panel.title else below)
    blocks += [] if look.bare else _choices(view.action_name, record, look)
    return _drawn(look, blocks, page.legend)


def _room(look: Look) -> float:
    return (_NARROW if look.narrow else _WIDE) - 2 * _EDGE - 2 * _PAD


def _drawn(look: Look, blocks: Sequence[Block], signs: Sequence[tuple[str, str]]) -> Drawn:
    panels = [svg.panelled(block, _PAD) for block in blocks]
    wide = max([_room(look) + 2 * _PAD, *(block.width for block in panels)]) + 2 * _EDGE
    below = [v.LEGEND] * bool(signs) + [v.NEWS] * bool(look.events)
    return Drawn(wide, _EDGE, _GAP, [*panels, *below, v.STATUS], signs)


def _board(board: Board) -> Block:
    wide = max(_CELL, *(width(cell.text, LEAST) + 12 for row in board.cells for cell in row))
    drawn = ""
    for row, cells in enumerate(board.cells):
        for column, cell in enumerate(cells):
            x, y = column * wide, row * _CELL + (_CELL / 2 * (column % 2) if board.hexes else 0)
            drawn += box(x, y, wide, _CELL, 2, fill=DEEP, stroke=LINE)
            middle = y + (_CELL + LEAST) / 2
            drawn += small(cell.text, x + wide / 2, middle, anchor="middle")
    rows = len(board.cells) + (0.5 if board.hexes else 0)
    return Block(wide * len(board.cells[0]), _CELL * rows, drawn)


def _headed(head: str, below: Block) -> Block:
    content = small(head, 0, LEAST, DIM) + at(0, LEAST + 10, below.content)
    return Block(max(width(head, LEAST), below.width), LEAST + 10 + below.height, content)


def _number(shown: Shown, before: Shown) -> Block:
    """A feature of one number, by name."""
    value = shown.grids[0][0][0]
    far = width(shown.name, LEAST) + 10
    content = small(shown.name, 0, LEAST, DIM)
    content += small(_signed(value), far, LEAST, _ink(value))
    if shown.grids != before.grids:
        content += _changed(far - 5, -5, width(_signed(value), LEAST) + 10, LEAST + 10)
    return Block(far + _widest(shown) + 14, LEAST, content)


def _widest(shown: Shown) -> float:
    """The room that any of its numbers may take: so a picture keeps its size all game long."""
    fraction = [] if isinstance(shown.high, int) else ["-0.888888"]
    most = [*fraction, _signed(shown.low), _signed(shown.high)]
    return max(width(each, LEAST) for each in most)


def _feature(shown: Shown, before: Shown, room: float) -> Block:
    """A feature's grids under its name; or what they say, where there are words for them."""
    if shown.labels:
        return _worded(shown, before, room)
    head, cell = shown.name, max(_CELL, _widest(shown) + 10)
    most = max(abs(shown.low), abs(shown.high), 1)

    def told(value: Any) -> _Told:
        return _signed(value), _ink(value), 0.18 + 0.5 * abs(value) / most

    if shown.planes:
        head, words = shown.words(room, lambda word: width(word, LEAST) + 10)
        cell = max(_CELL, *(width(word, LEAST) + 10 for word in words))

        def told(value: Any) -> _Told:
            first = (value & -value).bit_length() - 1
            return planes_in(words, value), _INKS[first % len(_INKS)], 0.4

    if shown.in_a_row:
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


def _grid(values: _Grid, before: _Grid, cell: float, told: Callable[[Any], _Told]) -> Block:
    """Numbers in cells, as they are *told*; zeros are dots."""
    wide, high = len(values[0]) * cell, len(values) * _CELL
    content, dots, changed = box(0, 0, wide, high, fill=DEEP), "", ""
    for row, (numbers, old) in enumerate(zip(values, before, strict=True)):
        for column, value in enumerate(numbers):
            x, y = column * cell, row * _CELL
            if value != old[column]:
                changed += _changed(x + 1, y + 1, cell - 2, _CELL - 2)
            if value == 0:
                dots += f"M{svg.number(x + cell / 2)} {svg.number(y + _CELL / 2)}h.01"
                continue
            text, ink, strength = told(value)
            content += box(x, y, cell, _CELL, fill=ink, fill_opacity=strength)
            content += small(text, x + cell / 2, y + (_CELL + LEAST) / 2, anchor="middle")
    lines = "".join(f"M{svg.number(at_ * cell)} 0v{high}" for at_ in range(len(values[0]) + 1))
    lines += "".join(f"M0 {at_ * _CELL}h{svg.number(wide)}" for at_ in range(len(values) + 1))
    content += svg.path(lines, stroke=LINE, fill="none")
    return Block(wide, high, content + (svg.stroke(dots, LINE, 4) if dots else "") + changed)


def _choices(named: Callable[[Record, int], str], record: Record, look: Look) -> list[Block]:
    """Legal actions, each in a pill that stands for it; nothing, if there are none."""
    blocks, room = [], _room(look)
    for action in look.choices or ():
        name = words = named(record, action)
        while width(words, LEAST) > room - 24:
            words = words.removesuffix("...")[:-1] + "..."
        wide = width(words, LEAST) + 24
        content = box(0, 0, wide, _CELL, _CELL / 2, fill=CARD, stroke=LIME, stroke_width=1.2)
        content += small(words, 12, (_CELL + LEAST) / 2, LIME)
        blocks.append(Block(wide, _CELL, svg.target(content, [action], name)))
    return [_headed("legal actions", svg.flow(blocks, room, 8))] if blocks else []


def _ink(value: float) -> str:
    return BRIGHT if value == 0 else CYAN if value > 0 else MAGENTA


def _signed(value: float) -> str:
    return plainly(value).replace("-", "\N{MINUS SIGN}")
