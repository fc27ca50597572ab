"""Stacktrices: the rules tied together: what is legal in each phase, and what comes of it.

RULES.md beside this file says them. Its chapters are files: `board`, `stacks`, `setup`, `turns`,
`moves`, `captures`, `raids`, `trades`.
"""

from __future__ import annotations

from cyberdeck.engine.kernels import Action, Mask, Seat, State, int64, kernel
from cyberdeck.games.stacktrices.board import (
    HOME_RANK,
    Square,
    Stack,
    claim,
    mirrored,
    picked_kind,
    their_picks,
)
from cyberdeck.games.stacktrices.captures import (
    after_steal,
    can_expose,
    capture,
    legal_steals,
    steal,
)
from cyberdeck.games.stacktrices.constants import (
    AFTER_MOVE,
    CAP,
    END_TURN,
    EXPOSE,
    HIDE,
    HIDE_AGAIN,
    HIDES,
    MOVE,
    NONE,
    OWN_PICKS,
    PLACE_RAIDED,
    PLACE_STOLEN,
    PUTS,
    RAID,
    SIDE,
    SQUARES,
    STACKS,
    STEAL,
    TRADE,
)
from cyberdeck.games.stacktrices.moves import legal_moves
from cyberdeck.games.stacktrices.raids import after_raid, can_claim, legal_raids, raid
from cyberdeck.games.stacktrices.setup import cap_on, legal_hides, legal_puts, put, stand
from cyberdeck.games.stacktrices.trades import begin_trade, legal_gives, legal_trades, trade
from cyberdeck.games.stacktrices.turns import end_turn


@kernel
def legal(state: State, mask: Mask) -> int:
    seat = int64(state.mover)
    phase = state.phase
    if phase == MOVE:
        return legal_moves(state, seat, mask)
    if phase == AFTER_MOVE:
        return legal_after_move(state, seat, mask)
    if phase == TRADE:
        return legal_trades(state, seat, mask)
    if phase in (CAP, PLACE_STOLEN, PLACE_RAIDED):
        return legal_puts(state, seat, state.hand[seat], mask)
    if phase == STEAL:
        return legal_steals(state, seat, mask)
    if phase == RAID:
        return legal_raids(state, seat, mask)
    return legal_hides(state, seat, mask)


@kernel
def legal_after_move(state: State, seat: Seat, mask: Mask) -> int:
    """The same public phase in every turn, whoever the thief is."""
    first = claim(state)
    count = 1 + legal_gives(state, seat, mask)
    mask[first + END_TURN] = 1
    if can_claim(state, seat):
        mask[first] = 1
        count += 1
    if can_expose(state, seat):
        mask[first + EXPOSE] = 1
        count += 1
    return count


@kernel
def act(state: State, action: Action) -> None:
    """Apply the mover's legal *action*."""
    seat = int64(state.mover)
    phase = state.phase
    if phase == MOVE:
        move(state, seat, action // SQUARES, mirrored(seat, action % SQUARES))
    elif phase == AFTER_MOVE:
        decide_after_move(state, seat, action)
    elif phase == TRADE:
        trade(state, seat, action)
    elif phase == CAP:
        put(state, seat, action - PUTS, state.hand[seat])
        cap_on(state, seat)
    elif phase == HIDE:
        state.thief[seat] = action - HIDES
        state.phase = CAP
    elif phase == STEAL:
        steal(state, seat, picked_kind(state, state.loot, action - their_picks(state)))
    elif phase == PLACE_STOLEN:
        put(state, seat, action - PUTS, state.hand[seat])
        after_steal(state, seat)
    elif phase == HIDE_AGAIN:
        state.thief[seat] = action - HIDES
        state.mover = 1 - seat
        state.phase = AFTER_MOVE
    elif phase == RAID:
        raid(state, seat, action)
    elif phase == PLACE_RAIDED:
        put(state, seat, action - PUTS, state.hand[seat])
        after_raid(state, seat)
    else:
        state.thief[seat] = action - HIDES
        state.phase = AFTER_MOVE


@kernel
def move(state: State, seat: Seat, stack: Stack, square: Square) -> None:
    origin = int64(state.square[seat, stack])
    who = state.board[square]
    state.board[origin] = NONE
    stand(state, seat, stack, square)
    state.last_from = origin
    state.last_to = square
    state.moved = stack
    raided_row = HOME_RANK[1 - seat]
    state.landed = square // SIDE == raided_row and origin // SIDE != raided_row
    state.phase = AFTER_MOVE
    if who != NONE:
        capture(state, seat, int64(who - STACKS * (1 - seat)))


@kernel
def decide_after_move(state: State, seat: Seat, action: Action) -> None:
    first = claim(state)
    if action == first:
        state.landed = 0
        state.raided[seat, state.moved] = 1
        state.phase = RAID
    elif action == first + END_TURN:
        end_turn(state, seat, False)
    elif action == first + EXPOSE:
        state.exposed[seat] = 1
        state.phase = STEAL
    else:
        begin_trade(state, seat, action - OWN_PICKS)
