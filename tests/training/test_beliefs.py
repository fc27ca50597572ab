"""What a policy in training believes of the others' views, beside its own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from cyberdeck import Batch, OptionError, PolicyError
from cyberdeck.api.sb3 import SB3VecEnv
from cyberdeck.engine.others import ITSELF
from cyberdeck.engine.policy import BUILT_IN
from cyberdeck.evaluation import evaluate
from cyberdeck.players.beliefs import Filter
from cyberdeck.players.exporting import export
from cyberdeck.players.networks import Believed, load
from cyberdeck.players.search import Search
from cyberdeck_training import checkpoints, config, runs, train
from cyberdeck_training.frames import BelievedViews
from tests.training.runs import TINY, trained
from tests.training.test_expert_iteration import GAMES

LEDUC = str(GAMES / "leduc_poker.py")
SEES: dict[str, Any] = {
    "game": LEDUC,
    "opponents": {"self": 1, "random": 1},
    "past": ...,
    "beliefs": {"player": "random", "limit": 50},
    "total_timesteps": 256,
    "evaluation": {**TINY["evaluation"], "opponents": ["random"], "deals": 2, "final_deals": 4},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("beliefs"), **SEES)


def test_after_the_own_view_stands_what_the_others_likely_see() -> None:
    """Worked out anew from a batch that plays the same games."""
    variant = config.load(LEDUC).variant
    games = SB3VecEnv(variant, 8, seed=1, opponent=ITSELF, history=True)
    envs = BelievedViews(games, Filter(variant, BUILT_IN["random"], 50))
    seen, size = envs.reset(), variant.observation_size
    twin, rng = Batch(variant, 8, seed=1, history=True), np.random.default_rng(0)
    for _ in range(30):
        assert (seen[:, :size] == twin.observation).all()
        for row in range(8):
            found = twin.beliefs(row, "random", limit=50)
            other = 1 - int(twin.mover[row])
            views = [variant.look(found.states[at : at + 1], other)[1] for at in range(len(found))]
            assert seen[row, size:] == pytest.approx(found.weights @ np.array(views))
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in twin.mask])
        twin.step(actions)
        seen, _, dones, _ = envs.step(actions)
        assert (dones == twin.terminated).all()


def test_what_it_learned_plays_anywhere_and_draws_what_it_drew(folder: Path) -> None:
    """The file says what it sees; a table is the same each time."""
    network = load(folder / "last.safetensors")
    assert network.beliefs == Believed("random", 50, 2)
    found = evaluate(runs.config_of(folder).variant, network, ["random"], deals=20)
    assert evaluate(runs.config_of(folder).variant, network, ["random"], deals=20).table() == (
        found.table()
    )


def test_what_sees_beliefs_guides_no_search_and_leaves_no_house(
    folder: Path, tmp_path: Path
) -> None:
    network, variant = load(folder / "last.safetensors"), runs.config_of(folder).variant
    with pytest.raises(OptionError, match="sees beliefs, which a search cannot follow"):
        Search(network=network).seated(variant)
    with pytest.raises(PolicyError, match="sees beliefs, which nothing else follows"):
        export(network, tmp_path / "out.py")


@pytest.mark.parametrize(
    ("beliefs", "error"),
    [
        (["heuristics.py:Mine", 50, 2], "are not possible: a built-in player's name"),
        (["random", 0, 2], "are not possible"),
        (["random", 50], r"it must be \[player, limit, seats\]"),
        (["random", 50, 3], "takes 44 numbers .* have 66 in 3 obs"),
        (["heuristic", 50, 2], "beliefs by a heuristic, and Leduc Poker has none"),
    ],
)
def test_what_a_file_says_of_beliefs_is_checked(
    folder: Path, tmp_path: Path, beliefs: Any, error: str
) -> None:
    """It may be a stranger's: it names no player that would be code."""
    path = folder / "last.safetensors"
    with safe_open(str(path), "numpy") as file:
        about = {**file.metadata(), "beliefs": json.dumps(beliefs)}
    save_file(load_file(path), tmp_path / "other.safetensors", about)
    with pytest.raises((PolicyError, OptionError), match=error):
        load(tmp_path / "other.safetensors").seated(runs.config_of(folder).variant)


@pytest.mark.parametrize(
    "change",
    [
        lambda held: {"course actions": held["course actions"] + 99},
        lambda held: {"course decided": held["course decided"] + 1},
        lambda held: {"course positions": held["course positions"][:-1]},
        lambda held: {"course positions": held["course positions"] * 0 + 255},
        lambda held: {"course actions": held["course actions"].astype(np.float64)},
    ],
)
def test_courses_of_others_are_not_put_back(folder: Path, tmp_path: Path, change: Any) -> None:
    """A checkpoint may come from a stranger, too."""
    own = tmp_path / "run"
    shutil.copytree(folder, own)
    last = checkpoints.last(own / runs.CHECKPOINTS)
    assert last is not None
    with np.load(last / "arrays.npz") as file:
        held = {name: file[name] for name in file.files}
    assert len(held["course actions"])
    np.savez(last / "arrays.npz", **{**held, **change(held)})
    with pytest.raises(checkpoints.CheckpointError, match="is damaged, or not of this run"):
        train.resume(runs.config_of(own, ("total_timesteps=512",)), own)
