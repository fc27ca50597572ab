"""Train PPO with Ray's RLlib, on this machine or on a cluster, and measure what came out.

``python -m cyberdeck_training.rllib hackthegrid --iterations 10``, with the extra ``ray``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cyberdeck import CyberdeckError, OptionError, Variant, game, variant
from cyberdeck.commands.arguments import add_game, add_seed, game_options, positive
from cyberdeck.evaluation import evaluate
from cyberdeck.evaluation.evaluate import Evaluation

#: Deals that each iteration's policy is measured on, against random.
GLANCE = 50


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    chosen = _parser().parse_args(arguments)
    try:
        train(chosen)
    except CyberdeckError as error:
        print(f"cyberdeck: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    add_game(parser)
    parser.add_argument("--iterations", type=positive, default=10, help="updates (10)")
    parser.add_argument("--batch", type=positive, default=4096, help="decisions of each (4096)")
    parser.add_argument(
        "--address", help="of a Ray cluster, or 'auto'; by default Ray starts on this machine"
    )
    parser.add_argument(
        "--runners", type=positive, default=0, help="processes that play, beside the learner's own"
    )
    parser.add_argument(
        "--separate", action="store_true", help="a module for each seat or team, not one for all"
    )
    parser.add_argument(
        "--opponent", help="who plays the other side, by name; by default the learner itself"
    )
    parser.add_argument("--restore", type=Path, help="go on from this checkpoint's weights")
    parser.add_argument("--deals", type=positive, default=500, help="of the final table (500)")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder for results")
    add_seed(parser, "of the games and of the learner", default=1)
    return parser


def train(chosen: argparse.Namespace) -> Path:
    """Train, evaluate, print the table; returns the folder with the checkpoint and the figures."""
    options = game_options(game(chosen.game), chosen.option)
    if chosen.restore is not None and not chosen.restore.is_dir():
        raise OptionError(f"there is no checkpoint {chosen.restore}: name the folder of one")
    need_rllib()
    import ray

    from cyberdeck.api import rllib

    settings = rllib.config(
        chosen.game, shared=not chosen.separate, opponent=chosen.opponent, **options
    )
    settings = (
        settings.env_runners(num_env_runners=chosen.runners)
        .training(train_batch_size_per_learner=chosen.batch, minibatch_size=min(512, chosen.batch))
        .debugging(seed=chosen.seed, log_level="ERROR")
    )
    if chosen.address is None:
        ray.init(include_dashboard=False, log_to_driver=False)
    else:
        ray.init(address=chosen.address, log_to_driver=False)
    algorithm = None
    try:
        algorithm = settings.build_algo()
        if chosen.restore is not None:
            algorithm.restore_from_path(str(chosen.restore.absolute()))
        return _train(algorithm, chosen, variant(chosen.game, **options))
    finally:
        if algorithm is not None:
            algorithm.stop()
        ray.shutdown()


def need_rllib() -> None:
    """Say what to install if RLlib is not there."""
    from importlib.util import find_spec

    if find_spec("ray") is None:
        raise OptionError(
            "RLlib is not installed: install cyberdeck[ray], in an environment of its own"
        )


def _train(algorithm: Any, chosen: argparse.Namespace, played: Variant) -> Path:
    from cyberdeck.api import rllib

    against = f" against {chosen.opponent}" if chosen.opponent else ""
    print(f"RLlib's PPO on {played.game.title}{against}", flush=True)
    try:
        for iteration in range(1, chosen.iterations + 1):
            began = time.perf_counter()
            result = algorithm.train()["env_runners"]
            seconds = time.perf_counter() - began
            glance = _measured(algorithm, chosen, played, ["random"], GLANCE)
            print(
                f"{iteration}/{chosen.iterations}: "
                f"{int(result['num_env_steps_sampled_lifetime']):,} decisions, "
                f"{int(result['num_env_steps_sampled'] / seconds):,} a second; "
                f"mean return {_returns(result, played)}; {_wins(glance)}",
                flush=True,
            )
    except KeyboardInterrupt:
        print("\nstopped: measuring what was learned so far")
    folder: Path = chosen.runs / f"{chosen.game}-rllib-{time.strftime('%Y%m%d-%H%M%S')}"
    folder.mkdir(parents=True, exist_ok=True)
    algorithm.save_to_path(str((folder / "checkpoint").absolute()))
    for name, network in rllib.networks(algorithm).items():
        network.save(folder / f"{name}.safetensors")
    print("measuring ...", flush=True)
    measured = _measured(algorithm, chosen, played, ["random", "heuristic"], chosen.deals)
    figures = measured.table()
    print("\n" + figures)
    (folder / "evaluation.txt").write_text(figures + "\n")
    measured.save_json(folder / "evaluation.json")
    print(f"\ncheckpoint, policies and figures are in {folder}")
    return folder


def _measured(
    algorithm: Any,
    chosen: argparse.Namespace,
    played: Variant,
    opponents: list[str],
    deals: int,
) -> Evaluation:
    from cyberdeck.api.rllib import Player

    # Deals that training did not see: it plays on from small seeds, a match from large ones.
    return evaluate(
        chosen.game,
        Player(algorithm, name="trained"),
        opponents,
        deals=deals,
        seed=chosen.seed + 1_000_003,
        **played.chosen,
    )


def _returns(result: dict[str, Any], played: Variant) -> str:
    """The mean return of each side in the last finished games."""
    means = result.get("agent_episode_returns_mean", {})
    firsts = [played.agents[played.sides.index(side)] for side in sorted(set(played.sides))]
    names = played.game.teams or played.agents
    told = [
        f"{name} {means[agent]:+.2f}"
        for name, agent in zip(names, firsts, strict=True)
        if agent in means
    ]
    return ", ".join(told) or "of no game yet"


def _wins(glance: Evaluation) -> str:
    record = glance.records[-1]
    won = f"won {100 * record.wins / record.games:.0f}%"
    return won if glance.metrics else f"{won} against random"


if __name__ == "__main__":
    sys.exit(main())
