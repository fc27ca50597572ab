"""What has happened between two records of Stacktrices, read off them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.names import COLOURS, KIND_NAMES, square_name
from cyberdeck.views.record import Record
from cyberdeck.views.stacktrices.sight import (
    caps_hidden,
    label,
    side_name,
    stack_name,
    standing,
)
from cyberdeck.views.view import Between, Event, Viewer


@dataclass(frozen=True, kw_only=True)
class Opened(Event):
    """Both sides are set up: what the side has on its stacks lies open now."""


@dataclass(frozen=True, kw_only=True)
class Moved(Event):
    """A stack went from a square to another."""

    stack: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Captured(Event):
    """A stack of the other side's left the game, perhaps the thief."""

    stack: int
    thief: bool


@dataclass(frozen=True, kw_only=True)
class Changed(Event):
    """Pieces of these kinds came on a stack, and left it."""

    stack: int
    came: tuple[int, ...]
    left: tuple[int, ...]
    source: int
    """The captured stack that they were stolen from, or NONE."""


@dataclass(frozen=True, kw_only=True)
class Raided(Event):
    """A stack's raid began."""

    stack: int


@dataclass(frozen=True, kw_only=True)
class Exposed(Event):
    """A thief has shown itself for good."""

    stack: int


@dataclass(frozen=True, kw_only=True)
class Hidden(Event):
    """A side has hidden its thief."""


@dataclass(frozen=True, kw_only=True)
class CalledOff(Event):
    """A trade was given up: all is as it was."""


@dataclass(frozen=True, kw_only=True)
class TurnEnded(Event):
    """A side's turn ended."""


#: (stack, the kinds that came on it, the kinds that left it)
Change: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]


def story(before: Record, after: Record, viewer: Viewer, between: Between) -> list[Event]:
    """What the viewer has seen happening, in order: of who was to move, and then of the other."""
    first = max(before.mover, 0)
    return [event for owner in (first, 1 - first) for event in _of(owner, before, after, viewer)]


def _of(owner: int, before: Record, after: Record, viewer: Viewer) -> Iterator[Event]:
    """What one side has done."""
    name, other = side_name(after, owner), 1 - owner
    names = [label(after, owner, stack) for stack in range(c.STACKS)]
    if caps_hidden(before, viewer, owner) and not caps_hidden(after, viewer, owner):
        yield Opened(seat=owner, words=f"{name}'s caps are open now")
    for stack in standing(after, owner):
        ends = before.square[owner][stack], after.square[owner][stack]
        if ends[0] != ends[1]:
            way = " to ".join(square_name(after.first, end) for end in ends)
            words = f"{names[stack]} moves from {way}"
            yield Moved(seat=owner, words=words, stack=stack, start=ends[0], end=ends[1])
    for stack in standing(before, other):
        if after.square[other][stack] == c.NONE:
            thief = _was_thief(before, after, other, stack)
            words = f"{stack_name(before, other, stack)} is captured" + ", with the thief" * thief
            yield Captured(seat=owner, words=words, stack=stack, thief=thief, follows=True)
    called_off = _called_off(before, after, owner)
    changes = [] if called_off else _changes(before, after, viewer, owner)
    source = _source(before, after, owner, changes)
    for stack, came, left in changes:
        told = [
            f"{verb} {', '.join(KIND_NAMES[kind] for kind in kinds)}"
            for verb, kinds in (("gets", came), ("gives", left))
            if kinds
        ]
        words = f"{names[stack]} {', '.join(told)}"
        if source != c.NONE:
            words += f" from {label(after, other, source)}"
        yield Changed(seat=owner, words=words, stack=stack, came=came, left=left, source=source)
    for drone in range(c.DRONES):
        if after.raided[owner][drone] > before.raided[owner][drone]:
            yield Raided(seat=owner, words=f"{names[drone]} raids", stack=drone)
    if after.exposed[owner] > before.exposed[owner]:
        thief = after.thief[owner]
        yield Exposed(seat=owner, words=f"{names[thief]} is exposed", stack=thief)
    if before.mover == owner and before.phase in (c.HIDE, c.HIDE_AGAIN, c.HIDE_RAIDER):
        yield Hidden(seat=owner, words=f"{name} has hidden its thief")
    if called_off:
        yield CalledOff(seat=owner, words="the trade is called off")
    if any(COLOURS[turn % 2] == name for turn in range(before.turns, after.turns)):
        yield TurnEnded(seat=owner, words=f"{name}'s turn ends")


def _was_thief(before: Record, after: Record, owner: int, stack: int) -> bool:
    """Whether a captured stack was the thief: as the turn that goes on says, or it was the only
    drone.
    """
    drones = [drone for drone in standing(before, owner) if drone < c.DRONES]
    return bool(after.caught and after.captured == stack) or drones == [stack]


def _changes(before: Record, after: Record, viewer: Viewer, owner: int) -> list[Change]:
    """The pieces that the viewer has seen coming on a side's stacks, and leaving them."""
    found: list[Change] = []
    if caps_hidden(before, viewer, owner):
        return found
    for stack in standing(after, owner):
        old, new = before.pieces[owner][stack], after.pieces[owner][stack]
        came, left = (
            tuple(k for k in range(c.KINDS) for _ in range(more[k] - less[k]))
            for more, less in ((new, old), (old, new))
        )
        if came or left:
            found.append((stack, came, left))
    return found


def _source(before: Record, after: Record, owner: int, changes: list[Change]) -> int:
    """The captured stack whose piece is all that a side has got, if there was no other way to get
    it: in this turn, which is not over, the side has neither raided nor traded.
    """
    phase, stack, victim = after.phase, after.captured, 1 - owner
    active = 1 - after.mover if phase == c.HIDE_AGAIN else after.mover
    turns = after.turns - before.turns
    if phase not in (c.HIDE_AGAIN, c.AFTER_MOVE) or stack == c.NONE or active != owner or turns > 1:
        return c.NONE
    got = [kind for _, came, _ in changes for kind in came]
    lost = [kind for *_, left in changes for kind in left]
    if len(got) != 1 or lost or after.raided[owner] != before.raided[owner]:
        return c.NONE
    stealing = turns == 0 and before.phase in (c.STEAL, c.PLACE_STOLEN)
    fell = before.square[victim][stack] != c.NONE and before.pieces[victim][stack][got[0]]
    return int(stack) if stealing or fell else c.NONE


def _called_off(before: Record, after: Record, owner: int) -> bool:
    """Whether all that was given in a trade is back, as far as its stacks are still there."""
    if before.phase != c.TRADE or before.mover != owner or after.turns == before.turns:
        return False
    pieces = [list(counts) for counts in before.pieces[owner]]
    for traded, change in ((before.given, 1), (before.taken, -1)):
        for piece in traded:
            if piece != c.NONE:
                pieces[piece // c.KINDS][piece % c.KINDS] += change
    return all(pieces[stack] == after.pieces[owner][stack] for stack in standing(after, owner))
