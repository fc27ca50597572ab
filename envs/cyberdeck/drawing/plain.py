"""Text and picture of any game, made from what a seat observes: for games that draw none."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.drawing.lettering import LEAST, asked, badge, legend, over, title, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import (
    AMBER,
    BRIGHT,
    CARD,
    CYAN,
    DEEP,
    DIM,
    LIME,
    LINE,
    MAGENTA,
    Block,
    at,
    backdrop,
    box,
    document,
    flow,
    number,
    panelled,
    path,
    stroke,
    target,
)
from cyberdeck.engine.contract import Feature, Look
from cyberdeck.engine.loops import loops_of
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import deciding
from cyberdeck.engine.variant import Variant

# --- what is shown -------------------------------------------------------------------------------


class Shown(NamedTuple):
    """A feature's numbers as grids, (planes, rows, columns): a vector is one row."""

    name: str
    low: int
    high: int
    grids: NDArray[np.int8]
    changed: NDArray[np.bool_]
    """Where it was another number before what has just happened."""

    @property
    def widest(self) -> float:
        """The room that any of its numbers may take: so a picture keeps its size all game long."""
        return max(width(_signed(bound), _SIZE) for bound in (self.low, self.high))


class View(NamedTuple):
    """What a seat sees: features of one number, the others, and what it may do."""

    single: list[Shown]
    grids: list[Shown]
    legal: list[int]


def _seen(
    variant: Variant, record: NDArray[Any], seat: int, mask: NDArray[np.int8]
) -> dict[str, NDArray[np.int8]]:
    """Every feature's numbers by its name; the *mask* is filled in."""
    out = np.zeros(variant.observation_size, np.int8)
    metrics = np.zeros(len(variant.game.metrics), np.int32)
    loops_of(variant.game).look(record, 0, seat, mask, out, metrics)
    return variant.named(out.reshape(variant.observation_shape))


def _view(
    variant: Variant, record: NDArray[Any], seat: int, before: NDArray[Any] | None = None
) -> View:
    mask = np.zeros(variant.action_count, np.int8)
    named = _seen(variant, record, seat, mask)
    old = named if before is None else _seen(variant, before, seat, np.zeros_like(mask))
    view = View([], [], np.flatnonzero(mask).tolist())
    for feature in variant.features:
        shown = _grids(feature, named[feature.name], old[feature.name])
        (view.single if feature.size == 1 else view.grids).append(shown)
    return view


def _grids(feature: Feature, values: NDArray[Any], old: NDArray[Any]) -> Shown:
    rows, columns = (1, *feature.shape)[-2:]
    grids, before = (each.reshape(-1, rows, columns) for each in (values, old))
    name = feature.name.replace("_", " ")
    return Shown(name, feature.low, feature.high, grids, grids != before)


def _turn(variant: Variant, record: NDArray[Any], seat: int | None) -> str:
    """Who decides, as that seat may know it: not who of several that do it in secret is next."""
    mover = int(record["mover"][0])
    if variant.game.simultaneous:
        those = deciding(variant.game, record)
        if seat is None:
            return "all decide" if len(those) == variant.seats else "some decide"
        if seat not in those:
            return "others decide"
        return "your turn, others decide as well" if len(those) > 1 else "your turn"
    return "your turn" if mover == seat else f"{variant.agents[mover]}'s turn"


def _ending(variant: Variant, record: NDArray[Any], seat: int | None) -> str | None:
    """Why the game is over, if it is, in words to a seat."""
    if record["mover"][0] != NOBODY:
        return None
    return variant.game.named_ending(record, 0 if seat is None else seat)


# --- plain text ----------------------------------------------------------------------------------

_LINE_WIDTH: Final = 79


def text(variant: Variant, record: NDArray[Any], seat: int | None, actions: bool = True) -> str:
    """What a seat sees, every feature by its name; dots are zeros. Then the legal *actions*.

    Seat None is a spectator, who is shown a public record.

    >>> from cyberdeck import Batch
    >>> batch = Batch("hackthegrid", 1, seed=0)
    >>> print(text(batch.variant, batch.core.states, 1)[:47])
    HACKtheGRID, seen by row, decisions 0
    your turn
    """
    view = _view(variant, record, 0 if seat is None else seat)
    ending = _ending(variant, record, seat)
    decided = int(record["decisions"][0])
    who = "a spectator" if seat is None else variant.agents[seat]
    lines = [
        f"{variant.game.title}, seen by {who}, decisions {decided}",
        _turn(variant, record, seat) if ending is None else f"over: {ending}",
        "",
        *_filled(f"{each.name} {each.grids.item()}" for each in view.single),
    ]
    for shown in view.grids:
        lines += [shown.name, *_text_grids(shown.grids)]
    if view.legal and actions:
        name = variant.game.named_action
        lines += ["", "legal actions:"]
        lines += _filled(f"{action} {name(record, action)}" for action in view.legal)
    return "\n".join(lines)


def _filled(words: Iterable[str]) -> list[str]:
    """Short texts one after the other, as many a line as fit."""
    kept = (each.replace(" ", "\N{NO-BREAK SPACE}") for each in words)
    lines = textwrap.wrap("; ".join(kept), _LINE_WIDTH, break_long_words=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def _text_grids(grids: NDArray[np.int8]) -> list[str]:
    """Grids side by side, as many as fit; several are numbered. A long row goes on below."""
    cells = [
        [["." if value == 0 else str(value) for value in row] for row in grid]
        for grid in grids.tolist()
    ]
    wide = max(len(cell) for grid in cells for row in grid for cell in row)
    if grids.shape[:2] == (1, 1):
        across = max(1, (_LINE_WIDTH - 2) // (wide + 1))
        cells = [[cells[0][0][start : start + across] for start in range(0, grids.size, across)]]
    blocks = [[" ".join(cell.rjust(wide) for cell in row) for row in grid] for grid in cells]
    room = max(len(line) for block in blocks for line in block) + 3
    if len(blocks) > 1:
        blocks = [[str(plane), *block] for plane, block in enumerate(blocks)]
    beside = max(1, _LINE_WIDTH // room)
    lines = []
    for start in range(0, len(blocks), beside):
        for row in zip(*blocks[start : start + beside], strict=True):
            lines.append("  " + "".join(part.ljust(room) for part in row).rstrip())
    return lines


# --- the picture ---------------------------------------------------------------------------------

_WIDE: Final = 720  # a picture's width, if no grid needs more
_NARROW: Final = 390
_EDGE: Final = 14
_PAD: Final = 16
_GAP: Final = 12
_CELL: Final = 28
_SIZE: Final = LEAST


def svg(variant: Variant, record: NDArray[Any], look: Look) -> str:
    """What a seat sees as a picture: a panel for each feature, and the legal actions by name."""
    room = (_NARROW if look.narrow else _WIDE) - 2 * _EDGE - 2 * _PAD
    view = _view(variant, record, look.side, look.before)
    blocks = [_numbers(view.single, room)] if view.single else []
    blocks += [_feature(shown, room) for shown in view.grids]
    legal = [] if look.mask is None else [int(action) for action in np.flatnonzero(look.mask)]
    if legal:
        names = [(action, variant.game.named_action(record, action)) for action in legal]
        blocks.append(_actions(names, room))
    changed = at(-_CELL / 2, -_CELL / 2, _changed(0, 0, _CELL, _CELL))
    blocks.append(legend([(changed, "JUST CHANGED")], room, 16))
    panels = [panelled(block, _PAD) for block in blocks]
    wide = max([room + 2 * _PAD, *(block.width for block in panels)])
    ending = _ending(variant, record, look.seat)
    turn = _turn(variant, record, look.seat)
    if ending is None:
        count = None if look.mask is None else len(legal)
        status = asked(turn.upper(), count, "ACTION", wide)
    else:
        status = over("GAME OVER", ending.upper(), AMBER, wide)
    table = flow([*panels, Block(wide, status.height, status.content)], wide, _GAP)
    head = _header(variant, record, look, wide)
    wide, high = wide + 2 * _EDGE, table.height + head.height + 2 * _EDGE + _GAP
    return document(
        wide,
        high,
        f"{variant.game.title}: {turn if ending is None else ending}",
        text(variant, record, look.seat, False),
        "",
        backdrop(int(wide), int(high))
        + at(_EDGE, _EDGE, head.content)
        + at(_EDGE, _EDGE + head.height + _GAP, table.content),
    )


def _header(variant: Variant, record: NDArray[Any], look: Look, wide: float) -> Block:
    """The game's name, how many decisions were made, and whose view it is."""
    words = f"DECISIONS {int(record['decisions'][0])}"
    if variant.seats > 1:
        who = "A SPECTATOR" if look.seat is None else variant.agents[look.seat].upper()
        words = f"SEEN BY {who}, {words}"
    seen = width(words, LEAST) + 24
    name = width(variant.game.title, 25) + 20
    beside = name + seen <= wide
    size = min(25.0, 25 * wide / name)
    return Block(
        wide,
        46 if beside else 76,
        title(variant.game.title, 10, 32, max(size, LEAST))
        + badge(words, wide if beside else seen, 10 if beside else 46),
    )


def _headed(head: str, below: Block) -> Block:
    name = head.upper()
    content = letters(name, 0, _SIZE, _SIZE, colour=DIM) + at(0, _SIZE + 10, below.content)
    return Block(max(width(name, _SIZE), below.width), _SIZE + 10 + below.height, content)


def _numbers(single: Sequence[Shown], room: float) -> Block:
    """Features of one number each, by name."""
    blocks = []
    for shown in single:
        value = int(shown.grids.item())
        name = shown.name.upper()
        far = width(name, _SIZE) + 10
        content = letters(name, 0, _SIZE, _SIZE, colour=DIM)
        content += letters(_signed(value), far, _SIZE, _SIZE, colour=_ink(value))
        if shown.changed.any():
            content += _changed(far - 5, -5, width(_signed(value), _SIZE) + 10, _SIZE + 10)
        blocks.append(Block(far + shown.widest + 14, _SIZE, content))
    return flow(blocks, room, _GAP)


def _feature(shown: Shown, room: float) -> Block:
    """A feature's grids under its name."""
    grids = shown.grids
    cell = max(_CELL, shown.widest + 10)
    most = max(abs(shown.low), abs(shown.high), 1)
    if grids.shape[:2] == (1, 1):
        across = max(1, int(room // cell))
        row, changed = grids.reshape(1, -1), shown.changed.reshape(1, -1)
        rows = [
            _grid(row[:, start : start + across], changed[:, start : start + across], cell, most)
            for start in range(0, row.size, across)
        ]
        return _headed(shown.name, flow(rows, cell * min(across, row.size), 0))
    blocks = [
        _grid(grid, changed, cell, most) for grid, changed in zip(grids, shown.changed, strict=True)
    ]
    if len(blocks) > 1:
        blocks = [_headed(str(plane), block) for plane, block in enumerate(blocks)]
    return _headed(shown.name, flow(blocks, room, _PAD))


def _changed(x: float, y: float, wide: float, high: float) -> str:
    """A frame with a full corner around what has just changed."""
    corner = f"M{number(x + wide - 9)} {number(y)}h9v9z"
    return box(x, y, wide, high, 2, stroke=BRIGHT, stroke_width=2) + path(corner, fill=BRIGHT)


def _grid(values: NDArray[np.int8], changed: NDArray[np.bool_], cell: float, most: int) -> Block:
    """Numbers in cells, the brighter the larger; zeros are dots."""
    rows, columns = values.shape
    wide, high = columns * cell, rows * _CELL
    content = box(0, 0, wide, high, fill=DEEP)
    dots = ""
    for (row, column), value in np.ndenumerate(values):
        x, y = column * cell, row * _CELL
        if value == 0:
            dots += f"M{number(x + cell / 2)} {number(y + _CELL / 2)}h.01"
            continue
        ink = _ink(int(value))
        strength = 0.18 + 0.5 * abs(int(value)) / most
        content += box(x, y, cell, _CELL, fill=ink, fill_opacity=strength)
        middle = y + (_CELL + _SIZE) / 2
        content += letters(_signed(int(value)), x + cell / 2, middle, _SIZE, "middle", BRIGHT)
    lines = "".join(f"M{number(at_ * cell)} 0v{high}" for at_ in range(columns + 1))
    lines += "".join(f"M0 {at_ * _CELL}h{number(wide)}" for at_ in range(rows + 1))
    content += path(lines, stroke=LINE, fill="none")
    if dots:
        content += stroke(dots, LINE, 4)
    for row, column in np.argwhere(changed).tolist():
        content += _changed(column * cell + 1, row * _CELL + 1, cell - 2, _CELL - 2)
    return Block(wide, high, content)


def _actions(named: Sequence[tuple[int, str]], room: float) -> Block:
    """Legal actions, each in a pill that stands for it."""
    blocks = []
    for action, name in named:
        words = name.upper()
        while width(words, _SIZE) > room - 24:
            words = words.removesuffix("...")[:-1] + "..."
        wide = width(words, _SIZE) + 24
        content = box(0, 0, wide, _CELL, _CELL / 2, fill=CARD, stroke=LIME, stroke_width=1.2)
        content += letters(words, 12, (_CELL + _SIZE) / 2, _SIZE, colour=LIME)
        blocks.append(Block(wide, _CELL, target(content, [action], name)))
    return _headed("legal actions", flow(blocks, room, 8))


def _ink(value: int) -> str:
    return BRIGHT if value == 0 else CYAN if value > 0 else MAGENTA


def _signed(value: int) -> str:
    return str(value).replace("-", "\N{MINUS SIGN}")
