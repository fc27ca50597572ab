"""Golden games: recorded once, replayed move by move.

``python -m tests.golden`` records them anew; do so only when a rule or the dice change on purpose.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from cyberdeck import Batch
from tests.cases import Case, label, listed

FOLDER = Path(__file__).parent
SEED = 20_261_121

#: What is recorded; a file's name says which.
CASES: list[Case] = listed(FOLDER / "cases.txt")


def digest(*arrays: np.ndarray) -> str:
    joined = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
    return hashlib.blake2b(joined, digest_size=6).hexdigest()


def seen(batch: Batch) -> str:
    """A digest of everything that is handed out: every seat's view, mask and rewards."""
    looks = [array for seat in range(batch.variant.seats) for array in batch.look(0, seat)]
    return digest(*looks, batch.reward, batch.metrics)


def path(case: Case) -> Path:
    return FOLDER / (label(case).replace(" ", "-").replace("=", "-") + ".json")


def record(case: Case) -> dict[str, Any]:
    """Two games, one sensible and one random: who moved, what was done, what was then seen."""
    game, options = case
    games = []
    for player in ("heuristic", "random"):
        batch = Batch(game, 1, seed=SEED, autoreset="Disabled", **options)
        moves = []
        first = seen(batch)
        while batch.mover[0] >= 0:
            mover, action = int(batch.mover[0]), int(batch.choose(player)[0])
            batch.step([action])
            moves.append([mover, action, seen(batch)])
        games.append(
            {
                "first": first,
                "moves": moves,
                "returns": [round(float(value), 6) for value in batch.final_return[0]],
                "reason": batch.reasons[batch.reason[0]],
            }
        )
    return {"case": label(case), "seed": SEED, "games": games}


def main() -> None:
    for case in CASES:
        path(case).write_text(json.dumps(record(case), separators=(",", ":")) + "\n")
        print(path(case).name)
