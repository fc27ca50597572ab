"""Who sits down at a table, and for which game."""

from __future__ import annotations

import dataclasses
import secrets
from dataclasses import dataclass
from typing import Final

from cyberdeck.common.reading import fault_of_text
from cyberdeck.common.text import quoted
from cyberdeck.errors import OptionError
from cyberdeck.play.engine import Engine
from cyberdeck.play.session import GameSession

#: Seeds that are drawn are below it.
SEEDS: Final = 2**31


@dataclass(frozen=True)
class Setup:
    """Who plays what: the person's seat or team, and the others' players by name.

    Nobody named: the heuristic, where the game has one, else random.
    """

    seat: str = "0"
    against: str = ""
    ally: str = ""


def named(engine: Engine, setup: Setup) -> Setup:
    """The same with everybody named; in a game without allies nobody asks who they are."""
    for who in dataclasses.astuple(setup):
        if fault := fault_of_text(who):
            raise OptionError(f"{quoted(who)} cannot play: {fault}")
    return Setup(setup.seat, setup.against or engine.usual, setup.ally or engine.usual)


def seated(engine: Engine, setup: Setup, seed: int | None) -> GameSession:
    """A game in which nothing is decided yet; None: on a deal that is drawn."""
    if seed is None:
        seed = secrets.randbelow(SEEDS)
    own = engine.own_seats(setup.seat, seed)
    return GameSession(engine, own, setup.against, setup.ally, seed)
