"""Policies that begin with the observation's prior: on their own, saved, in training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecFrameStack

import cyberdeck
from cyberdeck.api import residual
from cyberdeck.api.residual import ResidualMaskablePolicy, ResidualPolicy, residual_policy_kwargs
from cyberdeck.errors import OptionError, PolicyError
from cyberdeck.players.networks import Prior, load
from cyberdeck.sb3 import OneHot, SB3Policy, Scaled, Standardized, make_vec_env, network
from tests.test_networks import seen

GAMES = [
    ("hackthegrid", {"observation": "prior"}),
    ("stacktrices", {"observation": "prior"}),
    ("hovercrafts", {"observation": "prior", "ships": (2, 2)}),
]


def model_of(
    game: str,
    options: dict[str, Any],
    extractor: Any = Scaled,
    kind: Any = MaskablePPO,
    policy: Any = ResidualMaskablePolicy,
    **more: Any,
) -> Any:
    """One that has just been made: all it knows is the prior."""
    chosen = cyberdeck.variant(game, **options)
    size = chosen.observation_size
    arguments = {"mean": np.ones(size), "deviation": np.full(size, 2.0)}
    shape = residual_policy_kwargs(
        chosen,
        0.25,
        extractor=extractor,
        extractor_kwargs=arguments if extractor is Standardized else {},
    )
    return kind(
        policy,
        make_vec_env(game, 4, seed=0, **options, **more),
        n_steps=8,
        batch_size=16,
        n_epochs=2,
        seed=1,
        device="cpu",
        policy_kwargs={**shape, "net_arch": [16, 8], "activation_fn": torch.nn.ReLU},
    )


@pytest.mark.parametrize(
    ("game", "options", "extractor"),
    [(*case, one) for case, one in zip(GAMES, (Scaled, OneHot, Standardized), strict=True)],
)
def test_it_begins_with_one_of_the_best_by_the_prior_and_is_saved_as_it_decides(
    game: str, options: dict[str, Any], extractor: Any, tmp_path: Path
) -> None:
    model, positions = model_of(game, options, extractor), seen(40, game=game, **options)
    chosen = cyberdeck.variant(game, **options)
    prior = positions.observations[:, chosen.layout["prior"]].astype(np.int64)
    decided = SB3Policy(model).decide(positions)
    behind = prior.max(axis=1) - prior[np.arange(len(decided)), decided]
    assert behind.max() <= 1  # what an untrained network adds is less than a step or so
    with torch.no_grad():  # so that the layers say something as well
        model.policy.action_net.own.weight.normal_(std=3.0)
        model.policy.action_net.prior_weight.fill_(0.125)
    made = network(model, game, options=options)
    assert made.prior == Prior(chosen.layout["prior"].start, 0.125)
    made.save(tmp_path / "p.safetensors")
    with torch.no_grad():
        worths = model.policy.predict_values(torch.as_tensor(positions.observations).float())
    for each in (made, load(tmp_path / "p.safetensors")):
        found = each.outlook(chosen, positions.observations, positions.masks)[1]
        assert found == pytest.approx(worths.numpy()[:, 0], rel=1e-4, abs=1e-4)
    for greedy in (True, False):
        wanted = SB3Policy(model, greedy=greedy).decide(positions).tolist()
        for each in (made, load(tmp_path / "p.safetensors")):
            each.greedy = greedy
            assert each.decide(positions).tolist() == wanted


def test_the_weight_of_the_prior_is_learned(tmp_path: Path) -> None:
    """By PPO with and without masks; the zip is read again; SB3 counts it as a parameter."""
    for kind, policy in ((MaskablePPO, ResidualMaskablePolicy), (PPO, ResidualPolicy)):
        model = model_of(*GAMES[0], kind=kind, policy=policy, illegal="lose")
        model.learn(32)
        learned = float(model.policy.action_net.prior_weight.detach())
        assert learned != 0.25
        model.save(tmp_path / "m.zip")
        again = kind.load(tmp_path / "m.zip", device="cpu")
        assert float(again.policy.action_net.prior_weight.detach()) == learned


def test_in_a_history_the_present_prior_counts() -> None:
    chosen = cyberdeck.variant("hackthegrid", observation="prior")
    envs = VecFrameStack(
        make_vec_env("hackthegrid", 3, seed=0, observation="prior", opponent="random"), 3
    )
    shape = residual_policy_kwargs(chosen, 0.25, history=3)
    model = MaskablePPO(
        ResidualMaskablePolicy, envs, n_steps=8, batch_size=8, device="cpu", policy_kwargs=shape
    )
    stacked = envs.reset()
    assert isinstance(stacked, np.ndarray)
    place = chosen.layout["prior"]
    size = chosen.observation_size
    kept = model.policy.extract_features(torch.as_tensor(stacked).float())
    assert isinstance(kept, residual.Beside)
    assert kept.made.shape == (3, 3 * size)
    shown = stacked[:, 2 * size + place.start : 2 * size + place.stop]
    assert shown.max() == 127
    assert kept.prior.tolist() == shown.tolist()
    made = network(model, "hackthegrid", options={"observation": "prior"}, history=3)
    assert made.prior == Prior(2 * size + place.start, 0.25)


def test_what_does_not_go_together_is_one_clear_error() -> None:
    """What its arguments may not be is in ``refusals.txt``."""
    chosen = cyberdeck.variant("hackthegrid", observation="prior")
    envs = make_vec_env("hackthegrid", 2, seed=0, observation="prior", opponent="random")
    with pytest.raises(OptionError, match=r"it policy_kwargs=residual_policy_kwargs\("):
        MaskablePPO(ResidualMaskablePolicy, envs, device="cpu")
    stacked = residual_policy_kwargs(chosen, 0.1, history=2)
    with pytest.raises(OptionError, match="the same game, options and history"):
        MaskablePPO(ResidualMaskablePolicy, envs, policy_kwargs=stacked, device="cpu")
    shape = residual_policy_kwargs(chosen, 0.1)
    plain = MaskablePPO("MlpPolicy", envs, n_steps=8, batch_size=8, policy_kwargs=shape)
    with pytest.raises(PolicyError, match=r"or one of cyberdeck\.api\.residual"):
        network(plain, "hackthegrid", options={"observation": "prior"})
