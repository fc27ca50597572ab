"""cyberdeck: cyberspace table-top games as reinforcement-learning environments.

Importing it registers the games with Gymnasium and PettingZoo; nothing is compiled before the
first reset, and no learning or window library is imported.

>>> import gymnasium, cyberdeck
>>> env = gymnasium.make("cyberdeck/MatrixOverload-v0", edition="royals")
>>> observation, info = env.reset(seed=0)
>>> int(info["action_mask"].sum()) > 0
True
"""

from __future__ import annotations

from cyberdeck.api.batch import Batch
from cyberdeck.engine.contract import Game, Variant
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.registry import GAMES, game, register_all, variant
from cyberdeck.errors import (
    ActionError,
    CyberdeckError,
    EpisodeError,
    OptionError,
    PolicyError,
    ReplayError,
    StateError,
)

__version__ = "0.1.0"

__all__ = [
    "GAMES",
    "ActionError",
    "Batch",
    "CyberdeckError",
    "EpisodeError",
    "Game",
    "OptionError",
    "Policy",
    "PolicyError",
    "ReplayError",
    "StateError",
    "Variant",
    "game",
    "variant",
]

register_all()
