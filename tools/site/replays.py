"""A game of each, played and written as a page to step through."""

from __future__ import annotations

import tomllib
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
    view: str | None = None
    options: dict[str, Any] = field(default_factory=dict)


_TABLE = tomllib.loads(Path(__file__).with_name("games.toml").read_text())
GAMES = {name: Shown(**shown) for name, shown in _TABLE.items()}
DEAL = 4


def played(name: str) -> Replay:
    """Play a game, the same every time."""
    shown = GAMES[name]
    games = play_games(
        name,
        shown.players,
        lineups=[tuple(range(len(shown.players)))],
        deals=[DEAL],
        keep_actions=True,
        **shown.options,
    )
    return games.replay(0, title=shown.title)


def write(folder: Path) -> None:
    """Write a page of each game into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, shown in GAMES.items():
        played(name).write_html(folder / f"{name}.html", seat=shown.view)
