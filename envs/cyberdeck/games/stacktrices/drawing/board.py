"""The board in Stacktrices' pictures."""

from __future__ import annotations

from typing import Final

from cyberdeck.drawing.lettering import CAME, FELL, LEAST, MOVED, WENT, mark
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import (
    CYAN,
    DIM,
    LIME,
    NIGHT,
    RED,
    SILVER,
    VIOLET,
    Block,
    at,
    box,
    corners,
    glow,
    number,
    path,
    shade,
    stroke,
)
from cyberdeck.engine.contract import Look, Record
from cyberdeck.engine.kernels import State
from cyberdeck.games.stacktrices.board import (
    DRONES,
    NONE,
    SIDE,
    SQUARES,
    STACKS,
    Square,
    mirrored,
)
from cyberdeck.games.stacktrices.drawing.choices import Choices
from cyberdeck.games.stacktrices.drawing.signs import (
    CHIP,
    Point,
    aim,
    chip,
    goal,
    plate,
    raided_mark,
    thief_mark,
    tower,
    trail,
)
from cyberdeck.games.stacktrices.narration import (
    caps_hidden,
    colour_of,
    label,
    pieces_seen,
    rank_of,
    stack_name,
    thief_seen,
)
from cyberdeck.games.stacktrices.notation import FILES, square_name

#: The sides' own colours: white's, black's.
OWN: Final = (SILVER, VIOLET)

GROUND: Final = shade("#4a5890", "#b7c4e6")  # of the dark squares; black and white stand out
_LIGHT: Final = shade("#6676b3", "#d8e0f5")
_LEFT, _TOP, _BELOW, _RIGHT = 24, 6, 26, 6  # around the squares: ranks, files
_FULL: Final = 72.0  # a cell in which towers are as large as they are drawn


class _Table:
    """Where squares lie in the picture."""

    def __init__(self, look: Look, cell: float) -> None:
        self.seat, self.cell = look.side, cell
        self.scale = cell / _FULL
        self.long = SIDE * cell

    def corner(self, square: Square) -> Point:
        """The upper left corner of a square."""
        row, file = divmod(int(mirrored(self.seat, square)), SIDE)
        return _LEFT + self.cell * file, _TOP + self.cell * (SIDE - 1 - row)

    def middle(self, square: Square) -> Point:
        x, y = self.corner(square)
        return x + self.cell / 2, y + self.cell / 2


def draw_board(record: Record, look: Look, choices: Choices, cell: float) -> Block:
    """The squares, the last move, all stacks, and what may be done with them."""
    state, table = record[0], _Table(look, cell)
    under, above = _goals(table, choices)
    board = _ground(state, table) + _last_move(state, table) + under
    # Those in the back first: a tall one may touch the square behind it.
    order = sorted(
        (-int(mirrored(look.side, int(state["square"][owner, stack]))), owner, stack)
        for owner in range(2)
        for stack in range(STACKS)
        if state["square"][owner, stack] != NONE
    )
    stacks = [(owner, stack) for _, owner, stack in order]
    board += "".join(_stack(record, look, table, choices, *each) for each in stacks)
    board += "".join(_changed(record, look, table, *each) for each in stacks)
    board += above + "".join(_chips(state, table, choices, *each) for each in stacks)
    return Block(_LEFT + table.long + _RIGHT, _TOP + table.long + _BELOW, board)


def _ground(state: State, table: _Table) -> str:
    """The squares, the home rows, ranks and files."""
    cell, long = table.cell, table.long
    dark = "".join(
        f"M{number(x)} {number(y)}h{number(cell)}v{number(cell)}h{number(-cell)}z"
        for square in range(0, SQUARES, 2)
        for x, y in (table.corner(square),)
    )
    ground = box(_LEFT, _TOP, long, long, fill=_LIGHT) + path(dark, fill=GROUND)
    for owner in range(2):
        ink = OWN[colour_of(state, owner)]
        own = owner == table.seat
        top = _TOP + (long - cell if own else 0)
        edge = top + cell + 2 if own else top - 2
        ground += box(_LEFT, top, long, cell, fill=ink, fill_opacity=0.16)
        ground += stroke(f"M{_LEFT} {number(edge)}h{number(long)}", ink, 3)
    for place in range(SIDE):
        middle = _TOP + cell * (SIDE - 0.5 - place) + LEAST / 2
        rank = str(rank_of(state, table.seat, place))
        ground += letters(rank, _LEFT - 9, middle, LEAST, "end", DIM)
        middle = _LEFT + cell * (place + 0.5)
        ground += letters(FILES[place], middle, _TOP + long + 20, LEAST, "middle", DIM)
    return ground


def _last_move(state: State, table: _Table) -> str:
    """Where the last move came from, and where it went."""
    if state["last_from"] == NONE:
        return ""
    x1, y1 = table.middle(int(state["last_from"]))
    x2, y2 = table.middle(int(state["last_to"]))
    share = 1 - 0.52 * table.cell / max(abs(x2 - x1), abs(y2 - y1))  # to the last square's edge
    x, y = table.corner(int(state["last_to"]))
    there = box(x + 1, y + 1, table.cell - 2, table.cell - 2, 4, fill=CYAN, fill_opacity=0.22)
    return there + at(x1, y1, trail(share * (x2 - x1), share * (y2 - y1)))


# --- stacks --------------------------------------------------------------------------------------


def _stack(
    record: Record, look: Look, table: _Table, choices: Choices, owner: int, stack: int
) -> str:
    """A stack on its square, with its name and its marks."""
    state, cell, queen = record[0], table.cell, stack >= DRONES
    x, y = table.corner(int(state["square"][owner, stack]))
    actions = choices.of_stack(owner, stack)
    drawn = ""
    if actions and owner == int(state["mover"]):
        drawn += glow(x + 5, y + 5, cell - 10, cell - 10, 6, LIME, 0.8)
        arm = 0.19 * cell
        drawn += corners(x + 3, y + 3, cell - 6, cell - 6, arm, NIGHT, 5)
        drawn += corners(x + 3, y + 3, cell - 6, cell - 6, arm, LIME, 2.6)
    pieces = pieces_seen(state, look.seat, owner, stack)
    pyramids, counts = tower(colour_of(state, owner), queen, pieces)
    foot_x, foot_y = x + cell / 2, y + cell - 7 * table.scale
    drawn += at(foot_x, foot_y, pyramids, table.scale)
    for words, (left, down) in counts:
        place = (foot_x + table.scale * left - 14, foot_y + table.scale * down - LEAST)
        drawn += plate(words, *place)
    if caps_hidden(state, look.seat, owner):
        drawn += plate("?", foot_x - 6, foot_y - 44 * table.scale)
    drawn += plate(label(state, owner, stack), x + 3, y + 3)
    small = max(table.scale, 0.8)
    if stack == thief_seen(state, look.seat, owner):
        drawn += at(x + 12, y + cell - 12, thief_mark(bool(state["exposed"][owner])), small)
    if not queen and state["raided"][owner, stack]:
        drawn += at(x + 12, y + cell - 12 - 20 * small, raided_mark(), small)
    if not actions:
        return drawn
    drawn += box(x, y, cell, cell, fill=NIGHT, fill_opacity=0)  # all of the square can be clicked
    if choices.hides(stack) and owner == int(state["mover"]):
        return choices.one(drawn, actions[0])
    return choices.some(drawn, actions, stack_name(record, owner, stack))


def _changed(record: Record, look: Look, table: _Table, owner: int, stack: int) -> str:
    """What has just happened to a stack: it has moved, has captured, has got or lost pieces."""
    if look.before is None:
        return ""
    state, before, cell = record[0], look.before[0], table.cell
    square = int(state["square"][owner, stack])
    pieces, had = (pieces_seen(each, look.seat, owner, stack) for each in (state, before))
    if int(before["square"][owner, stack]) != square:
        sign = MOVED
    elif pieces != had:
        sign = CAME if sum(pieces) >= sum(had) else WENT
    else:
        return ""
    x, y = table.corner(square)
    marked = mark(x + 4, y + 4, cell - 8, cell - 8, sign, 5)
    beaten = captured(before, state, 1 - owner)
    if sign == MOVED and beaten:
        words = f"{FELL}{label(state, 1 - owner, beaten[0])}"
        marked += plate(words, x + cell - 37, y + 20, RED)
        if state["caught"]:
            marked += at(x + cell - 14, y + 48 * max(table.scale, 0.8), thief_mark(True))
    return marked


def captured(before: State, state: State, owner: int) -> list[int]:
    """The stacks that a side has lost since *before*."""
    lost = (before["square"][owner] != NONE) & (state["square"][owner] == NONE)
    stacks: list[int] = lost.nonzero()[0].tolist()
    return stacks


# --- what may be done ----------------------------------------------------------------------------


def _goals(table: _Table, choices: Choices) -> tuple[str, str]:
    """The squares where stacks may go, and above them the numbers of these stacks."""
    moves, record, cell = choices.moves(), choices.record, table.cell
    several = len({stack for stacks in moves.values() for stack in stacks}) > 1
    under = above = ""
    for square, stacks in moves.items():
        x, y = table.corner(square)
        captures = record["board"][0, square] != NONE
        if captures:
            ground = box(x, y, cell, cell, fill=RED, fill_opacity=0.3)
            frame = at(x + cell / 2, y + cell / 2, aim(cell / 2 - 3))
        else:
            frame = ""
            ground = box(
                x + 4,
                y + 4,
                cell - 8,
                cell - 8,
                8,
                fill=LIME,
                fill_opacity=0.12 if several else 0.3,
                stroke=LIME,
                stroke_opacity=0.6 if several else 1,
                stroke_width=1.6,
                stroke_dasharray="4 4" if several else None,
            )
        name = square_name(record, square)
        under += choices.some(ground, list(stacks.values()), name)
        if captures:
            above += choices.some(
                frame + box(x, y, cell, cell, fill=NIGHT, fill_opacity=0),
                list(stacks.values()),
                name,
            )
        for place, (stack, action) in enumerate(stacks.items()):
            above += choices.one(
                at(
                    *_spot(table, x, y, place, len(stacks), bool(captures)),
                    goal(stack, bool(captures)),
                ),
                action,
            )
    return under, above


def _spot(table: _Table, x: float, y: float, place: int, count: int, captures: bool) -> Point:
    """The middle of the sign for one of several stacks that may go to a square."""
    cell, pitch = table.cell, 19 * max(table.scale, 0.84)
    if captures:  # along the right edge, then the left one: the stack there stays visible
        side, down = divmod(place, 3)
        return x + (cell - 13 if side == 0 else 13), y + 14 + (cell - 28) / 2 * down
    across = 3
    row, at_row = divmod(place, across)
    rows = (count + across - 1) // across
    length = min(across, count - across * row)
    return (
        x + cell / 2 + pitch * (at_row - (length - 1) / 2),
        y + cell / 2 + pitch * (row - (rows - 1) / 2),
    )


def _chips(state: State, table: _Table, choices: Choices, owner: int, stack: int) -> str:
    """The pieces that may leave a stack, or come on it."""
    chips = [("\N{MINUS SIGN}", *each) for each in choices.picks(owner, stack)]
    if owner == int(state["mover"]):
        chips += [("+", *each) for each in choices.puts(stack)]
    x, y = table.corner(int(state["square"][owner, stack]))
    wide, high = CHIP
    top = 15  # below the sign of what has just happened
    rows = max(int((table.cell - top) // high), -(-len(chips) // 2))
    pitch = min(high + 2.0, (table.cell - top) / rows)
    drawn = ""
    for place, (sign, kind, action) in enumerate(chips):
        column, row = divmod(place, rows)
        left = x + table.cell - wide - 2 - column * (wide + 1)
        drawn += choices.one(at(left, y + top + pitch * row, chip(sign, kind)), action)
    return drawn
