"""What raises a game's version is held by a digest of each part, and says so when it changes.

``python -m tests.golden.test_versions`` records the digests anew, after the version was raised.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch

FILE = Path(__file__).parent / "versions.json"

#: How many games are played side by side for a digest, and for how many decisions.
GAMES, STEPS = 64, 400

SENTENCE = (
    "{title}: its {parts} with default options are no longer those of version {version}. Whoever "
    "trained on that version must not get another game under its id. If this is a mistake, mend "
    "it. If it is meant, raise GAME.version, say in GAME.changes and on its page what has changed, "
    "and record the digests anew: python -m tests.golden.test_versions"
)


def digests(name: str) -> dict[str, Any]:
    """A digest of each part of a game that may not change within a version."""
    batch = Batch(name, GAMES, seed=20_261_122)
    parts = {part: hashlib.blake2b(digest_size=8) for part in ("rules", "rewards", "observations")}
    for step in range(STEPS):
        # A quarter plays unevenly, to get elsewhere: no heuristic, which is no part of the game.
        actions = batch.choose("random")
        lowest = batch.mask.argmax(axis=1)
        actions[::4] = np.where(step % 2, lowest, actions)[::4]
        batch.step(actions)
        for part, arrays in {
            "rules": (batch.mask, batch.mover, batch.terminated, batch.truncated, batch.reason),
            "rewards": (batch.reward,),
            "observations": (batch.observation,),
        }.items():
            for array in arrays:
                parts[part].update(np.ascontiguousarray(array).tobytes())
    variant = batch.variant
    layout = [[f.name, f.shape, f.low, f.high] for f in variant.features]
    parts["observations"].update(json.dumps(layout).encode())
    actions_ = json.dumps([count for count, _ in variant.actions])
    return {
        "version": variant.game.version,
        **{part: digest.hexdigest() for part, digest in parts.items()},
        "actions": hashlib.blake2b(actions_.encode(), digest_size=8).hexdigest(),
    }


@pytest.mark.parametrize("name", cyberdeck.GAMES)
def test_a_version_is_one_game(name: str) -> None:
    recorded, now = json.loads(FILE.read_text())[name], digests(name)
    game = cyberdeck.game(name)
    changed = [part for part in recorded if part != "version" and recorded[part] != now[part]]
    sentence = SENTENCE.format(
        title=game.title, parts=" and ".join(changed), version=recorded["version"]
    )
    assert not changed, sentence
    assert recorded["version"] == now["version"], "the version was raised: record the digests anew"
    assert game.gym_id.endswith(f"-v{game.version}")
    assert list(game.changes) == list(range(1, game.version + 1)), "say what the version changed"


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: digests(name) for name in cyberdeck.GAMES}, indent=1) + "\n")
