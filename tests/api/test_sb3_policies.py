"""Models of stable-baselines3 as players: encodings, and what becomes of them in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO, RecurrentPPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.torch_layers import FlattenExtractor, MlpExtractor
from stable_baselines3.common.vec_env import VecEnv, VecFrameStack

import cyberdeck
from cyberdeck import Batch
from cyberdeck.errors import OptionError, PolicyError
from cyberdeck.evaluation import evaluate, play_games
from cyberdeck.players.networks import load
from cyberdeck.sb3 import OneHot, SB3Policy, Scaled, Standardized, Trunk, make_vec_env, network
from tests.api.helpers import lowest
from tests.test_networks import seen

#: A vector and planes, numbers of small and of large range, negative ones.
CASES: list[tuple[str, dict[str, Any]]] = [
    ("hackthegrid", {"scramble": "at_end"}),
    ("matrix_overload", {}),
    ("stacktrices", {"observation": "planes", "setup": "random"}),
    ("hovercrafts", {"ships": (2, 1)}),
]


def model_of(envs: Any, extractor: Any = FlattenExtractor, **arguments: Any) -> MaskablePPO:
    """A model with two hidden layers and weights large enough for decisions to differ."""
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        seed=0,
        device="cpu",
        policy_kwargs={"features_extractor_class": extractor, "net_arch": [24, 16], **arguments},
    )
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in model.policy.parameters():
            size = 2 * parameter.shape[-1] ** -0.5
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * size)
    return model


def torch_logits(model: MaskablePPO, observations: NDArray[Any]) -> NDArray[np.float64]:
    """What the model's own parts give, in double precision."""
    policy = model.policy.double()
    with torch.no_grad():
        features = policy.pi_features_extractor(torch.as_tensor(observations).double())
        logits: NDArray[np.float64] = policy.action_net(
            policy.mlp_extractor.forward_actor(features)
        ).numpy()
    policy.float()
    return logits


LUCK = np.random.default_rng(2)
STANDARD = {"mean": LUCK.normal(size=361), "deviation": LUCK.uniform(0.1, 3, 361)}
RELU: dict[str, Any] = {"activation_fn": torch.nn.ReLU}
TWO: dict[str, Any] = {"share_features_extractor": False}
RESIDUAL = [24, {"residual": 7}, 16, {"residual": 20}]


def trunk(extractor: Any, policy: list[int], critic: list[int]) -> dict[str, Any]:
    """The arguments of a model with a trunk, and layers of their own after it."""
    shape = {"net_arch": RESIDUAL, "extractor": extractor}
    return {"features_extractor_kwargs": shape, "net_arch": {"pi": policy, "vf": critic}}


#: A case, what is made of observations, and the rest of the model.
MODELS: list[tuple[tuple[str, dict[str, Any]], Any, dict[str, Any]]] = [
    (CASES[0], FlattenExtractor, {}),
    (CASES[0], FlattenExtractor, {"net_arch": {"pi": [], "vf": [8]}} | RELU),
    (CASES[1], OneHot, {"net_arch": {"pi": [24, 16], "vf": [8]}}),
    (CASES[1], OneHot, {"net_arch": {"pi": [24], "vf": []}, **TWO}),
    (CASES[1], Standardized, {"features_extractor_kwargs": STANDARD}),
    (CASES[1], Scaled, {"net_arch": {"pi": [24, 16], "vf": [8]}, **TWO}),
    (CASES[1], FlattenExtractor, TWO),
    (CASES[2], FlattenExtractor, {}),
    (CASES[2], OneHot, {}),
    (CASES[3], Scaled, {}),
    (CASES[1], Trunk, trunk(FlattenExtractor, [], [])),
    (CASES[1], Trunk, trunk(OneHot, [12], [8])),
    (CASES[1], Trunk, trunk(OneHot, [], []) | TWO),
]


@pytest.mark.parametrize(("case", "extractor", "arguments"), MODELS)
def test_a_saved_network_decides_and_values_as_the_model(
    case: tuple[str, dict[str, Any]], extractor: Any, arguments: dict[str, Any], tmp_path: Path
) -> None:
    """Its values but for the rounding of 32-bit numbers; one trunk for both, or each its own."""
    game, options = case
    model = model_of(make_vec_env(game, 2, seed=0, **options), extractor, **arguments)
    made = network(model, game, options=options)
    made.save(tmp_path / "p.safetensors")
    positions = seen(60, game=game, **options)
    shown = positions.observations
    wanted = torch_logits(model, shown)
    largest = np.abs(wanted).max()
    assert largest > 1
    with torch.no_grad():
        worths = model.policy.predict_values(torch.as_tensor(shown).float()).numpy()[:, 0]
    assert len(set(worths.tolist())) > 40
    for each in (made, load(tmp_path / "p.safetensors")):
        assert np.abs(each.logits(shown) - wanted).max() < 1e-6 * largest
        assert each.value is not None
        one_trunk = extractor is Trunk and "share_features_extractor" not in arguments
        assert each.value.after == (4 if one_trunk else 0)
        found = each.outlook(positions.variant, shown, positions.masks)[1]
        assert found == pytest.approx(worths, rel=1e-4, abs=1e-4)
        for greedy in (True, False):
            each.greedy = greedy
            decided = each.decide(positions).tolist()
            assert decided == SB3Policy(model, greedy=greedy).decide(positions).tolist()
            assert len(set(decided)) > 2


def test_a_critic_of_another_kind_is_left_out() -> None:
    """What it sees is not what the policy sees, or it does more than a perceptron."""

    class Doubled(MlpExtractor):
        def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
            return 2 * super().forward_critic(features)

    envs = make_vec_env("hackthegrid", 1, seed=0)
    model = model_of(envs)
    assert network(model, "hackthegrid").value is not None
    model.policy.vf_features_extractor = Scaled(envs.observation_space)  # type: ignore[arg-type]
    assert network(model, "hackthegrid").value is None
    model = model_of(envs)
    model.policy.mlp_extractor.__class__ = Doubled
    assert network(model, "hackthegrid").value is None


def test_one_hot_elements_are_those_of_few_values() -> None:
    """Worked out one by one from the bounds and one real observation."""
    positions = seen(20, game="matrix_overload")
    low, high = cyberdeck.variant("matrix_overload").bounds()
    extractor = OneHot(make_vec_env("matrix_overload", 1, seed=0).observation_space)  # type: ignore[arg-type]
    found = extractor(torch.as_tensor(positions.observations).float()).numpy()
    assert found.shape == (20, extractor.features_dim)
    for row, observation in zip(found, positions.observations.tolist(), strict=True):
        plain, ones = [], []
        for value, least, most in zip(observation, low.tolist(), high.tolist(), strict=True):
            if 3 <= most - least + 1 <= 16:
                ones += [float(value == each) for each in range(least, most + 1)]
            else:
                plain.append(value / max(abs(least), abs(most)))
        assert row.tolist() == pytest.approx(plain + ones)
    assert len(ones) == 9 * 12 + 12 * 14 + 15 + 54 * 10  # top_value, royal_value, card_value, pile


def test_other_extractors_are_not_saved() -> None:
    class Own(FlattenExtractor):
        """What it does is anybody's guess."""

    envs = make_vec_env("hackthegrid", 1, seed=0)
    with pytest.raises(PolicyError, match="Scaled, Standardized or OneHot"):
        network(model_of(envs, Own), "hackthegrid")
    with pytest.raises(PolicyError, match="multi-layer perceptron"):
        network(model_of(envs, activation_fn=torch.nn.ELU), "hackthegrid")


class Continuous:
    """A model of other actions."""

    policy, observation_space = object(), gym.spaces.Box(0, 1)
    action_space = gym.spaces.Box(0, 1)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (
            lambda: PPO("MultiInputPolicy", make_vec_env("hackthegrid", 1, mask="observation")),
            r"^PPO takes observations of Dict and .* train it by 'MlpPolicy'",
        ),
        (Continuous, r"^Continuous takes observations of Box and actions of Box, and a player"),
        (lambda: SimpleNamespace(**vars(Discrete)), "^SimpleNamespace has no policy that gives ea"),
        (lambda: "model.zip", r"^str is no model of stable-baselines3, sb3-contrib or SBX$"),
    ],
    ids=["dictionaries", "continuous", "nothing", "text"],
)
def test_models_that_cannot_play_are_refused_by_name(make: Callable[[], Any], told: str) -> None:
    with pytest.raises(PolicyError, match=told):
        SB3Policy(make())


class Discrete:
    """A model of nobody's."""

    policy, observation_space = object(), gym.spaces.Box(0, 1)
    action_space = gym.spaces.Discrete(2)


@pytest.mark.parametrize(
    "make",
    [
        lambda: RecurrentPPO("MlpLstmPolicy", make_vec_env("hackthegrid", 1), device="cpu"),
        lambda: DQN("MlpPolicy", make_vec_env("hackthegrid", 1), buffer_size=1),
        lambda: "model.zip",
    ],
    ids=["recurrent", "values", "text"],
)
def test_what_is_no_perceptron_is_not_saved(make: Callable[[], Any]) -> None:
    with pytest.raises(PolicyError, match=r"is no perceptron .* SB3Policy\(model\) plays others"):
        network(make(), "hackthegrid")


def test_modules_of_torch_are_refused_by_what_makes_players_of_them() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(349, 69))
    told = r"Sequential is a module of PyTorch: give cyberdeck\.players\.models\.TorchPolicy\(modul"
    with pytest.raises(OptionError, match=told):
        evaluate("hackthegrid", module, ["random"], deals=2)
    with pytest.raises(OptionError, match=f"^opponent=Sequential.*: {told}") as caught:
        Batch("hackthegrid", 2, seat=0, opponent=module)
    assert str(caught.value).isprintable()
    model = model_of(make_vec_env("hackthegrid", 1, seed=0))
    with pytest.raises(OptionError, match=r"MaskableActorCriticPolicy is a module .*SB3Policy"):
        evaluate("hackthegrid", model.policy, ["random"], deals=2)


def test_the_options_are_those_of_the_training() -> None:
    model = model_of(make_vec_env("hovercrafts", 1, seed=0, ships=(2, 1)))
    with pytest.raises(
        OptionError, match=r"network takes observations \(300,\) .* Hovercrafts shows \(239,\)"
    ):
        network(model, "hovercrafts")
    made = network(model, "hovercrafts", options={"ships": (2, 1)})
    made.check(cyberdeck.variant("hovercrafts", ships=(2, 1), max_turns=9))


# --- history --------------------------------------------------------------------------------------

STACKED: list[tuple[str, dict[str, Any]]] = [
    ("hackthegrid", {}),
    ("stacktrices", {"observation": "planes", "setup": "random", "max_turns": 12}),
]


def stacked(game: str, count: int, seed: int, seat: int, history: int, **options: Any) -> VecEnv:
    envs = make_vec_env(game, count, seat=seat, opponent=lowest, seed=seed, **options)
    order = "first" if "observation" in options else None
    return VecFrameStack(envs, history, channels_order=order)


@pytest.mark.parametrize(
    ("case", "extractor"), [(STACKED[0], OneHot), (STACKED[1], Scaled)], ids=["vector", "planes"]
)
def test_a_history_is_what_frames_are_stacked_to(
    case: tuple[str, dict[str, Any]], extractor: Any, tmp_path: Path
) -> None:
    """The model's decisions in the wrapped env are the network's in a match, game by game."""
    game, options = case
    count, seed, history = 6, 3 << 32, 3
    for seat in (0, 1):
        envs = stacked(game, count, seed, seat, history, **options)
        model = model_of(envs, extractor)
        envs.seed(seed)  # the model has seeded them
        decided: list[list[int]] = [[] for _ in range(count)]
        over = np.zeros(count, np.bool_)
        observations = envs.reset()
        while not over.all():
            masks = get_action_masks(envs)
            actions, _ = model.predict(observations, action_masks=masks, deterministic=True)
            for row in np.flatnonzero(~over):
                decided[row].append(int(actions[row]))
            observations, _, dones, _ = envs.step(actions)
            over |= dones
        made = network(model, game, options=options, history=history)
        made.save(tmp_path / "h.safetensors")
        assert load(tmp_path / "h.safetensors").history == history
        filed = str(tmp_path / "h.safetensors")
        for player in (made, filed, SB3Policy(model, history=history)):
            players, lineups = {"it": player, "lowest": lowest}, [(seat, 1 - seat)] * count
            how: dict[str, Any] = {"seed": 3, "keep_actions": True, **options}
            games = play_games(game, players, lineups, np.arange(count), **how)
            for number in range(count):
                replayed = Batch(game, 1, seed=int(games.seeds[number]), **options)
                own = []
                for action in games.actions[number].tolist():
                    if replayed.mover[0] == seat:
                        own.append(action)
                    replayed.step([action])
                assert own == decided[number]
        assert len({tuple(each) for each in decided}) > 2


def test_a_history_that_does_not_fit() -> None:
    model = model_of(stacked("hackthegrid", 1, 0, 0, 2))
    with pytest.raises(OptionError, match=r"takes observations \(698,\) .* shows \(349,\)"):
        network(model, "hackthegrid")
    planes = make_vec_env("stacktrices", 1, seed=0, observation="planes")
    sideways = model_of(VecFrameStack(planes, 2))  # it takes files for channels
    with pytest.raises(OptionError, match="channels_order='first'"):
        network(sideways, "stacktrices", options={"observation": "planes"}, history=2)
