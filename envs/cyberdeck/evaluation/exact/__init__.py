"""Exact values of games for two, compiled: all positions, best responses, and solvers."""

from __future__ import annotations

from cyberdeck.evaluation.exact.bench import Bench
from cyberdeck.evaluation.exact.sequences import Sequences
from cyberdeck.evaluation.exact.solvers import Solver

__all__ = ["Bench", "Sequences", "Solver"]
