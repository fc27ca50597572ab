"""Selection of the edge to try next: by PUCT, or by regret matching."""

from __future__ import annotations

from typing import Final

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Mask, RandomBits, kernel_of
from cyberdeck.players.trees.growing import Record, Records, Tree, Visits, record

_part: Final = kernel_of("selection", inline="always")


# --- PUCT ----------------------------------------------------------------------------------------


@_part
def scaled(gain: float, tally: Record) -> float:
    """A decision's gain, scaled from 0 to 1 by the least and the most that any has brought."""
    share: float = (gain - tally.least) / max(tally.most - tally.least, 1e-9)
    return share


@_part
def puct(node: Record, edge: Record, value: float, c_puct: float) -> float:
    """The PUCT score of an edge: by its value, its prior, and how seldom it was tried."""
    score: float = value + c_puct * edge.prior * np.sqrt(node.visits + 1.0) / (1.0 + edge.visits)
    return score


@_part
def best_edge(node: Record, tree: Tree, mask: Mask, c_puct: float) -> tuple[int, float]:
    """The legal edge to try next, or -1, and how good that is; what is settled is known."""
    edges, tally, total = tree.edges, tree.tally[0], 0.0
    for at in range(node.first, node.first + node.count):
        total += edges[at].total
    usual = scaled(total / node.visits, tally) if node.visits > 0 else 0.5
    best, most = -1, -1.0
    for at in range(node.first, node.first + node.count):
        edge = edges[at]
        if mask[edge.action] == 0 or edge.settled:
            continue
        value = scaled(edge.total / edge.visits, tally) if edge.visits > 0 else usual
        score = puct(node, edge, value, c_puct)
        if score > most:
            best, most = at, score
    return best, most


# --- regret matching -----------------------------------------------------------------------------

#: What is kept of an edge: its regret, how often the strategies so far take it (later ones count
#: for more), and what it was just taken to bring.
REGRET: Final = record(regret="f8", played="f8", worth="f8")

#: How often any edge is tried, whatever its regret.
ANY: Final = 0.2
_S11: Final = np.uint64(11)


@_part
def all_regret(node: Record, regrets: Records) -> float:
    total = 0.0
    for at in range(node.first, node.first + node.count):
        total += regrets[at].regret
    return total


@_part
def weight(at: int, total: float, edges: Records, regrets: Records) -> float:
    """The weight of an edge in regret matching, *total* being the sum of all regrets."""
    return regrets[at].regret if total > 0.0 else np.float64(edges[at].prior)


@_part
def all_weight(node: Record, total: float, edges: Records, regrets: Records) -> float:
    whole = 0.0
    for at in range(node.first, node.first + node.count):
        whole += weight(at, total, edges, regrets)
    return whole


@_part
def drawn_edge(
    node: Record, edges: Records, regrets: Records, mask: Mask, random_bits: RandomBits
) -> int:
    """An edge by regret matching; now and then any, so that each is tried."""
    if (random_bits >> _S11) * 2.0**-53 < ANY:
        at = node.first + dice.scaled(dice.mixed(random_bits), node.count)
        return at if mask[edges[at].action] == 1 else -1
    total = all_regret(node, regrets)
    left = (dice.mixed(random_bits) >> _S11) * 2.0**-53 * all_weight(node, total, edges, regrets)
    for at in range(node.first, node.first + node.count):
        left -= weight(at, total, edges, regrets)
        if left < 0.0:
            return at if mask[edges[at].action] == 1 else -1
    return -1


@_part
def regret(node: Record, chosen: int, gain: float, edges: Records, regrets: Records) -> None:
    """Update the regrets of all edges of a node, *chosen* having brought *gain*.

    Of the others that is not known: each is taken to bring what it has brought on average, and the
    chosen one makes up for how seldom it is chosen, so that the estimate is right on average.
    Regrets below nothing are forgotten (regret matching plus), and later strategies count for more
    in their mean.
    """
    total = all_regret(node, regrets)
    whole = all_weight(node, total, edges, regrets)
    sum_, tried = 0.0, 0
    for at in range(node.first, node.first + node.count):
        sum_ += edges[at].total
        tried += edges[at].visits
    usual, expected = sum_ / max(tried, 1), 0.0
    for at in range(node.first, node.first + node.count):
        edge, share = edges[at], weight(at, total, edges, regrets) / whole
        worth = edge.total / edge.visits if edge.visits > 0 else usual
        if at == chosen:
            worth += (gain - worth) / ((1.0 - ANY) * share + ANY / node.count)
        regrets[at].played += share * (tried + 1.0)
        regrets[at].worth = worth
        expected += share * worth
    for at in range(node.first, node.first + node.count):
        more = regrets[at].worth - expected
        regrets[at].regret = max(0.0, regrets[at].regret + more)


@_part
def mean_strategy(
    node: Record, edges: Records, regrets: Records, iterations: int, visits: Visits
) -> None:
    """As visits how often the mean of all strategies that a node has had takes each edge."""
    whole, before = 0.0, np.int64(0)
    for at in range(node.first, node.first + node.count):
        whole += regrets[at].played
    so_far = 0.0
    for at in range(node.first, node.first + node.count):
        so_far += regrets[at].played
        until = np.int64(so_far / whole * iterations + 0.5)
        visits[edges[at].action] = until - before
        before = until
