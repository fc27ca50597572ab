"""Saved policies: the weights of a small network in a file that holds no code.

A ``.safetensors`` file: numbers, and a few words about the game. It is run by NumPy alone, so that
a policy trained with PyTorch plays anywhere. Needs the extra ``evaluate``.

The file names the features that the network reads: it plays wherever a game shows them, whatever
else is shown and in whatever order.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.extras import need
from cyberdeck.common.files import write_whole
from cyberdeck.common.reading import fault_of_text, from_json, opened
from cyberdeck.common.text import printable, quoted
from cyberdeck.engine import registry
from cyberdeck.engine.contract import DTYPES, Feature, Option, is_whole
from cyberdeck.engine.definitions import is_real
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
from cyberdeck.errors import CyberdeckError, OptionError, PolicyError
from cyberdeck.players.beliefs import Filter

VERSION: Final = 4

#: How many bytes a file of one may have.
_MOST: Final = 1 << 30

#: How many worlds a network may follow at most.
MOST_WORLDS: Final = 10_000

#: The ending of a saved policy's file.
SUFFIX: Final = ".safetensors"

#: What the numbers of a layer are called in a file; the last two are of residual blocks.
_PARTS: Final = ("weights", "biases", "back.weights", "back.biases")

#: All that a network says lies within it. What follows from larger numbers may not be finite, and
#: the compiled loops of a search rely on that.
_LARGEST: Final = 1e30

#: What follows every hidden layer.
ACTIVATIONS: Final[Mapping[str, Callable[[NDArray[Any]], NDArray[Any]]]] = {
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0.0),
}


#: (weights (out, in), biases (out,)); or, of a residual block, (W1, b1, W2, b2): it takes x and
#: gives x + W2 f(W1 x + b1) + b2, with f the activation.
Layer: TypeAlias = tuple[NDArray[Any], ...]

Floats: TypeAlias = NDArray[np.float64]


class Whole(NamedTuple):
    """An element of the observation that is a whole number from *low* to *high*."""

    element: int
    low: int
    high: int


class Prior(NamedTuple):
    """A prior that a network builds on: a stretch of the observation, a number for each action."""

    at: int
    """The element of all that it sees at which the prior begins."""
    weight: float
    """By what it is multiplied before it is added to what the layers give the actions."""


class Value(NamedTuple):
    """What says how much the seat that decides will still get."""

    layers: Sequence[Layer]
    """The last one gives one number."""
    after: int
    """After so many of the policy's own layers: 0 for what goes in."""


class OthersSeen(NamedTuple):
    """That a network sees after its own observation those of the seats after it, as far as it may
    believe them (``Beliefs.views``).
    """

    player: str
    """How the others are taken to play: a built-in player's name, for any other could be code."""
    limit: int
    """How many worlds are followed."""


class Encoding:
    """What a network sees of an observation: some of its whole numbers one-hot, the rest as it is.

    First come the other elements in their order, then those of *one_hot*, each as
    ``high - low + 1`` numbers, 0 or 1. A value out of these bounds is all zeros.

    >>> Encoding([Whole(1, 0, 2)], 3)(np.array([[7, 2, 9]])).tolist()
    [[7.0, 9.0, 0.0, 0.0, 1.0]]
    """

    def __init__(self, one_hot: Sequence[Whole], size: int) -> None:
        ends = [end for each in one_hot for end in (each.low, each.high)]
        ordered = all(each.low <= each.high for each in one_hot)
        least, most = min(ends, default=0), max(ends, default=0)
        if not ordered or least < -(2**15) or most >= 2**15:
            raise PolicyError("one-hot elements need bounds of 16 bits, the lower one first")
        elements = [each.element for each in one_hot]
        within = all(0 <= each < size for each in elements)
        if elements != sorted(set(elements)) or not within:
            raise PolicyError(
                f"one-hot elements {quoted(elements)} are not possible: each once, in order, "
                f"below {size}"
            )
        self.one_hot, self.elements = list(one_hot), size
        self.kept = np.setdiff1d(np.arange(size), elements)
        spans = [each.high - each.low + 1 for each in one_hot]
        #: For each 0 or 1 that comes out: of which element, and of which value.
        self.sources = np.repeat(np.array(elements, np.int64), spans)
        values = [np.arange(each.low, each.high + 1) for each in one_hot]
        self.values = np.concatenate([np.empty(0, np.int64), *values]).astype(
            np.min_scalar_type(-1 - max(-1 - least, most))  # int8 where that does
        )

    @property
    def size(self) -> int:
        """How many numbers come out."""
        return len(self.kept) + len(self.values)

    def __call__(self, observations: NDArray[Any]) -> Floats:
        """(N, size) of (N, elements)."""
        if not self.one_hot:
            return observations.astype(np.float64)
        encoded = np.empty((len(observations), self.size))
        at = len(self.kept)
        encoded[:, :at] = observations.take(self.kept, axis=1)
        np.equal(observations.take(self.sources, axis=1), self.values, out=encoded[:, at:])
        return encoded


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
        one_hot: Sequence[Whole] = (),
        history: int = 1,
        prior: Prior | None = None,
        features: Sequence[Feature] | None = None,
        actions: Sequence[int] | None = None,
        value: Value | None = None,
        beliefs: OthersSeen | None = None,
    ) -> None:
        if activation not in ACTIVATIONS:
            choose = f"choose one of {', '.join(ACTIVATIONS)}"
            raise PolicyError(f"activation={quoted(activation)} is not possible: {choose}")
        _check_layers(layers)
        self.game, self.activation, self.greedy, self.name = game, activation, greedy, name
        self.layers = _doubles(layers)
        self.options = dict(options or {})
        if features is None or actions is None:
            trained = registry.variant(game, **self.options)
            features = trained.features if features is None else features
            actions = _groups(trained) if actions is None else actions
        self.features, self.actions = tuple(features), tuple(actions)
        more = sum(each.high - each.low for each in one_hot)
        self.encoding = Encoding(one_hot, self.layers[0][0].shape[1] - more)
        self.memory = memory_for(self.encoding.elements, history)
        self.history, self.beliefs = history, beliefs
        self.needs_history = beliefs is not None
        self._filter: Filter | None = None
        if beliefs is not None:
            _check_beliefs(beliefs, history)
        _check_sizes(self)
        if prior is not None:
            _check_prior(prior, self.encoding.elements, len(self.layers[-1][1]))
        self.prior = prior
        if value is not None:
            _check_value(value, self.shape)
            value = Value(_doubles(value.layers), value.after)
        self.value = value
        #: Where the features lie in the observation that was last decided on.
        self._places: tuple[Sequence[Feature], NDArray[np.int64] | None] = (self.features, None)
        #: What was last searched, and how it was shown there.
        self._searched: tuple[Variant | None, Variant | None] = (None, None)

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
        """What keeps it from playing that variant of its game, in words."""
        wrong = []
        groups = _groups(variant)
        if groups != self.actions:
            wrong.append(f"there are {_sum(groups)} actions, and it knows {_sum(self.actions)}")
        if self.beliefs is not None:
            seats = self.encoding.elements // _read_by(self)
            if seats != variant.seats:
                wrong.append(f"there are {variant.seats} seats, and it sees {seats}")
        return wrong + different(self.features, variant.features)

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

    @property
    def shape(self) -> tuple[int, ...]:
        """How many numbers go in, lie in each hidden layer, and come out."""
        return (self.layers[0][0].shape[1], *(len(layer[-1]) for layer in self.layers))

    def logits(self, observations: NDArray[Any]) -> Floats:
        """(N, A): the numbers that the network gives the actions, by all that it sees."""
        return self._computed(observations, False)[0]

    def _computed(self, observations: NDArray[Any], valued: bool) -> tuple[Floats, Floats]:
        """(N, A) ``logits``; and (N,) what the value's layers say, zeros where nobody asks."""
        seen = observations.reshape(len(observations), -1)
        x = self.encoding(seen)
        worths = np.zeros(len(seen))
        rest = self.layers
        with np.errstate(over="ignore", invalid="ignore"):
            if valued and self.value is not None:
                shared, rest = rest[: self.value.after], rest[self.value.after :]
                x = _hidden(shared, self.activation, x)
                worths = _through(self.value.layers, self.activation, x)[:, 0]
            logits = _through(rest, self.activation, x)
        if self.prior is not None:
            at, weight = self.prior
            logits += weight * seen[:, at : at + logits.shape[1]].astype(np.float64)
        for said, numbers in (("an action", logits), ("a position", worths)):
            if not (np.abs(numbers) < _LARGEST).all():
                raise PolicyError(
                    f"{self.name} gives {said} a number that is not finite or beyond "
                    f"{_LARGEST:g}: its weights are too large to be of use, train it anew"
                )
        return logits, worths

    def outlook(
        self, variant: Variant, observations: NDArray[Any], masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], Floats]:
        """For a search: (N, A) probabilities, (N,) what the mover will still get, (N, A) logits.

        *observations* are (N, D), as vectors. What comes out is rounded, so that a search takes the
        same course whatever stands beside it: the last bits of a product depend on that.
        """
        logits, worths = self._computed(self._own(variant, observations), True)
        legal = np.where(masks == 1, logits, -np.inf)
        chances = probabilities(legal).astype(np.float32)
        return chances, worths.astype(np.float32), logits.round(6)

    def worths(self, variant: Variant, observations: NDArray[Any]) -> NDArray[np.float32]:
        """(N,): what whoever sees that will still get, also where another decides; for a search."""
        return self._computed(self._own(variant, observations), True)[1].astype(np.float32)

    def _own(self, variant: Variant, observations: NDArray[Any]) -> NDArray[Any]:
        """Of (N, D) *observations* no other features than its own, in its own order."""
        places = self._places_in(variant)
        return observations if places is None else observations[:, places]

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
        if self._places_in(seen.variant) is None and self.beliefs is None:
            return seen
        shown = self._own(seen.variant, seen.observations.reshape(len(seen), -1))
        if self.beliefs is not None:
            believe = self._filter_for(seen.variant)
            views = [self._own(seen.variant, believe(each).views) for each in seen.history]
            others = self.encoding.elements - shown.shape[1]
            shown = np.hstack([shown, np.reshape(views, (len(seen), others))])
        return replace(seen, observations=shown)

    def _filter_for(self, variant: Variant) -> Filter:
        """What follows the worlds of games with these options."""
        assert self.beliefs is not None
        found = self._filter  # another thread may change it meanwhile
        if found is None or found.given is not variant:
            player = BUILT_IN[self.beliefs.player]
            found = self._filter = Filter(variant, player, self.beliefs.limit)
        return found

    def _places_in(self, variant: Variant) -> NDArray[np.int64] | None:
        """Where its features lie in what that variant shows; None if they are all of it."""
        known = self._places  # another thread may change it meanwhile
        if known[0] is not variant.features:
            known = self._places = variant.features, _places(self.features, variant)
        return known[1]

    def save(self, path: str | Path) -> None:
        """Write the file; it is there whole, or not at all."""
        need("safetensors", "saved policies")
        from safetensors.numpy import save

        path = Path(path)
        if path.suffix != SUFFIX:
            raise PolicyError(f"{path}: the file of a policy must end with {SUFFIX}")
        tensors = stored(self.layers)
        if self.value is not None:
            tensors |= stored(self.value.layers, "value.")
        about = {
            "cyberdeck policy": str(VERSION),
            "game": self.game,
            "features": json.dumps([_signature(feature) for feature in self.features]),
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
            about["value after"] = json.dumps(self.value.after)
        if self.beliefs is not None:
            about["beliefs"] = json.dumps(self.beliefs)
        write_whole(path, _in_order(save(tensors, metadata=about)))


def stored(layers: Sequence[Layer], before: str = "") -> dict[str, NDArray[np.float32]]:
    """The numbers of layers by their names in a file: ``0.weights``, ``0.biases`` and so on."""
    return {
        f"{before}{at}.{part}": numbers.astype(np.float32)
        for at, layer in enumerate(layers)
        for part, numbers in zip(_PARTS, layer, strict=False)
    }


def _in_order(content: bytes) -> bytes:
    """A file with the words of its header in order: safetensors writes them in any."""
    after = 8 + int.from_bytes(content[:8], "little")
    head = json.dumps(json.loads(content[8:after]), sort_keys=True, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)  # numbers lie at multiples of eight
    return len(head).to_bytes(8, "little") + head + content[after:]


class InOwnView(Expert):
    """A policy that sees the game as it was trained with, however it is shown to others."""

    needs_states = True
    tells_chances = True

    def __init__(self, policy: Network, variant: Variant) -> None:
        policy.check(variant)
        self.policy, self.variant = policy, variant
        self.name, self.memory = policy.name, policy.memory

    def check(self, variant: Variant) -> None:
        """What the policy can play."""
        self.policy.seated(variant)

    def seated(self, variant: Variant) -> Policy:
        """The policy as it plays that game: it may be another than before."""
        return self.policy.seated(variant)

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        """What the policy decides. Positions that look alike to a seat do so in every view."""
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


def load(path: str | Path) -> Network:
    """The policy in a file, or ``PolicyError``. Nothing in the file is run.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     made = Network("hackthegrid", [(np.zeros((69, 349)), np.zeros(69))])
    ...     made.save(f"{folder}/zeros.safetensors")
    ...     load(f"{folder}/zeros.safetensors").name
    'zeros'
    """
    need("safetensors", "saved policies")
    from safetensors import SafetensorError, safe_open

    try:
        opened(path, _MOST).close()
        with safe_open(str(path), framework="numpy") as file:
            about = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise PolicyError(f"{path} does not exist: give the file of a saved policy") from None
    except OSError as error:
        raise PolicyError(f"{path} cannot be read: {error.strerror or error}") from None
    except (SafetensorError, TypeError, AttributeError) as error:
        # The last two: numbers of a kind that NumPy does not have.
        why = printable(str(error), 300)
        raise PolicyError(f"{path} is no whole file of a saved policy ({why})") from None
    version = about.get("cyberdeck policy")
    if version is None:
        raise PolicyError(f"{path} holds weights, but not those of a cyberdeck policy")
    if version != str(VERSION):
        raise PolicyError(
            f"{path} has the version {printable(version, 60)}: this cyberdeck reads {VERSION}, "
            "which names the features that a policy reads; save the policy anew from its model "
            "(cyberdeck.api.sb3.network), or train it anew"
        )
    try:
        if fault := fault_of_text(about["game"]):
            raise PolicyError(f"its game is {quoted(about['game'])}: {fault}")
        names, own = _names(tensors, ""), _names(tensors, "value.")
        wanted = {name for layer in [*names, *own] for name in layer}
        if set(tensors) != wanted:
            there = quoted(sorted(tensors), 400)
            raise PolicyError(f"its tensors are {there}: expected {quoted(sorted(wanted), 400)}")
        said = ("greedy", "options", "one-hot", "history", "features", "actions", "prior")
        read = (from_json(about[name]) for name in said)
        greedy, options, one_hot, history, features, actions, prior = read
        if not isinstance(greedy, bool) or not isinstance(options, dict) or not _triples(one_hot):
            raise PolicyError("what it says of greedy, options or one-hot is of the wrong type")
        if not _described(features) or not _wholes(actions):
            raise PolicyError("what it says of features or actions is of the wrong type")
        if prior is not None and not (isinstance(prior, list) and len(prior) == 2):
            raise PolicyError(
                f"prior={quoted(prior)} is not possible: it must be [element, weight]"
            )
        layers, worth = (
            [tuple(tensors[name] for name in layer) for layer in each] for each in (names, own)
        )
        value = Value(worth, from_json(about["value after"])) if worth else None
        beliefs = from_json(about.get("beliefs", "null"))
        if beliefs is not None and not (isinstance(beliefs, list) and len(beliefs) == 2):
            raise PolicyError(
                f"beliefs={quoted(beliefs)} is not possible: it must be [player, limit]"
            )
        return Network(
            about["game"],
            layers,
            about["activation"],
            greedy,
            Path(path).stem,
            options,
            [Whole(*each) for each in one_hot],
            history,
            None if prior is None else Prior(*prior),
            [_feature(*each) for each in features],
            actions,
            value,
            None if beliefs is None else OthersSeen(*beliefs),
        )
    except KeyError as missing:
        raise PolicyError(f"{path} does not say its {missing}") from None
    except (CyberdeckError, ValueError, OverflowError) as error:
        raise PolicyError(printable(f"{path}: {error}")) from None


def _names(tensors: Collection[str], before: str) -> list[list[str]]:
    """What the tensors of each layer are called."""
    names: list[list[str]] = []
    while f"{before}{len(names)}.{_PARTS[0]}" in tensors:
        layer = [f"{before}{len(names)}.{part}" for part in _PARTS]
        names.append(layer if layer[2] in tensors else layer[:2])
    return names


def chosen(logits: Floats, greedy: bool, random_bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The likeliest action of each row, or if not *greedy* one drawn by the probabilities."""
    if greedy:
        best: NDArray[np.int64] = logits.argmax(axis=1)
        return best
    return drawn(np.exp(logits - logits.max(axis=1, keepdims=True)), random_bits)


def different(features: Sequence[Feature], shown: Sequence[Feature]) -> list[str]:
    """Which of *features* are missing among those *shown*, or are others there, in words.

    >>> from cyberdeck import variant
    >>> plain, more = (variant("hackthegrid", observation=o) for o in ("vector", "prior"))
    >>> different(plain.features, more.features)
    []
    >>> different(more.features, plain.features)
    ["there is no feature 'prior'", "there is no feature 'prospect'"]
    """
    there = {feature.name: feature for feature in shown}
    wrong = []
    for feature in features:
        other = there.get(feature.name)
        if other is None:
            wrong.append(f"there is no feature {feature.name!r}")
        elif other.dtype != feature.dtype:
            wrong.append(f"{feature.name!r} is {other.dtype}, and it reads {feature.dtype}")
        elif _signature(other) != _signature(feature):
            wrong.append(
                f"{feature.name!r} has the shape {other.shape} from {other.low} to {other.high}, "
                f"and it reads {feature.shape} from {feature.low} to {feature.high}"
            )
    return wrong


def _signature(feature: Feature) -> tuple[Any, ...]:
    """All of a feature that a network depends on: not the words that explain it. Files name the
    type only where it is not int8.
    """
    kind = () if feature.dtype == DTYPES[0] else (feature.dtype,)
    return feature.name, tuple(feature.shape), feature.low, feature.high, *kind


def _feature(name: str, shape: list[int], low: float, high: float, *kind: str) -> Feature:
    """The feature of a signature."""
    return Feature(name, tuple(shape), low, high, dtype=kind[0] if kind else DTYPES[0])


def _places(features: Sequence[Feature], variant: Variant) -> NDArray[np.int64] | None:
    """Where the elements of *features* lie in the observation; None if they are all of it."""
    if [feature.name for feature in features] == list(variant.layout):
        return None
    stretches = [variant.layout[feature.name] for feature in features]
    return np.concatenate([np.arange(at.start, at.stop, dtype=np.int64) for at in stretches])


def _groups(variant: Variant) -> tuple[int, ...]:
    """How many actions there are in each group."""
    return tuple(count for count, _ in variant.actions)


def _sum(groups: Sequence[int]) -> str:
    return f"{sum(groups)} ({' + '.join(map(str, groups))})"


def _wholes(listed: Any) -> bool:
    """Whether that is a list of whole numbers as JSON has them."""
    return isinstance(listed, list) and all(map(is_whole, listed))


def _triples(listed: Any) -> bool:
    """Whether that is a list of ``Whole`` as JSON has them."""
    return isinstance(listed, list) and all(_wholes(each) and len(each) == 3 for each in listed)


def _described(listed: Any) -> bool:
    """Whether that is a list of features as JSON has them: name, shape, low, high, and type."""
    return isinstance(listed, list) and all(
        isinstance(each, list)
        and len(each) in (4, 5)
        and isinstance(each[0], str)
        and _wholes(each[1])
        and all(map(is_real, each[2:4]))
        and all(isinstance(kind, str) for kind in each[4:])
        for each in listed
    )


def _check_sizes(made: Network) -> None:
    """What the layers take and give must be what is read and how many actions there are."""
    names = [feature.name for feature in made.features]
    if len(set(names)) < len(names):
        raise PolicyError(f"each feature can be read once, not {names}")
    counts = [*made.actions, *(count for feature in made.features for count in feature.shape)]
    if any(count < 1 for count in counts):
        raise PolicyError("features and groups of actions have no sizes below 1")
    takes, gives = made.encoding.elements, len(made.layers[-1][1])
    # Where it sees what others may see, the game says how many they are.
    views = made.history if made.beliefs is None else max(2, takes // max(_read_by(made), 1))
    read = views * _read_by(made)
    if (takes, gives) != (read, sum(made.actions)):
        times = f" in {views} observations" if views > 1 else ""
        raise PolicyError(
            f"{made.name} takes {takes} numbers and knows {gives} actions, and its features have "
            f"{read}{times} and there are {sum(made.actions)}: give the options and the history "
            "that it was trained with"
        )


def _read_by(made: Network) -> int:
    """How many numbers its features have."""
    return sum(math.prod(feature.shape) for feature in made.features)


def _check_beliefs(beliefs: OthersSeen, history: int) -> None:
    player, limit = beliefs
    known = isinstance(player, str) and player in BUILT_IN
    if not known or not is_whole(limit) or not 1 <= limit <= MOST_WORLDS:
        raise PolicyError(
            f"beliefs={quoted(list(beliefs))} are not possible: a built-in player's name is "
            f"needed, and 1 to {MOST_WORLDS} worlds"
        )
    if history > 1:
        raise PolicyError("a network that sees beliefs sees no earlier observations: history=1")


def _check_prior(prior: Prior, elements: int, actions: int) -> None:
    if not is_whole(prior.at) or not 0 <= prior.at <= elements - actions:
        raise PolicyError(
            f"a prior for {actions} actions cannot begin at {prior.at!r} of {elements} elements"
        )
    weight = prior.weight
    number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
    if not number or not abs(weight) < _LARGEST:
        raise PolicyError(f"the weight of the prior is {weight!r}: a finite number is needed")


def _through(layers: Sequence[Layer], activation: str, x: Floats) -> Floats:
    """What comes out of layers."""
    weights, biases = layers[-1]
    out: Floats = _hidden(layers[:-1], activation, x) @ weights.T + biases
    return out


def _hidden(layers: Sequence[Layer], activation: str, x: Floats) -> Floats:
    """What comes out of layers that others follow."""
    for weights, biases, *back in layers:
        inside = ACTIVATIONS[activation](x @ weights.T + biases)
        x = x + (inside @ back[0].T + back[1]) if back else inside
    return x


def _doubles(layers: Sequence[Layer]) -> list[Layer]:
    return [tuple(numbers.astype(np.float64) for numbers in layer) for layer in layers]


def _check_value(value: Value, shape: tuple[int, ...]) -> None:
    _check_layers(value.layers)
    if not is_whole(value.after) or not 0 <= value.after < len(shape) - 1:
        raise PolicyError(
            f"a value after {value.after!r} layers is not possible: the policy has "
            f"{len(shape) - 2} before its last"
        )
    takes, gives = value.layers[0][0].shape[1], len(value.layers[-1][1])
    if (takes, gives) != (shape[value.after], 1):
        raise PolicyError(
            f"the value's layers take {takes} numbers and give {gives}: they get "
            f"{shape[value.after]}, and 1 is needed"
        )


def _check_layers(layers: Sequence[Layer]) -> None:
    if not layers:
        raise PolicyError("a network needs at least one layer")
    if len(layers[-1]) != 2:
        raise PolicyError("the last layer cannot be a residual block")
    width = None
    for at, layer in enumerate(layers):
        for weights, biases in zip(layer[::2], layer[1::2], strict=True):
            if weights.ndim != 2 or biases.shape != weights.shape[:1] or not weights.size:
                raise PolicyError(
                    f"layer {at} has weights {weights.shape} and biases {biases.shape}: (out, in) "
                    "and (out,) are needed"
                )
            for kind in (weights.dtype, biases.dtype):
                if kind.kind != "f":
                    raise PolicyError(f"layer {at} holds {kind}, not floating-point numbers")
            if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
                raise PolicyError(f"layer {at} holds numbers that are not finite")
            if width is not None and weights.shape[1] != width:
                raise PolicyError(f"layer {at} takes {weights.shape[1]} numbers: it gets {width}")
            width = weights.shape[0]
        if len(layer) == 4 and width != layer[0].shape[1]:
            raise PolicyError(
                f"layer {at} is a residual block that takes {layer[0].shape[1]} numbers and gives "
                f"{width}: it must give as many"
            )
