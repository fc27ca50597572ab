"""Hovercrafts: the rules, as kernels over one record. RULES.md beside this file says them.

Its chapters are files of their own, in its order: table, ships, deployment, turn, phase with moves
and fire, ending, maps. Here they make a game.
"""

from __future__ import annotations

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Action, Mask, Seat, State, int64, kernel
from cyberdeck.games.hovercrafts.deployment import (
    clear,
    deploy_at_random,
    may_start,
    next_to_deploy,
    start_cell,
)
from cyberdeck.games.hovercrafts.ending import end_turn
from cyberdeck.games.hovercrafts.maps import draw_map
from cyberdeck.games.hovercrafts.phase import carry_out_phase
from cyberdeck.games.hovercrafts.ships import forget_dice
from cyberdeck.games.hovercrafts.table import DEPLOY, PLACES, RANDOM
from cyberdeck.games.hovercrafts.turn import may_plan, next_to_plan, phases_left, plan_of, reveal


@kernel
def seats(state: State) -> int:
    """How many ships there are."""
    return state.seats


@kernel
def shuffle(state: State) -> None:
    """Which team starts, and the walls of a map that is drawn. Prescribed dice are forgotten."""
    forget_dice(state)
    state.starting = dice.below(state, 2)
    draw_map(state)


@kernel
def start(state: State) -> None:
    """All ships wait to be deployed; or are, with random deployment, and the first turn begins."""
    clear(state)
    state.phase = DEPLOY
    if state.deployment == RANDOM:
        deploy_at_random(state)
    next_to_deploy(state)


@kernel
def legal(state: State, mask: Mask) -> int:
    """Mark the free places of the mover's column, or what may come next in its plan."""
    seat, count = state.mover, 0
    if state.phase == DEPLOY:
        for row in range(state.height):
            if may_start(state, seat, row):
                for facing in range(6):
                    mask[PLACES + 6 * row + facing] = 1
                count += 6
        return count
    slot = int64(state.slot)
    plan = plan_of(state, seat, slot)
    for action in range(PLACES):
        mask[action] = may_plan(state, plan, slot, action)
        count += mask[action]
    return count


@kernel
def act(state: State, action: Action) -> None:
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
def acts_simultaneously(state: State, seat: Seat) -> bool:
    """Plans are made at the same time: who still has to fill this slot."""
    if state.phase == DEPLOY:
        return seat == state.mover
    return seat >= state.mover and state.actions[seat] > state.slot


@kernel
def carry_out(state: State) -> None:
    """All phases of a turn, and its end."""
    reveal(state)
    while phases_left(state):
        carry_out_phase(state)
    end_turn(state)
