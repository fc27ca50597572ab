"""Seeds for reporting: what a figure that is published is measured on.

Whatever was chosen among several (a setting, a checkpoint) did well on the deals of its choice by
luck as well. So figures come from seeds that nobody can have chosen on: above all that can be
given as a number, and made from who is measured and the day of it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from cyberdeck.errors import OptionError

#: Seeds that are given as numbers are below; as many, from here on, are for reporting.
LIMIT: Final = 2**30


@dataclass(frozen=True)
class ReportingSeed:
    """Deals on which nothing was chosen; ``reporting_seed`` makes it."""

    number: int
    players: tuple[str, ...]
    day: str


def reporting_seed(players: str | Sequence[str], day: str) -> ReportingSeed:
    """The seed for a published figure of *players*, of the *day* on its page.

    Of the file of a saved policy what is in it counts, not where it is.

    >>> reporting_seed("heuristic", "2026-11-24").number
    2067428817
    """
    try:
        day = date.fromisoformat(day).isoformat()
    except (TypeError, ValueError):
        raise OptionError(f"{day!r} is no day: give one such as 2026-11-24") from None
    named = (players,) if isinstance(players, str) else tuple(players)
    digest = hashlib.blake2b("\n".join([*map(_of, named), day]).encode(), digest_size=8)
    return ReportingSeed(LIMIT + int(digest.hexdigest(), 16) % LIMIT, named, day)


def shown(seed: int | ReportingSeed) -> str:
    """The deals of a figure in words, for its heading.

    >>> shown(3), shown(reporting_seed("heuristic", "2026-11-24"))
    ('seed 3 (for choosing)', '2026-11-24 (for reporting)')
    """
    if isinstance(seed, ReportingSeed):
        return f"{seed.day} (for reporting)"
    return f"seed {seed} (for choosing)"


def notes(seed: int | ReportingSeed) -> list[str]:
    """A remark below a figure that may be published."""
    if not isinstance(seed, ReportingSeed):
        return []
    made = f"{', '.join(seed.players)} and {seed.day}"
    return [f"Seeds for reporting, made from {made}: nothing was chosen on them."]


def as_json(seed: int | ReportingSeed) -> dict[str, Any]:
    """The seed, for a file."""
    if isinstance(seed, ReportingSeed):
        return {"seed": seed.number, "reported": seed.day, "reported_for": list(seed.players)}
    return {"seed": seed, "reported": None, "reported_for": None}


def known_by(players: Mapping[str, Any]) -> tuple[str, ...]:
    """For each of some players by name what it is known by, of an object its name."""
    return tuple(_of(each) if isinstance(each, str) else name for name, each in players.items())


def _of(player: str) -> str:
    """What a player is known by: of a file, its own or a setting's, by what is in it; one that is
    not there will be refused by the match. A name may be longer than a path can be.
    """
    if os.path.isfile(player):
        return hashlib.blake2b(Path(player).read_bytes()).hexdigest()
    name, colon, settings = player.partition(":")
    if not colon:
        return player
    parts = (part.partition("=") for part in settings.split(","))
    return _of(name) + colon + ",".join(f"{key}{sign}{_of(value)}" for key, sign, value in parts)
