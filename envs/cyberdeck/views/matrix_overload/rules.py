"""MATR1X 0VERL0AD's rules in short: what their text says by the options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cyberdeck.common.text import counted
from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.views.matrix_overload import cards
from cyberdeck.views.texts import rules_in_short


def _facts(options: Mapping[str, Any]) -> dict[str, Any]:
    numbered = options["edition"] == "firewall"
    court = ("11", "12", "13") if numbered else ("J", "Q", "K")
    return {
        "royal": "firewall" if numbered else "royal",
        "rulebook": options["edition"] == "rulebook",
        "piles": "\n".join("".join(map(_at, row)).rstrip() for row in cards.TABLE),
        "attacks": "; on ".join(filter(None, map(_attacks, range(c.INNER)))),
        "moves": counted(options["max_steps"], "move"),
        **dict(zip(("jack", "queen", "king"), court, strict=True)),
    }


def _at(pile: int) -> str:
    return f"{'' if pile == c.NONE else pile:>5}"


def _attacks(pile: int) -> str:
    """Which piles attack where when a card is laid on an inner pile; nothing where none do."""
    told = " and ".join(
        f"{first}+{second} attack {c.INNER + outer}"
        for first, second, outer in c.LINES[pile]
        if outer != c.NONE
    )
    return f"{pile}: {told}" if told else ""


how_to_play: Final = rules_in_short(__package__, _facts)
