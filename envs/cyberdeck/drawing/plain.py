"""Text and picture of any game, made from what a seat observes: for games that draw none."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.drawing.lettering import badge, banner, prompt, title, width
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
    at,
    backdrop,
    box,
    document,
    number,
    panel,
    path,
    stroke,
)
from cyberdeck.engine.contract import Feature
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

    @property
    def widest(self) -> float:
        """The room that any of its numbers may take: so a picture keeps its size all game long."""
        return max(width(_signed(bound), _SIZE) for bound in (self.low, self.high))


class View(NamedTuple):
    """What a seat sees: features of one number, the others, and what it may do."""

    single: list[Shown]
    grids: list[Shown]
    legal: list[int]


def _view(variant: Variant, record: NDArray[Any], seat: int) -> View:
    mask = np.zeros(variant.action_count, np.int8)
    out = np.zeros(variant.observation_size, np.int8)
    metrics = np.zeros(len(variant.game.metrics), np.int32)
    loops_of(variant.game).look(record, 0, seat, mask, out, metrics)
    named = variant.named(out.reshape(variant.observation_shape))
    view = View([], [], np.flatnonzero(mask).tolist())
    for feature in variant.features:
        shown = _grids(feature, named[feature.name])
        (view.single if feature.size == 1 else view.grids).append(shown)
    return view


def _grids(feature: Feature, values: NDArray[Any]) -> Shown:
    rows, columns = (1, *feature.shape)[-2:]
    name = feature.name.replace("_", " ")
    return Shown(name, feature.low, feature.high, values.reshape(-1, rows, columns))


def _turn(variant: Variant, record: NDArray[Any], seat: int) -> str:
    """Who decides, as that seat may know it: not who of several that do it in secret is next."""
    mover = int(record["mover"][0])
    if variant.game.simultaneous:
        asked = deciding(variant.game, record)
        if seat not in asked:
            return "others decide"
        return "your turn, others decide as well" if len(asked) > 1 else "your turn"
    return "your turn" if mover == seat else f"{variant.agents[mover]}'s turn"


def _ending(variant: Variant, record: NDArray[Any], seat: int) -> str | None:
    """Why the game is over, if it is, in words to a seat."""
    if record["mover"][0] != NOBODY:
        return None
    return variant.game.named_ending(record, seat)


# --- plain text ----------------------------------------------------------------------------------

_LINE_WIDTH: Final = 79


def text(variant: Variant, record: NDArray[Any], seat: int, actions: bool = True) -> str:
    """What a seat sees, every feature by its name; dots are zeros. Then the legal *actions*.

    >>> from cyberdeck import Batch
    >>> batch = Batch("hackthegrid", 1, seed=0)
    >>> print(text(batch.variant, batch.core.states, 1)[:47])
    HACKtheGRID, seen by row, decisions 0
    your turn
    """
    view = _view(variant, record, seat)
    ending = _ending(variant, record, seat)
    decided = int(record["decisions"][0])
    lines = [
        f"{variant.game.title}, seen by {variant.agents[seat]}, decisions {decided}",
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
_EDGE: Final = 14
_PAD: Final = 16
_GAP: Final = 12
_CELL: Final = 28
_SIZE: Final = 11
_MOST_ACTIONS: Final = 48


class Block(NamedTuple):
    """Part of a picture, drawn from (0, 0)."""

    width: float
    height: float
    content: str


def svg(
    variant: Variant, record: NDArray[Any], seat: int, mask: NDArray[np.int8] | None = None
) -> str:
    """What a seat sees as a picture: a panel for each feature; *mask*: actions to be named."""
    view = _view(variant, record, seat)
    blocks = [_numbers(view.single)] if view.single else []
    blocks += [_feature(shown) for shown in view.grids]
    legal = [] if mask is None else [int(action) for action in np.flatnonzero(mask)]
    if legal:
        blocks.append(_actions([variant.game.named_action(record, action) for action in legal]))
    panels = [_panelled(block) for block in blocks]
    wide = max([_WIDE, *(block.width + 2 * _EDGE for block in panels)])
    flow = _flow(panels, wide - 2 * _EDGE, _GAP)
    top = 72
    foot = top + flow.height + _GAP
    ending = _ending(variant, record, seat)
    if ending is None:
        count = None if mask is None else len(legal)
        status = prompt(foot, _turn(variant, record, seat).upper(), count, "ACTION", wide)
    else:
        status = banner(foot, "GAME OVER", ending.upper(), AMBER, wide)
    high = foot + 54
    return document(
        wide,
        high,
        variant.game.title,
        "",
        backdrop(int(wide), int(high))
        + _header(variant, record, seat, wide)
        + at(_EDGE, top, flow.content)
        + status,
    )


def _header(variant: Variant, record: NDArray[Any], seat: int, wide: float) -> str:
    """The game's name, how many decisions were made, and whose view it is."""
    decided = f"DECISIONS {int(record['decisions'][0])}"
    seen_by = "" if variant.seats == 1 else f"SEEN BY {variant.agents[seat].upper()}, "
    words = seen_by + decided
    room = wide - width(words, _SIZE) - 90
    size = min(25.0, 25 * room / width(variant.game.title, 25))
    return title(variant.game.title, 24, 46, max(size, _SIZE)) + badge(words, wide - _EDGE, 24)


def _flow(blocks: Sequence[Block], wide: float, gap: float) -> Block:
    """Blocks from left to right, begun anew below where the next one does not fit."""
    x = y = high = reach = 0.0
    content = ""
    for block in blocks:
        if x > 0 and x + block.width > wide:
            x, y, high = 0.0, y + high + gap, 0.0
        content += at(x, y, block.content)
        reach = max(reach, x + block.width)
        high = max(high, block.height)
        x += block.width + gap
    return Block(reach, y + high, content)


def _panelled(block: Block) -> Block:
    wide, high = block.width + 2 * _PAD, block.height + 2 * _PAD
    return Block(wide, high, panel(0, 0, wide, high) + at(_PAD, _PAD, block.content))


def _headed(head: str, below: Block) -> Block:
    name = head.upper()
    content = letters(name, 0, _SIZE, _SIZE, colour=DIM) + at(0, _SIZE + 10, below.content)
    return Block(max(width(name, _SIZE), below.width), _SIZE + 10 + below.height, content)


def _room() -> float:
    """How wide the content of a panel may be, if it can be broken."""
    return _WIDE - 2 * _EDGE - 2 * _PAD


def _numbers(single: Sequence[Shown]) -> Block:
    """Features of one number each, by name."""
    blocks = []
    for shown in single:
        value = int(shown.grids.item())
        name = shown.name.upper()
        far = width(name, _SIZE) + 10
        content = letters(name, 0, _SIZE, _SIZE, colour=DIM)
        content += letters(_signed(value), far, _SIZE, _SIZE, colour=_ink(value))
        blocks.append(Block(far + shown.widest + 14, _SIZE, content))
    return _flow(blocks, _room(), _GAP)


def _feature(shown: Shown) -> Block:
    """A feature's grids under its name."""
    grids = shown.grids
    cell = max(_CELL, shown.widest + 10)
    most = max(abs(shown.low), abs(shown.high), 1)
    if grids.shape[:2] == (1, 1):
        across = max(1, int(_room() // cell))
        row = grids.ravel()
        rows = [
            _grid(row[None, start : start + across], cell, most)
            for start in range(0, row.size, across)
        ]
        return _headed(shown.name, _flow(rows, cell * min(across, row.size), 0))
    blocks = [_grid(grid, cell, most) for grid in grids]
    if len(blocks) > 1:
        blocks = [_headed(str(plane), block) for plane, block in enumerate(blocks)]
    return _headed(shown.name, _flow(blocks, _room(), _PAD))


def _grid(values: NDArray[np.int8], cell: float, most: int) -> Block:
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
    return Block(wide, high, content)


def _actions(names: Sequence[str]) -> Block:
    """Legal actions, each in a pill."""
    shown = list(names[:_MOST_ACTIONS])
    if len(names) > len(shown):
        shown.append(f"AND {len(names) - len(shown)} MORE")
    blocks = []
    for name in shown:
        words = name.upper()
        while width(words, _SIZE) > _room() - 24:
            words = words.removesuffix("...")[:-1] + "..."
        wide = width(words, _SIZE) + 24
        content = box(0, 0, wide, _CELL, _CELL / 2, fill=CARD, stroke=LIME, stroke_width=1.2)
        content += letters(words, 12, (_CELL + _SIZE) / 2, _SIZE, colour=LIME)
        blocks.append(Block(wide, _CELL, content))
    return _headed("legal actions", _flow(blocks, _room(), 8))


def _ink(value: int) -> str:
    return BRIGHT if value == 0 else CYAN if value > 0 else MAGENTA


def _signed(value: int) -> str:
    return str(value).replace("-", "\N{MINUS SIGN}")
