"""The search that a network guides, between two of its answers.

Searches go side by side, each in a tree of its own: down to a decision that it has not met, where
it waits for what the network says of that, and on from there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice
from cyberdeck.engine.arguments import Array, takes
from cyberdeck.engine.contract import Game
from cyberdeck.engine.defaults import legal_count, nth_legal
from cyberdeck.engine.kernels import int64, kernel_of, loop_of_every_game
from cyberdeck.engine.record import NOBODY
from cyberdeck.players.trees import growing
from cyberdeck.players.trees.growing import Record, Records, Settings, Tree, Values, View, Visits

#: Where a search is. ``stage``: what it waits for, or will do next; ``waiting``: 1 while it waits.
#: ``bits``: of this iteration. ``above``: 1 above the first node; ``grown``: there is one new node
#: there, or the network was asked for it.
CURSOR: Final = growing.record(
    key="u8", bits="u8", iteration="i4", deep="i4", stage="i4", waiting="i4", above="i4", grown="i4"
)
#: ``stage``: it has not begun; it asks about its first node, one above that, or a leaf; it begins
#: an iteration, or goes on with one; it has decided.
FIRST, ROOT, ABOVE, LEAF, BEGIN, ON, DONE = range(7)


class Searches(NamedTuple):
    """N searches side by side: where each is, what it asks the network, and what it has found."""

    states: Records  # (N,)
    random_bits: NDArray[np.uint64]  # (N,)
    cursors: Records  # (N,)  CURSOR
    #: The decisions that the network is asked about, and its answers.
    masks: NDArray[np.int8]  # (N, A)
    observations: NDArray[Any]  # (N, D)
    priors: NDArray[np.float32]  # (N, A)
    worths: NDArray[np.float32]  # (N,)  for the one who decides
    #: Where more than two sides play, every seat is asked for by itself, by what it sees at a leaf.
    others: NDArray[Any]  # (N, O, D)  O: so many seats, or 0
    gains: NDArray[np.float32]  # (N, O)  for each of them
    chosen: NDArray[np.int64]  # (N,)  the action to try next, or -1: the search chooses by itself
    visits: Visits  # (N, A)  what was found out so far
    values: Values  # (N, A)


def searches_taken(game: Game) -> Searches:
    """The same as the loop says that it takes it."""
    seen, real = game.observation_dtype, np.float32
    kinds = (game.dtype, np.uint64, CURSOR, np.int8, seen, real, real, seen, real)
    lengths = ("N", "N", "N", "NA", "ND", "NA", "N", "NOD", "NO", "N", "NA", "NA")
    found = np.int64, np.int32, np.float64
    return Searches._make(Array(*each) for each in zip((*kinds, *found), lengths, strict=True))


@functools.cache
@loop_of_every_game
def guide_loop(game: Game) -> Callable[..., Any]:
    """The loop of searches in a game that a network guides, built from its kernels."""
    k, information_set = game.kernels, growing.tree_kernels(game).information_set
    legal, observe, resample = k.legal, k.observe, k.resample
    withdraw_secret_actions, many = k.withdraw_secret_actions, game.most_seats > 2
    learn, seek = _learning(game), _seeking(game)

    @kernel_of(game.name, inline="always")
    def ask(g: int, stage: int, world: Record, view: View, searches: Searches) -> None:
        """Wait for what the network says of a decision."""
        cursor = searches.cursors[g]
        cursor.stage, cursor.waiting = stage, 1
        for at in range(len(view.mask)):
            searches.masks[g, at] = view.mask[at]
        for at in range(len(view.observation)):
            searches.observations[g, at] = view.observation[at]
        if many and stage == LEAF:
            for seat in range(searches.others.shape[1]):
                observe(world, np.int64(seat), searches.others[g, seat])

    @takes(
        settings=growing.SETTINGS,
        valued=np.int64,
        answered=np.int64,
        trees=growing.tree_taken(game, "N"),
        view=growing.view_taken(game),
        searches=searches_taken(game),
    )
    def guide(
        settings: Settings, valued: int, answered: int, trees: Tree, view: View, searches: Searches
    ) -> None:
        """Make one step in each of the searches.

        valued: whether the network says what a position is worth, or is played out
        answered: 1 to take in what the network has said of those waiting, 0 to go on until it has
                  to be asked, at most to an iteration's end
        """
        visits, values = searches.visits, searches.values
        for g in range(len(searches.states)):
            root, cursor = searches.states[g], searches.cursors[g]
            world, slots, nodes = trees.world[g], trees.slots[g], trees.nodes[g]
            edges, tally, path, got = trees.edges[g], trees.tally[g], trees.path[g], trees.got[g]
            tree = Tree(world, slots, nodes, edges, tally, path, got)
            if answered:
                if cursor.waiting:
                    cursor.waiting = 0
                    learn(g, settings, valued, tree, searches)
                    if cursor.stage == BEGIN:
                        growing.read_out(tree, visits[g], values[g])
                continue
            if cursor.stage == FIRST:
                visits[g] = 0
                values[g] = 0.0
                if legal(root, view.mask) == 1:
                    visits[g, nth_legal(view.mask, 0)] = 1
                    cursor.stage = DONE
                    continue
                growing.clear(tree)
                world[0] = root
                cursor.bits = searches.random_bits[g]
                cursor.key = information_set(tree, view)
                cursor.iteration = 0
                ask(g, ROOT, world[0], view, searches)
                continue
            if cursor.stage == BEGIN and cursor.iteration == settings.iterations:
                cursor.stage = DONE
            if cursor.stage == DONE:
                continue
            if cursor.stage == BEGIN:  # from the searcher's position, redrawn where it cannot know
                step = dice.STEP * np.uint64(cursor.iteration + 1)
                cursor.bits = dice.mixed(searches.random_bits[g] + step)
                world[0] = root
                world[0].dice = cursor.bits
                resample(world[0], root.mover)
                withdraw_secret_actions(world[0], root.mover)
                got[:] = 0.0
                cursor.deep, cursor.above, cursor.grown = 0, 1, 0
            stage = seek(settings, searches.chosen[g], cursor, tree, view)
            if stage == BEGIN:
                growing.read_out(tree, visits[g], values[g])
            else:
                ask(g, stage, world[0], view, searches)

    return guide


@kernel_of("guiding", inline="always")
def credit_way(cursor: Record, tree: Tree) -> None:
    """Credit every decision of the way down; an iteration is over."""
    for at in range(cursor.deep - 1, -1, -1):
        step = tree.path[at]
        growing.credit(step, tree.got[step.seat] - step.before, tree)
    cursor.iteration += 1
    cursor.stage = BEGIN


def _learning(game: Game) -> Callable[..., None]:
    """The kernel that takes in the network's answer."""
    k, own = game.kernels, growing.tree_kernels(game)
    seats, side, grow, play_out = k.seat_count, k.side, own.grow, own.play_out
    many = game.most_seats > 2

    @kernel_of(game.name, inline="always")
    def learn(g: int, settings: Settings, valued: int, tree: Tree, searches: Searches) -> None:
        """Take in what the network says of the decision that was asked about."""
        cursor, mask, world = searches.cursors[g], searches.masks[g], tree.world[0]
        count = legal_count(mask)
        if grow(tree, cursor.key, mask, count, 0.0, cursor.bits):
            node = tree.nodes[tree.tally[0].nodes - 1]
            for at in range(node.first, node.first + count):
                edge = tree.edges[at]
                edge.prior = searches.priors[g, edge.action]
        if cursor.stage == ROOT:
            cursor.stage = BEGIN
        elif cursor.stage == ABOVE:
            cursor.stage = ON
        else:
            if valued:
                home, worth = side(world, world.mover), searches.worths[g]
                for seat in range(seats(world)):
                    if side(world, seat) == home:
                        tree.got[seat] += worth
                    elif many and seat < searches.gains.shape[1]:
                        tree.got[seat] += searches.gains[g, seat]
                    else:
                        tree.got[seat] -= worth
            else:
                play_out(tree, mask, settings, cursor.bits)
            credit_way(cursor, tree)

    return learn


def _seeking(game: Game) -> Callable[..., int]:
    """The kernel that walks down a tree."""
    legal, own = game.kernels.legal, growing.tree_kernels(game)
    information_set, play, go_on = own.information_set, own.play, own.go_on

    @kernel_of(game.name, inline="always")
    def seek(settings: Settings, chosen: int, cursor: Record, tree: Tree, view: View) -> int:
        """Walk down until the network has to say something, or to the end of the game.

        Returns the stage in which to ask it, or ``BEGIN`` if the iteration is over.
        """
        mask, world = view.mask, tree.world[0]
        while world.mover != NOBODY and cursor.deep < len(tree.path):
            count = legal(world, mask)
            if count == 1:  # nothing to decide
                play(tree, nth_legal(mask, 0))
                continue
            cursor.key = information_set(tree, view)
            number = tree.slots[growing.place_of(cursor.key, tree)]
            if number < 0 and not (cursor.above and cursor.grown):
                cursor.grown = 1
                room = tree.tally[0].nodes < len(tree.nodes)
                return ABOVE if cursor.above and room else LEAF
            if number < 0:  # others decide again, above the first node
                bits = dice.mixed(cursor.bits + dice.STEP * np.uint64(world.decisions + 1))
                go_on(tree, mask, count, settings.playout, bits)
                continue
            if cursor.above and number == 0:
                cursor.above, cursor.grown = 0, 0
            at, _ = growing.best_edge(tree.nodes[number], tree, mask, settings.c_puct)
            if at < 0:  # no action of the node is legal: another position has the same key
                break
            if number == 0 and chosen >= 0 and mask[chosen] == 1:
                at = tree.nodes[0].first
                while tree.edges[at].action != chosen:
                    at += 1
            step = tree.path[cursor.deep]
            step.node, step.edge, step.seat, step.instead = number, at, world.mover, -1
            step.before = tree.got[world.mover]
            cursor.deep += 1
            play(tree, int64(tree.edges[at].action))
        credit_way(cursor, tree)
        return BEGIN

    return seek
