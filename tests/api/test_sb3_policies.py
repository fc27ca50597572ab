"""Models of stable-baselines3 as players: encodings, and what becomes of them in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import FlattenExtractor

import cyberdeck
from cyberdeck.api.sb3 import OneHot, SB3Policy, SB3VecEnv, Scaled, network
from cyberdeck.errors import OptionError, PolicyError
from cyberdeck.networks import load
from cyberdeck.policies import Seen
from tests.test_networks import seen

#: A vector and planes, numbers of small and of large range, negative ones.
CASES: list[tuple[str, dict[str, Any]]] = [
    ("hackthegrid", {"scramble": "at_end"}),
    ("matrix_overload", {}),
    ("stacktrices", {"observation": "planes", "setup": "random"}),
    ("hovercrafts", {"ships": (2, 1)}),
]
EXTRACTORS = [FlattenExtractor, Scaled, OneHot]


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


@pytest.mark.parametrize("extractor", EXTRACTORS)
@pytest.mark.parametrize("case", CASES, ids=[game for game, _ in CASES])
def test_a_saved_network_decides_as_the_model(
    case: tuple[str, dict[str, Any]], extractor: Any, tmp_path: Path
) -> None:
    game, options = case
    model = model_of(SB3VecEnv(game, 2, seed=0, **options), extractor)
    made = network(model, game, options=options)
    made.save(tmp_path / "p.safetensors")
    positions = seen(60, game=game, **options)
    wanted = torch_logits(model, positions.observations)
    largest = np.abs(wanted).max()
    assert largest > 1
    for each in (made, load(tmp_path / "p.safetensors")):
        assert np.abs(each.logits(positions.observations) - wanted).max() < 1e-6 * largest
        for greedy in (True, False):
            each.greedy = greedy
            decided = each.decide(positions).tolist()
            assert decided == SB3Policy(model, greedy=greedy).decide(positions).tolist()
            assert len(set(decided)) > 2


@pytest.mark.parametrize("case", CASES, ids=[game for game, _ in CASES])
def test_scaled_observations_reach_from_their_bounds(case: tuple[str, dict[str, Any]]) -> None:
    game, options = case
    space = SB3VecEnv(game, 1, seed=0, **options).observation_space
    extractor = Scaled(space)  # type: ignore[arg-type]
    assert extractor.features_dim == int(np.prod(space.shape or ()))
    for bound, least, most in ((space.low, -1, 0), (space.high, 1, 1)):  # type: ignore[attr-defined]
        scaled = extractor(torch.as_tensor(bound)[None].float())
        assert scaled.shape == (1, extractor.features_dim)
        assert least <= float(scaled.min()) <= float(scaled.max()) <= most + 1e-6


def test_one_hot_elements_are_those_of_few_values() -> None:
    """Worked out one by one from the bounds and one real observation."""
    positions = seen(20, game="matrix_overload")
    low, high = cyberdeck.variant("matrix_overload").bounds()
    extractor = OneHot(SB3VecEnv("matrix_overload", 1, seed=0).observation_space)  # type: ignore[arg-type]
    found = extractor(torch.as_tensor(positions.observations).float()).numpy()
    assert found.shape == (20, extractor.features_dim)
    for row, observation in zip(found, positions.observations.tolist(), strict=True):
        plain, ones = [], []
        for value, lowest, highest in zip(observation, low.tolist(), high.tolist(), strict=True):
            if 3 <= highest - lowest + 1 <= 16:
                ones += [float(value == each) for each in range(lowest, highest + 1)]
            else:
                plain.append(value / max(abs(lowest), abs(highest)))
        assert row.tolist() == pytest.approx(plain + ones)
    assert len(ones) == 9 * 12 + 12 * 14 + 15 + 54 * 10  # top_value, royal_value, card_value, pile


@pytest.mark.parametrize("extractor", [Scaled, OneHot])
def test_learning_with_an_encoding(extractor: Any, tmp_path: Path) -> None:
    """It learns and never acts illegally, and its zip is read again."""
    envs = SB3VecEnv("matrix_overload", 4, seed=0, reward="royals")
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=16,
        batch_size=32,
        n_epochs=1,
        device="cpu",
        policy_kwargs={"features_extractor_class": extractor, "net_arch": [8]},
    )
    model.learn(64)
    model.save(tmp_path / "model.zip")
    again = MaskablePPO.load(tmp_path / "model.zip", device="cpu")
    positions = seen(10, game="matrix_overload")
    one, two = (network(each, "matrix_overload").decide(positions) for each in (model, again))
    assert one.tolist() == two.tolist()


def test_other_extractors_are_not_saved() -> None:
    class Own(FlattenExtractor):
        """What it does is anybody's guess."""

    envs = SB3VecEnv("hackthegrid", 1, seed=0)
    with pytest.raises(PolicyError, match="Scaled or OneHot"):
        network(model_of(envs, Own), "hackthegrid")
    with pytest.raises(PolicyError, match="multi-layer perceptron"):
        network(model_of(envs, activation_fn=torch.nn.ELU), "hackthegrid")


def test_the_options_are_those_of_the_training() -> None:
    model = model_of(SB3VecEnv("hovercrafts", 1, seed=0, ships=(2, 1)))
    with pytest.raises(OptionError, match=r"network takes 203 numbers .* Hovercrafts shows 184"):
        network(model, "hovercrafts")
    made = network(model, "hovercrafts", options={"ships": (2, 1)})
    made.check(cyberdeck.variant("hovercrafts", ships=(2, 1), max_turns=9))


def test_a_decision_does_not_depend_on_what_is_decided_beside_it() -> None:
    model = model_of(SB3VecEnv("matrix_overload", 1, seed=0), OneHot)
    made = network(model, "matrix_overload", greedy=False)
    positions = seen(30, game="matrix_overload")
    together = made.decide(positions).tolist()
    alone = [
        int(made.decide(each)[0])
        for each in (
            Seen(
                positions.variant,
                positions.observations[at : at + 1],
                positions.masks[at : at + 1],
                positions.seats[at : at + 1],
                positions.luck[at : at + 1],
                positions.states,
            )
            for at in range(30)
        )
    ]
    assert alone == together
