"""YAML from anybody: the values that JSON has, and no more of them than a person writes."""

from __future__ import annotations

from typing import Any, Final, NoReturn

import yaml

from cyberdeck.common.reading import DEEPEST, LONGEST_TEXT, fault_of_text
from cyberdeck.common.text import printable, quoted

#: How many bytes a document may have: PyYAML reads some 100,000 in a second.
MOST: Final = 1 << 16

#: How many values there may be.
_MOST_VALUES: Final = 10_000

_TAG: Final = "tag:yaml.org,2002:"
_READ: Final = {f"{_TAG}{each}" for each in ("str", "int", "float", "bool", "null", "seq", "map")}


def load(text: str) -> tuple[Any, yaml.Node | None]:
    """A document's value, and its nodes, which know their lines; or ``yaml.YAMLError``.

    >>> load("{seed: 3, options: {}}")[0]
    {'seed': 3, 'options': {}}
    """
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        return None if node is None else loader.construct_document(node), node
    finally:
        loader.dispose()


def fault(error: yaml.YAMLError) -> str:
    """What PyYAML says in one line, but for the name of the file, which it does not know."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return printable(" ".join(str(error).split()).replace('in "<unicode string>",', "at"))
    words = [error.context, error.problem]
    if mark := error.problem_mark:
        words.append(f"in line {mark.line + 1}, column {mark.column + 1}")
    return printable(" ".join(filter(None, words)))


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
        if self._values > _MOST_VALUES or self._depth > DEEPEST:
            much = f"it holds more than {_MOST_VALUES:,} values, or {DEEPEST} in each other"
            raise yaml.composer.ComposerError(None, None, much)
        if self.check_event(yaml.AliasEvent):  # a short text could stand for any number of values
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]  # of PyYAML
            raise yaml.composer.ComposerError(None, None, "aliases (*name) are not read", mark)
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


def _refuse(words: str, node: yaml.Node) -> NoReturn:
    raise yaml.constructor.ConstructorError(None, None, words, node.start_mark)
