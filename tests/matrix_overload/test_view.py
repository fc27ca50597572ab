"""What people see of MATR1X 0VERL0AD: story, page, text and picture, and what they do not see."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, showing
from cyberdeck.engine import registry
from cyberdeck.games.matrix_overload.constants import BORDERS, EDITIONS, SUITS, VALUE
from cyberdeck.games.matrix_overload.game import GAME
from cyberdeck.views import words
from cyberdeck.views.matrix_overload.page import Fell, Iced, Laid, face
from cyberdeck.views.notation import found
from cyberdeck.views.view import DRAWN, LOST, WON, Between, Cell, Event, Page

States = np.ndarray[Any, Any]
YOU = (0,)


def played(
    seeds: int, player: str = "random", **options: Any
) -> Iterator[tuple[Batch, States, int]]:
    """Whole games: after every decision, with the record before it, and it."""
    for seed in range(seeds):
        batch = Batch("matrix_overload", 1, seed=seed, autoreset="Disabled", **options)
        while batch.mover[0] >= 0:
            before = batch._core.states.copy()
            action = int(batch.choose(player)[0])
            batch.step([action])
            yield batch, before, action


def told(batch: Batch, before: States) -> list[Event]:
    return showing.scene(batch.variant, batch._core.states, YOU, before).events


def page_of(batch: Batch, states: States) -> Page:
    return showing.scene(batch.variant, states, YOU).page


def cells(batch: Batch, states: States) -> dict[str, Cell]:
    """What lies on each pile."""
    board = page_of(batch, states).board
    assert board is not None
    return {cell.name: cell for row in board.cells for cell in row if cell.name}


def piles(events: list[Event]) -> list[int]:
    return [event.pile for event in events if isinstance(event, Laid | Iced | Fell)]


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_piles_that_look_different_are_told(edition: str) -> None:
    kinds: set[str] = set()
    for batch, before, _ in played(3, edition=edition):
        one, two = (cells(batch, states) for states in (before, batch._core.states))
        events = told(batch, before)
        names = {f"{'inner' if pile < 9 else 'outer'} pile {pile}" for pile in piles(events)}
        assert names == {name for name in one if one[name] != two[name]}
        assert len(names) == len(events)
        assert sum(event.follows for event in events) == (
            batch._core.states["killed"][0] - before["killed"][0]
        )
        kinds |= {event.kind for event in events}
    assert kinds == {"laid", "iced", "fell"}


def test_what_brought_a_firewall_down_how_much_ice_came_and_what_went_to_the_bottom() -> None:
    fallen = iced = reset = 0
    for batch, before, action in played(2):
        state, old = batch._core.states[0], before[0]
        first, *others = told(batch, before)
        svg = showing.scene(batch.variant, batch._core.states, YOU, before).picture()
        just_now = "; ".join(event.words for event in (first, *others))
        assert str(ET.fromstring(svg)[1].text).startswith(f"Just now: {just_now}. ")
        card = int(old["draw"][old["head"]])
        value, suit = card % 13 + 1, SUITS[card // 13 % 4]
        if card < 52 and value < 11:
            name = f"{'ace' if value == 1 else value} of {suit}"
            assert first.words.startswith(f"the {name} was laid ")
        assert len(others) == state["killed"] - old["killed"]
        for fell in others:
            assert isinstance(fell, Fell)
            outer, values = fell.pile - 9, [int(state["top_value"][at]) for at in fell.attackers]
            assert fell.sum == f"{values[0]}+{values[1]}={sum(values)}"
            assert fell.laid == action
            assert fell.attackers[1] == BORDERS[outer]
            assert f" on pile {fell.pile} fell to {fell.sum}" in fell.words
            assert sum(values) >= VALUE[state["royal"][outer]] + state["ice"][outer]
            fallen += 1
        if action >= 9 and value < 11:
            assert isinstance(first, Iced)
            ice = [int(each["ice"][action - 9]) for each in (old, state)]
            assert f" on pile {action}: ICE {ice[0]} -> {ice[1]}, " in first.words
            assert ice[1] - ice[0] == first.come == value
            iced += 1
        else:
            assert isinstance(first, Laid)
            count = int(state["known_last"] - old["known_last"]) if action < 9 else 0
            if count > 0:
                assert first.returned == count
                assert f", whose {count} card{'s' * (count > 1)} went to the bottom" in first.words
                reset += 1
    assert min(fallen, iced, reset) > 0


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_card_as_it_is_shown_is_read_as_a_move_and_the_prompt_has_its_name(edition: str) -> None:
    for batch, before, _ in played(1, edition=edition):
        record = showing.reader(batch.variant, before)
        names = showing.notations(batch.variant, before)
        shown = face(record, record.draw[record.head])
        lines = [line.text for panel in page_of(batch, before).panels for line in panel.lines]
        assert lines[0].startswith(f"To play: {shown.name}, next: ")
        for pile in names:
            for text in (f"{shown.short} to pile {pile}", f"{shown.short} {pile}"):
                assert found(text, names) == [pile]
            assert found(f"{shown.name} {pile}".upper(), names) == [pile]
        assert found(shown.short, names) == found(f"{shown.short} 21", names) == []


def test_of_several_decisions_nothing_false_is_told() -> None:
    """What lies where they left it is told, in their order if that is known."""
    view, ordered = registry.view(GAME), 0
    old: list[tuple[States, int]] = []
    for batch, before, action in played(6, "heuristic", edition="rulebook"):
        old = [*old, (before, action)][-7:] if before["decisions"][0] else [(before, action)]
        first, now = old[0][0], batch._core.states
        records = [showing.reader(batch.variant, states) for states in (first, now)]
        decisions = [(0, decided) for _, decided in old]
        events = view.story(*records, YOU, Between(decisions))
        fallen = [event.pile - 9 for event in events if isinstance(event, Fell)]
        assert fallen == np.flatnonzero(now["dead"][0] > first["dead"][0]).tolist()
        for event in events:
            if isinstance(event, Laid):
                assert event.pile in [decided for _, decided in decisions]
                assert (now["place"][0] == 1 + event.pile).any()
        if len(old) == 1:
            assert events == told(batch, first)
            continue
        assert not any(event.attackers for event in events if isinstance(event, Fell))
        last = [decided for _, decided in decisions][::-1]
        places = [pile for pile in piles(events) if pile < 9]
        assert places == sorted(places, key=lambda pile: -last.index(pile))
        ordered += places != sorted(places)
        assert {*piles(events)} == {*piles(view.story(*records, YOU, Between()))}
    assert ordered > 20


def test_the_task_says_where_the_card_to_play_goes() -> None:
    tasks = {
        "on the lowest card: its": lambda state, value: value == 0,
        "on any pile, which": lambda state, value: value == 1,
        "on an empty pile, or": lambda state, value: state["top_value"].min() <= value,
        "fits no inner pile": lambda state, value: state["top_value"].min() > value,
        "beside the highest": lambda state, value: value > 10,
    }
    seen = set()
    for batch, _, _ in played(4):
        if batch.mover[0] < 0:
            continue
        state = batch._core.states[0]
        card = int(state["draw"][state["head"]])
        said = page_of(batch, batch._core.states).task
        (found,) = [task for task in tasks if task in said]
        assert tasks[found](state, VALUE[card])
        seen.add(found)
        if found == "beside the highest":
            tops = [state["top"][BORDERS[pile - 9]] for pile in np.flatnonzero(batch.mask[0])]
            kinds = {"red card": (1, 3), "black card": (0, 2), "card": (0, 1, 2, 3)}
            kinds |= {suit[:-1]: (at,) for at, suit in enumerate(SUITS)}
            kind = said.partition("highest ")[2].removesuffix(" with room")
            assert all(top < 0 or top >= 52 or top // 13 in kinds[kind] for top in tops)
    assert seen == set(tasks)


def test_what_lies_at_the_bottom_is_next_when_nothing_unseen_lies_above_it() -> None:
    seen = 0
    for batch, _, _ in played(6, "heuristic"):
        state = batch._core.states[0]
        first, last, left = (int(state[name]) for name in ("known_first", "known_last", "left"))
        if last and first + last == left and batch.mover[0] >= 0:
            panel = page_of(batch, batch._core.states).panels[0]
            told = "\n".join(line.text for line in panel.lines)
            assert "none known" not in told
            assert "at the bottom" not in told
            seen += 1
    assert seen


def test_who_may_not_know_what_is_legal_is_told_less() -> None:
    batch = Batch("matrix_overload", 1, seed=3)
    record = showing.reader(batch.variant, batch._core.states)
    assert registry.view(GAME).page(record, YOU, None).task == "play the red 12"


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_screen_of_80_by_24_is_enough(edition: str) -> None:
    """And it says all that lies on the table; as does who reads a picture's description out."""
    longest = 0
    for batch, before, _ in played(2, "heuristic", edition=edition):
        state, page = batch._core.states[0], page_of(batch, batch._core.states)
        lines = words.screen(page).split("\n")
        longest = max(longest, len(lines))
        assert max(map(len, lines)) < 80
        screen, text = "\n".join(lines), words.text(page, told(batch, before))
        for inner in range(9):
            if state["depth"][inner] > 1:
                assert f" x{state['depth'][inner]}" in screen
        for shown in (screen, text):
            assert len(re.findall(r"\d fallen", shown)) == state["killed"]
        for ice in state["ice"][(state["ice"] > 0) & (state["dead"] == 0)]:
            assert f"ICE{ice}" in screen
        described = words.described(page)
        for pile, cell in cells(batch, batch._core.states).items():
            for piece in cell.pieces:
                lying = f"{pile}: {', '.join([piece.name, *cell.marks])}"
                assert lying.lower() in described.lower()
    assert 15 < longest <= words.HEIGHT


def test_how_a_game_ended() -> None:
    moods: dict[str, str] = {}
    for edition in EDITIONS:
        for batch, _, _ in played(12, "heuristic", edition=edition):
            if batch.mover[0] < 0:
                ending = showing.scene(batch.variant, batch._core.states, YOU).ending
                assert ending == page_of(batch, batch._core.states).ending
                moods[batch.reasons[batch.reason[0]]] = ending.mood
    for stall in ("truncate", "lose"):
        for batch, _, _ in played(1, max_steps=9, stall=stall):
            if batch.mover[0] < 0:
                ending = showing.scene(batch.variant, batch._core.states, None).ending
                assert ending.why.endswith(": stopped after 9 moves")
                moods[batch.reasons[batch.reason[0]]] = ending.mood
    assert set(moods) >= {"won", "draw_pile_empty", "no_legal_pile", "max_steps", "stalled"}
    assert moods.pop("won") == WON
    assert moods.pop("max_steps") == DRAWN
    assert set(moods.values()) == {LOST}
