"""Train PPO on HACKtheGRID by rl_zoo3's commands, let it play, and measure what it has learned.

PPO knows no masks: with ``illegal="lose"`` an action that is not legal loses the game. So first of
all it learns what is legal. A learner with masks (rl_zoo3_maskable_ppo.py) is better off.

Needs cyberdeck with the extras sb3 and evaluate (docs/install.md), and rl_zoo3.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from stable_baselines3 import PPO

from cyberdeck import evaluate
from cyberdeck.sb3 import SB3Policy

HYPERPARAMETERS = Path(__file__).parent / "rl_zoo3.yml"
ENV = "cyberdeck/HackTheGrid-v0"
GAME = ["--algo", "ppo", "--env", ENV, "--gym-packages", "cyberdeck"]
# Values are read as Python, so that words want quotes of their own.
OPTIONS = ["illegal:'lose'", "opponent:'heuristic'", "reward:'margin'", "observation:'prior'"]
ONCE = ["--seed", "0", "--num-threads", "1"]


def run(command: str, *arguments: str) -> str:
    """One of rl_zoo3's commands: the last lines of what it prints."""
    told: str = subprocess.run(
        [sys.executable, "-m", f"rl_zoo3.{command}", *GAME, *ONCE, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    last = "\n".join(told.splitlines()[-3:])
    print(last, flush=True)
    return last


def train(logs: str, name: str, *hyperparameters: str) -> SB3Policy:
    """What rl_zoo3 has trained, as a player without masks."""
    how = ["--conf-file", str(HYPERPARAMETERS), "--hyperparams", *hyperparameters]
    run("train", "-f", logs, "--env-kwargs", *OPTIONS, *how)
    (saved,) = Path(logs).glob("ppo/*/cyberdeck*.zip")
    return SB3Policy(PPO.load(saved, device="cpu"), masked=False, name=name)


# At first it loses every game by an illegal action. With gamma below 1, later is better.
GAMMA = "gamma:0.8"
with tempfile.TemporaryDirectory() as logs, tempfile.TemporaryDirectory() as other:
    trained = train(logs, "trained", GAMMA)
    untrained = train(other, "untrained", GAMMA, "n_timesteps:0")  # the same network
    # It remembers how the env was made.
    assert "Mean reward" in run("enjoy", "-f", logs, "-n", "500", "--no-render")

points, errors = [], []
for player in (trained, untrained):
    results = evaluate(
        *("hackthegrid", player, "heuristic"),
        deals=500,
        seed=1,
        illegal="lose",
        observation="prior",
    )
    print(f"{results}\n")
    mean = results.records[-1].points  # on both sides of the same deals
    points.append(mean.value)
    errors.append((mean.high - mean.low) / (2 * 1.96))
assert points[0] - points[1] > 3 * sum(error**2 for error in errors) ** 0.5, "nothing was learned"
