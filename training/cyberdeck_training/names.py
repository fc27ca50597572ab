"""The names that a configuration may use, and where each leads: nothing is imported for a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

#: Opponents that change while the run goes on.
CURRENT: Final = "self"
PAST: Final = "past"

#: What a run is after, see ``Config.objective``.
POINTS: Final = "points"
EXPLOIT: Final = "exploit"
OBJECTIVES: Final = (POINTS, EXPLOIT)

#: Which past self makes room for a new one.
REPLACED: Final = ("oldest", "random", "easiest")


@dataclass(frozen=True)
class Algorithm:
    """Where a learner is made, and what its games need to be like."""

    make: str
    """``module:function``, from the configuration and the envs to a model."""
    masked: bool = True
    """Whether it knows what is legal. If not, an illegal action loses its game."""
    searches: bool = False
    """Whether it learns from a search that its network guides."""
    mirrors: bool = False
    """Whether it holds on to its policy before the update, by ``kl_coef``."""


ALGORITHMS: Final[Mapping[str, Algorithm]] = {
    "maskable_ppo": Algorithm("cyberdeck_training.algorithms:maskable_ppo"),
    "ppo": Algorithm("cyberdeck_training.algorithms:ppo", masked=False),
    "mmd": Algorithm("cyberdeck_training.algorithms:mmd", mirrors=True),
    "expert_iteration": Algorithm("cyberdeck_training.algorithms:expert_iteration", searches=True),
}

#: What values positions while a policy learns, and what it sees: see ``Config.critic``.
OWN: Final = "own"
FULL: Final = "full"
ACTION_VALUES: Final = "action_values"
CRITICS: Final = (OWN, FULL, ACTION_VALUES)

#: What turns an observation into the network's input: features extractors.
ENCODINGS: Final[Mapping[str, str]] = {
    "raw": "stable_baselines3.common.torch_layers:FlattenExtractor",
    "scaled": "cyberdeck.api.extractors:Scaled",
    "standardized": "cyberdeck.api.extractors:Standardized",
    "onehot": "cyberdeck.api.extractors:OneHot",
}

ACTIVATIONS: Final[Mapping[str, str]] = {"tanh": "torch.nn:Tanh", "relu": "torch.nn:ReLU"}

#: What PyTorch calls the precisions of its matrix products.
PRECISIONS: Final[Mapping[str, str]] = {"float32": "highest", "bfloat16": "medium"}
