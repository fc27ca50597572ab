"""HACKtheGRID's rules in short: what their text says by the options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.views.hackthegrid.cards import colour_name
from cyberdeck.views.rules import wrapped
from cyberdeck.views.texts import rules_in_short


def _facts(options: Mapping[str, Any]) -> dict[str, Any]:
    kinds = Counter(kind for kind, _ in options["deck"])
    scrambles = c.KINDS[c.SCRAMBLE] in kinds
    worth = _worth(options, kinds)
    return {"side": c.SIDE, "array": c.ARRAY, "scrambles": scrambles, "worth": worth}


def _worth(options: Mapping[str, Any], kinds: Mapping[str, int]) -> str:
    """What each kind of the deck is worth, and how many there are in which colours."""
    lines = [f"{'':>14}{'one':>7}{'two':>9}{'three+':>9}   in the deck"]
    for kind, (_, one, two, more) in zip(c.KINDS, c.VALUES, strict=True):
        if kind in kinds:
            colours = Counter(colour for other, colour in options["deck"] if other == kind)
            named = ", ".join(
                f"{count} {colour_name(colour)}" if count > 1 else colour_name(colour)
                for colour, count in sorted(colours.items())
            )
            worth = f"{one:>7}{two:>4} each{more:>4} each"
            lines.append(wrapped(f"  {kind:<12}{worth}   {kinds[kind]}: {named}", 42))
    return "\n".join(lines)


how_to_play: Final = rules_in_short(__package__, _facts)
