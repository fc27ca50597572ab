"""HACKtheGRID in pictures. Everything lies open; the seat decides who is *you*."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final, NamedTuple

from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.lettering import LEAST, happened, small, width
from cyberdeck.drawing.svg import (
    BRIGHT,
    CYAN,
    DIM,
    GREEN,
    LIME,
    LINE,
    NIGHT,
    Block,
    at,
    box,
    number,
    stroke,
)
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.views.hackthegrid import signs
from cyberdeck.views.hackthegrid.cards import HACKERS, arrays, card_name, cell
from cyberdeck.views.hackthegrid.page import action_name, signed
from cyberdeck.views.hackthegrid.signs import CARD
from cyberdeck.views.hackthegrid.story import Swapped, Taken
from cyberdeck.views.record import Record
from cyberdeck.views.view import LEGEND, NEWS, STATUS, Drawn, Look, Page, seat_of

# --- where things lie ----------------------------------------------------------------------------


class _Plan(NamedTuple):
    """How wide the picture is, and what follows from it."""

    wide: int
    margin: int
    room: int  # of a Run
    edge: int  # the room of the hackers beside and above the grid
    pitch: int  # from card to card of the grid
    across: int  # places of a Run in a row

    @property
    def board(self) -> int:
        """The width and the height of the grid's panel."""
        return self.edge + 3 * self.pitch + CARD + 8

    def corner(self, at_cell: int) -> tuple[int, int]:
        row, column = divmod(at_cell, c.SIDE)
        return self.edge + self.pitch * column, self.edge + self.pitch * row

    def slot(self, place: int) -> tuple[float, float]:
        """The upper left corner of a place in a Run's panel."""
        step = (self.room - 18 - CARD) / (self.across - 1)
        return 9 + step * (place % self.across), 56 + 126 * (place // self.across)


_USUAL: Final = _Plan(720, 14, 692, 74, 90, 8)
_SMALL: Final = _Plan(390, 3, 384, 44, 83, 4)
_BROAD: Final = _Plan(900, 14, 430, 74, 90, 4)  # the Runs beside the grid


# --- cards ---------------------------------------------------------------------------------------


def _laid(state: Record, card: int, x: float, y: float) -> str:
    """A card where it lies, upper left."""
    shown = at(x, y, signs.card_face(state.kind[card], state.colour[card]))
    return svg.piece(shown, f"card {card}")


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
                changes.places[hacker, place] = lettering.SWAPPED
    for step, event in enumerate(look.events, 1):
        order = f"{step}" if len(look.events) > 1 else ""
        if isinstance(event, Taken):
            changes.cells[event.cell] = order + lettering.WENT
            changes.places[event.seat, event.place] = order + lettering.CAME
        elif isinstance(event, Swapped):
            for where in enumerate(event.places):
                changes.places[where] = order + lettering.SWAPPED
    return changes


# --- the grid ------------------------------------------------------------------------------------


def _avatar(state: Record, hacker: int, plan: _Plan) -> str:
    """The hacker at the edge, lit up when it is to move."""
    colour = signs.OWN[hacker]
    x, y = _stand(state, hacker, plan)
    body, off = signs.icon("hood", colour), plan.edge - 11
    if state.mover == hacker:
        lit = ((27, 0.1), (24, 0.14))
        body = "".join(svg.disc(0, -1, r, colour, fill_opacity=seen) for r, seen in lit) + body
    tip = f"M{off} {number(y - 7)}v14l8-7z" if hacker else f"M{number(x - 7)} {off}h14l-7 8z"
    shown = at(x, y, body, 0.7) + svg.path(tip, fill=colour)
    return svg.piece(shown, HACKERS[hacker])


def _stand(state: Record, hacker: int, plan: _Plan) -> tuple[float, float]:
    """Where a hacker stands."""
    along = plan.edge + plan.pitch * state.avatar[hacker] + CARD / 2
    return (along, plan.edge - 26) if hacker == 0 else (plan.edge - 26, along)


def _beam(state: Record, hacker: int, plan: _Plan) -> str:
    """The line that a hacker points along."""
    colour, start = signs.OWN[hacker], plan.edge + plan.pitch * state.avatar[hacker]
    first, long = plan.edge - 4, 3 * plan.pitch + CARD + 8
    x, y, wide, high = (start, first, CARD, long) if hacker == 0 else (first, start, long, CARD)
    beam = box(x, y, wide, high, fill=colour, fill_opacity=0.18)
    middle = number(start + CARD / 2)
    line = f"M{middle} {first}v{long}" if hacker == 0 else f"M{first} {middle}h{long}"
    return beam + stroke(line, colour, 2, stroke_opacity=0.8)


#: The frame where the two lines cross: sides in the colours of the hackers.
_CROSS: Final = stroke("M-3 20V62M85 20V62", signs.OWN[0], 3.4) + stroke(
    "M20-3H62M20 85H62", signs.OWN[1], 3.4
)


def _edges(state: Record, legal: Sequence[int], plan: _Plan) -> str:
    """The places along both edges by number; those that the mover may go to are lit."""
    places, off = "", plan.edge - 20
    for hacker, place in product(range(2), range(c.SIDE)):
        lit = state.mover == hacker and place in legal
        there = place == state.avatar[hacker]
        colour = LIME if lit else signs.OWN[hacker] if there else DIM
        along = plan.edge + plan.pitch * place
        # The number stands in the corner of the strip, beside who stands there.
        x, y = (12, along + 17) if hacker else (along + 14, off - 2)
        sign = small(str(place), x, y, colour, "middle")
        if not there:
            middle = number(along + CARD / 2)
            arrow = f"M{off} {middle}m0-8l8 8-8 8" if hacker else f"M{middle} {off}m-8 0l8 8 8-8"
            sign += stroke(arrow, colour, 2.6)
        words = action_name(state, place) if lit else ""
        places += svg.target(sign, [place] if lit else [], words, alone=False)
    return places


def _board(state: Record, look: Look, plan: _Plan, changes: _Changes) -> Block:
    legal, mover, size = look.choices or (), state.mover, (CARD, CARD)
    board = svg.panel(0, 0, plan.board, plan.board)
    for at_cell, card in enumerate(state.grid):
        if card == c.NONE:
            board += svg.vacant(*plan.corner(at_cell), *size)
    board += _beam(state, 0, plan) + _beam(state, 1, plan)
    board += _edges(state, legal, plan)
    lit = {cell(state, mover, place): place for place in legal if place < c.SIDE}
    targets = ""  # above the cards beside them
    for at_cell, card in enumerate(state.grid):
        if card == c.NONE:
            continue
        x, y = plan.corner(at_cell)
        shown = _laid(state, card, x, y)
        if at_cell in lit:
            shown = svg.glow(x, y, *size, 8, LIME, 1.2) + shown
            shown += svg.corners(x - 1, y - 1, CARD + 2, CARD + 2, 16, LIME, 3)
            targets += svg.target(shown, [lit[at_cell]], action_name(state, lit[at_cell]))
        else:
            board += shown
    board += targets
    board += "".join(lettering.ring(*plan.corner(at_cell), *size) for at_cell in changes.cells)
    board += at(*plan.corner(cell(state, 0, state.avatar[0])), _CROSS)
    board += _avatar(state, 0, plan) + _avatar(state, 1, plan)
    for at_cell, sign in changes.cells.items():
        board += _sign(*plan.corner(at_cell), sign)
    for hacker in changes.moved:
        middle, off = _stand(state, hacker, plan)
        board += happened(middle + 14 - 28 * hacker, off - 12, lettering.MOVED)
    return Block(plan.board, plan.board, board)


def _sign(x: float, y: float, sign: str) -> str:
    """What has just happened to a card, in its upper right corner."""
    return happened(x + CARD - 4, y + 2, sign)


# --- beside and below the grid -------------------------------------------------------------------


def _open(points: str) -> str:
    """A number of points; its zero is open, unlike that of places."""
    return points.replace("0", "O")


@svg.kept
def _worth(kinds: Sequence[int], columns: tuple[int, int, int]) -> Block:
    """What cards are worth, by how many of their kind a Run holds."""
    wide = columns[-1] + 14
    table = small("Points each if a Run has", 0, 11, CYAN)
    table += small("of the kind", 0, 29, CYAN)
    for column, count_name in zip(columns, ("1", "2", "3+"), strict=True):
        table += small(count_name, column, 29, BRIGHT, "middle")
    y = 54
    for kind in kinds:
        table += stroke(f"M0 {y - 18}H{wide}", LINE, 1)
        table += signs.kind_sign(kind, BRIGHT, 15, y + 1, 0.62)
        words = c.KINDS[kind].split()
        for line, word in enumerate(words):
            base = y + 6.5 + 15 * line - 7.5 * (len(words) - 1)
            table += small(word, 36, base, BRIGHT)
        for count, column in enumerate(columns, 1):
            points = c.VALUES[kind][count]
            ink = svg.RED if points < 0 else GREEN if points > 0 else DIM
            change = f"+{points}" if points > 0 else _open(signed(points))
            table += small(change, column, y + 6, ink, "middle")
        if kind == c.SCRAMBLE:
            y += 16
            table += small("Taken: swap a card", 36, y + 6.5, DIM)
        y += 38
    return Block(wide, y - 18, table)


def _counts(state: Record, wide: float) -> Block:
    """The array's points, and how many cards are left: one below the other, or in two lines."""
    counts = small("Array", 0, 11, CYAN)
    for x in (58, 78):
        counts += box(x, 0, 16, 8, 2, fill=GREEN, fill_opacity=0.5, stroke=GREEN)
    counts += stroke("M57 11v4H95v-4", GREEN, 1.8)
    meant, each, left = ("Side by side", "of one colour"), f"+{c.ARRAY} each", str(state.remaining)
    if wide > 130:
        counts += small(" ".join(meant), 110, 11, DIM)
        counts += small(each, 130 + width(" ".join(meant), LEAST), 11, GREEN)
        counts += small("Cards left", 0, 37, DIM) + small(left, 110, 37, BRIGHT)
        counts += small("No card in reach: both lose", 150, 37, DIM)
        return Block(wide, 37, counts)
    counts += small(meant[0], 0, 31, DIM)
    counts += small(meant[1], 0, 47, DIM)
    counts += small(each, 0, 65, GREEN)
    counts += stroke("M0 76H130", LINE, 1)
    counts += small("Cards left", 0, 97, DIM)
    counts += small(left, 130, 97, BRIGHT, "end")
    return Block(130, 101, counts)


def _scoring(state: Record, plan: _Plan) -> Block:
    """Both, one below the other beside the grid, or side by side below it."""
    beside = plan.room - plan.board - 8
    wide = beside if beside > 200 else plan.room
    worth = _worth(range(len(c.KINDS)), (136, 172, 208))
    content = svg.flow([worth, _counts(state, 130)], wide - 16, 14)
    high = plan.board if beside > 200 else content.height + 28
    return Block(wide, high, svg.panel(0, 0, wide, high) + at(9, 14, content.content))


def _beside(state: Record, look: Look, changes: _Changes) -> list[Block | str]:
    """The grid and what cards are worth on the left, the Runs on the right, the own one below."""
    plan, runs = _BROAD, (1 - look.side, look.side)
    half = len(c.KINDS) // 2
    halves = (range(half), range(half, len(c.KINDS)))
    worth = svg.flow([_worth(kinds, (126, 157, 188)) for kinds in halves], plan.board, 14)
    counts = svg.panelled(_counts(state, plan.room - 32))
    board = _board(state, look, plan, changes)
    drawn = [_run(state, hacker, look, plan, changes) for hacker in runs]
    right = svg.flow([*drawn, counts], plan.room, 8)
    high = right.height - board.height - 8
    below = svg.panel(0, 0, plan.board, high) + at(8, (high - worth.height) / 2, worth.content)
    left = svg.flow([board, Block(plan.board, high, below)], plan.board, 8)
    return [left, right]


def _bracket(first: int, count: int, shade_: int, plan: _Plan) -> str:
    """The bracket below an array, row by row, and its points."""
    ink, drawn, last = signs.PALETTE[shade_], "", first + count - 1
    rows = range(first // plan.across, last // plan.across + 1)
    stretches = [
        (max(first, row * plan.across), min(last, (row + 1) * plan.across - 1)) for row in rows
    ]
    longest = max(stretches, key=lambda stretch: stretch[1] - stretch[0])
    for start, end in stretches:
        left, y = plan.slot(start)
        right = plan.slot(end)[0] + CARD
        drawn += box(left - 3, y - 3, right - left + 6, 88, 10, fill=ink, fill_opacity=0.16)
        foot, middle = number(y + 95), (left + right) / 2
        # Where it goes on in another row, it is open.
        line = f"M{number(left)} " + (f"{number(y + 88)}V{foot}" if start == first else foot)
        if (start, end) == longest:
            points = f"+{c.ARRAY * count}"
            gap = width(points, LEAST) / 2 + 6
            line += f"H{number(middle - gap)}M{number(middle + gap)} {foot}"
            drawn += small(points, middle, y + 100.5, BRIGHT, "middle")
        line += f"H{number(right)}" + ("v-7" if end == last else "")
        drawn += stroke(line, ink, 1.8)
    return drawn


def _swaps(state: Record, hacker: int, place: int, legal: Sequence[int]) -> list[int]:
    """The legal swaps that move this card."""
    swaps = [action for action in legal if c.SWAPS <= action < c.DECLINE]
    whose = 0 if hacker == state.mover else 1
    return [action for action in swaps if divmod(action - c.SWAPS, c.RUN)[whose] == place]


def _run(state: Record, hacker: int, look: Look, plan: _Plan, changes: _Changes) -> Block:
    """A Run, left to right, with its arrays in brackets and its score."""
    colour, mover, legal = signs.OWN[hacker], state.mover == hacker, look.choices or ()
    high = 56 + 126 * (c.RUN // plan.across) - 18
    run = svg.panel(0, 0, plan.room, high, colour if mover else LINE)
    run += at(20, 18, signs.icon("hood", colour), 0.5)
    words = f"{HACKERS[hacker]} hacker's Run" if plan is _USUAL else HACKERS[hacker]
    run += small(words, 36, 23, colour)
    x = 36 + width(words, LEAST) + 12
    if hacker == seat_of(look.viewer):
        run += box(x, 8, 46, 20, 10, fill=colour)
        run += lettering.text("You", x + 23, 23.5, LEAST, "middle", NIGHT, 1.6)
        x += 56
    if mover and c.DECLINE in legal:
        words = "Decline the swap" if plan is _USUAL else "Decline"
        button = lettering.button(words, x, 5, width(words, LEAST) + 24, LIME, svg.CARD, 1.6)
        run += svg.target(button, [c.DECLINE], action_name(state, c.DECLINE))
    elif mover:
        run += stroke(f"M{number(x)} 13l5 4.5-5 4.5", LIME, 2)
        run += small("To move", x + 13, 23, LIME)
    points = _open(signed(state.points[hacker]))
    run += lettering.text(points, plan.room - 14, 25, 15, "end", BRIGHT)
    run += small("Score", plan.room - 24 - width(points, 15), 23, DIM, "end")
    for first, count, ink in arrays(state, hacker):
        run += _bracket(first, count, ink, plan)
    rings = happenings = ""  # above all cards
    for place in range(c.RUN):
        x, y = plan.slot(place)
        run += small(str(place), x + CARD / 2, y - 6, DIM, "middle")
        if place >= state.length[hacker]:
            run += svg.vacant(x, y, CARD, CARD)
            continue
        card = state.run[hacker][place]
        shown = _laid(state, card, x, y)
        if swaps := _swaps(state, hacker, place, legal):
            shown = svg.glow(x, y, CARD, CARD, 8, LIME) + shown
            if (hacker, place) not in changes.places:  # else reframed
                shown += svg.corners(x - 1, y - 1, CARD + 2, CARD + 2, 14, LIME, 3)
            whose = "own" if mover else "their"
            words = f"swap {whose} place {place}, {card_name(state, card)}"
            shown = svg.target(shown, swaps, words, alone=False)
        run += shown
        if sign := changes.places.get((hacker, place)):
            rings += lettering.ring(x, y, CARD, CARD)
            rings += lettering.reframed(x, y, CARD, CARD) if swaps else ""
            happenings += _sign(x, y, sign)
    return Block(plan.room, high, run + rings + happenings)


# --- the whole -----------------------------------------------------------------------------------


@svg.kept
def _name() -> Block:
    """The game's name, its middle word small."""
    name, x = "", 10.0
    for word, size in (("HACK", 25), ("THE", 15), ("GRID", 25)):
        name += lettering.title(word, x, 32, size)
        x += width(word, size) + 9
    return Block(x - 9, 0, name)


def draw(state: Record, page: Page, look: Look) -> Drawn:
    """The grid and the scoring beside it, and the Runs, the viewer's own below; as a bare picture
    all side by side.
    """
    plan = _SMALL if look.narrow else _BROAD if look.bare else _USUAL
    changes = _changes(state, look)
    if plan is _BROAD:
        table = _beside(state, look, changes)
    else:
        runs = (_run(state, at_, look, plan, changes) for at_ in (1 - look.side, look.side))
        table = [_board(state, look, plan, changes), _scoring(state, plan), *runs]
    return Drawn(
        plan.wide,
        plan.margin,
        8,
        [*table, NEWS, STATUS, LEGEND],
        signs.explained(tuple(sorted(set(state.colour)))),
        signs.DEFINITIONS,
        _name(),
        "move",
        news_rows=4 if look.narrow else 3,
        numbered=True,
    )
