"""Hovercrafts in pictures: only what the ship's player may see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cyberdeck.drawing import svg
from cyberdeck.drawing.lettering import LEAST, wrapped
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import Block, at, box, flow, glow, panel, panelled, target
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.hovercrafts.board import board_signs, draw_board
from cyberdeck.views.hovercrafts.fields import (
    is_out,
    known_upgrades,
    label,
    planning,
    team_of,
)
from cyberdeck.views.hovercrafts.fleets import (
    DECIDING,
    FAINT,
    LATER,
    RINGED,
    draw_fleets,
    fleet_signs,
    fleets_high,
    headed,
    hidden,
    report,
    report_high,
    slots_now,
    slots_then,
    tells,
)
from cyberdeck.views.hovercrafts.page import first_side, first_upgrade, raised, scores, whereabouts
from cyberdeck.views.hovercrafts.signs import COLOURS, chosen, craft, icon
from cyberdeck.views.record import Record
from cyberdeck.views.view import LEGEND, STATUS, Drawn, Look, Page, sentence

_DEPTH: Final = 612  # of the map at most
_HIGH: Final = 88  # of a button, and of a slot


def draw(record: Record, page: Page, look: Look) -> Drawn:
    """The map, the ships with their plans, the own plan and the actions."""
    full, edge, gap = (390, 5, 10) if look.narrow else (980, 14, 10)
    wide = full - 2.0 * edge
    listed = wide if look.narrow else 294.0
    room = wide if look.narrow else wide - listed - gap
    fleets = fleets_high(record)
    map_ = draw_board(record, look, room, _DEPTH)
    if not look.narrow:
        fleets = max(fleets, map_.height)
        if map_.height < fleets:
            map_ = Block(room, fleets, panel(0, 0, room, fleets) + map_.content)
    ships = draw_fleets(record, look, listed, fleets)
    own = [] if look.viewer is None else [_panel(record, look, look.viewer[0], wide)]
    blocks = [map_, STATUS, *own, ships] if look.narrow else [map_, ships, *own, STATUS]
    if not tells(record, listed, fleets):
        words = report(record, look, wide - 28, report_high(record, wide - 28))
        blocks.append(panelled(words, 14, wide))
    signs = [*board_signs(record), *fleet_signs()]
    if look.viewer is None:  # a ship's player sees them on the buttons
        signs += [(icon(action, 0, 0, 20), name) for action, name in enumerate(c.ACTIONS)]
    return Drawn(
        wide=full, edge=edge, gap=gap, blocks=[*_scores(record, wide), *blocks, LEGEND], signs=signs
    )


def _scores(record: Record, wide: float) -> list[Block]:
    """How it stands with the goal, and in the campaign."""
    told = [
        f"{each.title}: {'; '.join(line.text for line in each.lines)}" for each in scores(record)
    ]
    lines = [part for line in told for part in wrapped(line, wide - 8)]
    drawn = "".join(
        letters(line, 4, LEAST + 18 * place, LEAST, colour=svg.AMBER)
        for place, line in enumerate(lines)
    )
    return [Block(wide, 18 * len(lines) - 5, drawn)] if lines else []


# --- the own plan, and the actions ---------------------------------------------------------------


def _panel(record: Record, look: Look, seat: int, wide: float) -> Block:
    """What the seat has decided and decides."""
    own = _own(record, look, seat, wide - 32)
    if look.narrow:  # as high all game long
        own = Block(own.width, max(own.height, 58 + 3 * _HIGH + 4), own.content)
    return panelled(own, 14, wide)


def _own(record: Record, look: Look, seat: int, wide: float) -> Block:
    """What the seat has chosen in this turn, and what it may choose."""
    ship = label(record, seat)
    room = 500.0 if wide > 500 else wide
    beside = wide - room - 14 if wide > room else wide
    button = 68.0 if wide > 500 else 84.0
    if record.phase == c.DEPLOY:
        decided = headed(f"Ship {ship}", _said(sentence(whereabouts(record, seat)), beside))
        offered = headed("A hex and a facing", _compass(record, look, seat, button, room))
    elif record.phase == c.PICK:
        decided = headed(f"Ship {ship}", _said("", beside))
        offered = headed("Side", _others(record, look, c.SIDES, first_side(record), room))
    elif record.phase == c.UPGRADE:
        stats = raised(known_upgrades(record, look.viewer, seat))
        decided = headed(f"{ship} raises", _said(", ".join(stats) or "nothing", beside))
        offered = headed("Stats", _others(record, look, c.STAT_NAMES, first_upgrade(record), room))
    else:
        slots = (
            slots_now(record, look, seat) if planning(record) else slots_then(record, look, seat)
        )
        count, none = len(slots[0]), "out of the game" if is_out(record, seat) else "none"
        drawn = _slots(*slots) if count else _said(none, beside)
        rolled = bool(count) and planning(record)
        head = f"{ship}: {count} actions rolled" if rolled else f"Plan of {ship}"
        decided = headed(head, Block(beside, drawn.height, drawn.content))
        offered = headed("Actions", _actions(record, look, button, room))
    return flow([decided, offered], wide, 14)


def _said(words: str, wide: float) -> Block:
    drawn = "".join(
        letters(line, 0, 40 + 17 * place, LEAST, colour=svg.BRIGHT)
        for place, line in enumerate(wrapped(words, wide))
    )
    return Block(wide, _HIGH, drawn)


def _slots(actions: Sequence[int], kinds: Sequence[int]) -> Block:
    """A plan, slot by slot; one of them lit up."""
    slots, wide = [], 34
    for slot, (action, kind) in enumerate(zip(actions, kinds, strict=True)):
        lit = kind == DECIDING
        drawn = glow(0, 0, wide, _HIGH, 8, svg.LIME, 0.8) if lit else ""
        drawn += box(
            0,
            0,
            wide,
            _HIGH,
            8,
            fill=svg.CARD,
            stroke=svg.LIME if lit else svg.BRIGHT if kind in RINGED else svg.LINE,
            stroke_width=2.4 if kind in RINGED else 1.6,
            stroke_dasharray="5 4" if kind == LATER else None,
        )
        ink = svg.LIME if lit else svg.DIM
        drawn += letters(str(slot + 1), wide / 2, _HIGH - 12, LEAST, "middle", ink)
        if action != c.NONE:
            drawn += icon(action, wide / 2, 32, 24, 0.35 if kind in FAINT else 1)
        elif lit:
            drawn += letters("?", wide / 2, 40, 14, "middle", svg.LIME)
        elif kind != LATER:
            drawn += hidden(wide / 2, 32, 24)
        slots.append(Block(wide, _HIGH, drawn))
    return flow(slots, 9 * (wide + 4), 4)


def _button(content: str, words: Sequence[str], wide: float, lit: bool, shut: bool) -> str:
    """A choice: its sign above its words; lit up if it is legal, dim if it is not."""
    drawn = glow(0, 0, wide, _HIGH, 8, svg.LIME, 0.8) if lit else ""
    edge = svg.LIME if lit else svg.LINE
    drawn += box(0, 0, wide, _HIGH, 8, fill=svg.CARD, stroke=edge, stroke_width=1.6) + content
    ink = svg.LINE if shut else svg.BRIGHT if lit else svg.SILVER
    for line, word in enumerate(words):
        y = _HIGH - 12 - 16 * (len(words) - 1 - line)
        drawn += letters(word, wide / 2, y, LEAST, "middle", ink)
    return drawn


def _choice(
    record: Record, look: Look, action: int, sign: str, words: Sequence[str], wide: float
) -> Block:
    """A button with its action's number."""
    legal = look.choices is not None and action in look.choices
    shut = look.choices is not None and not legal
    sign += letters(str(action), 6, 18, LEAST, colour=svg.DIM)
    drawn = _button(sign, words, wide, legal, shut)
    return Block(wide, _HIGH, chosen(record, look.choices, action, drawn))


def _actions(record: Record, look: Look, wide: float, room: float) -> Block:
    """All actions of a plan; the legal ones lit up."""
    buttons = []
    for action, name in enumerate(c.ACTIONS):
        shut = look.choices is not None and action not in look.choices
        sign = icon(action, wide / 2 + 4, 31, 26, 0.35 if shut else 1)
        buttons.append(_choice(record, look, action, sign, name.split(), wide))
    return flow(buttons, room, 4)


def _others(record: Record, look: Look, names: Sequence[str], first: int, room: float) -> Block:
    """What may be chosen besides plans and places; the legal ones lit up."""
    buttons = [
        _choice(record, look, first + choice, "", [name], 112) for choice, name in enumerate(names)
    ]
    return flow(buttons, room, 4)


def _compass(record: Record, look: Look, seat: int, wide: float, room: float) -> Block:
    """The six facings of a deployment: each is one end of it, a hex is the other."""
    buttons, team = [], team_of(record, seat)
    for facing, name in enumerate(c.FACINGS):
        legal = [
            each for each in look.choices or () if (each - c.PLACES) % len(c.FACINGS) == facing
        ]
        ship = at(wide / 2, 34, craft(team, COLOURS[team]), 1.5, 60 * facing)
        drawn = _button(ship, [name], wide, bool(legal), False)
        buttons.append(Block(wide, _HIGH, target(drawn, legal, f"facing {name}", alone=False)))
    return flow(buttons, room, 4)
