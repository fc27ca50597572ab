"""What training reads: configurations, run folders, checkpoints."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
import yaml
from sb3_contrib import MaskablePPO

from cyberdeck import CyberdeckError, OptionError
from cyberdeck.common import archives
from cyberdeck.sb3 import make_vec_env
from cyberdeck_training import checkpoints, config, report
from cyberdeck_training.report import Comparison
from tests.fuzz.changes import unzipped, zipped
from tests.fuzz.trial import Door, Failure
from tests.training.runs import TINY
from tests.training.test_report import RUN

_CONFIGS = Path(__file__).parents[2] / "configs"


class Configurations(Door):
    """YAML."""

    name = "config"
    reads = ("cyberdeck_training.config",)
    refusals = (OptionError,)
    pieces = (
        *("game", "options", "opponents", "self", "past", "heuristic", "baseline", "net_arch"),
        *("seed: 2001-13-45", "!!int ''", "!!float x", "!!python/name:os.system", "!!binary aaaa"),
        *("&a", "*a", "<<: *a", "&a [*a]", "? ", "- ", "|\n", ">\n", "%YAML 1.1\n---\n", "{", "["),
        *("hackthegrid", "stacktrices", "x.py", "policy.safetensors", "search:iterations=9"),
    )

    def right(self) -> Sequence[bytes]:
        texts = [yaml.safe_dump(TINY), *map(Path.read_text, sorted(_CONFIGS.glob("*.yaml")))]
        # JSON is YAML, and its values are changed one by one.
        return [*map(str.encode, (*texts, *(json.dumps(yaml.safe_load(text)) for text in texts)))]

    def enter(self, data: bytes) -> Any:
        return config.load(self.file("a.yaml", data))

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        text = found.text()
        yield text
        again = config.load(self.file("again.yaml", text.encode()))
        if again != found or again.text() != text:
            raise Failure("written again, it is another")


class RunFolders(Door):
    """The files of a run, in an archive."""

    name = "run"
    reads = ("cyberdeck_training.runs",)
    pieces = ("random", "both", "-", '"', ",", "\r")
    refusals = (CyberdeckError,)

    def right(self) -> Sequence[bytes]:
        return [zipped([(path.name, path.read_bytes()) for path in sorted(RUN.iterdir())])]

    def enter(self, data: bytes) -> Any:
        run = self.folder / "run"
        run.mkdir(exist_ok=True)
        for path in run.iterdir():
            path.unlink()
        for name, content in unzipped(data):
            if name and "/" not in name and "\0" not in name and name[0] != ".":
                (run / name[:100]).write_bytes(content)
        return run, Comparison([run])

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        run, comparison = found
        yield comparison.table()
        if luck.random() < 0.05:  # plots take long
            comparison.write(self.folder / "page.html")
            yield (self.folder / "page.html").read_text("utf-8")
            yield report.write(run).read_text("utf-8")


class Weights(Door):
    """The weights of a checkpoint, and what their optimizer remembers."""

    name = "weights"
    reads = ("cyberdeck_training.checkpoints",)
    refusals = (checkpoints.CheckpointError,)

    def right(self) -> Sequence[bytes]:
        envs = make_vec_env("hackthegrid", 2, seed=0)
        learner = {"net_arch": [4], "optimizer_kwargs": {"fused": True}}
        self.model = MaskablePPO("MlpPolicy", envs, policy_kwargs=learner, device="cpu")
        self.seen = torch.as_tensor(envs.reset())
        begun = self._saved()
        self._learn()
        return [self._saved(), begun]

    def _saved(self) -> bytes:
        written = io.BytesIO()
        np.savez(written, **checkpoints.weights(self.model))
        return written.getvalue()

    def _learn(self) -> None:
        policy = self.model.policy
        policy.optimizer.zero_grad()
        (policy.predict_values(self.seen) ** 2).mean().backward()
        policy.optimizer.step()

    def enter(self, data: bytes) -> Any:
        folder = self.folder / "000000000000512"
        folder.mkdir(exist_ok=True)
        (folder / "arrays.npz").write_bytes(data)
        with checkpoints.damage_told(folder):
            checkpoints.put_weights(self.model, archives.arrays(folder / "arrays.npz", 1 << 24))
        return self.model

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        self._learn()
        yield str(self.model.policy.predict_values(self.seen).shape)


class Checkpoints(Door):
    """The state of a checkpoint, and NumPy's and Python's generators set by it."""

    name = "checkpoint"
    reads = ("cyberdeck_training.checkpoints",)
    refusals = (checkpoints.CheckpointError,)

    def right(self) -> Sequence[bytes]:
        generators = {"python_rng": [*random.getstate()], "numpy_rng": 624}
        counts = {"num_timesteps": 512, "n_updates": 3, "curves": 300, "evaluations": 200}
        state = checkpoints.State(**generators, **counts, pool={"entries": [], "kept": []})
        (self.folder / "000000000000512").mkdir(exist_ok=True)
        return [state.model_dump_json().encode()]

    def enter(self, data: bytes) -> Any:
        (self.folder / "000000000000512" / "state.json").write_bytes(data)
        return checkpoints.read(self.folder / "000000000000512")

    def use(self, found: Any, luck: Random) -> Iterator[str]:
        here = np.random.RandomState(1)
        here.set_state(("MT19937", np.arange(624, dtype=np.uint32), found.numpy_rng, 0, 0.0))
        here.random(700)
        yield json.dumps([found.num_timesteps, found.best, found.seconds])
