"""Hovercrafts: what a ship may not see, and how it is redrawn."""

from __future__ import annotations

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Seat, State, kernel
from cyberdeck.games.hovercrafts.ships import forget_dice
from cyberdeck.games.hovercrafts.table import ACTIONS, NONE, PLAN, SLOTS, Slot, team_of
from cyberdeck.games.hovercrafts.turn import may_plan, next_to_plan, plan_of


@kernel
def knows(state: State, viewer: Seat, seat: Seat, slot: Slot) -> bool:
    """Whether a seat may see what another has planned for a slot of this turn."""
    if viewer == seat:
        return True
    allied = team_of(state, viewer) == team_of(state, seat)
    return state.share_plans == 1 and allied and slot < state.slot


@kernel
def resample(state: State, viewer: Seat) -> None:
    """Redraw what the others have planned, each slot evenly over what was legal there."""
    # Prescribed dice are forgotten, and where the last turn's dice came from: those to come follow
    # from that. So the last turn cannot be shown again.
    forget_dice(state)
    state.before_scripted = 0
    state.before_dice = 0
    if state.phase != PLAN:
        return
    for seat in range(state.seats):
        for slot in range(SLOTS):
            if state.plan[seat, slot] == NONE or knows(state, viewer, seat, slot):
                continue
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
def withdraw_secret_actions(state: State, viewer: Seat) -> None:
    """The turn's planning from its start, with the plans that a seat knows already made."""
    if state.phase != PLAN:
        return
    for seat in range(state.seats):
        for slot in range(SLOTS):
            if state.plan[seat, slot] != NONE and not knows(state, viewer, seat, slot):
                state.plan[seat, slot] = NONE
                state.decisions -= 1
    state.slot = 0
    next_to_plan(state, 0)
