"""A built-in opponent for Stacktrices: it weighs every decision by what the stacks are then worth.

Moves are weighed one turn ahead: what they capture, what the opponent may capture then, what they
threaten, and how far the stack has to go to its prey. Nothing is tried out in the record.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cyberdeck.engine import dice, kernels
from cyberdeck.engine.kernels import Action, Mask, RandomBits, Seat, State, index, int64, kernel
from cyberdeck.games.stacktrices import armies, board
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.armies import Caps, Side, Stacks, Step
from cyberdeck.games.stacktrices.bargains import trade_or_end
from cyberdeck.games.stacktrices.board import Square, Stack
from cyberdeck.games.stacktrices.hidden import in_setup, known_thief

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
PATIENCE = 333  # turns after which risks count half: what leads nowhere is given up
LUCK = 3  # every decision is less predictable by this much
RESTLESS = 9  # and by so many 64ths more in every turn
SETUP_LUCK = 39  # the set-up is less predictable by this much
FRONT = -37  # for a piece put in the set-up on a queen: those stand in front of the drones

NOTHING = -10 * armies.WIN


class Outlook(NamedTuple):
    """What the mover's actions are weighed by, found out once for all of them."""

    own: Side
    theirs: Side  # nothing during the set-up
    danger: Stacks  # own ones that the opponent could capture as they stand
    haul: int  # what a raid would bring now


# --- moves ---------------------------------------------------------------------------------------


@kernel
def turns_to(caps: Caps, square: Square, goal: Square) -> int:
    """In about how many turns a stack that can move gets from a square to another, as it sees
    them.
    """
    rank = square // c.SIDE
    up, aside = goal // c.SIDE - rank, goal % c.SIDE - square % c.SIDE
    reach = armies.REACH[index(caps)]
    direct = caps & armies.ANYWHERE != 0
    if (up + aside) & 1 == 0:  # on squares of the same colour
        direct |= caps & armies.BACKWARD != 0 or abs(aside) <= up
    if direct:
        return (max(abs(up), abs(aside)) + reach - 1) // reach
    # It cannot get there but over the last row: it warps, and comes again.
    return 1 + (c.SIDE - 1 - rank + reach - 1) // reach + (rank + up + reach - 1) // reach


@kernel
def nearer(state: State, seat: Seat, caps: Caps, here: Square, there: Square, prey: Stacks) -> int:
    """How much nearer a stack comes to the stacks *prey* of the opponent."""
    value = 0
    while prey != 0 and caps & armies.MOVING != 0:
        at = board.mirrored(seat, state.square[index(1 - seat), index(kernels.lowest(prey))])
        prey &= prey - 1
        value += HUNT // max(1, turns_to(caps, there, at))
        value -= HUNT // max(1, turns_to(caps, here, at))
    return value


@kernel
def booty_of_raid(state: State, own: Side) -> int:
    """What the best piece of the store would be armies.worth to a side that raids now."""
    best = 0
    for kind in range(c.KINDS):
        if state.store[kind] > 0:
            best = max(best, armies.best_added(state, own, kind))
    return best * own.scale >> 8


@kernel
def turns_to_raid(caps: Caps, rank: int, marked: int) -> int:
    """In about how many turns a thief raids, which may have to go home before."""
    reach = max(1, armies.REACH[index(caps)])
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
            return armies.WIN
        value = armies.worth(theirs, captured)
        if captured == known_thief(state, theirs.seat):
            value += BOOTY
    caps = armies.caps_of(own.army, stack)
    # What each side could capture next.
    threat, risk, risks = 0, 0, 0
    zone = own.zone | armies.ZONE[index(own.seat), index(caps), index(landing)]
    both = prey | own.living << c.STACKS
    while both != 0:
        at = kernels.lowest(both)
        both &= both - 1
        if at >= c.STACKS:
            loss = armies.at_stake(state, own, at - c.STACKS, theirs, theirs.zone, step)
            risk = max(risk, loss)
            risks += loss
        elif armies.caps_of(theirs.army, at) & armies.MOVING == 0:
            threat = max(threat, armies.at_stake(state, theirs, at, own, zone, step))
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


# --- the player ----------------------------------------------------------------------------------


@kernel
def outlook(state: State) -> Outlook:
    seat = state.mover
    own = armies.side_of(state, seat)
    theirs = Side(1 - seat, 0, 0, 0, 0, 0, 0)
    danger, haul = int64(0), int64(0)
    if not in_setup(state):
        theirs = armies.side_of(state, 1 - seat)
        if state.phase == c.MOVE:
            haul = booty_of_raid(state, own)
        elif state.phase != c.AFTER_MOVE and state.phase != c.TRADE:
            danger = armies.in_danger(state, own, theirs)
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
        return value + ROVER * (armies.caps_of(own.army, drone) & armies.MOVING != 0)
    if action < c.OWN_PICKS:
        choice = action - c.PUTS
        value = armies.added(own.army, choice)
        value -= (value * UNSAFE >> 4) * (seen.danger >> choice // c.KINDS & 1)
        return value + FRONT * (state.phase == c.CAP and choice // c.KINDS >= c.DRONES)
    if action < board.their_picks(state):
        piece = board.picked(state, own.seat, action - c.OWN_PICKS)
        rest = own.army & ~(1 << piece)
        return armies.added(rest, piece + 1) - armies.added(rest, piece)
    # A piece of the opponent's: what it makes of an own stack, and what he lacks.
    choice = action - board.their_picks(state)
    if state.phase == c.STEAL:
        return armies.best_added(state, own, board.picked_kind(state, state.loot, choice))
    piece = board.picked(state, theirs.seat, choice)
    rest = theirs.army & ~(1 << piece)
    return armies.best_added(state, own, piece % c.KINDS) + armies.added(rest, piece)


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
