"""Neon Arena: a game, a player and a way to train of one's own, for cyberdeck.

Importing it registers an env id of its own. The game's id is there without that.
"""

import gymnasium
from gymnasium.wrappers import TimeAwareObservation

gymnasium.register(
    id="neon/Duel-v0",
    entry_point="cyberdeck.api.gymnasium_env:CyberdeckEnv",
    additional_wrappers=(TimeAwareObservation.wrapper_spec(flatten=False),),
    disable_env_checker=True,
    kwargs={"game": "neon_arena", "opponent": "careful"},
)
