"""How strong networks are before they have learned anything: ``python benchmarks/untrained.py -h``.

    python benchmarks/untrained.py hackthegrid --held-out 2026-11-24 --of baseline
    python benchmarks/untrained.py benchmarks/algorithms/leduc.yaml --seeds 1 2 3 4 5 --exploit

It makes the network of a configuration as ``cyberdeck train`` does, saves it at step 0, and
measures that: the control for whatever the network has learned later. --of names the trained player
whose deals for reporting are to be played again. Needs the extra train.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import torch

from algorithms import configuration, exploitability
from cyberdeck import evaluate
from cyberdeck.common.statistics import percent, shown
from cyberdeck.common.text import table
from cyberdeck_training import algorithms, config
from cyberdeck_training.selfplay import Pool
from reporting import add_seeds, seed_of


def untrained(chosen: Any, file: Path) -> Path:
    """The policy of step 0, as a run saves it."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as place:
        recipe = algorithms.recipe_of(chosen)
        model = recipe.make_learner(recipe.envs(Pool(chosen, Path(place))))
    policy = recipe.network(model)
    policy.greedy = chosen.evaluation.greedy
    policy.save(file)
    return file


def row(chosen: Any, file: Path, opponent: str | None, deals: int, seed: Any) -> Any:
    """(games, won, points or, in a game for one, what it counts)."""
    asked = [] if opponent is None else [opponent]
    result = evaluate(chosen.variant.by_outcome, str(file), asked, deals=deals, seed=seed)
    record = result.overall[-1]
    counted = [f"{name} {shown(mean)}" for name, mean in result.metrics.items()]
    won = percent(record.wins, record.games).strip()
    return str(record.games), won, shown(record.points) if opponent else counted[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("config", help="a configuration's name or file")
    parser.add_argument("changes", nargs="*", metavar="KEY=VALUE", help="as for cyberdeck train")
    parser.add_argument("--opponent", nargs="+", default=["heuristic"], metavar="PLAYER")
    parser.add_argument("--deals", type=int, default=1000, help="(1000)")
    parser.add_argument("--seeds", type=int, nargs="+", help="a network of each (the run's)")
    parser.add_argument("--of", metavar="PLAYER", help="whose deals for reporting are played")
    parser.add_argument("--exploit", action="store_true", help="exploitability instead of points")
    add_seeds(parser)
    given = parser.parse_intermixed_args()
    rows = []
    for seed in given.seeds or [None]:
        changes = given.changes + ([] if seed is None else [f"seed={seed}"])
        chosen = (
            configuration(Path(given.config), changes)
            if given.config.endswith(".yaml")
            else config.load(given.config, changes)
        )
        with tempfile.TemporaryDirectory() as place:
            file = untrained(chosen, Path(place) / "untrained.safetensors")
            if given.exploit:
                rows.append((str(chosen.seed), f"{exploitability(chosen, file):.4f}"))
                continue
            deals = seed_of(given, given.of or str(file))
            for opponent in given.opponent if chosen.variant.seats > 1 else [None]:
                found = row(chosen, file, opponent, given.deals, deals)
                rows.append((str(chosen.seed), opponent or "-", *found))
                print(rows[-1], flush=True)
    head = ("seed", "against", "games", "won", "points")
    print(table(("seed", "exploitability") if given.exploit else head, rows, markdown=True))


if __name__ == "__main__":
    main()
