"""Train PPO on MATR1X 0VERL0AD by rl_zoo3's commands, and let it play.

PPO knows no masks: with ``illegal="lose"`` an action that is not legal loses the game. A learner
with masks (rl_zoo3_maskable_ppo.py) is better off.

Needs cyberdeck with the extra sb3 (docs/install.md), and rl_zoo3.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HYPERPARAMETERS = Path(__file__).parent / "rl_zoo3.yml"
GAME = ["--algo", "ppo", "--env", "cyberdeck/MatrixOverload-v1", "--gym-packages", "cyberdeck"]
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


with tempfile.TemporaryDirectory() as logs:
    # Values are read as Python, so that words want quotes of their own.
    run("train", "--conf-file", str(HYPERPARAMETERS), "-f", logs, "--env-kwargs", "illegal:'lose'")
    # It remembers how the env was made.
    assert "Mean reward" in run("enjoy", "-f", logs, "-n", "500", "--no-render")
