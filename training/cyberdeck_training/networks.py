"""Networks that learn, as a configuration says: a perceptron, or a module of one's own.

One's own is a class of PyTorch, named as ``network: module:Class``. It is made with how many
numbers ``encoding`` makes of an observation and how many actions there are; it takes (N, numbers)
and gives logits (N, actions) and values (N,):

    class Own(torch.nn.Module):
        def __init__(self, numbers, actions):
            super().__init__()
            self.hidden = torch.nn.Sequential(torch.nn.Linear(numbers, 64), torch.nn.ReLU())
            self.logits, self.value = torch.nn.Linear(64, actions), torch.nn.Linear(64, 1)

        def forward(self, seen):
            hidden = self.hidden(seen)
            return self.logits(hidden), self.value(hidden)[:, 0]

If it takes an argument ``features`` as well, it is told what the observation is made of: their
names and shapes, as ``Convolutional`` here wants them, which is for games with boards.
"""

from __future__ import annotations

import copy
import inspect
import json
import math
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.preprocessing import preprocess_obs
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from cyberdeck import Batch
from cyberdeck.api import residual
from cyberdeck.api.adapters import Format
from cyberdeck.api.export import network
from cyberdeck.api.extractors import Trunk
from cyberdeck.common.brought import in_words
from cyberdeck.common.extras import need
from cyberdeck.engine import registry
from cyberdeck.engine.features import Feature
from cyberdeck.engine.policy import Policy, PolicyInput, last_observations, memory_for
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, PolicyError
from cyberdeck.players import networks as saved
from cyberdeck.players.networks import files
from cyberdeck.players.networks.files import signature
from cyberdeck_training.settings import PPOSettings, RunSettings
from cyberdeck_training.values import ENCODINGS, HELD, Layers, activation_class, brought


def policy_kwargs(config: PPOSettings) -> dict[str, Any]:
    """What a policy of stable-baselines3 is made with."""
    arch, activation = config.net_arch, activation_class(config.activation_fn)
    extractor, given = resolve_name(ENCODINGS[config.encoding]), random_play(config)
    optimizer = {"optimizer_kwargs": {"eps": 1e-5, "fused": True}}
    if own := name_of_own(config):
        inner = {"extractor": extractor, "extractor_kwargs": given}
        given = {"name": own, "actions": config.variant.action_count, **inner}
        given["features"] = config.variant.features
        kind = {"features_extractor_class": Own, "features_extractor_kwargs": given}
        return {**kind, "net_arch": [], "ortho_init": False, **optimizer}
    if isinstance(arch, Layers) and arch.shared:
        shared = {"net_arch": arch.model_dump()["shared"], "activation_fn": activation}
        given = {**shared, "extractor": extractor, "extractor_kwargs": given}
        extractor = Trunk
    kind = {"features_extractor_class": extractor, "features_extractor_kwargs": given}
    if (weight := getattr(config, "prior_weight", None)) is not None:
        inner = {"extractor": extractor, "extractor_kwargs": given}
        kind = residual.residual_policy_kwargs(config.variant, weight, **inner)
    layers = arch if isinstance(arch, list) else {"pi": arch.pi, "vf": arch.vf}
    return {"net_arch": layers, "activation_fn": activation, **kind, **optimizer}


def policy_class(config: PPOSettings, masked: bool) -> Any:
    """The policy of stable-baselines3 for that."""
    if name_of_own(config):
        return MaskableOwnPolicy if masked else PlainOwnPolicy
    if getattr(config, "prior_weight", None) is not None:
        return residual.ResidualMaskablePolicy if masked else residual.ResidualPolicy
    return MaskableActorCriticPolicy if masked else ActorCriticPolicy


def random_play(config: PPOSettings) -> dict[str, Any]:
    """What ``standardized`` is made with: mean and deviation of what a seat sees when it decides,
    if all play at random.
    """
    if config.encoding != "standardized":
        return {}
    batch = Batch(config.variant, 1000, seed=config.seed)
    seen = []
    for step in range(100):
        if step % 4 == 0:
            seen.append(batch.observation.reshape(1000, -1).copy())
        batch.step(batch.choose("random"))
    every = np.concatenate(seen).astype(np.float64)
    return {"mean": every.mean(axis=0), "deviation": every.std(axis=0)}


# --- of one's own --------------------------------------------------------------------------------


def name_of_own(config: Any) -> str | None:
    """The network of one's own that a configuration names."""
    name: str | None = getattr(config, "network", None)
    return name


class Own(BaseFeaturesExtractor):
    """The module of that *name* behind an encoding: its features are the logits and the value."""

    def __init__(
        self,
        observation_space: gym.spaces.Box,
        name: str,
        actions: int,
        features: Sequence[Feature],
        extractor: type[BaseFeaturesExtractor],
        extractor_kwargs: dict[str, Any],
    ) -> None:
        inner = extractor(observation_space, **extractor_kwargs)
        super().__init__(observation_space, actions + 1)
        self.inner, made = inner, brought("network", name, torch.nn.Module)
        asks = "features" in inspect.signature(made).parameters
        more = {"features": features} if asks else {}
        self.own = made(inner.features_dim, actions, **more)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(N, actions + 1)"""
        logits, values = self.own(self.inner(observations))
        return torch.cat([logits, values.reshape(-1, 1)], dim=1)


class _Columns(torch.nn.Module):
    """Some of the features, as they are."""

    def __init__(self, columns: slice) -> None:
        super().__init__()
        self.columns = columns

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """(N, columns)"""
        return features[:, self.columns]


class _OwnHeads:
    """The mixin for policies of stable-baselines3 whose logits and values ``Own`` has made."""

    def _build(self: Any, lr_schedule: Any) -> None:
        super()._build(lr_schedule)  # type: ignore[misc]  # of the policy
        self.add_module("action_net", _Columns(slice(-1)))
        self.add_module("value_net", _Columns(slice(-1, None)))
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


class MaskableOwnPolicy(_OwnHeads, MaskableActorCriticPolicy):
    """For MaskablePPO."""


class PlainOwnPolicy(_OwnHeads, ActorCriticPolicy):
    """For PPO."""


class Convolutional(torch.nn.Module):
    """A small convolutional network for games with a board: two layers of 3 x 3 over the features
    that are planes of it, (rows, columns) or (planes, rows, columns), and one that also sees the
    other features. It wants an encoding that keeps all numbers where they lie: any but ``onehot``.
    """

    on: torch.Tensor
    off: torch.Tensor

    def __init__(self, numbers: int, actions: int, features: Sequence[Feature]) -> None:
        super().__init__()
        if numbers != sum(each.size for each in features):
            raise ValueError("it sees planes as they lie: choose any encoding but onehot")
        shapes = [each.shape[-2:] if len(each.shape) in (2, 3) else (0, 0) for each in features]
        board = max(shapes, key=math.prod, default=(0, 0))
        if board == (0, 0):
            raise ValueError("no feature has two or three dimensions: there is no board to see")
        on = np.repeat([shape == board for shape in shapes], [each.size for each in features])
        self.register_buffer("on", torch.from_numpy(np.flatnonzero(on)), persistent=False)
        self.register_buffer("off", torch.from_numpy(np.flatnonzero(~on)), persistent=False)
        cells = math.prod(board)
        self.planes = (len(self.on) // cells, *board)
        self.first = torch.nn.Conv2d(self.planes[0], 32, 3, padding=1)
        self.second = torch.nn.Conv2d(32, 32, 3, padding=1)
        self.hidden = torch.nn.Linear(32 * cells + len(self.off), 128)
        self.logits, self.value = torch.nn.Linear(128, actions), torch.nn.Linear(128, 1)

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(N, actions) and (N,)"""
        board = self.first(seen[:, self.on].reshape(-1, *self.planes)).relu()
        board = self.second(board).relu().flatten(1)
        hidden = self.hidden(torch.cat([board, seen[:, self.off]], dim=1)).relu()
        return self.logits(hidden), self.value(hidden)[:, 0]


# --- as players ----------------------------------------------------------------------------------


#: What makes a network: settings that stand in its file.
_MAKING: Final = ("encoding", "net_arch", "activation_fn")


def needed(config: Any) -> dict[str, str]:
    """What beside numbers it takes to make the network of a configuration again, where the file of
    a policy cannot hold it: code of one's own, or of PyTorch.
    """
    if own := name_of_own(config):
        return {files.OWN: own}
    activation = getattr(config, "activation_fn", HELD[0])
    return {} if activation.lower() in HELD else {"activation": activation}


class Module(Policy):
    """What was learned by a network that the file of a policy cannot hold: a copy that learns no
    more, and computes in double precision, so that a decision does not depend on what is decided
    beside it. Its file has the state dict, and in *words* what it takes to make the network again.
    """

    greedy = True

    def __init__(self, model: Any, words: Mapping[str, str], history: int = 1) -> None:
        policy, self._words, self.history = model.policy, words, history
        self._space = model.observation_space
        self._weights = copy.deepcopy(_weights(policy))
        parts = policy.pi_features_extractor, policy.mlp_extractor, policy.action_net
        self.parts = [copy.deepcopy(part).to("cpu").double().eval() for part in parts]
        self.memory = memory_for(math.prod(self._space.shape), history)

    def check(self, variant: Variant) -> None:
        """It plays its own game, where it sees the same numbers."""
        trained = _trained(self._words)
        sees, shown = ([*map(signature, each.features)] for each in (trained, variant))
        if trained.game is not variant.game or sees != shown or trained.actions != variant.actions:
            raise OptionError(
                f"{self.name} cannot play {variant.game.title} here: it was trained in "
                f"{trained.game.title} with the options {trained.chosen}"
            )

    def logits(self, observations: NDArray[Any]) -> NDArray[np.float64]:
        """(N, A): the numbers that the actions get, by all that it sees."""
        features, hidden, action_net = self.parts
        with torch.inference_mode():
            shape = (len(observations), *self._space.shape)
            shown: Any = preprocess_obs(torch.as_tensor(observations.reshape(shape)), self._space)
            logits: NDArray[np.float64] = action_net(
                hidden.forward_actor(features(shown.double()))
            ).numpy()
        return logits

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        """The likeliest legal action, or one drawn by the probabilities of the legal ones."""
        logits = self.logits(last_observations(seen, self.history))
        legal = np.where(seen.masks == 1, logits, -np.inf)
        return saved.chosen(legal, self.greedy, seen.random_bits)

    def save(self, path: Path) -> None:
        """Write the state dict, and where its code is to be imported from."""
        tensors = {name: part.contiguous().numpy() for name, part in self._weights.items()}
        files.write(path, self._words, tensors)

    def onnx(self) -> bytes:
        """As ONNX, with the inputs, outputs and words that ``players.exporting`` gives a policy."""
        need("onnx", "networks as ONNX", "onnx")
        import onnx

        variant = _trained(self._words)
        mask = torch.ones(2, variant.action_count) == 1
        shown = torch.zeros(2, math.prod(self._space.shape)), mask
        names = ["observation", "mask", "logits"]
        how: Any = {"input_names": names[:2], "output_names": names[2:], "opset_version": 17}
        how["dynamic_axes"] = {name: {0: "N"} for name in names}
        with TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = f"{folder}/made.onnx"  # not by PyTorch's other exporter, which needs onnxscript
            torch.onnx.export(_Exported(self).eval(), shown, path, dynamo=False, **how)
            made = onnx.load(path)
        sizes = {each.name: each.size for each in variant.features}
        words: Any = {"game": variant.game.name, "options": variant.chosen, "features": sizes}
        words |= {"history": self.history, "greedy": self.greedy}
        onnx.helper.set_model_props(made, {name: json.dumps(each) for name, each in words.items()})
        return bytes(made.SerializeToString())


class _Exported(torch.nn.Module):
    """A player's network, from observations as vectors and masks to logits."""

    def __init__(self, player: Module) -> None:
        super().__init__()
        self.features, self.hidden, self.action_net = (
            copy.deepcopy(part).float() for part in player.parts
        )
        self.shape = player._space.shape

    def forward(self, observation: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """(N, A), where an action is not legal -1e30"""
        features = self.features(observation.reshape(-1, *self.shape))
        logits = self.action_net(self.hidden.forward_actor(features))
        return torch.where(mask, logits, torch.tensor(-1e30))


#: What is learned, as a player.
Learned: TypeAlias = saved.Network | Module


def learned(model: Any, config: RunSettings, **more: Any) -> Learned:
    """What a model has learned, as it is saved and plays; *more* as of ``export.network``."""
    if wanted := needed(config):
        history, kept = more.get("history", 1), config.model_dump(mode="json")
        words = {
            files.READER: f"{__name__}:{read.__name__}",
            **wanted,
            "game": config.variant.game.name,
            "options": json.dumps(config.variant.chosen),
            "settings": json.dumps({name: kept[name] for name in _MAKING} | {"history": history}),
        }
        return Module(model, words, history)
    made = network(model, config.variant, **more)
    if config.pays:  # what is expected is not what the game pays: it guides no search
        made.value = None
    return made


def load(path: Path, config: RunSettings) -> Learned:
    """What was learned with that configuration, from a file that it was saved to.

    The code of one's own network is what the configuration names: who has read that has agreed.
    """
    wanted = needed(config)
    return read(path, wanted) if wanted else saved.load(path)


def read(path: str | Path, wanted: Mapping[str, str] | None = None) -> Module:
    """What was learned by a network that the file of a policy cannot hold, from its file; *wanted*
    is what is expected to be ``needed`` for it. Code that the file names is run.
    """
    words, tensors = files.read(path)
    try:
        for name, word in (wanted or {}).items():
            if words.get(name) != word:
                raise ValueError(f"it is not of {word}")
        making = json.loads(words["settings"])
        if isinstance(making["net_arch"], dict):
            making["net_arch"] = Layers.model_validate(making["net_arch"])
        own, trained = words.get(files.OWN), _trained(words)
        # The numbers of what is standardized are among the tensors: whatever the seed draws.
        model = _untrained(SimpleNamespace(**making, network=own, variant=trained, seed=0))
        weights = _weights(model.policy)
        if tensors.keys() != weights.keys():
            raise ValueError("it has not the weights that its network has")
        with torch.no_grad():
            for name, part in weights.items():
                part.copy_(torch.tensor(tensors[name]))
    except (KeyError, RuntimeError, ValueError) as error:
        raise PolicyError(f"{path}: {' '.join(str(error).split())}") from None
    player = Module(model, words, making["history"])
    player.name = Path(path).stem
    return player


def _trained(words: Mapping[str, str]) -> Variant:
    """The game that the words of a file name, with the options of the training."""
    return registry.variant(words["game"], **json.loads(words["options"]))


def _weights(policy: Any) -> dict[str, torch.Tensor]:
    """The numbers of what plays, not of the critic."""
    parts = (policy.pi_features_extractor, policy.mlp_extractor.policy_net, policy.action_net)
    return {
        f"{part}.{name}": tensor
        for part, module in zip(("features", "hidden", "logits"), parts, strict=True)
        for name, tensor in module.state_dict().items()
    }


def _untrained(config: Any) -> Any:
    """A model of that configuration, as far as ``Module`` asks; what the run draws by chance stays
    as it is.
    """
    kind, shown = policy_class(config, masked=True), Format(config.variant, None, None).box
    history = getattr(config, "history", 1)
    low, high = (np.tile(bound, history) for bound in (shown.low, shown.high))
    box = gym.spaces.Box(low, high, dtype=low.dtype.type)
    vars(box)["fractions"] = np.tile(config.variant.fractions, history)
    actions = gym.spaces.Discrete(config.variant.action_count)
    with torch.random.fork_rng([]):
        policy = kind(box, actions, lambda _: 0.0, **policy_kwargs(config))
    return SimpleNamespace(policy=policy, observation_space=box, action_space=actions)


def check(config: PPOSettings) -> None:
    """``OptionError`` if one's own network is nothing that can learn: tried on one observation."""
    own, actions = name_of_own(config), config.variant.action_count
    if own is None:
        return
    given = policy_kwargs(config)["features_extractor_kwargs"]
    try:
        with torch.random.fork_rng([]):
            module = Own(Format(config.variant, None, None).box, **given).eval()
        seen = Batch(config.variant, 1, seed=config.seed).observation.astype(np.float32)
        logits, values = module.own(module.inner(torch.from_numpy(seen)))
        shapes = tuple(logits.shape), tuple(values.shape)
    except Exception as error:
        raise OptionError(f"network: {own} cannot be used: {in_words(error)}") from error
    if shapes not in (((1, actions), (1,)), ((1, actions), (1, 1))):
        raise OptionError(
            f"network: {own} gives {shapes[0]} and {shapes[1]} for one observation: logits "
            f"{(1, actions)} and values (1,) are needed"
        )
