"""Hovercrafts for PettingZoo: ``env()``, ``raw_env()`` and ``parallel_env()``."""

from collections.abc import Sequence
from typing import Literal, Unpack

from cyberdeck.api import pettingzoo_env
from cyberdeck.api.pettingzoo_env import (
    Arguments,
    CyberdeckAECEnv,
    CyberdeckParallelEnv,
    OrderedAECEnv,
)

__all__ = ["Options", "env", "parallel_env", "raw_env"]


class Options(Arguments, total=False):
    """The game's options, which ``cyberdeck describe hovercrafts`` explains."""

    ships: tuple[int, int]
    scenario: str | Sequence[str]
    width: int | None
    height: int | None
    wall_density: float
    stats: Sequence[Sequence[int]] | None
    goal: Literal["fleet", "flagship", "seize", "breakthrough"]
    locations: Literal[1, 3, 5]
    points: int
    escape_share: float
    deployment: Literal["choose", "random"]
    pick_side: bool
    emp_per_turn: int
    share_plans: bool
    reward: Literal["outcome", "damage"]
    max_turns: int
    battles: Literal[1, 3, 5, 7]
    observation: Literal["vector", "planes", "prior"]


def env(**options: Unpack[Options]) -> OrderedAECEnv:
    """Hovercrafts as PettingZoo's own envs are: whose ship acts illegally loses, calls in order.

    It takes ``mask``, ``dtype``, ``render_mode``, ``render_seat`` and the game's options.

    >>> from cyberdeck import hovercrafts_v0
    >>> hovercrafts_v0.env(ships=(2, 1)).possible_agents
    ['zion_0', 'zion_1', 'machines_0']
    """
    return pettingzoo_env.env("hovercrafts", **options)


def raw_env(
    *, illegal: Literal["raise", "lose"] = "raise", **options: Unpack[Options]
) -> CyberdeckAECEnv:
    """Hovercrafts by itself: an illegal action raises an error and changes nothing."""
    return pettingzoo_env.raw_env("hovercrafts", illegal=illegal, **options)


def parallel_env(
    *, illegal: Literal["lose", "raise"] = "lose", **options: Unpack[Options]
) -> CyberdeckParallelEnv:
    """Hovercrafts in rounds: all who plan at the same time decide in the same step.

    >>> from cyberdeck import hovercrafts_v0
    >>> env = hovercrafts_v0.parallel_env(ships=(2, 2))
    >>> observations, infos = env.reset(seed=1)
    >>> sorted(observations)
    ['machines_0', 'machines_1', 'zion_0', 'zion_1']
    """
    return pettingzoo_env.parallel_env("hovercrafts", illegal=illegal, **options)
