"""Multi-layer perceptrons, computed by NumPy in double precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.text import quoted
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.definitions import is_real
from cyberdeck.errors import PolicyError

#: What the numbers of a layer are called in a file; the last two are of residual blocks.
PARTS: Final = ("weights", "biases", "back.weights", "back.biases")

#: All that a network says lies within it. What follows from larger numbers may not be finite, and
#: the compiled loops of a search rely on that.
LARGEST: Final = 1e30

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

    def check(self, elements: int, actions: int) -> None:
        """``PolicyError`` unless it lies within so many elements, and has a finite weight."""
        if not is_whole(self.at) or not 0 <= self.at <= elements - actions:
            raise PolicyError(
                f"a prior for {actions} actions cannot begin at {self.at!r} of {elements} elements"
            )
        if not is_real(self.weight) or not abs(self.weight) < LARGEST:
            raise PolicyError(
                f"the weight of the prior is {self.weight!r}: a finite number is needed"
            )


class Value(NamedTuple):
    """The layers that say how much the seat that decides will still get."""

    layers: Sequence[Layer]
    """The last one gives one number."""
    after: int
    """After so many of the policy's own layers: 0 for what goes in."""

    def check(self, shape: Sequence[int]) -> None:
        """``PolicyError`` unless its layers fit behind those of a policy of that shape."""
        check_layers(self.layers)
        if not is_whole(self.after) or not 0 <= self.after < len(shape) - 1:
            raise PolicyError(
                f"a value after {self.after!r} layers is not possible: the policy has "
                f"{len(shape) - 2} before its last"
            )
        takes, gives = self.layers[0][0].shape[1], len(self.layers[-1][1])
        if (takes, gives) != (shape[self.after], 1):
            raise PolicyError(
                f"the value's layers take {takes} numbers and give {gives}: they get "
                f"{shape[self.after]}, and 1 is needed"
            )


class Encoding:
    """The input of a network: some whole numbers of an observation one-hot, the rest as they are.

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
        """The number of outputs."""
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


def stored(layers: Sequence[Layer], before: str = "") -> dict[str, NDArray[np.float32]]:
    """The numbers of layers by their names in a file: ``0.weights``, ``0.biases`` and so on."""
    return {
        f"{before}{at}.{part}": numbers.astype(np.float32)
        for at, layer in enumerate(layers)
        for part, numbers in zip(PARTS, layer, strict=False)
    }


def through(layers: Sequence[Layer], activation: str, x: Floats) -> Floats:
    """The output of layers, the last of which has no activation."""
    weights, biases = layers[-1]
    out: Floats = hidden(layers[:-1], activation, x) @ weights.T + biases
    return out


def hidden(layers: Sequence[Layer], activation: str, x: Floats) -> Floats:
    """The output of layers, each with its activation."""
    for weights, biases, *back in layers:
        inside = ACTIVATIONS[activation](x @ weights.T + biases)
        x = x + (inside @ back[0].T + back[1]) if back else inside
    return x


def doubles(layers: Sequence[Layer]) -> list[Layer]:
    """The same layers in double precision."""
    return [tuple(numbers.astype(np.float64) for numbers in layer) for layer in layers]


def check_layers(layers: Sequence[Layer]) -> None:
    """``PolicyError`` unless each layer takes what the one before gives."""
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
