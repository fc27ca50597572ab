"""The file of a saved policy: ``.safetensors``, words and numbers. A stranger may have sent it, so
all that it says is checked, and nothing in it is run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.extras import need
from cyberdeck.common.files import write_whole
from cyberdeck.common.reading import fault_of_text, from_json, opened
from cyberdeck.common.text import printable, quoted
from cyberdeck.engine.contract import DTYPES, Feature, is_whole
from cyberdeck.engine.definitions import is_real
from cyberdeck.engine.policy import BUILT_IN
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import PolicyError
from cyberdeck.players.networks.perceptron import PARTS, Layer

#: The ending of a saved policy's file.
SUFFIX: Final = ".safetensors"

VERSION: Final = 4

#: The word that says the version.
_MARK: Final = "cyberdeck policy"

#: The word for the code that reads a file whose network is somebody's own, as ``module:function``;
#: and the one for the class of that network.
READER: Final = "reader"
OWN: Final = "network"

#: How many bytes a file may have.
MOST_BYTES: Final = 1 << 30

#: What stands before the names of the tensors of the value's layers.
VALUE: Final = "value."

#: How many worlds a network may follow at most.
MOST_WORLDS: Final = 10_000


class BelievedObservations(NamedTuple):
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


# --- writing -------------------------------------------------------------------------------------


def write(path: str | Path, words: Mapping[str, str], tensors: dict[str, NDArray[Any]]) -> None:
    """Write a file; it is there whole, or not at all."""
    need("safetensors", "saved policies")
    from safetensors.numpy import save

    if Path(path).suffix != SUFFIX:
        raise PolicyError(f"{path}: the file of a policy must end with {SUFFIX}")
    content = save(tensors, metadata={_MARK: str(VERSION), **words})
    # safetensors writes the words of the header in any order: here they are sorted.
    after = 8 + int.from_bytes(content[:8], "little")
    head = json.dumps(json.loads(content[8:after]), sort_keys=True, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)  # numbers lie at multiples of eight
    write_whole(path, len(head).to_bytes(8, "little") + head + content[after:])


# --- reading -------------------------------------------------------------------------------------


def read(path: str | Path) -> tuple[dict[str, str], dict[str, Any]]:
    """The words and the tensors of a file of this version, or ``PolicyError``."""
    need("safetensors", "saved policies")
    from safetensors import SafetensorError, safe_open

    try:
        opened(path, MOST_BYTES).close()
        with safe_open(str(path), framework="numpy") as file:
            words = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise PolicyError(f"{path} does not exist: give the file of a saved policy") from None
    except OSError as error:
        raise PolicyError(f"{path} cannot be read: {error.strerror or error}") from None
    except (SafetensorError, TypeError, AttributeError, ValueError) as error:
        # But for the first: numbers of a kind, or axes of a number, that NumPy does not have.
        why = printable(str(error), 300)
        raise PolicyError(f"{path} is no whole file of a saved policy ({why})") from None
    version = words.get(_MARK)
    if version is None:
        raise PolicyError(f"{path} holds weights, but not those of a cyberdeck policy")
    if version != str(VERSION):
        raise PolicyError(
            f"{path} has the version {printable(version, 60)}: this cyberdeck reads {VERSION}, "
            "which names the features that a policy reads; save the policy anew from its model "
            "(cyberdeck.sb3.network), or train it anew"
        )
    return words, tensors


def checked_words(words: Mapping[str, str]) -> dict[str, Any]:
    """What the words of a file say: ``KeyError`` for one that is missing, ``PolicyError`` for a
    value that is not possible.
    """
    values: dict[str, Any] = {"game": words["game"], "activation": words["activation"]}
    if fault := fault_of_text(words["game"]):
        raise PolicyError(f"its game is {quoted(words['game'])}: {fault}")
    for word, (is_possible, needed) in _WORDS.items():
        value = from_json({"beliefs": "null", **words}[word])
        if not is_possible(value):
            raise PolicyError(f"{word}={quoted(value)} is not possible: it must be {needed}")
        values[word] = value
    return values


def layers_of(tensors: Mapping[str, Any]) -> tuple[list[Layer], list[Layer]]:
    """The layers of the policy and those of its value; there may be no other tensors."""
    names = _layer_names(tensors, ""), _layer_names(tensors, VALUE)
    wanted = {name for layers in names for layer in layers for name in layer}
    if set(tensors) != wanted:
        there = quoted(sorted(tensors), 400)
        raise PolicyError(f"its tensors are {there}: expected {quoted(sorted(wanted), 400)}")
    own, value = ([tuple(map(tensors.__getitem__, layer)) for layer in each] for each in names)
    return own, value


def _layer_names(tensors: Collection[str], before: str) -> list[list[str]]:
    """The names of the tensors of each layer."""
    names: list[list[str]] = []
    while f"{before}{len(names)}.{PARTS[0]}" in tensors:
        layer = [f"{before}{len(names)}.{part}" for part in PARTS]
        names.append(layer if layer[2] in tensors else layer[:2])
    return names


def _list_of(is_possible: Callable[[Any], bool], *lengths: int) -> Callable[[Any], bool]:
    """Whether a value is a list of such elements, of one of these lengths."""
    return lambda value: (
        isinstance(value, list)
        and (not lengths or len(value) in lengths)
        and all(map(is_possible, value))
    )


def _is_pair_or_none(value: Any) -> bool:
    return value is None or (isinstance(value, list) and len(value) == 2)


def _is_signature(value: Any) -> bool:
    if not isinstance(value, list) or len(value) not in (4, 5):
        return False
    name, shape, low, high, *kind = value
    named = all(isinstance(each, str) for each in (name, *kind))
    return named and _list_of(is_whole)(shape) and is_real(low) and is_real(high)


#: What is said in JSON: whether a value can be read, and what it must be.
_WORDS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "greedy": (lambda value: isinstance(value, bool), "true or false"),
    "options": (lambda value: isinstance(value, dict), "a mapping"),
    "one-hot": (_list_of(_list_of(is_whole, 3)), "a list of [element, low, high]"),
    "history": (is_whole, "a whole number"),
    "features": (_list_of(_is_signature), "a list of [name, shape, low, high]"),
    "actions": (_list_of(is_whole), "a list of whole numbers"),
    "prior": (_is_pair_or_none, "[element, weight]"),
    "beliefs": (_is_pair_or_none, "[player, limit]"),
}


# --- features ----------------------------------------------------------------------------------


def reorder(features: Sequence[Feature], variant: Variant, seen: NDArray[Any]) -> NDArray[Any]:
    """Of (N, D) observations no other features than these, in this order."""
    if [feature.name for feature in features] == list(variant.layout):
        return seen
    return np.hstack([seen[:, variant.layout[feature.name]] for feature in features])


def signature(feature: Feature) -> tuple[Any, ...]:
    """All of a feature that a network depends on: not the words that explain it. Files name the
    type only where it is not int8.
    """
    kind = () if feature.dtype == DTYPES[0] else (feature.dtype,)
    return feature.name, tuple(feature.shape), feature.low, feature.high, *kind


def from_signature(name: str, shape: list[int], low: float, high: float, *kind: str) -> Feature:
    """The feature with that signature."""
    return Feature(name, tuple(shape), low, high, dtype=(*kind, DTYPES[0])[0])
