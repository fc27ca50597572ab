"""Learning on a game whose value is known: rewards, ends and advantages of each seat are right.

The game is take-away (``take_away.py``): its values are a few lines of dynamic programming. The
learner's values and play must come to them, which they do not where its streams are mixed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck.players import networks
from cyberdeck_training import config, runs
from tests.training import take_away
from tests.training.runs import trained, write
from tests.training.take_away import LEAST, MOST, PRICE
from tests.training.test_learners import SMALL

SETTINGS: dict[str, Any] = {
    **{**SMALL, "game": str(Path(take_away.__file__)), "total_timesteps": 160_000},
    **{"num_envs": 128, "n_steps": 16, "n_epochs": 4, "net_arch": [64], "gae_lambda": 0.95},
    **{"learning_rate": {"from": 0.005, "to": 0}, "ent_coef": 0},
}


def best() -> tuple[dict[int, float], dict[int, set[int]]]:
    """Of each heap: its value to the one who decides, and the numbers to take that bring it."""
    value, plays = {0: 0.0}, {}
    for heap in range(1, MOST + 1):
        brings = {
            taken: PRICE * taken - (taken == heap) - value[heap - taken]
            for taken in range(1, min(2, heap) + 1)
        }
        value[heap] = max(brings.values())
        plays[heap] = {taken for taken in brings if brings[taken] > value[heap] - 1e-9}
    return value, plays


@pytest.mark.slow
@pytest.mark.parametrize("shaped", [False, True])
def test_on_both_sides_each_with_its_own_stream_it_comes_to_the_same(
    tmp_path: Path, learning_seed: int, shaped: bool
) -> None:
    """At every position that can come up; values lie between -1.25 and 1.25. A potential that has
    nothing to do with them changes no play.
    """
    value, plays = best()
    # By hand: 1, 4 and 7 are lost; an object is worth a quarter.
    assert value == {0: 0, 1: -0.75, 2: 1, 3: 1.25, 4: -0.5, 5: 0.75, 6: 1, 7: -0.25, 8: 0.5}
    assert plays == {1: {1}, 2: {1}, 3: {2}, 4: {2}, 5: {1}, 6: {2}, 7: {2}, 8: {1}}
    changes = [f"game={SETTINGS['game']}", f"seed={learning_seed}"]
    if shaped:
        changes.append("shaping=tests.training.take_away:potential")
    folder = trained(tmp_path, config.load(write(tmp_path, **SETTINGS), changes))
    positions = [
        (heap, seat, owed)
        for heap in range(1, MOST + 1)
        for seat in range(2)
        for owed in range(3)
        if owed == 0 or LEAST <= heap + owed <= MOST
    ]
    seen = np.array([[*np.eye(MOST + 1)[heap], 1, *rest] for heap, *rest in positions])
    masks = np.array([[1, heap > 1] for heap, *_ in positions], np.int8)
    network = networks.load(folder / "last.safetensors")
    chances, worths, _ = network.outlook(runs.config_of(folder).variant, seen, masks)
    # The first reward of a game holds what the seat paid before it decided for the first time.
    truth = np.array([value[heap] - PRICE * owed for heap, _, owed in positions])
    assert (network.value is None) == shaped
    assert shaped or np.abs(worths - truth).max() < 0.1
    taken = zip(positions, 1 + chances.argmax(axis=1), strict=True)
    assert [at for at, number in taken if number not in plays[at[0]]] == []
