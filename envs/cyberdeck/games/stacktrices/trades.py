"""Stacktrices: trading with the store, piece by piece. RULES.md, *Trade*."""

from __future__ import annotations

from cyberdeck.engine.kernels import Action, Mask, Seat, State, kernel
from cyberdeck.games.stacktrices import board, stacks
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.board import Pick, Stack
from cyberdeck.games.stacktrices.setup import put, take_off
from cyberdeck.games.stacktrices.turns import end_turn


@kernel
def legal_gives(state: State, seat: Seat, mask: Mask) -> int:
    count = 0
    for stack in range(c.STACKS):
        for kind in range(c.KINDS):
            if state.pieces[seat, stack, kind] > 0:
                mask[c.OWN_PICKS + board.pick(state, stack, kind)] = 1
                count += 1
    return count


@kernel
def legal_trades(state: State, seat: Seat, mask: Mask) -> int:
    """Give on, until the first take; take, up to the value; or call the trade off (S12)."""
    count = 1
    mask[board.claim(state) + c.CALL_OFF] = 1
    if state.takes == 0 and state.gives < board.MOST_TRADED:
        count += legal_gives(state, seat, mask)
    if state.takes == board.MOST_TRADED:
        return count
    value = to_receive(state)
    waiting = stranded_stacks(state, seat)
    for kind in range(c.KINDS):
        rest = value - board.SIZE[kind]
        if state.store[kind] == 0 or rest < 0:
            continue
        if rest > 0 and state.takes == board.MOST_TRADED - 1:
            continue  # the third piece has to meet the value
        for stack in range(c.STACKS):
            if not state.in_trade[stack] or not stacks.can_hold(state, seat, stack, kind):
                continue
            mended = kind < c.SKILL and stranded(state, seat, stack)
            if rest > 0 or waiting == mended:
                mask[c.PUTS + c.KINDS * stack + kind] = 1
                count += 1
    return count


@kernel
def to_receive(state: State) -> int:
    """What is still to be received in this trade."""
    value = -c.TRADE_FEE
    for at in range(state.gives):
        value += board.SIZE[state.given[at] % c.KINDS]
    for at in range(state.takes):
        value -= board.SIZE[state.taken[at] % c.KINDS]
    return value


@kernel
def stranded(state: State, seat: Seat, stack: Stack) -> bool:
    """Whether skill lies on a stack without movement: only ever during a trade."""
    return stacks.skilled(state, seat, stack) and stacks.movement(state, seat, stack) == 0


@kernel
def stranded_stacks(state: State, seat: Seat) -> int:
    count = 0
    for stack in range(c.STACKS):
        count += stranded(state, seat, stack)
    return count


@kernel
def trade(state: State, seat: Seat, action: Action) -> None:
    if action == board.claim(state) + c.CALL_OFF:
        call_off(state, seat)
        end_turn(state, seat, False)
    elif action >= c.OWN_PICKS:
        give(state, seat, action - c.OWN_PICKS)
    else:
        state.taken[state.takes] = action - c.PUTS
        state.takes += 1
        put(state, seat, action - c.PUTS, state.store)
        if to_receive(state) == 0 and stranded_stacks(state, seat) == 0:
            for kind in range(c.KINDS):
                state.store[kind] += state.hand[seat, kind]
                state.hand[seat, kind] = 0
            end_turn(state, seat, True)


@kernel
def begin_trade(state: State, seat: Seat, choice: Pick) -> None:
    for stack in range(c.STACKS):
        state.in_trade[stack] = stacks.is_pupil(state, seat, stack)
    state.phase = c.TRADE
    give(state, seat, choice)


@kernel
def give(state: State, seat: Seat, choice: Pick) -> None:
    """Lay an own piece aside: it goes to the store when the trade is done."""
    piece = board.picked(state, seat, choice)
    take_off(state, seat, piece, state.hand[seat])
    state.given[state.gives] = piece
    state.gives += 1
    state.in_trade[piece // c.KINDS] = 1


@kernel
def call_off(state: State, seat: Seat) -> None:
    """Everything goes back as it was."""
    for at in range(state.takes):
        take_off(state, seat, state.taken[at], state.store)
    for at in range(state.gives):
        put(state, seat, state.given[at], state.hand[seat])
