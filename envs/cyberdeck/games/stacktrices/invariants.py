"""Stacktrices: is a record a possible position? For saved states from others, and tests."""

from __future__ import annotations

from typing import Any

from cyberdeck.engine.kernels import kernel
from cyberdeck.engine.record import FORFEIT, NOBODY, RUNNING
from cyberdeck.games.stacktrices.rules import (
    AFTER_MOVE,
    CAP,
    CAPTURED_ALL,
    DRONES,
    EITHER,
    HIDE_AGAIN,
    HIDE_RAIDER,
    HOME_RANK,
    KINDS,
    MAX_TURNS,
    MOST_TRADED,
    MOVE,
    NONE,
    PHASES,
    PLACE_RAIDED,
    PLACE_STOLEN,
    SIDE,
    SKILL,
    SQUARES,
    STACKS,
    STALLED,
    START,
    STEAL,
    TO_CAP,
    TOTAL,
    TRADE,
    VECTOR,
    WITH_PRIOR,
    active,
    alive,
    can_move,
    can_raid,
    can_steal,
    drones_left,
    some_can_hold,
    stacks_left,
    stranded,
    to_receive,
)

INVARIANTS = (
    "the options are in range",
    "the stacks stand where the board says, each on a square of its own",
    "22 pieces lie on stacks, in hands and in the store, and every stack is legal",
    "each side has one thief, under a living drone",
    "what is noted of this turn agrees with the phase",
    "the mover has a legal decision",
    "the end of the game agrees with the position",
)
OPTIONS, BOARD, PIECES, THIEVES, TURN, DECISION, ENDING = range(1, 8)


@kernel
def is_flag(value: Any) -> Any:
    return value == 0 or value == 1


@kernel
def options_hold(state: Any) -> Any:
    if not (is_flag(state.setup) and is_flag(state.reward_mode)):
        return False
    if not VECTOR <= state.shown <= WITH_PRIOR:
        return False
    if not (is_flag(state.steal_on_attack) and is_flag(state.stacked_movement)):
        return False
    if not (0 <= state.first_rule <= EITHER and is_flag(state.first)):
        return False
    if state.first_rule != EITHER and state.first != state.first_rule:
        return False
    return state.max_turns >= 2 and 0 <= state.turns <= state.max_turns


@kernel
def board_holds(state: Any) -> Any:
    standing = 0
    for square in range(SQUARES):
        who = state.board[square]
        if who == NONE:
            continue
        if not 0 <= who < 2 * STACKS or state.square[who // STACKS, who % STACKS] != square:
            return False
        standing += 1
    for seat in range(2):
        for stack in range(STACKS):
            if not NONE <= state.square[seat, stack] < SQUARES:
                return False
    for last in (state.last_from, state.last_to):
        if not NONE <= last < SQUARES:
            return False
    if (state.last_from == NONE) != (state.last_to == NONE):
        return False
    return standing == stacks_left(state, 0) + stacks_left(state, 1)


@kernel
def stack_holds(state: Any, seat: Any, stack: Any) -> Any:
    """The rule of what a stack may hold; only a trade may leave skill stranded on the way."""
    pieces = state.pieces[seat, stack]
    movements = 0
    every = 0
    for kind in range(KINDS):
        if not 0 <= pieces[kind] <= TOTAL[kind] or (kind >= SKILL and pieces[kind] > 1):
            return False
        every += pieces[kind]
        if kind < SKILL:
            movements += pieces[kind]
    if not alive(state, seat, stack):
        return every == 0
    if movements > 1 and (not state.stacked_movement or state.phase == CAP):
        return False
    trading = state.phase == TRADE and state.mover == seat
    return trading or state.mover == NOBODY or not stranded(state, seat, stack)


@kernel
def pieces_hold(state: Any) -> Any:
    for seat in range(2):
        for stack in range(STACKS):
            if not stack_holds(state, seat, stack):
                return False
    for kind in range(KINDS):
        count = state.store[kind]
        if count < 0:
            return False
        for seat in range(2):
            if not 0 <= state.hand[seat, kind] <= TOTAL[kind]:
                return False
            count += state.hand[seat, kind]
            for stack in range(STACKS):
                count += state.pieces[seat, stack, kind]
        if count != TOTAL[kind]:
            return False
    return -64 <= state.lead <= 64


@kernel
def in_hand(state: Any, seat: Any) -> Any:
    count = 0
    for kind in range(KINDS):
        count += state.hand[seat, kind]
    return count


EACH_CAPS = int(TO_CAP.sum())


@kernel
def setup_holds(state: Any) -> Any:
    """White hides and caps first, then black; what is not yet on the stacks is in the hand."""
    white, black = state.first, 1 - state.first
    if state.turns != 0 or state.stalled != 0:
        return False
    for seat in range(2):
        for stack in range(STACKS):
            if state.square[seat, stack] != START[seat, stack]:
                return False
        for kind in range(KINDS):
            placed = state.hand[seat, kind]
            for stack in range(STACKS):
                placed += state.pieces[seat, stack, kind]
            if placed != TO_CAP[kind]:
                return False
        if state.thief[seat] == NONE and in_hand(state, seat) < EACH_CAPS:
            return False
    if state.mover == NOBODY:
        return True
    hidden = state.thief[state.mover] != NONE
    if hidden != (state.phase == CAP) or (hidden and in_hand(state, state.mover) == 0):
        return False
    if state.mover == white:
        return state.thief[black] == NONE
    return state.thief[white] != NONE and in_hand(state, white) == 0


@kernel
def thieves_hold(state: Any) -> Any:
    for seat in range(2):
        thief = state.thief[seat]
        if not NONE <= thief < DRONES or not is_flag(state.exposed[seat]):
            return False
        if thief != NONE and not alive(state, seat, thief):
            return False
        if state.exposed[seat] and (thief == NONE or not state.steal_on_attack):
            return False
        for drone in range(DRONES):
            mark = state.raided[seat, drone]
            if not is_flag(mark) or (mark and not alive(state, seat, drone)):
                return False
        if state.phase <= CAP or state.mover == NOBODY:
            continue
        hiding = state.phase == HIDE_AGAIN and state.mover == seat
        # Captured in this turn, and to be hidden again when the attacker has stolen.
        just_captured = (
            state.phase == STEAL or state.phase == PLACE_STOLEN
        ) and state.mover != seat
        if hiding and thief != NONE:
            return False
        if thief == NONE and drones_left(state, seat) > 0 and not (hiding or just_captured):
            return False
    return True


@kernel
def turn_holds(state: Any) -> Any:
    """Ranges of what is noted of this turn, and what is empty when nothing is going on."""
    if not (is_flag(state.skipped) and is_flag(state.landed) and is_flag(state.caught)):
        return False
    if not 0 <= state.stalled <= 2:
        return False
    if not NONE <= state.moved < STACKS or not NONE <= state.captured < STACKS:
        return False
    if not (0 <= state.gives <= MOST_TRADED and 0 <= state.takes <= MOST_TRADED):
        return False
    for at in range(MOST_TRADED):
        for code, count in ((state.given[at], state.gives), (state.taken[at], state.takes)):
            if not NONE <= code < STACKS * KINDS or (code != NONE) != (at < count):
                return False
    trading = state.phase == TRADE
    if state.gives > 0 and not trading:
        return False
    if state.takes > 0 and not trading:
        return False
    for stack in range(STACKS):
        if not is_flag(state.in_trade[stack]) or (state.in_trade[stack] and not trading):
            return False
    for kind in range(KINDS):
        if not 0 <= state.loot[kind] <= TOTAL[kind]:
            return False
        if state.loot[kind] > 0 and state.captured == NONE:
            return False
    if state.mover == NOBODY:
        return True
    seat = active(state)
    before = state.phase <= MOVE
    if state.phase >= MOVE and (seat == state.first) != (state.turns % 2 == 0):
        return False  # white has the odd turns
    if before and (state.skipped or state.moved != NONE):
        return False
    if not before and (state.moved == NONE) != (state.skipped == 1):
        return False
    if state.moved != NONE and not alive(state, seat, state.moved):
        return False
    if state.moved == NONE and (state.captured != NONE or state.landed):
        return False
    if state.captured != NONE and alive(state, 1 - seat, state.captured):
        return False
    if state.caught and not 0 <= state.captured < DRONES:
        return False
    if state.landed and state.square[seat, state.moved] // SIDE != HOME_RANK[1 - seat]:
        return False
    return hands_hold(state)


@kernel
def hands_hold(state: Any) -> Any:
    """During play a hand holds the piece to be placed, or what is given in a trade."""
    if state.phase <= CAP:
        return True
    if in_hand(state, 1 - state.mover) != 0:
        return False
    held = in_hand(state, state.mover)
    if state.phase == PLACE_STOLEN or state.phase == PLACE_RAIDED:
        return held == 1
    return held == (state.gives if state.phase == TRADE else 0)


@kernel
def trade_holds(state: Any) -> Any:
    """What was given is in the hand, what was taken lies where it was put, and called off the
    trade leaves legal stacks.
    """
    seat = state.mover
    if state.gives == 0 or state.takes == MOST_TRADED or to_receive(state) < 0:
        return False
    if state.takes > 0 and to_receive(state) == 0:
        return False  # it would have ended
    for kind in range(KINDS):
        given = 0
        for at in range(state.gives):
            given += state.given[at] % KINDS == kind
        if given != state.hand[seat, kind]:
            return False
    for stack in range(STACKS):
        movements, skills, gave = 0, 0, 0
        for kind in range(KINDS):
            given, taken = 0, 0
            for at in range(state.gives):
                given += state.given[at] == KINDS * stack + kind
            for at in range(state.takes):
                taken += state.taken[at] == KINDS * stack + kind
            gave += given
            before = state.pieces[seat, stack, kind] + given - taken
            if before < 0 or (kind >= SKILL and before > 1):
                return False
            if kind < SKILL:
                movements += before
            else:
                skills += before
        if not alive(state, seat, stack):
            if movements + skills > 0 or state.in_trade[stack]:
                return False
            continue
        if movements == 0 and skills > 0:
            return False
        if movements > 1 and not state.stacked_movement:
            return False
        if state.in_trade[stack] != (gave > 0 or movements == 0):
            return False
        for at in range(state.takes):
            if state.taken[at] // KINDS == stack and not state.in_trade[stack]:
                return False
    return True


@kernel
def decision_holds(state: Any) -> Any:
    """The phase can be as it is, and leaves the mover something to decide."""
    seat, phase = state.mover, state.phase
    if phase <= CAP:
        return setup_holds(state)
    if phase == MOVE:
        return can_move(state, seat)
    if phase == AFTER_MOVE:
        return state.skipped == 0 or not can_move(state, seat)
    if phase == TRADE:
        return trade_holds(state)
    if phase == HIDE_AGAIN:
        return state.captured != NONE and drones_left(state, seat) > 0
    if phase == STEAL:
        called = state.exposed[seat] == 1 and state.thief[seat] == state.moved
        return can_steal(state, seat) and (state.thief[1 - seat] == NONE or called)
    if phase in (PLACE_STOLEN, PLACE_RAIDED):
        for kind in range(KINDS):
            if state.hand[seat, kind] > 0 and not some_can_hold(state, seat, kind):
                return False
    if phase == PLACE_STOLEN:
        return state.captured != NONE
    raider = state.thief[seat] == state.moved and state.moved != NONE
    if not raider or state.landed or state.raided[seat, state.moved] == 0:
        return False
    if phase == HIDE_RAIDER:
        return state.exposed[seat] == 0
    return phase == PLACE_RAIDED or can_raid(state, seat)


@kernel
def ending_holds(state: Any) -> Any:
    for seat in range(2):
        if not abs(state.reward[seat]) <= 3.0:
            return False
    if state.decisions < 0 or not is_flag(state.terminated) or not is_flag(state.truncated):
        return False
    beaten = stacks_left(state, 0) == 0 or stacks_left(state, 1) == 0
    if state.mover != NOBODY:
        if state.terminated or state.truncated or state.reason != RUNNING or beaten:
            return False
        return state.stalled < 2 and state.turns < state.max_turns
    if state.terminated == state.truncated:
        return False
    if state.reason == CAPTURED_ALL:
        return state.terminated == 1 and beaten
    if state.reason == STALLED:
        return state.terminated == 1 and state.stalled == 2
    if state.reason == MAX_TURNS:
        return state.truncated == 1 and state.turns == state.max_turns
    return state.reason == FORFEIT and state.terminated == 1


@kernel
def check_state(state: Any) -> Any:
    """0 for a possible position, else which of INVARIANTS fails, from 1. Reads within bounds."""
    if not options_hold(state):
        return OPTIONS
    if not 0 <= state.phase < len(PHASES) or not NOBODY <= state.mover <= 1:
        return DECISION
    if not board_holds(state):
        return BOARD
    if not pieces_hold(state):
        return PIECES
    if not thieves_hold(state):
        return THIEVES
    if not turn_holds(state):
        return TURN
    if state.mover == NOBODY:
        if state.phase <= CAP and not setup_holds(state):
            return DECISION
    elif not decision_holds(state):
        return DECISION
    return 0 if ending_holds(state) else ENDING
