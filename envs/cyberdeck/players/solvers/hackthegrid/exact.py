"""HACKtheGRID: the exact search that ``solver`` is made of, as kernels.

It is backward induction: at every decision the mover takes the result that it likes best, and only
what the question at hand needs is looked at (see ``result_partitions``).

The mover chooses from the line that the other avatar fixes, so there are only 95,776 ways to
begin a game, 12,672 of which empty the grid, whatever the cards are. Swaps multiply that. A
transposition table remembers for each position which results it may still have: what the answers
so far have left. Its keys hold whole positions, so that nothing is ever confused:

- with a swap to come, both Runs card by card, the cells, the line and who decides late swaps;
- with none to come, only what further points depend on: the lead, how many cards the Runs hold of
  the kinds that still lie on the grid, and the colour at a Run's end, if that is on the grid too.

An array made once says for every (cells, seat, line) in how many ways the grid can be emptied: if
in none, both lose, whatever they do. A mover looks at the position with the fewest first, which is
looked through soonest.
"""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice
from cyberdeck.engine.arguments import Array, zeros
from cyberdeck.engine.kernels import kernel, loop_of, lowest
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.games.hackthegrid.game import GAME
from cyberdeck.games.hackthegrid.heuristic import crossing
from cyberdeck.games.hackthegrid.rules import VALUE
from cyberdeck.players.solvers.hackthegrid import positions
from cyberdeck.players.solvers.hackthegrid import result_partitions as results

_WHOLE = np.int64

legal = GAME.kernels.legal

#: A place of the transposition table: a position, and the results that it may have, one bit each.
ENTRY = np.dtype([("key", _WHOLE), ("where", _WHOLE), ("possible", _WHOLE)])


#: How far a search has come: the action that is looked at, and of ``answer`` the depth, -1 before
#: it begins, and what was found there.
COURSE = np.dtype([("action", _WHOLE), ("depth", _WHOLE), ("found", _WHOLE)])

#: In the place of a result: it is not known yet.
LATER: Final = -2


class Room(NamedTuple):
    """What is searched in: as loops say that they take it, or arrays."""

    deal: Any = Array(positions.DEAL, "1")
    ways: Any = Array(np.int16, "CIJ")  # see ``positions.count_ways``
    transpositions: Any = Array(ENTRY, "T")
    nodes: Any = Array(positions.NODE, "X")  # the decisions on the way,
    options: Any = Array(np.int64, "XY")  # the options of each,
    weights: Any = Array(np.int64, "XY")  # and how promising these are
    mask: Any = Array(np.int8, "A")
    visited: Any = Array(np.int64, "1")  # positions looked at so far
    course: Any = Array(COURSE, "1")


ROOM: Final = Room()
LENGTHS: Final = {**positions.WAYS, "X": positions.DEEPEST, "Y": positions.MOST, "A": c.ACTIONS}


def room_of(places: int) -> Room:
    """Room for searches with so many places in the transposition table."""
    return Room._make(zeros(ROOM, T=places, **LENGTHS))._replace(ways=_ways())


@functools.cache
def _ways() -> NDArray[np.int16]:
    """(cells, seat, line): in how many ways the grid can be emptied from there."""
    ways = np.zeros(tuple(positions.WAYS.values()), np.int16)
    positions.count_ways(ways)
    return ways


#: Kinds whose cards are worth the same however many there are: no count of them matters.
LINEAR = np.array([len(set(each[1:].tolist())) == 1 for each in VALUE])

# --- the transposition table ---------------------------------------------------------------------


@kernel
def last_colour(deal: Any, node: Any, seat: Any) -> Any:
    """What the right end of a Run means for cards to come, in five bits."""
    end = node.length[seat] - 1
    colour = positions.colour_at(deal, node, seat, end)
    if colour == c.NONE or node.cells & deal.colours[colour] == 0:
        return np.int64(0)
    return (colour + 1) << 1 | np.int64(positions.in_array(deal, node, seat, end))


@kernel
def name(deal: Any, node: Any) -> None:
    """Write the position's key."""
    node.where = c.NONE
    swaps = (
        node.phase == c.SWAP
        or node.takers != positions.NO_TAKER
        or node.cells & deal.kinds[c.SCRAMBLE]
    )
    if swaps:
        node.key = node.run[0] | node.run[1] << 32
    else:
        if node.cells & (node.cells - 1) == 0:
            return
        # The grid's cards are known, so what one Run holds of a kind says what the other does.
        counts = node.counts[0]
        for kind in range(len(c.KINDS)):
            if node.cells & deal.kinds[kind] == 0 or LINEAR[kind]:
                counts &= ~(15 << 4 * kind)
        ends = last_colour(deal, node, 0) << 5 | last_colour(deal, node, 1)
        node.key = counts | ends << 24 | (node.lead + 512) << 34
    line = node.line if node.cells else 0
    node.where = (
        node.cells
        | line << 16
        | node.seat << 18
        | node.phase << 19
        | np.int64(swaps != 0) << 20
        | node.takers << 21
        | deal.number << 38
    )


@kernel
def place_of(transpositions: Any, node: Any) -> Any:
    bits = dice.mixed(node.key) + np.uint64(node.where)
    return np.int64(dice.mixed(bits) & np.uint64(len(transpositions) - 1))


@kernel
def recall(transpositions: Any, node: Any) -> Any:
    """A result of the class that is asked for, if the transpositions say which; else NONE."""
    if node.where == c.NONE:
        return c.NONE
    entry = transpositions[place_of(transpositions, node)]
    if entry.key != node.key or entry.where != node.where:
        return c.NONE
    result = lowest(entry.possible)
    return result if entry.possible & ~results.CLASS[node.asked, result] == 0 else c.NONE


@kernel
def remember(transpositions: Any, node: Any) -> None:
    """Note that the result is of the class of the best one."""
    if node.where == c.NONE:
        return
    entry = transpositions[place_of(transpositions, node)]
    possible = results.CLASS[node.asked, node.best]
    if entry.key == node.key and entry.where == node.where:
        possible &= entry.possible
    entry.key = node.key
    entry.where = node.where
    entry.possible = possible


# --- the search ----------------------------------------------------------------------------------


@kernel
def weigh(deal: Any, ways: Any, node: Any, options: Any, weights: Any) -> Any:
    """List the mover's options, each with how promising it is; returns how many there are."""
    count = 0
    seat = node.seat
    if node.phase == c.MOVE:
        for position in range(c.SIDE):
            at = crossing(seat, position, node.line)
            if node.cells >> at & 1:
                options[count] = position
                weights[count] = -ways[node.cells ^ 1 << at, 1 - seat, position]
                count += 1
        return count
    options[0] = c.DECLINE
    weights[0] = 0
    count = 1
    best = 0
    # The last decision of the game: nothing is better than the highest lead, or any that wins.
    last = node.cells == 0 and node.takers >> 1 <= positions.NO_TAKER
    behind = -node.lead if seat == 0 else node.lead
    if last and behind < 0:
        return count
    for mine in range(node.length[seat]):
        given = positions.card_in(node, seat, mine)
        kind_given, colour_given = deal.kind[given], deal.colour[given]
        if kind_given == c.SCRAMBLE:
            continue
        now = positions.arrays_with(deal, node, seat, mine, colour_given)
        for other in range(node.length[1 - seat]):
            received = positions.card_in(node, 1 - seat, other)
            kind_received, colour_received = deal.kind[received], deal.colour[received]
            points = positions.swapped_kinds(node, seat, kind_given, kind_received)
            if colour_given != colour_received:
                points += positions.arrays_with(deal, node, seat, mine, colour_received) - now
                points += positions.arrays_with(deal, node, 1 - seat, other, colour_received)
                points -= positions.arrays_with(deal, node, 1 - seat, other, colour_given)
            options[count] = c.SWAPS + c.RUN * mine + other
            weights[count] = points
            count += 1
            if points > weights[best]:
                best = count - 1
                if last and points > behind:
                    options[0] = options[best]
                    return 1
    if last:
        options[0] = options[best]
        return 1
    return count


@kernel
def pick(node: Any, options: Any, weights: Any) -> Any:
    """The most promising option that is left; the last one takes its place."""
    best = 0
    for at in range(1, node.left):
        if weights[at] > weights[best]:
            best = at
    action = options[best]
    node.left -= 1
    options[best] = options[node.left]
    weights[best] = weights[node.left]
    return action


@kernel
def opened(room: Any, depth: Any, asked: Any) -> Any:
    """Look a position up: a result of the class that is asked for, or NONE, to be searched."""
    deal, node = room.deal[0], room.nodes[depth]
    node.asked = asked
    node.best = c.NONE
    name(deal, node)
    known = recall(room.transpositions, node)
    if known == c.NONE:
        node.left = weigh(deal, room.ways, node, room.options[depth], room.weights[depth])
    return known


@kernel
def answer(room: Any, until: Any) -> Any:
    """A result of the class that the result of nodes[0] belongs to; or ``LATER``, if so many
    positions were looked at before: it goes on from there when it is called again.
    """
    deal, nodes, course = room.deal[0], room.nodes, room.course[0]
    ties = deal.ties
    if course.depth < 0:
        course.depth = 0
        course.found = opened(room, 0, results.WHICH)
    depth, found = course.depth, course.found
    while True:
        if found != c.NONE:
            if depth == 0:
                return found
            depth -= 1
            seat, best = nodes[depth].seat, nodes[depth].best
            if best == c.NONE or results.RANK[ties, seat, found] > results.RANK[ties, seat, best]:
                nodes[depth].best = found
        node = nodes[depth]
        question = results.ASK[ties, node.seat, node.asked, node.best]
        if node.left == 0 or question == results.SETTLED:
            found = node.best
            remember(room.transpositions, node)
            continue
        if room.visited[0] >= until:
            course.depth, course.found = depth, c.NONE
            return LATER
        action = pick(node, room.options[depth], room.weights[depth])
        nodes[depth + 1] = node
        depth += 1
        room.visited[0] += 1
        found = positions.advance(deal, room.ways, nodes[depth], action)
        if found == c.NONE:
            found = opened(room, depth, question)


@loop_of(
    "hackthegrid",
    LENGTHS,
    states=Array(GAME.dtype, "1"),
    ties=np.int64,
    number=np.int64,
    until=np.int64,
    room=ROOM,
    outcomes=Array(np.int8, "A"),
)
def solve(states: Any, ties: Any, number: Any, until: Any, room: Any, outcomes: Any) -> Any:
    """What every legal action of the only state leads to, for the mover; NONE for the illegal ones.

    From the row hacker's side the results are mirrored: its win is 0, its loss 2. Returns 0; or
    ``LATER``, if so many positions were looked at before: see ``answer``.
    """
    state, deal, start, mask = states[0], room.deal[0], room.nodes[0], room.mask
    course = room.course[0]
    positions.describe(state, ties, number, deal)
    legal(state, mask)
    for action in range(course.action, c.ACTIONS):
        outcomes[action] = c.NONE
        if mask[action] == 0:
            continue
        found = np.int64(c.NONE)
        if course.depth < 0:
            positions.begin(deal, state, start)
            room.visited[0] += 1
            found = positions.advance(deal, room.ways, start, action)
        if found == c.NONE:
            course.action = action
            found = answer(room, until)
            if found == LATER:
                return LATER
            course.depth = -1
        mirrored = state.mover == 1 and found != results.BOTH_LOSE
        outcomes[action] = results.ROW - found if mirrored else found
    return 0
