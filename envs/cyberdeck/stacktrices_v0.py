"""Stacktrices for PettingZoo: ``stacktrices_v0.env()`` and ``stacktrices_v0.raw_env()``."""

from typing import Literal, Unpack

from cyberdeck.api import pettingzoo_env
from cyberdeck.api.pettingzoo_env import Arguments, CyberdeckAECEnv, OrderedAECEnv

__all__ = ["Options", "env", "raw_env"]


class Options(Arguments, total=False):
    """The game's options, which ``cyberdeck describe stacktrices`` explains."""

    setup: Literal["choose", "random"]
    first: Literal[0, 1, "random"]
    steal_on_attack: bool
    stacked_movement: bool
    reward: Literal["outcome", "material"]
    max_turns: int
    observation: Literal["vector", "planes", "prior"]


def env(**options: Unpack[Options]) -> OrderedAECEnv:
    """Stacktrices as PettingZoo's own envs are: whoever acts illegally loses, calls are in order.

    It takes ``mask``, ``dtype``, ``render_mode``, ``render_seat`` and the game's options.

    >>> from cyberdeck import stacktrices_v0
    >>> env = stacktrices_v0.env(setup="random")
    >>> env.reset(seed=1)
    >>> int(env.last()[0]["action_mask"].sum()) > 0
    True
    """
    return pettingzoo_env.env("stacktrices", **options)


def raw_env(
    *, illegal: Literal["raise", "lose"] = "raise", **options: Unpack[Options]
) -> CyberdeckAECEnv:
    """Stacktrices by itself: an illegal action raises an error and changes nothing."""
    return pettingzoo_env.raw_env("stacktrices", illegal=illegal, **options)
