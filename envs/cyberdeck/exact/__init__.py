"""Exact values of small games: best responses, equilibria, and what single actions are worth.

All of it goes over the positions of a game (``cyberdeck.enumeration``) in one of two ways, by
beliefs where a strategy looks at the present observation (``Bench``), in sequence form where it
remembers (``Sequences``). ``exploit`` chooses. ``Tree`` is the same in plain Python, for any number
of seats.
"""

from __future__ import annotations

from cyberdeck.exact.bench import Bench
from cyberdeck.exact.exploiting import Exploit, exploit, exploitability
from cyberdeck.exact.results import BestResponses, Strategy, uniform
from cyberdeck.exact.sequences import Sequences
from cyberdeck.exact.solvers import Solver
from cyberdeck.exact.tree import Tree
from cyberdeck.exact.values import find_values

__all__ = [
    "Bench",
    "BestResponses",
    "Exploit",
    "Sequences",
    "Solver",
    "Strategy",
    "Tree",
    "exploit",
    "exploitability",
    "find_values",
    "uniform",
]
