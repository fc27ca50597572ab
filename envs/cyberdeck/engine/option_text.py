"""Values of options as people write them: ``3v3``, ``0.2``, ``tunnels``. No NumPy is needed."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from typing import Any

#: 3v3 and 3,3: such an option's limits.
_NUMBERS = re.compile(r"\d+([v,]\d+)+")

_LIMIT = re.compile("[v,]")


def read(choices: Sequence[Any], text: str) -> Any:
    """A text as a value of an option that has these *choices*, or none; or as it is where it looks
    like no value.

    >>> read((False, True), "true")
    True
    >>> read((), "3v4")
    [3, 4]
    """
    if choices:
        return next((each for each in choices if str(each).lower() == text.lower()), text)
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
