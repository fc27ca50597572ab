"""Stacktrices: what a thief may do that has come to the opponent's home row. RULES.md, *Raid*."""

from __future__ import annotations

from cyberdeck.engine.kernels import Action, Mask, Seat, State, kernel
from cyberdeck.games.stacktrices.board import (
    Pieces,
    mark_picks,
    picked_kind,
    picked_stack,
    their_picks,
)
from cyberdeck.games.stacktrices.constants import (
    AFTER_MOVE,
    DRONE,
    HIDE_RAIDER,
    KINDS,
    OWN_PICKS,
    PAWN,
    PLACE_RAIDED,
    PUTS,
    SKILL,
    STACKS,
)
from cyberdeck.games.stacktrices.setup import legal_puts, put
from cyberdeck.games.stacktrices.stacks import alive, has_pupil, holdable, protected, some_can_hold


@kernel
def can_claim(state: State, seat: Seat) -> bool:
    """The own thief has landed on the opponent's home row, and has not raided since it was home."""
    if not state.landed or state.moved != state.thief[seat]:
        return False
    return state.raided[seat, state.moved] == 0 and can_raid(state, seat)


@kernel
def can_raid(state: State, seat: Seat) -> bool:
    """Whether anything that a raid may do can be completed."""
    if holdable(state, seat, state.store) != 0:
        return True
    return takeable(state, seat) != 0 or raisable(state, seat) != 0


@kernel
def legal_raids(state: State, seat: Seat, mask: Mask) -> int:
    """Take a piece of the opponent's or of the store; without a pupil, or raise an own piece."""
    count = legal_puts(state, seat, state.store, mask)
    count += mark_picks(state, their_picks(state), takeable(state, seat), mask)
    return count + mark_picks(state, OWN_PICKS, raisable(state, seat), mask)


@kernel
def takeable(state: State, seat: Seat) -> Pieces:
    """The opponent's pieces that are unprotected, and that an own stack can hold."""
    found, owner = 0, 1 - seat
    for kind in range(KINDS):
        if some_can_hold(state, seat, kind):
            for stack in range(STACKS):
                there = alive(state, owner, stack) and state.pieces[owner, stack, kind] > 0
                if there and not protected(state, owner, stack, kind):
                    found |= 1 << KINDS * stack + kind
    return found


@kernel
def raisable(state: State, seat: Seat) -> Pieces:
    """The own pieces that may be exchanged for the next size of their sort: none if there is a
    pupil, or every stack can take movement anyway.
    """
    found = 0
    if state.stacked_movement or has_pupil(state, seat):
        return found
    for stack in range(STACKS):
        pieces = state.pieces[seat, stack]
        for kind in (PAWN, DRONE, SKILL + PAWN, SKILL + DRONE):
            there = pieces[kind] > 0 and state.store[kind + 1] > 0
            if there and (kind < SKILL or pieces[kind + 1] == 0):
                found |= 1 << KINDS * stack + kind
    return found


@kernel
def raid(state: State, seat: Seat, action: Action) -> None:
    theirs = their_picks(state)
    if action >= theirs:
        stack = picked_stack(state, action - theirs)
        kind = picked_kind(state, state.pieces[1 - seat, stack], action - theirs)
        state.pieces[1 - seat, stack, kind] -= 1
        state.hand[seat, kind] += 1
        state.phase = PLACE_RAIDED
    elif action >= OWN_PICKS:
        stack = picked_stack(state, action - OWN_PICKS)
        kind = picked_kind(state, state.pieces[seat, stack], action - OWN_PICKS)
        state.pieces[seat, stack, kind] -= 1
        state.store[kind] += 1
        state.store[kind + 1] -= 1
        state.pieces[seat, stack, kind + 1] += 1
        after_raid(state, seat)
    else:
        put(state, seat, action - PUTS, state.store)
        after_raid(state, seat)


@kernel
def after_raid(state: State, seat: Seat) -> None:
    """The vulnerability is hidden again, but for one that is exposed for good."""
    state.phase = AFTER_MOVE if state.exposed[seat] else HIDE_RAIDER
