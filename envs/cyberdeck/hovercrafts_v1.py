"""Hovercrafts for PettingZoo: ``env()``, ``raw_env()`` and ``parallel_env()``."""

import functools

from cyberdeck.api import pettingzoo_env
from cyberdeck.api.pettingzoo_env import module

env, raw_env = module("hovercrafts")
parallel_env = functools.partial(pettingzoo_env.parallel_env, "hovercrafts")

__all__ = ["env", "parallel_env", "raw_env"]
