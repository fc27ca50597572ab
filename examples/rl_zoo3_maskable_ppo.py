"""Train MaskablePPO of sb3-contrib, which rl_zoo3 does not list, by rl_zoo3 on HACKtheGRID.

Needs cyberdeck with the extras sb3 and evaluate (docs/install.md), and rl_zoo3.
"""

import sys
import tempfile
from pathlib import Path

from rl_zoo3 import ALGOS
from rl_zoo3.train import train
from sb3_contrib import MaskablePPO

from cyberdeck.api.sb3 import SB3Policy
from cyberdeck.evaluation import evaluate

ALGOS["maskable_ppo"] = MaskablePPO
ENV = "cyberdeck/HackTheGrid-v0"
HYPERPARAMETERS = Path(__file__).parent / "rl_zoo3.yml"

with tempfile.TemporaryDirectory() as logs:
    sys.argv = [
        *("train", "--algo", "maskable_ppo", "--env", ENV, "--gym-packages", "cyberdeck"),
        *("--env-kwargs", "opponent:'random'", "reward:'margin'", "observation:'prior'"),
        *("--conf-file", str(HYPERPARAMETERS), "-f", logs, "--seed", "0", "--num-threads", "1"),
        *("--eval-freq", "-1"),  # its evaluation while it trains knows no masks
    ]
    train()
    (saved,) = Path(logs).glob("maskable_ppo/*/*.zip")
    model = MaskablePPO.load(saved)

# With hints (observation="prior") it learns in half a minute.
results = evaluate(
    "hackthegrid", SB3Policy(model), "random", deals=500, seed=1, observation="prior"
)
print(results.table())
both = results.records[-1]  # on both sides of the same deals
assert both.wins - both.losses > 3 * (both.wins + both.losses) ** 0.5, "no better than random play"
