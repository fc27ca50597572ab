"""Values of options as people write them: ``3v3``, ``0.2``, ``tunnels``."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from cyberdeck.engine.contract import Option

#: 3v3 and 3,3: such an option's limits.
_NUMBERS = re.compile(r"\d+([v,]\d+)+")

_LIMIT = re.compile("[v,]")


def read(option: Option, text: str) -> Any:
    """A text as a value of an option, or as it is where it looks like none.

    >>> read(Option("fast", False, choices=(False, True)), "true")
    True
    >>> read(Option("ships", 1, bounds=(1, 9)), "3v4")
    [3, 4]
    """
    if option.choices:
        return next((each for each in option.choices if str(each).lower() == text.lower()), text)
    if _NUMBERS.fullmatch(text):
        return [int(number) for number in _LIMIT.split(text)]
    for reading in (json.loads, ast.literal_eval):
        try:
            return reading(text)
        except (ValueError, SyntaxError):
            continue
    return text


def written(value: Any) -> str:
    """The same the other way; nothing for None.

    >>> written((3, 4))
    '3,4'
    """
    if value is None:
        return ""
    if isinstance(value, (list, tuple)) and all(type(each) is int for each in value):
        return ",".join(map(str, value))
    return str(value)
