"""Stacktrices: is a record a possible position? For saved states from others, and tests."""

from __future__ import annotations

from cyberdeck.engine.kernels import Seat, State, kernel
from cyberdeck.engine.record import FORFEIT, NOBODY
from cyberdeck.games.stacktrices import board, stacks
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.board import Kind, Stack
from cyberdeck.games.stacktrices.captures import stealable
from cyberdeck.games.stacktrices.moves import can_move
from cyberdeck.games.stacktrices.raids import can_raid
from cyberdeck.games.stacktrices.setup import START
from cyberdeck.games.stacktrices.trades import stranded, to_receive
from cyberdeck.games.stacktrices.turns import active

INVARIANTS = (
    "the options are in range",
    "the stacks stand where the board and the last move say, each on a square of its own",
    "22 pieces lie on stacks, in hands and in the store, and every stack is legal",
    "each side has one thief, under a living drone",
    "what is noted of this turn agrees with the phase",
    "the mover has a legal decision",
    "the end of the game agrees with the position",
)
OPTIONS, BOARD, PIECES, THIEVES, TURN, DECISION, ENDING = range(1, 8)


@kernel
def board_holds(state: State) -> bool:
    standing = 0
    for square in range(c.SQUARES):
        who = state.board[square]
        if who == c.NONE:
            continue
        if state.square[who // c.STACKS, who % c.STACKS] != square:
            return False
        standing += 1
    if state.last_from == c.NONE or state.last_to == c.NONE:
        if state.last_from != state.last_to:
            return False
    elif state.board[state.last_from] != c.NONE or state.board[state.last_to] == c.NONE:
        return False  # who has moved is still there: only another move could have captured it
    return standing == stacks.stacks_left(state, 0) + stacks.stacks_left(state, 1)


@kernel
def stack_holds(state: State, seat: Seat, stack: Stack) -> bool:
    """The rule of what a stack may hold; only a trade may leave skill stranded on the way."""
    pieces = state.pieces[seat, stack]
    for kind in range(c.SKILL, c.KINDS):
        if pieces[kind] > 1:
            return False
    if not stacks.alive(state, seat, stack):
        return stacks.total(pieces) == 0
    movements = stacks.total(pieces[: c.SKILL])
    if movements > 1 and (not state.stacked_movement or state.phase == c.CAP):
        return False
    trading = state.phase == c.TRADE and state.mover == seat
    return trading or state.mover == NOBODY or not stranded(state, seat, stack)


@kernel
def pieces_hold(state: State) -> bool:
    for seat in range(2):
        for stack in range(c.STACKS):
            if not stack_holds(state, seat, stack):
                return False
    for kind in range(c.KINDS):
        if state.store[kind] + held(state, 0, kind) + held(state, 1, kind) != board.TOTAL[kind]:
            return False
    return True


@kernel
def held(state: State, seat: Seat, kind: Kind) -> int:
    """How many pieces of a kind a side has, on its stacks and in its hand."""
    count = state.hand[seat, kind]
    for stack in range(c.STACKS):
        count += state.pieces[seat, stack, kind]
    return count


@kernel
def setup_holds(state: State) -> bool:
    """White hides and caps first, then black; what is not yet on the stacks is in the hand."""
    white, black = state.first, 1 - state.first
    if state.turns != 0 or state.stalled != 0:
        return False
    for seat in range(2):
        for stack in range(c.STACKS):
            if state.square[seat, stack] != START[seat, stack]:
                return False
        for kind in range(c.KINDS):
            if held(state, seat, kind) != board.TO_CAP[kind]:
                return False
        if state.thief[seat] == c.NONE and stacks.in_hand(state, seat) < board.EACH_CAPS:
            return False
    if state.mover == NOBODY:
        return True
    hidden = state.thief[state.mover] != c.NONE
    if hidden != (state.phase == c.CAP) or (hidden and stacks.in_hand(state, state.mover) == 0):
        return False
    if state.mover == white:
        return state.thief[black] == c.NONE
    return state.thief[white] != c.NONE and stacks.in_hand(state, white) == 0


@kernel
def thieves_hold(state: State) -> bool:
    for seat in range(2):
        thief = state.thief[seat]
        if thief != c.NONE and not stacks.alive(state, seat, thief):
            return False
        if state.exposed[seat] and (thief == c.NONE or not state.steal_on_attack):
            return False
        for drone in range(c.DRONES):
            if state.raided[seat, drone] and not stacks.alive(state, seat, drone):
                return False
        if state.phase <= c.CAP or state.mover == NOBODY:
            continue
        hiding = state.phase == c.HIDE_AGAIN and state.mover == seat
        # Captured in this turn, and to be hidden again when the attacker has stolen.
        caught = state.phase in (c.STEAL, c.PLACE_STOLEN) and state.mover != seat
        if hiding and thief != c.NONE:
            return False
        if thief == c.NONE and not hiding and not caught and stacks.drones_left(state, seat) > 0:
            return False
    return True


@kernel
def turn_holds(state: State) -> bool:
    """What is noted of this turn, and what is empty when nothing is going on."""
    for at in range(board.MOST_TRADED):
        if (state.given[at] != c.NONE) != (at < state.gives):
            return False
        if (state.taken[at] != c.NONE) != (at < state.takes):
            return False
    trading = state.gives > 0 or state.takes > 0 or stacks.total(state.in_trade) > 0
    if trading and state.phase != c.TRADE:
        return False
    if state.captured == c.NONE and stacks.total(state.loot) > 0:
        return False
    if state.mover == NOBODY:
        return True
    seat = active(state)
    before = state.phase <= c.MOVE
    if state.phase >= c.MOVE and (seat == state.first) != (state.turns % 2 == 0):
        return False  # white has the odd turns
    if before and (state.skipped or state.moved != c.NONE):
        return False
    if not before and (state.moved == c.NONE) != (state.skipped == 1):
        return False
    if state.moved != c.NONE and not stacks.alive(state, seat, state.moved):
        return False
    if state.moved == c.NONE and (state.captured != c.NONE or state.landed):
        return False
    if state.captured != c.NONE and stacks.alive(state, 1 - seat, state.captured):
        return False
    if state.caught and not 0 <= state.captured < c.DRONES:
        return False
    if state.landed and state.square[seat, state.moved] // c.SIDE != board.HOME_RANK[1 - seat]:
        return False
    return hands_hold(state)


@kernel
def hands_hold(state: State) -> bool:
    """During play a hand holds the piece to be placed, or what is given in a trade."""
    if state.phase <= c.CAP:
        return True
    if stacks.in_hand(state, 1 - state.mover) != 0:
        return False
    held = stacks.in_hand(state, state.mover)
    if state.phase == c.PLACE_STOLEN or state.phase == c.PLACE_RAIDED:
        return held == 1
    return held == (state.gives if state.phase == c.TRADE else 0)


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
    for kind in range(c.KINDS):
        given = 0
        for at in range(state.gives):
            given += state.given[at] % c.KINDS == kind
        if given != state.hand[seat, kind]:
            return False
    for stack in range(c.STACKS):
        movements, skills, gave = 0, 0, 0
        for kind in range(c.KINDS):
            given, taken = 0, 0
            for at in range(state.gives):
                given += state.given[at] == c.KINDS * stack + kind
            for at in range(state.takes):
                taken += state.taken[at] == c.KINDS * stack + kind
            gave += given
            before = state.pieces[seat, stack, kind] + given - taken
            if before < 0 or (kind >= c.SKILL and before > 1):
                return False
            if kind < c.SKILL:
                movements += before
            else:
                skills += before
        if not stacks.alive(state, seat, stack):
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
            if state.taken[at] // c.KINDS == stack and not state.in_trade[stack]:
                return False
    return True


@kernel
def decision_holds(state: State) -> bool:
    """The phase can be as it is, and leaves the mover something to decide."""
    seat, phase = state.mover, state.phase
    if phase <= c.CAP:
        return setup_holds(state)
    if seat == NOBODY:
        return True
    if phase == c.MOVE:
        return can_move(state, seat)
    if phase == c.AFTER_MOVE:
        return state.skipped == 0 or not can_move(state, seat)
    if phase == c.TRADE:
        return trade_holds(state)
    if phase == c.HIDE_AGAIN:
        return state.captured != c.NONE and stacks.drones_left(state, seat) > 0
    if phase == c.STEAL:
        called = state.exposed[seat] == 1 and state.thief[seat] == state.moved
        return stealable(state, seat) != 0 and (state.thief[1 - seat] == c.NONE or called)
    if phase in (c.PLACE_STOLEN, c.PLACE_RAIDED):
        for kind in range(c.KINDS):
            if state.hand[seat, kind] > 0 and not stacks.some_can_hold(state, seat, kind):
                return False
    if phase == c.PLACE_STOLEN:
        return state.captured != c.NONE
    raider = state.thief[seat] == state.moved and state.moved != c.NONE
    if not raider or state.landed or state.raided[seat, state.moved] == 0:
        return False
    if phase == c.HIDE_RAIDER:
        return state.exposed[seat] == 0
    return phase == c.PLACE_RAIDED or can_raid(state, seat)


@kernel
def ending_holds(state: State) -> bool:
    for seat in range(2):
        if not abs(state.reward[seat]) <= 3.0:
            return False
    if state.decisions > c.MOST_IN_SETUP + c.MOST_IN_TURN * (state.turns + 1) + 1:
        return False  # one too many, besides a forfeit, would run over in the end
    beaten = stacks.stacks_left(state, 0) == 0 or stacks.stacks_left(state, 1) == 0
    if state.mover != NOBODY:
        return not beaten and state.stalled < 2 and state.turns < state.max_turns
    if state.truncated:
        return state.reason == c.MAX_TURNS and state.turns == state.max_turns
    if state.reason == c.CAPTURED_ALL:
        return beaten
    if state.reason == c.STALLED:
        return state.stalled == 2
    return state.reason == FORFEIT


@kernel
def check_state(state: State) -> int:
    """0 for a possible position, else which of INVARIANTS fails, from 1."""
    other_first = state.first_rule != board.EITHER and state.first != state.first_rule
    if other_first or state.turns > state.max_turns:
        return OPTIONS
    if not board_holds(state):
        return BOARD
    if not pieces_hold(state):
        return PIECES
    if not thieves_hold(state):
        return THIEVES
    if not turn_holds(state):
        return TURN
    if not decision_holds(state):
        return DECISION
    return 0 if ending_holds(state) else ENDING
