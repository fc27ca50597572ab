"""Whole numbers, also NumPy's, which is not needed for that."""

from __future__ import annotations

import numbers
from typing import Any


def is_whole(value: Any) -> bool:
    """True for a whole number: not a float, not a truth value, not an array.

    >>> is_whole(3), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(value, (int, numbers.Integral)) and not isinstance(value, bool)


def whole_numbers(values: Any) -> list[int] | None:
    """*values* as a list, or None if it is not a sequence of whole numbers."""
    found = listed(values)
    if found is None or not all(map(is_whole, found)):
        return None
    return [int(value) for value in found]


def listed(value: Any) -> list[Any] | None:
    """*value* as a list, or None if it is a text or no sequence."""
    try:
        return None if isinstance(value, (str, bytes)) else list(value)
    except TypeError:
        return None
