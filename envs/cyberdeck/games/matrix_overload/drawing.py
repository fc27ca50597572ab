"""MATR1X 0VERL0AD in pictures and in plain text: only what the player may see."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.drawing.lettering import (
    CAME,
    FELL,
    HIT,
    LEAST,
    MOVED,
    asked,
    badge,
    happened,
    legend,
    news,
    over,
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
    DEEP,
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
    Block,
    at,
    backdrop,
    box,
    corners,
    disc,
    document,
    fade,
    flow,
    glow,
    group,
    kept,
    number,
    panel,
    panelled,
    path,
    pip,
    shade,
    stroke,
    tag,
    target,
    vacant,
)
from cyberdeck.engine.contract import Look, Record
from cyberdeck.engine.kernels import State
from cyberdeck.engine.plain import as_python
from cyberdeck.games.matrix_overload import rules
from cyberdeck.games.matrix_overload.narration import (
    SUITS,
    action_name,
    card_name,
    ending,
    rank_of,
    royals,
    titled,
)
from cyberdeck.games.matrix_overload.rules import (
    ACTIONS,
    BORDERS,
    EDITIONS,
    FIREWALL,
    INNER,
    JOKER,
    KINSHIP,
    LINES,
    MAX_STEPS,
    NONE,
    OUTER,
    RING,
    RULEBOOK,
    SUIT,
    VALUE,
    WON,
    shown_suits,
)

strength_of = as_python(rules.strength)

_BACK: Final = shade("#150a26", "#f7e6f4")
_FRAME: Final = shade("#091430", "#e9f4fb")
PIPS: Final = "♣♥♠♦"
INK: Final = (SILVER, RED)  # of the black and of the red suits
_MOODS: Final = {WON: GREEN, MAX_STEPS: AMBER}  # an ending's colour; any other is red

# --- what a card shows ---------------------------------------------------------------------------


def _ink(card: int, edition: int) -> str:
    if card >= JOKER:
        return MAGENTA
    suits = shown_suits(edition, card)
    return INK[suits[0] & 1] if suits else AMBER


def _known(state: State) -> list[int]:
    """The cards at the front of the draw pile that the player knows, the face-up one first."""
    head = int(state["head"])
    count = min(int(state["known_first"]), int(state["left"]))
    return [int(state["draw"][(head + ahead) % RING]) for ahead in range(count)]


def _bottom(state: State) -> list[int]:
    """The cards at the back of the draw pile that the player saw going there, in order."""
    left = int(state["left"])
    places = range(left - int(state["known_last"]), left)
    return [int(state["draw"][(int(state["head"]) + at) % RING]) for at in places]


def _buried(state: State, inner: int) -> list[int]:
    """The cards under the top of an inner pile, the highest first."""
    cards: list[int] = []
    card = int(state["top"][inner])
    while card != NONE:
        cards.append(card)
        card = int(state["below"][card])
    return cards[1:]


# --- where things lie ----------------------------------------------------------------------------

_W, _H = 72, 100  # a card


class _Plan(NamedTuple):
    """How wide the picture is, and where the piles lie on the board."""

    wide: int
    margin: int
    left: tuple[float, ...]
    top: tuple[int, ...]
    gap: int  # from the inner piles to the frame around them

    @property
    def room(self) -> int:
        return self.wide - 2 * self.margin

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


_SIDE: Final = 384  # how wide is what stands beside the board, or in a narrow picture below it
_USUAL: Final = _Plan(888, 14, (16, 110, 198, 286, 380), (26, 150, 274, 398, 534), 8)
_SMALL: Final = _Plan(390, 3, (3, 79.5, 156, 232.5, 309), (26, 150, 274, 398, 534), 1)

# --- cards ---------------------------------------------------------------------------------------

#: Where the pips of a number card lie, as (column, height) with 0 the left or top, 1 the other.
_PIPS: Final[dict[int, tuple[tuple[float, float], ...]]] = {
    2: ((0.5, 0), (0.5, 1)),
    3: ((0.5, 0), (0.5, 0.5), (0.5, 1)),
    4: ((0, 0), (1, 0), (0, 1), (1, 1)),
    5: ((0, 0), (1, 0), (0.5, 0.5), (0, 1), (1, 1)),
    6: ((0, 0), (1, 0), (0, 0.5), (1, 0.5), (0, 1), (1, 1)),
}
_PIPS[7] = (*_PIPS[6], (0.5, 0.25))
_PIPS[8] = (*_PIPS[7], (0.5, 0.75))
_EIGHT: Final = tuple((side, third / 3) for side in (0, 1) for third in range(4))
_PIPS[9] = (*_EIGHT, (0.5, 0.5))
_PIPS[10] = (*_EIGHT, (0.5, 1 / 6), (0.5, 5 / 6))

#: Jack, queen, king: within -20..20 by -16..14.
_CROWNS: Final = {
    11: "M-14 8V-4L-7 2 0-11 7 2 14-4V8z",
    12: "M-15 8L-18-6-9 1-7-10 0 0 7-10 9 1 18-6 15 8z",
    13: "M-16 8L-17-8-8 0-5-10H5L8 0 17-8 16 8z",
}
_JEWELS: Final = {
    11: ((-14, -6, 2), (0, -13, 2.4), (14, -6, 2)),
    12: ((-18, -8, 2.4), (-7, -12.4, 2.4), (7, -12.4, 2.4), (18, -8, 2.4)),
    13: ((-17, -10, 2), (17, -10, 2)),
}
_SHIELD: Final = "M0-9Q4-6.6 7.6-6.6V0Q7.6 6.4 0 10-7.6 6.4-7.6 0V-6.6Q-4-6.6 0-9z"
_ICICLES: Final = "M26 2H63Q70 2 70 9V27L66.5 12 63 20 58.5 8 54 14 50 6 45 10 40 5 35 8 31 4z"
_CROSS: Final = "M-18-22L18 22M18-22L-18 22"
_BRICKS: Final = "M-15 12V-10H15V12zM-15 1H15M0-10V1M-7 1V12M7 1V12"
_FLAKE_ARM: Final = "M0 0V-9M-2.6-8L0-5.4 2.6-8"
_BARE_ARM: Final = "M0-1.8V-9"


def _crown(value: int, colour: str) -> str:
    jewels = "".join(disc(x, y, r, colour) for x, y, r in _JEWELS[value])
    if value == 13:  # the king's cross
        jewels += stroke("M0-10V-17M-3-14H3", colour, 2)
    return (
        path(_CROWNS[value], fill=colour, fill_opacity=0.22)
        + stroke(_CROWNS[value], colour, 1.8)
        + stroke("M-14 12.5H14", colour, 2.4)
        + jewels
    )


def _wall(value: int, colour: str) -> str:
    """A firewall's crest: one course of bricks for an 11, two for a 12, three for a 13."""
    courses = value - 10
    bricks = ""
    for course in range(courses):
        y = 9 - 8 * course
        starts = (-17, -5.5, 6) if course % 2 == 0 else (-17, -11, 0.5, 12)
        widths = (10.5, 10.5, 11) if course % 2 == 0 else (5, 10.5, 10.5, 5)
        for x, wide in zip(starts, widths, strict=True):
            bricks += box(x, y - 7, wide, 6.6, 1.4, fill=colour, fill_opacity=0.75)
    top = 9 - 8 * courses
    flame = f"M-8 {top}q-3-4 0-7q.4 2 2 2.6q-.6-5 5-9q-.4 4 3 6.4q1.2-1 1-3q5 5 1 10z"
    return bricks + path(flame, fill=AMBER, fill_opacity=0.9)


def _flake(x: float, y: float, scale: float, colour: str = ICE) -> str:
    """A snowflake for ICE; a small one has bare arms."""
    shape = _FLAKE_ARM if scale > 0.8 else _BARE_ARM
    arms = "".join(
        tag("path", d=shape, transform=f"rotate({turn})" if turn else None)
        for turn in range(0, 360, 60)
    )
    lines = group(
        arms, fill="none", stroke=colour, stroke_width=1.8 / max(scale, 0.6), stroke_linecap="round"
    )
    return at(x, y, lines, scale)


def _shield(x: float, y: float, scale: float, colour: str) -> str:
    outline = path(_SHIELD, fill=colour, fill_opacity=0.2) + stroke(_SHIELD, colour, 1.8)
    return at(x, y, outline, scale)


def _blank(colour: str, fill: str, thick: float = 1.4) -> str:
    return box(0, 0, _W, _H, 8, fill=NIGHT) + box(
        0.7, 0.7, _W - 1.4, _H - 1.4, 7.4, fill=fill, stroke=colour, stroke_width=thick
    )


def _index(card: int, edition: int, colour: str) -> str:
    """Rank and pip in the upper left corner."""
    rank, suits = rank_of(card, edition), shown_suits(edition, card)
    middle = 7 + max(width(rank, 12.5), 8) / 2
    index = letters(rank, middle, 20, 12.5, "middle", colour, 2)
    return index + pip(suits[0], middle, 30, 10.5, colour) if len(suits) == 1 else index


@kept
def _cap() -> str:
    """The joker's cap."""
    return (
        path("M-15 10Q-24 4-20-9-12-7-7 1-6-10 0-17 6-10 7 1 12-7 20-9 24 4 15 10z", fill=MAGENTA)
        + path("M0-17Q6-10 7 1 12-7 20-9 24 4 15 10H0z", fill=VIOLET)
        + box(-16, 12, 32, 4.6, 2.3, fill=BRIGHT)
        + disc(-20, -10, 3, AMBER)
        + disc(0, -18, 3, AMBER)
        + disc(20, -10, 3, AMBER)
    )


@kept
def _joker() -> str:
    """The cap, and the name down the side."""
    name = "".join(
        letters(letter, 13, 22 + 16 * place, LEAST, "middle", MAGENTA, 1.6)
        for place, letter in enumerate("JOKER")
    )
    glitch = "".join(
        box(x, y, wide, 1.6, 0.8, fill=colour, fill_opacity=0.7)
        for x, y, wide, colour in (
            (27, 72, 22, CYAN),
            (34, 76, 28, MAGENTA),
            (25, 80, 14, VIOLET),
            (43, 80, 17, CYAN),
            (30, 84, 26, MAGENTA),
        )
    )
    return _blank(MAGENTA, "url(#mo-wild)", 1.8) + name + at(44, 46, _cap()) + glitch


def _ring(colour: str) -> str:
    """Arrows in a ring: what resets a pile."""
    ring = stroke("M24-9.5A25.8 25.8 0 0 0-24-9.5M-24 9.5A25.8 25.8 0 0 0 24 9.5", colour, 2)
    tips = path("M-28-11L-25.4-2.6-19-8.4z", fill=colour) + path(
        "M28 11L25.4 2.6 19 8.4z", fill=colour
    )
    return disc(0, 0, 24, colour, fill_opacity=0.1) + ring + tips


def _ace(suit: int, colour: str) -> str:
    """A pip in a ring of arrows."""
    return at(36, 53, _ring(colour), 0.92) + pip(suit, 36, 53, 27, colour)


@kept
def _card(card: int, edition: int) -> str:
    """A card face up, 72 by 100."""
    if card >= JOKER:
        return _joker()
    value, colour = int(VALUE[card]), _ink(card, edition)
    if value > 10:
        return _court_card(card, edition)
    suit = int(SUIT[card])
    index = _index(card, edition, colour)
    if value == 1:
        face = _ace(suit, colour)
        return _blank(colour, "url(#mo-card)", 1.8) + index + face
    face = "".join(
        pip(suit, 32 + 26 * column, 26 + 56 * height, 13.5, colour, 180 if height > 0.5 else 0)
        for column, height in _PIPS[value]
    )
    return _blank(colour, "url(#mo-card)") + index + face


def _court_fill(card: int, edition: int) -> str:
    if not shown_suits(edition, card):
        return "url(#mo-any)"
    return "url(#mo-red)" if _ink(card, edition) == RED else "url(#mo-black)"


def _crest(card: int, edition: int, x: float, y: float, scale: float) -> str:
    value, colour = int(VALUE[card]), _ink(card, edition)
    crest = _wall(value, colour) if edition == FIREWALL else _crown(value, colour)
    return at(x, y, crest, scale)


def _emblem(card: int, edition: int, x: float, y: float, size: float) -> str:
    """The suit, large; the two that it may be of a black or red 12; any of an 11."""
    colour, suits = _ink(card, edition), shown_suits(edition, card)
    if not suits:
        return letters("ANY", x, y + LEAST / 2, LEAST, "middle", colour)
    if len(suits) == 1:
        return pip(suits[0], x, y, size, colour)
    left, right = suits
    return pip(left, x - 0.46 * size, y, 0.8 * size, colour) + pip(
        right, x + 0.46 * size, y, 0.8 * size, colour
    )


def _court_card(card: int, edition: int) -> str:
    """A court card as it is drawn, before it rules an outer pile."""
    colour = _ink(card, edition)
    index = _index(card, edition, colour)
    return (
        _blank(colour, _court_fill(card, edition), 1.8)
        + index
        + at(_W, _H, index, turn=180)
        + _crest(card, edition, 37, 36, 0.84)
        + _emblem(card, edition, 36, 66, 22)
    )


def _royal(state: State, outer: int, beaten: str = "") -> str:
    """A royal on its outer pile, with its strength and its ICE, or with what has *beaten* it."""
    card, ice, edition = (
        int(n) for n in (state["royal"][outer], state["ice"][outer], state["edition"])
    )
    colour, strength = _ink(card, edition), str(strength_of(state, outer))
    face = _blank(ICE if ice else colour, _court_fill(card, edition), 2)
    if ice:
        face += path(_ICICLES, fill=ICE, fill_opacity=0.7)
    face += _index(card, edition, colour) + _crest(card, edition, 44, 32, 0.8)
    face += _emblem(card, edition, 44, 55, 20)
    if beaten:
        return group(face, opacity=0.75) + at(40, 44, stroke(_CROSS, GREEN, 3)) + _bar(beaten)
    face += _bar()
    if ice:
        face += _shield(12, 82.8, 0.7, BRIGHT) + letters(strength, 20, 88.5, LEAST, colour=BRIGHT)
        face += _flake(46.5, 83, 0.62)
        face += letters(str(ice), 54, 88.5, LEAST, colour=ICE)
    else:
        left = 36 - (19 + width(strength, 13)) / 2
        face += _shield(left + 7, 82.8, 0.9, BRIGHT)
        face += letters(strength, left + 19, 89.3, 13, colour=BRIGHT)
    return face


def _bar(words: str = "") -> str:
    """Where a royal's strength stands."""
    bar = box(2.5, 70, 67, 26, 6, fill=NIGHT, fill_opacity=0.9)
    return bar + letters(words, 36, 88.5, LEAST, "middle", GREEN) if words else bar


#: Lines from corner to corner of a card face down, within its frame.
_LATTICE: Final = "".join(
    f"M{first} {8 + first - x}L{last} {8 + last - x}"
    f"M{first} {92 - first + x}L{last} {92 - last + x}"
    for x in range(-76, 72, 14)
    for first, last in [(max(x, 7), min(x + 84, 65))]
    if first < last
)


@kept
def _back() -> str:
    """A card face down."""
    emblem = disc(36, 50, 14, NIGHT, stroke=MAGENTA, stroke_width=1.4) + stroke(
        "M31.4 45.6A6.6 6.6 0 1 0 40.6 45.6M36 42V49", MAGENTA, 2
    )
    return (
        box(0, 0, _W, _H, 8, fill=NIGHT)
        + box(0.7, 0.7, _W - 1.4, _H - 1.4, 7.4, fill=_BACK, stroke=MAGENTA, stroke_width=1.2)
        + path(_LATTICE, stroke=MAGENTA, stroke_opacity=0.45)
        + box(6, 6, _W - 12, _H - 12, 4, stroke=MAGENTA, stroke_opacity=0.7)
        + emblem
    )


@kept
def _ruin(edition: int, wide: float, high: float, scale: float) -> str:
    """A royal that has fallen, about (0, 0): crossed out."""
    shape = -wide / 2, -high / 2, wide, high, 6
    return (
        box(*shape, fill=NIGHT)
        + box(*shape, fill=GREEN, fill_opacity=0.12, stroke=GREEN, stroke_width=1.2)
        + at(0, 0, _sign(edition, GREEN), scale)
        + at(0, 0, stroke(_CROSS, GREEN, 1.3 / scale, stroke_opacity=0.9), scale)
    )


# --- piles ---------------------------------------------------------------------------------------


def _slot(colour: str = LINE) -> str:
    """An empty pile; what lies behind it does not shine through."""
    return box(1, 1, _W - 2, _H - 2, 8, DEEP) + vacant(0, 0, _W, _H, colour)


def _inner_pile(state: State, inner: int) -> str:
    top, depth, edition = (
        int(state["top"][inner]),
        int(state["depth"][inner]),
        int(state["edition"]),
    )
    if top == NONE:
        return _slot(CYAN) + letters("EMPTY", 36, 56, LEAST, "middle", DIM)
    shown = min(depth - 1, 3)
    edges = "".join(
        box(
            2.2 * under, 2.2 * under, _W, _H, 8, CARD, stroke=DIM, stroke_opacity=0.9 - 0.12 * under
        )
        for under in range(shown, 0, -1)
    )
    return edges + _card(top, edition)


def _depth(depth: int) -> str:
    """How many cards lie in a pile, to the left of and below (0, 0)."""
    count = f"\N{MULTIPLICATION SIGN}{depth}"
    wide = width(count, LEAST) + 8
    return box(-wide, 0, wide, 17, 5, fill=CYAN) + letters(
        count, -wide / 2, 14, LEAST, "middle", NIGHT, 1.6
    )


def _outer_pile(state: State, outer: int) -> str:
    royal, ice = int(state["royal"][outer]), int(state["ice"][outer])
    edition = int(state["edition"])
    if royal != NONE:
        if state["dead"][outer]:
            return at(36, 50, _ruin(edition, 70, 98, 1.2))
        return _royal(state, outer)
    if ice:
        return (
            box(1, 1, _W - 2, _H - 2, 8, fill=DEEP)
            + box(
                1, 1, _W - 2, _H - 2, 8, fill=ICE, fill_opacity=0.16, stroke=ICE, stroke_width=1.6
            )
            + _flake(36, 36, 2)
            + letters(f"+{ice}", 36, 74, 13, "middle", ICE)
            + letters("ICE", 36, 92, LEAST, "middle", ICE)
        )
    return _slot() + at(36, 51, _sign(edition, LINE), 0.9)


def _sign(edition: int, colour: str) -> str:
    """What stands for any court card."""
    return stroke(_BRICKS, colour, 1.8) if edition == FIREWALL else _crown(13, colour)


def _board(record: Record, look: Look, plan: _Plan, changes: Mapping[int, str]) -> Block:
    state = record[0]
    left, right = plan.left[1] - plan.gap, plan.left[3] + _W + plan.gap + 2
    top, bottom = plan.top[1] - 20, plan.top[3] + _H + 11
    lines = "".join(f"M{plan.left[0] + _W} {y + 50}H{plan.left[4]}" for y in plan.top[1:4])
    lines += "".join(f"M{x + 36} {plan.top[0] + _H}V{plan.top[4]}" for x in plan.left[1:4])
    wide = 468 if plan is _USUAL else plan.room
    high = plan.top[4] + _H + 12
    board = panel(0, 0, wide, high)
    board += stroke(lines, CYAN, 1.2, stroke_opacity=0.28)
    board += glow(left, top, right - left, bottom - top, 14, CYAN, 0.35)
    board += box(
        left,
        top,
        right - left,
        bottom - top,
        14,
        fill=_FRAME,
        stroke=CYAN,
        stroke_width=1.2,
        stroke_opacity=0.45,
    )
    board += stroke(lines, CYAN, 1.2, stroke_opacity=0.16)
    board += corners(left - 1, top - 1, right - left + 2, bottom - top + 2, 16, CYAN, 2.4)
    attacks = _attacks(record, changes)
    legal = [look.mask is not None and bool(look.mask[pile]) for pile in range(ACTIONS)]
    for pile in range(ACTIONS):
        x, y = plan.spot(pile)
        shown = _inner_pile(state, pile) if pile < INNER else _outer_pile(state, pile - INNER)
        if pile in attacks:
            shown = _royal(state, pile - INNER, _sum(state, attacks[pile]))
        shown = at(x, y, shown)
        if legal[pile]:
            shown = glow(x, y, _W, _H, 8, LIME, 1.3) + shown
            if pile not in changes:
                shown += corners(x - 1, y - 1, _W + 2, _H + 2, 18, LIME, 3.4)
            shown = target(shown, [pile], action_name(record, pile))
        board += shown
    for pile in range(INNER, ACTIONS):
        if legal[pile] and state["royal"][pile - INNER] == NONE:
            board += _link(pile, plan)
    board += "".join(_bolt(pile, attack, plan) for pile, attack in attacks.items())
    # All that is written on piles lies above all frames: they reach beyond their piles.
    board += "".join(ring(*plan.spot(pile), _W, _H) for pile in changes)
    for pile in range(ACTIONS):
        x, y = plan.spot(pile)
        if pile in changes and legal[pile]:
            board += reframed(x, y, _W, _H)
        board += letters(str(pile), x + 2, y - 7, LEAST, colour=LIME if legal[pile] else DIM)
        if pile < INNER and state["depth"][pile] > 1:
            board += at(x + _W - 3, y + _H - 9, _depth(int(state["depth"][pile])))
    for pile, sign in changes.items():
        x, y = plan.spot(pile)
        board += happened(x + _W - 8, y + 2, _grown(record, look.before, pile, sign))
        if sign == MOVED:
            board += happened(x + _W - 30, y + 2, f"{MOVED}{_gone(look.before, pile)}")
    return Block(wide, high, board)


def _between(pile: int, inner: int, plan: _Plan) -> tuple[float, float, float, float]:
    """The middle of an outer pile's inner edge, and the direction from there to *inner*."""
    (x, y), (to_x, to_y) = plan.spot(pile), plan.spot(inner)
    along, down = float(np.sign(to_x - x)), float(np.sign(to_y - y))
    return x + _W / 2 * (1 + along), y + _H / 2 * (1 + down), along, down


def _link(pile: int, plan: _Plan) -> str:
    """From an outer pile that may be chosen to the card beside it that makes it so."""
    x, y, along, down = _between(pile, int(BORDERS[pile - INNER]), plan)
    left, top = plan.spot(int(BORDERS[pile - INNER]))
    to_x = left + _W / 2 * (1 - along) + 6 * along
    to_y = top + _H / 2 * (1 - down) + 6 * down
    line = f"M{number(x)} {number(y)}L{number(to_x)} {number(to_y)}"
    return stroke(line, LIME, 3.4) + disc(to_x, to_y, 5, LIME, stroke=NIGHT, stroke_width=2)


def _bolt(pile: int, attack: tuple[int, int, int], plan: _Plan) -> str:
    """From the card just laid through both attackers to the royal that fell."""
    x, y, along, down = _between(pile, attack[1], plan)
    laid_x, laid_y = plan.spot(attack[2])
    line = f"M{number(laid_x + _W / 2)} {number(laid_y + _H / 2)}L{number(x)} {number(y)}"
    tip = (
        f"M{number(x)} {number(y)}l{number(-8 * along - 6 * down)} {number(-8 * down - 6 * along)}"
    )
    tip += (
        f"M{number(x)} {number(y)}l{number(-8 * along + 6 * down)} {number(-8 * down + 6 * along)}"
    )
    return stroke(line + tip, NIGHT, 6) + stroke(line + tip, GREEN, 3)


# --- what just happened --------------------------------------------------------------------------


def _changes(record: Record, before: Record | None) -> dict[int, str]:
    """The piles that differ in what is seen of two records, each with a sign."""
    changes: dict[int, str] = {}
    if before is None:
        return changes
    state, old = record[0], before[0]
    for inner in range(INNER):
        if state["depth"][inner] > old["depth"][inner]:
            changes[inner] = CAME
        elif state["top"][inner] != old["top"][inner]:
            changes[inner] = MOVED
    for outer in range(OUTER):
        if state["dead"][outer] > old["dead"][outer]:
            changes[INNER + outer] = FELL
        elif (old["royal"][outer] == NONE) != (state["royal"][outer] == NONE):
            changes[INNER + outer] = CAME
        elif state["ice"][outer] != old["ice"][outer]:
            changes[INNER + outer] = HIT
    return changes


def _attacks(record: Record, changes: Mapping[int, str]) -> dict[int, tuple[int, int, int]]:
    """The piles whose royal has just fallen: the attackers, the nearer last, and what was laid."""
    return {
        INNER + int(outer): (int(first), int(second), laid)
        for laid, sign in changes.items()
        if laid < INNER and sign in (CAME, MOVED)
        for first, second, outer in LINES[laid]
        if outer != NONE and changes.get(INNER + int(outer)) == FELL
    }


def _sum(state: State, attack: tuple[int, int, int]) -> str:
    one, two = (int(state["top_value"][inner]) for inner in attack[:2])
    return f"{one}+{two}={one + two}"


def _grown(record: Record, before: Record | None, pile: int, sign: str) -> str:
    """The sign on a pile; ICE says how much has come."""
    if sign == HIT and before is not None:
        return f"+{int(record['ice'][0, pile - INNER]) - int(before['ice'][0, pile - INNER])}"
    return CAME if sign == MOVED else sign


def _gone(before: Record | None, pile: int) -> int:
    """How many cards of an inner pile have gone to the bottom."""
    return 0 if before is None else int(before["depth"][0, pile])


def _told(record: Record, before: Record | None, changes: Mapping[int, str]) -> list[str]:
    """The same in words."""
    state, told = record[0], []
    edition, attacks = int(state["edition"]), _attacks(record, changes)
    for pile, sign in changes.items():
        card = int(state["top"][pile] if pile < INNER else state["royal"][pile - INNER])
        name = card_name(card, edition) if card != NONE else "no card"
        if sign == CAME:
            told.append(f"{name} was laid on pile {pile}")
        elif sign == MOVED:
            count = _gone(before, pile)
            cards = "1 card" if count == 1 else f"{count} cards"
            told.append(f"{name} was laid on pile {pile}, whose {cards} went to the bottom")
        elif sign == FELL:
            by = f" to {_sum(state, attacks[pile])}" if pile in attacks else ""
            told.append(f"{name} on pile {pile} fell{by}")
        elif before is not None:
            told.append(_iced(record, before, pile, name))
    return [words[0].upper() + words[1:] for words in told]


def _iced(record: Record, before: Record, pile: int, royal: str) -> str:
    """ICE that has come to an outer pile, in words."""
    state, edition = record[0], int(record["edition"][0])
    come = (state["place"] == 1 + pile) & (before[0]["place"] != 1 + pile)
    cards = " and ".join(card_name(int(card), edition) for card in come.nonzero()[0])
    ice, had = int(state["ice"][pile - INNER]), int(before[0]["ice"][pile - INNER])
    on = f"{royal} on pile {pile}" if royal != "no card" else f"pile {pile}"
    strength = f", strength {strength_of(state, pile - INNER)}" if royal != "no card" else ""
    grown = f"ICE {had} -> {ice}{strength}"
    return f"{cards} was laid as ICE on {on}: {grown}"


# --- beside the board ----------------------------------------------------------------------------


def _header(edition: int, plan: _Plan) -> Block:
    small = plan is _SMALL
    name = title("MATR1X 0VERL0AD", 10, 32, 19 if small else 25)
    words = EDITIONS[edition].upper() if small else f"{EDITIONS[edition].upper()} EDITION"
    return Block(plan.room, 46, name + badge(words, plan.room, 10))


def _small(card: int, edition: int) -> str:
    """A card 30 by 42 that is known to come: rank and pips."""
    colour, suits = _ink(card, edition), shown_suits(edition, card)
    face = box(0, 0, 30, 42, 5, fill=NIGHT) + box(
        0.6, 0.6, 28.8, 40.8, 4.4, fill=_court_fill(card, edition), stroke=colour, stroke_width=1.2
    )
    if card >= JOKER:
        return face + at(15, 22, _cap(), 0.5)
    face += letters(rank_of(card, edition), 15, 18, LEAST, "middle", colour, 1.7)
    for place, suit in enumerate(suits):
        face += pip(suit, 15 + 11.5 * (place - (len(suits) - 1) / 2), 30, 10.5, colour)
    return face


def _draw_pile(state: State) -> Block:
    """The card to play, the pile, and what is known to come."""
    edition, left, known = int(state["edition"]), int(state["left"]), _known(state)
    pile = panel(0, 0, _SIDE, 164)
    pile += letters("TO PLAY", 14, 23, LEAST, colour=CYAN)
    if known:
        pile += glow(14, 36, 1.14 * _W, 1.14 * _H, 9, _ink(known[0], edition), 0.7)
        pile += at(14, 36, _card(known[0], edition), 1.14)
    else:
        pile += at(14, 36, _slot(), 1.14)
    x = 122
    pile += letters("PILE", x + 24, 23, LEAST, "middle", CYAN)
    hidden = left - 1
    for under in range(min(3, max(hidden, 0)), 0, -1):
        pile += at(x + 2.6 * (under - 1), 36 + 2.6 * (under - 1), _back(), 0.66)
    if hidden <= 0:
        pile += at(x, 36, _slot(), 0.66)
    pile += letters(str(max(hidden, 0)), x + 24, 132, 16, "middle", BRIGHT)
    pile += letters("TO COME", x + 24, 151, LEAST, "middle", DIM)
    for y, heading, cards in (
        (23, "NEXT CARDS KNOWN", known[1:]),
        (96, "BOTTOM CARDS KNOWN", _bottom(state)),
    ):
        pile += letters(heading, 198, y, LEAST, colour=CYAN)
        if not cards:
            pile += letters("NONE", 198, y + 24, LEAST, colour=DIM)
        shown = cards if len(cards) <= 5 else cards[:4]
        for place, card in enumerate(shown):
            pile += at(198 + 34 * place, y + 9, _small(card, edition))
        if len(cards) > len(shown):
            pile += letters(f"+{len(cards) - len(shown)}", 198 + 34 * 4, y + 36, LEAST)
    return Block(_SIDE, 164, pile)


def _progress(state: State) -> Block:
    killed, edition = int(state["killed"]), int(state["edition"])
    progress = panel(0, 0, _SIDE, 76)
    progress += letters(f"{royals(edition)} DOWN", 14, 23, LEAST, colour=CYAN)
    progress += letters(f"{killed}/12", _SIDE - 14, 23, LEAST, "end", BRIGHT)
    for place in range(OUTER):
        x, y = 28 + 29.8 * place, 51
        if place < killed:  # crossed out: not by the colour alone
            progress += at(x, y + 1, _ruin(edition, 26, 32, 0.5))
            continue
        progress += box(
            x - 13, y - 15, 26, 32, 6, NIGHT, fill_opacity=0.6, stroke=LINE, stroke_width=1.2
        )
        progress += at(x, y + 1, _sign(edition, LINE), 0.5)
    return Block(_SIDE, 76, progress)


def _counts(state: State) -> Block:
    unseen = int(state["left"]) - int(state["known_first"]) - int(state["known_last"])
    rows = (
        ("DECISIONS", f"{int(state['decisions'])}/{int(state['max_steps'])}"),
        ("UNSEEN CARDS", str(unseen)),
    )
    counts = panel(0, 0, _SIDE, 56)
    for place, (what, count) in enumerate(rows):
        y = 23 + 20 * place
        counts += letters(what, 14, y, LEAST, colour=DIM)
        counts += letters(count, _SIDE - 14, y, LEAST, "end", BRIGHT)
    return Block(_SIDE, 56, counts)


@kept
def _legend(edition: int) -> Block:
    """What the signs mean."""
    ranks = ("11", "12", "13") if edition == FIREWALL else ("J", "Q", "K")
    pile = letters("7", -9, 1, LEAST, colour=DIM) + stroke(
        "M-10 11V9Q-10 5-6 5H6Q10 5 10 9V11", DIM, 1.4
    )
    reset = at(0, 0, group(_ring(AMBER), transform="scale(.42)"))
    items = [
        (corners(-10, -10, 20, 20, 7, LIME, 2.4), "YOU MAY CHOOSE IT"),
        (happened(0, 0, CAME), "JUST LAID"),
        (happened(2, 0, "+3"), "JUST GOT SO MUCH ICE"),
        (happened(0, 0, FELL), "JUST FELL"),
        (happened(3, 0, f"{MOVED}3"), "SO MANY CARDS WENT TO THE BOTTOM"),
        (pile, "NUMBER OF THE PILE"),
        (at(11, -8, _depth(4)), "CARDS IN IT"),
        (reset, "ACE, JOKER: PILE GOES TO THE BOTTOM"),
        (_shield(0, 0, 0.9, BRIGHT), "TOTAL STRENGTH"),
        (_flake(0, 0, 0.9), "OF WHICH ICE"),
        (at(0, 0, _ruin(edition, 26, 32, 0.5), 0.7), "FALLEN"),
    ]
    falls = ("ANY TWO CARDS", "TWO OF ITS COLOUR", "TWO OF ITS SUIT")
    for rank, words in zip(ranks, falls, strict=True):
        items.append((letters(rank, 0, 5.5, LEAST, "middle", AMBER), f"FALLS TO {words}"))
    return panelled(legend(items, _SIDE - 24), 12, _SIDE)


def _status(state: State, mask: NDArray[np.int8] | None, plan: _Plan) -> Block:
    """What to do, or how it ended."""
    ended = ending(state)
    if ended is not None:
        return over(*ended, _MOODS.get(int(state["reason"]), RED), plan.room)
    legal = None if mask is None else int(np.count_nonzero(mask))
    return asked(_task(state), legal, "PILE", plan.room)


def _task(state: State) -> str:
    """What to do with the card to play, and where it goes."""
    edition, card = int(state["edition"]), _known(state)[0]
    name, value = titled(card, edition), int(VALUE[card])
    if value == 0:
        return f"LAY THE {name} ON THE LOWEST CARD: ITS PILE GOES TO THE BOTTOM"
    if value == 1:
        return f"LAY THE {name} ON ANY PILE, WHICH GOES TO THE BOTTOM"
    if value > 10:
        return f"PLACE THE {name} BESIDE {_best(state, card)}"
    if int(state["top_value"].min()) <= value:
        return f"LAY THE {name} ON A CARD THAT IS NOT HIGHER"
    if edition != RULEBOOK:
        return f"THE {name} FITS NO INNER PILE: ADD IT AS ICE"
    if ((state["royal"] != NONE) & (state["dead"] == 0)).any():
        return f"THE {name} FITS NO INNER PILE: ADD IT AS ICE TO THE ROYAL MOST LIKE IT"
    return f"THE {name} FITS NO INNER PILE: ICE BESIDE {_best(state, card)}"


def _best(state: State, card: int) -> str:
    """Which cards of the matrix decide where this one goes."""
    beside = state["top"][BORDERS[state["royal"] == NONE]]
    kin = int(KINSHIP[int(state["edition"]), card, beside].max(initial=0))
    suit = int(SUIT[card])
    colour = ("BLACK", "RED")[suit & 1]
    kind = ("CARD", f"{colour} CARD", SUITS[suit].upper().removesuffix("S"))[kin]
    return f"THE HIGHEST {kind} WITH ROOM"


_DEFINITIONS: Final = (
    fade("mo-card", shade("#1a2450", "#ffffff"), shade("#0c1230", "#eaf0fa"), 1)
    + fade("mo-red", shade("#4a1434", "#ffe9ee"), shade("#1a0c26", "#f6e4ee"), 1)
    + fade("mo-black", shade("#2a3770", "#e3e9f8"), shade("#0d1330", "#f4f7fe"), 1)
    + fade("mo-any", shade("#4a3414", "#fff1d9"), shade("#1c1420", "#f9f3ea"), 1)
    + fade("mo-wild", shade("#4b1460", "#f9def4"), shade("#12103c", "#ece9fb"), 1)
)


def svg(record: Record, look: Look) -> str:
    """The table as an SVG picture. There is one seat, and spectators see what it sees."""
    state, plan = record[0], _SMALL if look.narrow else _USUAL
    edition = int(state["edition"])
    changes = _changes(record, look.before)
    board, status = _board(record, look, plan, changes), _status(state, look.mask, plan)
    told = _told(record, look.before, changes)
    nothing = "-" if state["decisions"] else "The cards were dealt"
    words = ". ".join(told) if told else nothing
    lately = news([words.upper()], 4 if look.narrow else 2, plan.room)
    beside = [_draw_pile(state), _progress(state), _counts(state), _legend(edition)]
    side_by_side = [board, flow(beside, _SIDE, 8), lately, status]
    blocks = [board, lately, status, *beside] if look.narrow else side_by_side
    table = flow([_header(edition, plan), *blocks], plan.room, 8)
    high = table.height + 20
    just_now = [f"Just now: {words}."] if told else []
    ended = ending(state)
    now = ended[1] if ended else _task(state)
    down = f"{int(state['killed'])} of 12 {royals(edition).lower()} down"
    return document(
        plan.wide,
        high,
        f"MATR1X 0VERL0AD, {EDITIONS[edition]} edition: {now.capitalize()}; {down}",
        "\n".join([*just_now, text(record, look.seat)]),
        _DEFINITIONS,
        backdrop(plan.wide, int(high)) + at(plan.margin, 10, table.content),
    )


# --- plain text ----------------------------------------------------------------------------------

_CELL: Final = 16
_LINE_WIDTH: Final = 79


def _short(card: int, edition: int) -> str:
    """A card in a few characters."""
    if card >= JOKER:
        return "Joker"
    return rank_of(card, edition) + "".join(PIPS[suit] for suit in shown_suits(edition, card))


def _cell(state: State, pile: int) -> str:
    """A pile's action number and what lies there."""
    edition = int(state["edition"])
    if pile < INNER:
        top, depth = int(state["top"][pile]), int(state["depth"][pile])
        shown = "-" if top == NONE else _short(top, edition) + (f" x{depth}" if depth > 1 else "")
    else:
        royal, ice = (int(state[field][pile - INNER]) for field in ("royal", "ice"))
        armour = f" ICE {ice}" if ice else ""
        if royal == NONE:
            shown = armour.strip() or "-"
        elif state["dead"][pile - INNER]:
            shown = "dead"
        else:
            shown = f"{_short(royal, edition)}/{strength_of(state, pile - INNER)}{armour}"
    return f"{pile:>2} {shown}".ljust(_CELL)


def _listed(cards: list[int], edition: int) -> str:
    return " ".join(_short(card, edition) for card in cards)


def _filled(line: str) -> list[str]:
    return textwrap.wrap(line, _LINE_WIDTH, subsequent_indent="  ")


def text(record: Record, seat: int | None) -> str:
    """The table as plain text; each pile starts with its action's number."""
    state = record[0]
    edition, known = int(state["edition"]), _known(state)
    left, bottom = int(state["left"]), _bottom(state)
    coming = _listed(known[1:], edition) or "none known"
    at_bottom = f", then at the bottom: {_listed(bottom, edition)}" if bottom else ""
    buried = "; ".join(
        f"{inner}: {_listed(cards, edition)}"
        for inner in range(INNER)
        if (cards := _buried(state, inner))
    )
    ended = ending(state)
    blank = " " * _CELL
    rows = [
        [blank, *(_cell(state, pile) for pile in (9, 10, 11))],
        *(
            [_cell(state, pile) for pile in (12 + 2 * row, *range(3 * row, 3 * row + 3))]
            + [_cell(state, 13 + 2 * row)]
            for row in range(3)
        ),
        [blank, *(_cell(state, pile) for pile in (18, 19, 20))],
    ]
    return "\n".join(
        [
            f"MATR1X 0VERL0AD, {EDITIONS[edition]} edition",
            *_filled(f"to play {_short(known[0], edition) if known else '-'}, next: {coming}"),
            *_filled(f"draw pile {left}: {left - len(known) - len(bottom)} unseen{at_bottom}"),
            f"{royals(edition).lower()} down {int(state['killed'])}/12, "
            f"decisions {int(state['decisions'])}/{int(state['max_steps'])}",
            "",
            *("".join(row).rstrip() for row in rows),
            *(_filled(f"under {buried}") if buried else ()),
            "",
            ended[1] if ended else "xN: a pile of N; royals show their strength, ICE included",
        ]
    )
