"""Save a policy to imitator.safetensors, and evaluate the file against the heuristic.

The policy is a small network that learns to imitate HACKtheGRID's heuristic.

Needs cyberdeck with the extra evaluate (docs/install.md), and torch.
"""

import numpy as np
import torch
from torch import nn

from cyberdeck import Batch, evaluate
from cyberdeck.players import Player
from cyberdeck.players.networks import Network, load

DEALS = 500

torch.manual_seed(0)
torch.set_num_threads(1)

# What the heuristic decides in its own games.
batch = Batch("hackthegrid", 512, seed=0)
seen, masks, decided = [], [], []
for _ in range(400):
    actions = batch.choose("heuristic")
    seen.append(batch.observation.copy())
    masks.append(batch.mask.copy())
    decided.append(actions)
    batch.step(actions)
observations = torch.as_tensor(np.concatenate(seen), dtype=torch.float32)
legal = torch.as_tensor(np.concatenate(masks) == 1)
targets = torch.as_tensor(np.concatenate(decided), dtype=torch.int64)

network = nn.Sequential(
    nn.Linear(observations.shape[1], 128), nn.ReLU(), nn.Linear(128, legal.shape[1])
)


def save(path: str) -> None:
    """The network as it is, in a file that holds numbers and no code."""
    layers = [
        (layer.weight.detach().numpy(), layer.bias.detach().numpy())
        for layer in network
        if isinstance(layer, nn.Linear)
    ]
    Network("hackthegrid", layers, "relu").save(path)


def measured(player: Player) -> np.ndarray:
    """Points on each of some deals that training does not see, of both sides together."""
    results = evaluate("hackthegrid", player, "heuristic", deals=DEALS, seed=1)
    print(f"{results}\n", flush=True)
    games = results.games
    return games.points()[games.lineups == 0].reshape(DEALS, -1).mean(axis=1)


save("untrained.safetensors")
untrained = measured("untrained.safetensors")
optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
for epoch in range(1, 11):
    total = 0.0
    for part in torch.randperm(len(targets)).split(512):
        logits = network(observations[part]).masked_fill(~legal[part], -1e9)
        loss = nn.functional.cross_entropy(logits, targets[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(part)
    print(f"epoch {epoch}: loss {total / len(targets):.3f}", flush=True)

save("imitator.safetensors")
# A file plays by its name wherever a player is named ...
trained = measured("imitator.safetensors")
# ... and is a policy when it is loaded.
assert (trained == measured(load("imitator.safetensors"))).all()

gain = trained - untrained
# No untrained network is so far ahead of another: README.md.
assert gain.mean() - 3 * gain.std() / DEALS**0.5 > 0.1, "nothing was learned"
