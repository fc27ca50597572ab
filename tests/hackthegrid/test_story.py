"""What was done between two records is read off them as it was done."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, showing
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.hackthegrid.constants import DECLINE, RUN, SWAPS
from cyberdeck.views.hackthegrid.story import Declined, Swapped, Taken
from cyberdeck.views.view import Event


def told(batch: Batch, before: Any) -> list[Event]:
    return showing.story(batch.variant, before, batch.core.states, None)


def done(batch: Batch, action: int) -> tuple[Any, ...]:
    """Play it; what has been done by it: see ``essence``."""
    state, hacker = batch.core.states[0], int(batch.mover[0])
    own, theirs = divmod(action - SWAPS, RUN)
    before = state["grid"].copy()
    batch.step([action])
    if action == DECLINE:
        return Declined, hacker
    if action >= SWAPS:
        return Swapped, hacker, ((theirs, own) if hacker else (own, theirs))
    cell = int(np.flatnonzero(before != state["grid"])[0])
    return Taken, hacker, int(before[cell]), cell, int(state["length"][hacker]) - 1


def essence(event: Event) -> tuple[Any, ...]:
    """What it is, whoever it is told to."""
    kept = {name: value for name, value in vars(event).items() if name not in IN_WORDS}
    return type(event), event.seat, *kept.values()


IN_WORDS = ("words", "seat", "phase", "follows")


@pytest.mark.parametrize("scramble", ["on_take", "at_end"])
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_deeds_are_told_in_order(scramble: str, seat: int | None) -> None:
    """After each decision, or after one of a seat's and all that the other one makes of it."""
    seen: set[str] = set()
    for seed in range(40):
        batch = Batch("hackthegrid", 1, seed=seed, autoreset="disabled", scramble=scramble)
        rng = np.random.default_rng(seed)
        while batch.mover[0] >= 0:
            before, decided = batch.core.states.copy(), []
            while not decided or batch.mover[0] == 1 - seat if seat is not None else not decided:
                decided.append(done(batch, int(rng.choice(np.flatnonzero(batch.mask[0])))))
            found = [essence(each) for each in told(batch, before)]
            choices = [deed for deed in decided if deed[0] is not Taken]
            if len(choices) < 2:
                assert found == decided
            else:  # who did what may be hidden by what came later, but nothing false is told
                assert [deed for deed in found if deed[0] is Taken] == [
                    deed for deed in decided if deed[0] is Taken
                ]
                assert all(deed in decided or deed[1] == NOBODY for deed in found)
            seen.add(" ".join(deed[0].__name__ for deed in decided))
    assert {"Taken", "Swapped", "Declined"} <= seen or seat is not None
    assert seat is None or "Taken Taken" in seen


def test_nothing_is_told_of_what_has_not_changed() -> None:
    batch = Batch("hackthegrid", 1, seed=3)
    assert told(batch, batch.core.states.copy()) == []
