"""Train MaskablePPO on a game and measure what came out: ``python -m cyberdeck_training.train``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from cyberdeck import CyberdeckError, variant
from cyberdeck.evaluation import evaluate
from cyberdeck_training import config as configs


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path, help="a configuration, for example configs/*.yaml")
    parser.add_argument("--decisions", type=int, help="train for this many decisions instead")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder for results")
    chosen = parser.parse_args(arguments)
    try:
        train(configs.load(chosen.config, decisions=chosen.decisions), chosen.runs)
    except CyberdeckError as error:
        print(f"cyberdeck: {error}", file=sys.stderr)
        return 2
    return 0


def train(config: configs.Config, runs: Path) -> Path:
    """Train, evaluate, print the table; returns the folder with the model and the figures."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import VecMonitor

    from cyberdeck.api.sb3 import SB3Policy, SB3VecEnv, network
    from cyberdeck_training.progress import Progress

    players = {} if config.opponent is None else {"opponent": config.opponent}
    envs = VecMonitor(
        SB3VecEnv(config.game, config.games_at_once, seed=config.seed, **players, **config.options)
    )
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=config.rollout,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        learning_rate=config.learning_rate,
        gamma=config.discount,
        gae_lambda=config.gae_lambda,
        ent_coef=config.entropy,
        policy_kwargs={"net_arch": config.hidden},
        seed=config.seed,
        device="cpu",
    )
    against = f" against {config.opponent}" if config.opponent else ""
    print(f"MaskablePPO on {variant(config.game).game.title}{against}", flush=True)
    try:
        model.learn(config.decisions, callback=Progress(config.decisions))
    except KeyboardInterrupt:
        print("\nstopped: measuring what was learned so far")
    folder = runs / f"{config.game}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder.mkdir(parents=True, exist_ok=True)
    model.save(folder / "model.zip")
    (folder / "config.json").write_text(json.dumps(asdict(config), indent=2))

    network(model, config.game, options=config.options).save(folder / "policy.safetensors")
    print("measuring ...", flush=True)
    # Deals that training did not see: it plays on from small seeds, a match from large ones.
    result = evaluate(
        config.game,
        SB3Policy(model, name="trained"),
        config.evaluation.opponents,
        deals=config.evaluation.deals,
        seed=config.seed + 1_000_003,
        **config.options,
    )
    figures = result.table()
    print("\n" + figures)
    (folder / "evaluation.txt").write_text(figures + "\n")
    result.save_json(folder / "evaluation.json")
    print(f"\nmodel and figures are in {folder}")
    return folder


if __name__ == "__main__":
    sys.exit(main())
