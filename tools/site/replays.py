"""A game of each, played and written as a page to step through."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cyberdeck.evaluation import play_games
from cyberdeck.replay import Replay


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


def played(name: str) -> Replay:
    """Play a game, the same every time."""
    shown = GAMES[name]
    games = play_games(
        name,
        shown.players,
        lineups=[tuple(range(len(shown.players)))],
        deals=[shown.deal],
        keep_actions=True,
        **shown.options,
    )
    return games.replay(0, title=shown.title)


def write(folder: Path) -> None:
    """Write a page of each game into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, shown in GAMES.items():
        played(name).write_html(folder / f"{name}.html", seat=shown.view)
