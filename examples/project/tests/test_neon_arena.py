"""What the package brings is found by its names, where it is installed."""

import csv
import subprocess
import sys

import gymnasium
import pytest

import cyberdeck
from cyberdeck.testing import check

BROUGHT = (
    "network=neon_arena.network:Arena",
    "reward=neon_arena.reward:stay_alive",
    "callbacks={neon_arena.callback:StopAfter: {rollouts: 2}}",
)


def cyberdeck_says(*command, folder):
    done = subprocess.run(
        [sys.executable, "-m", "cyberdeck", *command],
        cwd=folder,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_game_keeps_the_contract():
    assert check("neon_arena", decisions=500, seconds=60).games > 0


@pytest.mark.parametrize("gym_id", ["cyberdeck/NeonArena-v0", "neon_arena:neon/Duel-v0"])
def test_a_game_in_gymnasium(gym_id):
    env = gymnasium.make(gym_id, seat=0)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        _, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    assert reward in (-1, 1)
    assert cyberdeck.game("neon_arena").reasons[info["reason"]] == "blocked"


def test_the_player_beats_random_play(tmp_path):
    told = "evaluate", "neon_arena", "careful", "--opponent", "random", "--csv", "result.csv"
    cyberdeck_says(*told, folder=tmp_path)
    with (tmp_path / "result.csv").open() as file:
        points = [float(row["points"]) for row in csv.DictReader(file) if row["side"] == "both"]
    assert points[0] > 0.55


def test_training_takes_what_it_brings(tmp_path):
    less = "num_envs=16", "n_steps=32", "batch_size=256", "evaluation={deals: 20, final_deals: 20}"
    cyberdeck_says("train", "neon_arena", *less, *BROUGHT, folder=tmp_path)
    (run,) = (tmp_path / "runs").iterdir()
    with (run / "curves.csv").open() as file:
        assert len([*csv.DictReader(file)]) == 2
    assert (run / "best.safetensors").is_file()
