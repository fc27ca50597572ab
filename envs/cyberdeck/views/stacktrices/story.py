"""What has happened between two records of Stacktrices, read off them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.names import COLOURS, KIND_NAMES, square_name
from cyberdeck.views.record import Record
from cyberdeck.views.stacktrices import sight
from cyberdeck.views.view import Between, Event, Viewer


class Opened(Event):
    """Both sides are set up: what the side has on its stacks lies open now."""


@dataclass(frozen=True, kw_only=True)
class OfStack(Event):
    """Something that a stack did, or that was done to it."""

    stack: int


@dataclass(frozen=True, kw_only=True)
class Moved(OfStack):
    """It went from a square to another."""

    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Captured(OfStack):
    """It was the other side's, and left the game; perhaps it was the thief."""

    thief: bool


@dataclass(frozen=True, kw_only=True)
class Changed(OfStack):
    """Pieces of these kinds came on it, and left it."""

    came: tuple[int, ...]
    left: tuple[int, ...]
    source: int
    """The captured stack that they were stolen from, or NONE."""


class Stolen(Event):
    """It has taken a piece of a captured stack, and has not put it on one of its own yet."""


class Raided(OfStack):
    """Its raid began."""


class Exposed(OfStack):
    """It has shown itself as the thief for good."""


class Hidden(Event):
    """A side has hidden its thief."""


class CalledOff(Event):
    """A trade was given up: all is as it was."""


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
    name, other = sight.side_name(after, owner), 1 - owner
    names = [sight.label(after, owner, stack) for stack in range(c.STACKS)]
    if sight.caps_hidden(before, viewer, owner) and not sight.caps_hidden(after, viewer, owner):
        yield Opened(seat=owner, words=f"{name}'s pieces are open now")
    for stack in sight.standing(after, owner):
        ends = before.square[owner][stack], after.square[owner][stack]
        if ends[0] != ends[1]:
            way = " to ".join(square_name(after.first, end) for end in ends)
            words = f"{names[stack]} moves from {way}"
            yield Moved(seat=owner, words=words, stack=stack, start=ends[0], end=ends[1])
    for stack in sight.standing(before, other):
        if after.square[other][stack] == c.NONE:
            # As the turn that goes on says, or it was the only drone.
            alone = [each for each in sight.standing(before, other) if each < c.DRONES] == [stack]
            thief = bool(after.caught and after.captured == stack) or alone
            fell = sight.stack_name(before, other, stack)
            words = f"{fell} is captured{', with the thief' if thief else ''}"
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
            words += f" from {sight.label(after, other, source)}"
        yield Changed(seat=owner, words=words, stack=stack, came=came, left=left, source=source)
    if after.phase == c.PLACE_STOLEN and after.mover == owner and before.phase != after.phase:
        kind = KIND_NAMES[after.hand[owner].index(1)]
        yield Stolen(seat=owner, words=f"{name} steals the {kind} of {sight.captured_label(after)}")
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


def _changes(before: Record, after: Record, viewer: Viewer, owner: int) -> list[Change]:
    """The pieces that the viewer has seen coming on a side's stacks, and leaving them."""
    found: list[Change] = []
    if sight.caps_hidden(before, viewer, owner):
        return found
    for stack in sight.standing(after, owner):
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
    stack, hides = after.captured, after.phase == c.HIDE_AGAIN
    active = 1 - after.mover if hides else after.mover
    over = not hides and after.phase != c.AFTER_MOVE
    if over or stack == c.NONE or active != owner or after.turns > before.turns + 1:
        return c.NONE
    stole = before.phase in (c.STEAL, c.PLACE_STOLEN) or before.square[1 - owner][stack] != c.NONE
    got = sum(len(came) for _, came, _ in changes)
    raided = after.raided[owner] != before.raided[owner]
    return int(stack) if stole and got == 1 and not raided else c.NONE


def _called_off(before: Record, after: Record, owner: int) -> bool:
    """Whether all that was given in a trade is back, as far as its stacks are still there."""
    if before.phase != c.TRADE or before.mover != owner or after.turns == before.turns:
        return False
    pieces = [list(counts) for counts in before.pieces[owner]]
    for traded, change in ((before.given, 1), (before.taken, -1)):
        for piece in traded:
            if piece != c.NONE:
                pieces[piece // c.KINDS][piece % c.KINDS] += change
    return all(
        pieces[stack] == after.pieces[owner][stack] for stack in sight.standing(after, owner)
    )
