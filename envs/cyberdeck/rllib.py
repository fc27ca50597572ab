"""Ray's RLlib, new API stack: a multi-agent env, a module that masks, a ready configuration.

Needs the extra ``ray``, in an environment of its own: RLlib pins an old Gymnasium.

>>> from cyberdeck.rllib import make_config
>>> ready = make_config("hackthegrid", opponent="heuristic")
>>> ready = ready.env_runners(num_env_runners=2).training(lr=3e-4)
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.tune.registry import register_env

from cyberdeck.api.adapters import Dtype, Format, games_of, learner_seat, metadata
from cyberdeck.engine import registry
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.seats import EVERY_SEAT
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, EpisodeError, OptionError, PolicyError
from cyberdeck.players import Opponent
from cyberdeck.players.networks import Network

#: The name that Ray's registry knows ``RLlibEnv`` by.
NAME: Final = "cyberdeck"

#: The one module of all agents.
SHARED: Final = "shared"

_Step = tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]


class RLlibEnv(MultiAgentEnv):  # type: ignore[misc]  # untyped base
    """A game whose seats are RLlib's agents, asked one after the other.

    Only the agent that decides gets an observation: ``observation`` and ``action_mask``. With it
    comes its reward, summed since its own last decision. At the end every agent gets a last
    observation and what is left of its reward, the loser's too. That observation's mask is all
    ones: nothing is left to choose, and no learner is ever handed an empty mask.

    Args:
        config: ``game``, its name; ``opponent``, who plays the other side inside the env (then
            the learner's side is drawn for each game); ``mask``, where the action mask lies: in
            the "observation" (the default), the "info" or "both"; ``dtype``, of the observation's
            numbers: the game's own or "float32"; all others are the game's own options.

    >>> env = RLlibEnv({"game": "hackthegrid"})
    >>> observations, infos = env.reset(seed=1)
    >>> while observations:
    ...     (agent,) = observations
    ...     action = env.action_spaces[agent].sample(observations[agent]["action_mask"])
    ...     observations, rewards, terminateds, truncateds, infos = env.step({agent: action})
    ...     if terminateds["__all__"]:
    ...         break
    >>> sorted(rewards)
    ['column', 'row']
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        game, options, own = parts(config)
        opponent = own.get("opponent")
        variant = registry.variant(game, **options)
        seat = EVERY_SEAT
        if opponent is not None:
            drawn = "team" if variant.teams else "random"
            seat = learner_seat(variant, drawn, opponent, None)
        self._core = games_of(variant, 1, seat, opponent, None, autoreset=DISABLED, illegal="raise")
        self.metadata = metadata(variant, render_modes=[])  # RLlib writes into it
        self.possible_agents = list(variant.agents)
        self.agents = self.possible_agents.copy()
        self._format = Format(variant, own.get("mask", "observation"), own.get("dtype"))
        self.observation_spaces = dict.fromkeys(self.agents, self._format.observation_space)
        self.action_spaces = dict.fromkeys(self.agents, self._format.action_space)
        self._owed = np.zeros(variant.seats)
        self._has_decided = np.zeros(variant.seats, np.bool_)
        # RLlib seeds the games of worker w with s + w, s + w + 1, ...: those of neighbours would
        # be the same games.
        self._worker = int(getattr(config, "worker_index", 0) or 0)
        super().__init__()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin a game. ``options`` may prescribe how it begins, or hold a saved ``state``."""
        core = self._core
        if seed is None and not core.started:
            seed = int(np.random.default_rng().integers(2**63))
        elif seed is not None and self._worker:
            mixed = np.random.SeedSequence([seed, self._worker]).generate_state(1, np.uint64)
            seed = int(mixed[0] >> np.uint64(1))
        core.reset([seed], options)
        self._owed[:] = 0.0
        self._has_decided[:] = False
        return self._shown()

    def step(self, action_dict: Mapping[str, Any]) -> _Step:
        """The decision of the one agent that was given an observation."""
        core, names = self._core, self.possible_agents
        mover = core.movers.item(0)
        if not core.started or mover == NOBODY:
            raise EpisodeError("no game is running: call reset() before step()")
        if list(action_dict) != [names[mover]]:
            raise ActionError(
                f"actions for {sorted(action_dict)} are not possible: {names[mover]} alone decides "
                "now; nothing was applied"
            )
        core.step(core.actions([action_dict[names[mover]]]))
        self._owed += core.rewards[0]
        self._has_decided[mover] = True
        mover = core.movers.item(0)
        if mover != NOBODY:
            seen, infos = self._shown()
            paid, over = {names[mover]: self._paid(mover)}, {"__all__": False}
            return seen, paid, over, over.copy(), infos
        sides, learner = core.variant.sides, core.seats.item(0)
        own = [at for at, side in enumerate(sides) if learner == EVERY or side == sides[learner]]
        looks = {seat: core.look(seat) for seat in own}
        free = np.ones_like(core.one_mask)
        # Only "__all__": where every agent is said to be truncated, RLlib takes the game for
        # terminated, and its last values for 0.
        return (
            {names[at]: self._format.observation(look[0], free) for at, look in looks.items()},
            {names[at]: self._paid(at) for at in looks},
            {"__all__": core.terminated.item(0) == 1},
            {"__all__": core.truncated.item(0) == 1},
            {names[at]: self._info(look[2], free) for at, look in looks.items()},
        )

    def _shown(self) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """The observation of the agent that decides, and its info."""
        core = self._core
        agent = self.possible_agents[core.movers.item(0)]
        seen = self._format.observation(core.one_observation, core.one_mask)
        return {agent: seen}, {agent: self._info(core.one_metrics, core.one_mask)}

    def _paid(self, seat: int) -> float:
        """Its reward since it last decided; what came before its first decision is kept for that:
        RLlib has no place for a reward without a decision.
        """
        if not self._has_decided[seat]:
            return 0.0
        owed = self._owed.item(seat)
        self._owed[seat] = 0.0
        return owed

    def _info(self, metrics: NDArray[np.int32], mask: NDArray[np.int8]) -> dict[str, Any]:
        names = [metric.name for metric in self._core.game.metrics]
        info: dict[str, Any] = dict(zip(names, metrics, strict=True))
        if self._format.in_info:
            info["action_mask"] = mask.copy()
        return info | {"reason": self._core.reasons[0]}


register_env(NAME, RLlibEnv)


def parts(config: Mapping[str, Any]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """An ``env_config`` as the game's name, the game's options, and the env's own."""
    options = dict(config)
    own: dict[str, Any] = {
        name: options.pop(name) for name in ("opponent", "mask", "dtype") if name in options
    }
    if "game" not in options:
        raise OptionError(
            "env_config names no game: give {'game': name}, one of " + ", ".join(registry.GAMES)
        )
    return options.pop("game"), options, own


class MaskedModule(TorchRLModule, InferenceOnlyAPI, ValueFunctionAPI):  # type: ignore[misc]
    """Two multi-layer perceptrons with tanh: a number for each legal action, and a value.

    ``model_config`` holds ``hidden``, the widths of their hidden layers.
    """

    def setup(self) -> None:
        """Make the layers."""
        size = int(np.prod(self.observation_space["observation"].shape))
        hidden = self.model_config["hidden"]
        self.policy = _perceptron(size, hidden, int(self.action_space.n))
        self.value = _perceptron(size, hidden, 1)

    def get_non_inference_attributes(self) -> list[str]:
        """The parts that are not needed to decide."""
        return ["value"]

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        logits = self.policy(_flat(batch))
        # Finite: with infinities the gradients of entropies and divergences are no numbers.
        never = torch.finfo(logits.dtype).min
        masks = batch[Columns.OBS]["action_mask"]
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(masks == 0, never)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """The values of the observations."""
        return self.value(_flat(batch)).squeeze(-1)


def _flat(batch: dict[str, Any]) -> Any:
    return batch[Columns.OBS]["observation"].flatten(1).float()


def _perceptron(size: int, hidden: Sequence[int], out: int) -> Any:
    layers: list[Any] = []
    for width in hidden:
        layers += [torch.nn.Linear(size, width), torch.nn.Tanh()]
        size = width
    return torch.nn.Sequential(*layers, torch.nn.Linear(size, out))


def make_config(
    game: str,
    *,
    shared: bool = True,
    opponent: Opponent | None = None,
    hidden: Sequence[int] = (256, 128),
    dtype: Dtype | None = None,
    **options: Any,
) -> Any:
    """A ``PPOConfig`` for a game, ready to build, or to be changed by its own methods.

    Args:
        game: name of the game.
        shared: one module for all agents, or one for each seat (in games of teams: each team).
        opponent: who plays against the learner, as in ``CyberdeckEnv``; by default the learner
            plays all sides against itself.
        hidden: widths of the hidden layers.
        dtype: of the observation's numbers: the game's own (the default) or "float32".
        options: the game's own options.

    >>> sorted(make_config("hovercrafts", shared=False, ships=(2, 2)).policies)
    ['machines', 'zion']
    """
    env_config = {"game": game, "opponent": opponent, "dtype": dtype, **options}
    env = RLlibEnv(env_config)  # an error comes now, and not in some worker's log
    variant = env._core.variant
    modules = modules_of(variant, shared)
    spec = MultiRLModuleSpec(
        rl_module_specs={
            modules[agent]: RLModuleSpec(
                module_class=MaskedModule,
                observation_space=env.observation_spaces[agent],
                action_space=env.action_spaces[agent],
                model_config={"hidden": list(hidden)},
            )
            for agent in variant.agents
        }
    )
    return (
        PPOConfig()
        # The class, not its name: names are forgotten when Ray is started anew.
        .environment(RLlibEnv, env_config=env_config, disable_env_checking=True)
        .multi_agent(
            policies=set(modules.values()),
            policy_mapping_fn=functools.partial(_module_for, modules),
        )
        .rl_module(rl_module_spec=spec)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=16)
        .training(
            train_batch_size_per_learner=4096,
            minibatch_size=512,
            num_epochs=4,
            lr=1e-3,
            gamma=1.0,
            lambda_=0.95,
            entropy_coeff=0.01,
            vf_loss_coeff=0.5,
            clip_param=0.2,
            use_kl_loss=False,
            grad_clip=0.5,
        )
    )


def modules_of(variant: Variant, shared: bool) -> dict[str, str]:
    """The module of each agent.

    >>> from cyberdeck import variant
    >>> modules_of(variant("hackthegrid"), shared=False)
    {'column': 'column', 'row': 'row'}
    """
    if shared:
        return dict.fromkeys(variant.agents, SHARED)
    names = variant.teams or variant.agents
    return {agent: names[variant.sides[seat]] for seat, agent in enumerate(variant.agents)}


def _module_for(modules: Mapping[str, str], agent: str, episode: Any, **kwargs: Any) -> str:
    return modules[agent]


def networks(algorithm: Any, *, greedy: bool = True) -> dict[str, Network]:
    """The policies of an algorithm's modules, as networks that need no Ray.

    ``networks(algorithm)["shared"].save("policy.safetensors")`` writes it to a file.

    Args:
        algorithm: a PPO of ``make_config``, also one restored from a checkpoint.
        greedy: take the likeliest action, or draw one by the probabilities.
    """
    game, options, _ = parts(algorithm.config.env_config)
    found = {}
    # The learner's weights: those of the env runners may be older.
    for module, weights in algorithm.learner_group.get_weights().items():
        names = [name for name in weights if name.startswith("policy.") and "weight" in name]
        if not names:
            raise PolicyError(
                f"the module {module!r} is no MaskedModule: only those can be taken out; give a "
                "function (observations, action_masks) -> actions for others"
            )
        layers = [
            (np.asarray(weights[name]), np.asarray(weights[name.replace("weight", "bias")]))
            for name in names
        ]
        found[module] = Network(game, layers, "tanh", greedy, module, options)
    return found


class Player(Policy):
    """An algorithm of ``make_config`` as a player of every seat.

    It is a copy that learns no more. Where there are several modules, each plays its own seats.

    Args:
        algorithm: a PPO of ``make_config``, also one restored from a checkpoint.
        greedy: take the likeliest action, or draw one by the probabilities.
        name: how tables of results call it.
    """

    def __init__(self, algorithm: Any, *, greedy: bool = True, name: str = "RLlib") -> None:
        self.name = name
        self._networks = networks(algorithm, greedy=greedy)

    def check(self, variant: Variant) -> None:
        """Its networks must fit the game."""
        for network in self._networks.values():
            network.check(variant)

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        """Each row by the network of the seat that decides there."""
        if len(self._networks) == 1:
            return next(iter(self._networks.values())).decide(seen)
        modules = list(modules_of(seen.variant, shared=False).values())
        actions = np.empty(len(seen), np.int64)
        for name, network in self._networks.items():
            rows = np.flatnonzero([modules[seat] == name for seat in seen.seats])
            if len(rows):
                actions[rows] = network.decide(seen.rows(rows))
        return actions
