"""Hovercrafts: what happened between two records, as typed events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.hovercrafts.fields import TEAM_NAMES, Battle, around, beside, named
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
    """All ships have decided a slot, if they have it."""

    slot: int


@dataclass(frozen=True, kw_only=True)
class Chosen(Event):
    """An upgrade is chosen, and the viewer knows which."""

    stat: int


# --- a phase -------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Move(Event):
    """A ship was to move: from a hex, to the one ahead."""

    start: int
    ahead: int


class Moved(Move):
    """It is there."""


class Blocked(Move):
    """It stays: others were in the way."""


class Crashed(Move):
    """It has run into a wall."""


class LeftMap(Move):
    """It is off the map, and out of the game."""


class BrokeThrough(Move):
    """It has escaped, as its team is to."""


@dataclass(frozen=True, kw_only=True)
class Rammed(Move):
    """It has run into another ship, and is in the other's place or not."""

    target: int
    moved: bool


@dataclass(frozen=True, kw_only=True)
class Turned(Event):
    """A ship has turned: RIGHT or LEFT."""

    way: int


@dataclass(frozen=True, kw_only=True)
class Landed(Event):
    """A ship has landed: for LAND, EMP or REPAIR, or hit by an EMP in the phase before."""

    action: int
    cell: int
    jammed: bool


@dataclass(frozen=True, kw_only=True)
class Jammed(Event):
    """An EMP has hit a ship, one of these; whether it will land where it would have done more."""

    users: tuple[int, ...]
    lands: bool


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
    old, new = Battle.seen(before, viewer), Battle.seen(after, viewer)
    told = list(_sides_and_places(old, new))
    if between.phases:
        told += _last_orders(old, new)
    phases = [old, *(Battle.seen(phase, viewer) for phase in between.phases)]
    for past, now in pairwise(phases):
        told += [replace(each, phase=now.passed, follows=True) for each in _phase(past, now)]
    if not new.replaying:
        told += [replace(event, follows=True) for event in _outcome(old, new)]
        told += _orders(old, new)
    return told


def score(counts: Sequence[int]) -> str:
    """What each team has."""
    return f"Zion {counts[c.ZION]}, Machines {counts[c.MACHINES]}"


def _sides_and_places(old: Battle, new: Battle) -> Iterator[Event]:
    if old.phase == c.PICK != new.phase and old.battle == new.battle:
        seat = old.mover
        side = c.RIGHT_SIDE if new.starting == old.team_of(seat) else c.LEFT_SIDE
        words = f"{new.label(seat)} takes the {c.SIDES[side]} side"
        yield Picked(words=words, seat=seat, side=side)
    if old.phase == c.PLAN or new.phase not in (c.DEPLOY, c.PLAN) or new.turns:
        return
    for seat in range(new.seats):
        if old.cell[seat] == c.NONE != new.cell[seat]:
            cell, facing, drawn = new.cell[seat], new.facing[seat], new.deployment == c.RANDOM
            words = f"{new.label(seat)} is deployed at {named(cell)}, facing {c.FACINGS[facing]}"
            yield Deployed(words=words, seat=seat, cell=cell, facing=facing, follows=drawn)


def _orders(old: Battle, new: Battle) -> Iterator[Event]:
    """What has been decided of the turn that is planned, or of the upgrades."""
    same = old.planning and (old.battle, old.turns) == (new.battle, new.turns)
    hidden = set()
    for seat in range(new.seats):
        plan = new.known_plan(seat) if new.planning else []
        before = old.decided(seat) if same else [False] * len(plan)
        for slot, action in enumerate(plan):
            if new.decided(seat)[slot] and not before[slot]:
                if action == c.NONE:
                    hidden.add(slot)
                else:
                    yield _planned(new, seat, new.turn_number, slot, action)
        known = old.known_upgrades(seat)
        for slot, stat in enumerate(new.known_upgrades(seat)):
            if stat != c.NONE and known[slot : slot + 1] != [stat]:
                words = f"{new.label(seat)} chooses to raise {c.STAT_NAMES[stat]}"
                yield Chosen(words=words, seat=seat, stat=stat)
    for slot in sorted(hidden):
        yield AllPlanned(words=f"all ships have planned action {slot + 1}", slot=slot)


def _last_orders(old: Battle, new: Battle) -> Iterator[Event]:
    """What has been decided since of the turn that was carried out, and the viewer knew then.

    Nothing of others' ships: all their orders are news when a turn is carried out.
    """
    if old.planning and (old.battle, old.turn_number) == (new.battle, new.last_turn):
        for seat in range(new.seats) if new.viewer is None else new.viewer:
            before = old.decided(seat)
            for slot, action in enumerate(new.last_plan(seat)[: len(before)]):
                if not before[slot]:
                    yield _planned(new, seat, old.turn_number, slot, action)


def _planned(now: Battle, seat: int, turn: int, slot: int, action: int) -> Planned:
    words = f"{now.label(seat)} plans {c.ACTIONS[action]}"
    return Planned(words=words, seat=seat, turn=turn, slot=slot, action=action)


# --- a phase -------------------------------------------------------------------------------------


def _phase(past: Battle, now: Battle) -> Iterator[Event]:
    """What one phase has brought."""
    seats, label = range(now.seats), now.label
    flying = [seat for seat in seats if past.cell[seat] != c.NONE]
    # Where each is, or went out of the game: at an aim that it reached.
    ways = zip(now.cell, now.aim, past.cell, strict=True)
    places = [next((cell for cell in way if cell != c.NONE), c.NONE) for way in ways]
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
                words = f"{label(seat)} {'hits' if hit else 'misses'} {label(target)}"
                yield Shot(words=words, seat=seat, target=target, hit=hit)
    for seat in flying:
        if now.cell[seat] == c.NONE and not now.escaped[seat]:
            yield Out(words=f"{label(seat)} is out", seat=seat, cell=places[seat])
    for seat in flying:
        hull, change = now.hull_left[seat], now.hull_left[seat] - past.hull_left[seat]
        if now.cell[seat] != c.NONE and (change or now.done[seat] == c.REPAIR):
            words = f"hull {label(seat)} {hull}/{now.hull[seat]}"
            yield HullLeft(words=words, seat=seat, hull=hull, change=change)


#: [action] What is done: who sets off an EMP or repairs is landed too.
_DEEDS: Final = (
    "moves",
    "turns right",
    "turns left",
    "lands",
    "lands and uses EMP",
    "lands and repairs",
)


def _deed(now: Battle, seat: int, start: int, place: int) -> Event:
    """What a ship did; *place*: where it is then, or went out of the game."""
    ship, action = now.label(seat), now.done[seat]
    if action in (c.RIGHT, c.LEFT):
        return Turned(words=f"{ship} {_DEEDS[action]}", seat=seat, way=action)
    if action != c.MOVE:
        jammed = action != now.revealed[seat][now.passed - 1]
        words = f"{ship} {'lands, jammed' if jammed else _DEEDS[action]}"
        return Landed(words=words, seat=seat, action=action, cell=place, jammed=jammed)
    ahead = beside(start, now.facing[seat])
    moved, target, there = place == ahead, now.rammed[seat], now.terrain[ahead]
    kind: type[Move] = Moved if moved else Blocked
    words = f"{'moves to' if moved else 'cannot move to'} {named(ahead)}"
    if there == c.WALL:
        kind, words = Crashed, "hits a wall"
    elif there == c.OFF_MAP and now.escaped[seat]:
        kind, words = BrokeThrough, "escapes"
    elif there == c.OFF_MAP:
        kind, words = LeftMap, "leaves the map"
    elif target != c.NONE:
        words = f"{ship} rams {now.label(target)}{f' and {words}' if moved else ''}"
        return Rammed(words=words, seat=seat, start=start, ahead=ahead, target=target, moved=moved)
    return kind(words=f"{ship} {words}", seat=seat, start=start, ahead=ahead)


def _jammed(now: Battle, seat: int, places: Sequence[int]) -> Jammed:
    """Whose EMP has hit a ship, one of those beside it that set one off; and what comes of it."""
    users = tuple(
        user
        for user in range(now.seats)
        if now.done[user] == c.EMP and places[seat] in around(places[user])
    )
    out = now.cell[seat] == c.NONE
    coming = now.revealed[seat][now.passed : now.passed + 1]
    lands = not out and coming not in ([], [c.NONE], [c.NO_ACTION])
    effect = ": lands next" if lands else "" if out else ": no action left"
    by = " or ".join(map(now.label, users))
    words = f"{now.label(seat)} is jammed by the EMP of {by}{effect}"
    return Jammed(words=words, seat=seat, users=users, lands=lands)


def _outcome(old: Battle, new: Battle) -> Iterator[Event]:
    """What a turn meant for the goal and the campaign, and the upgrades that all have chosen."""
    ended = old.battle != new.battle
    points, won = tuple(new.points), tuple(new.won)
    if (ended or old.turns < new.turns) and points != tuple(old.points) and any(points):
        yield Scored(words=f"points: {score(points)}", points=points)
    if ended:
        winners = [team for team in (c.ZION, c.MACHINES) if won[team] > old.won[team]]
        winner, outcome = c.NONE, "a draw"
        if winners:
            winner, outcome = winners[0], f"{TEAM_NAMES[winners[0]]} won"
        words = f"battle {new.battle}: {outcome}; {score(won)}"
        yield BattleEnded(words=words, battle=new.battle, winner=winner, won=won)
    for seat in range(new.seats):
        for stat, name in enumerate(c.STAT_NAMES):
            if new.raised[seat][stat] > old.raised[seat][stat]:
                value = getattr(new, name)[seat]
                words = f"{new.label(seat)} raises {name} to {value}"
                yield Raised(words=words, seat=seat, stat=stat, value=value)
