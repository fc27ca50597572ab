"""HACKtheGRID's cards and hackers by name, and where they are."""

from __future__ import annotations

from typing import Final

from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.views.record import Record

HACKERS: Final = ("column", "row")


def colour_name(colour: int) -> str:
    return c.COLOURS[colour] if colour < len(c.COLOURS) else f"colour {colour}"


def card_name(record: Record, card: int) -> str:
    """A card in words."""
    return f"{c.KINDS[record.kind[card]]} ({colour_name(record.colour[card])})"


def cell(record: Record, seat: int, position: int) -> int:
    """The crossing of the two lines if *seat* stood at *position*."""
    column, row = record.avatar
    return int(c.SIDE * row + position if seat == 0 else c.SIDE * position + column)


def arrays(record: Record, hacker: int) -> list[tuple[int, int, int]]:
    """The stretches of neighbours of one colour in a Run: first place, length, colour."""
    length = record.length[hacker]
    colours = [record.colour[card] for card in record.run[hacker][:length]]
    found: list[tuple[int, int, int]] = []
    first = 0
    for place in range(1, length + 1):
        if place == length or colours[place] != colours[first]:
            if place - first > 1:
                found.append((first, place - first, colours[first]))
            first = place
    return found
