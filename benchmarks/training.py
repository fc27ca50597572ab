"""How fast MaskablePPO learns, and where the time goes: ``python benchmarks/training.py``.

Each row is a learner on ``make_vec_env``, the opponent inside. All of a game are made and warmed up
first; then each makes one update (a rollout and the learning from it) in turn, round after round,
so that a machine that slows down does so for all of them. ``--sweep`` compares settings instead.

Seconds are counted twice: on the wall and, for the shares and the last column, of CPU time, which
other programs on the machine do not lengthen. Needs the extra train.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
from typing import Any, NamedTuple

import torch
from sb3_contrib import MaskablePPO

import cyberdeck
from clocks import Clock, Copy
from cyberdeck.api.residual import ResidualMaskablePolicy, residual_policy_kwargs
from cyberdeck.common.text import table
from cyberdeck.sb3 import SB3Policy, make_vec_env

#: env: the games, built-in opponents and masks; past self: the network that plays other seats;
#: inference: the learner's decisions and the buffer that keeps them; update: learning from it.
PARTS = ("env", "past self", "inference", "update")
OPPONENTS = ("random", "heuristic", "network")
N_STEPS, N_EPOCHS = 64, 4
PRIOR_WEIGHT = 0.3  # it makes no difference to the speed


class Setting(NamedTuple):
    """What is measured."""

    game: str
    opponent: str
    num_envs: int
    batch_size: int
    net_arch: tuple[int, ...]
    threads: int
    prior: bool


class Learner:
    """MaskablePPO with a clock on each part of its work."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.clock, past = Clock(), Copy()
        options = {"observation": "prior"} if setting.prior else {}
        self.envs = make_vec_env(
            setting.game,
            setting.num_envs,
            seed=1,
            opponent=past if setting.opponent == "network" else setting.opponent or None,
            **options,
        )
        policy, shape = "MlpPolicy", {}
        if setting.prior:
            policy = ResidualMaskablePolicy
            chosen = cyberdeck.variant(setting.game, **options)
            shape = residual_policy_kwargs(chosen, PRIOR_WEIGHT)
        self.model = MaskablePPO(
            policy,
            self.envs,
            n_steps=N_STEPS,
            batch_size=setting.batch_size,
            n_epochs=N_EPOCHS,
            learning_rate=1e-3,
            gamma=1.0,
            policy_kwargs={"net_arch": list(setting.net_arch), **shape},
            seed=1,
            device="cpu",
        )
        past.player = SB3Policy(self.model, greedy=False)
        for thing, method, name in (
            *((self.model, "collect_rollouts", "collect"), (self.model, "train", "update")),
            *((self.envs, "step", "step"), (self.envs, "env_method", "masks")),
            (past, "decide", "past self"),
        ):
            self.clock.on(thing, method, name)
        self.updates: list[dict[str, float]] = []
        self.update()
        self.updates.clear()  # the first one compiled and allocated

    def update(self) -> None:
        """Play one rollout and learn from it."""
        torch.set_num_threads(self.setting.threads)
        self.clock.clear()
        decisions = self.setting.num_envs * N_STEPS
        self.model.learn(decisions, reset_num_timesteps=False)
        wall, cpu = self.clock.wall, self.clock.cpu
        env = cpu["step"] + cpu["masks"] - cpu["past self"]
        inference = cpu["collect"] - env - cpu["past self"]
        parts = dict(zip(PARTS, (env, cpu["past self"], inference, cpu["update"]), strict=True))
        taken = {"wall": wall["collect"] + wall["update"], "cpu": cpu["collect"] + cpu["update"]}
        self.updates.append({"decisions": decisions, **taken, **parts})

    def result(self) -> dict[str, Any]:
        """Medians over the updates: decisions a second, and each part's share of CPU time."""

        def median(part: str, whole: str) -> float:
            return statistics.median(update[part] / update[whole] for update in self.updates)

        return {
            **self.setting._asdict(),
            "per_second": median("decisions", "wall"),
            "per_cpu_second": median("decisions", "cpu"),
            **{part: median(part, "cpu") for part in PARTS},
        }


def measured(settings: list[Setting], decisions: int) -> list[dict[str, Any]]:
    """A line for each setting, after about as many decisions in each."""
    learners = []
    for setting in settings:
        print(f"starting {named(setting)} ...", flush=True)
        learners.append(Learner(setting))
    due = [max(1, -(-decisions // (s.num_envs * N_STEPS))) for s in settings]
    for number in range(max(due)):
        for learner, updates in zip(learners, due, strict=True):
            if number < updates:
                learner.update()
    return [learner.result() for learner in learners]


def named(setting: Setting) -> str:
    against = f" against {setting.opponent}" if setting.opponent else ""
    return (
        f"{setting.game}{' prior' * setting.prior}{against}: "
        f"{setting.num_envs} games x {N_STEPS}, batches of {setting.batch_size}, "
        f"network {list(setting.net_arch)}, "
        f"threads {setting.threads}"
    )


def shown(lines: list[dict[str, Any]], sweep: bool) -> str:
    """The lines as a table."""
    varied = ("num_envs", "batch_size", "net_arch", "threads") if sweep else ()
    head = (*("game", "opponent", *varied, *PARTS, "decisions a second", "of CPU time"),)
    rows = [
        (
            *(line["game"] + " prior" * line["prior"], line["opponent"] or "-"),
            *(str(line[name]) for name in varied),
            *(f"{line[part]:.1%}" for part in PARTS),
            *(f"{line['per_second']:,.0f}", f"{line['per_cpu_second']:,.0f}"),
        )
        for line in lines
    ]
    return table(head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    whole: dict[str, Any] = {"type": int, "nargs": "+", "metavar": "N"}
    parser.add_argument("--games", nargs="+", default=list(cyberdeck.GAMES), metavar="GAME")
    parser.add_argument("--opponents", nargs="+", choices=OPPONENTS, default=list(OPPONENTS))
    parser.add_argument("--decisions", type=int, default=100_000, help="in each row")
    parser.add_argument("--num-envs", default=[256], **whole)
    parser.add_argument("--batch-size", default=[2048], **whole)
    parser.add_argument("--threads", default=[1], **whole)
    parser.add_argument(
        "--net-arch",
        nargs="+",
        default=[(256, 128)],
        type=lambda text: tuple(int(width) for width in text.split(",")),
        metavar="N,N",
        help="widths of the hidden layers",
    )
    parser.add_argument(
        "--sweep", action="store_true", help="all combinations of the settings given more than once"
    )
    parser.add_argument(
        "--prior",
        action="store_true",
        help="a residual policy: the learner adds to the heuristic prior, in games that show it",
    )
    chosen = parser.parse_args()
    swept = (chosen.num_envs, chosen.batch_size, chosen.net_arch, chosen.threads)
    if not chosen.sweep and any(len(values) > 1 for values in swept):
        parser.error("several values of a setting are compared with --sweep")
    for game in chosen.games if chosen.prior else []:
        options = {option.name: option for option in cyberdeck.game(game).options}
        if "prior" not in options["observation"].choices:
            chosen.games = [other for other in chosen.games if other != game]
    for game in chosen.games:
        opponents = chosen.opponents if cyberdeck.variant(game).seats > 1 else [""]
        settings = [
            Setting(game, opponent, num_envs, min(size, num_envs * N_STEPS), *rest, chosen.prior)
            for opponent, num_envs, size, *rest in itertools.product(opponents, *swept)
        ]
        rows = measured(settings, chosen.decisions)
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        print(shown(rows, chosen.sweep) + "\n", flush=True)


if __name__ == "__main__":
    main()
