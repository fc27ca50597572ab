"""Hovercrafts: what a ship may not see, and how it is redrawn."""

from __future__ import annotations

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Seat, State, kernel
from cyberdeck.games.hovercrafts.campaign import STATS, may_raise, next_to_upgrade
from cyberdeck.games.hovercrafts.constants import ACTIONS, NONE, PLAN, SLOTS, UPGRADE, UPGRADES
from cyberdeck.games.hovercrafts.table import Slot, team_of
from cyberdeck.games.hovercrafts.turn import may_plan, next_to_plan, plan_of


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
    for seat in range(state.seats):
        if state.phase == PLAN:
            for slot in range(SLOTS):
                if state.plan[seat, slot] != NONE and not knows(state, viewer, seat, slot):
                    redraw_plan(state, seat, slot)
        elif state.phase == UPGRADE:
            for slot in range(UPGRADES):
                if state.upgrade[seat, slot] != NONE and not knows(state, viewer, seat, slot):
                    redraw_upgrade(state, seat, slot)


@kernel
def redraw_plan(state: State, seat: Seat, slot: Slot) -> None:
    plan = plan_of(state, seat, slot)
    count = 0
    for action in range(len(ACTIONS)):
        count += may_plan(state, plan, slot, action)
    left = dice.below(state, count)
    for action in range(len(ACTIONS)):
        if may_plan(state, plan, slot, action):
            if left == 0:
                state.plan[seat, slot] = action
            left -= 1


@kernel
def redraw_upgrade(state: State, seat: Seat, slot: Slot) -> None:
    count = 0
    for stat in range(STATS):
        count += may_raise(state, seat, slot, stat)
    left = dice.below(state, count)
    for stat in range(STATS):
        if may_raise(state, seat, slot, stat):
            if left == 0:
                state.upgrade[seat, slot] = stat
            left -= 1


@kernel
def withdraw_secret_actions(state: State, viewer: Seat) -> None:
    """The turn's planning from its start, or the upgrades, with what a seat knows already made."""
    if state.phase == PLAN:
        for seat in range(state.seats):
            for slot in range(SLOTS):
                if state.plan[seat, slot] != NONE and not knows(state, viewer, seat, slot):
                    state.plan[seat, slot] = NONE
                    state.decisions -= 1
        state.slot = 0
        next_to_plan(state, 0)
    elif state.phase == UPGRADE:
        for seat in range(state.seats):
            for slot in range(UPGRADES):
                if state.upgrade[seat, slot] != NONE and not knows(state, viewer, seat, slot):
                    state.upgrade[seat, slot] = NONE
                    state.decisions -= 1
        state.slot = 0
        next_to_upgrade(state, 0)
