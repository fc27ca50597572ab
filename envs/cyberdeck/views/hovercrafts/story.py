"""Hovercrafts: what happened between two records, as typed events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.hovercrafts.fields import (
    TEAM_NAMES,
    adjacent,
    beside,
    decided,
    known_plan,
    known_upgrades,
    label,
    named,
    planning,
    replaying,
    revealed,
    same_turn,
    team_of,
    turn_number,
)
from cyberdeck.views.record import Record
from cyberdeck.views.view import Between, Event, Viewer

# --- decisions -----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Picked(Event):
    """A team has taken a side."""

    side: int


@dataclass(frozen=True, kw_only=True)
class Deployed(Event):
    """A ship has come onto the map."""

    cell: int
    facing: int


@dataclass(frozen=True, kw_only=True)
class Planned(Event):
    """A slot of a turn's plan is decided, and the viewer knows what it holds."""

    turn: int
    slot: int
    action: int


@dataclass(frozen=True, kw_only=True)
class AllPlanned(Event):
    """All ships that have this slot of a turn's plan have decided it."""

    turn: int
    slot: int


@dataclass(frozen=True, kw_only=True)
class Chosen(Event):
    """An upgrade is chosen, and the viewer knows which."""

    slot: int
    stat: int


# --- a phase -------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Move(Event):
    """A ship was to move: from a hex, to the one ahead."""

    start: int
    ahead: int


@dataclass(frozen=True, kw_only=True)
class Moved(Move):
    """It is there."""


@dataclass(frozen=True, kw_only=True)
class Blocked(Move):
    """It stays: others were in the way."""


@dataclass(frozen=True, kw_only=True)
class Rammed(Move):
    """It has run into another ship, and is in the other's place or not."""

    target: int
    moved: bool


@dataclass(frozen=True, kw_only=True)
class Crashed(Move):
    """It has run into a wall."""


@dataclass(frozen=True, kw_only=True)
class LeftMap(Move):
    """It is off the map, and out of the game."""


@dataclass(frozen=True, kw_only=True)
class BrokeThrough(Move):
    """It has escaped, as its team is to."""


@dataclass(frozen=True, kw_only=True)
class Turned(Event):
    """A ship has turned: RIGHT or LEFT."""

    way: int


@dataclass(frozen=True, kw_only=True)
class Landed(Event):
    """A ship has landed: to do nothing else, to use EMP, or to repair."""

    action: int
    cell: int
    jammed: bool
    """Whether an EMP of the phase before has brought it down."""


@dataclass(frozen=True, kw_only=True)
class Jammed(Event):
    """An EMP has hit a ship: of one of these, as they are all in reach."""

    users: tuple[int, ...]
    lands: bool
    """Whether it would do something in the next phase, and will land instead."""


@dataclass(frozen=True, kw_only=True)
class Shot(Event):
    """A ship has fired at another."""

    target: int
    hit: bool


@dataclass(frozen=True, kw_only=True)
class Out(Event):
    """A ship has gone out of the game: where."""

    cell: int


@dataclass(frozen=True, kw_only=True)
class HullLeft(Event):
    """What hull a ship has after it was damaged or repaired."""

    hull: int
    change: int


# --- what it meant -------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Scored(Event):
    """What points the teams have, once they have changed."""

    points: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class BattleEnded(Event):
    """A battle of the campaign is over; its winner, NONE after a draw; the battles won."""

    battle: int
    winner: int
    won: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Raised(Event):
    """A ship's stat has been raised."""

    stat: int
    value: int


def story(before: Record, after: Record, viewer: Viewer, between: Between) -> list[Event]:
    """What happened between two records, in order: what was decided, and what came of it."""
    told = list(_sides_and_places(before, after))
    passed = replaying(before) or replaying(after) or not same_turn(before, after)
    if passed and between.phases:
        told += _last_orders(before, after, viewer)
        told += _phases(before, after, between)
    if not replaying(after):
        told += _outcome(before, after)
        told += _orders(before, after, viewer)
    return told


def _sides_and_places(before: Record, after: Record) -> Iterator[Event]:
    if before.phase == c.PICK and after.phase != c.PICK and before.battle == after.battle:
        seat = before.mover
        side = c.RIGHT_SIDE if after.starting == team_of(before, seat) else c.LEFT_SIDE
        words = f"{label(after, seat)} takes the {c.SIDES[side]} side"
        yield Picked(words=words, seat=seat, side=side)
    if before.phase == c.PLAN or after.phase not in (c.DEPLOY, c.PLAN) or after.turns:
        return
    for seat in range(after.seats):
        cell, facing = after.cell[seat], after.facing[seat]
        if before.cell[seat] == c.NONE != cell:
            words = f"{label(after, seat)} is deployed at {named(cell)}, facing {c.FACINGS[facing]}"
            drawn = bool(after.deployment == c.RANDOM)
            yield Deployed(words=words, seat=seat, cell=cell, facing=facing, follows=drawn)


def _orders(before: Record, after: Record, viewer: Viewer) -> Iterator[Event]:
    """What has been decided of the turn that is planned, or of the upgrades."""
    same = planning(before) and same_turn(before, after)
    hidden = set()
    for seat in range(after.seats):
        ship = label(after, seat)
        if planning(after):
            plan, turn = known_plan(after, viewer, seat), turn_number(after)
            old = decided(before, viewer, seat) if same else [False] * len(plan)
            for slot, done in enumerate(decided(after, viewer, seat)):
                if done and not old[slot] and plan[slot] == c.NONE:
                    hidden.add(slot)
                elif done and not old[slot]:
                    yield _planned(after, seat, turn, slot, plan[slot])
        known = known_upgrades(before, viewer, seat)
        for slot, stat in enumerate(known_upgrades(after, viewer, seat)):
            if stat != c.NONE and known[slot : slot + 1] != [stat]:
                words = f"{ship} chooses to raise {c.STAT_NAMES[stat]}"
                yield Chosen(words=words, seat=seat, slot=slot, stat=stat)
    for slot in sorted(hidden):
        words = f"all ships have planned action {slot + 1}"
        yield AllPlanned(words=words, turn=turn_number(after), slot=slot)


def _last_orders(before: Record, after: Record, viewer: Viewer) -> Iterator[Event]:
    """What the viewer knew to have been decided of the turn that was carried out, since *before*.

    Nothing of others' ships: all their orders are news when a turn is carried out.
    """
    if not planning(before) or (before.battle, before.turns + 1) != (after.battle, after.turns):
        return
    for seat in range(after.seats) if viewer is None else viewer:
        old, turn = decided(before, viewer, seat), turn_number(before)
        for slot, action in enumerate(revealed(after, seat)):
            if slot < len(old) and not old[slot]:
                yield _planned(after, seat, turn, slot, action)


def _planned(record: Record, seat: int, turn: int, slot: int, action: int) -> Planned:
    words = f"{label(record, seat)} plans {c.ACTIONS[action]}"
    return Planned(words=words, seat=seat, turn=turn, slot=slot, action=action)


def _phases(before: Record, after: Record, between: Between) -> Iterator[Event]:
    """The phases of the turn that *after* shows or comes after, as far as they come after
    *before*.
    """
    past = between.begun or before
    first = before.passed if replaying(before) else 0
    for number, phase in enumerate(between.phases[: after.passed], start=1):
        if number > first:
            for event in _phase(past, phase):
                yield replace(event, phase=number, follows=True)
        past = phase


def _phase(past: Record, now: Record) -> Iterator[Event]:
    """What one phase has brought."""
    seats = range(now.seats)
    flying = [seat for seat in seats if past.cell[seat] != c.NONE]
    places = [now.cell[seat] if now.cell[seat] != c.NONE else now.wreck[seat] for seat in seats]
    for seat in flying:
        if now.done[seat] != c.NO_ACTION:
            yield _deed(now, seat, past.cell[seat], places[seat])
    for seat in seats:
        if now.jammed[seat]:
            yield _jammed(now, seat, places)
    for seat in seats:
        for target in seats:
            if now.shot[seat] >> target & 1:
                hit = bool(now.hit[seat] >> target & 1)
                verb = "hits" if hit else "misses"
                words = f"{label(now, seat)} {verb} {label(now, target)}"
                yield Shot(words=words, seat=seat, target=target, hit=hit)
    for seat in flying:
        if now.cell[seat] == c.NONE and not now.escaped[seat]:
            yield Out(words=f"{label(now, seat)} is out", seat=seat, cell=places[seat])
    for seat in flying:
        hull, change = now.hull_left[seat], now.hull_left[seat] - past.hull_left[seat]
        if now.cell[seat] != c.NONE and (change or now.done[seat] == c.REPAIR):
            words = f"hull {label(now, seat)} {hull}/{now.hull[seat]}"
            yield HullLeft(words=words, seat=seat, hull=hull, change=change)


#: What is done besides moves: who sets off an EMP or repairs is landed too.
_DEEDS: Final = {
    c.RIGHT: "turns right",
    c.LEFT: "turns left",
    c.LAND: "lands",
    c.EMP: "lands and uses EMP",
    c.REPAIR: "lands and repairs",
}


def _deed(now: Record, seat: int, start: int, place: int) -> Event:
    """What a ship did; *place*: where it is then, or went out of the game."""
    ship, action = label(now, seat), now.done[seat]
    if action == c.MOVE:
        return _move(now, seat, start, place)
    if action in (c.RIGHT, c.LEFT):
        return Turned(words=f"{ship} {_DEEDS[action]}", seat=seat, way=action)
    jammed = action != now.revealed[seat][now.passed - 1]
    words = f"{ship} lands, hit by an EMP" if jammed else f"{ship} {_DEEDS[action]}"
    return Landed(words=words, seat=seat, action=action, cell=place, jammed=jammed)


def _move(now: Record, seat: int, start: int, place: int) -> Move:
    ship, ahead = label(now, seat), beside(start, now.facing[seat])
    if now.terrain[ahead] == c.WALL:
        return Crashed(words=f"{ship} hits a wall", seat=seat, start=start, ahead=ahead)
    if now.terrain[ahead] == c.OFF_MAP:
        if now.escaped[seat]:
            return BrokeThrough(words=f"{ship} escapes", seat=seat, start=start, ahead=ahead)
        return LeftMap(words=f"{ship} leaves the map", seat=seat, start=start, ahead=ahead)
    moved, target = place == ahead, now.rammed[seat]
    if target != c.NONE:
        words = f"{ship} rams {label(now, target)}"
        words += f" and moves to {named(ahead)}" if moved else ""
        return Rammed(words=words, seat=seat, start=start, ahead=ahead, target=target, moved=moved)
    if moved:
        words = f"{ship} moves to {named(ahead)}"
        return Moved(words=words, seat=seat, start=start, ahead=ahead)
    words = f"{ship} stays before {named(ahead)}"
    return Blocked(words=words, seat=seat, start=start, ahead=ahead)


def _jammed(now: Record, seat: int, places: list[int]) -> Jammed:
    """Whose EMP has hit a ship, one of those beside it that set one off; and what comes of it."""
    users = tuple(
        user
        for user in range(now.seats)
        if now.done[user] == c.EMP
        and places[user] != c.NONE
        and adjacent(places[user], places[seat])
    )
    out = now.cell[seat] == c.NONE
    coming = now.revealed[seat][now.passed : now.passed + 1]
    lands = not out and coming not in ([], [c.NONE], [c.NO_ACTION])
    effect = ": lands next" if lands else "" if out else ": no effect"
    by = " or ".join(label(now, user) for user in users)
    words = f"{label(now, seat)} is hit by the EMP of {by}{effect}"
    return Jammed(words=words, seat=seat, users=users, lands=lands)


def _outcome(before: Record, after: Record) -> Iterator[Event]:
    """What a turn meant for the goal and the campaign, and the upgrades that all have chosen."""
    ended = before.battle != after.battle
    points = tuple(after.points)
    if (ended or before.turns < after.turns) and points != tuple(before.points) and any(points):
        words = f"points: {score(after.points)}"
        yield Scored(words=words, points=points, follows=True)
    if ended:
        won = [team for team in (c.ZION, c.MACHINES) if after.won[team] > before.won[team]]
        outcome = f"{TEAM_NAMES[won[0]]} won" if won else "a draw"
        yield BattleEnded(
            words=f"battle {after.battle}: {outcome}; {score(after.won)}",
            battle=after.battle,
            winner=won[0] if won else c.NONE,
            won=tuple(after.won),
            follows=True,
        )
    for seat in range(after.seats):
        values = after.hull, after.shield, after.ballistic, after.energy
        for stat, name in enumerate(c.STAT_NAMES):
            if after.raised[seat][stat] > before.raised[seat][stat]:
                value = values[stat][seat]
                words = f"{label(after, seat)} raises {name} to {value}"
                yield Raised(words=words, seat=seat, stat=stat, value=value, follows=True)


def score(counts: list[int]) -> str:
    """What each team has."""
    return f"Zion {counts[c.ZION]}, Machines {counts[c.MACHINES]}"
