"""The door by which algorithms come in: one of your own in ten lines, and only if you agree."""

from __future__ import annotations

import io
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from cyberdeck import OptionError
from cyberdeck_training import algorithms, config, runs, train
from tests.training.runs import learned, trained, write

OWN = """
from pathlib import Path
Path({mark!r}).touch()
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
"""

SHORT: dict[str, Any] = {
    **{"algorithm": "own_algorithms:Own", "total_timesteps": 256, "batch_size": ...},
    **{"n_epochs": ..., "net_arch": ...},
}


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the module of an algorithm touches when it is run."""
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_algorithms", raising=False)
    (tmp_path / "own_algorithms.py").write_text(OWN.format(mark=str(tmp_path / "mark")))
    return tmp_path / "mark"


def test_an_algorithm_of_ones_own_trains_and_goes_on(mark: Path, tmp_path: Path) -> None:
    chosen = config.load(write(tmp_path, **SHORT), ["algorithm=own_algorithms:Own"])
    folder = trained(tmp_path, chosen)
    long = trained(tmp_path / "long", chosen.model_copy(update={"total_timesteps": 384}))
    train.resume(runs.config_of(folder, ("total_timesteps=384",)), folder)
    assert learned(folder) == learned(long)
    with pytest.raises(OptionError, match="unknown key n_epochs of this algorithm: algorithm=mask"):
        config.load(write(tmp_path, **{**SHORT, "n_epochs": 3}), ["algorithm=own_algorithms:Own"])
    mixing = config.load(write(tmp_path, **SHORT), ["algorithm=own_algorithms:Mixing"])
    with pytest.raises(OptionError, match="Mixing makes a A2C, which mixes the decisions of sev"):
        trained(tmp_path, mixing)


def test_a_strangers_configuration_brings_no_algorithm_in(
    mark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").mkdir(mode=0o700)  # nothing is agreed to yet
    monkeypatch.setenv("CYBERDECK_CACHE_DIR", str(tmp_path / "cache"))
    path = write(tmp_path, **SHORT)
    told = "names the algorithm 'own_algorithms:Own', which runs code; you have not agreed to it"
    with pytest.raises(OptionError, match=told):
        config.load(path)
    assert not mark.exists()
    config.load(path, ["algorithm=own_algorithms:Own"])
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
    assert config.load(write(tmp_path, **{**SHORT, "algorithm": "own_a2c"})).total_timesteps == 256
    with pytest.raises(
        OptionError, match=r"no 'own_a3c' \(did you mean own_a2c\?\); choose maskable_ppo"
    ):
        config.load(write(tmp_path, **{**SHORT, "algorithm": "own_a3c"}))
