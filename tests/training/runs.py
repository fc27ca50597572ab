"""Tiny training runs for the tests."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from cyberdeck.exact import exploitability
from cyberdeck.players import networks
from cyberdeck.players.networks import Network
from cyberdeck.replay import Replay
from cyberdeck_training import config, pages, runs, train
from cyberdeck_training.settings import RunSettings

TINY: dict[str, Any] = {
    "game": "hackthegrid",
    "opponents": {"self": 1, "past": 2, "heuristic": 1},
    "past": {"every": 2, "keep": 4},
    "total_timesteps": 768,
    "num_envs": 8,
    "n_steps": 16,
    "batch_size": 64,
    "n_epochs": 1,
    "net_arch": [8],
    "threads": 1,
    "checkpoint": 0,
    "evaluation": {"every": 256, "deals": 5, "final_deals": 10},
}


def be_quick(patch: pytest.MonkeyPatch) -> None:
    """Drawing, others to compare with, and waiting for the disk are what takes longest.

    Of SB3's own description of a model, and of the checkout, one run says enough: it is drawn.
    """
    patch.setattr(os, "fsync", lambda file: None)
    patch.setattr(Replay, "write_html", lambda _, path: Path(path).touch())
    patch.setattr(pages, "draw", lambda *_: "<svg></svg>")
    patch.setattr(train, "references", lambda _: [])
    patch.setattr("stable_baselines3.common.save_util.data_to_json", lambda _: "{}")
    patch.setattr(runs, "_git", lambda *_: None)


def write(folder: Path, **changed: Any) -> Path:
    """A configuration file; ... leaves a key out."""
    folder.mkdir(exist_ok=True)
    path = folder / "tiny.yaml"
    content = {key: value for key, value in {**TINY, **changed}.items() if value is not ...}
    path.write_text(yaml.safe_dump(content))
    return path


def interrupted(*_: Any) -> None:
    """Ctrl-C, in the place of something else."""
    raise KeyboardInterrupt


def trained(folder: Path, loaded: RunSettings | None = None, **changed: Any) -> Path:
    """A finished run below *folder*: of a configuration, or of the tiny one with changes."""
    game = changed.get("game", "")
    named = game if game.endswith(".py") else None
    loaded = loaded or config.load(write(folder, **changed), game=named)
    made = runs.create("tiny", folder / "runs")
    train.begin(loaded, made)
    return made


#: Columns of curves.csv that tell the time.
_CLOCKS = ("seconds", "decisions_per_second")


def learned(folder: Path) -> dict[str, Any]:
    """All that must be the same in a run that was interrupted and in one that was not."""
    lines = (folder / "curves.csv").read_text().splitlines()
    clocks = [lines[0].split(",").index(name) for name in _CLOCKS]
    curves = [
        [value for at, value in enumerate(line.split(",")) if at not in clocks] for line in lines
    ]
    return {
        "curves": curves,
        "evaluations": (folder / "evaluations.csv").read_text(),
        "final": json.loads((folder / "evaluation.json").read_text()),
        "untrained": json.loads((folder / "untrained.json").read_text()),
        "exploited": [path.read_text() for path in folder.glob("exploited.txt")],
        "replays": {path.name: path.read_bytes() for path in folder.glob("replays/*.json")},
        "policies": {
            str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*.safetensors")
        },
    }


def numbers(network: Network) -> list[list[bytes]]:
    """All that was learned: the policy, the critic, and the weight of the prior."""
    critic = network.value.layers if network.value is not None else ()
    layers = [[part.tobytes() for part in layer] for layer in (*network.layers, *critic)]
    return [*layers, [repr(network.prior).encode()]]


def exploited(folder: Path) -> float:
    """How much the last policy of a run in a small game gives away, drawn by its chances."""
    network, variant = networks.load(folder / "last.safetensors"), runs.config_of(folder).variant
    network.greedy = False
    return exploitability(variant, network)
