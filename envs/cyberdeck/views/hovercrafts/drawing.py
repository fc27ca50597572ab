"""Hovercrafts in pictures: only what the ship's player may see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cyberdeck.common.text import counted
from cyberdeck.drawing import svg
from cyberdeck.drawing.lettering import LEAST, lines, rows, wrapped
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import Block, at, box, flow, glow, panel, panelled, target
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.hovercrafts import fleets, signs
from cyberdeck.views.hovercrafts.board import board_signs, draw_board
from cyberdeck.views.hovercrafts.fields import Battle
from cyberdeck.views.hovercrafts.page import scores
from cyberdeck.views.record import Record
from cyberdeck.views.view import LEGEND, STATUS, Drawn, Look, Page

_DEPTH: Final = 612  # of the map at most
_BARE: Final = 900, 500  # the picture's width, and how high map and list are, on a wide page
_HIGH: Final = 75  # of a button, and of a slot

#: What the actions' names do not say.
_EXPLAINED: Final = (
    "Landing, EMP, repair: the ship lands; no EMP reaches it. Repair: hull +1. EMP: ships around "
    "may have to land. Others shoot in their arc. A ram costs the lower hull check 1. "
    "No action ends the plan."
)


def draw(record: Record, page: Page, look: Look) -> Drawn:
    """The map, the ships with their plans, the own plan and the actions."""
    seen = Battle.seen(record, look.viewer)
    page_wide = look.bare and not look.narrow
    full, edge, gap = (390, 5, 10) if look.narrow else (980, 14, 10)
    if page_wide:
        full = _BARE[0]
    wide = full - 2.0 * edge
    listed = wide if look.narrow else 294.0
    room = wide if look.narrow else wide - listed - gap
    scored = _scores(seen, wide)
    high, depth = fleets.fleets_high(seen), float(_DEPTH)
    if page_wide:
        depth = _BARE[1] - sum(each.height + gap for each in scored)
        high = min(high, depth)
    map_ = draw_board(seen, look, room, depth)
    if not look.narrow:
        high = max(high, map_.height)
        if map_.height < high:
            map_ = Block(room, high, panel(0, 0, room, high) + map_.content)
    ships = fleets.draw_fleets(seen, look, listed, high)
    own = [] if seen.own is None else [_panel(seen, look, seen.own, wide)]
    blocks: list[Block | str] = [*scored, map_]
    blocks += [STATUS, *own, ships] if look.narrow else [ships, *own, STATUS]
    if not look.bare and not fleets.tells(seen, listed, high):  # else said beside the picture
        words = fleets.report(seen, look, wide - 28, fleets.report_high(seen, wide - 28))
        blocks.append(panelled(words, 14, wide))
    explained = [*board_signs(seen), *fleets.fleet_signs()]
    if seen.own is None:  # a ship's player sees them on the buttons
        explained += [(signs.icon(action, 0, 0, 20), name) for action, name in enumerate(c.ACTIONS)]
    return Drawn(full, edge, gap, [*blocks, LEGEND], explained)


def _scores(record: Battle, wide: float) -> list[Block]:
    """How it stands with the goal, and in the campaign."""
    told = [
        f"{each.title}: {'; '.join(line.text for line in each.lines)}" for each in scores(record)
    ]
    if record.goal == c.FLEET:
        told.insert(0, "Goal: have a ship left when the other team has none")
    broken = [row for each in told for row in wrapped(each, wide - 8)]
    drawn = rows(broken, 4, LEAST, 18, svg.AMBER)
    return [Block(wide, 18 * len(broken) - 5, drawn)] if broken else []


# --- the own plan, and the actions ---------------------------------------------------------------


def _panel(record: Battle, look: Look, seat: int, wide: float) -> Block:
    """What the seat has decided and decides."""
    own = _own(record, look, seat, wide - 32)
    if look.narrow:  # as high all game long
        own = Block(wide - 32, max(own.height, 58 + 3 * _HIGH + 4), own.content)
    explained = lines(_EXPLAINED, wide - 32, colour=svg.DIM)
    return panelled(flow([own, explained], wide - 32, 6), 14, wide)


def _own(record: Battle, look: Look, seat: int, wide: float) -> Block:
    """What the seat has chosen in this turn, and what it may choose."""
    ship, phase = record.label(seat), record.phase
    button = 68.0 if wide > 900 else 66.0 if wide > 500 else 84.0
    room = 7 * (button + 4) - 4 if wide > 500 else wide
    beside = wide - room - 14 if wide > room else wide
    if phase == c.DEPLOY:
        head, decided = f"Ship {ship}", _said(record.whereabouts(seat), beside)
        what, offered = "A hex and a facing", _compass(record, look, seat, button, room)
    elif phase == c.PICK:
        head, decided = f"Ship {ship}", _said("", beside)
        what, offered = "Side", _choices(record, look, c.SIDES, record.first_side, 112, room)
    elif phase == c.UPGRADE:
        head, decided = f"{ship} raises", _said(", ".join(record.raises(seat)) or "nothing", beside)
        names, first = c.STAT_NAMES, record.first_upgrade
        what, offered = "Stats", _choices(record, look, names, first, 112, room)
    else:
        now = record.planning
        slots = (fleets.slots_now if now else fleets.slots_then)(record, look, seat)
        count, none = len(slots[0]), "out of the game" if record.is_out(seat) else "none"
        head = f"{ship}: {counted(count, 'action')} rolled" if count and now else f"Plan of {ship}"
        decided = _slots(*slots) if count else _said(none, beside)
        what = f"Actions{barred(record, look, seat)}"
        offered = _choices(record, look, c.ACTIONS, 0, button, room)
    decided = fleets.headed(head, Block(beside, decided.height, decided.content))
    return flow([decided, fleets.headed(what, offered)], wide, 14)


def barred(record: Battle, look: Look, seat: int) -> str:
    """What may not be planned now, and why."""
    if look.choices is None or not record.planning or not record.deciding(seat):
        return ""
    plan = record.known_plan(seat)[: record.slot]
    if not plan:
        return ": no action cannot be the first"
    if plan[-1] == c.NO_ACTION:
        return ": the plan is over"
    spent = c.EMP in plan and c.EMP not in look.choices
    return f": only {record.emp_per_turn} EMP a turn" if spent else ""


def _said(words: str, wide: float) -> Block:
    return Block(wide, _HIGH, rows(wrapped(words, wide), 0, 40, 17))


def _slots(actions: Sequence[int], kinds: Sequence[int]) -> Block:
    """A plan, slot by slot; one of them lit up."""
    slots, wide = [], 34
    for slot, (action, kind) in enumerate(zip(actions, kinds, strict=True)):
        lit = kind == fleets.DECIDING
        drawn = glow(0, 0, wide, _HIGH, 8, svg.LIME, 0.8) if lit else ""
        edge = svg.LIME if lit else svg.BRIGHT if kind in fleets.RINGED else svg.LINE
        thick = 2.4 if kind in fleets.RINGED else 1.6
        dashes = "5 4" if kind == fleets.LATER else None
        frame = 0, 0, wide, _HIGH, 8, svg.CARD
        drawn += box(*frame, stroke=edge, stroke_width=thick, stroke_dasharray=dashes)
        ink = svg.LIME if lit else svg.DIM
        drawn += letters(str(slot + 1), wide / 2, _HIGH - 12, LEAST, "middle", ink)
        if action != c.NONE:
            drawn += signs.icon(action, wide / 2, 32, 24, 0.35 if kind in fleets.FAINT else 1)
        elif lit:
            drawn += letters("?", wide / 2, 40, 14, "middle", svg.LIME)
        elif kind != fleets.LATER:
            drawn += fleets.hidden(wide / 2, 32, 24)
        slots.append(Block(wide, _HIGH, drawn))
    return flow(slots, 9 * (wide + 4), 4)


def _button(content: str, words: Sequence[str], wide: float, lit: bool, shut: bool) -> str:
    """A choice: its sign above its words; lit up if it is legal, dim if it is not."""
    drawn = glow(0, 0, wide, _HIGH, 8, svg.LIME, 0.8) if lit else ""
    edge = svg.LIME if lit else svg.LINE
    drawn += box(0, 0, wide, _HIGH, 8, svg.CARD, stroke=edge, stroke_width=1.6) + content
    ink = svg.LINE if shut else svg.BRIGHT if lit else svg.SILVER
    for line, word in enumerate(words):
        y = _HIGH - 12 - 16 * (len(words) - 1 - line)
        drawn += letters(word, wide / 2, y, LEAST, "middle", ink)
    return drawn


def _choice(record: Battle, look: Look, action: int, name: str, wide: float) -> Block:
    """A button with its action's number, and the sign of one that is planned."""
    legal = look.choices is not None and action in look.choices
    shut = look.choices is not None and not legal
    sign = letters(str(action), 6, 18, LEAST, colour=svg.DIM)
    if action < c.PLACES:
        sign += signs.icon(action, wide / 2 + 4, 27, 26, 0.35 if shut else 1)
    drawn = _button(sign, name.split(), wide, legal, shut)
    return Block(wide, _HIGH, signs.chosen(record, look.choices, action, drawn))


def _choices(
    record: Battle, look: Look, names: Sequence[str], first: int, wide: float, room: float
) -> Block:
    """What may be chosen but for places; the legal ones lit up."""
    numbered = enumerate(names, start=first)
    return flow([_choice(record, look, at_, name, wide) for at_, name in numbered], room, 4)


def _compass(record: Battle, look: Look, seat: int, wide: float, room: float) -> Block:
    """The six facings of a deployment: each is one end of it, a hex is the other."""
    buttons, craft = [], signs.craft(record.team_of(seat), signs.colour_of(record, seat))
    for facing, name in enumerate(c.FACINGS):
        legal = [each for each in look.choices or () if (each - c.PLACES) % 6 == facing]
        ship = at(wide / 2, 34, craft, 1.5, 60 * facing)
        drawn = _button(ship, [name], wide, bool(legal), False)
        buttons.append(Block(wide, _HIGH, target(drawn, legal, f"facing {name}", alone=False)))
    return flow(buttons, room, 4)
