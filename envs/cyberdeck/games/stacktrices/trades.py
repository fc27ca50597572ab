"""Stacktrices: trading with the store, piece by piece. RULES.md, *Trade*."""

from __future__ import annotations

from cyberdeck.engine.kernels import Action, Mask, Seat, State, kernel
from cyberdeck.games.stacktrices.board import (
    MOST_TRADED,
    SIZE,
    Pick,
    Stack,
    claim,
    pick,
    picked_kind,
    picked_stack,
)
from cyberdeck.games.stacktrices.constants import (
    CALL_OFF,
    KINDS,
    OWN_PICKS,
    PUTS,
    SKILL,
    STACKS,
    TRADE,
    TRADE_FEE,
)
from cyberdeck.games.stacktrices.setup import put
from cyberdeck.games.stacktrices.stacks import alive, can_hold, movement, skilled
from cyberdeck.games.stacktrices.turns import end_turn


@kernel
def legal_gives(state: State, seat: Seat, mask: Mask) -> int:
    count = 0
    for stack in range(STACKS):
        for kind in range(KINDS):
            if state.pieces[seat, stack, kind] > 0:
                mask[OWN_PICKS + pick(state, stack, kind)] = 1
                count += 1
    return count


@kernel
def legal_trades(state: State, seat: Seat, mask: Mask) -> int:
    """Give on, until the first take; take, up to the value; or call the trade off (S12)."""
    count = 1
    mask[claim(state) + CALL_OFF] = 1
    if state.takes == 0 and state.gives < MOST_TRADED:
        count += legal_gives(state, seat, mask)
    if state.takes == MOST_TRADED:
        return count
    value = to_receive(state)
    waiting = stranded_stacks(state, seat)
    for kind in range(KINDS):
        rest = value - SIZE[kind]
        if state.store[kind] == 0 or rest < 0:
            continue
        if rest > 0 and state.takes == MOST_TRADED - 1:
            continue  # the third piece has to meet the value
        for stack in range(STACKS):
            if not state.in_trade[stack] or not can_hold(state, seat, stack, kind):
                continue
            mended = kind < SKILL and stranded(state, seat, stack)
            if rest > 0 or waiting == mended:
                mask[PUTS + KINDS * stack + kind] = 1
                count += 1
    return count


@kernel
def to_receive(state: State) -> int:
    """What is still to be received in this trade."""
    value = -TRADE_FEE
    for at in range(state.gives):
        value += SIZE[state.given[at] % KINDS]
    for at in range(state.takes):
        value -= SIZE[state.taken[at] % KINDS]
    return value


@kernel
def stranded(state: State, seat: Seat, stack: Stack) -> bool:
    """Whether skill lies on a stack without movement: only ever during a trade."""
    return skilled(state, seat, stack) and movement(state, seat, stack) == 0


@kernel
def stranded_stacks(state: State, seat: Seat) -> int:
    count = 0
    for stack in range(STACKS):
        count += stranded(state, seat, stack)
    return count


@kernel
def trade(state: State, seat: Seat, action: Action) -> None:
    if action == claim(state) + CALL_OFF:
        call_off(state, seat)
        end_turn(state, seat, False)
    elif action >= OWN_PICKS:
        give(state, seat, action - OWN_PICKS)
    else:
        state.taken[state.takes] = action - PUTS
        state.takes += 1
        put(state, seat, action - PUTS, state.store)
        if to_receive(state) == 0 and stranded_stacks(state, seat) == 0:
            for kind in range(KINDS):
                state.store[kind] += state.hand[seat, kind]
                state.hand[seat, kind] = 0
            end_turn(state, seat, True)


@kernel
def begin_trade(state: State, seat: Seat, choice: Pick) -> None:
    for stack in range(STACKS):
        state.in_trade[stack] = alive(state, seat, stack) and movement(state, seat, stack) == 0
    state.phase = TRADE
    give(state, seat, choice)


@kernel
def give(state: State, seat: Seat, choice: Pick) -> None:
    """Lay an own piece aside: it goes to the store when the trade is done."""
    stack = picked_stack(state, choice)
    kind = picked_kind(state, state.pieces[seat, stack], choice)
    state.pieces[seat, stack, kind] -= 1
    state.hand[seat, kind] += 1
    state.given[state.gives] = KINDS * stack + kind
    state.gives += 1
    state.in_trade[stack] = 1


@kernel
def call_off(state: State, seat: Seat) -> None:
    """Everything goes back as it was."""
    for at in range(state.takes):
        stack, kind = state.taken[at] // KINDS, state.taken[at] % KINDS
        state.pieces[seat, stack, kind] -= 1
        state.store[kind] += 1
    for at in range(state.gives):
        stack, kind = state.given[at] // KINDS, state.given[at] % KINDS
        state.pieces[seat, stack, kind] += 1
        state.hand[seat, kind] -= 1
