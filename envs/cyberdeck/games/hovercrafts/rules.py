"""Hovercrafts: the rules, as kernels over one record. RULES.md beside this file says them.

The map is flat-topped hexes in columns, odd columns half a hex lower. A cell is its place in a
grid of fixed size that leaves a margin of cells off the map on all sides (``cell_of``). Facings
are 0 to 5, clockwise from north. Seats are ships: the first ones fly for Zion, the rest for the
Machines.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import index, kernel
from cyberdeck.engine.record import NOBODY, Field

SHIPS = 10  # at most, in both teams together
SLOTS = 9  # actions of a turn, at most: 3 of the die and 6 of energy
WIDEST, HIGHEST = 20, 16  # of a map
MARGIN = 3  # as far as a ship's surroundings are seen
STRIDE = WIDEST + 2 * MARGIN
CELLS = STRIDE * (HIGHEST + 2 * MARGIN)
NONE = -1  # no cell, no ship, no action planned yet

ZION, MACHINES = 0, 1
TEAMS = ("zion", "machines")

FREE, WALL, OFF_MAP = 0, 1, 2  # what a cell is

MOVE, RIGHT, LEFT, LAND, EMP, REPAIR, NO_ACTION = range(7)
ACTIONS = ("move", "right", "left", "landing", "EMP", "repair", "no action")
PLACES = len(ACTIONS)  # from here on deployment: 6 * row + facing

DEPLOY, PLAN = 0, 1  # phases of the game
PHASES = ("deploy", "plan")

SKIRMISH, TUNNELS, SCATTERED, GIVEN = range(4)
SCENARIOS = ("skirmish", "tunnels", "random")  # or a map that is given
CHOOSE, RANDOM = 0, 1
DEPLOYMENTS = ("choose", "random")
OUTCOME, DAMAGE = 0, 1
REWARDS = ("outcome", "damage")
HULL_LOST = 0.1  # what a lost hull is worth with reward="damage"
VECTOR, PLANES, WITH_PRIOR = 0, 1, 2
OBSERVATIONS = ("vector", "planes", "prior")

DISABLED_ALL, BOTH_OUT, MAX_TURNS = 2, 3, 4
REASONS = ("disabled_all", "both_out", "max_turns")

MOST_TURNS = 1_000_000  # that a game may have
MOST_TIES = 64  # after so many the defender holds, and the lower seat wins a contest
SCRIPT = 96  # dice that can be prescribed

FIELDS = (
    Field("max_turns", 1, MOST_TURNS),
    Field("turns", 0, MOST_TURNS),  # turns that have ended
    Field("walls_drawn", 0, 600),  # wall_density, in thousandths
    Field("seats", 2, SHIPS),
    Field("zion", 1, SHIPS - 1),  # ships of Zion: the seats below this one
    Field("width", 2, WIDEST),
    Field("height", 1, HIGHEST),
    Field("scenario", 0, GIVEN),
    Field("deployment", 0, 1),
    Field("reward_mode", 0, 1),
    Field("emp_per_turn", 1, SLOTS),
    Field("share_plans", 0, 1),
    Field("shown", 0, 2),  # which of OBSERVATIONS
    Field("hull", 0, 9, (SHIPS,)),
    Field("shield", 0, 6, (SHIPS,)),
    Field("ballistic", 0, 6, (SHIPS,)),
    Field("energy", 0, 6, (SHIPS,)),
    Field("terrain", FREE, OFF_MAP, (CELLS,)),
    Field("starting", 0, 1),  # the team that deploys first, on the rightmost column
    Field("phase", 0, 1),
    Field("slot", 0, SLOTS),  # the planning slot that is being decided
    Field("cell", NONE, CELLS - 1, (SHIPS,)),  # NONE: not deployed, or out of the game
    Field("facing", 0, 5, (SHIPS,)),
    Field("hull_left", 0, 9, (SHIPS,)),
    Field("actions", 0, SLOTS, (SHIPS,)),  # rolled for this turn
    Field("plan", NONE, 6, (SHIPS, SLOTS)),
    Field("lost", 0, 90, (2,)),  # hull that each team has lost in this turn
    Field("script", 0, 6, (SCRIPT,)),  # faces of the next dice, for tests and stories
    Field("scripted", 0, SCRIPT),  # how many of them are left, at the end of `script`
    # The last turn: how it began, so that its phases can be shown one by one, and the plans.
    Field("before_dice", 0, 2**64 - 1),
    Field("before_cell", NONE, CELLS - 1, (SHIPS,)),
    Field("before_facing", 0, 5, (SHIPS,)),
    Field("before_hull", 0, 9, (SHIPS,)),
    Field("before_scripted", 0, SCRIPT),
    Field("before_actions", 0, SLOTS, (SHIPS,)),
    Field("revealed", NONE, 6, (SHIPS, SLOTS)),  # the plans of the last turn
    Field("passed", 0, SLOTS),  # phases carried out in it so far
    # Its last phase.
    Field("was", NONE, CELLS - 1, (SHIPS,)),  # where each ship was before the last phase
    Field("done", NONE, 6, (SHIPS,)),  # what it did in it
    Field("landed", 0, 1, (SHIPS,)),
    Field("jammed", 0, 1, (SHIPS,)),  # hit by an EMP in it
    Field("rammed", NONE, SHIPS - 1, (SHIPS,)),  # the ship that it rammed
    Field("aim", NONE, CELLS - 1, (SHIPS,)),  # the hex that it moved for
    Field("shot", 0, 1023, (SHIPS,)),  # the ships that it fired at, as bits
    Field("hit", 0, 1023, (SHIPS,)),  # and those that it hit
    Field("wreck", NONE, CELLS - 1, (SHIPS,)),  # where it went out of the game in it
    # Only while moves are being settled.
    Field("place", -128, 127, (SHIPS,)),  # in the order of those that aim at the same hex
    Field("roll", -128, 127, (SHIPS,)),
    Field("behind", -128, 127, (SHIPS,)),
    Field("advancing", -128, 127, (SHIPS,)),
)

# --- the map -------------------------------------------------------------------------------------

#: (columns, rows) to the next hex by facing, from a column with an even and with an odd number.
TOWARDS = (
    ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 0), (-1, -1)),
    ((0, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)),
)


def cell_of(column: int, row: int) -> int:
    return STRIDE * (row + MARGIN) + column + MARGIN


def _steps() -> np.ndarray:
    """[cell & 1, facing]: what to add to a cell for the next one. STRIDE is even."""
    return np.array(
        [
            [STRIDE * down + right for right, down in TOWARDS[(parity + MARGIN) & 1]]
            for parity in (0, 1)
        ],
        np.int16,
    )


STEP = _steps()


@kernel
def beside(cell: Any, facing: Any) -> Any:
    """The next cell in a direction; facings count on beyond 5 and below 0."""
    return np.int64(cell) + STEP[index(cell & 1), index((facing + 6) % 6)]


@kernel
def team_of(state: Any, seat: Any) -> Any:
    return ZION if seat < state.zion else MACHINES


@kernel
def seats(state: Any) -> Any:
    return state.seats


@kernel
def acts_simultaneously(state: Any, seat: Any) -> Any:
    """Plans are made at the same time: who still has to fill this slot."""
    if state.phase == DEPLOY:
        return seat == state.mover
    return seat >= state.mover and state.actions[seat] > state.slot


@kernel
def alive(state: Any, seat: Any) -> Any:
    return state.cell[seat] != NONE


@kernel
def ship_at(state: Any, cell: Any) -> Any:
    for seat in range(state.seats):
        if state.cell[seat] == cell:
            return seat
    return NONE


# --- dice ----------------------------------------------------------------------------------------


@kernel
def die(state: Any) -> Any:
    """1 to 6; prescribed ones come first."""
    if state.scripted > 0:
        state.scripted -= 1
        return int(state.script[SCRIPT - 1 - state.scripted])
    return 1 + dice.below(state, 6)


@kernel
def check(state: Any, stat: Any) -> Any:
    """Half a die, rounded up, and the stat."""
    return (die(state) + 1) // 2 + np.int64(stat)


# --- what is legal -------------------------------------------------------------------------------


@kernel
def start_column(state: Any, team: Any) -> Any:
    """The starting team deploys on the rightmost column, the other on the leftmost."""
    return state.width - 1 if team == state.starting else 0


@kernel
def start_cell(state: Any, seat: Any, row: Any) -> Any:
    return STRIDE * (row + MARGIN) + start_column(state, team_of(state, seat)) + MARGIN


@kernel
def may_start(state: Any, seat: Any, row: Any) -> Any:
    cell = start_cell(state, seat, row)
    return state.terrain[cell] == FREE and ship_at(state, cell) == NONE


# A plan in one number: three bits for each slot, the first one's the lowest; 0 for NONE.


@kernel
def with_action(plan: Any, slot: Any, action: Any) -> Any:
    """A plan whose slot was empty."""
    return plan | np.int64(action + 1) << 3 * slot


@kernel
def action_in(plan: Any, slot: Any) -> Any:
    return (plan >> 3 * slot & 7) - 1


@kernel
def plan_of(state: Any, seat: Any, slots: Any) -> Any:
    """What a seat has planned for its first slots."""
    plan = np.int64(0)
    for slot in range(slots):
        plan = with_action(plan, slot, state.plan[seat, slot])
    return plan


@kernel
def ended(plan: Any, slot: Any) -> Any:
    """Whether nothing but `no action` may follow in a slot."""
    return slot > 0 and action_in(plan, slot - 1) == NO_ACTION


@kernel
def may_plan(state: Any, plan: Any, slot: Any, action: Any) -> Any:
    """After `no action` nothing else follows, it is never the first, and EMPs are limited."""
    if ended(plan, slot):
        return action == NO_ACTION
    if action == NO_ACTION:
        return slot > 0
    if action == EMP:
        used = 0
        for before in range(slot):
            used += action_in(plan, before) == EMP
        return used < state.emp_per_turn
    return True


@kernel
def legal(state: Any, mask: Any) -> None:
    seat = state.mover
    if state.phase == DEPLOY:
        for row in range(state.height):
            if may_start(state, seat, row):
                for facing in range(6):
                    mask[PLACES + 6 * row + facing] = 1
        return
    slot = np.int64(state.slot)
    plan = plan_of(state, seat, slot)
    for action in range(len(ACTIONS)):
        mask[action] = may_plan(state, plan, slot, action)


# --- playing it ----------------------------------------------------------------------------------


@kernel
def act(state: Any, action: Any) -> None:
    """Apply the mover's legal *action*."""
    mover = int(state.mover)
    if state.phase == DEPLOY:
        place = action - PLACES
        state.cell[mover] = start_cell(state, mover, place // 6)
        state.facing[mover] = place % 6
        next_to_deploy(state)
        return
    state.plan[mover, state.slot] = action
    if not next_to_plan(state, mover + 1):
        carry_out(state)


@kernel
def next_to_deploy(state: Any) -> None:
    """The starting team first, each in the order of its ships; then the first turn begins."""
    for turn in range(2):
        team = state.starting if turn == 0 else 1 - state.starting
        for seat in range(state.seats):
            if team_of(state, seat) == team and not alive(state, seat):
                state.mover = seat
                return
    begin_turn(state)


@kernel
def begin_turn(state: Any) -> None:
    """Every ship's energy check, rolled openly, says how many actions it has this turn."""
    for seat in range(state.seats):
        state.actions[seat] = check(state, state.energy[seat]) if alive(state, seat) else 0
        for slot in range(SLOTS):
            state.plan[seat, slot] = NONE
    state.lost[ZION] = 0
    state.lost[MACHINES] = 0
    state.slot = 0
    state.phase = PLAN
    next_to_plan(state, 0)


@kernel
def next_to_plan(state: Any, first: Any) -> Any:
    """Slot by slot, in the order of the seats: every ship decides as many as it has rolled."""
    while state.slot < SLOTS:
        for seat in range(first, state.seats):
            if state.actions[seat] > state.slot and state.plan[seat, state.slot] == NONE:
                state.mover = seat
                return True
        first = 0
        state.slot += 1
    return False


# --- a turn is carried out -----------------------------------------------------------------------


@kernel
def reveal(state: Any) -> None:
    """The plans lie open; and all that their phases need is kept, to show them again."""
    state.before_dice = state.dice
    state.before_scripted = state.scripted
    for seat in range(state.seats):
        state.before_cell[seat] = state.cell[seat]
        state.before_facing[seat] = state.facing[seat]
        state.before_hull[seat] = state.hull_left[seat]
        state.before_actions[seat] = state.actions[seat]
        for slot in range(SLOTS):
            state.revealed[seat, slot] = state.plan[seat, slot]
    state.passed = 0


@kernel
def planned(state: Any, seat: Any, phase: Any) -> Any:
    """A living ship's action in a phase, as it was planned."""
    action = int(state.revealed[seat, phase])
    return NO_ACTION if action == NONE or not alive(state, seat) else action


@kernel
def phases_left(state: Any) -> Any:
    """A turn has as many phases as the longest plan of a ship still alive."""
    if state.passed >= SLOTS:
        return False
    for seat in range(state.seats):
        if planned(state, seat, state.passed) != NO_ACTION:
            return True
    return False


@kernel
def carry_out(state: Any) -> None:
    """All phases of a turn, and its end."""
    reveal(state)
    while phases_left(state):
        carry_out_phase(state)
    end_turn(state)


@kernel
def carry_out_phase(state: Any) -> None:
    for seat in range(state.seats):
        action = planned(state, seat, state.passed)
        if state.jammed[seat] and action != NO_ACTION:
            action = LAND  # hit by an EMP in the phase before
        state.jammed[seat] = 0
        state.done[seat] = action
        state.landed[seat] = action in (LAND, EMP, REPAIR)
        state.was[seat] = state.cell[seat]
        state.rammed[seat] = NONE
        state.shot[seat] = 0
        state.hit[seat] = 0
        state.wreck[seat] = NONE
        if action == RIGHT:
            state.facing[seat] = (state.facing[seat] + 1) % 6
        elif action == LEFT:
            state.facing[seat] = (state.facing[seat] + 5) % 6
        elif action == REPAIR:
            state.hull_left[seat] = min(state.hull[seat], state.hull_left[seat] + 1)
    state.passed += 1
    carry_out_moves(state)
    carry_out_emps(state)
    carry_out_shots(state)


@kernel
def damage(state: Any, seat: Any, hulls: Any) -> None:
    """A ship loses hull, and is out without any."""
    suffered = min(np.int64(state.hull_left[seat]), hulls)
    state.hull_left[seat] -= suffered
    state.lost[team_of(state, seat)] += suffered
    if state.hull_left[seat] == 0:
        state.wreck[seat] = state.cell[seat]
        state.cell[seat] = NONE


# --- moves (ruling V5) ---------------------------------------------------------------------------


@kernel
def carry_out_moves(state: Any) -> None:
    """All at once, settled in the steps a to e."""
    leave_and_crash(state)
    contest_all(state)
    waiting = settle_claimants(state)
    settle_rings(state, waiting)
    settle_trailers(state)


@kernel
def leave_and_crash(state: Any) -> None:
    """Step a: off the map, and into walls; all other moves aim at a hex."""
    for seat in range(state.seats):
        state.aim[seat] = NONE
        if state.done[seat] != MOVE or not alive(state, seat):
            continue
        ahead = beside(state.cell[seat], state.facing[seat])
        if state.terrain[ahead] == OFF_MAP:
            damage(state, seat, state.hull_left[seat])
        elif state.terrain[ahead] == WALL:
            damage(state, seat, 1)
        else:
            state.aim[seat] = ahead


@kernel
def next_aim(state: Any, last: Any) -> Any:
    """The next hex in row-major order after *last* that some ship aims at, or NONE."""
    found = NONE
    for seat in range(state.seats):
        aim = int(state.aim[seat])
        if aim > last and (found == NONE or aim < found):
            found = aim
    return found


@kernel
def contest_all(state: Any) -> None:
    """Step b: for each hex that several ships aim at, energy checks give an order."""
    for seat in range(state.seats):
        state.place[seat] = 0
    hexagon = next_aim(state, NONE)
    while hexagon != NONE:
        contest(state, hexagon)
        hexagon = next_aim(state, hexagon)


@kernel
def rivals(state: Any, seat: Any, hexagon: Any) -> Any:
    """How many others aim at the same hex and stand at the same place of the order."""
    count = 0
    for other in range(state.seats):
        level = state.aim[other] == hexagon and state.place[other] == state.place[seat]
        count += level and other != seat
    return count


@kernel
def contest(state: Any, hexagon: Any) -> None:
    """The ship's `place` in the order: how many are ahead of it. The tied roll again."""
    for _ in range(MOST_TIES):
        tied = 0
        for seat in range(state.seats):
            state.roll[seat] = 0
            if state.aim[seat] == hexagon and rivals(state, seat, hexagon) > 0:
                state.roll[seat] = check(state, state.energy[seat])
                tied += 1
        if tied == 0:
            return
        rank(state, hexagon)
    for seat in range(state.seats):  # still tied: the lower seat comes first
        state.roll[seat] = SHIPS - seat
    rank(state, hexagon)


@kernel
def rank(state: Any, hexagon: Any) -> None:
    """Move each ship behind those of its place that have rolled more."""
    for seat in range(state.seats):
        behind = 0
        if state.aim[seat] == hexagon:
            for other in range(state.seats):
                level = state.aim[other] == hexagon and state.place[other] == state.place[seat]
                behind += level and state.roll[other] > state.roll[seat]
        state.behind[seat] = behind
    for seat in range(state.seats):
        state.place[seat] += state.behind[seat]
        state.behind[seat] = 0
        state.roll[seat] = 0


@kernel
def enter(state: Any, seat: Any) -> None:
    """Move into the hex aimed at, or ram the ship there, and move in if that frees it."""
    other = ship_at(state, state.aim[seat])
    if other != NONE:
        ram(state, seat, other)
    if alive(state, seat) and ship_at(state, state.aim[seat]) == NONE:
        state.cell[seat] = state.aim[seat]


@kernel
def ram(state: Any, rammer: Any, other: Any) -> None:
    """Hull checks with what hull is left: the lower loses one, a tie costs both."""
    state.rammed[rammer] = other
    own = check(state, state.hull_left[rammer])
    their = check(state, state.hull_left[other])
    if own <= their:
        damage(state, rammer, 1)
    if their <= own:
        damage(state, other, 1)


@kernel
def settle_claimants(state: Any) -> Any:
    """Step c: again and again the lowest seat that waits for nobody.

    Returns those that are left over, as bits.
    """
    waiting = 0
    for seat in range(state.seats):
        if state.aim[seat] != NONE and state.place[seat] == 0:
            waiting |= 1 << seat
    settled = True
    while settled:
        settled = False
        for seat in range(state.seats):
            if waiting >> seat & 1:
                other = ship_at(state, state.aim[seat])
                if other == NONE or not waiting >> other & 1:
                    waiting &= ~(1 << seat)
                    enter(state, seat)
                    settled = True
                    break
    return waiting


@kernel
def settle_rings(state: Any, waiting: Any) -> None:
    """Step d, rings: two ram each other once, longer ones all advance."""
    for first in range(state.seats):
        if not waiting >> first & 1:
            continue
        second = ship_at(state, state.aim[first])
        if state.aim[second] == state.cell[first]:
            waiting &= ~(1 << first | 1 << second)
            place, facing_place = np.int64(state.cell[first]), np.int64(state.cell[second])
            ram(state, first, second)
            if alive(state, first) and not alive(state, second):
                state.cell[first] = facing_place
            elif alive(state, second) and not alive(state, first):
                state.cell[second] = place
            continue
        seat = first
        while waiting >> seat & 1:  # all round the ring, before anyone has moved
            waiting &= ~(1 << seat)
            after = ship_at(state, state.aim[seat])
            state.advancing[seat] = 1
            seat = after
        for seat in range(state.seats):
            if state.advancing[seat]:
                state.cell[seat] = state.aim[seat]
                state.advancing[seat] = 0


@kernel
def settle_trailers(state: Any) -> None:
    """Step e: hex by hex, the losers of its contest in their order."""
    hexagon = next_aim(state, NONE)
    while hexagon != NONE:
        for place in range(1, state.seats):
            for seat in range(state.seats):
                trails = state.aim[seat] == hexagon and state.place[seat] == place
                if trails and alive(state, seat):
                    enter(state, seat)
        hexagon = next_aim(state, hexagon)
    for seat in range(state.seats):
        state.place[seat] = 0


# --- EMP and shooting ----------------------------------------------------------------------------


@kernel
def adjacent(cell: Any, other: Any) -> Any:
    for facing in range(6):
        if beside(cell, facing) == other:
            return True
    return False


@kernel
def carry_out_emps(state: Any) -> None:
    """Every ship around that is not landed has to beat the user's energy check."""
    for user in range(state.seats):
        if state.done[user] != EMP or not alive(state, user):
            continue
        strength = check(state, state.energy[user])
        for target in range(state.seats):
            if target == user or not alive(state, target) or state.landed[target]:
                continue
            near = adjacent(state.cell[user], state.cell[target])
            if near and check(state, state.energy[target]) <= strength:
                state.jammed[target] = 1


@kernel
def sees(state: Any, seat: Any, other: Any) -> Any:
    """Whether another ship is in the three hexes before a ship: ahead, and beside that."""
    for turn in range(-1, 2):
        if beside(state.cell[seat], state.facing[seat] + turn) == state.cell[other]:
            return True
    return False


@kernel
def hits(state: Any, attacker: Any, target: Any) -> Any:
    """Ballistic against shield; equal: both roll again."""
    for _ in range(MOST_TIES):
        attack = check(state, state.ballistic[attacker])
        defence = check(state, state.shield[target])
        if attack != defence:
            return attack > defence
    return False


@kernel
def carry_out_shots(state: Any) -> None:
    """All shots are worked out before damage is counted."""
    for attacker in range(state.seats):
        if not alive(state, attacker) or state.landed[attacker]:
            continue
        for target in range(state.seats):
            enemy = team_of(state, target) != team_of(state, attacker)
            if enemy and alive(state, target) and sees(state, attacker, target):
                state.shot[attacker] |= 1 << target
                if hits(state, attacker, target):
                    state.hit[attacker] |= 1 << target
    for target in range(state.seats):
        hulls = 0
        for attacker in range(state.seats):
            hulls += state.hit[attacker] >> target & 1
        if hulls > 0:
            damage(state, target, hulls)


# --- the end of a turn, and of the game ----------------------------------------------------------


@kernel
def ships_left(state: Any, team: Any) -> Any:
    count = 0
    for seat in range(state.seats):
        count += alive(state, seat) and team_of(state, seat) == team
    return count


@kernel
def end_turn(state: Any) -> None:
    state.turns += 1
    for seat in range(state.seats):
        state.jammed[seat] = 0  # an EMP does not carry on
    if state.reward_mode == DAMAGE:
        pay(state, HULL_LOST * (state.lost[MACHINES] - state.lost[ZION]))
    zion, machines = ships_left(state, ZION), ships_left(state, MACHINES)
    if zion == 0 and machines == 0:
        finish(state, BOTH_OUT)
    elif zion == 0 or machines == 0:
        pay(state, 1.0 if zion > 0 else -1.0)
        finish(state, DISABLED_ALL)
    elif state.turns >= state.max_turns:
        finish(state, MAX_TURNS)
    else:
        begin_turn(state)


@kernel
def pay(state: Any, zion: Any) -> None:
    """Every member of a team gets the same, the disabled included."""
    for seat in range(state.seats):
        state.reward[seat] += np.float32(zion if team_of(state, seat) == ZION else -zion)


@kernel
def finish(state: Any, reason: Any) -> None:
    state.reason = reason
    state.truncated = reason == MAX_TURNS
    state.terminated = reason != MAX_TURNS
    state.mover = NOBODY


# --- maps ----------------------------------------------------------------------------------------

MOST_DRAWS = 64  # then a path is carved


@kernel
def shuffle(state: Any) -> None:
    """Which team starts, and the walls of a map that is drawn. Prescribed dice are forgotten."""
    for at in range(SCRIPT):
        state.script[at] = 0
    state.scripted = 0
    state.starting = dice.below(state, 2)
    if state.scenario == TUNNELS:
        dig_tunnels(state)
    elif state.scenario == SCATTERED:
        for _ in range(MOST_DRAWS):
            scatter_walls(state)
            if connected(state):
                return
        carve(state, dice.below(state, state.height))


@kernel
def inner(state: Any, column: Any) -> Any:
    """Whether walls may stand in a column: the start columns stay clear."""
    return 0 < column < state.width - 1


@kernel
def clear_map(state: Any) -> None:
    """The map's own hexes free, everything around them off the map."""
    for cell in range(CELLS):
        column, row = cell % STRIDE - MARGIN, cell // STRIDE - MARGIN
        inside = 0 <= column < state.width and 0 <= row < state.height
        state.terrain[cell] = FREE if inside else OFF_MAP


@kernel
def scatter_walls(state: Any) -> None:
    clear_map(state)
    for row in range(state.height):
        for column in range(state.width):
            wall = inner(state, column) and dice.below(state, 1000) < state.walls_drawn
            state.terrain[STRIDE * (row + MARGIN) + column + MARGIN] = WALL if wall else FREE


@kernel
def carve(state: Any, row: Any) -> None:
    """A path along a row: neighbouring columns touch in every row."""
    for column in range(state.width):
        state.terrain[STRIDE * (row + MARGIN) + column + MARGIN] = FREE


REACHED = 3  # a free hex that is known to be connected; only while connected() runs


@kernel
def connected(state: Any) -> Any:
    """Whether the two start columns are: each is clear, so one hex stands for all of it."""
    first = STRIDE * MARGIN + MARGIN
    state.terrain[first] = REACHED
    spreading = True
    while spreading:
        spreading = False
        for row in range(state.height):
            for column in range(state.width):
                cell = STRIDE * (row + MARGIN) + column + MARGIN
                if state.terrain[cell] == FREE:
                    for facing in range(6):
                        if state.terrain[beside(cell, facing)] == REACHED:
                            state.terrain[cell] = REACHED
                            spreading = True
                            break
    found = state.terrain[first + state.width - 1] == REACHED
    for cell in range(CELLS):
        if state.terrain[cell] == REACHED:
            state.terrain[cell] = FREE
    return found


@kernel
def dig_tunnels(state: Any) -> None:
    """Solid rock between the start columns, and a corridor for every three rows, each winding
    from one side to the other.
    """
    clear_map(state)
    for row in range(state.height):
        for column in range(state.width):
            cell = STRIDE * (row + MARGIN) + column + MARGIN
            state.terrain[cell] = WALL if inner(state, column) else FREE
    for _ in range(max(2, state.height // 3)):
        dig(state, dice.below(state, state.height))


@kernel
def dig(state: Any, row: Any) -> None:
    """From column to column; in most of them some hexes up or down first."""
    for column in range(1, state.width - 1):
        cell = STRIDE * (row + MARGIN) + column + MARGIN
        state.terrain[cell] = FREE
        if dice.below(state, 3) > 0:
            goal = dice.below(state, state.height)
            for _ in range(1 + dice.below(state, 2)):
                row += (goal > row) - (goal < row)
                state.terrain[STRIDE * (row + MARGIN) + column + MARGIN] = FREE


# --- deployment ----------------------------------------------------------------------------------


@kernel
def clear(state: Any) -> None:
    """No ship on the map, nothing planned, nothing revealed."""
    for seat in range(SHIPS):
        state.cell[seat] = NONE
        state.facing[seat] = 0
        state.hull_left[seat] = state.hull[seat]
        state.actions[seat] = 0
        state.was[seat] = NONE
        state.done[seat] = NO_ACTION
        state.landed[seat] = 0
        state.jammed[seat] = 0
        state.rammed[seat] = NONE
        state.aim[seat] = NONE
        state.shot[seat] = 0
        state.hit[seat] = 0
        state.wreck[seat] = NONE
        state.place[seat] = 0
        state.before_cell[seat] = NONE
        state.before_facing[seat] = 0
        state.before_hull[seat] = 0
        state.before_actions[seat] = 0
        for slot in range(SLOTS):
            state.plan[seat, slot] = NONE
            state.revealed[seat, slot] = NONE
    state.lost[ZION] = 0
    state.lost[MACHINES] = 0
    state.before_dice = 0
    state.before_scripted = 0
    state.passed = 0
    state.slot = 0
    state.turns = 0


@kernel
def start(state: Any) -> None:
    """All ships wait to be deployed; or are, each on a random hex and facing inward."""
    clear(state)
    state.phase = DEPLOY
    if state.deployment == RANDOM:
        for seat in range(state.seats):
            free = 0
            for row in range(state.height):
                free += may_start(state, seat, row)
            left = dice.below(state, free)
            for row in range(state.height):
                if may_start(state, seat, row):
                    if left == 0:
                        state.cell[seat] = start_cell(state, seat, row)
                        break
                    left -= 1
            inward = dice.below(state, 2)
            right = team_of(state, seat) == state.starting
            state.facing[seat] = 4 + inward if right else 1 + inward
    next_to_deploy(state)
