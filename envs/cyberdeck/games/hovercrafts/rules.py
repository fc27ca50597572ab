"""Hovercrafts: the rules, as kernels over one record. RULES.md beside this file says them.

Its chapters are files of their own, in its order: table, ships, deployment, turn, phase with moves
and fire, goals, campaign, ending, maps. Here they make a game.
"""

from __future__ import annotations

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Action, Mask, Seat, State, int64, kernel
from cyberdeck.games.hovercrafts import campaign, deployment
from cyberdeck.games.hovercrafts.constants import DEPLOY, PICK, PLACES, PLAN, SIDES, UPGRADE
from cyberdeck.games.hovercrafts.ending import end_turn
from cyberdeck.games.hovercrafts.maps import draw_map
from cyberdeck.games.hovercrafts.phase import carry_out_phase
from cyberdeck.games.hovercrafts.table import first_side, first_upgrade
from cyberdeck.games.hovercrafts.turn import may_plan, next_to_plan, phases_left, plan_of, reveal


@kernel
def seats(state: State) -> int:
    """How many ships there are."""
    return state.seats


@kernel
def shuffle(state: State) -> None:
    """Which team starts, and the walls of a map that is drawn."""
    campaign.begin_war(state)
    state.starting = dice.below(state, 2)
    draw_map(state)


@kernel
def start(state: State) -> None:
    """The first battle: a side is picked, ships wait to be deployed, or the first turn begins."""
    deployment.clear(state)
    deployment.settle_sides(state)


@kernel
def legal(state: State, mask: Mask) -> int:
    """Mark what may come next in the mover's plan, the free places of its column, both sides, or
    the stats that it may raise.
    """
    seat, count = state.mover, 0
    if state.phase == PLAN:
        slot = int64(state.slot)
        plan = plan_of(state, seat, slot)
        for action in range(PLACES):
            mask[action] = may_plan(state, plan, slot, action)
            count += mask[action]
    elif state.phase == DEPLOY:
        for row in range(state.height):
            if deployment.may_start(state, seat, row):
                for facing in range(6):
                    mask[PLACES + 6 * row + facing] = 1
                count += 6
    elif state.phase == PICK:
        for side in range(len(SIDES)):
            mask[first_side(state) + side] = 1
            count += 1
    else:
        for stat in range(campaign.STATS):
            may = campaign.may_raise(state, seat, int64(state.slot), stat)
            mask[first_upgrade(state) + stat] = may
            count += may
    return count


@kernel
def act(state: State, action: Action) -> None:
    """Apply the mover's legal *action*."""
    mover = int(state.mover)
    if state.phase == PLAN:
        state.plan[mover, state.slot] = action
        if not next_to_plan(state, mover + 1):
            carry_out(state)
    elif state.phase == DEPLOY:
        place = action - PLACES
        state.cell[mover] = deployment.start_cell(state, mover, place // 6)
        state.facing[mover] = place % 6
        deployment.next_to_deploy(state)
    elif state.phase == PICK:
        deployment.pick(state, action - first_side(state))
    else:
        campaign.choose_upgrade(state, action - first_upgrade(state))


@kernel
def acts_simultaneously(state: State, seat: Seat) -> bool:
    """Plans are made at the same time, and upgrades: who still has to fill this slot."""
    if state.phase == PLAN:
        return seat >= state.mover and state.actions[seat] > state.slot
    if state.phase == UPGRADE:
        return seat >= state.mover and campaign.upgrades_due(state, seat) > state.slot
    return seat == state.mover


@kernel
def secret(state: State, seat: Seat) -> bool:
    """Sides and deployments are open, plans and upgrades are not."""
    return state.phase == PLAN or state.phase == UPGRADE


@kernel
def carry_out(state: State) -> None:
    """All phases of a turn, and its end."""
    reveal(state)
    while phases_left(state):
        carry_out_phase(state)
    end_turn(state)
