"""The view with a prior: what the heuristic makes of each action, and expects of the others."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch
from cyberdeck.engine.kernels import kernel
from cyberdeck.games.hovercrafts.constants import FREE, MARGIN, PLAN, STRIDE
from cyberdeck.games.hovercrafts.heuristic import next_action
from cyberdeck.games.hovercrafts.table import cell_of
from cyberdeck.games.hovercrafts.turn import ended, plan_of
from tests.cases import STRONG
from tests.hovercrafts.facade import Hover, N, S
from tests.reference.hovercrafts import AROUND, ahead, cube, offset

MOVE, RIGHT, LEFT, LANDING, EMP, REPAIR, NOTHING = range(7)

CASES: list[dict[str, Any]] = [
    {"ships": (3, 3), "scenario": "tunnels", "share_plans": True},
    {"ships": (1, 4), "scenario": "random", "pick_side": True, "battles": 3, "max_turns": 2},
    {"ships": (5, 5), "emp_per_turn": 3, "stats": STRONG},
]


@kernel
def next_without_luck(state: Any) -> int:
    """The mover's next action as the heuristic chooses it without chance."""
    plan = plan_of(state, state.mover, state.slot)
    if ended(plan, state.slot):
        return NOTHING
    return next_action(state, state.mover, plan, state.slot, np.uint64(0), 0)


@pytest.mark.parametrize("options", CASES, ids=str)
def test_every_seat_that_decides_sees_the_prior_of_the_heuristic(options: dict[str, Any]) -> None:
    """Whoever has been asked already: its legal actions, the best 127, and what the heuristic
    chooses as good as that but for its luck.
    """
    batch = Batch("hovercrafts", 4, seed=8, observation="prior", **options)
    variant, seats = batch.variant, batch.variant.seats
    mask, seen = (np.zeros(n, np.int8) for n in (variant.action_count, variant.observation_size))
    numbers = np.zeros(len(variant.game.metrics), np.int32)
    chosen = 0
    phases = set()
    for step in range(60):
        checked = step % seats  # one seat a step: this is plain Python
        actions = batch.choose("heuristic")
        for (row, state), seat in itertools.product(enumerate(batch._core.states), range(seats)):
            told = variant.named(batch.look(row, seat)[0])
            if not told["to_move"][0]:
                continue
            twin = np.array([state])
            twin["mover"] = seat
            batch._core.loops.look(twin, 0, seat, mask, seen, numbers)
            prior = told["prior"]
            assert ((prior > 0) == (mask == 1)).all()
            assert prior.max() == 127
            phases.add(int(state["phase"]))
            if seat == state["mover"]:
                # What chance may turn round: less than 40, in steps of 16; in deployment, 500.
                luck = 3 if state["phase"] == PLAN else 32
                assert prior[actions[row]] >= 127 - luck
            if state["phase"] == PLAN and seat == checked:
                assert prior[next_without_luck(twin[0])] == 127
                chosen += seat != state["mover"]
        batch.step(actions if step % 4 else batch.choose("random"))
    assert chosen > 25
    assert len(phases) == (4 if "battles" in options else 2)


# --- the others -----------------------------------------------------------------------------------


Pose = tuple[tuple[int, int, int], int]  # (hex, facing)


def placed(state: np.void, seat: int) -> Pose:
    row, column = divmod(int(state["cell"][seat]), STRIDE)
    return cube(column - MARGIN, row - MARGIN), int(state["facing"][seat])


def done(state: np.void, pose: Pose, actions: Iterable[int]) -> Pose:
    """Where actions lead, while all other ships stand still."""
    place, facing = pose
    for action in actions:
        there = cell_of(*offset(ahead(place, facing)))
        if action == MOVE and state["terrain"][there] == FREE and there not in state["cell"]:
            place = ahead(place, facing)
        facing = (facing + {RIGHT: 1, LEFT: 5}.get(action, 0)) % 6
    return place, facing


def likely_plan(record: np.ndarray, seat: int) -> list[int]:
    """What the heuristic would plan for a ship without luck."""
    twin = record.copy()
    twin["mover"] = seat
    for slot in range(int(twin["actions"][0, seat])):
        twin["slot"] = slot
        twin["plan"][0, seat, slot] = next_without_luck(twin[0])
    plan: list[int] = twin["plan"][0, seat].tolist()
    return plan


def check_place(told: list[int], own: Any, other: Any) -> None:
    """What is told of another pose leads there from the own one."""
    (place, facing), (its_place, its_facing) = own, other
    steps = zip(place, AROUND[facing], AROUND[(facing + 1) % 6], strict=True)
    assert tuple(x + told[0] * dx + told[1] * rx for x, dx, rx in steps) == its_place
    one_hot = [0] * 6
    one_hot[(its_facing - facing) % 6] = 1
    assert told[2:] == one_hot


def test_what_is_foreseen_is_where_the_heuristics_plans_would_lead() -> None:
    """Allies first, then enemies, whatever they plan; seen from where the own plan so far would."""
    luck = random.Random(3)
    moved = 0
    for _ in range(8):
        places = luck.sample([(column, row) for column in range(9) for row in range(8)], 8)
        ships = [(*place, luck.randrange(6)) for place in places[:5]]
        dice = [luck.randint(1, 6) for _ in ships]
        game = Hover(ships[:2], ships[2:], places[5:], energy=dice, observation="prior")
        state = game.state
        plans = [likely_plan(game.record, seat) for seat in range(5)]
        while not game.over and state["turns"] == 0:
            seat, slot = int(game.mover or 0), int(state["slot"])
            own = done(state, placed(state, seat), state["plan"][seat, :slot])
            others = sorted(range(5), key=lambda one: (one < 2) != (seat < 2))
            others.remove(seat)
            for line, other in zip(game.seen(seat)["foreseen"].tolist(), others, strict=True):
                plan, start = plans[other], placed(state, other)
                poses = [done(state, start, plan[:slots]) for slots in (slot, slot + 1, len(plan))]
                for at, pose in enumerate(poses):
                    check_place(line[8 * at : 8 * at + 8], own, pose)
                assert line[24:] == [int(plan[slot] == action) for action in range(NOTHING)]
                moved += poses[0] != poses[2]
            game.act(luck.choice(game.legal()))
    assert moved > 60


def test_ships_that_are_out_are_not_foreseen() -> None:
    game = Hover([(1, 1, S), None], [(7, 6, N), (6, 1, N)], observation="prior")
    foreseen = game.seen(0)["foreseen"]
    assert not foreseen[0].any()
    assert foreseen[1].any()
    assert foreseen[2].any()
