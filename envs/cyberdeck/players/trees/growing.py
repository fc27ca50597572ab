"""A search's tree: its memory, the edge that is tried next, how it grows, and playing on in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice
from cyberdeck.engine.arguments import Array, zeros
from cyberdeck.engine.contract import Game
from cyberdeck.engine.defaults import nth_legal
from cyberdeck.engine.kernels import Mask, RandomBits, int64, kernel_of
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant

Record: TypeAlias = Any  # of NODE, EDGE and so on: mypy cannot know its fields
Records: TypeAlias = NDArray[Any]
Visits: TypeAlias = NDArray[np.int32]  # how often each action was tried
Values: TypeAlias = NDArray[np.float64]  # and what it brought on average


def record(**fields: str) -> np.dtype[Any]:
    """An aligned record of numbers."""
    return np.dtype(list(fields.items()), align=True)


#: ``settled``: the edge that is best for its seat, once that is proved; before that -1.
NODE: Final = record(key="u8", first="i4", count="i4", visits="i4", settled="i4")
#: A legal action of a node. ``total``: what the node's seat got after it, over all visits.
#: ``settled``: 1 once it is proved what all seats get after it.
EDGE: Final = record(total="f8", visits="i4", prior="f4", action="i4", settled="i4")
#: A decision on the way down. ``before``: what its seat had got until then. ``instead``: the
#: settled edge that the seat would rather take, or -1.
STEP: Final = record(before="f8", node="i4", edge="i4", seat="i4", instead="i4")
#: How many nodes and edges there are, and the least and the most that a decision has brought.
TALLY: Final = record(nodes="i8", edges="i8", least="f8", most="f8")

DEEPEST: Final = 512  # decisions on the way down; beyond them the game is only played out

#: Edges of a tree: a search whose nodes have more than this many grows no further.
MOST_EDGES: Final = 4_000_000

#: Who plays on from a leaf, by number.
PLAYOUTS: Final = ("random", "heuristic")


class Settings(NamedTuple):
    """The settings of ``Search`` that its loops go by."""

    iterations: int
    length: int
    playout: int  # of PLAYOUTS
    forced: int  # whether to find out what the only legal action brings
    c_puct: float
    prior: float
    opponent_prior: float


class View(NamedTuple):
    """Room for what is seen of a world, for the hash."""

    mask: Mask  # (A,)
    observation: NDArray[Any]  # (D,)
    words: NDArray[np.uint64]  # (W,)  the memory of both, or of the world


class Tree(NamedTuple):
    """A tree and the world that it is walked in; or N of them, and all arrays one length more."""

    world: Records  # (1,)
    slots: NDArray[np.int32]  # (H,)  a hash table: the node's number, or -1
    nodes: Records  # (K,)  NODE
    edges: Records  # (E,)  EDGE
    tally: Records  # (1,)  TALLY
    path: Records  # (L,)  STEP
    got: NDArray[np.float64]  # (S,)  what every seat has got on this way


#: As loops say that they take them.
SETTINGS: Final = Settings._make([*[np.int64] * 4, *[np.float64] * 3])


def view_taken(game: Game) -> View:
    """The same of what is seen of a world."""
    kinds = (np.int8, game.observation_dtype, np.uint64)
    return View._make(Array(each, n) for each, n in zip(kinds, "ADW", strict=True))


def tree_taken(game: Game, count: str = "") -> Tree:
    """A tree as loops say that they take it; *count*: the letter of how many."""
    dtypes = (game.dtype, np.int32, NODE, EDGE, TALLY, STEP, np.float64)
    return Tree._make(Array(each, count + n) for each, n in zip(dtypes, "1HKE1LS", strict=True))


def view_of(variant: Variant) -> View:
    """Its words are the memory of mask and observation."""
    actions = variant.action_count
    size = variant.observation_size * variant.dtype.itemsize
    words = np.zeros(-(-(size + actions) // 8), np.uint64)
    memory = words.view(np.int8)
    return View(memory[size : size + actions], memory[:size].view(variant.dtype), words)


def tree_of(variant: Variant, iterations: int, *count: int) -> Tree:
    """Room for a tree, or for *count*, whose ways are shorter."""
    deepest = min(DEEPEST, 8 * iterations) if count else DEEPEST
    # Where others have decided in secret, an iteration may add a node above the first as well.
    nodes = iterations * (2 if variant.game.simultaneous else 1) + 1
    slots, edges = 1 << (2 * nodes - 1).bit_length(), min(nodes * variant.action_count, MOST_EDGES)
    lengths = {"N": sum(count), "H": slots, "K": nodes, "E": edges, "L": deepest}
    taken = tree_taken(variant.game, "N" * len(count))
    return Tree._make(zeros(taken, **lengths, S=variant.game.most_seats))


def lengths_of(variant: Variant, tree: Tree) -> dict[str, int]:
    """The lengths of the arrays that are given to a loop, by their letters."""
    return {**variant.lengths, "S": tree.got.shape[-1], "H": tree.slots.shape[-1]}


_part: Final = kernel_of("tree", inline="always")


@_part
def clear(tree: Tree) -> None:
    """No node, and nothing brought so far."""
    tree.slots[:] = -1
    tally = tree.tally[0]
    tally.nodes, tally.edges, tally.least, tally.most = 0, 0, np.inf, -np.inf


@_part
def place_of(key: np.uint64, tree: Tree) -> int:
    """The slot of a key in the hash table, or the free one for it."""
    slots, nodes = tree.slots, tree.nodes
    at = int64(key & np.uint64(len(slots) - 1))
    while slots[at] >= 0 and nodes[slots[at]].key != key:
        at = (at + 1) & (len(slots) - 1)
    return at


@_part
def credit(step: Record, gain: float, tree: Tree) -> None:
    """A decision has brought its seat *gain*."""
    tally, edge = tree.tally[0], tree.edges[step.edge]
    tally.least, tally.most = min(tally.least, gain), max(tally.most, gain)
    edge.total += gain
    edge.visits += 1
    tree.nodes[step.node].visits += 1


@_part
def read_out(tree: Tree, visits: Visits, values: Values) -> None:
    """(A,) each, of the first node."""
    node = tree.nodes[0]
    for at in range(node.first, node.first + node.count):
        edge = tree.edges[at]
        visits[edge.action] = edge.visits
        values[edge.action] = edge.total / max(edge.visits, 1)


# --- the edge to try next: PUCT ------------------------------------------------------------------


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


# --- the edge to try next: regret matching -------------------------------------------------------

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


# --- how a tree grows ----------------------------------------------------------------------------


class TreeKernels(NamedTuple):
    """Kernels that work on the trees of one game, made by ``tree_kernels``."""

    information_set: Callable[[Tree, View], np.uint64]
    grow: Callable[[Tree, np.uint64, Mask, int, float, np.uint64], bool]
    play: Callable[[Tree, int], None]
    go_on: Callable[[Tree, Mask, int, int, np.uint64], None]
    play_out: Callable[[Tree, Mask, Settings, np.uint64], None]


@functools.cache
def tree_kernels(game: Game) -> TreeKernels:
    """Those of *game*."""
    k = game.kernels
    part = kernel_of(game.name, inline="always")
    legal, act, observe, heuristic, seats = k.legal, k.act, k.observe, k.heuristic, k.seat_count

    @part
    def information_set(tree: Tree, view: View) -> np.uint64:
        """A number for what the mover sees."""
        world = tree.world[0]
        observe(world, np.int64(world.mover), view.observation)
        key = np.uint64(world.mover + 1)
        for at in range(len(view.words)):
            key = dice.mixed((key ^ np.uint64(view.words[at])) + dice.STEP)
        return key

    @part
    def grow(
        tree: Tree, key: np.uint64, mask: Mask, count: int, prior: float, random_bits: RandomBits
    ) -> bool:
        """A new node with an edge for each legal action, if there is room: whether there was.

        The heuristic's action has *prior*.
        """
        tally = tree.tally[0]
        number, first = tally.nodes, tally.edges
        if number == len(tree.nodes) or first + count > len(tree.edges):
            return False
        tree.slots[place_of(key, tree)] = number
        node = tree.nodes[number]
        node.key, node.first, node.count, node.visits, node.settled = key, first, count, 0, -1
        likely = -1
        if prior > 0.0 and count > 1:
            likely = heuristic(tree.world[0], mask, random_bits)
        others = count - (likely >= 0)
        at = first
        for action in range(len(mask)):
            if mask[action] == 1:
                edge = tree.edges[at]
                edge.action, edge.visits, edge.total, edge.settled = action, 0, 0.0, 0
                # Uneven by a hair, so that equals are not tried in the order of their numbers.
                hair = dice.scaled(dice.mixed(random_bits + np.uint64(action)), 1000) * 1e-5
                share = (1.0 - prior) / others if likely >= 0 else 1.0 / count
                edge.prior = np.float32((prior if action == likely else share) * (1.0 + hair))
                at += 1
        tally.nodes, tally.edges = number + 1, at
        return True

    @part
    def play(tree: Tree, action: int) -> None:
        """One decision in the tree's world."""
        world = tree.world[0]
        act(world, action)
        for seat in range(seats(world)):
            tree.got[seat] += world.reward[seat]

    @part
    def go_on(tree: Tree, mask: Mask, count: int, playout: int, random_bits: RandomBits) -> None:
        """One decision outside the tree."""
        if playout:
            action = heuristic(tree.world[0], mask, random_bits)
        else:
            action = nth_legal(mask, dice.scaled(random_bits, count))
        play(tree, action)

    @part
    def play_out(tree: Tree, mask: Mask, settings: Settings, random_bits: RandomBits) -> None:
        """Go on to the end, or as long as a playout may be."""
        world = tree.world[0]
        for _ in range(settings.length):
            if world.mover == NOBODY:
                break
            random_bits = dice.mixed(random_bits + dice.STEP)
            count = legal(world, mask)
            go_on(tree, mask, count, settings.playout, random_bits)

    return TreeKernels(information_set, grow, play, go_on, play_out)
