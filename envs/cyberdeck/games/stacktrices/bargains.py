"""Stacktrices' heuristic: trades, which are planned to the end before they begin."""

from __future__ import annotations

from cyberdeck.engine.kernels import Action, Mask, State, index, kernel, lowest
from cyberdeck.games.stacktrices import armies, board
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.armies import Army, Side, Stacks
from cyberdeck.games.stacktrices.board import Kind, Piece, Stack

BARGAIN = 3  # a trade must gain more

# A plan is one or two gives and one or two takes: KINDS * stack + kind, or NO_PIECE.

NO_PIECE = 63


@kernel
def in_store(state: State, kind: Kind) -> int:
    """How many of a kind were in the store when the trade began, of which one piece is taken."""
    return state.store[kind] + (state.takes == 1 and state.taken[0] % c.KINDS == kind)


@kernel
def stuck(army: Army, stack: Stack) -> bool:
    """Whether skill is stranded: the stack needs movement before the trade ends."""
    caps = armies.caps_of(army, stack)
    return caps != 0 and caps & armies.MOVING == 0


@kernel
def holder(army: Army, kind: Kind, bare: Stacks, a: Stack, b: Stack) -> Stack:
    """The stack to put a piece on, after stacks *a* and *b* gave; NONE if there is none.

    Movement goes to a stack that needs it, then to a pupil, skill back where something was given.
    """
    for stack in (a, b):
        caps = armies.caps_of(army, stack)
        if kind < c.SKILL and stuck(army, stack):
            return stack
        if kind >= c.SKILL and caps & armies.MOVING != 0 and caps >> kind & 1 == 0:
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
            loss = armies.worth_in(army, a) - armies.worth_in(left, a)
            if a != b:
                loss += armies.worth_in(army, b) - armies.worth_in(left, b)
            for choice in range(2 * c.KINDS):  # the first take, and the sort of the second
                kind, sort = choice >> 1, c.SKILL * (choice & 1)
                rest = value - board.SIZE[index(kind)]
                if rest < 0 or rest > c.QUEEN + 1 or in_store(state, kind) == 0:
                    continue
                at = holder(left, kind, bare, a, b)
                if at == c.NONE:
                    continue
                take, then_take = c.KINDS * at + kind, NO_PIECE
                gain = armies.added(left, take) - loss
                then = left | 1 << take
                if rest > 0:
                    kind, rest = sort + rest - 1, kind
                    if in_store(state, kind) <= (rest == kind):
                        continue
                    at = holder(then, kind, bare & ~(1 << at), a, b)
                    if at == c.NONE:
                        continue
                    then_take = c.KINDS * at + kind
                    gain += armies.added(then, then_take)
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
    bare = own.living & ~armies.in_danger(state, before, theirs)
    for stack in range(c.STACKS):
        if armies.caps_of(army, stack) != 0:
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
