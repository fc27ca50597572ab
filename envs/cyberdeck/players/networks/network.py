"""Networks as players: what one reads of a game, which games it can play, what it decides."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.reading import from_json
from cyberdeck.common.text import printable, quoted
from cyberdeck.engine import policy as policies
from cyberdeck.engine import registry
from cyberdeck.engine.contract import Feature
from cyberdeck.engine.game_batch import seen_as
from cyberdeck.engine.policy import BUILT_IN, Expert, Policy, PolicyInput, drawn
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import CyberdeckError, OptionError, PolicyError
from cyberdeck.players.beliefs import Filter, FilterCache
from cyberdeck.players.networks import files, perceptron
from cyberdeck.players.networks.files import (
    BelievedObservations,
    from_signature,
    reorder,
    signature,
)
from cyberdeck.players.networks.perceptron import Encoding, Floats, Layer, Prior, Value, Whole


class Network(Expert):
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
        beliefs: BelievedObservations | None = None,
    ) -> None:
        if activation not in perceptron.ACTIVATIONS:
            choose = f"choose one of {', '.join(perceptron.ACTIVATIONS)}"
            raise PolicyError(f"activation={quoted(activation)} is not possible: {choose}")
        perceptron.check_layers(layers)
        self.activation, self.layers = activation, perceptron.doubles(layers)
        more = sum(each.high - each.low for each in one_hot)
        self.encoding = Encoding(one_hot, self.layers[0][0].shape[1] - more)
        if prior is not None:
            prior.check(self.encoding.elements, len(self.layers[-1][1]))
        if value is not None:
            value.check(self.shape)
            value = Value(perceptron.doubles(value.layers), value.after)
        self.prior, self.value = prior, value
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
        self.memory = policies.memory_for(self.encoding.elements, history)
        self.history, self.beliefs = history, beliefs
        self.needs_history = beliefs is not None
        if beliefs is not None:
            beliefs.check(history)
            self._filters = FilterCache(beliefs.limit)
        self._check_sizes()
        #: What was last searched, and how it was shown there.
        self._searched: tuple[Variant | None, Variant | None] = (None, None)

    @property
    def shape(self) -> tuple[int, ...]:
        """The width of the input, of each hidden layer, and of the output."""
        return (self.layers[0][0].shape[1], *(len(layer[-1]) for layer in self.layers))

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
        there = {feature.name: feature for feature in variant.features}
        for feature in self.features:
            other = there.get(feature.name)
            if other is None:
                wrong.append(f"there is no feature {feature.name!r}")
            elif other.dtype != feature.dtype:
                wrong.append(f"{feature.name!r} is {other.dtype}, and it reads {feature.dtype}")
            elif signature(other) != signature(feature):
                wrong.append(
                    f"{feature.name!r} has the shape {other.shape} from {other.low} to "
                    f"{other.high}, and it reads {feature.shape} from {feature.low} to "
                    f"{feature.high}"
                )
        return wrong

    def seated(self, variant: Variant) -> Policy:
        """The network; where its features are not shown, one that sees the game as in training."""
        # What the others see is told by the course of the game as it is shown.
        own_view = variant.game.name == self.game and self.beliefs is None
        if own_view and self._differences(variant):
            own = shown_as(variant, self.options)
            if own is not None and not self._differences(own):
                return InOwnView(self, own)
        return super().seated(variant)

    def own_view(self, variant: Variant) -> Variant:
        """That variant as a search needs it: it shows the features that the network reads.

        If the network says what positions are worth, it also rewards as it did in training: the
        values are sums of such rewards. ``OptionError`` if it cannot play that game.
        """
        searched, own = self._searched  # another thread may change it meanwhile
        if own is not None and searched is variant:
            return own
        if self.beliefs is not None:
            raise OptionError(
                f"{self.name} sees beliefs, which a search cannot follow: give a network that was "
                "trained without beliefs"
            )
        self.seated(variant)
        own = shown_as(variant, self.options) if self._differences(variant) else variant
        assert own is not None, "seated() has said so"
        if self.value is not None:
            options = [each for each in variant.game.options if each.scoring]
            scoring = {each.name: self.options.get(each.name, each.default) for each in options}
            if any(own.options[name] != value for name, value in scoring.items()):
                own = Variant(own.game, {**own.options, **scoring})
        self._searched = variant, own
        return own

    def logits(self, observations: NDArray[Any]) -> Floats:
        """(N, A): the numbers that the network gives the actions, by all that it sees."""
        return self.logits_and_values(observations, valued=False)[0]

    def logits_and_values(
        self, observations: NDArray[Any], valued: bool = True
    ) -> tuple[Floats, Floats]:
        """(N, A) ``logits``; and (N,) what the value's layers give, zeros where nobody asks."""
        seen = observations.reshape(len(observations), -1)
        x, values, rest = self.encoding(seen), np.zeros(len(seen)), self.layers
        with np.errstate(over="ignore", invalid="ignore"):
            if valued and self.value is not None:
                shared, rest = rest[: self.value.after], rest[self.value.after :]
                x = perceptron.hidden(shared, self.activation, x)
                values = perceptron.through(self.value.layers, self.activation, x)[:, 0]
            logits = perceptron.through(rest, self.activation, x)
        if self.prior is not None:
            at, weight = self.prior
            logits += weight * seen[:, at : at + logits.shape[1]].astype(np.float64)
        for what, numbers in (("an action", logits), ("a position", values)):
            if not (np.abs(numbers) < perceptron.LARGEST).all():
                raise PolicyError(
                    f"{self.name} gives {what} a number that is not finite or beyond "
                    f"{perceptron.LARGEST:g}: its weights are too large to be of use, train it anew"
                )
        return logits, values

    def outlook(
        self, variant: Variant, observations: NDArray[Any], masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], Floats]:
        """For a search: (N, A) probabilities, (N,) what the mover will still get, (N, A) logits.

        *observations* are (N, D), as vectors. What comes out is rounded, so that a search takes the
        same course whatever stands beside it: the last bits of a product depend on that.
        """
        logits, worths = self.logits_and_values(reorder(self.features, variant, observations))
        legal = np.where(masks == 1, logits, -np.inf)
        chances = probabilities(legal).astype(np.float32)
        return chances, worths.astype(np.float32), logits.round(6)

    def worths(self, variant: Variant, observations: NDArray[Any]) -> NDArray[np.float32]:
        """(N,): what whoever sees that will still get, also where another decides; for a search."""
        seen = reorder(self.features, variant, observations)
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
        shown = policies.last_observations(self._read(seen), self.history)
        return np.where(seen.masks == 1, self.logits(shown), -np.inf)

    def _read(self, seen: PolicyInput) -> PolicyInput:
        """The same positions, with no other features than its own, in its own order; and what it
        believes that the others see.
        """
        variant = seen.variant
        shown = reorder(self.features, variant, seen.observations.reshape(len(seen), -1))
        if self.beliefs is not None:
            believe = self._filter_for(variant)
            views = [reorder(self.features, variant, believe(each).views) for each in seen.history]
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
        tensors = perceptron.stored(self.layers)
        values: dict[str, Any] = {
            "features": [signature(feature) for feature in self.features],
            "actions": self.actions,
            "options": self.options,
            "one-hot": self.encoding.one_hot,
            "history": self.history,
            "prior": self.prior,
            "greedy": self.greedy,
        }
        if self.value is not None:
            tensors |= perceptron.stored(self.value.layers, files.VALUE)
            values["value after"] = self.value.after
        if self.beliefs is not None:
            values["beliefs"] = self.beliefs
        words = {word: json.dumps(value) for word, value in values.items()}
        words |= {"game": self.game, "activation": self.activation, "name": self.name}
        words["shape"] = " - ".join(map(str, self.shape))
        files.write(path, words, tensors)


def load(path: str | Path) -> Network:
    """The policy in a file, or ``PolicyError``. Nothing in the file is run.

    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> with TemporaryDirectory() as folder:
    ...     made = Network("hackthegrid", [(np.zeros((69, 349)), np.zeros(69))])
    ...     made.save(f"{folder}/zeros.safetensors")
    ...     load(f"{folder}/zeros.safetensors").name
    'zeros'
    """
    words, tensors = files.read(path)
    if files.READER in words:
        raise PolicyError(
            f"{path} holds a network of somebody's own, {printable(words[files.READER], 60)} reads "
            "it: it plays by its name, and is nothing else"
        )
    try:
        layers, value = files.layers_of(tensors)
        values = files.checked_words(words)
        prior, beliefs = values["prior"], values["beliefs"]
        return Network(
            values["game"],
            layers,
            values["activation"],
            values["greedy"],
            Path(path).stem,
            values["options"],
            one_hot=[Whole(*each) for each in values["one-hot"]],
            history=values["history"],
            prior=None if prior is None else Prior(*prior),
            features=[from_signature(*each) for each in values["features"]],
            actions=values["actions"],
            value=Value(value, from_json(words["value after"])) if value else None,
            beliefs=None if beliefs is None else BelievedObservations(*beliefs),
        )
    except KeyError as missing:
        raise PolicyError(f"{path} does not say its {missing}") from None
    except (CyberdeckError, ValueError, OverflowError) as error:
        raise PolicyError(printable(f"{path}: {error}")) from None


def shown_as(variant: Variant, options: Mapping[str, Any]) -> Variant | None:
    """The same game, shown as it is with *options*; None if it cannot be."""
    views = {o.name: options.get(o.name, o.default) for o in variant.game.options if o.view}
    try:
        own = Variant(variant.game, {**variant.options, **views})
    except OptionError:  # there is no such view any more
        return None
    # Without a past nobody can be shown one.
    return None if own.game.recalls and not variant.game.recalls else own


class InOwnView(Expert):
    """A policy that sees the game as it was trained with, however it is shown to others."""

    needs_states = True
    tells_chances = True

    def __init__(self, policy: Expert, variant: Variant) -> None:
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
