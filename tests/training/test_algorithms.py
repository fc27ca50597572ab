"""The door by which algorithms and networks come in: those of your own, and only if you agree."""

from __future__ import annotations

import io
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from cyberdeck import Batch, OptionError, PolicyError
from cyberdeck_training import algorithms, config, networks, runs, train
from cyberdeck_training.selfplay import Pool
from tests.training.runs import learned, trained, write

OWN = """
from pathlib import Path
Path({mark!r}).touch()
import torch
from stable_baselines3 import A2C
from cyberdeck_training.recipes import Recipe
from cyberdeck_training.rollouts import Collecting

class Learner(Collecting, A2C):
    pass

class Own(Recipe):
    masked = False

    def learner(self, envs):
        return Learner("MlpPolicy", envs, n_steps=self.config.n_steps, seed=1, **self.rollouts())

class Mixing(Recipe):
    def learner(self, envs):
        return A2C("MlpPolicy", envs)

class Net(torch.nn.Module):
    def __init__(self, numbers, actions):
        super().__init__()
        self.hidden = torch.nn.Sequential(torch.nn.Linear(numbers, 8), torch.nn.ReLU())
        self.logits, self.value = torch.nn.Linear(8, actions), torch.nn.Linear(8, 1)

    def forward(self, seen):
        hidden = self.hidden(seen)
        return self.logits(hidden), self.value(hidden)[:, 0]

class NoValue(Net):
    def forward(self, seen):
        return super().forward(seen)[0]

class TooFew(Net):
    def forward(self, seen):
        logits, values = super().forward(seen)
        return logits[:, 1:], values
"""

#: What an algorithm of one's own needs, and a network.
ALGORITHM: dict[str, Any] = {"algorithm": "own_algorithms:Own", "batch_size": ...}
ALGORITHM |= {"n_epochs": ..., "net_arch": ...}
NETWORK: dict[str, Any] = {"network": "own_algorithms:Net"}


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the module of an algorithm touches when it is run; nothing is agreed to yet."""
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setenv("CYBERDECK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_algorithms", raising=False)
    (tmp_path / "own_algorithms.py").write_text(OWN.format(mark=str(tmp_path / "mark")))
    return tmp_path / "mark"


def chosen(folder: Path, own: dict[str, Any], *changes: str, **changed: Any) -> Any:
    """A configuration with something of one's own that the user has named."""
    key, name = next(iter(own.items()))
    path = write(folder, **{"total_timesteps": 256, **own, **changed})
    return config.load(path, [f"{key}={name}", *changes])


@pytest.mark.parametrize("own", [ALGORITHM, NETWORK, {**NETWORK, "algorithm": "ppo"}])
def test_what_is_ones_own_trains_and_goes_on(
    mark: Path, tmp_path: Path, own: dict[str, Any]
) -> None:
    folder = trained(tmp_path, chosen(tmp_path, own))
    long = trained(tmp_path / "long", chosen(tmp_path, own, total_timesteps=384))
    train.resume(runs.config_of(folder, ("total_timesteps=384",)), folder)
    assert learned(folder) == learned(long)


def test_an_algorithm_has_keys_and_streams_of_its_own(mark: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="unknown key n_epochs of this algorithm: algorithm=mask"):
        chosen(tmp_path, ALGORITHM, n_epochs=3)
    mixing = chosen(tmp_path, {**ALGORITHM, "algorithm": "own_algorithms:Mixing"})
    with pytest.raises(OptionError, match="Mixing makes a A2C, which mixes the decisions of sev"):
        trained(tmp_path, mixing)


def test_a_network_is_tried_before_anything_starts_and_plays_from_its_file(
    mark: Path, tmp_path: Path
) -> None:
    for name, told in (
        ("Own", "network: own_algorithms:Own is no network: it must be a class that builds on tor"),
        ("Nothing", "own_algorithms:Nothing cannot be loaded: AttributeError"),
        ("NoValue", "network: own_algorithms:NoValue cannot be used: ValueError"),
        ("TooFew", r"TooFew gives \(1, 68\) and \(1,\) .*: logits \(1, 69\) and values \(1,\) are"),
    ):
        with pytest.raises(OptionError, match=told):
            algorithms.recipe_of(chosen(tmp_path, {"network": f"own_algorithms:{name}"}))
    prior: dict[str, Any] = {"options": {"observation": "prior"}, "prior_weight": 0.1}
    with pytest.raises(OptionError, match="prior_weight: a network of your own sees the prior"):
        chosen(tmp_path, NETWORK, **prior)
    with pytest.raises(OptionError, match="network: a search is guided by the perceptron alone"):
        chosen(tmp_path, NETWORK, algorithm="expert_iteration")
    loaded = chosen(tmp_path, NETWORK, encoding="onehot")
    recipe = algorithms.recipe_of(loaded)
    model = recipe.make_learner(recipe.envs(Pool(loaded, tmp_path)))
    (plays := recipe.network(model)).save(tmp_path / "own.safetensors")
    again = networks.load(tmp_path / "own.safetensors", loaded)
    batch = Batch("hackthegrid", 50, seed=3)
    seen = batch._core.seen(batch._core.all_rows, False)
    assert (again.decide(seen) == plays.decide(seen)).all()
    assert (seen.masks[range(50), plays.decide(seen)] == 1).all()
    other = loaded.model_copy(update={"network": "own_algorithms:TooFew"})
    with pytest.raises(PolicyError, match="it is not of own_algorithms:TooFew"):
        networks.load(tmp_path / "own.safetensors", other)


@pytest.mark.parametrize(("key", "own"), [("algorithm", ALGORITHM), ("network", NETWORK)])
def test_a_strangers_configuration_brings_nothing_in(
    mark: Path, tmp_path: Path, key: str, own: dict[str, Any]
) -> None:
    path = write(tmp_path, **own)
    told = f"names the {key} '{own[key]}', which runs code; you have not agreed to it"
    with pytest.raises(OptionError, match=told):
        config.load(path)
    assert not mark.exists()
    config.load(path, [f"{key}={own[key]}"])
    assert mark.exists()
    config.load(path)  # what was agreed to stays so, as long as it is the same
    (tmp_path / "own_algorithms.py").write_text("")
    with pytest.raises(OptionError, match=told):
        config.load(path)


def test_an_installed_package_gives_its_algorithms_names(
    mark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = metadata.EntryPoint("own_a2c", "own_algorithms:Own", algorithms.ENTRY_POINTS)
    monkeypatch.setattr(metadata, "entry_points", lambda group: metadata.EntryPoints([point]))
    named = {**ALGORITHM, "algorithm": "own_a2c"}
    assert config.load(write(tmp_path, **named)).total_timesteps == 768
    with pytest.raises(
        OptionError, match=r"no 'own_a3c' \(did you mean own_a2c\?\); choose maskable_ppo"
    ):
        config.load(write(tmp_path, **{**named, "algorithm": "own_a3c"}))
