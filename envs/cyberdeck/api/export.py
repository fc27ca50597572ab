"""Models of stable-baselines3 as saved policies: NumPy and no code. Needs the extra ``sb3``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import FlattenExtractor, MlpExtractor

from cyberdeck.api.extractors import OneHot, Scaled, Standardized
from cyberdeck.api.residual import PastHidden, ResidualLogits, WithPrior
from cyberdeck.engine import registry
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, PolicyError
from cyberdeck.players.networks import Network, Prior, Value


def check_spaces(name: str, space: Any, actions: int, variant: Variant, history: int) -> None:
    """``OptionError`` if a model does not see just so many observations of that game."""
    has = (space.shape, actions)
    first, *rest = variant.observation_shape
    wanted = ((history * first, *rest), variant.action_count)
    if has != wanted:
        stack = f" with history={history}" if history > 1 else ""
        raise OptionError(
            f"{name} takes observations {has[0]} and knows {has[1]} actions, and here "
            f"{variant.game.title} shows {wanted[0]}{stack} and has {wanted[1]}: give the options "
            "that it was trained with, and history= if it learned from VecFrameStack (of planes: "
            "with channels_order='first')"
        )


def network(
    model: Any,
    game: str,
    *,
    greedy: bool = True,
    name: str = "network",
    options: Mapping[str, Any] | None = None,
    history: int = 1,
) -> Network:
    """A model's policy without PyTorch, to be saved to a file that holds no code.

    *options* are those of the game that it was trained with; *history* is for a model that learned
    from ``VecFrameStack(envs, history)``. The critic comes along as the network's value.

    >>> from sb3_contrib import MaskablePPO
    >>> from cyberdeck.api.sb3 import SB3VecEnv
    >>> model = MaskablePPO("MlpPolicy", SB3VecEnv("hackthegrid", 8, seed=0))
    >>> policy = network(model, "hackthegrid")
    >>> len(policy.layers), len(policy.value.layers)
    (3, 3)
    """
    variant = registry.variant(game, **(options or {}))
    check_spaces(name, model.observation_space, int(model.action_space.n), variant, history)
    policy = model.policy
    parts = list(getattr(getattr(policy, "mlp_extractor", None), "policy_net", []))
    extractor = getattr(policy, "pi_features_extractor", None)
    last: Any = getattr(policy, "action_net", None)
    prior = None
    if type(extractor) is WithPrior and type(last) is ResidualLogits:
        prior = Prior(extractor.at, float(last.prior_weight.detach()))
        extractor, last = extractor.inner, last.own
    activation = _activation(parts)
    if type(extractor) not in _EXTRACTORS or activation is None:
        raise PolicyError(
            "only a multi-layer perceptron with tanh or ReLU can be saved so: 'MlpPolicy', or one "
            "of cyberdeck.api.residual, with no other features extractor than Scaled, Standardized "
            "or OneHot; use SB3Policy(model) for others"
        )
    value = _value(policy, extractor, activation)
    return Network(
        game,
        _weights([*parts[::2], last], extractor),
        activation or "tanh",
        greedy,
        name,
        options,
        extractor.one_hot if isinstance(extractor, OneHot) else (),
        history,
        prior=prior,
        value=value,
    )


#: What can be saved. Not of a class that builds on these: it may do anything.
_EXTRACTORS: Final = (FlattenExtractor, Scaled, Standardized, OneHot)
_ACTIVATIONS: Final[dict[Any, str]] = {torch.nn.Tanh: "tanh", torch.nn.ReLU: "relu"}


def _activation(parts: Sequence[Any]) -> str | None:
    """What follows each linear layer of a multi-layer perceptron, and None if it is none.

    Empty where nothing is hidden.
    """
    between = {type(part) for part in parts[1::2]}
    linear = all(type(part) is torch.nn.Linear for part in parts[::2])
    if len(parts) % 2 or len(between) > 1 or not linear:
        return None
    return _ACTIVATIONS.get(between.pop()) if between else ""


def _value(policy: Any, extractor: Any, activation: str) -> Value | None:
    """What the critic says of a position; None if it is no such perceptron on the same input."""
    critic, last = policy.mlp_extractor, getattr(policy, "value_net", None)
    sees = policy.vf_features_extractor
    if type(critic) not in (MlpExtractor, PastHidden) or type(last) is not torch.nn.Linear:
        return None
    if type(sees) is WithPrior and type(critic) is PastHidden:
        sees = sees.inner
    parts = list(critic.value_net)
    if type(sees) is not type(extractor) or _activation(parts) not in (activation, ""):
        return None
    return Value(_weights([*parts[::2], last], sees), 0)


def _weights(linear: list[Any], extractor: Any) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """(weights, biases) of each layer, what the extractor does to the observation in the first."""
    layers = [
        (part.weight.detach().cpu().numpy(), part.bias.detach().cpu().numpy()) for part in linear
    ]
    if isinstance(extractor, (Scaled, Standardized, OneHot)):
        # The scales become part of the first weights; what is one-hot comes after and has none.
        weights, biases = layers[0]
        scales = extractor.scales.cpu().numpy().astype(np.float64)
        folded = np.hstack([weights[:, : len(scales)] * scales, weights[:, len(scales) :]])
        if isinstance(extractor, Standardized):
            biases = biases - folded @ extractor.mean.cpu().numpy().astype(np.float64)
        layers[0] = (folded.astype(np.float32), biases.astype(np.float32))
    return layers
