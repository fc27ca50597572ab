"""A game of each, played and written as a page to step through."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cyberdeck.evaluation import play_games


@dataclass(frozen=True)
class Shown:
    """Who plays, and who looks on."""

    title: str
    players: dict[str, str]
    deal: int
    view: str | None = None
    options: dict[str, Any] = field(default_factory=dict)


GAMES = {
    "matrix_overload": Shown(
        "MATR1X 0VERL0AD: the sampler plays", {"sampler": "sampler:decks=20"}, 4
    ),
    "hackthegrid": Shown(
        "HACKtheGRID: the exact player against search",
        {"optimal": "optimal", "search": "search:iterations=200"},
        4,
    ),
    "stacktrices": Shown(
        "Stacktrices: search against the heuristic, as a spectator sees it",
        {"search": "search:iterations=20", "heuristic": "heuristic"},
        4,
        "spectator",
    ),
    "hovercrafts": Shown(
        "Hovercrafts: three ships against three in tunnels",
        {"heuristic": "heuristic", "heuristic too": "heuristic"},
        4,
        "spectator",
        {"ships": (3, 3), "scenario": "tunnels"},
    ),
}


def write(folder: Path) -> None:
    """Play each game once, the same every time, and write its page into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, shown in GAMES.items():
        games = play_games(
            name,
            shown.players,
            lineups=[tuple(range(len(shown.players)))],
            deals=[shown.deal],
            keep_actions=True,
            **shown.options,
        )
        games.replay(0, title=shown.title).write_html(folder / f"{name}.html", seat=shown.view)
