"""Monte Carlo tree search over the contract, compiled.

Each iteration redraws what the searcher cannot know, walks down the tree, plays on from its leaf to
the end, and credits every decision on the way with what its own seat got from there on.

The tree's nodes are *information sets*: what a seat sees when it has to decide (its observation and
its mask), whichever world this came from. So no seat's choice in the tree can depend on what that
seat does not know: not on hidden cards, nor on plans made in secret at the same time. This is
information-set search with many observers; a search in each redrawn world by itself (an ensemble)
would let everybody in that world play as if all were open.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.contract import Game
from cyberdeck.engine.defaults import nth_legal
from cyberdeck.engine.kernels import compile_loop, kernel_of
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant

NODE: Final = np.dtype(
    [("key", np.uint64), ("first", np.int32), ("count", np.int32), ("visits", np.int32)], align=True
)
#: A legal action of a node. ``total``: what the node's seat got after it, over all visits.
EDGE: Final = np.dtype(
    [("total", np.float64), ("visits", np.int32), ("prior", np.float32), ("action", np.int32)],
    align=True,
)
#: A decision on the way down. ``before``: what its seat had got until then.
STEP: Final = np.dtype(
    [("before", np.float64), ("node", np.int32), ("edge", np.int32), ("seat", np.int32)], align=True
)

_DEEPEST: Final = 512  # decisions on the way down; beyond them the game is only played out


@functools.cache
def search_loop(game: Game) -> Callable[..., Any]:
    """The search loop of a game, built from its kernels."""
    k = game.kernels
    part = kernel_of(game.name, inline="always")
    legal, act, observe, resample, heuristic = k.legal, k.act, k.observe, k.resample, k.heuristic
    seats, side, withdraw_secret_actions = k.seats, k.side, k.withdraw_secret_actions

    @part
    def key_of(state, mask, observation, words):
        """A number for what the mover sees; *words* is the memory of both arrays."""
        observe(state, np.int64(state.mover), observation)
        key = np.uint64(state.mover + 1)
        for at in range(len(words)):
            key = dice.mixed((key ^ np.uint64(words[at])) + dice.STEP)
        return key

    @part
    def place_of(key, slots, nodes):
        """Where a key stands in the hash table, or may stand."""
        at = np.int64(key & np.uint64(len(slots) - 1))
        while slots[at] >= 0 and nodes[slots[at]].key != key:
            at = (at + 1) & (len(slots) - 1)
        return at

    @part
    def grow(state, key, mask, count, prior, random_bits, used, tree):
        """A new node with an edge for each legal action; the heuristic's has *prior*."""
        slots, nodes, edges = tree
        number, first = used[0], used[1]
        slots[place_of(key, slots, nodes)] = number
        node = nodes[number]
        node.key, node.first, node.count, node.visits = key, first, count, 0
        likely = -1
        if prior > 0.0:
            likely = heuristic(state, mask, random_bits)
        others = count - (likely >= 0)
        at = first
        for action in range(len(mask)):
            if mask[action] == 1:
                edge = edges[at]
                edge.action, edge.visits, edge.total = action, 0, 0.0
                # Uneven by a hair, so that equals are not tried in the order of their numbers.
                hair = dice.scaled(dice.mixed(random_bits + np.uint64(action)), 1000) * 1e-5
                share = (1.0 - prior) / others if likely >= 0 else 1.0 / count
                edge.prior = np.float32((prior if action == likely else share) * (1.0 + hair))
                at += 1
        used[0] += 1
        used[1] = at

    @part
    def best_edge(node, edges, mask, c_puct, bounds):
        """The edge to try next: by what it has brought, its prior, and how seldom it was tried."""
        spread = max(bounds[1] - bounds[0], 1e-9)
        total = 0.0
        for at in range(node.first, node.first + node.count):
            total += edges[at].total
        usual = 0.5
        if node.visits > 0:
            usual = (total / node.visits - bounds[0]) / spread
        root = np.sqrt(node.visits + 1.0)
        best, most = -1, -1.0
        for at in range(node.first, node.first + node.count):
            edge = edges[at]
            if mask[edge.action] == 0:
                continue
            value = usual
            if edge.visits > 0:
                value = (edge.total / edge.visits - bounds[0]) / spread
            score = value + c_puct * edge.prior * root / (1.0 + edge.visits)
            if score > most:
                best, most = at, score
        return best

    @part
    def credit(state, got):
        for seat in range(seats(state)):
            got[seat] += state.reward[seat]

    @part
    def go_on(world, mask, count, got, use_heuristic, random_bits):
        """One decision outside the tree."""
        if use_heuristic:
            action = heuristic(world, mask, random_bits)
        else:
            action = nth_legal(mask, dice.scaled(random_bits, count))
        act(world, action)
        credit(world, got)

    @part
    def descend(world, view, tree, path, got, used, bounds, settings, priors, random_bits):
        """Walk down to a new node, or to the end; returns the length of the way.

        It may begin above the searcher's own node, the first: there others decide again what they
        have decided in secret. They get one new node, too, and from it go on as in a playout.
        """
        _, _, use_heuristic, c_puct, _, _ = settings
        mask, observation, words = view
        slots, nodes, edges = tree
        deep = 0
        above, grown = True, False
        while world.mover != NOBODY and deep < len(path):
            count = legal(world, mask)
            if count == 1:  # nothing to decide
                act(world, nth_legal(mask, 0))
                credit(world, got)
                continue
            key = key_of(world, mask, observation, words)
            number = slots[place_of(key, slots, nodes)]
            if number < 0:
                if not grown and used[0] < len(nodes) and used[1] + count <= len(edges):
                    prior = priors[side(world, world.mover)]
                    grow(world, key, mask, count, prior, random_bits, used, tree)
                    grown = True
                if not above:
                    break
                random_bits = dice.mixed(random_bits + dice.STEP)
                go_on(world, mask, count, got, use_heuristic, random_bits)
                continue
            if above and number == 0:
                above, grown = False, False
            at = best_edge(nodes[number], edges, mask, c_puct, bounds)
            if at < 0:
                break
            step = path[deep]
            step.node, step.edge, step.seat = number, at, world.mover
            step.before = got[world.mover]
            deep += 1
            act(world, edges[at].action)
            credit(world, got)
        return deep

    @part
    def play_out(world, mask, got, use_heuristic, length, random_bits):
        """Go on to the end, or for *length* decisions."""
        for _ in range(length):
            if world.mover == NOBODY:
                break
            random_bits = dice.mixed(random_bits + dice.STEP)
            count = legal(world, mask)
            go_on(world, mask, count, got, use_heuristic, random_bits)

    def search(
        states,
        random_bits,
        settings,
        worlds,
        view,
        tree,
        path,
        got,
        priors,
        used,
        bounds,
        visits,
        values,
    ):
        """Decide in every one of *states*: how often each action was tried, and what it brought.

        settings: iterations, length of a playout, whether the heuristic plays it, c_puct, and the
        prior of the heuristic's move for the own side and for the others
        """
        iterations, length, use_heuristic, _, prior, opponent_prior = settings
        mask, observation, words = view
        slots, nodes, edges = tree
        world = worlds[0]
        for g in range(len(states)):
            root = states[g]
            visits[g] = 0
            values[g] = 0.0
            count = legal(root, mask)
            if count == 1:
                visits[g, nth_legal(mask, 0)] = 1
                continue
            slots[:] = -1
            used[:] = 0
            bounds[0], bounds[1] = np.inf, -np.inf
            priors[:] = opponent_prior
            priors[side(root, root.mover)] = prior
            key = key_of(root, mask, observation, words)
            grow(root, key, mask, count, prior, random_bits[g], used, tree)
            for iteration in range(iterations):
                chance = dice.mixed(random_bits[g] + dice.STEP * np.uint64(iteration + 1))
                worlds[0] = root
                world.dice = chance
                resample(world, root.mover)
                withdraw_secret_actions(world, root.mover)
                got[:] = 0.0
                deep = descend(world, view, tree, path, got, used, bounds, settings, priors, chance)
                play_out(world, mask, got, use_heuristic, length, chance)
                for at in range(deep):
                    step = path[at]
                    gain = got[step.seat] - step.before
                    bounds[0], bounds[1] = min(bounds[0], gain), max(bounds[1], gain)
                    edges[step.edge].total += gain
                    edges[step.edge].visits += 1
                    nodes[step.node].visits += 1
            for at in range(nodes[0].first, nodes[0].first + nodes[0].count):
                edge = edges[at]
                visits[g, edge.action] = edge.visits
                values[g, edge.action] = edge.total / max(edge.visits, 1)

    return compile_loop(search, game.name)


#: Edges of a tree: a search whose nodes have more than this many grows no further.
_MOST_EDGES: Final = 4_000_000


def room(variant: Variant, iterations: int) -> tuple[Any, ...]:
    """The memory that a search works in."""
    size, actions = variant.observation_size, variant.action_count
    words = np.zeros(-(-(size + actions) // 8), np.uint64)  # both arrays in one, for the hash
    memory = words.view(np.int8)
    view = memory[size : size + actions], memory[:size], words
    nodes = iterations * (2 if variant.game.simultaneous else 1) + 1
    slots = np.empty(1 << (2 * nodes - 1).bit_length(), np.int32)
    edges = np.empty(min(nodes * actions, _MOST_EDGES), EDGE)
    return (
        np.empty(1, variant.game.dtype),
        view,
        (slots, np.empty(nodes, NODE), edges),
        np.empty(_DEEPEST, STEP),
        np.empty(variant.game.most_seats, np.float64),
        np.empty(variant.game.most_seats, np.float64),
        np.zeros(2, np.int64),
        np.zeros(2, np.float64),
    )
