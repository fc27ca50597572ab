"""The view with a prior: what the heuristic makes of each action, and expects of the others."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, Variant, variant
from cyberdeck.engine.kernels import kernel
from cyberdeck.engine.phases import phases_between
from cyberdeck.evaluation import evaluate
from cyberdeck.games.hovercrafts.constants import DEPLOY, MARGIN, NONE, OBSERVATIONS, PLAN, STRIDE
from cyberdeck.games.hovercrafts.heuristic import next_action
from cyberdeck.games.hovercrafts.turn import ended, plan_of
from tests.cases import STRONG
from tests.hovercrafts.facade import NW, SE, Hover, N, S
from tests.play import Play, called, kernels_of
from tests.reference.hovercrafts import AROUND, cube

MOVE, RIGHT, LEFT, LANDING, EMP, REPAIR, NOTHING = range(7)

CASES: list[dict[str, Any]] = [
    {"ships": (3, 3), "scenario": "tunnels", "share_plans": True},
    {"ships": (1, 4), "scenario": "random", "pick_side": True, "battles": 3, "max_turns": 2},
    {"ships": (5, 5), "emp_per_turn": 3, "stats": STRONG},
]
STEPS_OF_LUCK = 3  # that chance may turn round: less than 40, in steps of 16
STEPS_OF_START = 32  # and for a deployment less than 500


def view(state: Any, seat: int, shape: Variant) -> dict[str, np.ndarray]:
    record = np.array([state])
    record["shown"] = OBSERVATIONS.index(shape.options["observation"])
    out = np.full(shape.observation_size, 99, np.int8)
    kernels_of(shape.game).observe(record[0], seat, out)
    return shape.named(out)


@kernel
def next_without_luck(state: Any) -> int:
    """The mover's next action as the heuristic chooses it without chance."""
    plan = plan_of(state, state.mover, state.slot)
    if ended(plan, state.slot):
        return NOTHING
    return next_action(state, state.mover, plan, state.slot, np.uint64(0), 0)


luckless = called(next_without_luck, "hovercrafts-luckless")


@pytest.mark.parametrize("options", CASES, ids=str)
def test_every_seat_that_decides_sees_the_prior_of_the_heuristic(options: dict[str, Any]) -> None:
    """Whoever has been asked already: its legal actions, the best 127, and what the heuristic
    chooses as good as that but for its luck. Nobody else is told anything.
    """
    batch = Batch("hovercrafts", 4, seed=8, **options)
    kernels, seats = kernels_of(batch.variant.game), batch.variant.seats
    without, with_prior = (
        variant("hovercrafts", observation=each, **options) for each in ("vector", "prior")
    )
    mask = np.zeros(batch.variant.action_count, np.int8)
    silent = chosen = 0
    phases = set()
    for step in range(60):
        actions = batch.choose("heuristic")
        for (row, state), seat in itertools.product(enumerate(batch.core.states), range(seats)):
            plain, told = view(state, seat, without), view(state, seat, with_prior)
            assert [name for name in told if name in plain] == list(plain)
            assert all((told[name] == plain[name]).all() for name in plain)
            if not plain["to_move"][0]:
                assert not any(told[name].any() for name in told if name not in plain)
                silent += 1
                continue
            twin = np.array([state])
            twin["mover"] = seat
            kernels.legal(twin[0], mask)
            prior = told["prior"]
            assert ((prior > 0) == (mask == 1)).all()
            assert prior.max() == 127
            phases.add(int(state["phase"]))
            if seat == state["mover"]:
                luck = STEPS_OF_LUCK if state["phase"] == PLAN else STEPS_OF_START
                assert prior[actions[row]] >= 127 - luck
            if state["phase"] == PLAN:
                assert prior[luckless(twin[0])] == 127
                chosen += seat != state["mover"]
        batch.step(actions if step % 4 else batch.choose("random"))
    assert min(silent, chosen) > 25
    assert len(phases) == (4 if "battles" in options else 2)


def test_at_the_end_nobody_sees_a_prior() -> None:
    game = Hover([(2, 2, N)], [(2, 1, S)], energy=[1, 1], max_turns=1, observation="prior")
    assert game.seen(0)["prior"].any()
    game.turn("landing landing", "landing landing")
    assert game.over
    for seat in range(2):
        told = game.seen(seat)
        for name in ("prior", "prospect", "foreseen_hull", "foreseen_around", "foreseen"):
            assert not told[name].any()


# --- by hand --------------------------------------------------------------------------------------


def test_the_way_to_a_distant_enemy_in_steps_of_16() -> None:
    """A move nearer is worth 96, a turn away from the only way loses as much; landing, an EMP and a
    repair of a sound ship bring nothing; ending the plan gives away 20 for each action but one.
    """
    game = Hover([(2, 7, N)], [(2, 0, S)], energy=[5, 1], observation="prior")
    told = game.seen(0)
    assert told["prior"].tolist()[:7] == [127, 115, 115, 121, 121, 121, 0]
    assert told["prospect"].tolist() == [6]
    game.plan_next("landing", "landing")
    told = game.seen(0)
    assert told["prior"].tolist()[:7] == [127, 115, 115, 121, 121, 121, 118]  # -40 is -3 steps
    assert told["prospect"].tolist() == [6]


def test_a_hull_lost_may_be_repaired() -> None:
    """The second hull is worth 13, the third 10; mended each counts 96 times that."""
    game = Hover([(2, 7, N, 1)], [(2, 0, S)], energy=[5, 1], observation="prior")
    told = game.seen(0)
    assert told["prospect"].tolist() == [96 * 13 // 16]
    assert told["foreseen_hull"].tolist() == [1]
    game.plan_next("repair", "landing")
    told = game.seen(0)
    assert told["prospect"].tolist() == [96 * 10 // 16]
    assert told["foreseen_hull"].tolist() == [2]
    assert told["prior"][REPAIR] == 127


def test_a_start_faces_the_other_side_near_the_middle() -> None:
    """1000 inward, 600 for a free hex ahead, less 40 for every row from the middle."""
    game = Play("hovercrafts", observation="prior")
    assert game.mover is not None
    told = game.seen(game.mover)
    starts = told["prior"][7:].reshape(4, 6)
    inward = [4, 5] if told["from_right"][0] else [1, 2]
    assert told["prospect"].tolist() == [1580 // 16]
    assert (starts[1:3, inward] == 127).all()
    assert (starts[:, (inward[0] + 3) % 6] < 40).all()
    assert not told["foreseen"].any()
    assert not game.seen(1 - game.mover)["prior"].any()


def test_what_lies_around_is_told_from_where_the_own_plan_has_led() -> None:
    """And so are the others, who are foreseen to come nearer."""
    game = Hover([(4, 5, N)], [(4, 0, SE)], walls=[(4, 2)], energy=[3, 3], observation="prior")
    game.plan_next("move", "landing")
    told = game.seen(0)
    other = Hover([(4, 4, N)], [(4, 0, SE)], walls=[(4, 2)], observation="prior").seen(0)
    assert (told["foreseen_around"] == other["around"]).all()
    assert (told["foreseen_around"] != told["around"]).any()
    assert told["foreseen_hull"].tolist() == [3]
    game.plan_next("left", "landing")
    turned = Hover([(4, 4, NW)], [(4, 0, SE)], walls=[(4, 2)], observation="prior").seen(0)
    assert (game.seen(0)["foreseen_around"] == turned["around"]).all()


# --- the others -----------------------------------------------------------------------------------


def placed(state: np.void, seat: int) -> tuple[tuple[int, int, int], int]:
    """(hex, facing)"""
    row, column = divmod(int(state["cell"][seat]), STRIDE)
    return cube(column - MARGIN, row - MARGIN), int(state["facing"][seat])


def check_place(told: list[int], own: Any, other: Any) -> None:
    """What is told of another pose leads there from the own one."""
    (place, facing), (its_place, its_facing) = own, other
    steps = zip(place, AROUND[facing], AROUND[(facing + 1) % 6], strict=True)
    assert tuple(x + told[0] * dx + told[1] * rx for x, dx, rx in steps) == its_place
    one_hot = [0] * 6
    one_hot[(its_facing - facing) % 6] = 1
    assert told[2:] == one_hot


def uneventful(frames: list[np.void], start: list[Any], seats: int) -> bool:
    """Nobody has rammed, was jammed or sunk, or came to where another ship had begun."""
    visited: list[set[Any]] = [set() for _ in range(seats)]
    for frame in frames:
        for seat in range(seats):
            if frame["cell"][seat] == NONE or frame["jammed"][seat]:
                return False
            if frame["rammed"][seat] != NONE:
                return False
            visited[seat].add(placed(frame, seat)[0])
    return not any(
        start[other][0] in visited[seat]
        for seat in range(seats)
        for other in range(seats)
        if other != seat
    )


@pytest.mark.parametrize(
    "options",
    [
        {"ships": (2, 3), "scenario": "random"},
        {"ships": (3, 3), "scenario": "tunnels", "stats": [{"energy": 3}, *[None] * 5]},
    ],
    ids=str,
)
def test_as_long_as_nobody_meets_anybody_what_is_foreseen_is_what_comes(
    options: dict[str, Any],
) -> None:
    """Every ship plans as the heuristic does without luck; then the turn is carried out."""
    luck = random.Random(3)
    compared = moved = 0
    for seed in range(12):
        game = Play("hovercrafts", seed=seed, observation="prior", **options)
        seats, zion = range(game.variant.seats), options["ships"][0]
        while game.state["phase"] == DEPLOY:
            game.act(luck.choice(game.legal()))
        while not game.over and game.state["turns"] < 4 and (game.state["cell"][seats] >= 0).all():
            turn = int(game.state["turns"])
            start = [placed(game.state, seat) for seat in seats]
            told: list[list[dict[str, np.ndarray]]] = []
            before = game.record.copy()
            while not game.over and game.state["turns"] == turn:
                if game.state["slot"] == len(told):
                    told.append([game.seen(seat) for seat in seats])
                game.act(luckless(game.state))
            frames = [record[0] for record in phases_between(game.game, before, game.record)]
            if not uneventful(frames, start, len(seats)):
                continue
            poses = [start, *[[placed(frame, seat) for seat in seats] for frame in frames]]
            poses += [poses[-1]] * (len(told) + 1 - len(poses))
            for (slot, views), seat in itertools.product(enumerate(told), seats):
                if not views[seat]["to_move"][0]:
                    continue
                others = sorted(seats, key=lambda one: (one < zion) != (seat < zion))
                others.remove(seat)  # allies, then enemies
                for line, other in zip(views[seat]["foreseen"].tolist(), others, strict=True):
                    for at, pose in ((0, poses[slot]), (8, poses[slot + 1]), (16, poses[-1])):
                        check_place(line[at : at + 8], poses[slot][seat], pose[other])
                    action = int(game.state["revealed"][other, slot])
                    assert line[24:] == [int(action == number) for number in range(NOTHING)]
                    compared += 1
                    moved += poses[slot][other] != start[other]
    assert compared > 60
    assert moved > 25


def test_ships_that_are_out_are_not_foreseen() -> None:
    game = Hover([(1, 1, S), None], [(7, 6, N), (6, 1, N)], observation="prior")
    foreseen = game.seen(0)["foreseen"]
    assert not foreseen[0].any()
    assert foreseen[1].any()
    assert foreseen[2].any()


def test_others_are_foreseen_without_regard_to_what_they_plan() -> None:
    """A distant enemy comes straight on, though it has planned to land."""
    game = Hover([(2, 7, N)], [(2, 0, S)], energy=[5, 1], observation="prior")
    straight = [5, 0, 0, 0, 0, 1, 0, 0]  # two of the seven hexes, and face to face
    game.plan_next("landing", "landing")
    line = game.seen(0)["foreseen"][0].tolist()
    assert line[8:16] == line[16:24] == straight
    assert line[0] == 6
    assert line[24:] == [1, 0, 0, 0, 0, 0]
    game.plan_next("landing", "landing")
    line = game.seen(0)["foreseen"][0].tolist()
    assert line[:8] == line[8:16] == line[16:24] == straight
    assert line[24:] == [0] * 6


# --- played ---------------------------------------------------------------------------------------


def test_who_follows_the_prior_holds_against_the_heuristic() -> None:
    def follower(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        shape = variant("hovercrafts", observation="prior")
        prior: np.ndarray = shape.named(observations)["prior"]
        return prior.argmax(axis=1)

    result = evaluate("hovercrafts", follower, ["heuristic"], deals=60, observation="prior")
    assert result.records[-1].points.value > 0.4
