"""Pictures and texts of Hovercrafts: nothing hidden shows, what is legal is lit, all sizes work."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cyberdeck.games.hovercrafts.drawing import board, fleets
from cyberdeck.games.hovercrafts.drawing.board import draw_board, table_of

from cyberdeck import Batch, variant
from cyberdeck.drawing.lettering import FELL, LEAST, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import LIME, Block
from cyberdeck.engine.contract import Look
from cyberdeck.engine.record import FORFEIT, NOBODY
from cyberdeck.games.hovercrafts import drawing, narration
from cyberdeck.games.hovercrafts.constants import (
    ACTIONS,
    BOTH_OUT,
    DEPLOY,
    DEPLOYMENTS,
    DISABLED_ALL,
    EMP,
    LAND,
    LEFT,
    MAX_TURNS,
    MOVE,
    NO_ACTION,
    NONE,
    PLACES,
    RIGHT,
    SCRIPT,
)
from cyberdeck.games.hovercrafts.hidden import knows
from cyberdeck.games.hovercrafts.phase import carry_out_phase
from cyberdeck.games.hovercrafts.rules import shuffle, start
from cyberdeck.games.hovercrafts.table import cell_of
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


def positions(decisions: int, every: int = 1, **options: Any) -> Iterator[tuple[Record, Record]]:
    """Records and their masks from random play, games begun anew when they end."""
    batch = Batch("hovercrafts", 1, seed=5, **options)
    for _ in range(0, decisions, every):
        yield batch.core.states[:1].copy(), batch.mask[0].copy()
        batch.play("random", every)


def shown(record: Record, seat: int, mask: Record | None = None) -> tuple[str, str]:
    return drawing.svg(record, Look(seat, mask)), narration.text(record, seat)


def visible(svg: str) -> str:
    """What is to be seen of a picture: without what programs read."""
    return re.sub(r' (id|data-actions|aria-label)="[^"]*"', "", svg)


def planned_differently(record: Record, viewer: int, rng: np.random.Generator) -> Record:
    """The same for the viewer, with other plans, other dice, and another seat that is asked."""
    twin = record.copy()
    state = twin[0]
    asked = [seat for seat in range(state["seats"]) if state["actions"][seat] > state["slot"]]
    for seat in range(state["seats"]):
        for slot in range(state["actions"][seat]):
            if not knows(state, viewer, seat, slot):
                state["plan"][seat, slot] = rng.integers(-1, len(ACTIONS))
    state["mover"] = rng.choice(asked)
    state["dice"] += np.uint64(1)
    state["script"], state["scripted"] = rng.integers(1, 7, SCRIPT), SCRIPT
    return twin


@pytest.mark.parametrize("share_plans", [False, True])
def test_plans_of_others_leave_no_byte(share_plans: bool) -> None:
    rng = np.random.default_rng(1)
    options = {"ships": (2, 3), "deployment": "random", "share_plans": share_plans}
    compared = 0
    for record, mask in positions(40, **options):
        for seat in range(5):
            own = mask if record["mover"][0] == seat else None
            twin = planned_differently(record, seat, rng)
            assert shown(twin, seat, own) == shown(record, seat, own)
            compared += bool((twin["plan"] != record["plan"]).any())
    assert compared > 70


def test_a_forfeit_does_not_reveal_the_plans() -> None:
    game = Hover([(1, 1, SE)], [(5, 5, NW)])
    game.act(RIGHT)
    record = game.record
    record["mover"], record["reason"], record["terminated"] = NOBODY, FORFEIT, 1
    record["reward"][0, :2] = (1, -1)
    twin = record.copy()
    twin["plan"][0, 0, 0] = LAND
    assert shown(twin, 1) == shown(record, 1)
    assert "ZION WINS" in narration.text(record, 0)
    assert "ILLEGAL ACTION OF THE MACHINES" in narration.text(record, 0)


def test_the_own_plan_shows_and_with_share_plans_the_allies_completed_slots() -> None:
    for share_plans in (False, True):
        hover = Hover([(1, 1, SE), (1, 3, SE)], [(5, 5, NW)], share_plans=share_plans)
        for action in (RIGHT, MOVE, LEFT):  # the first slot of all three
            hover.act(action)
        hover.act(EMP)  # not yet completed
        texts = [narration.text(hover.record, seat) for seat in range(3)]
        assert ["this turn right, EMP" in text for text in texts] == [True, False, False]
        assert ["this turn right, ?" in text for text in texts] == [False, share_plans, False]
        assert "Z1: this turn move, ?" in texts[1]


@pytest.mark.parametrize("options", SIZES, ids=str)
def test_all_sizes_are_xml_and_lie_within_the_picture(options: dict[str, Any]) -> None:
    sizes = set()
    for record, mask in positions(120, 13, **options):
        for seat in {0, int(record["seats"][0]) - 1, int(record["mover"][0])}:
            root = ET.fromstring(drawing.svg(record, Look(seat, mask)))
            assert root.tag.endswith("svg")
            assert narration.text(record, seat)
            sizes.add((root.get("width"), root.get("height")))
        state = record[0]
        for room, depth in ((648, 612), (380, 612)):
            table, _ = table_of(state, room, depth)
            panel = draw_board(record, Look(0), room, depth)
            for cell in narration.hexes(state):
                for x, y in table.corners(cell):
                    assert 0 < x < panel.width
                    assert 0 < y < panel.height <= depth + 1
    assert len(sizes) == 1, "the pictures of a game make a film"
    assert sizes.pop()[0] == "980"


def test_pictures_become_pixels() -> None:
    from cyberdeck.drawing.raster import rgb

    record, mask = next(positions(1))
    assert rgb(drawing.svg(record, Look(int(record["mover"][0]), mask))).shape[1:] == (980, 3)


@pytest.mark.parametrize("deployment", DEPLOYMENTS)
def test_what_is_legal_is_lit(deployment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each legal action leaves its mark: without it the picture is another, not just a number."""
    monkeypatch.setattr(drawing, "_status", lambda state, look, wide: Block(wide, 40, ""))
    for record, mask in positions(3, deployment=deployment, ships=(2, 1), scenario="tunnels"):
        mover = int(record["mover"][0])
        lit = visible(drawing.svg(record, Look(mover, mask)))
        assert lit.count(LIME) > drawing.svg(record, Look(mover)).count(LIME)
        for action in np.flatnonzero(mask):
            without = mask.copy()
            without[action] = 0
            assert visible(drawing.svg(record, Look(mover, without))) != lit


CHOOSING: tuple[dict[str, Any], ...] = (
    {"deployment": "choose"},
    {"deployment": "random", "ships": (2, 1)},
    {"pick_side": True, "battles": 3},
)


@pytest.mark.parametrize("options", CHOOSING, ids=str)
@pytest.mark.parametrize("narrow", [False, True])
def test_every_legal_action_can_be_clicked(options: dict[str, Any], narrow: bool) -> None:
    """One thing alone stands for it; a deployment has two ends, its hex and its facing."""
    for record, mask in positions(4, **options):
        look = Look(int(record["mover"][0]), mask, narrow=narrow)
        root = ET.fromstring(drawing.svg(record, look))
        assert float(root.attrib["width"]) == (390 if narrow else 980)
        ids = [each.get("id") for each in root.iter() if each.get("id")]
        assert sorted(ids) == sorted(f"action-{action}" for action in np.flatnonzero(mask))
        ends = [set(map(int, e.get("data-actions", "").split())) for e in root.iter()]
        for place in PLACES + np.flatnonzero(mask[PLACES:]):
            if int(record["phase"][0]) == DEPLOY:
                hexagon, facing = (end for end in ends if place in end and len(end) > 1)
                assert hexagon & facing == {place}


def test_a_team_and_who_knows_everything_see_orders() -> None:
    hover = Hover([(1, 1, SE), (1, 3, SE)], [(5, 5, NW)])
    for action in (RIGHT, EMP, LEFT):  # the first slot of all three
        hover.act(action)
    record = hover.record
    public = hover.game.public
    assert public is not None
    orders = ["Z0: this turn right", "Z1: this turn EMP", "M0: this turn left"]
    for look, seen in (
        (Look(0), [True, False, False]),
        (Look(0, allies=(1,)), [True, True, False]),
        (Look(), [True, True, True]),
    ):
        picture = drawing.svg(record, look)
        assert [order in picture for order in orders] == seen
        assert (picture == drawing.svg(public(record.copy()), look)) == (not any(seen))
    told = drawing.svg(public(record.copy()), Look())
    assert not any(order in told for order in orders)


def test_what_a_phase_has_done_is_marked() -> None:
    """The hull that was lost, and the ship that is out; who stood there is drawn beside it."""
    hover = Hover([(4, 4, N)], [(4, 3, S, 1)])
    before = hover.record.copy()
    hover.turn("move", "landing", dice=[6, 1])
    record = narration.frames(hover.record)[0]
    assert narration.lost(record[0]) == [1]
    spots = board._spots(record[0], table_of(record[0], 648, 612)[0], {1: cell_of(4, 3)})
    assert spots[0][0] != spots[1][0]
    unmarked, marked = (drawing.svg(record, Look(0, before=b)) for b in (None, before))
    assert (signs(unmarked, FELL), signs(marked, FELL)) == (2, 2)  # one is the legend's


def signs(picture: str, sign: str) -> int:
    """How often a sign is drawn in the size of letters, the legend included."""
    return picture.count(letters(sign, 0, 0, 11).partition('" ')[0] + '"')


def test_all_phases_of_the_last_turn_are_told() -> None:
    """With the hull that a repair or a shot has left; to a redrawn game only the last."""
    hover = Hover([(4, 4, N, 2)], [(4, 2, S, 1)], energy=[6, 6])
    hover.turn("repair landing landing", "landing move landing", dice=[6, 1])
    told = narration.phase_by_phase(hover.record)
    assert told == [
        (1, "Z0 lands and repairs; M0 lands; hull Z0 3/3"),
        (2, "Z0 lands; M0 moves to 4,3; M0 hits Z0; hull Z0 2/3"),
        (3, "Z0 lands; M0 lands"),
    ]
    words = ET.fromstring(drawing.svg(hover.record, Look(0)))[1].text or ""
    assert all(f"Phase {number}: {events}." in words for number, events in told)
    frames = narration.frames(hover.record)
    assert narration.phase_by_phase(frames[1]) == told[:2]
    redrawn = hover.record.copy()
    redrawn["before_dice"] = 0
    assert [number for number, _ in narration.phase_by_phase(redrawn)] == [3]
    assert "Phase 2" not in drawing.svg(redrawn, Look(0))


def test_a_turn_is_carried_out_alike_whenever_it_is_shown() -> None:
    hover = Hover([(4, 4, N)], [(7, 7, S)], energy=[6, 6])
    hover.turn("left right left move", "right left")
    phases = [frame.tobytes() for frame in narration.frames(hover.record)[:-1]]
    hover.act(LEFT)
    for record in (hover.record, *narration.frames(hover.record)):
        assert [frame.tobytes() for frame in narration.frames(record)[:-1]] == phases


def test_ships_lost_in_the_last_turn_are_marked_until_the_next_one_is_over() -> None:
    hover = Hover([(4, 4, N), (1, 6, N)], [(4, 3, S, 1), (7, 7, S)], energy=[6] * 4)
    hover.turn(
        "move left right left", "left right left right", "landing", "left right", dice=[6, 1]
    )
    assert narration.lost_in(hover.record) == {2: 1}
    assert signs(drawing.svg(hover.record, Look(0)), FELL) == 2
    hover.act(LEFT)
    assert signs(drawing.svg(hover.record, Look(0)), FELL) == 2
    hover.plan("left", "left", "", "left")
    assert narration.lost_in(hover.record) == {}
    assert signs(drawing.svg(hover.record, Look(0)), FELL) == 1


def test_marks_of_the_last_turn_are_dim_once_the_next_one_is_planned() -> None:
    hover = Hover([(4, 4, N)], [(4, 3, S)])
    hover.turn("EMP", "landing", dice=[1])
    last = hover.record.copy()
    faded = '<g opacity="0.5">'
    assert faded not in drawing.svg(last, Look(0))
    hover.act(MOVE)
    assert faded not in drawing.svg(hover.record, Look(1))
    assert faded in drawing.svg(hover.record, Look(0, before=last))
    hover.act(MOVE)
    assert faded in drawing.svg(hover.record, Look(1))


def test_hidden_orders_show_that_they_are_decided() -> None:
    """Of slots that all have decided, and alike whatever they are."""
    hover = Hover([(1, 1, SE), (1, 3, SE)], [(5, 5, NW)])
    start_ = hover.record.copy()
    pictures = []
    for action in (RIGHT, MOVE, LEFT):
        pictures.append(drawing.svg(hover.record, Look(0)).count(fleets._LOCK))
        hover.act(action)
    pictures.append(drawing.svg(hover.record, Look(0)).count(fleets._LOCK))
    assert pictures == [1, 1, 1, 3]  # one is the legend's
    assert drawing.svg(hover.record, Look(0, allies=(1,))).count(fleets._LOCK) == 2
    look = Look(0, before=start_)
    kinds = [fleets.slots_now(hover.state, look, seat)[1] for seat in range(3)]
    assert kinds == [[fleets.NEW, fleets.DECIDING]] * 3
    look = Look(0, before=hover.record.copy())
    kinds = [fleets.slots_now(hover.state, look, seat)[1] for seat in range(3)]
    assert kinds == [[fleets.DECIDED, fleets.DECIDING]] * 3


def test_the_newest_own_order_is_marked_once_the_turn_is_over() -> None:
    """The one given after the record before, carried out or not; others' are all news then."""
    hover = Hover([(1, 1, SE), (0, 3, NW)], [(5, 5, NW)])
    hover.plan_next("right", "move", "left", "left")
    before = hover.record.copy()
    hover.plan_next("right", "left")
    assert hover.state["turns"] == 1
    look = Look(0, before=before, allies=(1,))
    kinds = [fleets.slots_then(hover.state, look, seat)[1] for seat in range(3)]
    assert kinds == [
        [fleets.DECIDED, fleets.DECIDED],
        [fleets.DECIDED, fleets.NEW_NEVER],
        [fleets.DECIDED, fleets.DECIDED],
    ]
    white = [
        drawing.svg(hover.record, Look(0, before=before, allies=allies)).count('stroke-width="2"')
        for allies in ((), (1,))
    ]
    assert white[1] == white[0] + 1
    later = Look(0, before=hover.record.copy(), allies=(1,))
    assert fleets.NEW_NEVER not in fleets.slots_then(hover.state, later, 1)[1]


def test_what_an_emp_does_is_told() -> None:
    """Whoever uses it is landed; whom it hits lands in the next phase, if it does anything then."""
    for plan, effect in (("left left", "lands next"), ("left", "no effect")):
        hover = Hover([(4, 4, S)], [(4, 3, N)], energy=[6, 6])
        hover.turn("EMP left", plan, dice=[6, 1])
        told = dict(narration.phase_by_phase(hover.record))
        assert "Z0 lands and uses EMP" in told[1]
        assert f"M0 is hit by the EMP of Z0: {effect}" in told[1]
        assert ("M0 lands, hit by an EMP" in told.get(2, "")) == (effect == "lands next")


def test_a_plan_that_leaves_the_map_is_warned_of() -> None:
    def warned(hover: Hover, seat: int = 0) -> bool:
        mask = hover.mask if hover.mover == seat else None
        return signs(drawing.svg(hover.record, Look(seat, mask)), "OFF THE MAP: OUT") > 0

    hover = Hover([(0, 3, NW)], [(5, 5, NW)])
    assert warned(hover)
    hover.act(RIGHT)
    assert not warned(hover, 1)
    hover.act(LEFT)
    assert not warned(hover)
    assert not warned(Hover([(0, 3, SE)], [(5, 5, NW)]))
    leaving = Hover([(0, 3, NW)], [(5, 5, NW)])
    leaving.plan_next("move", "left")
    assert warned(leaving)
    through = Hover([(0, 3, NW)], [(5, 5, NW)], goal="breakthrough")
    assert not warned(through)


def test_why_an_action_may_not_be_planned_is_told() -> None:
    hover = Hover([(1, 1, SE)], [(5, 5, NW)], energy=[6, 6])
    told = [drawing._blocked(hover.state, 0)]
    for action in (EMP, LEFT, NO_ACTION):
        hover.plan_next(ACTIONS[action], "left")
        told.append(drawing._blocked(hover.state, 0))
    assert ["FIRST" in told[0], "EMP" in told[1], "EMP" in told[2], "OVER" in told[3]] == [True] * 4
    assert max(width(f"ACTIONS{why}", LEAST) for why in told) < 340, "it fits on a phone"
    assert drawing._blocked(hover.state, 1) == ""


def test_the_last_turn_is_drawn_phase_by_phase() -> None:
    hover = Hover([(4, 4, N)], [(7, 7, S)], energy=[6, 6])
    hover.turn("left right left move", "right left")
    drawn = narration.frames(hover.record)
    assert len(drawn) >= 4
    texts = [narration.text(frame, 0) for frame in drawn]
    for phase, (frame, text) in enumerate(zip(drawn[:3], texts, strict=False), start=1):
        assert f"TURN 1 IS CARRIED OUT: PHASE {phase}" in text
        assert f"last phase ({phase})" in text
        ET.fromstring(drawing.svg(frame, Look(1)))
    assert "Z0 turns left" in texts[0]
    assert "M0 turns left" in texts[1]
    assert "PLAN ACTION 1" in texts[-1]


def test_a_finished_ship_lies_where_it_was_finished() -> None:
    """Where it had moved to, and not where it began."""
    moved = Hover([(4, 4, N)], [(4, 2, S, 1)])
    moved.turn("right left", "move landing", dice=[6, 1, 1, 6])  # shot once it has moved
    ramming = Hover([(4, 4, N)], [(4, 3, S, 2)])
    ramming.turn("right left", "move landing", dice=[1, 6, 6, 1, 1, 6])  # and after a ramming
    for hover in (moved, ramming):
        record = narration.frames(hover.record)[0]
        assert record["cell"][0, 1] == NONE
        assert narration.place_of(record[0], 1) == cell_of(4, 3)
        told = narration.text(record, 0)
        assert "Z0 hits M0" in told
        assert "M0 misses Z0" in told
        assert "M0 is out" in told
        assert ("M0 rams Z0" in told) == (hover is ramming)


def test_all_endings_are_told() -> None:
    record = variant("hovercrafts", deployment="random").blank()
    shuffle(record[0])
    start(record[0])
    record["mover"], record["terminated"] = NOBODY, 1
    for reason, told in (
        (BOTH_OUT, "A DRAW"),
        (MAX_TURNS, "TIMED OUT"),
        (DISABLED_ALL, "ZION WINS"),
    ):
        over = record.copy()
        over["reason"] = reason
        if reason != MAX_TURNS:
            over["cell"][0, 1] = NONE
        for seat in range(2):
            assert told in narration.text(over, seat)
            ET.fromstring(drawing.svg(over, Look(seat)))


def test_a_ship_that_is_shot_is_drawn_where_it_was_shot() -> None:
    """That is where it is after the moves: a twin whose guns never hit shows the place."""
    moved = 0
    options = {"ships": (5, 5), "width": 4, "height": 5, "stats": [(2, 0, 6, 2)] * 10}
    for record, _ in positions(6000, every=15, **options):
        for before, after in itertools.pairwise(narration.frames(record)[:-1]):
            unarmed = before.copy()
            unarmed["ballistic"] = -100
            carry_out_phase(unarmed[0])
            for seat in narration.lost(after[0]):
                place, cell = narration.place_of(after[0], seat), int(unarmed["cell"][0, seat])
                if cell != NONE:
                    assert place == cell
                    moved += cell != int(after["was"][0, seat])
                else:
                    assert place in (after["was"][0, seat], after["aim"][0, seat])
    assert moved > 5
