"""The board in Stacktrices' pictures."""

from __future__ import annotations

from typing import Final

import numpy as np

from cyberdeck.drawing.lettering import FELL, LEAST, MOVED, happened, ring
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
    number,
    path,
    shade,
    stroke,
)
from cyberdeck.engine.contract import Look, Record
from cyberdeck.engine.kernels import State
from cyberdeck.games.stacktrices.board import (
    DRONES,
    HIDE,
    HIDE_AGAIN,
    HIDE_RAIDER,
    HOME_RANK,
    MOVE,
    NONE,
    QUEEN,
    SIDE,
    SIZE,
    SKILL,
    SQUARES,
    STACKS,
    Square,
    mirrored,
)
from cyberdeck.games.stacktrices.drawing.choices import Choices
from cyberdeck.games.stacktrices.drawing.routes import last_route, straight
from cyberdeck.games.stacktrices.drawing.signs import (
    CHIP,
    EARLIER,
    MAY,
    NOW,
    Point,
    aim,
    chip,
    goal,
    passing,
    plate,
    raided_mark,
    thief_mark,
    tower,
    trail,
)
from cyberdeck.games.stacktrices.hidden import known_thief
from cyberdeck.games.stacktrices.narration import (
    Changes,
    caps_hidden,
    changes,
    colour_of,
    label,
    pieces_seen,
    rank_of,
    stack_name,
    thief_seen,
    traded,
)
from cyberdeck.games.stacktrices.notation import FILES, square_name

#: The sides' own colours: white's, black's.
OWN: Final = (SILVER, VIOLET)

GROUND: Final = shade("#4a5890", "#b7c4e6")  # of the dark squares; black and white stand out
_LIGHT: Final = shade("#6676b3", "#d8e0f5")
_LEFT, _TOP, _BELOW, _RIGHT = 24, 6, 26, 6  # around the squares: ranks, files
_LEAST_PITCH: Final = 12.0  # of pieces that may be chosen: all of their numbers are seen
_FULL: Final = 72.0  # a cell in which towers are as large as they are drawn


class _Table:
    """Where squares lie in the picture, and what has just happened to stacks."""

    def __init__(self, record: Record, look: Look, cell: float) -> None:
        self.seat, self.cell = look.side, cell
        self.scale = cell / _FULL
        self.long = SIDE * cell
        self.now: Changes = {}
        self.moved: set[tuple[int, int]] = set()
        if look.before is not None:
            self.now = changes(record, look.before, look.seat)
            elsewhere = look.before["square"][0] != record["square"][0]
            self.moved = {(owner, stack) for owner, stack in np.argwhere(elsewhere).tolist()}
        self.traded = traded(record[0])

    def corner(self, square: Square) -> Point:
        """The upper left corner of a square."""
        row, file = divmod(int(mirrored(self.seat, square)), SIDE)
        return _LEFT + self.cell * file, _TOP + self.cell * (SIDE - 1 - row)

    def middle(self, square: Square) -> Point:
        x, y = self.corner(square)
        return x + self.cell / 2, y + self.cell / 2


def draw_board(record: Record, look: Look, choices: Choices, cell: float) -> Block:
    """The squares, the last move, all stacks, and what may be done with them."""
    state, table = record[0], _Table(record, look, cell)
    under, above = _goals(table, choices)
    way, friends = _last_move(record, look, table)
    board = _ground(state, table) + way + under
    # Those in the back first: a tall one may touch the square behind it.
    order = sorted(
        (-int(mirrored(look.side, int(state["square"][owner, stack]))), owner, stack)
        for owner in range(2)
        for stack in range(STACKS)
        if state["square"][owner, stack] != NONE
    )
    stacks = [(owner, stack) for _, owner, stack in order]
    board += "".join(_stack(record, look, table, choices, *each) for each in stacks)
    board += friends
    board += "".join(_changed(record, look, table, choices, *each) for each in stacks)
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


def _last_move(record: Record, look: Look, table: _Table) -> tuple[str, str]:
    """Where the last move came from, and where it went; above the stacks, the friends that it went
    through.
    """
    state = record[0]
    if state["last_from"] == NONE:
        return "", ""
    friends = [table.middle(square) for square in last_route(record, look.before)]
    x1, y1 = table.middle(int(state["last_from"]))
    x2, y2 = table.middle(int(state["last_to"]))
    x0, y0 = friends[-1] if friends else (x1, y1)
    # Well into the last square.
    share = 1 - 0.4 * table.cell / max(abs(x2 - x0), abs(y2 - y0))
    points = [*friends, (x0 + share * (x2 - x0), y0 + share * (y2 - y0))]
    x, y = table.corner(int(state["last_to"]))
    there = box(x + 1, y + 1, table.cell - 2, table.cell - 2, 4, fill=CYAN, fill_opacity=0.22)
    way = at(x1, y1, trail(*((x - x1, y - y1) for x, y in points)))
    return there + way, "".join(at(*friend, passing(CYAN)) for friend in friends)


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
        drawn += box(x + 1, y + 1, cell - 2, cell - 2, 6, fill=LIME, fill_opacity=0.2)
        drawn += _may_act(table, x, y, 3)
    pieces = pieces_seen(state, look.seat, owner, stack)
    fresh = {kind for change, kind in table.now.get((owner, stack), ()) if change > 0}
    pyramids, counts = tower(colour_of(state, owner), queen, pieces, fresh)
    # Beside the pieces that may be chosen.
    aside = 4 if actions and choices.phase not in (MOVE, HIDE, HIDE_AGAIN, HIDE_RAIDER) else 0
    foot_x, foot_y = x + cell / 2 - aside, y + cell - 7 * table.scale
    drawn += at(foot_x, foot_y, pyramids, table.scale)
    for words, (left, down) in counts:
        place = (foot_x + table.scale * left - 14, foot_y + table.scale * down - LEAST)
        drawn += plate(words, *place)
    if caps_hidden(state, look.seat, owner):
        drawn += plate("?", foot_x - 6, foot_y - 44 * table.scale)
    drawn += plate(label(state, owner, stack), x + 3, y + 3)
    small = max(table.scale, 0.8)
    if stack == thief_seen(state, look.seat, owner):
        drawn += at(x + 12, y + cell - 12, thief_mark(stack == known_thief(state, owner)), small)
    if not queen and state["raided"][owner, stack]:
        drawn += at(x + 12, y + cell - 12 - 20 * small, raided_mark(), small)
    if not actions:
        return drawn
    drawn += box(x, y, cell, cell, fill=NIGHT, fill_opacity=0)  # all of the square can be clicked
    if choices.hides(stack) and owner == int(state["mover"]):
        return choices.one(drawn, actions[0])
    return choices.some(drawn, actions, stack_name(record, owner, stack))


def _may_act(table: _Table, x: float, y: float, inset: float) -> str:
    """Corners of a square whose stack has legal actions."""
    wide, arm = table.cell - 2 * inset, 0.19 * table.cell
    drawn = corners(x + inset, y + inset, wide, wide, arm, NIGHT, 5)
    return drawn + corners(x + inset, y + inset, wide, wide, arm, LIME, 2.6)


def _changed(
    record: Record, look: Look, table: _Table, choices: Choices, owner: int, stack: int
) -> str:
    """What has just happened to a stack: it has moved, has captured, has got or lost pieces."""
    state, cell, moved = record[0], table.cell, (owner, stack) in table.moved
    if look.before is None or not (moved or (owner, stack) in table.now):
        return ""
    x, y = table.corner(int(state["square"][owner, stack]))
    marked = ring(x + 4, y + 4, cell - 8, cell - 8, 5)
    if owner == int(state["mover"]) and choices.of_stack(owner, stack):
        marked += _may_act(table, x, y, 1)  # over the ring
    if moved:
        marked += happened(x + cell - 6, y + 6, MOVED)
    beaten = captured(look.before[0], state, 1 - owner)
    if moved and beaten:
        words = f"{FELL}{label(state, 1 - owner, beaten[0])}"
        marked += plate(words, x + cell - 39, y + cell - 17, RED)
        if state["caught"]:
            marked += at(x + cell - 14, y + cell - 29, thief_mark(True), 0.9)
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
                    goal(stack, bool(captures), _relayed(record[0], stack, square)),
                ),
                action,
            )
    return under, above


def _relayed(state: State, stack: int, square: int) -> bool:
    """Whether a move leads through friends."""
    seat = int(state["mover"])
    pieces, start = state["pieces"][seat, stack], int(state["square"][seat, stack])
    warps = start // SIDE == HOME_RANK[1 - seat] and square // SIDE == HOME_RANK[seat]
    if warps or not pieces[SKILL + QUEEN]:
        return False
    return not straight(state, start, square, int(pieces[:SKILL] @ SIZE[:SKILL]))


def _spot(table: _Table, x: float, y: float, place: int, count: int, captures: bool) -> Point:
    """The middle of the sign for one of several stacks that may go to a square."""
    cell, pitch = table.cell, 19 * max(table.scale, 0.84)
    if captures:  # along the edges, where the stack's name and signs are last
        right, down = ((1, 2), (1, 1), (0, 2), (0, 1), (1, 0), (0, 0), (0.5, 0))[place]
        return x + 13 + (cell - 26) * right, y + 14 + (cell - 28) / 2 * down
    across = 3
    row, at_row = divmod(place, across)
    rows = (count + across - 1) // across
    length = min(across, count - across * row)
    return (
        x + cell / 2 + pitch * (at_row - (length - 1) / 2),
        y + cell / 2 + pitch * (row - (rows - 1) / 2),
    )


def _chips(state: State, table: _Table, choices: Choices, owner: int, stack: int) -> str:
    """The pieces that have just left a stack or come on it, and those that may, down its right
    edge.
    """
    cell, now = table.cell, table.now.get((owner, stack), [])
    earlier = table.traded.get((owner, stack), []).copy()
    for each in now:
        if each in earlier:
            earlier.remove(each)
    chips: list[tuple[str, int | None]] = [
        *((chip(*each, NOW), None) for each in now),
        *((chip(*each, EARLIER), None) for each in earlier),
    ]
    top = -2.0 if chips else 2.0
    chips += [(chip(-1, kind, MAY), action) for kind, action in choices.picks(owner, stack)]
    if owner == int(state["mover"]):
        chips += [(chip(1, kind, MAY), action) for kind, action in choices.puts(stack)]
    if not chips:
        return ""
    wide, high = CHIP
    if (owner, stack) in table.moved:  # below the sign that says so
        top = 17.0
    room = cell - top - high - 1
    pitch = min(high + 1.0, max(_LEAST_PITCH, room / max(1, len(chips) - 1)))
    rows = 1 + int(room / pitch + 0.01)
    x, y = table.corner(int(state["square"][owner, stack]))
    drawn = ""
    for place, (sign, action) in enumerate(chips):
        column, row = divmod(place, rows)
        there = at(x + cell - (wide + 1) * (column + 1), y + top + pitch * row, sign)
        drawn += there if action is None else choices.one(there, action)
    return drawn
