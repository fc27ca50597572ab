"""Hovercrafts: is a record a possible position? For saved states from others, and tests."""

from __future__ import annotations

from cyberdeck.engine.kernels import Seat, State, int64, kernel
from cyberdeck.engine.record import FORFEIT, NOBODY, RUNNING
from cyberdeck.games.hovercrafts import campaign, goals, table
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts.deployment import start_cell, start_column
from cyberdeck.games.hovercrafts.table import alive, cell_of, column_of, row_of, team_of
from cyberdeck.games.hovercrafts.turn import deeds_of_ship, may_plan, phases_left, plan_of

INVARIANTS = (
    "the options are in range",
    "the map has its size, and room for both teams in the outer columns",
    "the ships stand on free hexes of their own, with hull and stats in range",
    "points and escapes are those of the goal",
    "the campaign's battles and upgrades agree with each other",
    "the upgrades are those chosen so far, and could be chosen",
    "the plans are those of the slots decided so far, and could be planned",
    "what is kept of the last turn is in range",
    "the mover is the next one to be asked",
    "the end of the game agrees with the position",
)
OPTIONS, MAP, FLEETS, GOAL, CAMPAIGN, UPGRADING, PLANS, LAST_TURN, DECISION, ENDING = range(1, 11)


@kernel
def locations_hold(state: State) -> bool:
    """Whether there are as many locations as the goal wants, each a free hex of its own."""
    count = 0
    for at in range(len(state.location)):
        cell = state.location[at]
        if cell == c.NONE:
            continue
        if at > count or state.terrain[cell] != c.FREE:  # none may be missing before it
            return False
        for before in range(at):
            if state.location[before] == cell:
                return False
        count += 1
    if state.goal != c.SEIZE:
        return count == 0 and state.scenario != c.MARKED
    return count > 0 if state.scenario == c.MARKED else count == goals.locations_wanted(state)


@kernel
def map_holds(state: State) -> bool:
    for cell in range(c.CELLS):
        inside = 0 <= column_of(cell) < state.width and 0 <= row_of(cell) < state.height
        if (state.terrain[cell] == c.OFF_MAP) == inside:
            return False
    most = max(state.zion, state.seats - state.zion)
    for team in range(2):
        free = 0
        for row in range(state.height):
            free += state.terrain[cell_of(start_column(state, team), row)] == c.FREE
        if free < most:
            return False
    return locations_hold(state)


@kernel
def goal_holds(state: State) -> bool:
    """Points are for locations, and who has escaped is an attacker with hull, off the map."""
    for team in range(2):
        if state.points[team] > 0 and state.goal != c.SEIZE:
            return False
    for seat in range(c.SHIPS):
        there = seat < state.seats and goals.attacks(state, seat)
        gone = there and not alive(state, seat) and state.hull_left[seat] > 0
        if state.escaped[seat] and not gone:
            return False
    return True


@kernel
def campaign_holds(state: State) -> bool:
    """Battles that ended one by one, and no more upgrades than they allow."""
    most, won = campaign.battles_of(state), int64(state.won[c.ZION]) + state.won[c.MACHINES]
    if state.battle > (most if most > 1 else 0) or won > state.battle:
        return False
    if (state.battle == 0) != (state.battle_reason <= FORFEIT):
        return False
    if state.phase == c.UPGRADE and not 0 < state.battle < most:
        return False
    for seat in range(c.SHIPS):
        raised = int64(0)
        for stat in range(campaign.STATS):
            begun_with = campaign.stat_of(state, seat, stat) - state.raised[seat, stat]
            if begun_with < (1 if stat == c.HULL and seat < state.seats else 0):
                return False
            raised += state.raised[seat, stat]
        if raised > c.UPGRADES * int64(state.battle) or (raised > 0 and seat >= state.seats):
            return False
        if state.second[seat] and (state.phase != c.UPGRADE or seat >= state.seats):
            return False
    return state.phase != c.UPGRADE or one_side_was_better(state)


@kernel
def one_side_was_better(state: State) -> bool:
    """A second upgrade is for ships of the side that won, and for none after a draw."""
    teams = 0
    for seat in range(state.seats):
        if state.second[seat]:
            teams |= 1 << team_of(state, seat)
    return teams < 3 and (teams == 0 or state.won[teams >> 1] > 0)


@kernel
def upgrades_hold(state: State) -> bool:
    """What has been chosen: one after the other, each as it was legal."""
    for seat in range(c.SHIPS):
        due = 0
        if state.phase == c.UPGRADE and seat < state.seats:
            due = campaign.upgrades_due(state, seat)
        for slot in range(c.UPGRADES):
            stat = state.upgrade[seat, slot]
            asked = slot < state.slot or (slot == state.slot and seat < state.mover)
            if slot >= due or (state.mover != NOBODY and not asked):
                if stat != c.NONE:
                    return False
            elif state.mover != NOBODY and stat == c.NONE:
                return False
            if stat != c.NONE and not campaign.may_raise(state, seat, slot, stat):
                return False
        if state.upgrade[seat, 0] == c.NONE and state.upgrade[seat, 1] != c.NONE:
            return False
    return True


@kernel
def fleets_hold(state: State) -> bool:
    for seat in range(c.SHIPS):
        if seat >= state.seats:
            if state.cell[seat] != c.NONE or state.actions[seat] != 0:
                return False
            continue
        if state.hull[seat] == 0 or state.hull_left[seat] > state.hull[seat]:
            return False
        cell = state.cell[seat]
        if cell == c.NONE:
            out = state.phase == c.PLAN and state.escaped[seat] == 0
            if out and state.hull_left[seat] != 0:
                return False
            continue
        free = state.terrain[cell] == c.FREE and table.ship_at(state, cell) == seat
        if not free or state.hull_left[seat] == 0:
            return False
    return True


@kernel
def waiting_holds(state: State) -> bool:
    """While a side is picked or ships are upgraded, none is on the map, and all are repaired."""
    for seat in range(state.seats):
        repaired = state.hull_left[seat] == state.hull[seat]
        if alive(state, seat) or not repaired or state.actions[seat] != 0:
            return False
    return state.phase == c.UPGRADE or (state.pick_side == 1 and nothing_has_happened(state))


@kernel
def nothing_has_happened(state: State) -> bool:
    """In this battle."""
    return state.turns == 0 and state.slot == 0 and state.passed == 0


@kernel
def deployment_holds(state: State) -> bool:
    """Who is not on the map yet comes after the mover; the others stand on their columns.

    With random deployment nobody is asked: there would be no actions for it.
    """
    if state.deployment != c.CHOOSE or not nothing_has_happened(state):
        return False
    for seat in range(state.seats):
        team = team_of(state, seat)
        mover_team = team_of(state, max(state.mover, 0))
        before = seat < state.mover if team == mover_team else team == state.starting
        if state.mover != NOBODY and alive(state, seat) != before:
            return False
        if state.hull_left[seat] != state.hull[seat] or state.actions[seat] != 0:
            return False
        row = row_of(state.cell[seat])
        if alive(state, seat) and state.cell[seat] != start_cell(state, seat, row):
            return False
    return True


@kernel
def plan_holds(state: State, seat: Seat) -> bool:
    """What a seat has planned: slots decided one after the other, each as it was legal."""
    for slot in range(c.SLOTS):
        action = state.plan[seat, slot]
        decided = action != c.NONE
        if state.phase != c.PLAN or seat >= state.seats or slot >= state.actions[seat]:
            if decided:
                return False
            continue
        if state.mover != NOBODY:
            asked = slot < state.slot or (slot == state.slot and seat < state.mover)
            if decided != asked:
                return False
        if not decided:
            continue
        if slot > 0 and state.plan[seat, slot - 1] == c.NONE:
            return False
        if not may_plan(state, plan_of(state, seat, slot), slot, int64(action)):
            return False
    return True


@kernel
def plans_hold(state: State) -> bool:
    for seat in range(c.SHIPS):
        rolled = state.actions[seat]
        if not plan_holds(state, seat):
            return False
        if seat >= state.seats or state.phase != c.PLAN or state.mover == NOBODY:
            continue
        low = 1 + state.energy[seat]
        if not (low <= rolled <= low + 2 if alive(state, seat) else rolled == 0):
            return False
    return True


@kernel
def deeds_hold(state: State) -> bool:
    """What ships did in the last turn: in its phases, and to other ships that there are."""
    size, phases = deeds_of_ship(state), int64(state.phases)
    for at in range(c.SHIPS * c.MOST_DEEDS):
        deed, seat, number = int64(state.deeds[at]), at // size, at % size
        if deed == 0:
            continue
        if seat >= state.seats or (number < 3 * phases and number % phases >= state.passed):
            return False
        own = goals.ships_of(state, team_of(state, seat))
        other = state.seats - own
        if number < phases:
            possible = 0 < deed <= c.NO_ACTION
        elif number < 2 * phases:
            possible = deed == 1
        elif number < 3 * phases:
            possible = -own <= deed <= other and -deed != 1 + table.number_of(state, seat)
        else:
            possible = 0 < deed <= state.passed and number - 3 * phases < other
        if not possible:
            return False
    return True


@kernel
def last_turn_holds(state: State) -> bool:
    if state.mover != NOBODY and (state.lost[c.ZION] != 0 or state.lost[c.MACHINES] != 0):
        return False
    for seat in range(c.SHIPS):
        aim = state.aim[seat]
        if aim != c.NONE and state.terrain[aim] != c.FREE:
            return False
        for slot in range(c.SLOTS):
            if state.passed == 0 and state.revealed[seat, slot] != c.NONE:
                return False
    return deeds_hold(state) and not phases_left(state)


@kernel
def most_decisions(state: State) -> int:
    """How many there can have been: one too many would run over in the end."""
    made = int64(state.reason == FORFEIT) + state.pick_side
    # Battles that have ended, with a side picked, ships deployed and upgraded.
    made += state.battle * (
        1 + c.SHIPS * (1 + c.UPGRADES) + c.SHIPS * c.SLOTS * int64(state.max_turns)
    )
    for seat in range(state.seats):
        if state.phase == c.DEPLOY:
            made += alive(state, seat)
        for slot in range(c.SLOTS):
            made += state.plan[seat, slot] != c.NONE
    if state.phase != c.PLAN:
        return made
    return made + c.SHIPS + c.SHIPS * c.SLOTS * int64(state.turns)


@kernel
def ending_holds(state: State) -> bool:
    for seat in range(c.SHIPS):
        if not abs(state.reward[seat]) <= 16.0:
            return False
    if state.decisions > most_decisions(state):
        return False
    reason = goals.verdict(state)[0] if state.phase == c.PLAN else RUNNING
    war = campaign.judge_war(state)[0] if campaign.battles_of(state) > 1 else RUNNING
    if state.truncated != (state.reason == c.MAX_TURNS):
        return False
    if state.mover != NOBODY or state.reason == FORFEIT:
        return reason == RUNNING and war == RUNNING
    if campaign.battles_of(state) > 1:
        return war == state.reason and reason == state.battle_reason
    return reason == state.reason


@kernel
def decision_holds(state: State) -> bool:
    if state.mover == NOBODY:
        return True
    if state.mover >= state.seats:
        return False
    if state.phase == c.DEPLOY:
        return not alive(state, state.mover)
    if state.phase == c.PICK:
        return state.mover == goals.flagship_of(state, int64(state.starting))
    if state.phase == c.UPGRADE:
        return state.slot < c.UPGRADES and campaign.upgrades_due(state, state.mover) > state.slot
    return state.slot < c.SLOTS and state.actions[state.mover] > state.slot


@kernel
def check_state(state: State) -> int:
    """0 for a possible position, else which of INVARIANTS fails, from 1.

    Every field is within its bounds, and the header agrees with itself: the engine has seen to it.
    """
    if not 1 <= state.seats - state.zion < c.SHIPS or state.turns > state.max_turns:
        return OPTIONS
    if not map_holds(state):
        return MAP
    if not fleets_hold(state):
        return FLEETS
    if state.phase == c.DEPLOY and not deployment_holds(state):
        return FLEETS
    if (state.phase == c.PICK or state.phase == c.UPGRADE) and not waiting_holds(state):
        return FLEETS
    if not goal_holds(state):
        return GOAL
    if not campaign_holds(state):
        return CAMPAIGN
    if not upgrades_hold(state):
        return UPGRADING
    if not plans_hold(state):
        return PLANS
    if not last_turn_holds(state):
        return LAST_TURN
    if not decision_holds(state):
        return DECISION
    return 0 if ending_holds(state) else ENDING
