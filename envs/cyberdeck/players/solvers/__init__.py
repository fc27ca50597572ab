"""Players that solve their game, and what they find out about it: which game has which."""

from __future__ import annotations

from typing import Final

#: Policies for one game alone: game -> name -> where the class is, as ``module:class``.
PLAYERS: Final[dict[str, dict[str, str]]] = {
    "matrix_overload": {"sampler": "cyberdeck.players.solvers.matrix_overload.solver:Sampler"},
    "hackthegrid": {"optimal": "cyberdeck.players.solvers.hackthegrid.solver:Optimal"},
}

#: The module that solves deals of a game. It has ``deals(variant, count, seed, progress)``, the
#: values of many deals as text (*progress* is told how many are done), and ``deal(variant, seed)``,
#: what it finds out about one.
SOLVERS: Final[dict[str, str]] = {
    "matrix_overload": "cyberdeck.players.solvers.matrix_overload.solutions",
    "hackthegrid": "cyberdeck.players.solvers.hackthegrid.solutions",
}
