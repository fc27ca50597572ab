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

from typing import TYPE_CHECKING, Any

from cyberdeck.views.view import View

if TYPE_CHECKING:
    from cyberdeck.evaluation.evaluate import evaluate
    from cyberdeck.evaluation.match import match
    from cyberdeck.evaluation.tournament import tournament

__version__ = "0.1.0"

try:
    import gymnasium as _gymnasium  # noqa: F401
except ImportError as _error:
    _missing = str(_error)

    def __getattr__(name: str) -> Any:
        raise AttributeError(f"cyberdeck has no {name!r} here: Gymnasium says: {_missing}")

else:
    from cyberdeck.api.batch import Batch
    from cyberdeck.api.registration import load_file, register, register_all
    from cyberdeck.engine import dice
    from cyberdeck.engine.contract import Columns, Feature, Game, Metric, Option
    from cyberdeck.engine.defaults import end, legal_count, nth_legal, win
    from cyberdeck.engine.features import offset_table, offsets
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
        KernelError,
        OptionError,
        PolicyError,
        ReplayError,
        ResultError,
        StateError,
    )
    from cyberdeck.players import find_player
    from cyberdeck.players.search import Search
    from cyberdeck.text import TextEnv, TextGame

    for _name in ("matrix_overload", "hackthegrid", "stacktrices", "hovercrafts"):
        GAMES[_name] = f"cyberdeck.games.{_name}.game"
        VIEWS[_name] = f"cyberdeck.views.{_name}"
    register_all()

    def __getattr__(name: str) -> Any:
        """``evaluate`` and its like: who only plays does without what they import."""
        if name in ("evaluate", "match", "tournament"):
            from cyberdeck import evaluation

            return getattr(evaluation, name)
        raise AttributeError(f"module 'cyberdeck' has no attribute {name!r}")


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
    "KernelError",
    "Metric",
    "Option",
    "OptionError",
    "Policy",
    "PolicyError",
    "ReplayError",
    "ResultError",
    "Search",
    "StateError",
    "Symmetry",
    "TextEnv",
    "TextGame",
    "Variant",
    "View",
    "dice",
    "end",
    "evaluate",
    "find_player",
    "game",
    "kernel",
    "legal_count",
    "load_file",
    "match",
    "nth_legal",
    "offset_table",
    "offsets",
    "register",
    "tournament",
    "variant",
    "win",
]
