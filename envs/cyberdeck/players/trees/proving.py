"""Proofs: where everything is open, a search works out what it can (MCTS-Solver, Winands 2008).

An edge that leads to the end without a die being cast is *settled*: what every seat gets from there
on is known. So is a node whose edges all are, as its seat takes the best of them for itself, and so
is the edge that leads to it. Settled edges are not walked again. The nodes are positions there, not
what is seen of them: a proof must hold for all that matters, the number of decisions included.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import defaults, dice
from cyberdeck.engine.arguments import Array
from cyberdeck.engine.contract import Game
from cyberdeck.engine.kernels import int64, kernel_of
from cyberdeck.players.trees.growing import Record, Tree, Values, View, Visits, puct, scaled


def can_prove(game: Game) -> bool:
    """True if the search proves results: where everything is open, and there is no heuristic.

    A proof takes all others for perfect. Where a heuristic says how others err, averages do better
    against them: in HACKtheGRID 0.91 points against it with 50 iterations, and 0.83 with proofs.
    """
    return (
        not game.has_heuristic
        and game.resample is defaults.hide_nothing
        and game.withdraw_secret_actions is defaults.nothing_in_secret
        and game.secret is None
        and not game.simultaneous
    )


class Proofs(NamedTuple):
    """Proved results of a tree; where nothing can be proved, the arrays of edges are empty."""

    gains: NDArray[np.float32]  # (E, S)  of each edge settled, what every seat gets after it
    before: NDArray[np.float64]  # (L, S)  what they had before each decision on the way
    least: NDArray[np.float64]  # (S,)  what each has got at least, in all


def proofs_taken(proves: bool) -> Proofs:
    """As loops say that they take it."""
    edges, deepest = ("E", "L") if proves else ("0", "0")
    lengths = (np.float32, f"{edges}S"), (np.float64, f"{deepest}S"), (np.float64, "S")
    return Proofs._make(Array(*each) for each in lengths)


_part: Final = kernel_of("proofs", inline="always")


@_part
def position(tree: Tree, view: View) -> np.uint64:
    """A number for all that the rules look at; the words are the memory of the record."""
    world = tree.world[0]
    kept = world.dice
    world.dice = 0
    for seat in range(len(world.reward)):  # of the last decision, and counted already
        world.reward[seat] = 0.0
    key = np.uint64(1)
    for at in range(len(view.words)):
        key = dice.mixed((key ^ view.words[at]) + dice.STEP)
    world.dice = kept
    return key


@_part
def best_settled(node: Record, seat: int, tree: Tree, proofs: Proofs) -> int:
    """The settled edge that is best for *seat*, or -1: of equals what leaves the others least.

    So nothing counts as proved that only holds if those who lose anyway are kind.
    """
    edges, gains = tree.edges, proofs.gains
    best, rank = -1, (0.0, 0.0, 0)
    for at in range(node.first, node.first + node.count):
        if edges[at].settled:
            own, others = gains[at, seat], 0.0
            for other in range(gains.shape[1]):
                others += gains[at, other]
            found = np.float64(own), own - others, int64(edges[at].visits)
            if best < 0 or found > rank:
                best, rank = at, found
    return best


@_part
def rather(
    node: Record, seat: int, at: int, score: float, c_puct: float, tree: Tree, proofs: Proofs
) -> int:
    """The settled edge that *seat* would take, and not *at* with its *score*; or -1."""
    known = best_settled(node, seat, tree, proofs)
    if known >= 0:
        value = scaled(proofs.gains[known, seat], tree.tally[0])
        known_score = puct(node, tree.edges[known], value, c_puct)
        if known_score < score or (known_score == score and at < known):
            known = -1
    return known


@_part
def settle(deep: int, count: int, bound: float, tree: Tree, proofs: Proofs) -> int:
    """All that follows of the way just walked being known to its end, and what all have got.

    That is its last edge, and as long as a node is settled by that, the edge before. Returns how
    many decisions of the way are left to credit, those of nodes not settled, and leaves in ``got``
    what all *count* seats get from there on.
    """
    edges, got, gains, before = tree.edges, tree.got, proofs.gains, proofs.before
    for at in range(deep - 1, -1, -1):
        step = tree.path[at]
        node, seat = tree.nodes[step.node], step.seat
        edges[step.edge].settled = 1
        for each in range(count):
            gains[step.edge, each] = got[each] - before[at, each]
        best = best_settled(node, seat, tree, proofs)
        # The bound is for whole games. Who may still lose m after the first node had at least
        # m - bound until then, and so can get no more than 2 * bound - m from there on.
        most = 2.0 * bound + proofs.least[seat] - before[at, seat]
        # Of more than two, the others may get less by another way to win.
        if count > 2 or gains[best, seat] < most - 1e-6:
            for other in range(node.first, node.first + node.count):
                if not edges[other].settled:
                    return at + 1
        node.settled = best
        for each in range(count):
            got[each] = before[at, each] + gains[best, each]
    return 0


@_part
def take_instead(step: Record, at: int, count: int, tree: Tree, proofs: Proofs) -> None:
    """For the decisions above, this one is as if the settled edge had been taken."""
    edge = tree.edges[step.instead]
    for each in range(count):
        tree.got[each] = proofs.before[at, each] + proofs.gains[step.instead, each]
    edge.total += proofs.gains[step.instead, step.seat]
    edge.visits += 1
    tree.nodes[step.node].visits += 1


@_part
def conclude(
    seat: int, iterations: int, tree: Tree, proofs: Proofs, visits: Visits, values: Values
) -> None:
    """Let the visits and values say what is proved of the first node's edges.

    A proved choice has all visits. Otherwise the choice is the unsettled edge tried most, and what
    was spent on those that proved worse is counted for it.
    """
    edges, gains, tally, node = tree.edges, proofs.gains, tree.tally[0], tree.nodes[0]
    known = best_settled(node, seat, tree, proofs)
    if known < 0:
        return
    choice, spent, rank = -1, 0, (0, 0.0)
    for at in range(node.first, node.first + node.count):
        edge = edges[at]
        if edge.settled:
            spent += edge.visits
            visits[edge.action] = 0
            values[edge.action] = gains[at, seat]
        elif choice < 0 or (int64(edge.visits), values[edge.action]) > rank:
            choice, rank = at, (int64(edge.visits), values[edge.action])
    proved = gains[known, seat]
    if node.settled < 0 and proved > tally.least + 1e-6:  # something worse may happen
        # What was tried seldom must promise more than what is certain.
        doubt = (tally.most - tally.least) / np.sqrt(edges[choice].visits + 1.0)
        if values[edges[choice].action] - doubt <= proved:
            choice = known
    if node.settled >= 0:
        choice = node.settled
    if edges[choice].settled:
        visits[:] = 0
        spent = iterations
    visits[edges[choice].action] += spent
