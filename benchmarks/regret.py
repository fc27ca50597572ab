"""PPO in HACKtheGRID, paid by the outcome or by regret: ``python benchmarks/regret.py``.

Three seeds each, with equal configurations, opponents and numbers of decisions. Paid by regret it
learns twice: from all that a game still costs, as from the outcome, and from each decision alone.
Every policy, also that of step 0, is measured by its points against the heuristic, and by what it
gives away in a decision there. All that is done lies in a folder: started again, it goes on from
there. All runs advance side by side, so that whenever it is stopped all have made as many
decisions.

Needs the extra train, and for the picture plots. Exact values take about a millisecond a decision.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch

from curves import framed
from cyberdeck import evaluate
from cyberdeck.api.export import network
from cyberdeck.common.text import table
from cyberdeck.drawing.svg import CYAN, LIME, MAGENTA
from cyberdeck.players.solvers.hackthegrid.regret import regret
from cyberdeck.sb3 import make_vec_env
from cyberdeck_training import config
from cyberdeck_training.algorithms import recipe_of
from reporting import add_seeds, first_of, seed_of, told

GAME, OPPONENT = "hackthegrid", "heuristic"

#: What a run learns from, its colour, and what that is in a configuration.
KINDS = {
    "outcome": (MAGENTA, ("options.reward=outcome",)),
    "regret": (CYAN, ("options.reward=regret",)),
    "regret alone": (LIME, ("options.reward=regret", "gamma=0")),
}
SEEDS = (1, 2, 3)

#: What differs from configs/hackthegrid-ppo.yaml. Nothing of it was chosen by results.
CHANGES = (
    *("algorithm=maskable_ppo", "opponents={heuristic: 1}", "past=null"),
    *("num_envs=64", "batch_size=512", "n_epochs=4", "precision=float32", "threads=1"),
    "learning_rate=0.0005",
)

#: What is measured, and on how many deals; each is played from both seats.
MEASURES = {"points": "points against the heuristic", "lost": "points given away a decision"}
DEALS, DEALS_OF_REGRET = 500, 100

#: Decisions of a run between two measurements: ten rollouts.
PART = 20_480


def policy_file(folder: Path, kind: str, seed: int, part: int) -> Path:
    """The policy of a run after so many parts."""
    return folder / f"{kind.replace(' ', '-')}-{seed}-{part:02}.safetensors"


def train(folder: Path, kind: str, seed: int, part: int) -> None:
    """Go on with a run for one part, from what lies in the folder; in part 0 it learns nothing."""
    file = policy_file(folder, kind, seed, part)
    if file.is_file():
        return
    chosen = config.load(f"{GAME}-ppo", [*CHANGES, *KINDS[kind][1], f"seed={seed}"])
    torch.set_num_threads(chosen.threads)
    deals = (1000 * seed + part) << 20  # no two parts share any
    envs = make_vec_env(
        GAME, chosen.num_envs, seed=deals, opponent=[*chosen.fixed.values()], **chosen.options
    )
    model = recipe_of(chosen).make_learner(envs)
    if part > 1:
        before = policy_file(folder, kind, seed, part - 1)
        model.set_parameters(str(before.with_suffix(".zip")))
    model.set_random_seed(deals % 2**32)
    if part:
        model.learn(PART)
    model.save(file.with_suffix(".zip"))
    network(model, GAME, options=chosen.options).save(file)


def measured(file: Path, chosen: argparse.Namespace) -> dict[str, float]:
    """Points against the heuristic, and points given away a decision there."""
    found_in = file.with_suffix(".json")
    if not found_in.is_file():
        seed, first = seed_of(chosen, str(file)), first_of(chosen, str(file))
        points = evaluate(GAME, str(file), [OPPONENT], deals=DEALS, seed=seed).records[-1].points
        lost = regret(str(file), OPPONENT, deals=DEALS_OF_REGRET, seed=first).lines[-1].loss
        found_in.write_text(json.dumps({"points": points.value, "lost": lost.value}))
    return dict(json.loads(found_in.read_text()))


def shown(found: dict[str, list[list[dict[str, float]]]], measure: str) -> str:
    """A row for each part: the mean of the seeds, and the least and the most."""
    rows = []
    for part in range(len(found["outcome"][0])):
        cells = [f"{PART * part:,}"]
        for runs in found.values():
            values = [run[part][measure] for run in runs]
            cells.append(f"{np.mean(values):.3f} ({min(values):.3f} to {max(values):.3f})")
        rows.append(cells)
    return f"{MEASURES[measure]}\n\n{table(('decisions', *found), rows, markdown=True)}"


def draw(found: dict[str, list[list[dict[str, float]]]], measure: str, path: Path) -> None:
    """A thin line for each seed, and their mean."""
    with framed(path, (4.6, 3.2), "", "decisions", MEASURES[measure]) as axes:
        for kind, (colour, _) in KINDS.items():
            values = np.array([[part[measure] for part in run] for run in found[kind]])
            decisions = PART * np.arange(values.shape[1])
            axes.plot(decisions, values.T, color=colour, linewidth=0.8, alpha=0.5)
            axes.plot(decisions, values.mean(0), color=colour, label=kind)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_seeds(parser)
    parser.add_argument("--output-dir", type=Path, default=Path("runs/regret"), help="for runs")
    parser.add_argument("--parts", type=int, default=10, help=f"of {PART:,} decisions a run")
    parser.add_argument("--save-plots", type=Path, help="draw the curves in this folder")
    chosen = parser.parse_args()
    chosen.output_dir.mkdir(parents=True, exist_ok=True)
    runs = [(kind, seed) for seed in SEEDS for kind in KINDS]
    for part in range(chosen.parts + 1):
        for kind, seed in runs:
            train(chosen.output_dir, kind, seed, part)
            here = measured(policy_file(chosen.output_dir, kind, seed, part), chosen)
            print(f"{kind}, seed {seed}, {PART * part:,} decisions: {here}", flush=True)
    found = {
        kind: [
            [
                measured(policy_file(chosen.output_dir, kind, seed, part), chosen)
                for part in range(chosen.parts + 1)
            ]
            for seed in SEEDS
        ]
        for kind in KINDS
    }
    for measure in MEASURES:
        print(f"\n{shown(found, measure)}")
    print(f"\n{told(chosen)}")
    if chosen.save_plots:
        for measure in MEASURES:
            draw(found, measure, chosen.save_plots / f"regret_{measure}.png")


if __name__ == "__main__":
    main()
