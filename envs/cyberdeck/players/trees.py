"""Monte Carlo tree search over the contract, compiled.

Each iteration redraws what the searcher cannot know, walks down the tree, plays on from its leaf to
the end, and credits every decision on the way with what its own seat got from there on.

The tree's nodes are *information sets*: what a seat sees when it has to decide (its observation and
its mask), whichever world this came from. So no seat's choice in the tree can depend on what that
seat does not know: not on hidden cards, nor on plans made in secret at the same time. This is
information-set search with many observers; a search in each redrawn world by itself (an ensemble)
would let everybody in that world play as if all were open.

Where everything is open, a search also proves what it can (MCTS-Solver, Winands et al. 2008). An
edge that leads to the end without a die being cast is *settled*: what every seat gets from there
on is known. So is a node whose edges all are, as its seat takes the best of them for itself, and so
is the edge that leads to it. Settled edges are not walked again. The nodes are positions there, not
what is seen of them: a proof must hold for all that matters, the number of decisions included.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import defaults, dice
from cyberdeck.engine.contract import Game
from cyberdeck.engine.defaults import nth_legal
from cyberdeck.engine.kernels import compile_loops, kernel_of
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant

#: ``settled``: the edge that is best for its seat, once that is proved; before that -1.
NODE: Final = np.dtype(
    [
        ("key", np.uint64),
        ("first", np.int32),
        ("count", np.int32),
        ("visits", np.int32),
        ("settled", np.int32),
    ],
    align=True,
)
#: A legal action of a node. ``total``: what the node's seat got after it, over all visits.
#: ``settled``: 1 once it is proved what all seats get after it.
EDGE: Final = np.dtype(
    [
        ("total", np.float64),
        ("visits", np.int32),
        ("prior", np.float32),
        ("action", np.int32),
        ("settled", np.int32),
    ],
    align=True,
)
#: A decision on the way down. ``before``: what its seat had got until then. ``instead``: the
#: settled edge that the seat would rather take, or -1.
STEP: Final = np.dtype(
    [
        ("before", np.float64),
        ("node", np.int32),
        ("edge", np.int32),
        ("seat", np.int32),
        ("instead", np.int32),
    ],
    align=True,
)

#: A search that a network guides, between two of its answers. ``stage``: what it waits for, or will
#: do next. ``luck``: of this iteration. ``above``: 1 above the first node; ``grown``: there is one
#: new node there, or the network was asked for it.
CURSOR: Final = np.dtype(
    [
        ("key", np.uint64),
        ("luck", np.uint64),
        ("iteration", np.int32),
        ("deep", np.int32),
        ("stage", np.int32),
        ("above", np.int32),
        ("grown", np.int32),
    ],
    align=True,
)
#: ``stage``: it has not begun; it asks about its first node, one above that, or a leaf; it begins
#: an iteration, or goes on with one; it has decided.
FIRST, ROOT, ABOVE, LEAF, BEGIN, ON, DONE = range(7)

#: What regret matching keeps of an edge: its regret, how often the strategies so far take it (later
#: ones count for more), and what it was just taken to bring.
REGRET, PLAYED, WORTH = 0, 1, 2
#: How often regret matching tries any edge, whatever its regret.
ANY: Final = 0.2
_S11: Final = np.uint64(11)

DEEPEST: Final = 512  # decisions on the way down; beyond them the game is only played out


def can_prove(game: Game) -> bool:
    """Whether the search proves results: where everything is open, and there is no heuristic.

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


@functools.cache
def search_loops(game: Game) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The search loop of a game, and the one that a network guides, built from its kernels."""
    k = game.kernels
    part = kernel_of(game.name, inline="always")
    legal, act, observe, resample, heuristic = k.legal, k.act, k.observe, k.resample, k.heuristic
    seats, side, withdraw_secret_actions = k.seats, k.side, k.withdraw_secret_actions
    proves, reward_bound = can_prove(game), float(game.reward_bound)
    may_mix = not game.open

    @part
    def position(state, mask, observation, words):
        """A number for all that the rules look at; *words* is the memory of the record."""
        kept = state.dice
        state.dice = 0
        for seat in range(len(state.reward)):  # of the last decision, and counted already
            state.reward[seat] = 0.0
        key = np.uint64(1)
        for at in range(len(words)):
            key = dice.mixed((key ^ words[at]) + dice.STEP)
        state.dice = kept
        return key

    @part
    def information_set(state, mask, observation, words):
        """A number for what the mover sees; *words* is the memory of both arrays."""
        observe(state, np.int64(state.mover), observation)
        key = np.uint64(state.mover + 1)
        for at in range(len(words)):
            key = dice.mixed((key ^ np.uint64(words[at])) + dice.STEP)
        return key

    key_of = position if proves else information_set

    @part
    def place_of(key, slots, nodes):
        """Where a key stands in the hash table, or may stand."""
        at = np.int64(key & np.uint64(len(slots) - 1))
        while slots[at] >= 0 and nodes[slots[at]].key != key:
            at = (at + 1) & (len(slots) - 1)
        return at

    @part
    def grow(state, key, mask, count, prior, random_bits, used, tree, regrets):
        """A new node with an edge for each legal action; the heuristic's has *prior*."""
        slots, nodes, edges = tree
        number, first = used[0], used[1]
        slots[place_of(key, slots, nodes)] = number
        node = nodes[number]
        node.key, node.first, node.count, node.visits, node.settled = key, first, count, 0, -1
        likely = -1
        if prior > 0.0:
            likely = heuristic(state, mask, random_bits)
        others = count - (likely >= 0)
        at = first
        for action in range(len(mask)):
            if mask[action] == 1:
                edge = edges[at]
                edge.action, edge.visits, edge.total, edge.settled = action, 0, 0.0, 0
                if may_mix and len(regrets) > 0:
                    regrets[at, REGRET], regrets[at, PLAYED] = 0.0, 0.0
                # Uneven by a hair, so that equals are not tried in the order of their numbers.
                hair = dice.scaled(dice.mixed(random_bits + np.uint64(action)), 1000) * 1e-5
                share = (1.0 - prior) / others if likely >= 0 else 1.0 / count
                edge.prior = np.float32((prior if action == likely else share) * (1.0 + hair))
                at += 1
        used[0] += 1
        used[1] = at

    @part
    def best_settled(node, edges, gains, seat):
        """The settled edge that is best for *seat*, or -1: of equals what leaves the others least.

        So nothing counts as proved that only holds if those who lose anyway are kind.
        """
        best, most, least = -1, 0.0, 0.0
        for at in range(node.first, node.first + node.count):
            if not edges[at].settled:
                continue
            own, others = gains[at, seat], 0.0
            for other in range(gains.shape[1]):
                others += gains[at, other]
            others -= own
            if (
                best < 0
                or own > most
                or (own == most and others < least)
                or (own == most and others == least and edges[at].visits > edges[best].visits)
            ):
                best, most, least = at, own, others
        return best

    @part
    def best_edge(node, edges, mask, c_puct, bounds, gains, seat, known):
        """The edge to try next: by what it has brought, its prior, and how seldom it was tried.

        Of those settled only *known*: others cannot be better, and there is nothing to find out.
        """
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
            if proves and edge.settled:
                if at != known:
                    continue
                value = (gains[at, seat] - bounds[0]) / spread
            score = value + c_puct * edge.prior * root / (1.0 + edge.visits)
            if score > most:
                best, most = at, score
        return best

    @part
    def weight(edges, regrets, at, total):
        """How often a seat that matches its regrets takes an edge, *total* being all regret."""
        return regrets[at, REGRET] if total > 0.0 else np.float64(edges[at].prior)

    @part
    def all_regret(node, regrets):
        total = 0.0
        for at in range(node.first, node.first + node.count):
            total += regrets[at, REGRET]
        return total

    @part
    def drawn_edge(node, edges, regrets, mask, random_bits):
        """An edge by regret matching; now and then any, so that each is tried."""
        if (random_bits >> _S11) * 2.0**-53 < ANY:
            at = node.first + dice.scaled(dice.mixed(random_bits), node.count)
            return at if mask[edges[at].action] == 1 else -1
        total, whole = all_regret(node, regrets), 0.0
        for at in range(node.first, node.first + node.count):
            whole += weight(edges, regrets, at, total)
        left = (dice.mixed(random_bits) >> _S11) * 2.0**-53 * whole
        for at in range(node.first, node.first + node.count):
            left -= weight(edges, regrets, at, total)
            if left < 0.0:
                return at if mask[edges[at].action] == 1 else -1
        return -1

    @part
    def regret(node, edges, regrets, chosen, gain):
        """What every edge of a node would have brought more, *chosen* having brought *gain*.

        Of the others that is not known: each is taken to bring what it has brought on average, and
        the chosen one makes up for how seldom it is chosen, so that the estimate is right on
        average. Regrets below nothing are forgotten (regret matching plus), and later strategies
        count for more in their mean.
        """
        total, whole = all_regret(node, regrets), 0.0
        sum_, tried = 0.0, 0
        for at in range(node.first, node.first + node.count):
            whole += weight(edges, regrets, at, total)
            sum_ += edges[at].total
            tried += edges[at].visits
        usual, expected = sum_ / max(tried, 1), 0.0
        for at in range(node.first, node.first + node.count):
            edge, share = edges[at], weight(edges, regrets, at, total) / whole
            worth = edge.total / edge.visits if edge.visits > 0 else usual
            if at == chosen:
                worth += (gain - worth) / ((1.0 - ANY) * share + ANY / node.count)
            regrets[at, PLAYED] += share * (tried + 1.0)
            regrets[at, WORTH] = worth
            expected += share * worth
        for at in range(node.first, node.first + node.count):
            more = regrets[at, WORTH] - expected
            regrets[at, REGRET] = max(0.0, regrets[at, REGRET] + more)

    @part
    def mean_strategy(node, edges, regrets, iterations, visits):
        """As visits how often the mean of all strategies that a node has had takes each edge."""
        whole, before = 0.0, np.int64(0)
        for at in range(node.first, node.first + node.count):
            whole += regrets[at, PLAYED]
        so_far = 0.0
        for at in range(node.first, node.first + node.count):
            so_far += regrets[at, PLAYED]
            until = np.int64(so_far / whole * iterations + 0.5)
            visits[edges[at].action] = until - before
            before = until

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
    def descend(
        world, view, tree, path, got, used, bounds, settings, priors, random_bits, proof, regrets
    ):
        """Walk down to a new node, to the end, or to a settled node; no settled edge is walked.

        Returns the length of the way, and whether it is known what everybody gets after it.

        It may begin above the searcher's own node, the first: there others decide again what they
        have decided in secret. They get one new node, too, and from it go on as in a playout.
        """
        _, _, use_heuristic, c_puct, _, _ = settings
        luck = random_bits
        mask, observation, words = view
        slots, nodes, edges = tree
        gains, before = proof
        deep, known = 0, False
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
                    grow(world, key, mask, count, prior, random_bits, used, tree, regrets)
                    grown = True
                if not above:
                    break
                random_bits = dice.mixed(random_bits + dice.STEP)
                go_on(world, mask, count, got, use_heuristic, random_bits)
                continue
            if above and number == 0:
                above, grown = False, False
            seat = world.mover
            instead = -1
            if proves:
                node = nodes[number]
                if node.settled >= 0:
                    for each in range(seats(world)):
                        got[each] += gains[node.settled, each]
                    known = True
                    break
                if number > 0:  # above the first nothing depends on what would be taken there
                    instead = best_settled(node, edges, gains, seat)
                if instead >= 0:
                    at = best_edge(node, edges, mask, c_puct, bounds, gains, seat, instead)
                    if at != instead:
                        instead = -1
            if may_mix and len(regrets) > 0:
                luck = dice.mixed(luck - dice.STEP)
                at = drawn_edge(nodes[number], edges, regrets, mask, luck)
            else:
                at = best_edge(nodes[number], edges, mask, c_puct, bounds, gains, seat, -1)
            if at < 0:
                break
            step = path[deep]
            step.node, step.edge, step.seat, step.instead = number, at, seat, instead
            step.before = got[seat]
            if proves:
                for each in range(seats(world)):
                    before[deep, each] = got[each]
            deep += 1
            act(world, edges[at].action)
            credit(world, got)
        if proves and world.mover == NOBODY:
            known = True
        return deep, known

    @part
    def settle(deep, count, tree, path, got, bounds, proof):
        """All that follows of the way just walked being known to its end, which brings *got*.

        That is its last edge, and as long as a node is settled by that, the edge before. Returns
        how many decisions of the way are left to credit, those of nodes not settled, and leaves in
        *got* what all seats get from there on.
        """
        _, nodes, edges = tree
        gains, before = proof
        for at in range(deep - 1, -1, -1):
            step = path[at]
            node, seat = nodes[step.node], step.seat
            edges[step.edge].settled = 1
            for each in range(count):
                gains[step.edge, each] = got[each] - before[at, each]
            best = best_settled(node, edges, gains, seat)
            # The bound is for whole games. Who may still lose m after the first node had at least
            # m - bound until then, and so can get no more than 2 * bound - m from there on.
            most = 2.0 * reward_bound + bounds[2 + seat] - before[at, seat]
            if gains[best, seat] < most - 1e-6:
                for other in range(node.first, node.first + node.count):
                    if not edges[other].settled:
                        return at + 1
            node.settled = best
            for each in range(count):
                got[each] = before[at, each] + gains[best, each]
        return 0

    @part
    def take_instead(step, at, count, tree, got, proof):
        """For the decisions above, this one is as if the settled edge had been taken."""
        _, nodes, edges = tree
        gains, before = proof
        for each in range(count):
            got[each] = before[at, each] + gains[step.instead, each]
        edges[step.instead].total += gains[step.instead, step.seat]
        edges[step.instead].visits += 1
        nodes[step.node].visits += 1

    @part
    def conclude(seat, iterations, tree, bounds, gains, visits, values):
        """Let the visits and values say what is proved of the first node's edges.

        A proved choice has all visits. Otherwise the choice is the unsettled edge tried most, and
        what was spent on those that proved worse is counted for it.
        """
        _, nodes, edges = tree
        node = nodes[0]
        known = best_settled(node, edges, gains, seat)
        if known < 0:
            return
        choice, spent = -1, 0
        for at in range(node.first, node.first + node.count):
            edge = edges[at]
            if edge.settled:
                spent += edge.visits
                visits[edge.action] = 0
                values[edge.action] = gains[at, seat]
            elif (
                choice < 0
                or edge.visits > edges[choice].visits
                or (
                    edge.visits == edges[choice].visits
                    and values[edge.action] > values[edges[choice].action]
                )
            ):
                choice = at
        proved = gains[known, seat]
        if node.settled < 0 and proved > bounds[0] + 1e-6:  # something worse may happen
            # What was tried seldom must promise more than what is certain.
            doubt = (bounds[1] - bounds[0]) / np.sqrt(edges[choice].visits + 1.0)
            if values[edges[choice].action] - doubt <= proved:
                choice = known
        if node.settled >= 0:
            choice = node.settled
        if edges[choice].settled:
            visits[:] = 0
            spent = iterations
        visits[edges[choice].action] += spent

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
        proof,
        regrets,
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
            bounds[0], bounds[1], bounds[2:] = np.inf, -np.inf, 0.0
            priors[:] = opponent_prior
            priors[side(root, root.mover)] = prior
            worlds[0] = root
            key = key_of(world, mask, observation, words)
            grow(root, key, mask, count, prior, random_bits[g], used, tree, regrets)
            for iteration in range(iterations):
                chance = dice.mixed(random_bits[g] + dice.STEP * np.uint64(iteration + 1))
                worlds[0] = root
                world.dice = chance
                resample(world, root.mover)
                withdraw_secret_actions(world, root.mover)
                got[:] = 0.0
                deep, known = descend(
                    world,
                    view,
                    tree,
                    path,
                    got,
                    used,
                    bounds,
                    settings,
                    priors,
                    chance,
                    proof,
                    regrets,
                )
                if not known:
                    play_out(world, mask, got, use_heuristic, length, chance)
                if proves:
                    for seat in range(seats(world)):
                        bounds[2 + seat] = min(bounds[2 + seat], got[seat])
                    if known and world.dice == chance:
                        deep = settle(deep, seats(world), tree, path, got, bounds, proof)
                for at in range(deep - 1, -1, -1):
                    step = path[at]
                    gain = got[step.seat] - step.before
                    bounds[0], bounds[1] = min(bounds[0], gain), max(bounds[1], gain)
                    if may_mix and len(regrets) > 0:
                        regret(nodes[step.node], edges, regrets, step.edge, gain)
                    edges[step.edge].total += gain
                    edges[step.edge].visits += 1
                    nodes[step.node].visits += 1
                    if proves and step.instead >= 0:
                        take_instead(step, at, seats(world), tree, got, proof)
                if proves and nodes[0].settled >= 0:
                    break
            for at in range(nodes[0].first, nodes[0].first + nodes[0].count):
                edge = edges[at]
                visits[g, edge.action] = edge.visits
                values[g, edge.action] = edge.total / max(edge.visits, 1)
            if may_mix and len(regrets) > 0:
                mean_strategy(nodes[0], edges, regrets, iterations, visits[g])
            if proves:
                conclude(root.mover, iterations, tree, bounds, proof[0], visits[g], values[g])

    @part
    def ask(cursor, stage, mask, observation, masks, observations, waiting):
        """Wait for what the network says of a decision."""
        cursor.stage = stage
        for at in range(len(mask)):
            masks[at] = mask[at]
        for at in range(len(observation)):
            observations[at] = observation[at]
        waiting[0] = 1

    @part
    def credit_way(cursor, tree, path, got, bounds, visits, values):
        """Credit every decision of the way down; an iteration is over."""
        _, nodes, edges = tree
        for at in range(cursor.deep - 1, -1, -1):
            step = path[at]
            gain = got[step.seat] - step.before
            bounds[0], bounds[1] = min(bounds[0], gain), max(bounds[1], gain)
            edges[step.edge].total += gain
            edges[step.edge].visits += 1
            nodes[step.node].visits += 1
        for at in range(nodes[0].first, nodes[0].first + nodes[0].count):
            edge = edges[at]
            visits[edge.action] = edge.visits
            values[edge.action] = edge.total / max(edge.visits, 1)
        cursor.iteration += 1
        cursor.stage = BEGIN

    @part
    def learn(
        world, cursor, settings, scratch, tree, path, got, used, bounds, told, visits, values
    ):
        """Take in what the network says of the decision that was asked about."""
        _, _, length, use_heuristic, _, has_value = settings
        _, nodes, edges = tree
        mask, priors, worth, regrets = told
        count = 0
        for action in range(len(mask)):
            count += mask[action]
        if used[0] < len(nodes) and used[1] + count <= len(edges):
            number = used[0]
            grow(world, cursor.key, mask, count, 0.0, cursor.luck, used, tree, regrets)
            for at in range(nodes[number].first, nodes[number].first + count):
                edges[at].prior = priors[edges[at].action]
        if cursor.stage == ROOT:
            cursor.stage = BEGIN
        elif cursor.stage == ABOVE:
            cursor.stage = ON
        else:
            if has_value:
                own = side(world, world.mover)
                for seat in range(seats(world)):
                    got[seat] += worth if side(world, seat) == own else -worth
            else:
                play_out(world, scratch, got, use_heuristic, length, cursor.luck)
            credit_way(cursor, tree, path, got, bounds, visits, values)

    @part
    def seek(
        root, world, cursor, settings, view, tree, path, got, used, bounds, gains, chosen, asking
    ):
        """Walk down until the network has to say something, or to the end of the game."""
        _, _, _, use_heuristic, c_puct, _ = settings
        mask, observation, words = view
        masks, observations, waiting, visits, values = asking
        slots, nodes, edges = tree
        while world.mover != NOBODY and cursor.deep < len(path):
            count = legal(world, mask)
            if count == 1:  # nothing to decide
                act(world, nth_legal(mask, 0))
                credit(world, got)
                continue
            cursor.key = information_set(world, mask, observation, words)
            number = slots[place_of(cursor.key, slots, nodes)]
            if number < 0 and not (cursor.above and cursor.grown):
                cursor.grown = 1
                stage = ABOVE if cursor.above and used[0] < len(nodes) else LEAF
                ask(cursor, stage, mask, observation, masks, observations, waiting)
                return
            if number < 0:  # others decide again, above the first node
                luck = dice.mixed(cursor.luck + dice.STEP * np.uint64(world.decisions + 1))
                go_on(world, mask, count, got, use_heuristic, luck)
                continue
            if cursor.above and number == 0:
                cursor.above, cursor.grown = 0, 0
            seat = world.mover
            at = best_edge(nodes[number], edges, mask, c_puct, bounds, gains, seat, -1)
            if at < 0:  # no action of the node is legal: another position has the same key
                break
            if number == 0 and chosen >= 0 and mask[chosen] == 1:
                at = nodes[0].first
                while edges[at].action != chosen:
                    at += 1
            step = path[cursor.deep]
            step.node, step.edge, step.seat, step.instead = number, at, seat, -1
            step.before = got[seat]
            cursor.deep += 1
            act(world, edges[at].action)
            credit(world, got)
        credit_way(cursor, tree, path, got, bounds, visits, values)

    def guide(
        states,
        random_bits,
        settings,
        view,
        worlds,
        cursors,
        trees,
        paths,
        gots,
        useds,
        bounds,
        gains,
        regrets,
        priors,
        worths,
        chosen,
        masks,
        observations,
        waiting,
        visits,
        values,
    ):
        """Search side by side in all of *states*, one step in each; a network is asked between.

        settings: the iterations; 1 to take in what the network has said of those *waiting* (their
        *priors* and *worths*), 0 to go on until it has to be asked, at most to an iteration's end;
        length of a playout, whether the heuristic plays it, c_puct, and whether the network says
        what a position is worth, or is played out

        chosen: the action to try next in each, or -1: then the search chooses by itself.
        """
        iterations, telling, _, _, _, _ = settings
        mask, observation, words = view
        slots, nodes, edges = trees
        for g in range(len(states)):
            root, world, cursor = states[g], worlds[g], cursors[g]
            tree = slots[g], nodes[g], edges[g]
            if telling:
                if waiting[g, 0]:
                    told = masks[g], priors[g], worths[g], regrets
                    learn(
                        world,
                        cursor,
                        settings,
                        mask,
                        tree,
                        paths[g],
                        gots[g],
                        useds[g],
                        bounds[g],
                        told,
                        visits[g],
                        values[g],
                    )
                waiting[g, 0] = 0
                continue
            if cursor.stage == FIRST:
                visits[g] = 0
                values[g] = 0.0
                count = legal(root, mask)
                if count == 1:
                    visits[g, nth_legal(mask, 0)] = 1
                    cursor.stage = DONE
                    continue
                slots[g] = -1
                useds[g] = 0
                bounds[g, 0], bounds[g, 1] = np.inf, -np.inf
                worlds[g] = root
                cursor.luck = random_bits[g]
                cursor.key = information_set(world, mask, observation, words)
                cursor.iteration = 0
                ask(cursor, ROOT, mask, observation, masks[g], observations[g], waiting[g])
                continue
            if cursor.stage == BEGIN and cursor.iteration == iterations:
                cursor.stage = DONE
            if cursor.stage == DONE:
                continue
            if cursor.stage == BEGIN:
                number = np.uint64(cursor.iteration + 1)
                cursor.luck = dice.mixed(random_bits[g] + dice.STEP * number)
                worlds[g] = root
                world.dice = cursor.luck
                resample(world, root.mover)
                withdraw_secret_actions(world, root.mover)
                gots[g] = 0.0
                cursor.deep, cursor.above, cursor.grown = 0, 1, 0
            asking = masks[g], observations[g], waiting[g], visits[g], values[g]
            seek(
                root,
                world,
                cursor,
                settings,
                view,
                tree,
                paths[g],
                gots[g],
                useds[g],
                bounds[g],
                gains,
                chosen[g],
                asking,
            )

    one, other = compile_loops([search, guide], game.name, game.dtype)
    return one, other


#: Edges of a tree: a search whose nodes have more than this many grows no further.
MOST_EDGES: Final = 4_000_000


def view_of(variant: Variant) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.uint64]]:
    """Room for a mask, an observation, and the memory of both together, for the hash."""
    size, actions = variant.observation_size, variant.action_count
    words = np.zeros(-(-(size + actions) // 8), np.uint64)
    memory = words.view(np.int8)
    return memory[size : size + actions], memory[:size], words


def _tree(variant: Variant, iterations: int, *count: int) -> tuple[NDArray[Any], ...]:
    """Room for a tree, or for *count*: the hash table's slots, nodes, edges."""
    # Where others have decided in secret, an iteration may add a node above the first as well.
    nodes = iterations * (2 if variant.game.simultaneous else 1) + 1
    return (
        np.empty((*count, 1 << (2 * nodes - 1).bit_length()), np.int32),
        np.empty((*count, nodes), NODE),
        np.empty((*count, min(nodes * variant.action_count, MOST_EDGES)), EDGE),
    )


def room(variant: Variant, iterations: int, regret: bool = False) -> tuple[Any, ...]:
    """The memory that a search works in; *regret*: one by regret matching."""
    seats, open_ = variant.game.most_seats, can_prove(variant.game)
    world = np.zeros(1, variant.game.dtype)
    mask, observation, words = view_of(variant)
    if open_:
        words = world.view(np.uint64)
    tree = _tree(variant, iterations)
    edges = len(tree[2])
    return (
        world,
        (mask, observation, words),
        tree,
        np.empty(DEEPEST, STEP),
        np.empty(seats, np.float64),
        np.empty(seats, np.float64),
        np.zeros(2, np.int64),
        # The least and the most that a decision brought, and each seat's least in all.
        np.zeros(2 + seats, np.float64),
        # Of each edge settled what every seat gets after it; what they had before each decision.
        (
            np.zeros((edges if open_ else 0, seats), np.float32),
            np.empty((DEEPEST if open_ else 0, seats), np.float64),
        ),
        np.empty((edges if regret else 0, 3), np.float64),
    )


def guided_room(variant: Variant, iterations: int, count: int) -> tuple[Any, ...]:
    """The memory in which *count* searches work that a network guides: all but ``view``."""
    seats = variant.game.most_seats
    return (
        np.zeros(count, variant.game.dtype),
        np.zeros(count, CURSOR),
        _tree(variant, iterations, count),
        np.empty((count, min(DEEPEST, 8 * iterations)), STEP),
        np.empty((count, seats), np.float64),
        np.zeros((count, 2), np.int64),
        np.zeros((count, 2), np.float64),
        np.zeros((0, seats), np.float32),
        np.empty((0, 3), np.float64),
    )
