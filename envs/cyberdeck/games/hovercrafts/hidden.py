"""Hovercrafts: what a ship may not see, and how it is redrawn."""

from __future__ import annotations

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Seat, State, kernel
from cyberdeck.games.hovercrafts.campaign import STATS, may_raise, next_to_upgrade
from cyberdeck.games.hovercrafts.constants import ACTIONS, NONE, PLAN, UPGRADE
from cyberdeck.games.hovercrafts.table import Choices, Slot, team_of
from cyberdeck.games.hovercrafts.turn import Plan, may_plan, next_to_plan, plan_of


@kernel
def knows(state: State, viewer: Seat, seat: Seat, slot: Slot) -> bool:
    """Whether a seat may see what another has chosen for a slot: of this turn's plan, or of the
    upgrades before the next battle.
    """
    if viewer == seat:
        return True
    allied = team_of(state, viewer) == team_of(state, seat)
    return state.share_plans == 1 and allied and slot < state.slot


@kernel
def resample(state: State, viewer: Seat) -> None:
    """Redraw what the others have chosen in secret, each slot evenly over what was legal there."""
    if state.phase == PLAN:
        redraw(state, viewer, state.plan, len(ACTIONS))
    elif state.phase == UPGRADE:
        redraw(state, viewer, state.upgrade, STATS)


@kernel
def redraw(state: State, viewer: Seat, chosen: Choices, options: int) -> None:
    for seat in range(state.seats):
        for slot in range(chosen.shape[1]):
            if chosen[seat, slot] == NONE or knows(state, viewer, seat, slot):
                continue
            plan = plan_of(state, seat, slot)
            count = 0
            for option in range(options):
                count += may_choose(state, seat, plan, slot, option)
            left = dice.below(state, count)
            for option in range(options):
                if may_choose(state, seat, plan, slot, option):
                    if left == 0:
                        chosen[seat, slot] = option
                    left -= 1


@kernel
def may_choose(state: State, seat: Seat, plan: Plan, slot: Slot, option: int) -> bool:
    """Whether an action may be planned after the *plan* so far, or a stat raised."""
    if state.phase == PLAN:
        return may_plan(state, plan, slot, option)
    return may_raise(state, seat, slot, option)


@kernel
def withdraw_secret_actions(state: State, viewer: Seat) -> None:
    """The turn's planning from its start, or the upgrades, with what a seat knows already made."""
    if state.phase == PLAN:
        withdraw(state, viewer, state.plan)
        next_to_plan(state, 0)
    elif state.phase == UPGRADE:
        withdraw(state, viewer, state.upgrade)
        next_to_upgrade(state, 0)


@kernel
def withdraw(state: State, viewer: Seat, chosen: Choices) -> None:
    for seat in range(state.seats):
        for slot in range(chosen.shape[1]):
            if chosen[seat, slot] != NONE and not knows(state, viewer, seat, slot):
                chosen[seat, slot] = NONE
                state.decisions -= 1
    state.slot = 0
