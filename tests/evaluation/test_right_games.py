"""``cyberdeck check`` refuses no game that keeps the contract, in whatever way it does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch, variant
from cyberdeck.api.registration import load_file
from cyberdeck.testing import check, checking
from cyberdeck.testing.alike import redrawn_otherwise
from tests.engine.games import EXAMPLES

HERE = Path(__file__).parent
#: Files of right games, and of those with a view; their main options.
QUICK: list[tuple[str, dict[str, Any]]] = [
    ("goofspiel", {}),
    ("dark_hex", {"size": 2}),
    ("teams", {}),
    ("kuhn_poker", {}),
    ("connect_four", {}),
    ("coin_bets", {}),
    ("twenty_forty_eight", {"side": 2}),
]
#: All other games of the examples, and what changes most in them.
OTHERS: list[tuple[str, dict[str, Any]]] = [
    *(
        (path.stem, {})
        for folder in (EXAMPLES, HERE / "games")
        for path in sorted(folder.glob("*.py"))
        if path.stem not in dict(QUICK)
    ),
    *((name, {"rules": "abrupt"}) for name in ("phantom_tictactoe", "dark_hex")),
]
#: In these everybody sees everything.
OPEN = (
    *("tictactoe", "coin_bets", "connect_four", "tandem_tictactoe", "twenty_forty_eight"),
    *("duel", "heap", "lamps", "pigs"),
)
#: The games of the suite.
OWN: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in cyberdeck.GAMES),
    ("matrix_overload", {"edition": "rulebook", "reward": "royals"}),
    ("hovercrafts", {"ships": (2, 2), "scenario": "tunnels", "share_plans": True}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), OWN)
def test_the_games_keep_it(name: str, options: dict[str, Any]) -> None:
    """As plain Python, and where positions look alike; test_simulation.py plays far more."""
    report = check(name, decisions=20, seconds=5, **options)
    assert report.faults == []
    assert report.careful > 0


@pytest.mark.parametrize(
    ("name", "options"),
    [*QUICK, *(pytest.param(*each, marks=pytest.mark.slow) for each in OTHERS)],
)
def test_a_right_game_keeps_the_contract_in_plain_python(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(checking, "_play_compiled", lambda *_: None)
    monkeypatch.setattr(checking, "_COURSES", 2)
    for folder in (EXAMPLES, HERE / "games", HERE / "views"):
        for path in (folder / f"{name}.py", folder / f"{name}_view.py"):
            if path.is_file():
                (tmp_path / path.name).write_text(path.read_text())
    game = load_file(tmp_path / f"{name}.py")
    report = check(game.name, decisions=16, **options)
    assert report.faults == report.warnings == []
    assert (report.twins > 0) == (name not in OPEN)
    assert report.shown > 0


def test_what_is_drawn_from_one_distribution_is_redrawn_alike() -> None:
    chosen, luck = variant("matrix_overload"), np.random.default_rng(0)
    record = Batch(chosen, 1, seed=0)._core.states

    def redraw(record: Any, bits: int) -> Any:
        world = record.copy()
        world["known_last"] = luck.integers(2)
        return world

    assert redrawn_otherwise(chosen.game, redraw, record, record, 0) == ([], True)
