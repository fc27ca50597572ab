"""Stacktrices: what a capture takes, and what may be stolen then. RULES.md, *Capture* and
*steal_on_attack*.
"""

from __future__ import annotations

from cyberdeck.engine.defaults import end
from cyberdeck.engine.kernels import Action, Seat, State, kernel
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.board import Pieces, Stack, picked_kind, their_picks
from cyberdeck.games.stacktrices.stacks import drones_left, protected, some_can_hold, stacks_left
from cyberdeck.games.stacktrices.turns import clear_turn, settle


@kernel
def capture(state: State, seat: Seat, stack: Stack) -> None:
    """The stack leaves the game, its pieces go to the store, but for a stolen one."""
    victim = 1 - seat
    state.captured = stack
    for kind in range(c.KINDS):
        if not protected(state, victim, stack, kind):
            state.loot[kind] = state.pieces[victim, stack, kind]
    for kind in range(c.KINDS):
        state.store[kind] += state.pieces[victim, stack, kind]
        state.pieces[victim, stack, kind] = 0
    state.square[victim, stack] = c.NONE
    if stack < c.DRONES:
        state.raided[victim, stack] = 0
    if state.thief[victim] == stack:
        state.caught = 1
        state.thief[victim] = c.NONE
        state.exposed[victim] = 0
    if stacks_left(state, victim) == 0:
        settle(state)
        clear_turn(state)
        state.reward[seat] += 1.0
        state.reward[victim] -= 1.0
        end(state, c.CAPTURED_ALL)
    elif state.caught and stealable(state, seat) != 0:
        state.phase = c.STEAL
    elif state.caught:
        state.loot[:] = 0
        after_steal(state, seat)
    elif not state.steal_on_attack:
        state.loot[:] = 0


@kernel
def stealable(state: State, seat: Seat) -> Pieces:
    """The pieces of the captured stack that were unprotected, still lie in the store (a raid may
    have taken them meanwhile), and that an own stack can hold.
    """
    found = 0
    for kind in range(c.KINDS):
        if state.loot[kind] > 0 and state.store[kind] > 0:
            found |= some_can_hold(state, seat, kind) << c.KINDS * state.captured + kind
    return found


@kernel
def steal(state: State, seat: Seat, action: Action) -> None:
    """Take a piece of the captured stack: it has gone to the store with the others."""
    kind = picked_kind(state, state.loot, action - their_picks(state))
    state.store[kind] -= 1
    state.hand[seat, kind] += 1
    state.loot[:] = 0
    state.phase = c.PLACE_STOLEN


@kernel
def after_steal(state: State, seat: Seat) -> None:
    """The victim of a captured thief hides the vulnerability again, if there is a drone left."""
    victim = 1 - seat
    if state.thief[victim] == c.NONE and drones_left(state, victim) > 0:
        state.mover = victim
        state.phase = c.HIDE_AGAIN
    else:
        state.phase = c.AFTER_MOVE


@kernel
def can_expose(state: State, seat: Seat) -> bool:
    """steal_on_attack: the own thief has captured, and something can be stolen."""
    if not state.steal_on_attack or state.captured == c.NONE or state.moved != state.thief[seat]:
        return False
    return stealable(state, seat) != 0
