"""A built-in opponent for Stacktrices: it weighs every decision by what the stacks are then worth.

Moves are weighed one turn ahead: what they capture, what the opponent may capture then, what they
threaten, and how far the stack has to go to its prey. Trades are planned to the end before they
begin. Nothing is tried out in the record: a move that is thought of is a ``Step``, and a side's
pieces are a set, its *army*. The six bits of one stack are its *caps*. (Of stacked movement pieces,
two alike on one stack count once.)
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import (
    Action,
    Mask,
    RandomBits,
    Seat,
    State,
    index,
    int64,
    kernel,
    lowest,
)
from cyberdeck.games.stacktrices import board
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.board import Kind, Pick, Piece, Pieces, Square, Squares, Stack
from cyberdeck.games.stacktrices.hidden import in_setup, known_thief
from cyberdeck.games.stacktrices.stacks import alive, can_hold

Army: TypeAlias = Pieces
Caps: TypeAlias = int  # a set of kinds
Stacks: TypeAlias = int  # a set: bit `stack`

# What a stack is worth: see WORTH.
STACK = 44  # itself, without any piece
MOBILE = 14  # times the squares that it could reach if nothing stood in the way

FORCE = 932  # all stacks of a side together: what is left of a side is worth the more
WIN = 100_000  # the opponent's last stack
BOOTY = 12  # a thief that everybody knows: the piece stolen with it
RISK = 21  # sixteenths of what the opponent could capture best count against a move
RISKS = 3  # and sixteenths of all that he could capture
SITTING = 4  # sixteenths of the best pupil that one could capture next: it cannot flee
HUNT = 9  # a prey one turn away; half of it two turns away, and so on
RAID = 55  # sixteenths of what a raid would bring
RAID_DELAY = 21  # sixteenths, by which that is divided once more for each turn of the way
MARKED = 3  # against hiding the thief where it may not raid
ROVER = 5  # for hiding it where there is movement
UNSAFE = 16  # against hiding it, and sixteenths off the value of putting a piece, in danger
BARGAIN = 3  # a trade must gain more
PATIENCE = 333  # turns after which risks count half: what leads nowhere is given up
LUCK = 3  # every decision is less predictable by this much
RESTLESS = 9  # and by so many 64ths more in every turn
SETUP_LUCK = 39  # the set-up is less predictable by this much
FRONT = -37  # for a piece put in the set-up on a queen: those stand in front of the drones

NOTHING = -10 * WIN

CAPS = 1 << c.KINDS
MOVING = 0b111  # the movement pieces of caps
BACKWARD = 1 << c.SKILL + c.PAWN  # along diagonals, but backward, too
ANYWHERE = 0b110 << c.SKILL  # with one of these skills it turns wherever it likes
PASSER = 1 << c.SKILL + c.QUEEN  # friends let it pass


def _directions(seat: int, caps: int) -> int:
    """Where a stack with these caps may set out, a pupil onto enemies only."""
    if caps & MOVING == 0 or caps & PASSER:
        return board.ANY_DIRECTION
    found = board.FORWARD[seat]
    found |= board.DIAGONALS if caps & BACKWARD else 0
    return found | (board.ORTHOGONALS if caps >> c.SKILL + c.DRONE & 1 else 0)


def _worth(caps: int) -> int:
    return STACK + MOBILE * int(REACH[caps]) * _directions(0, caps).bit_count()


#: [caps]: the squares that it may go, 0 for a pupil.
REACH = np.array(
    [sum(1 + size for size in range(c.SKILL) if caps >> size & 1) for caps in range(CAPS)], np.int64
)
#: [seat, caps]: where it may set out.
OPEN_TO = np.array([[_directions(seat, caps) for caps in range(CAPS)] for seat in (0, 1)], np.int64)
WORTH = np.array([_worth(caps) for caps in range(CAPS)], np.int64)


def _zones() -> NDArray[np.int64]:
    """[seat, caps, square]: the squares to which such a stack could get at best, as a set."""
    rays = np.zeros((board.ACROSS + 1, len(board.NEXT), c.SQUARES), np.int64)  # by their length
    for length in range(1, board.ACROSS + 1):
        further = 1 << np.maximum(board.NEXT, 0).astype(np.int64)
        further |= np.take_along_axis(rays[length - 1], board.NEXT, 1)
        rays[length] = np.where(board.NEXT == c.NONE, 0, further)
    zones = np.zeros((2, CAPS, c.SQUARES), np.int64)
    for seat in (0, 1):
        for caps in range(CAPS):
            passing = caps & PASSER and caps & MOVING
            length = board.ACROSS if passing else max(1, int(REACH[caps]))
            for direction in range(len(board.NEXT)):
                if OPEN_TO[seat, caps] >> direction & 1:
                    zones[seat, caps] |= rays[length, direction]
    return zones


ZONE = _zones()


# --- armies --------------------------------------------------------------------------------------


class Side(NamedTuple):
    """The stacks of one player."""

    seat: Seat
    living: Stacks
    army: Army
    zone: Squares  # that they might attack
    longest: int  # the longest reach among them
    total: int  # what its stacks are worth together
    scale: int  # 256ths, so that this is FORCE


class Outlook(NamedTuple):
    """What the mover's actions are weighed by, found out once for all of them."""

    own: Side
    theirs: Side  # nothing during the set-up
    danger: Stacks  # own ones that the opponent could capture as they stand
    haul: int  # what a raid would bring now


class Step(NamedTuple):
    """A move that is thought of."""

    mover: int  # as the board names it
    origin: Square
    landing: Square


@kernel
def caps_of(army: Army, stack: Stack) -> Caps:
    return army >> c.KINDS * stack & (CAPS - 1)


@kernel
def side_of(state: State, seat: Seat) -> Side:
    living, army, zone, longest, total = 0, 0, 0, 1, 0
    for stack in range(c.STACKS):
        if alive(state, seat, stack):
            caps = 0
            for kind in range(c.KINDS):
                caps |= (state.pieces[seat, stack, kind] > 0) << kind
            living |= 1 << stack
            army |= caps << c.KINDS * stack
            zone |= ZONE[index(seat), index(caps), index(state.square[seat, stack])]
            longest = max(longest, REACH[index(caps)])
            total += WORTH[index(caps)]
    scale = (FORCE << 8) // max(1, total)
    return Side(seat, living, army, zone, longest, total, scale)


@kernel
def worth(side: Side, stack: Stack) -> int:
    """What a stack is worth to its side: the more, the less else it has."""
    return WORTH[index(caps_of(side.army, stack))] * side.scale >> 8


@kernel
def cheapest(side: Side, stacks: Stacks) -> int:
    least = WIN
    while stacks != 0:
        least = min(least, worth(side, lowest(stacks)))
        stacks &= stacks - 1
    return least


@kernel
def added(army: Army, piece: Piece) -> int:
    """What one piece more makes of its stack."""
    caps = caps_of(army, piece // c.KINDS)
    return WORTH[index(caps | 1 << piece % c.KINDS)] - WORTH[index(caps)]


@kernel
def best_added(state: State, side: Side, kind: Kind) -> int:
    """What one piece more is worth on the stack that it suits best."""
    best = 0
    stacks = side.living
    while stacks != 0:
        stack = lowest(stacks)
        stacks &= stacks - 1
        if can_hold(state, side.seat, stack, kind):
            best = max(best, added(side.army, c.KINDS * stack + kind))
    return best


# --- who can capture what ------------------------------------------------------------------------


@kernel
def attackers(state: State, side: Side, square: Square, step: Step) -> Stacks:
    """The stacks of a side that may enter *square* after *step*.

    They are looked for from the square outwards. Friends let those with queen skill pass straight
    on; that some turn them, too, is left out.
    """
    found = 0
    for direction in range(8):
        at, away, passing = square, 1, False
        while away <= side.longest:
            at = board.NEXT[index(direction ^ 4), index(at)]
            if at == c.NONE:
                break
            who = int64(state.board[index(at)])
            if at == step.landing:
                who = step.mover
            if who == c.NONE or at == step.origin:
                away += 1
                continue
            stack = who - c.STACKS * side.seat
            if stack < 0 or stack >= c.STACKS:
                break
            caps = caps_of(side.army, stack)
            near = max(1, REACH[index(caps)]) >= away
            turned = OPEN_TO[index(side.seat), index(caps)] >> direction & 1
            if near and turned and not (passing and caps & PASSER == 0):
                found |= 1 << stack
            if caps & MOVING == 0:
                break
            passing = True
    return found


@kernel
def at_stake(state: State, side: Side, stack: Stack, foes: Side, zone: Squares, step: Step) -> int:
    """What a side stands to lose with a stack after *step* if it is not its turn then: the stack,
    less what it captures in return. *zone*: where the foes might attack.
    """
    square = int64(state.square[index(side.seat), index(stack)])
    if square == step.origin:
        square = step.landing
    if zone >> square & 1 == 0:
        return 0
    hunters = attackers(state, foes, square, step)
    if hunters == 0:
        return 0
    value = worth(side, stack)
    guards = attackers(state, side, square, step)
    if guards != 0:
        back = -cheapest(foes, hunters)
        if hunters & hunters - 1 != 0:  # a second attacker takes the guard
            back += cheapest(side, guards)
        value += min(back, 0)
    return max(value, 0)


# --- moves ---------------------------------------------------------------------------------------


@kernel
def turns_to(caps: Caps, square: Square, goal: Square) -> int:
    """In about how many turns a stack that can move gets from a square to another, as it sees
    them.
    """
    rank = square // c.SIDE
    up, aside = goal // c.SIDE - rank, goal % c.SIDE - square % c.SIDE
    reach = REACH[index(caps)]
    direct = caps & ANYWHERE != 0
    if (up + aside) & 1 == 0:  # on squares of the same colour
        direct |= caps & BACKWARD != 0 or abs(aside) <= up
    if direct:
        return (max(abs(up), abs(aside)) + reach - 1) // reach
    # It cannot get there but over the last row: it warps, and comes again.
    return 1 + (c.SIDE - 1 - rank + reach - 1) // reach + (rank + up + reach - 1) // reach


@kernel
def nearer(state: State, seat: Seat, caps: Caps, here: Square, there: Square, prey: Stacks) -> int:
    """How much nearer a stack comes to the stacks *prey* of the opponent."""
    value = 0
    while prey != 0 and caps & MOVING != 0:
        at = board.mirrored(seat, state.square[index(1 - seat), index(lowest(prey))])
        prey &= prey - 1
        value += HUNT // max(1, turns_to(caps, there, at))
        value -= HUNT // max(1, turns_to(caps, here, at))
    return value


@kernel
def booty_of_raid(state: State, own: Side) -> int:
    """What the best piece of the store would be worth to a side that raids now."""
    best = 0
    for kind in range(c.KINDS):
        if state.store[kind] > 0:
            best = max(best, best_added(state, own, kind))
    return best * own.scale >> 8


@kernel
def turns_to_raid(caps: Caps, rank: int, marked: int) -> int:
    """In about how many turns a thief raids, which may have to go home before."""
    reach = max(1, REACH[index(caps)])
    across = (c.SIDE - 1 + reach - 1) // reach
    forward = (c.SIDE - 1 - rank + reach - 1) // reach
    if marked == 0 and forward > 0:
        return forward
    home = 1 + forward  # by warp
    if caps >= 1 << c.SKILL:
        home = min(home, (rank + reach - 1) // reach)
    return across + home


@kernel
def value_of_move(
    state: State, own: Side, theirs: Side, haul: int, stack: Stack, landing: Square
) -> int:
    """What a move brings, less what the opponent can do about it. A raid would bring *haul*."""
    origin = int64(state.square[index(own.seat), index(stack)])
    step = Step(c.STACKS * own.seat + stack, origin, landing)
    value = 0
    prey = theirs.living
    if state.board[index(landing)] != c.NONE:
        captured = state.board[index(landing)] - c.STACKS * theirs.seat
        prey &= ~(1 << captured)
        if prey == 0:
            return WIN
        value = worth(theirs, captured)
        if captured == known_thief(state, theirs.seat):
            value += BOOTY
    caps = caps_of(own.army, stack)
    # What each side could capture next.
    threat, risk, risks = 0, 0, 0
    zone = own.zone | ZONE[index(own.seat), index(caps), index(landing)]
    both = prey | own.living << c.STACKS
    while both != 0:
        at = lowest(both)
        both &= both - 1
        if at >= c.STACKS:
            loss = at_stake(state, own, at - c.STACKS, theirs, theirs.zone, step)
            risk = max(risk, loss)
            risks += loss
        elif caps_of(theirs.army, at) & MOVING == 0:
            threat = max(threat, at_stake(state, theirs, at, own, zone, step))
    value += SITTING * threat // 16
    value -= (RISK * risk + RISKS * risks) * PATIENCE // (16 * (PATIENCE + state.turns))
    # What the stack comes nearer to.
    here, there = board.mirrored(own.seat, origin), board.mirrored(own.seat, landing)
    if stack == state.thief[own.seat]:
        marked = state.raided[own.seat, stack]
        old, new = here // c.SIDE, there // c.SIDE  # ranks, as it sees them
        now = new == c.SIDE - 1 and old != new and not marked
        ahead = 0 if now else turns_to_raid(caps, new, marked and new > 0)
        value += haul * RAID // (16 + RAID_DELAY * ahead)
        value -= haul * RAID // (16 + RAID_DELAY * turns_to_raid(caps, old, marked))
    return value + nearer(state, own.seat, caps, here, there, prey)


# --- pieces --------------------------------------------------------------------------------------


@kernel
def in_danger(state: State, own: Side, theirs: Side) -> Stacks:
    """The own stacks that the opponent could capture as they stand now."""
    found = 0
    still = Step(c.NONE, c.NONE, c.NONE)
    stacks = own.living
    while stacks != 0:
        stack = lowest(stacks)
        stacks &= stacks - 1
        found |= (at_stake(state, own, stack, theirs, theirs.zone, still) > 0) << stack
    return found


@kernel
def value_of_raising(state: State, own: Side, choice: Pick) -> int:
    piece = board.picked(state, own.seat, choice)
    rest = own.army & ~(1 << piece)
    return added(rest, piece + 1) - added(rest, piece)


@kernel
def value_of_taking(state: State, own: Side, theirs: Side, choice: Pick) -> int:
    """A piece of the opponent's: what it makes of an own stack, and what he lacks."""
    if state.phase == c.STEAL:
        return best_added(state, own, board.picked_kind(state, state.loot, choice))
    piece = board.picked(state, theirs.seat, choice)
    rest = theirs.army & ~(1 << piece)
    return best_added(state, own, piece % c.KINDS) + added(rest, piece)


# --- trades --------------------------------------------------------------------------------------
# A plan is one or two gives and one or two takes: KINDS * stack + kind, or NO_PIECE.

NO_PIECE = 63


@kernel
def in_store(state: State, kind: Kind) -> int:
    """How many of a kind were in the store when the trade began, of which one piece is taken."""
    return state.store[kind] + (state.takes == 1 and state.taken[0] % c.KINDS == kind)


@kernel
def stuck(army: Army, stack: Stack) -> bool:
    """Whether skill is stranded: the stack needs movement before the trade ends."""
    caps = caps_of(army, stack)
    return caps != 0 and caps & MOVING == 0


@kernel
def holder(army: Army, kind: Kind, bare: Stacks, a: Stack, b: Stack) -> Stack:
    """The stack to put a piece on, after stacks *a* and *b* gave; NONE if there is none.

    Movement goes to a stack that needs it, then to a pupil, skill back where something was given.
    """
    for stack in (a, b):
        caps = caps_of(army, stack)
        if kind < c.SKILL and stuck(army, stack):
            return stack
        if kind >= c.SKILL and caps & MOVING != 0 and caps >> kind & 1 == 0:
            return stack
    return lowest(bare) if kind < c.SKILL and bare != 0 else c.NONE


@kernel
def best_trade(state: State, army: Army, bare: Stacks) -> tuple[Piece, Piece, Piece, Piece]:
    """The plan that makes the own stacks worth most: (give, give, take, take).

    *army* and *bare*, the pupils that may receive, are those before the trade.
    """
    best = BARGAIN
    plan = (NO_PIECE, NO_PIECE, NO_PIECE, NO_PIECE)
    gives = army
    while gives != 0:
        give = lowest(gives)
        gives &= gives - 1
        others = gives
        also = NO_PIECE
        while True:
            value = board.SIZE[index(give % c.KINDS)] - 1
            left = army & ~(1 << give)
            a = give // c.KINDS
            b = a
            if also != NO_PIECE:
                value += board.SIZE[index(also % c.KINDS)]
                left &= ~(1 << also)
                b = also // c.KINDS
            loss = WORTH[index(caps_of(army, a))] - WORTH[index(caps_of(left, a))]
            if a != b:
                loss += WORTH[index(caps_of(army, b))] - WORTH[index(caps_of(left, b))]
            for choice in range(2 * c.KINDS):  # the first take, and the sort of the second
                kind, sort = choice >> 1, c.SKILL * (choice & 1)
                rest = value - board.SIZE[index(kind)]
                if rest < 0 or rest > c.QUEEN + 1 or in_store(state, kind) == 0:
                    continue
                at = holder(left, kind, bare, a, b)
                if at == c.NONE:
                    continue
                take, then_take = c.KINDS * at + kind, NO_PIECE
                gain = added(left, take) - loss
                then = left | 1 << take
                if rest > 0:
                    kind, rest = sort + rest - 1, kind
                    if in_store(state, kind) <= (rest == kind):
                        continue
                    at = holder(then, kind, bare & ~(1 << at), a, b)
                    if at == c.NONE:
                        continue
                    then_take = c.KINDS * at + kind
                    gain += added(then, then_take)
                    then |= 1 << then_take
                if gain > best and not stuck(then, a) and not stuck(then, b):
                    best = gain
                    plan = (give, also, take, then_take)
            if others == 0:
                break
            also = lowest(others)
            others &= others - 1
    return plan


@kernel
def trade_or_end(state: State, own: Side, theirs: Side, mask: Mask) -> Action:
    """The next decision of the best trade; where there is none, the turn is ended.

    The plan is made anew for each of its decisions, always from the beginning of the trade, so
    that it stays the same. A trade that somebody else began otherwise is called off.
    """
    gives, takes = state.gives, state.takes
    end = board.claim(state) + (c.END_TURN if gives == 0 else c.CALL_OFF)
    if gives > 2 or takes > 1:
        return end
    army = own.army
    for at in range(gives):
        army |= 1 << state.given[at]
    if takes > 0:
        taken = state.taken[0]
        # Else it is stacked on another of its kind.
        if state.pieces[own.seat, taken // c.KINDS, taken % c.KINDS] == 1:
            army &= ~(1 << taken)
    before = Side(own.seat, own.living, army, own.zone, board.ACROSS, own.total, own.scale)
    bare = own.living & ~in_danger(state, before, theirs)
    for stack in range(c.STACKS):
        if caps_of(army, stack) != 0:
            bare &= ~(1 << stack)
    plan = best_trade(state, army, bare)
    for at in range(gives):
        if state.given[at] != plan[at]:
            return end
    if takes > 0 and state.taken[0] != plan[2]:
        return end
    piece = plan[2] if takes == 0 else plan[3]
    action = c.PUTS + piece
    if gives == 0 or (gives == 1 and takes == 0 and plan[1] != NO_PIECE):
        piece = plan[0] if gives == 0 else plan[1]
        action = c.OWN_PICKS + board.pick(state, piece // c.KINDS, piece % c.KINDS)
    return action if piece != NO_PIECE and mask[action] == 1 else end


# --- the player ----------------------------------------------------------------------------------


@kernel
def outlook(state: State) -> Outlook:
    seat = state.mover
    own = side_of(state, seat)
    theirs = Side(1 - seat, 0, 0, 0, 0, 0, 0)
    danger, haul = int64(0), int64(0)
    if not in_setup(state):
        theirs = side_of(state, 1 - seat)
        if state.phase == c.MOVE:
            haul = booty_of_raid(state, own)
        elif state.phase != c.AFTER_MOVE and state.phase != c.TRADE:
            danger = in_danger(state, own, theirs)
    return Outlook(own, theirs, danger, haul)


@kernel
def settled(state: State, seen: Outlook, mask: Mask) -> Action:
    """The action to take without weighing any; NONE where they are to be weighed."""
    first = board.claim(state)
    if state.phase == c.AFTER_MOVE:
        if mask[first] == 1:
            return first
        if state.steal_on_attack == 1 and mask[first + c.EXPOSE] == 1:
            return first + c.EXPOSE
    elif state.phase != c.TRADE:
        return c.NONE
    return trade_or_end(state, seen.own, seen.theirs, mask)


@kernel
def value_of(state: State, seen: Outlook, action: Action) -> int:
    """What an action promises, one of those before `claim`."""
    own, theirs = seen.own, seen.theirs
    if action < c.HIDES:
        target = board.mirrored(own.seat, action % c.SQUARES)
        return value_of_move(state, own, theirs, seen.haul, action // c.SQUARES, target)
    if action < c.PUTS:
        drone = action - c.HIDES
        value = -UNSAFE * (seen.danger >> drone & 1) - MARKED * state.raided[own.seat, drone]
        return value + ROVER * (caps_of(own.army, drone) & MOVING != 0)
    if action < c.OWN_PICKS:
        choice = action - c.PUTS
        value = added(own.army, choice)
        value -= (value * UNSAFE >> 4) * (seen.danger >> choice // c.KINDS & 1)
        return value + FRONT * (state.phase == c.CAP and choice // c.KINDS >= c.DRONES)
    if action < board.their_picks(state):
        return value_of_raising(state, own, action - c.OWN_PICKS)
    return value_of_taking(state, own, theirs, action - board.their_picks(state))


@kernel
def heuristic(state: State, mask: Mask, random_bits: RandomBits) -> Action:
    """The action that promises most; a little *luck* makes it less predictable."""
    seen = outlook(state)
    chosen = settled(state, seen, mask)
    if chosen != c.NONE:
        return chosen
    spread = SETUP_LUCK if in_setup(state) else LUCK + state.turns * RESTLESS // 64
    best = NOTHING
    for action in range(board.claim(state)):
        if mask[action] == 0:
            continue
        value = value_of(state, seen, action)
        value += dice.scaled(dice.mixed(random_bits + np.uint64(action)), spread)
        if value > best:
            best = value
            chosen = action
    return chosen
