"""The first run in each game: stock MaskablePPO, one to three minutes on one core.

    python examples/first_run.py                              # MATR1X 0VERL0AD, with one seed
    python examples/first_run.py stacktrices 11 12 13 14 15   # another game, with five seeds

The trained network is measured beside the same network before training, on the same deals.
The heuristic is the opponent and nothing else: neither the player nor any part of the observation
is taken from it.
"""

import sys

import torch
from sb3_contrib import MaskablePPO

from cyberdeck import evaluate
from cyberdeck.sb3 import SB3Policy, Scaled, make_vec_env

#: A reward that comes before the end of a game, and who plays the other seats.
GAMES = {
    "matrix_overload": {"observation": "counted", "reward": "royals"},
    "hackthegrid": {"opponent": "heuristic", "reward": "margin"},
    "stacktrices": {"opponent": "heuristic", "reward": "material"},
    "hovercrafts": {"opponent": "heuristic", "reward": "damage"},
}
#: In Hovercrafts most networks end in one fixed plan otherwise.
DECISIONS, ENT_COEF = 600_000, 0.0
if sys.argv[1:2] == ["hovercrafts"]:
    DECISIONS, ENT_COEF = 1_000_000, 0.02
DEALS, SEED = 200, 1_000_000  # which no training sees: that begins from 1,000 times its own seed


def measured(game: str, model: MaskablePPO) -> float:
    """Royals in a game of MATR1X 0VERL0AD; in the others points against the heuristic."""
    if game == "matrix_overload":
        found = evaluate(game, SB3Policy(model), deals=DEALS, seed=SEED, observation="counted")
        return found.metrics["royals_killed"].value
    found = evaluate(game, SB3Policy(model), ["heuristic"], deals=DEALS, seed=SEED)
    return found.overall[0].points.value


torch.set_num_threads(1)
game = sys.argv[1] if len(sys.argv) > 1 else "matrix_overload"
for seed in [int(number) for number in sys.argv[2:]] or [11]:
    envs = make_vec_env(game, 256, seed=1_000 * seed, **GAMES[game])
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=32,
        batch_size=1024,
        n_epochs=4,
        learning_rate=1e-3,
        ent_coef=ENT_COEF,
        policy_kwargs={"net_arch": [128], "features_extractor_class": Scaled},
        seed=seed,
        device="cpu",
    )
    untrained = measured(game, model)
    trained = measured(game, model.learn(DECISIONS))
    print(f"{game}, seed {seed}: untrained {untrained:.3f}, trained {trained:.3f}", flush=True)
    # No untrained network is so far ahead of another.
    least = {"matrix_overload": 1.0, "hovercrafts": 0.2}.get(game, 0.1)
    assert trained - untrained >= least, "it learned less than it should"
