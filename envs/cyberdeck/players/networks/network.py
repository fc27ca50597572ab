"""Networks as players: what one reads of a game, which games it can play, what it decides."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.text import quoted
from cyberdeck.engine import registry
from cyberdeck.engine.contract import Feature, Option, is_whole
from cyberdeck.engine.game_batch import seen_as
from cyberdeck.engine.policy import (
    BUILT_IN,
    Expert,
    Policy,
    PolicyInput,
    drawn,
    last_observations,
    memory_for,
)
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, PolicyError
from cyberdeck.players.beliefs import Filter, FilterCache
from cyberdeck.players.networks import container
from cyberdeck.players.networks.features import differences, read, signature
from cyberdeck.players.networks.perceptron import (
    Floats,
    Layer,
    Perceptron,
    Prior,
    Value,
    Whole,
    stored,
)

#: How many worlds a network may follow at most.
MOST_WORLDS: Final = 10_000


class OthersSeen(NamedTuple):
    """That a network sees after its own observation those of the seats after it, as far as it may
    believe them (``Beliefs.views``).
    """

    player: str
    """The model of the others: a built-in player's name, as any other could be code."""
    limit: int
    """The number of worlds that are followed."""

    def check(self, history: int) -> None:
        """``PolicyError`` unless a network that looks back on *history* observations can see so."""
        player, limit = self
        known = isinstance(player, str) and player in BUILT_IN
        if not known or not is_whole(limit) or not 1 <= limit <= MOST_WORLDS:
            raise PolicyError(
                f"beliefs={quoted(list(self))} are not possible: a built-in player's name is "
                f"needed, and 1 to {MOST_WORLDS} worlds"
            )
        if history > 1:
            raise PolicyError("a network that sees beliefs sees no earlier observations: history=1")


class Network(Perceptron, Expert):
    """A multi-layer perceptron from the observation to a number for each action.

    It computes in double precision, so that a decision does not depend on what is decided beside
    it.

    Args:
        game: name of the game it plays.
        layers: (weights (out, in), biases (out,)) of each layer; or residual blocks, see ``Layer``.
        activation: "tanh" or "relu", after every layer but the last, and inside residual blocks.
        greedy: take the likeliest action, or draw one by the probabilities.
        name: how tables of results call it.
        options: the options it was trained with. It plays with any that show its features.
        one_hot: elements of the observation that the first layer gets one-hot, see ``Encoding``.
        history: how many observations it sees: the last ones at its seat's own decisions, the
            present one last, zeros before the first.
        prior: what is added to what the last layer gives.
        features: what it reads of each observation, in this order: by default all that the game
            shows with *options*.
        actions: how many there are in each group: by default those of the game with *options*.
        value: what says how much the seat that decides will still get, if the network says that.
        beliefs: whose views it sees after its own, if it does.

    >>> from cyberdeck import variant
    >>> zeros = [(np.zeros((69, 349)), np.zeros(69))]
    >>> Network("hackthegrid", zeros).check(variant("hackthegrid"))
    """

    tells_chances = True

    def __init__(
        self,
        game: str,
        layers: Sequence[Layer],
        activation: str = "tanh",
        greedy: bool = True,
        name: str = "network",
        options: Mapping[str, Any] | None = None,
        *,
        one_hot: Sequence[Whole] = (),
        history: int = 1,
        prior: Prior | None = None,
        features: Sequence[Feature] | None = None,
        actions: Sequence[int] | None = None,
        value: Value | None = None,
        beliefs: OthersSeen | None = None,
    ) -> None:
        super().__init__(layers, activation, one_hot, prior, value)
        self.game, self.greedy, self.name = game, greedy, name
        self.options = dict(options or {})
        if features is None or actions is None:
            trained = registry.variant(game, **self.options)
            features = trained.features if features is None else features
            actions = _groups(trained) if actions is None else actions
        self.actions = tuple(actions)
        #: The features that it reads of each observation, in this order; and how many numbers.
        self.features = tuple(features)
        self._size = sum(feature.size for feature in self.features)
        self.memory = memory_for(self.encoding.elements, history)
        self.history, self.beliefs = history, beliefs
        self.needs_history = beliefs is not None
        if beliefs is not None:
            beliefs.check(history)
            self._filters = FilterCache(beliefs.limit)
        self._check_sizes()
        #: What was last searched, and how it was shown there.
        self._searched: tuple[Variant | None, Variant | None] = (None, None)

    def _check_sizes(self) -> None:
        """The layers must take all that is read and give a number for each action."""
        names = [feature.name for feature in self.features]
        if len(set(names)) < len(names):
            raise PolicyError(f"each feature can be read once, not {names}")
        counts = [*self.actions, *(count for feature in self.features for count in feature.shape)]
        if any(count < 1 for count in counts):
            raise PolicyError("features and groups of actions have no sizes below 1")
        takes, gives, size = self.encoding.elements, self.shape[-1], self._size
        # Where it sees what others may see, the game says how many they are.
        views = self.history if self.beliefs is None else max(2, takes // max(size, 1))
        if (takes, gives) != (views * size, sum(self.actions)):
            times = f" in {views} observations" if views > 1 else ""
            raise PolicyError(
                f"{self.name} takes {takes} numbers and knows {gives} actions, and its features "
                f"have {views * size}{times} and there are {sum(self.actions)}: give the options "
                "and the history that it was trained with"
            )

    def check(self, variant: Variant) -> None:
        """The game must be the one it was made for, with its actions, and show its features."""
        if variant.game.name != self.game:
            raise OptionError(f"{self.name} plays {self.game}, not {variant.game.name}")
        wrong = self._differences(variant)
        if not wrong:
            if self.beliefs is not None:
                self._filter_for(variant)
            return
        do = f"use the options that it was trained with ({self.options})"
        try:
            old = bool(self._differences(Variant(variant.game, self.options)))
        except OptionError:  # there are no such options any more
            old = True
        if old:
            do = "it was made for another version of the game, train it anew"
        raise OptionError(
            f"{self.name} cannot play {variant.game.title} here, {'; '.join(wrong)}: {do}"
        )

    def _differences(self, variant: Variant) -> list[str]:
        """The reasons why it cannot play that variant of its game, in words."""
        wrong = []
        groups = _groups(variant)
        if groups != self.actions:
            wrong.append(f"there are {_sum(groups)} actions, and it knows {_sum(self.actions)}")
        if self.beliefs is not None:
            seats = self.encoding.elements // self._size
            if seats != variant.seats:
                wrong.append(f"there are {variant.seats} seats, and it sees {seats}")
        return wrong + differences(self.features, variant.features)

    def seated(self, variant: Variant) -> Policy:
        """The network; where its features are not shown, one that sees the game as in training."""
        # What the others see is told by the course of the game as it is shown.
        own_view = variant.game.name == self.game and self.beliefs is None
        if own_view and self._differences(variant):
            own = self._own_view(variant)
            if own is not None and not self._differences(own):
                return InOwnView(self, own)
        return super().seated(variant)

    def own_view(self, variant: Variant) -> Variant:
        """That variant as a search needs it: it shows the features that the network reads.

        If the network says what positions are worth, it also rewards as it did in training: the
        values are sums of such rewards. ``OptionError`` if it cannot play that game.
        """
        searched, own = self._searched  # another thread may change it meanwhile
        if own is None or searched is not variant:
            own = self._for_search(variant)
            self._searched = variant, own
        return own

    def _for_search(self, variant: Variant) -> Variant:
        if self.beliefs is not None:
            raise OptionError(
                f"{self.name} sees beliefs, which a search cannot follow: give a network that was "
                "trained without beliefs"
            )
        self.seated(variant)
        own = self._own_view(variant) if self._differences(variant) else variant
        assert own is not None, "seated() has said so"
        counts = (each for each in variant.game.options if each.scoring and self.value is not None)
        scoring = self._trained_with(counts)
        if all(own.options[name] == value for name, value in scoring.items()):
            return own
        return Variant(own.game, {**own.options, **scoring})

    def _trained_with(self, options: Iterable[Option]) -> dict[str, Any]:
        return {each.name: self.options.get(each.name, each.default) for each in options}

    def _own_view(self, variant: Variant) -> Variant | None:
        """The same game, shown as it was in training."""
        views = self._trained_with(option for option in variant.game.options if option.view)
        try:
            own = Variant(variant.game, {**variant.options, **views})
        except OptionError:  # there is no such view any more
            return None
        # Without a past nobody can be shown one.
        return None if own.game.recalls and not variant.game.recalls else own

    def outlook(
        self, variant: Variant, observations: NDArray[Any], masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], Floats]:
        """For a search: (N, A) probabilities, (N,) what the mover will still get, (N, A) logits.

        *observations* are (N, D), as vectors. What comes out is rounded, so that a search takes the
        same course whatever stands beside it: the last bits of a product depend on that.
        """
        logits, worths = self.logits_and_values(read(self.features, variant, observations))
        legal = np.where(masks == 1, logits, -np.inf)
        chances = probabilities(legal).astype(np.float32)
        return chances, worths.astype(np.float32), logits.round(6)

    def worths(self, variant: Variant, observations: NDArray[Any]) -> NDArray[np.float32]:
        """(N,): what whoever sees that will still get, also where another decides; for a search."""
        seen = read(self.features, variant, observations)
        return self.logits_and_values(seen)[1].astype(np.float32)

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        """The likeliest legal action, or one drawn by the probabilities of the legal ones."""
        return chosen(self._legal_logits(seen), self.greedy, seen.random_bits)

    def chances(self, seen: PolicyInput) -> Floats:
        """(N, A): the probabilities that it draws by, if it does."""
        return super().chances(seen) if self.greedy else probabilities(self._legal_logits(seen))

    def targets(self, seen: PolicyInput) -> tuple[Floats, Floats]:
        """Its probabilities, of which it may take but the likeliest. Of values it says nothing:
        they would be in the rewards of its own training.
        """
        return probabilities(self._legal_logits(seen)), np.full(len(seen), np.nan)

    def _legal_logits(self, seen: PolicyInput) -> Floats:
        """(N, A): nothing can be less likely than what is not legal."""
        shown = last_observations(self._read(seen), self.history)
        return np.where(seen.masks == 1, self.logits(shown), -np.inf)

    def _read(self, seen: PolicyInput) -> PolicyInput:
        """The same positions, with no other features than its own, in its own order; and what it
        believes that the others see.
        """
        variant = seen.variant
        shown = read(self.features, variant, seen.observations.reshape(len(seen), -1))
        if self.beliefs is not None:
            believe = self._filter_for(variant)
            views = [read(self.features, variant, believe(each).views) for each in seen.history]
            others = self.encoding.elements - shown.shape[1]
            shown = np.hstack([shown, np.reshape(views, (len(seen), others))])
        return replace(seen, observations=shown)

    def _filter_for(self, variant: Variant) -> Filter:
        """The filter that follows the worlds of games with these options."""
        beliefs = self.beliefs
        assert beliefs is not None
        return self._filters.of(variant, lambda _: BUILT_IN[beliefs.player])

    def save(self, path: str | Path) -> None:
        """Write the file; it is there whole, or not at all."""
        tensors = stored(self.layers)
        words = {
            "game": self.game,
            "features": json.dumps([signature(feature) for feature in self.features]),
            "actions": json.dumps(self.actions),
            "shape": " - ".join(map(str, self.shape)),
            "options": json.dumps(self.options),
            "one-hot": json.dumps(self.encoding.one_hot),
            "history": json.dumps(self.history),
            "prior": json.dumps(self.prior),
            "activation": self.activation,
            "greedy": json.dumps(self.greedy),
            "name": self.name,
        }
        if self.value is not None:
            tensors |= stored(self.value.layers, "value.")
            words["value after"] = json.dumps(self.value.after)
        if self.beliefs is not None:
            words["beliefs"] = json.dumps(self.beliefs)
        container.write(path, words, tensors)


class InOwnView(Expert):
    """A policy that sees the game as it was trained with, however it is shown to others."""

    needs_states = True
    tells_chances = True

    def __init__(self, policy: Network, variant: Variant) -> None:
        policy.check(variant)
        self.policy, self.variant = policy, variant
        self.name, self.memory = policy.name, policy.memory

    def check(self, variant: Variant) -> None:
        """It can play whatever the policy can."""
        self.policy.seated(variant)

    def seated(self, variant: Variant) -> Policy:
        """The policy as it plays that game: it may be another than before."""
        return self.policy.seated(variant)

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        """As the policy decides. Positions that look alike to a seat do so in every view."""
        return self.policy.decide(self._shown(seen))

    def chances(self, seen: PolicyInput) -> Floats:
        """(N, A): the policy's probabilities."""
        return self.policy.chances(self._shown(seen))

    def targets(self, seen: PolicyInput) -> tuple[Floats, Floats]:
        """The policy's."""
        return self.policy.targets(self._shown(seen))

    def _shown(self, seen: PolicyInput) -> PolicyInput:
        observations = seen_as(self.variant, seen.states)
        return replace(seen, variant=self.variant, observations=observations)


def probabilities(logits: Floats) -> Floats:
    """(N, A), the rows' softmax."""
    weights: Floats = np.exp(logits - logits.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def chosen(logits: Floats, greedy: bool, random_bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The likeliest action of each row, or if not *greedy* one drawn by the probabilities."""
    if greedy:
        best: NDArray[np.int64] = logits.argmax(axis=1)
        return best
    return drawn(np.exp(logits - logits.max(axis=1, keepdims=True)), random_bits)


def _groups(variant: Variant) -> tuple[int, ...]:
    """The number of actions in each group."""
    return tuple(count for count, _ in variant.actions)


def _sum(groups: Sequence[int]) -> str:
    return f"{sum(groups)} ({' + '.join(map(str, groups))})"
