"""Hovercrafts: what the heuristic makes of a position, told to a ship that decides.

A slot's action is done from where the own plan so far leads, and while others carry out plans that
nobody knows. So beside the values of the actions the ship is told of the pose from which it will
act, and of others where the heuristic's plans for them would bring them: made for each with all
other ships standing still, and from nothing but what everybody sees.
"""

from __future__ import annotations

from cyberdeck.engine.contract import Feature, Options
from cyberdeck.engine.kernels import Seat, State, Vector, index, int64, kernel
from cyberdeck.engine.prior import BEST, NO_VALUE, PRIOR, note_value
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts import heuristic, table
from cyberdeck.games.hovercrafts.campaign import STATS, may_raise
from cyberdeck.games.hovercrafts.deployment import may_start
from cyberdeck.games.hovercrafts.hexes import HEXES, PLACE, tell_around, tell_place
from cyberdeck.games.hovercrafts.table import Cell, Facing, Slot
from cyberdeck.games.hovercrafts.turn import action_in, may_plan, plan_of

#: Values are shifted by this: a step is 16. In play between heuristics 99 of 100 actions that stay
#: on the map are within 1700 of the best, 106 steps; what their whim turns round is within 3.
STEP = 4

DONE = c.NO_ACTION  # actions that a ship can be foreseen to do
FORESEEN = 3 * PLACE + DONE  # of each other ship


def prior_features(options: Options, seats: int) -> tuple[Feature, ...]:
    """What comes after the pieces of the vector."""
    rows = options["height"] if options["deployment"] == "choose" else 0
    sides = len(c.SIDES) if options["pick_side"] else 0
    stats = len(c.STAT_NAMES) if options["battles"] > 1 else 0
    return (
        Feature(
            PRIOR,
            (c.PLACES + 6 * rows + sides + stats,),
            0,
            BEST,
            "what the heuristic makes of each action: 127 for the best, one less for each 16 of "
            "its value, at least 1; 0 for an illegal one",
        ),
        Feature("prospect", (1,), -BEST, BEST, "what the best is worth to it, in 16s"),
        Feature("foreseen_hull", (1,), 0, 9, "the own hull left after the own plan so far"),
        Feature("foreseen_around", (2, HEXES), 0, 1, "`around`, from the pose after it"),
        Feature(
            "foreseen",
            (seats - 1, FORESEEN),
            -40,
            40,
            "each of `others`, as the heuristic would plan for it, seen from that pose: straight "
            "ahead and ahead to the right, in hexes, and facing, one-hot, each before this slot's "
            "action, after it and at the end of the turn; this slot's action, one-hot",
        ),
    )


@kernel
def prior_size(state: State) -> int:
    """How many numbers these are."""
    actions = table.first_upgrade(state) + (STATS if state.battles else 0)
    return actions + 2 + 2 * HEXES + (int64(state.seats) - 1) * FORESEEN


@kernel
def observe_prior(state: State, seat: Seat, out: Vector, at: int) -> None:
    """For a seat that decides; *out* holds zeros."""
    after = at + table.first_upgrade(state) + (STATS if state.battles else 0)
    prior, slot, best = out[at:after], int64(state.slot), int64(NO_VALUE)
    if state.phase == c.DEPLOY:
        for row in range(int64(state.height)):
            if may_start(state, seat, row):
                for facing in range(6):
                    value = heuristic.start_value(state, seat, row, facing) >> STEP
                    best = note_value(prior, c.PLACES + 6 * row + facing, value, best)
        out[index(after)] = min(BEST, best)
        return
    if state.phase == c.PICK:
        for side in range(len(c.SIDES)):
            out[index(at + table.first_side(state) + side)] = BEST
        return
    if state.phase == c.UPGRADE:
        for stat in range(STATS):
            if may_raise(state, seat, slot, stat):
                value = heuristic.upgrade_value(state, seat, stat) >> STEP
                best = note_value(prior, table.first_upgrade(state) + stat, value, best)
        out[index(after)] = min(BEST, best)
        return
    plan = plan_of(state, seat, slot)
    outlook = heuristic.outlook_of(state, seat, plan, slot)
    for action in range(c.PLACES):
        if may_plan(state, plan, slot, action):
            value = heuristic.value_of(state, seat, slot, outlook, action) >> STEP
            best = note_value(prior, action, value, best)
    out[index(after)] = max(-BEST, min(BEST, best))
    cell, facing, hull = outlook[0]
    out[index(after + 1)] = hull
    tell_around(state, cell, facing, out, after + 2)
    at = after + 2 + 2 * HEXES
    for group in range(2):  # allies, then enemies
        for other in range(int64(state.seats)):
            friend = table.team_of(state, other) == table.team_of(state, seat)
            if other == seat or friend != (group == 0):
                continue
            if table.alive(state, other):
                foresee(state, other, slot, cell, facing, out, at)
            at += FORESEEN


@kernel
def foresee(
    state: State, other: Seat, slot: Slot, cell: Cell, facing: Facing, out: Vector, at: int
) -> None:
    """Another ship's way through its likely plan, seen from a pose."""
    plan = heuristic.likely_plan(state, other)
    for time in range(3):
        slots = c.SLOTS if time == 2 else slot + time
        there, its_facing, _ = heuristic.pose_after(state, other, plan, slots)
        tell_place(cell, facing, there, its_facing, out, at + time * PLACE)
    action = action_in(plan, slot)
    if action != c.NONE and action != c.NO_ACTION:
        out[index(at + 3 * PLACE + action)] = 1
