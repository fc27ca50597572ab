"""Policies elsewhere: ONNX, and a file that needs NumPy alone, decide what the policy does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

import cyberdeck
from cyberdeck import Batch
from cyberdeck.players import baselines
from cyberdeck.players.exporting import export
from cyberdeck.players.networks import Network, Prior, Value, Whole, load
from tests.commands import refused, run

GAMES = ("matrix_overload", "hackthegrid", "stacktrices", "hovercrafts")
PUBLISHED = [
    (game.name, path) for game in map(cyberdeck.game, GAMES) for path in baselines.published(game)
]

#: Takes arrays from a file and writes what is decided; it may not see cyberdeck.
ELSEWHERE = """
import sys, numpy as np
sys.path.insert(0, sys.argv[1])
from policy import Policy
policy, given = Policy(), np.load(sys.argv[2])
assert not any(name.startswith("cyberdeck") for name in sys.modules)
np.savez(sys.argv[3], logits=policy.logits(given["seen"]),
         actions=policy.act(given["seen"], given["masks"]))
"""


def run_elsewhere(folder: Path, seen: Any, masks: Any) -> Any:
    np.savez(folder / "given.npz", seen=seen, masks=masks)
    places = (str(folder), str(folder / "given.npz"), str(folder / "made.npz"))
    subprocess.run([sys.executable, "-I", "-c", ELSEWHERE, *places], check=True)
    return np.load(folder / "made.npz")


def run_onnx(path: Path, seen: Any, masks: Any) -> dict[str, Any]:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    given = {"observation": seen.astype(np.float32), "mask": masks}
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(None, given), strict=True))


@pytest.mark.parametrize(("game", "file"), PUBLISHED, ids=lambda each: getattr(each, "stem", each))
def test_a_published_policy_decides_elsewhere_as_it_does_here(
    game: str, file: Path, tmp_path: Path
) -> None:
    network = load(file)
    assert network.game == game
    batch = Batch(game, 100, seed=20, **network.options)
    steps = []
    for _ in range(10):
        batch.step(batch.choose("heuristic"))
        named = batch.variant.named(batch.observation.reshape(100, -1))
        read = [named[feature.name].reshape(100, -1) for feature in network.features]
        steps.append((np.concatenate(read, axis=1), batch.mask == 1))
    seen, masks = map(np.concatenate, zip(*steps, strict=True))
    logits = np.where(masks, network.logits(seen), -np.inf)
    actions = logits.argmax(axis=1)
    export(network, tmp_path / "policy.py")
    there = run_elsewhere(tmp_path, seen, masks)
    np.testing.assert_array_equal(there["actions"], actions)
    export(network, tmp_path / "policy.onnx")
    found = run_onnx(tmp_path / "policy.onnx", seen, masks)["logits"]
    np.testing.assert_allclose(found[masks], logits[masks], rtol=1e-3, atol=1e-3)
    same = found.argmax(axis=1) == actions
    assert same.mean() >= 0.999


def made(*parts: str) -> Network:
    """A network with all that one can have, or with some of it."""
    luck = np.random.default_rng(5)

    def layer(inside: int, outside: int) -> tuple[Any, Any]:
        return luck.normal(size=(outside, inside)) / 8, luck.normal(size=outside)

    encoded = 349 + 3 * ("one-hot" in parts)
    wide = encoded * (2 if "history" in parts else 1) - ("history" in parts and 3)
    layers: list[Any] = [layer(wide, 32), layer(32, 32), layer(32, 69)]
    if "residual" in parts:
        layers[1] = (*layer(32, 16), *layer(16, 32))
    return Network(
        "hackthegrid",
        layers,
        "relu" if "relu" in parts else "tanh",
        one_hot=[Whole(4, 0, 3)] if "one-hot" in parts else [],
        history=2 if "history" in parts else 1,
        prior=Prior(7, 0.5) if "prior" in parts else None,
        value=Value([layer(32, 8), layer(8, 1)], 1) if "value" in parts else None,
    )


@pytest.mark.parametrize(
    "parts",
    [
        ("prior", "residual", "value"),
        ("history", "one-hot"),
        ("one-hot", "prior", "relu", "residual", "value"),
    ],
    ids="-".join,
)
def test_all_that_a_network_can_have_is_exported(parts: tuple[str, ...], tmp_path: Path) -> None:
    network = made(*parts)
    network.save(tmp_path / "policy.safetensors")
    network = load(tmp_path / "policy.safetensors")
    luck = np.random.default_rng(6)
    seen = luck.integers(-2, 5, (50, network.encoding.elements))
    masks = luck.random((50, 69)) < 0.3
    masks[:, 0] = True
    logits, worths = network.logits_and_values(seen)
    export(network, tmp_path / "policy.py")
    there = run_elsewhere(tmp_path, seen.reshape(50, network.history, -1), masks)
    np.testing.assert_allclose(there["logits"], logits, rtol=1e-9, atol=1e-9)
    export(network, tmp_path / "policy.onnx")
    found = run_onnx(tmp_path / "policy.onnx", seen, masks)
    np.testing.assert_allclose(found["logits"][masks], logits[masks], rtol=1e-4, atol=1e-4)
    assert (found["logits"][~masks] == -1e30).all()
    assert ("value" in found) == ("value" in parts)
    if "value" in parts:
        np.testing.assert_allclose(found["value"], worths, rtol=1e-4, atol=1e-4)


def test_a_policy_elsewhere_draws_by_its_probabilities(tmp_path: Path) -> None:
    network = made("prior")
    export(network, tmp_path / "drawing.py")
    names: dict[str, Any] = {"__file__": str(tmp_path / "drawing.py")}
    exec(compile((tmp_path / "drawing.py").read_text(), "drawing.py", "exec"), names)
    policy = names["Policy"]()
    seen = np.repeat(np.arange(349)[None] % 3, 6_000, axis=0)
    masks = np.arange(69) < 4
    drawn = policy.act(seen, np.repeat(masks[None], 6_000, axis=0), np.random.default_rng(1))
    weights = np.where(masks, np.exp(policy.logits(seen[:1])[0]), 0)
    found = np.bincount(drawn, minlength=69) / 6_000
    np.testing.assert_allclose(found, weights / weights.sum(), atol=0.025)


def test_the_command_says_what_it_wrote_and_for_which_game_or_why_it_did_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for policy, name, message in (
        ("heuristic", "a.onnx", "heuristic is no network: give baseline"),
        ("baseline", "a.pth", "as .onnx or as .py, not as '.pth'"),
        ("baseline", "nowhere/a.onnx", "there is no folder"),
    ):
        assert message in refused(capsys, f"export hackthegrid {policy} {tmp_path / name}")
    assert not list(tmp_path.iterdir())
    printed = run(capsys, f"export hackthegrid baseline {tmp_path / 'a.py'}")
    assert printed.split() == [str(tmp_path / "a.py"), str(tmp_path / "a.npz")]
    with np.load(tmp_path / "a.npz") as held:
        about = json.loads(str(held["about"]))
    assert about["game"] == "hackthegrid"
    shown = cyberdeck.variant("hackthegrid", **about["options"]).features
    assert about["features"] == {each.name: each.size for each in shown}
