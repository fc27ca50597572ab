"""YAML from anybody: the values that JSON has, and no more of them than a person writes."""

from __future__ import annotations

import math
from typing import Any, Final

import yaml

from cyberdeck.common.reading import DEEPEST, LONGEST_TEXT, fault_of_text
from cyberdeck.common.text import quoted

#: How many bytes a document may have: PyYAML reads some 100,000 in a second.
MOST: Final = 1 << 16

#: How many values there may be, counting one as often as an alias names it.
_MOST_VALUES: Final = 10_000

_TAG: Final = "tag:yaml.org,2002:"
_READ: Final = {
    f"{_TAG}{each}" for each in ("str", "int", "float", "bool", "null", "seq", "map", "merge")
}


def load(text: str) -> tuple[Any, yaml.Node | None]:
    """A document's value, and its nodes, which know their lines; or ``yaml.YAMLError``.

    >>> load("{seed: 3, options: &all {}, more: *all}")[0]
    {'seed': 3, 'options': {}, 'more': {}}
    """
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None, None
        values, depth = _counted(node, {})
        if values > _MOST_VALUES or depth > DEEPEST:
            _refuse(f"it holds more than {_MOST_VALUES:,} values, or {DEEPEST} in each other", node)
        return loader.construct_document(node), node
    finally:
        loader.dispose()


class _Loader(yaml.SafeLoader):
    """Reads nothing but such values. What looks like a date is a text."""

    yaml_implicit_resolvers = {  # noqa: RUF012  # PyYAML's own
        first: [each for each in known if each[0] != f"{_TAG}timestamp"]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    _depth = _values = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self._depth += 1
        self._values += 1
        if self._values > _MOST_VALUES:
            raise yaml.composer.ComposerError(None, None, f"more than {_MOST_VALUES:,} values")
        if self._depth > DEEPEST:
            raise yaml.composer.ComposerError(
                None, None, f"more than {DEEPEST} values in each other"
            )
        node: yaml.Node | None = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        if node.tag not in _READ:
            _refuse(f"{quoted(node.tag)} is no kind of value that is read", node)
        try:
            value = super().construct_object(node, deep)
        except (ValueError, TypeError, LookupError, ArithmeticError) as error:
            _refuse(f"{quoted(node.value)} is not possible: {quoted(str(error))}", node)
        if isinstance(value, int) and value.bit_length() > 64:
            _refuse(f"{quoted(node.value)} is too large a number", node)
        if isinstance(value, str) and (fault := fault_of_text(value, LONGEST_TEXT, lines=True)):
            _refuse(f"{quoted(value)} is not possible: {fault}", node)
        return value


def _refuse(words: str, node: yaml.Node) -> None:
    raise yaml.constructor.ConstructorError(None, None, words, node.start_mark)


def _counted(node: yaml.Node, known: dict[yaml.Node, tuple[float, float]]) -> tuple[float, float]:
    """How many values a node has in it, and how deep, with its aliases' in their places.

    They are of nodes before it, which are counted by then, or it lies within itself.
    """
    if node not in known:
        known[node] = math.inf, math.inf
        inner: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            inner = [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            inner = node.value
        parts = [_counted(part, known) for part in inner]
        most = max((depth for _, depth in parts), default=0)
        known[node] = 1 + sum(values for values, _ in parts), 1 + most
    return known[node]
