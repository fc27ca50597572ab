"""MATR1X 0VERL0AD in pictures: the piles, and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.lettering import CAME, FELL, LEAST, MOVED, happened, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import (
    AMBER,
    CYAN,
    DIM,
    GREEN,
    ICE,
    LIME,
    LINE,
    NIGHT,
    Block,
    at,
    box,
    number,
    panel,
    stroke,
)
from cyberdeck.games.matrix_overload.constants import (
    ACTIONS,
    BORDERS,
    FIREWALL,
    INNER,
    NONE,
    OUTER,
)
from cyberdeck.views.matrix_overload import faces
from cyberdeck.views.matrix_overload.cards import (
    Face,
    bottom,
    court,
    face,
    front,
    strength,
)
from cyberdeck.views.matrix_overload.faces import H, W
from cyberdeck.views.matrix_overload.page import action_name
from cyberdeck.views.matrix_overload.story import Fell, Iced, Laid, Reset
from cyberdeck.views.record import Record
from cyberdeck.views.view import NEWS, STATUS, Drawn, Event, Look, Page

_FRAME: Final = svg.shade("#091430", "#e9f4fb")
_SIDE: Final = 384  # how wide is what stands beside the board, or in a narrow picture below it


class _Plan(NamedTuple):
    """How wide the picture is, and where the piles lie on the board."""

    wide: int
    edge: int
    board: int
    left: tuple[float, ...]
    gap: int  # from the inner piles to the frame around them
    top: tuple[int, ...] = (26, 150, 274, 398, 534)

    def spot(self, pile: int) -> tuple[float, int]:
        """The upper left corner of a pile's place."""
        if pile < INNER:
            return self.left[1 + pile % 3], self.top[1 + pile // 3]
        outer = pile - INNER
        if outer < 3:
            return self.left[1 + outer], self.top[0]
        if outer >= 9:
            return self.left[outer - 8], self.top[4]
        return self.left[4 if outer % 2 == 0 else 0], self.top[1 + (outer - 3) // 2]


_USUAL: Final = _Plan(888, 14, 468, (16, 110, 198, 286, 380), 8)
_SMALL: Final = _Plan(390, 3, 384, (3, 79.5, 156, 232.5, 309), 1)


def draw(record: Record, page: Page, look: Look) -> Drawn:
    """The table. There is one seat, and spectators see what it sees."""
    plan = _SMALL if look.narrow else _USUAL
    board = _board(record, look, plan)
    walls = record.edition == FIREWALL
    beside = [_draw_pile(record), _progress(record), _counts(record), _legend(walls)]
    blocks = [board, NEWS, STATUS, *beside]
    if not look.narrow:
        blocks = [board, svg.flow(beside, _SIDE, 8), NEWS, STATUS]
    return Drawn(
        plan.wide,
        plan.edge,
        8,
        blocks,
        definitions=faces.DEFINITIONS,
        unit="pile",
        news_rows=5 if look.narrow else 3,
    )


# --- piles ---------------------------------------------------------------------------------------


def _slot(colour: str = LINE) -> str:
    """An empty pile; what lies behind it does not shine through."""
    return box(1, 1, W - 2, H - 2, 8, svg.DEEP) + svg.vacant(0, 0, W, H, colour)


def _inner_pile(record: Record, inner: int) -> str:
    top, depth = record.top[inner], record.depth[inner]
    if top == NONE:
        return _slot(CYAN) + letters("Empty", 36, 56, LEAST, "middle", DIM)
    edges = ""
    for under in range(min(depth - 1, 3), 0, -1):
        x, seen = 2.2 * under, 0.9 - 0.12 * under
        edges += box(x, x, W, H, 8, svg.CARD, stroke=DIM, stroke_opacity=seen)
    return edges + faces.card(face(record, top))


def _outer_pile(record: Record, outer: int, beaten: str) -> str:
    """A royal, what has beaten it just now, or what else lies there."""
    royal, ice, walls = record.royal[outer], record.ice[outer], record.edition == FIREWALL
    if record.dead[outer] and not beaten:
        return at(36, 50, faces.ruin(walls, 70, 98, 1.2))
    if royal != NONE:
        return faces.royal(face(record, royal), strength(record, outer), ice, beaten)
    if not ice:
        return _slot() + at(36, 51, faces.sign(walls, LINE), 0.9)
    place = 1, 1, W - 2, H - 2, 8
    return (
        box(*place, svg.DEEP)
        + box(*place, ICE, fill_opacity=0.16, stroke=ICE, stroke_width=1.6)
        + faces.flake(36, 36, 2)
        + letters(f"+{ice}", 36, 74, 13, "middle", ICE)
        + letters("ICE", 36, 92, LEAST, "middle", ICE)
    )


def _depth(depth: int) -> str:
    """How many cards lie in a pile, to the left of and below (0, 0)."""
    count = f"\N{MULTIPLICATION SIGN}{depth}"
    wide = width(count, LEAST) + 8
    words = letters(count, -wide / 2, 14, LEAST, "middle", NIGHT, 1.6)
    return box(-wide, 0, wide, 17, 5, CYAN) + words


def _signs(events: Sequence[Event]) -> dict[int, list[str]]:
    """The signs on each pile that something has happened to."""
    signs: dict[int, list[str]] = {}
    for event in events:
        if isinstance(event, Reset):
            signs[event.pile] = [CAME, f"{MOVED}{event.returned}"]
        elif isinstance(event, Laid):
            signs[event.pile] = [CAME]
        elif isinstance(event, Iced):
            signs[event.pile] = [f"+{event.come}"]
        elif isinstance(event, Fell):
            signs[event.pile] = [FELL]
    return signs


# --- the board -----------------------------------------------------------------------------------


def _board(record: Record, look: Look, plan: _Plan) -> Block:
    high = plan.top[4] + H + 12
    board = panel(0, 0, plan.board, high) + _matrix(plan)
    signs, legal = _signs(look.events), set(look.choices or ())
    fallen = {each.pile: each for each in look.events if isinstance(each, Fell) and each.attackers}
    for pile in range(ACTIONS):
        x, y = plan.spot(pile)
        if pile < INNER:
            shown = at(x, y, _inner_pile(record, pile))
        else:
            beaten = fallen[pile].sum if pile in fallen else ""
            shown = at(x, y, _outer_pile(record, pile - INNER, beaten))
        if pile in legal:
            shown = svg.glow(x, y, W, H, 8, LIME, 1.3) + shown
            if pile not in signs:
                shown += svg.corners(x - 1, y - 1, W + 2, H + 2, 18, LIME, 3.4)
            shown = svg.target(shown, [pile], action_name(record, pile))
        board += shown
    for pile in range(INNER, ACTIONS):
        if pile in legal and record.royal[pile - INNER] == NONE:
            board += _link(pile, plan)
    board += "".join(_bolt(fell, plan) for fell in fallen.values())
    # All that is written on piles lies above all frames: they reach beyond their piles.
    board += "".join(lettering.ring(*plan.spot(pile), W, H) for pile in signs)
    for pile in range(ACTIONS):
        x, y = plan.spot(pile)
        if pile in signs and pile in legal:
            board += lettering.reframed(x, y, W, H)
        board += letters(str(pile), x + 2, y - 7, LEAST, colour=LIME if pile in legal else DIM)
        if pile < INNER and record.depth[pile] > 1:
            board += at(x + W - 3, y + H - 9, _depth(record.depth[pile]))
    for pile, each in signs.items():
        x, y = plan.spot(pile)
        board += "".join(happened(x + W - 8 - 22 * at, y + 2, sign) for at, sign in enumerate(each))
    return Block(plan.board, high, board)


@svg.kept
def _matrix(plan: _Plan) -> str:
    """The frame around the inner piles, and the lines from pile to pile."""
    left, top = plan.left[1] - plan.gap, plan.top[1] - 20
    wide, high = plan.left[3] + W + plan.gap + 2 - left, plan.top[3] + H + 11 - top
    lines = "".join(f"M{plan.left[0] + W} {y + 50}H{plan.left[4]}" for y in plan.top[1:4])
    lines += "".join(f"M{x + 36} {plan.top[0] + H}V{plan.top[4]}" for x in plan.left[1:4])
    edge = {"stroke": CYAN, "stroke_width": 1.2, "stroke_opacity": 0.45}
    return (
        stroke(lines, CYAN, 1.2, stroke_opacity=0.28)
        + svg.glow(left, top, wide, high, 14, CYAN, 0.35)
        + box(left, top, wide, high, 14, _FRAME, **edge)
        + stroke(lines, CYAN, 1.2, stroke_opacity=0.16)
        + svg.corners(left - 1, top - 1, wide + 2, high + 2, 16, CYAN, 2.4)
    )


def _between(pile: int, inner: int, plan: _Plan) -> tuple[float, float, int, int]:
    """The middle of an outer pile's inner edge, and the direction from there to *inner*."""
    (x, y), (to_x, to_y) = plan.spot(pile), plan.spot(inner)
    along, down = (to_x > x) - (to_x < x), (to_y > y) - (to_y < y)
    return x + W / 2 * (1 + along), y + H / 2 * (1 + down), along, down


def _link(pile: int, plan: _Plan) -> str:
    """From an outer pile that may be chosen to the card beside it that makes it so."""
    beside = BORDERS[pile - INNER]
    x, y, along, down = _between(pile, beside, plan)
    left, top = plan.spot(beside)
    to_x = left + W / 2 * (1 - along) + 6 * along
    to_y = top + H / 2 * (1 - down) + 6 * down
    line = f"M{number(x)} {number(y)}L{number(to_x)} {number(to_y)}"
    return stroke(line, LIME, 3.4) + svg.disc(to_x, to_y, 5, LIME, stroke=NIGHT, stroke_width=2)


def _bolt(fell: Fell, plan: _Plan) -> str:
    """From the card just laid through both attackers to the royal that fell."""
    x, y, along, down = _between(fell.pile, fell.attackers[1], plan)
    laid_x, laid_y = plan.spot(fell.laid)
    tip = f"{number(x)} {number(y)}"
    line = f"M{number(laid_x + W / 2)} {number(laid_y + H / 2)}L{tip}"
    for side in (-6, 6):
        line += f"M{tip}l{-8 * along + side * down} {-8 * down + side * along}"
    return stroke(line, NIGHT, 6) + stroke(line, GREEN, 3)


# --- beside the board ----------------------------------------------------------------------------


def _draw_pile(record: Record) -> Block:
    """The card to play, the pile, and what is known to come."""
    hidden, known = max(record.left - 1, 0), front(record)
    pile = panel(0, 0, _SIDE, 164)
    pile += letters("To play", 14, 23, LEAST, colour=CYAN)
    if known:
        pile += svg.glow(14, 36, 1.14 * W, 1.14 * H, 9, faces.ink(known[0]), 0.7)
    pile += at(14, 36, faces.card(known[0]) if known else _slot(), 1.14)
    x = 122
    pile += letters("Pile", x + 24, 23, LEAST, "middle", CYAN)
    for under in range(min(3, hidden), 0, -1):
        pile += at(x + 2.6 * (under - 1), 36 + 2.6 * (under - 1), faces.back(), 0.66)
    if not hidden:
        pile += at(x, 36, _slot(), 0.66)
    pile += letters(str(hidden), x + 24, 132, 16, "middle")
    pile += letters("To come", x + 24, 151, LEAST, "middle", DIM)
    pile += _known("Next cards known", known[1:], 23)
    pile += _known("Bottom cards known", bottom(record), 96)
    return Block(_SIDE, 164, pile)


def _known(heading: str, cards: Sequence[Face], y: float) -> str:
    x, shown = 198, cards if len(cards) <= 5 else cards[:4]
    row = letters(heading, x, y, LEAST, colour=CYAN)
    if not cards:
        row += letters("None", x, y + 24, LEAST, colour=DIM)
    for place, each in enumerate(shown):
        row += at(x + 34 * place, y + 9, faces.small(each))
    if len(cards) > len(shown):
        row += letters(f"+{len(cards) - len(shown)}", x + 34 * 4, y + 36, LEAST)
    return row


def _progress(record: Record) -> Block:
    walls = record.edition == FIREWALL
    progress = panel(0, 0, _SIDE, 76)
    progress += letters(f"{court(record)} down", 14, 23, LEAST, colour=CYAN)
    progress += letters(f"{record.killed}/{OUTER}", _SIDE - 14, 23, LEAST, "end")
    for place in range(OUTER):
        x, y = 28 + 29.8 * place, 51
        if place < record.killed:  # crossed out: not by the colour alone
            progress += at(x, y + 1, faces.ruin(walls, 26, 32, 0.5))
            continue
        edge = x - 13, y - 15, 26, 32, 6, NIGHT
        progress += box(*edge, fill_opacity=0.6, stroke=LINE, stroke_width=1.2)
        progress += at(x, y + 1, faces.sign(walls, LINE), 0.5)
    return Block(_SIDE, 76, progress)


def _counts(record: Record) -> Block:
    unseen = record.left - record.known_first - record.known_last
    counts = panel(0, 0, _SIDE, 56)
    decisions = f"{record.decisions}/{record.max_steps}"
    for y, what, count in ((23, "Decisions", decisions), (43, "Unseen cards", str(unseen))):
        counts += letters(what, 14, y, LEAST, colour=DIM)
        counts += letters(count, _SIDE - 14, y, LEAST, "end")
    return Block(_SIDE, 56, counts)


@svg.kept
def _legend(walls: bool) -> Block:
    """What the signs mean."""
    pile = letters("7", -9, 1, LEAST, colour=DIM)
    pile += stroke("M-10 11V9Q-10 5-6 5H6Q10 5 10 9V11", DIM, 1.4)
    items = [
        (svg.corners(-10, -10, 20, 20, 7, LIME, 2.4), "You may choose it"),
        (happened(0, 0, CAME), "Just laid"),
        (happened(2, 0, "+3"), "Just got so much ICE"),
        (happened(0, 0, FELL), "Just fell"),
        (happened(3, 0, f"{MOVED}3"), "So many cards went to the bottom"),
        (pile, "Number of the pile"),
        (at(11, -8, _depth(4)), "Cards in it"),
        (at(0, 0, faces.ring(AMBER), 0.42), "Ace, joker: pile goes to the bottom"),
        (faces.shield(0, 0, 0.9), "Total strength"),
        (faces.flake(0, 0, 0.9), "Of which ICE"),
        (at(0, 0, faces.ruin(walls, 26, 32, 0.5), 0.7), "Fallen"),
    ]
    for rank, words in (
        ("11" if walls else "J", "Falls to any two cards"),
        ("12" if walls else "Q", "Falls to two of its colour"),
        ("13" if walls else "K", "Falls to two of its suit"),
    ):
        items.append((letters(rank, 0, 5.5, LEAST, "middle", AMBER), words))
    return svg.panelled(lettering.legend(items, _SIDE - 24), 12, _SIDE)
