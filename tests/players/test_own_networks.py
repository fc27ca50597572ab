"""What a network of one's own has learned plays from its file, without the configuration."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch, OptionError, PolicyError
from cyberdeck.common import consent
from cyberdeck.evaluation import evaluate
from cyberdeck.players import find_player, networks
from cyberdeck_training import algorithms, config
from cyberdeck_training.selfplay import Pool
from tests.training.runs import write

SOURCE = """
import torch


class Own(torch.nn.Module):
    def __init__(self, numbers, actions):
        super().__init__()
        self.logits, self.value = torch.nn.Linear(numbers, actions), torch.nn.Linear(numbers, 1)
        torch.nn.init.normal_(self.logits.weight)

    def forward(self, seen):
        return self.logits(seen), self.value(seen)[:, 0]
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The module of a network."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_networks.py").write_text(SOURCE)
    return tmp_path


def learned(folder: Path, encoding: str) -> tuple[Any, Path]:
    """What such a network knows at first, and its file."""
    network = "network=own_networks:Own"
    loaded = config.load(write(folder / "run"), [network, f"encoding={encoding}"])
    recipe = algorithms.recipe_of(loaded)
    found = recipe.network(recipe.make_learner(recipe.envs(Pool(loaded, folder))))
    path = folder / f"{encoding}.safetensors"
    found.save(path)
    return found, path


@pytest.mark.parametrize("encoding", ["raw", "scaled", "onehot", "standardized"])
def test_it_decides_as_what_was_learned(encoding: str, own: Path) -> None:
    found, path = learned(own, encoding)
    player = find_player(cyberdeck.variant("hackthegrid"), str(path))
    assert player.name == encoding
    batch = Batch("hackthegrid", 50, seed=3)
    seen = batch._core.seen(batch._core.all_rows, False)
    decided = player.decide(seen)
    assert (decided == found.decide(seen)).all()
    assert len({*decided.tolist()}) > 1 or encoding == "raw"
    assert (seen.masks[np.arange(50), decided] == 1).all()


def test_it_plays_its_own_game_and_is_nothing_else(own: Path) -> None:
    _, path = learned(own, "scaled")
    assert evaluate("hackthegrid", str(path), ["random"], deals=2).player == "scaled"
    for game, options in (("stacktrices", {}), ("hackthegrid", {"observation": "prior"})):
        variant = cyberdeck.variant(game, **options)
        with pytest.raises(OptionError, match=r"^scaled cannot play .* it was trained in HACKtheG"):
            find_player(variant, str(path))
    with pytest.raises(OptionError, match=r"settings='greedy=false' is not possible: .* has none"):
        find_player(cyberdeck.variant("hackthegrid"), f"{path}:greedy=false")
    with pytest.raises(PolicyError, match="holds a network of somebody's own, cyberdeck_training"):
        networks.load(path)
    (own / "own_networks.py").unlink()
    del sys.modules["own_networks"]
    with pytest.raises(PolicyError, match="own_networks:Own cannot be loaded: ModuleNotFoundErr"):
        find_player(cyberdeck.variant("hackthegrid"), str(path))


def test_its_code_needs_the_users_yes(own: Path) -> None:
    _, path = learned(own, "scaled")
    variant = cyberdeck.variant("hackthegrid")
    instead = {"player": "name it yourself"}
    told = r"which runs code; .* name it yourself"
    with consent.named_by("the page", instead), pytest.raises(OptionError, match=told):
        find_player(variant, str(path))
    with consent.named_by("the page", instead, [str(path)]):
        assert find_player(variant, str(path)).name == "scaled"
