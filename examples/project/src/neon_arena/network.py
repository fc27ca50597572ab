"""A network: `cyberdeck train neon_arena network=neon_arena.network:Arena`."""

import torch
from torch import nn

from neon_arena.game import CELLS, SIDE


class Arena(nn.Module):
    """Convolutions over the arena, for the logits of the actions and the value.

    It is made with how many numbers there are to see, and how many actions.
    """

    def __init__(self, numbers, actions):
        super().__init__()
        self.planes = numbers // CELLS
        self.hidden = nn.Sequential(
            nn.Conv2d(self.planes, 16, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(16 * CELLS, 64),
            nn.ReLU(),
        )
        self.logits, self.value = nn.Linear(64, actions), nn.Linear(64, 1)

    def forward(self, seen: torch.Tensor):
        hidden = self.hidden(seen.view(-1, self.planes, SIDE, SIDE))
        return self.logits(hidden), self.value(hidden)[:, 0]
