"""Stacktrices for PettingZoo: ``stacktrices_v0.env()`` and ``stacktrices_v0.raw_env()``."""

from cyberdeck.api.pettingzoo_env import module

env, raw_env = module("stacktrices")

__all__ = ["env", "raw_env"]
