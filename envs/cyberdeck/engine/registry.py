"""The games of the suite, by name. A new game is one entry here."""

from __future__ import annotations

import copyreg
import functools
import importlib
from typing import Any

from cyberdeck.engine.contract import Game, Variant
from cyberdeck.errors import OptionError

#: name -> the module whose GAME describes it.
GAMES = {
    "matrix_overload": "cyberdeck.games.matrix_overload",
    "hackthegrid": "cyberdeck.games.hackthegrid",
    "stacktrices": "cyberdeck.games.stacktrices",
    "hovercrafts": "cyberdeck.games.hovercrafts",
}


@functools.cache
def game(name: str) -> Game:
    """The game called *name*.

    >>> game("hackthegrid").title
    'HACKtheGRID'
    """
    if name not in GAMES:
        raise OptionError(f"there is no game {name!r}; there are: " + ", ".join(GAMES))
    found: Game = importlib.import_module(GAMES[name]).GAME
    return found


def _by_name(game_: Game) -> tuple[Any, ...]:
    """There is one of each: a pickle or copy holds its name."""
    return game, (game_.name,)


copyreg.pickle(Game, _by_name)


def variant(name: str, /, **options: Any) -> Variant:
    """The game called *name* with its options chosen and checked.

    >>> variant("matrix_overload", edition="rulebook").options["max_steps"]
    500
    """
    return Variant(game(name), options)


def register_all() -> None:
    """Make every game known to Gymnasium and, if several play, to PettingZoo."""
    import gymnasium
    import pettingzoo

    for name in GAMES:
        described = game(name)
        gymnasium.register(
            described.gym_id,
            entry_point="cyberdeck.api.gymnasium_env:CyberdeckEnv",
            vector_entry_point="cyberdeck.api.vector_env:CyberdeckVectorEnv",
            # Gymnasium's checker never recovers from a first reset that was refused; what it
            # checks is checked in our tests.
            disable_env_checker=True,
            kwargs={"game": name},
        )
        # The registry came with PettingZoo 1.26; older ones have only the modules.
        if described.most_seats > 1 and hasattr(pettingzoo, "register"):
            pettingzoo.register(
                "aec",
                f"cyberdeck/{name}-v0",
                entry_point="cyberdeck.api.pettingzoo_env:env",
                kwargs={"game": name},
            )
        if described.simultaneous and hasattr(pettingzoo, "register"):
            pettingzoo.register(
                "parallel",
                f"cyberdeck/{name}-v0",
                entry_point="cyberdeck.api.pettingzoo_env:parallel_env",
                kwargs={"game": name},
            )
