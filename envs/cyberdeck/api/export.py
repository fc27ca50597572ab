"""Models of stable-baselines3 as saved policies: NumPy and no code. Needs the extra ``sb3``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import torch
from stable_baselines3.common.torch_layers import FlattenExtractor, MlpExtractor

from cyberdeck.api.extractors import OneHot, ResidualBlock, Scaled, Standardized, Trunk
from cyberdeck.api.residual import PastHidden, ResidualLogits, WithPrior
from cyberdeck.engine import registry
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import PolicyError
from cyberdeck.players.networks import BelievedObservations, Layer, Network, Prior, Value
from cyberdeck.players.sb3 import check_spaces, fault_of_spaces


def network(
    model: Any,
    game: str | Variant,
    *,
    greedy: bool = True,
    name: str = "network",
    options: Mapping[str, Any] | None = None,
    history: int = 1,
    beliefs: BelievedObservations | None = None,
) -> Network:
    """A model's policy without PyTorch, to be saved to a file that holds no code.

    *game* is a name, and *options* those that it was trained with; or a ``Variant``, which has
    them. *history* is for a model that learned from ``VecFrameStack(envs, history)``, *beliefs* for
    one that sees what others may see after its own observation. The critic comes along as the
    network's value.

    >>> from sb3_contrib import MaskablePPO
    >>> from cyberdeck.sb3 import make_vec_env
    >>> model = MaskablePPO("MlpPolicy", make_vec_env("hackthegrid", 8, seed=0))
    >>> policy = network(model, "hackthegrid")
    >>> len(policy.layers), len(policy.value.layers)
    (3, 3)
    """
    if wrong := _fault(model):
        raise PolicyError(f"{type(model).__name__} {wrong}")
    variant = registry.variant(game, **(options or {}))
    space, count = model.observation_space, int(model.action_space.n)
    check_spaces(name, space, count, variant, history, beliefs is not None)
    policy = model.policy
    extractor = getattr(policy, "pi_features_extractor", None)
    last: Any = getattr(policy, "action_net", None)
    prior = None
    if type(extractor) is WithPrior and type(last) is ResidualLogits:
        prior = Prior(extractor.at, float(last.prior_weight.detach()))
        extractor, last = extractor.inner, last.own
    inner, trunk = _opened(extractor)
    parts = [*trunk, *getattr(getattr(policy, "mlp_extractor", None), "policy_net", [])]
    hidden, kinds = _perceptron(parts)
    if type(inner) not in _EXTRACTORS or None in kinds or len(kinds) > 1:
        raise PolicyError(
            "only a multi-layer perceptron with tanh or ReLU can be saved so: 'MlpPolicy', or one "
            "of cyberdeck.api.residual, with no other features extractor than Scaled, Standardized "
            "or OneHot, or Trunk after one of them; use SB3Policy(model) for others"
        )
    if not kinds:  # a policy without hidden layers has any: that of its critic
        critic = getattr(getattr(policy, "mlp_extractor", None), "value_net", [])
        kinds = _perceptron(critic)[1] - {None}
    activation = kinds.pop() if kinds else "tanh"
    assert activation is not None
    return Network(
        variant.game.name,
        _weights([*hidden, last], inner),
        activation,
        greedy,
        name,
        options or variant.chosen,
        one_hot=inner.one_hot if isinstance(inner, OneHot) else (),
        history=history,
        prior=prior,
        features=variant.features,
        actions=[count for count, _ in variant.actions],
        # What is given away tells no search who wins.
        value=None if variant.regret else _value(policy, extractor, activation),
        beliefs=beliefs,
    )


def _fault(model: Any) -> str:
    """The reason why a model has no such policy; "" if it has."""
    policy = getattr(model, "policy", None)
    of_logits = hasattr(policy, "mlp_extractor") and hasattr(policy, "action_net")
    if of_logits and not hasattr(policy, "lstm_actor"):
        return fault_of_spaces(model)
    return (
        "is no perceptron that gives each action a number, as PPO, MaskablePPO and A2C have: "
        "SB3Policy(model) plays others, and so does the model's own file (*.zip)"
    )


#: What can be saved. Not of a class that builds on these: it may do anything.
_EXTRACTORS: Final = (FlattenExtractor, Scaled, Standardized, OneHot)
_ACTIVATIONS: Final[dict[Any, str]] = {torch.nn.Tanh: "tanh", torch.nn.ReLU: "relu"}


def _opened(extractor: Any) -> tuple[Any, list[Any]]:
    """The extractor that encodes the observation, and the layers of a trunk after it."""
    if type(extractor) is Trunk:
        return extractor.inner, list(extractor.layers)
    return extractor, []


def _perceptron(parts: Iterable[Any]) -> tuple[list[Any], set[str | None]]:
    """The layers and residual blocks, and the activations; None among them for all else."""
    layers, kinds = [], set()
    rest = iter(parts)
    for part in rest:
        block = type(part) is ResidualBlock
        between = part.activation if block else next(rest, None)
        known = block or type(part) is torch.nn.Linear
        kinds.add(_ACTIVATIONS.get(type(between)) if known else None)
        layers.append(part)
    return layers, kinds


def _value(policy: Any, extractor: Any, activation: str) -> Value | None:
    """The critic's layers; None if it is no such perceptron on the same input."""
    critic, last = policy.mlp_extractor, getattr(policy, "value_net", None)
    if type(critic) not in (MlpExtractor, PastHidden) or type(last) is not torch.nn.Linear:
        return None
    sees = policy.vf_features_extractor
    if type(sees) is WithPrior and type(critic) is PastHidden:
        sees = sees.inner
    inner, trunk = _opened(sees)
    hidden, kinds = _perceptron([*trunk, *critic.value_net])
    if type(inner) is not type(_opened(extractor)[0]) or not kinds <= {activation}:
        return None
    after = len(_perceptron(trunk)[0]) if sees is extractor else 0
    return Value(_weights([*hidden, last], inner)[after:], after)


def _weights(layers: Sequence[Any], extractor: Any) -> list[Layer]:
    """The numbers of each layer, what the extractor does to the observation in the first."""
    # In the order of ``Layer``, of residual blocks too.
    numbers = [
        tuple(part.detach().cpu().numpy() for part in layer.parameters()) for layer in layers
    ]
    if isinstance(extractor, (Scaled, Standardized, OneHot)):
        # The scales become part of the first weights; what is one-hot comes after and has none.
        weights, biases, *back = numbers[0]
        scales = extractor.scales.cpu().numpy().astype(np.float64)
        folded = np.hstack([weights[:, : len(scales)] * scales, weights[:, len(scales) :]])
        if isinstance(extractor, Standardized):
            biases = biases - folded @ extractor.mean.cpu().numpy().astype(np.float64)
        numbers[0] = (folded.astype(np.float32), biases.astype(np.float32), *back)
    return numbers
