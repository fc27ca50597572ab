"""Exact values of small games: best responses, equilibria, and what single actions are worth.

All of it goes over the positions of a game (``cyberdeck.enumeration``) in one of two ways, by
beliefs where a strategy looks at the present observation (``PositionSolver``), in sequence form
where it remembers (``InformationSets``). ``exploit`` chooses. ``Tree`` is the same in plain Python,
for any number of seats.
"""

from __future__ import annotations

from cyberdeck.exact.exploiting import Exploit, PositionSolver, exploit, exploitability
from cyberdeck.exact.sequences import InformationSets
from cyberdeck.exact.solvers import Solver
from cyberdeck.exact.strategies import BestResponses, Strategy, uniform
from cyberdeck.exact.tree import Tree
from cyberdeck.exact.values import find_values

__all__ = [
    "BestResponses",
    "Exploit",
    "InformationSets",
    "PositionSolver",
    "Solver",
    "Strategy",
    "Tree",
    "exploit",
    "exploitability",
    "find_values",
    "uniform",
]
