"""Stacktrices: the rules tied together: what is legal in each phase, and what comes of it.

RULES.md beside this file says them. Its chapters are files: `board`, `stacks`, `setup`, `turns`,
`moves`, `captures`, `raids`, `trades`.
"""

from __future__ import annotations

from cyberdeck.engine.kernels import Action, Mask, Seat, State, kernel
from cyberdeck.games.stacktrices import board, captures, moves, raids, setup, trades, turns
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.board import Square, Stack


@kernel
def legal(state: State, mask: Mask) -> int:
    seat, phase = state.mover, state.phase
    if phase == c.MOVE:
        return moves.legal_moves(state, seat, mask)
    if phase == c.AFTER_MOVE:
        return legal_after_move(state, seat, mask)
    if phase == c.TRADE:
        return trades.legal_trades(state, seat, mask)
    if phase in (c.CAP, c.PLACE_STOLEN, c.PLACE_RAIDED):
        return setup.legal_puts(state, seat, state.hand[seat], mask)
    if phase == c.STEAL:
        stealable = captures.stealable(state, seat)
        return board.mark_picks(state, board.their_picks(state), stealable, mask)
    if phase == c.RAID:
        return raids.legal_raids(state, seat, mask)
    return setup.legal_hides(state, seat, mask)


@kernel
def legal_after_move(state: State, seat: Seat, mask: Mask) -> int:
    """The same public phase in every turn, whoever the thief is."""
    first = board.claim(state)
    count = 1 + trades.legal_gives(state, seat, mask)
    mask[first + c.END_TURN] = 1
    if raids.can_claim(state, seat):
        mask[first] = 1
        count += 1
    if captures.can_expose(state, seat):
        mask[first + c.EXPOSE] = 1
        count += 1
    return count


@kernel
def act(state: State, action: Action) -> None:
    """Apply the mover's legal *action*."""
    seat, phase = state.mover, state.phase
    if phase == c.MOVE:
        move(state, seat, action // c.SQUARES, board.mirrored(seat, action % c.SQUARES))
    elif phase == c.AFTER_MOVE:
        decide_after_move(state, seat, action)
    elif phase == c.TRADE:
        trades.trade(state, seat, action)
    elif phase == c.CAP:
        setup.put(state, seat, action - c.PUTS, state.hand[seat])
        setup.cap_on(state, seat)
    elif phase == c.HIDE:
        state.thief[seat] = action - c.HIDES
        state.phase = c.CAP
    elif phase == c.STEAL:
        captures.steal(state, seat, action)
    elif phase == c.PLACE_STOLEN:
        setup.put(state, seat, action - c.PUTS, state.hand[seat])
        captures.after_steal(state, seat)
    elif phase == c.HIDE_AGAIN:
        state.thief[seat] = action - c.HIDES
        state.mover = 1 - seat
        state.phase = c.AFTER_MOVE
    elif phase == c.RAID:
        raids.raid(state, seat, action)
    elif phase == c.PLACE_RAIDED:
        setup.put(state, seat, action - c.PUTS, state.hand[seat])
        raids.after_raid(state, seat)
    else:
        state.thief[seat] = action - c.HIDES
        state.phase = c.AFTER_MOVE


@kernel
def secret(state: State, seat: Seat) -> bool:
    """The set-up is made in secret, and so is hiding the thief later."""
    return state.phase in (c.HIDE, c.CAP, c.HIDE_AGAIN, c.HIDE_RAIDER)


@kernel
def move(state: State, seat: Seat, stack: Stack, square: Square) -> None:
    origin = state.square[seat, stack]
    who = state.board[square]
    state.board[origin] = c.NONE
    setup.stand(state, seat, stack, square)
    state.last_from = origin
    state.last_to = square
    state.moved = stack
    raided_row = board.HOME_RANK[1 - seat]
    state.landed = square // c.SIDE == raided_row and origin // c.SIDE != raided_row
    state.phase = c.AFTER_MOVE
    if who != c.NONE:
        captures.capture(state, seat, who - c.STACKS * (1 - seat))


@kernel
def decide_after_move(state: State, seat: Seat, action: Action) -> None:
    first = board.claim(state)
    if action == first:
        state.landed = 0
        state.raided[seat, state.moved] = 1
        state.phase = c.RAID
    elif action == first + c.END_TURN:
        turns.end_turn(state, seat, False)
    elif action == first + c.EXPOSE:
        state.exposed[seat] = 1
        state.phase = c.STEAL
    else:
        trades.begin_trade(state, seat, action - c.OWN_PICKS)
