"""Record games of Hovercrafts as a Minari dataset, and learn from it alone, with masks.

Needs cyberdeck (docs/install.md), minari[hdf5] and torch. The dataset is kept in ./datasets.
"""

import os

import gymnasium
import numpy as np
import torch
from torch import nn

os.environ.setdefault("MINARI_DATASETS_PATH", os.path.abspath("datasets"))
import minari

from cyberdeck import evaluate

DEALS = 500

torch.manual_seed(0)
torch.set_num_threads(1)

# What the heuristic decides, against random play. The mask is recorded with the observation.
env = gymnasium.make("cyberdeck/Hovercrafts-v0", opponent="random", mask="observation")
recorded = minari.DataCollector(env)
for seed in range(1_000):
    observation, info = recorded.reset(seed=seed)
    over = False
    while not over:
        action = env.unwrapped.suggest("heuristic")
        observation, reward, terminated, truncated, info = recorded.step(action)
        over = terminated or truncated
name = "hovercrafts/heuristic-v0"
if name in minari.list_local_datasets():
    minari.delete_dataset(name)
recorded.create_dataset(
    name,
    algorithm_name="heuristic",
    description="The heuristic against random play",
    author="you",
    author_email="you@example.org",
    code_permalink="https://example.org/your-code",
    eval_env=env.spec,
)
recorded.close()

# From here on nothing plays: what is learned comes from the file.
dataset = minari.load_dataset(name)
print(dataset.total_episodes, "games with", dataset.total_steps, "decisions")
games = list(dataset.iterate_episodes())


def of_all(part: str) -> torch.Tensor:
    """Of the observations, without those after a game's last decision."""
    return torch.as_tensor(np.concatenate([game.observations[part][:-1] for game in games]))


seen, legal = of_all("observation").float(), of_all("action_mask") == 1
decided = torch.as_tensor(np.concatenate([game.actions for game in games]))
network = nn.Sequential(nn.Linear(seen.shape[1], 256), nn.ReLU(), nn.Linear(256, legal.shape[1]))


def play(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        logits = network(torch.as_tensor(observations, dtype=torch.float32))
    return logits.masked_fill(torch.as_tensor(masks == 0), -1e9).argmax(1).numpy()


def measured(name: str) -> np.ndarray:
    """Points on each of some deals that were not recorded, of both sides together."""
    results = evaluate("hovercrafts", play, "heuristic", deals=DEALS, seed=1)
    print(f"{name}\n{results.table()}\n", flush=True)
    games = results.games
    return games.points()[games.lineups == 0].reshape(DEALS, -1).mean(axis=1)


untrained = measured("untrained")
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
for epoch in range(1, 21):
    total = 0.0
    for part in torch.randperm(len(decided)).split(256):
        logits = network(seen[part]).masked_fill(~legal[part], -1e9)
        loss = nn.functional.cross_entropy(logits, decided[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(part)
    print(f"epoch {epoch}: loss {total / len(decided):.3f}", flush=True)

gain = measured("trained") - untrained
# No untrained network is so far ahead of another: README.md.
assert gain.mean() - 3 * gain.std() / DEALS**0.5 > 0.2, "nothing was learned"
