"""Reading saved policies: what is checked of a file that a stranger may have sent."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Final

from cyberdeck.common.reading import fault_of_text, from_json
from cyberdeck.common.text import printable, quoted
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.definitions import is_real
from cyberdeck.errors import CyberdeckError, PolicyError
from cyberdeck.players.networks import container
from cyberdeck.players.networks.features import from_signature
from cyberdeck.players.networks.network import Network, OthersSeen
from cyberdeck.players.networks.perceptron import PARTS, Prior, Value, Whole


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
    words, tensors = container.read(path)
    try:
        return _made(words, tensors, Path(path).stem)
    except KeyError as missing:
        raise PolicyError(f"{path} does not say its {missing}") from None
    except (CyberdeckError, ValueError, OverflowError) as error:
        raise PolicyError(printable(f"{path}: {error}")) from None


def _made(about: dict[str, str], tensors: dict[str, Any], name: str) -> Network:
    """The policy that words and tensors describe."""
    if fault := fault_of_text(about["game"]):
        raise PolicyError(f"its game is {quoted(about['game'])}: {fault}")
    names, own = _names(tensors, ""), _names(tensors, "value.")
    wanted = {name for layer in [*names, *own] for name in layer}
    if set(tensors) != wanted:
        there = quoted(sorted(tensors), 400)
        raise PolicyError(f"its tensors are {there}: expected {quoted(sorted(wanted), 400)}")
    layers, value_layers = (
        [tuple(tensors[name] for name in layer) for layer in each] for each in (names, own)
    )
    said = {"beliefs": "null", **about}
    read = {word: _read(word, said[word]) for word in _WORDS}
    prior, beliefs = read["prior"], read["beliefs"]
    return Network(
        about["game"],
        layers,
        about["activation"],
        read["greedy"],
        name,
        read["options"],
        one_hot=[Whole(*each) for each in read["one-hot"]],
        history=read["history"],
        prior=None if prior is None else Prior(*prior),
        features=[from_signature(*each) for each in read["features"]],
        actions=read["actions"],
        value=Value(value_layers, from_json(about["value after"])) if value_layers else None,
        beliefs=None if beliefs is None else OthersSeen(*beliefs),
    )


def _names(tensors: Collection[str], before: str) -> list[list[str]]:
    """The names of the tensors of each layer."""
    names: list[list[str]] = []
    while f"{before}{len(names)}.{PARTS[0]}" in tensors:
        layer = [f"{before}{len(names)}.{part}" for part in PARTS]
        names.append(layer if layer[2] in tensors else layer[:2])
    return names


# --- what the words of a file may say ------------------------------------------------------------


def _wholes(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_whole, value))


def _pair_or_none(value: Any) -> bool:
    return value is None or (isinstance(value, list) and len(value) == 2)


def _triples(value: Any) -> bool:
    return isinstance(value, list) and all(_wholes(each) and len(each) == 3 for each in value)


def _signatures(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, list)
        and len(each) in (4, 5)
        and isinstance(each[0], str)
        and _wholes(each[1])
        and all(map(is_real, each[2:4]))
        and all(isinstance(kind, str) for kind in each[4:])
        for each in value
    )


#: What is said in JSON: whether a value can be read, and what it must be.
_WORDS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "greedy": (lambda value: isinstance(value, bool), "true or false"),
    "options": (lambda value: isinstance(value, dict), "a mapping"),
    "one-hot": (_triples, "a list of [element, low, high]"),
    "history": (is_whole, "a whole number"),
    "features": (_signatures, "a list of [name, shape, low, high]"),
    "actions": (_wholes, "a list of whole numbers"),
    "prior": (_pair_or_none, "[element, weight]"),
    "beliefs": (_pair_or_none, "[player, limit]"),
}


def _read(word: str, text: str) -> Any:
    """The value of a word of the file, or ``PolicyError``."""
    value, (is_possible, needed) = from_json(text), _WORDS[word]
    if not is_possible(value):
        raise PolicyError(f"{word}={quoted(value)} is not possible: it must be {needed}")
    return value
