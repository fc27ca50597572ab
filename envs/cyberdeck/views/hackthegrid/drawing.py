"""HACKtheGRID in pictures. Everything lies open; the seat decides who is *you*."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from cyberdeck.drawing.lettering import (
    CAME,
    LEAST,
    MOVED,
    SWAPPED,
    WENT,
    happened,
    reframed,
    ring,
    title,
    width,
)
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import (
    AMBER,
    BRIGHT,
    CARD,
    CYAN,
    DIM,
    GREEN,
    LIME,
    LINE,
    NIGHT,
    RED,
    VIOLET,
    Block,
    at,
    box,
    corners,
    disc,
    fade,
    flow,
    glow,
    kept,
    number,
    panel,
    path,
    shade,
    stroke,
    target,
    vacant,
)
from cyberdeck.games.hackthegrid.constants import (
    ARRAY,
    DATA_PACKET,
    DECLINE,
    FIREWALL,
    KINDS,
    LOOPBACK,
    NET_NODE,
    NONE,
    RUN,
    SCRAMBLE,
    SIDE,
    SIGNAL_SPIKE,
    SWAPS,
    VALUES,
)
from cyberdeck.views.hackthegrid.cards import HACKERS, arrays, card_name, cell, colour_name
from cyberdeck.views.hackthegrid.page import action_name, signed
from cyberdeck.views.hackthegrid.story import Swapped, Taken
from cyberdeck.views.record import Record
from cyberdeck.views.view import LEGEND, NEWS, STATUS, Drawn, Look, Page

_OWN: Final = (AMBER, VIOLET)  # the hackers' own colours

#: The cards' colours. The first four, the default deck's, are also told apart by deuteranopes.
_PALETTE: Final = (
    shade("#28e2ff", "#0090c8"),
    shade("#e23fc0", "#7d0a72"),
    shade("#ffd93a", "#a87c00"),
    shade("#34d080", "#0a7a34"),
    shade("#ff9040", "#b04a00"),
    shade("#7289ff", "#2c45c8"),
    RED,
    BRIGHT,
)
_TOP: Final = shade("#1b2450", "#ffffff")  # of a card
_FOOT: Final = shade("#0b1028", "#e6ecf9")

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


# --- where things lie ----------------------------------------------------------------------------

_CARD: Final = 82


class _Plan(NamedTuple):
    """How wide the picture is, and what follows from it."""

    wide: int
    margin: int
    edge: int  # the room of the hackers beside and above the grid
    pitch: int  # from card to card of the grid
    across: int  # places of a Run in a row

    @property
    def room(self) -> int:
        return self.wide - 2 * self.margin

    @property
    def board(self) -> int:
        """The width and the height of the grid's panel."""
        return self.edge + 3 * self.pitch + _CARD + 8

    def corner(self, at_cell: int) -> tuple[int, int]:
        return self.edge + self.pitch * (at_cell % SIDE), self.edge + self.pitch * (at_cell // SIDE)

    def slot(self, place: int) -> tuple[float, float]:
        """The upper left corner of a place in a Run's panel."""
        step = (self.room - 18 - _CARD) / (self.across - 1)
        return 9 + step * (place % self.across), 56 + 126 * (place // self.across)


_USUAL: Final = _Plan(720, 14, 74, 90, 8)
_SMALL: Final = _Plan(390, 3, 44, 83, 4)


# --- cards ---------------------------------------------------------------------------------------


def _face(ink: str) -> str:
    """A card's shape: rounded, with the upper right corner cut off."""
    shape = "M8 .8H68L81.2 14V74q0 7.2-7.2 7.2H8q-7.2 0-7.2-7.2V8Q.8.8 8 .8z"
    return path(shape, fill="url(#hg-card)") + path(
        shape, fill=ink, fill_opacity=0.13, stroke=ink, stroke_width=1.6
    )


@kept
def _card(kind: int, colour: int) -> str:
    ink = _PALETTE[colour]
    words = KINDS[kind].split()
    name = "".join(
        letters(word, _CARD / 2, 75 - 14 * (len(words) - 1 - line), LEAST, "middle", BRIGHT, 1.3)
        for line, word in enumerate(words)
    )
    return (
        _face(ink)
        + _icon(kind, ink, 44, 26 if len(words) == 2 else 32, 0.78 if len(words) == 2 else 0.92)
        + _mark(colour, 13.5, 14, 1.6)
        + name
    )


def _of(state: Record, card: int) -> tuple[int, int]:
    """Kind and colour of a card."""
    return state.kind[card], state.colour[card]


# --- what just happened --------------------------------------------------------------------------


class _Changes(NamedTuple):
    """What has just happened: signs by cells of the grid, and by hackers' places."""

    cells: dict[int, str]
    places: dict[tuple[int, int], str]
    moved: list[int]  # hackers


def _changes(state: Record, look: Look) -> _Changes:
    changes = _Changes({}, {}, [])
    if look.before is None:
        return changes
    old = look.before
    changes.moved.extend(at_ for at_ in range(2) if state.avatar[at_] != old.avatar[at_])
    for hacker, run in enumerate(state.run):
        for place, card in enumerate(run):
            if card != old.run[hacker][place]:
                changes.places[hacker, place] = SWAPPED
    for step, event in enumerate(look.events, 1):
        order = f"{step}" if len(look.events) > 1 else ""
        if isinstance(event, Taken):
            changes.cells[event.cell] = order + WENT
            changes.places[event.seat, event.place] = order + CAME
        elif isinstance(event, Swapped):
            for where in enumerate(event.places):
                changes.places[where] = order + SWAPPED
    return changes


# --- the grid ------------------------------------------------------------------------------------


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


def _avatar(state: Record, hacker: int, plan: _Plan) -> str:
    """The hacker at the edge, lit up when it is to move."""
    colour, place = _OWN[hacker], state.avatar[hacker]
    x, y = _stand(state, hacker, plan)
    along = plan.edge + plan.pitch * place + _CARD / 2
    body = _hood(colour)
    if state.mover == hacker:
        body = (
            disc(0, -1, 27, colour, fill_opacity=0.1)
            + disc(0, -1, 24, colour, fill_opacity=0.14)
            + body
        )
    tip = f"M{number(along - 7)} {plan.edge - 11}h14l-7 8z"
    if hacker == 1:
        tip = f"M{plan.edge - 11} {number(along - 7)}v14l8-7z"
    return at(x, y, body, 0.7) + path(tip, fill=colour)


def _stand(state: Record, hacker: int, plan: _Plan) -> tuple[float, float]:
    """Where a hacker stands."""
    along = plan.edge + plan.pitch * state.avatar[hacker] + _CARD / 2
    return (along, plan.edge - 26) if hacker == 0 else (plan.edge - 26, along)


def _beam(state: Record, hacker: int, plan: _Plan) -> str:
    """The line that a hacker points along."""
    colour, place = _OWN[hacker], state.avatar[hacker]
    start = plan.edge + plan.pitch * place
    first, long = plan.edge - 4, 3 * plan.pitch + _CARD + 8
    x, y, wide, high = (start, first, _CARD, long) if hacker == 0 else (first, start, long, _CARD)
    beam = box(x, y, wide, high, fill=colour, fill_opacity=0.18)
    middle = number(start + _CARD / 2)
    line = f"M{middle} {first}v{long}" if hacker == 0 else f"M{first} {middle}h{long}"
    return beam + stroke(line, colour, 2, stroke_opacity=0.8)


def _crossing(state: Record, plan: _Plan) -> str:
    """The frame where the two lines cross: sides in the colours of the hackers."""
    x, y = plan.corner(cell(state, 0, state.avatar[0]))
    return at(x, y, _CROSS)


_CROSS: Final = stroke("M-3 20V62M85 20V62", _OWN[0], 3.4) + stroke(
    "M20-3H62M20 85H62", _OWN[1], 3.4
)


def _edges(state: Record, legal: Sequence[int], plan: _Plan) -> str:
    """The places along both edges by number; those that the mover may go to are lit."""
    mover, places = state.mover, ""
    for hacker in range(2):
        for place in range(SIDE):
            lit = mover == hacker and place in legal
            there = place == state.avatar[hacker]
            colour = LIME if lit else _OWN[hacker] if there else DIM
            along = plan.edge + plan.pitch * place
            # The number stands in the corner of the strip, beside who stands there.
            x, y = (along + 14, plan.edge - 22) if hacker == 0 else (12, along + 17)
            sign = letters(str(place), x, y, LEAST, "middle", colour)
            if not there:
                middle, off = number(along + _CARD / 2), plan.edge
                arrow = f"M{middle} {off - 20}m-8 0l8 8 8-8"
                if hacker == 1:
                    arrow = f"M{off - 20} {middle}m0-8l8 8-8 8"
                sign += stroke(arrow, colour, 2.6)
            words = action_name(state, place) if lit else ""
            places += target(sign, [place] if lit else [], words, alone=False)
    return places


def _board(state: Record, legal: Sequence[int], plan: _Plan, changes: _Changes) -> Block:
    high = wide = plan.board
    board = panel(0, 0, wide, high)
    empty = [at_cell for at_cell, card in enumerate(state.grid) if card == NONE]
    board += "".join(vacant(*plan.corner(at_cell), _CARD, _CARD) for at_cell in empty)
    board += _beam(state, 0, plan) + _beam(state, 1, plan)
    board += _edges(state, legal, plan)
    mover = state.mover
    lit = {cell(state, mover, place): place for place in legal if place < SIDE}
    targets = ""  # above the cards beside them
    for at_cell in range(SIDE * SIDE):
        x, y = plan.corner(at_cell)
        card = state.grid[at_cell]
        if card == NONE:
            continue
        shown = at(x, y, _card(*_of(state, card)))
        if at_cell in lit:
            shown = glow(x, y, _CARD, _CARD, 8, LIME, 1.2) + shown
            shown += corners(x - 1, y - 1, _CARD + 2, _CARD + 2, 16, LIME, 3)
            targets += target(shown, [lit[at_cell]], action_name(state, lit[at_cell]))
        else:
            board += shown
    board += targets
    board += "".join(ring(*plan.corner(at_cell), _CARD, _CARD) for at_cell in changes.cells)
    board += _crossing(state, plan)
    board += _avatar(state, 0, plan) + _avatar(state, 1, plan)
    for at_cell, sign in changes.cells.items():
        board += _sign(*plan.corner(at_cell), sign)
    for hacker in changes.moved:
        middle, off = _stand(state, hacker, plan)
        board += happened(middle + 14 - 28 * hacker, off - 12, MOVED)
    return Block(wide, high, board)


def _sign(x: float, y: float, sign: str) -> str:
    """What has just happened to a card, in its upper right corner."""
    return happened(x + _CARD - 4, y + 2, sign)


# --- beside and below the grid -------------------------------------------------------------------


def _open(points: str) -> str:
    """A number of points; its zero is open, unlike that of places."""
    return points.replace("0", "O")


@kept
def _worth() -> Block:
    """What each card is worth, by how many of its kind a Run holds."""
    columns = (136, 172, 208)
    table = letters("Points of a card if", 0, 11, LEAST, colour=CYAN)
    table += letters("the Run has", 0, 29, LEAST, colour=CYAN)
    for column, count_name in zip(columns, ("1", "2", "3+"), strict=True):
        table += letters(count_name, column, 29, LEAST, "middle", BRIGHT)
    y = 54
    for kind, name in enumerate(KINDS):
        table += stroke(f"M0 {y - 18}H222", LINE, 1)
        table += _icon(kind, BRIGHT, 15, y + 1, 0.62)
        words = name.split()
        for line, word in enumerate(words):
            base = y + 6.5 + 15 * line - 7.5 * (len(words) - 1)
            table += letters(word, 36, base, LEAST, colour=BRIGHT)
        for count, column in enumerate(columns, 1):
            points = VALUES[kind][count]
            ink = RED if points < 0 else GREEN if points > 0 else DIM
            table += letters(_change(points), column, y + 6, LEAST, "middle", ink)
        if kind == SCRAMBLE:
            y += 16
            table += letters("Taken: swap two cards", 36, y + 6.5, LEAST, colour=DIM)
        y += 38
    return Block(222, 280, table)


def _change(points: int) -> str:
    return f"+{points}" if points > 0 else _open(signed(points))


def _counts(state: Record) -> Block:
    """The array's points, and how many cards are left."""
    counts = letters("Array", 0, 11, LEAST, colour=CYAN)
    for x in (58, 78):
        counts += box(x, 0, 16, 8, 2, fill=GREEN, fill_opacity=0.5, stroke=GREEN)
    counts += stroke("M57 11v4H95v-4", GREEN, 1.8)
    counts += letters("Side by side", 0, 31, LEAST, colour=DIM)
    counts += letters("of one colour", 0, 47, LEAST, colour=DIM)
    counts += letters(f"+{ARRAY} each", 0, 65, LEAST, colour=GREEN)
    counts += stroke("M0 76H130", LINE, 1)
    counts += letters("Cards left", 0, 97, LEAST, colour=DIM)
    counts += letters(str(state.remaining), 130, 97, LEAST, "end", BRIGHT)
    return Block(130, 101, counts)


def _scoring(state: Record, plan: _Plan) -> Block:
    """Both, one below the other beside the grid, or side by side below it."""
    beside = plan.room - plan.board - 8
    wide = beside if beside > 200 else plan.room
    content = flow([_worth(), _counts(state)], wide - 16, 14)
    high = plan.board if beside > 200 else content.height + 28
    return Block(wide, high, panel(0, 0, wide, high) + at(9, 14, content.content))


def _bracket(first: int, count: int, shade_: int, plan: _Plan) -> str:
    """The bracket below an array, row by row, and its points."""
    ink, drawn, last = _PALETTE[shade_], "", first + count - 1
    rows = range(first // plan.across, last // plan.across + 1)
    stretches = [
        (max(first, row * plan.across), min(last, (row + 1) * plan.across - 1)) for row in rows
    ]
    longest = max(stretches, key=lambda stretch: stretch[1] - stretch[0])
    for start, end in stretches:
        left, y = plan.slot(start)
        right = plan.slot(end)[0] + _CARD
        drawn += box(left - 3, y - 3, right - left + 6, 88, 10, fill=ink, fill_opacity=0.16)
        foot, middle = number(y + 95), (left + right) / 2
        # Where it goes on in another row, it is open.
        line = (
            f"M{number(left)} {number(y + 88)}V{foot}"
            if start == first
            else f"M{number(left)} {foot}"
        )
        if (start, end) == longest:
            gap = width(f"+{count}", LEAST) / 2 + 6
            line += f"H{number(middle - gap)}M{number(middle + gap)} {foot}"
            drawn += letters(f"+{count}", middle, y + 100.5, LEAST, "middle", BRIGHT)
        line += f"H{number(right)}" + ("v-7" if end == last else "")
        drawn += stroke(line, ink, 1.8)
    return drawn


def _swaps(state: Record, hacker: int, place: int, legal: Sequence[int]) -> list[int]:
    """The legal swaps that move this card."""
    own = hacker == state.mover
    return [
        action
        for action in legal
        if SWAPS <= action < DECLINE and divmod(action - SWAPS, RUN)[0 if own else 1] == place
    ]


def _run(
    state: Record, hacker: int, look: Look, legal: Sequence[int], plan: _Plan, changes: _Changes
) -> Block:
    """A Run, left to right, with its arrays in brackets and its score."""
    colour, mover = _OWN[hacker], state.mover == hacker
    high = 56 + 126 * (RUN // plan.across) - 18
    run = panel(0, 0, plan.room, high, colour if mover else LINE)
    run += at(20, 18, _hood(colour), 0.5)
    words = f"{HACKERS[hacker]} hacker's Run" if plan is _USUAL else HACKERS[hacker]
    run += letters(words, 36, 23, LEAST, colour=colour)
    x = 36 + width(words, LEAST) + 12
    if look.viewer is not None and hacker == look.viewer[0]:
        run += box(x, 8, 46, 20, 10, fill=colour)
        run += letters("You", x + 23, 23.5, LEAST, "middle", NIGHT, 1.6)
        x += 56
    if mover and DECLINE in legal:
        words = "Decline the swap" if plan is _USUAL else "Decline"
        wide = width(words, LEAST) + 24
        button = glow(x, 5, wide, 26, 13, LIME, 0.6)
        button += box(x, 5, wide, 26, 13, fill=CARD, stroke=LIME, stroke_width=1.6)
        button += letters(words, x + wide / 2, 23.5, LEAST, "middle", LIME)
        run += target(button, [DECLINE], action_name(state, DECLINE))
    elif mover:
        run += stroke(f"M{number(x)} 13l5 4.5-5 4.5", LIME, 2)
        run += letters("To move", x + 13, 23, LEAST, colour=LIME)
    points = _open(signed(state.points[hacker]))
    run += letters(points, plan.room - 14, 25, 15, "end", BRIGHT)
    run += letters("Score", plan.room - 24 - width(points, 15), 23, LEAST, "end", DIM)
    length = state.length[hacker]
    for first, count, ink in arrays(state, hacker):
        run += _bracket(first, count, ink, plan)
    for place in range(RUN):
        x, y = plan.slot(place)
        run += letters(str(place), x + _CARD / 2, y - 6, LEAST, "middle", DIM)
        if place >= length:
            run += vacant(x, y, _CARD, _CARD)
            continue
        card = state.run[hacker][place]
        shown = at(x, y, _card(*_of(state, card)))
        if swaps := _swaps(state, hacker, place, legal):
            shown = glow(x, y, _CARD, _CARD, 8, LIME) + shown
            if (hacker, place) not in changes.places:
                shown += corners(x - 1, y - 1, _CARD + 2, _CARD + 2, 14, LIME, 3)
            whose = "own" if mover else "their"
            words = f"swap {whose} place {place}, {card_name(state, card)}"
            shown = target(shown, swaps, words, alone=False)
        run += shown
    marked = {place: sign for (whose_, place), sign in changes.places.items() if whose_ == hacker}
    for place in marked:
        run += ring(*plan.slot(place), _CARD, _CARD)
        if _swaps(state, hacker, place, legal):
            run += reframed(*plan.slot(place), _CARD, _CARD)
    for place, sign in marked.items():
        run += _sign(*plan.slot(place), sign)
    return Block(plan.room, high, run)


@kept
def _signs(colours: tuple[int, ...]) -> list[tuple[str, str]]:
    """What the signs mean, and the colours of the deck."""
    choice = corners(-10, -10, 20, 20, 6, LIME, 2.4)
    cross = stroke("M-10-5V5M10-5V5", _OWN[0], 2.4) + stroke("M-5-10H5M-5 10H5", _OWN[1], 2.4)
    items = [
        (choice, "you may choose it"),
        (happened(0, 0, CAME), "just taken"),
        (happened(0, 0, WENT), "taken from here"),
        (happened(0, 0, SWAPPED), "swapped"),
        (happened(0, 0, MOVED), "moved"),
        (cross, "lines cross"),
    ]
    return items + [(_mark(colour, 0, 0, 1.6), colour_name(colour)) for colour in colours]


# --- the whole -----------------------------------------------------------------------------------


@kept
def _name() -> Block:
    """The game's name, its middle word small."""
    small = 10 + width("HACK", 25) + 9
    grid = small + width("THE", 15) + 9
    name = title("HACK", 10, 32, 25) + title("THE", small, 32, 15) + title("GRID", grid, 32, 25)
    return Block(grid + width("GRID", 25), 0, name)


def draw(state: Record, page: Page, look: Look) -> Drawn:
    """The grid and the scoring beside it, and the Runs, the viewer's own below."""
    plan = _SMALL if look.narrow else _USUAL
    legal = look.choices or ()
    changes = _changes(state, look)
    blocks: list[Block | str] = [
        _board(state, legal, plan, changes),
        _scoring(state, plan),
        *(_run(state, hacker, look, legal, plan, changes) for hacker in (1 - look.side, look.side)),
        NEWS,
        STATUS,
        LEGEND,
    ]
    return Drawn(
        plan.wide,
        plan.margin,
        8,
        blocks,
        _signs(tuple(sorted(set(state.colour)))),
        fade("hg-card", _TOP, _FOOT, 1),
        _name(),
        "move",
        news_rows=4 if look.narrow else 3,
        numbered=True,
    )
