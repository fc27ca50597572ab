"""Published policies: which is picked, what is said where there is none, what is listed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cyberdeck
from cyberdeck import Batch, docs
from cyberdeck.engine import registry
from cyberdeck.errors import OptionError
from cyberdeck.players import baselines, find_player, networks, player_names
from tests.commands import run
from tests.test_policies import network
from tests.training.runs import numbers

#: Games that soon end, so that playing them is quick.
SHORT: dict[str, Any] = {"ships": (2, 2), "max_turns": 2, "deployment": "random"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of published policies: one for HACKtheGRID, two for Hovercrafts."""
    monkeypatch.setattr(baselines, "FOLDER", tmp_path)
    network("hackthegrid", {"reward": "margin"}, seed=1).save(tmp_path / "hackthegrid.safetensors")
    network("hovercrafts", {}, seed=2).save(tmp_path / "hovercrafts.safetensors")
    network("hovercrafts", SHORT, seed=3).save(tmp_path / "hovercrafts-2v2.safetensors")
    return tmp_path


def picked(game: str, **options: Any) -> networks.Network:
    found = find_player(cyberdeck.variant(game, **options), "baseline")
    assert isinstance(found, networks.Network)
    assert found.name == "baseline"
    return found


def test_the_file_is_picked_by_game_and_options(folder: Path) -> None:
    cases: list[tuple[str, str, dict[str, Any]]] = [
        ("hackthegrid", "hackthegrid", {}),
        ("hackthegrid", "hackthegrid", {"reward": "margin"}),
        ("hovercrafts", "hovercrafts", {"ships": (1, 1)}),
        ("hovercrafts", "hovercrafts", {"ships": [1, 1], "reward": "damage"}),
        ("hovercrafts-2v2", "hovercrafts", SHORT),
        ("hovercrafts-2v2", "hovercrafts", {**SHORT, "reward": "damage"}),
    ]
    for stem, game, options in cases:
        wanted = networks.load(folder / f"{stem}.safetensors")
        assert numbers(picked(game, **options)) == numbers(wanted)


def test_where_there_is_none_the_error_says_for_what_there_are(folder: Path) -> None:
    there = r"there are baselines for default options; ships=\(2, 2\), .*max_turns=2"
    for options in ({"ships": (3, 3)}, {"max_turns": 9}):
        with pytest.raises(OptionError, match=f"no baseline for Hovercrafts with .*: {there}"):
            picked("hovercrafts", **options)
    with pytest.raises(OptionError, match=r"with scramble='at_end': .* for default options"):
        picked("hackthegrid", scramble="at_end")
    with pytest.raises(
        OptionError, match=r"Stacktrices with default options: there is none at all"
    ):
        picked("stacktrices")
    with pytest.raises(OptionError, match=r"opponent='baseline': there is no baseline for"):
        Batch("stacktrices", 1, seat=0, opponent="baseline")
    with pytest.raises(OptionError, match="baseline has no settings"):
        find_player(cyberdeck.variant("hackthegrid"), "baseline:x=1")


def test_it_is_listed_where_there_is_one(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    variant = cyberdeck.variant
    assert "baseline" in player_names(variant("hackthegrid"))
    assert "baseline" in player_names(variant("hovercrafts", **SHORT))
    assert "baseline" not in player_names(variant("hovercrafts", ships=(3, 3)))
    assert "baseline" not in player_names(variant("stacktrices"))
    described = run(capsys, "describe hovercrafts")
    assert "baselines" in described
    assert "for default options; ships=(2, 2)" in described
    lines = run(capsys, "list").splitlines()
    assert lines[0].endswith("baselines")
    for line in lines[2:]:
        if line.startswith("hovercrafts"):
            assert "default options; ships=(2, 2)" in line
        else:
            assert line.endswith("default options" if line.startswith("hackthegrid") else "-")
    (folder / "none").mkdir()
    monkeypatch.setattr(baselines, "FOLDER", folder / "none")
    assert "baseline" not in docs.listing(registry.GAMES)
    assert "baseline" not in docs.specs(variant("hackthegrid"))


def test_published_files_are_whole_and_fit_their_games() -> None:
    """Those in the package, as they are."""
    for path in baselines.FOLDER.glob("*.safetensors"):
        made = networks.load(path)
        chosen = cyberdeck.variant(made.game, **made.options)
        made.check(chosen)
        assert path.stem.partition("-")[0] == made.game
        assert baselines.file_for(chosen) == path
