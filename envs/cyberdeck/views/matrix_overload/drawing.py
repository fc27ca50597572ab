"""MATR1X 0VERL0AD in pictures: the piles, and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.lettering import LEAST, happened, small, width
from cyberdeck.drawing.svg import CYAN, DIM, LIME, LINE, NIGHT, Block, at, box
from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.views.matrix_overload import faces, page
from cyberdeck.views.matrix_overload.faces import H, W
from cyberdeck.views.matrix_overload.page import Face, Fell, Iced, Laid, face
from cyberdeck.views.record import Record
from cyberdeck.views.view import NEWS, STATUS, Drawn, Look, Page

_FRAME: Final = svg.shade("#091430", "#e9f4fb")
_SIDE: Final = 384  # how wide is what stands beside the board, or in a narrow picture below it

#: The column and the row of each pile on the table.
_PLACES: Final = {
    pile: (column, row) for row, piles in enumerate(page.TABLE) for column, pile in enumerate(piles)
}


_Point: TypeAlias = tuple[float, float]


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


def draw(record: Record, shown: Page, look: Look) -> Drawn:
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


# --- piles ---------------------------------------------------------------------------------------


def _piece(shown: Face) -> str:
    """A card by its face: two that look the same may be told apart by nobody."""
    return svg.piece(faces.card(shown), shown.short)


def _slot(colour: str = LINE) -> str:
    """An empty pile; what lies behind it does not shine through."""
    return box(1, 1, W - 2, H - 2, 8, svg.DEEP) + svg.vacant(0, 0, W, H, colour)


def _inner_pile(record: Record, inner: int) -> str:
    if record.top[inner] == c.NONE:
        return _slot(CYAN) + small("Empty", 36, 56, DIM, "middle")
    edges = ""
    for under in range(min(record.depth[inner] - 1, 3), 0, -1):
        x, light = 2.2 * under, 0.9 - 0.12 * under
        edges += box(x, x, W, H, 8, svg.CARD, stroke=DIM, stroke_opacity=light)
    return edges + _piece(face(record, record.top[inner]))


def _outer_pile(record: Record, outer: int, walls: bool, beaten: str) -> str:
    """A royal, what has *beaten* it just now, or what else lies there."""
    royal, ice = record.royal[outer], record.ice[outer]
    if record.dead[outer] and not beaten:
        return at(36, 50, faces.ruin(walls, 70, 98, 1.2))
    if royal != c.NONE:
        card = face(record, royal)
        shown = faces.royal(card, page.strength(record, outer), ice, beaten)
        return svg.piece(shown, card.short)
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


# --- the board -----------------------------------------------------------------------------------


def _board(record: Record, look: Look, plan: _Plan) -> Block:
    signs: dict[int, list[str]] = {}  # on each pile that something has happened to
    fallen: dict[int, Fell] = {}  # those that are told with their attackers
    for event in look.events:
        if isinstance(event, Laid):
            gone = [f"{lettering.MOVED}{event.returned}"] if event.returned else []
            signs[event.pile] = [lettering.CAME, *gone]
        elif isinstance(event, Iced):
            signs[event.pile] = [f"+{event.come}"]
        elif isinstance(event, Fell):
            signs[event.pile] = [lettering.FELL]
            fallen |= {event.pile: event} if event.attackers else {}
    legal, walls, high = look.choices or (), record.edition == c.FIREWALL, plan.top[4] + H + 12
    board, links, above = svg.panel(0, 0, plan.board, high) + _matrix(plan), "", ""
    # All that is written on piles lies above all frames: they reach beyond their piles.
    for pile in range(c.ACTIONS):
        x, y = plan.spot(pile)
        if pile < c.INNER:
            shown = at(x, y, _inner_pile(record, pile))
        else:
            beaten = fallen[pile].sum if pile in fallen else ""
            shown = at(x, y, _outer_pile(record, pile - c.INNER, walls, beaten))
        if pile in legal:
            shown = svg.glow(x, y, W, H, 8, LIME, 1.3) + shown
            if pile in signs:
                above += lettering.reframed(x, y, W, H)
            else:
                shown += svg.corners(x - 1, y - 1, W + 2, H + 2, 18, LIME, 3.4)
            shown = svg.target(shown, [pile], page.action_name(record, pile))
            if pile >= c.INNER and record.royal[pile - c.INNER] == c.NONE:
                links += _link(pile, plan)
        board += shown
        above += small(str(pile), x + 2, y - 7, LIME if pile in legal else DIM)
        if pile < c.INNER and record.depth[pile] > 1:
            above += at(x + W - 3, y + H - 9, _depth(record.depth[pile]))
    board += links + "".join(_bolt(fell, plan) for fell in fallen.values())
    board += "".join(lettering.ring(*plan.spot(pile), W, H) for pile in signs) + above
    for pile, written in signs.items():
        x, y = plan.spot(pile)
        for place, sign in enumerate(written):
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


def _link(pile: int, plan: _Plan) -> str:
    """From an outer pile that may be chosen to the card beside it that makes it so."""
    start, (x, y), (along, down) = _way(pile, c.BORDERS[pile - c.INNER], plan)
    end = x + 6 * along, y + 6 * down
    dot = svg.disc(*end, 5, LIME, stroke=NIGHT, stroke_width=2)
    return svg.stroke(svg.way("M{} {}L{} {}", *start, *end), LIME, 3.4) + dot


def _bolt(fell: Fell, plan: _Plan) -> str:
    """From the edge of the card just laid through both attackers to the royal that fell."""
    tip, start, (along, down) = _way(fell.pile, fell.laid, plan)
    line = svg.way("M{} {}L{} {}", *start, *tip)
    for side in (-6, 6):
        barb = 8 * along + side * down, 8 * down + side * along
        line += svg.way("M{} {}l{} {}", *tip, *barb)
    return svg.stroke(line, NIGHT, 6) + svg.stroke(line, svg.GREEN, 3)


def _way(outer: int, inner: int, plan: _Plan) -> tuple[_Point, _Point, tuple[int, int]]:
    """The middles of the edges that an outer pile and one of its line turn to each other, and the
    direction from the first to the second.
    """
    (column, row), (to_column, to_row) = _PLACES[outer], _PLACES[c.BORDERS[outer - c.INNER]]
    along, down = to_column - column, to_row - row
    (x, y), (left, top) = plan.spot(outer), plan.spot(inner)
    start = x + W / 2 * (1 + along), y + H / 2 * (1 + down)
    return start, (left + W / 2 * (1 - along), top + H / 2 * (1 - down)), (along, down)


# --- beside the board ----------------------------------------------------------------------------


def _draw_pile(record: Record) -> Block:
    """The card to play, the pile, and what is known to come."""
    hidden, (front, bottom), x = max(record.left - 1, 0), page.known_cards(record), 122
    pile = svg.panel(0, 0, _SIDE, 164)
    pile += small("To play", 14, 23, CYAN) + small("Draw pile", x + 24, 23, CYAN, "middle")
    if front:
        pile += svg.glow(14, 36, 1.14 * W, 1.14 * H, 9, faces.ink(front[0]), 0.7)
    pile += at(14, 36, _piece(front[0]) if front else _slot(), 1.14)
    for under in range(min(2, hidden - 1), -1, -1):
        pile += at(x + 2.6 * under, 36 + 2.6 * under, faces.back(), 0.66)
    if not hidden:
        pile += at(x, 36, _slot(), 0.66)
    pile += lettering.text(str(hidden), x + 24, 132, 16, "middle")
    pile += small("To come", x + 24, 151, DIM, "middle")
    pile += _known("Next cards known", front[1:], 23) + _known("Bottom cards known", bottom, 96)
    return Block(_SIDE, 164, pile)


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
    progress += small(f"{page.court(record)} fallen; all: won", 14, 23, CYAN)
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
