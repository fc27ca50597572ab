"""A built-in player for Hovercrafts: it closes in, keeps enemies before its bow, and repairs.

It is asked slot by slot, follows its own plan so far with all other ships standing still, and
weighs what every next action brings: fire, rams and EMPs in this phase, a good pose for the
next one, and progress on the way to the nearest enemy. Values are in 64ths of a hull, times STAKE.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.defaults import legal_count, nth_legal
from cyberdeck.engine.kernels import Action, Mask, RandomBits, Seat, State, index, int64, kernel
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts import table, targets
from cyberdeck.games.hovercrafts.campaign import STATS, may_raise
from cyberdeck.games.hovercrafts.deployment import start_cell
from cyberdeck.games.hovercrafts.goals import attacks, escapes
from cyberdeck.games.hovercrafts.table import Cell, Facing, Slot
from cyberdeck.games.hovercrafts.targets import Hexes
from cyberdeck.games.hovercrafts.turn import Plan, action_in, ended, may_plan, plan_of, with_action

Pose: TypeAlias = tuple[Cell, Facing, int]  # where a ship is, how it faces, its hull left
#: What the values of a slot's actions rest on: see ``outlook_of``.
Outlook: TypeAlias = tuple[Pose, tuple[Hexes, Hexes], int, int]

# --- weights -------------------------------------------------------------------------------------

SURE = 6  # chances are in 64ths: shift by this

#: [hull left, at most 3]: what the next hull is worth; the last one is the ship.
STAKE = np.array([0, 20, 13, 10], np.int64)
SHIP = 43 << SURE  # all hulls of a sound ship

#: [ballistic - shield + 2]: chance of a hit.
HITS = np.array([0, 9, 32, 55, 64], np.int64)
#: [own - other's + 3]: chance that the other has no more in a check.
HOLDS = np.array([0, 7, 21, 43, 57, 64, 64], np.int64)

#: [turns from straight ahead]: chance that an adjacent enemy fires at this ship.
AIMS = np.array([58, 58, 26, 13], np.int64)
#: [turns from straight ahead]: what an adjacent enemy there is worth for the phases after.
BEARS = np.array([28, 26, 12, 4], np.int64)
#: [slot]: how far other ships may still be counted on to be where they were.
FADE = np.array([64, 54, 45, 38, 32, 26, 20, 20, 20], np.int64)

LATER = 24  # an adjacent enemy's fire in the phases after
MENDED = 96  # a hull repaired, against 64 for one lost
JAMMED = 32  # a jammed enemy cannot get away either
JAMMED_FRIEND = 256
RAMMED_FRIEND = 1000
CROSSED_FRIEND = 500  # moving for a hex straight before a friend of a lower seat
RAMMING = 400  # what ramming has to bring: after it nobody knows where the ship is
STEP_NEARER = 96  # each action less on the way to the nearest enemy
RUN = 300  # the same for a ship that has to break through
QUIET = 44  # chance that the turn goes on, and ships fire, when a plan has ended
END = 20  # each action given away by ending the plan
WHIM = 40  # chance's part in every value
WORST = -1_000_000

#: Chances that one action of the plan so far goes otherwise: it has no effect; or the ships in
#: the way of moves are gone from then on.
SLIPS, PASSES = 2, 24

STAY = 800  # leaving a place that is to be held
ESCAPE = 4000
INWARD = 1000  # deployment: facing the other side,
OPEN = 600  # a free hex ahead,
CENTRAL = 40  # each row nearer to the middle,
APART = 150  # no friend in the rows beside it
DEPLOYMENT_WHIM = 500

RAISED = 64  # a stat for each time that it was raised,
#: [goal is seize, stat]: and hull, shield, ballistic, energy from the beginning.
LATER_TURN = np.array([[16, 0, 32, 2000], [48, 16, 0, 32]], np.int64)

# --- a phase -------------------------------------------------------------------------------------


_REACH = c.STRIDE + 1  # no adjacent cells differ by more


#: [cell & 1, difference of two cells + _REACH]: the facing from one to the other, or NONE.
WAY = np.full((2, 2 * _REACH + 1), c.NONE, np.int8)
for _parity in (0, 1):
    WAY[_parity, table.STEP[_parity] + _REACH] = np.arange(6)


@kernel
def way_to(cell: Cell, other: Cell) -> Facing:
    """The facing from a cell to an adjacent one; NONE for any other."""
    difference = int64(other) - cell
    if abs(difference) > _REACH:
        return c.NONE
    return int64(WAY[index(cell & 1), index(difference + _REACH)])


@kernel
def angle(facing: Facing, other: Facing) -> int:
    """Turns between two facings."""
    turned = (facing - other + 6) % 6
    return min(turned, 6 - turned)


@kernel
def stake(hull: int) -> int:
    return STAKE[index(min(hull, 3))]


@kernel
def hit_chance(state: State, attacker: Seat, target: Seat) -> int:
    lead = state.ballistic[attacker] - state.shield[target] + 2
    return HITS[index(max(0, min(4, lead)))]


@kernel
def hold_chance(own: int, other: int) -> int:
    """That a check of *own* is at least one of *other*."""
    return HOLDS[index(max(0, min(6, own - other + 3)))]


@kernel
def exchange(state: State, seat: Seat, slot: Slot, pose: Pose, action: Action) -> int:
    """What fire and EMPs bring, in this phase and after, to a ship in some pose."""
    cell, facing, hull = pose
    value = 0
    for other in range(int64(state.seats)):
        way = way_to(cell, state.cell[other])
        if way == c.NONE or other == seat:
            continue
        jams = 0
        if action == c.EMP and state.actions[other] > slot + 1:
            jams = hold_chance(int64(state.energy[seat]), int64(state.energy[other]))
        if table.team_of(state, other) == table.team_of(state, seat):
            value -= jams * JAMMED_FRIEND >> SURE
            continue
        threat = AIMS[index(angle((way + 3) % 6, int64(state.facing[other])))]
        threat *= hit_chance(state, other, seat) * stake(hull) >> SURE
        value += (jams * (threat + JAMMED) - (64 + LATER) * threat) >> SURE
        turns = angle(way, facing)
        shares = BEARS[index(turns)]
        if turns <= 1 and action <= c.LEFT:
            shares += 64
        elif turns <= 1 and action == c.NO_ACTION:
            shares += QUIET
        target = stake(int64(state.hull_left[other]))
        value += shares * hit_chance(state, seat, other) * target >> SURE
    return value


@kernel
def meeting(state: State, seat: Seat, other: Seat, hull: int) -> int:
    """What moving into another ship brings."""
    if table.team_of(state, other) == table.team_of(state, seat):
        return -RAMMED_FRIEND
    their = int64(state.hull_left[other])
    gain = hold_chance(hull, their) * stake(their) - hold_chance(their, hull) * stake(hull)
    return gain - RAMMING


@kernel
def met(state: State, seat: Seat, cell: Cell) -> Seat:
    """The other ship in a cell, or NONE."""
    for other in range(state.seats):
        if state.cell[other] == cell and other != seat:
            return other
    return c.NONE


@kernel
def crossed(state: State, seat: Seat, slot: Slot, cell: Cell) -> bool:
    """Whether a friend of a lower seat may come to a cell in this phase, straight on."""
    for other in range(seat):
        if table.alive(state, other) and table.team_of(state, other) == table.team_of(state, seat):
            at = int64(state.cell[other])
            for _ in range(slot + 1):
                at = table.beside(at, state.facing[other])
                if at == cell:
                    return True
                if state.terrain[at] != c.FREE:
                    break
    return False


@kernel
def value_of(state: State, seat: Seat, slot: Slot, outlook: Outlook, action: Action) -> int:
    """The value of an action in a slot."""
    (cell, facing, hull), (nearer, nearest), risk, stay = outlook
    value = 0
    steps = 0
    if action == c.MOVE:
        ahead = table.beside(cell, facing)
        other = met(state, seat, ahead)
        if escapes(state, seat, cell, facing):
            return ESCAPE
        if state.terrain[index(ahead)] == c.OFF_MAP:
            return WORST
        value -= (risk * SHIP >> SURE) + stay
        if state.terrain[index(ahead)] == c.WALL:
            value -= stake(hull) << SURE
        elif other != c.NONE:
            value += meeting(state, seat, other, hull) * FADE[index(slot)] >> SURE
        else:
            steps = 1 if targets.holds(nearer, ahead) else -1
            cell = ahead
            if crossed(state, seat, slot, ahead):
                value -= CROSSED_FRIEND
    elif action == c.REPAIR and hull < state.hull[seat]:
        hull += 1
        value += MENDED * stake(hull)
    elif action == c.NO_ACTION:
        value -= END * (state.actions[seat] - slot - 1)
    facing = table.turned(facing, action)
    turns = targets.turns_to(state, nearest if steps == 1 else nearer, cell, facing)
    if turns == 3 and attacks(state, seat) and table.column_of(cell) == 0:
        turns = min(angle(facing, c.WESTWARD), angle(facing, c.WESTWARD + 1))
    elif turns == 3 and steps == 1 and state.goal == c.SEIZE and targets.arrives(nearest):
        turns = 0
    value += (RUN if attacks(state, seat) else STEP_NEARER) * (steps - turns)
    fire = exchange(state, seat, slot, (cell, facing, hull), action)
    return value + (fire * FADE[index(slot)] >> SURE)


# --- the plan so far -----------------------------------------------------------------------------


@kernel
def pose_after_plan(
    state: State, seat: Seat, plan: Plan, slots: Slot, slip: Slot, gone: Slot
) -> Pose:
    """(cell, facing, hull left) after the first slots of a ship's plan, if no other ship does
    anything; but the action *slip* has no effect, and from the action *gone* on other ships are out
    of the way.
    """
    cell, facing = int64(state.cell[seat]), int64(state.facing[seat])
    hull = int64(state.hull_left[seat])
    for slot in range(slots):
        action = action_in(plan, slot)
        if slot == slip:
            continue
        if action == c.MOVE:
            ahead = table.beside(cell, facing)
            way_free = slot >= gone or met(state, seat, ahead) == c.NONE
            if state.terrain[index(ahead)] == c.FREE and way_free:
                cell = ahead
        elif action == c.REPAIR:
            hull = min(hull + 1, int64(state.hull[seat]))
        facing = table.turned(facing, action)
    return cell, facing, hull


@kernel
def pose_after(state: State, seat: Seat, plan: Plan, slots: Slot) -> Pose:
    """The pose after the first slots of a plan if all goes well."""
    return pose_after_plan(state, seat, plan, slots, slots, slots)


@kernel
def outlook_of(state: State, seat: Seat, plan: Plan, slot: Slot) -> Outlook:
    """What the values of a slot's actions rest on: the pose after the plan so far, the hexes
    nearer to the enemies, and the chance that a move leaves the map after all.
    """
    risk = int64(0)
    pose = pose_after(state, seat, plan, slot)
    for course in range(2 * slot):
        slip = course - slot
        cell, facing, _ = pose_after_plan(state, seat, plan, slot, slip, min(course, slot))
        off = state.terrain[index(table.beside(cell, facing))] == c.OFF_MAP
        if off and not escapes(state, seat, cell, facing):
            risk += SLIPS if slip >= 0 else PASSES
    holding = targets.holds_place(state, seat, pose[0])
    ways = targets.flood(state, seat, pose[0], targets.targets_of(state, seat, holding))
    return pose, ways, risk, STAY if holding else 0


@kernel
def next_action(
    state: State, seat: Seat, plan: Plan, slot: Slot, random_bits: RandomBits, whim: int
) -> Action:
    """The action of the highest value, to which chance may add less than *whim*."""
    outlook = outlook_of(state, seat, plan, slot)
    chosen = c.NONE
    best = 2 * WORST
    for action in range(c.PLACES):
        if may_plan(state, plan, slot, action):
            random_bits = dice.mixed(random_bits)
            value = value_of(state, seat, slot, outlook, action) + dice.scaled(random_bits, whim)
            if value > best:
                best = value
                chosen = action
    return chosen


@kernel
def likely_plan(state: State, seat: Seat) -> Plan:
    """What this player would plan for a ship for the whole turn, without chance."""
    plan = int64(0)
    for slot in range(int64(state.actions[seat])):
        action = next_action(state, seat, plan, slot, np.uint64(0), 0)
        plan = with_action(plan, slot, action)
        if action == c.NO_ACTION:
            break
    return plan


# --- deployment ----------------------------------------------------------------------------------


@kernel
def start_value(state: State, seat: Seat, row: int, facing: Facing) -> int:
    cell = start_cell(state, seat, row)
    value = -CENTRAL * abs(2 * row + 1 - state.height) >> 1
    inward = 2 * table.column_of(cell) < state.width
    if facing not in (0, 3) and (facing < 3) == inward:
        value += INWARD
    if state.terrain[table.beside(cell, facing)] == c.FREE:
        value += OPEN
    for other in range(state.seats):
        if table.alive(state, other) and table.team_of(state, other) == table.team_of(state, seat):
            value -= APART if abs(table.row_of(state.cell[other]) - row) == 1 else 0
    return value


@kernel
def place(state: State, mask: Mask, random_bits: RandomBits) -> Action:
    seat = int64(state.mover)
    chosen = c.NONE
    best = WORST
    for action in range(c.PLACES, len(mask)):
        if mask[action]:
            start = action - c.PLACES
            random_bits = dice.mixed(random_bits)
            value = start_value(state, seat, start // 6, start % 6)
            value += dice.scaled(random_bits, DEPLOYMENT_WHIM)
            if value > best:
                best = value
                chosen = action
    return chosen


# --- between battles -----------------------------------------------------------------------------


@kernel
def upgrade_value(state: State, seat: Seat, stat: int) -> int:
    """One after the other: shield, hull and ballistic, as more actions do not win battles of this
    player's; but to reach and clear locations: ballistic, shield and energy, then hull.
    """
    raised = int64(state.raised[seat, stat]) + (state.upgrade[seat, 0] == stat)
    return -RAISED * raised - LATER_TURN[int64(state.goal == c.SEIZE), stat]


@kernel
def upgrade(state: State) -> Action:
    seat, slot = int64(state.mover), int64(state.slot)
    chosen, best = c.NONE, WORST
    for stat in range(STATS):
        if may_raise(state, seat, slot, stat) and upgrade_value(state, seat, stat) > best:
            best, chosen = upgrade_value(state, seat, stat), stat
    return table.first_upgrade(state) + chosen


@kernel
def heuristic(state: State, mask: Mask, random_bits: RandomBits) -> Action:
    """A legal action for the mover; chance chooses among those of nearly the same value."""
    if state.phase == c.DEPLOY:
        return place(state, mask, random_bits)
    if state.phase == c.UPGRADE:
        return upgrade(state)
    if state.phase == c.PICK:
        return nth_legal(mask, dice.scaled(random_bits, legal_count(mask)))
    seat, slot = int64(state.mover), int64(state.slot)
    plan = plan_of(state, seat, slot)
    if ended(plan, slot):
        return c.NO_ACTION
    return next_action(state, seat, plan, slot, random_bits, WHIM)
