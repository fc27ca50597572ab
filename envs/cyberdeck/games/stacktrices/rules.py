"""Stacktrices: the rules, as kernels over one record. RULES.md beside this file says them.

Squares are numbered 7 * rank + file as seat 0 sees the board: its home row is rank 0, seat 1's is
rank 6. Each seat's stacks are 0 to 3 (on drones) and 4 to 6 (on queens). A piece's kind is its
sort and size: movement pawn, drone, queen, then skill pawn, drone, queen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import index, kernel, lowest
from cyberdeck.engine.record import NOBODY, Field

SIDE = 7
SQUARES = SIDE * SIDE
STACKS = 7
DRONES = 4  # the stacks 0 to 3 stand on drones, the others on queens
NONE = -1  # no square, no stack, no piece

KINDS = 6
SIZES = 3
PAWN, DRONE, QUEEN = range(SIZES)
MOVEMENT, SKILL = 0, SIZES  # the first kind of each sort: MOVEMENT + DRONE, SKILL + QUEEN
SIZE = np.array([1, 2, 3, 1, 2, 3], np.int8)  # [kind] in pips
TOTAL = np.array([4, 4, 3, 4, 4, 3], np.int8)  # [kind] in the whole game
TO_CAP = np.array([2, 2, 1, 2, 2, 1], np.int8)  # [kind] that each player caps the stacks with

LONGEST_REACH = 6  # stacked movement pieces count no further
MOST_TRADED = 3  # pieces given, and pieces received

# --- phases --------------------------------------------------------------------------------------

(
    HIDE,  # set-up: the thief
    CAP,  # set-up: the pieces, one by one
    MOVE,
    STEAL,  # the attacker chooses a piece of the captured stack
    PLACE_STOLEN,
    HIDE_AGAIN,  # the victim of a captured thief, in the middle of the attacker's turn
    AFTER_MOVE,  # claim a raid, expose, begin a trade, or end the turn
    RAID,  # take a piece of the opponent's or of the store, or raise one
    PLACE_RAIDED,
    HIDE_RAIDER,
    TRADE,
) = range(11)
PHASES = (
    "hide the thief",
    "cap the stacks",
    "move",
    "steal",
    "place the stolen piece",
    "hide the thief again",
    "after the move",
    "raid",
    "place the raided piece",
    "hide the raider",
    "trade",
)

# --- actions -------------------------------------------------------------------------------------

HIDES = STACKS * SQUARES  # after 343 moves: SQUARES * stack + target
PUTS = HIDES + DRONES  # 42: KINDS * stack + kind
OWN_PICKS = PUTS + STACKS * KINDS  # a stack's pieces: `picks` actions for each stack
#: Piece picks of a stack: its movement piece and the three skills; or, where movement pieces are
#: stacked, every kind.
PICKS = (1 + SIZES, KINDS)


@kernel
def their_picks(state: Any) -> Any:
    """The first action that picks a piece of the opponent's."""
    return OWN_PICKS + STACKS * (KINDS if state.stacked_movement else 1 + SIZES)


@kernel
def claim(state: Any) -> Any:
    """The action `claim`; `end the turn`, `call off` and `expose` follow it."""
    return OWN_PICKS + 2 * STACKS * (KINDS if state.stacked_movement else 1 + SIZES)


END_TURN, CALL_OFF, EXPOSE = 1, 2, 3  # from claim(state)

# --- options and endings -------------------------------------------------------------------------

CHOOSE, RANDOM = 0, 1
SETUPS = ("choose", "random")
FIRSTS = (0, 1, "random")
EITHER = 2
OUTCOME, MATERIAL = 0, 1
REWARDS = ("outcome", "material")
VECTOR, PLANES, WITH_PRIOR = range(3)
OBSERVATIONS = ("vector", "planes", "prior")
PIP = 0.01  # what a pip is worth with reward="material"

CAPTURED_ALL, STALLED, MAX_TURNS = 2, 3, 4
REASONS = ("captured_all", "stalled", "max_turns")

FIELDS = (
    Field("max_turns", 2, 1_000_000),
    Field("turns", 0, 1_000_000),  # turns that have ended
    Field("setup", 0, 1),
    Field("first_rule", 0, EITHER),
    Field("reward_mode", 0, 1),
    Field("steal_on_attack", 0, 1),
    Field("stacked_movement", 0, 1),
    Field("shown", 0, 2),  # observation: VECTOR, PLANES, WITH_PRIOR
    Field("first", 0, 1),  # the seat that plays white
    Field("phase", 0, TRADE),
    Field("stalled", 0, 2),  # turns in a row with neither move nor trade
    Field("lead", -127, 127),  # pips on seat 0's stacks minus seat 1's, when the last turn ended
    Field("board", NONE, 2 * STACKS - 1, (SQUARES,)),  # STACKS * seat + stack, or NONE
    Field("square", NONE, SQUARES - 1, (2, STACKS)),  # NONE once captured
    Field("pieces", 0, 4, (2, STACKS, KINDS)),  # how many of each kind are on a stack
    Field("store", 0, 4, (KINDS,)),
    Field("hand", 0, 4, (2, KINDS)),  # to cap with, stolen, raided, or given in a trade
    Field(
        "thief", NONE, DRONES - 1, (2,)
    ),  # the drone that hides the vulnerability, NONE: not hidden
    Field("exposed", 0, 1, (2,)),  # 1: for good, by a steal on attack
    Field("raided", 0, 1, (2, DRONES)),  # 1: no raid until a turn ends on its own home row
    Field("last_from", NONE, SQUARES - 1),  # the last move, whoever's
    Field("last_to", NONE, SQUARES - 1),
    # This turn.
    Field("skipped", 0, 1),  # 1: there was no legal move
    Field("moved", NONE, STACKS - 1),  # the stack that moved
    Field("landed", 0, 1),  # 1: it has come to the opponent's home row, and may raid if thief
    Field("captured", NONE, STACKS - 1),  # the opponent's stack that it captured
    Field("caught", 0, 1),  # 1: that was the thief
    Field("loot", 0, 4, (KINDS,)),  # what may still be stolen of that stack's pieces
    Field("given", NONE, STACKS * KINDS - 1, (MOST_TRADED,)),  # KINDS * stack + kind, then NONE
    Field("taken", NONE, STACKS * KINDS - 1, (MOST_TRADED,)),
    Field("gives", 0, MOST_TRADED),
    Field("takes", 0, MOST_TRADED),
    Field("in_trade", 0, 1, (STACKS,)),  # 1: may receive: it was a pupil, or has given
)

# --- the board -----------------------------------------------------------------------------------

#: Directions in turn, from seat 0's forward to the right: odd ones are diagonal.
DIRECTIONS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
ANY_DIRECTION = 0b11111111
DIAGONALS = 0b10101010
ORTHOGONALS = 0b01010101
FORWARD = (0b10000010, 0b00101000)  # the two forward diagonals of each seat


def _neighbours() -> np.ndarray:
    """[direction, square]: the next square, NONE off the board."""
    found = np.full((len(DIRECTIONS), SQUARES), NONE, np.int8)
    for direction, (up, right) in enumerate(DIRECTIONS):
        for square in range(SQUARES):
            rank, file = square // SIDE + up, square % SIDE + right
            if 0 <= rank < SIDE and 0 <= file < SIDE:
                found[direction, square] = SIDE * rank + file
    return found


NEXT = _neighbours()
HOME_RANK = (0, SIDE - 1)
HOME_ROW = (0b1111111, 0b1111111 << SIDE * (SIDE - 1))  # [seat] as a set of squares

#: [seat, stack]: drones on a, c, e, g of the home row, queens on b, d, f before it (ruling S3).
START = np.array(
    [[0, 2, 4, 6, 8, 10, 12], [42, 44, 46, 48, 36, 38, 40]],
    np.int8,
)


@kernel
def mirrored(seat: Any, square: Any) -> Any:
    """A square as *seat* sees it, and back: for seat 1 the ranks are mirrored, the files kept."""
    if seat == 0:
        return np.int64(square)
    return np.int64(square + SIDE * (SIDE - 1) - 2 * SIDE * (square // SIDE))


# --- stacks --------------------------------------------------------------------------------------


@kernel
def alive(state: Any, seat: Any, stack: Any) -> Any:
    return state.square[seat, stack] != NONE


@kernel
def movement(state: Any, seat: Any, stack: Any) -> Any:
    """The reach of a stack: its movement piece's size, or the sum of several; 0: a pupil."""
    pieces = state.pieces[seat, stack]
    return min(LONGEST_REACH, pieces[PAWN] + 2 * pieces[DRONE] + 3 * pieces[QUEEN])


@kernel
def skilled(state: Any, seat: Any, stack: Any) -> Any:
    pieces = state.pieces[seat, stack]
    return pieces[SKILL + PAWN] + pieces[SKILL + DRONE] + pieces[SKILL + QUEEN] > 0


@kernel
def can_hold(state: Any, seat: Any, stack: Any, kind: Any) -> Any:
    """Whether a stack may take one more piece: one movement piece (or, after the set-up and with
    stacked_movement, any number), and skill only on movement, one of each size (ruling S2).
    """
    if not alive(state, seat, stack):
        return False
    adult = movement(state, seat, stack) > 0
    if kind < SKILL:
        return not adult or (state.stacked_movement == 1 and state.phase != CAP)
    return adult and state.pieces[seat, stack, kind] == 0


@kernel
def some_can_hold(state: Any, seat: Any, kind: Any) -> Any:
    for stack in range(STACKS):
        if can_hold(state, seat, stack, kind):
            return True
    return False


@kernel
def protected(state: Any, seat: Any, stack: Any, kind: Any) -> Any:
    """A skilled stack's movement piece is protected; of stacked ones, the last."""
    if kind >= SKILL or not skilled(state, seat, stack):
        return False
    pieces = state.pieces[seat, stack]
    return pieces[PAWN] + pieces[DRONE] + pieces[QUEEN] == 1


@kernel
def has_pupil(state: Any, seat: Any) -> Any:
    for stack in range(STACKS):
        if alive(state, seat, stack) and movement(state, seat, stack) == 0:
            return True
    return False


@kernel
def drones_left(state: Any, seat: Any) -> Any:
    count = 0
    for drone in range(DRONES):
        count += alive(state, seat, drone)
    return count


@kernel
def stacks_left(state: Any, seat: Any) -> Any:
    count = 0
    for stack in range(STACKS):
        count += alive(state, seat, stack)
    return count


@kernel
def active(state: Any) -> Any:
    """The seat whose turn it is: not the mover while a victim hides its thief again."""
    return 1 - state.mover if state.phase == HIDE_AGAIN else state.mover


# --- moves ---------------------------------------------------------------------------------------
# Sets of squares are whole numbers: bit `square` is 1 if the square belongs to the set.


@kernel
def directions(state: Any, seat: Any, stack: Any) -> Any:
    """Where a stack with movement may set out: skills add to the adult's forward diagonals."""
    pieces = state.pieces[seat, stack]
    open_to = FORWARD[seat]
    if pieces[SKILL + PAWN]:
        open_to |= DIAGONALS
    if pieces[SKILL + DRONE]:
        open_to |= ORTHOGONALS
    if pieces[SKILL + QUEEN]:
        open_to |= ANY_DIRECTION
    return open_to


@kernel
def walk(state: Any, seat: Any, origin: Any, square: Any, direction: Any, left: Any) -> Any:
    """From *square* straight on with *left* squares of reach, for a stack that stood on *origin*.

    Returns the squares where it may end, the friend that it runs into (or NONE), and the reach
    that is left there. Nobody goes through or beyond an enemy: the capture ends the move.
    """
    ends = 0
    while left > 0:
        square = np.int64(NEXT[index(direction), index(square)])
        if square == NONE:
            break
        who = state.board[index(square)]
        if square == origin:  # as good as empty on the way, but no place to end
            left -= 1
        elif who == NONE:
            left -= 1
            ends |= 1 << square
        elif (who >= STACKS) == (seat == 1):
            return ends, np.int64(who - STACKS * seat), left
        else:
            ends |= 1 << square
            break
    return ends, NONE, 0


@kernel
def sent_on(waiting: Any, left: Any, friend: Any, direction: Any) -> Any:
    """*waiting* with one way more: on from a friend's square, with *left* squares of reach."""
    way = 1 << 8 * friend + (direction & 7)
    return (
        waiting[0] | way * (left == 1),
        waiting[1] | way * (left == 2),
        waiting[2] | way * (left == 3),
        waiting[3] | way * (left == 4),
        waiting[4] | way * (left == 5),
        waiting[5] | way * (left == 6),
    )


@kernel
def queen_reach(state: Any, seat: Any, stack: Any) -> Any:
    """Where a queen-skilled stack may go: friends pass it on, and cost no reach (ruling S8).

    A way is a friend and the direction in which it sends the mover on: bit 8 * stack + direction.
    The mover's own square begins it all. `waiting` holds the ways still to go, by the reach left
    (at index left - 1). More reach leads wherever less does, so the longest come first and no
    way is gone twice.
    """
    origin = state.square[seat, stack]
    reach = movement(state, seat, stack)
    waiting = (0, 0, 0, 0, 0, 0)
    for direction in range(8):
        waiting = sent_on(waiting, reach, stack, direction)
    ends = 0
    gone = 0
    for left in range(reach, 0, -1):
        ways = waiting[left - 1] & ~gone
        while ways != 0:
            way = lowest(ways)
            gone |= 1 << way
            passer, direction = way // 8, way % 8
            start = state.square[seat, passer]
            found, friend, rest = walk(state, seat, origin, start, direction, left)
            ends |= found
            if friend != NONE and movement(state, seat, friend) > 0:  # a pupil blocks
                waiting = sent_on(waiting, rest, friend, direction)
                if skilled(state, seat, friend):
                    waiting = sent_on(waiting, rest, friend, direction - 1)
                    waiting = sent_on(waiting, rest, friend, direction + 1)
            ways = waiting[left - 1] & ~gone
    return ends


@kernel
def reach(state: Any, seat: Any, stack: Any) -> Any:
    """The squares that a living stack may move to, the warp left out."""
    origin = state.square[seat, stack]
    left = movement(state, seat, stack)
    ends = 0
    if left == 0:  # a pupil: one square in any direction, and only onto an enemy
        for direction in range(8):
            square = NEXT[direction, origin]
            if square != NONE:
                who = state.board[square]
                if who != NONE and (who >= STACKS) != (seat == 1):
                    ends |= 1 << int(square)
        return ends
    if state.pieces[seat, stack, SKILL + QUEEN]:
        return queen_reach(state, seat, stack)
    open_to = directions(state, seat, stack)
    for direction in range(8):
        if open_to >> direction & 1:
            ends |= walk(state, seat, origin, origin, direction, left)[0]
    return ends


@kernel
def warp(state: Any, seat: Any, stack: Any) -> Any:
    """From the opponent's home row to any empty square of one's own, pupils included."""
    ends = 0
    if state.square[seat, stack] // SIDE == HOME_RANK[1 - seat]:
        for file in range(SIDE):
            square = SIDE * HOME_RANK[seat] + file
            if state.board[square] == NONE:
                ends |= 1 << square
    return ends


@kernel
def targets(state: Any, seat: Any, stack: Any) -> Any:
    """All squares that a stack may go to in its move."""
    if not alive(state, seat, stack):
        return 0
    return reach(state, seat, stack) | warp(state, seat, stack)


@kernel
def can_move(state: Any, seat: Any) -> Any:
    for stack in range(STACKS):
        if targets(state, seat, stack) != 0:
            return True
    return False


# --- what is legal -------------------------------------------------------------------------------


@kernel
def legal(state: Any, mask: Any) -> None:
    seat = np.int64(state.mover)
    phase = state.phase
    if phase == MOVE:
        legal_moves(state, seat, mask)
    elif phase == AFTER_MOVE:
        legal_after_move(state, seat, mask)
    elif phase == TRADE:
        legal_trades(state, seat, mask)
    elif phase in (CAP, PLACE_STOLEN, PLACE_RAIDED):
        legal_puts(state, seat, state.hand[seat], mask)
    elif phase == STEAL:
        legal_steals(state, seat, mask)
    elif phase == RAID:
        legal_raids(state, seat, mask)
    else:
        legal_hides(state, seat, mask)


@kernel
def legal_moves(state: Any, seat: Any, mask: Any) -> None:
    for stack in range(STACKS):
        ends = targets(state, seat, stack)
        while ends != 0:
            square = lowest(ends)
            ends &= ends - 1
            mask[index(SQUARES * stack + mirrored(seat, square))] = 1


@kernel
def legal_hides(state: Any, seat: Any, mask: Any) -> None:
    for drone in range(DRONES):
        if alive(state, seat, drone):
            mask[HIDES + drone] = 1


@kernel
def legal_puts(state: Any, seat: Any, source: Any, mask: Any) -> None:
    """Every piece of *source* on every own stack that may hold it."""
    for kind in range(KINDS):
        if source[kind] > 0:
            for stack in range(STACKS):
                if can_hold(state, seat, stack, kind):
                    mask[PUTS + KINDS * stack + kind] = 1


@kernel
def pick(state: Any, stack: Any, kind: Any) -> Any:
    """A piece pick, counted from the first of its side."""
    if state.stacked_movement:
        return KINDS * stack + kind
    return (1 + SIZES) * stack + max(0, kind - SKILL + 1)


@kernel
def picked_stack(state: Any, choice: Any) -> Any:
    """The stack of a piece pick."""
    return choice // KINDS if state.stacked_movement else choice // (1 + SIZES)


@kernel
def picked_kind(state: Any, pieces: Any, choice: Any) -> Any:
    """The kind of a piece pick from a stack with these *pieces*."""
    if state.stacked_movement:
        return choice % KINDS
    kind = SKILL - 1 + choice % (1 + SIZES)
    if kind < SKILL:  # the one movement piece
        kind = PAWN if pieces[PAWN] else DRONE if pieces[DRONE] else QUEEN
    return kind


@kernel
def stealable(state: Any, seat: Any, kind: Any) -> Any:
    """Whether the captured stack had such a piece unprotected, it still lies in the store (a raid
    may have taken it meanwhile), and an own stack can hold it.
    """
    loot = state.loot[kind] > 0 and state.store[kind] > 0
    return loot and some_can_hold(state, seat, kind)


@kernel
def legal_steals(state: Any, seat: Any, mask: Any) -> None:
    """The unprotected pieces of the captured stack that an own stack can hold."""
    first = their_picks(state)
    for kind in range(KINDS):
        if stealable(state, seat, kind):
            mask[first + pick(state, state.captured, kind)] = 1


@kernel
def can_steal(state: Any, seat: Any) -> Any:
    for kind in range(KINDS):
        if stealable(state, seat, kind):
            return True
    return False


@kernel
def can_raid_from(state: Any, owner: Any, stack: Any, kind: Any) -> Any:
    """Whether a piece of the opponent's stack is there and unprotected."""
    there = alive(state, owner, stack) and state.pieces[owner, stack, kind] > 0
    return there and not protected(state, owner, stack, kind)


@kernel
def can_raise(state: Any, seat: Any, stack: Any, kind: Any) -> Any:
    """Whether an own piece may be exchanged for the next size of its sort."""
    if state.stacked_movement or not alive(state, seat, stack):
        return False
    if SIZE[kind] == QUEEN + 1 or state.pieces[seat, stack, kind] == 0:
        return False
    if state.store[kind + 1] == 0:
        return False
    return kind < SKILL or state.pieces[seat, stack, kind + 1] == 0


@kernel
def legal_raids(state: Any, seat: Any, mask: Any) -> None:
    """Take a piece of the opponent's or of the store; without a pupil, or raise an own piece."""
    legal_puts(state, seat, state.store, mask)
    first = their_picks(state)
    for kind in range(KINDS):
        if some_can_hold(state, seat, kind):
            for stack in range(STACKS):
                if can_raid_from(state, 1 - seat, stack, kind):
                    mask[first + pick(state, stack, kind)] = 1
    if not has_pupil(state, seat):
        for stack in range(STACKS):
            for kind in range(KINDS):
                if can_raise(state, seat, stack, kind):
                    mask[OWN_PICKS + pick(state, stack, kind)] = 1


@kernel
def can_raid(state: Any, seat: Any) -> Any:
    """Whether anything that a raid may do can be completed."""
    for kind in range(KINDS):
        if some_can_hold(state, seat, kind):
            if state.store[kind] > 0:
                return True
            for stack in range(STACKS):
                if can_raid_from(state, 1 - seat, stack, kind):
                    return True
    if not has_pupil(state, seat):
        for stack in range(STACKS):
            for kind in range(KINDS):
                if can_raise(state, seat, stack, kind):
                    return True
    return False


@kernel
def can_claim(state: Any, seat: Any) -> Any:
    """The own thief has landed on the opponent's home row, and has not raided since it was home."""
    if not state.landed or state.moved != state.thief[seat]:
        return False
    return state.raided[seat, state.moved] == 0 and can_raid(state, seat)


@kernel
def can_expose(state: Any, seat: Any) -> Any:
    """steal_on_attack: the own thief has captured, and something can be stolen."""
    if not state.steal_on_attack or state.captured == NONE or state.moved != state.thief[seat]:
        return False
    return can_steal(state, seat)


@kernel
def legal_gives(state: Any, seat: Any, mask: Any) -> None:
    for stack in range(STACKS):
        for kind in range(KINDS):
            if state.pieces[seat, stack, kind] > 0:
                mask[OWN_PICKS + pick(state, stack, kind)] = 1


@kernel
def legal_after_move(state: Any, seat: Any, mask: Any) -> None:
    """The same public phase in every turn, whoever the thief is."""
    first = claim(state)
    legal_gives(state, seat, mask)
    mask[first + END_TURN] = 1
    if can_claim(state, seat):
        mask[first] = 1
    if can_expose(state, seat):
        mask[first + EXPOSE] = 1


@kernel
def to_receive(state: Any) -> Any:
    """What is still to be received in this trade: one pip less than was given."""
    value = -1
    for at in range(state.gives):
        value += SIZE[state.given[at] % KINDS]
    for at in range(state.takes):
        value -= SIZE[state.taken[at] % KINDS]
    return value


@kernel
def stranded(state: Any, seat: Any, stack: Any) -> Any:
    """Whether skill lies on a stack without movement: only ever during a trade."""
    return skilled(state, seat, stack) and movement(state, seat, stack) == 0


@kernel
def stranded_stacks(state: Any, seat: Any) -> Any:
    count = 0
    for stack in range(STACKS):
        count += stranded(state, seat, stack)
    return count


@kernel
def legal_trades(state: Any, seat: Any, mask: Any) -> None:
    """Give on, until the first take; take, up to the value; or call the trade off (S12)."""
    mask[claim(state) + CALL_OFF] = 1
    if state.takes == 0 and state.gives < MOST_TRADED:
        legal_gives(state, seat, mask)
    if state.takes == MOST_TRADED:
        return
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


# --- playing it ----------------------------------------------------------------------------------


@kernel
def act(state: Any, action: Any) -> None:
    """Apply the mover's legal *action*."""
    seat = np.int64(state.mover)
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
def put(state: Any, seat: Any, choice: Any, source: Any) -> None:
    """Put a piece of *source*, the hand or the store, on an own stack."""
    stack, kind = choice // KINDS, choice % KINDS
    source[kind] -= 1
    state.pieces[seat, stack, kind] += 1


@kernel
def cap_on(state: Any, seat: Any) -> None:
    """White caps its stacks to the end, then black; then white begins."""
    for kind in range(KINDS):
        if state.hand[seat, kind] > 0:
            return
    if seat == state.first:
        state.mover = 1 - seat
        state.phase = HIDE
    else:
        begin_turn(state, np.int64(state.first))


# --- move, capture, steal ------------------------------------------------------------------------


@kernel
def begin_turn(state: Any, seat: Any) -> None:
    """No passing; but who cannot move at all is skipped, and may still trade (ruling S9)."""
    state.mover = seat
    state.skipped = not can_move(state, seat)
    state.phase = AFTER_MOVE if state.skipped else MOVE


@kernel
def move(state: Any, seat: Any, stack: Any, square: Any) -> None:
    origin = np.int64(state.square[seat, stack])
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
        capture(state, seat, np.int64(who - STACKS * (1 - seat)))


@kernel
def capture(state: Any, seat: Any, stack: Any) -> None:
    """The stack leaves the game, its pieces go to the store, but for a stolen one."""
    victim = 1 - seat
    state.captured = stack
    for kind in range(KINDS):
        if state.pieces[victim, stack, kind] > 0 and not protected(state, victim, stack, kind):
            state.loot[kind] = state.pieces[victim, stack, kind]
    for kind in range(KINDS):
        state.store[kind] += state.pieces[victim, stack, kind]
        state.pieces[victim, stack, kind] = 0
    state.square[victim, stack] = NONE
    if stack < DRONES:
        state.raided[victim, stack] = 0
    if state.thief[victim] == stack:
        state.caught = 1
        state.thief[victim] = NONE
        state.exposed[victim] = 0
    if stacks_left(state, victim) == 0:
        settle(state)
        clear_turn(state)
        state.reward[seat] += 1.0
        state.reward[victim] -= 1.0
        finish(state, CAPTURED_ALL)
    elif state.caught and can_steal(state, seat):
        state.phase = STEAL
    elif state.caught:
        forget_loot(state)
        after_steal(state, seat)
    elif not state.steal_on_attack:
        forget_loot(state)


@kernel
def forget_loot(state: Any) -> None:
    for kind in range(KINDS):
        state.loot[kind] = 0


@kernel
def steal(state: Any, seat: Any, kind: Any) -> None:
    """Take a piece of the captured stack: it has gone to the store with the others."""
    state.store[kind] -= 1
    state.hand[seat, kind] += 1
    forget_loot(state)
    state.phase = PLACE_STOLEN


@kernel
def after_steal(state: Any, seat: Any) -> None:
    """The victim of a captured thief hides the vulnerability again, if there is a drone left."""
    victim = 1 - seat
    if state.thief[victim] == NONE and drones_left(state, victim) > 0:
        state.mover = victim
        state.phase = HIDE_AGAIN
    else:
        state.phase = AFTER_MOVE


@kernel
def decide_after_move(state: Any, seat: Any, action: Any) -> None:
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
        for stack in range(STACKS):
            state.in_trade[stack] = alive(state, seat, stack) and movement(state, seat, stack) == 0
        state.phase = TRADE
        give(state, seat, action - OWN_PICKS)


# --- raid ----------------------------------------------------------------------------------------


@kernel
def raid(state: Any, seat: Any, action: Any) -> None:
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
def after_raid(state: Any, seat: Any) -> None:
    """The vulnerability is hidden again, but for one that is exposed for good."""
    state.phase = AFTER_MOVE if state.exposed[seat] else HIDE_RAIDER


# --- trade ---------------------------------------------------------------------------------------


@kernel
def trade(state: Any, seat: Any, action: Any) -> None:
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
def give(state: Any, seat: Any, choice: Any) -> None:
    """Lay an own piece aside: it goes to the store when the trade is done."""
    stack = picked_stack(state, choice)
    kind = picked_kind(state, state.pieces[seat, stack], choice)
    state.pieces[seat, stack, kind] -= 1
    state.hand[seat, kind] += 1
    state.given[state.gives] = KINDS * stack + kind
    state.gives += 1
    state.in_trade[stack] = 1


@kernel
def call_off(state: Any, seat: Any) -> None:
    """Everything goes back as it was."""
    for at in range(state.takes):
        stack, kind = state.taken[at] // KINDS, state.taken[at] % KINDS
        state.pieces[seat, stack, kind] -= 1
        state.store[kind] += 1
    for at in range(state.gives):
        stack, kind = state.given[at] // KINDS, state.given[at] % KINDS
        state.pieces[seat, stack, kind] += 1
        state.hand[seat, kind] -= 1


# --- the end of a turn, and of the game ----------------------------------------------------------


@kernel
def end_turn(state: Any, seat: Any, traded: Any) -> None:
    for drone in range(DRONES):  # back home: it may raid again (ruling S11)
        if alive(state, seat, drone) and state.square[seat, drone] // SIDE == HOME_RANK[seat]:
            state.raided[seat, drone] = 0
    state.stalled = state.stalled + 1 if state.skipped and not traded else 0
    state.turns += 1
    settle(state)
    clear_turn(state)
    if state.stalled == 2:
        finish(state, STALLED)
    elif state.turns >= state.max_turns:
        finish(state, MAX_TURNS)
    else:
        begin_turn(state, 1 - seat)


@kernel
def clear_turn(state: Any) -> None:
    state.skipped = 0
    state.moved = NONE
    state.landed = 0
    state.captured = NONE
    state.caught = 0
    forget_loot(state)
    for at in range(MOST_TRADED):
        state.given[at] = NONE
        state.taken[at] = NONE
    state.gives = 0
    state.takes = 0
    for stack in range(STACKS):
        state.in_trade[stack] = 0


@kernel
def pips(state: Any, seat: Any) -> Any:
    """The value of all pieces on a seat's stacks."""
    value = 0
    for stack in range(STACKS):
        for kind in range(KINDS):
            value += SIZE[kind] * state.pieces[seat, stack, kind]
    return value


@kernel
def settle(state: Any) -> None:
    """reward="material": what this turn has changed in the difference of pips."""
    lead = pips(state, 0) - pips(state, 1)
    if state.reward_mode == MATERIAL:
        gain = np.float32(PIP * (lead - state.lead))
        state.reward[0] += gain
        state.reward[1] -= gain
    state.lead = lead


@kernel
def finish(state: Any, reason: Any) -> None:
    state.reason = reason
    state.truncated = reason == MAX_TURNS
    state.terminated = reason != MAX_TURNS
    state.mover = NOBODY


# --- the set-up ----------------------------------------------------------------------------------


@kernel
def shuffle(state: Any) -> None:
    """Who plays white."""
    state.first = dice.below(state, 2) if state.first_rule == EITHER else state.first_rule


@kernel
def clear(state: Any) -> None:
    """An empty board before the first turn, and all pieces in the store."""
    for square in range(SQUARES):
        state.board[square] = NONE
    for seat in range(2):
        for stack in range(STACKS):
            state.square[seat, stack] = NONE
            for kind in range(KINDS):
                state.pieces[seat, stack, kind] = 0
        for kind in range(KINDS):
            state.hand[seat, kind] = 0
        for drone in range(DRONES):
            state.raided[seat, drone] = 0
        state.thief[seat] = NONE
        state.exposed[seat] = 0
    for kind in range(KINDS):
        state.store[kind] = TOTAL[kind]
    clear_turn(state)
    state.last_from = NONE
    state.last_to = NONE
    state.turns = 0
    state.stalled = 0
    state.lead = 0
    state.phase = MOVE


@kernel
def stand(state: Any, seat: Any, stack: Any, square: Any) -> None:
    state.board[square] = STACKS * seat + stack
    state.square[seat, stack] = square


@kernel
def start(state: Any) -> None:
    """Bare stacks on both sides, ten pieces in each hand; white begins the set-up."""
    clear(state)
    for seat in range(2):
        for stack in range(STACKS):
            stand(state, seat, stack, START[seat, stack])
        for kind in range(KINDS):
            state.hand[seat, kind] = TO_CAP[kind]
            state.store[kind] -= TO_CAP[kind]
    state.mover = state.first
    state.phase = HIDE
    if state.setup == RANDOM:
        for seat in range(2):
            draw_setup(state, seat)
        begin_turn(state, np.int64(state.first))


@kernel
def draw_setup(state: Any, seat: Any) -> None:
    """A set-up of decisions that are even over what is legal, one after the other (S4)."""
    state.phase = CAP
    state.thief[seat] = dice.below(state, DRONES)
    while True:
        count = 0
        for choice in range(STACKS * KINDS):
            count += can_cap(state, seat, choice)
        if count == 0:
            return
        left = dice.below(state, count)
        for choice in range(STACKS * KINDS):
            if can_cap(state, seat, choice):
                if left == 0:
                    put(state, seat, choice, state.hand[seat])
                    break
                left -= 1


@kernel
def can_cap(state: Any, seat: Any, choice: Any) -> Any:
    kind = choice % KINDS
    return state.hand[seat, kind] > 0 and can_hold(state, seat, choice // KINDS, kind)
