"""HACKtheGRID in pictures. Everything lies open; the seat decides who is *you*."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final, NamedTuple, TypeAlias

from cyberdeck.common.tables import table_of
from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.lettering import LEAST, happened, small, width
from cyberdeck.drawing.svg import BRIGHT, CYAN, DIM, GREEN, LIME, LINE, Block, at, box, stroke
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.views.hackthegrid import page
from cyberdeck.views.hackthegrid.page import HACKERS, Declined, Swapped, Taken, action_name, cell
from cyberdeck.views.record import Record
from cyberdeck.views.view import LEGEND, NEWS, STATUS, Drawn, Look, Page, seat_of

# --- where things lie ----------------------------------------------------------------------------

CARD: Final = 82  # wide and high


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

OWN: Final = (svg.AMBER, svg.VIOLET)  # the hackers' own colours

_COLOURS: Final = table_of(__package__, "colours.toml")
PALETTE: Final = tuple(svg.shade(*pair) for pair in _COLOURS["cards"])
_TINTS: Final = tuple(svg.shade(*pair) for pair in _COLOURS["tints"])

icon: Final = svg.icons_of(__package__)


def _kind_sign(kind: int, colour: str, x: float, y: float, scale: float) -> str:
    """The sign of a kind of card."""
    return at(x, y, icon(c.KINDS[kind].lower().replace(" ", "_"), colour), scale)


def _mark(colour: int, x: float, y: float) -> str:
    """A mark for each colour, for those who cannot tell the colours apart."""
    return at(x, y, icon(f"mark_{colour}", PALETTE[colour]), 1.6)


@svg.kept
def _card(card: int, kind: int, colour: int, x: float, y: float) -> str:
    """A card where it lies, upper left."""
    ink, words = PALETTE[colour], c.KINDS[kind].split()
    middle, scale = (26, 0.78) if len(words) == 2 else (32, 0.92)
    face = icon("face", ink) + _kind_sign(kind, ink, 44, middle, scale) + _mark(colour, 13.5, 14)
    for place, word in enumerate(words, -len(words)):
        face += lettering.text(word, CARD / 2, 89 + 14 * place, LEAST, "middle", BRIGHT, 1.3)
    return svg.piece(at(x, y, face), f"card {card}")


# --- what just happened --------------------------------------------------------------------------

#: Signs of what has just happened, by cells of the grid and by hackers' places: HEAD is above them.
HEAD: Final = -1
_Changes: TypeAlias = dict[int | tuple[int, int], str]


def _changes(state: Record, look: Look) -> _Changes:
    changes: _Changes = {}
    if look.before is None:
        return changes
    for place in product(range(2), range(c.RUN)):
        if state.run[place[0]][place[1]] != look.before.run[place[0]][place[1]]:
            changes[place] = lettering.SWAPPED
    for step, event in enumerate(look.events, 1):
        order = f"{step}" if len(look.events) > 1 else ""
        if isinstance(event, Taken):
            changes[event.cell] = order + lettering.WENT
            changes[event.seat, event.place] = order + lettering.CAME
        elif isinstance(event, Declined):
            changes[event.seat, HEAD] = order + lettering.FELL
        elif isinstance(event, Swapped):
            changes.update(dict.fromkeys(enumerate(event.places), order + lettering.SWAPPED))
    return changes


# --- the grid ------------------------------------------------------------------------------------


def _avatar(state: Record, hacker: int, plan: _Plan) -> str:
    """The hacker at the edge, lit up when it is to move."""
    colour = OWN[hacker]
    x, y = _stand(state, hacker, plan)
    body, off = icon("hood", colour), plan.edge - 11
    if state.mover == hacker:
        lit = ((27, 0.1), (24, 0.14))
        body = "".join(svg.disc(0, -1, r, colour, fill_opacity=light) for r, light in lit) + body
    tip = (
        f"M{off} {svg.number(y - 7)}v14l8-7z" if hacker else f"M{svg.number(x - 7)} {off}h14l-7 8z"
    )
    return svg.piece(at(x, y, body, 0.7) + svg.path(tip, fill=colour), HACKERS[hacker])


def _stand(state: Record, hacker: int, plan: _Plan) -> tuple[float, float]:
    """Where a hacker stands."""
    along = plan.edge + plan.pitch * state.avatar[hacker] + CARD / 2
    return (along, plan.edge - 26) if hacker == 0 else (plan.edge - 26, along)


def _beam(state: Record, hacker: int, plan: _Plan) -> str:
    """The line that a hacker points along."""
    colour, start = OWN[hacker], plan.edge + plan.pitch * state.avatar[hacker]
    first, long = plan.edge - 4, 3 * plan.pitch + CARD + 8
    x, y, wide, high = (start, first, CARD, long) if hacker == 0 else (first, start, long, CARD)
    middle = svg.number(start + CARD / 2)
    line = f"M{middle} {first}v{long}" if hacker == 0 else f"M{first} {middle}h{long}"
    beam = box(x, y, wide, high, fill=colour, fill_opacity=0.18)
    return beam + stroke(line, colour, 2, stroke_opacity=0.8)


#: The frame where the two lines cross: sides in the colours of the hackers.
_CROSS: Final = stroke("M-3 20V62M85 20V62", OWN[0], 3.4) + stroke("M20-3H62M20 85H62", OWN[1], 3.4)


def _edges(state: Record, legal: Sequence[int], plan: _Plan) -> str:
    """The places along both edges by number; those that the mover may go to are lit."""
    places, off = "", plan.edge - 20
    for hacker, place in product(range(2), range(c.SIDE)):
        lit = state.mover == hacker and place in legal
        there = place == state.avatar[hacker]
        colour = LIME if lit else OWN[hacker] if there else DIM
        along = plan.edge + plan.pitch * place
        # The number stands in the corner of the strip, beside who stands there.
        x, y = (12, along + 17) if hacker else (along + 14, off - 2)
        sign = small(str(place), x, y, colour, "middle")
        if not there:
            middle = svg.number(along + CARD / 2)
            arrow = f"M{off} {middle}m0-8l8 8-8 8" if hacker else f"M{middle} {off}m-8 0l8 8 8-8"
            sign += stroke(arrow, colour, 2.6)
        words = action_name(state, place) if lit else ""
        places += svg.target(sign, [place] if lit else [], words, alone=False)
    return places


def _board(state: Record, look: Look, plan: _Plan, changes: _Changes) -> Block:
    legal, size = look.choices or (), (CARD, CARD)
    board, targets, signs = svg.panel(0, 0, plan.board, plan.board), "", ""
    lit = {cell(state, state.mover, place): place for place in legal if place < c.SIDE}
    cards = ""
    for at_cell, card in enumerate(state.grid):
        x, y = plan.corner(at_cell)
        if card == c.NONE:
            board += svg.vacant(x, y, *size)
            continue
        shown = _card(card, state.kind[card], state.colour[card], x, y)
        if at_cell in lit:
            shown = svg.glow(x, y, *size, 8, LIME, 1.2) + shown
            shown += svg.corners(x - 1, y - 1, CARD + 2, CARD + 2, 16, LIME, 3)
            targets += svg.target(shown, [lit[at_cell]], action_name(state, lit[at_cell]))
        else:
            cards += shown
    board += _beam(state, 0, plan) + _beam(state, 1, plan) + _edges(state, legal, plan)
    board += cards + targets  # what may be chosen lies above the cards beside it
    for where, sign in changes.items():
        if isinstance(where, int):
            x, y = plan.corner(where)
            board += lettering.ring(x, y, *size)
            signs += happened(x + CARD - 4, y + 2, sign)
    board += at(*plan.corner(cell(state, 0, state.avatar[0])), _CROSS)
    board += _avatar(state, 0, plan) + _avatar(state, 1, plan) + signs
    for hacker in range(2):
        if look.before is not None and state.avatar[hacker] != look.before.avatar[hacker]:
            middle, off = _stand(state, hacker, plan)
            board += happened(middle + 14 - 28 * hacker, off - 12, lettering.MOVED)
    return Block(plan.board, plan.board, board)


# --- beside and below the grid -------------------------------------------------------------------


def _open(points: int) -> str:
    """A number of points; its zero is open, unlike that of places."""
    return str(points).replace("-", lettering.WENT).replace("0", "O")


@svg.kept
def _worth(kinds: Sequence[int], columns: tuple[int, int, int]) -> Block:
    """What cards are worth, by how many of their kind a Run holds."""
    wide, y = columns[-1] + 14, 54
    table = small("Points each if a Run has", 0, 11, CYAN) + small("of the kind", 0, 29, CYAN)
    for column, count_name in zip(columns, ("1", "2", "3+"), strict=True):
        table += small(count_name, column, 29, BRIGHT, "middle")
    for kind in kinds:
        table += stroke(f"M0 {y - 18}H{wide}", LINE, 1)
        table += _kind_sign(kind, BRIGHT, 15, y + 1, 0.62)
        words = c.KINDS[kind].split()
        for line, word in enumerate(words):
            table += small(word, 36, y + 6.5 + 15 * line - 7.5 * (len(words) - 1))
        for points, column in zip(c.VALUES[kind][1:], columns, strict=True):
            ink = svg.RED if points < 0 else GREEN if points > 0 else DIM
            change = f"+{points}" if points > 0 else _open(points)
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
        counts += small("Cards left", 0, 37, DIM) + small(left, 110, 37)
        return Block(wide, 37, counts + small("No card in reach: both lose", 150, 37, DIM))
    counts += small(meant[0], 0, 31, DIM) + small(meant[1], 0, 47, DIM)
    counts += small(each, 0, 65, GREEN) + stroke("M0 76H130", LINE, 1)
    counts += small("Cards left", 0, 97, DIM) + small(left, 130, 97, anchor="end")
    return Block(130, 101, counts)


def _bracket(first: int, count: int, ink: str, plan: _Plan) -> str:
    """The bracket below an array, row by row, each with the points of its cards."""
    drawn, last, across = "", first + count - 1, plan.across
    stretches = [
        (max(first, row * across), min(last, (row + 1) * across - 1))
        for row in range(first // across, last // across + 1)
    ]
    for start, end in stretches:
        left, y = plan.slot(start)
        right = plan.slot(end)[0] + CARD
        drawn += box(left - 3, y - 3, right - left + 6, 88, 10, fill=ink, fill_opacity=0.16)
        foot, middle = svg.number(y + 95), (left + right) / 2
        # Where it goes on in another row, it is open.
        line = f"M{svg.number(left)} " + (
            f"{svg.number(y + 88)}V{foot}" if start == first else foot
        )
        points = f"+{c.ARRAY * (end - start + 1)}"
        gap = width(points, LEAST) / 2 + 6
        line += f"H{svg.number(middle - gap)}M{svg.number(middle + gap)} {foot}"
        drawn += small(points, middle, y + 100.5, anchor="middle")
        line += f"H{svg.number(right)}" + ("v-7" if end == last else "")
        drawn += stroke(line, ink, 1.8)
    return drawn


def _run(state: Record, hacker: int, look: Look, plan: _Plan, changes: _Changes) -> Block:
    """A Run, left to right, with its arrays in brackets and its score."""
    colour, mover, legal = OWN[hacker], state.mover == hacker, look.choices or ()
    high = 56 + 126 * (c.RUN // plan.across) - 18
    run = svg.panel(0, 0, plan.room, high, colour if mover else LINE)
    declined = changes.get((hacker, HEAD))
    run += happened(23, 18, declined) if declined else at(20, 18, icon("hood", colour), 0.5)
    words = f"{HACKERS[hacker]} hacker's Run" if plan is _USUAL else HACKERS[hacker]
    run += small(words, 36, 23, colour)
    x = 36 + width(words, LEAST) + 12
    if hacker == seat_of(look.viewer):
        run += box(x, 8, 46, 20, 10, fill=colour)
        run += lettering.text("You", x + 23, 23.5, LEAST, "middle", svg.NIGHT, 1.6)
        x += 56
    if mover and c.DECLINE in legal:
        words = "Decline the swap" if plan is _USUAL else "Decline"
        button = lettering.button(words, x, 5, width(words, LEAST) + 24, LIME, svg.CARD, 1.6)
        run += svg.target(button, [c.DECLINE], action_name(state, c.DECLINE))
    elif mover:
        run += stroke(f"M{svg.number(x)} 13l5 4.5-5 4.5", LIME, 2)
        run += small("To move", x + 13, 23, LIME)
    points = _open(state.points[hacker])
    run += lettering.text(points, plan.room - 14, 25, 15, "end", BRIGHT)
    run += small("Score", plan.room - 24 - width(points, 15), 23, DIM, "end")
    for first, count, shade in page.arrays(state, hacker):
        run += _bracket(first, count, PALETTE[shade], plan)
    swaps = [action for action in legal if c.SWAPS <= action < c.DECLINE]
    above = signs = ""  # all cards
    for place, card in enumerate(state.run[hacker]):
        x, y = plan.slot(place)
        run += small(str(place), x + CARD / 2, y - 6, DIM, "middle")
        if place >= state.length[hacker]:
            run += svg.vacant(x, y, CARD, CARD)
            continue
        shown = _card(card, state.kind[card], state.colour[card], x, y)
        sign, side = changes.get((hacker, place)), 0 if mover else 1
        moving = [each for each in swaps if divmod(each - c.SWAPS, c.RUN)[side] == place]
        if moving:
            shown = svg.glow(x, y, CARD, CARD, 8, LIME) + shown
            if sign is None:  # else reframed
                shown += svg.corners(x - 1, y - 1, CARD + 2, CARD + 2, 14, LIME, 3)
            words = f"swap {('own', 'their')[side]} place {place}, {page.card_name(state, card)}"
            shown = svg.target(shown, moving, words, alone=False)
        run += shown
        if sign is not None:
            above += lettering.ring(x, y, CARD, CARD)
            above += lettering.reframed(x, y, CARD, CARD) if moving else ""
            signs += happened(x + CARD - 4, y + 2, sign)
    return Block(plan.room, high, run + above + signs)


# --- the whole -----------------------------------------------------------------------------------


@svg.kept
def _name() -> Block:
    """The game's name, its middle word small."""
    name, x = "", 10.0
    for word, size in (("HACK", 25), ("THE", 15), ("GRID", 25)):
        name += lettering.title(word, x, 32, size)
        x += width(word, size) + 9
    return Block(x - 9, 0, name)


@svg.kept
def _explained(colours: tuple[int, ...]) -> list[tuple[str, str]]:
    """What the signs mean, and the colours of the deck."""
    cross = stroke("M-10-5V5M10-5V5", OWN[0], 2.4) + stroke("M-5-10H5M-5 10H5", OWN[1], 2.4)
    return [
        (svg.corners(-10, -10, 20, 20, 6, LIME, 2.4), "you may choose it"),
        (happened(0, 0, lettering.CAME), "just taken"),
        (happened(0, 0, lettering.WENT), "taken from here"),
        (happened(0, 0, lettering.SWAPPED), "came by a swap"),
        (happened(0, 0, lettering.MOVED), "moved"),
        (happened(0, 0, lettering.FELL), "swap declined"),
        (cross, "lines cross"),
        *((_mark(colour, 0, 0), page.colour_name(colour)) for colour in colours),
    ]


def draw(state: Record, shown: Page, look: Look) -> Drawn:
    """The grid and the scoring beside it or below, and the Runs, the viewer's own below; as a bare
    picture all side by side: the grid and what cards are worth on the left, the Runs on the right.
    """
    plan = _SMALL if look.narrow else _BROAD if look.bare else _USUAL
    changes = _changes(state, look)
    board = _board(state, look, plan, changes)
    runs = [_run(state, hacker, look, plan, changes) for hacker in (1 - look.side, look.side)]
    if plan is _BROAD:
        half = len(c.KINDS) // 2
        halves = (range(half), range(half, len(c.KINDS)))
        worth = svg.flow([_worth(kinds, (126, 157, 188)) for kinds in halves], plan.board, 14)
        counts = svg.panelled(_counts(state, plan.room - 32))
        right = svg.flow([*runs, counts], plan.room, 8)
        high = right.height - board.height - 8
        below = svg.panel(0, 0, plan.board, high) + at(8, (high - worth.height) / 2, worth.content)
        table = [svg.flow([board, Block(plan.board, high, below)], plan.board, 8), right]
    else:
        beside = plan.room - plan.board - 8 > 200
        wide = plan.room - plan.board - 8 if beside else plan.room
        worth = _worth(range(len(c.KINDS)), (136, 172, 208))
        scoring = svg.flow([worth, _counts(state, 130)], wide - 16, 14)
        high = plan.board if beside else scoring.height + 28
        scored = svg.panel(0, 0, wide, high) + at(9, 14, scoring.content)
        table = [board, Block(wide, high, scored), *runs]
    return Drawn(
        plan.wide,
        plan.margin,
        8,
        [*table, NEWS, STATUS, LEGEND],
        _explained(tuple(sorted(set(state.colour)))),
        svg.fade("hg-card", _TINTS[0], _TINTS[1]),
        _name(),
        "move",
        news_rows=4 if look.narrow else 3,
        numbered=True,
    )
