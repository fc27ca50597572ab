"""Stacktrices in pictures: only what the viewer may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.lettering import LEAST
from cyberdeck.drawing.svg import AMBER, BRIGHT, CYAN, LIME, LINE, NIGHT, Block, at, box
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.names import COLOURS, KIND_NAMES
from cyberdeck.views.record import Record
from cyberdeck.views.stacktrices import sight, signs
from cyberdeck.views.stacktrices.board import GROUND, OWN, draw_board
from cyberdeck.views.stacktrices.choices import Choices
from cyberdeck.views.stacktrices.page import hand_name
from cyberdeck.views.stacktrices.story import Captured
from cyberdeck.views.view import NEWS, STATUS, Drawn, Look, Page, seat_of


def _side(record: Record, look: Look, owner: int, wide: float) -> Block:
    """Who plays this side, whether it is to decide, and the stacks that it has left."""
    colour, left = sight.colour_of(record, owner), sight.standing(record, owner)
    mover, ink, name, high = record.mover == owner, OWN[colour], COLOURS[colour], 46
    bar = svg.panel(0, 0, wide, high, LIME if mover else LINE)
    bar += lettering.text(name, 14, 29, 12, colour=ink)
    x = 14 + lettering.width(name, 12) + 10
    if owner == seat_of(look.viewer):
        bar += box(x, 14, 42, 19, 9, fill=ink)
        bar += lettering.text("You", x + 21, 29, LEAST, "middle", NIGHT, 1.8)
        x += 50
    if mover:
        bar += svg.stroke(f"M{x + 2} 17l7 6-7 6", LIME, 2.6)
    # On the board's own ground: black is black.
    bar += box(wide - 216, 3, 176, high - 6, 8, fill=GROUND)
    fell = [e.stack for e in look.events if isinstance(e, Captured) and e.seat != owner]
    for stack in range(c.STACKS):
        x = wide - 200 + 24 * stack
        bar += at(x, 23, signs.silhouette(colour, stack >= c.DRONES, stack in left))
        bar += lettering.text(str(stack), x, 40, LEAST, "middle", BRIGHT)
        if stack in fell:
            bar += box(x - 12, 1, 24, high - 2, 6, stroke=BRIGHT, stroke_width=2.4)
    bar += lettering.text(str(len(left)), wide - 12, 30, 14, "end", BRIGHT)
    return Block(wide, high, bar)


# --- beside the board ----------------------------------------------------------------------------


_Counts: TypeAlias = Sequence[int]  # [kind]


def _shelf(
    words: str, counts: _Counts, had: _Counts, lit: Mapping[int, list[int]], all_: Choices
) -> Block:
    """Pieces of every kind, the largest on top, movement left and skill right; a frame where there
    are more than it *had*.
    """
    shelf, wide, high = lettering.text(words, 2, LEAST, LEAST, colour=CYAN), 64, 32
    for kind, count in enumerate(counts):
        x, y = (wide + 2 if kind >= c.SKILL else 0), 18 + high * (c.QUEEN - kind % c.SKILL)
        frame, actions, there = (x, y, wide, high - 2, 6), lit.get(kind, []), ""
        if actions:
            there += svg.glow(*frame, LIME, 0.7)
            there += box(*frame, fill=NIGHT, stroke=LIME, stroke_width=2)
        sign = at(x + 21, y + 27, signs.piece(kind), 0.72)
        there += svg.group(sign, opacity=None if count else 0.25)
        ink = BRIGHT if count else LINE
        there += lettering.text(str(count), x + wide - 6, y + 23, LEAST, "end", ink, 1.8)
        if actions and actions[0] >= c.OWN_PICKS:  # nothing else stands for it
            there = all_.one(there, actions[0])
        else:
            there = all_.some(there, actions, KIND_NAMES[kind])
        if count > had[kind]:
            there += box(*frame, stroke=BRIGHT, stroke_width=2.4)
        shelf += there
    return Block(2 * wide + 2, 3 * high + 18, shelf)


def _shelves(record: Record, look: Look, choices: Choices) -> Block:
    """The store, and the open hand."""
    old, name, hand = look.before or record, hand_name(record), sight.hand_seen(record, look.viewer)
    in_hand = record.phase in (c.CAP, c.PLACE_STOLEN, c.PLACE_RAIDED)
    lit = ({}, choices.of_kind) if in_hand else (choices.of_kind, {})
    store = _shelf("Store", record.store, old.store, lit[0], choices)
    if not any(hand):
        return Block(2 * store.width + 12, store.height, store.content)
    if name == "given":
        worth = sight.given_pips(record)
        name += f" {worth}, take {worth - c.TRADE_FEE}"
    beside = _shelf(name, hand, sight.hand_seen(old, look.viewer), lit[1], choices)
    edge = svg.stroke(f"M-7 2V{store.height - 4}", LINE, 1)
    return svg.flow([store, beside._replace(content=edge + beside.content)], 300, 12)


@svg.kept
def _legend(wide: float, own: bool) -> Block:
    """What pieces and marks mean; *own*: to one of the players."""
    skills = [
        at(-5, 9, signs.piece(c.SKILL + size), 0.5) + at(8, -4, signs.compass(size, BRIGHT), 0.7)
        for size in range(c.SIZES)
    ]
    friend, _ = signs.tower(0, False, (0, 1, 0, 0, 0, 0))
    fell = f"{lettering.FELL}B1"
    items = [
        (at(0, 9, signs.base(0, False, False), 0.5), "drone"),
        (at(0, 9, signs.base(0, True, False), 0.45), "queen"),
        (lettering.happened(0, 0, lettering.MOVED), "moved"),
        (at(0, 9, signs.piece(c.PAWN), 0.6), "movement pawn: reach 1"),
        (at(0, 9, signs.piece(c.DRONE), 0.6), "drone: 2"),
        (at(0, 9, signs.piece(c.QUEEN), 0.6), "queen: 3"),
        (skills[c.PAWN], "skill pawn: diagonal"),
        (skills[c.DRONE], "drone: straight"),
        (at(-9, -9, svg.corners(0, 0, 18, 18, 6, LIME, 2.6)), "may act"),
        (skills[c.QUEEN], "queen: all"),
        (lettering.text(fell, 0, LEAST / 2, LEAST, "middle", svg.RED), "captured"),
        (at(0, 9, friend, 0.5), "pass straight through; with skill, also turn"),
        (signs.thief_mark(False), "thief, only you see it" if own else "thief"),
        (at(0, 2, signs.thief_mark(True), 0.8), "thief, known to all"),
        (signs.RAIDED, "has raided"),
        (at(-9, 0, signs.trail(20, 0), 0.9), "last move"),
        (signs.goal(3, False), "3 may come"),
        (signs.aim(11), "to capture"),
        (signs.goal(3, False, True), "by own stacks or warp"),
        (_chips(1, signs.MAY), "2-pip piece may come"),
        (_chips(-1, signs.MAY), "or leave"),
        (_chips(1, signs.NOW), "came"),
        (_chips(-1, signs.NOW), "left"),
        (_chips(-1, signs.EARLIER), "left earlier in this trade"),
    ]
    return lettering.legend(items, wide, 11)


def _chips(change: int, edge: str) -> str:
    """A piece of movement over one of skill."""
    skill, movement = signs.chip(change, c.SKILL, edge), signs.chip(change, c.DRONE, edge)
    return at(-13, -13, skill) + at(-7, -2, movement)


# --- the whole -----------------------------------------------------------------------------------


def _buttons(choices: Choices, wide: float) -> Block:
    """The legal choices that are neither square nor piece."""
    buttons = []
    for after, words, ink in (
        (0, "Claim a raid", AMBER),
        (c.EXPOSE, "Expose", AMBER),
        (c.CALL_OFF, "Call off: all back, turn ends", LIME),
        (c.END_TURN, "End turn", LIME),
    ):
        if after in choices.buttons:
            long = lettering.width(words, LEAST) + 26
            drawn = lettering.button(words, 0, 0, long, ink, NIGHT, 1.8)
            buttons.append(Block(long, 26, choices.one(drawn, choices.buttons[after])))
    return svg.flow(buttons, wide, 9)


_GAP: Final = 10


def draw(record: Record, page: Page, look: Look) -> Drawn:
    """The table, the viewer's home row below."""
    wide, edge, cell = (390, 5, 50) if look.narrow else (896, 14, 71 if look.bare else 72)
    room = wide - 2 * edge
    choices = Choices(record, look.choices or ())
    board = draw_board(record, look, choices, cell)
    if not look.narrow:
        board = svg.panelled(board, 12)
    sides = [_side(record, look, owner, board.width) for owner in (1 - look.side, look.side)]
    middle = svg.flow([sides[0], board, sides[1]], board.width, _GAP)
    beside = room if look.narrow else room - board.width - _GAP
    meant = _legend(beside - (36 if look.narrow else 28), look.viewer is not None)
    signs_ = svg.flow([_shelves(record, look, choices), meant], beside - 28, 12)
    if look.narrow:
        signs_ = svg.panelled(signs_, 14, beside)
    else:
        ground = svg.panel(0, 0, beside, middle.height)
        if look.bare:  # what may be chosen has a place of its own there
            ground += at(14, middle.height - 36, _buttons(choices, beside - 28).content)
        signs_ = Block(beside, middle.height, ground + at(14, 16, signs_.content))
    blocks: list[Block | str] = [middle, NEWS, STATUS, signs_]
    if not look.narrow:
        blocks = [middle, signs_, NEWS, STATUS]
    unit, rows = "move" if record.phase == c.MOVE else "choice", 4 if look.narrow else 2
    buttons = None if look.bare and not look.narrow else _buttons(choices, room)
    return Drawn(wide, edge, _GAP, blocks, unit=unit, buttons=buttons, news_rows=rows)
