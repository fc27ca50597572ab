"""The ``cyberdeck`` command: what it prints, and how it fails."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import cyberdeck
from cyberdeck.commands import main as command
from cyberdeck.engine import jit
from tests.commands import refused, run


def test_list_names_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "list")
    for name in cyberdeck.GAMES:
        chosen = cyberdeck.variant(name)
        line = next(line for line in printed.splitlines() if line.startswith(name))
        told = {chosen.game.gym_id, str(chosen.seats), str(chosen.action_count)}
        assert told <= set(line.split())


@pytest.mark.parametrize("name", list(cyberdeck.GAMES))
def test_describe_tells_the_whole_layout(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, f"describe {name}")
    chosen = cyberdeck.variant(name)
    for feature in chosen.features:
        where = chosen.layout[feature.name]
        assert f"{where.start}:{where.stop}" in printed
        assert feature.meaning in printed
    for option in chosen.game.options:
        assert option.name in printed
        assert option.meaning in printed
    for reason in chosen.game.reasons[1:]:
        assert reason in printed
    assert re.search(r"^disguise +0 +0 to 2147483647 ", printed, re.MULTILINE)
    regret = re.compile(r"^reward +'regret', where positions have exact ", re.MULTILINE)
    assert regret.search(run(capsys, "describe examples/games/tictactoe.py"))
    assert bool(regret.search(printed)) == (name == "hackthegrid")  # elsewhere something is hidden


def test_describe_shows_what_depends_on_options(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "describe hovercrafts ships=3v1")
    chosen = cyberdeck.variant("hovercrafts", ships=(3, 1))
    assert printed.startswith("Hovercrafts, ships=(3, 1)\n")
    assert "0 (zion_0), 1 (zion_1), 2 (zion_2), 3 (machines_0)" in printed
    assert f"Discrete({chosen.action_count})" in printed
    assert f"Box({chosen.observation_size},) int8 with these options" in printed
    for feature in chosen.features:
        where = chosen.layout[feature.name]
        assert re.search(rf"^{where.start}:{where.stop} +{feature.name} ", printed, re.MULTILINE)


def test_warm_up_compiles_the_games_that_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = run(capsys, "warm-up hackthegrid")
    assert "compiling 1 game," in printed
    assert str(jit.cache_folder()) in printed
    assert cyberdeck.game("stacktrices").title not in printed
    assert "hackthegrid" in refused(capsys, "warm-up hackthegird")
    monkeypatch.setattr(jit, "cache_folder", lambda: None)
    assert command.main(["warm-up"]) != 0
    assert "CYBERDECK_CACHE_DIR" in capsys.readouterr().err


@pytest.mark.slow
def test_warm_up_reaches_every_loop() -> None:
    """In a process in which nothing else has: each loop is compiled, or found compiled."""
    code = """if True:
        from cyberdeck.engine import registry
        from cyberdeck.commands.games import compile_game
        from cyberdeck.engine.game_loops import loops_of
        from cyberdeck.players.trees.guiding import guide_loop
        from cyberdeck.players.trees.searching import search_loop
        for name in registry.GAMES:
            compile_game(name)
            game = registry.game(name)
            searches = {"search": search_loop(game), "guide": guide_loop(game)}
            loops = vars(loops_of(game)) | searches
            print(name, *[loop for loop, compiled in loops.items() if not compiled.signatures])
        """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    missed = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    phases = ["retrace", "next_phase"]  # of a game whose turns have some
    assert missed == {
        "matrix_overload": ["look_together", "report_all", *phases],  # there is one seat
        "hackthegrid": ["look_together", *phases],  # nobody decides in secret
        "stacktrices": ["look_together", *phases],
        "hovercrafts": [],
    }
