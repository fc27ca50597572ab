"""HACKtheGRID for PettingZoo: ``hackthegrid_v0.env()`` and ``hackthegrid_v0.raw_env()``."""

from cyberdeck.api.pettingzoo_env import module

env, raw_env = module("hackthegrid")

__all__ = ["env", "raw_env"]
