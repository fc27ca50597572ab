"""MATR1X 0VERL0AD in pictures: the piles, and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.lettering import LEAST, happened, small, width
from cyberdeck.drawing.svg import CYAN, DIM, LIME, LINE, NIGHT, Block, at, box, number
from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.views.matrix_overload import cards, faces
from cyberdeck.views.matrix_overload.cards import Face, face
from cyberdeck.views.matrix_overload.faces import H, W
from cyberdeck.views.matrix_overload.page import action_name
from cyberdeck.views.matrix_overload.story import Fell, Iced, Laid
from cyberdeck.views.record import Record
from cyberdeck.views.view import NEWS, STATUS, Drawn, Event, Look, Page

_FRAME: Final = svg.shade("#091430", "#e9f4fb")
_SIDE: Final = 384  # how wide is what stands beside the board, or in a narrow picture below it

#: The column and the row of each pile on the table.
_PLACES: Final = {
    pile: (column, row)
    for row, piles in enumerate(cards.TABLE)
    for column, pile in enumerate(piles)
}


class _Plan(NamedTuple):
    """How wide the picture is, and where the piles lie on the board."""

    wide: int
    edge: int
    board: int
    gap: int  # from the inner piles to the frame around them
    left: tuple[float, ...]
    top: tuple[int, ...] = (26, 150, 274, 398, 534)

    def spot(self, pile: int) -> tuple[float, int]:
        """The upper left corner of a pile's place."""
        column, row = _PLACES[pile]
        return self.left[column], self.top[row]


_USUAL: Final = _Plan(888, 14, 468, 8, (16, 110, 198, 286, 380))
_SMALL: Final = _Plan(390, 3, 384, 1, (3, 79.5, 156, 232.5, 309))


def draw(record: Record, page: Page, look: Look) -> Drawn:
    """The table. There is one seat, and spectators see what it sees."""
    plan, walls = _SMALL if look.narrow else _USUAL, record.edition == c.FIREWALL
    board = _board(record, look, plan)
    beside = [_draw_pile(record), _progress(record, walls), _counts(record), _legend(walls)]
    blocks: list[Block | str] = [board, svg.flow(beside, _SIDE, 8), NEWS, STATUS]
    if look.narrow:
        blocks = [board, NEWS, STATUS, *beside]
    rows = 6 if look.narrow else 3
    return Drawn(
        plan.wide, plan.edge, 8, blocks, (), faces.DEFINITIONS, unit="pile", news_rows=rows
    )


def _piece(shown: Face) -> str:
    """A card by its face: two that look the same may be told apart by nobody."""
    return svg.piece(faces.card(shown), shown.short)


# --- piles ---------------------------------------------------------------------------------------


def _slot(colour: str = LINE) -> str:
    """An empty pile; what lies behind it does not shine through."""
    return box(1, 1, W - 2, H - 2, 8, svg.DEEP) + svg.vacant(0, 0, W, H, colour)


def _inner_pile(record: Record, inner: int) -> str:
    top, depth = record.top[inner], record.depth[inner]
    if top == c.NONE:
        return _slot(CYAN) + small("Empty", 36, 56, DIM, "middle")
    edges = ""
    for under in range(min(depth - 1, 3), 0, -1):
        x, seen = 2.2 * under, 0.9 - 0.12 * under
        edges += box(x, x, W, H, 8, svg.CARD, stroke=DIM, stroke_opacity=seen)
    return edges + _piece(face(record, top))


def _outer_pile(record: Record, outer: int, walls: bool, beaten: str) -> str:
    """A royal, what has *beaten* it just now, or what else lies there."""
    royal, ice = record.royal[outer], record.ice[outer]
    if record.dead[outer] and not beaten:
        return at(36, 50, faces.ruin(walls, 70, 98, 1.2))
    if royal != c.NONE:
        shown = face(record, royal)
        return svg.piece(
            faces.royal(shown, cards.strength(record, outer), ice, beaten), shown.short
        )
    if not ice:
        return _slot() + at(36, 51, faces.sign(walls, LINE), 0.9)
    place = 1, 1, W - 2, H - 2, 8
    iced = box(*place, svg.DEEP) + faces.flake(36, 36, 2)
    iced += box(*place, svg.ICE, fill_opacity=0.16, stroke=svg.ICE, stroke_width=1.6)
    iced += lettering.text(f"+{ice}", 36, 74, 13, "middle", svg.ICE)
    return iced + small("ICE", 36, 92, svg.ICE, "middle")


def _depth(depth: int) -> str:
    """How many cards lie in a pile, to the left of and below (0, 0)."""
    count = f"\N{MULTIPLICATION SIGN}{depth}"
    wide = width(count, LEAST) + 8
    words = lettering.text(count, -wide / 2, 14, LEAST, "middle", NIGHT, 1.6)
    return box(-wide, 0, wide, 17, 5, CYAN) + words


def _signs(events: Sequence[Event]) -> dict[int, list[str]]:
    """The signs on each pile that something has happened to."""
    signs: dict[int, list[str]] = {}
    for event in events:
        if isinstance(event, Laid):
            gone = [f"{lettering.MOVED}{event.returned}"] if event.returned else []
            signs[event.pile] = [lettering.CAME, *gone]
        elif isinstance(event, Iced):
            signs[event.pile] = [f"+{event.come}"]
        elif isinstance(event, Fell):
            signs[event.pile] = [lettering.FELL]
    return signs


# --- the board -----------------------------------------------------------------------------------


def _board(record: Record, look: Look, plan: _Plan) -> Block:
    signs, legal = _signs(look.events), look.choices or ()
    fallen = {each.pile: each for each in look.events if isinstance(each, Fell) and each.attackers}
    high, walls = plan.top[4] + H + 12, record.edition == c.FIREWALL
    board = svg.panel(0, 0, plan.board, high) + _matrix(plan)
    for pile in range(c.ACTIONS):
        x, y = plan.spot(pile)
        if pile < c.INNER:
            shown = at(x, y, _inner_pile(record, pile))
        else:
            beaten = fallen[pile].sum if pile in fallen else ""
            shown = at(x, y, _outer_pile(record, pile - c.INNER, walls, beaten))
        if pile in legal:
            shown = svg.glow(x, y, W, H, 8, LIME, 1.3) + shown
            if pile not in signs:
                shown += svg.corners(x - 1, y - 1, W + 2, H + 2, 18, LIME, 3.4)
            shown = svg.target(shown, [pile], action_name(record, pile))
        board += shown
    for pile in legal:
        if pile >= c.INNER and record.royal[pile - c.INNER] == c.NONE:
            board += _link(pile, plan)
    board += "".join(_bolt(fell, plan) for fell in fallen.values())
    # All that is written on piles lies above all frames: they reach beyond their piles.
    board += "".join(lettering.ring(*plan.spot(pile), W, H) for pile in signs)
    for pile in range(c.ACTIONS):
        x, y = plan.spot(pile)
        if pile in signs and pile in legal:
            board += lettering.reframed(x, y, W, H)
        board += small(str(pile), x + 2, y - 7, LIME if pile in legal else DIM)
        if pile < c.INNER and record.depth[pile] > 1:
            board += at(x + W - 3, y + H - 9, _depth(record.depth[pile]))
    for pile, found in signs.items():
        x, y = plan.spot(pile)
        for place, sign in enumerate(found):
            board += happened(x + W - 8 - 22 * place, y + 2, sign)
    return Block(plan.board, high, board)


@svg.kept
def _matrix(plan: _Plan) -> str:
    """The frame around the inner piles, and the lines from pile to pile."""
    left, top = plan.left[1] - plan.gap, plan.top[1] - 20
    wide, high = plan.left[3] + W + plan.gap + 2 - left, plan.top[3] + H + 11 - top
    lines = "".join(f"M{plan.left[0] + W} {y + 50}H{plan.left[4]}" for y in plan.top[1:4])
    lines += "".join(f"M{x + 36} {plan.top[0] + H}V{plan.top[4]}" for x in plan.left[1:4])
    frame = left, top, wide, high, 14
    return (
        svg.stroke(lines, CYAN, 1.2, stroke_opacity=0.28)
        + svg.glow(*frame, CYAN, 0.35)
        + box(*frame, _FRAME, stroke=CYAN, stroke_width=1.2, stroke_opacity=0.45)
        + svg.stroke(lines, CYAN, 1.2, stroke_opacity=0.16)
        + svg.corners(left - 1, top - 1, wide + 2, high + 2, 16, CYAN, 2.4)
    )


def _inward(pile: int, plan: _Plan) -> tuple[float, float, int, int]:
    """The middle of an outer pile's inner edge, and the direction from there to the matrix."""
    beside = c.BORDERS[pile - c.INNER]
    (column, row), (to_column, to_row) = _PLACES[pile], _PLACES[beside]
    along, down = to_column - column, to_row - row
    x, y = plan.spot(pile)
    return x + W / 2 * (1 + along), y + H / 2 * (1 + down), along, down


def _link(pile: int, plan: _Plan) -> str:
    """From an outer pile that may be chosen to the card beside it that makes it so."""
    x, y, along, down = _inward(pile, plan)
    left, top = plan.spot(c.BORDERS[pile - c.INNER])
    to_x = left + W / 2 * (1 - along) + 6 * along
    to_y = top + H / 2 * (1 - down) + 6 * down
    line = f"M{number(x)} {number(y)}L{number(to_x)} {number(to_y)}"
    end = svg.disc(to_x, to_y, 5, LIME, stroke=NIGHT, stroke_width=2)
    return svg.stroke(line, LIME, 3.4) + end


def _bolt(fell: Fell, plan: _Plan) -> str:
    """From the edge of the card just laid through both attackers to the royal that fell."""
    x, y, along, down = _inward(fell.pile, plan)
    left, top = plan.spot(fell.laid)
    from_x, from_y = left + W / 2 * (1 - along), top + H / 2 * (1 - down)
    tip = f"{number(x)} {number(y)}"
    line = f"M{number(from_x)} {number(from_y)}L{tip}"
    for side in (-6, 6):
        line += f"M{tip}l{8 * along + side * down} {8 * down + side * along}"
    return svg.stroke(line, NIGHT, 6) + svg.stroke(line, svg.GREEN, 3)


# --- beside the board ----------------------------------------------------------------------------


def _draw_pile(record: Record) -> Block:
    """The card to play, the pile, and what is known to come."""
    hidden, known, x = max(record.left - 1, 0), cards.front(record), 122
    pile = svg.panel(0, 0, _SIDE, 164)
    pile += small("To play", 14, 23, CYAN) + small("Draw pile", x + 24, 23, CYAN, "middle")
    if known:
        pile += svg.glow(14, 36, 1.14 * W, 1.14 * H, 9, faces.ink(known[0]), 0.7)
    pile += at(14, 36, _piece(known[0]) if known else _slot(), 1.14)
    for under in range(min(2, hidden - 1), -1, -1):
        pile += at(x + 2.6 * under, 36 + 2.6 * under, faces.back(), 0.66)
    if not hidden:
        pile += at(x, 36, _slot(), 0.66)
    pile += lettering.text(str(hidden), x + 24, 132, 16, "middle")
    pile += small("To come", x + 24, 151, DIM, "middle")
    pile += _known("Next cards known", known[1:], 23)
    return Block(_SIDE, 164, pile + _known("Bottom cards known", cards.bottom(record), 96))


def _known(heading: str, known: Sequence[Face], y: float) -> str:
    x, shown = 198, known if len(known) <= 5 else known[:4]
    row = small(heading, x, y, CYAN)
    if not known:
        row += small("None", x, y + 24, DIM)
    for place, each in enumerate(shown):
        row += at(x + 34 * place, y + 9, faces.small(each))
    if len(known) > len(shown):
        row += small(f"+{len(known) - len(shown)}", x + 34 * 4, y + 36)
    return row


def _progress(record: Record, walls: bool) -> Block:
    progress = svg.panel(0, 0, _SIDE, 76)
    progress += small(f"{cards.court(record)} fallen; all: won", 14, 23, CYAN)
    progress += small(f"{record.killed}/{c.OUTER}", _SIDE - 14, 23, anchor="end")
    standing = box(-13, -16, 26, 32, 6, NIGHT, fill_opacity=0.6, stroke=LINE, stroke_width=1.2)
    standing += at(0, 0, faces.sign(walls, LINE), 0.5)
    fallen = faces.ruin(walls, 26, 32, 0.5)  # crossed out: not by the colour alone
    for place in range(c.OUTER):
        progress += at(28 + 29.8 * place, 52, fallen if place < record.killed else standing)
    return Block(_SIDE, 76, progress)


def _counts(record: Record) -> Block:
    unseen = record.left - record.known_first - record.known_last
    counts = svg.panel(0, 0, _SIDE, 56)
    worse = "a royal above 20" if record.edition == c.RULEBOOK else "no pile for a card"
    counts += small(f"Moves {record.decisions} of {record.max_steps}", 14, 23, DIM)
    counts += small(f"Unseen cards {unseen}", _SIDE - 14, 23, DIM, "end")
    return Block(_SIDE, 56, counts + small(f"Lost: draw pile empty, or {worse}", 14, 43, DIM))


@svg.kept
def _legend(walls: bool) -> Block:
    """What the signs mean."""
    pile = small("7", -9, 1, DIM) + svg.stroke("M-10 11V9Q-10 5-6 5H6Q10 5 10 9V11", DIM, 1.4)
    items = [
        (svg.corners(-10, -10, 20, 20, 7, LIME, 2.4), "You may choose it"),
        (happened(0, 0, lettering.CAME), "Just laid"),
        (happened(2, 0, "+3"), "ICE just added"),
        (happened(0, 0, lettering.FELL), "Just fell"),
        (happened(3, 0, f"{lettering.MOVED}3"), "Cards just gone to the bottom"),
        (pile, "Number of the pile"),
        (at(11, -8, _depth(4)), "Cards in it"),
        (at(0, 0, faces.icon("ring", svg.AMBER), 0.42), "Ace 1, joker 0: pile goes to the bottom"),
        (faces.shield(0, 0, 0.9), "Total strength"),
        (faces.flake(0, 0, 0.9), "Of which ICE"),
        (at(0, 0, faces.ruin(walls, 26, 32, 0.5), 0.7), "Fallen"),
    ]
    falls = ("Falls to any two cards", "Two of its colour", "Two of its suit")
    for rank, words in zip(("11", "12", "13") if walls else "JQK", falls, strict=True):
        items.append((small(rank, 0, 5.5, svg.AMBER, "middle"), words))
    arrow = svg.stroke("M-11 0H10M4-6L10 0 4 6", svg.GREEN, 3)
    items.append((arrow, "The card laid lets the two beyond it attack: their sum counts"))
    return svg.panelled(lettering.legend(items, _SIDE - 24), 12, _SIDE)
