"""What has been done between two records, read off them: takes, swaps, and swaps declined."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import State
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.hackthegrid.rules import AT_END, NONE, SCRAMBLE, SIDE, SWAP

Runs: TypeAlias = tuple[list[int], list[int]]


class Taken(NamedTuple):
    """A card went from a cell of the grid to a place of a hacker's Run."""

    hacker: int
    card: int
    cell: int
    place: int


class Swapped(NamedTuple):
    """The cards at these places of the column hacker's and of the row hacker's Run were swapped."""

    hacker: int  # who did it; NOBODY, if that cannot be told
    places: tuple[int, int]


class Declined(NamedTuple):
    hacker: int


Deed: TypeAlias = Taken | Swapped | Declined

_MOST_SWAPS: Final = 2  # between two records, for them to be told one by one


def deeds(before: NDArray[Any], record: NDArray[Any]) -> list[Deed]:
    """What has been done since *before*, in order; both are records of one game.

    Between two decisions of a seat the other one has one turn. What is farther apart is told as
    far as it can be.

    >>> from cyberdeck import Batch
    >>> batch = Batch("hackthegrid", 1, seed=1)
    >>> before = batch.core.states.copy()
    >>> _ = batch.step([2])
    >>> deeds(before, batch.core.states)
    [Taken(hacker=1, card=9, cell=8, place=0)]
    """
    old, state = before[0], record[0]
    mover, swapping = int(old["mover"]), int(old["phase"]) == SWAP
    if mover == NOBODY or int(old["decisions"]) == int(state["decisions"]):
        return []
    runs = _runs(old)
    takes = _takes(old, state, 1 - mover if swapping else mover, runs)
    deciders = _deciders(old, state, takes, runs)
    now = _runs(state)
    swaps = _swaps(runs, now)
    owners = [NOBODY] * len(swaps)
    # Two swaps of four cards may have come in either order.
    ordered = len(swaps) == 1 or any(len(set(places)) == 1 for places in zip(*swaps, strict=True))
    alone = len(set(deciders)) == 1 and len(swaps) < len(deciders)
    if alone or (len(swaps) == len(deciders) and (ordered or len(set(deciders)) == 1)):
        owners = deciders[: len(swaps)]
    done: list[Deed] = [Swapped(*swap) for swap in zip(owners, swaps, strict=True)]
    if runs == now and len(deciders) == 1:
        done = [Declined(deciders[0])]
    # Who was to swap did that first; whatever else was swapped came last.
    first = int(swapping and bool(done) and done[0].hacker == mover)
    return [*done[:first], *takes, *done[first:]]


def _runs(state: State) -> Runs:
    column, row = ([int(card) for card in run if card != NONE] for run in state["run"])
    return column, row


def _takes(old: State, state: State, taker: int, runs: Runs) -> list[Taken]:
    """The cards taken in turns from *taker* on, laid at the ends of the *runs*."""
    cells = np.flatnonzero((old["grid"] != NONE) & (state["grid"] == NONE)).tolist()
    column, row = (int((state if at == taker else old)["avatar"][at]) for at in range(2))
    # The first one was taken before the other hacker had moved.
    cells.sort(key=lambda cell: cell != SIDE * row + column)
    takes = []
    for cell in cells:
        card = int(old["grid"][cell])
        takes.append(Taken(taker, card, cell, len(runs[taker])))
        runs[taker].append(card)
        taker = 1 - taker
    return takes


def _deciders(old: State, state: State, takes: Sequence[Taken], runs: Runs) -> list[int]:
    """Who has decided about a swap since then, in order."""
    if int(state["scramble"]) == AT_END:
        return [int(hacker) for hacker in state["takers"][old["decided"] : state["decided"]]]
    first = [int(old["mover"])] if int(old["phase"]) == SWAP else []
    later, lengths = [], [int(length) for length in old["length"]]
    for taker, card, _, place in takes:
        had = [int(state["kind"][other]) for other in runs[taker][:place]]
        if int(state["kind"][card]) == SCRAMBLE and lengths[1 - taker] and set(had) - {SCRAMBLE}:
            later.append(taker)
        lengths[taker] += 1
    # The last one has yet to decide, if a swap is to be decided now.
    return first + (later[:-1] if int(state["phase"]) == SWAP else later)


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
