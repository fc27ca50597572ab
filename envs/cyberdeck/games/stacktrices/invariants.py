"""Stacktrices: is a record a possible position? For saved states from others, and tests."""

from __future__ import annotations

from cyberdeck.engine.kernels import Seat, State, kernel
from cyberdeck.engine.record import FORFEIT, NOBODY
from cyberdeck.games.stacktrices.board import EITHER, HOME_RANK, MOST_TRADED, TO_CAP, TOTAL, Stack
from cyberdeck.games.stacktrices.captures import can_steal
from cyberdeck.games.stacktrices.constants import (
    AFTER_MOVE,
    CAP,
    CAPTURED_ALL,
    DRONES,
    HIDE_AGAIN,
    HIDE_RAIDER,
    KINDS,
    MAX_TURNS,
    MOVE,
    NONE,
    PLACE_RAIDED,
    PLACE_STOLEN,
    SIDE,
    SKILL,
    SQUARES,
    STACKS,
    STALLED,
    STEAL,
    TRADE,
)
from cyberdeck.games.stacktrices.moves import can_move
from cyberdeck.games.stacktrices.raids import can_raid
from cyberdeck.games.stacktrices.setup import START
from cyberdeck.games.stacktrices.stacks import alive, drones_left, some_can_hold, stacks_left
from cyberdeck.games.stacktrices.trades import stranded, to_receive
from cyberdeck.games.stacktrices.turns import active

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
def options_hold(state: State) -> bool:
    if state.first_rule != EITHER and state.first != state.first_rule:
        return False
    return state.turns <= state.max_turns


@kernel
def board_holds(state: State) -> bool:
    standing = 0
    for square in range(SQUARES):
        who = state.board[square]
        if who == NONE:
            continue
        if state.square[who // STACKS, who % STACKS] != square:
            return False
        standing += 1
    if (state.last_from == NONE) != (state.last_to == NONE):
        return False
    return standing == stacks_left(state, 0) + stacks_left(state, 1)


@kernel
def stack_holds(state: State, seat: Seat, stack: Stack) -> bool:
    """The rule of what a stack may hold; only a trade may leave skill stranded on the way."""
    pieces = state.pieces[seat, stack]
    movements = 0
    every = 0
    for kind in range(KINDS):
        if kind >= SKILL and pieces[kind] > 1:
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
def pieces_hold(state: State) -> bool:
    for seat in range(2):
        for stack in range(STACKS):
            if not stack_holds(state, seat, stack):
                return False
    for kind in range(KINDS):
        count = state.store[kind]
        for seat in range(2):
            count += state.hand[seat, kind]
            for stack in range(STACKS):
                count += state.pieces[seat, stack, kind]
        if count != TOTAL[kind]:
            return False
    return True


@kernel
def in_hand(state: State, seat: Seat) -> int:
    count = 0
    for kind in range(KINDS):
        count += state.hand[seat, kind]
    return count


EACH_CAPS = int(TO_CAP.sum())


@kernel
def setup_holds(state: State) -> bool:
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
def thieves_hold(state: State) -> bool:
    for seat in range(2):
        thief = state.thief[seat]
        if thief != NONE and not alive(state, seat, thief):
            return False
        if state.exposed[seat] and (thief == NONE or not state.steal_on_attack):
            return False
        for drone in range(DRONES):
            if state.raided[seat, drone] and not alive(state, seat, drone):
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
def turn_holds(state: State) -> bool:
    """What is noted of this turn, and what is empty when nothing is going on."""
    for at in range(MOST_TRADED):
        if (state.given[at] != NONE) != (at < state.gives):
            return False
        if (state.taken[at] != NONE) != (at < state.takes):
            return False
    if state.phase != TRADE:
        if state.gives > 0 or state.takes > 0:
            return False
        for stack in range(STACKS):
            if state.in_trade[stack]:
                return False
    if state.captured == NONE:
        for kind in range(KINDS):
            if state.loot[kind] > 0:
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
def hands_hold(state: State) -> bool:
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
def trade_holds(state: State) -> bool:
    """What was given is in the hand, what was taken lies where it was put, and called off the
    trade leaves legal stacks.
    """
    seat = state.mover
    if state.gives == 0 or to_receive(state) < 0:
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
def decision_holds(state: State) -> bool:
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
def ending_holds(state: State) -> bool:
    for seat in range(2):
        if not abs(state.reward[seat]) <= 3.0:
            return False
    beaten = stacks_left(state, 0) == 0 or stacks_left(state, 1) == 0
    if state.mover != NOBODY:
        return not beaten and state.stalled < 2 and state.turns < state.max_turns
    if state.truncated:
        return state.reason == MAX_TURNS and state.turns == state.max_turns
    if state.reason == CAPTURED_ALL:
        return beaten
    if state.reason == STALLED:
        return state.stalled == 2
    return state.reason == FORFEIT


@kernel
def check_state(state: State) -> int:
    """0 for a possible position, else which of INVARIANTS fails, from 1."""
    if not options_hold(state):
        return OPTIONS
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
