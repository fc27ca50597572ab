"""Monte Carlo tree search as a player of every game. How it searches: ``trees/``."""

from __future__ import annotations

import copy
import inspect
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import native
from cyberdeck.engine.contract import Game, is_whole
from cyberdeck.engine.pieces import Pieces
from cyberdeck.engine.policy import Expert, Policy, PolicyInput, certain, drawn
from cyberdeck.engine.threads import together
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, require
from cyberdeck.players import find_player, guided
from cyberdeck.players.beliefs import Filter, FilterCache
from cyberdeck.players.guided import Found
from cyberdeck.players.networks import Network
from cyberdeck.players.trees import searching
from cyberdeck.players.trees.growing import PLAYOUTS, Settings, Values, Visits, lengths_of

#: What chooses at the first node where a network guides the search.
ROOTS: Final = ("puct", "gumbel")

#: How a seat chooses in the tree.
SELECTIONS: Final = ("puct", "regret")

#: Pieces for each thread: some games end soon, and leave less to search.
_PIECES: Final = 8

#: How many worlds one that has beliefs holds possible.
WORLDS: Final = 200

#: Iterations that are made at once, where it is not known how long they take; and at most, where
#: only those of other games say it.
_AT_ONCE, _MOST = 64, 1024

#: How probable the heuristic's move is for others who decide in secret, if nobody says otherwise.
OPPONENT_PRIOR_IN_SECRET: Final = 0.98


#: Iterations that are stronger than the heuristic, in about a second; where seats decide in secret
#: at the same time, fewer tell little.
_USUAL, _IN_SECRET = 200, 1000


def usual_search(game: Game) -> Search:
    """A search to ask for advice."""
    return Search(_IN_SECRET if game.simultaneous else _USUAL)


def matches_regrets(game: Game, selection: str | None) -> bool:
    """True if a search with that setting uses regret matching in that game."""
    if selection is None:
        return game.simultaneous and not game.has_heuristic
    return selection == "regret" and not game.open


class Search(Expert):
    """Monte Carlo tree search that sees what its seat sees, and no more.

    Args:
        iterations: how often it plays on from the position before it decides.
        playout: who plays the games on to their end, "heuristic" or "random".
        length: decisions of a playout at most; what was not earned by then does not count.
        prior: in a game that has a heuristic, how probable it holds its move to be the best before
            it has tried: from 0 (all moves alike) to less than 1.
        opponent_prior: the same for the moves of others. None leaves it to the game: *prior*, or
            0.98 where seats decide in secret at the same time, as little is learned about them
            there.
        c_puct: how much it tries what was seldom tried.
        selection: how every seat chooses in the tree. "puct" looks for the best answer to what
            the others do; "regret" (regret matching, for games with secrets) for how to mix its
            actions so that they cannot be answered, and draws one by that. None: "regret" where
            seats decide in secret at the same time and there is no heuristic, else "puct".
        network: a policy that guides the search: its file, "baseline" for the published one, or
            itself. Its probabilities are the priors of all moves. What it says a position is worth
            takes the place of the playout, if it says that.
        root: what chooses at the first node under a network: "puct", or "gumbel" (sequential
            halving of moves drawn by the network, with completed values).
        belief: a player, by name or itself: what is hidden is drawn by what the seat may believe if
            the others have played like that one since the game began, see ``Batch.beliefs``. None:
            by the game's ``resample``.

    >>> from cyberdeck import Batch
    >>> batch = Batch("hackthegrid", 1, seed=3, seat=0, opponent=Search(iterations=20))
    """

    needs_states = True

    def __init__(
        self,
        iterations: int = 200,
        playout: str = "heuristic",
        length: int = 1000,
        prior: float = 0.5,
        opponent_prior: float | None = None,
        c_puct: float = 1.25,
        selection: str | None = None,
        network: str | Network | None = None,
        root: str = "puct",
        belief: str | Policy | None = None,
    ) -> None:
        tries = is_whole(iterations) and 1 <= iterations <= 1_000_000
        require(tries, "iterations", iterations, "choose 1 to 1000000")
        require(playout in PLAYOUTS, "playout", playout, "choose random or heuristic")
        require(is_whole(length) and length >= 0, "length", length, "a whole number is needed")
        require(0 <= prior < 1, "prior", prior, "choose 0 to less than 1")
        possible = opponent_prior is None or 0 <= opponent_prior < 1
        require(possible, "opponent_prior", opponent_prior, "choose 0 to less than 1, or None")
        require(0 <= c_puct < np.inf, "c_puct", c_puct, "it must not be negative")
        possible = selection in (None, *SELECTIONS)
        require(possible, "selection", selection, "choose puct or regret, or None")
        require(root in ROOTS, "root", root, "choose puct or gumbel")
        if network is None and root == "gumbel":
            raise OptionError("root=gumbel needs a network: give network=baseline, or a file")
        if network is not None and selection == "regret":
            raise OptionError("selection=regret goes without a network: leave one out")
        if network is not None and belief is not None:
            raise OptionError("belief= goes without a network: leave one out")
        self.network, self.root, self.selection, self.belief = network, root, selection, belief
        self.needs_history = belief is not None
        self._filters = FilterCache(WORLDS)
        self.iterations, self.playout, self.length = int(iterations), playout, int(length)
        self.prior, self.c_puct = float(prior), float(c_puct)
        self.opponent_prior = None if opponent_prior is None else float(opponent_prior)
        self.name = self._named()

    def _named(self) -> str:
        """As players name it: its iterations, and all other settings that are not the default."""
        named: dict[str, Any] = {}
        network = self.network
        if network is not None:
            named["network"] = network.name if isinstance(network, Network) else Path(network).stem
        named["iterations"] = self.iterations
        for name, setting in inspect.signature(Search).parameters.items():
            value = getattr(self, name, None)
            if name != "network" and value != setting.default:
                named[name] = value.name if isinstance(value, Policy) else value
        return "search:" + ",".join(f"{name}={value}" for name, value in named.items())

    def check(self, variant: Variant) -> None:
        """Only where something is hidden is there a reason to mix."""
        if self.selection == "regret" and variant.game.open:
            raise OptionError(
                f"selection='regret' is for games with secrets, and {variant.game.title} has none: "
                "choose puct"
            )
        if self.belief is not None:
            if variant.game.open:
                raise OptionError(
                    f"belief= is for games with secrets, and {variant.game.title} has none: leave "
                    "it out"
                )
            self._filter_for(variant)

    def seated(self, variant: Variant) -> Policy:
        """The search with the network that plays that game; as it is where none guides it."""
        own = copy.copy(self)
        own._filters = FilterCache(WORLDS)
        own.check(variant)
        if self.network is None:
            return own if self.belief is not None else self
        own.network = guided.network_for(self.network, variant)
        return own

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        """The action tried most often; of equals the one that brought more.

        By regret matching: one drawn as often as the mean of the strategies takes it.
        """
        return drawn(self.chances(seen), seen.random_bits)

    def chances(self, seen: PolicyInput) -> NDArray[np.float64]:
        """(N, A): the probability of each action, once it has searched with the given bits."""
        found = self._search(seen)
        if self.network is None and matches_regrets(seen.variant.game, self.selection):
            return found.policy
        return certain(found.actions, seen.masks.shape[1])

    def targets(self, seen: PolicyInput) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The share of the visits that each action got, or the improved policy of a Gumbel root.

        What a position is worth is left to the games: a search of few iterations knows it less.
        """
        return self._search(seen).policy, np.full(len(seen), np.nan)

    def examine(self, seen: PolicyInput, forced: bool = False) -> tuple[Visits, Values]:
        """(N, A) each: how often every action was tried, and what it brought on average.

        By regret matching: how often the mean of the strategies takes it in so many iterations.
        The only legal action is taken at once; *forced*: what it brings is found out, too (by one
        that has no network).
        """
        found = self._search(seen, forced)
        return found.visits, found.values

    def _search(self, seen: PolicyInput, forced: bool = False) -> Found:
        """The results of a search in every game."""
        if self.network is not None:
            network = guided.network_for(self.network, seen.variant)
            settings = self._settings(seen.variant.game)
            return guided.search(network, settings, self.root == "gumbel", seen)
        variant, count = seen.variant, len(seen)
        visits = np.zeros((count, variant.action_count), np.int32)
        values = np.zeros((count, variant.action_count), np.float64)
        settings = self._settings(variant.game)._replace(forced=int(forced))
        workers = min(seen.threads, count)
        believed = None if self.belief is None else self._believed(seen)
        loop = (searching.believing_loop if believed else searching.search_loop)(variant.game)
        regret = matches_regrets(variant.game, self.selection)
        rooms = [searching.room_of(variant, self.iterations, regret) for _ in range(workers)]
        lengths = {**lengths_of(variant, rooms[0].tree), "R": len(rooms[0].regrets)}
        loop = native.fitted(loop, **lengths)
        pieces = min(count, _PIECES * workers) if workers > 1 else workers
        watch = seen.watch if count == 1 else None

        def search(piece: int) -> None:
            at, stop = count * piece // pieces, count * (piece + 1) // pieces
            own, at_once = rooms.pop(), Pieces(1 if watch else _AT_ONCE)
            while at < stop:
                at_once.some = min(at_once.some, _MOST)  # these may have ended sooner than others
                many = max(1, min(stop - at, at_once.some // self.iterations))
                part = slice(at, at + many)
                worlds = believed and believed._replace(begins=believed.begins[at : at + many + 1])
                given = seen.states[part], seen.random_bits[part], worlds or 0, settings
                for begin, end in at_once.of(self.iterations, many):
                    loop(*given, begin, end, own, visits[part], values[part])
                    if watch and not watch(end / self.iterations):
                        return
                at += many
            rooms.append(own)

        together(search, pieces, workers)
        return Found(visits, values, guided.most_visited(visits, values), guided.shares(visits))

    def _filter_for(self, variant: Variant) -> Filter:
        """The filter that follows the worlds of games with these options."""
        belief = self.belief
        assert belief is not None
        return self._filters.of(variant, lambda variant: find_player(variant, belief))

    def _believed(self, seen: PolicyInput) -> searching.Believed:
        """The worlds of all games, as the loop takes them."""
        own = self._filter_for(seen.variant)
        found = [own(history) for history in seen.history]
        return searching.Believed(
            np.concatenate([each.states for each in found]),
            np.concatenate([each.weights.cumsum() for each in found]),
            np.cumsum([0, *map(len, found)]),
        )

    def _settings(self, game: Game) -> Settings:
        """As the loops take them."""
        prior, opponent_prior = self.prior, self.opponent_prior
        if opponent_prior is None:
            opponent_prior = OPPONENT_PRIOR_IN_SECRET if game.simultaneous else prior
        if not game.has_heuristic:  # any move is as good as what stands in its place
            prior = opponent_prior = 0.0
        playout = PLAYOUTS.index(self.playout)
        return Settings(
            self.iterations, self.length, playout, 0, self.c_puct, prior, opponent_prior
        )
