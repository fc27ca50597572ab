"""Stacktrices: what a thief may do that has come to the opponent's home row. RULES.md, *Raid*."""

from __future__ import annotations

from cyberdeck.engine.kernels import Action, Mask, Seat, State, kernel
from cyberdeck.games.stacktrices import board, stacks
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.board import Pieces
from cyberdeck.games.stacktrices.setup import legal_puts, put, take_off


@kernel
def can_claim(state: State, seat: Seat) -> bool:
    """The own thief has landed on the opponent's home row, and has not raided since it was home."""
    if not state.landed or state.moved != state.thief[seat]:
        return False
    return state.raided[seat, state.moved] == 0 and can_raid(state, seat)


@kernel
def can_raid(state: State, seat: Seat) -> bool:
    """Whether anything that a raid may do can be completed."""
    if stacks.holdable(state, seat, state.store) != 0:
        return True
    return takeable(state, seat) != 0 or raisable(state, seat) != 0


@kernel
def legal_raids(state: State, seat: Seat, mask: Mask) -> int:
    """Take a piece of the opponent's or of the store; without a pupil, or raise an own piece."""
    count = legal_puts(state, seat, state.store, mask)
    count += board.mark_picks(state, board.their_picks(state), takeable(state, seat), mask)
    return count + board.mark_picks(state, c.OWN_PICKS, raisable(state, seat), mask)


@kernel
def takeable(state: State, seat: Seat) -> Pieces:
    """The opponent's pieces that are unprotected, and that an own stack can hold."""
    found, owner = 0, 1 - seat
    for kind in range(c.KINDS):
        if stacks.some_can_hold(state, seat, kind):
            for stack in range(c.STACKS):
                there = stacks.alive(state, owner, stack) and state.pieces[owner, stack, kind] > 0
                if there and not stacks.protected(state, owner, stack, kind):
                    found |= 1 << c.KINDS * stack + kind
    return found


@kernel
def raisable(state: State, seat: Seat) -> Pieces:
    """The own pieces that may be exchanged for the next size of their sort: none if there is a
    pupil, or every stack can take movement anyway.
    """
    found = 0
    if state.stacked_movement or stacks.has_pupil(state, seat):
        return found
    for stack in range(c.STACKS):
        pieces = state.pieces[seat, stack]
        for kind in (c.PAWN, c.DRONE, c.SKILL + c.PAWN, c.SKILL + c.DRONE):
            there = pieces[kind] > 0 and state.store[kind + 1] > 0
            if there and (kind < c.SKILL or pieces[kind + 1] == 0):
                found |= 1 << c.KINDS * stack + kind
    return found


@kernel
def raid(state: State, seat: Seat, action: Action) -> None:
    theirs = board.their_picks(state)
    if action >= theirs:
        taken = board.picked(state, 1 - seat, action - theirs)
        take_off(state, 1 - seat, taken, state.hand[seat])
        state.phase = c.PLACE_RAIDED
    elif action >= c.OWN_PICKS:
        raised = board.picked(state, seat, action - c.OWN_PICKS)
        take_off(state, seat, raised, state.store)
        put(state, seat, raised + 1, state.store)
        after_raid(state, seat)
    else:
        put(state, seat, action - c.PUTS, state.store)
        after_raid(state, seat)


@kernel
def after_raid(state: State, seat: Seat) -> None:
    """The vulnerability is hidden again, but for one that is exposed for good."""
    state.phase = c.AFTER_MOVE if state.exposed[seat] else c.HIDE_RAIDER
