"""Stacktrices in pictures: only what the seat may see."""

from __future__ import annotations

from typing import Final

import numpy as np

from cyberdeck.drawing.lettering import badge, banner, prompt, title, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import (
    AMBER,
    BRIGHT,
    CYAN,
    DIM,
    GREEN,
    ICE,
    LIME,
    LINE,
    MAGENTA,
    NIGHT,
    RED,
    SILVER,
    VIOLET,
    at,
    backdrop,
    box,
    corners,
    disc,
    document,
    glow,
    group,
    kept,
    number,
    panel,
    path,
    stroke,
    tag,
)
from cyberdeck.engine.contract import Look, Record
from cyberdeck.engine.kernels import Mask, State
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.stacktrices.board import (
    AFTER_MOVE,
    CALL_OFF,
    CAP,
    DRONES,
    END_TURN,
    EXPOSE,
    HIDE,
    HIDE_AGAIN,
    HIDE_RAIDER,
    HIDES,
    KINDS,
    MOVE,
    NONE,
    OWN_PICKS,
    PHASES,
    PICKS,
    PLACE_RAIDED,
    PLACE_STOLEN,
    PUTS,
    QUEEN,
    RAID,
    SIDE,
    SIZE,
    SKILL,
    SQUARES,
    STACKS,
    STEAL,
    TRADE,
    claim,
    mirrored,
    picked_kind,
    their_picks,
)
from cyberdeck.games.stacktrices.narration import (
    COLOURS,
    colour_of,
    ending,
    hand_name,
    hand_seen,
    pieces_seen,
    rank_of,
    task,
    text,
    thief_seen,
    turn_shown,
)
from cyberdeck.games.stacktrices.notation import FILES
from cyberdeck.games.stacktrices.stacks import stacks_left

Lit = Mask | None  # what to light up

_OWN: Final = (SILVER, VIOLET)  # the sides' own colours

# --- what is legal -------------------------------------------------------------------------------


def _moves(state: State, mask: Lit) -> dict[int, list[int]]:
    """The squares, as the mover sees them, that stacks may move to, each with those stacks."""
    if mask is None or int(state["phase"]) != MOVE:
        return {}
    found: dict[int, list[int]] = {}
    for action in np.flatnonzero(mask[: STACKS * SQUARES]):
        stack, square = divmod(int(action), SQUARES)
        found.setdefault(square, []).append(stack)
    return found


def _puts(mask: Lit, stack: int) -> list[int]:
    """The kinds that may be put on an own stack."""
    if mask is None:
        return []
    first = PUTS + KINDS * stack
    return [int(kind) for kind in np.flatnonzero(mask[first : first + KINDS])]


def _picks(state: State, mask: Lit, owner: int, stack: int) -> set[int]:
    """The kinds that may be picked from a stack."""
    if mask is None:
        return set()
    own = owner == int(state["mover"])
    first = OWN_PICKS if own else their_picks(state)
    each = PICKS[int(state["stacked_movement"])]
    # The pieces of a stack that is captured are what may be stolen.
    there = state["loot"] if int(state["phase"]) == STEAL else state["pieces"][owner, stack]
    choices = each * stack + np.flatnonzero(mask[first + each * stack :][:each])
    return {int(picked_kind(state, there, int(choice))) for choice in choices}


def _buttons(state: State, mask: Lit) -> list[tuple[str, str]]:
    """The legal choices that are neither square nor piece, and their colours."""
    if mask is None:
        return []
    first = claim(state)
    names = (
        (first, "CLAIM A RAID", AMBER),
        (first + EXPOSE, "EXPOSE", AMBER),
        (first + CALL_OFF, "CALL OFF", LIME),
        (first + END_TURN, "END TURN", LIME),
    )
    return [(name, ink) for action, name, ink in names if action < len(mask) and mask[action]]


# --- pyramids ------------------------------------------------------------------------------------
# A pyramid stands with the middle of its foot at the origin. Its edge towards us divides it into
# a bright face and a dark one.

#: Movement is coloured and solid, the hotter the faster; skill is clear. Bright and dark face,
#: edges, pips.
_INKS: Final = (
    ("#ffc24d", "#b26a12", "#ffe2a6", "#4a2600"),
    ("#ff7a45", "#a8341c", "#ffc3a6", "#430b00"),
    ("#ff4fa8", "#97165f", "#ffb5dc", "#42001f"),
    *((("#31486f", "#1b2a4c", ICE, BRIGHT),) * 3),
)
_BASE_INKS: Final = (
    ("#f4f7ff", "#a4b1dc", "#ffffff", "#1a2347"),
    ("#0d0a1a", "#030208", VIOLET, "#d9c8ff"),
)
_WIDE: Final = (21, 31, 41)  # by size
_HIGH: Final = (19, 28, 37)
_BASES: Final = ((42, 31, 11), (52, 38, 12))  # drone and queen: wide, high, seen below a cap
_FOOT: Final = 4  # a queen stands on a step
_ROOM: Final = 60  # the highest stack
_BAND: Final = 9  # how much of a piece is seen below the next


def _pips(count: int, y: float, radius: float, colour: str) -> str:
    gap = 3.1 * radius
    dots = "".join(
        f"M{number((place - (count - 1) / 2) * gap - radius)} {number(y)}"
        f"a{number(radius)} {number(radius)} 0 1 0 {number(2 * radius)} 0"
        f"a{number(radius)} {number(radius)} 0 1 0 {number(-2 * radius)} 0z"
        for place in range(count)
    )
    return path(dots, fill=colour)


@kept
def _pyramid(
    wide: float, high: float, inks: tuple[str, str, str, str], pips: int, band: float | None
) -> str:
    """A pyramid with its pips at the foot; with a *band* only so much of it is seen."""
    bright, dark, edge, ink = inks
    left, right, ridge, drop = -wide / 2, wide / 2, 0.2 * wide, 0.05 * wide
    top = high if band is None else band + 1
    half = wide / 2 * (1 - top / high)  # of the edge at the top: it is cut off under the next
    bend = 0.4 * half
    shape = (
        f"M{number(left)} 0L{number(-half)} {number(-top)}H{number(half)}L{number(right)} 0 "
        f"{number(ridge)} {number(drop)}z"
    )
    faces = path(shape, fill=bright) + path(
        f"M{number(bend)} {number(-top)}H{number(half)}L{number(right)} 0 {number(ridge)} "
        f"{number(drop)}z",
        fill=dark,
    )
    if inks is _INKS[SKILL] and band is None:  # light on the glass
        shine = f"M{number(0.3 * left)} {number(-0.52 * high)}L{number(0.5 * left)} "
        faces += stroke(shine + number(-0.22 * high), BRIGHT, 1.4, stroke_opacity=0.6)
    low = 10 if band is None else band
    return (
        faces
        + stroke(shape, edge, 1.2)
        + _pips(pips, -0.42 * min(low, 10), min(1.9, low / 4.4), ink)
    )


def _piece(kind: int, band: float | None = None) -> str:
    size = kind % SKILL
    return _pyramid(_WIDE[size], _HIGH[size], _INKS[kind], size + 1, band)


@kept
def _base(colour: int, queen: bool, capped: bool) -> str:
    """A stack's base; a queen stands on a step, so that the two differ by more than size."""
    wide, high, seen = _BASES[queen]
    inks = _BASE_INKS[colour]
    pyramid = _pyramid(wide, high, inks, 2 + queen, seen if capped else None)
    if not queen:
        return pyramid
    bright, dark, edge, _ = inks
    left, right, ridge = number(-wide / 2 - 4), number(wide / 2 + 4), number(0.2 * wide)
    step = f"M{left} 0v{_FOOT}L{ridge} {_FOOT + 3} {right} {_FOOT}v-{_FOOT}z"
    return at(
        0,
        -_FOOT,
        path(step, fill=bright)
        + path(f"M{ridge} 3V{_FOOT + 3}L{right} {_FOOT}v-{_FOOT}z", fill=dark)
        + stroke(step, edge, 1.2)
        + pyramid,
    )


def _tower(colour: int, queen: bool, pieces: list[int], lit: set[int]) -> str:
    """A stack: its base, movement on it, skill on top; lit pieces may be picked."""
    kinds = [kind for sort in (0, SKILL) for kind in range(sort + 2, sort - 1, -1) if pieces[kind]]
    tower = _base(colour, queen, bool(kinds))
    if not kinds:
        return tower
    y = float(-_BASES[queen][2] - (_FOOT if queen else 0))
    room = _ROOM + y - _HIGH[kinds[-1] % SKILL]
    band = min(_BAND, room / max(1, len(kinds) - 1))
    counts = ""
    for place, kind in enumerate(kinds, 1):
        tower += at(0, y, _piece(kind, band if place < len(kinds) else None))
        half = _WIDE[kind % SKILL] / 2
        if kind in lit:
            for side in (-1, 1):  # an arrow on either side: this one
                tower += stroke(
                    f"M{number(side * (half + 6))} {number(y - 6)}l{-3.4 * side} 3 {3.4 * side} 3",
                    LIME,
                    1.8,
                )
        if pieces[kind] > 1:
            count = f"\N{MULTIPLICATION SIGN}{pieces[kind]}"
            wide = width(count, 6.4) + 4
            left = -half - wide + 1
            counts += box(left, y - 8.5, wide, 9.5, 3, fill=NIGHT, fill_opacity=0.85)
            counts += letters(count, left + 2, y - 0.6, 6.4, colour=BRIGHT, weight=1.1)
        y -= band
    return tower + counts


# --- marks ---------------------------------------------------------------------------------------

_HOOD: Final = (
    "M0-9C5.6-9 7.6-5 7.6-1 7.6 3 9.4 4.6 9.4 8.6H-9.4C-9.4 4.6-7.6 3-7.6-1-7.6-5-5.6-9 0-9z"
)


def _thief_mark(exposed: bool) -> str:
    """A hooded face; a thief that is exposed for good stands in the light."""
    colour = RED if exposed else MAGENTA
    mark = disc(0, 0, 10, NIGHT, fill_opacity=0.85) + path(_HOOD, fill=colour)
    mark += path("M0-4.6Q4.2-3.6 4.2.4T0 5.2-4.2.4 0-4.6z", fill=NIGHT)
    mark += disc(-1.8, -0.2, 1.15, colour) + disc(1.8, -0.2, 1.15, colour)
    if not exposed:
        return mark
    return mark + stroke("M-11-5L-14.5-7M-5.5-11L-7.5-14.5M5.5-11L7.5-14.5M11-5L14.5-7", RED, 1.8)


def _raided_mark() -> str:
    """A padlock: no raid until the stack has been home."""
    return (
        disc(0, 0, 8.6, NIGHT, stroke=AMBER, stroke_width=1.2)
        + box(-4, -1.2, 8, 5.6, 1, fill=AMBER)
        + stroke("M-2.5-1.6V-3q0-2.4 2.5-2.4T2.5-3V-1.6", AMBER, 1.4)
    )


def _chip(label: str, x: float, y: float, kind: int) -> str:
    """A piece that may be put on a stack: filled for movement, an outline for skill."""
    solid = kind < SKILL
    ink = _INKS[kind][0] if solid else ICE
    return box(
        x - 8, y - 5.6, 16, 11.2, 3, fill=ink if solid else NIGHT, stroke=ink, stroke_width=1.2
    ) + letters(label, x, y + 3.3, 6.6, "middle", NIGHT if solid else ICE, 1.4)


def _tag(stack: int, x: float, y: float, colour: str) -> str:
    """A stack's number in the square that it may move to."""
    ink = BRIGHT if colour == RED else NIGHT
    return disc(x, y, 7.3, colour, stroke=NIGHT, stroke_width=1) + letters(
        str(stack), x, y + 3.7, 7.4, "middle", ink, 1.6
    )


# --- the board -----------------------------------------------------------------------------------

_CELL: Final = 72
_BOARD_X, _BOARD_Y = 38, 126
_LONG: Final = SIDE * _CELL


def _corner(view: int) -> tuple[int, int]:
    """The upper left corner of a square as the seat sees it."""
    row, file = divmod(view, SIDE)
    return _BOARD_X + _CELL * file, _BOARD_Y + _CELL * (SIDE - 1 - row)


def _arena(state: State, seat: int) -> str:
    """Mars, the squares over it, the home rows, ranks and files."""
    middle = _LONG / 2
    arena = panel(14, 116, 538, 540)
    arena += box(_BOARD_X, _BOARD_Y, _LONG, _LONG, fill=NIGHT)
    # Light falls from the upper left, in steps: a gradient of this size takes long to paint.
    for shift, radius, colour in (
        (0, 236, "#571a20"),
        (-22, 200, "#702521"),
        (-44, 158, "#8a3223"),
    ):
        arena += disc(_BOARD_X + middle + shift, _BOARD_Y + middle + shift, radius, colour)
    arena += stroke(
        f"M{_BOARD_X + 96} {_BOARD_Y + 236}q60-26 110 4t120-12 80 6"
        f"M{_BOARD_X + 150} {_BOARD_Y + 350}q50 24 112 6t120 10"
        f"M{_BOARD_X + 120} {_BOARD_Y + 130}q60 14 96-4t70 6",
        "#ff8a5c",
        3,
        stroke_opacity=0.16,
    )
    dark = "".join(
        f"M{x} {y}h{_CELL}v{_CELL}h-{_CELL}z"
        for view in range(0, SQUARES, 2)
        for x, y in (_corner(view),)
    )
    arena += box(_BOARD_X, _BOARD_Y, _LONG, _LONG, fill="#1e2f68", fill_opacity=0.6)
    arena += path(dark, fill="#080d28", fill_opacity=0.66)
    for owner, top in ((1 - seat, _BOARD_Y), (seat, _BOARD_Y + _LONG - _CELL)):
        ink = _OWN[colour_of(state, owner)]
        arena += box(_BOARD_X, top, _LONG, _CELL, fill=ink, fill_opacity=0.09)
        edge = top - 3 if owner != seat else top + _CELL + 3
        arena += stroke(f"M{_BOARD_X + 18} {edge}h{_LONG - 36}", ink, 2.4)
    lines = "".join(
        f"M{_BOARD_X + _CELL * place} {_BOARD_Y}v{_LONG}M{_BOARD_X} {_BOARD_Y + _CELL * place}"
        f"h{_LONG}"
        for place in range(1, SIDE)
    )
    arena += tag("path", d=lines, stroke=CYAN, stroke_opacity=0.2)
    arena += box(_BOARD_X, _BOARD_Y, _LONG, _LONG, stroke=CYAN, stroke_opacity=0.5)
    arena += corners(_BOARD_X - 2, _BOARD_Y - 2, _LONG + 4, _LONG + 4, 14, CYAN, 2.4)
    for place in range(SIDE):
        x, y = _corner(SIDE * place)
        arena += letters(str(rank_of(state, seat, place)), 26, y + 41, 10, "middle", DIM)
        x, _ = _corner(place)
        arena += letters(FILES[place], x + _CELL / 2, 649, 9, "middle", DIM)
    return arena


def _trail(state: State, seat: int) -> str:
    """Where the last move came from, and where it went."""
    if state["last_from"] == NONE:
        return ""
    ends = [_corner(mirrored(seat, int(state[end]))) for end in ("last_from", "last_to")]
    (x1, y1), (x2, y2) = ((x + _CELL / 2, y + _CELL / 2) for x, y in ends)
    reach = 1 - 40 / max(abs(x2 - x1), abs(y2 - y1))  # up to the edge of the last square
    end_x, end_y = x1 + (x2 - x1) * reach, y1 + (y2 - y1) * reach
    tip = at(
        end_x,
        end_y,
        stroke("M-6-5L0 0-6 5", CYAN, 2),
        turn=float(np.degrees(np.arctan2(y2 - y1, x2 - x1))),
    )
    trail = (
        disc(x1, y1, 9, "none", stroke=CYAN, stroke_width=1.6, stroke_dasharray="3 3")
        + disc(x1, y1, 2.6, CYAN)
        + stroke(
            f"M{number(x1)} {number(y1)}L{number(end_x)} {number(end_y)}",
            CYAN,
            1.8,
            stroke_dasharray="1 5",
        )
        + tip
    )
    x, y = ends[1]
    return group(
        trail + box(x + 2, y + 2, _CELL - 4, _CELL - 4, 6, fill=CYAN, fill_opacity=0.16),
        opacity=0.75,
    )


def _may_act(state: State, mask: Lit, stack: int) -> bool:
    """Whether the mover's stack takes part in a legal action."""
    if mask is None:
        return False
    phase = int(state["phase"])
    if phase == MOVE:
        return bool(mask[SQUARES * stack : SQUARES * (stack + 1)].any())
    if phase in (HIDE, HIDE_AGAIN, HIDE_RAIDER):
        return stack < DRONES and bool(mask[HIDES + stack])
    return phase != AFTER_MOVE and bool(_puts(mask, stack))


def _stack(state: State, seat: int, owner: int, stack: int, mask: Lit) -> str:
    """A stack on its square, with its marks and, in its owner's view, what it may do."""
    x, y = _corner(mirrored(seat, int(state["square"][owner, stack])))
    own, queen = owner == seat, stack >= DRONES
    lit = _picks(state, mask, owner, stack)
    drawn = ""
    if own and _may_act(state, mask, stack):
        drawn += glow(x + 5, y + 5, _CELL - 10, _CELL - 10, 6, LIME, 0.8)
        drawn += corners(x + 3, y + 3, _CELL - 6, _CELL - 6, 13, LIME, 2.4)
    tower = _tower(colour_of(state, owner), queen, pieces_seen(state, seat, owner, stack), lit)
    drawn += at(x + _CELL / 2, y + _CELL - 7, tower)
    drawn += letters(str(stack), x + 8, y + 17, 9, colour=CYAN if own else DIM, weight=1.5)
    if stack == thief_seen(state, seat, owner):
        drawn += at(x + 61, y + 60, _thief_mark(bool(state["exposed"][owner])))
    if not queen and state["raided"][owner, stack]:
        drawn += at(x + 11, y + 60, _raided_mark())
    if own:
        for place, kind in enumerate(_puts(mask, stack)):
            drawn += _chip(f"+{SIZE[kind]}", x + 60, y + 11 + 12.4 * place, kind)
    return drawn


def _targets(state: State, seat: int, mask: Lit) -> tuple[str, str]:
    """Light under the squares where stacks may go, and tags above with the stacks' numbers."""
    moves = _moves(state, mask)
    several = len({stack for stacks in moves.values() for stack in stacks}) > 1
    light = tags = ""
    for view, stacks in moves.items():
        x, y = _corner(view)
        middle_x, middle_y = x + _CELL / 2, y + _CELL / 2
        if state["board"][mirrored(seat, view)] == NONE:
            light += box(
                x + 4,
                y + 4,
                _CELL - 8,
                _CELL - 8,
                8,
                fill=LIME,
                fill_opacity=0.07 if several else 0.2,
                stroke=LIME,
                stroke_opacity=0.35 if several else 1,
                stroke_width=1.4,
                stroke_dasharray="4 4" if several else None,
            )
            for place, stack in enumerate(stacks):
                row, at_row = divmod(place, 4)
                length = min(4, len(stacks) - 4 * row)
                rows = (len(stacks) + 3) // 4
                tags += _tag(
                    stack,
                    middle_x + 16 * (at_row - (length - 1) / 2),
                    middle_y + 16 * (row - (rows - 1) / 2),
                    LIME,
                )
            continue
        light += box(x + 3, y + 3, _CELL - 6, _CELL - 6, 4, fill=RED, fill_opacity=0.26)
        sight = "".join(
            f"M{number(middle_x + 36 * across)} {number(middle_y + 36 * down)}"
            f"l{number(-10 * across)} {number(-10 * down)}"
            for across, down in ((1, 0), (0, 1), (-1, 0), (0, -1))
        )
        tags += stroke(sight, RED, 2.6)
        tags += box(x + 2, y + 2, _CELL - 4, _CELL - 4, 4, stroke=RED, stroke_width=1.6)
        for place, stack in enumerate(stacks):
            side, down = divmod(place, 4)
            tags += _tag(
                stack, x + (59 if side == 0 else 13), y + 12 + 15.4 * down + 15.4 * side, RED
            )
    return light, tags


def _board(state: State, seat: int, mask: Lit) -> str:
    light, tags = _targets(state, seat, mask)
    board = _arena(state, seat) + _trail(state, seat) + light
    # Those in the back first: a tall one may touch the square behind it.
    order = sorted(
        (-mirrored(seat, int(state["square"][owner, stack])), owner, stack)
        for owner in range(2)
        for stack in range(STACKS)
        if state["square"][owner, stack] != NONE
    )
    board += "".join(_stack(state, seat, owner, stack, mask) for _, owner, stack in order)
    return board + tags


# --- the two sides -------------------------------------------------------------------------------


@kept
def _silhouette(colour: int, queen: bool, alive: bool) -> str:
    """A base in the row of those that are left."""
    wide, high = (19, 20) if queen else (14, 15)
    shape = f"M{-wide / 2} 0L0 {-high} {wide / 2} 0z"
    if queen:
        shape += f"M{-wide / 2 - 1} 3H{wide / 2 + 1}"
    if alive:
        bright, _, edge, _ = _BASE_INKS[colour]
        return path(shape, fill=bright) + stroke(shape, edge, 1.3)
    return stroke(shape, LINE, 1.2) + stroke("M-4-9l8 6m0-6l-8 6", RED, 1.6)


def _side(state: State, seat: int, owner: int, y: float) -> str:
    """Who plays this side, whether it is to decide, and the stacks that it has left."""
    colour, mover = colour_of(state, owner), int(state["mover"]) == owner
    ink = _OWN[colour]
    bar = panel(14, y, 538, 40, ink if mover else LINE)
    bar += at(38, y + 29, _silhouette(colour, True, True))
    bar += letters(COLOURS[colour], 60, y + 25, 10.5, colour=ink)
    x = 60 + width(COLOURS[colour], 10.5) + 12
    if owner == seat:
        bar += box(x, y + 11, 42, 18, 9, fill=ink)
        bar += letters("YOU", x + 21, y + 24.3, 8.5, "middle", NIGHT, 1.6)
        x += 54
    else:
        bar += letters("OPPONENT", x, y + 24.3, 8.5, colour=DIM)
        x += width("OPPONENT", 8.5) + 14
    if mover:
        bar += stroke(f"M{number(x)} {y + 15}l5 5-5 5", LIME, 2)
    left = stacks_left(state, owner)
    for stack in range(STACKS):
        alive = bool(state["square"][owner, stack] != NONE)
        place = 389 + 18 * stack + (6 if stack >= DRONES else 0) + 3 * max(0, stack - DRONES)
        bar += at(place, y + 27, _silhouette(colour, stack >= DRONES, alive))
    return bar + letters(str(left), 542, y + 26, 13, "end", BRIGHT)


# --- beside the board ----------------------------------------------------------------------------

_COMPASS: Final = (
    "M-5-5L-2-2M5-5L2-2M5 5L2 2M-5 5L-2 2",
    "M0-7V-3M7 0H3M0 7V3M-7 0H-3",
)


def _compass(size: int, x: float, y: float, colour: str) -> str:
    """The directions that a skill adds."""
    lines = _COMPASS[0] + _COMPASS[1] if size == QUEEN else _COMPASS[size]
    return at(x, y, disc(0, 0, 1.3, colour) + stroke(lines, colour, 1.5))


def _shelf(counts: list[int], x: float, y: float, pitch: float, scale: float, lit: set[int]) -> str:
    """Pieces of every kind, the largest on top, movement left and skill right."""
    shelf = ""
    for kind in range(KINDS):
        size = kind % SKILL
        left = x + (62 if kind >= SKILL else 0)
        middle, foot = left + 3 + 21 * scale, y + pitch * (QUEEN - size) + pitch - 8
        count = counts[kind]
        if kind in lit:
            high = pitch - 3
            top = foot - high + 5
            shelf += glow(left - 1, top, 58, high, 6, LIME, 0.7)
            shelf += box(left - 1, top, 58, high, 6, stroke=LIME, stroke_width=1.8)
        shelf += group(at(middle, foot, _piece(kind), scale), opacity=None if count else 0.25)
        shelf += letters(
            str(count), left + 53, foot - 1, 10.5, "end", BRIGHT if count else LINE, 1.7
        )
    return shelf


def _store_lit(state: State, mask: Lit) -> set[int]:
    """The kinds that may be taken from the store: in a raid, in a trade, or by stealing."""
    if mask is None:
        return set()
    phase = int(state["phase"])
    if phase == STEAL:  # the captured stack's pieces lie in the store
        return _picks(state, mask, 1 - int(state["mover"]), int(state["captured"]))
    if phase not in (RAID, TRADE):
        return set()
    return {kind for stack in range(STACKS) for kind in _puts(mask, stack)}


def _hand_lit(state: State, mask: Lit) -> set[int]:
    if mask is None or int(state["phase"]) not in (CAP, PLACE_STOLEN, PLACE_RAIDED):
        return set()
    return {kind for stack in range(STACKS) for kind in _puts(mask, stack)}


def _post(state: State, seat: int, mask: Lit) -> str:
    """The store, the open hand, and what pieces and marks mean."""
    post = panel(560, 68, 146, 636)
    post += letters("DIGITAL", 574, 90, 9, colour=CYAN)
    post += letters("TRADING POST", 574, 105, 9, colour=CYAN)
    store = [int(count) for count in state["store"]]
    post += _shelf(store, 573, 114, 44, 0.86, _store_lit(state, mask))
    post += stroke("M574 255H692", LINE, 1)
    post += letters(hand_name(state), 574, 274, 8.4, colour=CYAN)
    post += _shelf(hand_seen(state, seat), 573, 282, 30, 0.6, _hand_lit(state, mask))
    post += stroke("M574 379H692", LINE, 1)
    post += letters("TURN", 574, 399, 8, colour=DIM)
    turn = f"{turn_shown(state)}/{int(state['max_turns'])}"
    post += letters(turn, 692, 399, 9, "end", BRIGHT)
    return post + stroke("M574 411H692", LINE, 1) + _legend()


@kept
def _legend() -> str:
    """What pieces and marks mean, and what a trade costs."""
    legend = letters("REACH", 574, 430, 8.4, colour=CYAN)
    for size in range(3):
        left = 584 + 42 * size
        legend += at(left, 455, _piece(size), 0.5)
        legend += letters(str(size + 1), left + 15, 455, 9, colour=BRIGHT)
    legend += letters("SKILLS", 574, 480, 8.4, colour=CYAN)
    for size, words in enumerate(("DIAGONAL", "STRAIGHT", "ALL, VIA FRIENDS")):
        y = 503 + 22 * size
        legend += at(584, y, _piece(SKILL + size), 0.46)
        legend += _compass(size, 605, y - 4, BRIGHT)
        legend += letters(words, 618, y, 6.6, colour=DIM)
    legend += letters("TRADE", 574, 573, 8.4, colour=CYAN)
    legend += letters("ONE PIP LESS THAN GIVEN", 574, 588, 6.6, colour=DIM)
    legend += stroke("M574 600H692", LINE, 1)
    for place, (mark, words) in enumerate(
        (
            (_thief_mark(False), "THIEF"),
            (_thief_mark(True), "THIEF, EXPOSED"),
            (_raided_mark(), "HAS RAIDED"),
        )
    ):
        y = 622 + 30 * place
        legend += at(586, y, mark) + letters(words, 606, y + 3, 7, colour=DIM)
    return legend


# --- whose turn, and the end ---------------------------------------------------------------------


def _status(state: State, seat: int, mask: Lit) -> str:
    """What to do, or how it ended."""
    over = ending(state)
    if over is not None:
        headline, why, winner = over
        ink = AMBER if winner == NOBODY else GREEN if winner == seat else RED
        return banner(712, headline, why, ink)
    legal = None if mask is None else int(np.count_nonzero(mask))
    unit = "MOVE" if int(state["phase"]) == MOVE else "CHOICE"
    bar = prompt(712, task(state, seat), legal, unit)
    right = 552.0
    for name, ink in reversed(_buttons(state, mask)):
        wide = width(name, 8) + 18
        right -= wide
        bar += glow(right, 721, wide, 22, 11, ink, 0.6)
        bar += box(right, 721, wide, 22, 11, fill=NIGHT, stroke=ink, stroke_width=1.6)
        bar += letters(name, right + wide / 2, 736, 8, "middle", ink)
        right -= 9
    return bar


def svg(record: Record, look: Look) -> str:
    """The table as an SVG picture, the seat's home row below."""
    state, seat, mask = record[0], look.side, look.mask
    if int(state["mover"]) != seat:
        mask = None
    over = int(state["mover"]) == NOBODY
    return document(
        720,
        766,
        "Stacktrices",
        text(record, look.seat),
        "",
        backdrop(720, 766)
        + title("STACKTRICES", 24, 46, 25)
        + badge("DISCONNECTED" if over else PHASES[int(state["phase"])].upper(), 706, 24)
        + _side(state, seat, 1 - seat, 68)
        + _board(state, seat, mask)
        + _side(state, seat, seat, 664)
        + _post(state, seat, mask)
        + _status(state, seat, mask),
    )
