"""HACKtheGRID's rules in short, as they are played with given options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.views.hackthegrid.cards import colour_name
from cyberdeck.views.rules import paragraph, sections, wrapped


def how_to_play(options: Mapping[str, Any]) -> str:
    """The rules and the scoring."""
    kinds = Counter(kind for kind, _ in options["deck"])
    scrambles = c.KINDS[c.SCRAMBLE] in kinds
    late = scrambles and options["scramble"] == "at_end"
    rewards = (
        "A win is 1, a loss -1, a draw 0."
        if options["reward"] == "outcome"
        else "Each hacker gets (own score - the other's score) / 20, at least -1 and at most 1."
    )
    return sections(
        paragraph(
            f"Two hackers share a {c.SIDE}x{c.SIDE} grid of face-up cards. The column hacker "
            "stands above the grid at one of its columns, the row hacker to the left of it at a "
            "row. Columns count from 0 at the left, rows from 0 at the top; both hackers begin at "
            "0. Who moves first is drawn."
        ),
        paragraph(
            "The hackers take turns. On your turn go to any position along your own edge, or stay, "
            "and take the card where your line crosses the line of the other hacker, who stays. "
            "You may not stop where no card is left. The card goes to the right end of your Run, "
            f"the row of your cards. {'Only swaps' if scrambles else 'Nothing'} can rearrange it."
        ),
        (_late_swaps() if late else _swaps()) if scrambles else "",
        paragraph(
            f"The game is over when the grid is empty{' and no swap is left' * scrambles}: the "
            "higher score wins, equal scores are a draw. But if the hacker to move finds no card "
            "in the line that the other points at, while others are left, the game is over and "
            "BOTH LOSE, whatever the scores."
        ),
        paragraph(rewards, "If both lose, each gets -1."),
        "Each card scores by how many of its kind are in the same Run:\n" + _table(options, kinds),
        paragraph(
            "Two or more neighbours of one colour in a Run are an array (*): each card in an array "
            f"scores {c.ARRAY} more."
        ),
    )


def _swaps() -> str:
    return paragraph(
        "When you take a SCRAMBLE, you may at once swap a card of your Run that is not a SCRAMBLE "
        "for any card of the other Run, a SCRAMBLE included: each takes the other's place. There "
        "is no swap if you hold nothing but SCRAMBLEs, or the other Run is empty. A SCRAMBLE that "
        "comes by a swap brings none."
    )


def _late_swaps() -> str:
    return paragraph(
        "After the last card each SCRAMBLE brings a swap to the hacker who took it from the grid, "
        "in the order in which they were taken, wherever they lie by then. That hacker may swap a "
        "card of the own Run that is not a SCRAMBLE for any card of the other Run, a SCRAMBLE "
        "included: each takes the other's place. Who holds nothing but SCRAMBLEs is passed over."
    )


def _table(options: Mapping[str, Any], kinds: Mapping[str, int]) -> str:
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
