"""Training on a GPU: decisions a second, where the time goes, and strength over the seconds.

    python benchmarks/gpu_training.py                                  configs/hackthegrid-gpu.yaml
    python benchmarks/gpu_training.py device.compile=false total_timesteps=60_000_000

It is the learner of `cyberdeck train` alone. Before anything is learned, and at some moments after,
the network is copied. When the run is over, each copy plays against the heuristic, on the GPU as
well: 40 decisions in each of 20,000 rows, always the likeliest, with deals that the run has not
seen.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from cyberdeck import Batch
from cyberdeck.api.export import network
from cyberdeck_training import algorithms, config
from cyberdeck_training.device_ppo import DevicePPO
from cyberdeck_training.selfplay import Pool

CONFIG = Path(__file__).parents[1] / "configs" / "hackthegrid-gpu.yaml"
#: Seconds of learning after which the network is copied.
MOMENTS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 21, 25, 30, 35, 40, 50, 60]
#: Games of a judgement, the seed of the first, and the decisions in each row.
ROWS, SEED, DECISIONS = 20_000, 1_000_000, 40

Weights = dict[str, torch.Tensor]


def learner(chosen: Any) -> tuple[Any, DevicePPO]:
    """The model as a run makes it, and what teaches it."""
    pool = Pool(chosen, Path(tempfile.mkdtemp()))
    recipe = algorithms.recipe_of(chosen)
    model = recipe.make_learner(recipe.envs(pool))
    return model, DevicePPO(chosen, model.policy, pool.entries, False)


def copied(teaching: DevicePPO) -> Weights:
    return {
        name: each.detach().cpu().clone() for name, each in teaching.policy.state_dict().items()
    }


def learn(chosen: Any, teaching: DevicePPO) -> list[tuple[float, int, Weights]]:
    """(seconds, decisions, weights) at each of the moments, and at the end."""
    began, done, moments, kept = time.perf_counter(), 0, list(MOMENTS), []
    first: tuple[float, int] | None = None
    while done < chosen.total_timesteps:
        teaching.iterate(1 - done / chosen.total_timesteps)
        done += chosen.rollout
        spent = time.perf_counter() - began
        first = first or (spent, done)
        if moments and spent >= moments[0]:
            moments = [each for each in moments if each > spent]
            kept.append((spent, done, copied(teaching)))
    spent = time.perf_counter() - began
    speed = (done - first[1]) / (spent - first[0]) if first else 0.0
    print(f"{done:,} decisions in {spent:.1f} s, the first iteration {first and first[0]:.1f} s")
    print(f"{speed:,.0f} decisions a second after it")
    print(teaching.profile(), flush=True)
    return [*kept, (spent, done, copied(teaching))]


@torch.no_grad()
def points(chosen: Any, teaching: DevicePPO) -> tuple[float, int]:
    """What the network gets of the points against the heuristic, and in how many games."""
    seats = {"seat": "random", "opponent": "heuristic"}
    batch = Batch(chosen.variant, ROWS, seed=SEED, illegal="lose", device=teaching.device, **seats)
    found = torch.zeros(3, dtype=torch.int64, device=teaching.device)
    for _ in range(DECISIONS):
        logits, _ = teaching._judge(batch.observation.flatten(1))
        batch.step(logits.masked_fill(batch.mask == 0, -torch.inf).argmax(1))
        over = batch.terminated | batch.truncated
        got = batch.final_return.gather(1, batch.final_seat.long()[:, None])[:, 0]
        found += torch.stack([(over & each).sum() for each in (got > 0, got == 0, got < 0)])
    won, drawn, lost = found.tolist()
    return (won + drawn / 2) / (won + drawn + lost), won + drawn + lost


def main() -> None:
    chosen = config.load(str(CONFIG), sys.argv[1:])
    model, teaching = learner(chosen)
    untrained = (0.0, 0, copied(teaching))
    for spent, done, weights in [untrained, *learn(chosen, teaching)]:
        teaching.policy.load_state_dict(weights)
        share, games = points(chosen, teaching)
        print(f"{spent:8.1f} s{done:14,} decisions   {share:.4f} of {games:,} games", flush=True)
    teaching.policy.cpu()
    plays = network(model, chosen.variant, greedy=True, name="trained", history=1)
    plays.save(Path("trained.safetensors"))
    print("trained.safetensors: `cyberdeck evaluate hackthegrid trained.safetensors`")


if __name__ == "__main__":
    main()
