"""cyberdeck: cyberspace table-top games as reinforcement-learning environments.

Importing it registers the games with Gymnasium and PettingZoo; nothing is compiled before the
first reset, and no learning or window library is imported. Where these cannot be imported, as in a
browser, there are no environments, but the views: ``cyberdeck.views`` needs no NumPy.

>>> import gymnasium, cyberdeck
>>> env = gymnasium.make("cyberdeck/MatrixOverload-v0", edition="royals")
>>> observation, info = env.reset(seed=0)
>>> int(info["action_mask"].sum()) > 0
True
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"

try:
    import gymnasium as _gymnasium  # noqa: F401
except ImportError as _error:
    _missing = str(_error)

    def __getattr__(name: str) -> Any:
        raise AttributeError(f"cyberdeck has no {name!r} here: Gymnasium says: {_missing}")

else:
    from cyberdeck.api.batch import Batch
    from cyberdeck.api.registration import register, register_all
    from cyberdeck.engine import dice
    from cyberdeck.engine.contract import Columns, Feature, Game, Metric, Option
    from cyberdeck.engine.defaults import end, legal_count, nth_legal, win
    from cyberdeck.engine.kernels import kernel
    from cyberdeck.engine.policy import Policy
    from cyberdeck.engine.record import NOBODY, Field
    from cyberdeck.engine.registry import GAMES, VIEWS, game, variant
    from cyberdeck.engine.symmetry import Symmetry
    from cyberdeck.engine.variant import Variant
    from cyberdeck.errors import (
        ActionError,
        CyberdeckError,
        EpisodeError,
        OptionError,
        PolicyError,
        ReplayError,
        StateError,
    )
    from cyberdeck.text import TextEnv, TextGame

    for _name in ("matrix_overload", "hackthegrid", "stacktrices", "hovercrafts"):
        GAMES[_name] = f"cyberdeck.games.{_name}.game"
        VIEWS[_name] = f"cyberdeck.views.{_name}"
    register_all()

__all__ = [
    "GAMES",
    "NOBODY",
    "ActionError",
    "Batch",
    "Columns",
    "CyberdeckError",
    "EpisodeError",
    "Feature",
    "Field",
    "Game",
    "Metric",
    "Option",
    "OptionError",
    "Policy",
    "PolicyError",
    "ReplayError",
    "StateError",
    "Symmetry",
    "TextEnv",
    "TextGame",
    "Variant",
    "dice",
    "end",
    "game",
    "kernel",
    "legal_count",
    "nth_legal",
    "register",
    "variant",
    "win",
]
