"""Exact values of games for two, compiled: all positions, and best responses to a strategy."""

from __future__ import annotations

from cyberdeck.evaluation.exact.bench import Bench

__all__ = ["Bench"]
