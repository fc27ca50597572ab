"""What the caller plays: one seat, a team, or every seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cyberdeck.common.whole import is_whole
from cyberdeck.engine.constants import DRAWN, EVERY
from cyberdeck.errors import require


@dataclass(frozen=True)
class Seat:
    """What the caller plays: a seat (or DRAWN, or EVERY), or with *team* all of its side."""

    number: int
    team: bool = False


#: The caller decides for everybody.
EVERY_SEAT = Seat(EVERY)


class Seated(Protocol):
    """What says who plays: a variant is such a thing."""

    @property
    def agents(self) -> Sequence[str]:
        """The seats by their names."""

    @property
    def sides(self) -> Sequence[int]:
        """The side of each."""

    @property
    def teams(self) -> Sequence[str]:
        """The names of the sides, where several seats play together."""


def checked_seat(variant: Seated, seat: int | str) -> Seat:
    """*seat* as the caller names it, or ``OptionError``."""
    if seat == "random":
        return Seat(DRAWN)
    if seat == "every":
        return EVERY_SEAT
    teams = variant.teams
    if teams and seat == "team":
        return Seat(DRAWN, team=True)
    if seat in teams:
        return Seat(variant.sides.index(teams.index(str(seat))), team=True)
    if seat in variant.agents:
        return Seat(variant.agents.index(str(seat)))
    seats = ", ".join(f"{at} ({name})" for at, name in enumerate(variant.agents))
    named = ", ".join(map(repr, ("random", *(("team", *teams) if teams else ()))))
    possible = is_whole(seat) and 0 <= int(seat) < len(variant.agents)
    require(possible, "seat", seat, f"choose {named} or one of {seats}")
    return Seat(int(seat))
