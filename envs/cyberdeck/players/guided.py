"""Search that a network guides, in many games side by side.

Every game's search goes down to a decision that it has not met (``trees/guiding.py``), all of these
are put to the network in one product, and every search goes on with what it says. Its probabilities
are the priors of the moves there. What it says the position is worth to the one who decides is
credited to that side, and taken from the other one; with more than two sides it is asked what the
position is worth to every seat, by what each sees.

At the first node either PUCT chooses, or sequential halving of the moves that Gumbel noise and the
network's logits bring to the top (Danihelka et al. 2022). It ends with the move that is best by
noise, logit and completed value: those never tried are taken to bring what the network and those
tried make likely.
"""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice, native
from cyberdeck.engine.arguments import zeros
from cyberdeck.engine.pieces import Pieces
from cyberdeck.engine.policy import PolicyInput
from cyberdeck.engine.recall import as_records
from cyberdeck.engine.threads import together
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.players import baselines
from cyberdeck.players.networks import Network, load, probabilities
from cyberdeck.players.trees.growing import Settings, Values, Visits, lengths_of, tree_of, view_of
from cyberdeck.players.trees.guiding import DONE, LEAF, Searches, guide_loop, searches_taken

#: So many moves are tried at a Gumbel root at most.
CONSIDERED: Final = 16
#: What values weigh beside logits there, as in mctx.
VISITS_BEGIN, VALUE_SCALE = 50.0, 0.1

#: Searches that are gone on with at once, where it is not known how long that takes.
_AT_ONCE: Final = 64

#: Bytes of memory for the trees that are searched side by side; beyond that, one part of the games
#: after the other.
ROOM: Final = 1 << 28


def network_for(chosen: str | Network, variant: Variant) -> Network:
    """The network that is meant, or ``OptionError`` if it cannot guide a search of that game."""
    if isinstance(chosen, Network):
        network = chosen
    elif chosen == baselines.NAME:
        network = baselines.baseline(variant)
    else:
        network = load(chosen)
    if network.history > 1:
        raise OptionError(
            f"{network.name} looks back on {network.history} observations, and a search does not: "
            "give a network that was trained without history"
        )
    network.own_view(variant)  # says so if it cannot play that game
    return network


def unlearned(variant: Variant) -> Network:
    """A network that holds all actions alike: to try a guided search with.

    >>> from cyberdeck import variant
    >>> unlearned(variant("hackthegrid")).shape
    (349, 69)
    """
    actions = variant.action_count
    zeros = [(np.zeros((actions, variant.observation_size)), np.zeros(actions))]
    return Network(variant.game.name, zeros, name="unlearned", options=variant.options)


class Found(NamedTuple):
    """The results of searches.

    visits, values (N, A): how often every action was tried, and what it brought on average
    actions (N,): what to do
    policy (N, A): how probable each action should be by that: its share of the visits, or at a
                   Gumbel root the network's probabilities, improved by completed values
    """

    visits: Visits
    values: Values
    actions: NDArray[np.int64]
    policy: NDArray[np.float64]


def search(network: Network, settings: Settings, gumbel: bool, seen: PolicyInput) -> Found:
    """Search in every game; each thread has games of its own. *gumbel*: so it chooses at roots."""
    shown = network.own_view(seen.variant)
    if shown is not seen.variant:
        states = as_records(shown.game, seen.states)
        shown.game.write(states, shown.options)
        seen = replace(seen, variant=shown, states=states)
    workers = max(1, min(seen.threads, len(seen)))
    each = sum(part.nbytes for part in tree_of(shown, settings.iterations, 1))
    count = min(max(1, ROOM // (each * workers)), max(1, -(-len(seen) // workers)))
    parts = [np.arange(at, min(at + count, len(seen))) for at in range(0, max(1, len(seen)), count)]

    def run(number: int) -> Found:
        return _search(network, settings, gumbel, seen.rows(parts[number]))

    found = together(run, len(parts), workers)
    return Found(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))


def _search(network: Network, settings: Settings, gumbel: bool, seen: PolicyInput) -> Found:
    """``search`` in some of the games, in one thread."""
    variant, count, watch = seen.variant, len(seen), seen.watch
    view, valued = view_of(variant), int(network.value is not None)
    trees = tree_of(variant, settings.iterations, count)
    seats = variant.seats if valued and max(variant.sides) > 1 else 0  # that are asked for
    lengths = {**lengths_of(variant, trees), "O": seats}
    guide = native.fitted(guide_loop(variant.game), **lengths)
    searches = Searches._make(zeros(searches_taken(variant.game), **lengths, N=count))
    searches = searches._replace(states=seen.states, random_bits=seen.random_bits)
    visits, values, chosen = searches.visits, searches.values, searches.chosen
    chosen[:] = -1
    at_once = Pieces(_AT_ONCE)

    @functools.lru_cache(maxsize=1)
    def some(first: int, end: int) -> tuple[Any, ...]:
        """Those of the searches that are gone on with at once."""
        own = [type(each)._make(array[first:end] for array in each) for each in (trees, searches)]
        return own[0], view, own[1]

    def run(answered: int) -> None:
        pieces = at_once.of(count) if count > _AT_ONCE else ((0, count),)
        for first, end in pieces:
            guide(settings, valued, answered, *some(first, end))

    deciding, root = np.zeros(0, np.int64), None
    # The first node, and for each iteration a leaf and at most one node above the first.
    for step in range(2 * settings.iterations + 1):
        run(0)
        rows, stages = np.flatnonzero(searches.cursors["waiting"]), searches.cursors["stage"]
        if len(rows):
            masks, worths = searches.masks[rows], searches.worths
            searches.priors[rows], worths[rows], logits = network.outlook(
                variant, searches.observations[rows], masks
            )
            leaves = rows[stages[rows] == LEAF]
            if seats and len(leaves):
                others = searches.others[leaves].reshape(-1, searches.others.shape[2])
                searches.gains[leaves] = network.worths(variant, others).reshape(-1, seats)
            if gumbel and step == 0:
                deciding, bits = rows, seen.random_bits[rows]
                root = _Root(logits, worths[rows], masks, bits, settings.iterations)
        elif (stages == DONE).all():
            break
        run(1)
        if root is not None:
            chosen[deciding] = root.next_action(visits[deciding], values[deciding])
        if watch is not None and not watch(visits.sum() / settings.iterations) and visits.any():
            break
    decided, policy = most_visited(visits, values), shares(visits)
    if root is not None:
        found = visits[deciding], values[deciding]
        decided[deciding] = root.final(*found)
        policy[deciding] = root.improved(*found, variant.game.reward_bound)
    return Found(visits, values, decided, policy)


def most_visited(visits: Visits, values: Values) -> NDArray[np.int64]:
    """(N,): the action tried most often; of equals the one that brought more."""
    best = np.where(visits == visits.max(axis=1, keepdims=True), values, -np.inf)
    actions: NDArray[np.int64] = best.argmax(axis=1)
    return actions


def shares(visits: Visits) -> NDArray[np.float64]:
    """(N, A): each action's share of the visits."""
    share: NDArray[np.float64] = visits / np.maximum(visits.sum(axis=1, keepdims=True), 1)
    return share


class _Root:
    """The first nodes of all games that ask the network, with Gumbel noise and sequential halving.

    It is given what the network says of each game and action, and then what was found out so far.
    """

    def __init__(
        self,
        logits: NDArray[np.float64],
        worths: NDArray[np.float32],
        masks: NDArray[np.int8],
        random_bits: NDArray[np.uint64],
        iterations: int,
    ) -> None:
        self._legal, self._worths = masks == 1, worths
        self._logits = np.where(self._legal, logits, -np.inf)
        self._noisy = self._logits + _gumbel(random_bits, masks.shape[1])
        # How likely the network takes each beside its likeliest; never nothing, to be divided by.
        beside = np.exp(self._logits - self._logits.max(axis=1, keepdims=True))
        self._chances = np.maximum(beside, 1e-9)
        considered = np.minimum(self._legal.sum(axis=1), CONSIDERED).tolist()
        self._due = np.array([_visits_due(many, iterations) for many in considered])

    def next_action(self, visits: Visits, values: Values) -> NDArray[np.int64]:
        """(N,): what to try next: the best of those that have been tried as often as is due."""
        done = np.minimum(visits.sum(axis=1), self._due.shape[1] - 1)
        return self._best(visits, values, self._due[np.arange(len(done)), done])

    def final(self, visits: Visits, values: Values) -> NDArray[np.int64]:
        """(N,): the best of those tried most often."""
        return self._best(visits, values, visits.max(axis=1))

    def improved(self, visits: Visits, values: Values, bound: float) -> NDArray[np.float64]:
        """(N, A): the network's probabilities, improved by what was found out.

        Here values count by what rewards can be, *bound*, not by how far apart those of one
        position lie: whoever learns from it would take their noise for certain. (Tic-tac-toe is
        learned without a mistake so, and with seven positions wrong otherwise.)
        """
        completed = self._completed(visits, values) / (2 * bound)
        return probabilities(self._logits + self._weighted(visits, completed))

    def _best(self, visits: Visits, values: Values, often: NDArray[Any]) -> NDArray[np.int64]:
        completed = self._completed(visits, values)
        low = np.where(self._legal, completed, np.inf).min(axis=1, keepdims=True)
        high = np.where(self._legal, completed, -np.inf).max(axis=1, keepdims=True)
        scaled = (completed - low) / np.maximum(high - low, 1e-8)
        scores = self._noisy + self._weighted(visits, scaled)
        # None of them: only where a game was cut short on its way.
        among = self._legal & (visits == often[:, None])
        among[~among.any(axis=1)] = True
        best: NDArray[np.int64] = np.where(among, scores, -np.inf).argmax(axis=1)
        return best

    def _completed(self, visits: Visits, values: Values) -> NDArray[np.float64]:
        """(N, A): what was tried brought that; the others what network and those tried say."""
        tried, total = visits > 0, visits.sum(axis=1)
        weights = np.where(tried, self._chances, 0.0)
        mean = (weights * values).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-30)
        mixed = (self._worths + total * mean) / (1.0 + total)
        return np.where(tried, values, mixed[:, None])

    def _weighted(self, visits: Visits, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        """(N, A): values from 0 to 1 as they are added to logits."""
        added: NDArray[np.float64] = scaled * VALUE_SCALE
        added *= VISITS_BEGIN + visits.max(axis=1, keepdims=True)
        return added


@functools.cache
def _visits_due(considered: int, iterations: int) -> list[int]:
    """For each iteration, how often the move that is tried next has been tried already.

    Sequential halving: all that are considered in turn, then the better half of them, and so on.

    >>> _visits_due(4, 8)
    [0, 0, 0, 0, 1, 1, 2, 2]
    """
    if considered == 1:
        return list(range(iterations))
    rounds, left = math.ceil(math.log2(considered)), considered
    due: list[int] = []
    often = 0
    while len(due) < iterations:
        for _ in range(max(1, iterations // (rounds * left))):
            due += [often] * left
            often += 1
        left = max(2, left // 2)
    return due[:iterations]


def _gumbel(random_bits: NDArray[np.uint64], actions: int) -> NDArray[np.float64]:
    """(N, A): noise of Gumbel's distribution for every action, from 64 random bits a row."""
    mixed = vars(dice.mixed)["py_func"]  # as plain Python it takes arrays
    with np.errstate(over="ignore"):
        steps = random_bits[:, None] + dice.STEP * np.arange(1, actions + 1, dtype=np.uint64)
        bits = mixed(~steps)
    even = ((bits >> np.uint64(12)) + 0.5) * 2.0**-52
    noise: NDArray[np.float64] = -np.log(-np.log(even))
    return noise
