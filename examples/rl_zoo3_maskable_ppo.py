"""Train MaskablePPO of sb3-contrib, which rl_zoo3 does not list, by rl_zoo3 on HACKtheGRID.

Needs cyberdeck with the extras sb3 and evaluate (docs/install.md), and rl_zoo3.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from rl_zoo3 import ALGOS
from rl_zoo3.train import train
from sb3_contrib import MaskablePPO

from cyberdeck import evaluate
from cyberdeck.sb3 import SB3Policy

ALGOS["maskable_ppo"] = MaskablePPO
ENV = "cyberdeck/HackTheGrid-v0"
HYPERPARAMETERS = Path(__file__).parent / "rl_zoo3.yml"
DEALS = 500


def learned(logs: str, name: str, timesteps: int) -> SB3Policy:
    """What rl_zoo3 has trained for so many decisions."""
    sys.argv = [
        *("train", "--algo", "maskable_ppo", "--env", ENV, "--gym-packages", "cyberdeck"),
        *("--env-kwargs", "opponent:'heuristic'", "reward:'margin'", "observation:'prior'"),
        *("--conf-file", str(HYPERPARAMETERS), "-f", logs, "--seed", "0", "--num-threads", "1"),
        *("--eval-freq", "-1"),  # its evaluation while it trains knows no masks
        *("--hyperparams", f"n_timesteps:{timesteps}"),
    ]
    train()
    (saved,) = Path(logs).glob("maskable_ppo/*/*.zip")
    return SB3Policy(MaskablePPO.load(saved, device="cpu"), name=name)


def measured(player: SB3Policy) -> np.ndarray:
    """Points on each of some deals that training does not see, of both sides together."""
    results = evaluate(
        *("hackthegrid", player, "heuristic"), deals=DEALS, seed=1, observation="prior"
    )
    print(f"{results}\n", flush=True)
    games = results.games
    return games.points()[games.lineups == 0].reshape(DEALS, -1).mean(axis=1)


with tempfile.TemporaryDirectory() as logs, tempfile.TemporaryDirectory() as other:
    trained = learned(logs, "trained", 50_000)
    untrained = learned(other, "untrained", 0)  # the same network
before = measured(untrained)
gain = measured(trained) - before
# No untrained network is so far ahead of another: README.md.
assert gain.mean() - 3 * gain.std() / DEALS**0.5 > 0.1, "nothing was learned"
