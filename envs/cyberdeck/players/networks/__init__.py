"""Saved policies: the weights of a small network in a file that holds no code.

A ``.safetensors`` file: numbers, and a few words about the game. It is run by NumPy alone, so that
a policy trained with PyTorch plays anywhere. Needs the extra ``evaluate``.

The file names the features that the network reads: it plays wherever a game shows them, whatever
else is shown and in whatever order.
"""

from cyberdeck.players.networks.container import MOST_BYTES, SUFFIX, VERSION
from cyberdeck.players.networks.loading import load
from cyberdeck.players.networks.network import (
    MOST_WORLDS,
    InOwnView,
    Network,
    OthersSeen,
    chosen,
    probabilities,
)
from cyberdeck.players.networks.perceptron import (
    ACTIVATIONS,
    Encoding,
    Floats,
    Layer,
    Perceptron,
    Prior,
    Value,
    Whole,
    stored,
)

__all__ = [
    "ACTIVATIONS",
    "MOST_BYTES",
    "MOST_WORLDS",
    "SUFFIX",
    "VERSION",
    "Encoding",
    "Floats",
    "InOwnView",
    "Layer",
    "Network",
    "OthersSeen",
    "Perceptron",
    "Prior",
    "Value",
    "Whole",
    "chosen",
    "load",
    "probabilities",
    "stored",
]
