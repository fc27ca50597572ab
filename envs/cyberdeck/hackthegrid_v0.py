"""HACKtheGRID for PettingZoo: ``hackthegrid_v0.env()`` and ``hackthegrid_v0.raw_env()``."""

from collections.abc import Sequence
from typing import Literal, Unpack

from cyberdeck.api import pettingzoo_env
from cyberdeck.api.pettingzoo_env import Arguments, CyberdeckAECEnv, OrderedAECEnv

__all__ = ["Options", "env", "raw_env"]


class Options(Arguments, total=False):
    """The game's options, which ``cyberdeck describe hackthegrid`` explains."""

    scramble: Literal["on_take", "at_end"]
    reward: Literal["outcome", "margin", "regret"]
    deck: Sequence[tuple[str, int | str]]
    observation: Literal["vector", "prior"]


def env(**options: Unpack[Options]) -> OrderedAECEnv:
    """HACKtheGRID as PettingZoo's own envs are: whoever acts illegally loses, calls are in order.

    It takes ``mask``, ``dtype``, ``render_mode``, ``render_seat`` and the game's options.

    >>> from cyberdeck import hackthegrid_v0
    >>> env = hackthegrid_v0.env(reward="margin")
    >>> env.reset(seed=1)
    >>> env.agents
    ['column', 'row']
    """
    return pettingzoo_env.env("hackthegrid", **options)


def raw_env(
    *, illegal: Literal["raise", "lose"] = "raise", **options: Unpack[Options]
) -> CyberdeckAECEnv:
    """HACKtheGRID by itself: an illegal action raises an error and changes nothing."""
    return pettingzoo_env.raw_env("hackthegrid", illegal=illegal, **options)
