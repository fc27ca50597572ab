"""How games and actions are called if nothing else is said: no NumPy here."""

from __future__ import annotations

from collections.abc import Sequence


def usual_id(name: str, space: str = "cyberdeck") -> str:
    """A game's id in Gymnasium's registry, without its version.

    >>> usual_id("connect_four")
    'cyberdeck/ConnectFour'
    """
    return f"{space}/{name.replace('_', ' ').title().replace(' ', '')}"


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
