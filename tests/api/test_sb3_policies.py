"""Models of stable-baselines3 as players: encodings, and what becomes of them in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.torch_layers import FlattenExtractor, MlpExtractor
from stable_baselines3.common.vec_env import VecEnv, VecFrameStack

import cyberdeck
from cyberdeck import Batch
from cyberdeck.api.sb3 import OneHot, SB3Policy, SB3VecEnv, Scaled, Standardized, Trunk, network
from cyberdeck.engine.policy import PolicyInput
from cyberdeck.errors import OptionError, PolicyError
from cyberdeck.evaluation import play_games
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


@pytest.mark.parametrize("extractor", [*EXTRACTORS, Standardized])
@pytest.mark.parametrize(
    "net_arch", [[24, 16], {"pi": [24, 16], "vf": [8]}, {"pi": [24], "vf": []}], ids=str
)
@pytest.mark.parametrize("shared", [True, False], ids=["one extractor", "two extractors"])
def test_the_critic_is_saved_as_the_value(
    extractor: Any, net_arch: Any, shared: bool, tmp_path: Path
) -> None:
    """As the model's predict_values, but for the rounding of 32-bit numbers."""
    envs = SB3VecEnv("matrix_overload", 2, seed=0)
    chosen = cyberdeck.variant("matrix_overload")
    size, luck = chosen.observation_size, np.random.default_rng(2)
    standard = {"mean": luck.normal(size=size), "deviation": luck.uniform(0.1, 3, size)}
    model = model_of(
        envs,
        extractor,
        net_arch=net_arch,
        share_features_extractor=shared,
        features_extractor_kwargs=standard if extractor is Standardized else {},
    )
    network(model, "matrix_overload").save(tmp_path / "p.safetensors")
    made = load(tmp_path / "p.safetensors")
    positions = seen(60, game="matrix_overload")
    with torch.no_grad():
        wanted = model.policy.predict_values(torch.as_tensor(positions.observations).float())
    _, worths, _ = made.outlook(chosen, positions.observations, positions.masks)
    assert len(set(worths.tolist())) > 50
    assert worths == pytest.approx(wanted.numpy()[:, 0], rel=1e-4, abs=1e-4)


def test_a_policy_without_layers_may_have_a_critic_with_some() -> None:
    given = {"net_arch": {"pi": [], "vf": [8]}, "activation_fn": torch.nn.ReLU}
    made = network(model_of(SB3VecEnv("hackthegrid", 1, seed=0), **given), "hackthegrid")
    assert made.value is not None
    assert made.activation == "relu"


@pytest.mark.parametrize("shared", [True, False], ids=["one trunk", "two trunks"])
@pytest.mark.parametrize("own", [{"pi": [], "vf": []}, {"pi": [12], "vf": [8]}], ids=str)
@pytest.mark.parametrize("extractor", [FlattenExtractor, OneHot])
def test_a_trunk_is_saved(
    extractor: Any, own: dict[str, list[int]], shared: bool, tmp_path: Path
) -> None:
    """With its residual blocks; the value comes after it, or has one of its own."""
    trunk = {"net_arch": [24, {"residual": 7}, 16, {"residual": 20}], "extractor": extractor}
    model = model_of(
        SB3VecEnv("matrix_overload", 2, seed=0),
        Trunk,
        features_extractor_kwargs=trunk,
        share_features_extractor=shared,
        net_arch=own,
    )
    network(model, "matrix_overload").save(tmp_path / "p.safetensors")
    made = load(tmp_path / "p.safetensors")
    assert made.value is not None
    assert made.value.after == (4 if shared else 0)
    positions = seen(60, game="matrix_overload")
    shown = positions.observations
    with torch.no_grad():
        worths = model.policy.predict_values(torch.as_tensor(shown).float()).numpy()[:, 0]
    found = made.outlook(positions.variant, shown, positions.masks)[1]
    assert found == pytest.approx(worths, rel=1e-4, abs=1e-4)
    assert len(set(found.tolist())) > 50
    logits = torch_logits(model, shown)
    assert np.abs(made.logits(shown) - logits).max() < 1e-6 * np.abs(logits).max()
    for greedy in (True, False):
        made.greedy = greedy
        wanted = SB3Policy(model, greedy=greedy).decide(positions).tolist()
        assert made.decide(positions).tolist() == wanted


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


def test_what_training_saves_guides_a_search(tmp_path: Path) -> None:
    """By its file's name, with values and no playouts."""
    network(model_of(SB3VecEnv("hackthegrid", 1, seed=0), Scaled), "hackthegrid").save(
        path := tmp_path / "p.safetensors"
    )
    guided = f"search:network={path},iterations=4"
    games = play_games(
        "hackthegrid", {"guided": guided, "random": "random"}, [(0, 1), (1, 0)], [0, 0]
    )
    assert (games.reasons > 1).all()


@pytest.mark.parametrize("case", CASES, ids=[game for game, _ in CASES])
def test_scaled_observations_reach_from_their_bounds(case: tuple[str, dict[str, Any]]) -> None:
    game, options = case
    space = SB3VecEnv(game, 1, seed=0, **options).observation_space
    extractor = Scaled(space)  # type: ignore[arg-type]
    assert extractor.features_dim == int(np.prod(space.shape or ()))
    for bound, least, most in ((np.minimum(space.low, 0), -1, 0), (space.high, 1, 1)):  # type: ignore[attr-defined]
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
        for value, least, most in zip(observation, low.tolist(), high.tolist(), strict=True):
            if 3 <= most - least + 1 <= 16:
                ones += [float(value == each) for each in range(least, most + 1)]
            else:
                plain.append(value / max(abs(least), abs(most)))
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
    with pytest.raises(PolicyError, match="Scaled, Standardized or OneHot"):
        network(model_of(envs, Own), "hackthegrid")
    with pytest.raises(PolicyError, match="multi-layer perceptron"):
        network(model_of(envs, activation_fn=torch.nn.ELU), "hackthegrid")


def test_the_options_are_those_of_the_training() -> None:
    model = model_of(SB3VecEnv("hovercrafts", 1, seed=0, ships=(2, 1)))
    with pytest.raises(
        OptionError, match=r"network takes observations \(300,\) .* Hovercrafts shows \(239,\)"
    ):
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
            PolicyInput(
                positions.variant,
                positions.observations[at : at + 1],
                positions.masks[at : at + 1],
                positions.seats[at : at + 1],
                positions.random_bits[at : at + 1],
                positions.states,
            )
            for at in range(30)
        )
    ]
    assert alone == together


# --- history --------------------------------------------------------------------------------------

STACKED: list[tuple[str, dict[str, Any]]] = [
    ("hackthegrid", {}),
    ("stacktrices", {"observation": "planes", "setup": "random", "max_turns": 12}),
]


def stacked(game: str, count: int, seed: int, seat: int, history: int, **options: Any) -> VecEnv:
    envs = SB3VecEnv(game, count, seat=seat, opponent=lowest, seed=seed, **options)
    order = "first" if "observation" in options else None
    return VecFrameStack(envs, history, channels_order=order)


@pytest.mark.parametrize("extractor", EXTRACTORS)
@pytest.mark.parametrize("case", STACKED, ids=[game for game, _ in STACKED])
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


def test_stacks_begin_with_zeros_and_end_with_the_last_observation() -> None:
    """What SB3's wrapper gives at the edges of games: the network's history is the same."""
    envs = stacked("hackthegrid", 3, 5, 0, 3)
    first = envs.reset()
    assert not first[:, :-349].any()
    ended = 0
    last = first
    for _ in range(30):
        observations, _, dones, infos = envs.step(get_action_masks(envs).argmax(axis=1))
        for row, info in enumerate(infos):
            if dones[row]:
                ended += 1
                assert not observations[row, :-349].any()
                assert (info["terminal_observation"][:-349] == last[row, 349:]).all()
            else:
                assert (observations[row, :-349] == last[row, 349:]).all()
        last = observations.copy()
    assert ended > 2


def test_a_model_learns_from_stacked_observations() -> None:
    """Its masks are found through the wrapper, and a self of it plays inside."""
    envs = stacked("hackthegrid", 4, 0, 0, 2)
    model = MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=32, n_epochs=1, device="cpu")
    model.learn(64)
    inside = SB3VecEnv("hackthegrid", 4, seed=1, opponent=SB3Policy(model, history=2))
    inside.reset()
    for _ in range(20):
        inside.step(inside.action_masks().argmax(axis=1))


def test_a_history_that_does_not_fit() -> None:
    model = model_of(stacked("hackthegrid", 1, 0, 0, 2))
    with pytest.raises(OptionError, match=r"takes observations \(698,\) .* shows \(349,\)"):
        network(model, "hackthegrid")
    with pytest.raises(OptionError, match=r"shows \(1047,\) with history=3"):
        network(model, "hackthegrid", history=3)
    with pytest.raises(OptionError, match=r"shows \(349,\)"):
        SB3Policy(model).check(cyberdeck.variant("hackthegrid"))
    planes = SB3VecEnv("stacktrices", 1, seed=0, observation="planes")
    sideways = model_of(VecFrameStack(planes, 2))  # it takes files for channels
    with pytest.raises(OptionError, match="channels_order='first'"):
        network(sideways, "stacktrices", options={"observation": "planes"}, history=2)
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(PolicyError, match="history="):
            SB3Policy(model, history=wrong)  # type: ignore[arg-type]
