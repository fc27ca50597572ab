"""What Hovercrafts shows and tells: nothing hidden, all that is legal lit, all sizes."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, showing
from cyberdeck.engine.phases import phases_between
from cyberdeck.engine.record import FORFEIT, NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts.starts import stream_with
from cyberdeck.games.hovercrafts.table import cell_of
from cyberdeck.views.hovercrafts.story import Out
from cyberdeck.views.view import DRAWN, LOST, WON, Event
from cyberdeck.views.words import HEIGHT, together
from tests.hovercrafts.facade import NW, SE, Hover, N, S

Record = np.ndarray[Any, Any]

#: From the least map to the largest, from two ships to ten, from the least stats to the best.
SIZES: tuple[dict[str, Any], ...] = (
    {"scenario": [".."]},
    {"scenario": [".."] * 16, "ships": (9, 1), "stats": [(9, 6, 6, 6)] * 10},
    {"width": 20, "height": 1},
    {"width": 20, "height": 16, "ships": (5, 5), "scenario": "random", "wall_density": 0.6},
    {"ships": (3, 3), "scenario": "tunnels", "deployment": "random"},
    {"ships": (1, 9), "stats": [(1, 0, 0, 0)] * 10},
)


def picture(game: Variant, record: Record, *viewer: int, mask: Any = None, **since: Record) -> str:
    choices = None if mask is None else np.flatnonzero(mask).tolist()
    return showing.scene(game, record, viewer or None, **since).picture(choices)


def test_a_forfeit_does_not_reveal_the_plans() -> None:
    game = Hover([(1, 1, SE)], [(5, 5, NW)])
    game.act(c.RIGHT)
    before, record = game.record.copy(), game.record
    record["mover"], record["reason"], record["terminated"] = NOBODY, FORFEIT, 1
    record["reward"][0, :2] = (1, -1)
    twin = record.copy()
    twin["plan"][0, 0, 0] = c.LAND
    one, two = (showing.scene(game.variant, each, (1,), before) for each in (twin, record))
    assert (one.picture(), one.text(), one.events) == (two.picture(), two.text(), two.events)
    text = showing.scene(game.variant, record, (0,)).text()
    assert "Zion wins. The Machines forfeited the game" in text


def test_the_own_plan_shows_and_with_share_plans_the_allies_completed_slots() -> None:
    for share_plans in (False, True):
        hover = Hover([(1, 1, SE), (1, 3, SE)], [(5, 5, NW)], share_plans=share_plans)
        hover.plan_next("right", "move", "left", "EMP")  # a slot of all three, and one more
        texts = [showing.scene(hover.variant, hover.record, (seat,)).text() for seat in range(3)]
        assert ["now right EMP" in text for text in texts] == [True, False, False]
        assert ["now right ?" in text for text in texts] == [False, share_plans, False]
        assert "now move ?" in texts[1].partition("Z1 (you)")[2]


@pytest.mark.parametrize(
    ("start", "planned", "warning"),
    [
        ((0, 0, N), [], "a move would lead off the map"),
        ((0, 0, N), ["move"], "your plan leads off the map"),
        ((0, 0, S), [], ""),
        ((0, 1, N), ["move"], "a move would lead off the map"),
        ((0, 1, N), ["move", "no action"], ""),
        ((0, 1, N), [], ""),
    ],
)
def test_a_move_that_leaves_the_map_is_warned_of_in_text_terminal_and_picture(
    start: tuple[int, int, int], planned: list[str], warning: str
) -> None:
    hover = Hover([start], [(5, 5, NW)], stats=[(3, 1, 1, 3)] * 2)
    for action in planned:
        hover.plan_next(action, "right")
    seen = showing.scene(hover.variant, hover.record, (0,))
    assert seen.page.task.partition("; ")[2] == warning
    shown = [seen.text(), seen.screen(), seen.picture(bare=True)]
    assert all(warning in each for each in shown)
    assert "leave" not in showing.scene(hover.variant, hover.record, (1,)).text()
    over = "no action" in planned
    assert ("your plan is over: no action in" in seen.page.task) == over


def test_signs_of_ships_and_plans_are_explained_where_they_occur() -> None:
    hover = Hover([(1, 1, SE)], [(5, 5, NW)])
    own, others = (showing.scene(hover.variant, hover.record, each) for each in ((0,), None))
    assert "*: your ship" in own.text()
    assert "*: your ship" not in others.text()
    assert "now: this turn's plan" in own.text()
    assert "last: " not in own.text()
    hover.plan_next("landing", "right")
    assert "now landing ?" in showing.scene(hover.variant, hover.record, (0,)).text()


@pytest.mark.parametrize("options", SIZES, ids=str)
def test_all_sizes_are_xml_and_lie_within_the_picture(options: dict[str, Any]) -> None:
    sizes = set()
    batch = Batch("hovercrafts", 1, seed=5, **options)
    game, record = batch.variant, batch._core.states
    for _ in range(5):
        seat = int(record["mover"][0])
        root = ET.fromstring(picture(game, record, seat, mask=batch.mask[0]))
        assert root.tag.endswith("svg")
        assert showing.scene(game, record, (seat,)).text()
        assert showing.scene(game, record, (seat,)).screen().count("\n") < HEIGHT
        sizes.add((root.get("width"), root.get("height")))
        batch.play("random", 11)
    assert len(sizes) == 1, "the pictures of a game make a film"
    assert sizes.pop()[0] == "980"


def test_a_team_and_who_knows_everything_see_orders() -> None:
    hover = Hover([(1, 1, SE), (1, 3, SE)], [(5, 5, NW)])
    hover.plan_next("right", "EMP", "left")  # the first slot of all three
    game, record = hover.variant, hover.record
    public = showing.public(game, record)
    orders = ["Z0 | now right", "Z1 | now EMP", "M0 | now left"]
    for viewer, known in (
        ((0,), [True, False, False]),
        ((0, 1), [True, True, False]),
        ((), [True, True, True]),
    ):
        text = showing.scene(game, record, viewer or None).text()
        text = re.sub(r"( \(you\))? hull.*\n ", " |", text)
        assert [order in text for order in orders] == known
        drawn = picture(game, record, *viewer)
        assert (picture(game, public, *viewer) == drawn) == (not any(known))
    assert "now ? ?" in showing.scene(game, public, None).text()
    assert not re.search("now [a-zE]", showing.scene(game, public, None).text())


def test_all_phases_of_the_last_turn_are_told_and_drawn() -> None:
    """With the hull that a repair or a shot has left."""
    hover = Hover([(4, 4, N, 2)], [(4, 2, S, 1)], energy=[6, 6])
    hover.turn("repair landing landing", "landing move landing", dice=[6, 1])
    turn, game = hover.began, hover.variant
    phases = phase_by_phase(hover, turn)
    assert phases == [
        (1, "Z0 lands and repairs; M0 lands; hull Z0 3/3"),
        (2, "Z0 lands; M0 moves to 4,3; M0 hits Z0; hull Z0 2/3"),
        (3, "Z0 lands; M0 lands"),
    ]
    words = ET.fromstring(picture(game, hover.record, 0, turn=turn))[1].text or ""
    assert all(f"phase {number}: {events}" in words for number, events in phases)
    frames = phases_between(hover.game, turn, hover.record)
    assert phase_by_phase(hover, turn, frames[1]) == phases[:2]
    assert "phase 2:" not in picture(game, hover.record, 0)
    for number, record in enumerate(frames[:3], start=1):
        text = showing.scene(game, record, (0,), None, turn).text()
        assert f"Turn 1 is carried out: phase {number}" in text
        assert re.findall(r"  Phase (\d)", text)[-1] == str(number)
        ET.fromstring(picture(game, record, 1, turn=turn))
    assert "Plan action 1" in showing.scene(game, hover.record, (0,), None, turn).text()


def phase_by_phase(
    hover: Hover, turn: Record, record: Record | None = None
) -> list[tuple[int, str]]:
    """The last turn in words, from a record of before."""
    return [(each.phase, each.words) for each in together(last_turn(hover, turn, record))]


def last_turn(hover: Hover, turn: Record, record: Record | None = None) -> list[Event]:
    now = hover.record if record is None else record
    return [each for each in showing.scene(hover.variant, now, None, turn).events if each.phase]


def test_a_turn_is_carried_out_alike_whenever_it_is_shown() -> None:
    """From any of its records before, to any after it; not from or to other turns' records."""
    hover = Hover([(4, 4, N)], [(7, 7, S)], energy=[6, 6])
    first = hover.record.copy()
    hover.plan_next("left", "right")
    planning = hover.record.copy()
    hover.turn("- right left move", "- left")
    phases = [frame.tobytes() for frame in phases_between(hover.game, first, hover.record)]
    assert len(phases) == 4
    after = hover.record.copy()
    hover.act(c.LEFT)
    for before in (first, planning):
        for record in (after, hover.record, *phases_between(hover.game, before, after)):
            found = [frame.tobytes() for frame in phases_between(hover.game, before, record)]
            assert found == phases[: record["passed"][0]]
    on = phases_between(hover.game, phases_between(hover.game, first, after)[1], hover.record)
    assert [frame.tobytes() for frame in on] == phases[2:]
    assert phases_between(hover.game, after, hover.record) == []
    hover.plan("- left", "left")
    assert phases_between(hover.game, planning, hover.record) == []


def test_other_dice_have_not_led_there() -> None:
    hover = Hover([(4, 4, N)], [(4, 2, S)], energy=[6, 6])
    hover.turn("left right landing landing", "landing move landing landing", dice=[1, 6, 1, 6])
    before = hover.began
    assert len(phases_between(hover.game, before, hover.record)) == 4
    before["dice"] = stream_with(before["dice"][0], [6, 1, 6, 1])
    assert phases_between(hover.game, before, hover.record) == []


def test_what_an_emp_does_is_told() -> None:
    """Whoever uses it is landed; whom it hits lands in the next phase, if it does anything then."""
    for plan, effect in (("left left", "lands next"), ("left", "no action left")):
        hover = Hover([(4, 4, S)], [(4, 3, N)], energy=[6, 6])
        hover.turn("EMP left", plan, dice=[6, 1])
        phases = dict(phase_by_phase(hover, hover.began))
        assert "Z0 lands and uses EMP" in phases[1]
        assert f"M0 is jammed by the EMP of Z0: {effect}" in phases[1]
        assert ("M0 lands, jammed" in phases.get(2, "")) == (effect == "lands next")


def test_the_story_of_a_turn_is_told_from_any_phase_on() -> None:
    """From one phase to the next, to the end, and from the decision before: each event once."""
    hover = Hover([(4, 4, N, 2)], [(4, 2, S, 1)], energy=[6, 6])
    hover.plan_next("repair", "landing", "landing", "move", "landing", "landing", "no action")
    hover.prescribe([6, 1])
    before = hover.record.copy()
    hover.plan_next("no action")
    records = [before, *phases_between(hover.game, before, hover.record), hover.record]
    game = hover.variant
    steps = [showing.scene(game, new, (0,), old).events for old, new in itertools.pairwise(records)]
    assert [{event.phase for event in step} for step in steps] == [{1}, {2}, {3}, set()]
    whole = showing.scene(game, hover.record, (0,), before).events
    assert [event for step in steps for event in step] == whole
    assert all(event.follows for event in whole)
    own = showing.scene(game, hover.record, (1,), records[0]).events
    assert [event.words for event in own if not event.follows] == ["M0 plans no action"]


def test_a_finished_ship_lies_where_it_was_finished() -> None:
    """Where it had moved to, and not where it began."""
    moved = Hover([(4, 4, N)], [(4, 2, S, 1)])
    moved.turn("right left", "move landing", dice=[6, 1, 1, 6])  # shot once it has moved
    ramming = Hover([(4, 4, N)], [(4, 3, S, 2)])
    ramming.turn("right left", "move landing", dice=[1, 6, 6, 1, 1, 6])  # and after a ramming
    for hover in (moved, ramming):
        turn = hover.began
        record = phases_between(hover.game, turn, hover.record)[0]
        assert record["cell"][0, 1] == c.NONE
        events = last_turn(hover, turn, record)
        assert [event.cell for event in events if isinstance(event, Out)] == [cell_of(4, 3)]
        text = showing.scene(hover.variant, record, (0,), None, turn).text()
        assert "Z0 hits M0" in text
        assert "M0 misses Z0" in text
        assert "M0 is out" in text
        assert ("M0 rams Z0" in text) == (hover is ramming)


ENDINGS: list[tuple[int, dict[str, Any], str]] = [
    (c.BOTH_OUT, {"cell": c.NONE}, "A draw. No ship of either team is left"),
    (c.MAX_TURNS, {"turns": 50}, "Timed out. Stopped after 50 turns"),
    (c.DISABLED_ALL, {"out": 1}, "Zion wins. No ship of the Machines is left"),
    (
        c.FLAGSHIP_OUT,
        {"goal": c.FLAGSHIP, "out": 0},
        "The Machines win. The flagship of Zion is out",
    ),
    (c.FLAGSHIPS_OUT, {"cell": c.NONE}, "A draw. Both flagships are out"),
    (c.POINTS, {"points": (2, 5)}, "The Machines win. 5 points to 2"),
    (c.POINTS_EQUAL, {"points": 5}, "A draw. Both have 5 points"),
    (c.ESCAPED, {"escaped": [1] + [0] * 9}, "Zion wins. 1 ship has escaped"),
    (c.HELD, {}, "The Machines win. Zion did not break through"),
    (c.WAR_WON, {"won": (2, 1)}, "Zion wins. Battles: Zion 2, Machines 1"),
    (c.WAR_DRAWN, {"won": 1}, "A draw. Battles: Zion 1, Machines 1"),
]


@pytest.mark.parametrize(("reason", "changes", "words"), ENDINGS, ids=str)
def test_all_endings_are_told(reason: int, changes: dict[str, Any], words: str) -> None:
    hover = Hover([(1, 1, SE)], [(5, 5, NW)])
    over = hover.record
    over["mover"], over["terminated"], over["reason"] = NOBODY, 1, reason
    for name, value in changes.items():
        if name == "out":
            over["cell"][0, value] = c.NONE
        else:
            over[name] = value
    winner = next((at for at, team in enumerate(("Zion", "The Mach")) if team in words[:8]), None)
    for seat in range(2):
        assert words in showing.scene(hover.variant, over, (seat,)).text().replace("\n", " ")
        mood = DRAWN if winner is None else WON if winner == seat else LOST
        assert showing.scene(hover.variant, over, (seat,)).ending.mood == mood
        ET.fromstring(picture(hover.variant, over, seat))
