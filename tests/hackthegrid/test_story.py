"""What was done between two records is read off them as it was done."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, showing
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.hackthegrid.constants import DECLINE, RUN, SWAPS
from cyberdeck.views.hackthegrid.page import Declined, Swapped, Taken
from cyberdeck.views.view import Event
from cyberdeck.views.words import WIDTH


def told(batch: Batch, before: Any) -> list[Event]:
    return showing.scene(batch.variant, batch._core.states, None, before).events


def done(batch: Batch, action: int) -> tuple[Any, ...]:
    """Play it; what has been done by it: see ``essence``."""
    state, hacker = batch._core.states[0], int(batch.mover[0])
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
        batch = Batch("hackthegrid", 1, seed=seed, autoreset="Disabled", scramble=scramble)
        rng = np.random.default_rng(seed)
        while batch.mover[0] >= 0:
            before, decided = batch._core.states.copy(), []
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


def test_cells_and_cards_are_two_blanks_apart_and_minus_signs_alike() -> None:
    """However long their names are; the scores have the sign that the rules have."""
    batch = Batch("hackthegrid", 16, seed=4)
    for _ in range(18):
        for game in range(16):
            lines = batch.text(game).split("\n")
            assert max(map(len, lines)) <= WIDTH
            for line in lines:
                cards = re.split(" {2,}", line.strip().removeprefix("> "))
                named = r"[A-Z]{4,} (cyan|magenta|yellow|green)\*?[^*]"
                assert not any(re.search(named, each) for each in cards)
            assert "\N{MINUS SIGN}" not in "".join(lines)
        batch.play("random", 1)


def test_a_declined_swap_is_marked_and_arrays_have_the_points_of_each_row() -> None:
    batch, marked = Batch("hackthegrid", 1, seed=1, autoreset="Disabled"), False
    while not marked:
        before = batch._core.states.copy()
        declined = bool(batch.mask[0][DECLINE])
        batch.step([DECLINE] if declined else batch.choose("random"))
        scenes = (
            showing.scene(batch.variant, batch._core.states, (0,), old) for old in (before, None)
        )
        shapes = [re.sub("<(title|desc)>.*?</", "", each.picture(bare=True)) for each in scenes]
        assert not declined or shapes[0] != shapes[1]
        marked = declined


def test_nothing_is_told_of_what_has_not_changed() -> None:
    batch = Batch("hackthegrid", 1, seed=3)
    assert told(batch, batch._core.states.copy()) == []


def test_swaps_to_come_are_shown_in_their_order() -> None:
    seen = set()
    for seed in range(8):
        batch = Batch("hackthegrid", 1, seed=seed, scramble="at_end", autoreset="Disabled")
        while batch.mover[0] != NOBODY:
            state = batch._core.states[0]
            due = state["takers"][state["decided"] : state["taken"]].tolist()
            named = ", ".join(("column", "row")[hacker] for hacker in due)
            shown = batch.text().splitlines()[0]
            assert shown.partition("swaps to come: ")[2] == named
            seen.add(len(due))
            batch.play("random", 1)
    assert seen >= {0, 1, 2}
