"""Save a policy to imitator.safetensors, and evaluate the file against the built-in opponents.

The policy is a small network that has learned to imitate HACKtheGRID's heuristic.

Needs cyberdeck with the extra evaluate (docs/install.md), and torch.
"""

import numpy as np
import torch
from torch import nn

from cyberdeck import Batch
from cyberdeck.evaluation import evaluate
from cyberdeck.players.networks import Network, load

torch.manual_seed(0)
torch.set_num_threads(1)

# What the heuristic decides in its own games.
batch = Batch("hackthegrid", 512, seed=0)
seen, masks, decided = [], [], []
for _ in range(200):
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
optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
for epoch in range(1, 6):
    total = 0.0
    for part in torch.randperm(len(targets)).split(512):
        logits = network(observations[part]).masked_fill(~legal[part], -1e9)
        loss = nn.functional.cross_entropy(logits, targets[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(part)
    print(f"epoch {epoch}: loss {total / len(targets):.3f}", flush=True)

layers = [
    (layer.weight.detach().numpy(), layer.bias.detach().numpy())
    for layer in network
    if isinstance(layer, nn.Linear)
]
Network("hackthegrid", layers, "relu").save("imitator.safetensors")

# The file holds numbers and no code. It plays by its name wherever a player is named ...
results = evaluate("hackthegrid", "imitator.safetensors", ["random", "heuristic"], deals=500)
print(results.table())
# ... and is a policy when it is loaded.
again = evaluate("hackthegrid", load("imitator.safetensors"), ["random", "heuristic"], deals=500)
assert again.records == results.records

both = results.records[2]  # on both sides of the same deals, against random
assert both.wins - both.losses > 3 * (both.wins + both.losses) ** 0.5, "no better than random play"
