"""What solves games: which game has which players of its own, and who knows exact values."""

from __future__ import annotations

from typing import Final

#: Policies for one game alone: game -> name -> where the class is, as ``module:class``.
PLAYERS: Final[dict[str, dict[str, str]]] = {
    "matrix_overload": {"sampler": "cyberdeck.players.solvers.matrix_overload.solver:Sampler"},
    "hackthegrid": {"optimal": "cyberdeck.players.solvers.hackthegrid.solver:Optimal"},
}

#: Exact values of every game: name -> where the class is.
VALUES: Final = {
    "exact": "cyberdeck.players.solvers.enumerated:Enumerated",
    "response": "cyberdeck.players.solvers.response:Response",
}

#: Those of one game, in the place of these: game -> name -> where the class is.
OWN_VALUES: Final[dict[str, dict[str, str]]] = {
    "hackthegrid": {"exact": "cyberdeck.players.solvers.hackthegrid.values:SolverValues"},
}
