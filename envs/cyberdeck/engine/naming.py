"""How actions are called by the meaning of their groups: no NumPy here."""

from __future__ import annotations

from collections.abc import Sequence


def named_action(actions: Sequence[tuple[int, str]], action: int) -> str:
    """An action by the meaning of its group, and its number in it.

    >>> named_action([(9, "place a mark at"), (1, "pass")], 4), named_action([(1, "pass")], 0)
    ('place a mark at 4', 'pass')
    """
    rest = action
    for count, meaning in actions:
        if 0 <= rest < count:
            return f"{meaning} {rest}" if count > 1 else meaning
        rest -= count
    return f"nothing (there is no action {action})"
