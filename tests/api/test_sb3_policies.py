"""Models of stable-baselines3 as players: encodings, and what becomes of them in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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
from cyberdeck.api.sb3 import OneHot, SB3Policy, SB3VecEnv, Scaled, Standardized, Trunk, network
from cyberdeck.errors import OptionError, PolicyError
from cyberdeck.evaluation import evaluate, play_games
from cyberdeck.players.networks import load
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
TWO: dict[str, Any] = {"share_features_extractor": False}
RESIDUAL = [24, {"residual": 7}, 16, {"residual": 20}]

#: A case, what is made of observations, and the rest of the model.
MODELS: list[tuple[tuple[str, dict[str, Any]], Any, dict[str, Any]]] = [
    (CASES[0], FlattenExtractor, {}),
    (
        CASES[0],
        FlattenExtractor,
        {"net_arch": {"pi": [], "vf": [8]}, "activation_fn": torch.nn.ReLU},
    ),
    (CASES[1], OneHot, {"net_arch": {"pi": [24, 16], "vf": [8]}}),
    (CASES[1], OneHot, {"net_arch": {"pi": [24], "vf": []}, **TWO}),
    (CASES[1], Standardized, {"features_extractor_kwargs": STANDARD}),
    (CASES[1], Scaled, {"net_arch": {"pi": [24, 16], "vf": [8]}, **TWO}),
    (CASES[1], FlattenExtractor, TWO),
    (CASES[2], FlattenExtractor, {}),
    (CASES[2], OneHot, {}),
    (CASES[3], Scaled, {}),
    *(
        (
            CASES[1],
            Trunk,
            {
                "features_extractor_kwargs": {"net_arch": RESIDUAL, "extractor": extractor},
                "net_arch": own,
                **sharing,
            },
        )
        for extractor, own, sharing in (
            (FlattenExtractor, {"pi": [], "vf": []}, {}),
            (OneHot, {"pi": [12], "vf": [8]}, {}),
            (OneHot, {"pi": [], "vf": []}, TWO),
        )
    ),
]


@pytest.mark.parametrize(("case", "extractor", "arguments"), MODELS)
def test_a_saved_network_decides_and_values_as_the_model(
    case: tuple[str, dict[str, Any]], extractor: Any, arguments: dict[str, Any], tmp_path: Path
) -> None:
    """Its values but for the rounding of 32-bit numbers; one trunk for both, or each its own."""
    game, options = case
    model = model_of(SB3VecEnv(game, 2, seed=0, **options), extractor, **arguments)
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

    envs = SB3VecEnv("hackthegrid", 1, seed=0)
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
    extractor = OneHot(SB3VecEnv("matrix_overload", 1, seed=0).observation_space)  # type: ignore[arg-type]
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

    envs = SB3VecEnv("hackthegrid", 1, seed=0)
    with pytest.raises(PolicyError, match="Scaled, Standardized or OneHot"):
        network(model_of(envs, Own), "hackthegrid")
    with pytest.raises(PolicyError, match="multi-layer perceptron"):
        network(model_of(envs, activation_fn=torch.nn.ELU), "hackthegrid")


def foreign() -> Any:
    """A model as of SBX, by its name."""
    return type("PPO", (SimpleNamespace,), {"__module__": "sbx.ppo.ppo"})(policy=object())


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (
            lambda: RecurrentPPO("MlpLstmPolicy", SB3VecEnv("hackthegrid", 1), device="cpu"),
            r"^RecurrentPPO is recurrent, .* and give history=k$",
        ),
        (
            lambda: PPO("MultiInputPolicy", SB3VecEnv("hackthegrid", 1, mask="observation")),
            r"^PPO takes observations of Dict and .* train it by 'MlpPolicy'",
        ),
        (
            lambda: DQN("MlpPolicy", SB3VecEnv("hackthegrid", 1), buffer_size=1),
            r"^DQN has no policy that gives each action a number: .* give a function",
        ),
        (foreign, r"^PPO is a model of SBX, which computes by JAX, .* Of PPO: lambda obs"),
    ],
    ids=["recurrent", "dictionaries", "values", "sbx"],
)
def test_models_that_cannot_play_are_refused_by_name(make: Callable[[], Any], told: str) -> None:
    model = make()
    with pytest.raises(PolicyError, match=told):
        SB3Policy(model)
    with pytest.raises(PolicyError, match=told):
        network(model, "hackthegrid")


def plays(said: str, **names: Any) -> None:
    """The function at the end of an error is a player."""
    player = eval(said[said.index("lambda") :], {"np": np, "torch": torch, **names})
    assert evaluate("hackthegrid", player, ["random"], deals=2).records[-1].games == 4


def test_a_model_of_values_plays_as_the_error_says() -> None:
    model = DQN("MlpPolicy", SB3VecEnv("hackthegrid", 1, seed=0), buffer_size=1)
    with pytest.raises(PolicyError) as caught:
        SB3Policy(model)
    plays(str(caught.value), model=model)


def test_modules_of_torch_are_refused_and_play_as_the_error_says() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(349, 69))
    told = "Sequential is a module of PyTorch, .* give lambda observations, masks: .*$"
    with pytest.raises(OptionError, match=told):
        evaluate("hackthegrid", module, ["random"], deals=2)
    with pytest.raises(OptionError, match=f"^opponent=Sequential.*: {told}") as caught:
        Batch("hackthegrid", 2, seat=0, opponent=module)
    assert str(caught.value).isprintable()
    plays(str(caught.value), module=module)
    model = model_of(SB3VecEnv("hackthegrid", 1, seed=0))
    with pytest.raises(OptionError, match=r"MaskableActorCriticPolicy is a module .*SB3Policy"):
        evaluate("hackthegrid", model.policy, ["random"], deals=2)


def test_the_options_are_those_of_the_training() -> None:
    model = model_of(SB3VecEnv("hovercrafts", 1, seed=0, ships=(2, 1)))
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
    envs = SB3VecEnv(game, count, seat=seat, opponent=lowest, seed=seed, **options)
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
        for player in (
            made,
            str(tmp_path / "h.safetensors"),
            SB3Policy(model, history=history),
        ):
            games = play_games(
                game,
                {"it": player, "lowest": lowest},
                [(0, 1) if seat == 0 else (1, 0)] * count,
                np.arange(count),
                seed=3,
                keep_actions=True,
                **options,
            )
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
    planes = SB3VecEnv("stacktrices", 1, seed=0, observation="planes")
    sideways = model_of(VecFrameStack(planes, 2))  # it takes files for channels
    with pytest.raises(OptionError, match="channels_order='first'"):
        network(sideways, "stacktrices", options={"observation": "planes"}, history=2)
