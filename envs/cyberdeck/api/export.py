"""Models of stable-baselines3 as saved policies: NumPy and no code. Needs the extra ``sb3``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.torch_layers import FlattenExtractor

from cyberdeck.api.extractors import OneHot, Scaled, Standardized
from cyberdeck.api.residual import ResidualLogits, WithPrior
from cyberdeck.engine import registry
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, PolicyError
from cyberdeck.players.networks import Network, Prior


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
    from ``VecFrameStack(envs, history)``.

    >>> from sb3_contrib import MaskablePPO
    >>> from cyberdeck.api.sb3 import SB3VecEnv
    >>> model = MaskablePPO("MlpPolicy", SB3VecEnv("hackthegrid", 8, seed=0))
    >>> policy = network(model, "hackthegrid")
    >>> len(policy.layers)
    3
    """
    variant = registry.variant(game, **(options or {}))
    check_spaces(name, model.observation_space, int(model.action_space.n), variant, history)
    policy = model.policy
    kinds = {torch.nn.Tanh: "tanh", torch.nn.ReLU: "relu"}
    parts = list(getattr(getattr(policy, "mlp_extractor", None), "policy_net", []))
    linear = [part for part in parts if isinstance(part, torch.nn.Linear)]
    between = {type(part) for part in parts if not isinstance(part, torch.nn.Linear)}
    extractor = getattr(policy, "pi_features_extractor", None)
    last: Any = getattr(policy, "action_net", None)
    prior = None
    if type(extractor) is WithPrior and type(last) is ResidualLogits:
        prior = Prior(extractor.at, float(last.prior_weight.detach()))
        extractor, last = extractor.inner, last.own
    # Not of a class that builds on these: it may do anything.
    known = type(extractor) in (FlattenExtractor, Scaled, Standardized, OneHot)
    if not known or not between <= set(kinds) or len(between) > 1 or len(parts) != 2 * len(linear):
        raise PolicyError(
            "only a multi-layer perceptron with tanh or ReLU can be saved so: 'MlpPolicy', or one "
            "of cyberdeck.api.residual, with no other features extractor than Scaled, Standardized "
            "or OneHot; use SB3Policy(model) for others"
        )
    layers = [
        (part.weight.detach().cpu().numpy(), part.bias.detach().cpu().numpy())
        for part in [*linear, last]
    ]
    if isinstance(extractor, (Scaled, Standardized, OneHot)):
        # The scales become part of the first weights; what is one-hot comes after and has none.
        weights, biases = layers[0]
        scales = extractor.scales.cpu().numpy().astype(np.float64)
        folded = np.hstack([weights[:, : len(scales)] * scales, weights[:, len(scales) :]])
        if isinstance(extractor, Standardized):
            biases = biases - folded @ extractor.mean.cpu().numpy().astype(np.float64)
        layers[0] = (folded.astype(np.float32), biases.astype(np.float32))
    activation = kinds[between.pop()] if between else "tanh"
    one_hot = extractor.one_hot if isinstance(extractor, OneHot) else ()
    return Network(game, layers, activation, greedy, name, options, one_hot, history, prior=prior)
