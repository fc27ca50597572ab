"""What solves games: which game has which players of its own."""

from __future__ import annotations

from typing import Final

#: Policies for one game alone: game -> name -> where the class is, as ``module:class``.
PLAYERS: Final[dict[str, dict[str, str]]] = {
    "matrix_overload": {"sampler": "cyberdeck.players.solvers.matrix_overload.sampler:Sampler"},
    "hackthegrid": {"optimal": "cyberdeck.players.solvers.hackthegrid.solver:Optimal"},
}
