"""Stacktrices in pictures: only what the seat may see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cyberdeck.drawing.lettering import (
    FELL,
    LEAST,
    MOVED,
    asked,
    badge,
    happened,
    legend,
    over,
    title,
    width,
)
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import (
    AMBER,
    BRIGHT,
    CYAN,
    GREEN,
    LIME,
    LINE,
    NIGHT,
    RED,
    Block,
    at,
    backdrop,
    box,
    corners,
    document,
    flow,
    glow,
    group,
    kept,
    number,
    panel,
    panelled,
    stroke,
)
from cyberdeck.engine.contract import Look, Record
from cyberdeck.engine.kernels import State
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.stacktrices.board import (
    CALL_OFF,
    DRONE,
    DRONES,
    END_TURN,
    EXPOSE,
    KINDS,
    MOVE,
    NONE,
    PAWN,
    PHASES,
    QUEEN,
    SKILL,
    STACKS,
    STEAL,
    claim,
)
from cyberdeck.games.stacktrices.drawing.board import GROUND, OWN, captured, draw_board
from cyberdeck.games.stacktrices.drawing.choices import Choices, choices_of
from cyberdeck.games.stacktrices.drawing.signs import (
    CHIP,
    EARLIER,
    MAY,
    NOW,
    aim,
    base,
    chip,
    compass,
    goal,
    passing,
    piece,
    raided_mark,
    silhouette,
    thief_mark,
    tower,
    trail,
)
from cyberdeck.games.stacktrices.narration import (
    COLOURS,
    GIVEN,
    News,
    colour_of,
    described,
    ending,
    given_pips,
    hand_name,
    hand_seen,
    news,
    situation,
    spoken,
    turn_shown,
)
from cyberdeck.games.stacktrices.notation import KIND_NAMES
from cyberdeck.games.stacktrices.stacks import stacks_left

# --- the two sides -------------------------------------------------------------------------------


def _side(state: State, look: Look, owner: int, wide: float) -> Block:
    """Who plays this side, whether it is to decide, and the stacks that it has left."""
    colour, mover = colour_of(state, owner), int(state["mover"]) == owner
    ink, high = OWN[colour], 46
    bar = panel(0, 0, wide, high, LIME if mover else LINE)
    bar += letters(COLOURS[colour], 14, 29, 12, colour=ink)
    x = 14 + width(COLOURS[colour], 12) + 10
    if owner == look.seat:
        bar += box(x, 14, 42, 19, 9, fill=ink)
        bar += letters("YOU", x + 21, 29, LEAST, "middle", NIGHT, 1.8)
        x += 50
    if mover:
        bar += stroke(f"M{x + 2} 17l7 6-7 6", LIME, 2.6)
    # On the board's own ground: black is black.
    bar += box(wide - 216, 3, 176, high - 6, 8, fill=GROUND)
    beaten = [] if look.before is None else captured(look.before[0], state, owner)
    for stack in range(STACKS):
        alive = bool(state["square"][owner, stack] != NONE)
        x = wide - 200 + 24 * stack
        bar += at(x, 23, silhouette(colour, stack >= DRONES, alive))
        bar += letters(str(stack), x, 40, LEAST, "middle", BRIGHT)
        if stack in beaten:
            bar += box(x - 12, 1, 24, high - 2, 6, stroke=BRIGHT, stroke_width=2.4)
    left = str(stacks_left(state, owner))
    return Block(wide, high, bar + letters(left, wide - 12, 30, 14, "end", BRIGHT))


# --- beside the board ----------------------------------------------------------------------------


def _shelf(
    counts: Sequence[int], had: Sequence[int], lit: dict[int, list[int]], choices: Choices
) -> Block:
    """Pieces of every kind, the largest on top, movement left and skill right; a frame where there
    are more than it *had*.
    """
    shelf, wide, high = "", 64, 32
    for kind in range(KINDS):
        size = kind % SKILL
        x, y = (wide + 2 if kind >= SKILL else 0), high * (QUEEN - size)
        count, actions = counts[kind], lit.get(kind, [])
        there = ""
        if actions:
            there += glow(x, y, wide, high - 2, 6, LIME, 0.7)
            there += box(x, y, wide, high - 2, 6, fill=NIGHT, stroke=LIME, stroke_width=2)
        there += group(at(x + 21, y + 27, piece(kind), 0.72), opacity=None if count else 0.25)
        ink = BRIGHT if count else LINE
        there += letters(str(count), x + wide - 6, y + 23, LEAST, "end", ink, 1.8)
        if choices.phase == STEAL and actions:
            there = choices.one(there, actions[0])
        elif actions:
            there = choices.some(there, actions, KIND_NAMES[kind])
        if count > had[kind]:
            there += box(x, y, wide, high - 2, 6, stroke=BRIGHT, stroke_width=2.4)
        shelf += there
    return Block(2 * wide + 2, 3 * high, shelf)


def _shelves(state: State, look: Look, choices: Choices) -> Block:
    """The store, and the open hand."""
    shelves = []
    old = state if look.before is None else look.before[0]
    name, hand = hand_name(state), hand_seen(state, look.seat)
    for words, counts, had, lit in (
        ("STORE", state["store"].tolist(), old["store"].tolist(), choices.of_store()),
        (name, hand, hand_seen(old, look.seat), choices.of_hand()),
    ):
        below = _shelf(counts, had, lit, choices)
        head = letters(words, 2, LEAST, LEAST, colour=CYAN)
        if words == GIVEN:
            value = given_pips(state)
            head = letters(f"{words} {value}-1={value - 1}", 2, LEAST, LEAST, colour=CYAN)
        content = head + at(0, 18, below.content)
        if words != "STORE":
            content = stroke(f"M-7 2V{below.height + 14}", LINE, 1) + content
            content = content if any(counts) else ""
        shelves.append(Block(below.width, below.height + 18, content))
    return flow(shelves, 300, 12)


@kept
def _legend(wide: float, own: bool) -> Block:
    """What pieces and marks mean; *own*: to one of the players."""
    whole = at(-9, -9, corners(0, 0, 18, 18, 6, LIME, 2.6))
    skills = [at(-5, 9, piece(SKILL + size), 0.5) for size in range(3)]
    skills = [each + at(8, -4, compass(size, BRIGHT), 0.7) for size, each in enumerate(skills)]
    signs = [
        (at(0, 9, base(0, False, False), 0.5), "DRONE"),
        (at(0, 9, base(0, True, False), 0.45), "QUEEN"),
        *((at(0, 9, piece(size), 0.6), f"REACH {size + 1}") for size in range(3)),
        (skills[PAWN], "DIAGONAL"),
        (skills[DRONE], "STRAIGHT"),
        (whole, "MAY ACT"),
        (skills[QUEEN], "ALL, THROUGH FRIENDS"),
        (
            at(0, 9, tower(0, False, (0, 1, 0, 0, 0, 0))[0], 0.5) + passing(CYAN),
            "A FRIEND WITH A PIECE: STRAIGHT THROUGH. WITH BLUE: OR BENT",
        ),
        (thief_mark(False), "THIEF, ONLY YOU SEE IT" if own else "THIEF"),
        (at(0, 2, thief_mark(True), 0.8), "THIEF, KNOWN TO ALL"),
        (raided_mark(), "HAS RAIDED"),
        (letters(f"{FELL}B1", 0, LEAST / 2, LEAST, "middle", RED), "CAPTURED"),
        (at(-9, 0, trail((20.0, 0.0)), 0.9), "LAST MOVE"),
        (happened(0, 0, MOVED), "MOVED"),
        (goal(3, False), "3 MAY COME"),
        (goal(3, False, True), "BY FRIENDS"),
        (_chips(1, MAY), "MAY COME ON"),
        (_chips(-1, MAY), "MAY LEAVE"),
        (_chips(1, NOW), "CAME ON"),
        (_chips(-1, NOW), "LEFT"),
        (_chips(-1, EARLIER), "EARLIER IN THIS TRADE"),
        (aim(11), "MAY BE TAKEN"),
    ]
    return legend(signs, wide, 11)


def _chips(change: int, edge: str) -> str:
    """A piece of movement over one of skill."""
    return at(-13, -13, chip(change, SKILL, edge)) + at(-7, -2, chip(change, DRONE, edge))


# --- whose turn, and the end ---------------------------------------------------------------------


def _buttons(state: State, choices: Choices) -> list[Block]:
    """The legal choices that are neither square nor piece."""
    first = int(claim(state))
    buttons = []
    for after, words, ink in (
        (0, "CLAIM A RAID", AMBER),
        (EXPOSE, "EXPOSE", AMBER),
        (CALL_OFF, "CALL OFF", LIME),
        (END_TURN, "END TURN", LIME),
    ):
        for action in choices.within(first + after, 1):
            wide = width(words, LEAST) + 26
            drawn = glow(0, 0, wide, 26, 13, ink, 0.6)
            drawn += box(0, 0, wide, 26, 13, fill=NIGHT, stroke=ink, stroke_width=1.8)
            drawn += letters(words, wide / 2, 18.5, LEAST, "middle", ink)
            buttons.append(Block(wide, 26, choices.one(drawn, action)))
    return buttons


def _news(told: Sequence[News], look: Look, wide: float) -> Block:
    """What has just happened, in words."""
    high, lines, pitch = (74, 3, 20) if look.narrow else (34, 1, 20)
    head = letters("JUST NOW", 14, 22, LEAST, colour=CYAN)
    x = start = 14 + width("JUST NOW", LEAST) + 14
    y, drawn = 0.0, panel(0, 0, wide, high) + head
    for each in told or [News("-")]:
        source = f"FROM {each.source}" if each.source else ""
        long = width(each.words, LEAST) + (CHIP[0] + 3) * len(each.pieces)
        long += 5 + width(source, LEAST) if source else 0
        if x > start and x + long > wide - 14:
            x, start, y = 14, 14, y + pitch
        elif x > start:
            drawn += stroke(f"M{number(x - 10)} {y + 10}v14", LINE, 1.4)
        if y >= lines * pitch:
            break
        drawn += letters(each.words, x, y + 22, LEAST)
        x += width(each.words, LEAST) + 5
        for change, kind in each.pieces:
            drawn += at(x, y + 9, chip(change, kind, NOW))
            x += CHIP[0] + 3
        if source:
            drawn += letters(source, x + 2, y + 22, LEAST)
            x += width(source, LEAST) + 5
        x += 20
    return Block(wide, high, drawn)


def _status(state: State, look: Look, choices: Choices, words: str, wide: float) -> Block:
    """What to do, in words, or how it ended."""
    ended = ending(state)
    if ended is not None:
        headline, why, winner = ended
        ink = AMBER if NOBODY in (winner, look.seat if look.seat is not None else NOBODY) else GREEN
        if look.seat is not None and winner == 1 - look.seat:
            ink = RED
        bar = over(headline, why, ink, wide)
        return Block(wide, bar.height, bar.content)
    buttons = flow(_buttons(state, choices), wide, 9)
    count = len(choices.legal) or None
    if look.narrow and buttons.width > wide / 2:  # they take the room
        count = None
    unit = "MOVE" if int(state["phase"]) == MOVE else "CHOICE"
    room = buttons.width + 8 if buttons.content else 0
    bar = asked(words, count, unit, wide, room)
    y = bar.height - 33
    return Block(wide, bar.height, bar.content + at(wide - buttons.width - 12, y, buttons.content))


def _header(state: State, look: Look, wide: float) -> Block:
    """The game, the turn, and the phase."""
    finished = int(state["mover"]) == NOBODY
    phase = "GAME OVER" if finished else PHASES[int(state["phase"])].upper()
    turn = f"TURN {turn_shown(state)}/{int(state['max_turns'])}"
    if look.narrow:
        drawn = title("STACKTRICES", 4, 26, 17)
        return Block(wide, 32, drawn + letters(turn, wide - 2, 25, LEAST, "end", BRIGHT))
    drawn = title("STACKTRICES", 10, 34, 25) + badge(phase, wide, 10)
    left = wide - width(phase, LEAST) - 24 - 16
    return Block(wide, 44, drawn + letters(turn, left, 28.5, LEAST, "end", BRIGHT))


_EDGE, _GAP = 14, 10
_WIDTH: Final = 896
_NARROW: Final = 390


def svg(record: Record, look: Look) -> str:
    """The table as an SVG picture, the seat's home row below."""
    state, seat = record[0], look.side
    choices = choices_of(record, look.mask if int(state["mover"]) == seat else None)
    words = situation(state, look.seat)
    told = [] if look.before is None else news(record, look.before, look.seat)
    edge = 5 if look.narrow else _EDGE
    wide = (_NARROW if look.narrow else _WIDTH) - 2 * edge
    board = draw_board(record, look, choices, 50 if look.narrow else 72)
    if not look.narrow:
        board = panelled(board, 12)
    sides = [_side(state, look, owner, board.width) for owner in (1 - seat, seat)]
    middle = flow([sides[0], board, sides[1]], board.width, _GAP)
    beside = wide if look.narrow else wide - board.width - _GAP
    meant = _legend(beside - 28, look.seat is not None)
    signs = flow([_shelves(state, look, choices), meant], beside - 28, 16)
    below = flow([_news(told, look, wide), _status(state, look, choices, words, wide)], wide, 6)
    if look.narrow:
        signs = panelled(signs, 14, beside)
        order = [middle, below, signs]
    else:
        high = middle.height
        signs = Block(beside, high, panel(0, 0, beside, high) + at(14, 16, signs.content))
        order = [middle, signs, below]
    table = flow([_header(state, look, wide), *order], wide, _GAP)
    high = table.height + 2 * edge
    turn = f"turn {turn_shown(state)} of {int(state['max_turns'])}"
    return document(
        wide + 2 * edge,
        high,
        f"Stacktrices, {turn}. {spoken(words)}",
        described(record, look.seat, words, told),
        "",
        backdrop(int(wide + 2 * edge), int(high)) + at(edge, edge, table.content),
    )
