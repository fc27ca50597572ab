"""Models of stable-baselines3 as saved policies: NumPy and no code. Needs the extra ``sb3``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import gymnasium as gym
import numpy as np
import torch
from stable_baselines3.common.torch_layers import FlattenExtractor, MlpExtractor

from cyberdeck.api.extractors import OneHot, ResidualBlock, Scaled, Standardized, Trunk
from cyberdeck.api.residual import PastHidden, ResidualLogits, WithPrior
from cyberdeck.engine import registry
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, PolicyError
from cyberdeck.players.networks import Layer, Network, OthersSeen, Prior, Value


def check_spaces(
    name: str, space: Any, actions: int, variant: Variant, history: int, beliefs: bool = False
) -> None:
    """``OptionError`` if a model does not see just so many observations of that game; with
    *beliefs* as many as it has seats.
    """
    has = (space.shape, actions)
    first, *rest = variant.observation_shape
    wanted = (((variant.seats if beliefs else history) * first, *rest), variant.action_count)
    if has != wanted:
        stack = f" with history={history}" if history > 1 else " with beliefs" if beliefs else ""
        raise OptionError(
            f"{name} takes observations {has[0]} and knows {has[1]} actions, and here "
            f"{variant.game.title} shows {wanted[0]}{stack} and has {wanted[1]}: give the options "
            "that it was trained with, and history= if it learned from VecFrameStack (of planes: "
            "with channels_order='first')"
        )
    if space.dtype.kind == "i" and space.dtype != variant.dtype:
        raise OptionError(
            f"{name} takes observations of {space.dtype}, and {variant.game.title} shows "
            f"{variant.dtype}: it was made for another version of the game, train it anew"
        )


#: A player of what gives each action a number, and what that is in other models.
_ACTING: Final = "lambda observations, masks: np.where(masks, {}, -np.inf).argmax(axis=1)"
_DQN: Final = "model.q_net(model.q_net.obs_to_tensor(observations)[0]).detach().cpu().numpy()"
_SBX: Final = (
    "model.policy.actor_state.apply_fn(model.policy.actor_state.params, observations).logits"
)


def fault(model: Any, who: str) -> str:
    """The reason why *who* cannot take a model, and the cure; "" if it can."""
    instead = "give a function (observations, action_masks) -> actions"
    if any(kind.__module__.partition(".")[0] == "sbx" for kind in type(model).__mro__):
        return (
            f"is a model of SBX, which computes by JAX, and {who} takes PyTorch's: those of "
            f"stable-baselines3 and sb3-contrib; {instead}. Of PPO: {_ACTING.format(_SBX)}"
        )
    if hasattr(model.policy, "lstm_actor"):
        return (
            f"is recurrent, and {who} cannot keep what it remembers from one decision to the "
            "next: train MaskablePPO or PPO on VecFrameStack(envs, k), and give history=k"
        )
    if not all(hasattr(model.policy, part) for part in ("mlp_extractor", "action_net")):
        return (
            "has no policy that gives each action a number: PPO, MaskablePPO and A2C have; "
            f"{instead}. Of DQN: {_ACTING.format(_DQN)}"
        )
    spaces = (model.observation_space, model.action_space)
    kinds = (gym.spaces.Box, gym.spaces.Discrete)
    if not all(map(isinstance, spaces, kinds)):
        return (
            f"takes observations of {type(spaces[0]).__name__} and actions of "
            f"{type(spaces[1]).__name__}, and {who} takes Box and Discrete: train it by "
            f"'MlpPolicy' on envs without masks in the observation, or {instead}"
        )
    return ""


def network(
    model: Any,
    game: str | Variant,
    *,
    greedy: bool = True,
    name: str = "network",
    options: Mapping[str, Any] | None = None,
    history: int = 1,
    beliefs: OthersSeen | None = None,
) -> Network:
    """A model's policy without PyTorch, to be saved to a file that holds no code.

    *game* is a name, and *options* those that it was trained with; or a ``Variant``, which has
    them. *history* is for a model that learned from ``VecFrameStack(envs, history)``, *beliefs* for
    one that sees what others may see after its own observation. The critic comes along as the
    network's value.

    >>> from sb3_contrib import MaskablePPO
    >>> from cyberdeck.api.sb3 import SB3VecEnv
    >>> model = MaskablePPO("MlpPolicy", SB3VecEnv("hackthegrid", 8, seed=0))
    >>> policy = network(model, "hackthegrid")
    >>> len(policy.layers), len(policy.value.layers)
    (3, 3)
    """
    if wrong := fault(model, "network()"):
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
