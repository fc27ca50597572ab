"""Models of other libraries decide as a player what they decide in their own library."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from sb3_contrib import ARS, QRDQN, TRPO, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO

import cyberdeck
from cyberdeck import Batch, OptionError, PolicyError
from cyberdeck.evaluation import evaluate, play_games
from cyberdeck.players import Player, baselines, exporting, find_player
from cyberdeck.players.models import OnnxPolicy, TorchPolicy
from cyberdeck.sb3 import SB3Policy, make_vec_env
from tests.test_networks import seen

GRID = ("hackthegrid", dict[str, Any]())
PLANES = ("stacktrices", {"observation": "planes", "setup": "random"})
GAMES = [GRID, PLANES]


def shaken(module: torch.nn.Module) -> None:
    """Weights large enough for decisions to differ."""
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for each in module.parameters():
            each.copy_(torch.randn(each.shape, generator=generator) * 2 * each.shape[-1] ** -0.5)


def legal(numbers: Any, masks: NDArray[Any]) -> list[int]:
    """The best legal action by these numbers, one by one."""
    rows = zip(np.asarray(numbers), masks, strict=True)
    return [int(np.where(mask == 1, row, -np.inf).argmax()) for row, mask in rows]


def plays(player: Player, game: str, **options: Any) -> None:
    """It can be measured, and be an opponent."""
    assert evaluate(game, player, ["random"], deals=2, **options).records[-1].games > 1
    if cyberdeck.variant(game, **options).seats > 1:
        batch = Batch(game, 3, seed=0, seat=0, opponent=player, **options)
        batch.step(batch.choose("random"))


# --- PyTorch -------------------------------------------------------------------------------------


class Agent(torch.nn.Module):
    """As CleanRL's ppo.py has it: no forward, and its action comes with a logarithm."""

    def __init__(self, numbers: int, actions: int) -> None:
        super().__init__()
        self.critic = torch.nn.Sequential(torch.nn.Linear(numbers, 8), torch.nn.Linear(8, 1))
        self.actor = torch.nn.Sequential(
            torch.nn.Linear(numbers, 32), torch.nn.Tanh(), torch.nn.Linear(32, actions)
        )

    def get_value(self, x: Any) -> Any:
        return self.critic(x)

    def get_action_and_value(self, x: Any, action: Any = None) -> Any:
        probs = torch.distributions.Categorical(logits=self.actor(x))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(x)


class Several(torch.nn.Module):
    """Gives logits and values, as a network of training runs does."""

    def __init__(self, numbers: int, actions: int) -> None:
        super().__init__()
        self.logits, self.value = torch.nn.Linear(numbers, actions), torch.nn.Linear(numbers, 1)

    def forward(self, x: Any) -> Any:
        x = x.flatten(1)
        return self.logits(x), self.value(x)


class Distributed(Several):
    """Gives a distribution."""

    def forward(self, x: Any) -> Any:
        return torch.distributions.Categorical(logits=super().forward(x)[0])


MODULES: list[tuple[Any, Callable[[Any, Any], Any]]] = [
    (Agent, lambda module, x: module.actor(x)),
    (Several, lambda module, x: module(x)[0]),
    (Distributed, lambda module, x: module(x).logits),
    (torch.nn.Linear, lambda module, x: module(x)),
]


@pytest.mark.parametrize(("kind", "told"), MODULES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_module_decides_as_it_does_alone(
    kind: Any, told: Callable[[Any, Any], Any], dtype: torch.dtype
) -> None:
    positions = seen(60)
    module = kind(349, 69)
    shaken(module.to(dtype))
    with torch.no_grad():
        numbers = told(module, torch.as_tensor(positions.observations).to(dtype)).numpy()
    player = TorchPolicy(module)
    decided = player.decide(positions).tolist()
    assert decided == legal(numbers, positions.masks)
    assert len({*decided}) > 3
    free = TorchPolicy(module, masked=False).decide(positions)
    assert free.tolist() == numbers.argmax(axis=1).tolist() != decided
    drawing = TorchPolicy(module, greedy=False)
    chances = np.exp(np.where(positions.masks == 1, numbers, -np.inf).astype(np.float64))
    chances /= chances.sum(axis=1, keepdims=True)
    assert np.abs(drawing.chances(positions) - chances).max() < 1e-5
    assert (player.chances(positions).argmax(axis=1) == decided).all()
    with torch.no_grad():  # it has learned what it had learned
        [each.zero_() for each in module.parameters()]
    assert player.decide(positions).tolist() == decided
    assert pickle.loads(pickle.dumps(player)).decide(positions).tolist() == decided


def test_a_module_draws_by_its_probabilities() -> None:
    module = torch.nn.Linear(349, 69)
    shaken(module)
    some = seen(2)
    many = some.rows(np.repeat([0, 1], 4000))
    many.random_bits[:] = np.random.default_rng(3).integers(2**63, size=8000) * 2
    player = TorchPolicy(module, greedy=False)
    for half, chances in zip(np.split(player.decide(many), 2), player.chances(some), strict=True):
        found = np.bincount(half, minlength=69) / 4000
        assert np.abs(found - chances).max() < 5 * (0.25 / 4000) ** 0.5


def test_a_module_sees_planes_and_plays_everywhere() -> None:
    plays(TorchPolicy(torch.nn.Linear(349, 69), greedy=False), "hackthegrid")
    variant = cyberdeck.variant(PLANES[0], **PLANES[1])
    size = int(np.prod(variant.observation_shape))
    plays(TorchPolicy(Several(size, variant.action_count)), PLANES[0], **PLANES[1])


@pytest.mark.parametrize(
    ("module", "told"),
    [
        (torch.nn.Linear(348, 69), r"it makes RuntimeError: mat1 and mat2 shapes"),
        (
            torch.nn.Linear(349, 68),
            r"it makes an array of \(2, 68\), and one .* is needed, \(2, 69",
        ),
        (torch.nn.Sequential(torch.nn.Linear(349, 69), torch.nn.Flatten(0)), r"array of \(138,\)"),
    ],
    ids=["observation", "actions", "shape"],
)
def test_a_module_that_does_not_fit_is_refused(module: Any, told: str) -> None:
    with pytest.raises(OptionError, match=f"cannot play HACKtheGRID here: .*{told}"):
        Batch("hackthegrid", 1, opponent=TorchPolicy(module), seat=0)


# --- ONNX ----------------------------------------------------------------------------------------


def foreign(path: Path, shape: list[Any], actions: int = 69, kind: int = TensorProto.FLOAT) -> Any:
    """A model that somebody else has written: flattened, times a matrix; and what it gives."""
    size = int(np.prod(shape[1:]))
    weights = np.random.default_rng(3).normal(size=(size, actions)).astype(np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["obs"], ["number"], to=TensorProto.FLOAT),
            helper.make_node("Flatten", ["number"], ["flat"]),
            helper.make_node("MatMul", ["flat", "weights"], ["out"]),
            helper.make_node("ReduceSum", ["out"], ["value"]),
        ],
        "somebody's",
        [helper.make_tensor_value_info("obs", kind, shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("out", "value")],
        [numpy_helper.from_array(weights, "weights")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, path)
    return lambda observations: observations.reshape(len(observations), -1) @ weights


@pytest.mark.parametrize("game", ["matrix_overload", "hackthegrid"])
def test_an_exported_policy_plays_from_its_file_as_it_does_here(game: str, tmp_path: Path) -> None:
    file = next(iter(baselines.published(cyberdeck.game(game))))
    trained = find_player(cyberdeck.variant(game), str(file))
    path = tmp_path / "it.onnx"
    exporting.export(baselines.load(file), path)
    player = find_player(cyberdeck.variant(game), str(path))
    assert player.name == "it"
    batch = Batch(game, 200, seed=3)
    for _ in range(3):
        batch.step(batch.choose("random"))
    wanted, found, again = (
        batch.choose(each) for each in (trained, player, pickle.loads(pickle.dumps(player)))
    )
    assert (found == wanted).mean() > 0.99
    assert (again == found).all()
    session = onnxruntime.InferenceSession(path)
    given = find_player(batch.variant, OnnxPolicy(session, name="mine", greedy=False))
    chances = given.chances(batch._core.seen(batch._core.all_rows, True))
    assert np.abs(chances.sum(axis=1) - 1).max() < 1e-6
    plays(f"{path}:greedy=false", game)
    with pytest.raises(OptionError, match=f"^it plays '{game}', not Stacktrices"):
        find_player(cyberdeck.variant("stacktrices"), str(path))


def test_an_exported_policy_remembers_and_reads_its_features_by_name(tmp_path: Path) -> None:
    luck = np.random.default_rng(5)
    layers = [(luck.normal(size=(69, 698)) / 8, luck.normal(size=69))]
    own = baselines.Network("hackthegrid", layers, history=2)
    exporting.export(own, tmp_path / "it.onnx")
    games = [
        play_games("hackthegrid", {"it": each, "random": "random"}, [(0, 1)] * 8, range(8), seed=1)
        for each in (own, str(tmp_path / "it.onnx"))
    ]
    assert games[0].lengths.tolist() == games[1].lengths.tolist()
    assert games[0].returns.tolist() == games[1].returns.tolist()
    shown = cyberdeck.variant("hackthegrid", observation="prior")
    assert list(shown.layout) != list(cyberdeck.variant("hackthegrid").layout)
    find_player(shown, str(tmp_path / "it.onnx"))


@pytest.mark.parametrize("kind", [TensorProto.FLOAT, TensorProto.INT8, TensorProto.DOUBLE])
@pytest.mark.parametrize("case", GAMES, ids=["vector", "planes"])
def test_a_foreign_model_plays_if_its_shapes_fit(
    case: tuple[str, dict[str, Any]], kind: int, tmp_path: Path
) -> None:
    game, options = case
    variant = cyberdeck.variant(game, **options)
    shape = ["N", *variant.observation_shape]
    told = foreign(tmp_path / "own.onnx", shape, variant.action_count, kind)
    positions = seen(40, game=game, **options)
    player = find_player(variant, str(tmp_path / "own.onnx"))
    decided = player.decide(positions).tolist()
    assert decided == legal(told(positions.observations.astype(np.float32)), positions.masks)
    plays(player, game, **options)
    flat = ["N", variant.observation_size]
    foreign(tmp_path / "flat.onnx", flat, variant.action_count)
    assert find_player(variant, str(tmp_path / "flat.onnx")).decide(positions).tolist() == decided


@pytest.mark.parametrize(
    ("shape", "actions", "told"),
    [
        (
            ["N", 350],
            69,
            "own cannot play HACKtheGRID here: .* Got: 349 Expected: 350",
        ),
        ([1, 349], 69, "own cannot play HACKtheGRID here: .* Got: 2 Expected: 1"),
        (["N", 349], 70, r"own cannot play HACKtheGRID here: .* an array of \(2, 70\), and one"),
        (["N"], 69, "own takes obs: a player takes observations"),
    ],
)
def test_a_foreign_model_that_does_not_fit_is_refused(
    shape: list[Any], actions: int, told: str, tmp_path: Path
) -> None:
    foreign(tmp_path / "own.onnx", shape, actions)
    with pytest.raises((OptionError, PolicyError), match=told) as caught:
        find_player(cyberdeck.variant("hackthegrid"), str(tmp_path / "own.onnx"))
    assert "\n" not in str(caught.value)


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.onnx").write_bytes(b"nothing")
    with pytest.raises(PolicyError, match=r"own\.onnx is no model that runs: "):
        find_player(cyberdeck.variant("hackthegrid"), str(tmp_path / "own.onnx"))


# --- stable-baselines3, sb3-contrib --------------------------------------------------------------

SMALL: dict[str, Any] = {"policy_kwargs": {"net_arch": [24, 16]}, "device": "cpu"}
LSTM: dict[str, Any] = {"lstm_hidden_size": 8, "n_lstm_layers": 2}
MODELS: dict[Any, dict[str, Any]] = {
    **{kind: {} for kind in (PPO, A2C, TRPO, MaskablePPO, ARS)},
    **{kind: {"buffer_size": 1} for kind in (DQN, QRDQN)},
    RecurrentPPO: {"policy_kwargs": {**SMALL["policy_kwargs"], **LSTM}},
}


def model_of(kind: Any, game: str = "hackthegrid", **options: Any) -> Any:
    """A model with weights large enough for decisions to differ."""
    policy = "MlpLstmPolicy" if kind is RecurrentPPO else "MlpPolicy"
    model = kind(
        policy, make_vec_env(game, 1, seed=0, **options), **copy.deepcopy({**SMALL, **MODELS[kind]})
    )
    shaken(model.policy)
    return model


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("case", GAMES, ids=["vector", "planes"])
def test_a_model_decides_as_its_library_predicts(
    case: tuple[str, dict[str, Any]], kind: Any, tmp_path: Path
) -> None:
    """One by one: without masks, with them where it knows any, and from its file."""
    game, options = case
    model, positions = model_of(kind, game, **options), seen(60, game=game, **options)
    low, high = (each.astype(np.int64) for each in positions.variant.bounds())
    luck = np.random.default_rng(4)
    shown = luck.integers(low, high + 1, (60, *low.shape)).reshape(positions.observations.shape)
    memory = np.zeros((60, SB3Policy(model).memory), np.float32)
    positions = replace(positions, observations=shown.astype(np.int8), memory=memory)
    alone = [int(model.predict(each, deterministic=True)[0]) for each in positions.observations]
    assert SB3Policy(model, masked=False).decide(positions).tolist() == alone
    assert len({*alone}) > 2
    positions.memory[:] = 0
    decided = SB3Policy(model).decide(positions).tolist()
    if kind is MaskablePPO:
        rows = zip(positions.observations, positions.masks, strict=True)
        alone = [
            int(model.predict(each, action_masks=mask, deterministic=True)[0])
            for each, mask in rows
        ]
        assert decided == alone
    assert (positions.masks[np.arange(60), decided] == 1).all()
    model.save(tmp_path / "own.zip")
    filed = find_player(positions.variant, str(tmp_path / "own.zip"))
    positions.memory[:] = 0
    assert filed.decide(positions).tolist() == decided
    assert filed.name == "own"
    assert pickle.loads(pickle.dumps(filed)).name == "own"


@pytest.mark.parametrize("kind", [PPO, MaskablePPO])
def test_a_model_draws_by_its_own_probabilities(kind: Any) -> None:
    model, positions = model_of(kind), seen(60)
    shown = torch.as_tensor(positions.observations).float()
    with torch.no_grad():
        told = model.policy.get_distribution(shown).distribution.probs.numpy()
    chances = SB3Policy(model, greedy=False, masked=False).chances(positions)
    assert np.abs(chances - told).max() < 1e-5


@pytest.mark.parametrize("kind", [DQN, QRDQN, ARS])
def test_a_model_of_values_draws_nothing(kind: Any) -> None:
    with pytest.raises(PolicyError, match="tells no probabilities to draw by: leave greedy=True"):
        SB3Policy(model_of(kind), greedy=False)


def test_a_recurrent_model_remembers_its_seats_game_and_nothing_else() -> None:
    """It plays both seats of many games. Each decision is what the library's own policy makes of
    that seat's observations alone, from the game's beginning on.
    """
    model, count = model_of(RecurrentPPO), 6
    with pytest.raises(PolicyError, match="is recurrent, and remembers by itself: history=1"):
        SB3Policy(model_of(RecurrentPPO), history=2)
    players = {"one": SB3Policy(model), "two": SB3Policy(model)}
    for lineup in ([0, 0], [0, 1]):
        games = play_games(
            "hackthegrid", players, [lineup] * count, range(count), seed=3, keep_actions=True
        )
        differ = 0
        for number in range(count):
            replayed = Batch("hackthegrid", 1, seed=int(games.seeds[number]))
            states: dict[int, Any] = {}
            for action in games.actions[number].tolist():
                seat, mask = int(replayed.mover[0]), replayed.mask[0]
                told, states[seat] = by_library(
                    model, replayed.observation.copy(), states.get(seat)
                )
                assert action == np.where(mask == 1, told, -np.inf).argmax()
                forgetful, _ = by_library(model, replayed.observation.copy(), None)
                differ += int(np.where(mask == 1, forgetful, -np.inf).argmax()) != action
                replayed.step([action])
        assert differ > 3


def by_library(model: Any, observation: Any, states: Any) -> tuple[NDArray[Any], Any]:
    """The logits of the library's own policy, and what it remembers then."""
    policy, began = model.policy, torch.tensor([float(states is None)])
    if states is None:
        blank = torch.zeros(policy.lstm_hidden_state_shape)
        states = blank, blank
    with torch.no_grad():
        shown = torch.as_tensor(observation).float()
        told, states = policy.get_distribution(shown, states, began)
    return told.distribution.logits[0].numpy(), states


# --- files of models -----------------------------------------------------------------------------


def test_which_class_a_file_is_of(tmp_path: Path) -> None:
    path = tmp_path / "own.zip"
    model_of(A2C).save(path)
    variant = cyberdeck.variant("hackthegrid")
    plays(f"{path}:algorithm=stable_baselines3:A2C,greedy=false", "hackthegrid")
    for settings, told in (
        ("algorithm=sb3_contrib:MaskblePPO", "own.zip cannot be loaded: AttributeError: .*Maskbl"),
        (
            "algorithm=stable_baselines3:DQN",
            "own.zip cannot be loaded by DQN: .*; of another cla",
        ),
        ("depth=3", "has no setting 'depth=3': it has algorithm=auto, greedy=true, history=1$"),
        ("history=0", "history=0 is not possible"),
    ):
        with pytest.raises((OptionError, PolicyError), match=told):
            find_player(variant, f"{path}:{settings}")
    with pytest.raises(OptionError, match=r"^own takes observations \(349,\) and .* Stacktrices s"):
        find_player(cyberdeck.variant("stacktrices"), str(path))
    with ZipFile(path) as file:
        data = json.loads(file.read("data"))
    data["policy_class"]["__module__"] = "somebodys.policies"
    for content, told in (
        (
            json.dumps(data).encode(),
            "does not tell which algorithm it is of: say it, such as .*o",
        ),
        (b"[]", "own.zip is no saved model: "),
        (None, "own.zip is no saved model: KeyError"),
    ):
        with ZipFile(path, "w") as file:
            if content is not None:
                file.writestr("data", content)
        with pytest.raises(PolicyError, match=told):
            find_player(variant, str(path))
    path.write_text("nothing")
    with pytest.raises(PolicyError, match=r"own\.zip is no saved model: BadZipFile"):
        find_player(variant, str(path))


def test_a_policy_class_of_ones_own_is_known_by_the_buffer(tmp_path: Path) -> None:
    from cyberdeck.api.residual import ResidualMaskablePolicy, residual_policy_kwargs

    variant = cyberdeck.variant("hackthegrid", observation="prior")
    shape = residual_policy_kwargs(variant, 0.5)
    model = MaskablePPO(ResidualMaskablePolicy, make_vec_env(variant, 1), policy_kwargs=shape)
    model.save(tmp_path / "own.zip")
    positions = seen(20, observation="prior")
    filed = find_player(variant, str(tmp_path / "own.zip"))
    assert filed.decide(positions).tolist() == SB3Policy(model).decide(positions).tolist()
