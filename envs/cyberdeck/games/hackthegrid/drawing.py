"""HACKtheGRID in pictures and in plain text. Everything lies open; the seat decides who is YOU."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.drawing.lettering import badge, banner, neon, prompt, title, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import (
    AMBER,
    BRIGHT,
    CYAN,
    DIM,
    GREEN,
    LIME,
    LINE,
    MAGENTA,
    NIGHT,
    RED,
    VIOLET,
    at,
    backdrop,
    box,
    corners,
    disc,
    document,
    fade,
    glow,
    number,
    panel,
    path,
    stroke,
    vacant,
)
from cyberdeck.engine.contract import Look, Record
from cyberdeck.engine.kernels import State
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.hackthegrid.narration import (
    DRAWN,
    HACKERS,
    LOST,
    WON,
    cell,
    ending,
    task,
)
from cyberdeck.games.hackthegrid.rules import (
    COLOURS,
    DATA_PACKET,
    DECLINE,
    FIREWALL,
    GRID_EMPTIED,
    KINDS,
    LOOPBACK,
    NET_NODE,
    NONE,
    RUN,
    SCRAMBLE,
    SIDE,
    SIGNAL_SPIKE,
    SWAP,
    SWAPS,
    VALUE,
)

_OWN: Final = (AMBER, VIOLET)  # the hackers' own colours
_MOODS: Final = {WON: GREEN, LOST: RED, DRAWN: AMBER}
_PALETTE: Final = (CYAN, MAGENTA, "#ffe14a", GREEN, "#ff9040", "#7289ff", RED, BRIGHT)

# --- icons, each within a square from -20 to 20 --------------------------------------------------

_FLAME: Final = (
    "M-7-6q-4-4.5 0-8.5q.6 2.4 2.6 3Q-5-18 2-21 1.4-16 5-13.4q1.4-1.2 1.2-3 4.6 5.6.6 10.4z"
)
_SATELLITES: Final = ((0, -17), (16.2, -5.3), (10, 13.8), (-10, 13.8), (-16.2, -5.3))

#: Lines and filled areas of each kind.
_LINES: Final = {
    SCRAMBLE: "M-18-10H-11C-1-10 1 10 11 10H17M-18 10H-11C-1 10 1-10 11-10H17M12.5-15L18-10 12.5-5"
    "M12.5 5L18 10 12.5 15",
    SIGNAL_SPIKE: "M-20 5H-11L-7.5-2-3 15 3-18 7.5 5H20",
    FIREWALL: "M-17-5H17V17H-17zM-17 2.3H17M-17 9.7H17M-6-5V2.3M6-5V2.3M-11 2.3V9.7M0 2.3V9.7"
    "M11 2.3V9.7M-6 9.7V17M6 9.7V17",
    LOOPBACK: "M11.5-11.5A16 16 0 1 0 16 2M-6 0H6M-2-4L-6 0-2 4",
    NET_NODE: "".join(f"M0 0L{x} {y}" for x, y in _SATELLITES)
    + "M"
    + "L".join(f"{x} {y}" for x, y in _SATELLITES)
    + "z",
    DATA_PACKET: "M0-18L16-9V9L0 18-16 9V-9zM-16-9L0 0 16-9M0 0V18",
}


def _icon(kind: int, colour: str, x: float, y: float, scale: float) -> str:
    icon = ""
    if kind == FIREWALL:
        icon = box(-17, -5, 34, 22, fill=colour, fill_opacity=0.16) + path(_FLAME, fill=colour)
    elif kind == LOOPBACK:
        icon = path("M17.5-17.5V-5.5H5.5z", fill=colour)
    elif kind == NET_NODE:
        icon = disc(0, 0, 5.4, colour) + "".join(disc(x, y, 3.6, colour) for x, y in _SATELLITES)
    elif kind == DATA_PACKET:
        icon = path("M0-18L16-9 0 0-16-9z", fill=colour, fill_opacity=0.4) + path(
            "M-10-12.4L6-3.4V2.6L10 .4V-5.6L-6-14.6z", fill=colour, fill_opacity=0.9
        )
    elif kind == SIGNAL_SPIKE:
        icon = disc(3, -18, 2.8, colour)
    thin = 1.5 if kind == NET_NODE else 2 if kind == FIREWALL else 2.6
    return at(x, y, stroke(_LINES[kind], colour, thin) + icon, scale)


#: A mark for each colour, for those who cannot tell the colours apart; within -5 to 5.
_MARKS: Final = (
    "M0-4.6a4.6 4.6 0 1 0 .01 0z",
    "M0-5.6L5.6 0 0 5.6-5.6 0z",
    "M0-5.2L5.6 4.6H-5.6z",
    "M-4.4-4.4H4.4V4.4H-4.4z",
    "M0 5.2L5.6-4.6H-5.6z",
    "M-1.7-5.2H1.7V-1.7H5.2V1.7H1.7V5.2H-1.7V1.7H-5.2V-1.7H-1.7z",
    "M0-5.8L1.7-1.9 5.6-1.8 2.6.8 3.6 4.8 0 2.5-3.6 4.8-2.6.8-5.6-1.8-1.7-1.9z",
    "M0-5A5 5 0 1 0 .01-5zM0-2.4A2.4 2.4 0 1 1-.01-2.4z",
)


def _mark(colour: int, x: float, y: float, scale: float = 1) -> str:
    return at(x, y, path(_MARKS[colour], fill=_PALETTE[colour], fill_rule="evenodd"), scale)


# --- cards ---------------------------------------------------------------------------------------

_CELL: Final = 90
_PITCH: Final = 98
_GRID_X, _GRID_Y = 94, 134
_CARD_W, _CARD_H = 76, 70
_STEP: Final = 83.4  # from card to card in a Run


def _face(wide: float, high: float, colour: str) -> str:
    """A card's shape: rounded, with the upper right corner cut off."""
    shape = (
        f"M8 .8H{number(wide - 14)}L{number(wide - 0.8)} 14V{number(high - 8)}"
        f"q0 7.2-7.2 7.2H8q-7.2 0-7.2-7.2V8Q.8.8 8 .8z"
    )
    return path(shape, fill="url(#hg-card)") + path(
        shape, fill=colour, fill_opacity=0.13, stroke=colour, stroke_width=1.6
    )


def _grid_card(kind: int, colour: int) -> str:
    ink = _PALETTE[colour]
    return (
        _face(_CELL, _CELL, ink)
        + _icon(kind, ink, 45, 39, 1.06)
        + _mark(colour, 14, 14)
        + letters(KINDS[kind], 45, 80, 7.4, "middle", BRIGHT)
    )


def _run_card(kind: int, colour: int) -> str:
    ink = _PALETTE[colour]
    words = KINDS[kind].split()
    name = "".join(
        letters(word, _CARD_W / 2, 62 - 10.3 * (len(words) - 1 - line), 7.2, "middle", BRIGHT)
        for line, word in enumerate(words)
    )
    return (
        _face(_CARD_W, _CARD_H, ink)
        + _icon(kind, ink, _CARD_W / 2, 23.5 if len(words) == 2 else 28, 0.76)
        + _mark(colour, 11.5, 11.5, 0.85)
        + name
    )


def _of(state: State, card: int) -> tuple[int, int]:
    """Kind and colour of a card."""
    return int(state["kind"][card]), int(state["colour"][card])


# --- the grid ------------------------------------------------------------------------------------


def _corner(cell: int) -> tuple[int, int]:
    return _GRID_X + _PITCH * (cell % SIDE), _GRID_Y + _PITCH * (cell // SIDE)


def _hood(colour: str) -> str:
    """A hacker: a hood with a visor, within -20 to 20."""
    hood = "M0-20C11-20 16-11 16-2 16 5 20 9 20 18H-20C-20 9-16 5-16-2-16-11-11-20 0-20z"
    return (
        path(hood, fill=colour, fill_opacity=0.28)
        + stroke(hood, colour, 2)
        + path("M0-13C7-13 10-7 10-1 10 6 5 10 0 10S-10 6-10-1C-10-7-7-13 0-13z", fill=NIGHT)
        + stroke("M-5.5-2H5.5", colour, 4)
        + stroke("M-3 5H3", colour, 1.6)
    )


def _avatar(state: State, hacker: int, seat: int) -> str:
    """The hacker at the edge, lit up when it is to move."""
    colour, place = _OWN[hacker], int(state["avatar"][hacker])
    along = (_GRID_X if hacker == 0 else _GRID_Y) + _PITCH * place + _CELL / 2
    mover = int(state["mover"]) == hacker
    body = _hood(colour)
    if mover:
        body = (
            disc(0, -1, 27, colour, fill_opacity=0.1)
            + disc(0, -1, 24, colour, fill_opacity=0.14)
            + body
        )
    if hacker == 0:
        who = at(along, 97, body, 0.86) + path(f"M{number(along - 8)} 119h16l-8 8z", fill=colour)
    else:
        who = at(46, along, body, 0.86) + path(f"M76 {number(along - 8)}v16l8-8z", fill=colour)
    if hacker == seat:
        x, y = (along + 24, 82) if hacker == 0 else (46, along - 26)
        who += letters("YOU", x, y, 7, "start" if hacker == 0 else "middle", colour)
    return who


def _beam(state: State, hacker: int) -> str:
    """The line that a hacker points along."""
    colour, place = _OWN[hacker], int(state["avatar"][hacker])
    start = (_GRID_X if hacker == 0 else _GRID_Y) + _PITCH * place
    long = 4 * _PITCH + 2
    beam = ""
    for inset, strength in ((0, 0.1), (14, 0.08), (30, 0.1)):
        thick = _CELL - 2 * inset
        beam += (
            box(start + inset, 127, thick, long, fill=colour, fill_opacity=strength)
            if hacker == 0
            else box(86, start + inset, long, thick, fill=colour, fill_opacity=strength)
        )
    middle = number(start + _CELL / 2)
    line = f"M{middle} 127v{long}" if hacker == 0 else f"M86 {middle}h{long}"
    return beam + stroke(line, colour, 2, stroke_opacity=0.8)


def _crossing(state: State) -> str:
    """The frame where the two lines cross: sides in the colours of the hackers."""
    x, y = _corner(cell(state, 0, int(state["avatar"][0])))
    near, far = -3, _CELL + 3
    return at(
        x,
        y,
        stroke(f"M{near} 22V68M{far} 22V68", _OWN[0], 3.4)
        + stroke(f"M22 {near}H68M22 {far}H68", _OWN[1], 3.4),
    )


def _edges(state: State, mask: NDArray[np.int8] | None) -> str:
    """The places along both edges; those that the mover may go to are lit."""
    mover = int(state["mover"])
    places = ""
    for hacker in range(2):
        for place in range(SIDE):
            if place == int(state["avatar"][hacker]):
                continue
            legal = mask is not None and mover == hacker and bool(mask[place])
            colour = LIME if legal else LINE
            middle = number((_GRID_X if hacker == 0 else _GRID_Y) + _PITCH * place + _CELL / 2)
            sign = f"M{middle} 110m-8 0l8 8 8-8" if hacker == 0 else f"M68 {middle}m0-8l8 8-8 8"
            places += stroke(sign, colour, 2.6)
    return places


def _board(state: State, seat: int, mask: NDArray[np.int8] | None) -> str:
    board = panel(14, 68, 482, 464)
    scored = int(state["reason"]) == GRID_EMPTIED
    board += stroke("M88 527V128H488", LINE, 1.2)
    if not scored:
        board += _beam(state, 0) + _beam(state, 1)
    board += _edges(state, mask)
    mover = int(state["mover"])
    lit = set()
    if mask is not None and mover != NOBODY:
        lit = {cell(state, mover, place) for place in range(SIDE) if mask[place]}
    for at_cell in range(SIDE * SIDE):
        x, y = _corner(at_cell)
        card = int(state["grid"][at_cell])
        if card == NONE:
            board += vacant(x, y, _CELL, _CELL)
            continue
        if at_cell in lit:
            board += glow(x, y, _CELL, _CELL, 8, LIME, 1.2)
        board += at(x, y, _grid_card(*_of(state, card)))
        if at_cell in lit:
            board += corners(x - 1, y - 1, _CELL + 2, _CELL + 2, 16, LIME, 3)
    board += _avatar(state, 0, seat) + _avatar(state, 1, seat)
    if scored:
        return board + _final_score(state)
    return board + _crossing(state)


def _final_score(state: State) -> str:
    """The result, large, where the grid was."""
    x, y = _GRID_X + 2 * _PITCH - 4, _GRID_Y + 2 * _PITCH - 4
    return (
        box(x - 150, y - 60, 300, 120, 16, fill=NIGHT, stroke=LINE, stroke_width=1.4)
        + corners(x - 150, y - 60, 300, 120, 18, CYAN, 2.6)
        + neon(_points(state, 0), x - 75, y + 14, 44, "middle", _OWN[0])
        + letters(":", x, y + 14, 40, "middle", DIM)
        + neon(_points(state, 1), x + 75, y + 14, 44, "middle", _OWN[1])
        + letters("COLUMN", x - 75, y + 42, 9, "middle", DIM)
        + letters("ROW", x + 75, y + 42, 9, "middle", DIM)
    )


# --- beside and below the grid -------------------------------------------------------------------


def _points(state: State, hacker: int) -> str:
    return str(int(state["points"][hacker])).replace("-", "\N{MINUS SIGN}")


def _signed(points: int) -> str:
    return f"+{points}" if points > 0 else f"\N{MINUS SIGN}{-points}" if points < 0 else "0"


def _scoring(state: State) -> str:
    """What each card is worth, by how many of its kind a Run holds."""
    columns = (628, 655, 682)
    table = panel(506, 68, 200, 464)
    table += letters("EACH CARD IS WORTH", 520, 92, 9, colour=CYAN)
    table += letters("IF THE RUN HOLDS", 520, 113, 7.4, colour=DIM)
    for column, count_name in zip(columns, ("1", "2", "3+"), strict=True):
        table += letters(count_name, column, 113, 8.4, "middle", DIM)
    for kind, name in enumerate(KINDS):
        y = 144 + 47 * kind
        table += stroke(f"M520 {y - 23}H692", LINE, 1)
        table += _icon(kind, BRIGHT, 534, y + 1, 0.62)
        words = name.split()
        for line, word in enumerate(words):
            table += letters(
                word, 555, y + 4 + 11 * line - 5.5 * (len(words) - 1), 7.6, colour=BRIGHT
            )
        for count, column in enumerate(columns, 1):
            points = int(VALUE[kind, count])
            ink = RED if points < 0 else GREEN if points > 0 else DIM
            table += letters(_signed(points), column, y + 5, 10, "middle", ink)
    table += stroke("M520 403H692", LINE, 1)
    table += letters("ARRAY", 520, 424, 9, colour=CYAN)
    table += letters("2 OR MORE NEIGHBOURS", 520, 443, 7.4, colour=DIM)
    table += letters("OF ONE COLOUR", 520, 457, 7.4, colour=DIM)
    table += letters("+1 EACH", 692, 457, 9, "end", GREEN)
    table += stroke("M520 472H692", LINE, 1)
    table += letters("CARDS LEFT", 520, 494, 8, colour=DIM)
    table += letters(f"{int(state['remaining'])}/16", 692, 494, 9, "end", BRIGHT)
    table += letters("DECISIONS", 520, 516, 8, colour=DIM)
    return table + letters(str(int(state["decisions"])), 692, 516, 9, "end", BRIGHT)


def _arrays(state: State, hacker: int) -> list[tuple[int, int, int]]:
    """The stretches of neighbours of one colour in a Run: first place, length, colour."""
    length = int(state["length"][hacker])
    colours = [int(state["colour"][card]) for card in state["run"][hacker][:length]]
    arrays: list[tuple[int, int, int]] = []
    first = 0
    for place in range(1, length + 1):
        if place == length or colours[place] != colours[first]:
            if place - first > 1:
                arrays.append((first, place - first, colours[first]))
            first = place
    return arrays


def _swappable(state: State, hacker: int, place: int, mask: NDArray[np.int8] | None) -> bool:
    """Whether a legal swap moves this card."""
    if mask is None or int(state["mover"]) == NOBODY:
        return False
    swaps = mask[SWAPS:DECLINE].reshape(RUN, RUN)
    moved = swaps[place] if hacker == int(state["mover"]) else swaps[:, place]
    return bool(moved.any())


def _run(state: State, hacker: int, seat: int, y: float, mask: NDArray[np.int8] | None) -> str:
    """A Run, left to right, with its arrays in brackets and its score."""
    colour, mover = _OWN[hacker], int(state["mover"]) == hacker
    run = panel(14, y, 692, 124, colour if mover else LINE)
    run += at(34, y + 16.5, _hood(colour), 0.46)
    run += letters(f"{HACKERS[hacker]}'S RUN", 52, y + 21, 9, colour=colour)
    x = 52 + width(f"{HACKERS[hacker]}'S RUN", 9) + 14
    if hacker == seat:
        run += box(x, y + 8.5, 38, 16, 8, fill=colour) + letters(
            "YOU", x + 19, y + 20.5, 8, "middle", NIGHT, 1.5
        )
        x += 52
    if mover:
        run += stroke(f"M{number(x)} {number(y + 12)}l5 4.5-5 4.5", LIME, 2)
        run += letters("TO MOVE", x + 13, y + 20.5, 8, colour=LIME)
    points = _points(state, hacker)
    run += letters(points, 692, y + 23, 14, "end", BRIGHT)
    run += letters("SCORE", 692 - width(points, 14) - 10, y + 21, 8, "end", DIM)
    length = int(state["length"][hacker])
    for first, count, shade in _arrays(state, hacker):
        left = 30 + _STEP * first
        wide = _STEP * (count - 1) + _CARD_W
        run += box(left - 3, y + 31, wide + 6, 76, 10, fill=_PALETTE[shade], fill_opacity=0.16)
        gain = f"+{count}"
        gap = width(gain, 8) / 2 + 6
        middle = left + wide / 2
        run += stroke(
            f"M{number(left)} {number(y + 109)}v6H{number(middle - gap)}"
            f"M{number(middle + gap)} {number(y + 115)}H{number(left + wide)}v-6",
            _PALETTE[shade],
            1.8,
        )
        run += letters(gain, middle, y + 119, 8, "middle", _PALETTE[shade])
    for place in range(RUN):
        left = 30 + _STEP * place
        if place >= length:
            run += vacant(left, y + 34, _CARD_W, _CARD_H)
            run += letters(str(place + 1), left + _CARD_W / 2, y + 74, 10, "middle", LINE)
            continue
        swappable = _swappable(state, hacker, place, mask)
        if swappable:
            run += glow(left, y + 34, _CARD_W, _CARD_H, 8, LIME)
        run += at(left, y + 34, _run_card(*_of(state, int(state["run"][hacker][place]))))
        if swappable:
            run += corners(left - 1, y + 33, _CARD_W + 2, _CARD_H + 2, 14, LIME, 3)
    return run


# --- whose turn, and the end ---------------------------------------------------------------------


def _status(state: State, seat: int, mask: NDArray[np.int8] | None) -> str:
    """What to do, or how it ended."""
    ended = ending(state, seat)
    if ended is not None:
        return banner(806, *ended[:2], _MOODS[ended[2]])
    legal = None if mask is None else int(np.count_nonzero(mask))
    return prompt(806, task(state, seat), legal, "MOVE")


def _header(state: State) -> str:
    """The title, its middle word small, and the phase."""
    small = 24 + width("HACK", 25) + 9
    name = title("HACK", 24, 46, 25) + title("THE", small, 46, 15)
    name += title("GRID", small + width("THE", 15) + 9, 46, 25)
    phase = "SWAPPING" if int(state["phase"]) == SWAP else "TAKING"
    return name + badge(phase if int(state["mover"]) != NOBODY else "DISCONNECTED", 706, 24)


def svg(record: Record, look: Look) -> str:
    """The table as an SVG picture."""
    seat, mask = look.side, look.mask
    state = record[0]
    return document(
        720,
        860,
        "HACKtheGRID",
        text(record, look.seat),
        fade("hg-card", "#1b2450", "#0b1028", 1),
        backdrop(720, 860)
        + _header(state)
        + _board(state, seat, mask)
        + _scoring(state)
        + _run(state, 1 - seat, seat, 540, mask)
        + _run(state, seat, seat, 672, mask)
        + _status(state, seat, mask),
    )


# --- plain text ----------------------------------------------------------------------------------

_SHORT: Final = ("SCRAMBLE", "SPIKE", "FIREWALL", "LOOPBACK", "NODE", "PACKET")
_WIDE: Final = 18


def _named(state: State, card: int) -> str:
    kind, colour = _of(state, card)
    shown = COLOURS[colour] if colour < len(COLOURS) else f"colour {colour}"
    return f"{_SHORT[kind]} {shown}"


def _text_run(state: State, hacker: int, seat: int | None) -> list[str]:
    you = " (you)" if hacker == seat else ""
    inside = {
        place for first, count, _ in _arrays(state, hacker) for place in range(first, first + count)
    }
    cards = [
        f"{place} {_named(state, int(card))}{'*' if place in inside else ''}"
        for place, card in enumerate(state["run"][hacker][: int(state["length"][hacker])])
    ]
    lines = [
        " " + "".join(card.ljust(_WIDE + 2) for card in cards[start : start + 4]).rstrip()
        for start in range(0, len(cards), 4)
    ]
    return [f"{HACKERS[hacker].lower()}'s Run{you}, score {int(state['points'][hacker])}:", *lines]


def text(record: Record, seat: int | None) -> str:
    """The table as plain text: v and > show where the hackers stand."""
    state = record[0]
    side = 0 if seat is None else seat
    column, row = (int(place) for place in state["avatar"])
    ended = ending(state, seat)
    heads = "".join(
        f"{'v' if place == column else ' '} column {place}".ljust(_WIDE) for place in range(SIDE)
    )
    rows = []
    for line in range(SIDE):
        cells = [int(card) for card in state["grid"][SIDE * line : SIDE * line + SIDE]]
        shown = "".join(
            ("-" if card == NONE else _named(state, card)).ljust(_WIDE) for card in cells
        )
        rows.append(f"{'>' if line == row else ' '} row {line}   {shown}".rstrip())
    return "\n".join(
        [
            "HACKtheGRID",
            ". ".join(ended[:2]) if ended else task(state, seat),
            "",
            " " * 8 + heads.rstrip(),
            *rows,
            "",
            *_text_run(state, 1 - side, seat),
            *_text_run(state, side, seat),
            "*: in an array",
        ]
    )
