"""Train PPO with Ray's RLlib, on this machine or on a cluster, and measure what came out.

It is ``cyberdeck train-rllib``, with the extra ``ray``.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cyberdeck import OptionError, Variant
from cyberdeck.common.files import write_whole
from cyberdeck.evaluation import Evaluation, evaluate

#: Deals that each iteration's policy is measured on, against random.
GLANCE = 50


@dataclass(frozen=True)
class RllibRun:
    """What to train, and how."""

    variant: Variant
    iterations: int = 10
    """Updates."""
    batch: int = 4096
    """Decisions of each."""
    address: str | None = None
    """Of a Ray cluster, or 'auto'; Ray starts on this machine without."""
    runners: int = 0
    """Processes that play, beside the learner's own."""
    separate: bool = False
    """A module for each seat or team, not one for all."""
    opponent: str | None = None
    """Who plays the other side, by name; the learner itself without."""
    restore: Path | None = None
    """A checkpoint whose weights to go on from."""
    deals: int = 500
    """Of the final evaluation."""
    runs: Path = Path("runs")
    seed: int = 1

    def train(self) -> Path:
        """Train, evaluate, print the results; returns the folder with them and the checkpoint."""
        if self.restore is not None and not self.restore.is_dir():
            raise OptionError(f"there is no checkpoint {self.restore}: name the folder of one")
        if find_spec("ray") is None:
            raise OptionError(
                "RLlib is not installed: install cyberdeck[ray], in an environment of its own"
            )
        import ray

        from cyberdeck.api import rllib

        settings = (
            rllib.config(
                self.variant.game.name,
                shared=not self.separate,
                opponent=self.opponent,
                **self.variant.chosen,
            )
            .env_runners(num_env_runners=self.runners)
            .training(train_batch_size_per_learner=self.batch, minibatch_size=min(512, self.batch))
            .debugging(seed=self.seed, log_level="ERROR")
        )
        if self.address is None:
            ray.init(include_dashboard=False, log_to_driver=False)
        else:
            ray.init(address=self.address, log_to_driver=False)
        algorithm = None
        try:
            algorithm = settings.build_algo()
            if self.restore is not None:
                algorithm.restore_from_path(str(self.restore.absolute()))
            return self._learn(algorithm)
        finally:
            if algorithm is not None:
                algorithm.stop()
            ray.shutdown()

    def _learn(self, algorithm: Any) -> Path:
        from cyberdeck.api import rllib

        against = f" against {self.opponent}" if self.opponent else ""
        print(f"RLlib's PPO on {self.variant.game.title}{against}", flush=True)
        try:
            for iteration in range(1, self.iterations + 1):
                began = time.perf_counter()
                result = algorithm.train()["env_runners"]
                seconds = time.perf_counter() - began
                glance = self._evaluated(algorithm, ["random"], GLANCE)
                print(
                    f"{iteration}/{self.iterations}: "
                    f"{int(result['num_env_steps_sampled_lifetime']):,} decisions, "
                    f"{int(result['num_env_steps_sampled'] / seconds):,} a second; "
                    f"mean return {_returns(result, self.variant)}; {_wins(glance)}",
                    flush=True,
                )
        except KeyboardInterrupt:
            print("\nstopped: measuring what was learned so far")
        name = f"{self.variant.game.name}-rllib-{time.strftime('%Y%m%d-%H%M%S')}"
        folder = self.runs / name
        folder.mkdir(parents=True, exist_ok=True)
        algorithm.save_to_path(str((folder / "checkpoint").absolute()))
        for name, network in rllib.networks(algorithm).items():
            network.save(folder / f"{name}.safetensors")
        print("measuring ...", flush=True)
        result = self._evaluated(algorithm, ["random", "heuristic"], self.deals)
        print(f"\n{result.table()}")
        write_whole(folder / "evaluation.txt", f"{result.table()}\n")
        result.save_json(folder / "evaluation.json")
        print(f"\ncheckpoint, policies and evaluation are in {folder}")
        return folder

    def _evaluated(self, algorithm: Any, opponents: list[str], deals: int) -> Evaluation:
        from cyberdeck.api.rllib import Player

        # Deals that training did not see: it plays on from small seeds, a match from large ones.
        return evaluate(
            self.variant,
            Player(algorithm, name="trained"),
            opponents,
            deals=deals,
            seed=self.seed + 1_000_003,
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
    sys.exit("this is a command now: cyberdeck train-rllib GAME")
