"""What has been done between two records of HACKtheGRID, read off them: takes, and swaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, TypeAlias

from cyberdeck.engine.constants import NOBODY
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.views.hackthegrid.cards import HACKERS, card_name
from cyberdeck.views.record import Record
from cyberdeck.views.view import Between, Event, Viewer, seat_of

Runs: TypeAlias = tuple[list[int], list[int]]


@dataclass(frozen=True, kw_only=True)
class Taken(Event):
    """A card went from a cell of the grid to a place of a hacker's Run."""

    card: int
    cell: int
    place: int


@dataclass(frozen=True, kw_only=True)
class Swapped(Event):
    """The cards at these places of the column hacker's and of the row hacker's Run were swapped;
    by NOBODY, if it cannot be told who did it.
    """

    places: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Declined(Event):
    """A SCRAMBLE's swap was declined."""


_MOST_SWAPS: Final = 2  # between two records, for them to be told one by one


def story(before: Record, after: Record, viewer: Viewer, between: Between) -> list[Event]:
    """What has been done since *before*, in order; both are records of one game.

    Between two decisions of a seat the other one has one turn. What is farther apart is told as
    far as it can be.
    """
    mover, swapping = before.mover, before.phase == c.SWAP
    if mover == NOBODY or before.decisions == after.decisions:
        return []
    runs = _runs(before)
    takes = _takes(before, after, 1 - mover if swapping else mover, runs, viewer)
    deciders = _deciders(before, after, takes, runs)
    now = _runs(after)
    swaps = _swaps(runs, now)
    owners = [NOBODY] * len(swaps)
    # Two swaps of four cards may have come in either order.
    ordered = len(swaps) == 1 or any(len(set(places)) == 1 for places in zip(*swaps, strict=True))
    alone = len(set(deciders)) == 1 and len(swaps) < len(deciders)
    if alone or (len(swaps) == len(deciders) and (ordered or len(set(deciders)) == 1)):
        owners = deciders[: len(swaps)]
    done: list[Event] = [
        _swapped(owner, places, viewer) for owner, places in zip(owners, swaps, strict=True)
    ]
    if runs == now and len(deciders) == 1:
        words = f"{_who(deciders[0], viewer)} declined the swap"
        done = [Declined(seat=deciders[0], words=words)]
    # Who was to swap did that first; whatever else was swapped came last.
    first = int(swapping and bool(done) and done[0].seat == mover)
    return [*done[:first], *takes, *done[first:]]


def _who(hacker: int, viewer: Viewer) -> str:
    return "you" if hacker == seat_of(viewer) else HACKERS[hacker]


def _swapped(hacker: int, places: tuple[int, int], viewer: Viewer) -> Swapped:
    whose = ["your" if at == seat_of(viewer) else f"{name}'s" for at, name in enumerate(HACKERS)]
    if hacker == NOBODY:
        swapped = (f"{each} place {at}" for each, at in zip(whose, places, strict=True))
        words = f"{' and '.join(swapped)} were swapped"
    else:
        given, got = places[hacker], places[1 - hacker]
        words = f"{_who(hacker, viewer)} swapped place {given} for {whose[1 - hacker]} {got}"
    return Swapped(seat=hacker, places=places, words=words)


def _runs(record: Record) -> Runs:
    column, row = ([card for card in run if card != c.NONE] for run in record.run)
    return column, row


def _takes(old: Record, new: Record, taker: int, runs: Runs, viewer: Viewer) -> list[Taken]:
    """The cards taken in turns from *taker* on, laid at the ends of the *runs*."""
    cells = [at for at, card in enumerate(old.grid) if card != c.NONE and new.grid[at] == c.NONE]
    column, row = ((new if at == taker else old).avatar[at] for at in range(2))
    # The first one was taken before the other hacker had moved.
    cells.sort(key=lambda cell: cell != c.SIDE * row + column)
    takes = []
    for cell in cells:
        card, place = old.grid[cell], len(runs[taker])
        words = f"{_who(taker, viewer)} took {card_name(old, card)}"
        takes.append(Taken(seat=taker, card=card, cell=cell, place=place, words=words))
        runs[taker].append(card)
        taker = 1 - taker
    return takes


def _deciders(old: Record, new: Record, takes: Sequence[Taken], runs: Runs) -> list[int]:
    """Who has decided about a swap since then, in order."""
    if new.scramble == c.AT_END:
        return list(new.takers[old.decided : new.decided])
    first = [old.mover] if old.phase == c.SWAP else []
    later, lengths = [], list(old.length)
    for take in takes:
        had = {new.kind[other] for other in runs[take.seat][: take.place]}
        if new.kind[take.card] == c.SCRAMBLE and lengths[1 - take.seat] and had - {c.SCRAMBLE}:
            later.append(take.seat)
        lengths[take.seat] += 1
    # The last one has yet to decide, if a swap is to be decided now.
    return first + (later[:-1] if new.phase == c.SWAP else later)


def _swaps(runs: Runs, now: Runs) -> list[tuple[int, int]]:
    """The swaps, in order, that make one of the other, if they are few."""
    column, row = (
        [place for place, card in enumerate(run) if now[hacker][place] != card]
        for hacker, run in enumerate(runs)
    )
    for count in range(1, _MOST_SWAPS + 1):
        for tried in product(product(column, row), repeat=count):
            left, right = list(runs[0]), list(runs[1])
            for at_left, at_right in tried:
                left[at_left], right[at_right] = right[at_right], left[at_left]
            if (left, right) == now:
                return list(tried)
    return []
