"""Models of stable-baselines3, sb3-contrib and SBX as players. Needs the extra ``sb3``."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile, ZipFile

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from cyberdeck.common import brought
from cyberdeck.common.extras import need
from cyberdeck.engine.policy import PolicyInput, last_observations, memory_for
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, PolicyError
from cyberdeck.players.models import ModelPolicy


class SB3Policy(ModelPolicy):
    """A model of stable-baselines3, sb3-contrib or SBX as a player: of PPO, MaskablePPO, A2C, TRPO,
    RecurrentPPO, DQN, QR-DQN or ARS. Others are refused.

    It is a copy that learns no more. It stays on the model's device, and all but SBX's computes in
    double precision, so that a decision does not depend on what is decided beside it. What a
    recurrent model remembers is kept for each seat of each game.

    Args:
        model: the model.
        greedy, masked, name: as of ``ModelPolicy``; a model of values (DQN) is greedy.
        history: for a model that learned from ``VecFrameStack(envs, history)``.

    >>> from sb3_contrib import MaskablePPO
    >>> from cyberdeck import evaluate
    >>> from cyberdeck.sb3 import make_vec_env
    >>> model = MaskablePPO("MlpPolicy", make_vec_env("hackthegrid", 8, seed=0))
    >>> _ = evaluate("hackthegrid", SB3Policy(model), ["random"], deals=4)
    """

    def __init__(
        self,
        model: Any,
        *,
        greedy: bool = True,
        masked: bool = True,
        name: str | None = None,
        history: int = 1,
    ) -> None:
        super().__init__(name or type(model).__name__, greedy, masked)
        if wrong := fault_of_spaces(model):
            raise PolicyError(f"{self.name} {wrong}")
        self._space, self._actions = model.observation_space, int(model.action_space.n)
        policy, self.history = model.policy, history
        self.memory = memory_for(math.prod(self._space.shape), history)
        state = getattr(policy, "actor_state", None) or getattr(policy, "qf_state", None)
        #: Of SBX: a function, and what it is given besides observations.
        self._jax: Any = state and (state.apply_fn, state.params)
        #: Of the others: modules that are asked one after the other, and what remembers.
        self._parts: list[Any] = []
        self._lstm: Any = None
        if state is None:
            import torch

            parts = _parts(policy)
            if not parts:
                raise PolicyError(
                    f"{self.name} has no policy that gives each action a number: give a function "
                    "(observations, action_masks) -> actions that asks it"
                )
            # There is no double precision on Apple's GPUs.
            self._device = "cpu" if policy.device.type == "mps" else policy.device
            copied = copy.deepcopy(torch.nn.ModuleList(parts)).to(self._device)
            self._parts = [*copied.double().eval()]
        if hasattr(policy, "lstm_actor"):
            self._lstm = self._parts[1]
            if history > 1:
                raise PolicyError(f"{self.name} is recurrent, and remembers by itself: history=1")
            self.memory = 2 * self._lstm.num_layers * self._lstm.hidden_size
        if not greedy and not any(hasattr(policy, each) for each in ("action_dist", "actor_state")):
            raise PolicyError(f"{self.name} tells no probabilities to draw by: leave greedy=True")

    def check(self, variant: Variant) -> None:
        """The model's observations and actions must be those of the game."""
        check_spaces(self.name, self._space, self._actions, variant, self.history)

    def logits(self, seen: PolicyInput) -> NDArray[Any]:
        """(N, A): logits, or values."""
        shown = last_observations(seen, self.history).reshape(len(seen), *self._space.shape)
        if self._jax is not None:
            return self._by_jax(shown)
        import torch
        from stable_baselines3.common.preprocessing import preprocess_obs

        features, *layers = self._parts
        with torch.inference_mode():
            x: Any = preprocess_obs(torch.as_tensor(shown, device=self._device), self._space)
            x = features(x.double())
            for layer in layers:
                if layer is self._lstm:
                    x = self._remembering(seen, x)
                else:
                    x = getattr(layer, "forward_actor", layer)(x)
            # Of quantiles, their mean.
            numbers: NDArray[Any] = x.reshape(len(x), -1, self._actions).mean(dim=1).cpu().numpy()
        return numbers

    def _remembering(self, seen: PolicyInput, features: Any) -> Any:
        """What the LSTM gives after all that a seat has seen in its game."""
        import torch

        shape = (len(seen), 2, self._lstm.num_layers, self._lstm.hidden_size)
        kept = torch.as_tensor(seen.memory).to(features).reshape(shape).permute(1, 2, 0, 3)
        found, states = self._lstm(features[None], (kept[0].contiguous(), kept[1].contiguous()))
        new = torch.stack(states).permute(2, 0, 1, 3).reshape(len(seen), -1)
        seen.memory[:] = new.cpu().numpy()
        return found[0]

    def _by_jax(self, shown: NDArray[Any]) -> NDArray[Any]:
        apply, params = self._jax
        # JAX compiles for each number of rows: there are to be few.
        padded = np.zeros((1 << (len(shown) - 1).bit_length(), *shown.shape[1:]), shown.dtype)
        padded[: len(shown)] = shown
        found = apply(params, padded)
        return np.asarray(getattr(found, "logits", found))[: len(shown)]


def _parts(policy: Any) -> list[Any]:
    """The modules of a policy that make a number for each action of an observation, in order."""
    if hasattr(policy, "mlp_extractor") and hasattr(policy, "action_net"):
        lstm = [policy.lstm_actor] if hasattr(policy, "lstm_actor") else []
        return [policy.pi_features_extractor, *lstm, policy.mlp_extractor, policy.action_net]
    for name in ("q_net", "quantile_net"):
        if net := getattr(policy, name, None):
            return [net.features_extractor, getattr(net, name)]
    if hasattr(policy, "action_net"):
        return [policy.features_extractor, policy.action_net]
    return []


def fault_of_spaces(model: Any) -> str:
    """The reason why a model's observations and actions are none of a player; "" if they are."""
    if not hasattr(model, "policy"):
        return "is no model of stable-baselines3, sb3-contrib or SBX"
    spaces = (model.observation_space, model.action_space)
    kinds = (gym.spaces.Box, gym.spaces.Discrete)
    if all(map(isinstance, spaces, kinds)):
        return ""
    return (
        f"takes observations of {type(spaces[0]).__name__} and actions of "
        f"{type(spaces[1]).__name__}, and a player takes Box and Discrete: train it by "
        "'MlpPolicy' on envs without masks in the observation"
    )


#: Of which algorithm a saved model is: where the class of its policy or of its buffer is defined,
#: and a word that only its data has.
_ALGORITHMS: Final = (
    ("sb3_contrib.common.maskable.", "", "sb3_contrib:MaskablePPO"),
    ("sb3_contrib.common.recurrent.", "", "sb3_contrib:RecurrentPPO"),
    ("sb3_contrib.qrdqn.", "", "sb3_contrib:QRDQN"),
    ("sb3_contrib.ars.", "", "sb3_contrib:ARS"),
    ("sbx.ppo.", "", "sbx:PPO"),
    ("sbx.dqn.", "", "sbx:DQN"),
    ("stable_baselines3.dqn.", "", "stable_baselines3:DQN"),
    ("stable_baselines3.common.policies", "clip_range", "stable_baselines3:PPO"),
    ("stable_baselines3.common.policies", "cg_max_steps", "sb3_contrib:TRPO"),
    ("stable_baselines3.common.policies", "", "stable_baselines3:A2C"),
)


def load_sb3(
    path: str, algorithm: str | None = None, greedy: bool = True, history: int = 1
) -> SB3Policy:
    """The model that stable-baselines3, sb3-contrib or SBX has saved, as a player.

    Loading it runs code that is in the file. *algorithm*, ``module:Name``, is its class, where the
    file does not tell.
    """
    need("stable_baselines3", "models of stable-baselines3", "sb3")
    kind = brought.load("algorithm", path, algorithm or _algorithm_of(path), agreed=True)
    try:
        model = kind.load(path)
    except Exception as error:
        raise PolicyError(
            f"{path} cannot be loaded by {kind.__name__}: {brought.in_words(error)}; of another "
            f"class, say {path}:algorithm=module:Name"
        ) from error
    return SB3Policy(model, greedy=greedy, name=Path(path).stem, history=history)


def _algorithm_of(path: str) -> str:
    """The class that a saved model is of, by what can be read without running anything."""
    try:
        with ZipFile(path) as file:
            data = json.loads(file.read("data"))
        classes = [data.get(each) for each in ("policy_class", "rollout_buffer_class")]
    except (OSError, BadZipFile, KeyError, ValueError, AttributeError) as error:
        raise PolicyError(f"{path} is no saved model: {brought.in_words(error)}") from None
    modules = [str(each.get("__module__")) for each in classes if isinstance(each, dict)]
    for module, word, algorithm in _ALGORITHMS:
        if any(each.startswith(module) for each in modules) and (not word or word in data):
            return algorithm
    raise PolicyError(
        f"{path} does not tell which algorithm it is of: say it, such as "
        f"{path}:algorithm=sb3_contrib:MaskablePPO"
    )


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
