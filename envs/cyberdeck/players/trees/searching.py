"""The search by playouts: every iteration grows a node, plays on from it, and credits the way."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice
from cyberdeck.engine.arguments import Array, takes, zeros
from cyberdeck.engine.contract import Game
from cyberdeck.engine.defaults import nth_legal
from cyberdeck.engine.kernels import RandomBits, compile_loops, int64, kernel_of, loop_of_every_game
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.players.trees import growing, proving
from cyberdeck.players.trees.growing import Records, Settings, Tree, Values, View, Visits
from cyberdeck.players.trees.proving import Proofs


class Believed(NamedTuple):
    """The worlds that the searchers hold possible, those of one game after those of another."""

    worlds: Records  # (B,)
    sums: NDArray[np.float64]  # (B,) of their weights, from the first of the game's on: up to 1
    begins: NDArray[np.int64]  # (N + 1,) where those of each game begin


class Room(NamedTuple):
    """The memory that a search works in."""

    tree: Tree
    view: View
    proofs: Proofs
    regrets: Records  # (R,)  REGRET, of each edge; none where regrets are not matched


def room_of(variant: Variant, iterations: int, regret: bool) -> Room:
    """Room for a search; *regret*: one by regret matching."""
    tree, view = growing.tree_of(variant, iterations), growing.view_of(variant)
    proves = proving.can_prove(variant.game)
    if proves:
        view = view._replace(words=tree.world.view(np.uint64))
    lengths = {"E": len(tree.edges), "L": len(tree.path), "S": len(tree.got)}
    proofs = Proofs._make(zeros(proving.proofs_taken(proves), **lengths))
    regrets = np.empty(len(tree.edges) if regret else 0, growing.REGRET)
    return Room(tree, view, proofs, regrets)


@functools.cache
@loop_of_every_game
def search_loop(game: Game) -> Callable[..., Any]:
    """The search loop of a game, built from its kernels."""
    resample, withdraw_secret_actions = game.kernels.resample, game.kernels.withdraw_secret_actions
    part = kernel_of(game.name, inline="always")

    @part
    def redraw(world: Any, seat: int, bits: RandomBits, g: int, believed: Any) -> None:
        """Draw anew all that the seat cannot know."""
        world[0].dice = bits
        resample(world[0], seat)
        withdraw_secret_actions(world[0], seat)

    return takes(
        states=Array(game.dtype, "N"),
        random_bits=Array(np.uint64, "N"),
        believed=np.int64,  # nothing
        settings=growing.SETTINGS,
        begin=np.int64,
        end=np.int64,
        room=Room(
            growing.tree_taken(game),
            growing.view_taken(game),
            proving.proofs_taken(proving.can_prove(game)),
            Array(growing.REGRET, "R"),  # type: ignore[arg-type]
        ),
        visits=Array(np.int32, "NA"),
        values=Array(np.float64, "NA"),
    )(_search_of(game, part, redraw))


@functools.cache
def believing_loop(game: Game) -> Callable[..., Any]:
    """The same that takes worlds from what is ``Believed``. It is in no library."""
    withdraw_secret_actions, label = game.kernels.withdraw_secret_actions, f"{game.name}-believing"
    part = kernel_of(label, inline="always")

    @part
    def redraw(world: Any, seat: int, bits: RandomBits, g: int, believed: Any) -> None:
        """One of the worlds that the searcher in game *g* holds possible, as likely as it is."""
        drawn = float(dice.mixed(~bits) >> np.uint64(11)) * 2.0**-53
        at, last = believed.begins[g], believed.begins[g + 1] - 1
        while at < last and believed.sums[at] <= drawn:
            at += 1
        world[0] = believed.worlds[at]
        world[0].dice = bits
        withdraw_secret_actions(world[0], seat)

    return compile_loops([_search_of(game, part, redraw)], f"{game.label}-believing")[0]


#: Marks a function as a part of the loop of one game.
Part = Callable[[Callable[..., Any]], Any]


def _search_of(game: Game, part: Part, redraw: Callable[..., None]) -> Callable[..., None]:
    """The search, in worlds that *redraw* draws."""
    k, own = game.kernels, growing.tree_kernels(game)
    legal, seats, side, grow, play_out = k.legal, k.seat_count, k.side, own.grow, own.play_out
    proves, reward_bound = proving.can_prove(game), float(game.reward_bound)
    key_of = proving.position if proves else own.information_set
    may_mix, descend = not game.open, _descent_of(game, part)

    def search(
        states: Records,
        random_bits: NDArray[np.uint64],
        believed: Any,
        settings: Settings,
        begin: int,
        end: int,
        room: Room,
        visits: Visits,
        values: Values,
    ) -> None:
        """Decide in every one of *states* (N,); *visits* and *values* are (N, A).

        Of the iterations those from *begin* on that come before *end* are made: all of them, or of
        a single state some, in the tree that the last call left.
        """
        tree, view, proofs, regrets = room
        mask, world = view.mask, tree.world[0]
        for g in range(len(states)):
            root = states[g]
            visits[g] = 0
            values[g] = 0.0
            count = legal(root, mask)
            if count == 1 and not settings.forced:
                visits[g, nth_legal(mask, 0)] = 1
                continue
            home = side(root, root.mover)
            if begin == 0:
                growing.clear(tree)
                proofs.least[:] = 0.0
                for at in range(len(regrets)):
                    regrets[at].regret, regrets[at].played = 0.0, 0.0
                tree.world[0] = root
                grow(tree, key_of(tree, view), mask, count, settings.prior, random_bits[g])
            for iteration in range(begin, end):
                if proves and tree.nodes[0].settled >= 0:
                    break
                bits = dice.mixed(random_bits[g] + dice.STEP * np.uint64(iteration + 1))
                tree.world[0] = root
                redraw(tree.world, root.mover, bits, g, believed)
                tree.got[:] = 0.0
                deep, known = descend(home, settings, bits, room)
                if not known:
                    play_out(tree, mask, settings, bits)
                if proves:
                    for seat in range(seats(world)):
                        proofs.least[seat] = min(proofs.least[seat], tree.got[seat])
                    if known and world.dice == bits:
                        deep = proving.settle(deep, seats(world), reward_bound, tree, proofs)
                for at in range(deep - 1, -1, -1):
                    step = tree.path[at]
                    gain = tree.got[step.seat] - step.before
                    if may_mix and len(regrets) > 0:
                        node = tree.nodes[step.node]
                        growing.regret(node, step.edge, gain, tree.edges, regrets)
                    growing.credit(step, gain, tree)
                    if proves and step.instead >= 0:
                        proving.take_instead(step, at, seats(world), tree, proofs)
            growing.read_out(tree, visits[g], values[g])
            if may_mix and len(regrets) > 0:
                growing.mean_strategy(tree.nodes[0], tree.edges, regrets, end, visits[g])
            if proves:
                proving.conclude(root.mover, end, tree, proofs, visits[g], values[g])

    return search


def _descent_of(game: Game, part: Part) -> Any:
    """The kernel that walks down a tree."""
    k, own = game.kernels, growing.tree_kernels(game)
    legal, seats, side = k.legal, k.seat_count, k.side
    grow, play, go_on = own.grow, own.play, own.go_on
    proves, may_mix = proving.can_prove(game), not game.open
    key_of = proving.position if proves else own.information_set

    @part
    def descend(
        home: int, settings: Settings, random_bits: RandomBits, room: Room
    ) -> tuple[int, bool]:
        """Walk down to a new node, to the end, or to a settled node; no settled edge is walked.

        Returns the length of the way, and whether it is known what everybody gets after it. *home*
        is the searcher's side.

        It may begin above the searcher's own node, the first: there others decide again what they
        have decided in secret. They get one new node, too, and from it go on as in a playout.
        """
        tree, view, proofs, regrets = room
        world, mask, got = tree.world[0], view.mask, tree.got
        bits = random_bits
        deep, known = 0, False
        above, grown = True, False
        while world.mover != NOBODY and deep < len(tree.path):
            count = legal(world, mask)
            if count == 1 and not (above and tree.nodes[0].count == 1):  # nothing to decide
                play(tree, nth_legal(mask, 0))
                continue
            key = key_of(tree, view)
            number = tree.slots[growing.place_of(key, tree)]
            if number < 0:
                if not grown:
                    at_home = side(world, world.mover) == home
                    prior = settings.prior if at_home else settings.opponent_prior
                    grown = grow(tree, key, mask, count, prior, random_bits)
                if not above:
                    break
                random_bits = dice.mixed(random_bits + dice.STEP)
                go_on(tree, mask, count, settings.playout, random_bits)
                continue
            if above and number == 0:
                above, grown = False, False
            node, seat, instead = tree.nodes[number], world.mover, -1
            if proves and node.settled >= 0:
                for each in range(seats(world)):
                    got[each] += proofs.gains[node.settled, each]
                known = True
                break
            if may_mix and len(regrets) > 0:
                bits = dice.mixed(bits - dice.STEP)
                at = growing.drawn_edge(node, tree.edges, regrets, mask, bits)
            else:
                at, score = growing.best_edge(node, tree, mask, settings.c_puct)
                if proves and number > 0:  # above the first nothing depends on what it would take
                    instead = proving.rather(node, seat, at, score, settings.c_puct, tree, proofs)
            if at < 0:
                break
            if proves:
                for each in range(seats(world)):
                    proofs.before[deep, each] = got[each]
            step = tree.path[deep]
            step.node, step.edge, step.seat, step.instead = number, at, seat, instead
            step.before = got[seat]
            deep += 1
            play(tree, int64(tree.edges[at].action))
        return deep, known or (proves and world.mover == NOBODY)

    return descend
